"""Corrections and transfers: what they move, and what an earlier undo makes of them."""

from typing import Any

import pytest

from jackpot.publish.board import BoardLink
from jackpot.rules import registry, views
from jackpot.rules.acts.banks import CloseBank
from jackpot.rules.acts.hits import Correct, Undo, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.meters import Account, CloseLink, CorrectMeter, DecideLeft, MeterCorrected, Transfer
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.commands import ActCommand
from jackpot.rules.rounds.undo import FOLD_AT_MIN
from jackpot.rules.signing import People
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Close, Void, Wager
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_engine import bank, royal, send, wager
from tests.said import Heard, refusal

CENT = 10_000
DOLLAR = 1_000_000
SEED = 10_000 * DOLLAR


def act(subject: OfEngine, command: ActCommand, people: tuple[str, ...] = PEOPLE) -> dict[str, Any]:
    """Two people ask; what they hear."""
    return subject.execute(command, people=people).answer


def done(subject: OfEngine, *commands: ActCommand) -> None:
    for command in commands:
        answer = act(subject, command)
        assert answer["ok"], answer


def code(subject: OfEngine, command: ActCommand) -> str:
    """Why two people are refused, by its code; nothing has moved."""
    before = subject.engine.snapshot()
    answer = act(subject, command)
    assert subject.engine.snapshot() == before
    return str(answer.get("code", "done"))


def meter(subject: OfEngine, link: str = "L") -> tuple[int, int, int]:
    """What stands in primary, reserve and overflow; micro-dollars."""
    found = subject.meters()[link, ""]
    return found["primary"], found["reserve"], found["overflow"]


def frame(subject: OfEngine, command: Any, table: str = "T1") -> Heard:
    found = subject.engine.table(table)
    assert found is not None
    heard = send(subject, found.last_seq + 1, command, table=table)
    assert heard.answer["t"] == "ack", heard.answer
    return heard


def jackpot(subject: OfEngine, round_: str, table: str = "T1") -> None:
    """A royal is won at the table, and paid."""
    frame(subject, wager(round_), table)
    hit = frame(subject, royal(round_), table).answer["awards"][0]["hit"]
    done(subject, Validate(hit), *subject.payments(hit))


def suspended(subject: OfEngine, *links: str) -> None:
    done(subject, Suspend("operator", links or ("L",), "a new felt"))


# Corrections


def test_a_correction_moves_one_account_against_the_corrections() -> None:
    """L8, M4: by two people alone; each account up and down to nothing; the meter is told at once."""
    subject = bank()
    alone = subject.execute(CorrectMeter("L", "meter", 5, "a test wager"), people=("Ada",)).answer
    assert alone["code"] == "two_people"
    steps: list[tuple[Account, int]] = [("primary", -SEED), ("reserve", 7), ("overflow", 5), ("overflow", -5)]
    for account, amount in steps:
        command = CorrectMeter("L", "meter", amount, "a test wager", account)
        heard = subject.execute(command, people=PEOPLE)
        assert heard.answer["ok"], heard.answer
        assert heard.entry is not None
        assert heard.entry.postings[0].corrections == -amount
        assert heard.meters == (("L", "meter", 0),)
    assert meter(subject) == (0, 7, 0)
    assert subject.meters()["L", ""]["corrections"] == 7 - SEED


@pytest.mark.parametrize(
    ("amount", "account", "code_"),
    [
        (-SEED - 1, "primary", "bad_amount"),
        (-1, "reserve", "bad_amount"),
        (3 * DOLLAR + 1, "primary", "bad_amount"),
        (3 * DOLLAR, "primary", "done"),
        (0, "primary", "bad_amount"),
        (10**15 + 1, "overflow", "bad_amount"),
    ],
)
def test_a_correction_ends_neither_below_zero_nor_above_the_limit(
    amount: int, account: Any, code_: str
) -> None:
    """L8: to the micro-dollar; nothing is no correction."""
    subject = bank(limit={"": "10003.00"})
    command = CorrectMeter("L", "meter", amount, "a display fault", account)
    assert act(subject, command).get("code", "done") == code_


