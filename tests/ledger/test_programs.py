"""Verify reports which program decided which rows: in one pass, in parts, and for older ledgers."""

from pathlib import Path
from typing import Final

import pytest

from jackpot.ledger.journal import Row
from jackpot.ledger.programs import ProgramSpan, ProgramStart, stretches
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.parallel_verify import part_of, spans
from jackpot.ledger.verify.verifier import Task, VerifyOptions, verify
from jackpot.rules.acts.programs import BeginProgram, ProgramBegan
from jackpot.rules.acts.readings import Reading
from tests.ledger.forger import Forger
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import write

A, B = (bytes([number]) * 32 for number in (1, 2))
DAYS: Final = [f"1980-01-{day:02}" for day in range(1, 29)]


class Servers:
    """Servers that follow one another on one bank, each with some rows of its own."""

    def __init__(self) -> None:
        self.play = Play(4)
        self._days = iter(DAYS)

    def serve(self, program: tuple[str, bytes] | None, rows: int = 2) -> None:
        """An epoch; None: of a release that names no program."""
        play = self.play
        play.new_epoch(play.epoch + 1)
        if program is not None:
            play.act(BeginProgram(*program, "always"))
        for _ in range(rows):
            play.act(Reading(next(self._days)))

    @property
    def last(self) -> int:
        return len(self.play.rows)


def written(servers: Servers, folder: Path) -> SqliteLedger:
    write(folder / "ledger.db", servers.play.rows, [])
    return SqliteLedger(folder / "ledger.db", readonly=True)


@pytest.mark.parametrize("chain", [False, True])
def test_each_row_is_its_programs(tmp_path: Path, chain: bool) -> None:
    """S3: one program's epochs are told together; of an epoch that names none nothing is recorded."""
    servers = Servers()
    ends = [servers.last]
    for program in (("1.1", A), ("1.1", A), None, ("1.2", B), ("1.2", b"")):
        servers.serve(program)
        ends.append(servers.last)
    report = verify(written(servers, tmp_path), "main", options=VerifyOptions(chain=chain))
    assert report.problems == ()
    assert report.programs == (
        ProgramSpan(1, ends[0], "", b""),
        ProgramSpan(ends[0] + 1, ends[2], "1.1", A),
        ProgramSpan(ends[2] + 1, ends[3], "", b""),
        ProgramSpan(ends[3] + 1, ends[4], "1.2", B),
        ProgramSpan(ends[4] + 1, ends[5], "1.2", b""),
    )


def test_a_ledger_of_before_verifies(tmp_path: Path) -> None:
    """S3: no row of an older release says which program it was."""
    rows = [row for row in Play(5).until(60).rows if row.epoch == 1]
    write(tmp_path / "ledger.db", rows, [])
    report = verify(SqliteLedger(tmp_path / "ledger.db", readonly=True), "main")
    assert report.problems == ()
    assert report.programs == (ProgramSpan(1, len(rows), "", b""),)


def test_parts_find_what_one_walk_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3, S8: a part that begins within an epoch continues the program of the part before it."""
    servers = Servers()
    for program in (("1.1", A), ("1.2", B)):
        servers.serve(program, 6)
    monkeypatch.setattr("jackpot.ledger.verify.parallel_verify.CHAIN_ROWS", 4)
    ledger = written(servers, tmp_path)
    task = Task("main", ledger.head("main"), None, chain=True)
    parts = [part_of(ledger, span, lambda _rows: None) for span in spans(ledger, task)]
    began = [one for part in parts if part is not None for one in part.programs]
    assert len(parts) > 3
    assert tuple(stretches(began, servers.last)) == verify(ledger, "main").programs


def test_a_program_that_begins_within_an_epoch_is_named(tmp_path: Path) -> None:
    """S3, S8: somebody who may write to the database cannot give rows to another program."""
    servers = Servers()
    servers.serve(("1.1", A))
    written(servers, tmp_path).close()
    forger = Forger(tmp_path / "ledger.db")
    row: Row = forger.append(ProgramBegan("1.2", B, "always"), digest=b"of no other act.")
    (problem,) = verify(SqliteLedger(tmp_path / "ledger.db", readonly=True), "main").problems
    said = "a program begins with the first row of an epoch, and this is another"
    assert problem == f"main: row {row.seq} (program_began): {said}"


def test_a_stretch_without_rows_is_none() -> None:
    """S3: rows end before a program that began after them."""
    assert list(stretches([ProgramStart(1), ProgramStart(3, "1.1", A)], 2)) == [ProgramSpan(1, 2, "", b"")]
    assert list(stretches([], 9)) == []
