"""Acts on rounds that take two different people, and what waits until the second one has answered."""

from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from controllers.messages import On
from jackpot.rules import commands, events, registry, views
from jackpot.rules.acts.hits import Undo
from jackpot.rules.acts.rounds import AgreeToReopen, Decline, Reopen, Reopened, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.rounds.betting import ASKED_HOLDS_MS
from jackpot.rules.signing import People, Proof, Signed
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Close, Lock, Settle, Wager
from tests.ledger.people import Paper
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, royal, send, wager
from tests.said import Heard

ADA, GRACE, BOTH = ("Ada",), ("Grace",), ("Ada", "Grace")
REOPEN = Reopen("T1", "r1", "missed")
KEEP = Decline("T1", "r1", "nothing was missed")
BOARD, DEALER = ("9s", "Ts", "Js", "2c", "2d"), ("4c", "5d")


def closed() -> OfEngine:
    """A table whose round r1 has ended without a winner."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, Close("r1"))
    return subject


def last_event(subject: OfEngine) -> events.Event:
    entry = subject.entries[-1]
    return registry.decode(entry.kind, entry.version, entry.body)


# Who reopens a round, and what waits meanwhile (T10)


def test_two_people_reopen_at_once_or_one_after_the_other() -> None:
    """T10: a second, different person answers, by whatever spelling of a name; both are journalled."""
    subject = closed()
    assert subject.execute(REOPEN, people=ADA).answer == {"ok": True, "asked": True}
    assert send(subject, 3, royal()).answer["code"] == "no_such_round"
    for same in ("Ada", " ada ", "ADA"):
        assert subject.execute(REOPEN, people=(same,)).answer["code"] == "two_people"
    assert "asked" not in subject.execute(REOPEN, people=GRACE).answer
    reopened = last_event(subject)
    assert isinstance(reopened, Reopened)
    assert reopened.people == People(("Ada", "Grace"))
    assert send(subject, 4, royal()).answer["awards"][0]["amount"] == 1_000_042
    assert subject.execute(REOPEN, people=BOTH).answer["ok"]
    assert send(subject, 5, Close("r1")).answer["t"] == "ack"


ANN, BEN = Signed(1, ("floor",)), Signed(2, ("floor",))


def test_nobody_answers_for_who_no_longer_waits() -> None:
    """T10: who asked stands for a reopening only while they wait, with what they had then."""
    subject = closed()

    def said(command: commands.ActCommand, *signed: Signed) -> Any:
        answer = subject.execute(command, proof=Proof(signed, 5, bytes(32))).answer
        return "ok" if answer["ok"] else answer["code"]

    agree = AgreeToReopen("T1", "r1", "missed")
    assert said(agree, ANN, BEN) == "stale", "nobody asked"
    assert said(REOPEN, ANN) == "ok"
    assert said(REOPEN, BEN) == "stale", "somebody asked meanwhile"
    assert said(agree, BEN, ANN) == "stale", "it was another who asked"
    assert said(agree, replace(ANN, lost=4), BEN) == "expired"
    assert said(agree, replace(ANN, lost=4, roles=()), BEN) == "expired", "and not only that they may not"
    assert said(agree, ANN, ANN) == "not_allowed"
    assert said(KEEP, ANN) == "ok"
    assert said(agree, ANN, BEN) == "stale", "they said no meanwhile"
    assert said(REOPEN, ANN) == "ok"
    assert said(agree, ANN, BEN) == "ok"


def test_a_name_and_its_other_spelling_are_one_person() -> None:
    """T10: two spellings at once only ask; nobody at all is nobody, however many blanks it has."""
    subject = closed()
    assert subject.execute(REOPEN, people=("Ada  Lee", " ADA LEE")).answer["asked"]
    assert subject.execute(Release("T1", "x"), people=("  ",)).answer["code"] == "no_person"


def test_a_table_opens_no_new_round_while_a_second_person_has_not_answered() -> None:
    """T10: `table_held`, that uses up no number, for 15 minutes at most; the wager after it says how long."""
    subject = closed()
    subject.execute(REOPEN, people=ADA, tick=1_000_000)
    for waited in (0, ASKED_HOLDS_MS - 1):
        held = send(subject, 3, wager("r2"), tick=1_000_000 + waited).answer
        assert (held["code"], held["expected"]) == ("table_held", 3)
    assert send(subject, 1, wager("x1"), table="T2").answer["t"] == "ack"
    assert send(subject, 3, wager("r2"), tick=1_000_000 + ASKED_HOLDS_MS).answer["t"] == "ack"
    wagered = last_event(subject)
    assert isinstance(wagered, events.Wagered)
    assert wagered.asked_ms == ASKED_HOLDS_MS
    assert subject.execute(REOPEN, people=GRACE).answer["code"] == "no_such_round"  # r2 is locked


def test_asking_again_does_not_hold_a_table_for_longer() -> None:
    """T10: at most 15 minutes a closed round, counted from the first asking, whatever is said since."""
    subject = closed()
    for asked in (1_000, 1_000 + ASKED_HOLDS_MS // 2):
        assert subject.execute(REOPEN, people=ADA, tick=asked).answer["asked"]
        assert send(subject, 3, wager("r2"), tick=asked + 1).answer["code"] == "table_held"
        assert subject.execute(KEEP, people=ADA, tick=asked + 2).answer["ok"]
    assert subject.execute(REOPEN, people=ADA, tick=2_000 + ASKED_HOLDS_MS // 2).answer["asked"]
    assert send(subject, 3, wager("r2"), tick=ASKED_HOLDS_MS).answer["code"] == "table_held"
    assert send(subject, 3, wager("r2"), tick=1_000 + ASKED_HOLDS_MS).answer["t"] == "ack"


def test_what_was_declined_holds_no_table() -> None:
    """T10: between a no and the next asking the table plays, and the no is given once."""
    subject = closed()
    subject.execute(REOPEN, people=ADA)
    assert subject.execute(KEEP, people=GRACE).answer["ok"]
    assert subject.execute(KEEP, people=GRACE).answer["code"] == "not_asked"
    assert views.round_of(subject.engine, "T1") == {
        "round": "r1",
        "state": "closed",
        "hits": [],
        "asked": None,
    }
    assert send(subject, 3, wager("r2")).answer["t"] == "ack"


def test_a_round_already_open_waits_for_the_reopened_one() -> None:
    """T10: it takes bets meanwhile, and is locked and settled after the reopened one, or voided."""
    subject = closed()
    send(subject, 3, wager("r2", lock=False))
    subject.execute(REOPEN, people=ADA)
    assert send(subject, 4, wager("r2", (5,), lock=False)).answer["t"] == "ack"
    for lock in (Lock("r2"), wager("r2", (6,))):
        held = send(subject, 5, lock).answer
        assert (held["code"], held["expected"]) == ("table_held", 5)
    subject.execute(REOPEN, people=GRACE)
    assert send(subject, 5, Lock("r2")).answer["code"] == "round_unfinished"
    assert send(subject, 6, royal()).answer["t"] == "ack"
    assert send(subject, 7, Lock("r2")).answer["t"] == "ack"


def test_a_round_already_open_is_locked_once_nobody_has_answered() -> None:
    """T10: after 15 minutes, which the entry says; then it is too late for the missed hand."""
    subject = closed()
    send(subject, 3, wager("r2", lock=False))
    subject.execute(REOPEN, people=ADA, tick=1_000)
    assert send(subject, 4, Lock("r2"), tick=1_000 + ASKED_HOLDS_MS).answer["t"] == "ack"
    locked = last_event(subject)
    assert isinstance(locked, events.Locked)
    assert locked.asked_ms == ASKED_HOLDS_MS
    assert subject.execute(REOPEN, people=GRACE).answer["code"] == "no_such_round"
    assert send(subject, 5, frames.Void("r2", "misdeal")).answer["t"] == "ack"


def test_a_table_that_was_held_stays_so_when_the_bank_looks_at_its_ledger_again() -> None:
    """T10: within an epoch the clock is the same, and what one person asked counts from when they did."""
    subject = closed()
    subject.execute(REOPEN, people=ADA, tick=1_000)
    subject.rebuild()
    assert send(subject, 3, wager("r2"), tick=ASKED_HOLDS_MS).answer["code"] == "table_held"
    assert send(subject, 3, wager("r2"), tick=1_000 + ASKED_HOLDS_MS).answer["t"] == "ack"


def test_a_table_that_was_held_stays_so_after_a_restart() -> None:
    """T10: the clock that counted is gone, so the 15 minutes count from the start; then the table plays."""
    subject = closed()
    subject.execute(REOPEN, people=ADA, tick=9_000_000)
    subject.take_over(5_000)
    for tick in (5_000, 5_000 + ASKED_HOLDS_MS - 1):
        assert send(subject, 3, wager("r2"), tick=tick).answer["code"] == "table_held"
    assert send(subject, 3, wager("r2"), tick=5_000 + ASKED_HOLDS_MS).answer["t"] == "ack"
    wagered = last_event(subject)
    assert isinstance(wagered, events.Wagered)
    assert wagered.asked_ms == ASKED_HOLDS_MS


def test_what_was_asked_before_a_restart_is_answered_after_it() -> None:
    """T10: the missed hand is not lost with the server that was asked."""
    subject = closed()
    subject.execute(REOPEN, people=ADA)
    subject.take_over()
    assert send(subject, 3, wager("r2"), tick=0).answer["code"] == "table_held"
    assert subject.execute(REOPEN, people=GRACE).answer["ok"]
    assert send(subject, 3, royal()).answer["t"] == "ack"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ann Lee", "\uff41\uff4e\uff4e  \uff2c\uff25\uff25"),
        ("Ren\u00e9", "Rene\u0301"),
        ("Stra\u00dfe", "STRASSE"),
        ("\u01c5", "d\u017e"),
    ],
)
def test_one_name_is_one_person_however_it_is_written(first: str, second: str) -> None:
    """A10, T10: full width, composed accents and case make no second person."""
    subject = closed()
    assert subject.execute(REOPEN, people=(first,)).answer["asked"]
    assert subject.execute(REOPEN, people=(second,)).answer["code"] == "two_people"


def test_nobody_is_called_nothing() -> None:
    """A10: an empty name stands for nothing, also not next to another."""
    subject = closed()
    for people in (("",), ("", "Ada"), ("Ada", "\u3000 ")):
        assert subject.execute(REOPEN, people=people).answer["code"] == "no_person"


def test_the_second_answer_may_be_no() -> None:
    """T10: the table plays on at once, and the round may be asked for again."""
    subject = closed()
    assert subject.execute(KEEP, people=GRACE).answer["code"] == "not_asked"
    subject.execute(REOPEN, people=ADA)
    assert subject.execute(KEEP, people=GRACE).answer["ok"]
    assert send(subject, 3, wager("r2", lock=False)).answer["t"] == "ack"
    assert subject.execute(REOPEN, people=GRACE).answer["asked"]


# A reopened round, whose cards are known (T6)


def test_a_reopened_round_is_voided_by_two_people_alone() -> None:
    """T6: neither table nor one person refunds wagers after the cards; people hear other reasons first."""
    subject = closed()
    subject.execute(REOPEN, people=BOTH)
    send(subject, 3, Settle("r1", royal().hands, royal().board))
    assert send(subject, 4, frames.Void("r1", "misdeal")).answer["code"] == "two_people"
    void = VoidRound("T1", "r1", "misdeal")
    assert subject.execute(void, people=ADA).answer["code"] == "award_standing"
    assert subject.execute(void, people=BOTH).answer["code"] == "award_standing"
    subject.execute(Undo("H1", "misdealt"), people=ADA)
    assert subject.execute(void, people=ADA).answer["code"] == "two_people"
    assert len(subject.execute(void, people=BOTH).answer["refunds"]) == 2
    assert subject.meters()["L", ""]["wagers"] == 0


@pytest.mark.parametrize("signed", [False, True])
def test_a_table_hears_that_people_voided_its_round(signed: bool) -> None:
    """T6: whether they gave a name on the server's machine or signed, the table is told what went back."""
    subject, paper = bank(), Paper()
    send(subject, 1, wager())
    who: dict[str, Any] = {"proof": paper.proof(paper.floor)} if signed else {"people": ADA}
    heard = subject.execute(VoidRound("T1", "r1", "misdeal"), **who)
    (told,) = [push.message for push in heard.pushes if push.table == "T1" and push.message["t"] == "round"]
    assert (told["state"], told["refunds"]) == ("void", heard.answer["refunds"])


