"""A real server signs and sends heads of every bank when due, and its start checks them (S3, S8)."""

import asyncio
import socket
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from jackpot.app import Server
from jackpot.config import Config
from jackpot.ledger.heads import SignedHead, known_keys, read_heads, read_line, unsigned
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.people import FirstPeople, Recover
from jackpot.rules.acts.readings import Reading
from jackpot.rules.signing import SITE
from tests.ledger.people import SECRET
from tests.net.test_admin_socket import royal
from tests.notify.heads import FILE, heads, site_key, written
from tests.running_server import LINK, LINKS, StepClock, configure, on_loop, table, until


def ledger_of(config: Config) -> SqliteLedger:
    return SqliteLedger(config.ledger.url.removeprefix("sqlite:///"), readonly=True)


def proved(folder: Path, config: Config) -> int:
    """Number of rows that the file's heads leave unproved; asserts that every head is in the chain."""
    lines = (folder / FILE).read_bytes().split(b"\n")
    with closing(ledger_of(config)) as ledger:
        kept = read_heads(lines, "test", known_keys([site_key(folder).public]))
        assert (kept.problems, kept.no_heads) == ([], [])
        report = verify(ledger, "main", heads=kept.of("main"))
    assert report.problems == ()
    return report.unproved


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the pause between two polls of a bank."""
    monkeypatch.setattr("jackpot.notify.signed_heads.LOOK_EVERY_S", 0.01)


@on_loop
async def test_heads_leave_when_they_must(tmp_path: Path) -> None:
    """S8: at the start, after a hit, at a reading, hourly, and a last one at the end; not at every wager."""
    config, clock = configure(tmp_path, extra=heads(tmp_path)), StepClock()
    async with Server(config, clock) as server:
        sequencer = server.banks["main"].sequencer
        await until(lambda: len(written(tmp_path)) == 1)
        first = written(tmp_path)[0]
        assert (first["site"], first["bank"], first["epoch"]) == ("test", "main", sequencer.epoch)
        async with table(server) as device:
            device.wager(1, "R0", 1, 2)
            await device.answer(1)
            device.say(t="void", seq=2, round="R0", reason="misdeal")
            await device.answer(2)
            await royal(device, 3)
        won = sequencer.durable_seq
        await until(lambda: written(tmp_path)[-1]["seq"] == won)
        assert len(written(tmp_path)) == 2
        clock.ahead_s += 3_600
        clock.stepped_s -= 3_600  # no day ends by it
        await until(lambda: len(written(tmp_path)) >= 3)
        assert written(tmp_path)[2]["hash"] == written(tmp_path)[1]["hash"]
        before = len(written(tmp_path))
        await server.banks["main"].person(Reading("2026-01-01"), ())
        read = sequencer.durable_seq
        await until(lambda: written(tmp_path)[-1]["seq"] == read)
        assert len(written(tmp_path)) == before + 1
        async with table(server, "T02") as device:
            device.wager(1, "R2", 1)
            assert (await device.answer(1))["t"] == "ack"
    assert written(tmp_path)[-1]["seq"] == sequencer.durable_seq > read
    assert proved(tmp_path, config) == 0
    known = known_keys([site_key(tmp_path).public])
    for line in (tmp_path / FILE).read_bytes().splitlines():
        head = read_line(line)
        assert isinstance(head, SignedHead)
        assert unsigned(head, known) is None


@on_loop
async def test_each_act_of_the_peoples_bank_has_a_head(tmp_path: Path) -> None:
    """S8: who got which right is proved at once, as a hit is: no hour to take it back in."""
    async with Server(configure(tmp_path, extra=heads(tmp_path))) as server:
        await until(lambda: len(written(tmp_path, SITE)) == 1)
        first = FirstPeople(((b"1" * 32, SECRET), (b"2" * 32, SECRET)))
        assert (await server.people.person(first, ("root",))).ok
        await until(lambda: len(written(tmp_path, SITE)) == 2)
        assert (await server.people.person(Recover(b"3" * 32, SECRET), ("root",))).ok
        await until(lambda: len(written(tmp_path, SITE)) == 3)
        assert [head["seq"] for head in written(tmp_path, SITE)] == [2, 3, 4]


@on_loop
async def test_a_destination_that_fails_costs_the_money_nothing(tmp_path: Path) -> None:
    """S8: nobody listens, the file's folder is gone: the floor plays on, and the end comes."""
    (tmp_path / "mnt").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes the connection, and says nothing
        webhook = f'webhook = "https://127.0.0.1:{silent.getsockname()[1]}/heads"'
        section = heads(tmp_path, webhook, 'syslog = "nobody"', file="mnt/heads.jsonl")
        config = configure(tmp_path, extra=section)
        (tmp_path / "mnt").rmdir()
        with structlog.testing.capture_logs() as logs:
            async with Server(config) as server, table(server) as device:
                assert server.signer is not None
                boxes = {box.statistics()["destination"]: box for box in server.signer.outboxes}
                await until(lambda: boxes["file"].failures > 0 and boxes["syslog"].failures > 0)
                await royal(device)
                assert boxes["webhook"].statistics()["waiting"] > 0
                assert server.active
    lost = {line["destination"]: line["waiting"] for line in logs if line["event"] == "delivery_lost"}
    assert lost.keys() == {"file", "syslog", "webhook"}
    assert not [line for line in logs if line["event"] in {"bank_stopped", "task_failed"}]


