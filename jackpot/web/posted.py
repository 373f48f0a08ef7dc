"""Posted odds of a table as pages show them: a block a wager, in words (P1)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from controllers.answers import Paytable, PostedBase, PostedEnvy, PostedRow, PostedWager
from jackpot.catalogue import rate_text
from jackpot.config import Config
from jackpot.config.writing import Writing
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
    """A wager. about: its amount. players: the columns of its lines, where what it pays depends on them."""

    title: str
    about: str
    lines: tuple[PostedLine, ...]
    players: tuple[int, ...] = ()
    envy: tuple[PostedLine, ...] = ()
    notes: tuple[str, ...] = ()


class PostedTable(NamedTuple):
    """A table: its blocks, and what stands below them all."""

    table: str
    game: str
    blocks: tuple[PostedBlock, ...]
    notes: tuple[str, ...]


def posted_table(config: Config, found: Paytable, money: Writing) -> PostedTable:
    """What is posted at a table, in words. found: with its phrases in the page's language."""
    notes: list[str] = list(found.phrases)
    if found.payout_limit is not None:
        limit = money.text(found.payout_limit)
        notes.append(
            Sentence("Base wagers pay at most {limit} to a player in one round.", limit=limit)
            if found.game == _BY_ROUND
            else Sentence("Base wagers pay at most {limit} on one hand.", limit=limit)
        )
        notes.append(Sentence("This limits no progressive and no bonus wager."))
    blocks = [
        *(_base(one, money) for one in found.base),
        *(_wager(config, one, money) for one in found.wagers),
    ]
    return PostedTable(found.table, found.game, tuple(blocks), tuple(notes))


def _base(wager: PostedBase, money: Writing) -> PostedBlock:
    return PostedBlock(wager.title, "", tuple(_line(row, {}, money) for row in wager.rows))


def _wager(config: Config, wager: PostedWager, money: Writing) -> PostedBlock:
    display = config.displays.get(wager.link)
    levels = dict(display.levels) if display is not None else {}
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
