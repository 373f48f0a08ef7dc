"""State that the tester's server keeps of a table: its numbers, answers and round.

It decides as little as a table needs to go on: no meters, no awards. It notes what the protocol forbids.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from controllers.answers import (
    Ack,
    AwardFacts,
    LinkFacts,
    LinkState,
    Nack,
    Refund,
    RoundFacts,
    StandingBet,
)
from controllers.messages import (
    Bet,
    Close,
    Command,
    Lamp,
    Lock,
    Malformed,
    On,
    Settle,
    Void,
    Wager,
    Withdraw,
)
from controllers.session import Commanded
from jackpot.lab.conformance.offers import Bounds, ConformanceOffer
from jackpot.lab.conformance.report import ConformanceReport
from jackpot.rules import cards
from jackpot.rules.hands import CardsShown
from jackpot.rules.void_causes import SETTLES

Answer = Ack | Nack
KEPT: Final = 64
"""Answers that a server keeps for resends."""
SHARED: Final = tuple(name for name in CardsShown._fields if name != "own")
"""The fields of a settlement with cards of no seat."""


class BetPlace(NamedTuple):
    """What a seat may wager on once."""

    seat: int
    link: str
    on: On


class Stake(NamedTuple):
    """An accepted wager. amount: in cents."""

    player: str | None
    amount: int


class OpenRound(msgspec.Struct):
    """A round that is neither closed nor void. turn: the seat settled last.

    chips, sums, players: as the dealer said them last. shared: cards of no seat, by field, as they were
    shown. showed: the seats that showed cards.
    """

    id: str
    bets: dict[BetPlace, Stake]
    locked: bool = False
    turn: int | None = None
    cards: set[str] = msgspec.field(default_factory=set)
    chips: dict[str, int] = {}
    sums: dict[str, int] = {}
    shared: dict[str, tuple[str, ...]] = {}
    settled: set[int] = msgspec.field(default_factory=set)
    showed: set[int] = msgspec.field(default_factory=set)
    players: int = 0

    def on(self, link: str) -> list[tuple[BetPlace, Stake]]:
        """The wagers on a link."""
        return [(place, stake) for place, stake in self.bets.items() if place.link == link]

    def shown(self) -> CardsShown:
        """The cards of no seat, for what counts them."""
        told = {name: tuple(map(cards.parse, self.shared.get(name, ()))) for name in SHARED}
        return CardsShown(**told)


class TableRecord:
    """State of one table. told: the highest number whose durable answer was sent; sure: and surely received.

    idle_at: the numbers after which no round was open. undecided: what was sent under each number since.
    suspended: every link. closed_offer: the one offer that is suspended alone.
    """

    def __init__(
        self, report: ConformanceReport, link: str, wager: int, offers: Sequence[ConformanceOffer] = ()
    ) -> None:
        self.last_seq = self.told = self.sure = 0
        self.suspended = False
        self.closed_offer: str | None = None
        self.offers = {offer.link: offer for offer in offers}
        # No link with a meter takes a table of Criss-Cross Poker (L1, B13).
        self._alone = any(offer.games == ("criss-cross-poker",) for offer in offers)
        self.round: OpenRound | None = None
        self.answers: dict[int, tuple[bytes, Answer]] = {}
        self.undecided: dict[int, bytes] = {}
        self.idle_at = [0]
        self.rounds = 0
        self._report = report
        self._link = link
        self._wager = wager
        self._ids: set[str] = set()
        self._awards: set[str] = set()

    @property
    def last(self) -> Answer | None:
        return self.answers[self.last_seq][1] if self.last_seq in self.answers else None

    @property
    def link(self) -> LinkFacts:
        state: LinkState = "suspended" if self.suspended else "active"
        return LinkFacts(self._link, self._wager, "pa-643a-five-card-C", ("mega", "major", "minor"), state)

    @property
    def links(self) -> tuple[LinkFacts, ...]:
        """What the table plays on, as the welcome has it."""
        offers = (
            offer.facts("suspended" if self.suspended or offer.link == self.closed_offer else "active")
            for offer in self.offers.values()
        )
        return (*(() if self._alone else (self.link,)), *offers)

    @property
    def facts(self) -> RoundFacts | None:
        """The round as the welcome describes it."""
        found = self.round
        if found is None:
            return None
        bets = tuple(
            StandingBet(*place, stake.player, stake.amount if place.link in self.offers else UNSET)
            for place, stake in found.bets.items()
        )
        return RoundFacts(
            found.id,
            "locked" if found.locked else "open",
            bets,
            found.chips,
            None,
            found.shared.get("board", ()),
            found.shared.get("dealer", ()),
            tuple(sorted(found.settled, reverse=True)),
            found.sums or UNSET,
            found.shared.get("bonus") or UNSET,
            found.players or UNSET,
        )

    def limit(self, offer: str, bounds: Bounds) -> None:
        """Changes what an offer takes; the next welcome says so."""
        self.offers[offer] = self.offers[offer]._replace(bounds=bounds)

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
        if isinstance(command.message, Wager) and (
            self.suspended or any(bet.link == self.closed_offer for bet in command.message.bets)
        ):
            return self.refuse(command, "suspended")
        return self.accept(command)

    def accept(self, command: Commanded) -> Answer:
        """Accepts a command unconditionally, and keeps the answer."""
        return self.keep(command, self._apply(command.seq, command.message))

    def refuse(self, command: Commanded, code: str) -> Nack:
        """Refuses by a nack that uses up no number: another command may come under it."""
        self.undecided.clear()
        link = (self.closed_offer or self.links[0].link) if code == "suspended" else UNSET
        return Nack(command.seq, code, f"the tester says {code}", self.last_seq + 1, link=link)

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

    def pay(self, command: Commanded, award: AwardFacts) -> Answer:
        """Accepts a settlement that wins this award, and keeps the answer."""
        answer = self.accept(command)
        self._awards.add(award.award)
        if isinstance(answer, Ack):
            answer = msgspec.structs.replace(answer, awards=(award,))
            self.answers[command.seq] = command.digest, answer
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
        bets = {} if self._alone else {BetPlace(1, self._link, "own"): Stake(None, self._wager)}
        counted = [offer for offer in self.offers.values() if offer.counted]
        for offer in self.offers.values():
            bets[BetPlace(1, offer.link, "own")] = Stake(None, offer.bounds.most)
        self.round = OpenRound(
            f"left-over-{self.last_seq}",
            bets,
            locked=True,
            chips={offer.link: 1 for offer in counted},
            sums={offer.link: offer.bounds.most for offer in counted if offer.summed},
            players=1 if any(offer.by_players for offer in self.offers.values()) else 0,
        )
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
        if isinstance(message, Lamp):
            return self._light(message)
        found = self.round
        if found is None or found.id != message.round:
            return Nack(seq, "no_such_round", f"round: there is no {message.round}")
        match message:
            case Withdraw():
                places = (BetPlace(bet.seat, bet.link, bet.on) for bet in message.bets)
                back = {place: found.bets.pop(place) for place in places if place in found.bets}
                return Ack(seq, refunds=self._refunds(back) if self.offers else UNSET)
            case Lock():
                if (refusal := self._wrong_players(found, message)) is not None:
                    return Nack(seq, *refusal)
                found.locked = True
                self._count(found, message)
            case Settle():
                return self._settle(found, message)
            case Close():
                if (lacking := self._lacking(found, found.bets, (), close=True)) is not None:
                    return self._unshown(seq, lacking)
                self._check_count(found)
                self._end("closed")
            case Void():
                return self._void(found, message)
        return Ack(seq)

    def _light(self, message: Lamp) -> Answer:
        """Takes down what a lamp shows, of an award that it told of (P3)."""
        if message.award not in self._awards:
            self._report.broken("offer-lamps", f"a lamp of {message.award}, which is no award of the table")
            return Nack(message.seq, "no_such_award", f"award: there is no {message.award}")
        self._report.met("offer-lamps", f"{message.state} of {message.award}")
        return Ack(message.seq)

    def _void(self, found: OpenRound, message: Void) -> Answer:
        """Gives all wagers back, or all but Trips Wagers, with which the round goes on (P5)."""
        kept = message.settles or ()
        if kept and message.cause not in SETTLES:
            return Nack(message.seq, "bad_message", f"settles: not for {message.cause}")
        for link in kept:
            if link not in self.offers or not self.offers[link].trips:
                return Nack(message.seq, "bad_message", f"settles: {link} is no Trips Wager")
        if kept and not found.locked:
            return Nack(message.seq, "not_locked", "round: it is not locked")
        if kept and found.settled:
            return Nack(message.seq, "already_settled", "settles: hands of it were settled")
        back = {place: stake for place, stake in found.bets.items() if place.link not in kept}
        if kept:
            found.bets = {place: stake for place, stake in found.bets.items() if place.link in kept}
            found.chips, found.sums = {}, {}
        else:
            self._end("voided")
        return Ack(message.seq, refunds=self._refunds(back))

    def _refunds(self, bets: Mapping[BetPlace, Stake]) -> tuple[Refund, ...]:
        """What goes back to the players, with its amount (B3)."""
        return tuple(
            Refund(
                *place,
                stake.amount,
                self.offers[place.link].refund_pays if place.link in self.offers else "inventory",
            )
            for place, stake in bets.items()
        )

    def _take(self, message: Wager) -> Answer:
        if self.round is not None and self.round.id != message.round:
            self._report.broken("rounds", f"{message.round} begins while {self.round.id} is unfinished")
            return Nack(message.seq, "round_unfinished", f"round: {self.round.id} comes first")
        if self.round is None and message.round in self._ids:
            self._report.broken("rounds", f"the id {message.round} was used before")
            return Nack(message.seq, "locked_out", "round: it is over")
        found = self.round or OpenRound(message.round, {})
        if found.locked:
            self._report.broken("rounds", f"a wager in {found.id} after its lock")
            return Nack(message.seq, "locked_out", "round: it is locked")
        for bet in message.bets:
            if (refusal := self._wrong(found, bet)) is not None:
                return Nack(message.seq, *refusal)
            found.bets[BetPlace(bet.seat, bet.link, bet.on)] = Stake(bet.player, bet.amount)
        if message.lock:
            if (refusal := self._wrong_players(found, message)) is not None:
                return Nack(message.seq, *refusal)
            self._count(found, message)
        found.locked = message.lock
        self.round = found
        self._ids.add(found.id)
        if self._alone or any(bet.link == self._link for bet in message.bets):
            self._report.met("wagers", f"{len(message.bets)} in the last one")
        if any(bet.link in self.offers for bet in message.bets):
            self._report.met("offer-amounts", f"{self.rounds + 1} rounds")
        return Ack(message.seq)

    def _wrong(self, found: OpenRound, bet: Bet) -> tuple[str, str] | None:
        """The code and the sentence that refuse a wager; None for a good one."""
        offer = self.offers.get(bet.link)
        name = "wagers" if offer is None else "offer-amounts"
        if offer is None and (self._alone or bet.link != self._link):
            refusal = "unknown_link", f"link: {bet.link} is not in the welcome"
        elif offer is None and bet.amount != self._wager:
            refusal = "wrong_amount", f"amount: it is {self._wager} on {bet.link}"
        elif offer is not None and not offer.bounds.take(bet.amount):
            least, most, unit = offer.bounds
            refusal = "wrong_amount", f"amount: {least} to {most} in steps of {unit} on {bet.link}"
        elif offer is not None and bet.on == "dealer":
            refusal = "bad_message", f"on: {bet.link} takes wagers on a player's own hand"
        elif BetPlace(bet.seat, bet.link, bet.on) in found.bets:
            refusal = "duplicate_wager", f"seat {bet.seat} has wagered on {bet.link}"
        else:
            return None
        self._report.broken(name, f"seat {bet.seat}: {bet.amount} on {bet.link}: {refusal[0]}")
        return refusal

    def _wrong_players(self, found: OpenRound, message: Wager | Lock) -> tuple[str, str] | None:
        """The code and the sentence that refuse the number of players, where a wager depends on it (B10)."""
        of = [self.offers[place.link] for place in found.bets if place.link in self.offers]
        if not any(offer.by_players for offer in of) or (message.players is None and found.players):
            return None
        least, most = len({place.seat for place in found.bets}), min(offer.seats for offer in of)
        if message.players is not None and least <= message.players <= most:
            found.players = message.players
            return None
        self._report.broken("offer-cards", f"{message.players} players: {least} wagered, {most} may")
        return "bad_message", f"players: {least} to {most}"

    def _count(self, found: OpenRound, message: Wager | Lock) -> None:
        """Keeps the dealer's count; a later one corrects an earlier one."""
        found.chips = {**found.chips, **(message.chips or {})}
        found.sums = {**found.sums, **(message.sums or {})}

    def _check_count(self, found: OpenRound) -> None:
        """Checks the last count of each offer that is counted, once cards are shown (T3, B3)."""
        for link, offer in self.offers.items():
            bets = found.on(link)
            if not offer.counted or not bets:
                continue
            total = sum(stake.amount for _, stake in bets)
            told, due = (found.chips.get(link), found.sums.get(link)), (len(bets), total)
            if told[0] != due[0] or (offer.summed and told[1] != due[1]):
                said = f"chips {told[0]} and sums {told[1]} of {link}: it took {due[0]}, {due[1]} cents"
                self._report.broken("offer-counts", said)
            else:
                self._report.met("offer-counts", f"{due[0]} wagers of {due[1]} cents on {link}")

    def _lacking(
        self, found: OpenRound, bets: Iterable[BetPlace], folded: Collection[int], *, close: bool
    ) -> tuple[str, str] | None:
        """The field and the offer of cards that a settlement of these wagers lacks (B10, B16)."""
        shown = found.shown()
        for place in bets:
            offer = self.offers.get(place.link)
            if offer is None or (offer.forfeits and place.seat in folded):
                continue
            if offer.at_close and not close:
                continue
            if lacks := offer.lacks(shown):
                return lacks[0], place.link
            if offer.by_players and len(found.showed) != found.players:
                return "players", place.link
        return None

    def _unshown(self, seq: int, lacking: tuple[str, str]) -> Nack:
        field, link = lacking
        self._report.broken("offer-cards", f"seq {seq} settles {link} without its {field}")
        return Nack(seq, "bad_message", f"{field}: {link} counts these cards")

    def _settle(self, found: OpenRound, message: Settle) -> Answer:
        if not found.locked:
            self._report.broken("rounds", f"{found.id} is settled before its lock")
            return Nack(message.seq, "not_locked", "round: it takes bets")
        # The tester confirms at once that a player left: the seat has lost, and that is no turn.
        left = {claim.seat for claim in message.hands if claim.abandoned and not claim.cards}
        found.settled |= left
        message = msgspec.structs.replace(
            message, hands=tuple(claim for claim in message.hands if claim.seat not in left)
        )
        for claim in message.hands:
            if found.turn is not None and claim.seat > found.turn:
                self._report.broken("payout-order", f"seat {claim.seat} after seat {found.turn}")
                return Nack(message.seq, "out_of_order", f"seat: {claim.seat}")
            found.turn = claim.seat
        shared = {name: given for name in SHARED if (given := getattr(message, name, None))}
        shown = [card for claim in message.hands for card in claim.cards or ()]
        shown += [card for given in shared.values() for card in given]
        if len(set(shown)) < len(shown) or (set(shown) & found.cards and message.hands):
            self._report.broken("cards", "a card is shown twice")
            return Nack(message.seq, "impossible_cards", "cards: one is shown twice")
        found.cards.update(card for claim in message.hands for card in claim.cards or ())
        found.shared = {**found.shared, **shared}
        self._report.met("payout-order")
        self._report.met("cards")
        return self._pay(found, message)

    def _pay(self, found: OpenRound, message: Settle) -> Answer:
        """Settles the seats, and with `close` the round; pays nothing by itself."""
        claims = {claim.seat: claim for claim in message.hands}
        folded = {claim.seat for claim in message.hands if claim.folded}
        found.showed.update(claim.seat for claim in message.hands if claim.cards)
        due = [place for place in found.bets if place.seat in claims or message.close]
        due = [place for place in due if place.seat not in found.settled]
        every = (
            found.bets if message.close else due
        )  # what the close decides is due, though seats were settled
        if (lacking := self._lacking(found, every, folded, close=message.close)) is not None:
            return self._unshown(message.seq, lacking)
        if due:
            self._check_count(found)
        for place in due:
            offer, claim = self.offers.get(place.link), claims.get(place.seat)
            if offer is None or claim is None:
                continue
            count = len(claim.cards or ())
            if count and count not in offer.own:
                self._report.broken("offer-cards", f"seat {place.seat} has {count} cards on {place.link}")
            else:
                self._report.met("offer-cards", f"{count} of seat {place.seat}, {len(found.shared)} fields")
        found.settled.update(claims)
        if message.close:
            self._end("settled and closed")
        return Ack(message.seq)

    def _end(self, how: str) -> None:
        self.round = None
        self.rounds += 1
        self._report.met("rounds", f"{self.rounds} ended, the last one {how}")
