"""Tables of an analysis: sheets of named columns, one form for the terminal, pages, CSV and JSON."""

from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from jackpot.catalogue import BestPlay, load, odds_of, parse_printed, rate_text
from jackpot.config.writing import Writing, writing
from jackpot.odds.analysis import Analysis, LevelFound, RowFound
from jackpot.odds.chances import NOTHING, hand_chances
from jackpot.odds.sessions import SEED, SESSIONS, sessions
from jackpot.odds.subject import Stake
from jackpot.rules.cards import SUITS
from jackpot.rules.money import BASIS_POINTS, MICROS_PER_UNIT
from jackpot.rules.paytable import Fixed, ForOne, LevelTerms, Pays, Percent
from jackpot.text import Sentence, joined, name_sentence, several
from jackpot.text import game as name_of_game
from jackpot.text import suits as name_of_suits

Kind = Literal["text", "name", "suits", "count", "sum", "chance", "part", "number"]
"""Of a cell: a text, a name of ours such as "royal-flush", letters of suits, a whole number, micro-dollars, a
chance or a part of the wager, and any other number. A text that is a `Sentence` is told in the reader's
language."""
Cell = str | int | Fraction | None

# Requirement of a filing, quoted: no award may be rarer (N.J.A.C. 13:69D-1.52(e)).
RAREST: Final = 100_000_000
_FILING_SOURCES: Final = (
    Sentence(
        "{source}: initial and reset amounts, rate, probability not worse than 100,000,000 to 1.",
        source="N.J.A.C. 13:69D-1.52(e)",
    ),
    Sentence(
        "{source}: kind of link, limit and probability of each jackpot.", source="COMAR 36.05.03.24 B, C"
    ),
)
# Rounds for which a hit frequency is given.
ROUNDS: Final = 100_000
# Significant digits of an exported number: more than readers need, fewer than would look like a promise.
_DIGITS: Final = Context(prec=12)
_FEW_DIGITS: Final = Context(prec=3)


_OF_RETURN: Final = (
    Sentence("A level pays what its meter shows when the hand is paid, the wagers of that round among it."),
    Sentence("Reserve and overflow are in no award: the next cycle begins with them."),
    Sentence(
        "The house edge is what a wager loses on average. Part of it goes onto the meters, not to the house."
    ),
)

_OF_EDGE: Final = Sentence("The house edge is what a wager loses on average.")
_OF_STAYING: Final = Sentence(
    "As if every wager stayed to the end: what a player withdraws or folds is left out."
)
_OF_BONUS: Final = Sentence("A bonus returns no stake: that of the wager is settled with the wager.")
_OF_SIMULATION: Final = Sentence(
    "Where a seed stands, rounds were simulated: the return is within the bound with a probability of 99 %."
)
_OF_BEST_PLAY: Final = Sentence(
    "In bets. Each stays where it wins on average, with the cards seen until then."
)
_STAKES: Final[dict[Stake, Sentence]] = {
    "returned": Sentence("returned with its odds"),
    "kept": Sentence("kept: the odds are the whole payout"),
}

# Quantiles of simulated sessions that are shown.
_ENDS: Final = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))

# The format of sums in the catalogue's sources.
DOLLARS: Final = writing("en_US", "USD")


class SheetFormat(NamedTuple):
    """Format of an analysis. money: the site's way with sums and numbers. say: translates a text."""

    money: Writing = DOLLARS
    say: Callable[[str], str] = str


PLAIN: Final = SheetFormat()


class OddsColumn(NamedTuple):
    name: str
    kind: Kind = "text"


