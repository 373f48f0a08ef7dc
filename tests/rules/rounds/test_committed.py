"""Mystery levels whose trigger is fixed before: when it is drawn, opened and replaced."""

from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.rules.acts import ACT_OF
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.links import INTERNAL, TRIGGER_REASON, OpenLink, Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.meters import CloseLink, CorrectMeter
from jackpot.rules.acts.triggers import RenewTriggers, ReplaceTriggers, TriggersRenewed, due
from jackpot.rules.commands import TableHello
from jackpot.rules.commitment import opens
from jackpot.rules.events import Closed
from jackpot.rules.invariant import InvariantError
from jackpot.rules.money import decimal, of_decimal
from jackpot.rules.rounds import mystery as rules
from jackpot.rules.signing import People
from jackpot.rules.state import Commitment
from jackpot.rules.templates import TEMPLATES
from tests.frames import Close
from tests.ledger.seeded_triggers import SeededTriggers
from tests.rules.floor import DOLLAR
from tests.rules.rounds.test_mystery import Place, mystery

BOTH = ActContext(People(("anna", "ben")))


class Committed(Place):
    """A table on a committed link of $10 to $20; the sequencer's part is done by `act`."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__(replace(mystery(), form="committed"))
        self.triggers = self.subject.engine.triggers = SeededTriggers(seed)
        super().act(RenewTriggers(), ())

    def act(self, command: Any, people: tuple[str, ...] = ("anna", "ben")) -> dict[str, Any]:
        answer = super().act(command, people)
        if any(True for _ in due(self.subject.engine.state)):
            super().act(RenewTriggers(), ())
        return answer

    def commitment(self) -> Commitment:
        found = self.cycle().commitment
        assert found is not None
        return found

    def trigger(self) -> int:
        return self.triggers.kept[self.commitment().digest].value

    def renewed(self) -> TriggersRenewed:
        event = self.subject._last_event()
        assert isinstance(event, TriggersRenewed)
        return event


@pytest.mark.parametrize("seed", range(12))
def test_the_first_wager_that_reaches_the_trigger_wins(seed: int) -> None:
    """Y2, Y3, Y12: not the one before it; then the entry opens the trigger, and commits to the next one."""
    place = Committed(seed)
    for _ in range(30):
        before, trigger, meter = place.commitment(), place.trigger(), place.meter()
        awards = place.play((4,))
        if meter + DOLLAR // 2 < trigger:
            assert (awards, place.commitment()) == ([], before)
            continue
        (award,) = awards
        assert award["amount"] == (meter + DOLLAR // 2) // 10_000
        event = place.subject._last_event()
        assert isinstance(event, Closed)
        (counted,) = event.counted
        ((opened,), (made,)) = counted.opened, counted.committed
        which = rules.commitment_id(
            place.subject.engine.state, place.subject.engine.state.links[0], place.level(), before.bank,
            before.cycle, before.number,
        )  # fmt: skip
        assert opens(before.digest, which, opened.salt, opened.value)
        assert opened.value == trigger
        assert (made.number, made.digest) == (before.number + 1, place.commitment().digest)
        assert (place.commitment().above, place.commitment().upto) == (place.cycle().start, 20 * DOLLAR)


def test_one_close_may_win_a_level_twice() -> None:
    """Y3: the next wager of the round is measured by the trigger that was drawn within the same entry."""
    for seed in range(3_000):
        place = Committed(seed)
        awards = place.play((7, 6, 5, 4, 3, 2, 1))
        if len(awards) > 1:
            event = place.subject._last_event()
            assert isinstance(event, Closed)
            assert [len(event.counted[0].opened), len(event.counted[0].committed)] == [len(awards)] * 2
            assert place.commitment().number == 1 + len(awards)
            return
    raise AssertionError("no seed of these wins twice")


def test_a_round_waits_while_a_trigger_is_missing() -> None:
    """Y12: the close uses up no number, compares nothing, and is decided once the trigger is there."""
    place = Committed()
    name, kept = place.lock(4), dict(place.triggers.kept)
    place.triggers.kept.clear()
    answer = place.hear(Close(name)).answer
    assert (answer["t"], answer["code"]) == ("nack", "suspended")
    place.seq -= 1
    place.triggers.kept.update(kept)
    place.close(name)


def test_a_link_that_ends_opens_its_commitment() -> None:
    """Y12: nobody wins it any more, so everybody may see it; from then on there is none."""
    place = Committed()
    before = place.commitment()
    place.act(Suspend("operator", ("M",), "the end"))
    place.act(CloseLink("M", "the end"))
    (one,) = place.renewed().levels
    assert one.committed is None
    assert one.opened is not None
    assert place.triggers.kept[before.digest].value == one.opened.value
    assert place.commitment() == replace(before, running=False)


def test_a_lost_trigger_is_never_opened_and_the_link_can_end() -> None:
    """Y12: the journal has an end of that commitment without what it was."""
    place = Committed()
    place.triggers.kept.clear()
    place.act(Suspend("operator", ("M",), "the key is lost"))
    place.act(CloseLink("M", "the key is lost"))
    (one,) = place.renewed().levels
    assert (one.opened, one.committed) == (None, None)
    assert not place.commitment().running


@pytest.mark.parametrize("cause", ["restored", "rolled_back"])
def test_people_who_resume_after_a_lost_tail_replace_the_trigger(cause: str) -> None:
    """Y8: no trigger of before is played on; the fresh one lies above all that was decided."""
    place = Committed()
    while place.play((4,)):
        pass
    before, decided = place.commitment(), place.cycle().decided
    place.subject.execute(Suspend(cause, ("M",), ""))
    place.subject.execute(Suspend("rolled_back", ("M",), ""))
    shown = decided + 3 * DOLLAR
    place.act(Resume(cause, ("M",), "a case", highest=(f"M.meter={decimal(shown)}",)))
    (one,) = place.renewed().levels
    assert one.opened is not None
    assert one.opened.value == place.triggers.kept[before.digest].value
    now = place.commitment()
    assert (now.above, now.upto, now.number) == (shown, 20 * DOLLAR, before.number + 1)
    assert shown < place.trigger() <= 20 * DOLLAR
    assert (place.cycle().decided, place.cycle().reached) == (shown, None)
    assert not place.subject.engine.state.links[0].suspended


def test_one_person_alone_resumes_no_link_whose_ledger_was_rolled_back() -> None:
    """Y8: nor does the server."""
    place = Committed()
    resume = Resume("rolled_back", ("M",), "x", highest=("M.meter=12",))
    place.subject.execute(Suspend("rolled_back", ("M",), ""))
    assert place.denied(resume, ("anna",)) == "two_people"
    assert place.denied(resume, ()) == "no_person"


@pytest.mark.parametrize("named", [("M",), ()])
def test_two_people_replace_what_runs_after_a_leak(named: tuple[str, ...]) -> None:
    """Y12: the old one is opened, the fresh one lies above all that was decided; meter and h stay."""
    place = Committed()
    while place.play((4,)):
        pass
    before, meter, decided = place.commitment(), place.meter(), place.cycle().decided
    assert place.denied(ReplaceTriggers(named, "a leak"), ("anna",)) == "two_people"
    place.act(ReplaceTriggers(named, "a leak"))
    (one,) = place.renewed().levels
    assert one.opened is not None
    assert one.opened.value == place.triggers.kept[before.digest].value
    now = place.commitment()
    assert (now.above, now.upto, now.number) == (decided, 20 * DOLLAR, before.number + 1)
    assert decided < place.trigger() <= 20 * DOLLAR
    assert (place.meter(), place.cycle().decided) == (meter, decided)
    assert not place.subject.engine.state.links[0].suspended


@pytest.mark.parametrize("cause", ["trigger", "rolled_back"])
def test_what_is_not_to_be_had_is_not_replaced(cause: str) -> None:
    """Y12: a lost trigger ends by closing its link alone; rows that are lost, by resuming it (Y8)."""
    place = Committed()
    place.subject.execute(Suspend(cause, ("M",), ""))
    for named in (("M",), ()):
        assert place.denied(ReplaceTriggers(named, "a leak")) == "suspended"


def test_a_link_without_triggers_has_none_to_replace() -> None:
    """Y12: neither a drawn link, nor a bank without a committed one."""
    place = Place(mystery())
    assert place.denied(ReplaceTriggers(("M",), "a leak")) == "unchanged"
    assert place.denied(ReplaceTriggers((), "a leak")) == "unchanged"


def test_what_was_shown_is_not_decided_twice() -> None:
    """Y8: wagers up to the stated value win nothing, and the trigger lies above it."""
    place = Committed()
    place.subject.execute(Suspend("rolled_back", ("M",), ""))
    place.act(Resume("rolled_back", ("M",), "a case", highest=("M.meter=13.25",)))
    assert place.trigger() > 13_250_000
    assert place.play((7, 6, 5, 4, 3, 2)) == []
    assert (place.meter(), place.cycle().decided) == (13 * DOLLAR, 13_250_000)


@pytest.mark.parametrize("believes", ["confirmed", "resumed"])
def test_people_who_believe_a_table_state_what_was_shown(believes: str) -> None:
    """Y8: the answers that are lost may be of any link; who does not believe has nothing to state."""
    place = Committed()
    place.play((4,))
    before, seq = place.commitment(), place.seq

    def acts(*highest: str) -> Any:
        if believes == "confirmed":
            return ConfirmBehind("T1", "its log", believe=True, highest=highest)
        return Resume("operator", ("M",), "its log", (("T1", seq + 9),), highest)

    place.subject.execute(Suspend("operator", ("M",), "x"), people=("anna",))
    place.subject.execute(TableHello(acked=seq + 9), table="T1")
    assert place.denied(acts()) == "bad_request"
    assert place.denied(ConfirmBehind("T1", "x", believe=False, highest=("M.meter=12.00",))) == "bad_request"
    place.act(acts("M.meter=12.00"))
    now = place.commitment()
    assert (now.above, now.number) == (12 * DOLLAR, before.number + 1)


def test_a_drawn_level_has_the_stated_value_alone() -> None:
    """Y8: there is no trigger; h becomes what was shown, and a wager below it draws nothing."""
    place = Place(mystery())
    place.subject.execute(Suspend("restored", (), ""))
    assert place.denied(Resume("restored", (), "a copy")) == "bad_request"
    place.act(Resume("restored", (), "a copy", highest=("M.meter=12",)))
    assert place.cycle().decided == 12 * DOLLAR
    assert place.play((4, 3, 2)) == []
    assert not place.chance.asked


@pytest.mark.parametrize(
    ("highest", "code"),
    [
        ((), "bad_request"),
        (("M.meter=12.00", "M.meter=13.00"), "twice"),
        (("M.meter=12.00", "M.other=13.00"), "bad_request"),
        (("M.meter=10.49",), "bad_amount"),
        (("M.meter=20.00",), "bad_amount"),
        (("M.meter=10.50",), ""),
        (("M.meter=19.999999",), ""),
    ],
)
def test_the_stated_value_is_between_what_is_decided_and_the_maximum(
    highest: tuple[str, ...], code: str
) -> None:
    """Y8: of each level one, from h in whole cents to below b; the field is named."""
    place = next(one for one in map(Committed, range(20)) if one.trigger() > 12 * DOLLAR)
    place.play((4,))
    place.act(CorrectMeter("M", "meter", 1_234, "a fraction of a cent"))
    place.subject.execute(Suspend("restored", ("M",), ""))
    answer = place.subject.execute(
        Resume("restored", ("M",), "a copy", highest=highest), people=("anna", "ben")
    ).answer
    assert answer.get("code", "") == code
    if code:
        assert TEMPLATES[answer["template"]].field == "highest"
    else:
        assert place.cycle().decided == max(10_501_234, of_decimal(highest[0].partition("=")[2]))


def test_money_that_lifts_the_meter_wins_nothing_and_draws_afresh() -> None:
    """Y11: h rises with the meter; downward neither h nor the trigger changes."""
    place = Committed()
    before = place.commitment()
    place.act(CorrectMeter("M", "meter", 4 * DOLLAR, "a test"))
    now = place.commitment()
    assert (now.above, now.number) == (14 * DOLLAR, before.number + 1)
    assert place.trigger() > 14 * DOLLAR
    place.act(CorrectMeter("M", "meter", -2 * DOLLAR, "back"))
    assert (place.commitment(), place.cycle().decided) == (now, 14 * DOLLAR)
    assert place.play((4, 3)) == []  # $13: below what was decided


def test_no_preview_opens_anything() -> None:
    """Y9: an act that is decided for a look, or for a request, has no triggers, and needs none."""
    place = Committed()
    state = place.subject.engine.state
    place.act(Suspend("operator", ("M",), "the end"))
    for command in (CloseLink("M", "the end"), CorrectMeter("M", "meter", DOLLAR, "a test")):
        ACT_OF[type(command)].decide(state, command, BOTH)
    with pytest.raises(InvariantError):
        ACT_OF[RenewTriggers].decide(state, RenewTriggers(), BOTH)


@pytest.mark.parametrize("change", ["salt", "value", "raw"])
def test_a_trigger_that_is_not_the_committed_one_decides_nothing(change: str) -> None:
    """Y12: the rules compare what is opened with its commitment and its bytes, whoever keeps it."""
    place = Committed()
    kept = place.triggers.kept[place.commitment().digest]
    kept.value = 10 * DOLLAR + 1 if change == "value" else kept.value
    kept.salt = bytes(32) if change == "salt" else kept.salt
    kept.raw = bytes(8) if change == "raw" else kept.raw
    answer = {"t": "ack"}
    for _ in range(3):
        answer = place.hear(Close(place.lock(*range(1, 8)))).answer
        if answer["t"] == "nack":
            break
    assert answer["code"] == "internal"
    assert not place.level().hits


def suppressed() -> Committed:
    """A level whose winning wager was journalled as one that wins nothing, as a false program does."""
    place = next(one for one in map(Committed, range(20)) if one.trigger() < 14 * DOLLAR)
    place.triggers.crossed = lambda committed, meter: False  # type: ignore[method-assign] # noqa: ARG005
    while place.meter() < place.trigger():
        assert place.play((4,)) == []
    return place


@pytest.mark.parametrize("way", ["lifted", "ended", "resumed"])
def test_a_win_that_was_kept_back_does_not_pass_as_a_replacement(way: str) -> None:
    """Y12: where the trigger is opened without a win, no wager may have reached it before."""
    place = suppressed()
    state = place.subject.engine.state
    command: Any = CorrectMeter("M", "meter", 1, "a test")
    if way != "lifted":
        place.subject.execute(Suspend("operator", ("M",), "x"))
        place.subject.execute(Suspend("restored", ("M",), "x"))
        shown = (f"M.meter={decimal(place.cycle().decided + DOLLAR)}",)
        command = (
            Resume("restored", ("M",), "a case", highest=shown)
            if way == "resumed"
            else CloseLink("M", "x", to="N")
        )
    if way == "ended":
        assert place.subject.execute(OpenLink(replace(mystery(), link="N"))).answer["ok"]
    assert place.subject.execute(command, people=("anna", "ben")).answer["ok"]
    with pytest.raises(InvariantError, match="had reached the trigger"):
        ACT_OF[RenewTriggers].decide(state, RenewTriggers(), ActContext(People(), triggers=place.triggers))


def test_a_trigger_that_money_passed_is_opened() -> None:
    """Y11: people lifted the meter above it, several times; no wager had reached it."""
    place = next(one for one in map(Committed, range(20)) if one.trigger() < 14 * DOLLAR)
    trigger = place.trigger()
    place.subject.execute(CorrectMeter("M", "meter", DOLLAR // 100, "x"), people=("anna", "ben"))
    place.act(CorrectMeter("M", "meter", 5 * DOLLAR, "a test"))
    (one,) = place.renewed().levels
    assert one.opened is not None
    assert one.opened.value == trigger < place.cycle().decided
    assert (place.cycle().reached, place.cycle().replace) == (None, False)


def test_a_trigger_that_a_fault_may_have_shown_is_replaced_although_it_was_missing_meanwhile() -> None:
    """Y9: who refuses a row that opens it, and then hides it, has nobody resume the link with it."""
    place = Committed()
    before = place.commitment()
    place.act(Suspend(INTERNAL, (), "a row was refused"))
    place.act(Suspend(TRIGGER_REASON, (), ""), ())
    resume = Resume(INTERNAL, (), "it was the database")
    answer = place.subject.execute(resume, people=("anna", "ben")).answer
    assert (answer["code"], answer["template"]) == ("suspended", "triggers_not_held")
    assert place.act(Resume(TRIGGER_REASON, (), ""), ())["ok"]
    assert place.subject.link("M").suspended == [INTERNAL]
    assert place.act(resume)["ok"]
    assert place.subject.link("M").suspended == []
    assert place.commitment().number == before.number + 1
