"""Rate limiter of sign-ins. Failures count by place, so that nobody locks another person out.

A place is a browser in which that person has come in before (`device_cookie`), else an address. A login that
nobody has is counted as any other: no answer tells a stranger which logins there are.
"""

from collections import deque
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from jackpot.clock import Clock

# How long a failure counts, in seconds.
WITHIN_S: Final = 15 * 60.0
# Failures within that time under one login at one place: a person who tries what they may have chosen.
OF_ONE: Final = 10
# At one place under any login: all people of a house behind one address on a bad night, and no list of names.
OF_PLACE: Final = 60
# Under one login at all places without an earlier sign-in: ten characters outlast that for years.
OF_LOGIN: Final = 100
# Logins and places that are kept, those with the latest failures: a few megabytes at most.
KEPT_MAX: Final = 10_000
# Prefix of a place where that person signed in before: by the browser's cookie, or its session. No
# address begins so.
KNOWN: Final = "known "

K = TypeVar("K", bound=Hashable)


class LoginRateLimiter:
    """Counts failures, in this process alone.

    of_login: the limit under one login at all places; None for no limit.
    """

    def __init__(self, clock: Clock, of_login: int | None = OF_LOGIN) -> None:
        self._clock = clock
        self._of_login = of_login
        self._here: _Failures[tuple[str, str]] = _Failures()
        self._places: _Failures[str] = _Failures()
        self._logins: _Failures[str] = _Failures()
        self._told: dict[int, float] = {}

    def is_locked(self, login: str, place: str) -> bool:
        """Whether that login is locked at that place, whatever the secret."""
        now = self._clock.monotonic()
        if self._here.count((login, place), now) >= OF_ONE:
            return True
        if knows(place):
            return False
        if self._places.count(place, now) >= OF_PLACE:
            return True
        return self._of_login is not None and self._logins.count(login, now) >= self._of_login

    def failed(self, login: str, place: str) -> int:
        """Counts a failed sign-in; returns how often that happened there under that login."""
        now = self._clock.monotonic()
        if not knows(place):
            self._places.add(place, now)
            self._logins.add(login, now)
        self._here.add((login, place), now)
        return self._here.count((login, place), now)

    def record_success(self, login: str, place: str) -> None:
        """Records a successful sign-in: earlier failures there were that person's own."""
        self._here.forget((login, place))

    def to_tell(self, person: int) -> bool:
        """Whether the journal is told of the lock; once in a while, however often it happens."""
        now = self._clock.monotonic()
        if now - self._told.get(person, -WITHIN_S) < WITHIN_S:
            return False
        self._told[person] = now
        return True


def knows(place: str) -> bool:
    """Whether that person has signed in at that place before."""
    return place.startswith(KNOWN)


class _Failures(Generic[K]):
    """Times of the last failures, in seconds, for each key."""

    def __init__(self) -> None:
        self._at: dict[K, deque[float]] = {}

    def add(self, key: K, now: float) -> None:
        at = self._at.pop(key, None) or deque(maxlen=OF_LOGIN)
        at.append(now)
        self._at[key] = at  # at the end: the first key is the one with the oldest last failure
        if len(self._at) > KEPT_MAX:
            del self._at[next(iter(self._at))]

    def count(self, key: K, now: float) -> int:
        at = self._at.get(key, ())
        return sum(now - one < WITHIN_S for one in at)

    def forget(self, key: K) -> None:
        self._at.pop(key, None)
