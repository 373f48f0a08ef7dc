"""Fires each alert by its real cause and waits for its end. By hand: `python -m tests.soak alerts`.

A real Prometheus with the shipped rules looks at real servers (`watched`). Each cause is what happens on a
floor: something is killed, frozen, full, cut off, planted, or misused. Nothing is written into Prometheus by
hand. Rules wait for minutes, and look back over minutes. Here both are seconds, or it would take a day.

Printed for each alert: when it fired and when it ended, seconds after its cause and after its cure. Needs
root, and Debian's libfaketime, prometheus and postgresql. What one honest machine cannot cause is in
`NOT_HERE`, with why.
"""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from jackpot.clock import SystemClock
from jackpot.rules.events import Withdrawn
from tests.e2e.site import Program
from tests.e2e.vendor import Ended, bets
from tests.program import jackpot
from tests.soak.watched import CROWD, LOOK_EVERY_S, WITHIN_S, Floor, until, wait_a_moment

# What cannot be caused here, and why.
NOT_HERE: Final = {
    "JackpotCreditMissing": "an hour is the shortest that a site lets a credit wait",
    "JackpotInternalError": "a fault of the program, and none is known",
    "JackpotLogLinesLost": "4,096 lines wait for a reader, and of one kind two a second are written",
    "JackpotMeterStands": "no configuration and no act makes a meter stand that is wagered on",
    "JackpotPeerFailed": "a fault of the program, and none is known",
}
# The server's own connections.
END_BACKENDS: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'jackpot'"
)
_DAY_S: Final = 86_400

Cause = Callable[[Floor], AbstractContextManager[Callable[[], object] | None]]


class Case(NamedTuple):
    """alerts: all of them fire by it. cause: brings it about, gives what is to be done again and again, if
    anything is, and cures it.
    """

    alerts: Sequence[str]
    cause: Cause


CASES: Final[list[Case]] = []


def causes(*alerts: str) -> Callable[[Callable[[Floor], Iterator[Any]]], Cause]:
    """Registers a case."""

    def take(cause: Callable[[Floor], Iterator[Any]]) -> Cause:
        made = contextmanager(cause)
        CASES.append(Case(alerts, made))
        return made

    return take


@causes("JackpotWon", "JackpotHitWaiting")
def _hit(floor: Floor) -> Iterator[None]:
    with floor.table() as device:
        settled = floor.round(device, royal=True)
        yield
        floor.pay(settled)


@causes("JackpotAwardsPileUp")
def _many_hits(floor: Floor) -> Iterator[None]:
    hits = []
    with floor.table() as device:
        awards = 0
        while awards <= 260:
            settled = floor.round(device, royal=True, seats=range(1, 8))
            awards += len(settled["awards"])
            hits.append(settled)
        yield
        for settled in hits[::-1]:
            hit = settled["awards"][0]["hit"]
            floor.act("undo", hit=hit, reason="a test of alerts", and_by="Bo")


@causes("JackpotTableOffline")
def _offline(floor: Floor) -> Iterator[None]:
    name = floor.site.unused()
    floor.only = {"table": name}  # others play, and go away
    with floor.site.table(name) as device:
        for _ in range(3):
            floor.round(device)
            wait_a_moment(3.0)  # Prometheus sees a count rise only where it saw it before
    yield
    floor.stack.enter_context(floor.site.table(name))


@causes("JackpotSignOffline")
def _sign(floor: Floor) -> Iterator[None]:
    floor.sign.socket.close()
    yield
    floor.sign = floor.stack.enter_context(floor.site.sign(floor.site.devices("sign")[0]))


@causes("JackpotLinkSuspended")
def _suspended(floor: Floor) -> Iterator[None]:
    floor.act("suspend", cause="operator", links=["easy"], reason="a test of alerts")
    yield
    floor.act("resume", cause="operator", links=["easy"], reason="it is over", and_by="Bo")


@causes("JackpotSecondPersonWaits")
def _second(floor: Floor) -> Iterator[None]:
    name = floor.site.unused()
    with floor.site.table(name) as device:
        floor.round(device)
        last = {"table": name, "round": f"R{floor.played}", "reason": "a test of alerts"}
        floor.act("reopen", **last)
        yield
        floor.act("decline", **last)


