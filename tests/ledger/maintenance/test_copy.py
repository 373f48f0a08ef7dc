"""A copy equals its source, between any two databases and after any interruption."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import pytest

from jackpot.ledger.banks import COPY_HOLDER, UNFINISHED_COPY
from jackpot.ledger.journal import Row, Snapshot, genesis
from jackpot.ledger.maintenance.copy import NotACopy
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, LedgerCorrupt, LedgerUnusable, Store
from jackpot.ledger.verify.verifier import verify
from tests.ledger.material import rows
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import Ledger, carry, copy, open_ledger, store_of
from tests.ledgers import KINDS, Fresh

ROWS: Final = 120
WAYS: Final = list(product(KINDS, KINDS))


def write(ledger: Ledger, rows_: list[Row], after: int = 0) -> None:
    """Rows as their writers wrote them, each epoch by a writer of its own."""
    epoch = ledger.head("main").epoch
    for row in rows_[after:]:
        if epoch < max(1, row.epoch):
            epoch = ledger.new_epoch("main", "server", at_least=row.epoch).epoch
        ledger.append("main", epoch, row.seq - 1, [row])


def played_to(rows_: int) -> tuple[list[Row], list[Snapshot]]:
    """Every kind of thing, in several epochs, and snapshots that it seals."""
    play = Play(20)
    snapshots = []
    for upto in (50, 90, rows_):
        play.until(upto)
        if upto != rows_ or rows_ > ROWS:
            snapshots.append(play.seal())
    return play.rows, snapshots


# A step may write more than one row.
WRITTEN: Final = len(played_to(ROWS)[0])


@pytest.fixture(scope="module")
def played() -> list[Row]:
    """The rows of a ledger."""
    made, _ = played_to(ROWS)
    assert made[-1].epoch > 1
    return made


@pytest.fixture
def source(fresh: Fresh, played: list[Row], request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """A ledger as its server left it, with two snapshots."""
    with closing(open_ledger(fresh(getattr(request, "param", "sqlite")))) as ledger:
        write(ledger, played)
        for snapshot in played_to(ROWS)[1]:
            ledger.save_snapshot(snapshot)
        yield ledger


def snapshots(ledger: Reader) -> list[Snapshot]:
    newest = ledger.newest_snapshot("main")
    older = ledger.newest_snapshot("main", below=newest.seq) if newest else None
    return [found for found in (newest, older) if found]


@pytest.mark.parametrize(("source", "to"), WAYS, indirect=["source"])
def test_a_copy_is_the_ledger(source: Ledger, fresh: Fresh, played: list[Row], to: str) -> None:
    """S3: rows, epochs, hashes and snapshots are the same on either database, and the copy verifies."""
    with closing(open_ledger(fresh(to))) as target:
        (copied,) = copy(source, target)
        assert (copied.rows, copied.head) == (len(played), source.head("main"))
        assert target.rows("main", 0, ROWS * 2) == played
        head = target.head("main")
        assert (head.seq, head.hash, head.holder) == (copied.head.seq, copied.head.hash, COPY_HOLDER)
        assert head.epoch >= copied.head.epoch
        assert snapshots(target) == snapshots(source) != []
        assert verify(target, "main", played[-1].hash).problems == ()
        assert target.banks() == ["main"]


@pytest.mark.parametrize(("source", "to"), WAYS, indirect=["source"])
def test_a_copy_takes_what_has_come_since(source: Ledger, fresh: Fresh, played: list[Row], to: str) -> None:
    """S3: a copy is brought up to date from where it stands; with nothing new nothing is added."""
    more, made = played_to(ROWS + 60)
    with closing(open_ledger(fresh(to))) as target:
        copy(source, target)
        assert [bank.rows for bank in copy(source, target)] == [0]
        write(source, more, after=len(played))
        source.save_snapshot(made[-1])
        (copied,) = copy(source, target)
        assert copied.rows == len(more) - len(played)
        assert target.rows("main", 0, ROWS * 2) == more
        assert snapshots(target)[0] == made[-1]


class Failing:
    """A target whose second page is in doubt."""

    def __init__(self, ledger: Ledger) -> None:
        self.store = store_of(ledger)
        self.pages = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        self.pages += 1
        if self.pages == 2:
            raise CommitInDoubt("the disk is full")
        await self.store.append(bank, epoch, seq_before, rows)


@pytest.mark.parametrize("to", KINDS)
def test_an_interrupted_copy_goes_on(fresh: Fresh, to: str) -> None:
    """S4: what is there after a failure is a part of the source; the same call adds the rest."""
    made = rows(2 * PAGE_ROWS + 7)
    with closing(open_ledger(fresh("sqlite"))) as source, closing(open_ledger(fresh(to))) as target:
        source.new_epoch("main", "server")
        source.append("main", 1, 0, made)
        seen: list[tuple[str, int, int]] = []
        with pytest.raises(CommitInDoubt):
            carry(source, cast("Store", Failing(target)))
        assert (target.head("main").seq, target.head("main").holder) == (PAGE_ROWS, UNFINISHED_COPY)
        (copied,) = carry(source, target, lambda *step: seen.append(step))
        assert copied.rows == len(made) - PAGE_ROWS
        assert target.rows("main", 0, len(made)) == made
        assert seen == [("main: copying", done, len(made)) for done in (1000, 2000, 2007)]


@pytest.mark.parametrize("to", KINDS)
def test_every_bank_is_copied(fresh: Fresh, to: str) -> None:
    """DESIGN, the ledger: each bank has its own chain, epoch and head, an empty one too."""
    with closing(open_ledger(fresh("sqlite"))) as source, closing(open_ledger(fresh(to))) as target:
        for bank, count, epoch in (("north", 3, 4), ("south", 5, 2), ("empty", 0, 9)):
            source.new_epoch(bank, "server", at_least=epoch)
            if count:
                source.append(bank, epoch, 0, rows(count, bank=bank, epoch=epoch))
        assert [bank.rows for bank in carry(source, target)] == [3, 5, 0]
        assert target.banks() == ["north", "south", "empty"]
        for bank in target.banks():
            there, here = target.head(bank), source.head(bank)
            assert (there.epoch, there.seq, there.hash) == (here.epoch, here.seq, here.hash)
            assert target.rows(bank, 0, 10) == source.rows(bank, 0, 10)
        assert target.head("empty").hash == genesis("empty")


def test_a_copy_is_taken_beside_a_server(source: Ledger, fresh: Fresh, played: list[Row]) -> None:
    """S3: what a server writes meanwhile waits for the next copy; what is copied is whole."""
    more = played_to(ROWS + 30)[0]
    with closing(open_ledger(fresh("sqlite"))) as target:

        def serve(_what: str, done: int, _of: int) -> None:
            if done == 0:
                write(source, more, after=source.head("main").seq)

        (copied,) = copy(source, target, serve)
        assert copied.head.seq == len(played) < source.head("main").seq
        assert target.rows("main", 0, ROWS * 2) == played
        assert copy(source, target)[0].rows == len(more) - len(played)


def nothing_written(target: Ledger) -> Any:
    return [(target.head(bank), target.rows(bank, 0, 10_000)) for bank in target.banks()]


@pytest.mark.parametrize("to", KINDS)
def test_only_a_copy_is_added_to(source: Ledger, fresh: Fresh, played: list[Row], to: str) -> None:
    """DESIGN, the ledger: another ledger, one that has gone on, or one of other banks is left alone."""

    def refused(prepare: Any, said: str) -> None:
        with closing(open_ledger(fresh(to))) as target:
            prepare(target)
            before = nothing_written(target)
            with pytest.raises(NotACopy, match=said):
                copy(source, target)
            assert nothing_written(target) == before

    def another(target: Ledger) -> None:
        target.new_epoch("main", COPY_HOLDER)
        target.append("main", 1, 0, rows(5))

    def served(target: Ledger) -> None:
        copy(source, target)
        target.new_epoch("main", "riverside:4711")

    def ahead(target: Ledger) -> None:
        write(target, played_to(ROWS + 30)[0])

    def other_bank(target: Ledger) -> None:
        target.new_epoch("side", COPY_HOLDER)

    refused(another, "row 5 of the target is not the source's")
    refused(served, "a copy no longer: riverside:4711 has taken it")
    refused(ahead, f"the target has {len(played_to(ROWS + 30)[0])} rows, the source {len(played)}")
    refused(other_bank, "a bank that the source does not know: side")


@pytest.mark.parametrize(
    ("change", "said", "copied"),
    [
        ("UPDATE journal SET at = at + 1 WHERE seq = 60", "row 60 does not follow from row 59", 0),
        ("DELETE FROM journal WHERE seq = 60", "row 60 is missing, row 61 is there", 0),
        ("DELETE FROM journal WHERE seq > 115", "row 116 is missing, the head stands at", 115),
        ("UPDATE posting SET house = house - 1 WHERE seq = 2", "row 2 does not follow", 0),
        ("UPDATE head SET hash = zeroblob(32)", "the head names another hash than row", WRITTEN),
        ("DELETE FROM head", "main: its head is gone", 0),
        ("DELETE FROM bank", "empty: no server has ever opened it", 0),
    ],
)
def test_a_broken_ledger_is_not_copied(
    fresh: Fresh, played: list[Row], change: str, said: str, copied: int
) -> None:
    """S3: the first row that is not what was written is named, and its page is not written."""
    path = Path(fresh("sqlite").removeprefix("sqlite:///"))
    with closing(SqliteLedger(path)) as ledger:
        write(ledger, played)
    spoil(path, change)
    with closing(SqliteLedger(path)) as source, closing(open_ledger(fresh("sqlite"))) as target:
        with pytest.raises((LedgerCorrupt, LedgerUnusable), match=said):
            copy(source, target)
        assert target.head("main").seq == copied


def test_a_forged_ledger_is_found_by_the_proof(fresh: Fresh) -> None:
    """S3, M4: rows that chain and balance, but whose events are none, do not pass the proof of the copy."""
    with closing(open_ledger(fresh("sqlite"))) as source, closing(open_ledger(fresh("sqlite"))) as target:
        source.new_epoch("main", "server")
        source.append("main", 1, 0, rows(3))
        with pytest.raises(LedgerCorrupt, match="the event of row 1 cannot be applied"):
            copy(source, target)
        assert target.head("main").holder == UNFINISHED_COPY


def test_a_snapshot_that_the_chain_does_not_seal_stays_behind(source: Ledger, fresh: Fresh) -> None:
    """S3: what somebody planted in one ledger is in no copy of it."""
    good, older = snapshots(source)
    source.save_snapshot(msgspec.structs.replace(good, seq=good.seq + 1))
    with closing(open_ledger(fresh("sqlite"))) as target:
        carry(source, target)
        assert snapshots(target) == [good, older]
