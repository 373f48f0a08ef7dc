"""Looks of the pages for people: a list of them all, a house to show them in, and a judge of each.

The judge measures what the browser has laid out: what is wider than the screen, what is cut off, what lies on
something else, what is too small to read or to touch, and what is English on a Spanish page.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from jackpot.api.queries.notices import Announce
from jackpot.app import Server
from jackpot.config.tax import law_of
from jackpot.reports.registry import REPORTS
from jackpot.rules.acts.disputes import Dispute
from jackpot.rules.acts.hits import Pay, Undo, Validate
from jackpot.rules.acts.links import OPERATOR, Suspend
from jackpot.rules.acts.people import Grant
from jackpot.web import docs
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS, Device, StepClock, configure, sign, table, until
from tests.web.browser import painted
from tests.web.staffed import done, join, prove, sign_in, staffed
from tests.web.test_ops import played

if TYPE_CHECKING:
    from playwright.async_api import Page

# A phone, the laptop that most offices have, and a wall.
SCREENS: Final = {"phone": (390, 844), "laptop": (1366, 768), "wall": (1920, 1080)}
LANGUAGES: Final = {"en": "en-US", "es": "es-MX"}
# How many hits wait: none in a new house, a few, and a bad night.
WAITING: Final = (0, 3, 14)
# Letters below it are not read on a screen, px; a finger misses a smaller target (WCAG 2.5.8), px.
LETTERS_MIN: Final = 12
TARGET_MIN: Final = 24
# Up to this width the header is one low line, and the pages are behind its button, px.
LOW_HEADER_MAX: Final = 1180
DAY_S: Final = 86_400
# Pages that show each hit that waits; all others have one line for them.
WHOLE: Final = ("/", "/ops", "/ops/hits")
TITLE: Final = '[link.display]\ntitle = "{}"\n'
SIDE: Final = "side"
HOUSE: Final = (
    LINKS + "hold_table = false\n" + TITLE.format("Riverside Mega")
    + LINKS.replace(LINK, SIDE) + "hold_table = false\n" + TITLE.format("Riverside Side")
    + """
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
tables = ["T01"]
least = "5.00"
most = "100.00"
approved = "letter of 1 November"
"""
)  # fmt: skip
# Hands that are won in turn, each with its board.
HANDS: Final = (
    ("9s 8s 7s", "Js Ts"), ("9h 9d 9s", "9c Qd"), ("Kh Kd Ks", "Qh Qd"), ("8h 8d 8s", "8c Qd"),
)  # fmt: skip
# Ids, names and words that both languages have alike, and words that stand in names of products and files.
_ALIKE: Final = """
    ann bo carlos test riverside mega side floor five four three card bonus let ride csv json main
    site total director normal error control manual personal local final general actual base usd new
    york http https api pa minor major mayor menor hotel casino poker royal metal legal super metric
    envy straight flush admin auditor cage eur est edt utc primary curl authorization bearer real hash
    cheque decimal min
"""
ALIKE: Final = frozenset(_ALIKE.split())
# What people typed, names of paytables as their regulation has them, and dates, which are the site's.
GIVEN: Final = re.compile(
    r"[A-Z][a-z]{2} \d+, \d{4}, .*|Ann: .*|.*Let It Ride .*, paytable [A-Z]|pa-.*|ma-.*"
    r"|.*58 Pa\. Code.*|pair plus|camera 12"
)


class Look(NamedTuple):
    """A page to look at. ready: what is there once its script has drawn it. languages: those it has."""

    name: str
    path: str
    ready: str = "body"
    languages: tuple[str, ...] = tuple(LANGUAGES)


def looks(hits: int) -> Iterator[Look]:
    """Every page for people, in a house where so many hits wait."""
    yield Look("floor", "/", "#links .link")
    yield Look("nowhere", "/no-such-page")
    yield Look("no-sign", "/sign/no-such-sign")
    yield Look("sign-in", "/ops/sign-in")
    yield Look("first-sign-in", "/ops/sign-in?first=yes")
    yield Look("posted", "/sign/T01/posted", ".wager", languages=("en",))
    yield Look("posted-spanish", "/sign/T01/posted?language=es", ".wager", languages=("es",))
    yield Look("api-docs", docs.PAGE, languages=("en",))
    for name in (
        "", "hits", "links", "alarms", "requests", "people", "people/1", "account", "journal", "readings",
        "reports", "director", "what-if", "lab", "no-such-page",
        f"links/{LINK}", f"links/{SIDE}", "links/three-bonus", "links/no-such-link",
        *(f"tables/T0{number}" for number in range(1, 5)), "people/3", "hits/main/H999",
        f"lab?link={LINK}", "lab?link=three-bonus",
        f"links/{LINK}/preview?act=correct-meter&level=mega&account=primary&amount=-1.50",
        f"links/{LINK}/preview?act=correct-meter&level=mega&account=primary&amount=twelve",
    ):  # fmt: skip
        yield Look(_named(name) or "home", f"/ops/{name}".rstrip("/"))
    yield Look("paper-lab", f"/ops/lab?link={LINK}&as=print")
    if hits:
        yield Look("hit-anywhere", "/ops/hits/H1")
        for number in range(1, 6):
            yield Look(f"hit-{number}", f"/ops/hits/main/H{number}")
        yield Look("undo", "/ops/hits/main/H5/preview?act=undo")
        yield Look("correct", "/ops/hits/main/H1/preview?act=correct&award=A1&amount=60")
        yield Look("journal-of-hit", "/ops/journal?hit=H1")
        yield Look("journal-wrong", "/ops/journal?hit=twelve")
    for report in REPORTS.values():
        about = "?bank=main" + (f"&hit=H{1 if hits else 999}" if "hit" in report.options else "")
        about += f"&link={LINK}" if report.name == "reading-slip" else ""
        yield Look(f"report-{report.name}", f"/ops/reports/{report.name}{about}")
        if hits:
            yield Look(f"paper-{report.name}", f"/ops/reports/{report.name}{about}&as=print")
    yield Look("report-form-wrong", "/ops/reports/slip?hit=twelve")
    for group in ("table", "game", "shift", "day"):
        yield Look(f"report-result-{group}", f"/ops/reports/result?group={group}")


def _named(path: str) -> str:
    """A file's name for an address."""
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")


