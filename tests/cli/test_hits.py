"""`jackpot hits`: what is listed, and what is said of an act that cannot be done."""

import json
import os
import re
from pathlib import Path
from typing import Any

import structlog
from msgspec.structs import replace

from jackpot.app import Server
from jackpot.config import Config
from jackpot.config.tax import law_of
from jackpot.net.admin_socket import login_of
from jackpot.rules.rounds.unpaid import WAITING_MAX
from tests.net.test_admin_socket import jackpot, pay, royal
from tests.net.test_tables import pile_up
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table
from tests.said import in_words
from tests.web.staffed import join, staffed
from tests.web.test_metrics import fetch, key, samples

TWO = ("--reason", "misread", "--by", "Ann", "--and-by", "Bo")
TWO_BANKS = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'


async def validated_and_paid(config: Config, hit: str = "H1") -> None:
    assert (await administer(config, do="validate", hit=hit, by="Ann Lee"))["ok"]
    await pay(config, hit, by="Ann Lee")


@on_loop
async def test_a_corrected_paid_award_is_shown_with_its_difference(tmp_path: Path) -> None:
    """A10: the sum of a paid award stays; what was journalled against it stands next to it, everywhere."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        await validated_and_paid(config)
        for round_, amount in ((None, "9998.50"), ("R2", "9990.18")):
            document = ("--amount", amount, "--write", "document=W-7")
            code, _, error = await jackpot("hits", "correct", "A1", *document, *TWO, *where)
            assert code == 0, error
            if round_ is None:  # another lock retires the hit: from now on the books alone know it
                device.wager(3, "R2", 1, lock=True)
                assert (await device.answer(3))["t"] == "ack"
        listed = await jackpot("hits", "list", "--all", *where)
        shown = await jackpot("hits", "show", "H1", *where)
        exact = json.loads((await jackpot("hits", "show", "H1", "--json", *where))[1])
        (on_page,) = json.loads((await fetch(server, "/floor.json"))[1])["hits"]
    assert "$10,000.18" in listed[1]
    assert "-$10.00" in listed[1]
    assert "$10,000.18, and $1,000.00 envy; corrected by -$10.00 after it was paid" in shown[1]
    assert (exact["amount"], exact["difference"]) == ("10000.18", "-10.00")
    assert {award["award"]: award["difference"] for award in exact["awards"]} == {
        "A1": "-10.00",
        "A2": "0.00",
    }
    assert (on_page["amount"], on_page["corrected"]) == ("$10,000.18", "-$10.00")


@on_loop
async def test_what_waits_for_a_second_person_is_not_said_to_be_done(tmp_path: Path) -> None:
    """A10, S9: a login of the machine asks as one person; until another confirms the award stays as it is."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with staffed(config) as server, table(server) as device:
        await join(server, login_of(os.getuid()), "floor")
        await royal(device)
        correct = ("hits", "correct", "A1", "--amount", "9999.00", "--reason", "misread", *where)
        code, out, error = await jackpot(*correct)
        assert (code, "asked for, and not done: " in out) == (0, True), out + error
        code, out, _ = await jackpot("hits", "show", "H1", "--json", *where)
        assert all(award["amount"] != "9999.00" for award in json.loads(out)["awards"])
        code, _, error = await jackpot(*correct, "--by", "Ann")
        assert (code, "a second person confirms at /ops/requests" in error) == (1, True)


@on_loop
async def test_an_act_finds_the_bank_of_its_hit(tmp_path: Path) -> None:
    """A10: where one bank alone has a hit or an award, nobody types its name; else the message names all."""
    config = configure(tmp_path, links=TWO_BANKS)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        for command in (
            ("hits", "show", "H1"),
            ("hits", "correct", "A1", "--amount", "10000.17", *TWO),
            ("hits", "validate", "H1"),
            ("hits", "pay", "H1", "--seat", "1", "--write", "document=W-1"),
        ):
            code, _, error = await jackpot(*command, *where)
            assert code == 0, error
        code, _, error = await jackpot("hits", "validate", "H9", *where)
        assert (code, error) == (1, "hit H9: no bank has it (main, side)\n")
        code, _, error = await jackpot("hits", "correct", "A9", "--amount", "1.00", *TWO, *where)
        assert (code, error) == (1, "award A9: no bank has it (main, side)\n")
        code, _, error = await jackpot("hits", "validate", "H1", "--award", "A99", *where)
        assert (code, error) == (1, f"{in_words('award_not_of_hit', hit=1, award='A99')}\n")
        code, _, error = await jackpot("ledger", "resume", "--reason", "the night's copy", *TWO[2:], *where)
        assert (code, error) == (1, "bank: which one? main or side\n")
        server.banks["side"].sequencer.engine.state.next_hit = 2  # it has a hit H1 of its own
        code, _, error = await jackpot("hits", "show", "H1", *where)
        assert (code, error) == (1, "bank: which one? main or side\n")


