"""What may a floorperson do through the admin socket, and does the floor hear of it?"""

import asyncio
import getpass
import json
import re
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from jackpot.app import Server
from jackpot.rules.acts.hits import Undone
from jackpot.rules.events import People
from jackpot.rules.kinds import decode
from tests.server.bed import LINK, LINKS, Device, administer, configure, on_loop, sign, table
from tests.server.test_web import fetch

ROYAL = {"seat": 1, "cards": ["As", "Ks", "Qs"]}


async def royal(device: Device, seq: int = 1, round_id: str = "R1", **more: Any) -> None:
    """A royal flush at seat 1, the round closed."""
    device.wager(seq, round_id, 1, 2, lock=True)
    hands = [ROYAL]
    device.say(t="settle", seq=seq + 1, round=round_id, hands=hands, board=["Js", "Ts"], close=True, **more)
    answer = await device.answer(seq + 1)
    assert answer["t"] == "ack", answer


async def jackpot(*words: str) -> tuple[int, str, str]:
    """The command line in a process of its own: exit code, output, errors."""

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "jackpot.cli", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)

    done = await asyncio.to_thread(run)
    return done.returncode, done.stdout, done.stderr


@on_loop
async def test_a_hit_is_validated_and_paid(tmp_path: Path) -> None:
    """A10, T11: pending, validated, paid; table and signs are told, the table's cards are free again."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device, sign(server) as board:
        await royal(device)
        early = await administer(config, do="pay", hit="H1", by="Ann")
        assert (early["ok"], early["code"]) == (False, "not_validated")
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "table_held"
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        assert (await board.type("status"))["status"] == "validated"
        assert (await administer(config, do="pay", hit="H1", by="Ann"))["ok"]
        assert (await board.type("status"))["status"] == "paid"
        await device.hear(lambda message: message["t"] == "status" and message["status"] == "paid")
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["t"] == "ack"


@on_loop
async def test_two_people_are_asked_for_where_the_rules_do(tmp_path: Path) -> None:
    """A11: undoing while a later award of the level exists takes two people: refused in a sentence."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    async with Server(config) as server, table(server) as device:
        await royal(device)
        await royal(device, 3, "R2")
        answer = await administer(config, do="undo", hit="H1", reason="wrong hand", by="Ann")
        assert (answer["ok"], answer["code"]) == (False, "two_people")
        assert "two different people" in answer["message"]
        undo = ("hits", "undo", "H1", "--reason", "wrong hand", "--config", str(config.path))
        code, _, error = await jackpot(*undo, "--by", "Ann")
        assert code == 1
        assert "type both names: --by NAME --and-by OTHER" in error
        code, _, error = await jackpot(*undo, "--by", "Ann", "--and-by", " ANN")
        assert code == 1
        assert "'ANN' is the same person" in error
        code, _, error = await jackpot(*undo, "--by", "Ann", "--and-by", "\u0410nn")
        assert code == 1
        assert "mixes latin letters with others (cyrillic): write it in one script" in error
        code, out, error = await jackpot(*undo, "--by", "Ann", "--and-by", "Bo")
        assert code == 0, error
        assert out.startswith("H1: undone")
        durable = server.writers["main"].core.durable_seq
        row = (await server._stores["main"].rows("main", durable - 1, 1))[0]
        event = decode(row.kind, row.version, row.body)
        assert isinstance(event, Undone)
        assert event.people == People(("Ann", "Bo"), proved=False)


