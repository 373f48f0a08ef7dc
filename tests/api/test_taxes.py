"""Payments by a country's tax law, from the request to the papers, the reports and what is erased."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from jackpot.app import Server
from jackpot.config import Config
from jackpot.config.tax import law_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.read import cash
from jackpot.reports.read.cash import DayCash
from jackpot.reports.read.entries import Entry
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from jackpot.reports.taxes import withheld_as
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Paid
from jackpot.rules.signing import People
from tests.api.test_papers import kept, payout, refused
from tests.net.test_admin_socket import royal
from tests.running_server import StepClock, administer, configure, on_loop, table

# The royal flush of seat 1 comes to 10,000.18 on a wager of 1.00: 24 % of 9,999.18 are 2,399.8032.
WITHHELD = "2399.80"
PATRON = {"patron": "Pat Ron", "identification": "passport X123", "taxpayer_number": "123-45-6789"}
WAY = {"way": "cheque", "way_number": "CHQ-9"}
FORM = {"tax_number": "T-0815", "withheld": WITHHELD, "document": "P-1"}
PAY = {"do": "pay", "hit": "H1", "seat": 1, **PATRON, **WAY, **FORM}


def taxed(folder: Path, **more: Any) -> Config:
    """A floor in the United States."""
    config = configure(folder)
    return msgspec.structs.replace(
        config, site=msgspec.structs.replace(config.site, tax=law_of("us"), **more)
    )


async def validated(config: Config, device: Any) -> None:
    await royal(device)
    assert (await administer(config, do="validate", hit="H1", by="Ann", dealer="Dee Lear"))["ok"]


async def taxes(server: Server, config: Config) -> list[dict[str, Any]]:
    """The rows of the report of taxes, by column."""
    report = REPORTS["taxes"]
    wanted = ReportRequest(config.site, ("main",))

    def rows(ledger: Any) -> list[dict[str, Any]]:
        names = [column.name for column in report.columns]
        return [dict(zip(names, row, strict=True)) for row in report.find(ledger, wanted).rows]

    return await server.books.read(rows)


@on_loop
async def test_a_large_win_is_paid_as_the_law_has_it(tmp_path: Path) -> None:
    """A10: at no other setting than the country, a jackpot wants patron, form and what is withheld."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        found = await administer(config, do="/hits/{hit}", hit="H1")
        own, envy = found["taxes"]
        assert (own["seat"], own["winnings"], own["wager"], own["form"]) == (1, "10000.18", "1.00", "W-2G")
        assert [(one["payee"], one["form"], one["withheld"], one["left"]) for one in own["withholdings"]] == [
            ("numbered", "W-2G", "2399.80", "7600.38"),
            ("unnumbered", "W-2G", "2399.80", "7600.38"),
            ("nonresident", "1042-S", "3000.05", "7000.13"),
        ]
        assert (envy["form"], [one["withheld"] for one in envy["withholdings"]]) == (
            "",
            ["0.00", "0.00", "300.00"],
        )
        plain = {"do": "pay", "hit": "H1", "seat": 1, "document": "P-1"}
        assert await refused(config, **plain) == ("no_tax_form", "tax_number")
        assert await refused(config, **{**PAY, "withheld": "2399.00"}) == ("withheld_differs", "withheld")
        assert await refused(config, **{**PAY, "way": "barter"}) == ("bad_request", "way")
        assert await refused(config, **{**PAY, "treaty_rate": "31x"}) == ("bad_request", "treaty_rate")
        assert (await administer(config, by="Ann", **PAY))["ok"]
        assert (await administer(config, do="/hits/{hit}", hit="H1"))["steps"][0]["facts"] == {
            "tax_form": "W-2G", "tax_number": "T-0815", "withheld": WITHHELD, **PATRON, **WAY,
        }  # fmt: skip
        form = await payout(server, config, 1)
        assert form.items() >= {
            "form by law": "W-2G is due", "withheld": 2_399_800_000, "paid out": 7_600_380_000,
            "winnings of the wager": 10_000_180_000, "wager": 1_000_000, "rate withheld": "24 %",
            "identification": "passport X123", "taxpayer number": "123-45-6789",
            "way": "cheque", "number of the slip, cheque or account": "CHQ-9",
        }.items()  # fmt: skip
        assert form["hit"] == "H1 in bank main, paid", "of this winner, while the hit has another to pay"
        other = await payout(server, config, 2)
        assert other["hit"] == "H1 in bank main, validated"
        assert other["withheld"] == "", "a line for the pen"
        (row,) = await taxes(server, config)
        assert (row["hit"], row["seat"], row["form"], row["withheld"]) == ("H1", 1, "W-2G", 2_399_800_000)
        assert (row["cash_of_day"], row["withheld_as"]) == (None, "regular")
        for column in REPORTS["taxes"].columns:
            told = str if column.kind in ("text", "word", "figure") else int
            assert row[column.name] is None or isinstance(row[column.name], told), column.name


