"""Links and tables of the simulated houses, opened alike in the real bank and in the model.

Every house mixes what is easily got wrong together: links shared by several games, two links at a table,
shares, reserves, limits with overflow, odds that are final at once, counted chips, draws; and in two of them
offers next to the links, on the device and on the layout. Two more houses have mysteries next to all that, of
either form, tables of any game, and players who leave in the middle of a round.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeGuard

from msgspec.structs import replace as replace_struct

from jackpot.catalogue import LevelEntry, LinkEntry, fold_of, load, parse_money, resolve, rows_of
from jackpot.catalogue.terms import TermsRefused
from jackpot.rules.paytable import ANY, ForOne, Game, LevelTerms, LinkTerms, TableTerms, ToOne
from jackpot.rules.phrases import Fault
from jackpot.rules.terms import check_link
from tests.faults.model import Model
from tests.faults.model_must_hit import MYSTERY
from tests.faults.model_mystery import Terms

BANK: Final = "main"
DOLLAR: Final = 1_000_000
# The model's terms where they differ from the protocol's.
GAME_OF_MODEL: Final = {
    "three-card-poker": "three-card",
    "four-card-poker": "four-card",
    "criss-cross-poker": "criss-cross",
}
UNNAMED: Final = "meter"
# The sums of an offer's options.
OF_OFFER: Final = ("most", "unit", "validate_at", "cage_at")
# A link that no table plays: people move money to it, and may close it.
SPARE: Final = "spare"
# What a link has of which its plan says nothing, in the model's words.
UNSAID: Final[dict[str, Any]] = {
    "simultaneous": "order",
    "count_chips": False,
    "hold_table": True,
    "magic_every": 0,
    "lucky_every": 0,
    "floor_to_seed": False,
    "validate_at_cents": None,
}


@dataclass(frozen=True)
class LinkPlan:
    """One link, or an offer. wager: in dollars, of an offer its least.

    levels: name -> what its paytable leaves open, rates in percent, sums in dollars.
    """

    link: str
    paytable: str
    wager: int = 1
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def offer(self) -> bool:
        """Whether no meter pays it (B1)."""
        return not self.mystery and load(self.paytable).use == "offer"

    @property
    def mystery(self) -> bool:
        """Whether its levels must hit by a sum, whatever the cards (Y1)."""
        return self.paytable == MYSTERY

    @property
    def electronic(self) -> bool:
        """Whether its wagers are no chips, so that nobody counts them."""
        return "hand-bonus" in self.paytable or bool(self.options.get("electronic", False))

    @property
    def counted(self) -> bool:
        """Whether the dealer owes its count (T3, Y10)."""
        return bool(self.options.get("count_chips", self.mystery and not self.electronic))

    @property
    def amounts(self) -> range:
        """What a seat may wager, in cents (B3)."""
        least = self.wager * 100
        most, unit = (_cents(self.options.get(name, f"{self.wager}.00")) for name in ("most", "unit"))
        return range(least, most + 1, unit)

    @property
    def on_device(self) -> bool:
        return bool(self.options.get("placed", "device") == "device")

    def terms(self) -> LinkTerms:
        """The link's terms as the real bank opens them, through the catalogue."""
        if self.offer:
            return self._offered()
        if self.mystery:
            return self._must_hit()
        return resolve(
            LinkEntry(
                id=self.link,
                bank=BANK,
                paytable=self.paytable,
                wager=f"{self.wager}.00",
                level={name: LevelEntry(**level) for name, level in self.levels.items()},
                notice_days=0,  # the model knows no notices (P2)
                **self.options,
            )
        )

    def _offered(self) -> LinkTerms:
        """The terms of an offer; what they leave open is in the options."""
        table, options = load(self.paytable), dict(self.options)
        sums: dict[str, Any] = {name: parse_money(options.pop(name)) for name in OF_OFFER if name in options}
        rows = rows_of(table)
        if options.pop("stake", "returned") == "kept":
            rows = tuple(replace_struct(row, pays=ForOne(row.pays.n)) for row in rows if _to_one(row.pays))
        folds = [fold for game in table.games if (fold := fold_of(table, game)) != "none"]
        return LinkTerms(
            link=self.link,
            bank=BANK,
            paytable=table.id,
            wager=self.wager * DOLLAR,
            hand_kind=table.hand,
            levels=(),
            rows=rows,
            always_validate_for=500,
            fold=folds[0] if folds else "game",
            **sums,
            **options,
        )

    def _must_hit(self) -> LinkTerms:
        """The terms of a mystery, whose rules are checked as a configuration's (Y1, Y10)."""
        levels = tuple(
            LevelTerms(name, terms.rate, 0, terms.minimum, terms.minimum, must_hit_by=terms.must_hit_by)
            for name, terms in self.must_hit_terms().items()
        )
        terms = LinkTerms(
            link=self.link,
            bank=BANK,
            paytable=MYSTERY,
            wager=self.wager * DOLLAR,
            hand_kind="mystery",
            levels=levels,
            rows=(),
            electronic=self.electronic,
            count_chips=self.counted,
            hold_table=self.options.get("hold_table", False),
            form=self.options["form"],
        )
        try:
            check_link(terms)
        except Fault as fault:
            raise TermsRefused([("levels", str(fault))]) from fault
        return terms

    def must_hit_terms(self) -> dict[str, Terms]:
        """Of a mystery, each level's terms by its name, as the model has them."""
        return {
            name: Terms(
                parse_money(level["seed"]),
                parse_money(level["must_hit_by"]),
                self.wager * DOLLAR,
                round(float(level["primary"].rstrip("%")) * 100),
            )
            for name, level in self.levels.items()
        }

    def open(self, model: Model) -> None:
        """Opens the link in the model, from its own paytables."""
        if self.mystery:
            levels = {model_level(name): terms for name, terms in self.must_hit_terms().items()}
            model.open_must_hit(
                self.link,
                self.options["form"],
                self.wager * 100,
                levels,
                electronic=self.electronic,
                hold_table=self.options.get("hold_table", False),
            )
            return
        model.open_link(self.link, self.paytable, self.wager * 100, **self._given())

    def change(self) -> dict[str, Any]:
        """The changeable terms of the link, as the model takes them."""
        if self.mystery:
            must_hit = {model_level(name): terms for name, terms in self.must_hit_terms().items()}
            return {"must_hit": must_hit, "hold_table": self.options.get("hold_table", False)}
        given = {**UNSAID, **self._given()}
        levels = dict.fromkeys(map(model_level, self.levels))
        return {**given, "limit": {**levels, **given.get("limit", {})}}

    def _given(self) -> dict[str, Any]:
        """The terms that are not the paytable's, in the model's terms and units."""
        options = dict(self.options)
        given: dict[str, Any] = {}
        for name, level in self.levels.items():
            for key, text in level.items():
                unit = 100 if text.endswith("%") else DOLLAR
                if key != "limit_approval":
                    given.setdefault(key, {})[model_level(name)] = round(float(text.rstrip("%")) * unit)
        if "validate_at" in options:
            options["validate_at_cents"] = round(float(options.pop("validate_at")) * 100)
        if "magic_card_every" in options:
            options["magic_every"] = options.pop("magic_card_every")
        for name in ("most", "unit", "cage_at"):
            if name in options:
                options[name] = _cents(options[name])
        return {**given, **options}


