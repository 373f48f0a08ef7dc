"""Slip and payout form say what was won, each copy on one page that can be signed."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
import segno
from msgspec.structs import replace

from jackpot.ledger.reading import Reader
from jackpot.reports.output import as_html
from jackpot.reports.papers import COPIES
from jackpot.reports.read.cards import cards_of
from jackpot.reports.read.names import JournalNames
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import Fact, ReportRequest
from jackpot.text import card, words
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import SITE, Season
from tests.reports.test_explain import hits_of
from tests.rules.floor import BANK
from tests.web.browser import chromium, needs_chromium, on_browser_loop

AT = 1_790_000_000_000
# Facts of the longest payout form.
MOST = 42
# One hit in so many has its papers looked at.
SAMPLE = 4


def test_a_slip_says_what_was_won(books: Reader, season: Season) -> None:
    """A8, T11: of every hit its own sum, who pays each award, and the row and hash that prove it."""
    tables = {table.number: table.terms.table for table in season.engine.state.tables}
    for number, hit in list(hits_of(season).items())[::SAMPLE]:
        slip = said(books, "slip", hit=number)
        own = [award for award in hit.awards if award.kind != "envy" and award.stands()]
        assert slip.facts["amount"] == sum(award.worth() for award in own)
        assert slip.facts["when"] == hit.at
        assert str(slip.facts["where"]).startswith(f"table {tables[hit.table]}, ")
        row = season.rows[hit.seq - 1]
        assert slip.facts["journal"] == f"row {row.seq}, {row.hash.hex(' ', 4)}"
        assert [(line["award"], line["paid_from"], line["status"]) for line in slip.rows] == [
            (f"A{award.number}", award.pays, award.status)
            for award in sorted(hit.awards, key=lambda award: award.kind == "envy")
        ]
        assert sum(line["amount"] for line in slip.rows) == sum(
            award.worth() for award in hit.awards if award.stands()
        )


@pytest.mark.parametrize("address", ["", "https://jackpot.example.com"])
def test_a_paper_leads_back_to_its_hit(books: Reader, season: Season, address: str) -> None:
    """Papers: the QR code holds the address of the hit's page, or its number without an address."""
    number = next(iter(hits_of(season)))
    site = replace(SITE, address=address)
    for name in ("slip", "payout"):
        found = REPORTS[name].find(books, ReportRequest(site, (BANK,), hit=number))
        (page,) = [str(fact.value) for fact in found.facts if fact.kind == "code"]
        known = f"{address}/ops/hits/{BANK}/H{number}"
        assert page == (known if address else f"H{number} in bank {BANK} of Riverside")
        drawn = segno.make(page, error="q").svg_inline(border=0, omitsize=True)
        assert drawn in "".join(as_html(REPORTS[name], found, site, AT))


def test_a_payout_form_has_the_cards_and_the_cycle(books: Reader, season: Season) -> None:
    """A10, L10: the cards as they were shown, or what was drawn, and in which cycle each level was won."""
    names, told, with_cycle = JournalNames(books, BANK), set(), 0
    for number, hit in list(hits_of(season).items())[::SAMPLE]:
        facts, cards = said(books, "payout", hit=number).facts, cards_of(books, names, hit)
        assert facts["cards"] == faces(cards.own)
        assert facts.get("board", "") == faces(cards.board)
        hand = f"ranked from {faces(cards.ranked)}" if cards.ranked else facts["hand"]
        assert facts["hand"] == (f"drawn by the server, {cards.drawn}" if cards.drawn else hand)
        told.add(str(facts["hand"]).split()[0])
        levels = {award.level for award in hit.awards if award.level}
        if len(levels) == 1 and not hit.awards[0].won[0] < hit.seq:
            assert str(facts["cycle"]).endswith(f" {hit.cycle}")
            with_cycle += 1
        assert (facts["validated"] is None) == (facts["validated by"] == "")
    assert told == {"ranked", "drawn", "named"}
    assert with_cycle > 15


def faces(cards: Iterable[str]) -> str:
    """Cards as they are printed."""
    return " ".join(map(card, cards))