@on_loop
async def test_what_names_the_patron_lies_next_to_the_journal_and_is_erased(tmp_path: Path) -> None:
    """A10, S8: number, identification and account are in no row; the sums are, and `verify` reads no law."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        assert (await administer(config, by="Ann", **PAY))["ok"]
        rows = await server._stores["main"].rows("main", 0, 100)
        bodies = b"".join(row.body for row in rows)
        for text in (*PATRON.values(), "CHQ-9", "T-0815"):
            assert text.encode() not in bodies
        assert (await administer(config, do="pay", hit="H1", seat=2, document="P-2", by="Ann"))["ok"]
        assert len(kept(config)) == 2
        erase = {"do": "erase-papers", "hit": "H1", "reason": "asked for", "by": "Ann", "and_by": "Bo"}
        assert (await administer(config, **erase))["ok"]
        assert kept(config) == []
        assert (await payout(server, config, 1))["withheld"] == 2_399_800_000
    ledger = open_reader(config.ledger.url)
    try:
        assert [problem for bank in ledger.banks() for problem in verify(ledger, bank).problems] == []
    finally:
        ledger.close()


@on_loop
async def test_somebody_of_another_country_has_their_treatys_rate(tmp_path: Path) -> None:
    """A10: the server names the form, and what claims the treaty, where only one can be meant."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        pay = {**PAY, "nonresident": True, "treaty_rate": "10", "withheld": "1000.02"}
        assert await refused(config, **{**pay, "treaty_rate": ""}) == ("withheld_differs", "withheld")
        assert (await administer(config, by="Ann", **pay))["ok"]
        facts = (await administer(config, do="/hits/{hit}", hit="H1"))["steps"][0]["facts"]
        assert facts["tax_form"] == "1042-S"
        assert (facts["treaty_rate"], facts["treaty_form"], facts["withheld"]) == (
            "10 %",
            "W-8BEN",
            "1000.02",
        )
        assert (await payout(server, config, 1))["rate withheld"] == "10 %"
        assert (await taxes(server, config))[0]["withheld_as"] == "not a resident"


@pytest.mark.parametrize(
    ("form", "winnings", "returned", "withheld", "told"),
    [
        ("W-2G", 500_500, 0, 120_000, "backup"),
        ("W-2G", 500_501, 0, 120_000, "regular"),
        ("W-2G", 500_001, 500, 120_000, "regular"),
        ("W-2G", 500_500, 0, 0, ""),
        ("1042-S", 500_501, 0, 150_150, "not a resident"),
    ],
)
def test_backup_withholding_is_told_from_the_regular_one(
    form: str, winnings: int, returned: int, withheld: int, told: str
) -> None:
    """A10: 26 U.S.C. 3402(q) withholds from proceeds above $5,000, 3406 from others; 5.00 were wagered."""
    terms = law_of("us").terms(2026)
    paid = Paid(
        1, [1], People(), tax=terms, form=form, wager=500, winnings=winnings, paid=winnings, withheld=withheld
    )
    assert withheld_as(paid, returned) == told


@on_loop
async def test_the_cash_of_one_patron_is_added_up_over_a_gaming_day(tmp_path: Path) -> None:
    """A10: by name, however it is written; yesterday's cash counts no more. The notice names nobody."""
    clock = StepClock()
    config = taxed(tmp_path)
    async with Server(config, clock=clock) as server, table(server) as device:
        await validated(config, device)
        in_cash = {"way": "cash", "way_number": "S-1"}
        assert (await administer(config, by="Ann", **{**PAY, **in_cash}))["ok"]
        state = server.banks["main"].sequencer.engine.state
        assert not state.alarms, "7,600.38 in cash"
        await _wins_again(config, device, 3, "H2")
        (alarm,) = state.alarms.values()
        assert (alarm.kind, alarm.place, alarm.times) == ("currency_report", "hit H2", 1)
        assert "Pat" not in str(alarm.what)
        first, last = await taxes(server, config)
        assert (first["cash_of_day"], last["cash_of_day"]) == (None, 15_200_760_000)
        assert last["winnings"] == 10_000_180_000, "cash adds nothing to a form"
        clock.stepped_s += 2 * DAY_MS / 1000
        await _wins_again(config, device, 5, "H3")
        assert [alarm.place for alarm in state.alarms.values()] == ["hit H2"], "it is another gaming day"


