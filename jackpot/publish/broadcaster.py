"""Who watches a bank, and what is each shown when? Only the newest value counts.

Values are conflated, framed once for all receivers of the same links in the same form, and never waited for.
A watcher that has not read its last value is passed over and gets a whole snapshot afterwards. A thousand
signs are shown a value some at a time, so that a wager waits for some of them alone. No I/O.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Protocol

from controllers.answers import Meters, ServerMessage
from controllers.frames import encode
from jackpot.publish.meter_board import Face
from jackpot.runtime.isolate import Peer, alone
from jackpot.runtime.round_robin import Turns

# WIRE: at most 10 a second to a sign; to a table the first change at once, then at most 2 a second.
SIGN_INTERVAL_S: Final = 0.1
TABLE_INTERVAL_S: Final = 0.5
# WIRE: the whole snapshot again at least every 5 s, so that a receiver that missed anything is right again.
# Each watcher has it in its turn, so that no moment has them all.
SNAPSHOT_INTERVAL_S: Final = 4.2
# A frame holds 65,536 bytes; a value is at most 64 + 8 + 10 bytes and its framing.
VALUES_A_FRAME: Final = 500
# Watchers that are shown a value before others have their turn: about half a millisecond of the loop.
SHOWN_AT_ONCE: Final = 32

Form = Callable[[ServerMessage], bytes]
"""How a message becomes bytes for one kind of receiver; the same message in every form."""
Subscription = Callable[[], None]
"""Ends what a watcher is shown, whatever became of the bank's links since; may be called again."""


