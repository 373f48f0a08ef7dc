"""A correction moves the live meter, the house, its own award, and nothing else (A10)."""

import pytest

from jackpot.rules import registry
from jackpot.rules.acts.hits import Correct, Corrected
from jackpot.rules.state import PAID_KEPT
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Settle, Wager
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, royal, send, wager
from tests.said import refusal

BOTH = ("Ada", "Grace")
DOLLAR = 1_000_000
SEED = 10_000 * DOLLAR
TENTH = Claim(3, ("8s", "7s", "9s"))


def fix(subject: OfEngine, award: str, amount: int, document: str = "") -> dict[str, object]:
    """Two people correct an award to this many cents."""
    command = Correct(award, amount, "misread", document)
    return subject.execute(command, people=BOTH).answer


def awards(subject: OfEngine) -> dict[str, tuple[int, str]]:
    found = (award for hit in subject.hits() for award in hit["awards"])
    return {award["award"]: (award["amount"], award["status"]) for award in found}


def primary(subject: OfEngine) -> int:
    return subject.meters()["L", ""]["primary"]


def won(subject: OfEngine, table: str = "T1", seats: tuple[int, ...] = (3,)) -> None:
    """A royal at the table, alone: A1 of 10,000.21 on the first."""
    found = subject.engine.table(table)
    assert found is not None
    seq, name = found.last_seq, f"{table}-{found.last_seq}"
    send(subject, seq + 1, wager(name, seats), table=table)
    send(subject, seq + 2, royal(name), table=table)


def test_a_correction_moves_no_other_award() -> None:
    """A10: each winner's sum was fixed at their turn, whatever an earlier one comes to."""
    subject = bank()
    won(subject)
    won(subject, "T2")
    before = awards(subject)
    assert fix(subject, "A1", 950_021)["ok"]
    assert awards(subject) == before | {"A1": (950_021, "pending")}
    assert primary(subject) == SEED + 500 * DOLLAR


def test_what_an_award_loses_is_on_the_live_meter_and_above_the_limit_in_overflow() -> None:
    """A10, L7: downward the primary takes the difference, up to its limit."""
    subject = OfEngine()
    options = {"limit": {"": "10003.00"}}
    subject.open(Link("L", "pa-643a-five-card-A", options=options))
    subject.add(Table("T1"))
    won(subject)
    fix(subject, "A1", 1_000_021 - 500)
    meter = subject.meters()["L", ""]
    assert (meter["primary"], meter["overflow"]) == (SEED + 3 * DOLLAR, 2 * DOLLAR)


def test_after_a_reseed_the_meter_gives_what_it_has_above_it_and_the_house_the_rest() -> None:
    """A10, M3: upward the primary gives whole cents down to the reseed; the house pays what is missing."""
    subject = bank()
    won(subject)
    house = subject.meters()["L", ""]["house"]
    send(subject, 1, wager("x1", (1, 2, 3)), table="T2")  # 0.63 above the reseed
    fix(subject, "A1", 1_000_021 + 20)
    assert (primary(subject), subject.meters()["L", ""]["house"]) == (SEED + 430_000, house)
    fix(subject, "A1", 1_000_021 + 120)
    assert (primary(subject), subject.meters()["L", ""]["house"]) == (SEED, house + 570_000)
    fix(subject, "A1", 1_000_021)
    assert primary(subject) == SEED + 1_200_000