# Wagers on a hand of the dealer that cannot be shown (T8)


def dealer_floor() -> tuple[OfEngine, "Send"]:
    subject = OfEngine()
    subject.open(Link("L", "pa-653a-five-card-hand-bonus"))
    subject.open(Link("P", "pa-653a-progressive-A"))
    subject.add(Table("T1", "ultimate-texas-holdem", 6, links=("L", "P")))
    return subject, Send(subject)


class Send:
    """Frames of T1, numbered by themselves."""

    def __init__(self, subject: OfEngine) -> None:
        self._subject, self._seqs = subject, count(1)

    def __call__(self, command: commands.Command) -> Heard:
        return send(self._subject, next(self._seqs), command)


ON_DEALER = Wager("r1", (Bet(5, "L", 100), Bet(5, "P", 100), Bet(2, "L", 100, on="dealer")), lock=True)


def test_a_round_does_not_close_over_unpaid_wagers_on_the_dealers_hand() -> None:
    """T8, WIRE: `close` is `bad_message` naming `dealer`, after the count; once shown they are settled."""
    _, frame = dealer_floor()
    frame(Wager("r1", ON_DEALER.bets, lock=True, chips={"P": 2}))
    assert frame(Close("r1")).answer["code"] == "chip_mismatch"
    frame(Lock("r1", {"P": 1}))
    refused = frame(Close("r1")).answer
    assert (refused["code"], refused["message"].partition(":")[0]) == ("bad_message", "dealer")
    assert frame(Settle("r1", (), BOARD, DEALER, close=True)).answer["t"] == "ack"