def _cents(text: str) -> int:
    return parse_money(text) // 10_000


def _to_one(pays: object) -> TypeGuard[ToOne]:
    return isinstance(pays, ToOne)


def model_level(name: str) -> str:
    """The model calls the one unnamed level by an empty name (L3)."""
    return "" if name == UNNAMED else name


def server_level(name: str) -> str:
    """And what the server calls a level of the model."""
    return name or UNNAMED


@dataclass(frozen=True)
class TablePlan:
    table: str
    game: Game
    links: tuple[str, ...]
    seats: int = 7
    per_minute: int = 0  # rounds; a table with mysteries has a limit (Y10), here one that it never reaches

    def terms(self) -> TableTerms:
        return TableTerms(
            self.table, self.game, self.seats, self.links, max_rounds_per_minute=self.per_minute
        )

    def open(self, model: Model) -> None:
        model.add_table(self.table, GAME_OF_MODEL.get(self.game, self.game), self.seats, list(self.links))


@dataclass(frozen=True)
class House:
    """leaves: how often a player leaves in the middle of a round (P6)."""

    links: tuple[LinkPlan, ...]
    tables: tuple[TablePlan, ...]
    leaves: float = 0.0

    @property
    def honest(self) -> tuple[TablePlan, ...]:
        """The tables that are not stolen."""
        return tuple(plan for plan in self.tables if plan.table != STOLEN)

    def link(self, name: str) -> LinkPlan:
        return next(link for link in self.links if link.link == name)