def test_before_any_reseed_the_meter_gives_all_that_it_has() -> None:
    """A10: a tenth won on the first meter may be corrected below the seed, not below zero."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, Settle("r1", (TENTH,), ("Js", "Ts"), close=True))
    (amount, _), *_ = awards(subject).values()
    before = primary(subject)
    fix(subject, "A1", amount + 100_000)
    assert primary(subject) == before - 1_000 * DOLLAR
    house = subject.meters()["L", ""]["house"]
    fix(subject, "A1", amount + 2_000_000)
    assert primary(subject) == 0
    assert subject.meters()["L", ""]["house"] == house + 19_000 * DOLLAR - (before - 1_000 * DOLLAR)


def test_a_tenth_won_after_a_reseed_is_corrected_as_if_at_its_turn() -> None:
    """A10, A4: no reseed came with it or after it, so the meter may fall below the reseed as it had then."""
    subject = bank()
    won(subject)
    send(subject, 1, wager("x1"), table="T2")
    send(subject, 2, Settle("x1", (TENTH,), ("Js", "Ts"), close=True), table="T2")
    before = primary(subject)
    assert before < SEED
    fix(subject, "A2", awards(subject)["A2"][0] + 100)
    assert primary(subject) == before - DOLLAR
    subject.act("release", table="T1")
    won(subject)
    house = subject.meters()["L", ""]["house"]
    fix(subject, "A2", awards(subject)["A2"][0] + 100)
    assert subject.meters()["L", ""]["house"] == house + DOLLAR, "by now the meter is another"


def test_a_floor_holds_in_a_correction_too() -> None:
    """A10, A4: where `floor_to_seed` holds the house pays what would lower the meter below the reseed."""
    subject = OfEngine()
    options = {"primary": {"": "50"}, "floor_to_seed": True}
    subject.open(Link("L", "ma-PTMGL01", options=options))
    subject.add(Table("T1"))
    send(subject, 1, wager())
    send(subject, 2, Settle("r1", (TENTH,), ("Js", "Ts"), close=True))
    (amount, _), *_ = awards(subject).values()
    before = primary(subject)
    fix(subject, "A1", amount + 100_000)
    assert primary(subject) == before, "it was topped up to its reseed before"


def test_a_corrected_award_waits_for_its_validation() -> None:
    """A10: a validated award is pending again, and its table is told."""
    subject = bank()
    won(subject)
    subject.act("validate", hit="H1")
    outcome = subject.execute(Correct("A1", 900_000, "misread"), people=BOTH)
    assert awards(subject)["A1"] == (900_000, "pending")
    assert [push.message["status"] for push in outcome.pushes if push.table == "T1"] == ["pending"]


@pytest.mark.parametrize("later", [False, True], ids=["its round can be reopened", "long after"])
def test_the_sum_of_a_paid_award_never_changes(later: bool) -> None:
    """A10: the difference is journalled against it, with a document's number, and the same accounts move."""
    subject = bank()
    won(subject)
    subject.act("validate", hit="H1")
    subject.act("pay", hit="H1")
    if later:
        send(subject, 3, wager("r2"))
        assert not subject.engine.state.hits
    before = primary(subject)
    refused = fix(subject, "A1", 1_000_021 - 500)
    assert refusal(refused) == ("no_document", "document_of_difference", "A1", "paid")
    assert fix(subject, "A1", 1_000_021 - 500, "W-2271")["difference"] == -500
    entry = subject.entries[-1]
    journalled = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(journalled, Corrected)
    assert (journalled.document, journalled.people.names) == ("W-2271", BOTH)
    state = subject.engine.state
    kept = next(iter((*state.hits.values(), *state.paid.values()))).awards[0]
    assert (kept.amount, kept.status) == (1_000_021 * 10_000, "paid")
    assert primary(subject) == before + 5 * DOLLAR
    assert fix(subject, "A1", 1_000_021, "W-2272")["difference"] == 500, "counted from what it came to"
    assert subject.meters()["L", ""]["awards"] == 1_000_021 * 10_000
    assert fix(subject, "A1", -1, "W-2273")["code"] == "bad_amount"


def test_the_house_pays_what_odds_are_corrected_by() -> None:
    """A10, A1: the meter has no part in odds, envy and draws."""
    subject = bank()
    won(subject, seats=(3, 2))
    before = subject.meters()
    assert awards(subject)["A2"] == (100_000, "pending")
    assert fix(subject, "A2", 90_000)["ok"]
    assert subject.meters() == before
    link = subject.engine.state.links[0]
    assert (link.outside.awards, link.outside.house) == (900 * DOLLAR, -900 * DOLLAR)


def test_an_undo_takes_the_correction_with_it() -> None:
    """A10, A11: the meter is what it would have been without the hit, also where the house had helped."""
    subject = bank()
    send(subject, 1, wager("x1", (1,)), table="T2")
    won(subject)
    for cents in (1_000_100, 1_200_000, 990_000):
        fix(subject, "A1", cents)
        send(subject, subject.engine.state.tables[1].last_seq + 1, frames.Close("x1"), table="T2")
    assert subject.act("undo", hit="H1")["ok"]
    meter = subject.meters()["L", ""]
    assert (meter["primary"], meter["house"], meter["awards"]) == (SEED + 420_000, SEED, 0)


def test_a_later_hit_stands_on_the_meter_as_it_was_corrected() -> None:
    """A10, A11: undoing the corrected award gives the later one what both had taken."""
    subject = bank()
    won(subject)
    fix(subject, "A1", 900_021)  # 1,000.00 more on the meter
    won(subject, "T2")
    assert awards(subject)["A2"] == (1_100_021, "pending")
    assert subject.act("undo", people=2, hit="H1")["ok"]
    assert awards(subject)["A2"] == (1_100_021, "pending"), "published: never lowered"
    meter = subject.meters()["L", ""]
    assert (meter["primary"], meter["awards"]) == (SEED, 1_100_021 * 10_000)


