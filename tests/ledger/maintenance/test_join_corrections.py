"""Awards that were paid before banks were joined are corrected afterwards as any other paid award (A10)."""

from typing import Any, Final

import pytest

from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.read.hits import page, story_of
from jackpot.reports.report import ReportRefused
from jackpot.rules import commands as c
from jackpot.rules import views
from jackpot.rules.acts import banks
from jackpot.rules.acts.banks import BeginBank, handed_on
from jackpot.rules.acts.hits import Correct, Undo
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.papers import AddPapers
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.money import from_cents
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.state import Award, Hit
from tests.frames import Claim
from tests.ledger.conftest import Place
from tests.ledger.resting import BANKS, ROYAL, Bank, Resumed
from tests.ledger.waiting import Ledger, join
from tests.reports.asked import said

NOW: Final = 1_800_000_000_000
TWO: Final = ("anna", "bert")
FULL_HOUSE: Final = ((Claim(1, ("Ks", "Kh", "Kd")),), ("2c", "2d"))
FLUSH: Final = ((Claim(1, ("2s", "5s", "9s")),), ("Js", "Ks"))
QUADS: Final = ((Claim(1, ("9s", "9h", "9d")),), ("9c", "2d"))
# Another seat with a wager is paid envy for it.
ENVIED: Final = ((Claim(3, ("2d", "5h", "9d")), ROYAL), ("Js", "Ts"))


@pytest.fixture
def ledger(place: Place) -> Ledger:
    """An empty ledger of each kind."""
    return place.open()


def played(ledger: Ledger) -> tuple[Bank, Bank]:
    """Two banks at rest, in which hits of the same numbers were paid; south has one of each kind."""
    north, south = (Bank(ledger, name) for name in BANKS)
    for bank in (north, south):
        bank.play(5)
        bank.paid("envied", *ENVIED)
        bank.play(2)
        bank.paid("full", *FULL_HOUSE)
        bank.paid("flush", *FLUSH)
    south.paid("quads", *QUADS)
    south.paid("full-again", *FULL_HOUSE)
    for bank in (north, south):
        bank.rest()
    return north, south


def joined(ledger: Ledger, *names: str, into: str = "floor") -> Resumed:
    join(ledger, names or BANKS, into, "anna", "one control room", NOW)
    return Resumed(ledger, into)


def now(engine: Engine, bank: str, letter: str, number: int) -> str:
    """What a hit or award of a bank is called here."""
    part = next(part for part in engine.state.parts if part.bank == bank)
    return f"{letter}{number + (part.hits if letter == 'H' else part.awards).moved}"


def link_of(engine: Engine, name: str) -> dict[str, Any]:
    """The figures of a link, but for numbers, which are the bank's."""
    link: dict[str, Any] = next(link for link in views.statistics(engine)["links"] if link["link"] == name)
    levels = [
        level | {"last_hits": [hit | {"hit": ""} for hit in level["last_hits"]]} for level in link["levels"]
    ]
    return link | {"number": 0, "levels": levels}


def settled(engine: Engine) -> list[Award]:
    return [award for hit in engine.state.paid.values() for award in hit.awards]


def alone(engine: Engine, act: c.ActCommand) -> ActAnswer:
    """What a bank that was never joined answers."""
    return engine.execute(Envelope(act, NOW, 0, b"x" * 16, people=TWO)).of_act()