@causes("JackpotDeviceConflict")
def _conflict(floor: Floor) -> Iterator[None]:
    name = floor.site.unused()
    with ExitStack() as stack:
        for _ in range(4):
            device = stack.enter_context(floor.site.connect())
            device.hello(floor.site.keys[name], "table", name)
            device.next("welcome", "error")
        yield
    floor.site.cli("keys", "clear", name)


@causes("JackpotChipMismatch")
def _chips(floor: Floor) -> Iterator[None]:
    with floor.site.table(floor.site.unused("chips")) as device:
        device.ack("wager", round="C1", bets=bets("chips", [1], 500))
        device.ack("lock", round="C1", chips={"chips": 2})
        yield
        device.ack("lock", round="C1", chips={"chips": 1})


@causes("JackpotAbandonedWaits")
def _abandoned(floor: Floor) -> Iterator[None]:
    name = floor.site.unused()
    with floor.site.table(name) as device:
        device.ack("wager", round="A1", bets=bets("easy", [1, 2]), lock=True)
        device.ack("settle", round="A1", hands=[{"seat": 2, "abandoned": True}])
        yield
        left = {"table": name, "round": "A1", "seat": 2, "abandoned": True}
        floor.act("decide-abandoned", **left, reason="a test of alerts")
        device.ack("close", round="A1")


@causes("JackpotLampFailed")
def _lamp(floor: Floor) -> Iterator[None]:
    with floor.table() as device:
        settled = floor.round(device, royal=True)
        award = settled["awards"][0]["award"]
        device.ack("lamp", award=award, state="lamp_failed")
        yield
        device.ack("lamp", award=award, state="lit")
        floor.pay(settled)
        floor.acknowledge()


@causes("JackpotCountMismatch", "JackpotAlarmsOpen", "JackpotSuspicious")
def _counts(floor: Floor) -> Iterator[None]:
    with floor.table() as device:
        floor.acknowledge()  # of earlier causes
        until(lambda: "JackpotAlarmsOpen" not in floor.watching.firing({}), lambda: "alarms stay open")
        floor.round(device, counts={"easy": 999})
        device.say(t="wager", seq=device.seq, round="other", bets=bets("easy", [1]))
        device.answer(device.seq)
        yield
        floor.acknowledge()


@causes("JackpotRefusals")
def _refusals(floor: Floor) -> Iterator[Callable[[], object]]:
    with floor.table() as device:
        yield lambda: [device.ask("settle", round="none", hands=[]) for _ in range(5)]


@causes("JackpotStrangers")
def _strangers(floor: Floor) -> Iterator[None]:
    for _ in range(30):
        with floor.site.connect() as device:
            device.hello(bytes(32), "table", "T01")
            device.error()
    yield


@causes("JackpotListenerCrowded")
def _crowded(floor: Floor) -> Iterator[Callable[[], object]]:
    with ExitStack() as stack:

        def more() -> None:
            for _ in range(300):
                with suppress(OSError):
                    stack.enter_context(floor.site.connect())

        yield more


@causes("JackpotTableAheadOfLedger")
def _ahead(floor: Floor) -> Iterator[None]:
    name = floor.site.unused()
    with floor.site.connect() as device:
        device.hello(floor.site.keys[name], "table", name, acked=1_000)
        device.error()
    yield
    floor.act("confirm-behind", table=name, reason="a test of alerts", believe=False, and_by="Bo")


@causes("JackpotRelayDown", "JackpotSignageStale")
def _redis(floor: Floor) -> Iterator[None]:
    floor.redis.kill()
    yield
    floor.redis.start()


@causes("JackpotHeadsNotSent")
def _heads(floor: Floor) -> Iterator[None]:
    away = floor.folder / "audit"
    away.rename(floor.folder / "gone")
    with floor.table() as device:
        settled = floor.round(device, royal=True)
        yield
        (floor.folder / "gone").rename(away)
        floor.pay(settled)


@causes("JackpotHeadsNotSigned")
def _unsigned(floor: Floor) -> Iterator[None]:
    floor.only = {"bank": "main"}
    yield  # nobody wins anything
    with floor.table() as device:
        floor.pay(floor.round(device, royal=True))


