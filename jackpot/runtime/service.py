"""Availability of a bank for the devices of a process."""

from enum import Enum, auto


class Service(Enum):
    """The availability of a bank for a device here."""

    HERE = auto()
    SOON = auto()
    """No server is known to serve the bank now, and this one may soon: it had better wait here."""
    ELSEWHERE = auto()
