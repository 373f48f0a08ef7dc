"""Template catalogues (.pot): every sentence that is translated, with the files that say it.

Babel extracts what templates, scripts and programs say. What stands in data, such as the names of hands and
of event kinds, comes from the registries. `python -m tests.generated` writes the templates, for `msgmerge`.
"""

import ast
import functools
import io
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Final, NamedTuple, get_args

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from msgspec import Struct

import jackpot
from jackpot.api.suspension_help import REMEDIES
from jackpot.auth.auth_service import NOBODY_YET, NOT_RIGHT, SESSION_OVER, SHUT
from jackpot.catalogue import ids, load
from jackpot.config.languages import PAGES, REFUSALS, SIGNS
from jackpot.config.posting import PHRASES
from jackpot.odds.subject import AnalysisError
from jackpot.reports.entry_text import NOT_ABOUT
from jackpot.reports.read.journal import NoSuchKind
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import InArchive, ReportRefused
from jackpot.reports.what_if import ReplayRefused
from jackpot.rules import alarms, registry
from jackpot.rules.acts import ACTS
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.codes import OF_ACTS, Code
from jackpot.rules.events import Voided
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.signing import ROLES, Means
from jackpot.rules.templates import TEMPLATES
from jackpot.rules.views import WAITING
from jackpot.rules.void_causes import CAUSES as VOID_CAUSES
from jackpot.text import FIELD, RefusalSentence, several, words
from jackpot.web.act_labels import CAUSES, WAITS
from jackpot.web.authentication import HOW_TO_BE_SAFE
from jackpot.web.floor_alerts import OFFLINE
from jackpot.web.overview import ALARMS, HERE, HITS, REQUESTS
from jackpot.web.pages_base import FIELDS, LISTS
from jackpot.web.reports import ASKED
from jackpot.web.sign_pages import ASK, UNAVAILABLE

ROOT: Final = Path(jackpot.__file__).parent
CATALOGUES: Final = ROOT / "config" / "catalogues"
KINDS: Final = (SIGNS, PAGES, REFUSALS)


# Fields of an event that `telling.about` puts otherwise than as their name and their value.
PUT_OTHERWISE: Final = frozenset({
    "amount", "award", "awards", "bet", "board", "closing", "command", "dealer", "hit", "hits", "left",
    "level", "link", "links", "locking", "made", "meters", "person", "recount", "shown", "table", "tax_from",
    "to", "version", "serves",
})  # fmt: skip


class Said(NamedTuple):
    """A sentence that is translated. file: below jackpot/, that says it."""

    text: str
    file: str
    context: str = ""


def _as_it_is(text: str) -> Iterator[str]:
    yield text


def _in_words(name: str) -> Iterator[str]:
    yield words(name)


def _one_and_several(what: str) -> Iterator[str]:
    yield several(1, what).plain
    yield several(2, what).plain


class Source(NamedTuple):
    """Files that say sentences. pattern: of files. call: what they call, and with which argument.

    says: what is said of that argument.
    """

    pattern: str
    call: str
    argument: int = 1
    says: Callable[[str], Iterator[str]] = _as_it_is


