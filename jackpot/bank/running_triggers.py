"""Running triggers of a bank's committed mystery levels, in this server's memory alone (Y8, Y9, Y12).

They are read when the bank is taken, and again after every doubt: opened with the mystery key, each checked
against its commitment. What is drawn since is held here from the decision on, so that the next one may need
it, and sealed for the transaction of its row. A decision that was thrown away is followed by another reading,
so what it has drawn is thrown away with it: nobody was told.

Only the decision of a close asks for a trigger. Whoever else wants to know gets a reason, or nothing.
"""

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from jackpot.config.mystery_key import KeyFileError, MysteryKey, read_mystery_key
from jackpot.ledger.trigger_rows import SealedTrigger, TriggerChanges
from jackpot.ledger.trigger_vault import TriggerUnreadable, named, seal, unseal
from jackpot.ledger.witness import LEDGER_HOLDS, Standing, Witness, Witnessed, WitnessError, standing
from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, CommitmentId, uniform
from jackpot.rules.invariant import InvariantError, require
from jackpot.rules.triggers import LastCommitment, NewTrigger, Trigger

_NO_KEY_NAMED: Final = 'the configuration names no key: [mystery] key = "FILE" (deploy/README.md)'
# What to do about a witness that does not fit the ledger, in which nothing is lost yet.
_ROLLED_BACK: Final = (
    "the ledger was rolled back, or is another one: bring back the one that has it; if that is lost, two "
    "people state the highest value that signs, tables or signed heads showed"
)


class RunningTriggers:
    """The triggers of one bank. key_file: None where the configuration names none.

    Nothing is held before the first `load`. A bank without committed levels never reads the key.
    """

    def __init__(self, bank: str, key_file: Path | None) -> None:
        self._bank = bank
        self._key_file = key_file
        self._key: MysteryKey | None = None
        self._held: dict[bytes, Trigger] = {}
        self._troubles: dict[bytes, str] = {}
        self._key_trouble = ""
        self._drawn: list[NewTrigger] = []
        self._opened: list[bytes] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._bank}, {len(self._held)} held)"

    # What a decision asks (rules/triggers.py).

    def missing(self, committed: bytes) -> bool:
        """As in `TriggerSource`; `trouble` says why."""
        return committed not in self._held

    def crossed(self, committed: bytes, meter: int) -> bool:
        """As in `TriggerSource`."""
        return meter >= self._trigger(committed).value

    def opened(self, committed: bytes) -> Trigger:
        """As in `TriggerSource`."""
        trigger = self._trigger(committed)
        self._opened.append(committed)
        return trigger

    def commit(self, which: CommitmentId, above: int, upto: int) -> bytes:
        """As in `TriggerSource`: by the operating system's secure source."""
        if self._key is None:
            raise InvariantError(f"no trigger can be kept: {self._key_trouble or 'no key was read'}")
        drawing = uniform(secrets.token_bytes(RAW_BYTES), upto - above)
        trigger = Trigger(secrets.token_bytes(SALT_BYTES), above + 1 + drawing.value, drawing.raw)
        new = NewTrigger(which, trigger)
        self._drawn.append(new)
        return new.committed

    def _trigger(self, committed: bytes) -> Trigger:
        for new in self._drawn:  # the wager after the one that won may win again
            if new.committed == committed:
                return new.trigger
        return require(self._held.get(committed), "a trigger is missing: its level should be suspended")

    # What the bank does.

    def begin(self) -> None:
        """Forgets what the decision before has drawn and opened, if nobody took it: it was thrown away."""
        self._drawn, self._opened = [], []

    def taken(self) -> TriggerChanges | None:
        """What the row of this decision changes in the ledger, sealed; from now on here, too. None: nothing.

        What was drawn and opened by the same decision is stored by nobody.
        """
        drawn, opened = self._drawn, self._opened
        self.begin()
        if not drawn and not opened:
            return None
        key = require(self._key, "a trigger was drawn without a key")
        self._held.update((new.committed, new.trigger) for new in drawn)
        for committed in opened:
            self._held.pop(committed, None)
        stay = [new for new in drawn if new.committed in self._held]
        gone = {new.committed for new in drawn}.difference(new.committed for new in stay)
        return TriggerChanges(
            tuple(seal(key, new) for new in stay), tuple(one for one in opened if one not in gone)
        )

    def load(self, rows: Sequence[SealedTrigger], levels: Sequence[LastCommitment]) -> None:
        """Holds the triggers of the levels' running commitments, and those alone, as the ledger has them.

        rows: of the table. levels: the last commitment of each committed level. Blocks for a file's time.
        """
        self.begin()
        self._held, self._troubles, self._key_trouble = {}, {}, ""
        if not levels:
            self._key = None
            return
        self._key = self._read_key()
        found = {row.committed: row for row in rows}
        wrong = self._witnessed(levels)
        for last in levels:
            if last.running:
                self._open(last, found.get(last.committed), wrong.get(last.committed))

    def trouble(self, committed: bytes = b"") -> str:
        """Why a running commitment cannot be decided on, or, of none, why no trigger can be kept; "" if it
        can.
        """
        return self._troubles.get(committed, "") if committed else self._key_trouble

    def publish(self, last: Iterable[LastCommitment]) -> None:
        """Writes durable commitments to the witness, before anybody is told of them. Blocks for its sync.

        Raises WitnessError: then nobody may be told.
        """
        published = [Witnessed(one.which, one.committed) for one in last]
        if published and self._key_file is not None:
            Witness(self._key_file).advance(published)

    def _read_key(self) -> MysteryKey | None:
        if self._key_file is None:
            self._key_trouble = _NO_KEY_NAMED
            return None
        try:
            return read_mystery_key(self._key_file)
        except KeyFileError as error:
            self._key_trouble = str(error)
            return None

    def _witnessed(self, levels: Sequence[LastCommitment]) -> dict[bytes, str]:
        """Why the witness forbids to go on, by the commitments of the levels that it forbids."""
        if self._key_file is None:
            return {}
        try:
            known = Witness(self._key_file).read()
        except WitnessError as error:
            return {last.committed: str(error) for last in levels}
        wrong = {}
        for last in levels:
            own = Witnessed(last.which, last.committed)
            witnessed = known.get(own.level)
            where = standing(witnessed, own)
            if witnessed is not None and not LEDGER_HOLDS[where]:
                wrong[last.committed] = (
                    f"{Witness(self._key_file).file} knows {_other(where)} commitment {witnessed.which.number} of "
                    f"{last.which.link} {last.which.level}, the ledger is at {last.which.number}: {_ROLLED_BACK}"
                )
        return wrong

    def _open(self, last: LastCommitment, row: SealedTrigger | None, wrong: str | None) -> None:
        """Holds the trigger of a running commitment, or why it cannot be."""
        if wrong is not None:
            self._troubles[last.committed] = wrong
        elif row is None:
            self._troubles[last.committed] = (
                f"the ledger lacks the trigger of {named(last.which)}: somebody deleted it, or brought back a "
                "copy that never had it"
            )
        elif self._key is None:
            self._troubles[last.committed] = f"{self._key_trouble} (it needs key {row.key})"
        else:
            try:
                self._held[last.committed] = unseal(self._key, row)
            except TriggerUnreadable as error:
                self._troubles[last.committed] = f"{self._key_file}: {error}"


def _other(where: Standing) -> str:
    return "another" if where is Standing.OTHER else "a later"
