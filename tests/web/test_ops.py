"""Operations pages: a hit worked through by finger, by keyboard, and by two people on one screen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from jackpot.app import Server
from jackpot.config.tax import TaxLaw, law_of
from jackpot.reports.papers import COPIES
from jackpot.rules.acts.hits import Validate
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.people import Grant
from tests.net.test_admin_socket import ROYAL, royal
from tests.net.test_examples import OFFERS
from tests.running_server import LINK, LINKS, Device, configure, on_loop, table
from tests.web.browser import (
    CHROMIUM,
    SIZES,
    WHOLE,
    chromium,
    needs_chromium,
    needs_whole_chromium,
    on_browser_loop,
    opened,
    painted,
    until_true,
)
from tests.web.staffed import SECRET, prove, sign_in, staffed

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Route

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
FORM = """() => Object.fromEntries(new FormData(document.querySelector('form[action="/ops/acts/pay"]')))"""
FINDINGS = """async () => (await axe.run({resultTypes: ['violations']})).violations.map(
    (one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' ')
).concat([...document.querySelectorAll('[id]')].map((one) => one.id).filter(
    (id, place, all) => all.indexOf(id) !== place  // a label would name the first of them
))"""
ASKED_AGAIN = """() => new Promise((done) => {
    document.body.addEventListener('htmx:afterRequest', () => done(), { once: true });
    document.body.dispatchEvent(new CustomEvent('floor-changed'));
})"""
# On a phone the line takes two rows at most, and each of its facts lies within it.
NOTHING_CUT = """[...document.querySelectorAll('#waiting .also > *')].length === 3
    && [...document.querySelectorAll('#waiting .also > *')].every((part) =>
        part.getBoundingClientRect().right <= part.parentElement.getBoundingClientRect().right)
    && document.querySelector('#waiting').getBoundingClientRect().height < 90"""
CUT_OFF = """() => [...document.querySelectorAll('header a, header button')].filter((one) => {
    const box = one.getBoundingClientRect();
    const frames = ['nav, .me', 'header'].map((name) => one.closest(name)?.getBoundingClientRect() ?? box);
    const seen = frames.every((frame) => box.left >= frame.left - 1 && box.right <= frame.right + 1);
    return one.checkVisibility() && !(seen && box.right <= innerWidth && box.width > 0);
}).map((one) => one.textContent)"""
FREE = LINKS + "hold_table = false\n"


@asynccontextmanager
async def floor(
    folder: Path,
    links: str = FREE,
    tax_from: int | None = None,
    program: str | None = CHROMIUM,
    *,
    law: TaxLaw | None = None,
) -> AsyncIterator[tuple[Server, Device, "Browser"]]:
    """A server where ann and bo may sign in, a table, and a browser. tax_from: as of the site, in cents.

    program: the browser's. law: the tax law of the site's country.
    """
    config = configure(folder, links=links)
    config = replace(config, site=replace(config.site, tax_form_from=tax_from, tax=law))
    async with staffed(config) as server, table(server) as device, chromium(program) as browser:
        yield server, device, browser


async def signed_in(
    server: Server, browser: "Browser", faults: list[str], size: str = "wall", login: str = "ann"
) -> "Page":
    """Opens a page whose person has signed in."""
    page = await opened(browser, f"http://127.0.0.1:{server.ports['http']}/ops", size, faults)
    await sign_in(page, login)
    return page


async def to_pay(server: Server, device: Device, browser: "Browser", faults: list[str]) -> "Page":
    """Opens the floor page on Ann's phone, where a royal flush that Bo has validated waits to be paid."""
    await royal(device)
    await server.auth.act(server.banks["main"], Validate("H1"), [await prove(server, "bo")])
    return await signed_in(server, browser, faults, "phone")


async def acted(server: Server, act: str) -> int:
    """How often the journal of bank main has this act of people."""
    name = msgspec.msgpack.encode(act)
    rows = await server.banks["main"].store.rows("main", 0, 1_000)
    return sum(b"\xa2do" + name in row.body for row in rows)


async def until_open(page: "Page", text: str) -> None:
    """Waits until the page says so."""
    await page.wait_for_function("(text) => document.body.innerText.includes(text)", arg=text)


