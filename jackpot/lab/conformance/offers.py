"""Offers of the tester, made from the catalogue alone: a new paytable there needs nothing here."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from msgspec import UNSET

from controllers.answers import AwardFacts, LinkFacts, LinkState, RefundPays, StakeAt
from jackpot.catalogue import Paytable, fold_of, games_of, load, parse_money, rows_of
from jackpot.catalogue.paytables import Placed
from jackpot.rules import cards as deck
from jackpot.rules.hands import (
    DEALS,
    SIX_PLACES,
    CardNeeds,
    CardsShown,
    Ranked,
    beaten,
    best_of_table,
    best_row,
    needs,
    rank_shown,
)
from jackpot.rules.money import to_cents
from jackpot.rules.outgoing_messages import needed
from jackpot.rules.paytable import (
    DECIDED_AT_CLOSE,
    SEATS,
    Fixed,
    ForOne,
    Game,
    HandKind,
    PaytableRow,
    ToOne,
)

# Amounts where the paytable leaves them to the player: chips of five dollars.
LEAST: Final = 500
MOST: Final = 2_500
# The paytables of Trips Wagers of today begin so.
TRIPS: Final = "pa-653a-trips-"
# The six cards of a Six Card Bonus of Ultimate Texas Hold 'Em as the tester names them (B16).
_SIX: Final = tuple(place for place in SIX_PLACES if place[-1] in "12")
# Of these, two of a player, five of the board and two of the dealer, any six are a full house or better.
_NINE: Final = ("As", "Ks", "Ad", "Ah", "Ac", "Kd", "Qs", "Kh", "Kc")
# Deals that are looked through for a hand: the rarest lowest row comes in every fiftieth or so.
DEALS_MAX: Final = 10_000


class Bounds(NamedTuple):
    """The amounts that an offer takes, in cents."""

    least: int
    most: int
    unit: int

    def take(self, amount: int) -> bool:
        return self.least <= amount <= self.most and amount % self.unit == 0


class ConformanceOffer(NamedTuple):
    """An offer of the server that the tester plays.

    games: those that its paytable is for. needs: the cards that its hand counts (B16); six: which six of them
    a Six Card Bonus of Ultimate Texas Hold 'Em does. kind: of hand. own: how many a player may be dealt.
    forfeits: a fold loses the wager (B8). row: the lowest one that pays.
    """

    link: str
    games: tuple[Game, ...]
    bounds: Bounds
    placed: Placed
    kind: HandKind
    needs: CardNeeds
    six: tuple[str, ...]
    own: frozenset[int]
    forfeits: bool
    row: PaytableRow

    @property
    def by_players(self) -> bool:
        """Whether the lock says how many are dealt a hand (B10)."""
        return self.kind == "best-of-table"

    @property
    def at_close(self) -> bool:
        """Whether the close decides its wagers, whatever seats were settled before (B10, B13)."""
        return self.kind in DECIDED_AT_CLOSE

    @property
    def seats(self) -> int:
        """Places of its game's table."""
        return max(SEATS[game] for game in self.games)

    @property
    def counted(self) -> bool:
        """Whether the dealer counts its chips: those on the layout never (B6)."""
        return self.placed == "device"

    @property
    def summed(self) -> bool:
        """Whether the dealer also says what they come to (B3)."""
        return self.counted and self.bounds.least < self.bounds.most

    @property
    def trips(self) -> bool:
        """Whether some voids let its wagers be settled (P5)."""
        return self.link.startswith(TRIPS)

    @property
    def refund_pays(self) -> RefundPays:
        """Where a wager lies that goes back."""
        return "inventory" if self.placed == "device" else "layout"

    def facts(self, state: LinkState) -> LinkFacts:
        """The offer as a welcome has it."""
        least, most, unit = self.bounds
        return LinkFacts(
            self.link,
            wager=least,
            paytable=self.link,
            levels=(),
            state=state,
            least=least,
            most=most,
            unit=unit,
            placed=self.placed,
            count=self.counted,
            needs=needed(self.kind, self.games[0], self.six),
        )

    def lacks(self, shown: CardsShown) -> tuple[str, ...]:
        """The fields of cards that everybody shares, and that are still to be shown (B16).

        Not of a hand's own cards: for those that are not sent a wager has lost (B8).
        """
        return tuple(name for name in self.needs.missing(shown) if name != "own")

    def award(self, seat: int, amount: int) -> AwardFacts:
        """The award of the lowest row for a wager of so many cents (B4)."""
        pays = self.row.pays
        stake_at: StakeAt = "inventory" if self.placed == "device" else "layout"
        to_one = isinstance(pays, ToOne)
        return AwardFacts(
            "A1",
            "H1",
            seat,
            self.link,
            level=None,
            hand=self.row.hand,
            kind="odds",
            amount=paid(self.row, amount),
            pays="inventory",
            status="final",
            unverified=False,
            because=None,
            light=True,
            stake=amount if to_one else UNSET,
            stake_at=stake_at if to_one else UNSET,
        )


