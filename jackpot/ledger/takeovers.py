"""The table `takeover`: who took each bank and when; head and journal are checked against it (S3).

The head of a bank says who may write, and is under no hash, since it moves with every batch. Each transaction
that raises an epoch, or gives a bank up, adds a row here. So an epoch or a holder that somebody wrote into a
head is found, also after a server has taken the bank again: epochs are consecutive.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from jackpot.ledger.reading import Conversation, Reader

# How a bank came into hands. FOUND: when the table was made. OPENED: with its first row. COPIED: for rows
# that keep the epochs of their source. RELEASED: into nobody's, its epoch stays.
FOUND: Final = "found"
OPENED: Final = "opened"
TAKEN: Final = "taken"
COPIED: Final = "copied"
RELEASED: Final = "released"

# One statement, so that all of it is of one moment, also next to a server that takes the bank.
_TAKEN: Final = """
    SELECT takeover.epoch, takeover.how, takeover.holder, takeover.seq,
        (SELECT journal.epoch FROM journal WHERE journal.bank = head.bank AND journal.seq = takeover.seq),
        (SELECT journal.epoch FROM journal WHERE journal.bank = head.bank AND journal.seq = takeover.seq + 1),
        head.epoch, head.holder, head.seq,
        (SELECT journal.epoch FROM journal WHERE journal.bank = head.bank AND journal.seq = head.seq)
    FROM head LEFT JOIN takeover ON takeover.bank = head.bank
    WHERE head.bank = ?1 ORDER BY takeover.id
"""
_BY_HAND: Final = "the head was changed by hand, or a takeover was added or taken away"


class Takeover(NamedTuple):
    """A row of the table, with the epochs of the journal around it.

    seq: the head's then. before, after: the epoch of that row and of the next one, None where there is none,
    or an archive alone has it.
    """

    epoch: int
    how: str
    holder: str
    seq: int
    before: int | None
    after: int | None

    def wrote(self, epoch: int | None) -> bool:
        """Whether a row of that epoch may have been written in this one; a copy's rows are older."""
        return epoch is None or epoch == self.epoch or (self.how == COPIED and epoch < self.epoch)


class HeadPosition(NamedTuple):
    """Head of a bank, and the epoch of its row."""

    epoch: int
    holder: str
    seq: int
    before: int | None


def differences(ledger: Reader, bank: str) -> list[str]:
    """Problems: contradictions between head, journal and takeovers of a bank.

    Epochs are assumed never to fall along the journal: the chain verifier checks that. Raises LedgerError. A
    file of an earlier schema has no takeovers, and none is missed.
    """
    if "takeover" in ledger.version.lacks:
        return []

    def asked(number: int) -> Conversation[tuple[list[Takeover], HeadPosition | None]]:
        found = yield _TAKEN, (number,)
        head = next((HeadPosition(*row[6:]) for row in found), None)
        return [Takeover(*row[:6]) for row in found if row[0] is not None], head

    rows, head = ledger.ask(bank, asked)
    if head is None:
        return []
    if not rows:
        return [f"{bank}: no takeover of it is in the table takeover: they were taken away"]
    taken = [row for row in rows if row.how != RELEASED]
    said = [*_order(rows), *_epochs(taken, head), *_head(rows[-1], head)]
    return [f"{bank}: {one}" for one in said]


def _order(rows: list[Takeover]) -> Iterator[str]:
    """Problems of order: takeovers begin with the bank, and each follows the one before it."""
    first = rows[0]
    begins = first.how == FOUND or (first.seq == 0 and (first.epoch == 1 or first.how == COPIED))
    if not begins or first.how == RELEASED:
        yield f"the first takeover, of epoch {first.epoch}, does not begin it: those before were taken away"
    if first.how == FOUND and (first.before or 0) > first.epoch:
        yield f"row {first.seq} is of epoch {first.before}, and the first takeover of epoch {first.epoch}"
    for one, then in pairwise(rows):
        if then.seq < one.seq:
            yield f"epoch {then.epoch} was taken at row {then.seq}, the one before it at row {one.seq}"
        if then.how == RELEASED:
            if then.epoch != one.epoch or one.how == RELEASED:
                yield f"epoch {then.epoch} was given up, and nobody had it: that takeover was added by hand"
        elif then.how in {FOUND, OPENED}:
            yield f"epoch {then.epoch} begins the bank a second time: that takeover was added by hand"
        elif then.epoch <= one.epoch:
            yield f"epoch {then.epoch} was taken after epoch {one.epoch}: {_BY_HAND}"
        elif then.epoch > one.epoch + 1 and then.how != COPIED:
            yield f"{_epochs_told(one.epoch + 1, then.epoch - 1)} taken by nobody: {_BY_HAND}"


def _epochs_told(first: int, last: int) -> str:
    return f"epoch {first} was" if first == last else f"epochs {first} to {last} were"


def _epochs(taken: list[Takeover], head: HeadPosition) -> Iterator[str]:
    """Problems of epochs: the first and last row of each, and so all between them, must be of it."""
    ends = [(one.seq, one.before) for one in taken[1:]] + [(head.seq, head.before)]
    for one, (seq, last) in zip(taken, ends, strict=True):
        if seq <= one.seq:
            continue  # nothing was written in it
        for row, epoch in ((one.seq + 1, one.after), (seq, last)):
            if not one.wrote(epoch):
                yield f"row {row} is of epoch {epoch}, and was written in epoch {one.epoch} by the takeovers"
                break


def _head(last: Takeover, head: HeadPosition) -> Iterator[str]:
    if head.epoch != last.epoch:
        yield f"the head is of epoch {head.epoch}, the last takeover of epoch {last.epoch}: {_BY_HAND}"
    elif head.holder != last.holder:
        yield f"the head's holder is {head.holder!r}, by the last takeover {last.holder!r}: {_BY_HAND}"
    if head.seq < last.seq:
        yield f"the head is at row {head.seq}, and was at row {last.seq} when epoch {last.epoch} was taken"
