"""Payout papers: next to the journal alone, held to its digests, and erased when they must be."""

import asyncio
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest

from jackpot.api.http_call import with_idempotency_key
from jackpot.api.operation import NotDone, OperationCall
from jackpot.api.papers import Papers
from jackpot.api.queries.payouts import ErasePapers, Pay
from jackpot.app import Server
from jackpot.auth import retention
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.auth.password_hashing import PasswordHashing
from jackpot.auth.person_admin import PersonAdmin
from jackpot.auth.retention import OrphanRows, erase_papers
from jackpot.bank.bank import BankStopped
from jackpot.config import Config
from jackpot.ledger.open import open_reader
from jackpot.ledger.store import CommitInDoubt
from jackpot.ledger.verify.side_tables import KeptRows, compare
from jackpot.reports.read.hits import done_with
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from jackpot.rules import registry
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.papers import PapersErased
from jackpot.rules.acts.requests import Confirm
from jackpot.text import RefusalSentence
from tests.auth.test_auth_service import ANN, BEN, QUICK
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINK, LINKS, StepClock, administer, configure, on_loop, table, until
from tests.said import problem

SEEN = {"dealer": "Dee Lear, 4411", "witness": "Will Ness", "surveillance": "cam 12, 02:14"}
WRITTEN: dict[str, Any] = {
    "document": "P-4711",
    "patron": "Pat Ron",
    "tax_form": "W-2G",
    "tax_number": "T-0815",
}
PAID = {"seat": 1, **WRITTEN}
NAMES = ("Dee Lear", "Will Ness", "Pat Ron", "T-0815")


def taxed(folder: Path, least: int = 200_000, **more: Any) -> Config:
    """A floor where a payment takes a tax form from so many cents on."""
    config = configure(folder)
    return msgspec.structs.replace(
        config, site=msgspec.structs.replace(config.site, tax_form_from=least, **more)
    )


def kept(config: Config) -> list[tuple[Any, ...]]:
    """Everything that lies next to the journal about payouts."""
    ledger = open_reader(config.ledger.url)
    try:
        return ledger.look_up("SELECT facts, made, mark FROM paper WHERE facts <> '' ORDER BY made, facts")
    finally:
        ledger.close()


async def payout(server: Server, config: Config, seat: int = 0) -> dict[str, Any]:
    """The lines of the payout form of a winner of H1, by name."""
    wanted = ReportRequest(config.site, ("main",), hit=1, seat=seat)
    found = await server.books.read(lambda ledger: REPORTS["payout"].find(ledger, wanted))
    return {fact.name: fact.value for fact in found.facts}


async def refused(config: Config, **request: Any) -> tuple[str, str]:
    answer = await administer(config, by="Ann", **request)
    assert not answer["ok"], answer
    return answer["code"], answer["message"].split(":")[0]


