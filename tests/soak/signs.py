"""Measures frame rates of signs, and checks the order of wins on them. By hand: `python -m tests.soak signs`.

`frames`: one server, and its sign pages in the system's Chromium, which draws without a graphics card: a
player that has one is quicker. Printed for each size and state: frames a second; and of one frame, which any
player has, how long the page's own thread works on it (scripts, layout, what is to be painted) and how much
it allocates. On a full HD wall a frame's work has a bound, also in each celebration.
`day`: one of them has a day of ten thousand updates and a hundred wins. The server's time runs ahead, and the
next updates are told as soon as the page has taken the last ones: it takes a few minutes. It is printed what
heap, elements, and textures and buffers of a graphics card were after its first wins, and at the day's end.
`order`: eleven tables win at one moment, ten minors and a mega, before four signs. Printed is the order in
which they celebrated, and how far apart they began.
The exit code is 0 where no frame's work is above its bound, nothing grew in the day, that order is the same
on all of them, and every win is in it.
`--only day` takes one of the three, `--updates 2000` makes the day shorter.
"""

import asyncio
import logging
import statistics
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import structlog

from controllers.answers import Hit, Meters, ServerMessage
from jackpot.app import Server
from jackpot.clock import SystemClock
from jackpot.web.live import websocket_frame
from tests.running_server import LINK, LINKS, Device, configure, table, until
from tests.web.browser import SIZES, chromium, opened, painted, state, until_shown, until_true
from tests.web.test_sign_pages import ELEMENTS, HEAP_MAX

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession, Page

TABLES: Final = 11
FEW: Final = 2
SIGNS: Final = ("wall", "portrait", "strip", "phone")
ROYAL: Final = {"seat": 1, "cards": ["As", "Ks", "Qs"]}, ["Js", "Ts"]
FOUR: Final = {"seat": 1, "cards": ["9s", "9h", "9d"]}, ["9c", "5s"]
# Milliseconds in which frames are counted; a celebration lasts longer.
COUNTED_MS: Final = 4_000
# A wager each, so that amounts roll while it is counted.
WAGER_EVERY_S: Final = 0.25
# A mega for a minute, ten minors for 6 s each, and a slow machine.
WITHIN_S: Final = 300.0
# What is shown for less than this gave way to a higher win: a sign that looks a moment later may miss it.
GLANCE_MS: Final = 1_000
LOOK_EVERY_S: Final = 1.0
# A page's own work on a frame of a full HD wall: half of the 16.7 ms that 60 frames a second leave, for a
# player that is half as quick.
WORK_MAX_S: Final = 0.008
BOUND: Final = "wall"
# What is measured, by its query; some at that size alone.
STATES: Final = {"normal": "?preview=normal", "rolling": "", "mega": "?preview=win"}
BOUND_STATES: Final = {
    "odds": "?preview=normal&past=34",
    "major": "?preview=win&level=major",
    "minor": "?preview=win&level=minor",
    "fountain": "?preview=win&past=17",
    "second count": "?preview=win&past=25.5",
    "search lights": "?preview=win&past=34",
    "hand": "?preview=win&past=43",
}
# Of all that is allocated, also what is collected at once: about each such byte.
SAMPLED: Final = {
    "samplingInterval": 1_024,
    "includeObjectsCollectedByMajorGC": True,
    "includeObjectsCollectedByMinorGC": True,
}

# The parts of this soak.
FRAMES_PART: Final = "frames"
DAY_PART: Final = "day"
ORDER_PART: Final = "order"