@causes("JackpotNoticesNotSent", "JackpotNoticeRefused")
def _notices(floor: Floor) -> Iterator[None]:
    pages = floor.pages.found
    pages.refused = b"hit"
    with floor.table() as device:
        settled = floor.round(device, royal=True)
        yield
        pages.refused = b"nothing"
        floor.pay(settled)


@causes("JackpotNoStandby")
def _standby(floor: Floor) -> Iterator[None]:
    floor.primary.configure({"synchronous_standby_names": ""})
    floor.standby.kill()
    yield
    floor.standby.start()
    floor.primary.configure({"synchronous_standby_names": "FIRST 1 (db2)"})


@causes("JackpotMysteryFileUnusable")
def _no_key(floor: Floor) -> Iterator[None]:
    away = floor.small.key.rename(floor.small.folder / "away")
    yield
    away.rename(floor.small.key)


@causes("JackpotNotDurable", "JackpotQueueFilling")
def _frozen(floor: Floor) -> Iterator[None]:
    names = [floor.site.unused("crowd") for _ in range(CROWD)]
    with ExitStack() as stack:
        crowd = [stack.enter_context(floor.site.table(name)) for name in names]
        floor.standby.freeze()
        for device in crowd:
            for number in range(64):
                device.say(device.command("wager", round=f"Q{number}", bets=bets("easy", [1])))
        yield
        floor.standby.thaw()


@causes("JackpotCommitInDoubt")
def _doubt(floor: Floor) -> Iterator[None]:
    floor.standby.freeze()
    wait_a_moment(1.0)  # the next beat waits for the standby
    floor.primary.sql(END_BACKENDS)
    floor.standby.thaw()
    yield


@causes("JackpotCommitsSlow", "JackpotAnswersSlow")
def _slow(floor: Floor) -> Iterator[Callable[[], object]]:
    with floor.table() as device:

        def wade() -> None:
            floor.standby.freeze()
            device.say(device.command("wager", round=f"S{device.seq}", bets=bets("easy", [1])))
            wait_a_moment(0.8)
            floor.standby.thaw()
            device.answer(device.seq)

        yield wade


@causes("JackpotEventLoopLate")
def _late(floor: Floor) -> Iterator[Callable[[], object]]:
    def stall() -> None:
        floor.site.signal(signal.SIGSTOP)
        wait_a_moment(0.4)
        floor.site.signal(signal.SIGCONT)

    yield stall


@causes("JackpotVerifyOverdue", "JackpotBackupOverdue")
def _overdue(floor: Floor) -> Iterator[None]:
    told = floor.watching.told / "metrics"
    (backups := floor.folder / "backups").mkdir()
    night = ["ledger", "nightly", str(backups), "--ledger", floor.site.url]
    proof = ["verify", "--ledger", floor.site.url, "--jobs", "1"]

    def prove() -> str:
        texts = []
        for words in (night, proof):
            done = jackpot(*words, "--textfile", floor.folder / "one.prom")
            assert done.returncode == 0, done.stderr
            texts.append((floor.folder / "one.prom").read_text())
        return "".join(texts)

    aged = re.sub(r"(?m)(timestamp_seconds\{.*\}) (\d+)", _older, prove())
    # Of the ledger's proof the last one is too old; of a backup nothing was ever told.
    told.write_text("".join(line for line in aged.splitlines(keepends=True) if "verified" in line))
    yield
    told.write_text(prove())


def _older(found: "re.Match[str]") -> str:
    return f"{found[1]} {int(found[2]) - 9 * _DAY_S}"


@causes("JackpotCertificateEnds")
def _certificate(floor: Floor) -> Iterator[None]:
    floor.small.certificate(10)
    yield
    floor.small.certificate(90)


@causes("JackpotDiskFilling")
def _disk(floor: Floor) -> Iterator[None]:
    fill = floor.small.fill()
    yield
    fill.unlink()


@causes("JackpotClockOff")
def _clock(floor: Floor) -> Iterator[None]:
    floor.small.clock(5)
    yield
    floor.small.clock(0)


