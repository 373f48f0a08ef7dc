"""Sample rows for tests, made without an engine."""

from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.postings import Posting


def entry(seq: int) -> DecidedEntry:
    """The odd ones are wagers that move two levels, the even ones settlements that move nothing.

    Every third is of a hit.
    """
    postings = (
        Posting(1, 1, 1, primary=630_000 + seq, wagers=-630_000 - seq),
        Posting(1, 2, 1, primary=70_000, reserve=10_000, wagers=-80_000),
    )
    return DecidedEntry(
        seq=seq, at=1_767_225_600_000 + seq, kind=1 + seq % 2, version=1, link=1, table=1 + seq % 12,
        table_seq=1 + seq // 12, digest=seq.to_bytes(16, "big"), body=b"event %d" % seq,
        postings=postings if seq % 2 else (), hits=() if seq % 3 else (seq,),
    )  # fmt: skip


def rows(count: int, *, bank: str = "main", epoch: int = 1, after: Row | None = None) -> list[Row]:
    """That many rows behind `after`, chained."""
    made: list[Row] = []
    previous = genesis(bank) if after is None else after.hash
    for seq in range(1 if after is None else after.seq + 1, (0 if after is None else after.seq) + count + 1):
        made.append(row_of(bank, epoch, entry(seq), previous))
        previous = made[-1].hash
    return made
