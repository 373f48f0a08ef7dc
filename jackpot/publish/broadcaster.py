"""Broadcasts meters to the watchers of a bank. Only the newest value counts.

Values are conflated, framed once for all receivers of the same links in the same form, and never waited for.
A slow consumer is skipped and gets a whole snapshot afterwards. A thousand signs are served in portions, so
that a wager waits for one portion only. No I/O.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import UNSET

from controllers.answers import Meters, ServerMessage
from controllers.frames import encode
from jackpot.runtime.isolate import Peer, isolate
from jackpot.runtime.round_robin import RoundRobin

if TYPE_CHECKING:
    from jackpot.publish.board import MeterBoard

# WIRE: at most 10 a second to a sign; to a table the first change at once, then at most 2 a second.
SIGN_INTERVAL_S: Final = 0.1
TABLE_INTERVAL_S: Final = 0.5
# WIRE: the whole snapshot again at least every 5 s, so that a receiver that missed anything is right again.
# Each watcher has it in its turn, so that no moment has them all.
SNAPSHOT_INTERVAL_S: Final = 4.2
# A frame holds 65,536 bytes; a value is at most 64 + 8 + 10 bytes and its framing, and so is the sum by which
# one of a mystery must hit.
VALUES_A_FRAME: Final = 350
# Watchers that are shown a value before others have their turn: about half a millisecond of the loop.
SHOWN_AT_ONCE: Final = 32

Form = Callable[[ServerMessage], bytes]
"""How a message becomes bytes for one kind of receiver; the same message in every form."""
Subscription = Callable[[], None]
"""Ends what a watcher is shown, whatever became of the bank's links since; may be called again."""


