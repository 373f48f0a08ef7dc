"""A confirmation takes effect only if the preview is still what the first person saw (A10, L8, L9)."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from jackpot.rules import redecide, row_commands
from jackpot.rules.acts import ACT_OF, hits
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, Transfer
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.preview import mark_of, preview_of
from jackpot.rules.acts.requests import ActRefused, Confirm, Reject, Requested
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.commands import ActCommand
from jackpot.rules.events import RULES_VERSION, Event
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.phrases import english, phrase
from jackpot.rules.postings import Posting
from jackpot.rules.signing import People, Proof, Signed
from jackpot.rules.state import SeenLevel
from tests.faults.worked.form import Link, Table
from tests.frames import Claim, Close, Settle, Void
from tests.rules.acts.test_meters import CENT, SEED, frame, meter, played, two_links
from tests.rules.acts.test_parameters import change
from tests.rules.acts.test_requests import ANN, BEN, CAL, CORRECT, LOOKER, PAYER, ask, last, waiting
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_engine import bank, royal, wager
from tests.said import Heard, refusal

LESS: Final = CorrectMeter("L", "meter", -12_345_678, "a test wager")


def won() -> OfEngine:
    """A bank with a royal flush, H1, that waits; its cards hold no table."""
    subject = bank(hold_table=False)
    frame(subject, wager())
    frame(subject, royal())
    return subject


def asked_for(subject: OfEngine, command: ActCommand) -> SeenLevel:
    """Ann asks, and it waits; what she saw of the only meter that it would move."""
    assert ask(subject, command, ANN).answer["asked"]
    asked = last(subject)
    assert isinstance(asked, Requested)
    (level,) = [one for one in asked.seen.levels if one.level]
    return level


def confirm(subject: OfEngine) -> Heard:
    return ask(subject, Confirm("main-1"), ANN, BEN)


def changed(why: str) -> tuple[Any, ...]:
    """The refusal of the first request, as what was seen has changed. why: the template of how."""
    return "changed", "request_changed", "main-1", {"template": why, "values": []}


def refused(subject: OfEngine, why: str) -> None:
    """Ben's confirmation is refused as `changed`; it moves nothing, is in the journal, and it waits on."""
    before, heard = subject.meters(), confirm(subject)
    assert refusal(heard.answer) == changed(why)
    event = last(subject)
    assert isinstance(event, ActRefused)
    assert (event.people.signed, event.people.proof.request) == ((ANN, BEN), 1)
    assert (subject.meters(), waiting(subject)) == (before, ["main-1"])


def lost(subject: OfEngine, number: int) -> None:
    """A round of table T2 whose wagers stay on the meter."""
    frame(subject, wager(f"r{number}"), "T2")
    frame(subject, Close(f"r{number}"), "T2")


def voided(subject: OfEngine, number: int) -> None:
    """A round of table T2 whose wagers go back."""
    frame(subject, wager(f"r{number}"), "T2")
    frame(subject, Void(f"r{number}", "misdeal"), "T2")


def jackpot(subject: OfEngine, number: int) -> None:
    """A royal at table T2."""
    frame(subject, wager(f"r{number}"), "T2")
    frame(subject, royal(f"r{number}"), "T2")


def test_wagers_meanwhile_change_nothing_that_matters() -> None:
    """L8: a meter rises all the time; the request has what stood there, and what would have moved."""
    subject = won()
    level = asked_for(subject, LESS)
    assert (level.change.primary, level.change.corrections) == (LESS.amount, -LESS.amount)
    assert level.held == subject.engine.state.links[0].levels[0].accounts
    lost(subject, 1)
    voided(subject, 2)
    assert level.held != subject.engine.state.links[0].levels[0].accounts
    assert confirm(subject).answer["ok"]


def test_a_meter_that_was_won_meanwhile_is_no_more_the_one_that_was_seen() -> None:
    """L8: a jackpot fell between asking and confirming; who looks again asks again."""
    subject = won()
    asked_for(subject, LESS)
    jackpot(subject, 1)
    refused(subject, "changed_meter")
    assert ask(subject, LESS, ANN, BEN).answer["ok"], "both on one screen have seen it"


