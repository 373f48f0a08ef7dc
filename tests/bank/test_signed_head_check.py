"""A start refuses a ledger that does not match its signed heads (S3, S8)."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import structlog
from structlog.typing import EventDict

from jackpot.app import Server
from jackpot.bank.signed_head_check import check_head
from jackpot.config import Config
from jackpot.ledger.heads import read_line
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts import snapshot_seals
from jackpot.rules.acts.people import FirstPeople
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT, Sealed, digest_of
from jackpot.rules.signing import SITE
from tests.ledger.forger import Forger
from tests.ledger.people import SECRET
from tests.ledger.play import Play
from tests.ledger.test_heads import signed
from tests.ledger.verify.test_verifier import write
from tests.notify.heads import FILE, heads
from tests.notify.test_signed_heads import ledger_of
from tests.running_server import configure, on_loop, table


async def play(config: Config, *seqs: int) -> None:
    """Some rounds of a server of that configuration; it ends as it should."""
    async with Server(config) as server, table(server) as device:
        for seq in seqs:
            device.wager(seq, f"R{seq}", 1, lock=True)
            await device.answer(seq)


async def put_back(tmp_path: Path) -> tuple[Config, bytes]:
    """Puts a copy of a ledger back after three more rounds; the lines of heads as they were with the copy."""
    config = configure(tmp_path, extra=heads(tmp_path))
    file, aside = tmp_path / "ledger.db", tmp_path / "old.db"
    await play(config)
    shutil.copy(file, aside)
    lines = (tmp_path / FILE).read_bytes()
    await play(config, *range(1, 4))
    shutil.copy(aside, file)
    return config, lines


def forge(config: Config, rows: int) -> None:
    """Appends rows that chain, balance and follow the rules: nothing in the ledger names them."""
    forger = Forger(Path(config.ledger.url.removeprefix("sqlite:///")))
    for number in range(rows):
        forger.append(forger.right(Reading(f"2029-12-{number + 1:02}")))
    with closing(ledger_of(config)) as ledger:
        assert verify(ledger, "main").problems == ()


async def refused(config: Config, said: str) -> None:
    with pytest.raises(LedgerCorrupt, match=said) as raised:
        async with Server(config):
            pytest.fail("it started")
    assert "keep" in str(raised.value)
    assert FILE in str(raised.value)


@on_loop
async def test_a_start_finds_a_forged_tail(tmp_path: Path) -> None:
    """S3, S8: a tail that verifies, put in the place of what a head was signed of: no link starts."""
    config, _ = await put_back(tmp_path)
    forge(config, 20)
    await refused(config, "was signed with the hash .* was written again")


@on_loop
async def test_a_start_finds_a_cut_ledger(tmp_path: Path) -> None:
    """S3, S8: yesterday's copy, and an empty ledger, lie before a signed head."""
    config, _ = await put_back(tmp_path)
    await refused(config, "was signed, and the journal ends at row")
    for leftover in tmp_path.glob("ledger.db*"):
        leftover.unlink()
    await refused(config, "was signed, and the journal ends at row 0")
    with closing(ledger_of(config)) as ledger:
        assert ledger.banks() == []  # and nothing was opened with new seeds
    (tmp_path / FILE).rename(tmp_path / "heads-2026.jsonl")
    await play(config, 1)  # as the refusal says, where people meant it


@on_loop
async def test_an_old_line_once_more_hides_no_cut(tmp_path: Path) -> None:
    """S3, S8: the highest signed row counts, whatever somebody appends to a file that only grows."""
    config, old = await put_back(tmp_path)
    with (tmp_path / FILE).open("ab") as opened:
        opened.write(old)
    await refused(config, "was signed, and the journal ends at row")


def forge_state(config: Config) -> None:
    """Appends two false seals, so far apart as they must be, and plants the state of each."""
    forger = Forger(Path(config.ledger.url.removeprefix("sqlite:///")))
    accounts = forger.state.links[0].levels[0].accounts
    accounts.primary += 1_000_000_000_000
    accounts.house -= 1_000_000_000_000

    def seal() -> None:
        last, state = forger.head, forger.engine.snapshot()
        forger.append(Sealed(SNAPSHOT_FORMAT, digest_of(state)))
        with closing(SqliteLedger(forger.path)) as ledger:
            ledger.save_snapshot(Snapshot("main", last.seq, last.hash, SNAPSHOT_FORMAT, state))

    seal()
    for number in range(snapshot_seals.SEAL_MIN):
        forger.append(forger.right(Reading(f"2029-12-{number + 1:02}")))
    seal()


