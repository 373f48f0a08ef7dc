"""Routing of acts to their bank, and the server named that holds one that is not here."""

from pathlib import Path

from jackpot.app import Server
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
