"""The what-if page: a link's journal played again on other terms, in a worker, with its progress.

A question may take minutes. Its work goes on between two looks at the page, one question a person, and ends
once nobody looks.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec
from aiohttp import web

from jackpot.api.operation import QUOTED_MAX, BadRequest, NotDone
from jackpot.api.worker_pool import WorkerPool, refused_by
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.catalogue import games_of, ids_for, load, rate_text
from jackpot.config import Config
from jackpot.config.writing import Writing
from jackpot.reports.read.gaming_days import is_day
from jackpot.reports.what_if import MYSTERY_FIGURES, RATES, SUMS
from jackpot.reports.what_if_worker import WhatIfCall, WhatIfReply
from jackpot.rules.codes import Code
from jackpot.rules.money import decimal
from jackpot.rules.paytable import LevelTerms, LinkTerms
from jackpot.runtime.errors import ServerError
from jackpot.text import RefusalSentence
from jackpot.web.pages_base import PageRenderer

WHAT_IF: Final = "/ops/what-if"
# Two engines play a few thousand rows a second: some million rows in this time.
WITHIN_S: Final = 900.0
# Questions of all people: each waits for its turn, and one is worked at.
WAITING_MAX: Final = 8
# The page asks again each second; who has closed it has left.
LEFT_S: Final = 30.0
_ENDED: Final = RefusalSentence("it was ended: ask once more")


class WhatIfJob:
    """One person's question while it is worked at, and its answer. done, of: rows."""

    def __init__(self, question: bytes) -> None:
        self.question = question
        self.done = self.of = 0
        self.work: asyncio.Task[bytes] | None = None
        self._left: asyncio.TimerHandle | None = None

    def progress(self, done: int, of: int) -> None:
        self.done, self.of = done, of

    def looked_at(self, on_left: Callable[[], None]) -> None:
        """Somebody has looked: the work goes on. on_left: is called once nobody looks any more."""
        if self._left is not None:
            self._left.cancel()
        self._left = asyncio.get_running_loop().call_later(LEFT_S, on_left)

    def end(self) -> None:
        """Ends the work, if it goes on."""
        if self._left is not None:
            self._left.cancel()
        if self.work is not None:
            self.work.cancel()


class WhatIfJobs:
    """The questions of all people, one each."""

    def __init__(self) -> None:
        self._apart = WorkerPool(
            "jackpot.reports.what_if_worker",
            "what-if",
            each_max=2,  # the one that ends, and the next
            total_max=WAITING_MAX,
            told=("PG",),  # of PostgreSQL's client, as the server itself reads the ledger
        )
        self._of: dict[int, WhatIfJob] = {}
        self._works: set[asyncio.Task[bytes]] = set()

    def job(self, person: int, question: bytes, *, begins: bool = True) -> WhatIfJob:
        """The person's job for that question; another one of theirs ends. begins: else it must be there.

        Raises NotDone.
        """
        found = self._of.get(person)
        if found is None or found.question != question:
            if not begins:
                raise NotDone(Code.BUSY, _ENDED)
            if found is not None:
                found.end()
            found = self._of[person] = WhatIfJob(question)
            # It outlives its request: the page that looks at it is another one each second.
            found.work = asyncio.create_task(self._ask(person, found))  # noqa: TID251 - see above
            self._works.add(found.work)
            found.work.add_done_callback(_note_end)
            found.work.add_done_callback(self._works.discard)
        found.looked_at(partial(self._left, person, found))
        return found

    def _left(self, person: int, job: WhatIfJob) -> None:
        """Nobody looks at a job any more: it ends, and its answer is of a journal that has gone on since."""
        if self._of.get(person) is job:
            self.stop(person)

    def stop(self, person: int) -> None:
        """Ends what that person has asked for."""
        if (found := self._of.pop(person, None)) is not None:
            found.end()

    async def end(self) -> None:
        """Ends all of them, and waits until their processes are gone."""
        for person in [*self._of]:
            self.stop(person)
        if self._works:
            await asyncio.wait(self._works)

    async def _ask(self, person: int, job: WhatIfJob) -> bytes:
        return await self._apart.ask_with_progress(job.question, person, WITHIN_S, job.progress)


