"""The terms of a draw, where a lock waits while the terms of its link change."""

from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controllers import messages
from jackpot.bank.draws import RepeatedChance
from jackpot.bank.sequencer import Sequencer
from jackpot.ledger.journal import Head, Row, genesis
from jackpot.rules import registry
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.engine import Engine
from jackpot.rules.events import Closed, Refused
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import TableTerms
from jackpot.rules.state import DrawMade
from tests.faults.worked.form import Link
from tests.frames import Bet
from tests.rules.rounds.test_mystery import mystery
from tests.rules.subject import OfEngine

BANK: Final = "main"
PEOPLE: Final = ("Ann", "Bob")
SEATS: Final = 7


class Chance(NamedTuple):
    """Draw parameters: one chance in so many; 0 if a draw is off."""

    magic: int
    lucky: int


class Floor:
    """One link that draws, one table, and a ledger whose commits may end in doubt."""

    def __init__(self, chance: Chance) -> None:
        subject = OfEngine()
        subject.open(Link("L", "pa-643a-five-card-hand-bonus", "5.00"))
        self._terms = subject.link("L").terms
        self.rows: list[Row] = []
        self.answers: list[Outcome] = []
        self.sequencer = Sequencer(Engine(BANK), Head(BANK, 1, 0, genesis(BANK), "test", 0))
        self.seq = self.asked = 0
        self.ask(OpenLink(self._with(chance)))
        self.ask(OpenTable(TableTerms("T1", "let-it-ride", SEATS, ("L",))))

    def change(self, chance: Chance) -> None:
        """People suspend the link, change how often it draws, and resume it (L9)."""
        self.ask(Suspend("operator", ("L",), "a change"))
        self.ask(ChangeLink(self._with(chance), "another chance"))
        self.ask(Resume("operator", ("L",), "done"))

    def round(self, *, at_once: bool) -> None:
        """A round of one wager, from its first frame to its last."""
        name = f"r{self.seq}"
        self.play(messages.Wager(self.seq + 1, name, (Bet(3, "L", 500),), lock=at_once))
        if not at_once:
            self.play(messages.Lock(self.seq + 1, name))
        self.play(messages.Close(self.seq + 1, name))

    def play(self, frame: Any) -> None:
        self.seq += 1
        self.ask(frame, "T1")

    def ask(self, command: Command, table: str | None = None) -> None:
        self.asked += 1
        digest = self.asked.to_bytes(8, "big") * 2
        people = () if table else PEOPLE
        self.sequencer.submit(Envelope(command, 0, 0, digest, table, people), self.answers.append)

    def commit(self) -> None:
        if (batch := self.sequencer.take_batch()) is not None:
            self.rows += batch.rows
            self.sequencer.committed()

    def doubt(self, *, durable: bool) -> None:
        """A commit ends in doubt; the ledger may hold it all the same."""
        batch = self.sequencer.take_batch()
        self.rows += batch.rows if batch is not None and durable else ()
        self.sequencer.failed()

    def look(self) -> None:
        """Recovers from the ledger, and decides waiting commands again."""
        if self.sequencer.broken:
            engine = Engine(BANK)
            for row in self.rows:
                engine.replay(row)
            last = self.rows[-1].hash if self.rows else genesis(BANK)
            self.sequencer.rebuilt(
                engine, Head(BANK, self.sequencer.epoch + 1, len(self.rows), last, "test", 0)
            )

    def finish(self) -> None:
        self.look()
        while self.sequencer.depth:
            self.commit()

    def _with(self, chance: Chance) -> Any:
        magic, lucky = chance
        return replace(
            self._terms, magic_every=magic, lucky_every=lucky,
            magic_for=20 if magic else 0, lucky_for=5 if lucky else 0,
        )  # fmt: skip


CHANCES = st.builds(Chance, *[st.sampled_from((0, 2, 3, 200))] * 2)
STEPS = st.sampled_from(("round", "lock", "commit", "lost", "kept", "look"))