@on_loop
async def test_an_award_is_corrected_on_the_command_line(tmp_path: Path) -> None:
    """A10: by two people; the sum of a paid one stays, and the difference wants a document's number."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        two = ("--reason", "misread", "--by", "Ann", "--and-by", "Bo", "--config", str(config.path))
        code, _, error = await jackpot("hits", "correct", "A1", "--amount", "9.999", *two)
        assert (code, "finer than a cent" in error) == (1, True)
        code, out, error = await jackpot("hits", "correct", "A1", "--amount", "9999.00", *two)
        assert (code, out) == (0, "A1: comes to $9,999.00, to be validated\n"), error
        told = await device.hear(lambda message: message["t"] == "award" and message["amount"] == 999_900)
        assert told["status"] == "pending"
        for act in ("validate", "pay"):
            assert (await administer(config, do=act, hit="H1", by="Ann"))["ok"]
        code, _, error = await jackpot("hits", "correct", "A1", "--amount", "10000", *two)
        assert (code, error.partition(":")[0]) == (1, "document")
        paper = ("--document", "W-7")
        code, out, _ = await jackpot("hits", "correct", "A1", "--amount", "9998.50", *paper, *two)
        assert (code, out) == (0, "A1: stays as it was paid; -$0.50 journalled against it\n")


@on_loop
async def test_rounds_are_struck_voided_and_reopened(tmp_path: Path) -> None:
    """T3, T6, T10: the table is told its round anew by a `round` push."""
    config = configure(tmp_path, links=LINKS + "count_chips = true\n")
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, lock=True, chips={LINK: 1})
        assert (await device.answer(1))["warn"]
        shown = await administer(config, do="round", table="T01")
        assert shown["round"]["state"] == "mismatch"
        request = {"table": "T01", "round": "R1", "reason": "no chip", "by": "Ann"}
        assert (await administer(config, do="strike", seat=2, link=LINK, **request))["ok"]
        assert (await device.type("round"))["state"] == "locked"
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["t"] == "ack"
        assert (await administer(config, do="reopen", **request))["asked"]
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "table_held"
        shown = await administer(config, do="round", table="T01")
        assert shown["round"]["asked"] == "Ann"
        assert (await administer(config, do="decline", **request))["ok"]
        assert (await administer(config, do="reopen", **request))["asked"]
        assert (await administer(config, do="reopen", **request | {"by": "Bo"}))["ok"]
        assert (await device.type("round"))["round"] == "R1"
        voided = await administer(config, do="void", and_by="Bo", **request)
        assert [refund["seat"] for refund in voided["refunds"]] == [1]


@on_loop
async def test_the_socket_is_ours_alone_and_knows_who_we_are(tmp_path: Path) -> None:
    """Mode 0600; the person is the peer's login name unless another is given."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    async with Server(config) as server, table(server) as device:
        assert stat.S_IMODE(config.listen.admin.stat().st_mode) == 0o600
        await royal(device)
        assert (await administer(config, do="validate", hit="H1"))["ok"]
        durable = server.writers["main"].core.durable_seq
        last = (await server._stores["main"].rows("main", durable - 1, 1))[0]
        assert getpass.getuser().encode() in last.body


@on_loop
async def test_requests_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    """An error is one clear line, and the server goes on."""
    config = configure(tmp_path)
    async with Server(config):
        for request, text in (
            ({"do": "dance"}, "do: 'dance' is unknown"),
            ({"do": "validate"}, "hit: missing"),
            ({"do": "validate", "hit": "H9"}, "hit: 'H9' is not an open hit"),
            ({"do": "round", "table": "T99"}, "table: 'T99' is unknown; there is T01 T02"),
            ({"do": "undo", "hit": "H1", "reason": ""}, "reason: 1 to 256 printable characters"),
            ({"do": "hits", "bank": "other"}, "bank: 'other' is unknown; there is main"),
            ({"do": "hits", "colour": 1}, "colour: unknown"),
        ):
            answer = await administer(config, **request)
            assert (answer["ok"], answer["message"]) == (False, text)


