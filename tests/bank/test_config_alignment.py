"""Alignment of configuration and ledger at a start, and the messages about differences (S3, S2)."""

import asyncio
import contextlib
import json
import ssl
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
import structlog
import trustme
from msgspec.structs import replace
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.bank.config_alignment import misplaced_links, missing_banks
from jackpot.cli.config import app as check_app
from jackpot.config import Config
from jackpot.ledger.store import CommitInDoubt, LedgerError, Store
from tests.ledger.maintenance.test_join import NOW, CutAt
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import join, open_ledger
from tests.running_server import LINK, LINKS, OFFER, Device, administer, configure, on_loop, table
from tests.web.test_metrics import fetch, key, samples


@on_loop
async def test_a_changed_link_starts_suspended(tmp_path: Path) -> None:
    """L9: a configuration that differs from the journal suspends its link; put back, the link resumes."""
    async with Server(configure(tmp_path)):
        pass
    changed = configure(tmp_path, links=LINKS + 'validate_at = "50.00"\n')
    with structlog.testing.capture_logs() as logs:
        async with Server(changed) as server, table(server) as device:
            assert device.heard[-1]["links"][0]["state"] == "suspended"
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["code"] == "suspended"
    said = next(line for line in logs if line["event"] == "config_differs")
    assert said["differences"] == ["validate_at: none in the ledger, 50.00 in the configuration"]
    async with Server(configure(tmp_path)) as server, table(server) as device:
        assert device.heard[-1]["links"][0]["state"] == "active"


@on_loop
async def test_a_link_that_plays_keeps_its_count(tmp_path: Path) -> None:
    """P8, T3: without `count_chips` an old link stays uncounted, also after a change; a new one is not."""
    unsaid = LINKS.replace("count_chips = false\n", "")
    async with Server(configure(tmp_path)):
        pass
    changed = configure(tmp_path, links=f'{unsaid}validate_at = "50.00"\n' + unsaid.replace(LINK, "new"))
    both = replace(changed, tables=(replace(changed.tables[0], links=(LINK, "new")), changed.tables[1]))
    asked = {"link": LINK, "reason": "a lower sum", "by": "Ann", "and_by": "Bo"}
    async with Server(both) as server, table(server) as device:
        old, new = device.heard[1]["links"]
        assert ("count" in old, new["count"]) == (False, True)
        (shown, _) = (await administer(both, do="/links"))["links"]
        assert [one["what"] for one in shown["differences"]] == ["validate_at"]
        preview = await administer(both, do="/preview/{act}", act="change-parameters", link=LINK)
        assert [one["what"] for one in preview["differences"]] == ["validate_at"]
        assert (await administer(both, do="change-parameters", **asked))["ok"]
        bets = [{"seat": 1, "link": link, "amount": 100} for link in (LINK, "new")]
        device.say(t="wager", seq=1, round="R1", bets=bets, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["code"] == "chip_mismatch"
        device.say(t="lock", seq=3, round="R1", chips={"new": 1})
        assert (await device.answer(3))["t"] == "ack"
        device.say(t="close", seq=4, round="R1")
        assert (await device.answer(4))["t"] == "ack"
    async with Server(both) as server, table(server) as device:
        assert [link["state"] for link in device.heard[1]["links"]] == ["active", "active"]


@on_loop
async def test_a_new_table_joins(tmp_path: Path) -> None:
    """DESIGN, ledger: adding tables is no parameter change."""
    async with Server(configure(tmp_path)):
        pass
    async with Server(configure(tmp_path, tables=3)) as server, table(server, "T03") as device:
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"


@on_loop
async def test_a_link_that_another_bank_has_is_shown_as_closed(tmp_path: Path) -> None:
    """L9: without its `bank` line it is a mistake to the check; a server says so wherever people look."""
    side = LINKS.replace(LINK, "side")
    both = f'{LINKS}{side}bank = "side"\n'
    async with Server(configure(tmp_path, links=both)):
        pass
    config = configure(tmp_path, links=LINKS + side)
    said = 'link side lies in bank side of the ledger, and not in bank main: write bank = "side" on the link'
    check = await asyncio.to_thread(CliRunner().invoke, check_app, ["check", str(config.path)])
    assert check.exit_code == 1
    assert check.stderr.startswith(said)
    assert check.stderr.endswith(f"{config.path}: 1 mistake\n")
    next_ = "`jackpot config check` says whether another bank of the ledger has it"
    async with Server(config) as server:
        ready = json.loads((await fetch(server, "/readyz"))[1])
        assert ready["suspended"]["side"].startswith(f"not_opened: {next_}")
        troubles = json.loads((await fetch(server, "/floor.json"))[1])["troubles"]
        (next_told,) = [each["next"] for each in troubles if "Link Side is suspended" in each["what"]]
        assert next_told.startswith(next_)
        found = await samples(server)
        for link, closed in (("side", 1), (LINK, 0)):
            assert found[key("jackpot_link_suspended", link=link, reason="not_opened")] == closed
            assert found[key("jackpot_link_active", link=link)] == 1 - closed
    configure(tmp_path, links=both)
    assert CliRunner().invoke(check_app, ["check", str(config.path)]).exit_code == 0


def test_a_link_of_a_broken_off_join_is_not_opened_again(tmp_path: Path) -> None:
    """M4, L9: its meter waits for the bank that is to begin; seeded elsewhere, that could never begin."""
    config = configure(
        tmp_path, links=f'{LINKS.replace(LINK, "five-north")}bank = "south"\n', tables=0, signs=0
    )
    with closing(open_ledger(config.ledger.url)) as ledger:
        two_banks(ledger)
        with pytest.raises(CommitInDoubt):
            join(cast("Store", CutAt(ledger, 1, after=True)), BANKS, "floor", "anna", "one room", NOW)
        assert misplaced_links(ledger, config, "south") == {"five-north": "floor"}
        (said,) = [text for bank, text in missing_banks(ledger, floor(config)).items() if bank == "floor"]
        assert "run the same jackpot bank join again" in said
        join(ledger, BANKS, "floor", "anna", "one room", NOW)
        assert misplaced_links(ledger, config, "south") == {"five-north": "floor"}
        assert misplaced_links(ledger, floor(config)) == {}


def floor(config: Config) -> Config:
    """The configuration with its links in the bank of that name."""
    return replace(config, links=tuple(replace(terms, bank="floor") for terms in config.links))


@on_loop
async def test_a_bank_that_was_never_meant_is_not_to_be_opened(tmp_path: Path) -> None:
    """S3: where all its links lie in other banks, what stops it says so, and names no `bank open`."""
    async with Server(configure(tmp_path, links=f'{LINKS}bank = "side"\n')):
        pass
    async with Server(configure(tmp_path)) as server:
        status, text = await fetch(server, "/readyz")
    assert status == 503
    assert f"link {LINK} lies in bank side of the ledger, and not in bank main" in text
    assert "bank open" not in text


def _tamper(path: Path) -> None:
    spoil(path, "DELETE FROM snapshot", "UPDATE journal SET body = x'93' WHERE seq = 1")


@on_loop
async def test_a_ledger_that_was_changed_starts_no_link(tmp_path: Path) -> None:
    """S3: the chain does not hold, so the server does not start and names the row."""
    config = configure(tmp_path)
    async with Server(config):
        pass
    _tamper(tmp_path / "ledger.db")
    with pytest.raises(LedgerError, match="row 1"):
        async with Server(config):
            pytest.fail("it started")


def _certified(name: str, trust: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    trust.configure_trust(context)
    trust.issue_cert(f"{name}.test", common_name=name).configure_cert(context)
    return context


@on_loop
async def test_a_certificate_must_name_its_device(tmp_path: Path) -> None:
    """WIRE, handshake: with mutual TLS the common name must equal the id; the mac is still required."""
    trust = trustme.CA()
    trust.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    server_cert = trust.issue_cert("127.0.0.1")
    server_cert.private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "server.pem"))
    pem = tmp_path / "server.pem"
    tls = f'[listen.tls]\ncert = "{pem}"\nkey = "{pem}"\nclient_ca = "{tmp_path / "ca.pem"}"'
    config = configure(tmp_path, extra=tls)
    async with Server(config) as server:
        for name, expected in (("T01", "welcome"), ("T02", "error")):
            context = _certified(name, trust)
            reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["tables"], ssl=context)
            device = Device(reader, writer)
            with structlog.testing.capture_logs() as logs:
                await device.hello(config, "table", "T01")
                assert (await device.type("welcome", "error"))["t"] == expected
            writer.transport.abort()
            told = [(line["certificate"], line["why"]) for line in logs if line["event"] == "stranger_closed"]
            wanted = [(name, "its certificate is of another id")] * (expected == "error")
            assert told == wanted, "somebody may have the key of the one it claims"
        context = ssl.create_default_context()
        trust.configure_trust(context)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["tables"], ssl=context)
        with contextlib.suppress(ssl.SSLError):
            assert await reader.read(1) == b""
        writer.transport.abort()