def test_corrections_outlive_the_folding_of_history() -> None:
    """A11: what can no longer change is folded into the base, corrections and the first reseed too."""
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A", options={"hold_table": False}))
    subject.add(Table("T1"))
    for number in range(90):
        send(subject, 2 * number + 1, Wager(f"r{number}", (Bet(3, "L", 100),), lock=True))
        send(subject, 2 * number + 2, royal(f"r{number}"))
        subject.act("validate", hit=f"H{number + 1}")
        subject.act("pay", hit=f"H{number + 1}")
        fix(subject, f"A{number + 1}", 1_000_000, "W")
    level = subject.engine.state.links[0].levels[0]
    assert level.history.base != level.accounts
    assert len(level.history.points) < 3 * 90
    assert level.history.reseeded[0] > 0
    fix(subject, "A90", 2_000_000, "W")
    assert level.accounts.primary == SEED


def test_no_more_paid_hits_are_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: the oldest paid hit makes room; its award is met in the books of the cage from then on."""
    monkeypatch.setattr("jackpot.rules.rounds.apply.PAID_KEPT", 2)
    assert PAID_KEPT > 2
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A", options={"hold_table": False}))
    subject.add(Table("T1"))
    for number in range(4):
        send(subject, 2 * number + 1, Wager(f"r{number}", (Bet(3, "L", 100),), lock=True))
        send(subject, 2 * number + 2, royal(f"r{number}"))
        subject.act("validate", hit=f"H{number + 1}")
        subject.act("pay", hit=f"H{number + 1}")
    assert list(subject.engine.state.paid) == [2, 3]
    assert fix(subject, "A1", 0, "W")["code"] == "no_such_award"
    assert fix(subject, "A2", 0, "W")["ok"]


def final(*, close: bool = False) -> OfEngine:
    """A full house at T1 that is final at once: A1 of 50.00, by the house."""
    subject = bank(validate_at="500.00")
    send(subject, 1, wager(seats=(3,)))
    send(subject, 2, Settle("r1", (Claim(3, ("9s", "9h", "2d")),), ("9d", "2c"), close=close))
    assert awards(subject)["A1"] == (5_000, "final")
    return subject


@pytest.mark.parametrize("cents", [0, 25_000])
def test_an_undo_takes_the_difference_of_a_final_award_with_it(cents: int) -> None:
    """A10, A11: the house has nothing to do with a hand that was void, nor has the sum by who pays (S1)."""
    subject = final()
    assert fix(subject, "A1", cents, "W-1")["ok"]
    assert subject.act("undo", hit="H1")["ok"]
    link = subject.engine.state.links[0]
    assert (link.outside.awards, link.outside.house, link.paid_by) == (0, 0, {"inventory": 0})
    assert not link.suspended


def test_a_final_award_is_corrected_after_the_next_lock_too() -> None:
    """A10: what was final at once is settled, and kept for corrections as what people paid."""
    subject = final(close=True)
    send(subject, 3, wager("r2"))
    assert fix(subject, "A1", 6_000, "W-1")["difference"] == 1_000
    assert subject.engine.state.links[0].outside.awards == 60 * DOLLAR


def test_envy_is_not_paid_before_its_hand_is_validated_again() -> None:
    """A10: an envy bonus waits for the hand, which a correction has made pending again."""
    subject = bank()
    won(subject, seats=(3, 2))
    assert subject.act("validate", hit="H1")["ok"]
    assert fix(subject, "A1", 900_000)["ok"]
    assert subject.act("pay", hit="H1")["code"] == "hand_pending"
    assert subject.act("pay", award="A2")["code"] == "hand_pending"
    assert subject.act("validate", hit="H1")["ok"]
    assert all(subject.act("pay", hit="H1", seat=seat)["ok"] for seat in (3, 2))
    assert {status for _, status in awards(subject).values()} == {"paid"}


def test_envy_waits_until_its_hand_has_its_share() -> None:
    """A10, T5: before the close the hit holds the envy alone; its hand is no hand without a wager."""
    subject = bank("ma-PTMGL01", simultaneous="share", primary={"": "10"})
    send(subject, 1, wager(seats=(3, 2)))
    hands = (Claim(3, ("As", "Ks", "Qs")), Claim(2, ("2h", "3c", "7d")))
    send(subject, 2, Settle("r1", hands, ("Js", "Ts")))
    assert len(awards(subject)) == 1, "the envy of seat 2"
    assert subject.act("validate", hit="H1")["code"] == "hand_pending"
    assert subject.act("validate", award="A1")["code"] == "hand_pending"
    send(subject, 3, frames.Close("r1"))
    assert subject.act("validate", hit="H1")["ok"]
    assert all(subject.act("pay", hit="H1", seat=seat)["ok"] for seat in (3, 2))
    assert {status for _, status in awards(subject).values()} == {"paid"}
