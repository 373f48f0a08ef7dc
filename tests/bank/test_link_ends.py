"""A server ends links by itself when their last gaming day is over: once, whatever happens to it (P2, L8)."""

import asyncio
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
import structlog
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.bank.link_ends import HEARD_S
from jackpot.cli.config import app as check_app
from jackpot.config import Config
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.read.gaming_days import day_ended, gaming_day
from jackpot.rules.acts.ends import EndGiven, EndWaits, LinkEnded, WagersEnded
from jackpot.rules.acts.links import Resumed, Suspended
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.events import Event
from jackpot.rules.registry import decode
from jackpot.rules.state import ENDED
from tests.bank.test_readings import DAY_S, ledger_of
from tests.running_server import (
    LINK,
    LINKS,
    StepClock,
    administer,
    configure,
    connected,
    on_loop,
    sign,
    table,
    until,
)

SEVERAL: Final = LINKS + LINKS.replace(LINK, "other")
BY: Final = {"by": "Ann", "and_by": "Bo"}


def seasonal(folder: Path, **more: Any) -> Config:
    """A link at the tables, and another that takes its money."""
    return configure(folder, links=SEVERAL, **more)


def today(config: Config, clock: StepClock) -> str:
    """The gaming day of now."""
    return gaming_day(clock.unix_ms(), config.site)


async def announce(config: Config, day: str, **more: Any) -> dict[str, Any]:
    asked = {"link": LINK, "to": "other", "day": day, "reason": "a season", **BY, **more}
    return dict(await administer(config, do="announce-end", **asked))


def events(config: Config, *kinds: type[Event]) -> list[Any]:
    with closing(ledger_of(config)) as ledger:
        found = [decode(row.kind, row.version, row.body) for row in ledger.rows("main", 0, 1_000)]
        assert verify(ledger, "main").problems == ()
    return [event for event in found if isinstance(event, kinds)]


async def closes(server: Server, clock: StepClock) -> None:
    """Its link is closed, no sooner than its tables have had time to come back."""
    link = server.banks["main"].sequencer.engine.state.links[0]
    assert (link.suspended, link.closed) == ([ENDED], False)
    clock.ahead_s += HEARD_S
    await until(lambda: server.banks["main"].sequencer.engine.state.links[0].closed)


