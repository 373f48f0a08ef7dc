"""The engine agrees with an independent model, whatever a random floor does.

Both are given the same frames and acts. After every step their answers, awards, meters and held tables
must agree; ids are each one's own, so a hit is known by its round, seat, link and hand.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pytest

from jackpot.rules.acts.links import Suspend
from jackpot.rules.money import MICROS_PER_CENT
from tests.faults.figures import compare_figures
from tests.faults.model_floor import MISMATCH, OPEN, Round
from tests.faults.model_floor import Table as ModelTable
from tests.faults.model_must_hit import MYSTERY
from tests.faults.random_floor import RandomFloor
from tests.faults.random_houses import HOUSES, MIXED, OFFERING, House
from tests.faults.random_people import CREW, TAX_FROM, WAITING
from tests.faults.test_model import OfModel
from tests.faults.worked.form import Link, Message, Signer, Table, usd
from tests.nightly import repeated
from tests.rules.mixed import OfMixedEngine
from tests.rules.subject import OfEngine

STEPS: Final = 150
# Of the longest histories, for each house.
SEEDS: Final = repeated(1, 2)


class Both(RandomFloor):
    """The engine and the model, told the same."""

    def __init__(self, house: House, seed: int) -> None:
        super().__init__(house, seed)
        self.engine = OfMixedEngine(seed)
        self._hits: dict[OfEngine | OfModel, list[Message]] = {}
        self._names: dict[OfEngine | OfModel, dict[str, tuple[Any, ...]]] = {}
        self.said: Counter[tuple[str, str]] = Counter()  # a frame or an act, and its code
        for link in house.links:
            self.engine.open(link)
        for table in house.tables:
            self.engine.add(self.watched(table))
        self.engine.told(self.model)

    def frame(self, table: str, message: Message, draws: Message | None = None) -> None:
        theirs = message | {"award": self.theirs(message["award"])} if message["t"] == "lamp" else message
        first = self.engine.frame(table, theirs, draws or {})
        self.engine.tell(self.model)
        told = [first, self.of_model.frame(table, message, draws or {})]
        self.said[message["t"], told[0].get("code", "ok")] += 1
        for answer in told:
            if answer["ok"]:
                answer["awards"] = Counter(map(_award, answer["awards"]))
                answer["refunds"] = Counter(map(_refund, answer["refunds"]))
                answer["warn"] = bool(answer["warn"])
        kept = [
            {
                key: value
                for key, value in answer.items()
                if key in ("ok", "code", "awards", "refunds", "warn")
            }
            for answer in told
        ]
        assert kept[0] == kept[1], (table, message)
        self.compare(told)

    def act(self, kind: str, people: int, **fields: Any) -> None:
        if self.crew and kind != "reading":
            self.sign(kind, self.signers(people, kind, **self.without_look(fields)), **fields)
            return
        theirs, mine = self.by_their_ids(fields), self.by_my_ids(fields)
        told = [self.engine.act(kind, people, **theirs), self.of_model.act(kind, people=people, **mine)]
        self.said[kind, told[0].get("code", "ok")] += 1
        assert told[0]["ok"] == told[1]["ok"], (kind, people, fields, told)
        assert told[0].get("reading") == told[1].get("reading")
        self.compare(told)

    def preview(self, kind: str, **fields: Any) -> Any:
        """What each was shown; text where both refuse it."""
        before = self.engine.engine.snapshot()
        shown = self.engine.preview(kind, **self.by_their_ids(fields)), self.of_model.preview(kind, **fields)
        refused = [isinstance(one, str) for one in shown]
        assert refused[0] == refused[1], (kind, fields, shown)
        assert self.engine.engine.snapshot() == before, (kind, fields)
        self.compare()
        return "refused" if refused[0] else shown

    def wait(self, ms: int, *, take_over: bool) -> None:
        for subject in (self.engine, self.of_model):
            subject.wait(ms, take_over=take_over)

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> None:
        theirs, mine = self.by_their_ids(fields), self.by_my_ids(fields)
        told = [self.engine.sign(kind, signed, **theirs), self.of_model.sign(kind, signed, **mine)]
        self.said[kind, told[0].get("code", "ok")] += 1
        assert told[0]["ok"] == told[1]["ok"], (kind, signed, fields, told)
        assert told[0].get("asked") == told[1].get("asked"), (kind, signed, fields, told)
        self.compare(told)

    def by_their_ids(self, fields: Message) -> Message:
        theirs = {
            name: self.theirs(value) if name in ("hit", "award") else value for name, value in fields.items()
        }
        return theirs | ({"shown": fields["shown"][0]} if "shown" in fields else {})

    def by_my_ids(self, fields: Message) -> Message:
        return fields | ({"shown": fields["shown"][1]} if "shown" in fields else {})

    def without_look(self, fields: Message) -> Message:
        return {name: value for name, value in fields.items() if name != "shown"}

    def compare_raised(self, told: Sequence[Message]) -> None:
        """What tables and signs are told of awards that are higher now (A11)."""
        raised = [
            {
                (names[one["award"]], one["amount"])
                for one in answer.get("status", ())
                if one["status"] == "raised"
            }
            for answer, names in (
                (told[0], self.names(self.engine)),
                (told[1], self.names(self.of_model)),
            )
        ]
        assert raised[0] == raised[1]

    def theirs(self, mine: str) -> str:
        """The engine's id of the model's hit or award; one that never was where it is forgotten."""
        key = self.names(self.of_model)[mine]
        return next((name for name, known in self.names(self.engine).items() if known == key), "H0")

    def hits(self, subject: OfEngine | OfModel) -> list[Message]:
        """All hits as they were compared last: nothing changes them before the next comparison."""
        if subject not in self._hits:
            self._hits[subject] = subject.hits()
        return self._hits[subject]

    def names(self, subject: OfEngine | OfModel) -> dict[str, tuple[Any, ...]]:
        if subject not in self._names:
            found = self._names[subject] = dict[str, tuple[Any, ...]]()
            for hit in self.hits(subject):
                # Of a mystery one wager may win every level (Y6).
                level = hit["awards"][0]["level"] if hit["hand"] == MYSTERY else None
                key = (hit["round"], hit["seat"] or 0, hit["link"], hit["hand"], level)
                found[hit["hit"]] = key
                for award in hit["awards"]:
                    found[award["award"]] = (*key, award["seat"], award["kind"])
        return self._names[subject]

    def compare(self, told: Sequence[Message] = ()) -> None:
        """Compares all that both of them know now. told: what they answered just before, if anything."""
        self._hits.clear()
        self._names.clear()
        self.engine.told(self.model)
        if told:
            self.compare_raised(told)
        figures = self.engine.figures()
        assert self.engine.meters(figures) == self.of_model.meters()
        compare_figures(figures, self.model)
        awards = self.names(self.engine)
        assert {one.id for one in self.engine.engine.state.requests} == set(self.model.requests)
        listed = {awards[name]: cents for name, (_, cents) in self.engine.left(figures).items()}
        assert listed == self.undecided()
        disputed = {awards[f"H{number}"] for number in self.engine.engine.state.disputed}
        mine = self.names(self.of_model)
        credits_due = self.engine.engine.state.uncredited.items()
        due = {awards[f"A{number}"]: one.amount // MICROS_PER_CENT for number, one in credits_due}
        known = set(mine.values())  # the model may have forgotten some
        assert {key: cents for key, cents in due.items() if key in known} == {
            mine[one.id]: one.amount + one.difference for one in self.model.uncredited()
        }
        assert disputed == {mine[hit.id] for hit in self.model.hits_made.values() if hit.disputed}
        must_hit = {where: self.model.links[where[0]].must_hit[where[1]] for where in self.model.tapes()}
        assert self.engine.highest() == {where: meter.highest for where, meter in must_hit.items()}
        for table in self.house.tables:
            assert self.engine.held(table.name) == self.of_model.held(table.name), table.name
        open_ = {f"H{number}" for number in self.engine.engine.state.hits}
        have = {key: told for hit, key, told in self.standing(self.engine) if hit in open_}
        must = {key: told for _, key, told in self.standing(self.of_model)}
        assert have == {key: must[key] for key in have}
        waiting = {key for key, (_, status) in must.items() if status in ("pending", "validated")}
        assert waiting <= have.keys()
        for link in self.engine.engine.state.links:
            for level in link.levels:
                assert level.wins == level.accounts.awards

    def undecided(self) -> dict[tuple[Any, ...], int]:
        awards = self.names(self.of_model)
        left = [award for link in self.model.links for award in self.model.left_on(link)]
        return {awards[award.id]: award.undecided for award in left}

    def standing(self, subject: OfEngine | OfModel) -> list[tuple[str, tuple[Any, ...], tuple[int, str]]]:
        names = self.names(subject)
        return [
            (hit["hit"], names[award["award"]], (award["amount"], award["status"]))
            for hit in self.hits(subject)
            for award in hit["awards"]
        ]


def _refund(refund: Message) -> tuple[Any, ...]:
    return refund["link"], refund["seat"], refund["amount"], refund["pays"]


def _award(award: Message) -> tuple[Any, ...]:
    fields = ("seat", "link", "level", "hand", "kind", "amount", "pays", "status", "unverified", "because")
    return (*(award[field] for field in fields), award.get("lamp", ""))


@pytest.mark.parametrize("seed", range(repeated(3, 6)))
@pytest.mark.parametrize("house", HOUSES)
def test_the_engine_and_the_model_agree(house: str, seed: int) -> None:
    """A1-A11, T1-T11, L6, L7, L10: every answer, award, meter and held table, whatever is undone or late."""
    both = Both(HOUSES[house], seed)
    for number in range(STEPS):
        both.step()
        if number % 25 == 0:
            both.model.checkpoint()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("house", OFFERING)
def test_they_agree_on_offers(house: str, seed: int) -> None:
    """B1-B6, B8, B10, B11, B13, B15, B16: bonus wagers next to progressives: all that both of them say."""
    both = Both(OFFERING[house], seed)
    for number in range(STEPS):
        both.step()
        if number % 25 == 0 and number < STEPS:
            both.model.forget()


class Signed(Both):
    """People sign for every act, in roles that change."""

    crew = CREW


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("house", HOUSES)
def test_they_agree_on_who_may(house: str, seed: int) -> None:
    """A10, A11, T8, T10, T11, S9: who may alone, who asks and who confirms; each request waits in both."""
    both = Signed(HOUSES[house], 1_000 + seed)
    for _ in range(STEPS):
        both.step()


class OfLinks(Both):
    """People correct, change, transfer and close links, too."""

    of_links = 0.08

    def act(self, kind: str, people: int, **fields: Any) -> None:
        if kind == "resume" and not self.model.links[fields["link"]].suspended:
            return  # the engine says so, and the model does not look
        super().act(kind, people, **fields)

    def terms(self, name: str) -> dict[str, Any]:
        """As a configuration may have them: a limit of whole cents, and none below its seed."""
        terms = super().terms(name)
        for level, text in terms.get("limit", {}).items():
            seed = self.engine.link(name).level(level or "meter").terms.seed
            cents = max(usd(text or "0"), seed) // MICROS_PER_CENT
            return {"limit": {level: text and f"{cents // 100}.{cents % 100:02}"}}
        return terms

    def correct_meter(self, name: str, people: int) -> None:
        if not self.model.links[name].closed:  # the engine lets what is left there be taken off
            super().correct_meter(name, people)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("house", HOUSES)
def test_they_agree_on_links_as_a_whole(house: str, seed: int) -> None:
    """L8, L9, A11: what is corrected, changed, transferred and closed, and what is undone across it."""
    both = OfLinks(HOUSES[house], seed)
    for number in range(STEPS):
        both.step()
        if number % 25 == 0:
            both.model.checkpoint()


class SignedLinks(OfLinks):
    """And they sign for it."""

    crew = CREW


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("house", HOUSES)
def test_they_agree_on_who_may_move_a_links_money(house: str, seed: int) -> None:
    """L8, L9, A11: who corrects, decides, changes, transfers and closes, and what is asked for and ends."""
    both = SignedLinks(HOUSES[house], 3_000 + seed)
    for _ in range(STEPS):
        both.step()


class OfTime(OfLinks):
    """Time passes, servers change, days end; tables have a limit of rounds a minute."""

    of_time = 0.12


class SignedInTime(OfTime):
    """And what one person asks for is over, once nobody has confirmed it."""

    crew = CREW


class Looking(OfLinks):
    """People are shown what an act would do, and say so when they ask for it."""

    of_looks = 0.12


class SignedLooking(Looking):
    """And one of them confirms it."""

    crew = CREW


class Joined(Both):
    """The bank is joined with another one, more than once; people correct what was paid before, and after."""

    def person(self) -> None:
        settled = self.settled()
        if settled and self.rng.random() < 0.4:
            people = self.rng.choice((1, 2, 2, 2))
            self.act("correct", people, **self.correction(self.rng.choice(settled)))
            return
        super().person()

    def settled(self) -> list[Message]:
        awards = (award for hit in self.of_model.hits() for award in hit["awards"])
        return [award for award in awards if award["status"] in ("paid", "final")]

    def join(self, name: str) -> None:
        """Another bank, which has made hits of the same numbers, and this one become one."""
        self.rest()
        self.engine.become(neighbour(f"{name}-neighbour").engine, name)
        for table in self.model.tables.values():
            table.reopenable = table.asked = None
        self.compare()
        for award in self.settled():
            if award["kind"] == "meter":  # each part of a meter, whether that was reseeded since or not
                self.act("correct", 2, **self.correction(award) | {"document": f"J-{award['award']}"})

    def rest(self) -> None:
        """Every round ends, every award is paid, and nothing is left to decide on."""
        for table in self.model.tables.values():
            if table.asked:
                self.act("decline", 1, table=table.name, round=table.asked)
            while table.unfinished:
                self.end(table, next(iter(table.unfinished.values())))
        for hit in self.of_model.hits():
            if hit["disputed"]:
                self.act("lift", 2, hit=hit["hit"], dispute=hit["disputed"])
            waits = [award for award in hit["awards"] if award["status"] in WAITING]
            if any(award["status"] == "pending" for award in waits):
                self.act("validate", 1, hit=hit["hit"], lamp="lit")
            for seat in sorted({award["seat"] for award in waits}):
                paper = {"document": f"R-{seat}", "tax_form": "W-2G", "tax_from": TAX_FROM, "needs": []}
                self.act("pay", 1, hit=hit["hit"], seat=seat, **paper)
        for link in self.model.links:
            for award in self.model.left_on(link):
                self.act("decide_left", 2, award=award.id, remove=False)
        for table in self.model.tables.values():
            if self.model.held(table.name):
                self.act("release", 1, table=table.name)

    def end(self, table: ModelTable, round_: Round) -> None:
        """Brings a round one step nearer to its end."""
        bets = [{"seat": w.seat, "link": w.link, "on": w.on} for w in round_.wagers if w.live]
        if round_.state in (OPEN, MISMATCH):
            counts = Counter(bet["link"] for bet in bets)
            chips = {link: counts[link] for link in table.links}
            self.frame(table.name, {"t": "lock", "round": round_.name, "chips": chips})
        elif round_.owes_dealer():
            (owed, *_) = (bet for bet in bets if bet["on"] == "dealer")
            self.act("strike", 2, table=table.name, round=round_.name, **owed)
        else:
            self.frame(table.name, {"t": "close", "round": round_.name})


def neighbour(name: str) -> OfEngine:
    """A bank of one link and one table, at rest, with three jackpots that were paid."""
    bank = OfEngine(name)
    link, table = f"{name}-L", f"{name}-T"
    bank.open(Link(link, "ma-PTMGL01", options={"primary": {"": "10.00"}}))
    bank.add(Table(table, links=(link,)))
    for number in range(1, 4):
        bets = [{"seat": 1, "link": link, "amount": 100}]
        hands = [{"seat": 1, "cards": ["As", "Ks", "Qs"]}]
        told = [
            bank.frame(table, message, {})
            for message in (
                {"t": "wager", "round": f"n{number}", "bets": bets, "lock": True},
                {"t": "settle", "round": f"n{number}", "hands": hands, "board": ["Js", "Ts"], "close": True},
            )
        ]
        hit = told[1]["awards"][0]["hit"]
        assert bank.act("validate", 1, hit=hit)["ok"]
        assert bank.act("pay", 1, hit=hit)["ok"]
    assert bank.execute(Suspend("joining", (), ""), people=("Ada",)).answer["ok"]
    return bank


class Leaving(Both):
    """Hits wait, and are undone once later ones were paid: that leaves sums to decide on."""

    of_left = 0.75


class LeavingOfLinks(OfLinks):
    """And links are corrected, emptied and closed over it."""

    of_left = 0.7
    of_looks = 0.05


class Abandoning(Both):
    """Players leave in the middle of a round."""

    of_gone = 0.2


class Lively(OfLinks):
    """Players leave, people undo what was won, and move what lies on the meters."""

    of_links = 0.05
    of_gone = 0.1
    of_left = 0.1


class Busy(Lively):
    """And people sign for it, are shown what it would do, and time passes."""

    crew = CREW
    of_time = 0.05
    of_looks = 0.03


@pytest.mark.parametrize("kind", [Both, Lively, Busy])
@pytest.mark.parametrize("house", MIXED)
def test_they_agree_on_mysteries_next_to_cards_and_offers(house: str, kind: type[Both]) -> None:
    """Y1-Y4, Y6, Y7, Y11, Y12, P6: both forms, on tables with cards, with offers, and of any game."""
    for seed in range(repeated(1, 4)):
        both = kind(MIXED[house], seed)
        for number in range(STEPS):
            both.step()
            if number % 25 == 0:
                both.model.checkpoint()
        meters = [meter for link in both.model.links.values() for meter in link.must_hit.values()]
        assert sum(meter.hits + meter.undone_hits for meter in meters) > 2


def played(kind: type[Both], *seeds: int, steps: int = STEPS) -> list[Both]:
    """A floor in every house for each seed, to its end."""
    floors = [kind(house, seed) for house in HOUSES.values() for seed in seeds]
    for both in floors:
        for number in range(steps):
            both.step()
            if number % 25 == 0 and not both.crew:
                both.model.checkpoint()
    return floors


def said(floors: Sequence[Both], code: str, *of: str) -> int:
    """How often such a frame or act, or any, had that answer."""
    found = [both.said for both in floors]
    return sum(n for one in found for (what, how), n in one.items() if how == code and (not of or what in of))


@pytest.mark.parametrize("kind", [OfTime, SignedInTime])
def test_they_agree_on_what_a_clock_decides(kind: type[Both]) -> None:
    """L11, T10, S2, S8: rounds a minute, how long a table waits, readings; and how long a request does."""
    floors = played(kind, 5_000, 5_001)
    assert said(floors, "unreasonable", "wager") > 20
    assert said(floors, "table_held", "wager") > 5
    assert said(floors, "ok", "reading") > 20
    assert said(floors, "read_already", "reading") > 5
    assert not kind.crew or said(floors, "expired", "confirm") > 0
    assert not kind.crew or said(floors, "ok", "agree_to_reopen") > 0


@pytest.mark.parametrize("kind", [Looking, SignedLooking])
def test_they_agree_on_what_people_were_shown(kind: type[Both]) -> None:
    """L8, L9, A10, A11: a look changes nothing; an act goes by it only while it would do just that."""
    floors = played(kind, 6_001, 6_002)
    assert said(floors, "changed") > 1
    assert said(floors, "changed", "undo", "correct", "decide_left") > 0


@pytest.mark.parametrize("kind", [Leaving, LeavingOfLinks])
def test_they_agree_on_what_undos_leave(kind: type[Both]) -> None:
    """A11, L8: what is left on meters of paid awards, undone again, corrected, decided on, taken along."""
    floors = played(kind, *range(7_001, 7_001 + SEEDS), steps=400)
    left = [award for both in floors for link in both.model.links.values() for award in link.left.values()]
    assert len(left) > 2 * SEEDS
    assert any(award.decided for award in left)


def test_they_agree_on_seats_that_players_left() -> None:
    """P6: what such a seat loses, what waits for a floorperson, and what its cards earn others."""
    floors = played(Abandoning, 8_001)
    for house in OFFERING.values():
        floors.append(Abandoning(house, 8_002))
        for _ in range(STEPS):
            floors[-1].step()
    assert said(floors, "ok", "decide_abandoned") > 50


def test_they_agree_across_joins_of_banks() -> None:
    """A10, L8, M4, S1: a join changes numbers and nothing else; what was paid before is corrected as ever."""
    floors = [Joined(house, 9_000 + seed) for house in HOUSES.values() for seed in range(SEEDS)]
    for both in floors:
        for name in ("floor", "house"):
            for _ in range(STEPS):
                both.step()
            both.join(name)
        for _ in range(STEPS):
            both.step()
    assert said(floors, "ok", "correct") > 20 * SEEDS
    assert said(floors, "no_tax_form", "correct") > 0


def test_they_agree_on_papers() -> None:
    """A8, A10: whose papers, patron, form and number they are, and who may pay and add."""
    floors = [
        *played(OfLinks, *range(8_000, 8_000 + SEEDS)),
        *played(SignedLinks, *range(8_102, 8_102 + SEEDS)),
    ]
    for code in ("document_used", "no_paper", "no_tax_form", "several_winners", "not_allowed"):
        assert said(floors, code, "pay") > 0, code
    for code in ("ok", "several_winners", "not_allowed"):
        assert said(floors, code, "add_papers") > 0, code