@on_loop
async def test_the_command_line_acts(tmp_path: Path) -> None:
    """Hits, rounds and keys from a shell, tables of text, JSON, one clear line on error."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, out, _ = await jackpot("hits", "list", *where)
        assert (code, "10,000.18" in out, "11,000.18" in out, "royal-flush" in out) == (0, True, False, True)
        code, out, _ = await jackpot("hits", "show", "H1", *where)
        assert (code, "$10,000.18" in out, "$1,000.00" in out) == (0, True, True)
        made = (await administer(config, do="hit", hit="H1"))["hits"][0]["at"]
        here = datetime.fromtimestamp(made // 1000, ZoneInfo("America/New_York"))
        assert f" on {LINK}, {here:%Y-%m-%d %H:%M:%S %Z}, pending" in out
        assert await jackpot("hits", "show", "H1", "--socket", str(config.listen.admin)) == (0, out, "")
        code, out, _ = await jackpot("hits", "validate", "H1", "--by", "Ann Lee", *where)
        assert (code, out.startswith("H1: validated (A1 $10,000.18 validated")) == (0, True)
        code, out, _ = await jackpot("hits", "list", "--json", *where)
        assert (code, '"status": "validated"' in out) == (0, True)
        code, out, _ = await jackpot("rounds", "show", "T01", *where)
        assert (code, out) == (0, "T01: round R1, closed\nits hits: H1\n")
        code, _, error = await jackpot("keys", "clear", "T01", *where)
        assert (code, error.count("\n")) == (1, 1)
    code, _, error = await jackpot("hits", "list", *where)
    assert (code, "no server answers at" in error) == (1, True)
    code, out, _ = await jackpot("keys", "show", *where)
    assert (code, out.count("table"), out.count("sign")) == (0, 2, 1)
    assert config.keys["table", "T01"][0].hex() not in out


@on_loop
async def test_of_several_banks_a_person_sees_all_and_says_which(tmp_path: Path) -> None:
    """A10: each bank counts its hits from H1, so no list leaves a bank out and no act takes the first."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    config = configure(tmp_path, links=side)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, out, _ = await jackpot("hits", "list", *where)
        assert (code, out.splitlines()[0].strip(), "main" in out) == (0, "1 hit", True)
        code, out, _ = await jackpot("hits", "show", "H1", *where)
        assert (code, out.startswith("H1: royal-flush at T01 on floor-five")) == (0, True)
        code, _, error = await jackpot("hits", "show", "H1", "--bank", "side", *where)
        assert (code, error) == (
            1,
            "there is no hit H1 in bank side: `jackpot hits list --all` lists every one ever made\n",
        )
        code, _, error = await jackpot("hits", "validate", "H1", "--bank", "side", *where)
        assert (code, error) == (1, "hit: 'H1' is not an open hit; `jackpot hits list` shows the open ones\n")
        code, out, _ = await jackpot("hits", "validate", "H1", "--bank", "main", *where)
        assert (code, out.startswith("H1: validated")) == (0, True)
        code, _, error = await jackpot("keys", "revoke", "S01", *where)
        assert (code, error) == (1, "table: 'S01' is unknown, but there is such a sign: --role sign\n")


@on_loop
async def test_a_link_is_suspended_and_resumed_from_a_shell(tmp_path: Path) -> None:
    """S4: wagers stop at once and are told why; money bet is settled; only the reason given is taken away."""
    config = configure(tmp_path)
    words = ("-c", str(config.path), "--by", "Ann", "--reason", "new felt")
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        assert (await jackpot("links", "suspend", LINK, *words))[0] == 0
        told = await device.hear(lambda message: message["t"] == "link")
        assert (told["state"], told["reason"]) == ("suspended", "operator")
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["t"] == "ack"
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "suspended"
        code, _, error = await jackpot("links", "resume", LINK, "--after", "internal", *words)
        assert (code, error.count("\n")) == (1, 1)
        assert "internal" in error
        assert "operator" in (await jackpot("links", "list", "-c", str(config.path)))[1]
        assert (await jackpot("links", "resume", LINK, *words))[0] == 0
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["t"] == "ack"