class WhatIf:
    """Serves the what-if page."""

    def __init__(self, make: PageRenderer, jobs: WhatIfJobs, config: Config, money: Writing) -> None:
        self._make = make
        self._jobs = jobs
        self._config = config
        self._links = {link.link: link for link in config.links}
        self._money = money

    async def page(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The form; once it was sent, how far the work is, then what it found.

        stop: ends it. look: of a page that looks at what it has begun; two of them do not end each other's.
        """
        given = {name: value for name, value in request.query.items() if value}
        shown: dict[str, Any] = {"given": given, "job": None, "reply": None, "problem": ""}
        terms = self._links[next(iter(self._links))]
        try:
            terms = self._link(given)
            if "stop" in given:
                self._jobs.stop(person.id)
            elif "go" in given:
                question = msgspec.json.encode(self._asked(request, terms, given))
                job = self._jobs.job(person.id, question, begins="look" not in given)
                shown |= {"job": job, "reply": self._reply(job, person.id)}
        except ServerError as error:
            shown["problem"] = error.message
        shown |= {
            "link": terms.link,
            "links": list(self._links),
            "paytables": _paytables(terms, self._config),
            "paytable": terms.paytable,
            "levels": [(level.level, _now(level)) for level in terms.levels],
            "figures": MYSTERY_FIGURES if terms.mystery else (*RATES, *SUMS),
            "again": str(request.rel_url.without_query_params("look")),
            "at": str(request.rel_url.update_query(look="yes")),
        }
        return await self._make.page(request, person, "ops/what-if.html", **shown)

    def _reply(self, job: WhatIfJob, person: int) -> WhatIfReply | None:
        """The answer; None while it is worked at. What failed is told once, and may be asked again.

        Raises BadRequest, NotDone.
        """
        if job.work is None or not job.work.done():
            return None
        try:
            if job.work.cancelled():
                raise NotDone(Code.BUSY, _ENDED)
            reply = msgspec.json.decode(job.work.result(), type=WhatIfReply)
            if reply.refusal is not None:
                raise refused_by(reply.refusal)
        except ServerError:
            self._jobs.stop(person)
            raise
        return reply

    def _link(self, fields: Mapping[str, str]) -> LinkTerms:
        """The requested link. Raises BadRequest."""
        name = fields.get("link", next(iter(self._links), ""))
        terms = self._links.get(name)
        if terms is None:
            raise BadRequest(RefusalSentence("there is no link {link}", field="link", link=name[:QUOTED_MAX]))
        return terms

    def _asked(self, request: web.Request, terms: LinkTerms, fields: Mapping[str, str]) -> WhatIfCall:
        """Parses the request. Raises BadRequest."""
        since = fields.get("since")
        if since is not None and not is_day(since):
            said = RefusalSentence(
                "{day} is no day like 2026-11-20", field="since", day=repr(since[:QUOTED_MAX])
            )
            raise BadRequest(said)
        settings = {
            name.removeprefix("set."): value[:QUOTED_MAX]
            for name, value in fields.items()
            if name.startswith("set.")
        }
        paytable = fields.get("paytable")
        return WhatIfCall(
            self._config.ledger.url,
            terms.bank,
            terms.link,
            None if paytable == terms.paytable or terms.mystery else paytable,
            settings,
            since,
            self._money,
            self._make.language(request),
        )


def _note_end(work: asyncio.Task[bytes]) -> None:
    """Takes note of how the work ended: nobody may look at it again."""
    if not work.cancelled():
        work.exception()


def _paytables(terms: LinkTerms, config: Config) -> list[str]:
    """The paytables of its kind that all tables of the link could play; a mystery link has none."""
    if terms.mystery:
        return []
    games = {table.game for table in config.tables if terms.link in table.links}
    kind = ids_for(load(terms.paytable).use)
    return [one for one in kind if games <= set(games_of(load(one)))]


def _now(level: LevelTerms) -> dict[str, str]:
    """A level's figures as the form takes them."""
    sums = {
        "seed": level.seed, "reseed": level.reseed, "limit": level.limit, "must_hit_by": level.must_hit_by,
    }  # fmt: skip
    return {
        "primary": rate_text(level.primary),
        "reserve": rate_text(level.reserve),
        **{name: "" if micros is None else decimal(micros) for name, micros in sums.items()},
    }
