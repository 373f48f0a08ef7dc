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
# House and table end so near the edges of the screen's lines, as a part of its width.
EDGE_MAX: Final = 0.02
# The part of its frame's height that the sum takes at least.
HIGH_MIN: Final = 0.85
# Particles that a win may have at once in all (particles.js).
PARTICLES: Final = 600

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
# The acts of a mega's show, what its second count shows at their tenths, and what flies in each.
ACTS: Final = """async () => {
    const { act, countedAgain } = await import('/static/phases.js');
    const { Particles } = await import('/static/particles.js');
    const [acts, counts] = [[], []];
    const flying = new Particles();
    flying.begin(2, 'H12', 6);
    const most = {};
    for (let past = 0; past < 51000; past += 500) {
        const found = act('mega', past);
        flying.go(past / 1000, 1920, 1080);
        if (found === null) continue;
        if (acts[acts.length - 1] !== found.name) acts.push(found.name);
        if (found.name === 'again') counts.push(countedAgain(123457, found.past));
        const rockets = flying.sparks.filter((one) => one.life > 0 && one.shell !== null).length;
        const coins = flying.coins.filter((one) => one.life > 0).length;
        const before = most[found.name] ?? [0, 0];
        most[found.name] = [Math.max(before[0], rockets), Math.max(before[1], coins)];
    }
    return {acts, counts, most, others: [act('major', 8000), act('minor', 4000)]};
}"""
# What the sum takes of the screen's width, and whether it, its figures and its title are seen.
LOOK: Final = """() => {
    const box = (part) => document.querySelector(`#win ${part}`).getBoundingClientRect();
    const isSeen = (part) => box(part).width > 0
        && getComputedStyle(document.querySelector(`#win ${part}`)).visibility === 'visible';
    const corners = [...document.querySelectorAll('#win .corner b')];
    const ranks = corners.map((rank) => rank.textContent);
    const figures = document.querySelector('#win .exact');
    return {
        wide: box('.of-sum').width / innerWidth,
        digits: box('.amount').width / box('.of-sum').width,
        high: box('.amount').height / box('.of-sum').height,
        edges: Math.max(box('.what').left - box('.card').left, box('.card').right - box('.table').right)
            / innerWidth,
        seen: ['.jackpot', '.level', '.amount'].every(isSeen),
        exact: isSeen('.exact') ? figures.textContent : '',
        phase: document.querySelector('#win').dataset.phase,
        cards: ranks.join(' '),
        act: document.querySelector('#win').dataset.act,
        laid: getComputedStyle(document.querySelector('#win .card')).gridTemplateAreas,
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
# Wins that are played one after the other, of each level in turn.
WINS: Final = repeated(6, 20)
# Plays so many wins of two seconds, forty steps each; counts what WebGL was asked to make by the first
# three and in all, the most particles in the air, and whether any was left and right.
DRAWN: Final = """async (wins) => {
    const made = {Texture: 0, Buffer: 0, Program: 0, Framebuffer: 0};
    for (const name of Object.keys(made)) {
        const real = WebGL2RenderingContext.prototype[`create${name}`];
        WebGL2RenderingContext.prototype[`create${name}`] = function () {
            made[name] += 1;
            return real.apply(this);
        };
    }
    const { GraphicsCard } = await import('/static/particles_webgl.js');
    const drawn = await GraphicsCard.on(document.createElement('canvas'), () => {});
    drawn.tell({size: [320, 240]});
    const colours = ['#ffd75e', '#ffffff', '#ffc94d', '#ff4d63', '#5ab4ff', '#c58bff'];
    const flying = () => [...drawn.particles.coins, ...drawn.particles.sparks].filter((one) => one.life > 0);
    let [most, first] = [0, null];
    const sides = [false, false];
    for (let win = 0; win < wins; win += 1) {
        drawn.tell({win: {rank: win % 3, name: `H${win}`, colours, past: 0, held: true}});
        for (let step = 0; step < 40; step += 1) drawn.tell({at: step * 50});
        most = Math.max(most, flying().length);
        for (const {x} of flying()) sides[x < 160 ? 0 : 1] = true;
        drawn.tell({stop: true});
        if (win === 2) first = {...made};
    }
    return {first, last: made, most, sides};
}"""
# What flies in a win of each rank, at every half second of it: whether there was something at both sides, and
# coins; and whether a sign that comes at its end shows the same.
FLIES: Final = """async () => {
    const { Particles } = await import('/static/particles.js');
    return [6, 12, 60].map((lasts, rank) => {
        const [shown, late] = [new Particles(), new Particles()];
        const facts = {sides: true, coins: false};
        for (const one of [shown, late]) one.begin(rank, 'H12', 6);
        for (let past = 0.5; past < lasts; past += 0.5) {
            shown.go(past, 1920, 1080);
            const flying = [...shown.coins, ...shown.sparks].filter((one) => one.life > 0);
            facts.sides &&= flying.some(({x}) => x < 700) && flying.some(({x}) => x > 1220);
            facts.coins ||= shown.coins.some((one) => one.life > 0);
        }
        late.go(lasts - 0.5, 1920, 1080);
        return {...facts, same: JSON.stringify(late.sparks) === JSON.stringify(shown.sparks)};
    });
}"""
# Puts a held page at a moment.
MOMENT: Final = "(ms) => dispatchEvent(new CustomEvent('moment', {detail: ms}))"
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
    if page.viewport_size == dict(zip(("width", "height"), SIZES["wall"], strict=True)):
        assert seen["edges"] < EDGE_MAX, level
    assert seen["digits"] > WIDE_MIN
    assert await page.evaluate(CUT) == 0, (level, page.viewport_size)
    assert await cut_off(page, "#win .fills") == [], level
    return seen


@needs_chromium
@on_browser_loop
async def test_what_flies_stays_in_a_picture_whose_screen_changes(tmp_path: Path) -> None:
    """Signs: a preview that stays at a moment draws it again on a canvas of another size, which is empty."""
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "mega", 3, "wall", faults=faults, reduced_motion="no-preference")
        for size in ("tablet", "wall"):
            await page.wait_for_selector("#sparks[data-drawn='3000']")
            await painted(page)  # the first size of a canvas is told then, too
            await page.evaluate("delete document.querySelector('#sparks').dataset.drawn")
            await resized(page, size)
        await page.wait_for_selector("#sparks[data-drawn='3000']")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_is_whole_on_every_screen(tmp_path: Path) -> None:
    """Signs: title, level and sum are whole and as wide as the screen, at every size and level.

    Each level comes on one size, another one for each, and has others afterwards.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        for place, level in enumerate(LEVELS):
            first, *others = sizes_from(place)
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
        for level in repeated(("major",), LEVELS):  # each stands whole, and still, in the test above
            page = await won(browser, server, level, 0.9, size, faults=faults)
            assert (await fills(page, level))["phase"] in {"flash", "count"}
            await page.close()
        page = await won(browser, server, "mega", 8, size, faults=faults)
        await until_true(page, "document.querySelector('#win').dataset.phase === 'show'")
        assert (await page.evaluate(LOOK))["cards"] == "A K Q J 10"
        await until_true(page, "document.querySelector('#sparks').dataset.drawn === '8000'")
        assert await page.evaluate("document.querySelector('#win .amount').dataset.cents") == "1000000000"
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_goes_through_its_parts(tmp_path: Path) -> None:
    """Signs: flash, count, show, rest at every level; what is shown has been counted to its end.

    Something flies from both sides for as long as it lasts, another thing at each level, alike on every sign.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "minor", 0, "phone", faults=faults, reduced_motion="reduce")
        assert await page.evaluate(PHASES) == ["flash count show rest"] * len(LEVELS)
        assert await page.evaluate(FLIES) == [
            {"sides": True, "coins": rank > 0, "same": True} for rank in range(len(LEVELS))
        ]
    assert faults == []


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("size", repeated(("phone",), tuple(SIZES)))
async def test_a_megas_show_has_acts_of_different_kinds(tmp_path: Path, size: str) -> None:
    """Signs: one act follows another. The sum is whole and as wide as the screen in each.

    It is counted twice, never above what was won, and stands in figures then. Its frame leaves no black
    above and below. Most coins fly in the fountain.
    """
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "mega", 8, size, faults=faults, reduced_motion="no-preference")
        found = await page.evaluate(ACTS)
        assert found["acts"] == ["deal", "fountain", "again", "spot", "hand"]
        assert found["others"] == [None, None]
        assert found["counts"] == sorted(found["counts"])
        assert (found["counts"][0], found["counts"][-1]) == (0, 123457)
        most = {name: coins for name, (_, coins) in found["most"].items()}
        assert max(most, key=lambda name: most[name]) == "fountain"
        laid = set[str]()
        for act, past_ms in {
            "deal": 8_000,
            "fountain": 17_000,
            "again": 28_000,
            "spot": 35_000,
            "hand": 47_000,
        }.items():
            await page.evaluate(MOMENT, past_ms)
            await until_true(page, f"document.querySelector('#win').dataset.act === '{act}'")
            await page.evaluate(RISEN)
            await painted(page)
            seen = await page.evaluate(LOOK)
            assert seen["seen"], act
            assert seen["exact"] == (SUMS["mega"] if act == "again" else "")
            assert seen["wide"] > WIDE_MIN
            assert seen["digits"] > WIDE_MIN
            assert seen["high"] > HIGH_MIN, act
            assert await page.evaluate(CUT) == 0, act
            assert await cut_off(page, "#win .fills") == [], act
            laid.add(seen["laid"])
        assert len(laid) == len(found["acts"])
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
        texts = [await page.inner_text(f"#win {part}") for part in SAID_OF_A_WIN]
        said = [" ".join(text.lower().split()) for text in texts]
        assert {*said, "$10,000,000.00"} <= names
        # Reels have every digit in them; none of those is read out.
        assert "0" not in names
    assert faults == []


@needs_chromium
@on_loop
async def test_what_pixi_draws_is_made_once(tmp_path: Path) -> None:
    """Signs: with WebGL particles come from both sides, and later wins make no more of anything.

    In a browser of its own: one without a graphics card draws for long what is asked of it here.
    """
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await won(browser, server, "major", 0, "phone", faults=[])
        facts = await page.evaluate(DRAWN, WINS)
    assert facts["first"] == facts["last"]
    assert facts["first"]["Texture"] > 0
    assert 0 < facts["most"] <= PARTICLES
    assert facts["sides"] == [True, True]
