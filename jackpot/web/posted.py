"""Posted odds of a table as pages show them: a block a wager, in words (P1)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from controllers.answers import Notice, Paytable, PostedBase, PostedEnvy, PostedRow, PostedWager
from jackpot.catalogue import rate_text
from jackpot.config import Config
from jackpot.config.writing import Writing, long_day
from jackpot.text import Sentence, suits, words

# A row for pairs from a rank on, by that rank; of aces there is none better.
PAIRS: Final = {
    "6": Sentence("Pair of sixes or better"),
    "T": Sentence("Pair of tens or better"),
    "J": Sentence("Pair of jacks or better"),
    "A": Sentence("Pair of aces"),
}
# A payout limit is of a hand, but at Criss-Cross Poker of all that a player wins in a round (674a.12(d)).
_BY_ROUND: Final = "criss-cross-poker"


class PostedLine(NamedTuple):
    """A hand, the suits that it is for, and what it pays: once, or by how many players there are."""

    hand: Sentence
    suits: str
    pays: tuple[str, ...]


class PostedBlock(NamedTuple):
    """A wager. about: its amount. players: the columns of its lines, where what it pays depends on them.

    notices: what was announced of it (P2).
    """

    title: str
    about: str
    lines: tuple[PostedLine, ...]
    players: tuple[int, ...] = ()
    envy: tuple[PostedLine, ...] = ()
    notes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class PostedTable(NamedTuple):
    """A table: its blocks, and what stands below them all."""

    table: str
    game: str
    blocks: tuple[PostedBlock, ...]
    notes: tuple[str, ...]


class Announced(NamedTuple):
    """The notices of a table's links and offers that stand (P2). locale: in which days are written."""

    notices: Mapping[str, Sequence[Notice]]
    locale: str

    def of(self, link: str, table: str) -> list[Notice]:
        """Those of a link as they concern that table."""
        return [one for one in self.notices.get(link, ()) if one.table in (UNSET, table)]


def posted_table(config: Config, paytable: Paytable, money: Writing, announced: Announced) -> PostedTable:
    """What is posted at a table, in words. paytable: with its phrases in the page's language."""
    notes: list[str] = list(paytable.phrases)
    if paytable.payout_limit is not None:
        limit = money.text(paytable.payout_limit)
        notes.append(
            Sentence("Base wagers pay at most {limit} to a player in one round.", limit=limit)
            if paytable.game == _BY_ROUND
            else Sentence("Base wagers pay at most {limit} on one hand.", limit=limit)
        )
        notes.append(Sentence("This limits no progressive and no bonus wager."))
    notices = {one.link: announced.of(one.link, paytable.table) for one in paytable.wagers}
    of_table = [one for told in notices.values() for one in told if _is_of_table(one)]
    notes += dict.fromkeys(notice_text(one, {}, money, announced.locale) for one in of_table)
    blocks = [*(_base(one, money) for one in paytable.base)]
    for wager in paytable.wagers:
        levels = _levels(config, wager.link)
        told = [one for one in notices[wager.link] if not _is_of_table(one)]
        said = tuple(notice_text(one, levels, money, announced.locale) for one in told)
        blocks.append(_wager(wager, levels, money)._replace(notices=said))
    return PostedTable(paytable.table, paytable.game, tuple(blocks), tuple(notes))


def _base(wager: PostedBase, money: Writing) -> PostedBlock:
    return PostedBlock(wager.title, "", tuple(_line(row, {}, money) for row in wager.rows))


def _levels(config: Config, link: str) -> dict[str, str]:
    """What the levels of a link are called."""
    display = config.displays.get(link)
    return dict(display.levels) if display is not None else {}


def _is_of_table(notice: Notice) -> bool:
    """Whether a notice is about what the table's base wagers pay."""
    return notice.table is not UNSET and notice.amount is not UNSET


