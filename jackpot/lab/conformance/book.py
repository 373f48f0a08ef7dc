"""State that the tester's server keeps of a table: its numbers, answers and round.

It decides as little as a table needs to go on: no meters, no awards. It notes what the protocol forbids.
"""

from typing import Final

import msgspec

from controllers.answers import Ack, LinkFacts, LinkState, Nack, Refund, RoundFacts, StandingBet
from controllers.messages import Close, Command, Lock, Malformed, Settle, Void, Wager, Withdraw
from controllers.session import Commanded
from jackpot.lab.conformance.report import ConformanceReport

Answer = Ack | Nack
KEPT: Final = 64
"""Answers that a server keeps for resends."""


class Open(msgspec.Struct):
    """A round that is neither closed nor void. turn: the seat settled last."""

    id: str
    bets: dict[tuple[int, str, str], str | None]
    locked: bool = False
    turn: int | None = None
    cards: set[str] = msgspec.field(default_factory=set)


class TableRecord:
    """State of one table. told: the highest number whose durable answer was sent; sure: and surely received.

    idle_at: the numbers after which no round was open. undecided: what was sent under each number since.
    """

    def __init__(self, report: ConformanceReport, link: str, wager: int) -> None:
        self.last_seq = self.told = self.sure = 0
        self.suspended = False
        self.round: Open | None = None
        self.answers: dict[int, tuple[bytes, Answer]] = {}
        self.undecided: dict[int, bytes] = {}
        self.idle_at = [0]
        self.rounds = 0
        self._report = report
        self._link = link
        self._wager = wager
        self._ids: set[str] = set()

    @property
    def last(self) -> Answer | None:
        return self.answers[self.last_seq][1] if self.last_seq in self.answers else None

    @property
    def link(self) -> LinkFacts:
        state: LinkState = "suspended" if self.suspended else "active"
        return LinkFacts(self._link, self._wager, "pa-643a-five-card-C", ("mega", "major", "minor"), state)

    @property
    def facts(self) -> RoundFacts | None:
        """The round as the welcome describes it."""
        found = self.round
        if found is None:
            return None
        bets = tuple(
            StandingBet(seat, link, "dealer" if on == "dealer" else "own", player)
            for (seat, link, on), player in found.bets.items()
        )
        return RoundFacts(found.id, "locked" if found.locked else "open", bets, {}, None, (), (), ())

    def check_acked(self, acked: int | None) -> None:
        """Checks the `acked` of a hello against the answers sent."""
        if acked is None:
            self._report.broken("acked", "the hello of a table has no acked")
        elif not self.sure <= acked <= self.told:
            self._report.broken("acked", f"acked is {acked}: its answers were {self.sure} to {self.told}")
        else:
            self._report.met("acked", f"{acked} at the last hello")

    def is_fresh(self, command: Commanded) -> bool:
        """Whether it is not decided yet."""
        return command.seq > self.last_seq

    def note(self, command: Commanded) -> None:
        """Records a command: under its number no other content may ever have come."""
        known = self.answers.get(command.seq, (self.undecided.get(command.seq),))[0]
        if known is None:
            self.undecided[command.seq] = command.digest
        elif known != command.digest:
            self._report.broken("resend", f"seq {command.seq} came with other content than before")

    def decide(self, command: Commanded) -> Answer:
        if command.seq in self.answers:
            digest, answer = self.answers[command.seq]
            return answer if digest == command.digest else self.refuse(command, "seq_conflict")
        if command.seq <= self.last_seq:
            return self.refuse(command, "seq_old")
        if command.seq != self.last_seq + 1:
            self._report.broken("contiguous", f"seq {command.seq} in place of {self.last_seq + 1}")
            return self.refuse(command, "seq_gap")
        if self.suspended and isinstance(command.message, Wager):
            return self.refuse(command, "suspended")
        return self.accept(command)

    def accept(self, command: Commanded) -> Answer:
        """Accepts a command unconditionally, and keeps the answer."""
        return self.keep(command, self._apply(command.seq, command.message))

    def refuse(self, command: Commanded, code: str) -> Nack:
        """Refuses by a nack that uses up no number: another command may come under it."""
        self.undecided.clear()
        return Nack(command.seq, code, f"the tester says {code}", self.last_seq + 1)

    def keep(self, command: Commanded, answer: Answer) -> Answer:
        """Makes the answer durable: the number is used up."""
        self.last_seq = command.seq
        self.undecided.pop(command.seq, None)
        self.answers[command.seq] = command.digest, answer
        self.answers.pop(command.seq - KEPT, None)
        if self.round is None:
            self.idle_at.append(command.seq)
        self._report.met("contiguous")
        return answer

    def lose(self) -> None:
        """Forgets the last whole round, as a ledger that lost rows; its answers were sent all the same."""
        self.last_seq = next(seq for seq in reversed(self.idle_at) if seq < self.last_seq)
        self.answers = {seq: kept for seq, kept in self.answers.items() if seq <= self.last_seq}
        self.idle_at = [seq for seq in self.idle_at if seq <= self.last_seq]
        self.undecided.clear()
        self.round = None

    def believe(self) -> None:
        """Confirms what was lost, as people do: no answer beyond it counts any more."""
        self.told = self.sure = self.last_seq

    def leave_over(self) -> str:
        """Leaves commands and a round that a table which lost its memory does not know."""
        self.last_seq += 5
        self.undecided.clear()
        self.round = Open(f"left-over-{self.last_seq}", {(1, self._link, "own"): None}, locked=True)
        self._ids.add(self.round.id)
        return self.round.id

    # Effects of commands.

    def _apply(self, seq: int, message: Command | Malformed) -> Answer:
        if isinstance(message, Malformed):
            self._report.broken("fields", message.message)
            return Nack(seq, "bad_message", message.message)
        self._report.met("fields")
        if isinstance(message, Wager):
            return self._take(message)
        found = self.round
        if found is None or found.id != message.round:
            return Nack(seq, "no_such_round", f"round: there is no {message.round}")
        match message:
            case Withdraw():
                for bet in message.bets:
                    found.bets.pop((bet.seat, bet.link, bet.on), None)
            case Lock():
                found.locked = True
            case Settle():
                return self._settle(found, message)
            case Close():
                self._end("closed")
            case Void():
                self._end("voided")
                refunds = tuple(
                    Refund(seat, link, "dealer" if on == "dealer" else "own", self._wager, "inventory")
                    for seat, link, on in found.bets
                )
                return Ack(seq, refunds=refunds)
        return Ack(seq)

    def _take(self, message: Wager) -> Answer:
        if self.round is not None and self.round.id != message.round:
            self._report.broken("rounds", f"{message.round} begins while {self.round.id} is unfinished")
            return Nack(message.seq, "round_unfinished", f"round: {self.round.id} comes first")
        if self.round is None and message.round in self._ids:
            self._report.broken("rounds", f"the id {message.round} was used before")
            return Nack(message.seq, "locked_out", "round: it is over")
        found = self.round or Open(message.round, {})
        if found.locked:
            self._report.broken("rounds", f"a wager in {found.id} after its lock")
            return Nack(message.seq, "locked_out", "round: it is locked")
        for bet in message.bets:
            place = bet.seat, bet.link, bet.on
            if bet.link != self._link or bet.amount != self._wager or place in found.bets:
                self._report.broken("wagers", f"seat {bet.seat}: {bet.amount} on {bet.link}")
                return Nack(message.seq, "wrong_amount", f"bets: not one of {self._wager} on {self._link}")
            found.bets[place] = bet.player
        found.locked = message.lock
        self.round = found
        self._ids.add(found.id)
        self._report.met("wagers", f"{len(message.bets)} in the last one")
        return Ack(message.seq)

    def _settle(self, found: Open, message: Settle) -> Answer:
        if not found.locked:
            self._report.broken("rounds", f"{found.id} is settled before its lock")
            return Nack(message.seq, "not_locked", "round: it takes bets")
        for claim in message.hands:
            if found.turn is not None and claim.seat > found.turn:
                self._report.broken("payout-order", f"seat {claim.seat} after seat {found.turn}")
                return Nack(message.seq, "out_of_order", f"seat: {claim.seat}")
            found.turn = claim.seat
        shown = [card for claim in message.hands for card in claim.cards or ()]
        shown += [*(message.board or ()), *(message.dealer or ())]
        if len(set(shown)) < len(shown) or (set(shown) & found.cards and message.hands):
            self._report.broken("cards", "a card is shown twice")
            return Nack(message.seq, "impossible_cards", "cards: one is shown twice")
        found.cards.update(card for claim in message.hands for card in claim.cards or ())
        self._report.met("payout-order")
        self._report.met("cards")
        if message.close:
            self._end("settled and closed")
        return Ack(message.seq)

    def _end(self, how: str) -> None:
        self.round = None
        self.rounds += 1
        self._report.met("rounds", f"{self.rounds} ended, the last one {how}")