def test_two_people_strike_wagers_on_a_dealers_hand_that_cannot_be_shown() -> None:
    """T8, A11: with a reason; they are returned, the rest is settled, and the round can close."""
    subject, frame = dealer_floor()
    frame(ON_DEALER)
    before = subject.meters()["L", ""]
    strike = Strike("T1", "r1", 2, "L", "the dealer's cards fell", on="dealer")
    assert subject.execute(strike, people=ADA).answer["code"] == "two_people"
    answer = subject.execute(strike, people=BOTH).answer
    assert [(one["seat"], one["on"], one["amount"]) for one in answer["refunds"]] == [(2, "dealer", 100)]
    assert subject.meters()["L", ""]["wagers"] == before["wagers"] // 2
    settled = frame(Settle("r1", (Claim(5, ("Ks", "Qs")),), BOARD, close=True)).answer
    assert [award["link"] for award in settled["awards"]] == ["L", "P"]


@pytest.mark.parametrize("on", ["own", "dealer"])
def test_people_strike_nothing_that_the_cards_have_decided(on: On) -> None:
    """T8, T3: after the lock only a wager on a hand of the dealer that was not shown is struck."""
    subject, frame = dealer_floor()
    frame(ON_DEALER)
    frame(Settle("r1", (Claim(5, ("3c", "3d")),), BOARD, DEALER))
    strike = Strike("T1", "r1", 2 if on == "dealer" else 5, "L", "slip", on)
    refused = subject.execute(strike, people=BOTH).answer
    assert refused["code"] == {"own": "not_mismatch", "dealer": "dealer_shown"}[on]


