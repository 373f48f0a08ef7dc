"""Requests that wait for a second person, and their ends; on a bank of links, with people of a site."""

from typing import Any

import msgspec
import pytest

from jackpot.rules import events, registry
from jackpot.rules import redecide as again
from jackpot.rules.acts.hits import Correct, Corrected, Pay, Undo, Validate
from jackpot.rules.acts.people import AddPerson, Grant
from jackpot.rules.acts.requests import (
    REFUSED_OF_ONE,
    REQUEST_HOLDS_MS,
    REQUESTS_MAX,
    REQUESTS_OF_ONE,
    ActRefused,
    Confirm,
    ExpireRequest,
    Reject,
    RequestExpired,
)
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.commands import Command
from jackpot.rules.engine import Engine
from jackpot.rules.epoch import HOUR
from jackpot.rules.phrases import english
from jackpot.rules.signing import Means, Proof, Signed
from jackpot.rules.state import ACTS_KEPT, ACTS_OF_ONE
from tests.frames import Close
from tests.rules.site import OfSite
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, royal, send, wager
from tests.said import Heard, refusal

ANN, BEN, CAL = (Signed(number, ("floor",)) for number in (3, 4, 5))
PAYER, LOOKER = Signed(6, ("cage",)), Signed(7, ("viewer", "auditor", "admin"))
CORRECT = Correct("A1", 900_000, "misread")


def won() -> OfEngine:
    """A bank with a royal flush, H1, that waits."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    return subject


def ask(subject: OfEngine, command: Command, *signed: Signed, seq: int = 5, tick: int | None = None) -> Heard:
    """These people ask, as the site had them at its entry `seq`."""
    fields = {} if tick is None else {"tick": tick}
    return subject.execute(command, proof=Proof(signed, seq, b"h" * 32), **fields)


def waiting(subject: OfEngine) -> list[str]:
    return [f"main-{request.id}" for request in subject.engine.state.requests]


def last(subject: OfEngine) -> events.Event:
    entry = subject.entries[-1]
    return registry.decode(entry.kind, entry.version, entry.body)


def test_one_asks_and_another_confirms() -> None:
    """A10: what takes two is done when the second confirms, as if both had asked; both are in the journal."""
    subject = won()
    before = subject.meters()
    answer = ask(subject, CORRECT, ANN).answer
    assert (answer["ok"], answer["asked"], answer["request"]) == (True, True, "main-1")
    assert subject.meters() == before
    subject.wait(1_000)
    done = ask(subject, Confirm("main-1"), ANN, BEN, seq=6).answer
    assert (done["ok"], done["awards"][0]["amount"]) == (True, 900_000)
    event = last(subject)
    assert isinstance(event, Corrected)
    assert event.people.signed == (ANN, BEN)
    assert (event.people.proof.seq, event.people.proof.request, event.people.proof.waited_ms) == (6, 1, 1_000)
    assert waiting(subject) == []


def test_two_at_once_wait_for_nobody() -> None:
    """A10: the second person signs on the first one's screen."""
    subject = won()
    answer = ask(subject, CORRECT, ANN, BEN).answer
    assert (answer["ok"], "asked" in answer) == (True, False)


def faulty(template: str, *values: int | str) -> tuple[Any, ...]:
    """The template and values of a confirmation by people who are not two. template, values: why."""
    return "request_signer_fault", "main-1", {"template": template, "values": list(values)}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (ANN, ANN, faulty("same_person", 3)),
        (BEN, CAL, ("request_needs_another", "main-1", 3)),
        (ANN, LOOKER, ("may_not", 7, "correct", ["floor", "cage"])),
        (ANN, Signed(4, ("floor",), "token"), faulty("signed_in_by_other_means", 4, "token")),
        (ANN, Signed(4, ("floor",), "login"), faulty("signed_in_by_other_means", 4, "login")),
        (ANN, Signed(4, ("floor",), "secret", 3), faulty("password_by_code", 4, 3)),
        (Signed(3, ("viewer",)), BEN, ("may_not", 3, "correct", ["floor", "cage"])),
    ],
)
def test_who_cannot_confirm(first: Signed, second: Signed, said: tuple[Any, ...]) -> None:
    """One person as both, somebody without the power, a token, the machine's login, a giver of the code.

    An asker who has lost the power meanwhile asks for nothing any more. Each is in the journal.
    """
    subject = won()
    ask(subject, CORRECT, ANN)
    answer = ask(subject, Confirm("main-1"), first, second).answer
    assert refusal(answer) == ("not_allowed", *said)
    refused = last(subject)
    assert isinstance(refused, ActRefused)
    assert refused.people.signed == (first, second)
    assert waiting(subject) == ["main-1"], "it waits for somebody else"