def paid(row: PaytableRow, amount: int) -> int:
    """What a row pays for a wager, in cents both (B4)."""
    pays = row.pays
    if isinstance(pays, Fixed):
        return to_cents(pays.amount)
    return pays.n * amount if isinstance(pays, ToOne | ForOne) else 0


def offer_of(paytable: str) -> ConformanceOffer:
    """An offer of this paytable, on the device where its source lets it. Raises CatalogueError."""
    table = load(paytable)
    games = games_of(table)
    printed = [to_cents(parse_money(text)) for text in table.wagers]
    bounds = Bounds(printed[0], printed[0], printed[0]) if printed else Bounds(LEAST, MOST, LEAST)
    six = _SIX if table.cards_open else ()
    return ConformanceOffer(
        table.id,
        games,
        bounds,
        "device" if "device" in table.placed else "layout",
        table.hand,
        needs(table.hand, games[0], six),
        six,
        frozenset(DEALS[game].own for game in games),
        any(fold_of(table, game) == "forfeits" for game in games),
        rows_of(table)[-1],
    )


class WinningDeal(NamedTuple):
    """A deal of one player that wins. hands: what it may be called. row: the lowest that may pay it."""

    hands: frozenset[str]
    row: PaytableRow
    shown: CardsShown


def winning_deal(paytable: str) -> WinningDeal | None:
    """A deal that wins by the paytable; None where none was found."""
    table = load(paytable)
    game = games_of(table)[0]
    rows, deal, rng = rows_of(table), DEALS[game], Random(paytable)
    counts = deal.own, deal.boards[-1], deal.dealer, deal.bonus
    if table.cards_open:
        shown = _dealt(deck.parse_all(_NINE), counts)
        return WinningDeal(frozenset(("full-house", "four-of-a-kind")), _row(rows, "full-house"), shown)
    for _ in range(DEALS_MAX):
        shown = _dealt(rng.sample(range(deck.DECK), sum(counts)), counts)
        ranked = _ranked(table, game, shown)
        row = best_row(rows, ranked) if ranked else None
        if ranked is not None and row == rows[-1]:
            return WinningDeal(frozenset((ranked.name,)), row, shown)
    return None


def _row(rows: Sequence[PaytableRow], hand: str) -> PaytableRow:
    return next(row for row in rows if row.hand == hand)


def _ranked(table: Paytable, game: Game, shown: CardsShown) -> Ranked | None:
    """The hand that decides the wager of a round's only player."""
    if table.hand == "best-of-table":
        return best_of_table([shown.own], shown.board)
    if table.hand == "beaten":
        lost = beaten(shown.own, shown.dealer, shown.board)
        return lost.ranked if lost else None
    return rank_shown(table.hand, game, shown)


def _dealt(cards: Sequence[int], counts: Sequence[int]) -> CardsShown:
    """The cards in order, dealt out by these counts."""
    dealt, rest = [], tuple(cards)
    for count in counts:
        dealt.append(rest[:count])
        rest = rest[count:]
    return CardsShown(*dealt)
