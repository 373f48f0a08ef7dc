"""Terms of a link: the resolved paytable, as `link_opened` journals it.

Nothing here reads a catalogue: replay and verification know a link by these terms alone.
"""

from typing import Final, Literal

import msgspec

HandKind = Literal[
    "three",
    "four",
    "five-flop",
    "five-best",
    "six",
    "five-board",
    "best-of-table",
    "beaten",
    "winning",
    "five-line",
    "mystery",
]
"""Which cards make the hand (H2, B16).

three: the player's three. four: the best four of the player's five. five-flop: the player's three and
two community cards (Let It Ride) or two and the three-card flop (Ultimate Texas Hold 'Em).
five-best: the best five of the seven cards of Ultimate Texas Hold 'Em (a progressive of 2011, Trips).

Of bonus wagers alone: six: the best five of six cards, or all six as a six-card royal flush (Six Card
Bonus). five-board: the five community cards (Criss-Cross Five Card Bonus, B13). best-of-table: the highest
five-flop of all players (Cover All, B10). beaten: the lower five-best of player and dealer (Bad Beat, B11).

Of base wagers, which no table sends (B2): winning: the player's five-best that beats the dealer's (Blind).
five-line: the player's two and the three community cards of a line (Criss-Cross).

mystery: none. What a link pays whose levels must hit by a sum, whatever the cards (Y1).
"""

Game = Literal[
    "let-it-ride",
    "ultimate-texas-holdem",
    "three-card-poker",
    "four-card-poker",
    "criss-cross-poker",
    "any",
]
"""What a table plays. any: a game of any name, of which only wagers are sent (Y7)."""

ANY: Final = "any"

# Betting positions a game has by its own section (L11); of a game of any name, as many as seats have numbers.
SEATS: dict[Game, int] = {
    "let-it-ride": 7,
    "three-card-poker": 7,
    "four-card-poker": 7,
    "ultimate-texas-holdem": 6,
    "criss-cross-poker": 6,
    "any": 16,
}

Fold = Literal["none", "stands", "forfeits"]
"""What a fold does to a wager: the game has none, the wager stands, or it is lost (T8)."""

# What a fold does to the wager of a link (T8), by the game that the table plays: a link may join two games
# whose paytables are equal row for row (L1), and only one of them may know a fold. A bonus wager has its own
# (B8): `catalogue.fold_of`.
FOLD: dict[Game, Fold] = {
    "let-it-ride": "none",
    "ultimate-texas-holdem": "stands",
    "three-card-poker": "forfeits",
    "four-card-poker": "forfeits",
    "criss-cross-poker": "stands",
    "any": "none",
}


# The ids of its paytables begin so.
MASSACHUSETTS: Final = "ma-"


class Percent(msgspec.Struct, frozen=True, array_like=True, tag="percent"):
    """A share of a level's meter (A1): `rate` in basis points, 10_000 is the whole meter."""

    level: str
    rate: int


class ForOne(msgspec.Struct, frozen=True, array_like=True, tag="for"):
    """N for 1 (A1): n times the wager, which is not returned."""

    n: int


class ToOne(msgspec.Struct, frozen=True, array_like=True, tag="to"):
    """N to 1 (A1): n times the wager, which is returned."""

    n: int


class Fixed(msgspec.Struct, frozen=True, array_like=True, tag="fixed"):
    """A fixed sum (A1), in micro-dollars, whatever the wager."""

    amount: int


Pays = Percent | ForOne | ToOne | Fixed


class PaytableRow(msgspec.Struct, frozen=True, array_like=True):
    """One row of a paytable, the best row first.

    hand: a hand's name as on the wire. suits: the suits it is for ("s", "hdc"), empty for all. least: the
    lowest rank of a pair that it pays ("T"), empty for all. by_players: the N of "N to 1" by how many players
    the round has, one player first (Cover All); `pays` is then that of one, and `row_for` the row of a round.
    """

    hand: str
    pays: Pays
    suits: str = ""
    least: str = ""
    by_players: tuple[int, ...] = ()


def row_for(row: PaytableRow, players: int) -> PaytableRow:
    """The row as a round of so many players pays it (B10): with one payout, whatever it has by players."""
    if not row.by_players:
        return row
    return msgspec.structs.replace(row, pays=ToOne(row.by_players[players - 1]), by_players=())


OFFER_KINDS: Final[frozenset[HandKind]] = frozenset(("six", "five-board", "best-of-table", "beaten"))
"""Hands of bonus wagers alone: no link with levels has one (L1, B1)."""

DECIDED_AT_CLOSE: Final[frozenset[HandKind]] = frozenset(("five-board", "best-of-table"))
"""Hands that no seat has at its turn: the round's close pays each wager on them, folded or not (B10, B13)."""


class EnvyRow(msgspec.Struct, frozen=True, array_like=True):
    """The envy bonus of each other player's wager for one qualifying hand (A5).

    amount: micro-dollars for this link's wager.
    """

    hand: str
    amount: int
    suits: str = ""