def test_an_award_is_corrected_although_others_were_won_meanwhile() -> None:
    """A10: a correction of an award is about that award, not about what stands on the meter."""
    subject = won()
    asked_for(subject, CORRECT)
    jackpot(subject, 1)
    assert confirm(subject).answer["ok"]


def test_an_award_that_others_corrected_meanwhile_is_not_corrected_by_what_it_was() -> None:
    """A10: the difference would be another one."""
    subject = won()
    asked_for(subject, CORRECT)
    assert ask(subject, replace(CORRECT, amount=950_000), CAL, BEN).answer["ok"]
    refused(subject, "changed_sums")


def test_parameters_that_others_changed_meanwhile_are_not_changed_by_what_they_were() -> None:
    """L9: the differences that were seen are others; nothing else has moved."""
    subject = bank()
    subject.execute(Suspend("operator", ("L",), "a new felt"), people=PEOPLE)
    admins = [replace(one, roles=("admin",)) for one in (ANN, BEN)]
    assert ask(subject, change(subject, reserve=100), admins[0]).answer["asked"]
    assert ask(subject, change(subject, reserve=200), LOOKER, admins[1]).answer["ok"]
    heard = ask(subject, Confirm("main-1"), *admins)
    assert refusal(heard.answer) == changed("changed_terms")


def tenth(subject: OfEngine, round_: str, on: str) -> str:
    """A straight flush at the table, which takes a tenth of the meter; its hit."""
    frame(subject, wager(round_), on)
    flush = Claim(3, ("9s", "8s", "7s"))
    return str(
        frame(subject, Settle(round_, (flush,), ("Js", "Ts"), close=True), on).answer["awards"][0]["hit"]
    )


def of_tenths() -> OfEngine:
    """A link on which a straight flush takes a tenth of the meter, on three tables that no hit holds."""
    subject = OfEngine()
    subject.open(Link("L", "ma-PTMGL01", options={"primary": {"": "10"}, "hold_table": False}))
    for name in ("T1", "T2", "T3"):
        subject.add(Table(name, links=("L",)))
    return subject


def test_the_awards_that_an_undo_would_raise_are_those_that_were_seen() -> None:
    """A11: the same sum on the same level, but another winner's: two people have seen the first one's."""
    subject = of_tenths()
    first, second = tenth(subject, "r1", "T1"), tenth(subject, "r1", "T2")
    undo = hits.Undo(first, "misdealt")
    mark = shown(subject, undo)
    assert ask(subject, undo, ANN).answer["asked"]
    assert ask(subject, hits.Undo(second, "misdealt"), BEN).answer["ok"]
    for act in (Reopen("T2", "r1", "misdealt"), VoidRound("T2", "r1", "misdealt")):
        assert ask(subject, act, BEN, CAL).answer["ok"]
    tenth(subject, "r2", "T3")
    refused(subject, "changed_raised")
    assert shown(subject, undo) != mark
    assert ask(subject, undo, ANN, BEN).answer["ok"]


def test_the_awards_of_which_an_undo_would_leave_something_are_those_that_were_seen() -> None:
    """A11: nothing else is raised, but a paid award's difference would now wait for a decision."""
    subject = of_tenths()
    first, second = tenth(subject, "r1", "T1"), tenth(subject, "r1", "T2")
    undo = hits.Undo(first, "misdealt")
    mark, sight = shown(subject, undo), preview_of(subject.engine.state, event_of(subject, undo))
    assert (sight.raised, sight.leaving) == ([3], [])
    for act in (hits.Validate(second), *subject.payments(second)):
        who = CAL if isinstance(act, hits.Validate) else PAYER
        assert ask(subject, act, who).answer["ok"]
    sight = preview_of(subject.engine.state, event_of(subject, undo))
    assert (sight.raised, sight.leaving) == ([], [3])
    assert shown(subject, undo) != mark