@causes("JackpotFilesRunningOut")
def _files(floor: Floor) -> Iterator[None]:
    """The server's limit is too low for what it has open."""
    server = floor.small.process.pid
    before = resource.prlimit(server, resource.RLIMIT_NOFILE)
    open_ = len(list(Path(f"/proc/{server}/fd").iterdir()))
    resource.prlimit(server, resource.RLIMIT_NOFILE, (int(open_ / 0.85), before[1]))
    yield
    resource.prlimit(server, resource.RLIMIT_NOFILE, before)


@causes("JackpotServerDown")
def _down(floor: Floor) -> Iterator[None]:
    floor.site.stop()
    yield
    Program.start(floor.site)


@causes("JackpotKeyEnds")
def _old_key(floor: Floor) -> Iterator[None]:
    """Uses a key that is 20 days old, of 30, from the next start on."""
    key = floor.folder / floor.site.devices("table")[0]
    old = SystemClock().unix_ms() / 1000 - 20 * _DAY_S
    os.utime(key, (old, old))
    floor.restart()
    yield
    os.utime(key)
    floor.restart()


@causes("JackpotBatchRefused", "JackpotBankStopped")
def _planted(floor: Floor) -> Iterator[None]:
    """Plants a rule in the database that refuses data; the server checks the schema, and stops."""
    sql = partial(floor.primary.sql, database="ledger")
    sql(f"ALTER TABLE journal ADD CONSTRAINT planted CHECK (kind <> {Withdrawn.kind}) NOT VALID")
    with floor.table() as device:
        device.ack("wager", round="B1", bets=bets("easy", [1]))
        device.say(device.command("withdraw", round="B1", bets=[{"seat": 1, "link": "easy"}]))
        yield
    sql("ALTER TABLE journal DROP CONSTRAINT planted")
    floor.restart()


class Seen(NamedTuple):
    """Result for an alert: seconds from cause to firing and from cure to end. wrong: what failed."""

    alert: str
    fired_s: float | None
    ended_s: float | None
    wrong: str = ""


def suffer(floor: Floor, case: Case) -> list[Seen]:
    """Runs one cause and its cure; returns what Prometheus reported."""
    fired: dict[str, float] = {}
    ended: dict[str, float] = {}
    wrong, floor.only = "", {}
    try:
        began = time.monotonic()
        with case.cause(floor) as again:
            while missing := set(case.alerts) - fired.keys():
                fired |= dict.fromkeys(missing & floor.watching.firing(floor.only), time.monotonic() - began)
                assert time.monotonic() - began < WITHIN_S, f"{', '.join(sorted(missing))} did not fire"
                if again is not None:
                    again()
                wait_a_moment(LOOK_EVERY_S)
        cured = time.monotonic()
        while left := set(case.alerts) - ended.keys():
            ended |= dict.fromkeys(left - floor.watching.firing(floor.only), time.monotonic() - cured)
            assert time.monotonic() - cured < WITHIN_S, f"{', '.join(sorted(left))} did not end"
            wait_a_moment(LOOK_EVERY_S)
    except (AssertionError, OSError, Ended, KeyError, subprocess.SubprocessError) as error:
        last = [each for each in floor.site.log if each.get("level") != "info"][-3:]
        wrong = f"{type(error).__name__}: {error}; {last}"
    return [Seen(alert, fired.get(alert), ended.get(alert), wrong) for alert in case.alerts]


def soak(only: str) -> int:
    """The exit code: 0 where every alert that can be caused fired and ended. only: part of their names."""
    seen: list[Seen] = []
    parts = only.split(",")
    chosen = [case for case in CASES if any(part in alert for alert in case.alerts for part in parts)]
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        floor = Floor(Path(place), stack)
        for case in chosen:
            for one in suffer(floor, case):
                seen.append(one)
                print(line(one), flush=True)
    for alert, why in NOT_HERE.items():
        print(f"{alert:28}  not here: {why}")
    good = [one for one in seen if not one.wrong]
    print(f"{len(good)} of {len(seen)} alerts fired by their cause and ended with their cure")
    return 0 if len(good) == len(seen) else 1


def line(one: Seen) -> str:
    """A result as one line of text."""

    def shown(seconds: float | None) -> str:
        return "never" if seconds is None else f"{seconds:.1f} s"

    fired, ended = shown(one.fired_s), shown(one.ended_s)
    return f"{one.alert:28}  fired after {fired:>8}, ended after {ended:>8}  {one.wrong}"
