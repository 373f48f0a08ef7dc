"""Checks that the timestamps of rows are possible. The wall clock decides no row."""

from collections import deque
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from jackpot.ledger.journal import Row
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.requests import Requested
from jackpot.rules.epoch import MINUTE
from jackpot.rules.events import Event, Wagered
from jackpot.rules.signing import People
from jackpot.rules.state import BankState

# Where a day begins first, it does so before it does in UTC.
ZONES_AHEAD: Final = timedelta(days=1)

# A minute of the wall's clock while that is put right, which speeds it up by a tenth at most; milliseconds.
SHORT_MINUTE: Final = 54_000
# A minute of the wall's clock comes twice where it was set back within it: then it has the rounds of two.
# Each epoch that begins in it counts its own minute, and a server that loses its ledger again and again
# begins one every few seconds (its pauses grow to 5 s).
MINUTES_IN_ONE: Final = 2
MINUTES_MAX: Final = 16
# A request's quarter of an hour is counted by the epoch's clock. The wall's may be put right meanwhile, as by
# a zone that was set wrong, and never by a day.
CONFIRMED_WITHIN_MS: Final = 86_400_000

# A token's end is looked at by the wall's clock before the row is written: as above.
TOKEN_LATE_MS: Final = 86_400_000

# A table's last rounds, those of so many minutes, are held against each other wherever the clock wandered.
MINUTES_KEPT: Final = 2 * MINUTES_MAX


class FirstRow(NamedTuple):
    """A round opened by a table with a rate limit. at: by the wall's clock. tick: by the epoch's;
    milliseconds.

    table: its number. limit: of rounds a minute.
    """

    table: int
    limit: int
    at: int
    epoch: int
    tick: int


class TimestampChecks:
    """Timestamp checks over the rows of one chain, in order. Ticks count within an epoch, by one server's
    clock.

    asked: rows of the requests that wait for a second person, by number. opened: called with each round of a
    table with a limit, so that it can be compared with those before the first row.
    """

    def __init__(
        self, asked: dict[int, Row] | None = None, opened: Callable[[FirstRow], None] = lambda _opened: None
    ) -> None:
        self._rounds: dict[int, deque[FirstRow]] = {}
        self._asked = asked or {}
        self._opened = opened

    def fault(self, state: BankState, row: Row, event: Event) -> str | None:
        """Why the row cannot have been written then; None if it can. state: before the row."""
        if isinstance(event, ReadingTaken):
            return _early(row, event)
        if isinstance(event, Requested):
            waiting = {request.id for request in state.requests}
            self._asked = {number: kept for number, kept in self._asked.items() if number in waiting}
            self._asked[event.id] = row
        if (people := getattr(event, "people", None)) is not None:
            return self._late(row, people.proof.request) or _ended(row, people)
        if isinstance(event, Wagered) and row.table is not None:
            return self._quick(state, row, event)
        return None

    def _late(self, row: Row, request: int) -> str | None:
        """Why a request cannot have been confirmed within its time, in the epoch in which it was asked."""
        asked = self._asked.get(request)
        if asked is None or asked.epoch != row.epoch or row.at - asked.at <= CONFIRMED_WITHIN_MS:
            return None
        return f"request {row.bank}-{request} was asked in row {asked.seq}, more than a day before"

    def _quick(self, state: BankState, row: Row, event: Wagered) -> str | None:
        """Checks rounds within the table's rate limit by ticks against the wall clock, too (L11).

        A forger can write both clocks, so they must agree.
        """
        table = state.table(row.table or 0)
        limit = table.terms.max_rounds_per_minute
        if not limit or table.find(event.round) is not None:
            return None
        opened = FirstRow(table.number, limit, row.at, row.epoch, event.tick)
        self._opened(opened)
        said = self.quick(opened)
        return said and said.replace("{}", table.terms.table)

    def quick(self, opened: FirstRow) -> str | None:
        """Why the next round cannot have been opened then, with {} for its table's name."""
        rounds = self._rounds.setdefault(opened.table, deque(maxlen=MINUTES_KEPT * opened.limit))
        before = rounds[-1] if rounds else None
        rounds.append(opened)
        if before is not None and before.epoch == opened.epoch and opened.tick < before.tick:
            return f"its tick {opened.tick} is below that of the round before it, {before.tick}"
        near = [one for one in rounds if opened.at - SHORT_MINUTE < one.at <= opened.at]
        minutes = min(MINUTES_IN_ONE - 1 + len({one.epoch for one in near}), MINUTES_MAX)
        if len(near) <= minutes * opened.limit:
            return None
        said = f"{len(near)} rounds of table {{}} were opened within a minute"
        return f"{said}, and {opened.limit} are allowed (L11)"

    def crowded(self, opened: FirstRow) -> bool:
        """Whether `opened`, the last round given to `quick`, exceeds the rate limit by its epoch's ticks
        (L11).
        """
        lately = [
            one
            for one in self._rounds[opened.table]
            if one.epoch == opened.epoch and one.tick > opened.tick - MINUTE
        ]
        return len(lately) > opened.limit


def _ended(row: Row, people: People) -> str | None:
    """Why a token had expired by then."""
    for one in people.signed:
        if one.means == "token" and row.at - one.until > TOKEN_LATE_MS:
            return f"person {one.id} signed with token {one.token}, which had ended more than a day before"
    return None


def _early(row: Row, event: ReadingTaken) -> str | None:
    """Why a reading is of a day that cannot have ended yet."""
    last = (datetime.fromtimestamp(row.at // 1000, UTC) + ZONES_AHEAD).date()
    try:
        early = date.fromisoformat(event.day) <= last
    except ValueError:
        return f"{event.day!r} is no day, like {last}"
    return None if early else f"it reads the day {event.day}, and was written before {last} was over"
