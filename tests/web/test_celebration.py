"""Celebration of a win on a sign, from its first moment to its last, measured in a real browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from jackpot.app import Server
from tests.nightly import repeated
from tests.running_server import LINK, configure, on_loop
from tests.web.browser import (
    SIZES,
    chromium,
    cut_off,
    needs_chromium,
    on_browser_loop,
    opened,
    painted,
    resized,
    sizes_from,
    state,
    until_true,
)
from tests.web.test_sign_pages import RISEN, SAID_OF_A_WIN, page_of

if TYPE_CHECKING:
    from playwright.async_api import Page

LEVELS: Final = ("mega", "major", "minor")
SUMS: Final = {"mega": "$10,000,000.00", "major": "$500,000.00", "minor": "$25,000.00"}
# The part of the screen's width that the sum has to take.
WIDE_MIN: Final = 0.9
# Particles that a win may have at once in all (particles.js).
PARTICLES: Final = 750

# The part in which a win of each level is after so many seconds, and how long it counts.
PHASES: Final = """async () => {
    const { phase } = await import('/static/phases.js');
    const { counted } = await import('/static/wins.js');
    const lasts = {minor: 6000, major: 12000, mega: 60000};
    return Object.entries(lasts).map(([level, most]) => {
        const seen = [];
        for (let past = 0; past < most; past += 100) {
            const name = phase(level, past, most);
            if (seen[seen.length - 1] !== name) seen.push(name);
            if (name === 'show' && counted(123457, level, past) !== 123457) seen.push('counts while shown');
        }
        return seen.join(' ');
    });
}"""
# What the sum takes of the screen's width, and whether it, its figures and its title are seen.
LOOK: Final = """() => {
    const box = (part) => document.querySelector(`#win ${part}`).getBoundingClientRect();
    const isSeen = (part) => box(part).width > 0
        && getComputedStyle(document.querySelector(`#win ${part}`)).visibility === 'visible';
    const ranks = [...document.querySelectorAll('#win .playing-card b')].map((rank) => rank.textContent);
    const figures = document.querySelector('#win .exact');
    return {
        wide: box('.of-sum').width / innerWidth,
        digits: box('.amount').width / box('.of-sum').width,
        seen: ['.jackpot', '.level', '.amount'].every(isSeen),
        exact: isSeen('.exact') ? figures.textContent : '',
        phase: document.querySelector('#win').dataset.phase,
        cards: ranks.join(' '),
    };
}"""
# Reels that lie outside of their frame, or whose digit is larger than they are.
CUT: Final = """() => {
    const frame = document.querySelector('#win .of-sum').getBoundingClientRect();
    return [...document.querySelectorAll('#win .digit, #win .mark')].filter((part) => {
        const own = part.getBoundingClientRect();
        return own.left < frame.left - 1 || own.right > frame.right + 1 || own.top < frame.top - 1
            || own.bottom > frame.bottom + 1;
    }).length;
}"""
# Plays twenty wins of two seconds, forty steps each; counts what WebGL was asked to make by the first
# three and in all, the most particles in the air, and whether any was left and right.
DRAWN: Final = """async () => {
    const made = {Texture: 0, Buffer: 0, Program: 0, Framebuffer: 0};
    for (const name of Object.keys(made)) {
        const real = WebGL2RenderingContext.prototype[`create${name}`];
        WebGL2RenderingContext.prototype[`create${name}`] = function () {
            made[name] += 1;
            return real.apply(this);
        };
    }
    const { Particles } = await import('/static/particles.js');
    const canvas = document.createElement('canvas');
    canvas.style.cssText = 'position: fixed; width: 320px; height: 240px';
    document.body.append(canvas);
    const drawn = await Particles.on(canvas);
    const flying = () => [...drawn.coins, ...drawn.sparks].filter((one) => one.life > 0);
    let [now, most, first] = [0, 0, null];
    const sides = [false, false];
    for (let win = 0; win < 20; win += 1) {
        drawn.start(win % 3, '#ffd75e');
        for (let step = 0; step < 40; step += 1) drawn.step((now += 50));
        most = Math.max(most, flying().length);
        for (const {drawn: one} of flying()) sides[one.x < 160 ? 0 : 1] = true;
        drawn.stop();
        if (win === 2) first = {...made};
    }
    return {first, last: made, most, sides};
}"""
# What moves by itself at this moment.
MOVES: Final = """() => document.getAnimations().filter((one) => one.playState === 'running').length"""


async def won(browser: Any, server: Server, level: str, past: float, size: str, **more: Any) -> "Page":
    """A sign that stays at so many seconds after this level was won."""
    query = f"?preview=win&held&level={level}&past={past}"
    page = await opened(browser, page_of(server, f"/sign/{LINK}{query}"), size, more.pop("faults"), **more)
    await state(page, "win")
    return page


async def fills(page: "Page", level: str) -> dict[str, Any]:
    """What is seen of a win that is held at its first second: it is whole, and as wide as the screen."""
    await page.evaluate(RISEN)
    await until_true(page, f"({LOOK})().exact !== ''")
    await painted(page)
    seen: dict[str, Any] = await page.evaluate(LOOK)
    assert seen["seen"], level
    assert seen["exact"] == SUMS[level]
    assert seen["wide"] > WIDE_MIN
    assert seen["digits"] > WIDE_MIN
    assert await page.evaluate(CUT) == 0, (level, page.viewport_size)
    assert await cut_off(page, "#win .fills") == [], level
    return seen


@needs_chromium
@on_browser_loop
async def test_a_win_is_whole_on_every_screen(tmp_path: Path) -> None:
    """Signs: title, level and sum are whole and as wide as the screen, at every size and level.

    Each level comes on one size, another one for each, and has the others afterwards.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        for place, level in enumerate(LEVELS):
            first, *others = sizes_from(2 * place)
            page = await won(browser, server, level, 0.9, first, faults=faults, reduced_motion="reduce")
            await fills(page, level)
            for size in others:
                await resized(page, size)
                await state(page, "win")
                await fills(page, level)
            await page.close()
    assert faults == []


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("size", repeated(("phone",), tuple(SIZES)))
async def test_a_win_fills_the_screen_from_its_first_second(tmp_path: Path, size: str) -> None:
    """Signs: while everything moves, too, the sum is in figures at once, and ends exactly."""
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        for level in LEVELS:
            page = await won(browser, server, level, 0.9, size, faults=faults)
            assert (await fills(page, level))["phase"] in {"flash", "count"}
            await page.close()
        page = await won(browser, server, "mega", 8, size, faults=faults)
        await until_true(page, "document.querySelector('#win').dataset.phase === 'show'")
        assert (await page.evaluate(LOOK))["cards"] == "A K Q J 10"
        assert await page.evaluate("document.querySelector('#win .amount').dataset.cents") == "1000000000"
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_goes_through_its_parts(tmp_path: Path) -> None:
    """Signs: flash, count, show, rest at every level; what is shown has been counted to its end."""
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "minor", 0, "phone", faults=faults)
        assert await page.evaluate(PHASES) == ["flash count show rest"] * len(LEVELS)
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_is_still_and_said_for_whom_motion_harms(tmp_path: Path) -> None:
    """Signs: with reduced motion nothing moves, and the sum stands at once; readers aloud say it."""
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "mega", 0, "wall", faults=faults, reduced_motion="reduce")
        await painted(page)
        assert await page.evaluate(MOVES) == 0
        assert await page.evaluate("document.querySelector('#win .amount').dataset.cents") == "1000000000"
        tools = await page.context.new_cdp_session(page)
        nodes = (await tools.send("Accessibility.getFullAXTree"))["nodes"]
        names = {node.get("name", {}).get("value", "").lower() for node in nodes if not node["ignored"]}
        said = [(await page.inner_text(f"#win {part}")).lower() for part in SAID_OF_A_WIN]
        assert {*said, "$10,000,000.00"} <= names
        # Reels have every digit in them; none of those is read out.
        assert "0" not in names
    assert faults == []


@needs_chromium
@on_loop
async def test_what_pixi_draws_is_made_once(tmp_path: Path) -> None:
    """Signs: with WebGL particles come from both sides, and twenty wins make no more of anything.

    In a browser of its own: one without a graphics card draws for a minute what is asked of it here.
    """
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "major", 0, "phone", faults=[])
        facts = await page.evaluate(DRAWN)
    assert facts["first"] == facts["last"]
    assert facts["first"]["Texture"] > 0
    assert 0 < facts["most"] <= PARTICLES
    assert facts["sides"] == [True, True]