class Watcher(Peer, Protocol):
    """One that is shown meters; neither call may block."""

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost while the connection lives."""

    def show(self, frame: bytes) -> bool:
        """Meter values; False where the last ones have not left yet, and nothing was taken."""


class _Group:
    """Watchers of the same links, the same pace and the same form. snapshot: of which revision, made when.

    turns: whose turn it is to get the whole snapshot. lately: who got it in their turn within the interval,
    and when. owed: all are to get it now. due: who is still to be shown what.
    """

    def __init__(self, links: frozenset[str], form: Form, *, signs: bool, now: float) -> None:
        self.links = links
        self.form = form
        self.interval = SIGN_INTERVAL_S if signs else TABLE_INTERVAL_S
        self.signs = signs
        self.watchers: set[Watcher] = set()
        self.behind: set[Watcher] = set()
        self.changed: set[tuple[str, str]] = set()
        self.snapshot: tuple[int, float, bytes] | None = None
        self.shown_at = 0.0
        self.owed = False
        self.lately: dict[Watcher, float] = {}
        self.turns: Turns[Watcher] = Turns(SNAPSHOT_INTERVAL_S, now)
        self.due: deque[tuple[Watcher, bytes]] = deque()

    def show(self, most: int) -> int:
        """Shows what is due to so many at most, and counts them; those that have not read the last one are
        behind.
        """
        count = min(most, len(self.due))
        for _ in range(count):
            watcher, frame = self.due.popleft()
            if watcher in self.watchers and not alone(watcher, watcher.show, frame):
                self.behind.add(watcher)
        return count

    def served_since(self, when: float) -> dict[Watcher, float]:
        """Who had the whole in their turn after that."""
        return {watcher: at for watcher, at in self.lately.items() if at > when}


class Audience:
    """All watchers of one face.

    soon: calls what it is given once others had their turn; at once, where nobody else has one.
    """

    def __init__(self, face: Face) -> None:
        self.groups: dict[tuple[bool, Form, frozenset[str]], _Group] = {}
        self.soon: Callable[[Callable[[], None]], object] = lambda call: call()
        self._face = face
        self._due: deque[_Group] = deque()
        self._goes_on = False
        self._tables: dict[str, Watcher] = {}

    def watch(
        self, watcher: Watcher, links: frozenset[str], table: str | None = None, form: Form = encode
    ) -> Subscription:
        """Shows a table (by its id) or a sign these links from now on, in this form, the snapshot first."""
        signs = table is None
        if table is not None:
            self._tables[table] = watcher
        key = (signs, form, links)
        if key not in self.groups:
            self.groups[key] = _Group(links, form, signs=signs, now=self._face.clock.monotonic())
        self.groups[key].watchers.add(watcher)
        self.groups[key].turns.came(watcher)
        alone(watcher, watcher.tell, self._snapshot(self.groups[key]))
        return partial(self._forget, watcher, key, table)

    def _forget(self, watcher: Watcher, key: tuple[bool, Form, frozenset[str]], table: str | None) -> None:
        if table is not None and self._tables.get(table) is watcher:
            del self._tables[table]
        if (group := self.groups.get(key)) is not None:
            group.watchers.discard(watcher)
            group.behind.discard(watcher)
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
                    alone(watcher, watcher.tell, frame)

    def tell_table(self, table: str, message: ServerMessage) -> None:
        """A push to that table, if it is here."""
        if (watcher := self._tables.get(table)) is not None:
            alone(watcher, watcher.tell, encode(message))

    def moved(self, link: str, level: str) -> None:
        """A meter has a new value."""
        for group in self.groups.values():
            if link in group.links:
                group.changed.add((link, level))

    def restated(self) -> None:
        """A link's state is another: no snapshot made before is right."""
        for group in self.groups.values():
            group.snapshot = None

    def owe_all(self) -> None:
        """Everybody is owed a whole snapshot."""
        for group in self.groups.values():
            group.snapshot = None
            group.changed.clear()
            group.due.clear()
            group.owed = True

    def tick(self) -> None:
        """Shows what is due."""
        now = self._face.clock.monotonic()
        for group in tuple(
            self.groups.values()
        ):  # one that is cut off meanwhile may have been its group's last
            if now - group.shown_at >= group.interval and not group.due:
                self._show(group, now)
        if not self._goes_on:
            self._go_on()

    def _go_on(self) -> None:
        """Shows some what is due to them; the others follow."""
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
        """Shows it while the bank is ours to show; later the whole is owed. Counts who saw it."""
        if self._face.leased or not group.due:
            return group.show(most)
        group.due.clear()
        group.owed = True
        return 0

    def _show(self, group: _Group, now: float) -> None:
        """Plans who is shown the values that moved. Whose turn it is, or who is behind, gets the whole.

        One that got the whole less than an interval ago waits, and gets it again with the next values.
        """
        whole = group.turns.due(group.watchers, now)
        if not (group.owed or group.changed or group.behind):
            group.lately = group.served_since(now - group.interval) | dict.fromkeys(whole, now)
            if whole:
                self._plan(group, whole, self._snapshot(group))
            return
        group.shown_at = now
        early = set(group.served_since(now - group.interval))
        whole |= group.watchers if group.owed else group.behind
        group.lately = {}
        group.behind, group.owed = early & group.watchers, False
        if group.changed:
            levels = {link: self._face.links[link].levels for link, _ in group.changed}
            moved = [(link, level, levels[link][level]) for link, level in sorted(group.changed)]
            group.changed.clear()
            self._plan(group, group.watchers - whole - early, self._meters(group.form, moved))
        if whole := whole - early:
            self._plan(group, whole, self._snapshot(group))

    def _plan(self, group: _Group, watchers: Iterable[Watcher], frame: bytes) -> None:
        """These are shown it next."""
        group.due.extend((watcher, frame) for watcher in watchers)
        self._due.append(group)

    def _snapshot(self, group: _Group) -> bytes:
        """Every meter of a group's links, while they are ours to show, and for signs every link's state."""
        face = self._face
        now, last = face.clock.monotonic(), group.snapshot
        if last is not None and face.leased and last[0] == face.rev and now - last[1] < SNAPSHOT_INTERVAL_S:
            return last[2]
        framed = self._meters(group.form, face.values(sorted(group.links)) if face.leased else [])
        if group.signs:
            known = sorted(group.links.intersection(face.links))
            framed += b"".join(group.form(face.display(link)) for link in known)
        group.snapshot = face.rev, now, framed
        return framed

    def _meters(self, form: Form, values: Sequence[tuple[str, str, int]]) -> bytes:
        bank, rev, at = self._face.bank, self._face.rev, self._face.clock.unix_ms()
        return b"".join(
            form(Meters(bank, rev, at, tuple(values[start : start + VALUES_A_FRAME])))
            for start in range(0, max(len(values), 1), VALUES_A_FRAME)
        )
