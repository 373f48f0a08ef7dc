"""Lease timing, and the watch on a bank's head that decides when another server may take the bank.

The holder of a bank is named in its head. It commits, or at least beats, so that the head moves. Without an
acknowledgement for LEASE_S it shows and promises nothing. Each other server looks at the head. A server that
sees the head stand still for longer takes the bank in a new epoch. The epoch is a fence: the database refuses
what the old holder still sends. No server ever looks at another machine's time. `lifecycle` has the whole
life.
"""

from typing import Final

from jackpot.ledger.journal import Head

# A holder without work confirms its lease so often: two lost beats in a row are not yet a lapse.
BEAT_S: Final = 0.6
# Without an acknowledged commit or beat for so long a holder suspends its links and shows nothing.
LEASE_S: Final = 2.0
# A head that stands still for so long has lost its holder; a second more than the holder gives itself.
TAKEOVER_S: Final = 3.0
# A holder whose lease has lapsed for so long sends its devices to the others: one may hold the bank by now.
AWAY_S: Final = 2.0
# The holder's connection is gone: it is dead, or its lease has lapsed by then too.
GONE_S: Final = 2.0
# How often a bank that somebody else holds is looked at.
LOOK_S: Final = 0.25
# A server that was frozen, or cut off, looks late: in between it has not seen that nothing moved. This much
# of such a gap counts. With none of it, a server whose looks always take longer would never take a bank.
BLIND_S: Final = 1.0
# A holder that has not been seen to move for so long, or whose connection is gone, is not known to be there.
SILENT_S: Final = 1.5
# A free bank is not taken at once by a server that holds others already (so much for each), that is not the
# one to take it first, or that people have just taken it from.
PER_BANK_S: Final = 0.2
NOT_FIRST_S: Final = 0.5
HANDED_OVER_S: Final = 5.0
# A person who hands a bank over is told within this time who took it: until then somebody has, or it is back.
HEIR_WITHIN_S: Final = 2 * HANDED_OVER_S
# A server that has just started leaves free banks to one that was started with it, so that each gets some.
STARTED_TOGETHER_S: Final = 2.0


class HeadWatch:
    """What one server has seen of a bank's head, by its own clock. alive: its holder was seen at work."""

    def __init__(self, now: float) -> None:
        self.alive = False
        self._moved = False
        self._mark: tuple[int, int, int, str] | None = None
        self._looked_at = now
        self._quiet = 0.0
        self._gone: float | None = None

    def free(self, head: Head, *, held: bool, now: float, waits: float = 0.0) -> bool:
        """Whether the bank may be taken. held: its holder's connection stands. waits: additional delay."""
        mark = (head.epoch, head.seq, head.beat, head.holder)
        passed = now - self._looked_at
        if passed > BLIND_S:
            self._moved, passed = False, BLIND_S
        self._looked_at = now
        self._quiet += passed
        if mark != self._mark:
            self._moved = self._mark is not None
            self._mark, self._quiet, self._gone = mark, 0.0, None
        if held:
            self._gone = None
        else:
            self._gone = 0.0 if self._gone is None else self._gone + passed
        self.alive = bool(head.holder) and held and self._moved and self._quiet < SILENT_S
        if not head.holder:
            return self._quiet >= waits
        if self._gone is not None and self._gone >= GONE_S + waits:
            return True
        return self._quiet >= TAKEOVER_S + waits
