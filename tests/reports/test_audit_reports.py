"""The audit reports list refusals, acts of people and openings as the journal has them."""

from typing import Any

import msgspec

from jackpot.ledger.reading import Reader
from jackpot.reports.audit_reports import ACTS
from jackpot.reports.output import CellFormat
from jackpot.reports.read.people import nameless
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from jackpot.rules import registry
from jackpot.rules.acts import ACTS as REGISTERED
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.events import Refused, Voided
from jackpot.rules.phrases import english
from jackpot.text import name_sentence
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_join import NOW
from tests.ledger.people import Paper
from tests.ledger.play import Play
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.waiting import join
from tests.reports.asked import said
from tests.reports.season import SITE, Season

# What the season has a table told, and no decoder says: the complaint within it is of the decoder's words.
MADE_UP = {"bets: no list"}


def nobody(number: int) -> str:
    """Signer of an act in a ledger that keeps no name."""
    return nameless(number, erased=False, changed=False)


def decoded(season: Season) -> list[tuple[int, Any]]:
    return [(row.seq, registry.decode(row.kind, row.version, row.body)) for row in season.rows]


def test_every_refusal_is_listed(books: Reader, season: Season) -> None:
    """S8: each durable no, with its row, its table, its code and what it said."""
    lines = said(books, "refusals", first="2000-01-01").rows
    expected = [
        (seq, event.code, english(event.template, event.values))
        for seq, event in decoded(season)
        if isinstance(event, Refused)
    ]
    assert [(line["row"], line["code"], line["message"]) for line in lines] == expected
    tables = {row.seq: row.table for row in season.rows}
    names = {table.number: table.terms.table for table in season.engine.state.tables}
    assert all(line["to"] == f"table {names[tables[line['row']] or 0]}" for line in lines)
    assert any(line["hits"] for line in lines) == any(
        event.hits for _, event in decoded(season) if isinstance(event, Refused)
    )


def test_refusals_are_told_in_the_readers_language(books: Reader) -> None:
    """Reports: why a table was refused, and what it was told, are Spanish for who reads Spanish."""
    report = REPORTS["refusals"]
    shown = CellFormat(SITE, "es_MX")
    rows = list(report.find(books, ReportRequest(SITE, tuple(books.banks()), first="2000-01-01")).rows)
    cells = {column.name: (place, column.kind) for place, column in enumerate(report.columns)}
    for name in ("code", "message"):
        place, kind = cells[name]
        texts = {row[place] for row in rows} - MADE_UP
        assert len(texts) > 2
        assert {said for said in texts if shown.cell(kind, said) in (said, name_sentence(str(said)))} == set()


def test_every_act_of_people_is_in_the_access_log(books: Reader, season: Season) -> None:
    """S8: who stood for what, in the order of the journal, with the reason that they gave."""
    lines = {line["row"]: line for line in said(books, "access", first="2000-01-01").rows}
    expected = {
        seq: event for seq, event in decoded(season) if getattr(event, "people", None) and event.people.said()
    }
    assert list(lines) == list(expected)
    for seq, event in expected.items():
        line = lines[seq]
        assert line["who"] == " and ".join(event.people.said())
        assert (line["proved"], line["refused"]) == ("", "")
        assert line["what"] == registry.name_of(event.kind)
        assert line["reason"] == (getattr(event, "note", "") or getattr(event, "reason", ""))
        for letter, name in (("H", "hit"), ("A", "award")):
            if isinstance(getattr(event, name, None), int):
                assert f"{letter}{getattr(event, name)}" in line["about"].replace(",", "").split()
    assert {line["what"] for line in lines.values()} >= {"validated", "paid", "undone", "corrected", "struck"}


def test_an_act_that_people_may_ask_for_is_an_act_of_people() -> None:
    """S8: no act that people stand for is left out of the access log, whatever is added to the registry."""
    asked = {event.kind for act in REGISTERED if act.asked for event in act.applies}
    assert asked <= set(ACTS)
    assert Voided.kind in ACTS


def test_what_was_opened_and_changed_is_told(place: Place) -> None:
    """L9: each link with its terms, each table, and of a changed table what is new."""
    play = Play(5)
    play.act(OpenTable(msgspec.structs.replace(play.engine.state.tables[0].terms, seats=6, adjacent_boxes=1)))
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, play.rows)
    lines = said(ledger, "parameters").rows
    assert [line["what"] for line in lines] == ["bank_opened", *["link_opened"] * 2, *["table_opened"] * 4]
    assert lines[1]["terms"] == (
        "test-five at $1.00; Mega 9 % + 3 %, seed $10,000.00, reseed $10,000.00, limit $10,003.00; "
        "Major 7 % + 2 %, seed $500.00, reseed $500.00; Minor 3 % + 0 %, seed $50.00, reseed $50.00"
    )
    assert lines[-1]["name"] == "T01"
    assert lines[-1]["terms"] == "seats 7 -> 6, adjacent boxes 2 -> 1"


def test_an_end_and_a_joint_beginning_are_told(place: Place) -> None:
    """L9, M4: a bank that became part of another, and of what that one began."""
    ledger = place.open()
    two_banks(ledger)
    join(ledger, BANKS, "floor", "anna", "one room", NOW)
    lines = said(ledger, "parameters", banks=(*BANKS, "floor")).rows
    ends = [(line["bank"], line["terms"], line["who"]) for line in lines if line["what"] == "bank_closed"]
    assert ends == [(bank, "into floor: one room", "anna") for bank in BANKS]
    (begun,) = [line for line in lines if line["what"] == "bank_begun"]
    assert (begun["bank"], begun["terms"]) == ("floor", "of north and south")
    names = [line for line in said(ledger, "reconcile", banks=("floor",)).rows if line["level"] != "house"]
    assert {line["link"] for line in names} == {"five-north", "five-south"}


def test_people_who_signed_are_named_by_their_numbers(place: Place) -> None:
    """S8: what they proved it by, what was refused to them and why, and what waited for a second of them."""
    ledger = place.open()
    play, paper = Play(5).until(60), Paper()
    play.signed(paper)
    paper.everything()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, play.rows)
    ledger.new_epoch("site", "test")
    ledger.append("site", 1, 0, paper.rows)
    lines = said(ledger, "access", first="1990-01-01", banks=("main",)).rows
    signed = [line for line in lines if line["proved"]]
    assert {line["who"] for line in signed} >= {nobody(paper.floor), nobody(paper.cage)}
    (both,) = [line for line in signed if line["proved"] == "secret and secret"]
    assert (both["who"], both["what"]) == (f"{nobody(paper.floor)} and {nobody(paper.cage)}", "corrected")
    (no,) = [line for line in lines if line["refused"] == "no_such_hit"]
    assert "H999999" in no["about"]
    (refusal,) = [line for line in said(ledger, "refusals").rows if line["code"] == "no_such_hit"]
    assert refusal["to"] == nobody(paper.floor)
    lines = said(ledger, "access", banks=("site",)).rows
    assert [line["who"] for line in lines if line["what"] == "signed_in"] == [nobody(1)]
    assert {line["what"] for line in lines} >= {"people_begun", "person_added", "granted", "token_made"}
    alarms = [line["alarm"] for line in said(ledger, "alarms", banks=("site",)).rows]
    assert alarms == ["person_locked_out", "admin_recovered"]
