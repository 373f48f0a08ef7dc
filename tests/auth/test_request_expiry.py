"""Expiry of requests that nobody confirms, visible to all."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from jackpot.api.operation import BASE, NotDone
from jackpot.api.operation import OperationCall as Ask
from jackpot.api.queries.requests import AskRequests
from jackpot.app import Server
from jackpot.auth.request_expiry import expire_now
from jackpot.config import Config
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.people import Grant, ResetSecret, WithdrawRole
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS, RESTARTED_MS, Confirm
from jackpot.rules.acts.rounds import Decline, Reopen
from jackpot.rules.rounds.betting import ASKED_HOLDS_MS
from jackpot.rules.signing import SITE
from tests.auth.test_auth_service import ANN, BEN, journal, opened
from tests.running_server import LINK, StepClock, configure, on_loop, table
from tests.web.staffed import done, join, prove, staffed, token


@on_loop
async def test_a_request_ends_visibly(tmp_path: Path) -> None:
    """Item 2: after a quarter of an hour it is over, in the journal and as an alarm; not a moment sooner."""
    async with opened(tmp_path) as site:
        people = site.server.people
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        asked = await site.auth.act(people, ResetSecret(2), [ann])
        await expire_now(people, site.auth.directory)
        assert people.counts.alarms.get("request_expired", 0) == 0
        site.wait(REQUEST_HOLDS_MS)
        await expire_now(people, site.auth.directory)
        assert people.counts.alarms["request_expired"] == 1
        late = await site.auth.act(people, Confirm(asked.request), [ben])
        assert late.code == "no_such_request"
    assert journal(tmp_path)[-2:] == ["request_expired", "act_refused"]


# What is said of a request that was asked before a restart.
RESTARTED: Final = (
    "expired",
    "request main-1 ended as a server started again, or took the bank: ask for it again",
)


async def confirmed(server: Server, request: str = "main-1") -> tuple[str, str]:
    """The refusal that Bo gets who confirms that request."""
    bo = await prove(server, "bo")
    with pytest.raises(NotDone) as refused:
        await server.acts.carry_out(Ask(Confirm(request), (bo,), digest=secrets.token_bytes(16)))
    return refused.value.code.value, refused.value.message


@asynccontextmanager
async def looked_at(config: Config, clock: StepClock, mine: str) -> AsyncIterator[tuple[Server, "Look"]]:
    """A server, as somebody with that token sees it."""
    async with Server(config, clock) as server:
        at, headers = f"http://127.0.0.1:{server.ports['http']}", {"Authorization": f"Bearer {mine}"}
        async with aiohttp.ClientSession(at, headers=headers) as web:
            yield server, Look(web)


class Look:
    """The API's answers and the pages' texts."""

    def __init__(self, web: aiohttp.ClientSession) -> None:
        self._web = web

    async def api(self, path: str) -> Any:
        async with self._web.get(f"{BASE}{path}") as answer:
            return await answer.json()

    async def page(self, path: str) -> str:
        async with self._web.get(f"/ops{path}") as answer:
            assert answer.status == 200
            return await answer.text()

    async def waiting(self) -> list[str]:
        return [one["what"] for one in (await self.api("/requests"))["requests"]]


@on_loop
async def test_what_was_asked_before_a_restart_is_over_for_all_to_see(tmp_path: Path) -> None:
    """T10, S8: a request is over with the server that was asked, whose clock counted its time; a reopening
    waits on, and no longer than a quarter of an hour.

    Page, API and journal say so; the table plays on, and its wager says how long it was held.
    """
    clock, config = StepClock(), configure(tmp_path)
    async with staffed(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="close", seq=2, round="R1")
        await device.answer(2)
        ann, main = await prove(server, "ann"), server.banks["main"]
        for act in (Reopen("T01", "R1", "seat 3"), CorrectMeter(LINK, "mega", 1_000_000, "a test wager")):
            assert (await server.auth.act(main, act, [ann])).asked
        mine = await token(server)
    clock.ahead_s += 60
    async with looked_at(config, clock, mine) as (server, look):
        assert await look.waiting() == ["reopen"]
        assert await confirmed(server) == RESTARTED
        page = await look.page("/requests")
        assert "Ann asks for it" not in page
        assert "Ann asked to reopen round R1" in page
        assert "The table waits for another person." in await look.page("/tables/T01")
        async with table(server) as device:
            device.wager(3, "R2", 1)
            assert (await device.type("nack"))["code"] == "table_held"
        clock.ahead_s += max(REQUEST_HOLDS_MS, ASKED_HOLDS_MS) / 1_000
        await expire_now(server.banks["main"], server.auth.directory)
        assert await confirmed(server) == RESTARTED, "the journal remembers"
        assert await look.waiting() == []
        assert '<p class="empty">Nothing.</p>' in await look.page("/requests")
        assert (await look.api("/tables/T01"))["round"]["left_ms"] == 0
        assert "the table plays on" in await look.page("/tables/T01")
        (over,) = (await look.api("/journal?kind=request_expired"))["entries"]
        assert over["event"]["waited_ms"] == RESTARTED_MS
        page = await look.page("/journal?kind=request_expired")
        assert "Request expired" in page
        assert "ended as a server started again, or took the bank" in page
        async with table(server) as device:
            device.wager(3, "R2", 1)
            assert (await device.type("ack"))["seq"] == 3
        wagered = (await look.api("/journal?table=T01&limit=1"))["entries"][0]["event"]
        assert wagered["asked_ms"] >= ASKED_HOLDS_MS


@on_loop
async def test_a_role_that_was_taken_and_given_back_revives_no_request(tmp_path: Path) -> None:
    """S8: in the bank of the money and in that of the people, at once and once the journal says so."""
    config = configure(tmp_path)
    async with staffed(config) as server:
        cy = await join(server, "cy", "admin")
        ann, bo = await prove(server, "ann"), await prove(server, "bo")
        main, people, act, directory = (
            server.banks["main"], server.people, server.auth.act, server.auth.directory
        )  # fmt: skip
        correct = CorrectMeter(LINK, "mega", 1_000_000, "a test wager")
        asked = [(await act(main, correct, [ann])).request]
        asked += [(await act(people, Grant(bo.id, "auditor"), [ann])).request]
        for role in ("floor", "admin"):
            done(await act(people, WithdrawRole(ann.id, role), [bo]))
            done(await act(people, Grant(ann.id, role), [bo, cy]))
        assert not (await server.acts.carry_out(Ask(AskRequests(), (bo,)))).requests  # type: ignore[attr-defined]  # its reply
        lost = "ended as the one who asked lost a role or their password"
        for over in (False, True):
            for bank, request in zip((main, people), asked, strict=True):
                if over:
                    await expire_now(bank, directory)
                    assert not await bank.ask(lambda engine: list(engine.state.requests))
                said = ("expired", f"request {request} {lost}: ask for it again")
                assert await confirmed(server, request) == said
        again = await act(main, correct, [await prove(server, "ann")])
        assert again.asked
        done(await act(main, Confirm(again.request), [bo]))
    with closing(SqliteLedger(tmp_path / "ledger.db", readonly=True)) as ledger:
        for name in ("main", SITE):
            assert verify(ledger, name).problems == ()


@on_loop
async def test_who_lost_a_role_stands_for_no_reopening(tmp_path: Path) -> None:
    """T10, S8: what Ann asked while she had the role ends with it, also once she has it again."""
    config = configure(tmp_path)
    async with staffed(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="close", seq=2, round="R1")
        await device.answer(2)
        cy = await join(server, "cy", "admin")
        ann, bo = await prove(server, "ann"), await prove(server, "bo")
        main, people, act = server.banks["main"], server.people, server.auth.act
        reopen, decline = Reopen("T01", "R1", "seat 3"), Decline("T01", "R1", "not by her")
        assert (await act(main, reopen, [ann])).asked
        said = ("expired", "reopening_asker_lost_right", (ann.id,))
        for change, by in ((WithdrawRole(ann.id, "floor"), [bo]), (Grant(ann.id, "floor"), [bo, cy])):
            done(await act(people, change, by))
            refused = await act(main, reopen, [bo])
            assert (refused.code, refused.template, refused.values) == said
        done(await act(main, decline, [bo]))
        assert (await act(main, reopen, [ann])).asked
        again = await act(main, reopen, [ann])
        assert (again.template, again.values) == ("reopening_asked_already", (ann.id,))
        done(await act(main, reopen, [bo]))
    assert journal(tmp_path, "main")[-7:] == [
        "reopen_asked", "act_refused", "act_refused", "reopen_declined", "reopen_asked", "act_refused",
        "reopened",
    ]  # fmt: skip
    with closing(SqliteLedger(tmp_path / "ledger.db", readonly=True)) as ledger:
        assert verify(ledger, "main").problems == ()
