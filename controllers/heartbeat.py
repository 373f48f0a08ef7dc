"""Heartbeat of a connection: when the server pings a device, and what counts as the pong."""

from functools import lru_cache
from math import inf
from typing import Final

from controllers.frames import encode
from controllers.intake import Intake
from controllers.messages import Ping, Pong

PING_SOON: Final = 0.2
"""Part of a heartbeat by which a ping may be early, to go with what is said anyway."""

PINGS_A_SECOND: Final = 10
"""Pings of so many moments a second differ: those of one moment are the same bytes, made once for all."""


class Heartbeat:
    """The pings of one device. now: monotonic seconds, as in every call. due: when the next one is.

    soon: from when on it may be sent along with other data. pong: the expected answer to the last ping,
    encoded as most devices encode it; empty where none is expected.
    """

    due = soon = inf
    pong = b""
    _every: float

    def begin(self, every: float, now: float) -> None:
        """Start after the device's hello. every: seconds between pings."""
        self._every = every
        self._last(now)

    def ping(self, now: float) -> bytes:
        """The frame of the next ping."""
        self._last(now)
        ping, self.pong = _ping_and_pong(int(now * PINGS_A_SECOND) * 1000 // PINGS_A_SECOND)
        return ping

    def _last(self, now: float) -> None:
        self.due = now + self._every
        self.soon = self.due - PING_SOON * self._every

    def ponged(self, intake: Intake, now: float) -> bool:
        """Fast path for received bytes that are exactly `pong`: whether they are dealt with.

        If not, they are parsed like any bytes. Each ping is answered once this way, and no limit is bypassed.
        """
        if not intake.idle(now):
            return False
        self.pong = b""
        intake.heard_at = now
        return True


@lru_cache(maxsize=1)
def _ping_and_pong(at: int) -> tuple[bytes, bytes]:
    """The frames of a ping and of its pong. at: milliseconds of the server's own clock."""
    return encode(Ping(at)), encode(Pong(at))