class Watcher(Peer, Protocol):
    """A receiver of meters; neither call may block."""

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost while the connection lives."""

    def show(self, frame: bytes) -> bool:
        """Sends meter values. Returns False, taking nothing, if the last ones have not left yet."""


class _Group:
    """Watchers of the same links, at the same rate, in the same format. snapshot: its revision and time.

    turns: round robin of whole snapshots. lately: who got one in turn within the interval, and when. owed:
    all are to get one now. due: watchers still to be sent values.
    """

    def __init__(self, links: frozenset[str], form: Form, *, signs: bool, now: float) -> None:
        self.links = links
        self.form = form
        self.interval = SIGN_INTERVAL_S if signs else TABLE_INTERVAL_S
        self.signs = signs
        self.watchers: set[Watcher] = set()
        self.slow_consumers: set[Watcher] = set()
        self.changed: set[tuple[str, str]] = set()
        self.snapshot: tuple[int, float, bytes] | None = None
        self.shown_at = 0.0
        self.owed = False
        self.lately: dict[Watcher, float] = {}
        self.turns: RoundRobin[Watcher] = RoundRobin(SNAPSHOT_INTERVAL_S, now)
        self.due: deque[tuple[Watcher, bytes]] = deque()

    def show(self, most: int) -> int:
        """Sends values that are due to at most so many watchers, and counts them. Slow consumers fall
        behind.
        """
        count = min(most, len(self.due))
        for _ in range(count):
            watcher, frame = self.due.popleft()
            if watcher in self.watchers and not isolate(watcher, watcher.show, frame):
                self.slow_consumers.add(watcher)
        return count

    def served_since(self, when: float) -> dict[Watcher, float]:
        """Watchers that got a whole snapshot in turn after that."""
        return {watcher: at for watcher, at in self.lately.items() if at > when}


class Broadcaster:
    """Broadcaster of one meter board to all of its watchers.

    soon: schedules a callback after other work; calls it at once if there is none.
    """

    def __init__(self, board: "MeterBoard") -> None:
        self.groups: dict[tuple[bool, Form, frozenset[str]], _Group] = {}
        self.soon: Callable[[Callable[[], None]], object] = lambda call: call()
        self._board = board
        self._due: deque[_Group] = deque()
        self._goes_on = False
        self._tables: dict[str, Watcher] = {}

    def watch(
        self, watcher: Watcher, links: frozenset[str], table: str | None = None, form: Form = encode
    ) -> Subscription:
        """Subscribes a table (by its id) or a sign to these links in this format, beginning with a
        snapshot.
        """
        signs = table is None
        if table is not None:
            self._tables[table] = watcher
        key = (signs, form, links)
        if key not in self.groups:
            self.groups[key] = _Group(links, form, signs=signs, now=self._board.clock.monotonic())
        self.groups[key].watchers.add(watcher)
        self.groups[key].turns.add(watcher)
        isolate(watcher, watcher.tell, self._snapshot(self.groups[key]))
        return partial(self._forget, watcher, key, table)

    def _forget(self, watcher: Watcher, key: tuple[bool, Form, frozenset[str]], table: str | None) -> None:
        if table is not None and self._tables.get(table) is watcher:
            del self._tables[table]
        if (group := self.groups.get(key)) is not None:
            group.watchers.discard(watcher)
            group.slow_consumers.discard(watcher)
            if not group.watchers:
                del self.groups[key]

    def tell(self, link: str, message: ServerMessage, *, signs_only: bool = False) -> None:
        """A push to every watcher of the link, behind the values that were due before it."""
        framed: dict[Form, bytes] = {}
        for group in self.groups.values():
            if link in group.links and (group.signs or not signs_only):
                self._show_due(group, len(group.due))
                frame = framed.get(group.form)
                if frame is None:
                    frame = framed[group.form] = group.form(message)
                for watcher in tuple(group.watchers):
                    isolate(watcher, watcher.tell, frame)

    def tell_table(self, table: str, message: ServerMessage) -> None:
        """A push to that table, if it is here."""
        if (watcher := self._tables.get(table)) is not None:
            isolate(watcher, watcher.tell, encode(message))

    def moved(self, link: str, level: str) -> None:
        """A meter has a new value."""
        for group in self.groups.values():
            if link in group.links:
                group.changed.add((link, level))

    def restated(self) -> None:
        """A link's state has changed: earlier snapshots are stale."""
        for group in self.groups.values():
            group.snapshot = None

    def owe_all(self) -> None:
        """Schedules a whole snapshot for everybody."""
        for group in self.groups.values():
            group.snapshot = None
            group.changed.clear()
            group.due.clear()
            group.owed = True

    def tick(self, now: float) -> None:
        """Shows what is due."""
        for group in tuple(
            self.groups.values()
        ):  # one that is cut off meanwhile may have been its group's last
            if now - group.shown_at >= group.interval and not group.due:
                self._show(group, now)
        if not self._goes_on:
            self._go_on()

    def _go_on(self) -> None:
        """Serves one portion of the watchers, and schedules the next."""
        self._goes_on = False
        left = SHOWN_AT_ONCE
        while self._due and left:
            left -= self._show_due(self._due[0], left)
            if not self._due[0].due:
                self._due.popleft()
        if self._due:
            self._goes_on = True
            self.soon(self._go_on)

    def _show_due(self, group: _Group, most: int) -> int:
        """Sends due values while the lease holds; otherwise a whole snapshot is owed. Counts the
        receivers.
        """
        if self._board.leased or not group.due:
            return group.show(most)
        group.due.clear()
        group.owed = True
        return 0

    def _show(self, group: _Group, now: float) -> None:
        """Plans who gets the changed values. Slow consumers, and those whose turn it is, get a whole
        snapshot.

        One that got a whole snapshot less than an interval ago waits, and gets another with the next values.
        """
        whole = group.turns.due(group.watchers, now)
        if not (group.owed or group.changed or group.slow_consumers):
            group.lately = group.served_since(now - group.interval) | dict.fromkeys(whole, now)
            if whole:
                self._plan(group, whole, self._snapshot(group))
            return
        group.shown_at = now
        early = set(group.served_since(now - group.interval))
        whole |= group.watchers if group.owed else group.slow_consumers
        group.lately = {}
        group.slow_consumers, group.owed = early & group.watchers, False
        if group.changed:
            levels = {link: self._board.links[link].levels for link, _ in group.changed}
            moved = [(link, level, levels[link][level]) for link, level in sorted(group.changed)]
            group.changed.clear()
            self._plan(group, group.watchers - whole - early, self._meters(group.form, moved))
        if whole := whole - early:
            self._plan(group, whole, self._snapshot(group))

    def _plan(self, group: _Group, watchers: Iterable[Watcher], frame: bytes) -> None:
        """Queues values for these watchers."""
        group.due.extend((watcher, frame) for watcher in watchers)
        self._due.append(group)

    def _snapshot(self, group: _Group) -> bytes:
        """Snapshot of every meter of a group's links while the lease holds, and for signs every link's
        state.
        """
        board = self._board
        now, last = board.clock.monotonic(), group.snapshot
        if last is not None and board.leased and last[0] == board.rev and now - last[1] < SNAPSHOT_INTERVAL_S:
            return last[2]
        links = sorted(group.links) if board.leased else []
        framed = self._meters(group.form, board.values(links), board.must_hit_by(links))
        if group.signs:
            known = sorted(group.links.intersection(board.links))
            framed += b"".join(group.form(board.display(link)) for link in known)
        group.snapshot = board.rev, now, framed
        return framed

    def _meters(
        self,
        form: Form,
        values: Sequence[tuple[str, str, int]],
        most: Sequence[tuple[str, str, int]] = (),
    ) -> bytes:
        """Frames of these values. most: by which sums those of mystery links must hit."""
        bank, rev, at = self._board.bank, self._board.rev, self._board.clock.unix_ms()
        frames = []
        for start in range(0, max(len(values), 1), VALUES_A_FRAME):
            part = tuple(values[start : start + VALUES_A_FRAME])
            there = {value[:2] for value in part} if most else ()
            by = tuple(one for one in most if one[:2] in there)
            frames.append(form(Meters(bank, rev, at, part, by or UNSET)))
        return b"".join(frames)