@pytest.mark.parametrize("more", [-7, 1, 123_456])
@pytest.mark.parametrize("number", range(1, 7))
def test_a_correction_moves_what_it_would_have_moved_without_the_join(
    ledger: Ledger, number: int, more: int
) -> None:
    """A10, M4: of every kind of award, up and down; a meter gives less once it was reseeded."""
    north, south = played(ledger)
    before = link_of(north.engine, north.link)
    reference = Engine.from_snapshot(south.engine.snapshot())
    hits = {**south.engine.state.hits, **south.engine.state.paid}
    award = next(award for hit in hits.values() for award in hit.awards if award.number == number)
    cents = max(0, award.amount // from_cents(1) + more)
    done = alone(reference, Correct(f"A{number}", cents, "misread", "W-9"))
    assert done.ok, done
    floor = joined(ledger)
    act = Correct(now(floor.engine, "south", "A", number), cents, "misread", "W-9")
    answer = floor.act(act, TWO).of_act()
    assert answer.ok, answer
    assert link_of(floor.engine, south.link) == link_of(reference, south.link)
    assert link_of(floor.engine, north.link) == before
    corrected = next(one for one in settled(floor.engine) if f"A{one.number}" == act.award)
    assert (corrected.amount, corrected.worth()) == (award.amount, from_cents(cents))
    for bank in (*BANKS, "floor"):
        assert verify(ledger, bank).problems == ()
    assert rebuild(ledger, "floor")[0].snapshot() == floor.engine.snapshot()


def test_after_two_joins_it_is_still_the_same_award(ledger: Ledger) -> None:
    """A10, L8: an award has another number in each bank; the meter gives what it would have given."""
    _, south = played(ledger)
    reference = Engine.from_snapshot(south.engine.snapshot())
    west = Bank(ledger, "west")
    west.play(2)
    west.paid("flush", *FLUSH)
    west.rest()
    floor = joined(ledger)
    first = Correct(now(floor.engine, "south", "A", 6), 600, "misread", "W-9")
    assert floor.act(first, TWO).of_act().ok
    assert alone(reference, Correct("A6", 600, "misread", "W-9")).ok
    house = joined(ledger, "west", "floor", into="house")
    assert [part.bank for part in house.engine.state.parts] == ["west", "floor", "north", "south"]
    second = Correct(now(house.engine, "south", "A", 6), 5_000, "misread again", "W-9")
    assert second.award == now(house.engine, "floor", "A", int(first.award[1:]))
    assert house.act(second, TWO).of_act().ok
    answer = reference.execute(
        Envelope(Correct("A6", 5_000, "misread again", "W-9"), NOW, 0, b"y" * 16, people=TWO)
    )
    assert answer.of_act().ok
    assert link_of(house.engine, south.link) == link_of(reference, south.link)
    old = house.act(Correct("A1", 5, "misread", "W-9"), TWO).of_act()
    for bank in ("west", "north", "south"):
        assert f"{now(house.engine, bank, 'A', 1)} ({bank})" in old.message
    story = story_of(ledger, "house", int(now(house.engine, "south", "H", 5)[1:]))
    assert story is not None
    assert (story.bank, story.hit.number) == ("south", 5)
    assert [(step.bank, step.what) for step in story.steps[6]] == [
        ("south", "validated"), ("south", "paid"), ("floor", "corrected"), ("house", "corrected"),
    ]  # fmt: skip
    assert story.hit.awards[0].worth() == from_cents(5_000)
    for bank in ("west", *BANKS, "floor", "house"):
        assert verify(ledger, bank).problems == ()


def test_the_pages_have_every_hit_by_its_number_of_today(ledger: Ledger) -> None:
    """S1, A10: the newest number first, page by page, each with the sums that stand."""
    north, south = played(ledger)
    floor = joined(ledger)
    act = Correct(now(floor.engine, "south", "A", 1), 7, "misread", "W-9")
    assert floor.act(act, TWO).of_act().ok
    found, before = [], None
    for _ in range(20):
        listed = page(ledger, "floor", before, 3)
        found += listed.hits
        before = listed.before
        if before is None:
            break
    state = floor.engine.state
    assert [hit.number for hit in found] == list(range(state.next_hit - 1, state.first_hit - 1, -1))
    for hit in found:
        theirs = state.paid[hit.number]
        assert [(one.number, one.status, one.worth()) for one in hit.awards] == [
            (one.number, one.status, one.worth()) for one in theirs.awards
        ]
        assert (hit.table, hit.link) == (theirs.table, theirs.link)
    assert len(found) == north.engine.state.next_hit - 1 + south.engine.state.next_hit - 1


def test_the_last_settled_hits_of_both_are_kept(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: the last ones by when they were won, whichever bank made them."""
    north, south = played(ledger)
    monkeypatch.setattr(banks, "PAID_KEPT", 3)
    parts = handed_on(north.engine.state), handed_on(south.engine.state)
    assert [len(part.paid) for part in parts] == [3, 3]
    engine = Engine("floor")
    heads = tuple((part.bank, 1, bytes(32)) for part in parts)
    assert alone(engine, BeginBank(heads, parts)).ok
    kept = list(engine.state.paid.values())
    assert [hit.at for hit in kept] == sorted(hit.at for part in parts for hit in part.paid)[-3:]


def test_papers_go_on_with_the_hit(ledger: Ledger) -> None:
    """A8, A10: what is on them counts for a correction: another winner's form, and a tax form."""
    played(ledger)
    floor = joined(ledger)
    number = next(award.number for award in settled(floor.engine) if award.kind == "envy")
    hit = next(
        hit for hit in floor.engine.state.paid.values() if number in [one.number for one in hit.awards]
    )
    others = hit.sheets[next(seat for seat in hit.sheets if seat not in (0, award_of(hit, number).seat))]
    taken = Correct(f"A{number}", 100_001, "misread", others.documents[0])
    assert floor.act(taken, TWO).of_act().code == "document_used"
    taxed = Correct(f"A{number}", 250_000, "misread", "W-9", tax_from=120_000)
    assert floor.act(taxed, TWO).of_act().code == "no_tax_form"
    papers = AddPapers(
        f"H{hit.number}", "left out", tax_form="W-2G", paper=bytes(32), seat=award_of(hit, number).seat,
        on_paper=("tax_number",),
    )  # fmt: skip
    assert floor.act(papers, TWO[:1]).of_act().ok
    assert floor.act(taxed, TWO).of_act().ok
    assert verify(ledger, "floor").problems == ()


def award_of(hit: Hit, number: int) -> Award:
    return next(award for award in hit.awards if award.number == number)


def test_an_award_won_after_the_join_is_undone_to_the_micro_dollar(ledger: Ledger) -> None:
    """A11, M4: its cycle began in the bank before; what it took goes back to its own meter."""
    played(ledger)
    floor = joined(ledger)
    assert floor.act(Resume("operator", (), "one room"), TWO).of_act().ok
    link = floor.link
    before = link_of(floor.engine, link)
    bank = floor.tables[1]
    (award,) = floor.won("later", *FULL_HOUSE)
    assert floor.act(Undo(award.hit, "another deck"), TWO).of_act().ok
    after = link_of(floor.engine, link)
    for level, was in zip(after["levels"], before["levels"], strict=True):
        wagered = level["contributions"] - was["contributions"]
        assert level["primary"] + level["reserve"] - was["primary"] - was["reserve"] == wagered
        assert (level["awards"], level["house"]) == (was["awards"], was["house"])
    assert award.hit == f"H{floor.engine.state.next_hit - 1}"
    assert bank == "north-2"
    assert verify(ledger, "floor").problems == ()


def test_reports_tell_of_both_banks(ledger: Ledger) -> None:
    """A10, S8: by either number it is one hit; the difference stands in the list, the form and the cost."""
    _, south = played(ledger)
    floor = joined(ledger)
    cost = said(ledger, "cost", banks=("south",))
    act = Correct(now(floor.engine, "south", "A", 6), 9_999, "misread", "W-9")
    assert floor.act(act, TWO).of_act().ok
    today = now(floor.engine, "south", "H", 5)
    forms = [
        said(ledger, report, banks=(bank,), hit=hit)
        for report in ("slip", "payout", "explain")
        for bank, hit in (("south", 5), ("floor", int(today[1:])))
    ]
    assert forms[::2] == forms[1::2]
    for form in forms:
        assert form.problems == []
        assert str(form.facts["since the join"]) == f"{today} in bank floor: A6 is {act.award}"
    assert forms[0].facts["amount"] == from_cents(9_999)
    (changed,) = [row for row in forms[4].rows if row["part"] == "later"]
    assert str(changed["what"]) == "corrected by anna and bert: misread (bank floor)"
    listed = said(ledger, "hits", banks=("south", "floor")).rows
    assert [row["amount"] for row in listed if row["hit"] == "H5"] == [from_cents(9_999)]
    assert len(listed) == south.engine.state.next_hit - 1
    of_floor = said(ledger, "cost", banks=("floor",))
    assert of_floor.problems == []
    moved = [row["paid_from_meters"] for row in of_floor.rows if row["table"] == south.tables[1]]
    assert moved == [from_cents(9_999) - award_of(south.engine.state.hits[5], 6).amount]
    assert said(ledger, "cost", banks=("south",)) == cost
    with pytest.raises(ReportRefused, match=f"H5 of south is {today} in floor"):
        said(ledger, "payout", banks=("floor",), hit=5)
