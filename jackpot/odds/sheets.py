"""How is an analysis told? As sheets of named columns, one form for the terminal, pages, CSV and JSON."""

from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from jackpot.catalogue import load, money_text, odds_of, rate_text
from jackpot.odds.analysis import Analysis, LevelFound, RowFound
from jackpot.odds.chances import NOTHING, hand_chances
from jackpot.rules.money import BASIS_POINTS, MICROS_PER_UNIT
from jackpot.rules.paytable import Fixed, ForOne, LevelTerms, Pays, Percent
from jackpot.words import counted, words
from jackpot.words import game as name_of_game

Kind = Literal["text", "name", "count", "sum", "chance", "part", "number"]
"""Of a cell: a text, a name of ours such as "royal-flush", a whole number, micro-dollars, a chance or a
part of the wager, and any other number."""
Cell = str | int | Fraction | None

# Of what a filing asks, in its own words: no award may be rarer (N.J.A.C. 13:69D-1.52(e)).
RAREST: Final = 100_000_000
_FILING_SOURCES: Final = (
    "N.J.A.C. 13:69D-1.52(e): initial and reset amounts, rate, probability not worse than 100,000,000 to 1.",
    "COMAR 36.05.03.24 B and C: kind of link, limit and probability of each jackpot.",
)
# Rounds that a hit frequency is told for.
ROUNDS: Final = 100_000
# Significant digits of a number that leaves: more than any reader needs, fewer than look like a promise.
_DIGITS: Final = Context(prec=12)
_FEW_DIGITS: Final = Context(prec=3)


_OF_RETURN: Final = (
    "A level pays what its meter shows when the hand is paid, the wagers of that round among it.",
    "Reserve and overflow are in no award: the next cycle begins with them.",
    "The house edge is what a wager loses on average. A part of it goes onto the meters, not to the house.",
)

# How a sum of micro-dollars is written.
Money = Callable[[int], str]


def dollars(micros: int) -> str:
    """As the catalogue's sources write sums."""
    return f"${money_text(micros)}"


class Column(NamedTuple):
    name: str
    kind: Kind = "text"


