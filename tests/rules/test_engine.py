"""The order of a table's frames, resends, acts done once, and what stops the money."""

from hashlib import sha256

import pytest

from controllers import messages
from jackpot.rules import commands, engine, events, registry, views
from jackpot.rules.acts.hits import Correct, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import RawDraws, TableHello
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.paytable import TableTerms
from jackpot.rules.refusal import CODES
from jackpot.rules.registry import UnknownEventError
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Lock, Settle, Wager, malformed, numbered
from tests.rules.subject import OfEngine
from tests.said import Heard, told

ROYAL = ("As", "Ks", "Qs")
BOARD = ("Js", "Ts")


def bank(paytable: str = "pa-643a-five-card-A", **options: object) -> OfEngine:
    subject = OfEngine()
    subject.open(Link("L", paytable, options=options))
    subject.add(Table("T1"))
    subject.add(Table("T2"))
    return subject


def send(subject: OfEngine, seq: int, command: commands.Command, **fields: object) -> Heard:
    fields.setdefault("digest", sha256(repr(command).encode()).digest()[:16])
    return subject.execute(command, table=fields.pop("table", "T1"), table_seq=seq, **fields)


def wager(round_: str = "r1", seats: tuple[int, ...] = (3, 2), *, lock: bool = True) -> messages.Wager:
    return Wager(round_, tuple(Bet(seat, "L", 100) for seat in seats), lock)


def royal(round_: str = "r1", seat: int = 3) -> messages.Settle:
    return Settle(round_, (Claim(seat, ROYAL),), BOARD, close=True)


def test_a_resend_is_answered_again_and_applied_once() -> None:
    """S5, T2: the same seq with the same content gets the same answer and moves nothing."""
    subject = bank()
    first = send(subject, 1, wager())
    again = send(subject, 1, wager())
    assert first.entry is not None
    assert again.entry is None
    assert again.answer == first.answer == {"t": "ack", "seq": 1}
    assert subject.meters()["L", ""]["wagers"] == 420_000


def test_a_used_number_with_other_content_is_a_conflict_and_alarmed() -> None:
    """S4: nothing doubled; a seq that was used differently moves nothing and raises an alarm."""
    subject = bank()
    send(subject, 1, wager())
    outcome = send(subject, 1, wager(seats=(5,)))
    assert (outcome.answer["code"], outcome.answer["expected"]) == ("seq_conflict", 2)
    assert outcome.alarms[0][0] == "seq_conflict"
    assert outcome.entry is not None
    assert outcome.entry.postings == ()


def test_numbers_are_contiguous_and_only_the_last_answers_are_kept() -> None:
    """S4: a gap is not applied; an answer older than the last 64 is gone."""
    subject = bank()
    assert send(subject, 2, wager()).answer["code"] == "seq_gap"
    for seq in range(1, 66):
        send(subject, seq, malformed("t: unknown"))
    old = send(subject, 1, malformed("t: unknown"))
    assert (old.answer["code"], old.answer["expected"]) == ("seq_old", 66)
    assert send(subject, 2, malformed("t: unknown")).answer["code"] == "bad_message"


def test_a_refused_frame_uses_up_its_number() -> None:
    """T1: a durable refusal is journalled, answered and counted by its code."""
    subject = bank()
    outcome = send(subject, 1, malformed("bets[0].seat: not an integer"))
    assert outcome.answer == {
        "t": "nack",
        "seq": 1,
        "code": "bad_message",
        "message": "bets[0].seat: not an integer",
    }
    assert outcome.entry is not None
    assert views.statistics(subject.engine)["refusals"] == {"bad_message": 1}


def test_a_suspended_link_refuses_new_wagers_and_uses_no_number() -> None:
    """S4: suspended means certainly not applied; money already bet is settled as always."""
    subject = bank()
    send(subject, 1, wager())
    subject.act("suspend", link="L")
    assert send(subject, 2, royal()).answer["t"] == "ack"
    refused = send(subject, 3, wager("r2"))
    assert (refused.answer["code"], refused.answer["expected"]) == ("suspended", 3)
    assert refused.entry is None