@on_loop
async def test_names_lie_next_to_the_journal_and_references_in_it(tmp_path: Path) -> None:
    """A10: the form is filled; the journal holds a digest, and no name; what is asked again is kept once."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", once="v", **SEEN))["ok"]
        assert await refused(config, do="pay", hit="H1") == ("bad_request", "document")
        assert await refused(config, do="pay", hit="H1", seat=1, document=" ") == ("bad_request", "document")
        assert await refused(config, do="pay", hit="H1", seat=1, document="P-1") == (
            "no_tax_form",
            "tax_form",
        )
        half = {name: PAID[name] for name in ("seat", "tax_form", "patron", "document")}
        assert await refused(config, do="pay", hit="H1", **half) == ("no_tax_form", "tax_number")
        assert await refused(config, do="pay", hit="H1", seat=1, document="P-1", patron="<b>" * 60) == (
            "bad_request",
            "patron",
        )
        assert len(kept(config)) == 1, "of what was refused nothing is kept"
        for _ in range(2):
            assert (await administer(config, do="pay", hit="H1", by="Ann", once="p", **PAID))["ok"]
        found = kept(config)
        assert [msgspec.json.decode(row[0]) for row in found] == [
            {"dealer": SEEN["dealer"], "witness": SEEN["witness"]},
            {"patron": PAID["patron"], "tax_number": PAID["tax_number"]},
        ]
        rows = await server._stores["main"].rows("main", 0, 100)
        bodies = b"".join(row.body for row in rows)
        assert not any(name.encode() in bodies for name in NAMES)
        assert all(mark in bodies for *_, mark in found)
        assert all(text.encode() in bodies for text in (SEEN["surveillance"], "P-4711", "W-2G"))
        form = await payout(server, config)
        printed = {"tax_number": "number of the tax form"}
        assert (
            form.items()
            >= {
                printed.get(name, name.replace("_", " ")): text
                for name, text in (SEEN | PAID).items()
                if name != "seat"
            }.items()
        )
        steps = (await administer(config, do="/hits/{hit}", hit="H1"))["steps"]
        assert steps[0]["facts"] == {name: PAID[name] for name in ("patron", "tax_form", "tax_number")}
        assert (steps[0]["document"], steps[1]["facts"]) == ("P-4711", SEEN)


@on_loop
async def test_what_the_site_wants_on_papers_is_there_before_a_payment(tmp_path: Path) -> None:
    """A10: a witness of the hit counts for all its winners, a patron for their own payment alone."""
    config = taxed(tmp_path, payout_needs=("witness", "patron"))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", dealer="Dee Lear"))["ok"]
        pay = {"do": "pay", "hit": "H1", "document": "P-1", "seat": 2}
        assert await refused(config, patron="Cy Ox", **pay) == ("no_paper", "witness")
        add = {"do": "add-papers", "hit": "H1", "reason": "left out", "by": "Ann", "witness": "Will Ness"}
        assert (await administer(config, seat=1, **add))["ok"]
        assert await refused(config, patron="Cy Ox", **pay) == ("no_paper", "witness"), "that of seat 1 alone"
        assert (await administer(config, **add))["ok"]
        assert await refused(config, **pay) == ("no_paper", "patron")
        assert (await administer(config, by="Ann", patron="Cy Ox", **pay))["ok"]
        assert await refused(config, **pay | {"seat": 1, "document": "P-2"}) == ("no_tax_form", "tax_form")
        taxed_ = {name: text for name, text in PAID.items() if name != "patron"}
        assert await refused(config, do="pay", hit="H1", **taxed_) == ("no_paper", "patron")
        assert (await administer(config, do="pay", hit="H1", by="Ann", **PAID))["ok"]
        forms = [await payout(server, config, seat) for seat in (1, 2)]
    assert [form["patron"] for form in forms] == ["Pat Ron", "Cy Ox"]
    assert [form["amount"] for form in forms] == [10_000_180_000, 1_000_000_000]
    assert [form["other winners"] for form in forms] == ["seat 2", "seat 1"]
    assert {form["witness"] for form in forms} == {"Will Ness"}


@on_loop
async def test_what_names_somebody_is_erased_by_an_act(tmp_path: Path) -> None:
    """S8: the journal says who had it done; a changed paper is believed nowhere; after its time one may."""
    config, clock = taxed(tmp_path, papers_kept_days=30), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        await server._stores["main"].change(("UPDATE paper SET facts = ?1", ('{"dealer": "Eve"}',)))
        assert (await payout(server, config))["dealer"] == "missing"
        await server._stores["main"].change(("UPDATE paper SET made = made - ?1", (30 * DAY_MS,)))
        pay = {"do": "pay", "hit": "H1", "by": "Ann", "once": "p", **PAID}
        assert (await administer(config, **pay))["ok"]
        assert ["patron" in msgspec.json.decode(row[0]) for row in kept(config)] == [False, True]
        assert (await administer(config, do="pay", hit="H1", seat=2, document="P-2", by="Ann"))["ok"]
        erase = {"do": "erase-papers", "hit": "H1", "reason": "asked for by the patron"}
        assert (await administer(config, by="Ann", **erase))["code"] == "two_people"
        assert len(kept(config)) == 2
        assert (await administer(config, by="Ann", and_by="Bo", **erase))["ok"]
        assert kept(config) == []
        assert (await administer(config, **pay))["ok"]
        assert kept(config) == [], "the same request keeps no name once more"
        form = await payout(server, config)
        assert (form["patron"], form["tax form"], form["document"]) == ("erased", "W-2G", "P-4711")
        done = await server.books.read(lambda ledger: done_with(ledger, "main", 1))
        assert (done[0].what, done[0].people) == ("erased", ("Ann", "Bo"))
        clock.stepped_s += 31 * DAY_MS / 1000
        assert (await administer(config, by="Ann", **erase))["ok"], "their time is over"


@on_loop
async def test_papers_go_by_age_once_nothing_of_their_hit_waits(tmp_path: Path) -> None:
    """A10, S8: what was seen of an unpaid hit stays, however long; then the newest papers count."""
    config, clock = taxed(tmp_path, papers_kept_days=30), StepClock()
    async with Server(config, clock) as server, table(server) as device:

        async def left_after(days: int) -> int:
            clock.stepped_s += days * DAY_MS / 1000
            await erase_papers(server.banks["main"], server.auth, 30)
            return len(kept(config))

        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        assert await left_after(31) == 1
        assert (await administer(config, do="pay", hit="H1", seat=9, by="Ann", **WRITTEN))["code"]
        assert (await administer(config, do="pay", hit="H1", by="Ann", **PAID))["ok"]
        assert await left_after(31) == 2, "the other winner waits"
        assert (
            await administer(config, do="pay", hit="H1", seat=2, by="Ann", **WRITTEN | {"document": "P-2"})
        )["ok"]
        assert [await left_after(days) for days in (29, 2)] == [3, 0]


@on_loop
async def test_papers_of_a_hit_long_settled_are_as_old_as_the_journal_says(tmp_path: Path) -> None:
    """A10, S8: the state has forgotten the hit; neither who asks nor the table of papers says their age."""
    config, clock = taxed(tmp_path, papers_kept_days=30), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        assert (await administer(config, do="pay", hit="H1", by="Ann", **PAID))["ok"]
        state, store = server.banks["main"].sequencer.engine.state, server._stores["main"]
        del state.hits[1]
        erase = {"do": "erase-papers", "hit": "H1", "reason": "asked for by the patron"}
        await store.change(("UPDATE paper SET made = made - ?1", (31 * DAY_MS,)))
        assert await refused(config, **erase) == ("two_people", "two different people must confirm this")
        assert await refused(config, written=1, **erase) == ("bad_request", "written")
        clock.stepped_s += 31 * DAY_MS / 1000
        assert (await administer(config, by="Ann", **erase))["ok"]
        rows = await store.rows("main", 0, 100)
        (erasure,) = [row for row in rows if row.kind == PapersErased.kind]
        erased: Any = registry.decode(erasure.kind, erasure.version, erasure.body)
        assert erased.written in {row.at for row in rows if row.seq < erasure.seq}


@on_loop
async def test_papers_of_no_payment_go_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: the server crashed between papers and act, though the site keeps papers for ever."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        await server.acts._papers.keep(Pay("H1", seat=1, **WRITTEN), b"d" * 16)
    assert len(kept(config)) == 2
    monkeypatch.setattr(retention, "LOOK_S", 0.05)
    async with Server(config):
        await until(lambda: len(kept(config)) == 1)
    assert "Dee Lear" in kept(config)[0][0]


async def lost(_work: object) -> NoReturn:
    """A reading of a ledger that does not answer."""
    raise CommitInDoubt("it does not answer")


@on_loop
async def test_papers_of_a_payment_on_its_way_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: what no entry has yet may get one until the next look, or the look after one that failed."""
    config, doubt = taxed(tmp_path), Pay("H1", seat=1, **WRITTEN)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        orphans = OrphanRows(server.people, server.auth)
        for digest in (b"d" * 16, b"e" * 16):
            await server.acts._papers.keep(doubt, digest)
        await orphans.drop()
        assert len(kept(config)) == 3
        with monkeypatch.context() as patched:
            patched.setattr(server.auth.books, "read", lost)
            with pytest.raises(CommitInDoubt):
                await orphans.drop()
        await orphans.drop()
        assert len(kept(config)) == 3, "nobody looked an hour ago"
        await server.acts.carry_out(OperationCall(doubt, ("Ann",), None, b"d" * 16))
        await orphans.drop()
        assert len(kept(config)) == 2
        assert (await payout(server, config, 1))["patron"] == "Pat Ron"
        await server.acts._papers.keep(doubt, b"f" * 16)
        for left in (3, 2, 2):
            await orphans.drop()
            assert len(kept(config)) == left
    with pytest.raises(BankStopped):
        await orphans.drop()


