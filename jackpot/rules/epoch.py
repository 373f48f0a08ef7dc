"""Sliding windows and waiting times within one epoch, by the clock of one server (L11, T10, S9)."""

from collections import deque
from collections.abc import Mapping
from typing import Final, Generic, Self, TypeVar

from jackpot.rules.acts.requests import RESTARTED_MS
from jackpot.rules.state import ApprovalRequest, ReopenRequest, Table

# The span of `max_rounds_per_minute` (L11), in milliseconds.
MINUTE: Final = 60_000
# That in which a person's refusals are counted.
HOUR: Final = 60 * MINUTE

K = TypeVar("K")


class SlidingWindow(Generic[K]):
    """Counts of what was done within a span of time, by table or person; each with its tick and its entry."""

    def __init__(self, span: int, done: Mapping[K, deque[tuple[int, int]]] | None = None) -> None:
        self._span = span
        self._done = dict(done or {})

    def known_at(self, seq: int) -> Self:
        """The same for an engine whose last entry is `seq`: later events are left out."""
        left = {who: deque(one for one in done if one[1] <= seq) for who, done in self._done.items()}
        return type(self)(self._span, left)

    def add(self, key: K, tick: int, seq: int) -> None:
        """Adds an event of entry `seq`; those that another epoch's clock counted are dropped."""
        done = self._done.setdefault(key, deque())
        if self.count(key, tick) and done[-1][0] > tick:
            done.clear()
        done.append((tick, seq))

    def count(self, key: K, tick: int) -> int:
        """How many events of this table or person lie within the span before."""
        done = self._done.get(key)
        if not done:
            return 0
        while done and done[0][0] <= tick - self._span:
            done.popleft()
        return len(done)


class Epoch:
    """Counts and times since the moment at which a server began to decide for the bank.

    since: the entry after which that was. began: when, in milliseconds of the server's monotonic clock.
    """

    def __init__(self, since: int = 0, began: int = 0) -> None:
        self.since, self.began = since, began
        self._opened: SlidingWindow[str] = SlidingWindow(MINUTE)
        self._refused: SlidingWindow[int] = SlidingWindow(HOUR)

    def known_at(self, seq: int) -> "Epoch":
        """The same epoch for an engine whose last entry is `seq`; later entries are decided again."""
        epoch = Epoch(self.since, self.began)
        epoch._opened, epoch._refused = self._opened.known_at(seq), self._refused.known_at(seq)
        return epoch

    def opened(self, table: Table, tick: int, seq: int) -> None:
        """Records that the table opened a round at that tick, in entry `seq`."""
        self._opened.add(table.terms.table, tick, seq)

    def lately(self, table: Table, tick: int) -> int:
        """How many rounds the table opened in the minute before."""
        return self._opened.count(table.terms.table, tick)

    def refused(self, person: int, tick: int, seq: int) -> None:
        """Records that a request of that person was refused, in entry `seq`."""
        self._refused.add(person, tick, seq)

    def refused_lately(self, person: int, tick: int) -> int:
        """How many of the person's refusals were journalled in the hour before."""
        return self._refused.count(person, tick)

    def asked_ms(self, table: Table, tick: int) -> int:
        """How long a reopening has waited for a second person, as in `Wagered`."""
        asked = None if table.asked is None else table.waits()
        return 0 if asked is None else self.waited_ms(asked, tick)

    def waited_ms(self, asked: ReopenRequest | ApprovalRequest, tick: int) -> int:
        """How long a request has waited, at least 1 ms.

        Where another clock counted its beginning: for a table's reopening, as long as this epoch has lasted
        (T10); for a request, RESTARTED_MS, so that no restart gives it more time.
        """
        if asked.seq > self.since:
            return max(1, tick - asked.tick)
        return RESTARTED_MS if isinstance(asked, ApprovalRequest) else max(1, tick - self.began)