@on_loop
async def test_a_link_ends_while_the_floor_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2, L8: nobody asks for it then. Tables and signs are told; the open round is settled first."""
    for name in ("readings", "link_ends"):
        monkeypatch.setattr(f"jackpot.bank.{name}.LOOK_EVERY_S", 0.01)
    monkeypatch.setattr("jackpot.bank.clock_jump.JUMP_MS", 3 * DAY_S * 1_000)  # two days go by, for the test
    config, clock = seasonal(tmp_path), StepClock()
    async with Server(config, clock) as server:
        clock.ahead_s += HEARD_S  # before there is a connection that would have been silent for so long
        async with table(server) as device, sign(server) as shown:
            assert (await announce(config, today(config, clock)))["ok"]
            device.wager(1, "R1", 1, lock=True)
            assert (await device.answer(1))["t"] == "ack"
            clock.stepped_s += 2 * DAY_S
            await device.hear(lambda told: told["t"] == "link" and told["reason"] == "ended")
            async with table(server, "T02") as other:
                other.wager(1, "R1", 1)
                refused = await other.answer(1)
            assert (refused["code"], refused["link"]) == ("suspended", LINK)
            state = server.banks["main"].sequencer.engine.state
            await until(lambda: state.last_day != "")
            assert not state.links[0].closed
            device.say(t="close", seq=2, round="R1")
            assert (await device.answer(2))["t"] == "ack"
            await device.hear(lambda told: told["t"] == "link" and told["reason"] == "closed")
            await shown.hear(lambda told: told["t"] == "state" and "closed" in told["reason"])
            clock.stepped_s -= 3 * DAY_S
            meters = (await administer(config, do="/links/{link}", link=LINK))["levels"]
            assert {level["value"] for level in meters} == {"0.00"}
        day, stop, end = events(config, ReadingTaken, WagersEnded, LinkEnded)[-3:]
        if isinstance(day, WagersEnded):  # both are due at once
            day, stop = stop, day
        assert [type(one) for one in (day, stop, end)] == [ReadingTaken, WagersEnded, LinkEnded]
        gone = sum(one.change.transfers for one in end.changes if one.link == 1)
        came = -sum(one.change.transfers for one in end.changes if one.link == 2)
        assert gone == came > 0


@on_loop
async def test_no_link_ends_by_a_clock_that_jumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2, S2: people are told, wagers go on, and no day is read; a start believes its clock."""
    for name in ("readings", "link_ends"):
        monkeypatch.setattr(f"jackpot.bank.{name}.LOOK_EVERY_S", 0.01)
    config, clock = seasonal(tmp_path), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        assert (await announce(config, today(config, clock)))["ok"]
        clock.stepped_s += 2 * DAY_S
        state = server.banks["main"].sequencer.engine.state
        await until(lambda: ("end_waits", f"link {LINK}") in state.alarms)
        what = state.alarms["end_waits", f"link {LINK}"].what
        assert what is not None
        assert what.template == "end_while_clock_jumped"
        device.wager(1, "R1", 1, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        clock.stepped_s = 0.0
        assert server.banks["main"].clock_jump.ahead_ms() == 0
        clock.stepped_s += 2 * DAY_S
        assert server.banks["main"].clock_jump.ahead_ms() == 2 * DAY_S * 1_000
        assert (state.links[0].suspended, state.last_day) == ([], "")
    async with Server(config, clock) as server:
        assert server.banks["main"].sequencer.engine.state.links[0].suspended == [ENDED]
    told = [one.template for one in events(config, EndWaits)]
    assert told.count("end_while_clock_jumped") == 1


@on_loop
async def test_a_link_ends_before_a_device_is_let_in(tmp_path: Path) -> None:
    """P2: its day was over while no server ran; no wager is taken on it."""
    config, clock = seasonal(tmp_path), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        assert (await announce(config, today(config, clock)))["ok"]
        device.wager(1, "R1", 1, lock=True)
        await device.answer(1)
        device.say(t="close", seq=2, round="R1")
        await device.answer(2)
    clock.ahead_s += 3 * DAY_S
    async with Server(config, clock) as server, table(server) as device:
        assert device.heard[-1]["links"][0]["state"] == "suspended"
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "suspended"
        await closes(server, clock)
    (end,) = events(config, LinkEnded)
    assert end.notice == 1
    kinds = [type(one) for one in events(config, ReadingTaken, WagersEnded, LinkEnded)]
    assert kinds == [ReadingTaken] * 3 + [WagersEnded, LinkEnded]


@on_loop
async def test_a_table_that_has_more_than_the_ledger_is_heard_first(tmp_path: Path) -> None:
    """S9, P2: a disk lost rows and the day was over meanwhile. No money moves before tables said so."""
    config, clock = seasonal(tmp_path), StepClock()
    async with Server(config, clock):
        assert (await announce(config, today(config, clock)))["ok"]
    ledger = Path(config.ledger.url.removeprefix("sqlite:///"))
    before = ledger.read_bytes()
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        await device.answer(1)
    ledger.write_bytes(before)
    clock.ahead_s += 3 * DAY_S
    async with Server(config, clock) as server:
        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01", acked=1)
            assert (await device.type("error"))["code"] == "ledger_behind"
        clock.ahead_s += HEARD_S
        state = server.banks["main"].sequencer.engine.state
        await until(lambda: ("end_waits", f"link {LINK}") in state.alarms)
        assert not state.links[0].closed
    assert events(config, LinkEnded) == []


@on_loop
async def test_what_is_in_the_way_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2: by an alarm of the link; a restart tells nothing again, and people close it to another link."""
    monkeypatch.setattr("jackpot.bank.link_ends.LOOK_EVERY_S", 0.01)
    config, clock = configure(tmp_path, links=SEVERAL + LINKS.replace(LINK, "third")), StepClock()
    async with Server(config, clock) as server:
        assert (await announce(config, today(config, clock)))["ok"]
        gone = {"reason": "a new game", **BY}
        assert (await administer(config, do="suspend", cause="operator", links=["other"], **gone))["ok"]
        closed = await administer(config, do="close-link", link="other", to="third", **gone)
        assert closed["ok"], closed
        state = server.banks["main"].sequencer.engine.state
        await until(lambda: ("end_waits", f"link {LINK}") in state.alarms)
    clock.ahead_s += 3 * DAY_S
    async with Server(config, clock) as server:
        (alarm,) = (await administer(config, do="/alarms"))["alarms"]
        assert (alarm["kind"], alarm["times"], alarm["what"]) == ("end_waits", 1, "to: other has ended")
        link = await administer(config, do="/links/{link}", link=LINK)
        assert link["reasons"] == ["ended"]
        assert (await administer(config, do="close-link", link=LINK, to="third", **gone))["ok"]
        assert server.banks["main"].sequencer.engine.state.notices == []
    assert len(events(config, EndWaits)) == 1
    assert events(config, LinkEnded) == []


@on_loop
async def test_a_configured_end_is_announced_before_the_first_wager(tmp_path: Path) -> None:
    """P2, L9: a link whose end only the configuration says takes no wagers; two people announce that day."""
    clock = StepClock()
    plain = seasonal(tmp_path)
    soon = (datetime.fromisoformat(today(plain, clock)) + timedelta(days=20)).date().isoformat()
    config = configure(tmp_path, links=LINKS + f'ends = "{soon}"\n' + LINKS.replace(LINK, "other"))
    with structlog.testing.capture_logs() as logs:
        async with Server(config, clock) as server, table(server) as device:
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["code"] == "suspended"
            link = await administer(config, do="/links/{link}", link=LINK)
            assert (link["reasons"], link["ends"]) == (["config"], soon)
            assert (await announce(config, soon))["ok"]
            await device.hear(lambda told: told["t"] == "link" and told["state"] == "active")
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
            assert server.banks["main"].sequencer.engine.state.links[0].suspended == []
    (said,) = [line for line in logs if line["event"] == "end_not_announced"]
    assert (said["link"], said["day"]) == (LINK, soon)
    assert f"jackpot links announce-end {LINK} {soon} --to LINK" in said["do"]
    async with Server(config, clock) as server:
        assert server.banks["main"].sequencer.engine.state.links[0].suspended == []
    kinds = [type(one) for one in events(config, Suspended, EndGiven, Resumed)]
    assert kinds == [Suspended, EndGiven, Resumed]
    async with Server(config, clock) as server, table(server) as device:
        gone = await administer(config, do="withdraw-notice", notice="N1", reason="it goes on", **BY)
        assert gone["ok"]
        await device.hear(lambda told: told["t"] == "link" and told["reason"] == "config")


@on_loop
async def test_another_day_in_the_configuration_is_no_announced_one(tmp_path: Path) -> None:
    """P2: the notice stands, the link does not play, and the check says why; also of a day too near."""
    clock = StepClock()
    config = seasonal(tmp_path)
    later = (datetime.fromisoformat(today(config, clock)) + timedelta(days=20)).date().isoformat()
    async with Server(config, clock):
        assert (await announce(config, later))["ok"]
    near = configure(tmp_path, links=LINKS + 'ends = "2099-12-31"\n' + LINKS.replace(LINK, "other"))
    check = await asyncio.to_thread(CliRunner().invoke, check_app, ["check", str(near.path)])
    assert f"N1 announced that it ends with {later}, and not with 2099-12-31" in " ".join(
        check.output.split()
    )
    async with Server(near, clock) as server:
        assert server.banks["main"].sequencer.engine.state.links[0].suspended == ["config"]
    wanted = 'ends = "2026-01-01"\nnotice_days = 7\n'
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(fresh, links=LINKS + wanted), clock):
            pass
    (said,) = [line for line in logs if line["event"] == "end_not_announced"]
    assert said["reason"].endswith("that is too near: 7 days are needed")


# A server for which two days have gone by, and that ends itself at a moment of the link's end.
_SERVER: Final = """
import asyncio, os, sys
from jackpot.app import serve
from jackpot.bank import link_ends
from jackpot.clock import SystemClock
from jackpot.config import load
from jackpot.ledger.sqlite.store import SqliteLedger
kind, moment = int(sys.argv[2]), sys.argv[3]
append, unix_ms = SqliteLedger.append, SystemClock.unix_ms

def appended(self, bank, epoch, before, rows):
    ends = any(row.kind == kind for row in rows)
    if ends and moment == "before":
        os.kill(os.getpid(), 9)
    append(self, bank, epoch, before, rows)
    if ends:
        os.kill(os.getpid(), 9)

SqliteLedger.append = appended
SystemClock.unix_ms = lambda self: unix_ms(self) + 2 * 86_400_000
link_ends.HEARD_S = 0.0
asyncio.run(serve(load(sys.argv[1])))
"""


@pytest.mark.parametrize("kind", [WagersEnded, LinkEnded])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_server_that_is_killed_as_a_link_ends_moves_its_money_once(
    tmp_path: Path, kind: type[Event], moment: str
) -> None:
    """P2, L8, M4: kill -9 before and after each commit; the next start takes what is left of the steps."""
    config, clock = seasonal(tmp_path), StepClock()

    @on_loop
    async def play() -> None:
        async with Server(config, clock) as server, table(server) as device:
            assert (await announce(config, today(config, clock)))["ok"]
            device.wager(1, "R1", 1, lock=True)
            await device.answer(1)
            device.say(t="close", seq=2, round="R1")
            await device.answer(2)

    @on_loop
    async def again() -> None:
        clock.ahead_s += 2 * DAY_S
        async with Server(config, clock) as server:
            await until(lambda: server.banks["main"].sequencer.engine.state.links[0].suspended != [])
            if not server.banks["main"].sequencer.engine.state.links[0].closed:
                await closes(server, clock)

    play()
    killed = subprocess.run(
        [sys.executable, "-c", _SERVER, str(config.path), str(kind.kind), moment],
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    again()
    again()
    assert [type(one) for one in events(config, WagersEnded, LinkEnded)] == [WagersEnded, LinkEnded]


def test_the_last_day_ends_by_the_clocks_of_the_site(tmp_path: Path) -> None:
    """P2, S2: when the next gaming day begins; in the night that summer time begins, too."""
    site = configure(tmp_path).site
    zone = ZoneInfo("America/New_York")
    for day, local in (
        ("2026-12-31", datetime(2027, 1, 1, 6, tzinfo=zone)),
        ("2027-03-13", datetime(2027, 3, 14, 6, tzinfo=zone)),
    ):
        assert day_ended(day, site) == int(local.timestamp()) * 1000
