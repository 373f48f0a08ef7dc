"""Model of tables' claims that the ledger has lost something, and of what follows (S9).

This model is not the one of the money. The ledger loses nothing here: only the stolen table says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jackpot.ledger.journal import Row
from jackpot.rules import commands
from jackpot.rules.acts.lost_acks import BehindConfirmed, BehindOver, ConfirmBehind, FoundBehind
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from tests.faults.difference import Difference, same
from tests.faults.house import STOLEN
from tests.faults.site import by_of

BEHIND: Final = "ledger_behind"
# People believe a number up to it.
BELIEVED_MAX: Final = 2**52

GREETINGS: Final = (FoundBehind, BehindOver)


class Claims:
    """Claims of lost acks. said: by table, its open claim. stops: how often one stopped the bank.

    of_highest: why what people state of mysteries cannot be (Y8).
    """

    def __init__(self) -> None:
        self.said: dict[str, int] = {}
        self.stops = 0
        self.of_highest: Callable[[tuple[str, ...]], str | None] = lambda _highest: None
        self._disbelieved: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._greetings: dict[bytes, str] = {}
        self._row = self._epoch = self._began = 0

    def follows(self, row: Row) -> None:
        """Takes the next durable row; the first of an epoch gives its time."""
        if row.epoch != self._epoch:
            self._epoch, self._began = row.epoch, self._row
        self._row = row.seq

    # Greetings

    def found(self, event: FoundBehind, envelope: Envelope, last: int, *, played: bool) -> None:
        """A table's claim is journalled. last: its number in the ledger. played: another table ever has."""
        table, acked = self._greets(envelope, event.acked)
        self._greetings[envelope.digest] = "error"
        _only_stolen(table, f"row {self._row}: {event}")
        if acked is None or not self._ahead(table, acked, last):
            raise Difference(f"{table}, at {last}, said {acked}: row {self._row} calls that too high")
        if self._told(table):
            raise Difference(f"row {self._row} journals again in one epoch what {table} says: {event}")
        same(f"row {self._row}, when its epoch began", event.since, self._began)
        second = any(self._told(other) for other in self.said if other != table)
        same(f"row {self._row}, whether {table} stops the bank", event.suspends, second or not played)
        self.said[table], self._rows[table] = acked, self._row
        self.stops += event.suspends

    def over(self, event: BehindOver, envelope: Envelope, last: int) -> None:
        """A table whose claim was rejected names a number that the ledger has."""
        table, acked = self._greets(envelope, event.acked)
        self._greetings[envelope.digest] = "welcome"
        if acked is None or acked > last or table not in self._disbelieved:
            raise Difference(f"{table}, at {last}, said {acked}: row {self._row} calls that right again")
        del self._disbelieved[table]

    def greeted(self, envelope: Envelope, answer: dict[str, Any], last: int, *, settled: bool) -> None:
        """A greeting is answered without a row. settled: decided on all that is durable."""
        table, hello = envelope.table or "", envelope.command
        assert isinstance(hello, commands.TableHello)
        if answer["t"] == "error":
            same(f"{table} is not let in, with", answer["code"], BEHIND)
            _only_stolen(table, str(answer))
        if not settled:
            return
        ahead = hello.acked is not None and self._ahead(table, hello.acked, last)
        same(f"{table}, at {last}, said {hello.acked}; it is refused", answer["t"] == "error", ahead)
        if ahead:
            same(f"{table}, refused without a row, has one of this epoch", self._told(table), True)
            return
        same(f"{table}, welcomed at", answer["last_seq"], last)
        right = hello.acked is not None and hello.acked <= last
        same(f"{table} is right again, without a row", right and table in self._disbelieved, False)

    def again(self, envelope: Envelope, answer: dict[str, Any]) -> None:
        """A greeting whose row is already known is answered."""
        same(f"{envelope.table} greeted, again", answer["t"], self._greetings.get(envelope.digest))

    def _greets(self, envelope: Envelope, acked: int) -> tuple[str, int | None]:
        hello = envelope.command
        if envelope.digest in self._greetings:
            raise Difference(f"row {self._row} repeats a greeting: {envelope}")
        assert isinstance(hello, commands.TableHello)
        same(f"row {self._row}, the number that {envelope.table} said", acked, hello.acked)
        return envelope.table or "", hello.acked

    def _ahead(self, table: str, acked: int, last: int) -> bool:
        return acked > max(last, self._disbelieved.get(table, 0))

    def _told(self, table: str) -> bool:
        return table in self.said and self._rows[table] > self._began

    # People

    def confirmed(self, event: BehindConfirmed, envelope: Envelope, last: int) -> int:
        """People accepted or rejected a claim; returns the table's number from then on."""
        command = envelope.command
        assert isinstance(command, ConfirmBehind)
        if (why := self._refusal(command, by_of(envelope).people)) is not None:
            raise Difference(f"row {self._row}, {command} by {by_of(envelope)}: it is {why}")
        said = self.said.pop(command.table)
        missing = max(0, said - last) if command.believe else 0
        told = event.acked, event.believed, event.missing
        same(f"row {self._row}, what people answer {command.table}", told, (said, command.believe, missing))
        if not command.believe:
            self._disbelieved[command.table] = said
            return last
        self._disbelieved.pop(command.table, None)
        return max(last, said)

    def refused(self, envelope: Envelope, answer: dict[str, Any]) -> None:
        """An answer of people to a claim is refused."""
        command = envelope.command
        assert isinstance(command, ConfirmBehind)
        why = self._refusal(command, by_of(envelope).people)
        same(f"{command} by {by_of(envelope)}", answer.get("code"), why)

    def _refusal(self, command: ConfirmBehind, people: int) -> str | None:
        said = self.said.get(command.table)
        if said is None:
            return "not_behind"
        if command.believe and said > BELIEVED_MAX:
            return "not_believable"
        if (why := self.of_highest(command.highest)) is not None and command.believe:
            return why
        return "two_people" if people < 2 else None

    # The whole state

    def compare(self, engine: Engine) -> None:
        state = engine.state
        said = {state.table(number).terms.table: one.acked for number, one in state.behind.items()}
        same("who waits for people to answer", said, self.said)
        disbelieved = {one.terms.table: one.disbelieved for one in state.tables if one.disbelieved}
        same("who is disbelieved", disbelieved, self._disbelieved)


def _only_stolen(table: str, what: str) -> None:
    if table != STOLEN:
        raise Difference(f"{table}, which is honest, is called ahead of the ledger: {what}")
