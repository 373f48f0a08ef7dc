"""Running triggers of a bank's committed mystery levels, in this server's memory alone (Y8, Y9, Y12).

They are read when the bank is taken, and again after every doubt: opened with the mystery key, each checked
against its commitment. What is drawn since is held here from the decision on, so that the next one may need
it, and sealed for the transaction of its row. A decision that was thrown away is followed by another reading,
so what it has drawn is thrown away with it: nobody was told.

Only the decision of a close compares a meter with a trigger. All other code gets a reason, or nothing.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import msgspec

from jackpot.config.keys import KEY_BYTES
from jackpot.config.mystery_key import KeyFileError, MysteryKey, read_mystery_key
from jackpot.ledger.trigger_rows import SealedTrigger, TriggerChanges
from jackpot.ledger.trigger_vault import TriggerUnreadable, commitment_text, seal, unseal
from jackpot.ledger.witness import LEDGER_HOLDS, Witness, Witnessed, WitnessError, position_of
from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, CommitmentId, uniform
from jackpot.rules.events import TriggerCommitted
from jackpot.rules.invariant import require
from jackpot.rules.triggers import LastCommitment, NewTrigger, Trigger

_NO_KEY_NAMED: Final = 'the configuration names no key: [mystery] key = "FILE" (deploy/README.md)'
_NOT_LOADED: Final = "the ledger was not read yet"
# What to do about a witness that does not fit the ledger, in which nothing is lost yet.
_ROLLED_BACK: Final = (
    "the ledger was rolled back, or is another one: bring back the one that has it; if that is lost, two "
    "people resume the link, and state the highest value that signs or tables showed"
)

# Ledger, link and level of a commitment. A link is of one bank of the ledger at a time, and its commitments
# go on with their numbers where banks are joined: so of all that the witness has the highest one counts.
_Place = tuple[str, str, str]


class RunningTriggers:
    """The triggers of one bank. key_file: None where the configuration names none.

    Nothing is held before the first `load`. A bank without committed levels never reads the key.
    """

    def __init__(self, bank: str, key_file: Path | None) -> None:
        self._bank = bank
        self._key_file = key_file
        self._random: Callable[[int], bytes] = secrets.token_bytes
        self._key: MysteryKey | None = None
        self._held: dict[bytes, Trigger] = {}
        self._locked: dict[bytes, Trigger] = {}
        self._troubles: dict[tuple[str, str], str] = {}
        self._numbers: dict[_Place, int] = {}
        self._forbidden: dict[_Place, str] = {}
        self._no_key = _NOT_LOADED
        self._no_witness = ""
        self._drawn: list[NewTrigger] = []
        self._opened: list[bytes] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._bank}, {len(self._held)} held)"

    @classmethod
    def in_memory(cls, bank: str, random: Callable[[int], bytes], key: MysteryKey | None = None) -> Self:
        """For a simulated bank, without a witness. random: of its triggers. key: None for nobody's."""
        made = cls(bank, None)
        made._random = random
        made._key, made._no_key = key or MysteryKey(secrets.token_bytes(KEY_BYTES)), ""
        return made

    # What a decision asks (rules/triggers.py).

    def missing(self, committed: bytes) -> bool:
        """As in `TriggerSource`."""
        return committed not in self._held

    def lost(self, committed: bytes) -> bool:
        """As in `TriggerSource`."""
        return committed not in self._held and committed not in self._locked

    def crossed(self, committed: bytes, meter: int) -> bool:
        """As in `TriggerSource`."""
        return meter >= self._trigger(committed).value

    def opened(self, committed: bytes) -> Trigger:
        """As in `TriggerSource`."""
        trigger = self._trigger(committed)
        self._opened.append(committed)
        return trigger

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        """As in `TriggerSource`: by the operating system's secure source."""
        if self._key is None or self.why_not(least, people=people):
            return None
        known = self._numbers.get(_level(least), 0)
        which = msgspec.structs.replace(least, number=max(least.number, known + 1))
        drawing = uniform(self._random(RAW_BYTES), upto - above)
        trigger = Trigger(self._random(SALT_BYTES), above + 1 + drawing.value, drawing.raw)
        new = NewTrigger(which, trigger)
        self._drawn.append(new)
        return TriggerCommitted(which.number, new.committed)

    def why_not(self, least: CommitmentId, *, people: bool) -> str:
        """Why `commit` would draw no trigger; "" where it would."""
        return self._no_key or self._no_witness or ("" if people else self._forbidden.get(_level(least), ""))

    def _trigger(self, committed: bytes) -> Trigger:
        for new in self._drawn:  # the wager after the one that won may win again
            if new.committed == committed:
                return new.trigger
        found = self._held.get(committed) or self._locked.get(committed)
        return require(found, "a trigger is missing: its link should be suspended")

    # What the bank does.

    def begin(self) -> None:
        """Forgets what the decision before has drawn and opened, if nobody took it: it was thrown away."""
        self._drawn, self._opened = [], []

    def taken(self) -> TriggerChanges | None:
        """What the row of this decision changes in the ledger, sealed; from now on here, too. None: nothing.

        What one decision draws and opens is stored by nobody.
        """
        drawn, opened = self._drawn, self._opened
        if not drawn and not opened:
            return None
        self.begin()
        key = require(self._key, "a trigger was drawn without a key")
        new_ones = {new.committed for new in drawn}
        for new in drawn:
            self._held[new.committed] = new.trigger
            self._forbidden.pop(_level(new.which), None)
            self._troubles.pop((new.which.link, new.which.level), None)
        for committed in opened:
            self._held.pop(committed, None)
            self._locked.pop(committed, None)
        return TriggerChanges(
            tuple(seal(key, new) for new in drawn if new.committed not in opened),
            tuple(committed for committed in opened if committed not in new_ones),
        )

    def load(self, rows: Sequence[SealedTrigger], levels: Sequence[LastCommitment]) -> None:
        """Holds the triggers of the running commitments of these levels, as the ledger has them.

        rows: of the table. levels: every committed level, by its last commitment. Blocks for a file's time.
        """
        self.begin()
        self._held, self._locked, self._troubles, self._numbers, self._forbidden = {}, {}, {}, {}, {}
        self._no_key = self._read_key()
        found = {row.committed: row for row in rows}
        self._no_witness = self._compare(levels)
        for last in levels:
            level = last.which.link, last.which.level
            trouble = self._no_key or self._open(last, found.get(last.committed))
            trouble = self._no_witness or self._forbids(last.which) or trouble
            if trouble:
                self._troubles[level] = trouble
                if last.committed in self._held:
                    self._locked[last.committed] = self._held.pop(last.committed)

    def troubles(self) -> Mapping[tuple[str, str], str]:
        """Why nothing can be decided on a level, by link and level; nothing where all is well."""
        return self._troubles

    def is_behind(self, commitment: CommitmentId) -> bool:
        """Whether the ledger lacks a commitment of the level that was published (Y8)."""
        return bool(self._forbids(commitment))

    def publish(self, kept: Iterable[SealedTrigger]) -> None:
        """Writes durable commitments to the witness, before anybody is told of them. Blocks for its sync.

        Raises WitnessError: then nobody may be told.
        """
        if self._key_file is not None:
            Witness(self._key_file).advance(Witnessed(one.which, one.committed) for one in kept)

    def _forbids(self, commitment: CommitmentId) -> str:
        """Why the witness forbids to go on with a level by its last commitment; "" where it does not."""
        return self._forbidden.get(_level(commitment), "")

    def _read_key(self) -> str:
        """Reads the key; why there is none. One that was read before is good, whatever became of its file."""
        if self._key is not None:
            return ""
        if self._key_file is None:
            return _NO_KEY_NAMED
        try:
            self._key = read_mystery_key(self._key_file)
        except KeyFileError as error:
            return str(error)
        return ""

    def _compare(self, levels: Sequence[LastCommitment]) -> str:
        """Notes where the witness forbids to go on; what it lacks is written to it. Why it cannot be."""
        if self._key_file is None:
            return ""
        witness = Witness(self._key_file)
        lasts = {_level(last.which): last for last in levels if last.which.number}
        own = {place: Witnessed(last.which, last.committed) for place, last in lasts.items()}
        try:
            known = _last_by_level(witness.read().values())
            for place in known.keys() | own.keys():
                if place in known:
                    self._numbers[place] = known[place].which.number
                # Of a level that the ledger lacks it counts once such a link opens.
                if not LEDGER_HOLDS[position_of(known.get(place), own.get(place))]:
                    self._forbidden[place] = _differs(witness.file, known[place], lasts.get(place))
            witness.advance(one for place, one in own.items() if place not in self._forbidden)
        except WitnessError as error:
            return str(error)
        return ""

    def _open(self, commitment: LastCommitment, row: SealedTrigger | None) -> str:
        """Holds the trigger of a running commitment; why it cannot."""
        if not commitment.running:
            return ""
        if row is None:
            return (
                f"the ledger lacks the trigger of {commitment_text(commitment.which)}: somebody deleted it, "
                "or brought back a copy that never had it"
            )
        try:
            self._held[commitment.committed] = unseal(require(self._key, "no key"), row)
        except TriggerUnreadable as error:
            return f"{self._key_file}: {error}"
        return ""


def _level(commitment: CommitmentId) -> _Place:
    return commitment.ledger, commitment.link, commitment.level


def _last_by_level(witnessed: Iterable[Witnessed]) -> dict[_Place, Witnessed]:
    """The last commitment of each level, of whichever bank it was."""
    return {_level(one.which): one for one in sorted(witnessed, key=lambda one: one.which.number)}


def _differs(file: Path, witnessed: Witnessed, last: LastCommitment | None) -> str:
    number = 0 if last is None else last.which.number
    which = "another" if number == witnessed.which.number else "a later"
    return (
        f"{file} knows {which} commitment, {witnessed.which.number}, of {witnessed.which.link} "
        f"{witnessed.which.level}, the ledger has {number or 'none'}: {_ROLLED_BACK}"
    )