@on_loop
async def test_what_another_server_may_have_changed_is_not_listed(tmp_path: Path) -> None:
    """DESIGN, lease: a server that was frozen or cut off lists no hit as pending that may be paid by now."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        server.writers["main"].hold._until = 0.0
        for request in ({"do": "hits"}, {"do": "round", "table": "T01"}):
            answer = await administer(config, **request)
            assert (answer["ok"], answer["code"]) == (False, "bank_stopped")
            assert "not confirmed by the ledger" in answer["message"]


@on_loop
async def test_no_hit_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1: paid, undone and odds hits are listed for ever, the newest first, on the page and by command."""
    monkeypatch.setattr("jackpot.server.acts.PAGE_MOST", 2)
    config = configure(tmp_path, links=LINKS + 'hold_table = false\nvalidate_at = "500.00"\n')
    where = ("--config", str(config.path))
    flush = {"seat": 1, "cards": ["As", "Ks", "9s"]}
    async with Server(config) as server, table(server) as device:
        for number, hand in enumerate((ROYAL, flush, ROYAL)):
            device.wager(2 * number + 1, f"R{number}", 1, 2, lock=True)
            settle = {"hands": [hand], "board": ["Js", "Ts"], "close": True}
            device.say(t="settle", seq=2 * number + 2, round=f"R{number}", **settle)
            assert (await device.answer(2 * number + 2))["t"] == "ack"
        await administer(config, do="validate", hit="H1", by="Ann")
        await administer(config, do="pay", hit="H1", by="Ann")
        await administer(config, do="undo", hit="H3", by="Ann", reason="a misdeal")
        device.wager(7, "R9", 1, lock=True)
        await device.answer(7)
        assert (await administer(config, do="hits"))["hits"] == []
        told = await administer(config, do="history")
        assert [(hit["hit"], hit["status"]) for hit in told["hits"]] == [("H3", "undone"), ("H2", "final")]
        assert told["more"]
        told = await administer(config, do="history", before="H2")
        assert [(hit["hit"], hit["status"]) for hit in told["hits"]] == [("H1", "paid")]
        assert not told["more"]
        (hit,) = (await administer(config, do="hit", hit="H1"))["hits"]
        assert (hit["amount"], hit["round"], hit["seat"], hit["table"]) == (1_000_018, "R0", 1, "T01")
        assert (await administer(config, do="hit", hit="H77"))["hits"] == []
        assert (await administer(config, do="hit", hit="one"))["code"] == "bad_request"
        shown = json.loads((await fetch(server, "/floor.json"))[1])["hits"]
        assert [hit["status"] for hit in shown] == ["undone", "final", "paid"]
        code, out, _ = await jackpot("hits", "list", "--all", *where)
        assert (code, "--bank main --before H2" in out, "undone" in out, "final" in out) == (
            0,
            True,
            True,
            True,
        )
        code, out, _ = await jackpot("hits", "list", "--all", "--before", "H2", *where)
        assert (code, "H1 " in out, "H2 " in out) == (0, True, False)


@on_loop
async def test_a_level_shows_its_rates_and_terms_everywhere(tmp_path: Path) -> None:
    """S1: value, seed, reseed, rates, limit, hits, wins, wagers; on the page, in the command, as a metric."""
    bonus = LINKS.replace("pa-643a-five-card-C", "pa-643a-five-card-hand-bonus") + (
        '[link.level.meter]\nlimit = "20000.00"\nlimit_approval = "tests"\n'
    )
    config = configure(tmp_path, links=bonus)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        device.say(t="void", seq=2, round="R1", reason="misdeal")
        assert (await device.answer(2))["t"] == "ack"
        device.wager(3, "R2", 1, lock=True)
        assert (await device.answer(3))["t"] == "ack"
        terms = json.loads((await fetch(server, "/floor.json"))[1])["terms"][LINK]["meter"]
        metrics = (await fetch(server, "/metrics"))[1].splitlines()
        _, shown, _ = await jackpot("links", "show", LINK, "-c", str(config.path))
        missing = await jackpot("links", "show", "nowhere", "-c", str(config.path))
    assert terms == [
        "of a wager 13 %, to the reserve 8 %",
        "seed $10,000.00, reseed $0.00, limit $20,000.00",
        "reserve $0.08, overflow $0.00",
        "0 hits, $0.00; 1 wager",
        "undone: 0 hits, 2 wagers",
    ]
    told = {
        name: value
        for name, _, value in (line.partition(f'{{level="meter",link="{LINK}"}} ') for line in metrics)
        if value
    }
    assert {name.removeprefix("jackpot_"): float(told[name]) for name in told if "rat" in name} == {
        "primary_rate_ratio": 0.13,
        "reserve_rate_ratio": 0.08,
    }
    money = {name: float(told[f"jackpot_{name}_currency_units"]) for name in ("seed", "reseed", "limit")}
    assert money == {"seed": 10_000, "reseed": 0, "limit": 20_000}
    facts = dict(re.findall(r"^│ ([a-z ]+?) +│ (\S.*?) +│$", shown, re.MULTILINE))
    assert (facts["primary rate"], facts["reserve rate"]) == ("13.00 %", "8.00 %")
    assert (facts["limit"], facts["wagers"], facts["wagers undone"]) == ("$20,000.00", "1", "2")
    assert (missing[0], missing[2]) == (1, "there is no link nowhere: `jackpot links list` names them all\n")
