"""Awards of a settlement and a close, hand by hand in payout order, for the independent model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.faults.model_facts import (
    CENT,
    CLOSED,
    FINAL,
    PENDING,
    Award,
    Event,
    Hit,
    Link,
    Play,
    Turn,
    cycle_at,
    place,
)
from tests.faults.model_floor import (
    AT_CLOSE,
    Claim,
    Common,
    Map,
    Refused,
    Round,
    Table,
    claim_at_close,
    claim_of,
    common_of,
    forfeits,
    hands_by_link,
    late_folds,
)
from tests.faults.model_hands import RANKS, satisfies
from tests.faults.model_must_hit import MYSTERY
from tests.faults.model_paytables import Row

AWARDS_MAX = 192


@dataclass
class Plan:
    """The effects of one settlement, gathered before anything is applied."""

    hits: list[Hit] = field(default_factory=list)
    steps: list[Callable[[], None]] = field(default_factory=list)
    number: int = 0

    def awards(self) -> list[Award]:
        return [award for hit in self.hits for award in hit.awards]


def row_of(link: Link, claim: Claim) -> tuple[int, Row] | None:
    """H3: the best row that the hand satisfies."""
    for index, row in enumerate(link.paytable.rows):
        suited = row.hand in satisfies(claim.name) and (not row.suits or claim.suit in tuple(row.suits))
        if suited and (not row.least or RANKS.index(claim.rank) >= RANKS.index(row.least)):
            return index, row
    return None


def envy_of(play: Play, claim: Claim) -> int | None:
    """The hand's payment to each other wager on the link, in cents."""
    for envy, cents in play.envy:
        if envy.hand in satisfies(claim.name) and (not envy.suits or claim.suit in tuple(envy.suits)):
            return cents
    return None