def test_a_held_table_opens_no_round_until_its_papers_are_done() -> None:
    """T11: the table that made a cage award waits; the other tables play on."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    held = send(subject, 3, wager("r2"))
    assert (held.answer["code"], held.answer["expected"]) == ("table_held", 3)
    assert send(subject, 1, wager("x1"), table="T2").answer["t"] == "ack"
    subject.act("validate", hit="H1")
    subject.act("pay", hit="H1", seat=3)
    assert send(subject, 3, wager("r2")).answer["t"] == "ack"


def test_hits_of_two_tables_stand_in_the_order_in_which_they_became_durable() -> None:
    """T7: the order of near-simultaneous wins is the journal's and is shown."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 1, wager("x1"), table="T2")
    send(subject, 2, royal("x1"), table="T2")
    send(subject, 2, royal())
    shown = subject.engine.state.links[0].levels[0].shown
    assert [(hit.table, hit.cycle) for hit in shown] == [("T2", 1), ("T1", 2)]
    assert shown[0].amount == 10_000_840_000 // 10_000 * 10_000
    assert [hit["hit"] for hit in views.waiting_hits(subject.engine, 0, 9)[0]] == ["H1", "H2"]


def test_every_award_says_who_pays_and_lights_the_seat() -> None:
    """A8, A9: the cage pays a percentage, the inventory odds and envy; each lights its lamp."""
    subject = bank()
    send(subject, 1, wager())
    awards = send(subject, 2, royal()).answer["awards"]
    assert [(award["kind"], award["pays"], award["light"]) for award in awards] == [
        ("meter", "cage", True),
        ("envy", "inventory", True),
    ]


def test_no_payout_limit_reduces_an_award() -> None:
    """A12: a royal at a meter far above any per-hand limit is paid whole, and so is envy."""
    subject = bank("ma-lir-progressive", seed={"": "5000000.00"}, primary={"": "10"})
    send(subject, 1, wager())
    awards = send(subject, 2, royal()).answer["awards"]
    assert [award["amount"] for award in awards] == [500_000_020, 100_000]


def test_rates_give_whole_micros() -> None:
    """M1, M2: the smallest rate on the smallest wager is a whole number of micro-dollars."""
    subject = bank("ma-lir-progressive", seed={"": "10000"}, primary={"": "0.01"})
    send(subject, 1, wager(seats=(1,)))
    assert subject.meters()["L", ""]["primary"] == 10_000_000_000 + 100


def test_more_rounds_a_minute_than_allowed_are_unreasonable() -> None:
    """L11: refused durably and alarmed; a new epoch's clock counts from its start."""
    subject = bank()
    terms = TableTerms("T3", "let-it-ride", 7, ("L",), max_rounds_per_minute=2)
    subject.execute(OpenTable(terms))
    for number in range(2):
        send(subject, 2 * number + 1, wager(f"r{number}"), table="T3")
        send(subject, 2 * number + 2, frames.Close(f"r{number}"), table="T3")
    refused = send(subject, 5, wager("r3"), table="T3")
    assert refused.answer["code"] == "unreasonable"
    assert refused.alarms[0][0] == "unreasonable"
    subject.rebuild()
    assert send(subject, 6, wager("r4"), table="T3").answer["code"] == "unreasonable"
    subject.take_over()
    assert send(subject, 7, wager("r5"), table="T3").answer["t"] == "ack"


def test_a_round_that_the_ledger_did_not_take_is_not_counted() -> None:
    """L11: it is decided again within the minute, and is one round, not two."""
    subject = bank()
    subject.execute(OpenTable(TableTerms("T3", "let-it-ride", 7, ("L",), max_rounds_per_minute=1)))
    durable = subject.engine.snapshot()
    assert send(subject, 1, wager(), table="T3").answer["t"] == "ack"
    before, subject.engine = subject.engine, Engine.from_snapshot(durable)
    subject.engine.go_on(before)
    assert send(subject, 1, wager(), table="T3").answer["t"] == "ack"
    send(subject, 2, frames.Close("r1"), table="T3")
    assert send(subject, 3, wager("r2"), table="T3").answer["code"] == "unreasonable"


