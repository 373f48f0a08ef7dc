"""The SQLite store, beyond the conformance suite of every backend: triggers, crashes, size."""

import shutil
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
import pytest

from jackpot.ledger.sqlite.store import SqliteLedger
from tests.ledger.material import rows
from tests.ledger.play import Play

# What a round may take on the disk: its wager and its settlement, postings and all.
ROUND_BYTES_MAX: Final = 700


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger is made."""
    return tmp_path / "ledger.db"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET at = 0",
        "DELETE FROM journal",
        "UPDATE posting SET cycle = 2",
        "DELETE FROM posting",
        "UPDATE bank SET name = 'x'",
        "DELETE FROM bank",
        "INSERT INTO posting VALUES (1, 9, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)",
        "INSERT INTO journal SELECT bank, 0, 1, 1, 1, 1, 1, 1, 1, digest, body, hash FROM journal",
    ],
)
def test_the_database_refuses_to_change_the_past(path: Path, statement: str) -> None:
    """DESIGN, the ledger: append-only and balanced (M4), whatever program writes the SQL."""
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, rows(4))
    ledger.close()
    connection = apsw.Connection(str(path))
    with pytest.raises(apsw.ConstraintError):
        connection.execute(statement)
    connection.close()


def test_auditors_views(path: Path) -> None:
    """M4: one line an account, and the equation of every link and level, by plain SQL."""
    play = Play(5).until(200)
    ledger = SqliteLedger(path)
    for row in play.rows:
        while ledger.head("main").epoch < row.epoch:
            ledger.new_epoch("main", "test")
        ledger.append("main", row.epoch, row.seq - 1, [row])
    ledger.close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    columns = 'level, "primary", reserve, overflow, awards, contributions, difference'
    proof: list[tuple[int, ...]] = connection.execute(
        f"SELECT link, {columns} FROM conservation ORDER BY link, level"
    ).fetchall()  # type: ignore[assignment]
    shown = {(link.number, level.number): level for link in play.engine.state.links for level in link.levels}
    assert {(link, level) for link, level, *_ in proof if level} == shown.keys()
    assert any(level == 0 for _, level, *_ in proof)
    for link, number, primary, reserve, overflow, awards, contributions, difference in proof:
        assert difference == 0
        if number:
            accounts = shown[link, number].accounts
            assert (primary, reserve, overflow, awards, -contributions) == (
                accounts.primary, accounts.reserve, accounts.overflow, accounts.awards, accounts.wagers,
            )  # fmt: skip
    entries = dict(connection.execute("SELECT account, sum(micros) FROM account_entry GROUP BY account"))
    assert sum(entries.values()) == 0
    assert {"primary", "house", "wagers", "awards"} <= entries.keys()
    connection.close()


def test_a_batch_takes_six_statements(path: Path) -> None:
    """DESIGN, the ledger: at most six statements a batch, whatever its size."""
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    ledger.head("main")
    statements: list[str] = []

    def trace(_cursor: object, sql: str, _values: object) -> bool:
        statements.append(sql)
        return True

    assert ledger.file._connection is not None
    ledger.file._connection.exec_trace = trace
    batch = rows(256)
    ledger.append("main", 1, 0, batch)
    assert [sql.split()[0] for sql in statements] == ["BEGIN", *["INSERT"] * 3, "UPDATE", "COMMIT"]
    plain = rows(1, after=batch[-1])[0]
    levels = tuple(rows(1)[0].postings[0]._replace(level=level) for level in range(3_000))
    wide = [msgspec.structs.replace(plain, postings=levels)]
    statements.clear()
    ledger.append("main", 1, 256, wide)
    assert len(statements) == 6
    assert len(ledger.rows("main", 256, 1)[0].postings) == 3_000
    ledger.close()


def test_a_crash_between_any_two_statements_loses_all_or_nothing(path: Path, tmp_path: Path) -> None:
    """S5: the file as it stands before each statement holds the batches before, or with, this one."""
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    first = rows(10)
    ledger.append("main", 1, 0, first)
    ledger.checkpoint()
    moments: list[Path] = []

    def crash(*_: Any) -> bool:
        moments.append(tmp_path / f"moment-{len(moments)}")
        moments[-1].mkdir()
        for name in (path.name, path.name + "-wal"):
            shutil.copy(path.with_name(name), moments[-1])
        return True

    assert ledger.file._connection is not None
    ledger.file._connection.exec_trace = crash
    second = rows(10, after=first[-1])
    ledger.append("main", 1, 10, second)
    crash()
    ledger.file._connection.exec_trace = None
    ledger.close()
    seen = []
    for moment in moments:
        survivor = SqliteLedger(moment / path.name)
        seen.append(survivor.new_epoch("main", "next").seq)
        assert survivor.rows("main", 0, 100) == (first + second)[: seen[-1]]
        survivor.close()
    assert seen == [10] * (len(moments) - 1) + [20]


def test_a_round_takes_few_bytes(path: Path) -> None:
    """DESIGN, growth: a round of two frames on a link of three levels, aim 300, at most 700."""
    play = Play(1)
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    play.plain_rounds(2_000)
    for start in range(0, len(play.rows), 20):
        ledger.append("main", 1, start, play.rows[start : start + 20])
    ledger.close()
    round_bytes = path.stat().st_size // 2_000
    print(f"bytes a round: {round_bytes}")
    assert round_bytes < ROUND_BYTES_MAX