@on_loop
async def test_a_start_goes_on_from_no_state_that_nothing_proves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3, S8: two false seals behind the newest signed head do not stand for each other."""
    monkeypatch.setattr(snapshot_seals, "SEAL_MIN", 20)
    config = configure(tmp_path, extra=heads(tmp_path))
    await play(config, *range(1, 4))
    forge_state(config)
    with pytest.raises(LedgerCorrupt, match="seals another state than the rows before it make"):
        async with Server(config):
            pytest.fail("it started")


def as_owner(file: Path, *statements: str) -> None:
    """Runs SQL that the schema forbids, and leaves the schema as it was."""
    with closing(sqlite3.connect(file)) as ledger:
        triggers = ledger.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        dropped = [f'DROP TRIGGER "{name}"' for name, _ in triggers]
        for statement in (*dropped, *statements, *(sql for _, sql in triggers)):
            ledger.execute(statement)
        ledger.commit()


@pytest.mark.parametrize("left", [1, 0], ids=["cut to its first row", "taken away whole"])
@on_loop
async def test_a_start_misses_the_peoples_bank(tmp_path: Path, left: int) -> None:
    """S3, S8: without it nobody could say who had which right: its heads count as those of any bank."""
    config = configure(tmp_path, extra=heads(tmp_path))
    file = tmp_path / "ledger.db"
    async with Server(config) as server:
        made = FirstPeople(((b"1" * 32, SECRET), (b"2" * 32, SECRET)))
        assert (await server.people.person(made, ("root",))).ok
    with closing(ledger_of(config)) as ledger:
        (row,) = ledger.rows(SITE, 0, 1)
    site = f"(SELECT id FROM bank WHERE name = '{SITE}')"
    head = f"UPDATE head SET seq = 1, hash = x'{row.hash.hex()}'" if left else "DELETE FROM head"
    cut = [f"DELETE FROM {table} WHERE bank = {site} AND seq > {left}" for table in ("posting", "journal")]
    gone = [] if left else [f"DELETE FROM bank WHERE name = '{SITE}'"]
    as_owner(file, *cut, f"{head} WHERE bank = {site}", *gone)
    await refused(config, f"{SITE}: a head of row 3 was signed, and the journal ends at row {left}")


@on_loop
async def test_a_start_says_what_is_unproved(tmp_path: Path) -> None:
    """S8: rows behind the last head may be anybody's: they are counted, and the floor opens."""
    config = configure(tmp_path, extra=heads(tmp_path))
    await play(config)
    forge(config, 7)
    with structlog.testing.capture_logs() as logs:
        await play(config)
    (said,) = [line for line in logs if line["event"] == "rows_unproved"]
    assert (said["bank"], said["rows"]) == ("main", 7)


@on_loop
async def test_a_start_without_the_file(tmp_path: Path) -> None:
    """S8: a file that is away, or is no file, proves nothing: that is logged, and the floor opens."""
    config = configure(tmp_path, extra=heads(tmp_path))
    await play(config)
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    with structlog.testing.capture_logs() as logs:
        await play(config, 1)
    assert [line["file"] for line in logs if line["event"] == "heads_unreadable"] == [str(tmp_path / FILE)]
    assert missed(logs) == [("main", 2), (SITE, 2)]


def missed(logs: list[EventDict]) -> list[tuple[str, int]]:
    """Banks of which errors say that no head is there, each with its epoch."""
    told = [line for line in logs if line["event"] == "heads_missing"]
    assert all(line["log_level"] == "error" for line in told)
    return [(line["bank"], line["epoch"]) for line in told]


@on_loop
async def test_a_start_misses_heads_that_were_there(tmp_path: Path) -> None:
    """S8: a file taken away, and a key that nobody knows, are told of each bank; no first start is."""
    config = configure(tmp_path, extra=heads(tmp_path))

    async def told(config: Config) -> list[tuple[str, int]]:
        with structlog.testing.capture_logs() as logs:
            await play(config)
        return missed(logs)

    assert await told(config) == []
    assert await told(config) == []
    (tmp_path / FILE).unlink()
    assert await told(config) == [("main", 3), (SITE, 3)]
    assert await told(config) == []
    (tmp_path / "site").unlink()
    assert await told(configure(tmp_path, extra=heads(tmp_path))) == [("main", 5), (SITE, 5)]


def test_one_head_is_held_against_a_ledger(tmp_path: Path) -> None:
    """S3, S8: as a start does it, without walking the chain."""
    play = Play(21).until(60)
    play.new_epoch(2)
    rows = play.until(100).rows
    path = tmp_path / "ledger.db"
    write(path, rows[:80], [])
    with closing(SqliteLedger(path, readonly=True)) as ledger:

        def check(line: bytes) -> int:
            head = read_line(line)
            assert head is not None
            return check_head(ledger, head)

        assert check(signed(rows[59])) == 20
        assert check(signed(rows[79])) == 0
        for line, said in (
            (signed(rows[89]), "its end was cut off"),
            (signed(msgspec.structs.replace(rows[59], hash=bytes(32))), "was written again"),
            (signed(rows[79], epoch=1), "was signed in epoch 1"),
            (signed(rows[59], site="lakeside"), 'of site "lakeside"'),
        ):
            with pytest.raises(LedgerCorrupt, match=said):
                check(line)