class OddsTable(NamedTuple):
    """A table of figures. rows: each as long as the columns. notes: sentences below them."""

    name: str
    title: str
    columns: tuple[OddsColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def sheets_of(analysis: Analysis, money: Writing = DOLLARS) -> list[OddsTable]:
    """All tables, in the order in which people ask for them. Empty ones are left out."""
    made = (make(analysis, money) for make in _SHEETS)
    return [sheet for sheet in made if sheet.rows]


def decimal(value: Fraction, digits: Context = _DIGITS) -> str:
    """A number to so many significant digits, never with an exponent: "0.00000153907716933"."""
    return format(digits.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(), "f")


def exact(kind: Kind, value: Cell) -> str | int | None:
    """A cell for programs. Sums are decimal strings in units of the currency, numbers as in `decimal`."""
    if kind == "sum" and isinstance(value, int | Fraction):
        return decimal(Fraction(value) / MICROS_PER_UNIT)
    if kind == "chance" and isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return decimal(value) if isinstance(value, Fraction) else value


def cell_text(kind: Kind, value: Cell, manner: SheetFormat = PLAIN) -> str:
    """A cell for people: a sum is cut to the cent."""
    money, say = manner
    match kind, value:
        case _, None | "":
            return ""
        case "name", str():
            return say(name_sentence(value))
        case "suits", str():
            return name_of_suits(value)
        case "sum", int() | Fraction():
            return money.of_micros(int(value))
        case "part", Fraction():
            return _percent(value, money)
        case "chance", Fraction():
            count, of = money.count(value.numerator), money.count(value.denominator)
            return say(Sentence("{count} in {of}", count=count, of=of))
        case _, int():
            return money.count(value)
        case _, Fraction():
            return money.number(_number(value))
    return say(str(value) if not isinstance(value, Sentence) else value)


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.2f}" if abs(value) >= 1 else decimal(value, _FEW_DIGITS)


def _percent(part: Fraction, money: Writing = DOLLARS) -> str:
    """A rounded percentage; parts of a whole add up to about the whole: "39.30 %"."""
    return f"{money.number(f'{Decimal(round(part * BASIS_POINTS)) / 100:.2f}')} %"


def _rate(rate: int, money: Writing) -> str:
    return rate_text(rate).replace(".", money.decimal)


def facts_of(analysis: Analysis, money: Writing = DOLLARS) -> list[tuple[str, str]]:
    """The subject of the analysis, line by line."""
    terms, game, opened = analysis.subject.terms, analysis.subject.game, analysis.subject.open
    table = load(terms.paytable)
    odds, tonight = odds_of(terms.hand_kind, analysis.tonight.players), analysis.tonight
    source = {"source": table.source, "where": table.jurisdiction, "status": Sentence(table.status)}
    deals = {"cards": Sentence(odds.cards), "count": money.count(odds.deals), "seed": odds.seed}
    counted = "{cards}; {count} rounds of a simulation with the seed {seed}"
    if not odds.seed:
        counted = "{cards}; {count} deals, each counted"
    facts: list[tuple[str, str]] = [
        ("paytable", f"{table.id}, {table.title}"),
        ("source", Sentence("{source} ({where}, {status})", **source)),
        ("game", name_of_game(game)),
        ("cards", Sentence(counted, **deals)),
        ("wager", money.of_micros(terms.wager)),
        ("players", Sentence("{count}, each dealt a hand", count=tonight.players)),
    ]
    if terms.levels:
        count = money.count(tonight.wagers_an_hour)
        facts.append(("wagers an hour", Sentence("{count} on the whole link", count=count)))
    facts += [("stake", _STAKES[stake]) for stake in (analysis.subject.stake,) if stake is not None]
    if table.catalogue_only is not None:
        facts.append(("catalogue only", table.catalogue_only))
    if table.readings:
        facts.append(("reading", "; ".join(table.readings)))
    if figures := ", ".join(sorted(name for name in opened if name != "envy")):
        what = Sentence("{figures}: the operator's; taken as 0 or left out", figures=figures)
        facts.append(("left open", what))
    if "envy" in opened:
        facts.append(("envy", Sentence("left out: none is printed for this wager")))
    return facts


def brief(analysis: Analysis) -> list[tuple[str, str]]:
    """Return, hit frequency and break-even meter, a line each."""
    terms = analysis.subject.terms
    if not terms.levels:
        return _brief_odds(analysis)
    meters = ", ".join(f"{one.terms.level} {_percent(one.part)}" for one in analysis.levels)
    hits = ", ".join(
        f"{one.terms.level} 1 in {cell_text('number', 1 / one.chance)}" for one in analysis.levels
    )
    even = ", ".join(f"{one.terms.level} {cell_text('sum', one.break_even)}" for one in analysis.levels)
    at = f"at {cell_text('sum', terms.wager)}, one player"
    start = "the meters at their seeds"
    if any(name.endswith(".seed") for name in analysis.subject.open):
        start = "without the meters, whose seeds are the operator's"
    return [
        (
            "return",
            f"{_percent(analysis.total)} {at}, {start} (fixed pays {_percent(analysis.odds)}, {meters})",
        ),
        ("hit frequency", f"1 in {cell_text('number', 1 / analysis.hit)} wagers is paid; {hits}"),
        (
            "break-even meter",
            f"{even}{', each with the others at their seeds' if len(analysis.levels) > 1 else ''}",
        ),
    ]


