"""Offers of the tester, made from the catalogue alone: a new paytable there needs nothing here."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from msgspec import UNSET

from controllers.answers import AwardFacts, LinkFacts, LinkState, RefundPays, StakeAt
from jackpot.catalogue import Paytable, fold_of, games_of, load, parse_money, rows_of
from jackpot.catalogue.paytables import Placed
from jackpot.rules import cards as deck
from jackpot.rules.hands import DEALS, Needs, Shown, best_row, makes, needs, rank_shown
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import Fixed, ForOne, Game, PaytableRow, ToOne

# Amounts where the paytable leaves them to the player: chips of five dollars.
LEAST: Final = 500
MOST: Final = 2_500
# The paytables of Trips Wagers of today begin so.
TRIPS: Final = "pa-653a-trips-"
# Deals that are looked through for a hand: the rarest lowest row comes in every fifth or so.
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

    needs: the cards that its hand counts (B16). own: how many a player may be dealt. forfeits: a fold loses
    the wager (B8). row: the lowest one that pays.
    """

    link: str
    bounds: Bounds
    placed: Placed
    needs: Needs
    own: frozenset[int]
    forfeits: bool
    row: PaytableRow

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
        )

    def lacks(self, shown: Shown) -> tuple[str, ...]:
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
    return ConformanceOffer(
        table.id,
        bounds,
        "device" if "device" in table.placed else "layout",
        _needs(table, games[0]),
        frozenset(DEALS[game].own for game in games),
        any(fold_of(table, game) == "forfeits" for game in games),
        rows_of(table)[-1],
    )


def _needs(table: Paytable, game: Game) -> Needs:
    """The cards that the hand counts; none are known where the configuration names them (B16)."""
    return Needs() if table.cards_open else needs(table.hand, game)


def winning_deal(paytable: str) -> tuple[PaytableRow, Shown] | None:
    """A deal that wins by the paytable, with the row; None where a hand of one seat does not decide."""
    table = load(paytable)
    game = next((game for game in games_of(table) if makes(table.hand, game)), None)
    if game is None or table.cards_open or table.hand in ("best-of-table", "beaten"):
        return None
    rows, deal, rng = rows_of(table), DEALS[game], Random(paytable)
    counts = deal.own, deal.boards[-1], deal.dealer, deal.bonus
    for _ in range(DEALS_MAX):
        shown = _dealt(rng.sample(range(deck.DECK), sum(counts)), counts)
        ranked = rank_shown(table.hand, game, shown)
        row = best_row(rows, ranked) if ranked else None
        if row == rows[-1]:
            return row, shown
    return None


def _dealt(cards: Sequence[int], counts: Sequence[int]) -> Shown:
    """The cards in order, dealt out by these counts."""
    dealt, rest = [], tuple(cards)
    for count in counts:
        dealt.append(rest[:count])
        rest = rest[count:]
    return Shown(*dealt)
