"""Directory of people, followed as the ledger has it, and never backwards."""

from contextlib import closing
from pathlib import Path

import pytest

from jackpot.auth.directory import Directory
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerError
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.signing import ROLES, SITE
from tests.ledger.people import Paper
from tests.ledger.verify.test_verifier import spoil
from tests.running_server import on_loop


def written(path: Path, paper: Paper, upto: int | None = None) -> None:
    """Writes the first rows of the site, or all; what is there already stays."""
    with closing(SqliteLedger(path)) as ledger:
        head = ledger.head(SITE)
        if head.epoch == 0:
            ledger.new_epoch(SITE, "paper")
        more = paper.rows[head.seq : upto]
        if more:
            ledger.append(SITE, 1, head.seq, more)


@on_loop
async def test_it_follows_the_journal(tmp_path: Path) -> None:
    """Each look sees what became durable since; what an earlier look gave stays as it was."""
    path, paper = tmp_path / "ledger.db", Paper()
    books = LedgerReader(f"sqlite:///{path}")
    directory = Directory(books)
    written(path, paper, 2)
    first = await directory.look()
    assert (len(first.state.people), first.person(3)) == (2, None)
    written(path, paper)
    second = await directory.look()
    assert (second.state.seq, second.hash) == (len(paper.rows), paper.hash)
    assert len(first.state.people) == 2
    assert await directory.look() is second
    signed = second.signed(paper.floor, "secret", ROLES)
    assert signed is not None
    assert second.proof(signed) == paper.proof(paper.floor)
    paper.ended(paper.floor)
    written(path, paper)
    assert (await directory.look()).signed(paper.floor, "secret", ROLES) is None
    await books.close()


@on_loop
async def test_what_does_not_follow_bears_nobody_out(tmp_path: Path) -> None:
    """S8: a chain that was changed under a server gives no people, and no bank gives none."""
    path, paper = tmp_path / "ledger.db", Paper()
    books = LedgerReader(f"sqlite:///{path}")
    directory = Directory(books)
    with closing(SqliteLedger(path)):
        pass
    with pytest.raises(LedgerError, match="jackpot bank open site"):
        await directory.look()
    written(path, paper, 3)
    await directory.look()
    written(path, paper)
    spoil(path, "UPDATE journal SET at = at + 1 WHERE seq = 4")
    with pytest.raises(LedgerError, match="row 4 does not follow"):
        await directory.look()
    await books.close()
