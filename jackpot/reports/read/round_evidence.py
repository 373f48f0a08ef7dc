"""Evidence in the journal that a mystery award's round was played, and its table's pace then (Y10).

Nobody sees cards there, so people compare: what the dealer counted, what was wagered, and the rounds of the
table in the hour up to the award, next to the same hour of the days before.
"""

from itertools import pairwise
from typing import Final, NamedTuple

from jackpot.ledger.archived import cut_of
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, asked, one
from jackpot.reports.read.names import JournalNames
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.events import Closed, Locked, Settled, Wagered
from jackpot.rules.state import Hit

HOUR_MS: Final = 3_600_000
# Days before whose same hour says what is usual: each weekday once.
DAYS_BEFORE: Final = 7
# Rows that are looked at for all hours together: some tenths of a second, and about a week of hours of a
# floor that writes 20,000 rows an hour. On a busier one the farther days are left out.
ROWS_MAX: Final = 160_000
# Rows that one statement looks at: some tens of milliseconds.
_PAGE: Final = 20_000
# Frames back from the award among which its round was locked: more than a round has seats and wagers.
_FRAMES_MAX: Final = 64
# Rows back from the award among which these stand: a round is a minute or two of the whole floor.
_BACK: Final = 100_000

_LOCKING: Final = f"""
    SELECT seq, at, kind, version, "table", table_seq, body FROM journal
    WHERE bank = ?1 AND seq > ?2 AND seq < ?3 AND kind IN ({Wagered.kind}, {Locked.kind}) AND "table" = ?4
    ORDER BY seq DESC LIMIT ?5
"""  # noqa: S608
_ENDING: Final = f"""
    SELECT seq, at, kind, version, "table", table_seq, body FROM journal
    WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 AND kind IN ({Settled.kind}, {Closed.kind}) AND "table" = ?4
    ORDER BY seq
"""  # noqa: S608


class RoundEvidence(NamedTuple):
    """The round of a mystery award.

    wagers: of the award's link, as they counted. wagered: what these come to, in micro-dollars. chips: the
    dealer's count of them, the last one; None where the journal here has none.

    rounds: that the table ended in the hour up to the award, with this one. None where an archive has some of
    them. before: the same of that hour of each of the days before on which the table ended any then, the
    nearest day first.
    """

    wagers: int
    wagered: int
    chips: int | None
    rounds: int | None
    before: tuple[int, ...]


def evidence_of(ledger: Reader, names: JournalNames, hit: Hit) -> RoundEvidence | None:
    """None of a hit that no close has counted, so of any but a mystery's. Raises LedgerError."""
    made = one(ledger, names.bank, hit.seq)
    event = None if made is None else made.event
    if made is None or not isinstance(event, Settled | Closed):
        return None
    counted = next((each for each in event.counted if each.link == hit.link), None)
    if counted is None:
        return None
    cut = _cut(ledger, names.bank)
    chips = _chips(ledger, names.bank, cut, hit)
    rounds, before = _paces(ledger, names.bank, cut, hit.table, made)
    if _cut(ledger, names.bank) != cut:  # rows left while they were counted
        chips, rounds, before = None, None, ()
    return RoundEvidence(counted.wagers, counted.wagers * names.links[hit.link].wager, chips, rounds, before)


def _chips(ledger: Reader, bank: str, cut: int, hit: Hit) -> int | None:
    """The dealer's last count of the wagers on the hit's link in its round. cut: as of `_cut`."""
    after = max(hit.seq - _BACK, cut)
    for row in asked(ledger, bank, _LOCKING, after, hit.seq, hit.table, _FRAMES_MAX):
        event = Entry(*row).event
        if isinstance(event, Wagered | Locked) and event.round == hit.round and event.locking is not None:
            return event.locking.chips.get(hit.link)
    return None


def _paces(
    ledger: Reader, bank: str, cut: int, table: int, entry: Entry
) -> tuple[int | None, tuple[int, ...]]:
    """As `RoundEvidence.rounds` and `before`. cut: as of `_cut`. entry: of the award."""
    left, found, last = ROWS_MAX, list[int](), None
    for day in range(DAYS_BEFORE + 1):
        end = entry.at - day * DAY_MS
        upto = entry.seq if day == 0 else _rows_by(ledger, bank, cut, entry.seq, end)
        after = _rows_by(ledger, bank, cut, upto, end - HOUR_MS)
        left -= upto - after
        whole = after > cut or cut == 0
        if not whole or (left < 0 and day > 0):
            break
        rounds = _ended(ledger, bank, table, after, upto)
        if day == 0:
            last = rounds
        elif rounds:
            found.append(rounds)
    return last, tuple(found)


def _ended(ledger: Reader, bank: str, table: int, after: int, upto: int) -> int:
    """The rounds that the table ended with after < seq <= upto; one that was reopened is one."""
    rounds = set[str]()
    for first, last in pairwise([*range(after, upto, _PAGE), upto]):
        for row in asked(ledger, bank, _ENDING, first, last, table):
            event = Entry(*row).event
            if isinstance(event, Closed) or (isinstance(event, Settled) and event.closing is not None):
                rounds.add(event.round)
    return len(rounds)


def _rows_by(ledger: Reader, bank: str, low: int, high: int, at: int) -> int:
    """The number of the last row up to that time among low < seq <= high; low where there is none."""
    while low < high:
        middle = (low + high) // 2
        entry = one(ledger, bank, middle + 1)
        if entry is not None and entry.at <= at:
            low = middle + 1
        else:
            high = middle
    return low


def _cut(ledger: Reader, bank: str) -> int:
    """Up to which row tables' frames are archived."""
    cut = cut_of(ledger, bank)
    return 0 if cut is None else cut.seq
