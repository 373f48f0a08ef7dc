"""Who may try to sign in now? Failures are counted where they come from, so that nobody locks another out.

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
# Under one login at all places where they never came in: a secret of ten characters outlasts that for years.
OF_LOGIN: Final = 100
# Logins and places that are kept, those with the latest failures: a few megabytes at most.
KEPT_MOST: Final = 10_000
# What a place begins with where that person came in before: by the browser's cookie, or its session. No
# address begins so.
KNOWN: Final = "known "

K = TypeVar("K", bound=Hashable)


class Gate:
    """Counts failures, in this process alone. of_login: under one login at all places; None for no limit."""

    def __init__(self, clock: Clock, of_login: int | None = OF_LOGIN) -> None:
        self._clock = clock
        self._of_login = of_login
        self._here: _Failures[tuple[str, str]] = _Failures()
        self._places: _Failures[str] = _Failures()
        self._logins: _Failures[str] = _Failures()
        self._told: dict[int, float] = {}

    def shut(self, login: str, place: str) -> bool:
        """Whether nobody gets in there as that now, whatever their secret."""
        now = self._clock.monotonic()
        if self._here.count((login, place), now) >= OF_ONE:
            return True
        if knows(place):
            return False
        if self._places.count(place, now) >= OF_PLACE:
            return True
        return self._of_login is not None and self._logins.count(login, now) >= self._of_login

    def failed(self, login: str, place: str) -> int:
        """Somebody was not let in; how often that happened there under that login."""
        now = self._clock.monotonic()
        if not knows(place):
            self._places.add(place, now)
            self._logins.add(login, now)
        self._here.add((login, place), now)
        return self._here.count((login, place), now)

    def came(self, login: str, place: str) -> None:
        """They were let in: what failed there before was theirs."""
        self._here.forget((login, place))

    def to_tell(self, person: int) -> bool:
        """Whether the journal is told that a person was kept out; once in a while, however often they are."""
        now = self._clock.monotonic()
        if now - self._told.get(person, -WITHIN_S) < WITHIN_S:
            return False
        self._told[person] = now
        return True


def knows(place: str) -> bool:
    """Whether the person who tries there came in there before."""
    return place.startswith(KNOWN)


class _Failures(Generic[K]):
    """When they were, in seconds, for each key; the last ones alone."""

    def __init__(self) -> None:
        self._at: dict[K, deque[float]] = {}

    def add(self, key: K, now: float) -> None:
        at = self._at.pop(key, None) or deque(maxlen=OF_LOGIN)
        at.append(now)
        self._at[key] = at  # at the end: the first one is that whose last failure is the oldest
        if len(self._at) > KEPT_MOST:
            del self._at[next(iter(self._at))]

    def count(self, key: K, now: float) -> int:
        at = self._at.get(key, ())
        return sum(now - one < WITHIN_S for one in at)

    def forget(self, key: K) -> None:
        self._at.pop(key, None)
