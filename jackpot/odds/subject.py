"""Subject of an analysis: a paytable with its wager, its envy, and the figures its source leaves open."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from msgspec import structs

from jackpot.catalogue import (
    DEFAULT_BANK,
    CatalogueError,
    Figure,
    LevelEntry,
    LinkEntry,
    Paytable,
    TermsRefused,
    games_of,
    load,
    money_text,
    parse_money,
    parse_printed,
    resolve,
    rows_of,
)
from jackpot.rules.paytable import Fixed, ForOne, Game, LinkTerms, Pays, PaytableRow, ToOne
from jackpot.text import RefusalSentence, one_of

# Stand in for open figures while the rest is checked, and are taken out again.
_RATE: Final = "0.01%"
_SUM: Final = "0.01"


class AnalysisError(Exception):
    """The analysis cannot be made as asked for; `said` says why, in one line."""

    def __init__(self, plain: str, /, *, field: str = "", **values: Any) -> None:
        """As a `RefusalSentence`. field: what of the question is wrong."""
        self.said = RefusalSentence(plain, field=field, **values)
        super().__init__(str(self.said))


class AnalyzedLink(NamedTuple):
    """Subject of an analysis.

    open: figures that are not given, as "level.figure" or "envy": 0 or nothing in `terms`. stake: what is
    done with it, where the source leaves it open (B5). printed: by row, what the source prints, where terms
    cannot say it: of a paytable in the catalogue only.
    """

    terms: LinkTerms
    game: Game
    open: frozenset[str]
    stake: "Stake | None" = None
    printed: tuple[str, ...] = ()


Stake = Literal["returned", "kept"]
"""What becomes of a winning stake in a device: it is returned with its odds, or the odds are all (B5)."""


class OperatorChoices(NamedTuple):
    """An operator's choices, as typed.

    figures: by "level.figure", such as "meter.primary". stake: as `Stake`.
    """

    wager: str | None = None
    game: str | None = None
    envy: str | None = None
    figures: Mapping[str, str] = {}
    magic_card_every: int = 0
    lucky_every: int = 0
    stake: str | None = None


def subject_of(paytable: str, wish: OperatorChoices) -> AnalyzedLink:
    """A paytable of the catalogue as an operator would offer it. Raises AnalysisError.

    A minimum that the source prints stands where nothing else is given.
    """
    try:
        table = load(paytable)
    except CatalogueError as error:
        raise AnalysisError("{error}: `jackpot paytable list` names them all", error=error) from error
    if table.use != "link":
        return _without_levels(table, wish)
    if wish.stake is not None:
        raise _no_stake(table)
    wager = wish.wager or next(iter((*table.wagers, *(one.wager for one in table.envy), "1.00")))
    levels, opened = _levels(table, wish.figures)
    entry = LinkEntry(
        id=table.id,
        paytable=table.id,
        wager=wager,
        envy=wish.envy or (table.schedules[0] if table.schedules else None),
        envy_approved=_approved(table, wager),
        magic_card_every=wish.magic_card_every,
        lucky_every=wish.lucky_every,
        level=levels,
    )
    try:
        terms = resolve(entry)
    except TermsRefused as refused:
        path, sentence = refused.mistakes[0]
        what = path.removeprefix("link.").removeprefix("level.")
        raise AnalysisError("{reason}", field=what, reason=sentence) from refused
    if entry.envy_approved:
        terms, opened = structs.replace(terms, envy=()), opened | {"envy"}
    return AnalyzedLink(_without(terms, opened), _game(table, wish.game), frozenset(opened))


def _without_levels(table: Paytable, wish: OperatorChoices) -> AnalyzedLink:
    """A bonus wager with fixed odds, or what is in the catalogue only."""
    levels = {"envy": wish.envy, "magic_card_every": wish.magic_card_every, "lucky_every": wish.lucky_every}
    for field in (*(name for name, given in levels.items() if given), *wish.figures):
        raise AnalysisError("{paytable} has fixed odds alone", field=field, paytable=table.id)
    stakes: dict[str, Stake] = {"returned": "returned", "kept": "kept"}
    stake: Stake | None = None
    if table.stake_open is not None:
        stake = stakes.get(wish.stake or "returned")
    if (wish.stake is not None and table.stake_open is None) or (
        table.stake_open is not None and stake is None
    ):
        raise _no_stake(table)
    wager = _wager(table, wish.wager)
    printed = tuple(row.pays for row in table.rows) if table.use == "catalogue" else ()
    if printed:
        rows = tuple(
            PaytableRow(row.hand, _free_row_pays(table, row.pays, wager), row.suits, row.least)
            for row in table.rows
        )
    else:
        rows = tuple(_staked(row, stake) for row in rows_of(table))
    terms = LinkTerms(table.id, DEFAULT_BANK, table.id, wager, table.hand, levels=(), rows=rows)
    return AnalyzedLink(terms, _game(table, wish.game), frozenset(), stake, printed)


def _no_stake(table: Paytable) -> AnalysisError:
    if table.stake_open is None:
        return AnalysisError("{paytable} leaves no choice of the stake", field="stake", paytable=table.id)
    return AnalysisError("the stake of {paytable} is returned or kept", field="stake", paytable=table.id)


def _wager(table: Paytable, given: str | None) -> int:
    try:
        wager = parse_money(given or next(iter((*table.wagers, "1.00"))))
    except ValueError as error:
        raise AnalysisError("{error}", field="wager", error=error) from error
    allowed = [parse_money(text) for text in table.wagers]
    if not wager or (allowed and wager not in allowed):
        sums = " or ".join(map(money_text, allowed)) or "more than nothing"
        facts = {"paytable": table.id, "wagers": sums, "wager": money_text(wager)}
        raise AnalysisError("{paytable} is for wagers of {wagers}, not {wager}", field="wager", **facts)
    return wager


def _staked(row: PaytableRow, stake: Stake | None) -> PaytableRow:
    if stake == "kept" and isinstance(row.pays, ToOne):
        return structs.replace(row, pays=ForOne(row.pays.n))
    return row


def _free_row_pays(table: Paytable, pays: str, wager: int) -> Pays:
    """What a row that no table pays is worth, the returned wager in it; a bonus on a wager returns none."""
    won = parse_printed(pays)
    return Fixed(int((won if table.bonus_on is not None else won + 1) * wager))


def _game(table: Paytable, wanted: str | None) -> Game:
    games = games_of(table)
    for game in games:
        if wanted in (None, game):
            return game
    facts = {"paytable": table.id, "games": one_of(games), "wanted": wanted}
    raise AnalysisError("{paytable} is for {games}, not {wanted}", field="game", **facts)


def _levels(table: Paytable, fields: Mapping[str, str]) -> tuple[dict[str, LevelEntry], set[str]]:
    """Each level as a configuration would have it, and the figures left open."""
    known = {
        f"{name}.{key}" for name in table.level for key in ("seed", "reseed", "primary", "reserve", "limit")
    }
    for path in fields:
        if path not in known:
            facts = {"paytable": table.id, "figures": ", ".join(sorted(known))}
            raise AnalysisError("{paytable} has no such figure, only {figures}", field=path, **facts)
    entries, opened = {}, set()
    for name, level in table.level.items():
        wanted = {
            path.partition(".")[2]: text for path, text in fields.items() if path.startswith(f"{name}.")
        }
        if "limit" in wanted:
            wanted["limit_approval"] = "as given"
        for key, stands_in in (("seed", _SUM), ("reseed", _SUM), ("primary", _RATE), ("reserve", _RATE)):
            figure: Figure = getattr(level, key)
            if key in wanted:
                continue
            if figure.minimum is not None:
                wanted[key] = figure.minimum
            elif figure.operator:
                wanted[key] = stands_in
                opened.add(f"{name}.{key}")
        if level.reseed.as_seed and f"{name}.seed" in opened:
            opened.add(f"{name}.reseed")
        entries[name] = LevelEntry(**wanted)
    return entries, opened


def _approved(table: Paytable, wager: str) -> dict[str, str]:
    """Stand-ins where the source prints envy, but not for this wager (A5)."""
    try:
        sum_ = parse_money(wager)
    except ValueError as error:
        raise AnalysisError("{error}", field="wager", error=error) from error
    if table.wagers or not table.envy or any(parse_money(one.wager) == sum_ for one in table.envy):
        return {}
    return {row.hand: _SUM for row in table.envy[0].rows}


def _without(terms: LinkTerms, opened: set[str]) -> LinkTerms:
    levels = [
        structs.replace(level, **{key: 0 for key in ("seed", "reseed", "primary", "reserve")
                                  if f"{level.level}.{key}" in opened})
        for level in terms.levels
    ]  # fmt: skip
    return structs.replace(terms, levels=tuple(levels))