def test_a_table_has_no_more_seats_than_its_game() -> None:
    """L11, L1: seats a game, and games whose cards make the link's hand."""
    subject = bank()
    eight = subject.execute(OpenTable(TableTerms("T8", "let-it-ride", 8, ("L",))))
    cross = subject.execute(OpenTable(TableTerms("T9", "criss-cross-poker", 6, ("L",))))
    assert (eight.answer["code"], cross.answer["code"]) == ("too_many_seats", "wrong_game")


def test_an_act_asked_twice_is_done_once() -> None:
    """A10: an act that is asked again after a doubtful commit gets its first answer."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    act = Validate("H1")
    first = subject.execute(act, people=("Ada",), digest=b"v" * 16)
    again = subject.execute(act, people=("Ada",), digest=b"v" * 16)
    assert first.answer["ok"]
    assert again.answer == first.answer
    assert again.entry is None


def test_acts_need_someone_and_some_need_two() -> None:
    """A10, L8: nobody validates alone without a name; a pending award is corrected by two people."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    assert subject.execute(Validate("H1")).answer["code"] == "no_person"
    fix = Correct("A1", 900_000, "misread")
    assert subject.execute(fix, people=("Ada",)).answer["code"] == "two_people"
    assert subject.execute(fix, people=("Ada", "Ada")).answer["code"] == "two_people"
    assert subject.execute(fix, people=("Ada", "Grace")).answer["ok"]


def test_a_broken_invariant_is_refused_as_internal_and_stops_its_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S4: no message is a remote off switch: its links stop, the evidence is kept, the rest goes on."""

    def broken(*_: object, **__: object) -> None:
        message = "the books do not balance"
        raise InvariantError(message)

    subject = bank()
    with monkeypatch.context() as patch:
        patch.setitem(engine.DECIDE, messages.Wager, broken)
        outcome = send(subject, 1, wager())
    assert outcome.answer["code"] == "internal"
    assert [alarm for alarm, _ in outcome.alarms] == ["internal"]
    assert send(subject, 2, wager()).answer["code"] == "suspended"
    assert subject.execute(Resume("internal", ("L",), ""), people=("Ada", "Grace")).answer["ok"]
    assert send(subject, 2, wager()).answer["t"] == "ack"


@pytest.mark.parametrize("limit", [{}, {"meter": "100000.00"}])
def test_a_wager_on_books_that_do_not_balance_stops_the_money(limit: dict[str, str]) -> None:
    """M4: a micro-dollar too much, wherever it came from, is found by the next wager on that level."""
    subject = bank("pa-643a-three-card-A", limit=limit)
    assert send(subject, 1, wager(lock=False)).answer["t"] == "ack"
    subject.engine.state.links[0].levels[0].accounts.house += 1
    with pytest.raises(InvariantError, match=r"entry .* unbalances L\.meter"):
        send(subject, 2, wager(seats=(1,)))


def test_welcome_tells_what_to_finish() -> None:
    """S4: a table that lost its memory learns its round, its last answer and its open awards."""
    subject = bank()
    send(subject, 1, wager(lock=False))
    send(subject, 2, Lock("r1", {"L": 1}))
    welcome = subject.execute(TableHello(), table="T1").answer
    assert (welcome["last_seq"], welcome["last"]["warn"]) == (2, ["chip_mismatch"])
    assert welcome["round"]["state"] == "mismatch"
    assert welcome["round"]["bets"][0] == {"seat": 3, "link": "L", "on": "own", "player": None}
    assert welcome["links"] == [
        {
            "link": "L",
            "wager": 100,
            "paytable": "pa-643a-five-card-A",
            "levels": ["meter"],
            "state": "active",
        }
    ]
    assert subject.execute(TableHello(), table="T0").answer["code"] == "auth_failed"


def test_a_reading_is_taken_once_a_gaming_day() -> None:
    """S2: every meter, at the gaming day's end, once."""
    subject = bank()
    first = subject.execute(Reading("2026-11-20"))
    assert first.answer["ok"]
    assert subject.execute(Reading("2026-11-20")).answer["code"] == "read_already"