def notice_text(notice: Notice, levels: Mapping[str, str], money: Writing, locale: str) -> Sentence:
    """A notice in words for players (P2). levels: what they are called."""
    day = long_day(notice.day, locale)
    if notice.last is not UNSET:
        return Sentence("Last day: {day}", day=day)
    if notice.seed is not UNSET or notice.rate is not UNSET:
        return _mystery_text(notice, levels, money, day)
    if notice.amount is UNSET:
        if notice.table is UNSET:
            return Sentence("Closes on {day}", day=day)
        return Sentence("Closes at table {table} on {day}", table=notice.table, day=day)
    amount = money.text(notice.amount)
    if notice.table is not UNSET:
        plain = "From {day} on base wagers at table {table} pay at most {amount}"
        return Sentence(plain, table=notice.table, amount=amount, day=day)
    if notice.level is UNSET:
        return Sentence("From {day} on a wager is at most {amount}", amount=amount, day=day)
    level = levels.get(notice.level, notice.level)
    plain = "From {day} on the {level} grows to {amount} at most"
    return Sentence(plain, level=level, amount=amount, day=day)


def _mystery_text(notice: Notice, levels: Mapping[str, str], money: Writing, day: str) -> Sentence:
    """What a mystery level begins with, or gains of a wager, from a day on (Y11)."""
    told = {"day": day, "level": levels.get(notice.level or "", notice.level or "")}
    if notice.seed is not UNSET:
        return Sentence(
            "From {day} on the {level} begins with {amount}", amount=money.text(notice.seed), **told
        )
    rate = rate_text(notice.rate or 0)
    return Sentence("From {day} on {rate} of a wager goes to the {level}", rate=rate, **told)


def _wager(wager: PostedWager, levels: dict[str, str], money: Writing) -> PostedBlock:
    players = max((len(row.players) for row in wager.rows), default=0)
    return PostedBlock(
        wager.title,
        _amounts(wager, money),
        tuple(_line(row, levels, money) for row in wager.rows),
        tuple(range(1, players + 1)),
        tuple(_envy(row, money) for row in wager.envy),
        tuple(_notes(wager, levels, money)),
    )


def _amounts(wager: PostedWager, money: Writing) -> Sentence:
    least, most = money.text(wager.least), money.text(wager.most)
    if wager.least == wager.most:
        return Sentence("A wager of {amount}", amount=least)
    unit = money.text(wager.unit)
    return Sentence("A wager of {least} to {most}, in steps of {unit}", least=least, most=most, unit=unit)


def _notes(wager: PostedWager, levels: dict[str, str], money: Writing) -> list[str]:
    notes: list[str] = []
    for level, most in wager.must_hit_by.items():
        name, amount = levels.get(level, level), money.text(most)
        notes.append(
            Sentence("The {level} must hit by {amount}, whatever the cards.", level=name, amount=amount)
        )
    for level, limit in wager.limits.items():
        name, amount = levels.get(level, level), money.text(limit)
        notes.append(Sentence("The {level} grows to {amount} at most.", level=name, amount=amount))
    if wager.magic:
        notes.append(Sentence("Magic Card pays {odds}.", odds=_for_one(wager.magic, money)))
    if wager.lucky:
        notes.append(Sentence("Lucky Bonus pays {odds}.", odds=_for_one(wager.lucky, money)))
    return notes


def _line(row: PostedRow, levels: dict[str, str], money: Writing) -> PostedLine:
    hand = PAIRS[row.least] if row.least else Sentence(words(row.hand))
    pays: Sequence[str] = [_to_one(n, 1, money) for n in row.players] or [_pays(row, levels, money)]
    return PostedLine(hand, suits(row.suits), tuple(pays))


def _envy(row: PostedEnvy, money: Writing) -> PostedLine:
    return PostedLine(Sentence(words(row.hand)), suits(row.suits), (money.text(row.amount),))


def _pays(row: PostedRow, levels: dict[str, str], money: Writing) -> str:
    match row.pays:
        case "percent":
            part = rate_text(row.of).replace(".", money.decimal)
            return Sentence("{part} of the {level}", part=part, level=levels.get(row.level, row.level))
        case "fixed":
            return money.text(row.of)
        case "for":
            return _for_one(row.of, money)
        case "to":
            return _to_one(row.of, row.per, money)
    return Sentence("push")


def _for_one(count: int, money: Writing) -> Sentence:
    return Sentence("{n} for 1", n=money.count(count))


def _to_one(count: int, per: int, money: Writing) -> Sentence:
    if per == 1:
        return Sentence("{n} to 1", n=money.count(count))
    return Sentence("{count} to {of}", count=money.count(count), of=money.count(per))