@pytest.mark.parametrize("means", ["token", "login"])
def test_a_token_or_a_login_may_ask(means: Means) -> None:
    """A program, or who is known by the machine alone, asks, and a person confirms."""
    subject = won()
    asker = Signed(3, ("floor",), means)
    assert ask(subject, CORRECT, asker).answer["request"] == "main-1"
    assert ask(subject, Confirm("main-1"), ANN, BEN).answer["code"] == "not_allowed", "not as they asked"
    assert ask(subject, Confirm("main-1"), asker, BEN).answer["ok"]


def test_what_two_would_be_refused_waits_for_nobody() -> None:
    """Misuse: a sum that cannot be, or a hit that is not there, is refused at once."""
    subject = won()
    for command, code in (
        (Correct("A1", 10**15, "x"), "bad_amount"),
        (Correct("A9", 1, "x"), "no_such_award"),
    ):
        assert ask(subject, command, ANN).answer["code"] == code
    assert waiting(subject) == []


def test_a_request_ends_after_a_quarter_of_an_hour() -> None:
    """T10's way of counting: not confirmed in time it is refused, and the server tells all that it ended."""
    subject = won()
    ask(subject, CORRECT, ANN, tick=10_000)
    early = subject.execute(ExpireRequest("main-1", REQUEST_HOLDS_MS - 1)).answer
    assert early["code"] == "not_asked"
    late = ask(subject, Confirm("main-1"), ANN, BEN, tick=10_000 + REQUEST_HOLDS_MS).answer
    assert late["code"] == "expired"
    heard = subject.execute(ExpireRequest("main-1", REQUEST_HOLDS_MS))
    assert [(name, facts["request"]) for name, facts in heard.alarms] == [("request_expired", "main-1")]
    assert isinstance(last(subject), RequestExpired)
    assert ask(subject, Confirm("main-1"), ANN, BEN).answer["code"] == "no_such_request"


def test_a_request_is_over_after_a_takeover() -> None:
    """Nobody knows how long it waited, by another clock; it is given no quarter of an hour once more."""
    subject = won()
    ask(subject, CORRECT, ANN, tick=10_000_000)
    subject.rebuild()
    assert subject.engine.epoch.waited_ms(subject.engine.state.requests[0], 10_001_000) == 1_000
    subject.take_over(5_000)
    assert ask(subject, Confirm("main-1"), ANN, BEN, tick=6_000).answer["code"] == "expired"
    waited = subject.engine.epoch.waited_ms(subject.engine.state.requests[0], 6_000)
    assert subject.execute(ExpireRequest("main-1", waited)).answer["ok"]
    again = ask(subject, CORRECT, ANN, tick=7_000).answer["request"]
    assert ask(subject, Confirm(again), ANN, BEN, tick=8_000).answer["ok"]


def test_a_right_that_was_lost_since_revives_no_request() -> None:
    """S8: a person who asked, and lost a right since, asks once more; one lost before is no matter."""
    subject = won()
    ask(subject, CORRECT, ANN)
    back = msgspec.structs.replace(ANN, lost=8)
    assert subject.execute(ExpireRequest("main-1", 1, 0)).answer["code"] == "not_asked"
    answer = subject.execute(Confirm("main-1"), proof=Proof((back, BEN), 9, b"h" * 32)).answer
    why = {"template": "over_after_lost_right", "values": []}
    assert refusal(answer) == ("expired", "request_over", "main-1", why)
    heard = subject.execute(ExpireRequest("main-1", 1, 8))
    assert [(name, facts["why"]) for name, facts in heard.alarms] == [
        ("request_expired", english("over_after_lost_right", ()))
    ]
    before = msgspec.structs.replace(ANN, lost=3)
    name = subject.execute(CORRECT, proof=Proof((before,), 9, b"h" * 32)).answer["request"]
    assert subject.execute(Confirm(name), proof=Proof((before, BEN), 9, b"h" * 32)).answer["ok"]


def test_a_request_is_rejected_by_another_or_by_the_asker() -> None:
    """Somebody says no; then nothing waits."""
    subject = won()
    for who in (BEN, ANN):
        name = ask(subject, CORRECT, ANN).answer["request"]
        assert ask(subject, Reject(name, "the cards are clear"), who).answer["ok"]
        assert waiting(subject) == []


