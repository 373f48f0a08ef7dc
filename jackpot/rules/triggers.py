"""Triggers of committed mystery levels, while they are secret (Y9, Y12).

A state, an event, an answer and a refusal hold commitments alone. A trigger is held by the types of this
file, which show nothing of it and cannot be encoded: a log, a snapshot or an answer that was given one by
mistake fails, or says "secret".
"""

from typing import Final, NoReturn, Protocol

from jackpot.rules.commitment import CommitmentId, commitment_of

_SHOWN: Final = "secret"


class Trigger:
    """A trigger with what opens its commitment. Its text shows nothing; nothing encodes or pickles it.

    salt: 32 bytes. value: micro-dollars. raw: the random bytes that the value was drawn from.
    """

    __slots__ = ("raw", "salt", "value")

    def __init__(self, salt: bytes, value: int, raw: bytes) -> None:
        self.salt = salt
        self.value = value
        self.raw = raw

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_SHOWN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a trigger is not pickled")


class NewTrigger:
    """A trigger that a decision has drawn, for its first storing; as secret as `Trigger`.

    which: the id of its commitment. committed: the commitment, which the event has.
    """

    __slots__ = ("committed", "trigger", "which")

    def __init__(self, which: CommitmentId, trigger: Trigger) -> None:
        self.which = which
        self.trigger = trigger
        self.committed = commitment_of(which, trigger.salt, trigger.value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.which}, {_SHOWN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a trigger is not pickled")


class TriggerSource(Protocol):
    """Where a decision gets triggers from: the bank's own, or those that an event opened, to decide it
    again.
    """

    def running(self, committed: bytes) -> Trigger | None:
        """The trigger of a commitment that was not opened yet; None where it is not to be had (Y8, Y12)."""

    def fresh(self) -> tuple[bytes, bytes]:
        """A new salt, 32 bytes, and RAW_BYTES of random bytes; each is used for one trigger alone."""