def test_a_transfer_goes_to_meters_with_the_limits_that_were_seen() -> None:
    """L7, L8: with a lower limit the same money would stand in the overflow; as it was, it is confirmed."""
    ada, bob = (Signed(number, ("admin", "floor")) for number in (1, 2))
    for command in (Transfer("L", "M", "a new game"), CloseLink("L", "a new game", "M")):
        subject = two_links(limit={"": "10000.42"})
        played(subject)
        assert ask(subject, Suspend("operator", ("L", "M"), "works"), ada).answer["ok"]
        mark = shown(subject, command)
        assert ask(subject, command, ada).answer["asked"]
        before = subject.engine.state.links[1].terms
        assert ask(subject, ChangeLink(limited(before, SEED), "approved"), ada, bob).answer["ok"]
        assert shown(subject, command) != mark
        heard = ask(subject, Confirm("main-1"), ada, bob)
        assert refusal(heard.answer) == changed("changed_limits")
        assert ask(subject, ChangeLink(before, "a slip"), ada, bob).answer["ok"]
        assert shown(subject, command) == mark
        assert ask(subject, Confirm("main-1"), ada, bob).answer["ok"]
        assert meter(subject, "M") == (SEED + 42 * CENT, 10 * CENT, 0)


def limited(terms: LinkTerms, limit: int) -> LinkTerms:
    """The same terms with another limit."""
    return replace(terms, levels=(replace(terms.levels[0], limit=limit),))


def test_what_other_refuses_it_is_said_first() -> None:
    """A10: an award that was undone meanwhile is not there, whatever was seen of it."""
    subject = won()
    asked_for(subject, CORRECT)
    assert ask(subject, hits.Undo("H1", "misdealt"), BEN).answer["ok"]
    assert confirm(subject).answer["code"] == "undone"


def test_a_forged_confirmation_of_what_has_changed_is_found() -> None:
    """S8: a row that says that the second person confirmed it is decided against what the first one saw."""
    subject = won()
    asked_for(subject, LESS)
    jackpot(subject, 1)
    people = People(proof=Proof((ANN, BEN), 5, b"h" * 32, 1, 1_000))
    event = ACT_OF[CorrectMeter].decide(subject.engine.state, LESS, ActContext(people))
    body = row_commands.encode(event, LESS)
    row = DecidedEntry(
        subject.engine.seq + 1, 1, event.kind, RULES_VERSION, None, None, None, b"f" * 16, body, ()
    )  # fmt: skip
    what = phrase("changed_meter")
    why = phrase("request_changed", request="main-1", what=what)
    assert english(why.template, why.values) in (redecide.check(subject.auditor, row, event) or "")


def shown(subject: OfEngine, command: ActCommand) -> bytes:
    """The mark of what people are shown that the act would do now."""
    event = event_of(subject, command)
    return mark_of(preview_of(subject.engine.state, event), event)


def event_of(subject: OfEngine, command: ActCommand) -> Event:
    """What two people's act would come to now."""
    return ACT_OF[type(command)].decide(subject.engine.state, command, ActContext(People(("one", "other"))))


def ask_as_shown(subject: OfEngine, mark: bytes, *who: Signed) -> Heard:
    return subject.execute(LESS, proof=Proof(who, 5, b"h" * 32, seen=mark))


@pytest.mark.parametrize("who", [(ANN,), (ANN, BEN)])
def test_what_was_shown_beforehand_is_asked_for_as_it_was_shown(who: tuple[Signed, ...]) -> None:
    """L8, S8: an old page asks for nothing else than it showed; wagers alone make no page old."""
    subject = won()
    mark = shown(subject, LESS)
    lost(subject, 1)
    assert ask_as_shown(subject, mark, *who).answer["ok"]
    jackpot(subject, 2)
    before, requests = subject.meters(), waiting(subject)
    answer = ask_as_shown(subject, mark, *who).answer
    assert refusal(answer) == ("changed", "shown_otherwise")
    event = last(subject)
    assert isinstance(event, ActRefused)
    assert event.people.proof.seen == mark
    assert (subject.meters(), waiting(subject)) == (before, requests)
    assert ask_as_shown(subject, shown(subject, LESS), *who).answer["ok"]
    for name in waiting(subject):
        assert ask(subject, Reject(name, "asked anew"), BEN).answer["ok"]
    assert ask_as_shown(subject, b"", *who).answer["ok"], "who was shown nothing asks as ever"