@on_loop
async def test_a_payment_part_in_cash_counts_as_cash_for_that_part(tmp_path: Path) -> None:
    """A10: 3,600.38 of 7,600.38 are handed out in cash. Papers have each part with its sum and its number."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        other = {"other_way": "cash", "other_number": "SLIP-7", "other_sum": "3600.38"}
        assert await refused(config, **PAY, **{**other, "other_sum": "0.00"}) == ("no_paper", "other_sum")
        assert await refused(config, **PAY, **{**other, "other_sum": "7600.38"}) == (
            "bad_request",
            "other_sum",
        )
        assert (await administer(config, by="Ann", **PAY, **other))["ok"]
        facts = (await administer(config, do="/hits/{hit}", hit="H1"))["steps"][0]["facts"]
        assert facts == {
            "tax_form": "W-2G",
            "tax_number": "T-0815",
            "withheld": WITHHELD,
            **PATRON,
            **WAY,
            **other,
        }
        given = {"given in cash": 3_600_380_000, "given by cheque": 4_000_000_000}
        form = await payout(server, config, 1)
        assert form.items() >= {
            **given, "paid out": 7_600_380_000, "way": "cheque; cash",
            "number of the slip, cheque or account": "CHQ-9; SLIP-7",
        }.items()  # fmt: skip
        slip = await server.books.read(
            lambda ledger: REPORTS["slip"].find(ledger, ReportRequest(config.site, ("main",), hit=1))
        )
        assert {fact.name: fact.value for fact in slip.facts}.items() >= given.items()
        entries = await server._stores["main"].rows("main", 0, 100)
        assert b"SLIP-7" not in b"".join(row.body for row in entries), "it lies next to the journal"
        state = server.banks["main"].sequencer.engine.state
        # With 6,399.62 in cash on top of the 3,600.38 it is 10,000.00; a cent more is to be reported.
        await royal(device, 3, "R3")
        assert (await administer(config, do="validate", hit="H2", by="Ann"))["ok"]
        rest = {**PAY, "hit": "H2", "document": "P-2", "way": "cash", "way_number": "SLIP-8"}
        part = {"other_way": "account", "other_number": "44", "other_sum": "1200.76"}
        assert (await administer(config, by="Ann", **rest, **part))["ok"], "6,399.62 in cash"
        assert not state.alarms, "10,000.00 are not more than 10,000.00"
        await royal(device, 5, "R5")
        assert (await administer(config, do="validate", hit="H3", by="Ann"))["ok"]
        cent = {"other_way": "cash", "other_number": "SLIP-9", "other_sum": "0.01"}
        assert (await administer(config, by="Ann", **{**PAY, "hit": "H3", "document": "P-3"}, **cent))["ok"]
        assert [(one.kind, one.place) for one in state.alarms.values()] == [("currency_report", "hit H3")]
        rows = await taxes(server, config)
        assert [row["cash_of_day"] for row in rows] == [None, None, 10_000_010_000]
        assert [(row["way"], row["other_way"], row["other_sum"]) for row in rows] == [
            ("cheque", "cash", 3_600_380_000),
            ("cash", "account", 1_200_760_000),
            ("cheque", "cash", 10_000),
        ]
    ledger = open_reader(config.ledger.url)
    try:
        assert [problem for bank in ledger.banks() for problem in verify(ledger, bank).problems] == []
    finally:
        ledger.close()


@on_loop
async def test_a_clock_that_was_set_back_hides_no_cash_of_the_day(tmp_path: Path) -> None:
    """A10: an entry of the day before, between two of a day, ends neither the day nor what is added up."""
    clock = StepClock()
    config = taxed(tmp_path)
    async with Server(config, clock=clock) as server, table(server) as device:
        await validated(config, device)
        assert (await administer(config, by="Ann", **{**PAY, "way": "cash", "way_number": "S-1"}))["ok"]
        clock.stepped_s -= DAY_MS / 1000
        await _wins_again(config, device, 3, "H2", "Ed Wit")
        clock.stepped_s += DAY_MS / 1000
        state = server.banks["main"].sequencer.engine.state
        assert not state.alarms
        await _wins_again(config, device, 5, "H3")
        assert [(one.kind, one.place) for one in state.alarms.values()] == [("currency_report", "hit H3")]


@on_loop
async def test_a_payment_in_cash_reads_the_history_of_its_own_patron_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10: of a day with thousands of payments in cash those to others are told apart by few statements."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        assert (await administer(config, by="Ann", **{**PAY, "way": "cash", "way_number": "S-1"}))["ok"]
        for number, patron in ((2, "Ed Wit"), (3, "Flo Ra"), (4, "Gus To")):
            await _wins_again(config, device, 2 * number - 1, f"H{number}", patron)
        looked: list[int] = []
        exact = cash._patrons

        def counted(ledger: Reader, bank: str, hit: int, seats: Any) -> frozenset[str]:
            looked.append(hit)
            return exact(ledger, bank, hit, seats)

        monkeypatch.setattr(cash, "_patrons", counted)
        today = gaming_day(server.clock.unix_ms(), config.site)
        for patron, hits in (("PAT ron", [1]), ("flo ra", [3]), ("nobody", [])):
            looked.clear()
            found = await server.books.read(
                partial(cash.cash_of_day, site=config.site, patron=patron, day=today)
            )
            assert (looked, found.total) == (hits, 760_038 * len(hits))


async def _wins_again(config: Config, device: Any, seq: int, hit: str, patron: str = " pat  RON") -> None:
    """The next royal flush is paid to the same patron, or to this one, in cash."""
    await royal(device, seq, f"R{seq}")
    assert (await administer(config, do="validate", hit=hit, by="Ann"))["ok"]
    paid = {**PAY, "hit": hit, "document": hit, "way": "cash", "patron": patron}
    assert (await administer(config, by="Ann", **paid))["ok"]


@on_loop
async def test_a_payment_sent_again_with_another_sum_pays_nothing_and_tells_nobody_s_number(
    tmp_path: Path,
) -> None:
    """A10, S5: one key is one payment; number, passport and account are in no log, answer or refusal."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        with capture_logs() as logs:
            for wrong in ({"withheld": "2399.79"}, {"tax_form": "1042-S"}, {"way": ""}, {"withheld": "x1"}):
                answer = await administer(config, by="Ann", **{**PAY, **wrong})
                assert not answer["ok"]
                assert not {*PATRON.values(), "CHQ-9", "T-0815"} & set(str(answer).split("'"))
            for field in ("patron", "identification", "taxpayer_number", "way_number", "tax_number"):
                long = await administer(config, by="Ann", **{**PAY, field: "123-45-6789 " * 20})
                assert not long["ok"]
                assert "123-45-6789" not in str(long)
                assert not (await administer(config, by="Ann", **{**PAY, field: "   "}))["ok"]
            first = await administer(config, by="Ann", once="k1", **PAY)
            assert first["ok"]
            again = await administer(config, by="Ann", once="k1", **{**PAY, "withheld": "0.00"})
            assert not again["ok"], again
            same = await administer(config, by="Ann", once="k1", **PAY)
            assert same == first
        for text in (*PATRON.values(), "CHQ-9", "T-0815", "Pat Ron"):
            assert text not in str(logs)
        acts = server.banks["main"].sequencer.engine.state.acts
        assert all(text not in str(acts) for text in (*PATRON.values(), "CHQ-9", "T-0815"))
        (row,) = await taxes(server, config)
        assert row["withheld"] == 2_399_800_000