async def joined_floor(folder: Path, clock: StepClock) -> Config:
    """A site of one bank, into which two were joined; the first one's H1 was paid, each winner on papers."""

    def site(first: str, second: str) -> Config:
        links = f'{LINKS}bank = "{first}"\n{LINKS.replace(LINK, "second")}bank = "{second}"\n'
        return configure(folder, links=links)

    config = site("north", "south")
    async with Server(config, clock) as server, table(server) as device:
        await royal(device)
        acts: tuple[dict[str, Any], ...] = (
            {"do": "validate", "hit": "H1", **SEEN},
            {"do": "pay", "hit": "H1", **PAID},
            {"do": "pay", "hit": "H1", "seat": 2, "document": "P-2", "patron": "Cy Ox"},
            {"do": "suspend", "cause": "operator", "reason": "one room", "links": [LINK]},
            {
                "do": "suspend",
                "cause": "operator",
                "reason": "one room",
                "links": ["second"],
                "bank": "south",
            },
        )
        for act in acts:
            answer = await administer(config, by="Ann", **{"bank": "north"} | act)
            assert answer["ok"], answer
    one = ("bank", "join", "north", "south", "--into", "floor", "--reason", "one room", "--by", "Ann")
    code, _, error = await jackpot(*one, "--config", str(config.path))
    assert code == 0, error
    return site("floor", "floor")


