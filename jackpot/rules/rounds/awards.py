"""Awards of one settlement, decided on copies of the meters (T5, H3, A1-A8)."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from jackpot.rules import hands, meter, names
from jackpot.rules.events import HitMade, Settlement, TakeMade
from jackpot.rules.hands import Ranked
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import EnvyRow, Fixed, ForOne, PaytableRow, Percent, ToOne
from jackpot.rules.refusal import refuse_if
from jackpot.rules.rounds.undo import floor_of, is_whole
from jackpot.rules.state import Award, BankState, Hit, Kind, Level, Link, Pays, Round, Status, Table

# The most awards that one frame may make (WIRE): seven seats with every bonus stay far below it.
AWARDS_PER_FRAME = 192


class WinningHand(NamedTuple):
    """A winning hand. seat: 0 for the dealer's hand. players: the seats that wagered on it (A6).

    player: whose the hand is, where it was sent with it (A5). because: as in `Award`, of a beaten hand.
    """

    seat: int
    hand: str
    unverified: bool
    players: tuple[int, ...]
    hit: int = 0
    player: str | None = None
    because: int = 0


class Prize(NamedTuple):
    """One seat's part of a hit; the fields are those of `Award`."""

    kind: Kind
    amount: int
    status: Status
    level: int = 0
    because: int = 0
    stake: int = 0


class AbandonedSeat(Protocol):
    """A seat that its player left."""

    @property
    def number(self) -> int: ...


