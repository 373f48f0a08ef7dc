"""Parallel verification finds what one pass from the first row finds."""

from contextlib import closing
from pathlib import Path

import pytest

from jackpot.ledger.journal import Snapshot
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify import parallel_verify
from jackpot.ledger.verify.parallel_verify import VerifiedPart, in_parts, joined, part_of, spans
from jackpot.ledger.verify.verifier import ChainResult, Task, VerifyOptions, VerifyReport, verify
from jackpot.rules import events
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT, Sealed, digest_of
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.engine import Engine
from jackpot.rules.epoch import MINUTE
from jackpot.rules.paytable import TableTerms
from jackpot.rules.state import Placed
from tests import frames
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import spoil, write

QUICK = TableTerms("T09", "let-it-ride", 7, ("five",), max_rounds_per_minute=2)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens parts, so that a small ledger has several."""
    monkeypatch.setattr(parallel_verify, "SPAN_ROWS_MIN", 1)
    monkeypatch.setattr(parallel_verify, "CHAIN_ROWS", 40)


class Sealed3(Play):
    """A floor whose states were sealed three times."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.snapshots = [self.until(rows).seal() for rows in (60, 120, 180)]
        self.until(240)

    def saved(self, path: Path) -> Path:
        """The ledger, as its server left it."""
        write(path, self.rows, self.snapshots)
        return path


class Used:
    """Runs parts in one process. parts: their results. walked: the combined result."""

    def __init__(self, ledger: Reader) -> None:
        self.parts: list[VerifiedPart | None] = []
        self.walked: ChainResult | None = None
        self._ledger = ledger

    def __call__(self, task: Task, _progress: object) -> ChainResult | None:
        self.parts = [part_of(self._ledger, span, lambda _rows: None) for span in spans(self._ledger, task)]
        self.walked = joined(task, self.parts)
        return self.walked


def both(path: Path, *, chain: bool = False) -> tuple[Used, VerifyReport]:
    """Verifies in parts and by one pass, which must find the same."""
    with closing(open_reader(f"sqlite:///{path}")) as ledger:
        used = Used(ledger)
        report = verify(ledger, "main", options=VerifyOptions(chain, used))
        assert report == verify(ledger, "main", options=VerifyOptions(chain))
        return used, report


@pytest.mark.parametrize("seed", [3, 12, 21, 40])
def test_parts_find_what_one_walk_finds(seed: int, tmp_path: Path) -> None:
    """S8: every kind of event, epochs, requests and refusals on both sides of a seal; to the last account."""
    path = Sealed3(seed).saved(tmp_path / "ledger.db")
    for chain, least in ((False, 4), (True, 6)):
        used, report = both(path, chain=chain)
        assert report.problems == ()
        assert used.walked is not None
        assert len(used.parts) >= least
        assert used.walked.ended.seq == report.head.seq


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET body = x'90' WHERE seq = 100",
        "UPDATE journal SET at = at + 1 WHERE seq = 121",
        "UPDATE posting SET house = house - 5, awards = awards + 5 WHERE seq > 190",
        "DELETE FROM journal WHERE seq = 150",
        "DELETE FROM journal WHERE seq = 180",
        "UPDATE snapshot SET state = x'90' WHERE seq < 150",
        "UPDATE snapshot SET hash = zeroblob(32) WHERE seq > 175",
        "UPDATE head SET hash = zeroblob(32)",
    ],
)
def test_what_was_changed_is_said_as_by_one_walk(change: str, tmp_path: Path) -> None:
    """S8: a part that is not sound says nothing; the first row that is wrong is named as ever."""
    path = Sealed3(12).saved(tmp_path / "ledger.db")
    spoil(path, change)
    used, report = both(path)
    assert report.problems
    assert used.walked is None or used.walked.problems == []


def seal(forger: Forger, richer: int = 0) -> None:
    """The state as it is, with so many micro-dollars more to be won, sealed and saved."""
    head = forger.head
    engine = Engine.from_snapshot(forger.engine.snapshot())
    accounts = engine.state.links[0].levels[0].accounts
    accounts.primary += richer
    accounts.house -= richer
    made = Snapshot("main", head.seq, head.hash, SNAPSHOT_FORMAT, engine.snapshot())
    forger.append(Sealed(SNAPSHOT_FORMAT, digest_of(made.state)))
    with closing(SqliteLedger(forger.path)) as ledger:
        ledger.save_snapshot(made)


def test_a_false_state_in_the_middle_is_no_beginning(tmp_path: Path) -> None:
    """S8: a lie that is sealed, and from which every later row follows by the rules, does not join."""
    path = tmp_path / "ledger.db"
    write(path, Play(12).until(60).rows, [])
    forger = Forger(path)
    cut = forger.head.seq
    seal(forger, richer=1_000_000)
    used, report = both(path)
    assert len(used.parts) == 2
    assert None not in used.parts
    assert used.walked is None
    assert f"row {cut + 1} (sealed)" in report.problems[0]


@pytest.mark.parametrize(("step", "sound"), [(MINUTE // 2, True), (1, False)])
def test_rounds_on_both_sides_of_a_seal_are_counted_together(step: int, sound: bool, tmp_path: Path) -> None:
    """L11: no part alone has more rounds a minute than the table may open; both together have."""
    path = tmp_path / "ledger.db"
    write(path, Play(12).until(40).rows, [])
    forger = Forger(path)
    forger.append(forger.right(OpenTable(QUICK)))
    for number in range(4):
        if number == QUICK.max_rounds_per_minute:
            seal(forger)
        name, tick = f"X{number}", number * step
        forger.append(events.Wagered(name, [Placed(1, 1)], tick=tick), "T09", at=NOW_MS + tick)
        forger.append(forger.right(frames.Void(name, "misdeal"), table="T09"), "T09")
    used, report = both(path)
    assert len(used.parts) == 2
    assert None not in used.parts
    assert (used.walked is not None, report.problems == ()) == (sound, sound)


def test_processes_find_what_one_finds(tmp_path: Path) -> None:
    """S8: the parts of a chain in processes of their own, with progress; a hash kept elsewhere is found."""
    play = Sealed3(12)
    path = play.saved(tmp_path / "ledger.db")
    url, told = f"sqlite:///{path}", list[tuple[int, int]]()

    def verified(jobs: int, known: bytes) -> VerifyReport:
        with closing(open_reader(url)) as ledger:
            options = VerifyOptions(True, in_parts(ledger, url, jobs), lambda *done: told.append(done))
            return verify(ledger, "main", known, options=options)

    for known, problems in ((play.rows[99].hash, 0), (b"?" * 32, 1)):
        report = verified(2, known)
        assert told[-1] == (report.head.seq, report.head.seq)
        assert report == verified(1, known)
        assert len(report.problems) == problems