def test_draws_are_journalled_and_told_with_the_lock() -> None:
    """A7: one chance in N, drawn once a round after the lock."""
    subject = bank("pa-643a-five-card-hand-bonus", magic_every=5, lucky_every=5)
    draws = {"L": RawDraws(magic_chance=0, magic_card=0, lucky_chance=0, lucky_box=2)}
    answer = send(subject, 1, wager(), draws=draws).answer
    assert answer["draw"] == {"L": {"magic_card": "2s", "lucky_box": 2}}
    awards = send(subject, 2, frames.Close("r1")).answer["awards"]
    assert [(award["seat"], award["kind"], award["pays"], award["amount"]) for award in awards] == [
        (2, "draw", "account", 500)
    ]


def test_a_journal_of_a_newer_program_is_refused() -> None:
    """S3: an event that this program does not know stops the start, it is never guessed."""
    with pytest.raises(UnknownEventError):
        registry.decode(9999, 1, b"\x90")
    with pytest.raises(UnknownEventError):
        registry.decode(events.Wagered.kind, events.RULES_VERSION + 1, b"\x90")


def test_an_entry_out_of_order_is_refused() -> None:
    """S3: replay takes dense entries only."""
    with pytest.raises(InvariantError, match="does not follow"):
        engine.Engine("main").replay(DecidedEntry(2, 0, 21, 1, None, None, None, bytes(16), b"\x90", ()))


def test_every_refusal_that_the_rules_make_is_a_code_of_the_protocol() -> None:
    """T2: the codes are those of the protocol, each once."""
    assert len(set(CODES)) == len(CODES) == 27


def test_a_minute_is_over_after_sixty_seconds() -> None:
    """L11: a round opened exactly a minute ago counts no more, one a millisecond younger does."""
    subject = bank()
    terms = TableTerms("T3", "let-it-ride", 7, ("L",), max_rounds_per_minute=1)
    subject.execute(OpenTable(terms))

    def at(seq: int, tick: int, command: commands.Command) -> str:
        digest = bytes([seq]) * 16
        envelope = commands.Envelope(numbered(command, seq), 0, tick, digest, table="T3")
        return str(told(subject.engine.execute(envelope).answer).get("code", ""))

    assert at(1, 5_000, wager("r1")) == ""
    assert at(2, 5_001, frames.Close("r1")) == ""
    assert at(3, 64_999, wager("r2")) == "unreasonable"
    assert at(4, 65_000, wager("r2")) == ""


def test_a_link_is_told_to_resume_only_where_it_was_suspended() -> None:
    """S4: one reason taken away from every link reaches those that it held, once."""
    subject = bank()
    subject.open(Link("M", "pa-643a-five-card-A"))
    for _ in range(2):
        subject.execute(Suspend("cleaning", ("L",), ""), people=("Ada",))
    resumed = subject.execute(Resume("cleaning", (), ""), people=("Ada",))
    assert [push.message for push in resumed.pushes] == [
        {"t": "link", "link": "L", "state": "active", "reason": ""}
    ]
    assert subject.execute(Resume("cleaning", (), ""), people=("Ada",)).answer["code"] == "not_suspended"


def test_sums_are_shown_without_their_fraction_of_a_cent() -> None:
    """M3: what is shown is never more than what is there."""
    assert [to_cents(micros) for micros in (0, 9_999, 10_000, 19_999, 10_000_189_999)] == [
        0,
        0,
        1,
        1,
        1_000_018,
    ]