@needs_chromium
@on_browser_loop
async def test_a_hit_comes_while_the_page_is_open_and_is_worked_through(tmp_path: Path) -> None:
    """A10: it stands on every page at once, loud; a tap opens it, a tap validates it, one pays each winner.

    Its own page begins with it.

    What is written on its papers is folded away, and stands on the form that is printed; the slip too.
    """
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/journal")
        assert not await page.query_selector("#waiting .hit")
        await royal(device)
        await page.wait_for_selector("#waiting .hit.pending")
        assert "$10,000.18" in await page.inner_text("#waiting .hit")
        await until_true(page, "document.title.startsWith('(1) ')")
        await page.click("#waiting .hit")
        await page.wait_for_selector("button.main")
        assert await page.inner_text("#waiting") == "", "its own page has nothing above it"
        await page.evaluate(ASKED_AGAIN)
        assert await page.inner_text("#waiting") == ""
        dealt = (await page.inner_text(".dealt")).split()
        spades = [f"{rank}\N{BLACK SPADE SUIT}" for rank in ("A", "K", "Q", "J", "10")]
        assert [word for word in dealt if word in spades] == spades, "the cards stand above the button"
        await page.click("button.main")
        await page.wait_for_selector(".hero .status.validated")
        assert await page.inner_text(".said") == "H1 is validated. Now it is to be paid."
        await page.click("summary:text-is('Patron, tax form')")
        await page.fill("#s1-patron", "<b>Pat</b> Ron")
        await paid(page, 1, "P-4711")
        await paid(page, 2, "P-4712")
        await until_true(page, "!document.querySelector('#waiting .hit')")
        amount = page.locator(".list td.sum").first
        box = await amount.bounding_box()
        assert await amount.inner_text() == "$10,000.18"
        assert box is not None
        assert box["x"] + box["width"] <= SIZES["phone"][0], "each award's amount is on the screen"
        steps = await page.inner_text(".steps")
        done = [step.split(",")[0] for step in steps.splitlines() if " by " in step]
        assert done == ["Paid to seat 2 by Ann", "Paid to seat 1 by Ann", "Validated by Ann"]
        assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
        await printed(page, "Slip", "Jackpot slip", "$10,000.18")
        await page.click("text=Add to its papers")
        await page.fill("#add-witness", "Will Ness")
        await page.fill("#add-reason", "left out")
        await page.click("button:text-is('Add it')")
        await page.wait_for_selector("text=It is on the papers now.")
        ranked = f"ranked from {' '.join(spades)}"
        await page.click("summary:has-text('Seat 1')")
        await printed(page, "Payout form", "<b>Pat</b> Ron", "P-4711", "Will Ness", ranked)
    assert faults == []


async def paid(page: "Page", seat: int, document: str) -> None:
    """Pays a winner by the form of their own, which wants its document's number first."""
    button = f"button:text-is('Paid to seat {seat}')"
    await page.click(button)
    assert await page.evaluate("document.activeElement.id") == f"s{seat}-document"
    await page.fill(f"#s{seat}-document", document)
    await page.click(button)
    await page.wait_for_selector(f"text=Seat {seat} of H1 is paid, form {document}.")


async def printed(page: "Page", name: str, *said: str) -> None:
    """Checks that a paper of the hit's page is printed, and says so; then back to the hit."""
    await page.click(f"a.button:text-is('{name}')")
    for text in said:
        await until_open(page, text)
    pages = (await page.pdf(prefer_css_page_size=True)).count(b"/Type /Page\n")
    assert pages == len(COPIES), "each copy is one page"
    await page.go_back()


async def undo(page: Any, reason: str, login: str = "", secret: str = "") -> None:
    """Previews an undo, fills in the form and sends it. login, secret: of the second person."""
    form = "form[action='/ops/acts/undo']"
    await page.click("text=Undo it")
    await page.click("form:has([value=undo]) button")
    await page.wait_for_selector("li:has-text('ends unpaid')")
    await page.fill("#undo-reason", reason)
    if login:
        await page.locator(f"{form} .second").evaluate("(fold) => (fold.open = true)")
        await page.fill("#undo-second-login", login)
        await page.fill("#undo-second-secret", secret)
    await page.click(f"{form} button")


