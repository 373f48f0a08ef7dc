"""Rate limits of one device: rates, unanswered commands, and the time it may stay above a limit."""

from dataclasses import dataclass
from math import inf
from typing import Final

UNANSWERED_MAX: Final = 64
"""Commands a table may have on the way; the answers of as many are kept for its resends."""

TURN_COMMANDS: Final = 16
"""What one device may cost before all the others are looked at: a few milliseconds, whatever it sent."""

ITEMS_A_COMMAND: Final = 8
"""Bets or hands that cost as much as a command of few; a full table's wagers on one link count for one."""

PATIENCE_S: Final = 60.0
"""Seconds above a limit after which a device is no longer slowed down but sent away."""

BY_LETTER_COMMANDS: Final = 63
"""The extra cost of a frame that is wrong, or must be read by the letter. That takes a millisecond at worst:
31 a second take 3 % of a processor; an honest table needs fewer."""

RELIEF_S: Final = 1.0
"""Seconds below every limit after which the patience starts again."""


@dataclass(frozen=True)
class Limits:
    """Limits granted to one device: rates a second, and the heartbeat in milliseconds.

    A ping counts as a command: it costs the server as much to read.
    """

    commands: int = 2_000
    bytes: int = 1_048_576
    refusals: int = 100
    heartbeat_ms: int = 5_000

    @property
    def heartbeat(self) -> float:
        """The heartbeat in seconds."""
        return self.heartbeat_ms / 1000


class Bucket:
    """Token bucket of one second's worth of a rate.

    It may be overdrawn: then it is not ready until refilled.
    """

    def __init__(self, rate: int, now: float) -> None:
        self._rate = rate
        self._level = float(rate)
        self._at = now

    def draw(self, amount: int, now: float) -> float:
        """Draw from the bucket; returns when its level is no longer below zero, else `now`. Monotonic."""
        level = self._level - amount
        if now != self._at:
            level = min(float(self._rate), self._level + (now - self._at) * self._rate) - amount
        self._level, self._at = level, now
        return now - level / self._rate if level < 0 else now


class Pace:
    """Rate accounting of one device, and how long it has exceeded its limits.

    ready_at: when every rate is below its limit again.
    """

    def __init__(self, limits: Limits, now: float) -> None:
        self.ready_at = now
        self._frames = Bucket(limits.commands, now)
        self._bytes = Bucket(limits.bytes, now)
        self._refusals = Bucket(limits.refusals, now)
        self._since = inf
        self._last = now
        self.unanswered = 0

    def received(self, size: int, now: float) -> None:
        """Charge bytes that came."""
        self.ready_at = max(self.ready_at, self._bytes.draw(size, now))

    def worked(self, commands: int, now: float) -> None:
        """Charge a frame that cost the work of so many commands."""
        self.ready_at = max(self.ready_at, self._frames.draw(commands, now))

    def refused(self, now: float) -> None:
        """Charge a refusal."""
        self.ready_at = max(self.ready_at, self._refusals.draw(1, now))
        if self.ready_at > now:
            self.note(now, above=True)

    def note(self, now: float, *, above: bool) -> None:
        """Record whether the device exceeds a limit now; to be called after each turn."""
        if above:
            self._since = min(self._since, now)
            self._last = now
        elif now - self._last > RELIEF_S:
            self._since = inf

    def patient_until(self) -> float:
        """When a device that stays above its limits is to be disconnected."""
        return self._since + PATIENCE_S
