"""For how long, and how often, in this epoch? What is counted on the clock of one server (L11, T10, S9)."""

from collections import deque
from typing import Final

from jackpot.rules.state import Asked, Request, Table

# The span of `max_rounds_per_minute` (L11), in milliseconds.
MINUTE: Final = 60_000


class Epoch:
    """What counts from the moment at which a server began to decide for the bank.

    since: the entry after which that was. began: when, in milliseconds of the server's monotonic clock.
    """

    def __init__(self, since: int = 0, began: int = 0) -> None:
        self.since, self.began = since, began
        self._opened: dict[str, deque[tuple[int, int]]] = {}  # by table: (tick, entry)

    def known_at(self, seq: int) -> "Epoch":
        """The same epoch for an engine whose last entry is `seq`.

        Rounds that were opened later were not, and are decided again.
        """
        epoch = Epoch(self.since, self.began)
        epoch._opened = {
            table: deque(one for one in opened if one[1] <= seq) for table, opened in self._opened.items()
        }
        return epoch

    def opened(self, table: Table, tick: int, seq: int) -> None:
        """The table opened a round at that tick, in entry `seq`; what another epoch's clock counted goes."""
        opened = self._opened.setdefault(table.terms.table, deque())
        if self.lately(table, tick) and opened[-1][0] > tick:
            opened.clear()
        opened.append((tick, seq))

    def lately(self, table: Table, tick: int) -> int:
        """How many rounds the table opened in the minute before."""
        opened = self._opened.get(table.terms.table)
        if not opened:
            return 0
        while opened and opened[0][0] <= tick - MINUTE:
            opened.popleft()
        return len(opened)

    def asked_ms(self, table: Table, tick: int) -> int:
        """For how long a second person has been waited for, as in `Wagered`."""
        asked = table.waits()
        return 0 if asked is None else self.waited_ms(asked, tick)

    def waited_ms(self, asked: Asked | Request, tick: int) -> int:
        """For how long of this epoch what was asked has waited, at least 1 ms."""
        return max(1, tick - (asked.tick if asked.seq > self.since else self.began))
