"""Worker process that plays a link's journal again on other terms; it says how far it is, row by row.

Two engines decide each wager once more, which takes a core for as long as the journal is.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Final

import msgspec

from jackpot import worker_limits
from jackpot.catalogue import CatalogueError
from jackpot.config.languages import ENGLISH, translate
from jackpot.config.writing import Writing
from jackpot.ledger.open import open_reader
from jackpot.ledger.store import LedgerError
from jackpot.reports.what_if import End, ReplayRefused, Total, WhatIfResult, other_terms, what_if
from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence, Sentence, name_sentence
from jackpot.worker_refusal import WorkerRefusal

# Of a worker's processor time: a year of a floor is some ten minutes.
SECONDS_MAX: Final = 900
# Days of a page, the newest: three months.
DAYS_SHOWN: Final = 92


class WhatIfCall(msgspec.Struct, frozen=True):
    """Call of the worker. url: of the ledger. paytable: None for the link's own. settings: by "level.figure".

    since: the gaming day with whose reading it begins, None for the first row. money: the site's format.
    """

    url: str
    bank: str
    link: str
    paytable: str | None
    settings: dict[str, str]
    since: str | None
    money: Writing
    language: str = ENGLISH


class WhatIfSheet(msgspec.Struct, frozen=True):
    """One table as it is shown; the first column is text, the others are figures."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class WhatIfReply(msgspec.Struct, frozen=True):
    """Reply of the worker. refusal: why there is nothing else. warnings: what no configuration may have."""

    refusal: WorkerRefusal | None = None
    sheets: list[WhatIfSheet] = []
    warnings: list[str] = []


def reply_to(asked: WhatIfCall) -> WhatIfReply:
    """The reply; what cannot be played is said in it. Raises LedgerError."""
    try:
        with closing(open_reader(asked.url)) as ledger:
            found = what_if(
                ledger,
                asked.bank,
                asked.link,
                lambda now: other_terms(now, asked.paytable, asked.settings),
                worker_limits.tell,
                asked.since,
            )
    except (ReplayRefused, CatalogueError) as error:
        reason = error.said if isinstance(error, ReplayRefused) else str(error)
        said = RefusalSentence("it cannot be played again: {reason}", reason=reason)
        return WhatIfReply(WorkerRefusal.of(Code.BAD_REQUEST, said))
    return WhatIfReply(sheets=_sheets(found, asked), warnings=found.not_allowed)


def _sheets(result: WhatIfResult, asked: WhatIfCall) -> list[WhatIfSheet]:
    say, exact, count = partial(translate, asked.language), asked.money.exact, asked.money.count

    def title(name: str) -> str:
        return say(name_sentence(name))

    both = [title("as it was"), title("if")]
    was, would = ({end.level: end for end in side} for side in (result.was, result.would))
    ends = [
        [title(level), *(
            text for figure in ("meter", "hits", "paid", "house") for text in _both(
                (was.get(level), would.get(level)), figure, count if figure == "hits" else exact)
        )]
        for level in dict.fromkeys([*was, *would])
    ]  # fmt: skip
    totals = [(result.was_total, result.would_total)]
    names = (*Total._fields, "left_to_the_house")
    in_all = [
        [title(name), exact(one), exact(other), exact(other - one)]
        for was_total, would_total in totals
        for name, one, other in zip(
            names, (*was_total, was_total.left), (*would_total, would_total.left), strict=True
        )
    ]
    days = [
        [f"{day.day} {title(day.level)}",
         *("" if sum_ is None else exact(sum_) for sum_ in (day.meter, day.meter_if)),
         *("" if number is None else count(number) for number in (day.hits, day.hits_if))]
        for day in result.days[-DAYS_SHOWN * max(1, len(result.was)) :]
    ]  # fmt: skip
    played = {"rounds": result.rounds, "wagers whose hand was not shown": result.hidden}
    if result.own_numbers:
        played["random numbers that the journal does not have"] = result.own_numbers
    left = {what: number for what, number in result.left_out.items() if number}
    refused = {what: number for what, number in result.refused.items() if number}
    counted = [
        *([title(what), count(number)] for what, number in played.items()),
        *([say(Sentence("not repeated: {what}", what=Sentence(what))), count(number)]
          for what, number in left.items()),
        *([say(Sentence("not taken: {why}", why=why)), count(number)] for why, number in refused.items()),
    ]  # fmt: skip
    heads = [f"{title(figure)}, {side}" for figure in ("meter", "hits", "paid", "put in by the house")
             for side in both]  # fmt: skip
    day_heads = [f"{title(figure)}, {side}" for figure in ("meter", "hits") for side in both]
    return [
        WhatIfSheet(say("In all"), ["", *both, title("difference")], in_all),
        WhatIfSheet(say("At the end"), [title("level"), *heads], ends),
        WhatIfSheet(say("At the end of each gaming day"), [title("day"), *day_heads], days),
        WhatIfSheet(say("What was played again"), ["", title("count")], counted),
    ]


def _both(ends: Sequence[End | None], figure: str, write: Callable[[int], str]) -> list[str]:
    """A figure of a level on both sides; empty where a side lacks the level."""
    return ["" if end is None else write(getattr(end, figure)) for end in ends]


def answered(question: bytes) -> bytes:
    """The encoded reply, made in a process and over a connection of its own."""
    asked = msgspec.json.decode(question, type=WhatIfCall)
    try:
        reply = reply_to(asked)
    except LedgerError as error:
        said = Sentence("the ledger cannot be read: {reason}", reason=str(error))
        reply = WhatIfReply(WorkerRefusal.of(Code.LEDGER, said))
    return msgspec.json.encode(reply)


if __name__ == "__main__":
    worker_limits.answer(answered, SECONDS_MAX)