@on_loop
async def test_where_there_are_several_banks_a_hit_stands_with_its_own(tmp_path: Path) -> None:
    """A10: each bank counts its hits from H1, so an id without its bank names two."""
    config = configure(tmp_path, links=TWO_BANKS)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        listed = [await jackpot("hits", "list", *more, *where) for more in ((), ("--bank", "main"))]
        links = (await jackpot("links", "list", *where))[1]
        link = (await jackpot("links", "show", "side", *where))[1]
        (on_page,) = json.loads((await fetch(server, "/floor.json"))[1])["hits"]
    assert all(re.search(r"^\S+ main +\S+ H1 ", out, re.MULTILINE) for _, out, _ in listed), listed
    assert re.search(r"^\S+ main +\S+ floor-five ", links, re.MULTILINE), links
    assert link.startswith("link side of bank side")
    assert (on_page["hit"], on_page["bank"]) == ("H1", "main")


@on_loop
async def test_a_list_says_whom_each_hit_waits_for(tmp_path: Path) -> None:
    """A8, A10: a floorperson sees the cards, then the cage pays what is of a meter; a dispute takes two."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))

    async def waits_for() -> str:
        listed = (await jackpot("hits", "list", *where))[1]
        (row,) = [line for line in listed.splitlines() if " H1 " in line]
        return row.strip("│ ").rpartition("│")[2].strip()

    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert await waits_for() == "floor"
        await administer(config, do="validate", hit="H1", by="Ann")
        assert await waits_for() == "cage"
        await administer(config, do="dispute", hit="H1", reason="the deck", by="Ann")
        assert await waits_for() == "two of floor or auditor"


@on_loop
async def test_an_empty_name_is_nobodys(tmp_path: Path) -> None:
    """A10: who acts is named; an empty name is refused and never becomes the login."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        for name in ("", "  "):
            for words in (("hits", "validate", "H1"), ("lease", "hand-over", "main")):
                code, _, error = await jackpot(*words, "--by", name, *where)
                assert (code, error) == (1, "by: 1 to 64 printable characters\n")
            code, _, error = await jackpot("links", "suspend", LINK, "--reason", name or " ", *where)
            assert (code, error) == (1, "reason: 1 to 256 printable characters\n")
    code, _, error = await jackpot("bank", "open", "main", "--by", "", *where)
    assert (code, error) == (1, "--by: a name of printable characters\n")


@on_loop
async def test_a_line_of_the_log_says_what_an_act_was_about(tmp_path: Path) -> None:
    """S8: who reads the log alone finds hit, table, sum and reason; a refused act says why."""
    config = configure(tmp_path)
    lines: list[Any] = []
    async with Server(config) as server, table(server) as device:
        await royal(device)
        with structlog.testing.capture_logs() as lines:
            await administer(config, do="pay", hit="H1", document="W-1", by="Ann")
            fix = {"award": "A1", "amount": "9999.00", "reason": "misread", "by": "Ann", "and_by": "Bo"}
            await administer(config, do="correct", **fix)
            await administer(config, do="release", table="T01", reason="cards photographed", by="Ann")
            await administer(config, do="resume", links=[LINK], reason="x", by="Ann", cause="operator")
            await administer(config, do="revoke", role="sign", device="S01", by="Ann")
    acts = [{**line} for line in lines if line["event"] == "act"]
    assert [(act["do"], act["ok"]) for act in acts] == [
        ("pay", False),
        ("correct", True),
        ("release", True),
        ("resume", False),
        ("revoke", True),
    ]
    early, fixed, released, resumed, revoked = acts
    assert (early["hit"], early["code"]) == ("H1", "not_validated")
    assert early["message"] == in_words("hit_has_nothing_validated", hit=1)
    assert (fixed["award"], fixed["amount"], fixed["reason"], fixed["bank"]) == (
        "A1",
        999_900,
        "misread",
        "main",
    )
    assert (released["table"], released["reason"]) == ("T01", "cards photographed")
    assert (resumed["links"], resumed["cause"]) == ((LINK,), "operator")
    assert (revoked["role"], revoked["device"]) == ("sign", "S01")