def _brief_odds(analysis: Analysis) -> list[tuple[str, str]]:
    """Return and hit frequency of fixed odds, and what best play loses."""
    table = load(analysis.subject.terms.paytable)
    hit = f"1 in {cell_text('number', 1 / analysis.hit)} wagers is paid"
    if table.bonus_on is not None:
        return [("bonus", f"{_percent(analysis.total)} of the {table.bonus_on}"), ("hit frequency", hit)]
    lines = []
    for one in analysis.by_players:
        at = f" with {several(one.players, 'player')}" if len(analysis.by_players) > 1 else ""
        bound = f" give or take {_percent(one.bound)}, simulated with the seed {one.seed}" if one.seed else ""
        lines.append((f"return{at}", f"{_percent(one.part + analysis.ties)}{bound}"))
    if analysis.subject.stake is not None:
        lines = [("return", f"{_percent(analysis.total)}, the stake {analysis.subject.stake}")]
    if analysis.best_play is not None:
        lines = [("house edge under best play", f"{_edge(analysis.best_play)} of one bet")]
    return [*lines, ("hit frequency", hit)]


def _edge(play: BestPlay) -> str:
    """Three digits after the point, as such an edge is printed everywhere."""
    return f"{float(-100 * sum(play.wins)):.3f} %"


def _columns(*texts: str, **others: Kind) -> tuple[OddsColumn, ...]:
    return (*(OddsColumn(name) for name in texts), *(OddsColumn(name, kind) for name, kind in others.items()))


def _returns(analysis: Analysis, money: Writing) -> OddsTable:
    if not analysis.levels:
        return _odds_returns(analysis)
    players = analysis.tonight.players
    rows: list[tuple[Cell, ...]] = [(Sentence("fixed pays"), analysis.odds)]
    for one in analysis.levels:
        at = {"level": Sentence(one.terms.level), "sum": money.of_micros(one.meter)}
        rows.append((Sentence("{level} at {sum}", **at), one.part))
    rows.append((Sentence("envy, {players}", players=several(players, "player")), analysis.envy[players]))
    if analysis.draws:
        rows.append((Sentence("draws"), analysis.draws))
    rows += [(Sentence("total return"), analysis.total), (Sentence("house edge"), 1 - analysis.total)]
    columns = _columns("part", of_the_wager="part")
    return OddsTable(
        "return", Sentence("Return of a wager at these meters"), columns, tuple(rows), _OF_RETURN
    )


def _odds_returns(analysis: Analysis) -> OddsTable:
    """Return of fixed odds; of a bonus on a wager what it adds."""
    columns = _columns("part", of_the_wager="part")
    table = load(analysis.subject.terms.paytable)
    if table.bonus_on is not None:
        added = (Sentence("added to the wager"), analysis.total)
        return OddsTable("return", Sentence("What the bonus adds"), columns, (added,), (_OF_BONUS,))
    rows: list[tuple[Cell, ...]] = [(Sentence("fixed pays"), analysis.odds)]
    if analysis.ties:
        rows.append((Sentence("returned at a tie"), analysis.ties))
    rows += [(Sentence("total return"), analysis.total), (Sentence("house edge"), 1 - analysis.total)]
    notes = (_OF_EDGE, *((_OF_STAYING,) if table.use == "catalogue" else ()))
    return OddsTable("return", Sentence("Return of a wager"), columns, tuple(rows), notes)


