"""Invariant checks that stay on in production."""

from typing import TypeVar

T = TypeVar("T")


class InvariantError(Exception):
    """The postings or the state contradict themselves: the money stops at once."""


def invariant(condition: bool, message: str) -> None:
    """Raises InvariantError(message) unless the condition holds; never stripped, unlike `assert`."""
    if not condition:
        raise InvariantError(message)


def require(value: T | None, message: str) -> T:
    """Returns the value; raises InvariantError(message) where it is None."""
    if value is None:
        raise InvariantError(message)
    return value