@on_loop
async def test_cash_that_two_banks_pay_at_once_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10: a payment that could not see the other one is noticed once both stand in the ledger, and once."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        assert (await administer(config, by="Ann", **{**PAY, "way": "cash", "way_number": "S-1"}))["ok"]
        state = server.banks["main"].sequencer.engine.state
        monkeypatch.setattr("jackpot.api.executor.cash_of_day", lambda *_: DayCash(0, 0))
        await _wins_again(config, device, 3, "H2")
        (alarm,) = state.alarms.values()
        assert (alarm.kind, alarm.place, alarm.times) == ("currency_report", "hit H2", 1)
        assert [row["cash_of_day"] for row in await taxes(server, config)] == [None, None, 15_200_760_000]
        read: list[str] = []
        each = cash._down_to

        def counted(ledger: Reader, bank: str, kind: int, day: str) -> Iterator[Entry]:
            read.append(bank)
            return each(ledger, bank, kind, day)

        monkeypatch.setattr(cash, "_down_to", counted)
        await server.effects.repeat(server.banks["main"])
        assert [alarm.times for alarm in state.alarms.values()] == [1]
        assert read.count("main") == 3, "a start reads the day once, however many hits were paid on it"


@on_loop
async def test_a_patron_who_is_named_after_a_payment_in_cash_counts(tmp_path: Path) -> None:
    """A10: where the site wants no name at the payment, one that is added later raises the notice."""
    config = taxed(tmp_path, payout_needs=("way",))
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        state = server.banks["main"].sequencer.engine.state
        unnamed = {name: text for name, text in PAY.items() if name not in PATRON} | {"way": "cash"}
        assert (await administer(config, by="Ann", **unnamed))["ok"]
        await royal(device, 3, "R3")
        assert (await administer(config, do="validate", hit="H2", by="Ann"))["ok"]
        assert (await administer(config, by="Ann", **{**unnamed, "hit": "H2"}))["ok"]
        named = {"do": "add-papers", "seat": 1, "patron": "Pat Ron", "reason": "known now", "by": "Ann"}
        assert (await administer(config, hit="H1", **named))["ok"]
        assert not state.alarms, "7,600.38 in cash"
        assert (await administer(config, hit="H2", **named))["ok"]
        (alarm,) = state.alarms.values()
        assert (alarm.kind, alarm.place) == ("currency_report", "hit H2")
    ledger = open_reader(config.ledger.url)
    try:
        assert [problem for bank in ledger.banks() for problem in verify(ledger, bank).problems] == []
    finally:
        ledger.close()