@on_loop
async def test_a_new_key(tmp_path: Path) -> None:
    """S8: heads of an earlier key stay good while its public key is known, and only then."""
    async with Server(configure(tmp_path, extra=heads(tmp_path))):
        pass
    old, earlier = site_key(tmp_path).public, (tmp_path / FILE).read_bytes().splitlines()
    (tmp_path / "site").rename(tmp_path / "site-old")
    (tmp_path / "site.pub").rename(tmp_path / "site-old.pub")
    section = heads(tmp_path, f'known = ["{tmp_path / "site-old.pub"}"]')
    new = site_key(tmp_path).public
    config = configure(tmp_path, extra=section)
    with structlog.testing.capture_logs() as logs:
        async with Server(config):
            pass
    assert not [line for line in logs if line["event"] == "rows_unproved"]
    lines = (tmp_path / FILE).read_bytes().splitlines()
    assert read_heads(lines, "test", known_keys([old, new])).problems == []
    assert len(read_heads(lines, "test", known_keys([new])).problems) == len(earlier) < len(lines)


@on_loop
async def test_a_bank_that_is_lost_is_signed_no_more(tmp_path: Path) -> None:
    """S8: who has no bank signs nothing of it; its own last head stays good."""
    config = configure(tmp_path, extra=heads(tmp_path))
    async with Server(config) as server:
        await until(lambda: len(written(tmp_path)) == 1)
        store, bank = server._stores["main"], server.banks["main"]
        await store.new_epoch("main", "another")
        with structlog.testing.capture_logs() as logs:
            bank.act(Reading("2026-01-01"), lambda _outcome: None)
            await until(lambda: bank.lifecycle.stopped is not None)
            await asyncio.sleep(0)
        assert [line for line in logs if line["event"] == "bank_fenced"]
    assert proved(tmp_path, config) == len(written(tmp_path)) - 1


@on_loop
async def test_each_bank_has_heads_of_its_own(tmp_path: Path) -> None:
    """S8: a hit in one bank says nothing of another, nor of the people's."""
    links = LINKS + LINKS.replace(f'"{LINK}"', '"side"') + 'bank = "side"\n'
    config = configure(tmp_path, links=links, extra=heads(tmp_path))
    async with Server(config) as server, table(server) as device:
        await until(lambda: all(written(tmp_path, bank) for bank in ("main", "side", SITE)))
        await royal(device)
        await until(lambda: len(written(tmp_path)) == 2)
        assert [len(written(tmp_path, bank)) for bank in ("side", SITE)] == [1, 1]