def test_so_many_requests_wait_and_no_more() -> None:
    """Misuse: a program that asks for ever fills no memory, and leaves room for others."""
    subject = won()
    askers = [Signed(10 + number, ("floor",)) for number in range(REQUESTS_MAX // REQUESTS_OF_ONE)]
    for asker in askers:
        for number in range(REQUESTS_OF_ONE):
            other = Correct("A1", 100_000 * asker.id + number, "misread")
            assert ask(subject, other, asker).answer["asked"]
        assert ask(subject, CORRECT, asker).answer["code"] == "too_many"
    assert ask(subject, CORRECT, ANN).answer["code"] == "too_many"


def test_who_may_not_ask_for_it_rejects_it_for_nobody() -> None:
    """Misuse: a viewer's program keeps no act from being confirmed; the asker takes back whatever it is."""
    subject = won()
    ask(subject, CORRECT, ANN)
    for means in ("secret", "token"):
        viewer = msgspec.structs.replace(LOOKER, means=means)
        answer = ask(subject, Reject("main-1", "no"), viewer).answer
        assert refusal(answer) == ("not_allowed", "may_not_reject", LOOKER.id, "correct")
    assert waiting(subject) == ["main-1"]
    assert ask(subject, Reject("main-1", "mistaken"), Signed(ANN.id, (), "token")).answer["ok"]
    assert waiting(subject) == []


def test_who_was_faster_is_told_when_it_is_confirmed() -> None:
    """A stale page: the award was undone meanwhile, so what waits is refused as it would be now."""
    subject = won()
    ask(subject, CORRECT, ANN)
    assert ask(subject, Undo("H1", "misdealt"), BEN).answer["ok"]
    assert ask(subject, Confirm("main-1"), ANN, BEN).answer["code"] in ("undone", "no_such_award")
    refused = last(subject)
    assert isinstance(refused, ActRefused)
    assert (refused.people.signed, refused.people.proof.request) == ((ANN, BEN), 1)


def test_what_is_refused_to_who_signed_is_in_the_journal() -> None:
    """S8: every refusal with its command and who asked; it moves nothing, and a resend is answered again."""
    subject = won()
    before = subject.meters()
    heard = subject.execute(Pay("H1", document="W-1"), proof=Proof((PAYER,), 5, b"h"), digest=b"p" * 16)
    assert (heard.answer["code"], heard.entry is not None) == ("not_validated", True)
    again_ = subject.execute(Pay("H1", document="W-1"), proof=Proof((PAYER,), 5, b"h"), digest=b"p" * 16)
    assert (again_.answer, again_.entry) == (heard.answer, None)
    assert ask(subject, Validate("H1"), PAYER).answer["code"] == "not_allowed"
    assert subject.meters() == before
    assert subject.engine.state.refusals["not_validated"] == 1
    unproved = won().execute(Pay("H1", document="W-1"), people=("ann",))
    assert (unproved.answer["code"], unproved.entry) == ("not_validated", None)


def test_nobody_pushes_out_what_another_has_sent() -> None:
    """Misuse: after any number of one person's refused acts, another's resend gets its answer, and no more.

    Who confirms is who sends it, so that it takes nothing from the one who asked.
    """
    site = OfSite()
    viewer, admin, key = site.join("viewer"), site.proof(1), b"a" * 16
    added = site.execute(AddPerson(bytes(32)), proof=admin, digest=key).answer
    name = site.ask(Grant(viewer, "cage"), 1).answer["request"]
    assert added["ok"]
    for number in range(ACTS_OF_ONE + ACTS_KEPT):  # as often as an hour allows
        tried = site.execute(Confirm(name), proof=site.proof(1, viewer), tick=number * HOUR // REFUSED_OF_ONE)
        assert tried.answer["code"] == "not_allowed"
    again_ = site.execute(AddPerson(bytes(32)), proof=admin, digest=key)
    assert (again_.answer, again_.entry) == (added, None)
    kept = site.engine.state.acts
    assert (len(kept) <= ACTS_KEPT, sum(one.person == viewer for one in kept)) == (True, ACTS_OF_ONE)


def test_a_forged_refusal_is_found() -> None:
    """S8: a refusal is decided again from what was asked."""
    subject = won()
    entry = subject.execute(Pay("H1", document="W-1"), proof=Proof((PAYER,), 5, b"h"), digest=b"f" * 16).entry
    assert entry is not None
    event = registry.decode(entry.kind, entry.version, entry.body)
    fresh = won()
    ask(fresh, Validate("H1"), ANN)
    assert "the rules decide otherwise" in (again.check(fresh.engine, entry, event) or "")


def test_nobody_looks_back_behind_an_act_before() -> None:
    """S8: an act on people as they were before the last act's is refused, for a role may have ended since."""
    subject = won()
    assert ask(subject, Validate("H1"), ANN, seq=9).answer["ok"]
    heard = ask(subject, Undo("H1", "x"), ANN, seq=8)
    assert (heard.answer["code"], heard.entry) == ("stale", None)
    assert ask(subject, Undo("H1", "x"), ANN, seq=9).answer["ok"]


@pytest.mark.parametrize("asker", [ANN, BEN])
def test_what_waits_is_not_asked_for_once_more(asker: Signed) -> None:
    """Misuse: the same act, by whomever and for whatever reason, is refused with the request that waits."""
    subject = won()
    assert ask(subject, CORRECT, ANN).answer["request"] == "main-1"
    again = Correct(CORRECT.award, CORRECT.amount, "once more")
    assert refusal(ask(subject, again, asker).answer) == ("asked_already", "request_asked_already", "main-1")
    assert waiting(subject) == ["main-1"]
    assert ask(subject, Reject("main-1", "no"), BEN).answer["ok"]
    assert ask(subject, again, asker).answer["request"] == "main-2"


def test_a_missed_hand_has_a_wait_of_its_own() -> None:
    """T10: people who signed reopen a round one after the other, as names do; a name answers none of them."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, Close("r1"))
    reopen = Reopen("T1", "r1", "a missed hand")
    assert ask(subject, reopen, ANN, ANN).answer["code"] == "not_allowed"
    assert ask(subject, reopen, ANN).answer["asked"]
    assert ask(subject, reopen, ANN).answer["code"] == "not_allowed"
    assert ask(subject, reopen, PAYER).answer["code"] == "not_allowed"
    assert "asked" not in ask(subject, reopen, BEN, seq=6).answer


def test_requests_come_back_with_the_state() -> None:
    """S3: what waits is in the snapshot, and waits in a rebuilt engine."""
    subject = won()
    ask(subject, CORRECT, ANN)
    engine = Engine.from_snapshot(subject.engine.snapshot())
    assert [request.people.signed for request in engine.state.requests] == [(ANN,)]


def test_people_confirm_in_their_own_bank_too() -> None:
    """A role is asked for by one admin, and confirmed by the other."""
    site = OfSite()
    third = site.join("floor")
    assert site.ask(Grant(third, "cage"), 1).answer["request"] == "site-1"
    assert site.ask(Confirm("site-1"), 1, third).answer["code"] == "not_allowed"
    assert site.ask(Confirm("site-1"), 1, 2).answer["ok"]
    assert site.person(third).roles == ["floor", "cage"]


def test_one_persons_refusals_fill_no_journal() -> None:
    """Misuse: of the refusals of an hour the first are journalled; all are answered, and others' go on."""
    subject = won()
    for number in range(REFUSED_OF_ONE + 5):
        assert ask(subject, Pay("H9"), PAYER, tick=number).answer["code"] == "no_such_hit"
    refusals = [entry for entry in subject.entries if entry.kind == ActRefused.kind]
    assert len(refusals) == REFUSED_OF_ONE
    for tick, signed, kept in ((100, ANN, 1), (HOUR - 1, PAYER, 1), (HOUR, PAYER, 2)):
        assert (
            ask(subject, Validate("H9") if signed is ANN else Pay("H9"), signed, tick=tick).answer["code"]
            == "no_such_hit"
        )
        assert len([one for one in subject.entries if one.kind == ActRefused.kind]) == REFUSED_OF_ONE + kept


def test_what_was_done_another_way_waits_no_more() -> None:
    """S8: two do at once what waits; the request for the same ends with it, and another one stays."""
    subject = won()
    other = Correct("A1", 800_000, "misread")
    for command in (CORRECT, other):
        ask(subject, command, ANN)
    assert waiting(subject) == ["main-1", "main-2"]
    assert ask(subject, CORRECT, BEN, CAL).answer["ok"]
    assert waiting(subject) == ["main-2"]
    assert ask(subject, Confirm("main-1"), ANN, BEN).answer["code"] == "no_such_request"
