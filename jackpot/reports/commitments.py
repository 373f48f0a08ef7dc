"""Report of commitments that nobody won: each one that runs, was replaced, ended with its link or was lost.

A commitment that was won stands with its hit. Of all others an auditor sees here what became of them, who
had it done and why, and whether they were opened (Y12). No trigger is here: an opened one is in the entry
that the row names, and of a running one the ledger has none.
"""

from collections.abc import Iterator
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to
from jackpot.reports.entry_text import reason
from jackpot.reports.read.entries import Entry, of_kind, one
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import Cell, Fact, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.snapshot_seals import Sealed
from jackpot.rules.acts.triggers import Renewed, TriggersRenewed
from jackpot.rules.rounds import mystery
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank", spare=True),
    ReportColumn("link"),
    ReportColumn("level", "word"),
    ReportColumn("cycle", "count"),
    ReportColumn("number", "figure", "of the commitment in its level; of lost ones the first to the last"),
    ReportColumn("became", "word", "it runs, was replaced, ended with its link, or its row was lost"),
    ReportColumn("opened", "word", "whether the journal opens it"),
    ReportColumn("ended", "moment"),
    ReportColumn("row", "count", "of the journal, where it ended"),
    ReportColumn("by", help="the act that ended it", spare=True),
    ReportColumn("who", spare=True),
    ReportColumn("reason"),
    ReportColumn("commitment", help="the hash in the journal", spare=True),
)

# What became of a commitment.
_RUNS: Final = Sentence("it runs")
_REPLACED: Final = Sentence("replaced")
_CLOSED: Final = Sentence("ended with its link")
_ROLLED_BACK: Final = Sentence("lost with rows of the ledger")
# Whether it was opened.
_NOT_YET: Final = Sentence("not yet")
_OPENED: Final = Sentence("opened")
_NEVER: Final = Sentence("never opened")
# What the writer itself puts between an act and the commitments that follow from it.
_WRITERS_OWN: Final = (ProgramBegan.kind, Sealed.kind)
# A start may be tried some times before the commitments that are due can be made.
_LOOK_BACK: Final = 50


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every such commitment since the ledger began, by bank, the oldest first, then those that run.

    Raises LedgerError.
    """
    rows = [row for bank in request.banks for row in _rows(ledger, bank, request)]
    facts = [
        Fact("commitments that run", sum(_RUNS is cell for row in rows for cell in row)),
        Fact("commitments that were never opened", sum(_NEVER is cell for row in rows for cell in row)),
    ]
    return ReportResult(facts, iter(rows), [])


def _rows(ledger: Reader, bank: str, request: ReportRequest) -> Iterator[tuple[Cell, ...]]:
    names = JournalNames(ledger, bank)
    committed = {number for number, terms in names.links.items() if terms.form == "committed"}
    if not committed:
        return
    for entry in of_kind(ledger, bank, TriggersRenewed.kind):
        event = entry.event
        for renewed in event.levels if isinstance(event, TriggersRenewed) else ():
            if request.link in (None, names.link(renewed.link)):
                yield from _ended(ledger, names, request, entry, renewed)
    state = read_to(ledger, bank, ledger.head(bank)).state
    for link in state.links if not state.closed_into else ():
        for level in link.levels if request.link in (None, link.terms.link) else ():
            if (running := mystery.running_of(level)) is not None:
                yield (
                    bank, request.link_cell(link.terms.link), level.terms.level, running.cycle,
                    str(running.number), _RUNS, _NOT_YET, None, None, "", "", "", running.digest.hex(),
                )  # fmt: skip


def _ended(
    ledger: Reader, names: JournalNames, request: ReportRequest, entry: Entry, renewed: Renewed
) -> Iterator[tuple[Cell, ...]]:
    """What ended by that entry: the commitment that ran, and those that the ledger had lost before."""
    link = request.link_cell(names.link(renewed.link))
    level = names.level(renewed.link, renewed.level)
    act = _act(ledger, names.bank, entry.seq)
    said = act.event if act is not None else None
    why = (
        entry.at, entry.seq, "" if act is None else act.name,
        names.who(getattr(said, "people", None)), "" if said is None else reason(said),
    )  # fmt: skip
    last, ended = 0, renewed.ended
    if ended is not None:
        last = ended.number
        yield (
            names.bank, link, level, ended.cycle, str(ended.number),
            _CLOSED if renewed.committed is None else _REPLACED,
            _NEVER if renewed.opened is None else _OPENED, *why, ended.digest.hex(),
        )  # fmt: skip
    if renewed.committed is not None and (before := renewed.committed.number - 1) > last:
        numbers = f"{last + 1}" if before == last + 1 else f"{last + 1}-{before}"
        yield names.bank, link, level, None, numbers, _ROLLED_BACK, _NEVER, *why, ""


def _act(ledger: Reader, bank: str, seq: int) -> Entry | None:
    """The entry from which these commitments follow: the one before, but for the writer's own."""
    for before in range(seq - 1, max(0, seq - 1 - _LOOK_BACK), -1):
        found = one(ledger, bank, before)
        if found is None or found.kind not in _WRITERS_OWN:
            return found
    return None


REPORT: Final = Report(
    "commitments",
    "Commitments that nobody won",
    "Which commitments of mystery levels run, or ended without a win, and why? Which were never opened?",
    COLUMNS,
    ("link",),
    find,
    "--link must-hit",
)