def drawn_and_due(rows: list[Row]) -> list[tuple[Chance, Chance]]:
    """For each lock in the journal: the odds of its last draw, and the terms at that lock."""
    engine, found = Engine(BANK), []
    for row in rows:
        event = registry.decode(row.kind, row.version, row.body)
        assert not isinstance(event, Refused), event
        if (locking := getattr(event, "locking", None)) is not None:
            terms = engine.state.links[0].terms
            made = locking.draws[0] if locking.draws else DrawMade(1)
            drawn = Chance(made.magic_chance + 1, made.lucky_chance + 1)
            found.append((drawn, Chance(terms.magic_every, terms.lucky_every)))
        engine.replay(row)
    return found


@given(first=CHANCES, steps=st.lists(CHANCES | STEPS, max_size=25))
@settings(max_examples=150, deadline=None)
def test_a_lock_draws_by_the_terms_at_the_lock_whatever_it_waited_for(
    first: Chance, steps: list[Chance | str]
) -> None:
    """A7, L9: a lock that waits in doubt behind a change of terms is drawn by the new ones."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RepeatedChance, "below", lambda *_: lambda most: most - 1)
        floor = Floor(first)
        rounds = 0
        for step in steps:
            match step:
                case Chance():
                    floor.change(step)
                case "round" | "lock":
                    floor.round(at_once=step == "lock")
                    rounds += 1
                case "commit":
                    floor.commit()
                case "lost" | "kept":
                    floor.doubt(durable=step == "kept")
                case "look":
                    floor.look()
        floor.finish()
    found = drawn_and_due(floor.rows)
    assert len(found) == rounds
    assert [drawn for drawn, _ in found] == [due for _, due in found]


def draws_made(rows: list[Row]) -> list[DrawMade]:
    """What each lock in the journal has drawn."""
    found = (registry.decode(row.kind, row.version, row.body) for row in rows)
    return [draw for event in found for draw in getattr(getattr(event, "locking", None), "draws", ())]


@pytest.mark.parametrize("kept_at_last", [False, True])
@pytest.mark.parametrize("doubts", [1, 3])
def test_a_lock_in_doubt_draws_no_second_time(doubts: int, kept_at_last: bool) -> None:
    """A7: a lock whose commit is made to fail draws the same card and box again, until it is written."""
    floor, asked = Floor(Chance(1_000, 1_000)), list[bytes]()

    class Source:
        """Other bytes each time: 0, 1, 2, and so on."""

        def raw(self, _link: int, _level: int) -> bytes:
            asked.append(len(asked).to_bytes(8, "big").ljust(RAW_BYTES, b"\0"))
            return asked[-1]

    floor.sequencer._chance._source = Source()
    floor.finish()
    floor.play(messages.Wager(1, "r", (Bet(3, "L", 500),), lock=True))
    for _ in range(doubts):
        floor.doubt(durable=False)
        floor.look()
    if kept_at_last:
        floor.doubt(durable=True)
    floor.finish()
    assert len(asked) == 4
    assert draws_made(floor.rows) == [DrawMade(1, 0, 1, 2, 4)]


class Told:
    """Bytes that a test says, one after the other; no more are there."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    def raw(self, _link: int, _level: int) -> bytes:
        return self._numbers.pop(0).to_bytes(RAW_BYTES // 8, "big").ljust(RAW_BYTES, b"\0")


@pytest.mark.parametrize("doubts", [0, 1, 3])
def test_a_close_in_doubt_draws_no_second_time(doubts: int) -> None:
    """Y2, Y3: what was decided and not written is decided again by the same bytes, until it is written."""
    floor = Floor(Chance(0, 0))
    head = Head(BANK, 1, 0, genesis(BANK), "test", 0)
    floor.sequencer = Sequencer(Engine(BANK), head, chance=Told(9_000_000))
    floor.rows, floor.answers, floor.seq = [], [], 0
    floor.ask(OpenLink(mystery()))
    floor.ask(OpenTable(TableTerms("T1", "any", SEATS, ("M",), max_rounds_per_minute=60)))
    floor.play(messages.Wager(1, "r", (Bet(3, "M", 500),), lock=True, chips={"M": 1}))
    floor.finish()
    floor.play(messages.Close(2, "r"))
    for _ in range(doubts):
        floor.doubt(durable=False)
        floor.look()
    floor.finish()
    closed = registry.decode(floor.rows[-1].kind, floor.rows[-1].version, floor.rows[-1].body)
    assert isinstance(closed, Closed)
    assert closed.counted[0].drawn == [(9_000_000).to_bytes(8, "big")]
