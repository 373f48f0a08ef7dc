"""Appends forged rows that chain and balance, as an attacker with write access could."""

from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from jackpot.ledger.journal import Row, row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules import events
from jackpot.rules.commands import Command, Envelope, RawDraws
from jackpot.rules.events import Event
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.postings import Posting, only_link
from jackpot.rules.signing import Proof
from jackpot.rules.state import BankState
from tests.frames import numbered

# 2030-01-01, later than anything that the tests play.
NOW_MS: Final = 1_893_456_000_000


class Forger:
    """Forges the tail of a ledger: each row is as a server would have written it, except for its event."""

    def __init__(self, path: Path, bank: str = "main") -> None:
        self.path = path
        self.bank = bank
        with closing(SqliteLedger(path, readonly=True)) as ledger:
            self.engine, self.head = rebuild(ledger, bank)

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
        return self.engine.decide(envelope, 0)

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
    ) -> Row:
        """Appends the event as the next row. table: whose frame it pretends to be, `ahead` of its turn.

        body: other bytes than its own. postings: what it says that it moves, where no engine applies it.
        number: in the row, in place of the table's.
        """
        known = None if table is None else self.engine.table(table)
        if number is None and known is not None:
            number = known.number
        table_seq = None if known is None else known.last_seq + 1 + ahead
        last, body, digest = (
            self.head,
            body or events.encode(event),
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