async def played(device: Device, seq: int, hand: str, board: str) -> None:
    """A round in which seat 1 alone wagers and shows this hand, with the seq of its two frames."""
    device.wager(seq, f"R{seq}", 1, lock=True)
    hands = [{"seat": 1, "cards": hand.split()}]
    device.say(t="settle", seq=seq + 1, round=f"R{seq}", hands=hands, board=board.split(), close=True)
    assert (answer := await device.answer(seq + 1))["t"] == "ack", answer


@needs_chromium
@on_browser_loop
async def test_what_waits_is_ranked_and_buries_no_page(tmp_path: Path) -> None:
    """A10: a mega stands above a full house that is older; other pages have one line, which leads there."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await played(device, 1, "Kh Kd Ks", "Qh Qd")
        await played(device, 3, "9h 9d 9s", "9c Qd")
        await royal(device, 5)
        page = await signed_in(server, browser, faults)
        hands = await page.locator("#waiting .hit .what").all_inner_texts()
        assert [hand.split()[0] for hand in hands] == ["Royal", "Four", "Full"]
        assert await page.locator("#waiting .hit .waited:text-is('0 min')").count() == 3
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/journal")
        line = page.locator("#waiting a:visible")
        assert await line.count() == 1
        assert (
            " ".join((await line.inner_text()).split())
            == "3 hits wait the highest $10,000.36 the oldest 0 min"
        )
        box = await page.locator("#waiting").bounding_box()
        assert box is not None
        assert box["height"] < 70
        wide = page.viewport_size
        assert wide is not None
        await page.set_viewport_size({"width": 390, "height": 844})
        await until_true(page, NOTHING_CUT)
        await page.set_viewport_size(wide)
        await until_true(page, "document.title.startsWith('(3) ')")
        await line.click()
        await page.wait_for_selector("#waiting .hits li:nth-child(3)")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_two_people_undo_on_one_screen(tmp_path: Path) -> None:
    """A11: a second person signs with their own password; nobody is both, and a wrong one signs nothing."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        await royal(device, 3, "R2")
        page = await signed_in(server, browser, faults)
        await page.click("#waiting li:first-child .hit")
        await until_open(page, "1 other hit waits")
        own = page.url
        for login, secret, said in (
            ("ann", SECRET, "A second person signs: this is the first one"),
            ("bo", "guess", "ign-in name, password or code is not right"),
        ):
            await undo(page, "misdeal <b>round</b>", login, secret)
            await page.wait_for_selector("#undo-second-login[aria-invalid=true]")
            assert said in await page.inner_text("label[for=undo-second-login]")
            assert await page.input_value("#undo-reason") == "misdeal <b>round</b>"
            assert await page.input_value("#undo-second-login") == "", "who is second signs anew"
            assert await page.is_visible("#undo-second-login")
            await page.goto(own)
        await undo(page, "misdeal <b>round</b>", "bo", SECRET)
        await until_open(page, "Undone by Ann and Bo")
        assert "misdeal <b>round</b>" in await page.inner_text(".steps")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_what_waits_is_not_replaced_under_a_link_that_is_followed(tmp_path: Path) -> None:
    """Misuse: what waits is asked for while a hit's page is on its way: that page has its own address."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults)
        asked = asyncio.Event()

        async def late(route: "Route") -> None:
            await asked.wait()
            await route.continue_()

        await page.route("**/ops/hits/main/H1", late)
        await page.click("#waiting .hit")
        async with page.expect_response("**/ops/waiting"):
            await page.evaluate("document.body.dispatchEvent(new CustomEvent('floor-changed'))")
        await painted(page)
        asked.set()
        await page.wait_for_selector("form[action='/ops/acts/validate']")
        assert page.url.endswith("/ops/hits/main/H1")
        await page.evaluate(ASKED_AGAIN)
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_one_asks_and_another_confirms_on_their_own_screen(tmp_path: Path) -> None:
    """A11: what one asked for alone waits, under their name; another reads what it is, and confirms it.

    A hit that is pressed while the page asks again for what waits is opened all the same.
    """
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        await royal(device, 3, "R2")
        page = await signed_in(server, browser, faults)
        await page.hover("#waiting li:first-child .hit")
        await page.mouse.down()
        await page.evaluate(ASKED_AGAIN)
        await page.mouse.up()
        await undo(page, "misdeal")
        await page.wait_for_selector("text=It is not done yet: it waits 15 minutes for a second person.")
        await until_open(page, "Ann asked for this: Undo an award.")
        other = await signed_in(server, browser, faults, "phone", "bo")
        await other.click("text=1 request waits")
        await other.wait_for_selector("text=Ann asks for it, in bank main.")
        assert "misdeal" in await other.inner_text(".facts")
        await other.click("button.main")
        await other.wait_for_selector("text=It is confirmed. It is undone.")
        await until_open(page, "What this page shows has changed meanwhile.")
        await page.click("text=Show it as it is now")
        await until_open(page, "Undone by Ann and Bo")
        assert not await page.query_selector(".changed")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_stale_page_and_a_double_tap_do_no_harm(tmp_path: Path) -> None:
    """A10, S5: somebody was faster: the page says who and when; one form sent twice acts once."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults)
        await page.click("#waiting .hit")
        await page.wait_for_selector("form[action='/ops/acts/validate']")  # as it was before Bo
        await page.evaluate(ASKED_AGAIN)
        assert not await page.query_selector(".changed")
        await page.click("form[action='/ops/acts/validate'] summary")
        await page.fill("#validate-dealer", "Dee 4711")
        await server.auth.act(server.banks["main"], Validate("H1"), [await prove(server, "bo")])
        await until_open(page, "What this page shows has changed meanwhile.")
        await page.click("button.main")
        await until_open(page, "H1 is validated already, by Bo, ")
        assert await page.input_value("#add-dealer") == "Dee 4711", "it can still go onto the papers"
        assert await page.is_visible("#add-dealer")
        await page.wait_for_selector("form[action='/ops/acts/pay']")
        form = await page.evaluate(FORM) | {"document": "P-1"}
        own = f"http://127.0.0.1:{server.ports['http']}"
        sent = [
            page.request.post(f"{own}/ops/acts/pay", form=form, headers={"Origin": own}) for _ in range(3)
        ]
        answers = await asyncio.gather(*sent)
        assert [answer.status for answer in answers] == [200] * 3
        assert await acted(server, "pay") == 1
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_floor_is_shown_as_it_is_now(tmp_path: Path) -> None:
    """S1: a page that stands open all night says by itself that a link is suspended; the focus stays."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        page = await signed_in(server, browser, faults)
        await royal(device)
        await page.focus("#waits-main-H1")
        await server.auth.act(server.banks["main"], Validate("H1"), [await prove(server, "bo")])
        await page.wait_for_selector("#waits-main-H1.validated")
        assert await page.evaluate("document.activeElement.id") == "waits-main-H1", "also in what waits"
        await page.focus("#card-floor-five")
        assert await page.inner_text("#card-floor-five .badge") == "active"
        suspended = Suspend("operator", ("floor-five",), "new felt")
        await server.auth.act(server.banks["main"], suspended, [await prove(server, "bo")])
        await page.wait_for_selector("#card-floor-five .badge.suspended")
        await until_open(page, "Link Floor Five is suspended: by people")
        assert await page.evaluate("document.activeElement.id") == "card-floor-five"
        names = await page.locator(".tile b").all_inner_texts()
        assert names == sorted(names)
    assert faults == []


async def second_signs(page: "Page", act: str, reason: str) -> None:
    """Bo signs on the first one's screen, and the form is sent."""
    form = f"form[action='/ops/acts/{act}']"
    await page.fill(f"{form} [name=reason]", reason)
    await page.click(f"{form} .second summary")
    await page.fill(f"{form} [name=second_login]", "bo")
    await page.fill(f"{form} [name=second_secret]", SECRET)
    await page.click(f"{form} > button")


