"""Awards that were paid before banks were joined are corrected afterwards as any other paid award (A10)."""

from typing import Any, Final

import pytest

from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import commands as c
from jackpot.rules import views
from jackpot.rules.acts.hits import Correct
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.money import from_cents
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.state import Award
from tests.frames import Claim
from tests.ledger.conftest import Place
from tests.ledger.resting import BANKS, ROYAL, Bank, Resumed
from tests.ledger.waiting import Ledger, join

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