def _by_players(analysis: Analysis, _money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {"returned": "part", "give_or_take": "part", "seed": "count"}
    rows: tuple[tuple[Cell, ...], ...] = ()
    if len(analysis.by_players) > 1:
        rows = tuple(
            (one.players, one.part, one.bound or None, one.seed or None) for one in analysis.by_players
        )
    columns = (OddsColumn("players", "count"), *_columns(**numbers))
    return OddsTable("by_players", Sentence("Return by players"), columns, rows, (_OF_SIMULATION,))


def _best_play(analysis: Analysis, _money: Writing) -> OddsTable:
    columns, rows = _columns("bet", cards_seen="count", won="part"), ()
    title = Sentence("What each bet wins under best play")
    if analysis.best_play is None:
        return OddsTable("best_play", title, columns, rows)
    first, second, third = analysis.best_play.wins
    bets: tuple[tuple[Cell, ...], ...] = (
        (Sentence("bet number 1"), 3, first),
        (Sentence("bet number 2"), 4, second),
        (Sentence("bet number 3"), 5, third),
        (Sentence("all three"), None, first + second + third),
    )
    return OddsTable("best_play", title, columns, bets, (_OF_BEST_PLAY,))


def _spread(analysis: Analysis, _money: Writing) -> OddsTable:
    mean, deviation = analysis.spread
    rows: tuple[tuple[Cell, ...], ...] = ((Sentence("one's own hand"), mean, deviation),)
    numbers: dict[str, Kind] = {"mean": "part", "standard_deviation": "number"}
    notes = (
        Sentence("In wagers, of one wager at these meters: fixed pays and meters, without envy and draws."),
    )
    return OddsTable(
        "spread", Sentence("How far a wager's pay varies"), _columns("of", **numbers), rows, notes
    )


def _sessions(analysis: Analysis, money: Writing) -> OddsTable:
    """Sessions of an offer as they were simulated."""
    numbers: dict[str, Kind] = {
        "wagers": "count", "exact": "part", "simulated": "part", "one_in_twenty_below": "part",
        "middle": "part", "one_in_twenty_above": "part", "ahead": "part",
    }  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    wager = analysis.subject.terms.wager
    for one in sessions(analysis.pays) if analysis.pays else ():
        staked = one.wagers * wager
        ahead = Fraction(sum(brought > staked for brought in one.sums), len(one.sums))
        ends = (Fraction(one.quantile(part), staked) for part in _ENDS)
        rows.append((one.wagers, analysis.total, one.mean / staked, *ends, ahead))
    facts = {"count": money.count(SESSIONS), "seed": SEED}
    notes = (
        Sentence("{count} sessions of one player were simulated, with the seed {seed}.", **facts),
        Sentence("Parts are of all that was wagered; ahead is the part of the sessions that won."),
    )
    title = Sentence("What a player comes away with, simulated")
    return OddsTable("sessions", title, _columns(**numbers), tuple(rows), notes)


def _hands(analysis: Analysis, money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {
        "chance": "chance", "decimal": "number", "one_in": "number", "hits_per_100000": "number",
        "award": "sum", "return": "part",
    }  # fmt: skip
    hit = analysis.hit
    paid = sum((one.part for one in analysis.rows), Fraction(0))
    rows = [_hand(one, money) for one in analysis.rows]
    rows.append(("any-of-these", "", "", hit, hit, 1 / hit, hit * ROUNDS, None, paid))
    columns = (OddsColumn("hand", "name"), OddsColumn("suits", "suits"), *_columns("pays", **numbers))
    notes = (
        Sentence("A round is one deal at a table: each player is dealt one hand, and has one wager on it."),
        Sentence("Hits are those of one player in 100,000 rounds."),
    )
    return OddsTable("hands", Sentence("Hands, each paid by its best row"), columns, tuple(rows), notes)


def _hand(one: RowFound, money: Writing) -> tuple[Cell, ...]:
    row, chance = one.row, one.chance
    rare = 1 / chance if chance else None
    times = (chance, chance, rare, chance * ROUNDS)
    pays = _printed(one.printed, money) if one.printed else pays_text(row.pays, money)
    if row.least:
        pays = Sentence("{pays} from a pair of {rank}", pays=pays, rank=row.least.replace("T", "10"))
    return row.hand, row.suits or SUITS, pays, *times, one.award, one.part


def _printed(text: str, money: Writing) -> str:
    """What a source prints of a row that is shown alone: "3 to 2", "push"."""
    won = parse_printed(text)
    if not won:
        return Sentence("push")
    count, of = money.count(won.numerator), money.count(won.denominator)
    return (
        Sentence("{count} to 1", count=count)
        if of == "1"
        else Sentence("{count} to {of}", count=count, of=of)
    )


def pays_text(pays: Pays, money: Writing) -> str:
    match pays:
        case Percent():
            rate = _rate(pays.rate, money)
            return Sentence("{rate} of {level}", rate=rate, level=Sentence(pays.level))
        case Fixed():
            return money.of_micros(pays.amount)
    count = money.count(pays.n)
    if isinstance(pays, ForOne):
        return Sentence("{count} for 1", count=count)
    return Sentence("{count} to 1", count=count)


def _levels(analysis: Analysis, _money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {
        "meter": "sum", "chance": "chance", "one_in": "number", "hours_between": "number", "return": "part",
        "break_even_meter": "sum", "mean_at_next_hit": "sum", "mean_at_hit": "sum",
    }  # fmt: skip
    notes = [
        Sentence("The chance is that of a wager to win the whole level."),
        Sentence("Break-even: with this meter, and the others as they are, a wager returns itself."),
        Sentence("Mean at next hit: of a level that stands at this meter now."),
        Sentence("Mean at hit: of all hits in the long run. A cycle begins with reseed and reserve."),
    ]
    if any(one.terms.limit is not None for one in analysis.levels):
        notes.append(Sentence("Limits are left out: what would rise above one goes onto the next meter."))
    if analysis.subject.terms.floor_to_seed:
        notes.append(
            Sentence("What the house adds after a part of a meter is won, up to the reseed, is left out.")
        )
    rows = tuple(_level(analysis, one) for one in analysis.levels)
    return OddsTable("levels", Sentence("Levels"), _columns("level", **numbers), rows, tuple(notes))


def _level(analysis: Analysis, level: LevelFound) -> tuple[Cell, ...]:
    often = (level.chance, 1 / level.chance, _hours(analysis, 1 / level.chance))
    mean = level.cycle.mean(level.cycle.mean_start) if level.cycle else None
    return (
        Sentence(level.terms.level),
        level.meter,
        *often,
        level.part,
        level.break_even,
        level.next_mean or None,
        mean,
    )


def _hours(analysis: Analysis, wagers: Fraction) -> Fraction:
    return wagers / analysis.tonight.wagers_an_hour


def _cycles(analysis: Analysis, _money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {
        "of_the_hits": "part", "within_wagers": "count", "within_hours": "number", "meter_at_most": "sum",
    }  # fmt: skip
    rows = tuple(
        (Sentence(one.terms.level), at.quantile, at.wagers, _hours(analysis, Fraction(at.wagers)), at.meter)
        for one in analysis.levels
        for at in one.ends
    )
    rough = [Sentence(one.terms.level) for one in analysis.levels if one.cycle and not one.cycle.exact]
    notes = [
        Sentence(
            "From one hit of the whole level to the next, in the long run. Wagers are taken as independent."
        ),
        Sentence(
            "That part of the hits comes within so many wagers of the link, and finds no more on the meter."
        ),
    ]
    if rough:
        right = "The meters of {levels} are right to better than one part in a hundred."
        notes.append(Sentence(right, levels=joined(rough)))
    title = Sentence("Time between hits, and the meter when hit")
    return OddsTable("cycles", title, _columns("level", **numbers), rows, tuple(notes))


def _envy(analysis: Analysis, _money: Writing) -> OddsTable:
    rows = tuple(analysis.envy.items()) if any(analysis.envy.values()) else ()
    notes = (Sentence("On average, another hand is as good as one's own: each more player adds the same."),)
    return OddsTable(
        "envy", Sentence("Envy bonus by players"), _columns(players="count", returned="part"), rows, notes
    )


def _envy_by_hand(analysis: Analysis, _money: Writing) -> OddsTable:
    """Envy by one's own hand: the others' cards come from the rest of the deck, and the board is shared."""
    chances = hand_chances(analysis.subject.terms.hand_kind)
    rows = tuple(
        ("nothing" if hand == NOTHING else hand, chances[hand], part)
        for hand, part in analysis.envy_given.items()
    )
    columns = _columns(own_hand="name", chance="chance", envy="part")
    return OddsTable(
        "envy_given",
        Sentence("Envy bonus, given one's own hand"),
        columns,
        rows if analysis.tonight.players > 1 else (),
    )


def _long_run(analysis: Analysis, money: Writing) -> OddsTable:
    columns, title = (
        _columns("part", of_the_wager="part"),
        Sentence("In the long run, where does a wager go?"),
    )
    run = analysis.long_run
    if run is None or not analysis.levels:
        return OddsTable("long_run", title, columns, ())
    rows = (
        (Sentence("onto the meters and reserves"), run.meters),
        (Sentence("fixed pays"), run.odds),
        (Sentence("envy"), run.envy),
        (Sentence("draws"), run.draws),
        (Sentence("kept before reseeds"), run.kept),
        (Sentence("reseeds"), run.reseeds),
        (Sentence("house edge in the long run"), run.edge),
    )
    parts = {"kept": _percent(run.kept, money), "seeds": _percent(run.reseeds, money)}
    if run.edge >= 0:
        verdict = Sentence(
            "It pays for its own seed: of a wager {kept} is kept before reseeds, which cost {seeds}.", **parts
        )
    else:
        verdict = Sentence(
            "It does not pay for its own seed: of a wager {kept} is kept before reseeds, which cost {seeds}.",
            **parts,
        )
    what = Sentence(
        "All that goes onto a meter, its reserve or overflow is won one day; no part depends on meters."
    )
    return OddsTable("long_run", title, columns, rows, (verdict, what, *_first(analysis, money)))


def _first(analysis: Analysis, money: Writing) -> Iterator[str]:
    for one in analysis.levels:
        if one.terms.seed != one.terms.reseed:
            seed = {"level": Sentence(one.terms.level), "sum": money.of_micros(one.terms.seed)}
            yield Sentence("The first seed of {level}, {sum}, is paid once, and is not in it.", **seed)


def _seeds(analysis: Analysis, _money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {"reseed": "sum", "contributed_in_a_cycle": "sum", "kept_in_a_cycle": "sum"}
    run = analysis.long_run
    rows = []
    for one in analysis.levels:
        if run is not None and one.cycle is not None:
            wagered = analysis.subject.terms.wager / one.chance
            gathered = (one.cycle.rise + one.cycle.reserve) / one.chance
            rows.append((Sentence(one.terms.level), one.terms.reseed, gathered, run.kept * wagered))
    notes = (Sentence("Means of one cycle. Kept: what the house keeps of its wagers before it reseeds."),)
    title = Sentence("Contribution against seed")
    return OddsTable("seeds", title, _columns("level", **numbers), tuple(rows), notes)


def _filing(analysis: Analysis, money: Writing) -> OddsTable:
    columns = (
        *_columns("level", "link", initial_amount="sum", reset_amount="sum"),
        *_columns(
            "rate", "hidden_rate", "limit", hand="name", suits="suits", chance="chance", one_in="number"
        ),
        *_columns("not_rarer_than_1_in_100_million"),
    )
    rows = tuple(
        (*_filed(analysis, level, money), *_award(one))
        for level in analysis.subject.terms.levels
        for one in analysis.rows
        if isinstance(one.row.pays, Percent) and one.row.pays.level == level.level
    )
    title = Sentence("Figures for a filing, by award of a meter")
    return OddsTable("filing", title, columns, rows, _FILING_SOURCES)


def _filed(analysis: Analysis, level: LevelTerms, money: Writing) -> tuple[Cell, ...]:
    """Terms of a level as filed; empty where it is left open."""

    def known(key: str, value: Cell) -> Cell:
        return None if f"{level.level}.{key}" in analysis.subject.open else value

    limit = Sentence("none") if level.limit is None else money.of_micros(level.limit)
    sums = known("seed", level.seed), known("reseed", level.reseed)
    rates = (
        known("primary", _rate(level.primary, money)),
        known("reserve", _rate(level.reserve, money) if level.reserve else Sentence("none")),
    )
    return Sentence(level.level), Sentence("linked, one casino"), *sums, *rates, limit


def _award(row: RowFound) -> tuple[Cell, ...]:
    chance = row.chance
    often = Sentence("yes") if chance * RAREST >= 1 else Sentence("no")
    return row.row.hand, row.row.suits or SUITS, chance, 1 / chance, often


_SHEETS: Final[tuple[Callable[[Analysis, Writing], OddsTable], ...]] = (
    _returns, _by_players, _best_play, _spread, _sessions, _hands, _levels, _cycles, _envy, _envy_by_hand,
    _long_run, _seeds, _filing,
)  # fmt: skip