def test_a_correction_names_a_link_and_its_level() -> None:
    """L8: what is not there is named."""
    subject = bank()
    assert code(subject, CorrectMeter("M", "meter", 1, "x")) == "unknown_link"
    assert code(subject, CorrectMeter("L", "mega", 1, "x")) == "unknown_link"


def test_the_house_makes_up_what_an_undo_takes_from_under_a_correction() -> None:
    """L8, A11: a correction stands as it was made; the wagers before it go back, and nothing is negative."""
    subject = bank()
    frame(subject, Wager("r1", wager().bets))
    done(subject, CorrectMeter("L", "meter", -SEED - 42 * CENT, "it was another table's"))
    house = subject.meters()["L", ""]["house"]
    frame(subject, Void("r1", "misdeal"))
    assert meter(subject) == (0, 0, 0)
    assert subject.meters()["L", ""]["house"] == house + 42 * CENT


def test_an_award_after_a_correction_follows_it() -> None:
    """L8, A11: an unpaid one is raised, when an older is undone, to what the corrected meter gives."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    done(subject, CorrectMeter("L", "meter", 100 * DOLLAR, "a meter read wrong"))
    frame(subject, wager("x1"), "T2")
    second = frame(subject, royal("x1"), "T2").answer["awards"][0]
    assert second["amount"] == 1_010_042
    done(subject, Undo("H1", "misdealt"))
    assert subject.hits()[-1]["amount"] == 1_010_084


# What is left of a paid award


def left_over() -> OfEngine:
    """H1 is undone, and the royal after it, A3, which was paid, would have been $0.42 higher."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    jackpot(subject, "x1", "T2")
    done(subject, Undo("H1", "misdealt"))
    return subject


def listed(subject: OfEngine) -> list[tuple[int, int]]:
    return [(one.award, one.amount) for one in subject.engine.state.left]


def test_what_an_undo_leaves_on_the_meter_is_listed_until_two_people_decide() -> None:
    """A11, L8: it stays, or it is taken off as a correction; then it waits no more."""
    more = 42 * CENT
    for remove, primary in ((False, SEED + more), (True, SEED)):
        subject = left_over()
        assert listed(subject) == [(3, more)]
        before = meter(subject)[0]
        assert before == SEED + more
        alone = subject.execute(DecideLeft("D1", remove, "as agreed"), people=("Ada",)).answer
        assert alone["code"] == "two_people"
        done(subject, DecideLeft("D1", remove, "as agreed"))
        assert (listed(subject), meter(subject)[0]) == ([], primary)
        assert code(subject, DecideLeft("D1", remove, "again")) == "no_such_left"


def test_what_is_left_goes_to_the_winner_by_a_correction_of_the_award() -> None:
    """A10, A11: as far as the award is corrected upward, nothing is left to decide on."""
    subject = left_over()
    done(subject, Correct("A3", 1_000_042 + 30, "owed", "W-1"))
    assert listed(subject) == [(3, 12 * CENT)]
    done(subject, Correct("A3", 1_000_042 + 50, "owed", "W-2"))
    assert listed(subject) == []


def test_what_the_meter_no_longer_has_is_not_taken_off() -> None:
    """L8: the next winner got it; then it can only be let be."""
    subject = left_over()
    done(subject, CorrectMeter("L", "meter", -SEED - 1, "to nothing"))
    assert code(subject, DecideLeft("D1", True, "too late")) == "bad_amount"
    done(subject, DecideLeft("D1", False, "the next winner got it"))


def test_what_a_later_award_took_is_not_taken_off_the_next_players() -> None:
    """A11, L8: the meter holds the next players' money then; what is left can only be let be."""
    subject = left_over()
    jackpot(subject, "x2", "T2")
    before = meter(subject)
    assert code(subject, DecideLeft("D1", True, "too late")) == "bad_amount"
    done(subject, DecideLeft("D1", False, "the next winner got it"))
    assert (listed(subject), meter(subject)) == ([], before)


