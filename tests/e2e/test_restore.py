"""Does a floor come back from a backup? What tables know beyond it stops the bank until people confirm it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.floors import BOARD, EASY, NOTHING, hand
from tests.e2e.site import Site, running
from tests.e2e.vendor import WAIT_S, Vendor, bets
from tests.ledgers import KINDS, Fresh


def jackpot(*words: str | Path) -> str:
    """What the command printed; it must succeed."""
    command = [sys.executable, "-m", "jackpot.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_ledger(site: Site, before: str, url: str) -> None:
    """The site's next start is on another ledger."""
    assert f'url = "{before}"' in site._parts[0]
    site._parts[0] = site._parts[0].replace(f'url = "{before}"', f'url = "{url}"')


def play_round(table: Vendor, name: str) -> None:
    table.ack("wager", round=name, bets=bets("easy", [7]), lock=True)
    table.ack("settle", round=name, hands=[hand(7, *NOTHING)], board=BOARD, close=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_floor_comes_back_from_a_backup(tmp_path: Path, fresh: Fresh, kind: str) -> None:
    """S4, WIRE: a table ahead of a restored ledger gets `ledger_behind`; the bank waits for people."""
    site, lost, file = Site(tmp_path, EASY), fresh(kind), tmp_path / "night.db"
    on_ledger(site, "sqlite:///ledger.db", lost)
    site.add("table", ["easy"], 3)
    ahead, also, behind = (site.unused() for _ in range(3))
    with running(site):
        with site.table(ahead) as first, site.table(also) as second, site.table(behind) as third:
            for table in (first, second, third):
                play_round(table, "R1")
            assert f"{file} is proved to hold all" in jackpot("ledger", "backup", lost, file)
            play_round(first, "R2")
            play_round(first, "R3")
            play_round(second, "R2")
            acked = {ahead: first.seq, also: second.seq}
        assert site.stop() == 0
        restored = fresh(kind)
        assert "Start the server on it." in jackpot("ledger", "restore", file, restored)
        on_ledger(site, lost, restored)
        site.start()
        with site.table(behind, acked=2) as third:
            third.ack("wager", round="R2", bets=bets("easy", [7]))
            for name, seq in acked.items():
                with site.connect() as device:
                    device.hello(site.keys[name], "table", name, acked=seq)
                    assert device.error()["code"] == "ledger_behind"
                site.logged("ledger_behind", table=name, acked=seq)
            assert third.next("link")["state"] == "suspended"
            third.ack("withdraw", round="R2", bets=[{"seat": 7, "link": "easy"}])
            assert third.ask("wager", round="R2", bets=bets("easy", [7]))["code"] == "suspended"
            site.cli("ledger", "confirm-behind", ahead, "--reason", "restored the backup of the night")
            assert third.ask("wager", round="R2", bets=bets("easy", [7]))["code"] == "suspended"
            site.cli("ledger", "confirm-behind", also, "--reason", "restored the backup of the night")
            assert third.next("link")["state"] == "active"
            third.ack("wager", round="R2", bets=bets("easy", [7]))
            for name, seq in acked.items():
                with site.table(name, acked=seq) as table:
                    assert table.seq == seq
                    play_round(table, "R9")
        assert site.stop(signal.SIGTERM) == 0
    assert "the books balance" in jackpot("verify", restored)
    assert jackpot("ledger", "backup", restored, tmp_path / "after.db")
