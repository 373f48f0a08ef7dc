"""Two banks at rest, ready to be joined, made by the engine alone."""

from hashlib import blake2b
from typing import Final

import msgspec

from controllers.answers import Ack, AwardFacts
from jackpot.ledger.journal import row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.links import OpenLink, Suspend
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import TableTerms
from tests import frames
from tests.frames import Bet, Claim, numbered
from tests.ledger.play import FIVE, START_MS
from tests.ledger.waiting import Ledger

BANKS: Final = ("north", "south")
SITE: Final = "riverside"
# Acts of a bank before it is resumed: fewer than this, so that no digest comes twice.
LATER: Final = 10_000
ROYAL: Final = Claim(seat=1, cards=("As", "Ks", "Qs"))


class Bank:
    """One bank of one link and two tables, written to a ledger entry by entry."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger = ledger
        self.engine = Engine(name)
        self.head = ledger.new_epoch(name, "test")
        self.link = f"five-{name}"
        self.tables = tuple(f"{name}-{number}" for number in (1, 2))
        self.acts = 0
        self.act(OpenBank(SITE))
        self.act(
            OpenLink(msgspec.structs.replace(FIVE, link=self.link, bank=name, magic_every=0, lucky_every=0))
        )
        for table in self.tables:
            self.act(OpenTable(TableTerms(table, "let-it-ride", 7, (self.link,))))

    def act(
        self,
        command: Command,
        people: tuple[str, ...] = (),
        table: str | None = None,
        seq: int = 0,
        digest: bytes = b"",
    ) -> Outcome:
        self.acts += 1
        digest = digest or blake2b(f"{self.engine.state.bank} {self.acts}".encode(), digest_size=16).digest()
        at = START_MS + self.acts
        envelope = Envelope(numbered(command, seq), at, at, digest, table=table, people=people)
        outcome = self.engine.execute(envelope)
        if outcome.entry is not None:
            row = row_of(self.engine.state.bank, self.head.epoch, outcome.entry, self.head.hash)
            self.ledger.append(row.bank, self.head.epoch, self.head.seq, [row])
            self.head = msgspec.structs.replace(self.head, seq=row.seq, hash=row.hash)
        return outcome

    def frame(self, table: str, command: Command) -> Outcome:
        known = self.engine.table(table)
        assert known is not None
        return self.act(command, table=table, seq=known.last_seq + 1)

    def play(self, rounds: int, table: str | None = None) -> None:
        """So many rounds that nobody wins."""
        name = table or self.tables[0]
        for number in range(rounds):
            round_ = f"{name}-{self.acts}-{number}"
            self.frame(
                name, frames.Wager(round_, (Bet(1, self.link, 100), Bet(2, self.link, 100)), lock=True)
            )
            losing = tuple(
                Claim(seat, cards=cards) for seat, cards in ((2, ("2s", "5h", "9d")), (1, ("3s", "6h", "Td")))
            )
            self.frame(name, frames.Settle(round_, losing, board=("Jc", "Kd"), close=True))

    def win(self) -> None:
        """A royal, validated and paid: the mega reseeds."""
        self.act(Validate(self.won("royal", (ROYAL,), ("Js", "Ts"))[0].hit), ("anna",))
        self.act(Pay("H1", document="W-1"), ("anna",))

    def won(self, round_: str, hands: tuple[Claim, ...], board: tuple[str, str]) -> tuple[AwardFacts, ...]:
        """The awards of a round in which each of these hands has a wager."""
        name, bets = self.tables[1], tuple(Bet(hand.seat, self.link, 100) for hand in hands)
        self.frame(name, frames.Wager(round_, bets, lock=True))
        settled = self.frame(name, frames.Settle(round_, hands, board=board, close=True))
        assert isinstance(settled.answer, Ack)
        return settled.answer.awards

    def paid(self, round_: str, hands: tuple[Claim, ...], board: tuple[str, str]) -> dict[str, AwardFacts]:
        """The same, validated and paid, each winner with a form of their own; by kind or level."""
        awards = self.won(round_, hands, board)
        for hit in sorted({award.hit for award in awards}):
            assert self.act(Validate(hit), ("anna",)).of_act().ok
            for seat in sorted({award.seat for award in awards if award.hit == hit}):
                pay = Pay(hit, seat=seat, document=f"{round_}-{hit}-{seat}")
                assert self.act(pay, ("anna",)).of_act().ok
        return {award.level or award.kind: award for award in awards}

    def rest(self) -> None:
        self.act(Suspend("operator", (), "joining"), ("anna",))


class Resumed(Bank):
    """A bank that is in the ledger already."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger = ledger
        self.engine, _ = rebuild(ledger, name)
        self.head = ledger.new_epoch(name, "test")
        self.engine.new_epoch(0)
        self.acts = LATER
        self.link = self.engine.state.links[0].terms.link
        self.tables = tuple(table.terms.table for table in self.engine.state.tables)


def two_banks(ledger: Ledger) -> tuple[Bank, Bank]:
    """Both have played, one has had a royal; both are at rest."""
    north, south = (Bank(ledger, name) for name in BANKS)
    north.play(7)
    north.win()
    south.play(3, south.tables[1])
    north.rest()
    south.rest()
    return north, south
