"""What has one device sent that nobody has looked at yet, and how much of it may be looked at now?"""

from collections.abc import Sized
from math import inf
from typing import Final

from controllers.frames import FRAME_MOST, STRANGER_MOST, FrameReader
from controllers.messages import (
    Ping,
    Pong,
    Settle,
    TableMessage,
    Wager,
    Withdraw,
    decode_by_letter,
    decode_typed,
)
from controllers.pace import BY_LETTER_COMMANDS, ITEMS_A_COMMAND, TURN_COMMANDS, Limits, Pace

# Made once, for every frame is held against them.
_ASKS: Final = (Ping, Pong)
_BETS: Final = (Wager, Withdraw)


class Intake(FrameReader):
    """Cuts what a device sends into messages, no faster than it may send them. now: monotonic seconds.

    halted: set by a caller that reads no further for reasons of its own; the device is not silent then.
    heard_at: when the last whole frame came; while the device is not read, now. Before `welcome` it is a bare
    reader of short frames: a stranger has no pace to keep.
    """

    def __init__(self) -> None:
        super().__init__(STRANGER_MOST)
        self.halted = False
        self.now: float
        self.heard_at: float
        self._pace: Pace
        self._held: TableMessage | None = None
        self._turn = 0

    def welcome(self, limits: Limits, now: float) -> None:
        """From here on it takes messages."""
        self.maximum = FRAME_MOST
        self.now = self.heard_at = now
        self._pace = Pace(limits, now)

    def begin(self, now: float, received: int = 0) -> None:
        """A turn begins; so many bytes were added."""
        self._note()
        self.now = now
        self._turn = TURN_COMMANDS
        if received:
            self._pace.received(received, now)

    def take(self) -> TableMessage | Ping | Pong | None:
        """The next message that may be acted on in this turn, None where there is none. Raises BadFrame.

        A command above those that may be unanswered is held, and keeps those behind it.
        """
        pace = self._pace
        if self._turn <= 0 or self.halted or pace.ready_at > self.now:
            return None
        message = self._held
        if message is None:
            read = self._read()
            if read is None or isinstance(read, _ASKS):
                return read
            message = read
        elif not pace.full:
            self._held = None
            self._turn -= 1
        if pace.full:
            self._held = message
            return None
        pace.unanswered += 1
        return message

    def end(self) -> bool:
        """The turn ends; whether the device has been above what it may send for too long."""
        above = self._note()
        if self.paused:
            self.heard_at = self.now
        return above and self.now >= self._pace.patient_until()

    def answered(self, *, refused: bool) -> None:
        """The oldest command that was taken has its answer."""
        self._pace.answered(self.now, refused=refused)

    @property
    def paused(self) -> bool:
        """Whether the device should be read no further for now."""
        return self.halted or self._pace.ready_at > self.now or self._held_back

    @property
    def waiting(self) -> bool:
        """Whether there is something that may be taken now."""
        return (self._held is not None or self.whole) and not self.paused

    def deadline(self) -> float:
        """When a device that is not read must be looked at again at the latest."""
        ready = self._pace.ready_at
        return min(self._pace.patient_until(), inf if self._held_back or ready <= self.now else ready)

    @property
    def _held_back(self) -> bool:
        return self._held is not None and self._pace.full

    def _note(self) -> bool:
        """Whether it is above what it may send now."""
        above = self._held is not None or self._pace.ready_at > self.now
        self._pace.note(self.now, above=above)
        return above

    def _read(self) -> TableMessage | Ping | Pong | None:
        """The next frame's message, its cost counted."""
        payload = self.next_frame()
        if payload is None:
            return None
        self.heard_at = self.now
        message: TableMessage | Ping | Pong | None = decode_typed(payload)
        if message is None:
            self._work(BY_LETTER_COMMANDS)  # also where it cannot be read
            message = decode_by_letter(payload)
        items: Sized = ()
        if isinstance(message, _BETS):
            items = message.bets
        elif isinstance(message, Settle):
            items = message.hands
        self._work(1 + len(items) // ITEMS_A_COMMAND)
        return message

    def _work(self, commands: int) -> None:
        """A frame costs as much as so many commands."""
        self._pace.worked(commands, self.now)
        self._turn -= commands
