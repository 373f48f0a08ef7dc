"""A simulated bad network between devices and server, driven by a seed on a clock of its own.

Everything that will happen stands on one `Timeline`; nothing happens at the same time as anything else, so
a seed is a whole history. A `Wire` is one TCP connection: in each direction the bytes keep their order and
arrive in pieces of any size, after any delay; other wires overtake it. It can be cut in the middle of a
frame, or go half-open: then one side or both send into nothing and are told nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from tests.faults.dying import Mood

Action = Callable[[], None]

# A datagram's worth: longer writes never arrive in one piece.
SEGMENT_BYTES: Final = 1_400


class Timeline:
    """The clock and the queue of future events. now: monotonic seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = 0
        self._due: list[tuple[float, int, Action]] = []

    def at(self, when: float, action: Action) -> None:
        """Schedules an event; one in the past happens now, after what is already due."""
        self._order += 1
        heapq.heappush(self._due, (max(when, self.now), self._order, action))

    def after(self, delay: float, action: Action) -> None:
        self.at(self.now + delay, action)

    def step(self) -> None:
        """Runs the next event; raises IndexError when there is none."""
        self.now, _, action = heapq.heappop(self._due)
        action()

    def __len__(self) -> int:
        return len(self._due)


@dataclass
class Weather:
    """Parameters of a network's quality: seconds, and chances of each piece sent.

    delay: of a piece, on the average. lag, lag_chance: a much longer one. split: the chance of a write to
    be cut in pieces at any byte.
    """

    delay: float = 0.002
    lag: float = 3.0
    lag_chance: float = 0.002
    split: float = 0.2


class Stream:
    """One direction of a wire: what is sent arrives in order, until the stream is broken.

    receive: takes arriving bytes. ended: told once that no more will come.
    """

    def __init__(
        self,
        timeline: Timeline,
        random: Random,
        weather: Weather,
        receive: Callable[[bytes], None],
        ended: Action,
    ) -> None:
        self._timeline = timeline
        self._random = random
        self._weather = weather
        self._receive = receive
        self._ended = ended
        self._last_at = 0.0
        self.broken = False

    def send(self, data: bytes) -> None:
        for piece in self._pieces(data):
            self._later(partial(self._receive, piece))

    def finish(self) -> None:
        """The sender closes: the end arrives behind all that it sent."""
        self._later(self._end)

    def cut(self, *, told: bool) -> None:
        """Breaks the stream and loses what is in flight; told: whether the receiver learns of it."""
        if not self.broken:
            self.broken = True
            if told:
                self._timeline.after(self._delay(), self._ended)

    def _end(self) -> None:
        self.broken = True
        self._ended()

    def _later(self, action: Action) -> None:
        if self.broken:
            return
        self._last_at = max(self._last_at, self._timeline.now + self._delay())
        self._timeline.at(self._last_at, lambda: None if self.broken else action())

    def _delay(self) -> float:
        weather = self._weather
        lagging = self._random.random() < weather.lag_chance
        return (weather.lag if lagging else weather.delay) * 2 * self._random.random()

    def _pieces(self, data: bytes) -> list[bytes]:
        if self._random.random() < self._weather.split and len(data) > 1:
            at = self._random.randrange(1, len(data))
            return [data[:at], data[at:]]
        return [data[at : at + SEGMENT_BYTES] for at in range(0, len(data), SEGMENT_BYTES)]


class End:
    """One side's end of a wire. Its holder sets receive and ended."""

    def __init__(self) -> None:
        self.receive: Callable[[bytes], None] = lambda _data: None
        self.ended: Action = lambda: None
        self.out: Stream

    def send(self, data: bytes) -> None:
        if data:
            self.out.send(data)

    def close(self) -> None:
        """Closes this end: all that was sent still arrives; nothing is received any more."""
        self.out.finish()
        self.forget()

    def forget(self) -> None:
        """Abandons this end: what arrives is lost."""
        self.receive, self.ended = lambda _data: None, lambda: None


class Wire:
    """One connection between a device and the server. mood: of its transport in the server, if it dies."""

    def __init__(
        self, timeline: Timeline, random: Random, weather: Weather, mood: Mood | None = None
    ) -> None:
        self.mood = mood
        self.device, self.server = End(), End()
        for sender, receiver in ((self.device, self.server), (self.server, self.device)):
            sender.out = Stream(
                timeline,
                random,
                weather,
                lambda data, to=receiver: to.receive(data),  # type: ignore[misc]
                lambda to=receiver: to.ended(),  # type: ignore[misc]
            )

    @property
    def whole(self) -> bool:
        """Whether it still carries bytes both ways."""
        return not self.server.out.broken and not self.device.out.broken

    @property
    def gone(self) -> bool:
        """Whether it carries nothing any more."""
        return self.server.out.broken and self.device.out.broken

    def cut(self, *, device_told: bool = True, server_told: bool = True) -> None:
        """The connection breaks, with all that is under way. A side that is not told stays half-open."""
        self.server.out.cut(told=device_told)
        self.device.out.cut(told=server_told)