@needs_chromium
@on_browser_loop
async def test_a_disputed_hit_is_held_and_a_large_one_takes_its_tax_form(tmp_path: Path) -> None:
    """A10: loud on every page, without a way to pay it; two lift that; then it wants its tax form."""
    faults: list[str] = []
    async with floor(tmp_path, tax_from=200_000) as (server, device, browser):
        page = await to_pay(server, device, browser, faults)
        await page.click("#waiting .hit.validated")
        await page.click("text=Dispute it")
        await page.fill("#dispute-reason", "seat 3 says <i>no</i>")
        await page.click("text=Freeze payment")
        await page.wait_for_selector(".hero .status.disputed")
        await until_open(page, "Disputed: it is not paid.")
        assert not await page.query_selector("form[action='/ops/acts/pay']")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
        await page.click("summary:has-text('Lift the dispute')")
        await second_signs(page, "lift", "pictures seen")
        await page.wait_for_selector(".hero .status.validated")
        await page.click("button.main")
        assert await page.evaluate("document.activeElement.id") == "s1-tax_form", (
            "the browser asks for it first"
        )
        assert not await page.query_selector("#s2-tax_form[required]"), "envy of $1,000 takes none"
        await page.fill("#s1-tax_form", "W-2G")
        await page.fill("#s1-tax_number", "T-0815")
        await page.fill("#s1-document", "P-2")
        await page.keyboard.press("Enter")
        await until_open(page, "is paid, form P-2.")
        steps = await page.inner_text(".steps")
        assert [step.split(",")[0] for step in steps.splitlines() if " by " in step] == [
            "Paid to seat 1 by Ann",
            "Lifted by Ann and Bo",
            "Disputed by Ann",
            "Validated by Bo",
        ]
        assert "seat 3 says <i>no</i>" in steps
    assert faults == []


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("size", ["phone", "wall"])
async def test_a_large_win_is_paid_by_the_law_on_its_page(tmp_path: Path, size: str) -> None:
    """A10: the page says what is due, by who is paid; a wrong sum comes back at its field, typed text stays.

    An envy bonus of $1,000 takes no form. The form that is printed has what was withheld and given.
    """
    faults: list[str] = []
    async with floor(tmp_path, law=law_of("us")) as (server, device, browser):
        await royal(device)
        await server.auth.act(server.banks["main"], Validate("H1"), [await prove(server, "bo")])
        page = await signed_in(server, browser, faults, size)
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/hits/main/H1")
        await until_open(page, "$10,000.18 won with a wager of $1.00: form W-2G is due.")
        rows = await page.locator("details.winner[open] .taxes tbody tr").all_inner_texts()
        assert [row.split("\t") for row in rows] == [
            ["resident, with a taxpayer number", "W-2G", "$2,399.80", "$7,600.38"],
            ["resident, without the number", "W-2G", "$2,399.80", "$7,600.38"],
            ["not a resident, without a treaty", "1042-S", "$3,000.05", "$7,000.13"],
        ]
        assert not await page.query_selector("#s2-withheld[required]"), "envy of $1,000 takes no form"
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        typed = {
            "patron": "Pat Ron", "identification": "passport X1", "taxpayer_number": "123-45-6789",
            "withheld": "2,399.00", "tax_number": "T-1", "way_number": "CHQ-9", "document": "P-1",
        }  # fmt: skip
        for name, text in typed.items():
            await page.fill(f"#s1-{name}", text)
        await page.select_option("#s1-way", "cheque")
        await page.click("details.winner[open] summary:text-is('A part is given another way')")
        for name, text in (("other_sum", "2,000.00"), ("other_number", "SLIP-7")):
            await page.fill(f"#s1-{name}", text)
        await page.select_option("#s1-other_way", "cash")
        await page.click("button:text-is('Paid to seat 1')")
        await until_open(page, "$2,399.80 is to be withheld from this payment")
        assert await page.evaluate("document.activeElement.id") == "s1-withheld"
        assert await page.input_value("#s1-way") == "cheque", "what was typed stays"
        await page.fill("#s1-withheld", "2,399.80")
        await page.click("button:text-is('Paid to seat 1')")
        await until_open(page, "Seat 1 of H1 is paid, form P-1. $2,399.80 of it is withheld.")
        steps = await page.inner_text(".steps")
        for said in (
            "Withheld: $2,399.80",
            "Way of payment: cheque",
            "Number of the slip, cheque or account: CHQ-9",
            "Number of the tax form: T-1",
            "Another way, for a part: cash",
            "Sum given that way: $2,000.00",
            "Number of that slip, cheque or account: SLIP-7",
            "Identification: passport X1",
        ):
            assert said in steps
        order = ["Patron: Pat Ron", "Tax form: W-2G", "Way of payment: cheque", "Sum given that way"]
        assert sorted(order, key=steps.index) == order, "in the form's order"
        assert await page.is_visible("details.winner[open] a:text-is('Payout form') >> nth=0"), "it is next"
        await printed(page, "Slip", "$2,399.80", "$7,600.38", "$2,000.00", "$5,600.38")
        await printed(
            page, "Payout form", "Pat Ron", "$2,399.80", "$7,600.38", "CHQ-9", "ORIGINAL: CAGE", "SLIP-7",
            "$2,000.00", "$5,600.38",
        )  # fmt: skip
        fields = "act=correct&award=A1&amount=13157.57&document=V-1&way=cheque"
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/hits/main/H1/preview?{fields}")
        assert await page.inner_text(".about .notice") == (
            "$3,157.39 is paid on top, form W-2G is due: $757.78 is withheld, $2,399.61 is handed out."
        )
        assert await page.input_value("input[name=way]") == "cheque", "it is sent on with the act"
        assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_missed_hand_is_settled_from_the_tables_page(tmp_path: Path) -> None:
    """T10: two open the closed round again on one screen, the table sends the hand, and its hit waits."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        device.wager(1, "R1", 1, 2, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[], board=["Js", "Ts"], close=True)
        assert (await device.answer(2))["t"] == "ack"
        page = await signed_in(server, browser, faults, "phone")
        await page.click("a[href='/ops/tables/T01']")
        await page.click("text=Reopen it for a missed hand")
        await second_signs(page, "reopen", "seat 1 was missed")
        await until_open(page, "The round is open again.")
        assert (await device.type("round"))["state"] == "locked"
        device.say(t="settle", seq=3, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
        assert (await device.answer(3))["t"] == "ack"
        await page.wait_for_selector("#waiting .hit.pending")
        await page.reload()
        await until_open(page, "Its hits: H1")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_session_that_ends_in_the_middle_of_a_hit_leads_back_to_it(tmp_path: Path) -> None:
    """Misuse: a form of a session that is over does nothing; who signs in again is at the hit again."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults, "phone")
        await page.click("#waiting .hit")
        await page.wait_for_selector("button.main")
        asked, left = asyncio.Event(), asyncio.Event()

        async def late(route: "Route") -> None:
            asked.set()
            await left.wait()
            await route.fulfill(response=await route.fetch())

        await page.route("**/ops/waiting", late)
        await asked.wait()  # the page asks for what waits, and is answered once it was left
        await server.auth.store.change(("DELETE FROM session", ()))
        await page.click("button.main")
        await page.wait_for_selector("#login")
        assert await acted(server, "validate") == 0
        await page.fill("#login", "ann")
        await page.fill("#secret", SECRET)
        async with page.expect_response("**/ops/waiting") as answer:
            left.set()
        assert (await answer.value).status == 401
        await page.unroute_all(behavior="ignoreErrors")  # else a later test gets its error
        await page.wait_for_load_state()
        assert await page.input_value("#secret") == SECRET, "what is typed stays"
        await page.press("#secret", "Enter")
        await page.click("text=Validate: the cards are right")
        await until_open(page, "Validated by Ann")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_way_back_leads_over_no_wrong_password(tmp_path: Path) -> None:
    """Access: Back after a mistake asks for the page again, and sends no password a second time."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, _, browser):
        page = await opened(browser, f"http://127.0.0.1:{server.ports['http']}/ops/hits", "phone", faults)
        await page.fill("#login", "ann")
        await page.fill("#secret", "wrong")
        await page.press("#secret", "Enter")
        await page.wait_for_selector(".problem")
        await page.wait_for_function("location.search === '?back=%2Fops%2Fhits'")
        faults.clear()  # the browser tells of the 403 itself
        await sign_in(page)
        answer = await page.go_back()
        assert answer is not None
        assert (answer.request.method, answer.status) == ("GET", 200)
        await page.wait_for_selector("#secret")
        assert not await page.query_selector(".problem")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_menu_of_a_small_screen_leads_to_pages(tmp_path: Path) -> None:
    """AA: what is held in the hand has the pages behind one button."""
    faults: list[str] = []
    async with floor(tmp_path, LINKS) as (server, _, browser):
        page = await signed_in(server, browser, faults)
        for size in ("tablet", "phone"):
            await page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
            await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops")
            await page.click("text=Menu")
            await page.click("nav >> text=Links")
            await page.wait_for_selector("h1:text-is('Links')")
    assert faults == []


@needs_chromium
@pytest.mark.parametrize("language", ["en-US", "es-MX"])
@on_browser_loop
async def test_the_whole_menu_is_seen_on_a_small_screen(tmp_path: Path, language: str) -> None:
    """AA: every page's name, the switch for notices and the way out are within the header, none cut."""
    faults: list[str] = []
    async with floor(tmp_path, LINKS) as (server, _, browser):
        context = await browser.new_context(locale=language, viewport={"width": 1920, "height": 720})
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops")
        await sign_in(page)
        for width in (1920, 1366, 1280, 1181):
            await page.set_viewport_size({"width": width, "height": 720})
            await page.wait_for_selector("#notify:visible")
            assert await page.evaluate(CUT_OFF) == [], width
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_keys_alone_validate_a_hit(tmp_path: Path) -> None:
    """AA: a person without a pointer comes to the main button by Tab, and presses it by Enter."""
    faults: list[str] = []
    async with floor(tmp_path, LINKS) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults)
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/hits/main/H1")
        for _ in range(40):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.matches('button.main')"):
                break
        await page.keyboard.press("Enter")
        await page.wait_for_selector("text=H1 is validated.")
    assert faults == []