class Settlement:
    """One settle or close of a round; `apply` makes its hits and facts, to be recomputed afterwards."""

    def __init__(
        self,
        table: Table,
        round_: Round,
        links: dict[str, Link],
        name_hit: Callable[[], str],
        boxes: dict[int, str],
        left: Iterable[int] = (),
    ) -> None:
        self.table, self.round, self.links = table, round_, links
        self.owners = round_.players | boxes
        self.name_hit = name_hit
        self.waits = {*left, *round_.gone} - {seat for seat in round_.gone if round_.lost(seat)}
        self.plan = Plan()

    # -- making things ---------------------------------------------------------------------------------

    def hit(self, seat: int | None, link: Link, hand: str, unverified: bool = False) -> Hit:
        of = (self.table.name, self.round.number, self.round.name)
        hit = Hit(self.name_hit(), *of, seat, link.name, hand, unverified)
        self.plan.hits.append(hit)
        return hit

    def award(self, hit: Hit, seat: int, kind: str, cents: int | None, **more: int) -> Award:
        link = self.links[hit.link]
        if kind == "meter" or (cents is not None and link.cage_at is not None and cents >= link.cage_at):
            pays = "cage"
        elif kind != "envy" and link.paytable.electronic:
            pays = "account"
        else:
            pays = "inventory"
        award = Award(f"{hit.id}.{len(hit.awards) + 1}", hit, seat, kind, cents, pays, more.get("because"))
        if kind in ("odds", "draw") and cents is not None and not hit.unverified:
            wager = more.get("wager", link.wager)
            waits = ((link.paytable.electronic or link.offer) and cents >= 500 * wager) or pays == "cage"
            validate_at = self.round.play(link).validate_at
            if validate_at is not None and cents < validate_at and not waits:
                award.status = FINAL
        hit.awards.append(award)
        self.plan.number += 1
        return award

    def percentage(self, link: Link, found: tuple[int, Row], key: float, hit: Hit, seats: list[int]) -> None:
        """A percentage of a level, to one winner: at this turn of the round, or shared at its close."""
        index, row = found
        if self.round.play(link).simultaneous == "share":
            self.plan.steps.append(lambda: self.round.shared.append((link, index, row, hit, seats)))
            self.plan.number += len(seats)
            return
        winner = [self.award(hit, seat, "meter", None) for seat in seats]

        def happen() -> None:
            where = place(link, self.table.name, self.round.number, key)
            hit.level, hit.cycle = row.level, cycle_at(link, row.level, where)
            event = Event(self.table.name, self.round.number, row.level, row.percent, index, [winner])
            link.facts.insert(where, event)

        self.plan.steps.append(happen)

    def turn(self, link: Link, key: float) -> None:
        def happen() -> None:
            index = place(link, self.table.name, self.round.number, key)
            link.facts.insert(index, Turn(self.table.name, self.round.number, key))

        self.plan.steps.append(happen)

    # -- the hands -------------------------------------------------------------------------------------

    def settle(self, message: Map) -> None:
        """The hands in their order; the dealer's at its turn, once hands are settled or the round closes."""
        common = common_of(self.round, message)
        dealer = common.dealer
        late = late_folds(self.table, self.round, message["hands"])
        turns = message["hands"] or message.get("close")
        first = self.first_on_dealer() if turns and dealer and not self.round.dealer_done else None
        spoken = hands_by_link(self.table, self.links, self.round, message["hands"])
        for seat in dict.fromkeys(hand["seat"] for hand in message["hands"]):
            if first is not None and (seat <= first or seat in late):
                self.dealer_hand(dealer, common, first)
                first = None
            key = 1 + seat / 100 if seat in late else 2 * seat
            for name in self.table.links:
                self.turn(self.links[name], key)
            for name, hand in spoken:
                if hand["seat"] == seat:
                    self.own_hand(self.links[name], hand, common, key)
        if first is not None:
            self.dealer_hand(dealer, common, first)
        if self.plan.number > AWARDS_MAX:
            raise Refused("too_many")

    def first_on_dealer(self) -> int | None:
        there = (w for w in self.round.wagers if w.live and w.on == "dealer")
        return max((w.seat for w in there if not self.round.lost(w.seat)), default=None)

    def dealer_hand(self, dealer: list[str], common: Common, first: int) -> None:
        """A6: every wager on the dealer's hand at once, at the turn of the first of them."""
        self.plan.steps.append(lambda: setattr(self.round, "dealer_done", True))
        for link in (self.links[name] for name in self.table.links):
            there = [w for w in self.round.live(link.name, "dealer") if not self.round.lost(w.seat)]
            wagers = sorted(there, key=lambda wager: -wager.seat)
            claim = claim_of(self.table, link, {"cards": dealer}, common) if wagers else None
            found = row_of(link, claim) if claim else None
            if wagers:
                self.turn(link, 2 * first + 1)
            if claim is None or found is None:
                continue
            row = found[1]
            hit = self.hit(None, link, claim.name)
            seats = [wager.seat for wager in wagers]
            self.must_stay(seats)
            if row.percent:
                self.percentage(link, found, 2 * first + 1, hit, seats)
            else:
                for seat in seats:
                    self.award(hit, seat, "odds", row.odds * link.wager)

    def own_hand(self, link: Link, hand: Map, common: Common, key: float) -> None:
        seat, board = hand["seat"], common.board
        wager = self.round.at(seat, link.name)
        if self.round.live(link.name, "own"):
            claim = claim_of(self.table, link, hand, common)
            if claim is not None:
                forfeit = hand.get("folded") and forfeits(self.table, link)
                stands = wager is not None and not forfeit and not self.round.lost(seat)
                self.won_by(link, seat, claim, stands, key)
        self.magic_card(link, seat, hand.get("cards", self.round.cards.get(seat, [])), board)
        self.lucky_bonus(link, seat)

    def won_by(self, link: Link, seat: int, claim: Claim, paid: bool, key: float) -> None:
        """The hand's own award if it has a standing wager, and the envy it earns others (A5).

        key: its turn.
        """
        found = row_of(link, claim) if paid else None
        envy = envy_of(self.round.play(link), claim)
        others = self.others(link, seat) if envy is not None else []
        self.must_stay(others)
        if found is None and not others:
            return
        hit = self.hit(seat, link, claim.name, claim.unverified)
        status = PENDING
        if found is not None:
            row = found[1]
            if row.percent:
                self.percentage(link, found, key, hit, [seat])
            else:
                standing = self.round.at(seat, link.name)
                cents = standing.cents if standing is not None else link.wager
                status = self.odds(link, hit, row, row.odds, cents, claim.because).status
        for other in others:
            award = self.award(hit, other, "envy", envy, because=seat)
            award.status = FINAL if status == FINAL else PENDING

    def odds(
        self, link: Link, hit: Hit, row: Row, times: int, cents: int, because: int | None = None
    ) -> Award:
        """The award of a row of fixed odds, for a wager of so many cents."""
        award = self.award(hit, hit.seat or 0, "odds", times * cents, wager=cents)
        award.because = because
        award.stake = cents if row.to_one and link.stake == "returned" else 0
        return award

    def others(self, link: Link, seat: int) -> list[int]:
        """The seats of other players with a wager on the link."""
        mine = self.owners.get(seat)
        seats = sorted((wager.seat for wager in self.round.live(link.name, "own")), reverse=True)
        others = [s for s in seats if s != seat and (mine is None or self.owners.get(s) != mine)]
        return [other for other in others if not self.round.lost(other)]

    def must_stay(self, seats: list[int]) -> None:
        """P6: nobody wins while people have not said whether the seat was abandoned."""
        if self.waits.intersection(seats):
            raise Refused("bad_message")

    # -- draws (A7) ------------------------------------------------------------------------------------

    def magic_card(self, link: Link, seat: int, dealt: list[str], board: list[str]) -> None:
        """Pays the Magic Card: among the seat's own cards that were sent, or on the board, sent or not."""
        drawn = self.round.draws.get(link.name, {}).get("magic_card")
        key = (seat, link.name, "magic-card")
        if drawn is None or key in self.round.paid_draws or self.round.lost(seat):
            return
        if drawn in dealt + board and self.round.at(seat, link.name):
            self.draw(link, key, 20)

    def lucky_bonus(self, link: Link, seat: int) -> None:
        key = (seat, link.name, "lucky-bonus")
        if self.round.draws.get(link.name, {}).get("lucky_box") != seat or key in self.round.paid_draws:
            return
        if self.round.lost(seat):
            return
        if any(wager.seat == seat for wager in self.round.live(link.name)):
            self.draw(link, key, 5)

    def draw(self, link: Link, key: tuple[int, str, str], times: int) -> None:
        hit = self.hit(key[0], link, key[2])
        self.award(hit, key[0], "draw", times * link.wager)
        self.plan.steps.append(lambda: self.round.paid_draws.add(key))

    # -- the close -------------------------------------------------------------------------------------

    def close(self) -> None:
        """The draws of seats left out, or settled before the drawn card was on the board; B10, B13."""
        for name in self.table.links:
            for seat in range(self.table.seats, 0, -1):
                self.magic_card(self.links[name], seat, self.round.cards.get(seat, []), self.round.board)
                self.lucky_bonus(self.links[name], seat)
        if not self.round.ended:
            self.common_hands()

    def common_hands(self) -> None:
        """B10, B13: the offers that one hand decides for every seat, at the first close alone."""
        links = [self.links[name] for name in self.table.links]
        decided = [link for link in links if link.paytable.best_of in AT_CLOSE and self.plays(link)]
        found = {link.name: row_of(link, claim_at_close(link, self.round)) for link in decided}
        for seat in range(self.table.seats, 0, -1):
            for link in decided:
                wager, won = self.round.at(seat, link.name), found[link.name]
                if wager is not None and won is not None and not self.round.lost(seat):
                    row = won[1]
                    hit = self.hit(seat, link, claim_at_close(link, self.round).name)
                    times = row.by_players[self.round.players_dealt - 1] if row.by_players else row.odds
                    self.odds(link, hit, row, times, wager.cents)

    def plays(self, link: Link) -> bool:
        """Whether a wager on it has not lost, as those of abandoned seats have (P6)."""
        return any(not self.round.lost(wager.seat) for wager in self.round.live(link.name))

    def share(self) -> None:
        """Put the shared percentages into the history; after every other step of the close."""
        waiting = sorted(self.round.shared, key=lambda one: (one[0].name, one[1]))
        self.round.shared = []
        for link, index, row, hit, players in waiting:
            seats = [seat for seat in players if hit.seat is not None or not self.round.lost(seat)]
            if not seats:
                continue
            event = self.shared_event(link, index)
            if event is None:
                where = place(link, self.table.name, self.round.number, 1, index)
                event = Event(self.table.name, self.round.number, row.level, row.percent, index, [], True)
                link.facts.insert(where, event)
            event.winners.append([self.award(hit, seat, "meter", None) for seat in seats])
            hit.level, hit.cycle = row.level, cycle_at(link, row.level, link.facts.index(event))
            if hit not in self.plan.hits:
                self.plan.hits.append(hit)

    def shared_event(self, link: Link, index: int) -> Event | None:
        mine = (self.table.name, self.round.number, index)
        for fact in link.facts:
            if isinstance(fact, Event) and fact.shared and (fact.table, fact.round, fact.row) == mine:
                return fact
        return None

    def count_must_hit(self) -> None:
        """Y3: the round's wagers count, from the highest seat down; each may win every level of its link."""
        links = [self.links[name] for name in self.table.links]
        for seat in range(self.table.seats, 0, -1):
            for link in links:
                wager = self.round.at(seat, link.name)
                if wager is None:
                    continue
                for name, meter in link.must_hit.items():
                    wager.counted[name] = meter.cycle
                    won = meter.contribute()
                    if won is not None:
                        hit = self.hit(seat, link, MYSTERY)
                        hit.level, hit.cycle = name, won.cycle
                        self.award(hit, seat, "meter", won.amount // CENT)

    def mark_closed(self) -> None:
        for name in self.table.links:
            self.links[name].facts.append(Turn(self.table.name, self.round.number, CLOSED))
