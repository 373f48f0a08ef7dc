"""Rows that the database did not write are never acknowledged (S5)."""

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from jackpot.app import Server
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.store import LedgerCorrupt
from tests.ledger.conftest import Place
from tests.ledger.material import rows
from tests.ledger.planted import run_sql, swallow
from tests.ledger.waiting import open_ledger
from tests.running_server import configure, on_loop, table, until

ONLY_THE_LAST: Final = "NEW.seq = 3"


@pytest.mark.parametrize("only", ["true", ONLY_THE_LAST])
@pytest.mark.parametrize("of", ["journal", "posting", "hit_entry"])
def test_rows_that_a_trigger_swallows_are_not_acknowledged(place: Place, of: str, only: str) -> None:
    """S5: all of a batch is written or none, whatever was planted; the error says what is missing."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    swallow(place.url, of, only)
    with pytest.raises(LedgerCorrupt, match=rf"wrote \d rows of {of}, not \d|did not keep .* of 3 rows"):
        ledger.append("main", 1, 0, rows(3))
    assert ledger.rows("main", 0, 10) == []
    assert ledger.head("main").seq == 0
    run_sql(place.url, f"DROP TRIGGER swallow{'' if place.url.startswith('sqlite') else f' ON {of}'}")
    ledger.append("main", 1, 0, rows(3))
    assert ledger.rows("main", 0, 10) == rows(3)


def test_a_swallowed_snapshot_is_not_taken_for_saved(place: Place) -> None:
    """DESIGN 5: the journal alone would do; but a database that drops rows is not worked on with."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, rows(3))
    swallow(place.url, "snapshot")
    with pytest.raises(LedgerCorrupt, match="wrote 0 rows of snapshot, not 1"):
        ledger.save_snapshot(Snapshot("main", 3, rows(3)[-1].hash, 1, b"state"))


@pytest.mark.parametrize(
    "more",
    [
        "DELETE FROM journal WHERE seq = NEW.seq",
        "INSERT INTO bank (name) VALUES ('another')",
    ],
)
def test_what_a_trigger_writes_or_deletes_is_counted(tmp_path: Path, more: str) -> None:
    """S5: in SQLite a trigger's own changes are in the transaction's total, which is known beforehand."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        ledger.new_epoch("main", "test")
        run_sql(
            url,
            "DROP TRIGGER journal_is_never_deleted",
            f"CREATE TRIGGER more AFTER INSERT ON journal WHEN NEW.seq = 2 BEGIN {more}; END",
        )
        with pytest.raises(LedgerCorrupt, match="wrote 10 rows in all, not 9"):
            ledger.append("main", 1, 0, rows(3))
        assert ledger.rows("main", 0, 10) == []


@pytest.mark.parametrize("only", ["true", ONLY_THE_LAST])
@pytest.mark.parametrize(
    ("of", "when", "does"),
    [
        ("journal", "AFTER", "DELETE FROM journal WHERE bank = NEW.bank AND seq = NEW.seq"),
        ("posting", "AFTER", "DELETE FROM posting WHERE bank = NEW.bank AND seq = NEW.seq"),
        ("hit_entry", "AFTER", "DELETE FROM hit_entry WHERE bank = NEW.bank AND seq = NEW.seq"),
        ("journal", "BEFORE", "NEW.hash := NEW.digest || NEW.digest"),
        ("journal", "BEFORE", "NEW.seq := NEW.seq + 10"),
    ],
)
def test_rows_that_are_gone_again_are_not_acknowledged(
    database: str, of: str, when: str, does: str, only: str
) -> None:
    """S5: on PostgreSQL what is there when the head moves is what counts."""
    with closing(open_ledger(database)) as ledger:
        ledger.new_epoch("main", "test")
        run_sql(
            database,
            f"DROP TRIGGER {of}_is_never_changed ON {of}",
            f"CREATE FUNCTION eat() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {does}; RETURN NEW; END $$",
            f"CREATE TRIGGER eat {when} INSERT ON {of} FOR EACH ROW WHEN ({only}) EXECUTE FUNCTION eat()",
        )
        with pytest.raises(LedgerCorrupt, match="the database did not keep what it wrote"):
            ledger.append("main", 1, 0, rows(3))
        assert ledger.head("main").seq == 0
        run_sql(database, f"DROP TRIGGER eat ON {of}")
        ledger.append("main", 1, 0, rows(3))
        assert ledger.rows("main", 0, 10) == rows(3)


def test_an_epoch_that_a_trigger_swallows_is_not_taken(tmp_path: Path) -> None:
    """DESIGN 4: on PostgreSQL the head is read back by its writer; on SQLite the row is counted."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        ledger.new_epoch("main", "test")
        run_sql(url, "CREATE TRIGGER swallow BEFORE UPDATE ON head BEGIN SELECT RAISE(IGNORE); END")
        with pytest.raises(LedgerCorrupt, match="wrote 0 rows of head, not 1"):
            ledger.new_epoch("main", "test")


@on_loop
async def test_a_royal_that_is_not_stored_is_not_answered(tmp_path: Path) -> None:
    """S5: a trigger planted under a running server: the bank stops, and no answer leaves."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        await device.answer(1)
        swallow(config.ledger.url, "journal")
        device.say(
            t="settle", seq=2, round="R1", close=True, board=["Js", "Ts"],
            hands=[{"seat": 1, "cards": ["As", "Ks", "Qs"]}],
        )  # fmt: skip
        await until(lambda: server.banks["main"].lifecycle.failed)
        await device.closed()
        assert not [message for message in device.heard if message["t"] == "ack" and message["seq"] == 2]
        assert not [message for message in device.heard if message["t"] == "hit"]
        assert "wrote 0 rows of journal, not 1" in (server.banks["main"].lifecycle.stopped or "")
