"""Sign pages and the floor page, in a real browser, before a real server."""

from pathlib import Path

import aiohttp
import pytest

from controllers.answers import Meters
from jackpot.app import Server
from jackpot.web import overview
from jackpot.web.live import websocket_frame
from tests.nightly import repeated
from tests.running_server import LINK, LINKS, StepClock, administer, configure, on_loop, sign, table, until
from tests.web.browser import (
    MOTION,
    SIZES,
    chromium,
    cut_off,
    misfits,
    needs_chromium,
    on_browser_loop,
    opened,
    overflows,
    resized,
    sizes_from,
    state,
    until_shown,
    until_true,
)
from tests.web.receivers import with_ports

ROYAL = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
UPDATES = 10_000
# All elements of a page, but for the cards of the scene that it is at.
ELEMENTS = "document.querySelectorAll('*').length - document.querySelectorAll('#hand *').length"
# Where a test shows one thing on every kind of screen; the one that measures every size has them all.
SOME = repeated(("portrait", "phone"), ("wall", "portrait", "phone"))
# Where a sign moves: what is drawn at each moment costs by its size.
MOVING = repeated(("phone",), ("phone", "strip"))
# What a page may differ by after ten thousand updates, when all that is left over is collected.
HEAP_MAX = 1_000_000

SAID_OF_A_WIN = (".what", ".level", ".jackpot", ".hand", ".table")

# Watches the amount that is shown, in cents, at every frame of the screen.
WATCH = """() => {
    const amount = document.querySelector('.level[data-level=mega] .amount-run');
    window.seen = [Number(amount.dataset.cents)];
    const look = () => window.seen.push(Number(amount.dataset.cents));
    new MutationObserver(look).observe(amount, { attributes: true, attributeFilter: ['data-cents'] });
}"""

# Waits until the card of a win has risen.
RISEN = (
    "Promise.all(document.querySelector('.card').getAnimations().map((rise) => rise.finished)).then(() => 1)"
)

# Whether every part of the last hits lies inside its card.
INSIDE = """() => {
    const card = document.querySelector('#hits').getBoundingClientRect();
    const parts = [...document.querySelectorAll('#hits td')];
    return parts.every((part) => part.getBoundingClientRect().right <= card.right);
}"""


def page_of(server: Server, path: str) -> str:
    return f"http://127.0.0.1:{server.ports['http']}{path}"


