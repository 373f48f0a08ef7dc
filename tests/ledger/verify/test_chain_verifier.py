"""A verifier that resumes at a chain position finds what an uninterrupted one finds."""

from jackpot.ledger.verify.chain_verifier import ChainPosition, ChainVerifier, first
from tests.ledger.play import Play


def walked(at: ChainPosition, play: Play) -> ChainVerifier:
    """Verifies the chain of the rows behind a position, without redeciding."""
    walk = ChainVerifier("main", at, None)
    for row in play.rows[at.seq :]:
        walk.take(row)
    return walk


def test_a_walk_goes_on_from_a_joint() -> None:
    """S8: any row's hash, epoch and version are all that the chain behind it needs."""
    play = Play(12).until(60)
    whole = walked(first("main"), play)
    row = play.rows[29]
    second = walked(ChainPosition(row.seq, row.hash, row.epoch, row.version), play)
    assert (whole.problems(), second.problems()) == ([], [])
    assert second.position() == whole.position()


def test_a_joint_that_is_not_its_rows_is_found() -> None:
    """S8: another hash, or a later epoch, than the row has that it pretends to stand behind."""
    play = Play(12).until(60)
    row = play.rows[29]
    (problem,) = walked(ChainPosition(row.seq, bytes(32), row.epoch, row.version), play).problems()
    assert problem == "main: row 31 was changed or added: it does not follow from row 30"
    early = walked(ChainPosition(row.seq, row.hash, row.epoch + 100, row.version), play).problems()
    assert early[0].startswith("main: row 31 is of epoch ")