@on_loop
async def test_papers_of_a_bank_that_became_part_of_another_go_by_age(tmp_path: Path) -> None:
    """A10: its papers are erased by the bank that goes on, though that one never made those hits."""
    clock = StepClock()
    config = await joined_floor(tmp_path, clock)
    async with Server(config, clock) as server:
        for days, left in ((29, 3), (2, 0)):
            clock.stepped_s += days * DAY_MS / 1000
            await erase_papers(server.banks["floor"], server.auth, 30)
            assert len(kept(config)) == left


@on_loop
async def test_what_was_added_after_a_join_keeps_the_papers_of_before(tmp_path: Path) -> None:
    """A10: a hit's papers go together, by the newest of them, whichever bank has it."""
    clock = StepClock()
    config = await joined_floor(tmp_path, clock)
    async with Server(config, clock) as server:
        clock.stepped_s += 29 * DAY_MS / 1000
        add = {"do": "add-papers", "hit": "H2", "reason": "left out", "by": "Ann", "witness": "Ed Wit"}
        assert (await administer(config, **add))["ok"]
        for days, left in ((2, 4), (29, 0)):
            clock.stepped_s += days * DAY_MS / 1000
            await erase_papers(server.banks["floor"], server.auth, 30)
            assert len(kept(config)) == left