# A day of a busy floor, and how many updates are told at once, before the page has taken the last of them.
UPDATES: Final = 10_000
DAY_MS: Final = 86_400_000
TOLD_AT_ONCE: Final = 20
# Updates between two wins, and the levels that are won in turn. The first wins make what later ones use.
WIN_EVERY: Final = 100
WON: Final = ("minor", "minor", "major", "minor", "mega")
FIRST: Final = 1_000
# Whether the page has taken a sum: the accessibility tree has it at once, while digits still run up to it.
TAKEN: Final = """document.querySelector('.level[data-level="mega"] .amount-run').ariaLabel === '{sum}'"""
# Counts what WebGL is asked to make and to drop.
COUNT: Final = """(() => {
    window.made = {};
    for (const name of ['Texture', 'Buffer', 'Framebuffer', 'Program', 'VertexArray']) {
        window.made[name] = 0;
        for (const [act, change] of [['create', 1], ['delete', -1]]) {
            const real = WebGL2RenderingContext.prototype[act + name];
            WebGL2RenderingContext.prototype[act + name] = function (...given) {
                window.made[name] += change;
                return real.apply(this, given);
            };
        }
    }
})()"""
# What a browser says of WebGL that it computes itself.
DRIVER: Final = "GL Driver Message"
FRAMES: Final = """(ms) => new Promise((done) => {
    const began = performance.now();
    let frames = 0;
    const look = () => {
        frames += 1;
        if (performance.now() - began < ms) requestAnimationFrame(look);
        else done([frames, performance.now() - began]);
    };
    requestAnimationFrame(look);
})"""
# Writes down which win is on the stage, and when that changed: [hit or null, unix milliseconds].
RECORD: Final = """() => {
    const box = document.querySelector('#win');
    window.order = [];
    const look = () => {
        const hit = box.hidden ? null : box.dataset.hit;
        const last = window.order[window.order.length - 1];
        if (!last || last[0] !== hit) window.order.push([hit, performance.timeOrigin + performance.now()]);
    };
    new MutationObserver(look).observe(box, {attributes: true});
    look();
}"""

Shown = list[tuple[str, float]]


async def play(device: Device, first: int, name: str, hand: tuple[dict[str, Any], list[str]]) -> None:
    """A round of one wager; `first` is its first number."""
    device.wager(first, name, 1, lock=True)
    await device.answer(first)
    device.say(t="settle", seq=first + 1, round=name, hands=[hand[0]], board=hand[1], close=True)
    answer = await device.answer(first + 1)
    assert answer["t"] == "ack", answer


class Drawn(NamedTuple):
    """Drawing figures of a page: frames a second; of one frame, seconds of its thread and bytes allocated."""

    a_second: float
    work_s: float
    allocated: float

    def __str__(self) -> str:
        each = f"{self.work_s * 1_000:.1f} ms and {self.allocated / 1_000:.1f} KB each"
        return f"{self.a_second:.0f} frames/s, {each}"


async def measure(page: "Page") -> Drawn:
    tools = await page.context.new_cdp_session(page)
    # Its thread's own time, whatever else this machine does.
    await tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    began = await _worked(tools)
    frames, took_ms = await page.evaluate(FRAMES, COUNTED_MS)
    work_s = await _worked(tools) - began
    await tools.send("HeapProfiler.startSampling", SAMPLED)
    sampled_frames, _ = await page.evaluate(FRAMES, COUNTED_MS)
    sampled = await tools.send("HeapProfiler.stopSampling")
    await tools.detach()
    allocated = _size(sampled["profile"]["head"]) / sampled_frames
    return Drawn(frames / took_ms * 1_000, work_s / frames, allocated)


