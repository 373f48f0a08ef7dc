"""What must never be false? Checks that stay on in production."""

from typing import TypeVar

T = TypeVar("T")


class InvariantError(Exception):
    """The books or the state contradict themselves: the money stops at once and says so."""


def invariant(condition: bool, message: str) -> None:
    """Raise InvariantError(message) unless the condition holds; never stripped, unlike `assert`."""
    if not condition:
        raise InvariantError(message)


def present(value: T | None, message: str) -> T:
    """Return the value; raise InvariantError(message) where it is None."""
    if value is None:
        raise InvariantError(message)
    return value
