"""Triggers of committed mystery levels, while they are secret, and the port to what keeps them (Y9, Y12).

The rules never see a running trigger: they ask whether a meter has reached it, and are given it when it is
opened. A state, an event, an answer and a refusal hold commitments alone. Outside the rules a trigger is held
by the types of this file, which show nothing of it and cannot be encoded: a log, a snapshot or an answer that
was given one by mistake fails, or says "secret".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, NoReturn, Protocol

from jackpot.rules.commitment import CommitmentId, commitment_of
from jackpot.rules.events import TriggerCommitted, TriggerOpened
from jackpot.rules.invariant import InvariantError, require

_SHOWN: Final = "secret"
_NOT_HERE: Final = "no trigger is kept here"


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

    def __init__(self, commitment: CommitmentId, trigger: Trigger) -> None:
        self.which = commitment
        self.trigger = trigger
        self.committed = commitment_of(commitment, trigger.salt, trigger.value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.which}, {_SHOWN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a trigger is not pickled")


class LastCommitment(NamedTuple):
    """The last commitment of a committed level, as its state has it. running: it was not opened yet."""

    which: CommitmentId
    committed: bytes
    running: bool


class LevelTriggers(NamedTuple):
    """What an entry says of a level's triggers. running: the commitment before it; empty for none."""

    link: str
    level: str
    running: bytes
    opened: Sequence[TriggerOpened]
    committed: Sequence[TriggerCommitted]


class TriggerSource(Protocol):
    """Keeper of the running triggers of a bank, as its decisions use them."""

    def missing(self, committed: bytes) -> bool:
        """Whether nothing may be decided on a running commitment, for its trigger is not to be had (Y8)."""

    def lost(self, committed: bytes) -> bool:
        """Whether a running commitment cannot even be opened."""

    def crossed(self, committed: bytes, meter: int) -> bool:
        """Whether the meter has reached the trigger: the one comparison with it that there is (Y9).

        Only the decision of a close asks, once nothing can refuse it any more. Raises InvariantError where
        the trigger is missing.
        """

    def opened(self, committed: bytes) -> Trigger:
        """The trigger, which the event opens: it runs no more. Raises InvariantError where it is missing."""

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        """Draws a trigger of above < trigger <= upto, each sum equally likely. Returns its commitment.

        least: the commitment's id. Its number is a higher one where the witness knows a later one (Y8).
        people: whether two of them had it replaced. None where there is no key to keep a trigger with, or
        where the witness forbids one and no people have decided.
        """


class NoTriggers:
    """For an engine that decides nothing anew: what asks it for a trigger is at fault."""

    def missing(self, committed: bytes) -> bool:  # noqa: ARG002 - nothing is here
        """Always."""
        return True

    lost = missing

    def crossed(self, committed: bytes, meter: int) -> bool:  # noqa: ARG002
        """Raises InvariantError."""
        raise InvariantError(_NOT_HERE)

    def opened(self, committed: bytes) -> Trigger:  # noqa: ARG002
        """Raises InvariantError."""
        raise InvariantError(_NOT_HERE)

    def commit(
        self,
        least: CommitmentId,  # noqa: ARG002
        above: int,  # noqa: ARG002
        upto: int,  # noqa: ARG002
        *,
        people: bool = False,  # noqa: ARG002
    ) -> TriggerCommitted | None:
        """Never."""
        return None


class JournaledTriggers:
    """What an entry of the journal says of triggers, to decide it again (S3).

    What it opened was won or replaced by it; no other meter had reached its trigger.
    """

    def __init__(self, entries: Iterable[LevelTriggers]) -> None:
        self._opened: dict[bytes, TriggerOpened] = {}
        self._committed: dict[tuple[str, str], Iterator[TriggerCommitted]] = {}
        for one in entries:
            digests = [one.running, *(made.digest for made in one.committed)]
            self._opened.update(zip(digests, one.opened, strict=False))
            self._committed[one.link, one.level] = iter(one.committed)

    def missing(self, committed: bytes) -> bool:  # noqa: ARG002 - it was decided
        """Never."""
        return False

    def lost(self, committed: bytes) -> bool:
        """Whether the entry does not open it."""
        return committed not in self._opened

    def crossed(self, committed: bytes, meter: int) -> bool:
        """Whether the entry opened it, and by this meter."""
        opened = self._opened.get(committed)
        return opened is not None and meter >= opened.value

    def opened(self, committed: bytes) -> Trigger:
        """As the entry has it. Raises InvariantError where it does not."""
        found = require(self._opened.get(committed), "the entry opens no such commitment")
        return Trigger(found.salt, found.value, found.raw)

    def commit(
        self,
        least: CommitmentId,
        above: int,  # noqa: ARG002
        upto: int,  # noqa: ARG002
        *,
        people: bool = False,  # noqa: ARG002
    ) -> TriggerCommitted | None:
        """The next one of the level that the entry has."""
        return next(self._committed.get((least.link, least.level), iter(())), None)


NO_TRIGGERS: Final = NoTriggers()
