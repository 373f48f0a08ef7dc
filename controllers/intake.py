"""Input queue of one device, and the limits at which the server reads from it."""

from collections.abc import Iterator
from math import inf
from typing import Final

from controllers.frames import FRAME_MAX, STRANGER_MAX, FrameReader
from controllers.messages import (
    UNTYPED,
    Ping,
    Pong,
    Settle,
    TableMessage,
    Wager,
    Withdraw,
    decode_by_letter,
    decode_typed,
)
from controllers.pace import (
    BY_LETTER_COMMANDS,
    ITEMS_A_COMMAND,
    TURN_COMMANDS,
    UNANSWERED_MAX,
    Limits,
    Pace,
)

# Created once, because every frame is compared with them.
_ASKS: Final = (Ping, Pong)
_BETS: Final = (Wager, Withdraw)


class Intake(FrameReader):
    """Cuts what a device sends into messages, no faster than it may send them. now: monotonic seconds.

    halted: set by a caller that pauses reading for reasons of its own; the device then does not count as
    silent. heard_at: when the last whole frame came, or now while reading is paused. Before `welcome` it only
    reads short frames: a device that is not authenticated has no rates yet.
    """

    def __init__(self) -> None:
        super().__init__(STRANGER_MAX)
        self.halted = False
        self.now: float
        self.heard_at: float
        self._pace: Pace
        self._held: TableMessage | None = None

    def welcome(self, limits: Limits, now: float) -> None:
        """Start accepting messages."""
        self.maximum = FRAME_MAX
        self.now = self.heard_at = now
        self._pace = Pace(limits, now)

    def turn(self, now: float, received: int = 0) -> Iterator[TableMessage | Ping | Pong]:
        """Run one turn, for which so many bytes were added: the messages that may be processed in it.

        A command above the limit of unanswered ones is held back, and so are those behind it. Raises
        BadFrame.
        """
        self.now = now
        pace, left = self._pace, TURN_COMMANDS
        if received:
            pace.received(received, now)
        if self.halted or pace.ready_at > now:
            return
        message: TableMessage | Ping | Pong | None
        message, self._held = self._held, None
        while left > 0 and pace.ready_at <= now:
            cost = 1
            if message is None:
                if (payload := self.next_frame()) is None:
                    return
                self.heard_at = now
                try:
                    message = decode_typed(payload)
                except UNTYPED:
                    pace.worked(BY_LETTER_COMMANDS, now)  # also where it cannot be decoded
                    message = decode_by_letter(payload)
                    left -= BY_LETTER_COMMANDS
                if isinstance(message, _BETS):
                    cost += len(message.bets) // ITEMS_A_COMMAND
                elif isinstance(message, Settle):
                    cost += len(message.hands) // ITEMS_A_COMMAND
                pace.worked(cost, now)
            left -= cost
            if not isinstance(message, _ASKS):
                if pace.unanswered >= UNANSWERED_MAX:
                    self._held = message
                    return
                pace.unanswered += 1
            yield message
            message = None

    def end(self) -> bool:
        """End the turn; returns whether the device has exceeded its limits for too long."""
        above = self._held is not None or self._pace.ready_at > self.now
        self._pace.note(self.now, above=above)
        if self.paused:
            self.heard_at = self.now
        return above and self.now >= self._pace.patient_until()

    def idle(self, now: float) -> bool:
        """Whether it was welcomed, and nothing is buffered or held back."""
        if self.maximum < FRAME_MAX or self.halted or self._held is not None:
            return False
        return not len(self) and self._pace.ready_at <= now

    def answered(self, *, refused: bool) -> None:
        """The oldest command taken has its answer."""
        self._pace.unanswered -= 1
        if refused:
            self._pace.refused(self.now)

    @property
    def paused(self) -> bool:
        """Whether reading from the device should pause for now."""
        pace = self._pace
        held_back = self._held is not None and pace.unanswered >= UNANSWERED_MAX
        return held_back or self.halted or pace.ready_at > self.now

    @property
    def waiting(self) -> bool:
        """Whether something buffered may be taken now."""
        return (self._held is not None or self.whole) and not self.paused

    def deadline(self) -> float:
        """The latest time at which a paused device must be looked at again."""
        ready = self._pace.ready_at
        held_back = self._held is not None and self._pace.unanswered >= UNANSWERED_MAX
        return min(self._pace.patient_until(), inf if held_back or ready <= self.now else ready)
