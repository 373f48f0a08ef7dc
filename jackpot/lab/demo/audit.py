"""Final audit of a demo: the books balance, and tables and signs agree with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jackpot.lab.demo.house import SIGNS
from jackpot.lab.demo.own_count import OwnCount
from jackpot.ledger.open import open_reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import views
from jackpot.rules.money import to_cents
from jackpot.text import counted

Meters = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Verdict:
    """Result of the audit. entries: of the verified chain. problems: sentences. left: awards not yet paid."""

    entries: int
    tables: int
    problems: tuple[str, ...]
    left: int = 0

    def line(self) -> str:
        """The last line of a demo."""
        if self.problems:
            return f"the books do NOT balance, or somebody disagrees with them: {'; '.join(self.problems)}"
        left = f"; {counted(self.left, 'award')} left to pay" if self.left else ""
        return (
            f"the books balance: {counted(self.entries, 'entry')} verified, "
            f"and the {self.tables} tables' own counts agree{left}"
        )


def audit(
    url: str,
    bank: str,
    counts: Mapping[str, OwnCount],
    signs: Mapping[str, Meters],
    *,
    by_hand: bool = False,
) -> Verdict:
    """Verifies a ledger that no server has open, and compares it with the floor's own observations.

    counts: of each table, its own numbers of accepted wagers by link, and their cents by offer (S6). signs:
    what each sign showed last, in cents; it must be what the ledger has (S5). by_hand: people pay the awards,
    so some may be left.
    """
    ledger, left = open_reader(url), 0
    try:
        report = verify(ledger, bank)
        problems = list(report.problems)
        if not problems:
            engine, _ = rebuild(ledger, bank)
            books = views.statistics(engine)
            problems = _differing(books, counts, signs)
            left = books["hits"]["pending"] + books["hits"]["validated"]
            if left and not by_hand:
                problems.append(f"{counted(left, 'award')} won and not paid")
    finally:
        ledger.close()
    return Verdict(report.head.seq, len(counts), tuple(problems), left)


def _differing(
    books: Mapping[str, Any], counts: Mapping[str, OwnCount], signs: Mapping[str, Meters]
) -> list[str]:
    in_books = {table["table"]: table for table in books["tables"]}
    problems = [
        f"{table} has counted {own.counts[link]} wagers on {link}, the books have {booked}"
        for table, own in counts.items()
        for link, booked in in_books[table]["wagers"].items()
        if own.counts[link] != booked
    ]
    problems += [
        f"{table} has counted {own.sums[offer]} cents on {offer}, the books have {to_cents(booked)}"
        for table, own in counts.items()
        for offer, booked in in_books[table]["sums"].items()
        if own.sums[offer] != to_cents(booked)
    ]
    for sign, showed in signs.items():
        meters = meters_of(books, SIGNS[sign])
        problems += [
            f"{sign} showed {showed.get(level, 'nothing')} on {'.'.join(level)}, the books have {cents} cents"
            for level, cents in meters.items()
            if showed.get(level) != cents
        ]
    return problems


def meters_of(books: Mapping[str, Any], link: str) -> dict[tuple[str, str], int]:
    """What a link's sign must show, of `views.statistics`: cents by (link, level)."""
    return {
        (link, level["level"]): to_cents(level["primary"])
        for found in books["links"]
        if found["link"] == link
        for level in found["levels"]
    }