def test_what_is_left_is_decided_on_before_a_link_is_emptied() -> None:
    """A11, L8: it would go to another link's players, and nobody could take it off any more."""
    subject = two_links()
    subject.add(Table("T3", links=("L",)))
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    jackpot(subject, "z1", "T3")
    done(subject, Undo("H1", "misdealt"))
    suspended(subject)
    suspended(subject, "M")
    for command in (Transfer("L", "M", "a new game"), CloseLink("L", "a new game", "M")):
        assert code(subject, command) == "left_waits"
    done(subject, Transfer("M", "L", "nothing is left on that one"))
    done(subject, DecideLeft("D1", True, "as agreed"), Transfer("L", "M", "a new game"))


def test_money_that_comes_to_stand_on_a_closed_link_is_transferred() -> None:
    """A10, L8: a correction downwards of what was won there gives it back; the link stays closed."""
    subject = two_links()
    subject.add(Table("T3", links=("L",)))
    jackpot(subject, "z1", "T3")
    suspended(subject)
    done(subject, CloseLink("L", "over", "M"))
    before = meter(subject, "M")[0]
    done(subject, Correct("A1", 900_042, "misread", "W-1"))
    assert meter(subject)[0] == 1_000 * DOLLAR
    assert code(subject, CloseLink("L", "again", "M")) == "link_closed"
    done(subject, Transfer("L", "M", "it is the players'"))
    assert (meter(subject), meter(subject, "M")[0]) == ((0, 0, 0), before + 1_000 * DOLLAR)
    link = subject.engine.state.links[0]
    assert (link.closed, "transferred" in link.suspended) == (True, False)


def test_what_is_left_of_two_winners_in_a_row_is_taken_off_once() -> None:
    """A11: the second stands listed for what the first left; the meter holds it once."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    jackpot(subject, "x1", "T2")
    jackpot(subject, "x2", "T2")
    done(subject, Undo("H1", "misdealt"))
    first, second = subject.engine.state.left
    assert first.amount == second.amount == 42 * CENT
    assert code(subject, DecideLeft("D1", True, "it is the second's")) == "bad_amount"
    done(subject, DecideLeft("D2", True, "taken off"), DecideLeft("D1", False, "the same money"))
    assert meter(subject)[0] == SEED


def test_what_is_left_shrinks_when_its_wagers_go_back() -> None:
    """A11: the list follows the recomputed meter, until it is decided on."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    frame(subject, wager("y1", (1,)), "T2")
    frame(subject, Close("y1"), "T2")
    subject.add(Table("T3"))
    jackpot(subject, "z1", "T3")
    done(subject, Undo("H1", "misdealt"))
    assert listed(subject) == [(3, 42 * CENT)]
    done(subject, Reopen("T2", "y1", "a look at the cards"))
    answer = subject.act("void_round", people=2, table="T2", round="y1")
    assert answer["ok"], answer
    assert listed(subject) == [(3, 21 * CENT)]


@pytest.mark.parametrize("way", ["taken off", "let be", "paid to the winner"])
def test_what_was_decided_on_is_not_asked_again_when_it_shrinks_and_grows(way: str) -> None:
    """A11, A10: A5, paid, comes to 0.63 more, all decided on; then to 0.42, then to 0.84: 0.21 is new."""
    subject = bank()
    subject.add(Table("T3"))
    subject.add(Table("T4"))
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    frame(subject, wager("y1", (1,)), "T2")
    frame(subject, Close("y1"), "T2")
    frame(subject, wager("x1"), "T3")
    frame(subject, royal("x1"), "T3")
    jackpot(subject, "z1", "T4")
    done(subject, Undo("H2", "misdealt"))
    assert listed(subject) == [(5, 63 * CENT)]
    if way == "paid to the winner":
        done(subject, Correct("A5", 1_000_042 + 63, "owed", "W-1"))
    else:
        done(subject, DecideLeft("D1", way == "taken off", "as agreed"))
    assert listed(subject) == []
    done(subject, Reopen("T2", "y1", "a look at the cards"))
    assert subject.act("void_round", people=2, table="T2", round="y1")["ok"]
    assert listed(subject) == []
    subject.rebuild()
    done(subject, Undo("H1", "misdealt"))
    assert listed(subject) == [(5, 21 * CENT)]
    done(subject, DecideLeft("D2", True, "as agreed"))
    assert meter(subject)[0] == SEED + (63 * CENT if way == "let be" else 0)