@asynccontextmanager
async def house(folder: Path, hits: int) -> AsyncIterator[Server]:
    """A server where so many hits wait, with tables, signs, people, and a gaming day that was read.

    With hits there is more to see: one that is paid, one undone, one disputed and one to pay; an alarm, a
    request, a notice, a link that takes no wagers, and a table that is gone.
    """
    clock = StepClock()
    config = configure(folder, tables=4, links=HOUSE)
    shown = replace(config, site=replace(config.site, tax=law_of("us") if hits else None))
    async with staffed(shown, clock) as server, table(server) as device, sign(server):
        await join(server, "carlos", "cage")
        async with table(server, "T02"), table(server, "T03"):
            await _day(server, device, clock)
            if hits:
                await _night(server, device, hits)
            yield server


async def _day(server: Server, device: Device, clock: StepClock) -> None:
    """Some rounds without a winner, and the reading of their gaming day."""
    bank = server.banks["main"]
    for seq in (1, 3, 5):
        device.wager(seq, f"R{seq}", 1, lock=True)
        device.say(t="close", seq=seq + 1, round=f"R{seq}")
        assert (await device.answer(seq + 1))["t"] == "ack"
    clock.stepped_s += DAY_S
    await until(lambda: bool(bank.sequencer.engine.state.last_day))


async def _night(server: Server, device: Device, hits: int) -> None:
    bank, people = server.banks["main"], server.people
    ann, bo = [await prove(server, login) for login in ("ann", "bo")]
    seq = 7
    for number in range(hits + 2):
        if number == 2:  # the third one is the largest, as it may come at any time
            await royal(device, seq, f"R{seq}")
        else:
            await played(device, seq, *HANDS[number % len(HANDS)])
        seq += 2
    # The first is paid, the second undone. Of those that wait one is to pay and one is disputed.
    for hit in ("H1", "H3"):
        done(await server.auth.act(bank, Validate(hit, surveillance="camera 12"), [bo]))
    done(await server.auth.act(bank, Pay("H1", document="P-1"), [ann]))
    done(await server.auth.act(bank, Undo("H2", "misdeal"), [ann, bo]))
    done(await server.auth.act(bank, Dispute("H4", "seat 3 says no"), [ann]))
    done(await server.auth.act(bank, Suspend(OPERATOR, (SIDE,), "a drill"), [ann]))
    notice = Announce(LINK, "2099-12-24", "a new game").of_site(server.config.site)
    done(await server.auth.act(bank, notice, [ann]))
    assert (await server.auth.act(people, Grant(bo.id, "auditor"), [ann])).asked
    async with table(server, "T04") as gone:
        gone.wager(1, "R1", 1)
        gone.say(t="lock", seq=2, round="R1", chips={LINK: 3})
        assert (await gone.answer(2))["warn"] == ["chip_mismatch"]


_HERE: Final = Path(__file__).parent
JUDGE: Final = (_HERE / "judge.js").read_text("utf-8")
COMPARED: Final = (_HERE / "page_words.js").read_text("utf-8")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


async def judged(page: "Page", path: str) -> list[str]:
    """The faults of a page as its screen shows it now."""
    await painted(page)
    found: list[str] = await page.evaluate(JUDGE, [LETTERS_MIN, TARGET_MIN, LOW_HEADER_MAX, path in WHOLE])
    return found


def untranslated(english: list[str], spanish: list[str]) -> list[str]:
    """Texts of a Spanish page that the English one has too, and that are words."""
    same = set(english) & set(spanish)
    return sorted(
        text
        for text in same
        if any(word.lower() not in ALIKE for word in _WORD.findall(text)) and not GIVEN.fullmatch(text)
    )


async def signed_page(page: "Page", root: str, login: str = "ann") -> None:
    """Signs in on a page of its own context."""
    await page.goto(f"{root}/ops")
    await sign_in(page, login)


async def at(page: "Page", root: str, look: Look) -> None:
    """Opens a page, and waits until it is drawn."""
    await page.goto(root + look.path)
    await page.wait_for_selector(look.ready)