async def _worked(tools: "CDPSession") -> float:
    """Working time of the page's thread, seconds."""
    metrics = (await tools.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _size(node: dict[str, Any]) -> int:
    """Bytes allocated by a node of the profile and all below it."""
    return int(node["selfSize"]) + sum(_size(child) for child in node["children"])


async def wait_a_moment() -> None:
    """Until the next wager: its own pace, there is nothing to wait for."""
    await asyncio.sleep(WAGER_EVERY_S)


@asynccontextmanager
async def wagering(server: Server) -> AsyncIterator[None]:
    """Plays one table that wagers on and on, a seat at a time."""
    async with table(server) as device, asyncio.TaskGroup() as wagers:

        async def wager() -> None:
            for number in range(1, 10**6):
                device.wager(number, f"R{(number - 1) // 7}", (number - 1) % 7 + 1, lock=number % 7 == 0)
                await device.answer(number)
                await wait_a_moment()

        task = wagers.create_task(wager())
        try:
            yield
        finally:
            task.cancel()


async def frames(browser: "Browser", server: Server) -> list[str]:
    """Prints a line for each size: drawing while waiting, while amounts roll, and in a celebration.

    Returns which of them are above their bound, a sentence each.
    """
    at = f"http://127.0.0.1:{server.ports['http']}/sign/{LINK}"
    above = []
    for size in SIZES:
        found = []
        for shown, query in (STATES | BOUND_STATES if size == BOUND else STATES).items():
            faults: list[str] = []
            page = await opened(browser, at + query, size, faults)
            await state(page, "win" if "preview=win" in query else "normal")
            drawn = await measure(page)
            found.append(f"{shown} {drawn}")
            await page.close()
            assert faults == []
            if size == BOUND and drawn.work_s > WORK_MAX_S:
                above.append(f"{shown}: {drawn}, of {WORK_MAX_S * 1_000:.0f} ms at the most")
        print(f"{size} {SIZES[size][0]}x{SIZES[size][1]}: {'; '.join(found)}", flush=True)
    return above


class Held(NamedTuple):
    """What a page holds once all that is left over was collected."""

    heap: float
    elements: int
    listeners: int
    drawn: dict[str, int]

    def __str__(self) -> str:
        drawn = ", ".join(f"{name.lower()} {count}" for name, count in self.drawn.items())
        return f"heap {self.heap / 1e6:.2f} MB, {self.elements} elements, {self.listeners} listeners, {drawn}"


async def held(page: "Page", tools: "CDPSession") -> Held:
    await tools.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in (await tools.send("Performance.getMetrics"))["metrics"]}
    heap = (await tools.send("Runtime.getHeapUsage"))["usedSize"]
    found = await page.evaluate(f"[{ELEMENTS}, window.made]")
    return Held(heap, found[0], int(metrics["JSEventListeners"]), found[1])