@on_loop
async def test_awards_that_pile_up_are_listed_by_pages_and_alarmed(tmp_path: Path) -> None:
    """A10: a hundred hits at a time, oldest first, to the last; log, metric and floor page name the table."""
    config = configure(tmp_path)
    where = ("--json", "--config", str(config.path))
    with structlog.testing.capture_logs() as lines:
        async with Server(config) as server, table(server) as device:
            last = await pile_up(device, WAITING_MAX)
            listed: list[str] = []
            page: tuple[str, ...] = ("--bank", "main")
            more = "more"
            while more:
                code, out, more = await jackpot("hits", "list", *page, *where)
                assert code == 0, more
                listed += [hit["hit"] for hit in json.loads(out)]
                assert not more or more == f"bank main has newer ones: --bank main --after {listed[-1]}\n"
                page = tuple(more.rpartition(": ")[2].split())
            code, _, error = await jackpot("hits", "list", "--all", "--after", "H1", *where)
            assert (code, "--after without it" in error) == (1, True)
            found = await samples(server)
            troubles = json.loads((await fetch(server, "/floor.json"))[1])["troubles"]
    assert listed == [f"H{number}" for number in range(1, int(last["hit"][1:]) + 1)]
    assert found[key("jackpot_table_awards_waiting", table="T01")] == len(listed)
    assert found[key("jackpot_alarms_total", bank="main", code="awards_waiting")] == 1
    assert troubles[0]["what"] == f"Table T01: {len(listed)} awards wait for people"
    (alarm,) = [line for line in lines if line["event"] == "awards_waiting"]
    assert (alarm["table"], alarm["awards"] > WAITING_MAX) == ("T01", True)


@on_loop
async def test_a_payment_by_the_law_says_what_is_due_and_takes_it(tmp_path: Path) -> None:
    """A10: `hits show` says what to withhold; a wrong sum is refused with the right one."""
    config = configure(tmp_path)
    config = replace(config, site=replace(config.site, tax=law_of("us")))
    where = ("--config", str(config.path), "--by", "Ann")
    papers = {
        "document": "P-1", "patron": "Pat Ron", "identification": "passport X1", "tax_number": "T-1",
        "way": "account", "way_number": "44", "other_way": "cash", "other_number": "45",
        "treaty_rate": "10", "taxpayer_number": "X-1",
    }  # fmt: skip
    write = [word for name, text in papers.items() for word in ("--write", f"{name}={text}")]
    async with Server(config) as server, table(server) as device:
        await royal(device)
        await administer(config, do="validate", hit="H1", by="Ann")
        shown = (await jackpot("hits", "show", "H1", *where[:2]))[1]
        assert "seat 1: $10,000.18 won with a wager of $1.00" in shown
        assert re.search(r"not a resident, without a treaty *│ *1042-S *│ *\$3,000.05 *│ *\$7,000.13", shown)
        pays = ("hits", "pay", "H1", "--seat", "1", *write, "--other-sum", "0.50", "--nonresident", *where)
        code, _, error = await jackpot(*pays, "--withheld", "3000.05")
        assert code == 1
        assert "1000.02 is to be withheld from this payment: --withheld SUM" in error
        code, _, error = await jackpot(*pays, "--write", "way=barter")
        assert code == 1
        assert "'barter' is no way; there is cash, cheque, account" in error
        code, _, error = await jackpot(*pays, "--withheld", "1000.02")
        assert code == 0, error
        shown = (await jackpot("hits", "show", "H1", *where[:2]))[1]
        ways = "way account; way number 44; other way cash; other sum 0.50; other number 45"
        assert f"treaty rate 10 %; treaty form W-8BEN; withheld 1000.02; {ways}" in shown