@on_loop
async def test_a_treaty_without_a_taxpayer_number_is_refused(tmp_path: Path) -> None:
    """A10: who gives no number claims no treaty (26 CFR 1.1441-6(b)(1)); the whole rate takes none."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        pay = {name: text for name, text in PAY.items() if name != "taxpayer_number"} | {"nonresident": True}
        treaty = {**pay, "treaty_rate": "10", "withheld": "1000.02"}
        assert await refused(config, **treaty) == ("no_paper", "taxpayer_number")
        assert (await administer(config, by="Ann", **{**pay, "withheld": "3000.05"}))["ok"]
        (row,) = await taxes(server, config)
        assert (row["form"], row["withheld"]) == ("1042-S", 3_000_050_000)


@on_loop
async def test_cash_on_top_of_a_payment_counts_in_the_day(tmp_path: Path) -> None:
    """A10: 9,999.99 in cash, a correction's part with it, are not reported; some cents on top are."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await validated(config, device)
        in_cash = {"way": "cash", "way_number": "S-1"}
        assert (await administer(config, by="Ann", **{**PAY, **in_cash}))["ok"]
        state = server.banks["main"].sequencer.engine.state
        fields = {"act": "correct", "award": "A1", "amount": "13157.57", "document": "V-1", "way": "cash"}
        seen = await administer(config, do="/preview/{act}", hit="H1", **fields)
        assert seen["on_top"] == {
            "amount": "3157.39", "form": "W-2G", "withheld": "757.78", "left": "2399.61"
        }  # fmt: skip
        two = {"by": "Ann", "and_by": "Bo", "reason": "misread", "way": "cash"}
        # 24 % of 13,157.57 less the wager of 1.00 are 3,157.58.
        fix = {"do": "correct", "award": "A1", "amount": "13157.57", "document": "V-1", **two}
        assert (await administer(config, **fix))["ok"]
        given = [row["amount"] - row["withheld"] for row in await taxes(server, config)]
        assert (sum(given), len(state.alarms)) == (9_999_990_000, 0)
        more = {**fix, "amount": "13157.60", "document": "V-2"}
        assert (await administer(config, **more))["ok"]
        given = [row["amount"] - row["withheld"] for row in await taxes(server, config)]
        assert sum(given) > 10_000_000_000
        assert [alarm.kind for alarm in state.alarms.values()] == ["currency_report"]
