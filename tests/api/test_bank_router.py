"""Routing of acts to their bank, and the server named that holds one that is not here."""

from pathlib import Path
from typing import Final

import pytest

from jackpot.api.bank_router import BankRouter
from jackpot.api.operation import Ask, BadRequest, OperationCall
from jackpot.api.preview import AskPreview
from jackpot.api.queries.devices import Revoke
from jackpot.api.queries.journal import AskJournal
from jackpot.api.queries.servers import HandOver
from jackpot.app import Server
from jackpot.rules.acts.alarms import AcknowledgeAlarm
from jackpot.rules.acts.devices import ClearDevice
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.people import Grant
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.acts.rounds import Strike
from jackpot.rules.signing import SITE
from tests.net.test_revoked_keys import taken_by
from tests.running_server import LINK, LINKS, administer, configure, on_loop


@on_loop
async def test_an_act_on_another_servers_bank_says_where_it_goes(tmp_path: Path) -> None:
    """DESIGN, beyond one machine: a standby decides nothing, and names the server that does."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    config = configure(tmp_path, links=side)
    async with Server(config) as server:
        taken_by("b", server.banks["side"])
        suspend = {"do": "suspend", "cause": "operator", "reason": "drill", "by": "Ann"}
        away = await administer(config, links=["side"], **suspend)
        assert (away["status"], away["code"], away["bank"], away["server"]) == (
            421,
            "misdirected",
            "side",
            "b",
        )
        assert (await administer(config, links=[LINK], **suspend))["ok"]


# Each operation, and the bank that it is about on a floor with tables in `main` and a link in `side`.
ABOUT: Final[tuple[tuple[Ask, str], ...]] = (
    (Strike("T01", "R1", 1, "side", "twice"), "main"),
    (AskJournal(table="T01"), "main"),
    (ClearDevice("table", "T01"), "main"),
    (Revoke("S01", "sign"), "main"),
    (CorrectMeter("side", "mega", 1, "counted"), "side"),
    (Suspend("operator", ("side", LINK), "drill"), "side"),
    (AskPreview("undo", link="side", hit="H1"), "side"),
    (Confirm("side-1"), "side"),
    (Grant(1, "floor"), SITE),
)
NAMELESS: Final[tuple[Ask, ...]] = (
    AcknowledgeAlarm("AL1"),
    AskJournal(),
    HandOver(),
    Resume("operator", (), "over"),
    AskPreview("undo"),
)


@on_loop
async def test_an_operation_goes_to_the_bank_that_it_names(tmp_path: Path) -> None:
    """A10, L8: by its table before its link, its device, its links, its request; else somebody says which."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    async with Server(configure(tmp_path, links=side)) as server:
        banks = {SITE: server.people, **server.banks}
        devices = {"table": server.tables, "sign": server.signs}
        router = BankRouter(server.banks, devices, server.people)
        for ask, bank in ABOUT:
            assert await router.bank_for(OperationCall(ask)) is banks[bank], ask
        for ask in NAMELESS:
            with pytest.raises(BadRequest, match="main or side"):
                await router.bank_for(OperationCall(ask))
            assert await router.bank_for(OperationCall(ask, bank="side")) is banks["side"]
        with pytest.raises(BadRequest, match="table T01 is of bank main"):
            await router.bank_for(OperationCall(Revoke("T01"), bank="side"))
