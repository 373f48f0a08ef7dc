"""Publishes the meter board of a bank to its watchers after each commit.

No I/O: the shell calls `push` once a commit, and `tick` about ten times a second.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from controllers.answers import Hit, Link, State, Status, WaitingHit
from jackpot.clock import Clock
from jackpot.publish.broadcaster import SIGN_INTERVAL_S, Broadcaster
from jackpot.publish.meter_board import BoardTrust, MeterBoard
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome, Push

# WIRE: per commit link first, then hit, then award, status and round, then meters.
_FIRST: Final[tuple[type, ...]] = (Link, Hit)


class BoardPublisher(MeterBoard):
    """Publisher of a bank's meter board to its broadcaster.

    on_status: called with the link of each `status` for signs, and with the message.
    """

    def __init__(self, bank: str, clock: Clock, standing: BoardTrust) -> None:
        super().__init__(bank, clock, standing)
        self.broadcaster = Broadcaster(self)
        self.on_status: list[Callable[[str, Status], None]] = []
        self._told_trusted = False
        self._stated: dict[str, State] = {}
        self._stated_at = 0.0

    def reset(
        self,
        links: Iterable[dict[str, Any]],
        hits: Iterable[Hit],
        rev: int,
        waiting: Mapping[str, tuple[WaitingHit, ...]],
    ) -> None:
        """Resets the board from a state that equals the ledger: at the start, and after doubt.

        Watchers are told of hits that this process has not pushed: the server that made them may have ended
        before it could.
        """
        self.waiting = dict(waiting)
        self.take_links(links)
        for hit in self.hits.take(hits):
            self.broadcaster.tell(hit.link, hit)
        self.rev = rev
        self.broadcaster.owe_all()
        self._restate()

    def push(self, outcomes: Sequence[Outcome], rev: int) -> None:
        """Pushes one commit, after its answers: its messages in order, then the waiting awards, then the
        meters.
        """
        self.rev = rev
        pushes = [push for outcome in outcomes for push in outcome.pushes]
        pushes.sort(key=_order)
        for push in pushes:
            self._push(push)
        waiting = [waits for outcome in outcomes for waits in outcome.waiting]
        self.waiting |= dict(waiting)
        if pushes or waiting:
            self._restate()
        latest = {(link, level): micros for outcome in outcomes for link, level, micros in outcome.meters}
        for (link, level), micros in latest.items():
            self._move(link, level, to_cents(micros))
        self.tick()

    def tick(self) -> None:
        """Broadcasts values that are due; none once the lease has lapsed."""
        self.restand()
        if self.leased:
            if self.clock.monotonic() - self._stated_at >= SIGN_INTERVAL_S:
                self._restate()
            self.broadcaster.tick()

    def restand(self) -> bool:
        """Sends every link's state when trust in the board is lost or regained. Returns whether it did.

        An untrusted link is reported as suspended, which promises nothing (S4).
        """
        trusted = self.trusted
        if trusted == self._told_trusted:
            return False
        self._told_trusted = trusted
        for link in self.links:
            self.broadcaster.tell(link, self.link_message(link))
        self._restate()
        return True

    def _restate(self) -> None:
        """Sends signs the states that changed; a win also ends by time alone."""
        self._stated_at = self.clock.monotonic()
        self.hits.forget_old()
        for link in self.links:
            shown = self.display(link)
            if self._stated.get(link) != shown:
                self._stated[link] = shown
                self.broadcaster.restated()
                self.broadcaster.tell(link, shown, signs_only=True)

    def _move(self, link: str, level: str, cents: int) -> None:
        levels = self.links[link].levels if link in self.links else {}
        if levels.get(level, cents) != cents:
            levels[level] = cents
            self.broadcaster.moved(link, level)

    def _push(self, push: Push) -> None:
        message = push.message
        if isinstance(message, Link) and (view := self.links.get(message.link)) is not None:
            view.state, view.reason = message.state, message.reason
            self.broadcaster.tell(message.link, self.link_message(message.link))
            return
        if isinstance(message, Hit):
            self.hits.remember(message)
        if push.table is not None:
            self.broadcaster.tell_table(push.table, message)
            return
        link = push.link or push.signs_of or ""
        if isinstance(message, Status):
            if message.status == "undone" and message.award is None:
                self.hits.undone(message.hit)
            for call in self.on_status:
                call(link, message)
        self.broadcaster.tell(link, message, signs_only=push.link is None)


def _order(push: Push) -> int:
    """Sort key of a message among the pushes of a commit."""
    kind = type(push.message)
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