def test_papers_speak_the_words_of_the_pages(books: Reader, season: Season) -> None:
    """A8, A10: a signed paper has no name of a program in it: hands, links and levels are in words."""
    names = JournalNames(books, BANK)
    titles = {terms.link: f"The {number} Jackpot" for number, terms in names.links.items()}
    called = {link: {"mega": "Royal"} for link in titles}
    levels = 0
    for number, hit in list(hits_of(season).items())[::SAMPLE]:
        slip = said(books, "slip", hit=number, titles=titles, levels=called)
        title = titles[names.link(hit.link)]
        assert slip.facts["won"] == f"{words(hit.hand)} on {title}"
        for line, award in zip(
            slip.rows, sorted(hit.awards, key=lambda one: one.kind == "envy"), strict=True
        ):
            assert line["what"][0].isupper()
            if award.level:
                name = names.level(award.link, award.level)
                level = "Royal" if name == "mega" else words(name)
                assert line["what"].startswith(f"{level} of {titles[names.link(award.link)]}, to ")
                levels += 1
    assert levels > 0


@pytest.fixture(scope="module")
def printed(season: Season, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The documents of the hit with the most awards, and a report of many columns, as files."""
    folder = tmp_path_factory.mktemp("printed")
    hits = hits_of(season)
    number = max(hits, key=lambda one: len(hits[one].awards))
    files = {}
    with closing(open_ledger(f"sqlite:///{folder}/ledger.db")) as ledger:
        season.write(ledger)
        for name in ("slip", "payout", "reconcile"):
            report = REPORTS[name]
            found = report.find(ledger, ReportRequest(SITE, ("main",), hit=number))
            files[name] = folder / f"{name}.html"
            files[name].write_text("".join(as_html(report, found, SITE, AT)))
            if name == "payout":
                # A payment in two ways of somebody under a treaty has the most lines that a form can have.
                again = report.find(ledger, ReportRequest(SITE, ("main",), hit=number))
                more = (Fact(f"line {line}", "as it was written") for line in range(MOST - len(again.facts)))
                most = again._replace(facts=[*again.facts, *more])
                files["payout of most lines"] = folder / "most.html"
                files["payout of most lines"].write_text("".join(as_html(report, most, SITE, AT)))
    return files


@needs_chromium
@on_browser_loop
async def test_each_copy_of_a_paper_prints_on_one_page(printed: dict[str, Path]) -> None:
    """A10, T11: a copy of a slip or a form is one page; nothing of a report is cut off at the right.

    On a phone's screen too, where a wide table scrolls by itself.
    """
    async with chromium() as browser:
        for name, path in printed.items():
            paper = await browser.new_page(viewport={"width": 964, "height": 740})
            await paper.goto(path.as_uri())
            await paper.emulate_media(media="print")
            wide = await paper.evaluate("document.documentElement.scrollWidth")
            pdf = await paper.pdf(prefer_css_page_size=True)
            pages = pdf.count(b"/Type /Page\n")
            assert wide <= 964, name
            await paper.emulate_media(media="screen")
            await paper.set_viewport_size({"width": 390, "height": 844})
            assert await paper.evaluate("document.documentElement.scrollWidth") <= 390, name
            assert pages == len(COPIES) or name == "reconcile", name


@pytest.mark.parametrize("name", ["slip", "payout"])
def test_a_paper_has_the_houses_logo_and_marks_each_copy(
    books: Reader, season: Season, tmp_path: Path, name: str
) -> None:
    """T11: the page loads nothing, so the logo is in it; nobody takes accounting's copy for the patron's."""
    (tmp_path / "logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    number, report = next(iter(hits_of(season))), REPORTS[name]
    found = report.find(books, ReportRequest(SITE, (BANK,), hit=number))
    rows = list(found.rows)

    def paper(logo: str) -> str:
        return "".join(as_html(report, found._replace(rows=iter(rows)), replace(SITE, logo=logo), AT))

    with_logo = paper(str(tmp_path / "logo.svg"))
    assert with_logo.count('<img class="logo" src="data:image/svg+xml;base64,') == len(COPIES)
    for copy in COPIES:
        assert with_logo.count(f'<b class="mark">{copy}</b>') == 1
    assert "<img" not in paper("")
    assert "<img" not in paper(str(tmp_path / "gone.svg")), "a payment waits for no picture"