# Chips on a betting area, of five dollars each; some awards wait, and the highest are the cage's.
ON_LAYOUT: Final = {
    "placed": "layout",
    "most": "25.00",
    "unit": "5.00",
    "validate_at": "300.00",
    "cage_at": "600.00",
}

TWO_GAMES: Final = House(
    links=(
        LinkPlan("five", "pa-643a-five-card-C", options={"validate_at": "60.00"}),
        LinkPlan(
            "bonus",
            "pa-653a-five-card-hand-bonus",
            options={"simultaneous": "share", "validate_at": "75.00"},
        ),
        LinkPlan("three", "pa-643a-three-card-A", wager=5),
        LinkPlan(SPARE, "pa-643a-five-card-C"),
        LinkPlan(
            "fixed",
            "pa-643a-five-card-bonus-C",
            options={
                "most": "5.00",
                "unit": "1.00",
                "count_chips": True,
                "stake": "kept",
                "validate_at": "200.00",
                "cage_at": "2000.00",
            },
        ),
        LinkPlan("own-three", "pa-643a-three-card-bonus-A", wager=5, options=ON_LAYOUT),
        LinkPlan("trips", "pa-653a-trips-A", wager=5, options={**ON_LAYOUT, "hold_table": False}),
    ),
    tables=(
        TablePlan("T1", "let-it-ride", ("five", "three", "fixed")),
        TablePlan("T2", "let-it-ride", ("five", "own-three")),
        TablePlan("T3", "ultimate-texas-holdem", ("bonus",), seats=6),
        TablePlan("T4", "ultimate-texas-holdem", ("five", "bonus", "trips"), seats=6),
        TablePlan("T5", "let-it-ride", ("fixed", "own-three")),
    ),
)

MASSACHUSETTS: Final = House(
    links=(
        LinkPlan(
            "mass",
            "ma-PTMGLML03",
            levels={
                "mega": {"primary": "11.11%", "limit": "10050.00", "limit_approval": "house"},
                "major": {"primary": "7.07%", "limit": "1003.00", "limit_approval": "house"},
                "minor": {"primary": "3.33%"},
            },
            options={"simultaneous": "share", "hold_table": False},
        ),
        LinkPlan(
            "lir",
            "ma-lir-progressive",
            levels={UNNAMED: {"primary": "12.34%", "seed": "500.00", "reseed": "300.00"}},
            options={"floor_to_seed": True, "count_chips": True},
        ),
        LinkPlan(
            "box",
            "pa-643a-five-card-hand-bonus",
            levels={UNNAMED: {"limit": "10080.00", "limit_approval": "house"}},
            options={"magic_card_every": 2, "lucky_every": 3},
        ),
    ),
    tables=(
        TablePlan("T1", "let-it-ride", ("mass", "lir")),
        TablePlan("T2", "let-it-ride", ("mass", "box")),
        TablePlan("T3", "let-it-ride", ("lir",)),
        TablePlan("T4", "let-it-ride", ("mass", "lir", "box")),
    ),
)

FOUR_AND_THREE: Final = House(
    links=(
        LinkPlan(
            "four",
            "pa-641a-2011-progressive-A",
            wager=5,
            levels={UNNAMED: {"primary": "20%", "seed": "5000.00", "reseed": "6000.00"}},
            options={"envy": "A", "count_chips": True},
        ),
        LinkPlan(
            "three",
            "pa-649a-2011-progressive-B",
            levels={
                UNNAMED: {"primary": "21%", "seed": "1000.00", "reseed": "1200.00", "limit": "1300.00"},
            },
            options={"validate_at": "95.00"},
        ),
        LinkPlan("pairs", "pa-649a-2011-pair-plus-B", wager=5, options=ON_LAYOUT),
        LinkPlan("aces", "pa-641a-2011-aces-up-A", wager=5, options=ON_LAYOUT),
    ),
    tables=(
        TablePlan("T1", "four-card-poker", ("four", "aces")),
        TablePlan("T2", "three-card-poker", ("three", "pairs")),
        TablePlan("T3", "three-card-poker", ("three",), seats=5),
        TablePlan("T4", "four-card-poker", ("four",), seats=3),
    ),
)