# Transfer and closing


def two_links(**options: Any) -> OfEngine:
    """L with a jackpot meter of 643a-A, M of the same paytable; T1 on both, T2 on M."""
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A", options={"reserve": {"": "5"}}))
    subject.open(Link("M", "pa-643a-five-card-A", options=options))
    subject.add(Table("T1", links=("L", "M")))
    subject.add(Table("T2", links=("M",)))
    return subject


def played(subject: OfEngine, round_: str = "r1") -> None:
    """Two wagers on L: $0.42 on its meter, $0.10 in its reserve."""
    frame(subject, wager(round_))
    frame(subject, Close(round_))


def test_a_transfer_moves_all_but_the_houses_money_of_the_cycle() -> None:
    """L8, M4: primary to primary, reserve to reserve; the seed goes back; both links in one entry."""
    subject = two_links()
    played(subject)
    suspended(subject)
    heard = subject.execute(Transfer("L", "M", "a new game"), people=PEOPLE)
    assert heard.answer["ok"], heard.answer
    assert meter(subject) == (0, 0, 0)
    assert meter(subject, "M") == (SEED + 42 * CENT, 10 * CENT, 0)
    assert heard.entry is not None
    assert [(one.link, one.house, one.transfers) for one in heard.entry.postings] == [
        (1, SEED, 52 * CENT),
        (2, 0, -52 * CENT),
    ]
    assert subject.meters()["L", ""]["house"] == 0
    done(subject, Transfer("L", "M", "again"))
    assert meter(subject, "M") == (SEED + 42 * CENT, 10 * CENT, 0)


def test_what_topped_the_meter_up_in_the_cycle_is_the_houses_and_what_an_older_one_had_is_not() -> None:
    """L8, A4: the reseed and the top-ups since; not the seed that a winner took."""
    subject = OfEngine()
    options = {"primary": {"": "10"}, "floor_to_seed": True}
    subject.open(Link("L", "ma-PTMGL01", options=options))
    subject.open(Link("M", "ma-PTMGL01", options=options))
    subject.add(Table("T1", links=("L",)))
    jackpot(subject, "r1")
    reseed = meter(subject)[0]
    frame(subject, wager("r2"))
    run = frames.Settle("r2", (frames.Claim(3, ("9s", "8s", "7s")),), ("Js", "Ts"), close=True)
    hit = frame(subject, run).answer["awards"][0]["hit"]
    done(subject, Validate(hit), *subject.payments(hit))
    frame(subject, wager("r3"))
    frame(subject, Close("r3"))
    assert meter(subject)[0] == reseed + 20 * CENT
    suspended(subject)
    done(subject, Transfer("L", "M", "a new game"))
    assert meter(subject, "M")[0] == reseed, "the house put in more than the meter held"
    assert subject.engine.state.links[0].levels[0].accounts.transfers == 0


def test_above_the_other_limit_it_is_overflow() -> None:
    """L7, L8."""
    subject = two_links(limit={"": "10000.30"})
    played(subject)
    suspended(subject)
    done(subject, Transfer("L", "M", "a new game"))
    assert meter(subject, "M") == (SEED + 30 * CENT, 10 * CENT, 12 * CENT)


