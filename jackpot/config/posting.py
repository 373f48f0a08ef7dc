"""Posted odds of a table (P1): every row of each wager that it takes, and what the rules want read there.

The odds are those of the terms, so what is posted is what is paid. Base wagers are settled by the table's
own game: of these the table's terms name the paytables.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from controllers.answers import Paytable, PostedBase, PostedEnvy, PostedRow, PostedWager
from jackpot.catalogue import ids, ids_for, money_text, parse_money, parse_printed
from jackpot.catalogue import load as load_paytable
from jackpot.catalogue.paytables import CitedRow
from jackpot.config.languages import translate
from jackpot.config.links import warn_of_readings
from jackpot.config.offers import wager_of
from jackpot.config.settings import Config, Sign
from jackpot.config.source import ConfigSource
from jackpot.rules.money import MICROS_PER_UNIT, to_cents
from jackpot.rules.paytable import Fixed, ForOne, Game, LinkTerms, PairPlus, PaytableRow, Percent, TableTerms
from jackpot.text import did_you_mean

# No payout limit is lower (58 Pa. Code § 643a.12(h), § 653a.12(h), § 674a.12(d); Massachusetts, s. 10(c)).
PAYOUT_LIMIT_MIN: Final = 50_000 * MICROS_PER_UNIT
# The games whose rules let the holder limit what base wagers pay (B9), and for what each limit is.
LIMITED: Final[Mapping[Game, str]] = {
    "let-it-ride": "58 Pa. Code § 643a.12(h); Massachusetts, s. 10(c)",
    "ultimate-texas-holdem": "58 Pa. Code § 653a.12(h)",
    "criss-cross-poker": "58 Pa. Code § 674a.12(d)",
}
# 41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.2(b)(5); § 653a.2(b)(7)(i)-(iii), § 653a.11(b), (d), (f).
QUEEN_HIGH: Final = "Dealer Plays with Queen High or Better."
ANTE_PUSHES: Final = "An Ante Wager will push if the dealer has less than a pair."
BLIND_PUSHES: Final = {
    "straight": "A Blind Wager will push if the player's winning hand is not a straight or better.",
    "flush": "A Blind Wager will push if the player's winning hand is not a flush or better.",
}
PLAY_WAGER: Final = (
    "A Play Wager is three or four times the Ante Wager before the flop, two times after it, "
    "and equal to it after the last card."
)
# 41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.7(e)(1)-(3).
PAIR_PLUS: Final[Mapping[PairPlus, str]] = {
    "ante": "A Pair Plus Wager needs an Ante Wager of at least the same amount.",
    "half-ante": "A Pair Plus Wager needs an Ante Wager of at least half its amount.",
    "both": "An Ante Wager and a Pair Plus Wager are both needed; one may be at most five times the other.",
}
PHRASES: Final = (QUEEN_HIGH, ANTE_PUSHES, *BLIND_PUSHES.values(), PLAY_WAGER, *PAIR_PLUS.values())
# The paytables of one wager differ in this letter.
_LETTER: Final = re.compile(r"-[A-G]$")


def base_wagers(source: ConfigSource, path: str, section: Mapping[str, Any]) -> tuple[str, ...]:
    """The paytables of what the own game of a [[table]] pays (B2)."""
    first: dict[str, str] = {}
    path, names, game = f"{path}.base_wagers", tuple(section.get("base_wagers", ())), section.get("game")
    for name in names if game is not None else ():
        if name not in ids():
            meant = did_you_mean(name, ids_for("catalogue"))
            source.wrong(path, f"there is no paytable {name!r} in the catalogue{meant}")
            continue
        paytable = load_paytable(name)
        if paytable.use != "catalogue":
            source.wrong(path, f"{name} is no base wager: configure a [[link]] or an [[offer]] (B2)")
        elif game not in paytable.games:
            only = " or ".join(paytable.games)
            source.wrong(path, f"the game is {game}, {name} is for {only} only (B2)")
        else:
            warn_of_readings(source, f"table {section.get('id')}", name)
        other = first.setdefault(paytable.bonus_on or _LETTER.sub("", name), name)
        if other != name:
            source.wrong(path, f"{other} is for the same wager as {name}: one paytable of it (B1)")
    return names


def pair_plus(
    source: ConfigSource, path: str, section: Mapping[str, Any], offers: Sequence[LinkTerms]
) -> PairPlus | None:
    """What a Pair Plus Wager of a [[table]] needs besides; None for nothing (B7). offers: the table's."""
    chosen: PairPlus | None = section.get("pair_plus")
    if chosen is not None and not any(wager_of(terms) == "pair-plus" for terms in offers):
        source.wrong(f"{path}.pair_plus", f"table {section.get('id')} has no offer of Pair Plus (B7)")
    return chosen


def payout_limit(source: ConfigSource, path: str, section: Mapping[str, Any]) -> int | None:
    """What base wagers of a [[table]] pay at most, in micro-dollars; None for no limit (B9)."""
    text, game = section.get("payout_limit"), section.get("game")
    if text is None or game is None:
        return None
    path = f"{path}.payout_limit"
    if game not in LIMITED:
        source.wrong(path, f"no source lets a holder limit what {game} pays (B9)")
        return None
    try:
        limit = parse_money(text)
    except ValueError as error:
        source.wrong(path, str(error))
        return None
    if limit < PAYOUT_LIMIT_MIN:
        least = f"{LIMITED[game]} wants at least {money_text(PAYOUT_LIMIT_MIN)}"
        source.wrong(path, f"{least}, not {money_text(limit)} (B9)")
        return None
    source.warn(
        f"table {section.get('id')}: its payout limit may not be below what one player can win in a round "
        f"with the least base wagers, which are not on this server ({LIMITED[game]}, B9)"
    )
    return limit