# A cycle takes at most thirteen wagers, and some leave a residue; of two levels a wager may win both (Y6).
ONE_LEVEL: Final = {UNNAMED: {"seed": "10.00", "must_hit_by": "12.03", "primary": "3.33%"}}
TWO_LEVELS: Final = {
    "mega": {"seed": "15.00", "must_hit_by": "20.00", "primary": "12%"},
    "minor": {"seed": "0.00", "must_hit_by": "1.50", "primary": "5%"},
}
# Rounds a minute that no table here reaches.
MANY: Final = 1_000_000

COMMITTED_MYSTERIES: Final = House(
    links=(
        LinkPlan("five", "pa-643a-five-card-C", options={"validate_at": "60.00"}),
        LinkPlan("hit", MYSTERY, 5, ONE_LEVEL, {"form": "committed", "electronic": True}),
        LinkPlan("two", MYSTERY, 5, TWO_LEVELS, {"form": "committed", "hold_table": True}),
        LinkPlan(SPARE, MYSTERY, 5, ONE_LEVEL, {"form": "committed"}),
        LinkPlan("own-three", "pa-643a-three-card-bonus-A", wager=5, options=ON_LAYOUT),
        LinkPlan("trips", "pa-653a-trips-A", wager=5, options={**ON_LAYOUT, "hold_table": False}),
    ),
    tables=(
        TablePlan("T1", "let-it-ride", ("five", "hit", "own-three"), per_minute=MANY),
        TablePlan("T2", "ultimate-texas-holdem", ("five", "trips", "two"), seats=6, per_minute=MANY),
        TablePlan("T3", ANY, ("hit", "two"), seats=4, per_minute=MANY),
        TablePlan("T4", "let-it-ride", ("own-three",)),
    ),
    leaves=0.05,
)

BOTH_FORMS: Final = House(
    links=(
        LinkPlan("luck", MYSTERY, 5, TWO_LEVELS, {"form": "drawn", "electronic": True}),
        LinkPlan("hit", MYSTERY, 5, ONE_LEVEL, {"form": "committed"}),
        LinkPlan(
            "box",
            "pa-643a-five-card-hand-bonus",
            levels={UNNAMED: {"limit": "10080.00", "limit_approval": "house"}},
            options={"magic_card_every": 2, "lucky_every": 3},
        ),
        LinkPlan(SPARE, "pa-643a-five-card-C"),
        LinkPlan("chance", MYSTERY, 5, ONE_LEVEL, {"form": "drawn"}),
        LinkPlan("pairs", "pa-649a-2011-pair-plus-B", wager=5, options=ON_LAYOUT),
    ),
    tables=(
        TablePlan("T1", "let-it-ride", ("luck", "box"), per_minute=MANY),
        TablePlan("T2", "three-card-poker", ("pairs", "chance", "hit"), per_minute=MANY),
        TablePlan("T3", ANY, ("luck", "chance"), seats=5, per_minute=MANY),
        TablePlan("T4", "let-it-ride", ("hit", "box"), seats=5, per_minute=MANY),
    ),
    leaves=0.05,
)

# The stolen table: of the game and the links of the first one.
STOLEN: Final = "TX"


def _with_stolen(house: House) -> House:
    return replace(house, tables=(*house.tables, replace(house.tables[0], table=STOLEN)))


HOUSES: Final = tuple(_with_stolen(house) for house in (TWO_GAMES, MASSACHUSETTS, FOUR_AND_THREE))
MYSTERIES: Final = tuple(_with_stolen(house) for house in (COMMITTED_MYSTERIES, BOTH_FORMS))
# From this seed on the houses have mysteries.
MYSTERIES_FROM: Final = 1_000_000


def house_of(seed: int) -> House:
    """The house that a run of this seed plays."""
    houses = HOUSES if seed < MYSTERIES_FROM else MYSTERIES
    return houses[seed % len(houses)]


def keys(_role: str, device: str) -> list[bytes]:
    """Every device's key is its name."""
    return [device.encode().ljust(32, b"\1")]
