"""Model of program identity and of links that wait for its confirmation (S3), for one simulated bank.

This model is not the one of the money. Each start is of one of a few programs. A bank knows the programs that
people confirmed there, and where nobody needs to confirm them, those that have decided.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import Any, Final

from jackpot.ledger.journal import Row
from jackpot.program import Installed, Program
from jackpot.rules.acts.programs import ConfirmProgram, ProgramBegan, ProgramConfirmed
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from tests.faults.difference import Difference, same
from tests.faults.site import by_of

# Why links stand still.
PROGRAM: Final = "program"
# How many releases a floor goes back and forth between.
RELEASES: Final = 3
# Of the floors, on how many people confirm the program.
CONFIRMS: Final = 0.5


def release(random: Random) -> Installed:
    """A random program, as a start finds it installed."""
    number = random.randrange(RELEASES)
    return Installed(Program(f"1.{number}", sha256(bytes([number])).digest()))


class Programs:
    """Known programs of a bank. confirms: whether people must confirm a program. now: the running one.

    waits: whether links wait for people.
    """

    def __init__(self, *, confirms: bool = False) -> None:
        self.confirms = confirms
        self.now = b""
        self.waits = False
        self._known: set[bytes] = set()
        self._row = self._epoch = 0

    def follows(self, row: Row, event: Any) -> None:
        """Takes the next durable row: only the first of each epoch names the running program."""
        first = row.epoch != self._epoch
        self._row, self._epoch = row.seq, row.epoch
        if row.seq > 1:
            same(f"row {row.seq}, whether a program begins", isinstance(event, ProgramBegan), first)
        if isinstance(event, ProgramBegan):
            same(f"row {row.seq}, what it moves", row.postings, ())

    def began(self, event: ProgramBegan) -> None:
        """A server has started, another or the same."""
        same(f"row {self._row}, how it serves", event.serves, "confirmed" if self.confirms else "always")
        self.now = event.digest
        if not self.confirms:
            self._known.add(event.digest)
        self.waits = event.digest not in self._known

    def confirmed(self, envelope: Envelope, event: ProgramConfirmed) -> None:
        """Two people confirm the program."""
        command = envelope.command
        assert isinstance(command, ConfirmProgram)
        if (why := self._refusal(command, by_of(envelope).people)) is not None:
            raise Difference(f"row {self._row}, {command} by {by_of(envelope)}: it is {why}")
        same(f"row {self._row}, which program", event.digest.hex(), command.digest)
        self._known.add(event.digest)
        self.waits = self.waits and event.digest != self.now

    def refused(self, envelope: Envelope, answer: dict[str, Any]) -> None:
        """A confirmation is refused."""
        command = envelope.command
        assert isinstance(command, ConfirmProgram)
        why = self._refusal(command, by_of(envelope).people)
        same(f"{command} by {by_of(envelope)}", answer.get("code"), why)

    def _refusal(self, command: ConfirmProgram, people: int) -> str | None:
        if bytes.fromhex(command.digest) in self._known:
            return "program_known"
        return "two_people" if people < 2 else None

    def compare(self, engine: Engine) -> None:
        program, known = engine.state.program, engine.state.programs
        same("the program, and whether it waits", (program.digest, program.waits), (self.now, self.waits))
        same("the programs that the bank knows", (set(known), len(known)), (self._known, len(self._known)))