def test_who_confirms_may_say_what_they_were_shown() -> None:
    """L8: the second person's page is as old as theirs, too."""
    subject = won()
    asked_for(subject, LESS)
    for mark, code in ((b"x" * 16, "changed"), (shown(subject, LESS), "")):
        proof = Proof((ANN, BEN), 5, b"h" * 32, seen=mark)
        assert subject.execute(Confirm("main-1"), proof=proof).answer.get("code", "") == code


PAY: Final = hits.Pay("H1", document="W-1")
MEANWHILE: Final[dict[str, Callable[[OfEngine, int], object]]] = {
    "wager": lost,
    "void": voided,
    "win": jackpot,
    "pay": lambda subject, _: [ask(subject, *one) for one in ((hits.Validate("H1"), CAL), (PAY, PAYER))],
    "undo": lambda subject, _: ask(subject, hits.Undo("H2", "misdealt"), CAL, BEN),
    "correct": lambda subject, number: ask(subject, replace(CORRECT, amount=900_000 + number), CAL, BEN),
    "set right": lambda subject, _: ask(subject, replace(LESS, reason="a slip"), CAL, BEN),
    "set back": lambda subject, _: ask(subject, replace(LESS, amount=-LESS.amount), CAL, BEN),
}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((LESS, CORRECT, hits.Undo("H1", "misdealt"))),
    st.lists(st.sampled_from(sorted(MEANWHILE)), max_size=4),
)
def test_what_is_confirmed_moves_what_was_seen_or_nothing(command: ActCommand, meanwhile: list[str]) -> None:
    """A10, L8: whatever comes between, the level's awards, corrections and transfers move as was seen.

    An act on a meter is done only where nothing but wagers moved it since, by the postings; where it is
    refused it moves nothing.
    """
    subject = won()
    jackpot(subject, 0)
    level = asked_for(subject, command)
    since = len(subject.entries)
    for number, step in enumerate(meanwhile, 1):
        MEANWHILE[step](subject, number)
    between = [posting for entry in subject.entries[since:] for posting in entry.postings]
    heard = confirm(subject)
    if heard.answer["ok"]:
        assert heard.entry is not None
        assert _sums(heard.entry.postings) == level.change.values()[5:]
    else:
        assert heard.entry is None or heard.entry.postings == ()
    if command is LESS and "set right" not in meanwhile:
        house = sum(posting.house for posting in between if posting.level)
        apart = house != 0 or any(_sums(between))
        assert heard.answer.get("code", "done") == ("changed" if apart else "done")


def _sums(postings: tuple[Posting, ...] | list[Posting]) -> tuple[int, ...]:
    """What they move of a level's awards, corrections and transfers."""
    of_level = [posting for posting in postings if posting.level]
    return tuple(
        sum(getattr(one, name) for one in of_level) for name in ("awards", "corrections", "transfers")
    )


@pytest.mark.parametrize(
    ("looked_at", "asked"),
    [
        (LESS, CorrectMeter("L", "meter", LESS.amount, LESS.reason, "reserve")),
        (hits.Validate("H1"), hits.Validate("H2")),
        (hits.Undo("H1", "misdealt"), hits.Undo("H2", "misdealt")),
    ],
)
def test_what_was_shown_of_one_thing_is_no_look_at_another(looked_at: ActCommand, asked: ActCommand) -> None:
    """L8: two acts may move the same sums; who looked at the one has not seen the other."""
    subject = won()
    jackpot(subject, 2)
    raised = CorrectMeter("L", "meter", -LESS.amount, "there is as much there", "reserve")
    assert subject.execute(raised, people=PEOPLE).answer["ok"]
    assert shown(subject, looked_at) == shown(subject, looked_at)
    assert shown(subject, looked_at) != shown(subject, asked)