@on_loop
async def test_a_hit_of_before_a_join_is_worked_through_as_any_other(tmp_path: Path) -> None:
    """A10: it has both numbers; it is corrected, and its papers are added to, shown and erased."""
    config = await joined_floor(tmp_path, StepClock())
    two = {"by": "Ann", "and_by": "Bo"}
    async with Server(config) as server:
        assert [hit["hit"] for hit in (await administer(config, do="/hits"))["hits"]] == ["H2"]
        hit = await administer(config, do="/hits/{hit}", hit="H2")
        assert hit["former"] == [{"bank": "north", "hit": "H1"}]
        assert hit["cards"]["own"]
        awards = {award["award"]: award for award in hit["awards"]}
        assert {name for step in hit["steps"] for name in step["awards"]} == awards.keys()
        old = await administer(config, do="/hits/{hit}", hit="H1", bank="north")
        assert problem(old)[2] == {"bank": "north", "into": "floor", "hit": "H1", "now": "H2"}
        award = next(award for award in awards.values() if award["seat"] == 1)
        fix = {"do": "correct", "amount": "12000.00", "reason": "misread", "document": "P-4711"}
        said = await administer(config, award="A1", **fix, **two)
        renumbered = {"award": "A1", "bank": "floor", "now": f"{award['award']} (north)"}
        assert problem(said) == ("no_such_award", "award_renumbered", renumbered)
        assert (await administer(config, award=award["award"], **fix, **two))["ok"]
        add = {"do": "add-papers", "hit": "H2", "reason": "left out", "by": "Ann", "witness": "Ed Wit"}
        assert (await administer(config, **add))["ok"]
        steps = (await administer(config, do="/hits/{hit}", hit="H2"))["steps"]
        assert [step["what"] for step in steps[:2]] == ["added", "corrected"]
        assert steps[1]["awards"] == [award["award"]]
        wanted = ReportRequest(config.site, ("floor",), hit=2, seat=1)
        form = await server.books.read(lambda ledger: REPORTS["payout"].find(ledger, wanted))
        facts = {fact.name: fact.value for fact in form.facts}
        assert facts["amount"] == 12_000_000_000
        assert (facts["witness"], facts["patron"]) == ("Will Ness; Ed Wit", "Pat Ron")
        assert "/ops/hits/floor/H2" in str(facts["page"]) or "H2 in bank floor" in str(facts["page"])
        shown = await jackpot("hits", "show", "H2", "--config", str(config.path))
        assert shown[1].startswith("H2 (H1 of north): ")
        journal = await administer(config, do="/journal", kind="corrected")
        assert "H2 (H1 of north)" in journal["entries"][0]["about"]
        assert f"{award['award']} (A1 of north)" in journal["entries"][0]["about"]
        erase = {"do": "erase-papers", "hit": "H2", "reason": "asked for by the patron"}
        assert (await administer(config, **erase, **two))["ok"]
        assert kept(config) == []
        banks = ("north", "south", "floor")
        known = KeptRows(known=True, days=365, at=server.auth.clock.unix_ms())
        looked = await server.books.read(lambda ledger: compare(ledger, banks, known))
        assert looked.problems == []


@on_loop
async def test_papers_of_a_payment_in_doubt_go_when_it_is_refused(tmp_path: Path) -> None:
    """A10: whether it was done was not known, so they stayed; once it is refused no entry has them."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        pay = Pay("H1", seat=1, **WRITTEN)
        doubt = OperationCall(pay, ("Ann",), None, b"d" * 16)
        mark = await server.acts._papers.keep(pay, doubt.digest)
        assert len(kept(config)) == 1
        with pytest.raises(NotDone) as refusal:
            await server.acts.carry_out(doubt)
        assert isinstance(refusal.value.message, RefusalSentence)
        assert refusal.value.message.template == "seat_has_nothing_validated"
        assert kept(config) == []
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        await server.acts.carry_out(doubt)
        assert [bytes(row[2]) == mark for row in kept(config)] == [False, False]


@on_loop
async def test_papers_are_erased_once_another_confirms_it(tmp_path: Path) -> None:
    """A10: what one admin asks for erases nothing; what another confirms does."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        assert (await administer(config, do="pay", hit="H1", by="Ann", **PAID))["ok"]
        assert (await administer(config, do="pay", hit="H1", seat=2, document="P-2", by="Ann"))["ok"]
        server.auth.hashing = PasswordHashing(QUICK)
        await PersonAdmin(server.auth).begin((ANN, BEN), "root")
        ann, ben = [(await server.auth.sign_in(one.login, one.secret)).person for one in (ANN, BEN)]

        async def ask(person: AuthenticatedPerson, act: ErasePapers | Confirm) -> Any:
            return await server.acts.carry_out(
                with_idempotency_key(OperationCall(act, (person,), "main"), person, repr(act))
            )

        asked = await ask(ann, ErasePapers("H1", "the patron asked"))
        assert (asked.asked, len(kept(config))) == (True, 2)
        await ask(ben, Confirm(asked.request))
        assert kept(config) == []


