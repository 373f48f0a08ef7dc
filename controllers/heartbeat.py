"""When does the server ask whether a device is there, and what answers that?"""

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

    soon: from when on it may go with what is said anyway. pong: the frame that answers the last one as most
    devices write it; empty where none is waited for.
    """

    due = soon = inf
    pong = b""
    _every: float

    def begin(self, every: float, now: float) -> None:
        """The device has said its hello. every: so many seconds it is asked."""
        self._every = every
        self._last(now)

    def ping(self, now: float) -> bytes:
        """The frame of the next one."""
        self._last(now)
        ping, self.pong = _ping_and_pong(int(now * PINGS_A_SECOND) * 1000 // PINGS_A_SECOND)
        return ping

    def _last(self, now: float) -> None:
        self.due = now + self._every
        self.soon = self.due - PING_SOON * self._every

    def ponged(self, intake: Intake, now: float) -> bool:
        """The bytes of `pong` came, and no others: whether that was all, and nothing more follows from it.

        Where it is not, they are read as any bytes are. A ping is so answered once, and no limit is passed.
        """
        if not intake.idle(now):
            return False
        self.pong = b""
        intake.heard_at = now
        return True


@lru_cache(maxsize=1)
def _ping_and_pong(at: int) -> tuple[bytes, bytes]:
    """The frames of a ping and of its answer. at: milliseconds of our own clock."""
    return encode(Ping(at)), encode(Pong(at))