@needs_chromium
@pytest.mark.parametrize("act", ["suspend", "void"])
@on_browser_loop
async def test_a_link_and_a_round_are_stopped_from_their_pages(tmp_path: Path, act: str) -> None:
    """S4, T6, P5: the floor suspends a link, and voids a round for a cause; the page shows it."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        device.wager(1, "R1", 1, 2)
        await device.answer(1)
        page = await signed_in(server, browser, faults)
        await page.click(f"a[href='/ops/links/{LINK}']" if act == "suspend" else "a[href='/ops/tables/T01']")
        await page.click("text=Stop wagers" if act == "suspend" else "text=Void the round")
        await page.fill(f"#{act}-reason", "drill")
        if act == "void":
            await page.select_option("#void-cause", label="Stub count")
        await page.click("button.danger")
        await page.wait_for_selector(
            "text=Wagers are stopped." if act == "suspend" else "text=The round is void"
        )
        await until_open(page, "suspended: by people" if act == "suspend" else "No round.")
        if act == "suspend":
            for path in (f"/ops/links/{LINK}", "/ops"):
                await page.goto(f"http://127.0.0.1:{server.ports['http']}{path}")
                said = await page.inner_text(".since")
                assert said.startswith("since "), path
                assert said.endswith(", Ann: drill"), path
        if act == "void":
            await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/journal")
            await page.wait_for_selector("text=round R1, Stub count")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_meter_is_corrected_and_new_terms_confirmed_by_two(tmp_path: Path) -> None:
    """L8, L9: looked at first, signed by both on one screen, shown at once; both terms stand side by side."""
    faults: list[str] = []
    async with Server(configure(tmp_path, links=FREE)):
        pass
    async with floor(tmp_path, FREE + 'validate_at = "50.00"\n') as (server, _, browser):
        page = await signed_in(server, browser, faults, "phone")
        at = f"{page.url}/links/{LINK}"
        await page.goto(at)
        await page.click("text=Correct a meter")
        await page.fill("#correct-amount", "-$12.345678")
        await page.click("button:has-text('Review') >> visible=true")
        await page.wait_for_selector("text=$9,987.654322")
        assert await page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
        await signs(page, "correct-meter", "a test wager")
        await page.wait_for_selector("text=The meter is corrected.")
        await until_open(page, "$9,987.65")
        row = await page.locator(".attention tbody tr > *").all_inner_texts()
        assert row == ["Validate at", "none", "50.00"]
        await signs(page, "change", "approved")
        await page.wait_for_selector("text=The link is played on the new terms.")
        await page.wait_for_selector(".badge.active")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_bonus_wager_has_no_meter_on_its_pages(tmp_path: Path) -> None:
    """S1, B1: its card has sums, and its page offers neither a correction nor a transfer of a meter."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + OFFERS) as (server, _, browser):
        page = await signed_in(server, browser, faults)
        assert "$0.00" in await page.inner_text("a.link[href='/ops/links/five-bonus']")
        await page.click("a.link[href='/ops/links/five-bonus']")
        await until_open(page, "No meter pays this wager")
        assert await page.locator(".to-do h2").all_inner_texts() == [
            "Stop wagers", "Announce that it closes, or a lower limit", "Announce its last day",
            "Close it for ever",
        ]  # fmt: skip
        assert await page.locator("[id^=announce-end] select[name=to]").count() == 0, (
            "it has no money to transfer"
        )
        await page.click("summary:has-text('Close it for ever')")
        await page.click("button:text-is('Review') >> visible=true")
        await until_open(page, "takes wagers: suspend it first")
    assert faults == []


