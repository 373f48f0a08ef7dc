"""Worker process that makes one analysis for a server: one call in JSON, one reply, then it ends.

Figures take a fifth of a second of a core, pictures a second or two: a thread would hold up tables' frames.
"""

from functools import partial
from importlib.util import find_spec

import msgspec

from jackpot import worker_limits
from jackpot.config.languages import ENGLISH, spoken, translate
from jackpot.config.writing import Writing
from jackpot.odds.analyses import AnyAnalysis, analysis_of, facts_of, sheets_of
from jackpot.odds.analysis import AnalysisConditions
from jackpot.odds.drawable import SHEETS, drawable
from jackpot.odds.output import as_csv, as_html, as_json
from jackpot.odds.sheets import SheetFormat, cell_text
from jackpot.odds.subject import AnalysisError, AnalyzedLink
from jackpot.rules.codes import Code
from jackpot.rules.paytable import Game, LinkTerms
from jackpot.text import name_sentence
from jackpot.worker_refusal import WorkerRefusal


class LabCall(msgspec.Struct, frozen=True):
    """Call of the worker. meters: by level, in micro-dollars. money: the site's format. draw: pictures alone.

    language: a locale, of all that is shown; files for programs have no language.
    """

    terms: LinkTerms
    game: Game
    money: Writing
    meters: dict[str, int]
    players: int
    wagers_an_hour: int
    seed: str
    draw: bool = False
    language: str = ENGLISH

    def manner(self) -> SheetFormat:
        return SheetFormat(self.money, partial(translate, self.language))


class LabPage(msgspec.Struct, frozen=True):
    """One table as it is shown. kinds: of the columns."""

    name: str
    title: str
    columns: list[str]
    kinds: list[str]
    rows: list[list[str]]
    notes: list[str]


class NamedPicture(msgspec.Struct, frozen=True):
    """A picture by the name that it is requested with. sheet: the table of its figures."""

    name: str
    sheet: str
    title: str


class LabReply(msgspec.Struct, frozen=True):
    """Reply of the worker. refusal: why there is nothing else. pictures: by name, as SVG.

    drawable: the pictures that can be asked for; None where what draws them is not installed.
    """

    refusal: WorkerRefusal | None = None
    facts: list[tuple[str, str]] = []
    sheets: list[LabPage] = []
    drawable: list[NamedPicture] | None = None
    pictures: dict[str, str] = {}
    csv: str = ""
    json: str = ""
    html: str = ""


def told_of(asked: LabCall) -> LabReply:
    """The reply: page and exports, or the pictures, which take longest and are made apart from the page."""
    subject, manner = AnalyzedLink(asked.terms, asked.game, frozenset()), asked.manner()
    money, say = manner
    try:
        found = analysis_of(subject, AnalysisConditions(asked.meters, asked.players, asked.wagers_an_hour))
    except AnalysisError as error:
        return LabReply(WorkerRefusal.of(Code.BAD_REQUEST, error.said))
    drawn = find_spec("matplotlib") is not None
    if asked.draw:
        return LabReply(pictures=_pictures(found, asked) if drawn else {})
    pages = [
        LabPage(
            sheet.name,
            say(sheet.title),
            [say(name_sentence(column.name)) for column in sheet.columns],
            [column.kind for column in sheet.columns],
            [[cell_text(column.kind, cell, manner) for column, cell in zip(sheet.columns, row, strict=True)]
             for row in sheet.rows],
            [say(note) for note in sheet.notes],
        )
        for sheet in sheets_of(found, money)
    ]  # fmt: skip
    return LabReply(
        facts=[(say(name_sentence(name)), say(text)) for name, text in facts_of(found, money)],
        sheets=pages,
        drawable=[
            NamedPicture(picture.name, SHEETS[picture.kind], say(picture.title))
            for picture in drawable(found, money)
        ]
        if drawn
        else None,
        csv=as_csv(found),
        json=as_json(found),
        html=as_html(found, manner, spoken(asked.language)),
    )


def _pictures(analysis: AnyAnalysis, asked: LabCall) -> dict[str, str]:
    from jackpot.odds.pictures import pictures, written  # noqa: PLC0415 - of the extra `lab`

    drawn = pictures(analysis, asked.seed, asked.manner(), "page")
    return {name: written(figure, "svg").decode() for name, figure in drawn.items()}


def answered(question: bytes) -> bytes:
    """The encoded reply, made in a process of its own."""
    return msgspec.json.encode(told_of(msgspec.json.decode(question, type=LabCall)))


if __name__ == "__main__":
    worker_limits.answer(answered)
