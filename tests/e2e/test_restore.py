"""Restoring a floor from a backup: table claims beyond it stop the bank until people confirm them."""

import json
import signal
from contextlib import closing
from pathlib import Path

import pytest

from tests import program
from tests.e2e.floors import BOARD, EASY, NOTHING, hand
from tests.e2e.site import Site, running
from tests.e2e.vendor import Vendor, bets
from tests.ledger.waiting import carry, open_ledger
from tests.ledgers import KINDS, Fresh


def jackpot(*words: str | Path) -> str:
    """What the command printed; it must succeed."""
    done = program.jackpot(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def move(site: Site, url: str) -> None:
    """The site's next start is on another ledger."""
    assert site.url in site._parts[0]
    site._parts[0] = site._parts[0].replace(site.url, url)
    site.url = url


def play_round(table: Vendor, name: str) -> None:
    table.ack("wager", round=name, bets=bets("easy", [7]), lock=True)
    table.ack("settle", round=name, hands=[hand(7, *NOTHING)], board=BOARD, close=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_floor_comes_back_from_a_backup(tmp_path: Path, fresh: Fresh, kind: str) -> None:
    """S9, WIRE: a restored bank waits for two people, who confirm what its tables have beyond it."""
    lost, file = fresh(kind), tmp_path / "night.db"
    site = Site(tmp_path, EASY, ledger=lost)
    site.add("table", ["easy"], 3)
    ahead, also, behind = (site.unused() for _ in range(3))
    with running(site):
        with site.table(ahead) as first, site.table(also) as second, site.table(behind) as third:
            for table in (first, second, third):
                play_round(table, "R1")
            assert f"{file} is proved to hold all" in jackpot("ledger", "backup", file, "--ledger", lost)
            play_round(first, "R2")
            play_round(first, "R3")
            play_round(second, "R2")
            acked = {ahead: first.seq, also: second.seq}
        assert site.stop() == 0
        restored = fresh(kind)
        assert "Start the server on it." in jackpot("ledger", "restore", file, "--ledger", restored)
        move(site, restored)
        site.start()
        with site.table(behind, acked=2) as third:
            assert third.ask("wager", round="R2", bets=bets("easy", [7]))["code"] == "suspended"
            for name, seq in acked.items():
                with site.connect() as device:
                    device.hello(site.keys[name], "table", name, acked=seq)
                    assert device.error()["code"] == "ledger_behind"
                site.logged("ledger_behind", table=name, acked=seq)
            said = json.loads(site.cli("ledger", "behind", "--json"))
            assert {one["table"]: one["acked"] for one in said} == acked
            why = ("--reason", "restored the backup of the night", "--by", "Ann")
            with pytest.raises(AssertionError, match="two different people must confirm this"):
                site.cli("ledger", "resume", "--believe", "all", *why)
            resumed = site.cli("ledger", "resume", "--believe", "all", *why, "--and-by", "Bo")
            lines = [f"{name}: believed up to {seq}" for name, seq in acked.items()]
            assert resumed.splitlines() == [*lines, "resumed"]
            third.hear(lambda message: message["t"] == "link" and message["state"] == "active")
            third.ack("wager", round="R2", bets=bets("easy", [7]))
            for name, seq in acked.items():
                with site.table(name, acked=seq) as table:
                    assert table.seq == seq
                    play_round(table, "R9")
        assert site.stop(signal.SIGTERM) == 0
    assert "the books balance" in jackpot("verify", "--ledger", restored)
    assert jackpot("ledger", "backup", tmp_path / "after.db", "--ledger", restored)


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_that_was_interrupted_is_not_served(tmp_path: Path, fresh: Fresh, kind: str) -> None:
    """S3: a part of a ledger is never taken for the whole of it; once the copy is complete, it is served."""
    whole, part = fresh("sqlite"), fresh(kind)
    site = Site(tmp_path, EASY, ledger=whole)
    site.add("table", ["easy"])
    name = site.unused()
    with running(site):
        with site.table(name) as table:
            play_round(table, "R1")
        assert site.stop() == 0
        with closing(open_ledger(whole, readonly=True)) as source, closing(open_ledger(part)) as target:
            carry(source, target)
        move(site, part)
        with pytest.raises(AssertionError, match="bank main is a copy that was interrupted"):
            site.start()
        site.stop()
        jackpot("ledger", "copy", part, "--ledger", whole)
        site.start()
        with site.table(name, acked=2) as table:
            assert table.seq == 2
            play_round(table, "R2")