async def signs(page: "Page", form: str, reason: str) -> None:
    """Fills in the form's reason, and the second person's name and secret; then sends it."""
    await page.fill(f"#{form}-reason", reason)
    await page.click(".second summary >> visible=true")
    await page.fill(f"#{form}-second-login", "bo")
    await page.fill(f"#{form}-second-secret", SECRET)
    await page.click("button.danger >> visible=true")


# What the browser is asked to show; each is shown by the browser itself, too.
TOLD = """
    window.told = [];
    window.Notification = class extends Notification {
        constructor(says, more) {
            super(says, more);
            window.told.push([more.tag, says]);
        }
    };
"""


@needs_chromium
@on_browser_loop
async def test_a_link_that_somebody_made_up_shows_nothing_of_another_hit(tmp_path: Path) -> None:
    """Misuse: a page about one hit never asks for an act about another one; nor does a link's page."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        await royal(device, 3, "R2")
        page = await signed_in(server, browser, faults)
        for at, said in {
            "hits/main/H1/preview?act=correct&award=A3&amount=5.00": "Award: 'A3' is not of H1",
            "hits/main/H1/preview?act=close-link": "Act: 'close-link' is not looked at on the page of H1",
            f"links/{LINK}/preview?act=undo&hit=H1": f"Act: 'undo' is not looked at on the page of {LINK}",
            f"links/{LINK}/preview?act=decide-left&left=D9&remove=true": "What an undo left: 'D9' is not of",
        }.items():
            await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/{at}")
            assert said in await page.inner_text(".problem")
            assert not await page.query_selector("main form")
    assert not faults


@needs_whole_chromium
@on_loop
async def test_a_browser_tells_of_what_waits_until_somebody_has_seen_it(tmp_path: Path) -> None:
    """T3, A10, A11: hit, alarm and request are notified once each; an alarm is acknowledged by name."""
    faults: list[str] = []
    async with floor(tmp_path, program=WHOLE) as (server, device, browser):
        url = f"http://127.0.0.1:{server.ports['http']}/ops"
        context = await browser.new_context(
            permissions=["notifications"], viewport={"width": 390, "height": 844}
        )
        await context.add_init_script(TOLD)
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(url)
        await page.fill("#login", "ann")
        await page.fill("#secret", SECRET)
        await page.keyboard.press("Enter")
        await page.click("text=Menu")
        await page.click("#notify[aria-pressed=false]")
        await page.wait_for_selector("#notify[aria-pressed=true]")
        assert await page.inner_text("#notify-why") == ""
        await page.keyboard.press("Escape")
        await royal(device)
        await until_true(page, "window.told.some(([tag]) => tag === 'hit main H1')")
        device.wager(3, "R2", 1)
        device.say(t="lock", seq=4, round="R2", chips={LINK: 3})
        assert (await device.answer(4))["warn"] == ["chip_mismatch"]
        await until_true(page, "window.told.some(([tag]) => tag === 'alarm main AL1')")
        both = [await prove(server, login) for login in ("ann", "bo")]
        asked = await server.auth.act(server.people, Grant(both[0].id, "auditor"), both[1:])
        assert asked.asked
        await until_true(page, "window.told.some(([tag]) => tag === 'request site site-1')")
        assert await page.evaluate("window.told.map(([, says]) => says)") == [
            "Royal flush: $10,000.18, T01",
            "Chip mismatch: table T01",
            "Give a role, Bo",
        ]
        await page.wait_for_selector("#waiting time:text-matches('^14:\\\\d\\\\d left$')")
        await page.click("text=1 alarm is open")
        await page.fill("main input[name=remark]", "two chips <b>under</b> the felt")
        await page.click("text=I have seen it")
        await page.wait_for_selector("text=Every alarm is acknowledged.")
        await until_true(page, "!document.querySelector('#waiting .alarmed')")
        report = await page.goto(f"{url}/reports/alarms")
        assert report is not None
        assert "AL1, raised 1 time: two chips <b>under</b> the felt" in await page.inner_text("main")
        assert "Ann" in await page.inner_text("main")
    assert faults == []