def test_a_count_that_disagrees_takes_back_wagers_of_its_own_link_alone() -> None:
    """T3, T8: electronic wagers are not counted; one on the dealer's hand takes two people as ever."""
    subject, frame = dealer_floor()
    frame(Wager("r1", ON_DEALER.bets, lock=True, chips={"P": 0}))
    own: dict[str, Any] = {"table": "T1", "round": "r1", "seat": 5}
    assert subject.act("strike", link="L", **own)["code"] == "not_mismatch"
    dealer: dict[str, Any] = {"table": "T1", "round": "r1", "seat": 2, "link": "L", "on": "dealer"}
    assert subject.act("strike", **dealer)["code"] == "two_people"
    assert subject.act("strike", people=2, **dealer)["warn"] == ["chip_mismatch"], "the count is still wrong"
    assert subject.act("strike", link="P", **own)["ok"]
    assert frame(Close("r1")).answer["t"] == "ack"


@pytest.mark.parametrize("hand", [("As", "Ks"), ("9d", "8c")], ids=["waits for its share", "lost"])
def test_no_wager_on_a_shown_dealers_hand_is_struck_by_a_count(hand: tuple[str, str]) -> None:
    """T3, T8, T5: with its only wager struck a waiting share would have nobody to be paid to."""
    subject = OfEngine()
    subject.open(Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"}))
    subject.open(Link("P", "pa-653a-progressive-A"))
    subject.add(Table("T1", "ultimate-texas-holdem", 6, links=("L", "P")))
    frame = Send(subject)
    frame(ON_DEALER)
    frame(Settle("r1", (Claim(5, ("2s", "3h")),), ("Js", "Ts", "Qs", "2d", "4h"), hand))
    assert frame(Lock("r1", {"P": 0})).answer["code"] == "chip_mismatch"
    strike = Strike("T1", "r1", 2, "L", "slip", "dealer")
    assert subject.execute(strike, people=ADA).answer["code"] == "dealer_shown"
    paid = frame(Close("r1")).answer.get("awards", [])
    assert [award["seat"] for award in paid if award["kind"] == "meter"] == ([2] if hand[0] == "As" else [])


def test_a_wager_that_waits_for_its_share_is_not_struck() -> None:
    """T3, T5: or its seat would be paid without a wager at the close."""
    subject = OfEngine()
    subject.open(Link("L", "ma-PTMGL01", options={"simultaneous": "share", "primary": {"": "10"}}))
    subject.add(Table("T1"))
    frame = Send(subject)
    frame(Wager("r1", (Bet(5, "L", 100), Bet(4, "L", 100)), lock=True, chips={"L": 2}))
    frame(Settle("r1", (Claim(5, ("As", "Ks", "Qs")), Claim(4, ("2h", "3c", "7d"))), ("Js", "Ts")))
    assert frame(Lock("r1", {"L": 1})).answer["code"] == "chip_mismatch"
    strike = Strike("T1", "r1", 5, "L", "slip")
    assert subject.execute(strike, people=BOTH).answer["code"] == "not_mismatch"
    awards = frame(Close("r1")).answer["awards"]
    assert [(award["seat"], award["kind"]) for award in awards] == [(5, "meter")]