class Sheet(NamedTuple):
    """rows: each as long as the columns. notes: sentences below them."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def sheets_of(found: Analysis, money: Money = dollars) -> list[Sheet]:
    """Everything that is known, in the order in which people ask for it. Empty sheets are left out."""
    made = (make(found, money) for make in _SHEETS)
    return [sheet for sheet in made if sheet.rows]


def decimal(value: Fraction, digits: Context = _DIGITS) -> str:
    """A number to so many digits, never in powers of ten: "0.00000153907716933"."""
    return format(digits.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(), "f")


def exact(kind: Kind, value: Cell) -> str | int | None:
    """A cell for programs. Sums are decimal strings in units of the currency, numbers as in `decimal`."""
    if kind == "sum" and isinstance(value, int | Fraction):
        return decimal(Fraction(value) / MICROS_PER_UNIT)
    if kind == "chance" and isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return decimal(value) if isinstance(value, Fraction) else value


def shown(kind: Kind, value: Cell, money: Money = dollars) -> str:
    """A cell for people: a sum is cut to the cent."""
    match kind, value:
        case _, None:
            return ""
        case "name", str():
            return words(value)
        case "sum", int() | Fraction():
            return money(int(value))
        case "part", Fraction():
            return _percent(value)
        case "chance", Fraction():
            return f"{value.numerator:,} in {value.denominator:,}"
        case _, int():
            return f"{value:,}"
        case _, Fraction():
            if value.denominator == 1:
                return f"{value.numerator:,}"
            return f"{float(value):,.2f}" if abs(value) >= 1 else decimal(value, _FEW_DIGITS)
    return str(value)


def _percent(part: Fraction) -> str:
    """Rounded, so that parts of a whole add up to about the whole: "39.30 %"."""
    return f"{Decimal(round(part * BASIS_POINTS)) / 100:.2f} %"


def facts_of(found: Analysis, money: Money = dollars) -> list[tuple[str, str]]:
    """What was analysed, line by line."""
    terms, game, opened = found.subject
    table = load(terms.paytable)
    facts = [
        ("paytable", f"{table.id}, {table.title}"),
        ("source", f"{table.source} ({table.jurisdiction}, {table.status})"),
        ("game", name_of_game(game)),
        (
            "cards",
            f"{odds_of(terms.hand_kind).cards}; {odds_of(terms.hand_kind).deals:,} deals, each counted",
        ),
        ("wager", money(terms.wager)),
        ("players", f"{found.tonight.players}, each dealt a hand"),
        ("wagers an hour", f"{found.tonight.wagers_an_hour:,} on the whole link"),
    ]
    figures = sorted(name for name in opened if name != "envy")
    if figures:
        facts.append(("left open", f"{', '.join(figures)}: the operator's; taken as 0 or left out"))
    if "envy" in opened:
        facts.append(("envy", "left out: none is printed for this wager"))
    return facts


def brief(found: Analysis) -> list[tuple[str, str]]:
    """Return, hit frequency and break-even meter, a line each."""
    terms = found.subject.terms
    meters = ", ".join(f"{one.terms.level} {_percent(one.part)}" for one in found.levels)
    hits = ", ".join(f"{one.terms.level} 1 in {shown('number', 1 / one.chance)}" for one in found.levels)
    even = ", ".join(f"{one.terms.level} {shown('sum', one.break_even)}" for one in found.levels)
    at = f"at {shown('sum', terms.wager)}, one player"
    start = "the meters at their seeds"
    if any(name.endswith(".seed") for name in found.subject.open):
        start = "without the meters, whose seeds are the operator's"
    return [
        ("return", f"{_percent(found.total)} {at}, {start} (fixed pays {_percent(found.odds)}, {meters})"),
        ("hit frequency", f"1 in {shown('number', 1 / found.hit)} wagers is paid; {hits}"),
        (
            "break-even meter",
            f"{even}{', each with the others at their seeds' if len(found.levels) > 1 else ''}",
        ),
    ]


def _columns(*texts: str, **others: Kind) -> tuple[Column, ...]:
    return (*(Column(name) for name in texts), *(Column(name, kind) for name, kind in others.items()))


def _returns(found: Analysis, money: Money) -> Sheet:
    players = found.tonight.players
    rows: list[tuple[Cell, ...]] = [("fixed pays", found.odds)]
    rows += [(f"{one.terms.level} at {money(one.meter)}", one.part) for one in found.levels]
    rows.append((f"envy, {counted(players, 'player')}", found.envy[players]))
    if found.draws:
        rows.append(("draws", found.draws))
    rows += [("total return", found.total), ("house edge", 1 - found.total)]
    columns = _columns("part", of_the_wager="part")
    return Sheet("return", "Return of a wager at these meters", columns, tuple(rows), _OF_RETURN)


def _spread(found: Analysis, _money: Money) -> Sheet:
    mean, deviation = found.spread
    rows: tuple[tuple[Cell, ...], ...] = (("one's own hand", mean, deviation),)
    numbers: dict[str, Kind] = {"mean": "part", "standard_deviation": "number"}
    notes = ("In wagers, of one wager at these meters: fixed pays and meters, without envy and draws.",)
    return Sheet("spread", "How far a wager's pay varies", _columns("of", **numbers), rows, notes)


def _hands(found: Analysis, money: Money) -> Sheet:
    numbers: dict[str, Kind] = {
        "chance": "chance", "decimal": "number", "one_in": "number", "hits_per_100000": "number",
        "award": "sum", "return": "part",
    }  # fmt: skip
    hit = found.hit
    paid = sum((one.part for one in found.rows), Fraction(0))
    rows = [_hand(one, money) for one in found.rows]
    rows.append(("any of these", "", "", hit, hit, 1 / hit, hit * ROUNDS, None, paid))
    columns = (Column("hand", "name"), *_columns("suits", "pays", **numbers))
    notes = (
        "A round is one deal at a table: each player is dealt one hand, and has one wager on it.",
        "Hits are those of one player in 100,000 rounds.",
    )
    return Sheet("hands", "Hands, each paid by its best row", columns, tuple(rows), notes)


def _hand(one: RowFound, money: Money) -> tuple[Cell, ...]:
    row, chance = one.row, one.chance
    rare = 1 / chance if chance else None
    times = (chance, chance, rare, chance * ROUNDS)
    return row.hand, row.suits or "all", pays_text(row.pays, money), *times, one.award, one.part


def pays_text(pays: Pays, money: Money) -> str:
    match pays:
        case Percent():
            return f"{rate_text(pays.rate)} of {pays.level}"
        case Fixed():
            return money(pays.amount)
    return f"{pays.n:,} {'for' if isinstance(pays, ForOne) else 'to'} 1"


def _levels(found: Analysis, _money: Money) -> Sheet:
    numbers: dict[str, Kind] = {
        "meter": "sum", "chance": "chance", "one_in": "number", "hours_between": "number", "return": "part",
        "break_even_meter": "sum", "mean_at_next_hit": "sum", "mean_at_hit": "sum",
    }  # fmt: skip
    notes = [
        "The chance is that of a wager to win the whole level.",
        "Break-even: with this meter, and the others as they are, a wager returns itself.",
        "Mean at next hit: of a level that stands at this meter now.",
        "Mean at hit: of all hits in the long run. A cycle begins with reseed and reserve.",
    ]
    if any(one.terms.limit is not None for one in found.levels):
        notes.append("Limits are left out: what would rise above one goes onto the next meter.")
    if found.subject.terms.floor_to_seed:
        notes.append("What the house adds after a part of a meter is won, up to the reseed, is left out.")
    rows = tuple(_level(found, one) for one in found.levels)
    return Sheet("levels", "Levels", _columns("level", **numbers), rows, tuple(notes))


def _level(found: Analysis, one: LevelFound) -> tuple[Cell, ...]:
    often = (one.chance, 1 / one.chance, _hours(found, 1 / one.chance))
    mean = one.cycle.mean(one.cycle.mean_start) if one.cycle else None
    return one.terms.level, one.meter, *often, one.part, one.break_even, one.next_mean or None, mean


def _hours(found: Analysis, wagers: Fraction) -> Fraction:
    return wagers / found.tonight.wagers_an_hour


def _cycles(found: Analysis, _money: Money) -> Sheet:
    numbers: dict[str, Kind] = {
        "of_the_hits": "part", "within_wagers": "count", "within_hours": "number", "meter_at_most": "sum",
    }  # fmt: skip
    rows = tuple(
        (one.terms.level, at.quantile, at.wagers, _hours(found, Fraction(at.wagers)), at.meter)
        for one in found.levels
        for at in one.ends
    )
    rough = [one.terms.level for one in found.levels if one.cycle and not one.cycle.exact]
    notes = [
        "From one hit of the whole level to the next, in the long run. Wagers are taken as independent.",
        "That part of the hits comes within so many wagers of the link, and finds no more on the meter.",
    ]
    if rough:
        notes.append(f"The meters of {', '.join(rough)} are right to better than one part in a hundred.")
    title = "Time between hits, and the meter when hit"
    return Sheet("cycles", title, _columns("level", **numbers), rows, tuple(notes))


def _envy(found: Analysis, _money: Money) -> Sheet:
    rows = tuple(found.envy.items()) if any(found.envy.values()) else ()
    notes = ("On average, another player's hand is as good as one's own: each more player adds the same.",)
    return Sheet("envy", "Envy bonus by players", _columns(players="count", returned="part"), rows, notes)


def _given(found: Analysis, _money: Money) -> Sheet:
    """The others' cards are those that one's own hand has left, and the board is shared."""
    chances = hand_chances(found.subject.terms.hand_kind)
    rows = tuple(
        ("nothing" if hand == NOTHING else hand, chances[hand], part)
        for hand, part in found.envy_given.items()
    )
    columns = _columns(own_hand="name", chance="chance", envy="part")
    return Sheet(
        "envy_given", "Envy bonus, given one's own hand", columns, rows if found.tonight.players > 1 else ()
    )


def _long_run(found: Analysis, money: Money) -> Sheet:
    columns, title = _columns("part", of_the_wager="part"), "In the long run, where does a wager go?"
    run = found.long_run
    if run is None:
        return Sheet("long_run", title, columns, ())
    rows = (
        ("onto the meters and reserves", run.contributions),
        ("fixed pays", run.odds),
        ("envy", run.envy),
        ("draws", run.draws),
        ("kept before reseeds", run.kept),
        ("reseeds", run.seeds),
        ("house edge in the long run", run.edge),
    )
    verdict = "It pays for its own seed" if run.edge >= 0 else "It does not pay for its own seed"
    verdict += f": of a wager {_percent(run.kept)} are kept before reseeds, which cost {_percent(run.seeds)}."
    what = "All that goes onto a meter, its reserve or overflow is won one day; no part depends on meters."
    return Sheet("long_run", title, columns, rows, (verdict, what, *_first(found, money)))


def _first(found: Analysis, money: Money) -> Iterator[str]:
    for one in found.levels:
        if one.terms.seed != one.terms.reseed:
            seed = money(one.terms.seed)
            yield f"The first seed of {one.terms.level}, {seed}, is paid once, and is not in it."


def _seeds(found: Analysis, _money: Money) -> Sheet:
    numbers: dict[str, Kind] = {"reseed": "sum", "contributed_in_a_cycle": "sum", "kept_in_a_cycle": "sum"}
    run = found.long_run
    rows = []
    for one in found.levels:
        if run is not None and one.cycle is not None:
            wagered = found.subject.terms.wager / one.chance
            gathered = (one.cycle.rise + one.cycle.reserve) / one.chance
            rows.append((one.terms.level, one.terms.reseed, gathered, run.kept * wagered))
    notes = ("Means of one cycle. Kept: what the house keeps of the wagers of that cycle before it reseeds.",)
    return Sheet("seeds", "Contribution against seed", _columns("level", **numbers), tuple(rows), notes)


def _filing(found: Analysis, money: Money) -> Sheet:
    columns = (
        *_columns("level", "link", initial_amount="sum", reset_amount="sum"),
        *_columns("rate", "hidden_rate", "limit", "hand", chance="chance", one_in="number"),
        *_columns("not_rarer_than_1_in_100_million"),
    )
    rows = tuple(
        (*_filed(found, level, money), *_award(one))
        for level in found.subject.terms.levels
        for one in found.rows
        if isinstance(one.row.pays, Percent) and one.row.pays.level == level.level
    )
    return Sheet("filing", "Figures for a filing, by award of a meter", columns, rows, _FILING_SOURCES)


def _filed(found: Analysis, level: LevelTerms, money: Money) -> tuple[Cell, ...]:
    """What stands of a level; empty where it is left open."""

    def known(key: str, value: Cell) -> Cell:
        return None if f"{level.level}.{key}" in found.subject.open else value

    limit = "none" if level.limit is None else money(level.limit)
    sums = known("seed", level.seed), known("reseed", level.reseed)
    rates = (
        known("primary", rate_text(level.primary)),
        known("reserve", rate_text(level.reserve) if level.reserve else "none"),
    )
    return level.level, "linked, one casino", *sums, *rates, limit


def _award(one: RowFound) -> tuple[Cell, ...]:
    hand = f"{one.row.hand} {one.row.suits}".strip()
    return hand, one.chance, 1 / one.chance, "yes" if one.chance * RAREST >= 1 else "no"


_SHEETS: Final[tuple[Callable[[Analysis, Money], Sheet], ...]] = (
    _returns, _spread, _hands, _levels, _cycles, _envy, _given, _long_run, _seeds, _filing,
)  # fmt: skip
