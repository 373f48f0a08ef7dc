"""Triggers of committed mystery levels, while they are secret, and the port to what keeps them (Y9, Y12).

The rules never see a running trigger: they ask whether a meter has reached it, and are given it when it is
opened. A state, an event, an answer and a refusal hold commitments alone. Outside the rules a trigger is held
by the types of this file, which show nothing of it and cannot be encoded: a log, a snapshot or an answer that
was given one by mistake fails, or says "secret".
"""

from typing import Final, NamedTuple, NoReturn, Protocol

from jackpot.rules.commitment import CommitmentId, commitment_of
from jackpot.rules.invariant import InvariantError

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
    """A trigger that was drawn, for its first storing; as secret as `Trigger`.

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


class LastCommitment(NamedTuple):
    """The last commitment of a committed level, as its state has it. running: it was not opened yet."""

    which: CommitmentId
    committed: bytes
    running: bool


class TriggerSource(Protocol):
    """Keeper of the running triggers of a bank, as its decisions use them."""

    def missing(self, committed: bytes) -> bool:
        """Whether a running commitment's trigger is not to be had: nothing may be decided on it."""

    def crossed(self, committed: bytes, meter: int) -> bool:
        """Whether the meter has reached the trigger: the one comparison with it that there is (Y9).

        Only the decision of a close asks, once nothing can refuse it any more. Raises InvariantError where
        the trigger is missing.
        """

    def opened(self, committed: bytes) -> Trigger:
        """The trigger, which the event opens: it runs no more. Raises InvariantError where it is missing."""

    def commit(self, which: CommitmentId, above: int, upto: int) -> bytes:
        """Draws a trigger of above < trigger <= upto, each sum equally likely. Returns its commitment.

        Raises InvariantError where there is no key to keep it with.
        """


class NoTriggers:
    """For an engine that decides nothing anew: what asks it for a trigger is at fault."""

    def missing(self, committed: bytes) -> bool:
        """Always."""
        return True

    def crossed(self, committed: bytes, meter: int) -> bool:
        """Raises InvariantError."""
        raise InvariantError(_NOT_HERE)

    def opened(self, committed: bytes) -> Trigger:
        """Raises InvariantError."""
        raise InvariantError(_NOT_HERE)

    def commit(self, which: CommitmentId, above: int, upto: int) -> bytes:
        """Raises InvariantError."""
        raise InvariantError(_NOT_HERE)


_NOT_HERE: Final = "no trigger is kept here"
NO_TRIGGERS: Final = NoTriggers()
