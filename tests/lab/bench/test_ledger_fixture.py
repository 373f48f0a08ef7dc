"""A ledger fixture made without a socket is accepted by a server."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from jackpot.lab.bench.ledger_fixture import BANK, PastOptions, past
from jackpot.lab.bench.servers import ServedFloor
from jackpot.ledger.open import open_reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.readings import ReadingTaken


@pytest.mark.parametrize("hands", [False, True])
def test_the_past_holds_and_balances(tmp_path: Path, *, hands: bool) -> None:
    """Bench: so many rows, and a round of each table at most more, by the rules; on the floor configured.

    S2: each gaming day that ended is read.
    """
    made = past(tmp_path / "past", 60, ServedFloor(3), PastOptions(hands=hands, day_rows=20))
    assert 60 <= made.rows < 60 + 2 * 3 + 1
    with closing(open_reader(made.url)) as ledger:
        report = verify(ledger, BANK)
        assert (report.problems, report.refusals, report.head.seq) == ((), 0, made.rows)
        engine, _ = rebuild(ledger, BANK)
        read = [row.seq for row in ledger.rows(BANK, 0, made.rows) if row.kind == ReadingTaken.kind]
    assert [seq // 20 for seq in read] == [0, 1, 2]
    assert {table.terms.table for table in engine.state.tables} == set(made.keys)


@pytest.mark.parametrize(("hands", "most"), [(False, 400), (True, 480)])
def test_a_round_without_a_hit_takes_few_bytes(tmp_path: Path, *, hands: bool, most: int) -> None:
    """Costs that must not grow: seven wagers on three levels in two frames, indexes included."""
    small, large = (
        past(tmp_path / str(rows), rows, ServedFloor(8), PastOptions(hands=hands)) for rows in (3_000, 6_000)
    )
    more = large.ledger.stat().st_size - small.ledger.stat().st_size
    assert more / ((large.rows - small.rows) / 2) <= most


def test_the_past_may_have_hits_that_wait(tmp_path: Path) -> None:
    """Bench: each won the whole meter, and none was seen by anybody; the tables played on."""
    made = past(tmp_path / "past", 60, ServedFloor(3), PastOptions(hits=5))
    with closing(open_reader(made.url)) as ledger:
        assert verify(ledger, BANK).problems == ()
        engine, _ = rebuild(ledger, BANK)
    assert len(engine.state.hits) == 5
    assert {table.last_seq % 2 for table in engine.state.tables} == {0}


def test_the_past_may_have_awards_that_were_paid(tmp_path: Path) -> None:
    """Bench: the house paid each at once, and the tables played on."""
    made = past(tmp_path / "past", 60, ServedFloor(3), PastOptions(awards=5))
    with closing(open_reader(made.url)) as ledger:
        assert verify(ledger, BANK).problems == ()
        engine, _ = rebuild(ledger, BANK)
    assert not engine.state.hits
    ((paid,),) = apsw.Connection(str(made.ledger)).execute("SELECT sum(awards) FROM posting")
    assert paid == 5 * 50 * 1_000_000