@needs_chromium
@on_browser_loop
async def test_a_sign_runs_up_celebrates_and_recovers(tmp_path: Path) -> None:
    """Proof: values tick up, never beyond; a hit celebrates; a stopped server shows a fault.

    It moves here, on a small screen; test_every_state_fits_every_screen has every size.
    """
    config, faults, clock = configure(tmp_path), list[str](), StepClock()
    async with chromium() as browser:
        async with Server(config, clock) as server, table(server) as device:
            config = with_ports(config, server.ports)
            pages = {
                size: await opened(browser, page_of(server, f"/sign/{LINK}"), size, faults) for size in MOVING
            }
            first = pages[MOVING[0]]
            for page in pages.values():
                await until_shown(page, "mega", 1_000_000)
                assert await overflows(page) == []
            await first.evaluate(WATCH)
            for seq in range(1, 8):
                device.wager(seq, "R1", seq)
                await device.answer(seq)
            await until_shown(first, "mega", 1_000_063)
            device.say(t="lock", seq=8, round="R1")
            device.say(t="settle", seq=9, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
            for page in pages.values():
                await state(page, "win")
                await until_true(page, "document.querySelector('#win .amount').dataset.cents === '1000063'")
                texts = [await page.inner_text(f"#win {part}") for part in SAID_OF_A_WIN]
                assert [" ".join(text.lower().split()) for text in texts] == [
                    "floor five",
                    "mega",
                    "jackpot",
                    "royal flush",
                    "table t01",
                ]
                assert await overflows(page) == []  # the new meters stand below it
            await until_shown(first, "mega", 1_000_000)
            await until_true(first, "window.seen[window.seen.length - 1] === 1000000")
            seen = await first.evaluate("window.seen")
            assert max(seen) == 1_000_063
            assert seen == [*sorted(seen[:-1]), 1_000_000]
            assert len(seen) > 4  # it ran, and did not jump
            clock.ahead_s += 61
            await state(first, "pending")
            assert (
                await first.inner_text("[data-level=mega] .note") == "$10,000.63 won at T01, being verified"
            )
            assert await overflows(first) == []
        for page in pages.values():
            await state(page, "fault")
            assert await page.is_visible("#fault")
        async with Server(config, clock) as server:
            for page in pages.values():
                await state(page, "pending")
                assert not await page.is_visible("#fault")
            await administer(config, do="validate", by="Ann", hit="H1")
            await state(first, "normal")
            await administer(config, do="suspend", by="Ann", cause="operator", links=[LINK], reason="test")
            await state(first, "suspended")
            assert await first.inner_text("#notice") == "No progressive wagers at the moment"
    assert faults == []


LONG = (
    LINKS
    + """
[link.display]
title = "Riverside Fortune Five"
levels = { mega = "%s", major = "Second Riverside Jackpot" }
"""
)


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("name", ["Grand Riverside Mega Jackpot", "Riversidemegaprogressive"])
async def test_a_long_name_is_whole_on_every_screen(tmp_path: Path, name: str) -> None:
    """Signs: a win is read whole on a wall, in portrait and in the hand, whatever its level is called."""
    config, faults = configure(tmp_path, links=LONG % name), list[str]()
    async with chromium() as browser, Server(config) as server, table(server) as device:
        page = await opened(browser, page_of(server, f"/sign/{LINK}"), SOME[0], faults, reduced_motion=MOTION)
        for size in SOME:
            await resized(page, size)
            await until_shown(page, "mega", 1_000_000)
            assert await overflows(page) == []
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
        await state(page, "win")
        for size in reversed(SOME):
            await resized(page, size)
            await state(page, "win")
            said = await page.inner_text("#win .level")
            assert said.replace("-\n", "").replace("\n", " ") == name.upper()
            # Of its meter, too, it is read: broken, where it would be small in one line.
            assert await page.evaluate(NAMED) > NAME_MIN, size
            await page.evaluate(RISEN)
            assert await cut_off(page, "#win .fills") == []
            assert await overflows(page) == []
    assert faults == []


# The letters of a name next to a meter that stepped back, as a part of that meter's height.
NAMED = """() => {
    const name = document.querySelector('#levels .level[data-level=mega] .name');
    return parseFloat(getComputedStyle(name).fontSize) / name.parentElement.clientHeight;
}"""
NAME_MIN = 0.165

# A mega and ten minors, every other of them a level below a minor, told to four signs in different orders;
# one comes when the mega is 20 s old: what each shows at every half second of three minutes, how long. Then a
# count-up, and an early validation.
ORDERS = """async () => {
    const { counted, playing } = await import('/static/wins.js');
    const minors = Array.from({length: 10}, (_, index) =>
        ({
            hit: `H${index + 2}`, rev: 20 + index, level: index % 2 ? 'minor' : 'mini',
            at: 2000 + 700 * index, released: null,
        })
    );
    const mega = {hit: 'H12', rev: 40, level: 'mega', at: 9500, released: null};
    const all = [...minors, mega];
    const parted = [...minors.slice(5), mega, ...minors.slice(0, 5)];
    const told = [all, [...all].reverse(), [mega, ...minors], parted];
    const shown = told.map((wins, sign) => {
        const seen = [];
        for (let now = sign === 3 ? 29500 : 0; now < 180000; now += 500) {
            const one = playing(wins, now);
            const last = seen[seen.length - 1];
            if (one && last && last[0] === one.win.hit && last[1] === one.began) last[2] += 500;
            else if (one) seen.push([one.win.hit, one.began, 500]);
        }
        return seen;
    });
    const sums = [];
    for (let past = -500; past < 8000; past += 16) sums.push(counted(123456789, 'mega', past));
    const early = [{...mega, released: 12000}];
    const cut = [11900, 12100].map((past) => playing(early, 9500 + past) !== null);
    return {shown, sums, cut};
}"""

# How sums are written: cents by place and currency.
SUMS = """async () => {
    const { write } = await import('/static/odometer.js');
    const asked = [['en-US', 'USD', 1000000063], ['es-ES', 'EUR', 123456], ['de-AT', 'EUR', 5],
        ['ja-JP', 'JPY', 99999], ['ar-KW', 'KWD', 123456], ['hi-IN', 'INR', 1000000000]];
    const sums = asked.map(([locale, currency, cents]) => write({ locale, currency }, cents));
    return sums.map((sum) => sum.replaceAll('\\u00a0', ' '));
}"""
# A currency without hundredths is never rounded up; of thousandths two are shown, as the protocol counts.
WRITTEN = ["$10,000,000.63", "1234,56 €", "€ 0,05", "￥999", "1,234.56 د.ك.", "₹1,00,00,000.00"]

# Counts what a page changes at each frame of a win.
WORK = """() => new Promise((done) => {
    const most = {changes: 0, frames: 0};
    let changes = 0;
    const watch = new MutationObserver((records) => { changes += records.length; });
    watch.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
    const look = () => {
        if (most.frames > 0) most.changes = Math.max(most.changes, changes);
        most.frames += 1;
        changes = 0;
        if (most.frames < 90) requestAnimationFrame(look);
        else { watch.disconnect(); done(most); }
    };
    requestAnimationFrame(look);
})"""

# How many digits are larger than their window; and which part of the screen the levels take.
CLIPPED = """() => [...document.querySelectorAll('.level .digit')].filter((box) => {
    const [window_, strip] = [box, box.querySelector('.strip')].map((part) => part.getBoundingClientRect());
    const pen = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(box);
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const ink = pen.measureText('0');
    return window_.width < ink.width || strip.left < window_.left - 1 || strip.right > window_.right + 1
        || ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent > window_.height;
}).length"""
FILLED = """() => {
    const levels = [...document.querySelectorAll('#levels .level')];
    const boxes = levels.map((part) => part.getBoundingClientRect());
    return boxes.reduce((sum, {width, height}) => sum + width * height, 0) / (innerWidth * innerHeight);
}"""

# Changes of a page at a frame: the columns of three amounts and the sum, what follows a new snapshot, a line.
CHANGES_MAX = 80
PREVIEWS = ("normal", "pending", "suspended", "win", "fault")
# A win stays at this moment, however long a machine takes for all sizes.
HELD = "&held&past=0.9"


@needs_chromium
@on_browser_loop
async def test_every_state_fits_every_screen(tmp_path: Path) -> None:
    """Signs: $10,000,000.00 is whole in every state on every screen.

    A page is fitted by the same observers when it comes and when its screen changes, so that each state is
    loaded on one size, another one for each, and has others afterwards. At night each is loaded on each.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        sign = page_of(server, f"/sign/{LINK}")
        page = await opened(browser, sign, "wall", faults, reduced_motion=MOTION)
        for place, shown in enumerate(PREVIEWS):
            for size in sizes_from(place):
                await resized(page, size)
                if f"preview={shown}" not in page.url:
                    await page.goto(f"{sign}?preview={shown}{HELD if shown == 'win' else ''}")
                await state(page, shown)
                if shown == "normal":
                    await until_true(page, "document.querySelector('#idle').textContent !== ''")
                    assert await page.evaluate(FILLED) > 0.45, size
                if shown == "win":
                    await page.evaluate(RISEN)
                parts = {"fault": "#fault p", "win": "#win .fills"}.get(shown, "footer p, .note, .name")
                assert await misfits(page, parts) == [], (size, shown)
                assert await page.evaluate(CLIPPED) == 0, (size, shown)
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_all_signs_celebrate_alike(tmp_path: Path) -> None:
    """Signs: bounded work a frame; sums as each place writes them.

    The order of wins is the hits' alone: a mega waits for no minor, and is dropped for none.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await opened(browser, page_of(server, f"/sign/{LINK}?preview=win"), "phone", faults)
        await state(page, "win")
        await page.evaluate(RISEN)
        most = await page.evaluate(WORK)
        assert 0 < most["changes"] <= CHANGES_MAX
        await page.emulate_media(reduced_motion="reduce")
        await page.reload()  # what moves costs; the rest is about no picture
        facts = await page.evaluate(ORDERS)
        assert await page.evaluate(SUMS) == WRITTEN
    whole, late = facts["shown"][0], facts["shown"][3]
    # H2 was over when the mega came; H3 gave way to it, and was shown whole afterwards.
    after = [[f"H{number}", 6000] for number in range(3, 12)]
    assert [[hit, lasted] for hit, _, lasted in whole] == [["H2", 6000], ["H3", 1500], ["H12", 60000], *after]
    assert facts["shown"][1] == facts["shown"][2] == whole
    assert [one[:2] for one in late] == [one[:2] for one in whole[2:]]
    assert facts["sums"] == sorted(facts["sums"])
    assert (facts["sums"][0], facts["sums"][-1]) == (0, 123_456_789)
    assert facts["cut"] == [True, False]
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_corrected_hit_stays_in_its_card(tmp_path: Path) -> None:
    """A10: what was journalled against a paid award stands next to it, and pushes nothing out of the card."""
    side = LINKS.replace(LINK, "side")
    links = LONG % "Grand Riverside Mega Jackpot" + f'{side}bank = "second-floor-of-the-annex"\n'
    config, faults = configure(tmp_path, links=links), list[str]()
    async with chromium() as browser, Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, 3, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
        assert (await device.answer(2))["t"] == "ack"
        assert (await administer(config, do="validate", by="Ann", hit="H1"))["ok"]
        assert (await administer(config, do="pay", by="Ann", hit="H1", seat=1, document="W-1"))["ok"]
        two = {"reason": "misread", "document": "W-7", "by": "Ann", "and_by": "Bo"}
        assert (await administer(config, do="correct", award="A1", amount="1234567.89", **two))["ok"]
        for size in SOME:
            page = await opened(browser, page_of(server, "/"), size, faults)
            await page.wait_for_selector("#hits .sum .envy")
            assert "corrected by $1,224,567.62" in await page.inner_text("#hits td.sum")
            assert "main" in await page.inner_text("#hits td.hit")
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert await page.evaluate(INSIDE)
            await page.close()
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_ten_thousand_updates_leave_nothing_behind(tmp_path: Path) -> None:
    """Signs: a sign runs for weeks: after 10,000 updates it has as many elements, and no more memory."""
    faults: list[str] = []
    async with Server(configure(tmp_path)) as server, chromium() as browser:
        page = await opened(browser, page_of(server, f"/sign/{LINK}"), "phone", faults)
        await until_shown(page, "mega", 1_000_000)
        await until(lambda: len(server._live.streams) == 1)
        (stream,) = server._live.streams
        tools = await page.context.new_cdp_session(page)

        async def measured() -> tuple[int, float]:
            await tools.send("HeapProfiler.collectGarbage")
            heap = await tools.send("Runtime.getHeapUsage")
            return await page.evaluate(ELEMENTS), heap["usedSize"]

        async def update(first: int, last: int) -> None:
            board = server.banks["main"].board
            for cents in range(first, last):
                board.links[LINK].levels["mega"] = cents  # so that a snapshot says the same
                frame = Meters("main", board.rev, 0, ((LINK, "mega", cents),))
                stream.tell(websocket_frame(frame))
                if cents % 100 == 99:
                    await until(lambda: not stream._transport.get_write_buffer_size())
            await until_shown(page, "mega", last - 1)

        await update(1_000_000, 1_001_000)
        elements, heap = await measured()
        await update(1_001_000, 1_001_000 + UPDATES)
        elements_after, heap_after = await measured()
    assert elements_after == elements
    assert heap_after < heap + HEAP_MAX
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_floor_page_shows_who_is_there_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floor page: links and meters live, tables and signs connected, the last hits, what is wrong now."""
    monkeypatch.setattr(overview, "BACK_WITHIN_S", 0.0)
    config, faults = configure(tmp_path), list[str]()
    async with Server(config) as server, chromium() as browser:
        page = await opened(browser, page_of(server, "/"), "wall", faults)
        await state(page, "wrong")
        assert await page.get_attribute("#signs h2 a", "href") == "/sign/wall"
        assert "Tables T01, T02 are offline" in await page.inner_text("#trouble")
        assert "the log names devices that were refused" in await page.inner_text("#trouble .next")
        async with table(server) as device, table(server, "T02"), sign(server):
            await state(page, "good")
            assert await page.inner_text("#counts") == "2 of 2 tables, 1 of 1 sign"
            device.wager(1, "R1", 1, lock=True)
            device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
            await page.wait_for_selector("#hits .status.pending")
            row = (await page.inner_text("#hits tbody tr")).split("\t")
            shown = [
                "H1",
                "T01",
                "1",
                "Royal flush",
                "Floor Five",
                "Mega",
                "$10,000.09",
                "pending\nvalidate it",
            ]
            assert row[1:] == shown
            await page.wait_for_selector(".tile.held")
            assert "held for H1" in await page.inner_text(".tile.held")
            phone = await opened(browser, page_of(server, "/"), "phone", faults)
            await phone.wait_for_selector("#hits .status.pending")
            assert await phone.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
            assert await page.inner_text(".badge") == "win"
        await page.wait_for_selector(".tile.off")
    assert faults == []


@on_loop
async def test_a_page_shows_text_as_text(tmp_path: Path) -> None:
    """A name in the configuration is never markup; a logo has its own policy; no route changes anything.

    A sign speaks the language that it says it speaks.
    """
    (tmp_path / "brand.woff2").write_bytes(b"wOF2")
    (tmp_path / "hall.webm").write_bytes(b"film")
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    links = f"""
[[link]]
id = "{LINK}"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
[link.display]
title = "</title><script>"
logo = "logo.svg"
font = "brand.woff2"
backdrop = "hall.webm"
locale = "es_MX"
levels = {{ mega = "<b>" }}
"""
    async with Server(configure(tmp_path, links=links)) as server, aiohttp.ClientSession() as session:
        async with session.get(page_of(server, f"/sign/{LINK}")) as response:
            text = await response.text()
            assert "<script>" not in text
            assert "<b>" not in text
            assert f'src="/logo/{LINK}"' in text
            assert '<html lang="es-MX">' in text
            assert "Pantalla no disponible" in text
            assert f'<video class="own" src="/backdrop/{LINK}"' in text
        for path, kind in ((f"/backdrop/{LINK}", "video/webm"), (f"/font/{LINK}", "font/woff2")):
            async with session.get(page_of(server, path)) as response:
                assert (response.status, response.content_type) == (200, kind)
        async with session.get(page_of(server, "/font/another")) as response:
            assert response.status == 404
        async with session.get(page_of(server, f"/logo/{LINK}")) as response:
            assert response.content_type == "image/svg+xml"
            assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        for path in ("/", f"/sign/{LINK}", "/floor.json", "/ws/meters", "/events/meters"):
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                async with session.request(method, page_of(server, path)) as response:
                    assert response.status == 405