class AwardTally:
    """The awards of one entry, decided one after the other on copies; the state does not change.

    left: seats of which this entry says that their players left (P6).
    """

    def __init__(
        self, state: BankState, table: Table, round_: Round, left: Sequence[AbandonedSeat] = ()
    ) -> None:
        self.state = state
        self.lost = self._waits = set[int]()
        if left or round_.abandoned:
            self.lost = round_.lost()
            self._waits = {*round_.waiting(), *(seat.number for seat in left)} - self.lost
        self.table = table
        self.round = round_
        self.hits: list[HitMade] = []
        self.takes: list[TakeMade] = []
        self.late: list[tuple[TakeMade, list[Award]]] = []
        self._meters: dict[tuple[int, int], Accounts] = {}
        self._reset: dict[tuple[int, int], int] = {}
        self._rows: dict[tuple[int, Ranked], tuple[PaytableRow | None, EnvyRow | None]] = {}
        self._next_hit = state.next_hit
        self._next_award = state.next_award

    def link(self, number: int) -> Link:
        """The link of that number, on the terms on which the round was played (L9)."""
        link = self.state.link(number)
        terms = self.round.terms.get(number) if self.round.terms else None
        return link if terms is None else replace(link, terms=terms)

    @cached_property
    def own(self) -> dict[tuple[int, int], int]:
        """By seat and link the amount of each wager on the seat's own hand, as in `Placed`."""
        return {
            (bet.seat, bet.link): bet.amount
            for bet in self.round.bets
            if not bet.dealer and bet.seat not in self.lost
        }

    def check_stays(self, seat: int) -> None:
        """Refuses an award to a seat while people have not said whether it was abandoned (P6)."""
        refuse_if(seat in self._waits, "abandoned_would_win", seat=seat)

    def rows(self, link: int, ranked: Ranked) -> tuple[PaytableRow | None, EnvyRow | None]:
        """The row that a hand is paid by on a link, and the row of its envy bonuses (H3, A5)."""
        key = (link, ranked)
        found = self._rows.get(key)
        if found is None:
            terms = self.link(link).terms
            found = hands.best_row(terms.rows, ranked), hands.best_row(terms.envy, ranked)
            self._rows[key] = found
        return found

    def settlement(self) -> Settlement:
        """The settlement so far; refused as `too_many` above what one frame may make."""
        count = sum(len(hit.awards) for hit in self.hits)
        refuse_if(count > AWARDS_PER_FRAME, "too_many_awards", count=count)
        return Settlement(self.hits, self.takes)

    def pay_row(self, link: Link, row: PaytableRow, winner: WinningHand, order: int) -> HitMade:
        """Pays one winning hand by its row: a percentage at once (T5), odds by the house (A1)."""
        if isinstance(row.pays, Percent):
            return self.take(link, row.pays, [winner], order)[0]
        hit = self._hit(link, winner)
        for seat in winner.players:
            own = self.own[seat, link.number] if winner.seat else 0
            wager = own or link.terms.wager
            amount, stake = _odds(row.pays, wager)
            status = _first_status(link, amount, wager, unverified=winner.unverified)
            self._award(hit, link, seat, Prize("odds", amount, status, 0, winner.because, stake))
        return hit

    def take(
        self, link: Link, pays: Percent, winners: Sequence[WinningHand], order: int, moment: int = 0
    ) -> list[HitMade]:
        """Takes one percentage award, shared by its winners in equal floors (A2-A6, T5).

        moment: 0 for now; else the past entry at which it would have been taken (T10). Its sums are then
        zero, until the recomputation fills them in.
        """
        level = link.level(pays.level)
        units = len(winners)
        accounts = self._meter(link, level)
        made: list[HitMade] = []
        awards: list[Award] = []
        for winner in winners:
            hit = self._hit(link, winner)
            parts = units * len(winner.players) if winner.seat == 0 else units
            amount = 0 if moment else meter.formula(accounts.primary, pays.rate, parts)
            awards += [
                self._award(hit, link, seat, Prize("meter", amount, "pending", level.number))
                for seat in winner.players
            ]
            made.append(hit)
        numbers = [award.number for award in awards]
        taken = TakeMade(link.number, level.number, pays.rate, order, numbers, moment)
        self.takes.append(taken)
        if moment:
            self.late.append((taken, awards))
            return made
        total = sum(award.amount for award in awards)
        floor = self._floor(link, level, pays.rate)
        meter.take(accounts, level.terms, rate=pays.rate, from_meter=total, total=total, floor=floor)
        return made

    def win(self, link: Link, level: Level, seat: int, hand: str, amount: int) -> int:
        """Adds an award of a mystery level, whose meter is counted elsewhere (Y1); returns its number."""
        hit = self._hit(link, WinningHand(seat, hand, False, (seat,)))
        return self._award(hit, link, seat, Prize("meter", amount, "pending", level.number)).number

    def pay_envy(
        self, link: Link, ranked: Ranked, winner: WinningHand, hit: HitMade | None
    ) -> HitMade | None:
        """Pays each other player's wager on the link for a qualifying hand (A5)."""
        _, row = self.rows(link.number, ranked)
        if row is None:
            return hit
        owners = {seat: names.normal_form(player) for seat, player in self.round.owners().items()}
        holder = names.normal_form(winner.player) if winner.player else owners.get(winner.seat)
        for bet in sorted(self.round.bets, key=lambda bet: -bet.seat):
            own = bet.seat == winner.seat or (holder is not None and owners.get(bet.seat) == holder)
            if bet.link != link.number or bet.dealer or own or bet.seat in self.lost:
                continue
            self.check_stays(bet.seat)
            waits = hit is None or winner.unverified or any(a.status != "final" for a in hit.awards)
            hit = hit or self._hit(link, winner)
            status: Status = "pending" if waits else "final"
            self._award(hit, link, bet.seat, Prize("envy", row.amount, status, because=winner.seat))
        return hit

    def pay_draw(self, link: Link, seat: int, hand: str, odds: int) -> None:
        """Pays a Magic Card or a Lucky Bonus once to each seat, however often the round is closed (A7)."""
        before: list[Hit | HitMade] = [self.state.hits[number] for number in self.round.hits]
        if any((it.link, it.seat, it.hand) == (link.number, seat, hand) for it in [*before, *self.hits]):
            return
        hit = self._hit(link, WinningHand(seat, hand, False, (seat,)))
        amount = odds * link.terms.wager
        status = _first_status(link, amount, link.terms.wager, unverified=False)
        self._award(hit, link, seat, Prize("draw", amount, status))

    def _floor(self, link: Link, level: Level, rate: int) -> int | None:
        """To what the house restores the meter after this take; None: it does not (A4)."""
        if not link.terms.floor_to_seed:
            return None
        key = (link.number, level.number)
        if is_whole(rate):
            self._reset[key] = level.terms.reseed
        return self._reset[key] if key in self._reset else floor_of(level.history)

    def _meter(self, link: Link, level: Level) -> Accounts:
        key = (link.number, level.number)
        if key not in self._meters:
            self._meters[key] = level.accounts.copy()
        return self._meters[key]

    def _hit(self, link: Link, winner: WinningHand) -> HitMade:
        number = winner.hit
        if not number:
            number, self._next_hit = self._next_hit, self._next_hit + 1
        known = bool(winner.hit)
        hit = HitMade(number, winner.seat, link.number, winner.hand, winner.unverified, [], more=known)
        self.hits.append(hit)
        return hit

    def _award(self, hit: HitMade, link: Link, seat: int, prize: Prize) -> Award:
        pays: Pays = "account" if link.terms.electronic else "inventory"
        if prize.level or _is_cage(link, prize.amount):
            pays = "cage"
        award = Award(
            number=self._next_award,
            hit=hit.number,
            seat=seat,
            link=link.number,
            level=prize.level,
            hand=hit.hand,
            kind=prize.kind,
            amount=prize.amount,
            pays=pays,
            status=prize.status,
            unverified=hit.unverified,
            because=prize.because,
            dealer=hit.seat == 0,
            stake=prize.stake,
        )
        self._next_award += 1
        hit.awards.append(award)
        return award


def _odds(pays: ForOne | ToOne | Fixed, wager: int) -> tuple[int, int]:
    """The award of an odds row, and the stake that N to 1 returns besides it, in micro-dollars (A1, B4)."""
    if isinstance(pays, Fixed):
        return pays.amount, 0
    return pays.n * wager, wager if isinstance(pays, ToOne) else 0


def _is_cage(link: Link, amount: int) -> bool:
    """Whether an award that no meter pays is so high that the cage pays it (B15)."""
    return link.terms.cage_at is not None and amount >= link.terms.cage_at


def _first_status(link: Link, amount: int, wager: int, *, unverified: bool) -> Status:
    """The first status: pending, or final at once where the link's approved controls let it (A10, B15)."""
    terms = link.terms
    always = terms.always_validate_for is not None and amount >= terms.always_validate_for * wager
    if unverified or always or terms.validate_at is None or amount >= terms.validate_at:
        return "pending"
    return "pending" if _is_cage(link, amount) else "final"
