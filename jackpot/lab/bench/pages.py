"""Benchmark of pages, lists and reports over a long journal; each is asked of a real server once.

    python -m jackpot.lab.bench.pages FOLDER [ROWS]    with a journal of two million rows, or of so many

Times are this machine's. The rows that SQLite hands over, and its steps to find them, are the same on every
machine, and do not grow with the journal.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import aiohttp
import apsw
import structlog

from jackpot.api.http_call import target_of
from jackpot.api.operation import BASE
from jackpot.api.registry import QUESTIONS
from jackpot.api.worker_pool import WorkerPool
from jackpot.app import Server
from jackpot.auth.person_admin import NewPerson, PersonAdmin
from jackpot.clock import SystemClock
from jackpot.config import load
from jackpot.lab.bench.frames import LINK
from jackpot.lab.bench.ledger_fixture import BANK, LedgerFixture, PastOptions, past
from jackpot.reports import worker
from jackpot.reports.registry import REPORTS
from jackpot.web.pages_base import SIGN_IN

ROWS: Final = 2_000_000
# Number of gaming days: more than any page shows.
DAYS: Final = 100
SECRET: Final = "for the bench alone"  # noqa: S105 - of a ledger that nobody keeps
PEOPLE: Final = [NewPerson(name.lower(), name, SECRET) for name in ("Ann", "Bo")]
# Values of the parameters in an address or a query.
NAMED: Final = {
    "bank": BANK, "link": LINK, "table": "T00001", "hit": "H1", "person": "1",
    "act": "correct-meter", "level": "mega", "amount": "1.00",
}  # fmt: skip
PAGES: Final = (
    "/ops",
    "/ops/hits",
    "/ops/hits/{bank}/{hit}",
    "/ops/hits/{bank}/{hit}/preview?act=undo",
    "/ops/links",
    "/ops/links/{link}",
    "/ops/links/{link}/preview?act={act}&level={level}&amount={amount}",
    "/ops/tables/{table}",
    "/ops/requests",
    "/ops/alarms",
    "/ops/people",
    "/ops/people/{person}",
    "/ops/journal",
    "/ops/journal?kind=bank_opened",
    "/ops/journal?table={table}",
    "/ops/journal?hit={hit}",
    "/ops/journal?person={person}",
    "/ops/hits?sort=amount",
    "/ops/readings",
    "/ops/director",
    "/ops/reports",
    "/ops/lab",
    "/ops/what-if",
    "/ops/account",
    "/ops/waiting",
    "/ops/floor",
    "/floor.json",
    "/metrics",
)


class Cost(NamedTuple):
    """Cost of one answer. rows: returned by SQLite. steps: of its virtual machine. size: bytes."""

    path: str
    status: int
    seconds: float
    rows: int
    steps: int
    size: int


class StatementCount:
    """Counts what is read through each read-only connection to a SQLite file that is opened meanwhile."""

    def __init__(self) -> None:
        self.rows = self.steps = 0

    def __enter__(self) -> Self:
        apsw.connection_hooks.append(self._watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        apsw.connection_hooks.remove(self._watch)

    def _watch(self, connection: apsw.Connection) -> None:
        if connection.open_flags & apsw.SQLITE_OPEN_READONLY:
            connection.trace_v2(apsw.SQLITE_TRACE_ROW | apsw.SQLITE_TRACE_PROFILE, self._count)

    def _count(self, event: dict[str, Any]) -> None:
        if event["code"] == apsw.SQLITE_TRACE_ROW:
            self.rows += 1
        else:
            self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


class PageVisitor(NamedTuple):
    """A signed-in visitor who may see everything."""

    server: Server
    web: aiohttp.ClientSession
    reads: StatementCount

    async def cost(self, path: str) -> Cost:
        """Cost of the answer at that address."""
        self.reads.rows = self.reads.steps = 0
        began = time.perf_counter()
        async with self.web.get(path) as answer:
            size = len(await answer.read())
        seconds = time.perf_counter() - began
        # A person who is not signed in is redirected to the sign-in page.
        status = HTTPStatus.UNAUTHORIZED if answer.url.path == SIGN_IN else answer.status
        return Cost(path, status, seconds, self.reads.rows, self.reads.steps, size)


class _FixtureClock(SystemClock):
    """Clock set back to when a fixture ended: no gaming day since then is missing."""

    def __init__(self, now: int) -> None:
        self._ahead_ms = super().unix_ms() - now

    def unix_ms(self) -> int:
        return super().unix_ms() - self._ahead_ms


class _ThreadWorkers(WorkerPool):
    async def ask(self, question: bytes, _person: int, _within_s: float, _kind: str = "") -> bytes:
        return await asyncio.to_thread(worker.answered, question)


def here() -> WorkerPool:
    """Runs reports in this process: reads are counted, and no worker process has to start."""
    return _ThreadWorkers("", "", each_max=1, total_max=1)


@asynccontextmanager
async def visiting(fixture: LedgerFixture) -> AsyncIterator[PageVisitor]:
    """A server on that fixture, and a signed-in visitor."""
    jar = aiohttp.CookieJar(unsafe=True)  # it is known by an address, not by a name
    with StatementCount() as reads:
        server = Server(load(fixture.config), _FixtureClock(fixture.now))
        server.report_readers = here()
        async with server:
            await PersonAdmin(server.auth).begin(PEOPLE, "root")
            at = f"http://127.0.0.1:{server.ports['http']}"
            async with aiohttp.ClientSession(at, cookie_jar=jar) as web:
                form = {"login": PEOPLE[0].login, "secret": SECRET}
                (await web.post("/ops/sign-in", data=form, allow_redirects=False)).close()
                yield PageVisitor(server, web, reads)


def addresses() -> Iterator[str]:
    """Addresses of every page, list and report."""
    yield from (page.format(**NAMED) for page in PAGES)
    for question in QUESTIONS:
        fields = [name for name in question.__struct_fields__ if name in NAMED]
        yield BASE + target_of(question, {name: NAMED[name] for name in fields}).path
    for report in REPORTS.values():
        hit = f"&hit={NAMED['hit']}" if "hit" in report.options else ""
        address = f"/ops/reports/{report.name}?bank={BANK}{hit}"
        yield from (address, f"{address}&as=print", f"{address}&as=csv")


async def costs(fixture: LedgerFixture) -> list[Cost]:
    """Costs by address, of all `addresses`."""
    async with visiting(fixture) as visitor:
        return [await visitor.cost(address) for address in addresses()]


def main(folder: Path, rows: int) -> int:
    """Main function: makes the journal and asks; 1 where something was not answered."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    made = past(folder, rows, story=PastOptions(hands=True, day_rows=max(1, rows // DAYS)))
    found = asyncio.run(costs(made))
    print(f"{made.rows:,} rows, {made.ledger.stat().st_size / 1e6:,.0f} MB")
    print(f"{'ms':>8} {'rows':>8} {'steps':>12} {'bytes':>9}")
    for cost in found:
        wrong = "" if cost.status == 200 else f" ({cost.status})"
        ms = cost.seconds * 1000
        print(f"{ms:8.1f} {cost.rows:8,} {cost.steps:12,} {cost.size:9,}  {cost.path}{wrong}")
    return 0 if all(cost.status == 200 for cost in found) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else ROWS))