def posted_on(config: Config, sign: Sign) -> list[Paytable]:
    """What a sign gets of its tables, in the site's language."""
    tables = {table.table: table for table in config.tables}
    return [
        posted(config, tables[name], lambda text: translate(config.site.locale, text)) for name in sign.tables
    ]


def posted(config: Config, table: TableTerms, say: Callable[[str], str]) -> Paytable:
    """All that is posted at a table. say: translates what the rules want to be read there."""
    links = {terms.link: terms for terms in config.links}
    return Paytable(
        table=table.table,
        game=table.game,
        wagers=tuple(_wager(config, table.game, links[name]) for name in table.links),
        base=tuple(_base(name) for name in table.base_wagers),
        payout_limit=None if table.payout_limit is None else to_cents(table.payout_limit),
        phrases=tuple(map(say, _phrases(table))),
    )


def with_running_cycles(paytable: Paytable, sums: Iterable[tuple[str, str, int]]) -> Paytable:
    """What is posted, with the sums by which running cycles must hit: each keeps its terms to its end (Y11).

    sums: of a link and its level, in cents; of those that are not known the configuration's are posted.
    """
    known: dict[str, dict[str, int]] = {}
    for link, level, cents in sums:
        known.setdefault(link, {})[level] = cents
    wagers = [
        replace(one, must_hit_by=one.must_hit_by | known[one.link]) if one.link in known else one
        for one in paytable.wagers
    ]
    return replace(paytable, wagers=tuple(wagers))


def _phrases(table: TableTerms) -> list[str]:
    """What the rules want to be read at a table, besides odds and limits."""
    phrases, game = list[str](), table.game
    if game == "three-card-poker":
        phrases.append(QUEEN_HIGH)
    if game == "ultimate-texas-holdem":
        blinds = [load_paytable(name) for name in table.base_wagers]
        lowest = [row.hand for blind in blinds for row in blind.rows if row.pays != "push"]
        phrases += [ANTE_PUSHES, BLIND_PUSHES[lowest[-1] if lowest else "straight"], PLAY_WAGER]
    if table.pair_plus is not None:
        phrases.append(PAIR_PLUS[table.pair_plus])
    return phrases


def _wager(config: Config, game: Game, terms: LinkTerms) -> PostedWager:
    """A link or an offer of the table. A draw is only of the game whose own source has it (A7)."""
    draws = not terms.mystery and game in load_paytable(terms.paytable).games
    return PostedWager(
        link=terms.link,
        title=title_of(config, terms),
        paytable=terms.paytable,
        placed=terms.placed,
        least=to_cents(terms.wager),
        most=to_cents(max(terms.wager, terms.most)),
        unit=to_cents(terms.unit or terms.wager),
        rows=tuple(map(_row, terms.rows)),
        envy=tuple(PostedEnvy(row.hand, to_cents(row.amount), row.suits) for row in terms.envy),
        magic=terms.magic_for if draws and terms.magic_every else 0,
        lucky=terms.lucky_for if draws and terms.lucky_every else 0,
        limits={level.level: to_cents(level.limit) for level in terms.levels if level.limit is not None},
        must_hit_by={level.level: to_cents(level.must_hit_by) for level in terms.levels if level.must_hit_by},
    )


def title_of(config: Config, terms: LinkTerms) -> str:
    """What a wager is called where people bet: a link's title, or the name of a bonus wager."""
    if terms.link in config.displays:
        return config.displays[terms.link].title
    return wager_of(terms).replace("-", " ").title()


def _row(row: PaytableRow) -> PostedRow:
    match row.pays:
        case Percent(level=level, rate=rate):
            return PostedRow(row.hand, "percent", rate, level=level, suits=row.suits, least=row.least)
        case Fixed(amount=amount):
            return PostedRow(row.hand, "fixed", to_cents(amount), suits=row.suits, least=row.least)
        case ForOne(n=n):
            return PostedRow(row.hand, "for", n, suits=row.suits, least=row.least)
    return PostedRow(row.hand, "to", row.pays.n, suits=row.suits, least=row.least, players=row.by_players)


def _base(name: str) -> PostedBase:
    """Of a Blind Wager the rows that pay: a phrase says which hands push."""
    paytable = load_paytable(name)
    rows = [row for row in paytable.rows if paytable.hand != "winning" or row.pays != "push"]
    title = paytable.title.partition(", paytable ")[0]
    return PostedBase(title, name, tuple(map(_printed, rows)))


def _printed(row: CitedRow) -> PostedRow:
    """A row that no table sends: odds such as 3 to 2, or a push."""
    won = parse_printed(row.pays)
    if not won:
        return PostedRow(row.hand, "push", suits=row.suits, least=row.least)
    return PostedRow(row.hand, "to", won.numerator, per=won.denominator, suits=row.suits, least=row.least)