@on_loop
async def test_nothing_is_taken_away_before_its_day_by_the_configuration(tmp_path: Path) -> None:
    """P2: a limit or a dropped wager that nobody announced; what to do is said, also beforehand."""
    offered = LINKS + "notice_days = 7\n" + OFFER + "notice_days = 7\n"
    async with Server(configure(tmp_path, links=offered)):
        pass
    bare = LINKS + 'notice_days = 7\n[link.level.mega]\nlimit = "90000.00"\nlimit_approval = "x"\n'
    changed = configure(tmp_path, links=bare + OFFER.replace('"T01"', '"T02"') + "notice_days = 7\n")
    back = "until then put the configuration back as it was, and start again"
    keeps = "three-bonus is withdrawn 7 days after that was announced, or later: announce it first (P2)"
    check = await asyncio.to_thread(CliRunner().invoke, check_app, ["check", str(changed.path)])
    said = " ".join(check.output.split())
    assert f"table T01 goes on as before: {keeps}; {back}" in said
    assert f"stands still until that may hold (a limit of {LINK} is lowered 7 days after" in said
    with structlog.testing.capture_logs() as logs:
        async with Server(changed) as server, table(server) as device:
            assert [one["link"] for one in device.heard[-1]["links"]] == [LINK, "three-bonus"]
            refused = await administer(
                changed, do="change-parameters", link=LINK, reason="x", by="Ann", and_by="Bo"
            )
            assert refused["code"] == "notice_needed"
    differs = next(line for line in logs if line["event"] == "config_differs" and "differences" in line)
    assert differs["do"].endswith(back)
    (kept,) = [line for line in logs if line["event"] == "opening_refused"]
    assert (kept["code"], kept["do"]) == ("notice_needed", back)