def test_what_came_above_the_other_limit_fills_what_an_undo_makes_room_for() -> None:
    """A11, L7, L8: had the voided wagers not been made, the transfer would have filled the meter first."""
    subject = two_links(limit={"": "10000.30"})
    played(subject)
    frame(subject, Wager("v1", tuple(frames.Bet(seat, "M", 100) for seat in (3, 2))), "T2")
    suspended(subject)
    done(subject, Transfer("L", "M", "a new game"))
    assert meter(subject, "M") == (SEED + 30 * CENT, 10 * CENT, 54 * CENT)
    frame(subject, Void("v1", "misdeal"), "T2")
    assert meter(subject, "M") == (SEED + 30 * CENT, 10 * CENT, 12 * CENT)


@pytest.mark.parametrize("left", [0, 1])
def test_the_house_has_nothing_in_what_comes_after_a_transfer(left: int) -> None:
    """L8: the transfer ends its part in the cycle, also where people had taken off all that there was."""
    subject = two_links()
    done(subject, CorrectMeter("L", "meter", left - SEED, "the seed was never put in"))
    suspended(subject)
    done(subject, Transfer("L", "M", "a new game"), Resume("transferred", ("L",), "tried again"))
    done(subject, Resume("operator", ("L",), "tried again"))
    played(subject)
    suspended(subject)
    done(subject, Transfer("L", "M", "a new game"))
    assert meter(subject, "M")[0] == SEED + 42 * CENT


def test_a_transfer_and_a_closing_need_the_link_at_rest() -> None:
    """L8: suspended, no unfinished round with its wagers, no hit that is not yet paid or undone."""
    subject = two_links()
    for command in (Transfer("L", "M", "x"), CloseLink("L", "x", "M")):
        assert code(subject, command) == "not_suspended"
    frame(subject, wager("r1"))
    suspended(subject)
    assert code(subject, Transfer("L", "M", "x")) == "round_unfinished"
    frame(subject, royal("r1"))
    for step in (Validate("H1"), *subject.payments()):
        answer = act(subject, Transfer("L", "M", "x"))
        assert (answer["code"], answer["hits"]) == ("award_standing", ["H1"])
        done(subject, step)
    done(subject, Transfer("L", "M", "x"))


def test_money_goes_to_another_open_link_of_the_bank() -> None:
    """L8: not to itself, not to one that is not there; the refusal says that it stays in its bank."""
    subject = two_links()
    suspended(subject)
    assert code(subject, Transfer("L", "L", "x")) == "twice"
    answer = act(subject, Transfer("L", "elsewhere", "x"))
    assert refusal(answer) == ("unknown_link", "money_leaves_bank", "elsewhere", "main")


def test_an_emptied_link_takes_wagers_again_by_two_people_alone() -> None:
    """L8: a meter of nothing is no jackpot, unless two people have seen to it."""
    subject = two_links()
    suspended(subject)
    done(subject, Transfer("L", "M", "x"))
    alone = subject.execute(Resume("transferred", ("L",), "filled again"), people=("Ada",)).answer
    assert alone["code"] == "two_people"
    done(subject, Resume("transferred", ("L",), "filled again"), Resume("operator", ("L",), "ready"))
    frame(subject, wager("r9"))


def test_a_closed_link_takes_nothing_more() -> None:
    """L8: no wager, no resumption, no money; it stays in the books, and its name is taken."""
    subject = two_links()
    played(subject)
    suspended(subject)
    assert code(subject, CloseLink("L", "over")) == "money_left"
    done(subject, CloseLink("L", "over", "M"))
    assert meter(subject, "M") == (SEED + 42 * CENT, 10 * CENT, 0)
    refused = send(subject, 9, wager("r2"), table="T1").answer
    assert refused["code"] in ("suspended", "seq_gap")
    for command in (
        Resume("operator", ("L",), "x"),
        Suspend("operator", ("L",), "x"),
        CloseLink("L", "x"),
        Transfer("M", "L", "x"),
        CorrectMeter("L", "meter", 1, "x"),
    ):
        suspended(subject, "M")
        assert code(subject, command) == "link_closed", command
    done(subject, Resume("operator", (), "all of the bank"))
    assert subject.engine.state.links[0].closed
    shown = {link["link"]: BoardLink.of(link) for link in views.statistics(subject.engine)["links"]}
    assert [shown[name].facts.state for name in ("L", "M")] == ["suspended", "active"], (
        "a device knows no other"
    )