@on_loop
async def test_a_correction_is_asked_for_a_tax_form_by_the_sites_sum(tmp_path: Path) -> None:
    """A10: the sum is the configuration's; who asks cannot leave it out or name another."""
    config = taxed(tmp_path, 1_100_000)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        assert (await administer(config, do="pay", hit="H1", seat=1, document="P-1", by="Ann"))["ok"]
        fix = {"do": "correct", "award": "A1", "amount": "12000.00", "reason": "misread", "document": "W-1"}
        both = {"by": "Ann", "and_by": "Bo", **fix}
        assert await refused(config, and_by="Bo", **fix) == ("no_tax_form", "tax_form")
        assert await refused(config, and_by="Bo", tax_from=None, **fix) == ("bad_request", "tax_from")
        add = {"do": "add-papers", "hit": "H1", "reason": "paid on top", "seat": 1, "tax_form": "W-2G"}
        assert await refused(config, **add) == ("no_tax_form", "tax_number")
        assert (await administer(config, by="Ann", tax_number="T-0815", **add))["ok"]
        assert (await administer(config, **both))["ok"]
        steps = (await administer(config, do="/hits/{hit}", hit="H1"))["steps"]
        assert (steps[1]["facts"]["tax_form"], steps[1]["seat"]) == ("W-2G", 1)


@on_loop
async def test_a_patron_and_a_tax_form_are_one_winners(tmp_path: Path) -> None:
    """A10: without a seat they would stand on the forms of all; nothing of that is kept. Nor once the state
    has forgotten the hit: the ledger knows its winners.
    """
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        add = {"do": "add-papers", "hit": "H1", "reason": "left out"}
        form = {"tax_form": "W-2G", "tax_number": "T-0815"}
        for forgotten in (False, True):
            if forgotten:
                server.banks["main"].sequencer.engine.state.hits.clear()
            for own in (form, {"patron": "Pat Ron"}):
                assert await refused(config, **add | own) == ("several_winners", "seat")
                assert await refused(config, seat=4, **add | own) == ("no_such_award", "seat")
        assert kept(config) == []
        assert (await administer(config, by="Ann", seat=2, **add | form))["ok"]
        assert (await administer(config, by="Ann", witness="Will Ness", **add))["ok"]
        assert [(await payout(server, config, seat))["tax form"] for seat in (1, 2)] == ["", "W-2G"]


@on_loop
async def test_seats_that_name_the_same_patron_are_counted_together(tmp_path: Path) -> None:
    """T9, A10: one player had both boxes; so says who pays them, before or with the payment."""
    config = taxed(tmp_path, 1_050_000)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        add = {"do": "add-papers", "hit": "H1", "reason": "early", "by": "Ann", "seat": 2}
        assert (await administer(config, patron="Pat Ron", **add))["ok"]
        pay = {"do": "pay", "hit": "H1", "seat": 1, "document": "P-1"}
        assert await refused(config, patron="pat  ron", **pay) == ("no_tax_form", "tax_form")
        assert (await administer(config, by="Ann", patron="Cy Ox", **pay))["ok"], "another one"
        said = (await payout(server, config, 2))["counts for a tax form"]
        assert said == "this seat's sum, with that of seats that name the same patron"


@on_loop
async def test_a_payment_that_is_refused_when_sent_again_keeps_its_papers(tmp_path: Path) -> None:
    """A10: its answer is remembered no more, and the hit is paid; what an entry has is not thrown away."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        pay = {"do": "pay", "hit": "H1", "by": "Ann", "once": "p", **PAID}
        assert (await administer(config, **pay))["ok"]
        server.banks["main"].sequencer.engine.state.acts.clear()
        assert not (await administer(config, **pay))["ok"]
        assert (await payout(server, config))["patron"] == "Pat Ron"


@on_loop
async def test_a_payment_sent_twice_at_once_keeps_its_papers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10: one is refused, the other paid: what the refused one lets go is not what the journal names."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device, asyncio.TaskGroup() as group:
        await royal(device)
        pay = {"do": "pay", "hit": "H1", "by": "Ann", "once": "p", **PAID}
        drop, others = Papers.drop, list[asyncio.Task[bool]]()

        async def validated_and_paid() -> bool:
            seen = await administer(config, do="validate", hit="H1", by="Ann")
            return bool(seen["ok"] and (await administer(config, **pay))["ok"])

        async def late(papers: Papers, mark: bytes) -> None:
            """Gives the others all the time they need to come in between."""
            others.append(group.create_task(validated_and_paid()))
            await asyncio.wait(others, timeout=0.5)
            await drop(papers, mark)

        monkeypatch.setattr(Papers, "drop", late)
        assert not (await administer(config, **pay))["ok"], "nobody has validated it yet"
        assert await others[0]
        assert (await payout(server, config))["patron"] == "Pat Ron"
