"""Program versions by row: which program decided which rows of a bank, as its journal records (S3).

A program's row is the first of its epoch, and the rows of that epoch are the program's. Of an epoch without
one nothing is recorded: an older release wrote it, or it is a bank's very first row.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from jackpot.ledger.journal import Row
from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.rebuild import event_in
from jackpot.rules import registry
from jackpot.rules.acts.archives import Cut
from jackpot.rules.acts.programs import ProgramBegan

_LAST: Final = f"""
    SELECT seq, epoch, version, body FROM journal
    WHERE +bank = ?1 AND kind = {ProgramBegan.kind} AND table_seq IS NULL AND seq <= ?2
    ORDER BY seq DESC LIMIT 1
"""  # noqa: S608


class ProgramStart(msgspec.Struct, frozen=True):
    """Row `seq` from which a program decides. version: empty where none is recorded."""

    seq: int
    version: str = ""
    digest: bytes = b""


class ProgramSpan(msgspec.Struct, frozen=True):
    """Rows first to last, which one program decided. version: empty where none is recorded."""

    first: int
    last: int
    version: str
    digest: bytes


def began_in(row: Row, epoch: int) -> ProgramStart | None:
    """Program that a row begins; None if it continues the one before. epoch: that of the row before it."""
    if row.kind == ProgramBegan.kind:
        event = event_in(row)
        if isinstance(event, ProgramBegan):
            return ProgramStart(row.seq, event.version, event.digest)
    return ProgramStart(row.seq) if row.epoch > epoch else None


def went_on(ledger: Reader, bank: str, cut: Cut) -> ProgramStart:
    """Program of the first row after a cut, if its epoch continues there."""

    def asked(number: int) -> Conversation[list[tuple[int, int, bytes]]]:
        return [(row[1], row[2], bytes(row[3])) for row in (yield _LAST, (number, cut.seq))]

    for epoch, version, body in ledger.ask(bank, asked):
        try:
            event = registry.decode(ProgramBegan.kind, version, body)
        except (registry.UnknownEventError, msgspec.MsgspecError):
            break
        if epoch == cut.epoch and isinstance(event, ProgramBegan):
            return ProgramStart(cut.seq + 1, event.version, event.digest)
    return ProgramStart(cut.seq + 1)


def stretches(began: Iterable[ProgramStart], last: int) -> Iterator[ProgramSpan]:
    """Rows up to `last` by program; successive epochs of the same program are one stretch."""
    now: ProgramStart | None = None
    for one in began:
        if now is not None and (now.version, now.digest) == (one.version, one.digest):
            continue
        if now is not None and now.seq < one.seq:
            yield ProgramSpan(now.seq, one.seq - 1, now.version, now.digest)
        now = one
    if now is not None and now.seq <= last:
        yield ProgramSpan(now.seq, last, now.version, now.digest)