def test_a_link_with_nothing_but_the_houses_money_closes_without_another() -> None:
    """L8: all goes back to the house."""
    subject = bank()
    suspended(subject)
    done(subject, CloseLink("L", "never played"))
    found = subject.meters()["L", ""]
    assert (found["primary"], found["house"]) == (0, 0)


def test_a_hand_missed_before_a_transfer_is_paid_as_at_its_turn() -> None:
    """T10, A11, L8: what was transferred stays so; the house makes up what the recomputed meter lacks."""
    subject = two_links()
    played(subject)
    suspended(subject)
    done(subject, CloseLink("L", "over", "M"))
    other = meter(subject, "M")
    done(subject, Reopen("T1", "r1", "a missed royal"))
    award = frame(subject, royal("r1")).answer["awards"][0]
    assert award["amount"] == 1_000_042
    assert meter(subject, "M") == other
    found = subject.meters()["L", ""]
    assert min(meter(subject)) >= 0
    assert found["house"] + found["wagers"] == 1_000_042 * CENT + 52 * CENT + sum(meter(subject))


def test_what_a_later_award_took_along_can_only_stay_however_long_ago_that_was() -> None:
    """A11: three awards would be higher by the same $0.42; it is on the meter once, behind the last one."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, royal("r1"))
    for number in (1, 2, 3):
        jackpot(subject, f"x{number}", "T2")
    done(subject, Undo("H1", "misdealt"))
    assert listed(subject) == [(3, 42 * CENT), (5, 42 * CENT), (7, 42 * CENT)]
    for number in range(2 * FOLD_AT_MIN):
        done(subject, CorrectMeter("L", "meter", 1 if number % 2 else -1, "a test"))
    for round_ in ("y1", "y2"):
        for table in ("T1", "T2"):
            frame(subject, wager(f"{round_}{table}"), table)
            frame(subject, Close(f"{round_}{table}"), table)
    assert len(subject.engine.state.links[0].levels[0].history.points) > FOLD_AT_MIN
    before = meter(subject)[0]
    assert [code(subject, DecideLeft(name, True, "as agreed")) for name in ("D1", "D2")] == ["bad_amount"] * 2
    done(subject, DecideLeft("D3", True, "as agreed"), DecideLeft("D1", False, "it went with A5"))
    assert meter(subject)[0] == before - 42 * CENT
    assert code(subject, DecideLeft("D2", True, "as agreed")) == "bad_amount"


def test_what_is_left_is_decided_on_before_a_bank_ends() -> None:
    """A11: the next bank does not know what was won since, so nothing could be taken off there any more."""
    subject = left_over()
    suspended(subject)
    end = CloseBank("floor", "one room")
    answer = subject.execute(end, people=("Ada",)).answer
    assert refusal(answer) == ("left_waits", "bank_left_waits", ["D1"])
    done(subject, DecideLeft("D1", False, "as agreed"))
    assert subject.execute(end, people=("Ada",)).answer["ok"]


def test_a_correction_is_journalled_with_its_account_and_reason() -> None:
    """L8: what was moved, why, and by whom."""
    subject = bank()
    done(subject, CorrectMeter("L", "meter", -5, "a test wager", "primary"))
    entry = subject.entries[-1]
    assert registry.decode(entry.kind, entry.version, entry.body) == MeterCorrected(
        1, 1, "primary", -5, "a test wager", People(PEOPLE)
    )
