"""Part of the floor that a report is about: one link, table, game or shift, or all of them."""

from collections.abc import Iterable, Sequence

from jackpot.reports.read.names import JournalNames, must_know
from jackpot.reports.read.shifts import shift_of, shifts_of
from jackpot.reports.report import ReportRefused, ReportRequest


class Scope:
    """What of one bank counts for a report."""

    def __init__(self, request: ReportRequest, names: JournalNames) -> None:
        self._site = request.site
        self._shift = request.shift
        self._links = {number for number, terms in names.links.items() if request.link in (None, terms.link)}
        self._tables = {
            number
            for number, terms in names.tables.items()
            if request.table in (None, terms.table) and request.game in (None, terms.game)
        }
        self.links_whole = (request.table, request.game, request.shift) == (None, None, None)
        """Whether what is of no table, such as a seed, counts too."""

    def has_link(self, link: int) -> bool:
        """Whether that link counts, for any part of it."""
        return link in self._links

    def has(self, link: int, table: int, at: int) -> bool:
        """Whether what happened on that link at that table counts. at: unix milliseconds."""
        if link not in self._links or table not in self._tables:
            return False
        return self._shift is None or shift_of(at, self._site) == self._shift


def must_be_there(request: ReportRequest, names: Sequence[JournalNames]) -> None:
    """Raises ReportRefused for a link, table, game or shift that is nowhere on the floor."""
    must_know(names, [request.link] if request.link else [])
    tables = [terms for each in names for terms in each.tables.values()]
    _must_be_one_of("table", request.table, (terms.table for terms in tables))
    _must_be_one_of("game", request.game, (terms.game for terms in tables))
    _must_be_one_of("shift", request.shift, (shift.name for shift in shifts_of(request.site)))


def _must_be_one_of(field: str, value: str | None, known: Iterable[str]) -> None:
    there = sorted(set(known))
    if value is not None and value not in there:
        raise ReportRefused(
            "not_there",
            "{value} is unknown; there is {known}",
            field=field,
            value=repr(value),
            known=" ".join(there),
        )