async def day(browser: "Browser", server: Server, updates: int) -> bool:
    """Whether a sign holds as much at a day's end as after its first wins, with WebGL."""
    assert updates > FIRST, f"a day has more than {FIRST} updates: its first wins make what later ones use"
    faults: list[str] = []
    page = await opened(
        browser, f"http://127.0.0.1:{server.ports['http']}/sign/{LINK}?webgl", "phone", faults
    )
    await page.add_init_script(COUNT)
    await page.reload()
    await page.wait_for_selector("#sparks[data-ready]", state="attached")
    await page.evaluate(RECORD)
    streams, board = server._live.streams, server.banks["main"].board
    began, cents = SystemClock().unix_ms(), board.links[LINK].levels["mega"]
    tools = await page.context.new_cdp_session(page)
    await tools.send("Performance.enable")
    first = None

    async def tell(message: ServerMessage) -> None:
        await until(lambda: len(streams) == 1)  # a page that was held up for long has asked anew
        (stream,) = streams
        stream.tell(websocket_frame(message))

    async def rested() -> Held:
        await state(page, "normal")
        await until_shown(page, "mega", cents)
        return await held(page, tools)

    for number in range(1, updates + 1):
        at = began + number * DAY_MS // updates
        cents += 1
        board.links[LINK].levels["mega"] = cents  # so that a snapshot says the same
        await tell(Meters("main", board.rev, at, ((LINK, "mega", cents),)))
        if number % WIN_EVERY == 0:
            level = WON[number // WIN_EVERY % len(WON)]
            hit = Hit(f"H{number}", LINK, level, "royal-flush", "T01", cents, 1, "main", number, at)
            await tell(hit)
            await until_true(page, f"window.order.some(([hit]) => hit === 'H{number}')")
            await painted(page)
        if number % TOLD_AT_ONCE == 0:
            await until_true(page, TAKEN.format(sum=f"${cents // 100:,}.{cents % 100:02}"))
        if number == FIRST:
            first = await rested()
    last = await rested()
    await page.close()
    print(f"after {FIRST:,} updates: {first}")
    print(f"after {updates:,} updates and {updates // WIN_EVERY} wins: {last}", flush=True)
    assert [fault for fault in faults if DRIVER not in fault] == []
    assert first is not None
    return last.heap < first.heap + HEAP_MAX and last._replace(heap=first.heap) == first


async def order(browser: "Browser", server: Server) -> bool:
    """Whether four signs celebrate eleven wins of one moment in one order, with none left out."""
    at = f"http://127.0.0.1:{server.ports['http']}/sign/{LINK}"
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        devices = [
            await stack.enter_async_context(table(server, f"T{number:02}")) for number in range(1, TABLES + 1)
        ]
        pages = [await opened(browser, at, size, faults) for size in SIGNS]
        for page in pages:
            await state(page, "normal")
            await page.evaluate(RECORD)
        hands = [FOUR] * 7 + [ROYAL] + [FOUR] * 3
        rounds = [play(device, 1, "R1", hand) for device, hand in zip(devices, hands, strict=True)]
        await asyncio.gather(*rounds)
        signs = [await celebrated(page) for page in pages]
    wins = [[hit for hit, _ in sign] for sign in signs]
    apart = [
        max(begun) - min(begun) for begun in zip(*([at for _, at in sign] for sign in signs), strict=False)
    ]
    for size, sign in zip(SIGNS, wins, strict=True):
        print(f"{size}: {' '.join(sign)}")
    print(
        f"the same win began within {statistics.median(apart):.0f} ms on all of them (most {max(apart):.0f})"
    )
    assert faults == []
    return wins == [wins[0]] * len(SIGNS) and len(set(wins[0])) == TABLES


async def until_over(page: "Page") -> list[tuple[str | None, float]]:
    """Waits until every win was shown and none is any more; returns what was recorded."""
    recorded: list[tuple[str | None, float]] = []
    async with asyncio.timeout(WITHIN_S):
        while not all_over(recorded):
            await asyncio.sleep(LOOK_EVERY_S)
            recorded = await page.evaluate("window.order")
    return recorded


async def celebrated(page: "Page") -> Shown:
    """Each win that was on the stage for more than a glance, and when that began; once all are over."""
    recorded = await until_over(page)
    shown = pairwise(recorded)
    return [(hit, at) for (hit, at), (_, end) in shown if hit is not None and end - at > GLANCE_MS]


def all_over(recorded: list[tuple[str | None, float]]) -> bool:
    return len({hit for hit, _ in recorded if hit is not None}) == TABLES and recorded[-1][0] is None


async def run(folder: Path, only: str, updates: int) -> bool:
    """Whether each chosen part is good."""
    links = LINKS + "hold_table = false\n"
    good = True
    parts = [part for part in (FRAMES_PART, DAY_PART, ORDER_PART) if only in part]
    async with chromium() as browser:
        for part in parts:
            (folder / part).mkdir()
            config = configure(folder / part, links=links, tables=TABLES if part == ORDER_PART else FEW)
            async with Server(config) as server:
                if part == FRAMES_PART:
                    async with wagering(server):
                        above = await frames(browser, server)
                    for sentence in above:
                        print(f"above its bound: {sentence}")
                    good &= not above
                elif part == DAY_PART:
                    good &= await day(browser, server, updates)
                else:
                    good &= await order(browser, server)
    return good


def soak(only: str = "", updates: int = UPDATES) -> int:
    """The exit code. only: part of the name of a part. updates: of the day."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as place:
        return 0 if asyncio.run(run(Path(place), only, updates)) else 1