HEAD: Final = """\
# Made by `python -m tests.generated`; translate it in the file of a language next to it.
msgid ""
msgstr ""
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
_METHODS: Final = {".html": "jinja2", ".js": "javascript", ".py": "python"}
_ROOMS: Final = ("web", "reports", "odds")
_SIGNS: Final = (Source("web/static/*.js", "say"),)
_PAGES: Final = (
    Source("web/pages/*.html", "say"),
    Source("web/pages/ops/*.html", "say"),
    Source("odds/pages/*.html", "say"),
    Source("reports/pages/*.html", "say"),
    *(Source(f"{room}/**/*.py", "Sentence") for room in _ROOMS),
    *(Source(f"{room}/**/*.py", "several", 2, _one_and_several) for room in _ROOMS),
    *(Source(f"{room}/**/*.py", "named", says=_in_words) for room in _ROOMS),
    *(Source("reports/**/*.py", call, says=_in_words) for call in ("Fact", "ReportColumn")),
    *(Source("web/act_labels.py", "ActLabel", argument) for argument in (1, 2)),
    Source("reports/**/*.py", "ReportProblem", 2),
)
_BABEL: Final = {SIGNS: _SIGNS, PAGES: _PAGES, REFUSALS: (Source("ledger/**/*.py", "Sentence"),)}
# Rooms that refuse before a bank decides; what begins with an id, and what with the text.
_REFUSE: Final = ("api", "auth", "web", "reports", "odds", "ledger")
# Rooms whose names and variables pages say.
_HOLD: Final = (
    *(
        f"{room}/**/*.py"
        for room in (*_ROOMS, "api", "auth", "rules", "publish", "catalogue", "config", "ledger")
    ),
    "*.py",
)
_BY_TEMPLATE: Final = {each.__name__ for each in (ReportRefused, InArchive, ReplayRefused, NoSuchKind)}
_BY_TEXT: Final = {RefusalSentence.__name__, AnalysisError.__name__}


def _extracted(sources: Iterable[Source]) -> Iterator[Said]:
    """What Babel finds in the files."""
    for source in sources:
        for path in sorted(ROOT.glob(source.pattern)):
            with path.open("rb") as lines:
                keywords, options = {source.call: (source.argument,)}, {"silent": "false"}
                with redirect_stderr(io.StringIO()):  # it warns of each f-string, as of counts in a sentence
                    found = list(extract(_METHODS[path.suffix], lines, keywords, options=options))
            for _line, message, _comments, _context in found:
                for text in source.says(str(message)):
                    yield Said(text, str(path.relative_to(ROOT)))


def _refusals() -> Iterator[Said]:
    """What refuses, of the server itself: its context is its template, or that it names a field."""
    for room in _REFUSE:
        for path in sorted((ROOT / room).rglob("*.py")):
            for call in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
                    continue
                texts = [getattr(one, "value", None) for one in call.args]
                given = {one.arg: getattr(one.value, "value", None) for one in call.keywords}
                if call.func.id in _BY_TEMPLATE:
                    context, text = texts[:2]
                elif call.func.id in _BY_TEXT:
                    text, context = texts[0], given.get("template", FIELD if "field" in given else "")
                else:
                    continue
                if isinstance(text, str) and isinstance(context, str):
                    yield Said(text, str(path.relative_to(ROOT)), context)


def _in_data(kind: str) -> Iterator[Said]:
    """What stands in data: names that are said in words, and sentences that are looked up by a name."""
    if kind == REFUSALS:
        for id_, row in TEMPLATES.items():
            yield Said(row.english, "rules/templates.py", id_)
        return
    for file, texts in (_data_of_signs() if kind == SIGNS else _data_of_pages()).items():
        yield from (Said(text, file) for text in texts)


def _data_of_signs() -> dict[str, Iterable[str]]:
    hands = {row.hand for name in ids() for row in load(name).rows}
    return {
        "catalogue/paytables.py": [words(hand) for hand in sorted(hands)],
        "web/sign_pages.py": [UNAVAILABLE, ASK],
    }


def _data_of_pages() -> dict[str, Iterable[str]]:
    """By the file that has them."""
    events: list[type[Struct]] = [*registry.KINDS.values(), TableTerms, LinkTerms, LevelTerms]
    fields = {field: None for event in events for field in event.__struct_fields__}
    return {
        "api/suspension_help.py": REMEDIES.values(),
        "auth/auth_service.py": [NOBODY_YET, NOT_RIGHT, SESSION_OVER, SHUT],
        "config/posting.py": PHRASES,
        "reports/entry_text.py": [
            name.replace("_", " ") for name in fields if name not in {*NOT_ABOUT, *PUT_OTHERWISE}
        ],
        "reports/read/meter_history.py": [event.__name__.lower() for event in (Voided, Struck)],
        "reports/registry.py": [
            text for report in REPORTS.values() for text in (report.title, report.help, *report.lines)
        ],
        "rules/acts/__init__.py": [words(act.name) for act in ACTS],
        "rules/alarms.py": [
            text for kind, about in alarms.KINDS.items() for text in (kind, words(kind), *about)
        ],
        "rules/codes.py": [
            *(text for act in OF_ACTS.values() for text in (act.means, act.then)),
            *(words(code) for code in Code),
        ],
        "rules/registry.py": [words(registry.name_of(kind)) for kind in registry.KINDS],
        "rules/signing.py": [*ROLES, *get_args(Means)],
        "rules/views.py": WAITING,
        "rules/void_causes.py": [words(cause) for cause in VOID_CAUSES],
        "web/act_labels.py": [WAITS, *CAUSES.values()],
        "web/authentication.py": [HOW_TO_BE_SAFE],
        "web/floor_alerts.py": [text for pair in OFFLINE.values() for text in pair],
        "web/overview.py": [text for pair in (*HERE.values(), HITS, REQUESTS, ALARMS) for text in pair],
        "web/pages_base.py": [*FIELDS.values(), *LISTS.values()],
        "web/reports.py": [label for asked in ASKED.values() for _, label in asked],
    }


def _held(kind: str) -> Iterator[Said]:
    """What a name or a variable of the program holds, and a language already translates; its first file."""
    left = _translated(kind)
    for path in (path for pattern in _HOLD for path in sorted(ROOT.glob(pattern))):
        texts = set[str]()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                texts.add(node.target.id)
            elif isinstance(node, ast.keyword) and node.arg is not None:
                texts.add(node.arg)
        found = texts | {words(text) for text in texts} | {text.capitalize() for text in texts}
        here = {key for key in left if key[1] in found}
        yield from (Said(text, str(path.relative_to(ROOT)), of) for of, text in here)
        left -= here


@functools.cache
def sentences(kind: str) -> tuple[Said, ...]:
    """Every sentence of a catalogue that has a letter of its own, or that a language says otherwise.

    Pages have the catalogues of signs and of refusals, too: what stands there is in theirs only where pages
    say it in another way.
    """
    found = [*_extracted(_BABEL[kind]), *(_refusals() if kind == REFUSALS else ()), *_in_data(kind)]
    there = {(said.context, said.text) for said in found}
    found += (said for said in _held(kind) if (said.context, said.text) not in there)
    own = {text for _, text in _translated(kind)}
    others = {text for each in (SIGNS, REFUSALS) if kind == PAGES for _, text in _translated(each)}
    return tuple(
        said
        for said in found
        if said.text in own
        or (said.text not in others and (said.context or re.sub(r"{\w+}|\W", "", said.text)))
    )


def _translated(kind: str) -> set[tuple[str, str]]:
    """What any language has, by context and sentence."""
    return {key for language in languages(kind) for key in catalogue(kind, language)}


def languages(kind: str) -> list[str]:
    """The languages of a catalogue."""
    return sorted(file.stem for file in (CATALOGUES / kind).glob("*.po"))


def file(kind: str) -> Path:
    """The template's file."""
    return CATALOGUES / kind / f"{kind}.pot"


def template(kind: str) -> str:
    """The template of a catalogue, for translators: each sentence once, with the files that say it."""
    made = Catalog(charset="utf-8")
    for said in sorted(sentences(kind), key=lambda one: (one.file, one.context, one.text)):
        made.add(said.text, locations=[(said.file, 0)], context=said.context or None)
    text = io.BytesIO()
    write_po(text, made, width=120, omit_header=True, include_lineno=False)
    return HEAD + text.getvalue().decode()


def catalogue(kind: str, language: str) -> dict[tuple[str, str], str]:
    """The translations by context and sentence."""
    with (CATALOGUES / kind / f"{language}.po").open("rb") as lines:
        return {(one.context or "", str(one.id)): str(one.string) for one in read_po(lines) if one.id}