class LevelTerms(msgspec.Struct, frozen=True, array_like=True):
    """One level of a link (L3-L7): rates in basis points, sums in micro-dollars for this link's wager.

    must_hit_by: the highest sum that a mystery level shows (Y1), None of any other.
    """

    level: str
    primary: int
    reserve: int
    seed: int
    reseed: int
    limit: int | None = None
    must_hit_by: int | None = None


Form = Literal["", "drawn", "committed"]
"""How it is decided which wager wins a mystery level (Y2); "" of any other link.

drawn: by a number that each wager draws for itself. committed: by a trigger that was fixed before.
"""


class LinkTerms(msgspec.Struct, frozen=True, array_like=True):
    """All that a link's play depends on (L1-L9); journalled whole when the link opens.

    wager: micro-dollars. rows, envy: best first. electronic: placed from a game account (Five Card
    Hand Bonus). dealer_hand: a wager may be placed on the dealer's hand (A6). validate_at: odds awards
    below this sum are final at once (A10), None: everything waits. magic_every, lucky_every: one
    chance in N a round (A7), 0: off. magic_for, lucky_for: their N for 1. notice_days: so many days before it
    is withdrawn, or a limit of it lowered, people announce that (P2).

    A link without levels is an offer (B1): `most` to `cards` are for it, and a link with levels has none of
    them. Its wager may be `wager` to `most`, in whole multiples of `unit` (B3). most 0: exactly the wager.
    placed: where it lies (B2). fold: what it does to the wager, `game` where that decides (B8). cage_at:
    awards of this sum are the cage's (B15), None: none is. cards: of a Six Card Bonus of Ultimate Texas Hold
    'Em the places of its six (`hands.SIX_PLACES`), which its approval names (B16).

    form: of a link whose levels must hit by a sum. It has no rows, and pays no hand (Y1).
    """

    link: str
    bank: str
    paytable: str
    wager: int
    hand_kind: HandKind
    levels: tuple[LevelTerms, ...]
    rows: tuple[PaytableRow, ...]
    envy: tuple[EnvyRow, ...] = ()
    electronic: bool = False
    dealer_hand: bool = False
    simultaneous: Literal["order", "share"] = "order"
    floor_to_seed: bool = False
    validate_at: int | None = None
    always_validate_for: int | None = None
    count_chips: bool = False
    hold_table: bool = True
    magic_every: int = 0
    lucky_every: int = 0
    magic_for: int = 0
    lucky_for: int = 0
    most: int = 0
    unit: int = 0
    placed: Literal["device", "layout"] = "device"
    fold: Literal["game", "stands", "forfeits"] = "game"
    cage_at: int | None = None
    cards: tuple[str, ...] = ()
    notice_days: int = 0
    form: Form = ""

    @property
    def mystery(self) -> bool:
        """Whether its levels must hit by a sum, whatever the cards (Y1)."""
        return self.form != ""

    @property
    def offer(self) -> bool:
        """Whether it has no meter, so that the house alone pays it (B1)."""
        return not self.levels

    @property
    def of_massachusetts(self) -> bool:
        """Whether it is played by the rules of Massachusetts; any other link by those of Pennsylvania."""
        return self.paytable.startswith(MASSACHUSETTS)

    @property
    def has_chips(self) -> bool:
        """Whether its wagers are chips on the device, which the dealer counts at the lock (T3, B6)."""
        return self.placed == "device" and not self.electronic

    def takes(self, amount: int) -> bool:
        """Whether a wager may have that amount, in micro-dollars (T2, B3)."""
        if not self.most:
            return amount == self.wager
        return self.wager <= amount <= self.most and amount % self.unit == 0

    def forfeits(self, game: Game) -> bool:
        """Whether a fold loses the wager (T8, B8)."""
        return (FOLD[game] if self.fold == "game" else self.fold) == "forfeits"


PairPlus = Literal["ante", "half-ante", "both"]
"""What a holder may ask of a Pair Plus Wager: an Ante of its amount, of half of it, or both wagers (B7)."""


class TableTerms(msgspec.Struct, frozen=True, array_like=True):
    """A table and its links (L2). seats: its betting positions. links: in settlement order.

    max_rounds_per_minute: 0 is off (L11). payout_limit: what its base wagers pay at most, in micro-dollars,
    None for no limit (P1). notice_days: so many days before that is lowered people announce it (P2).
    base_wagers: paytables of what the table's own game pays, Ante Bonus and Blind among them; pair_plus: what
    a Pair Plus Wager needs besides (B7). Both are posted, and nothing here is decided by them (B2).
    """

    table: str
    game: Game
    seats: int
    links: tuple[str, ...]
    adjacent_boxes: int = 2
    max_rounds_per_minute: int = 0
    payout_limit: int | None = None
    notice_days: int = 0
    base_wagers: tuple[str, ...] = ()
    pair_plus: PairPlus | None = None
