"""Appends forged rows that chain and balance, as an attacker with write access could."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from jackpot.ledger.journal import Row, row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules import events, row_commands
from jackpot.rules.acts.archives import Archive, Archived
from jackpot.rules.acts.banks import BankOpened, OpenBank
from jackpot.rules.acts.hits import Paid, Pay, Validate, Validated
from jackpot.rules.acts.level_order import CheckLevelOrder, LevelOrderChanged
from jackpot.rules.acts.links import LinkOpened, OpenLink, Resume, Resumed, Suspend, Suspended
from jackpot.rules.acts.papers import AddPapers, ErasePapers, PapersAdded, PapersErased
from jackpot.rules.acts.people import MakeToken, TokenMade
from jackpot.rules.acts.readings import Reading, ReadingTaken
from jackpot.rules.acts.snapshot_seals import Sealed, SnapshotSeal
from jackpot.rules.acts.tables import OpenTable, Release, Released, TableOpened
from jackpot.rules.commands import ActCommand, Command, Envelope, RawDraws
from jackpot.rules.events import Event
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.postings import Posting, only_link
from jackpot.rules.signing import Proof
from jackpot.rules.state import BankState
from tests.frames import numbered

# 2030-01-01, later than anything that the tests play.
NOW_MS: Final = 1_893_456_000_000


def _links(state: BankState, event: Any) -> tuple[str, ...]:
    return tuple(state.link(number).terms.link for number in event.links)


def _shared(event: Any, command: type[ActCommand]) -> dict[str, Any]:
    """The fields that an event and its command have under one name, without the id of what they are about."""
    names = {*command.__struct_fields__} & {*event.__struct_fields__} - {"hit", "seat"}
    return {name: getattr(event, name) for name in names}


# What a forger pretends that somebody asked for, where an event was written by hand.
PRETENDED: Final[dict[type[Event], Callable[[BankState, Any], ActCommand]]] = {
    Archived: lambda _, event: Archive(event.cut, event.reason),
    BankOpened: lambda _, event: OpenBank(event.site),
    LevelOrderChanged: lambda state, event: CheckLevelOrder(state.link(event.link).terms.link),
    LinkOpened: lambda _, event: OpenLink(event.terms),
    Paid: lambda _, event: Pay(f"H{event.hit}", f"A{event.awards[0]}", **_shared(event, Pay)),
    PapersAdded: lambda _, event: AddPapers(f"H{event.number}", **_shared(event, AddPapers)),
    PapersErased: lambda _, event: ErasePapers(f"H{event.number}", **_shared(event, ErasePapers)),
    ReadingTaken: lambda _, event: Reading(event.day),
    Released: lambda state, event: Release(state.table(event.table).terms.table, event.reason),
    Resumed: lambda state, event: Resume(event.cause, _links(state, event), event.reason),
    Sealed: lambda _, _event: SnapshotSeal(),
    Suspended: lambda state, event: Suspend(event.cause, _links(state, event), event.reason),
    TableOpened: lambda _, event: OpenTable(event.terms),
    TokenMade: lambda _, event: MakeToken(event.digest, tuple(event.roles), event.until),
    Validated: lambda _, event: Validate(f"H{event.hit}"),
}


class Forger:
    """Forges the tail of a ledger: each row is as a server would have written it, except for its event."""

    def __init__(self, path: Path, bank: str = "main") -> None:
        self.path = path
        self.bank = bank
        with closing(SqliteLedger(path, readonly=True)) as ledger:
            self.engine, self.head = rebuild(ledger, bank)
        self.asked: dict[type[Event], Command] = {}

    @property
    def state(self) -> BankState:
        return self.engine.state

    def right(
        self, command: Command, *people: str, table: str | None = None, proof: Proof | None = None
    ) -> Event:
        """The event that the rules would decide now, to be altered; no draw wins. proof: who signed, if they
        did.
        """
        draws = {link.terms.link: RawDraws(1, 0, 1, 1) for link in self.state.links}
        known = None if table is None else self.engine.table(table)
        if known is not None:
            command = numbered(command, known.last_seq + 1)
        envelope = Envelope(command, 0, 0, bytes(16), table, people, draws, proof or Proof())
        event = self.engine.decide(envelope, 0)
        self.asked[type(event)] = command
        return event

    def body(self, event: Event, command: Any, table: str | None) -> bytes:
        """What a server would write for it, had somebody asked for it."""
        if table is not None and command is None:  # a frame that was carried out stands in no row
            return row_commands.encode(event)
        asked = command or self.asked.get(type(event))
        if (pretended := PRETENDED.get(type(event))) is not None and command is None:
            right = pretended(self.state, event)
            # A day, or roles, that were written by hand are also what was asked for.
            asked = (
                right
                if asked is None or isinstance(event, PapersErased | ReadingTaken | TokenMade)
                else asked
            )
        return row_commands.encode(event, asked)

    def append(
        self,
        event: Event,
        table: str | None = None,
        *,
        ahead: int = 0,
        digest: bytes | None = None,
        version: int = 0,
        at: int = NOW_MS,
        body: bytes = b"",
        postings: tuple[Posting, ...] | None = None,
        number: int | None = None,
        command: Any = None,
    ) -> Row:
        """Appends the event as the next row. table: whose frame it pretends to be, `ahead` of its turn.

        body: other bytes than its own. postings: what it says that it moves, where no engine applies it.
        number: in the row, in place of the table's. command: what it pretends that somebody asked for.
        """
        known = None if table is None else self.engine.table(table)
        if number is None and known is not None:
            number = known.number
        table_seq = None if known is None else known.last_seq + 1 + ahead
        last, body, digest = (
            self.head,
            body or self.body(event, command, table),
            digest or self.head.seq.to_bytes(16, "big"),
        )
        version = version or events.RULES_VERSION
        entry = DecidedEntry(last.seq + 1, at, event.kind, version, None, number, table_seq, digest, body, ())
        moved = None if postings is not None else self.engine.replay(entry)
        made, hits = (postings or (), ()) if moved is None else (moved.postings, moved.hits)
        entry = replace(entry, link=only_link(made), postings=made, hits=hits)
        row = row_of(self.bank, last.epoch, entry, last.hash)
        with closing(SqliteLedger(self.path)) as ledger:
            ledger.append(self.bank, last.epoch, last.seq, [row])
            self.head = ledger.head(self.bank)
        return row
