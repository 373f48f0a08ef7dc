"""Verify finds a forged row that chains, balances and applies, but that no rule would decide (S8)."""

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from jackpot.ledger.journal import row_of
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import events, registry, row_commands
from jackpot.rules.acts.banks import BankOpened
from jackpot.rules.acts.hits import Correct, Paid, Pay, Undo, Validate, Validated
from jackpot.rules.acts.links import Resumed, Suspend, Suspended
from jackpot.rules.acts.lost_acks import FoundBehind
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.readings import Reading, ReadingTaken
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.acts.tables import Released
from jackpot.rules.events import Recomputed
from jackpot.rules.meter import Accounts
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.phrases import phrase
from jackpot.rules.postings import only_link
from jackpot.rules.signing import People
from jackpot.rules.state import Placed
from tests import frames
from tests.frames import Bet, Claim, Unbet
from tests.ledger.forger import Forger
from tests.ledger.play import DOLLAR, Play
from tests.ledger.resting import two_banks
from tests.ledger.verify.test_verifier import audit, write
from tests.ledger.waiting import join
from tests.said import refuses

ANNA: Final = People(("anna",))
FIVE_THOUSAND: Final = 5_000 * DOLLAR
# H1 is a royal of T01's seat 5, which earns seat 3 an envy bonus; T02 plays R2; H2 of T03 is paid.
ROYAL: Final = Claim(5, cards=("As", "Ks", "Qs"))
NOTHING: Final = Claim(3, cards=("2d", "7h", "9c"))
BOARD: Final = ("Js", "Ts")
FLUSH: Final = Claim(4, cards=("2h", "7h", "9h"))
RED_BOARD: Final = ("Jh", "3h")

replace = msgspec.structs.replace
_numbers = count(1)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound ledger in the middle of play, as a server left it."""
    play = Play(12)
    play.frame("T01", frames.Wager("R1", (Bet(5, "five", 100), Bet(3, "five", 100)), lock=True))
    play.frame("T01", frames.Settle("R1", (ROYAL,), BOARD))
    play.frame("T03", frames.Wager("R3", (Bet(4, "five", 100),), lock=True))
    play.frame("T03", frames.Settle("R3", (FLUSH,), RED_BOARD, close=True))
    play.act(Validate("H2"), "anna")
    play.act(Pay("H2", document="W-1"), "anna")
    play.frame("T02", frames.Wager("R2", (Bet(1, "five", 100), Bet(2, "three", 500))))
    play.act(Suspend("operator", ("three",), "new felt"), "anna")
    path = tmp_path_factory.mktemp("forged") / "ledger.db"
    write(path, play.rows, [])
    report = audit(path)
    assert (report.problems, report.older, report.refusals) == ((), 0, 0)
    return path


@pytest.fixture
def forger(floor: Path) -> Forger:
    """A forger with a copy of it."""
    return Forger(Path(shutil.copy(floor, floor.with_name(f"forged-{next(_numbers)}.db"))))


def with_money(event: Any, micros: int = -FIVE_THOUSAND) -> Any:
    """More, or less, on the first meter that the event moves: still balanced, to the micro-dollar."""
    first, *rest = event.recomputed.changes
    change = Accounts(*first.change.values())
    change.add(Accounts(primary=micros, house=-micros))
    changes = [replace(first, change=change), *rest]
    return replace(event, recomputed=replace(event.recomputed, changes=changes))


def undone(forger: Forger) -> Any:
    return with_money(forger.right(Undo("H1", "misread"), "anna", "ben"))


def validated_by_nobody(forger: Forger) -> Any:
    return replace(forger.right(Validate("H1"), "anna"), people=People())


def paid_twice(_: Forger) -> Any:
    return Paid(2, [2], ANNA)


def paid_before_it_is_valid(_: Forger) -> Any:
    return Paid(1, [1], ANNA)


def bank_opened_again(_: Forger) -> Any:
    return BankOpened("lakeside")


def false_reading(forger: Forger) -> Any:
    right = forger.right(Reading("2030-01-01"))
    assert isinstance(right, ReadingTaken)
    (link, level, primary, *rest), *others = right.meters
    return replace(right, meters=[(link, level, primary - 1, *rest), *others])


def corrected_by_one_person(forger: Forger) -> Any:
    return replace(forger.right(Correct("A1", 5, "a gift"), "anna", "ben"), people=People(("anna", "Anna")))


def corrected_for_more(forger: Forger) -> Any:
    return with_money(forger.right(Correct("A1", 5, "a gift"), "anna", "ben"))


def reopened_by_one(forger: Forger) -> Any:
    return replace(forger.right(Reopen("T03", "R3", "a missed hand"), "anna", "ben"), people=ANNA)


def resumed_for_another_reason(_: Forger) -> Any:
    return Resumed([1], "operator", ANNA)


def released_another_table(_: Forger) -> Any:
    return Released(2, [1], "photographed", ANNA)


def behind_for_nothing(_: Forger) -> Any:
    return FoundBehind(1, 2, 0, True)


def behind_before_the_epoch(forger: Forger) -> Any:
    """Another table's word of an earlier epoch would stop the bank with this one."""
    return FoundBehind(1, forger.state.table(1).last_seq + 1, forger.state.seq + 1, False)


BY_PEOPLE: Final[list[tuple[Callable[[Forger], Any], str]]] = [
    (
        undone,
        "(undone): the rules decide otherwise: recomputed.changes[0].change.primary is written -4,999.88",
    ),
    (
        validated_by_nobody,
        f"(validated): {refuses('signer_missing')}",
    ),
    (paid_twice, "(paid): the rules refuse it"),
    (paid_before_it_is_valid, "(paid): the rules refuse it"),
    (bank_opened_again, f"(bank_opened): {refuses('bank_has_entries', bank='main')}"),
    (
        false_reading,
        "(reading_taken): the rules decide otherwise: meters[0][2] is written 10000239999",
    ),
    (corrected_by_one_person, f"(corrected): {refuses('two_people', why=phrase('why_award_corrected'))}"),
    (
        corrected_for_more,
        "(corrected): the rules decide otherwise: recomputed.changes[0].change.primary is written",
    ),
    (reopened_by_one, "(reopened): the rules decide otherwise: written Reopened, decided ReopenAsked"),
    (resumed_for_another_reason, f"(resumed): {refuses('link_not_suspended_for', cause='operator')}"),
    (
        released_another_table,
        f"(released): {refuses('table_keeps_no_cards', table='T02')}",
    ),
    (behind_before_the_epoch, "(found_behind): the rules decide otherwise: since is written"),
    (behind_for_nothing, "(found_behind): table T01 says nothing new with answers up to 2"),
]


@pytest.mark.parametrize(("forgery", "said"), BY_PEOPLE)
def test_an_act_that_the_rules_refuse_is_found(
    forger: Forger, forgery: Callable[[Forger], Any], said: str
) -> None:
    """S8: acts of people and of the server, decided again; the message names the row and the reason."""
    row = forger.append(forgery(forger))
    problems = audit(forger.path).problems
    assert problems[0].startswith(f"main: row {row.seq} {said}"), problems


def settled_for_more(forger: Forger) -> Any:
    """Seat 3 shows nothing: the event says that it has a flush."""
    right = forger.right(frames.Settle("R1", (NOTHING,)), table="T01")
    made = forger.right(frames.Settle("R1", (replace(NOTHING, cards=("2s", "7s", "9s")),)), table="T01")
    assert isinstance(right, events.Settled)
    assert isinstance(made, events.Settled)
    assert made.made.hits
    return replace(right, made=made.made)


def settled_larger(forger: Forger) -> Any:
    """The cards are right, and the house pays a dollar more for them."""
    claim = replace(NOTHING, cards=("2s", "7s", "9s"))
    right = forger.right(frames.Settle("R1", (claim,)), table="T01")
    assert isinstance(right, events.Settled)
    right.made.hits[0].awards[0].amount += DOLLAR
    return right


def closed_unlocked(_: Forger) -> Any:
    return events.Closed("R2", events.Closing({}), events.Settlement())


def withdrawn_for_more(forger: Forger) -> Any:
    return with_money(forger.right(frames.Withdraw("R2", (Unbet(1, "five"),)), table="T02"), -DOLLAR)


def voided_for_more(forger: Forger) -> Any:
    return with_money(forger.right(frames.Void("R2", "misdeal"), table="T02"), -DOLLAR)


def voided_by_nobody(forger: Forger) -> Any:
    """As the table's own, what takes people."""
    return replace(forger.right(VoidRound("T02", "R2", "misdeal"), "anna"), people=People())


def voided_beside_an_award(_: Forger) -> Any:
    return events.Voided(1, "R1", "misdeal", Recomputed([]))


def wagered_on_a_suspended_link(_: Forger) -> Any:
    return events.Wagered("R2", [Placed(3, 2)])


def wagered_twice(_: Forger) -> Any:
    return events.Wagered("R2", [Placed(1, 1)])


def locked_without_its_draws(forger: Forger) -> Any:
    """Numbers that were drawn and are not told: nobody could audit the source (A7)."""
    right = forger.right(frames.Lock("R2"), table="T02")
    assert isinstance(right, events.Locked)
    assert right.locking.draws
    return replace(right, locking=replace(right.locking, draws=[]))


def drawn_for_no_box(forger: Forger) -> Any:
    right = forger.right(frames.Lock("R2"), table="T02")
    assert isinstance(right, events.Locked)
    right.locking.draws[0].lucky_box = 9
    return right


def refused_and_suspended(_: Forger) -> Any:
    return events.Refused("locked_out", "no_more_bets", (), [], [1])


def refused_for_its_order(_: Forger) -> Any:
    return events.Refused("seq_gap", "seq_gap", (9,))


BY_TABLES: Final[list[tuple[str, Callable[[Forger], Any], str]]] = [
    ("T01", settled_for_more, "(settled): the rules decide otherwise: made.hits is written"),
    (
        "T01",
        settled_larger,
        "(settled): the rules decide otherwise: A4 amount is written 51.00, by the rules 50.00",
    ),
    ("T02", closed_unlocked, f"(closed): {refuses('round_not_locked')}"),
    (
        "T02",
        withdrawn_for_more,
        "(withdrawn): the rules decide otherwise: recomputed.changes[0].change.primary is written -1.09",
    ),
    (
        "T02",
        voided_for_more,
        "(voided): the rules decide otherwise: recomputed.changes[0].change.primary is written -1.09",
    ),
    ("T01", voided_beside_an_award, f"(voided): {refuses('round_has_awards')}"),
    ("T01", voided_by_nobody, "(voided): it voids a round of table 2"),
    (
        "T02",
        wagered_on_a_suspended_link,
        "(wagered): " + refuses("link_is_suspended", link="three", reasons=["operator"]),
    ),
    ("T02", wagered_twice, f"(wagered): {refuses('wager_made_already', seat=1)}"),
    ("T02", locked_without_its_draws, "(locked): the rules cannot decide it: no draw was made for link five"),
    ("T02", drawn_for_no_box, "(locked): the rules cannot decide it: no numbers for a Lucky Bonus"),
    ("T02", refused_and_suspended, "(refused): locked_out suspends no link"),
    ("T02", refused_for_its_order, "(refused): 'seq_gap' is no refusal that is journalled"),
]


@pytest.mark.parametrize(("table", "forgery", "said"), BY_TABLES)
def test_a_frame_that_the_rules_refuse_is_found(
    forger: Forger, table: str, forgery: Callable[[Forger], Any], said: str
) -> None:
    """S8: a settlement from its cards, a withdrawal and a void from the state, a wager from the round."""
    row = forger.append(forgery(forger), table)
    problems = audit(forger.path).problems
    assert problems[0].startswith(f"main: row {row.seq} {said}"), problems


def test_a_frame_out_of_its_tables_order_is_found(forger: Forger) -> None:
    """S8: frames of a table are dense; a forger who skips one makes its answer unknown to the table."""
    right = forger.right(frames.Void("R2", "misdeal"), table="T02")
    row = forger.append(right, "T02", ahead=1)
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {row.seq} (voided): it is frame 3 of the table, and 2 comes next"


@pytest.mark.parametrize("number", [0, -1, -2])
def test_a_table_that_there_is_none_of_is_found(forger: Forger, number: int) -> None:
    """S8: counted from the end, a row would play for one table and be in the reports of none."""
    name = forger.state.tables[number or -1].terms.table
    event = events.Refused("no_such_round", "round_not_unfinished", ("R9",))
    row = forger.append(event, name, number=number, postings=())
    assert audit(forger.path).problems[0] == f"main: row {row.seq} (refused): there is no table {number}"
    with pytest.raises(LedgerCorrupt, match=f"row {row.seq} .refused.: there is no table {number}: somebody"):
        Forger(forger.path)


def test_an_act_as_a_tables_frame_is_found(forger: Forger) -> None:
    """S8: who may do what shows in the row: people's acts are no table's, and frames are nobody else's."""
    first = forger.append(forger.right(Reading("2030-01-01")), "T01")
    second = forger.append(forger.right(frames.Void("R2", "misdeal"), table="T02"))
    assert audit(forger.path).problems[:2] == (
        f"main: row {first.seq} (reading_taken): it is no table's frame",
        f"main: row {second.seq} (voided): it is a table's, and names none",
    )


UNSAYABLE: Final[list[tuple[str, Any, str]]] = [
    ("T03", events.Wagered("r" * 65, [Placed(1, 1)]), "round: expected str of length <= 64"),
    ("T03", events.Wagered("R 9", [Placed(1, 1)]), "round: characters not allowed"),
    (
        "T03",
        events.Wagered("R9", [Placed(1, 1, player="p\n")]),
        "bets[0].player: characters not allowed",
    ),
    ("T02", frames.Void("R2", "x" * 300), "reason: expected str of length <= 256"),
]


@pytest.mark.parametrize(("table", "what", "said"), UNSAYABLE)
def test_what_no_frame_can_say_is_found(forger: Forger, table: str, what: Any, said: str) -> None:
    """S8, WIRE: a round of a name that fits no frame would shut its table out."""
    event = what if isinstance(what, events.Event) else forger.right(what, table=table)
    row = forger.append(event, table)
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {row.seq} ({registry.name_of(row.kind)}): no frame can say it: {said}"


def test_a_request_is_carried_out_once(forger: Forger) -> None:
    """S8: an act that has the digest of one before is a resend, which is answered and not done again."""
    first = forger.append(forger.right(Suspend("operator", (), "felt"), "anna"))
    again = forger.append(forger.right(Suspend("operator", (), "felt"), "anna"), digest=first.digest)
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {again.seq} (suspended): the same request was carried out before"


def test_what_follows_a_forgery_is_judged_by_it(forger: Forger) -> None:
    """S8: the row that is wrong is named, not everything that was honestly decided after it."""
    row = forger.append(undone(forger))
    forger.append(forger.right(frames.Void("R2", "misdeal"), table="T02"), "T02")
    forger.append(forger.right(Reading("2030-01-01")))
    (problem,) = audit(forger.path).problems
    assert problem.startswith(f"main: row {row.seq} (undone)")


def test_nothing_follows_a_banks_end(tmp_path: Path) -> None:
    """S8: a bank that was joined goes on in another; what is added to it afterwards is found."""
    path = tmp_path / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        two_banks(ledger)
        join(ledger, ("north", "south"), "floor", "anna", "one room", 0)
        assert [verify(ledger, bank).problems for bank in ledger.banks()] == [(), (), ()]
    forger = Forger(path, "north")
    row = forger.append(Suspended([1], "operator", ANNA))
    problems = audit(path, bank="north").problems
    assert f"north: row {row.seq} (suspended): the bank ended before it: it became part of floor" in problems


def test_a_link_column_that_lies_is_found(forger: Forger) -> None:
    """S8: the link that a row names for auditors is the one that its postings are of."""
    row = forger.append(undone(forger))
    assert row.link == 1
    body = row_commands.encode(
        Suspended([1], "operator", ANNA, "felt"), Suspend("operator", ("five",), "felt")
    )
    wrong = DecidedEntry(
        row.seq + 1, 0, Suspended.kind, events.RULES_VERSION, 2, None, None, bytes(16), body, ()
    )
    with closing(SqliteLedger(forger.path)) as ledger:
        ledger.append("main", row.epoch, row.seq, [row_of("main", row.epoch, wrong, row.hash)])
    assert audit(forger.path).problems[-1] == f"main: row {row.seq + 1} names link 2, its event None"


@pytest.mark.parametrize("version", [events.RULES_VERSION, 1])
def test_an_act_with_a_frames_number_is_found(forger: Forger, version: int) -> None:
    """S8: readers find acts by the number that they lack: with one it would act, and be in no report."""
    event = forger.right(Undo("H1", "misread"), "anna", "ben")
    body = forger.body(event, None, None)
    entry = DecidedEntry(forger.head.seq + 1, 0, event.kind, version, None, None, None, bytes(16), body, ())
    moved = forger.engine.replay(entry)
    hidden = replace(
        entry, table_seq=7, link=only_link(moved.postings), postings=moved.postings, hits=moved.hits
    )
    with closing(SqliteLedger(forger.path)) as ledger:
        row = row_of("main", forger.head.epoch, hidden, forger.head.hash)
        ledger.append("main", forger.head.epoch, forger.head.seq, [row])
    problems = audit(forger.path).problems
    assert any(f"row {row.seq} cannot be applied" in one and "a frame has a table" in one for one in problems)
    with pytest.raises(LedgerCorrupt, match="a frame has a table and a number"):
        Forger(forger.path)


def test_rows_of_older_rules_are_counted_not_judged(forger: Forger, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: of older rules chain, balances and effects are checked; nobody goes back to them."""
    before, now = events.RULES_VERSION, events.RULES_VERSION + 1
    older = forger.append(undone(forger)).seq
    monkeypatch.setattr(events, "RULES_VERSION", now)
    report = audit(forger.path)
    assert (report.problems, report.older) == ((), older)
    newer = forger.append(forger.right(Reading("2029-12-31")))
    assert newer.version == now
    report = audit(forger.path)
    assert (report.problems, report.older) == ((), older)
    back = forger.append(false_reading(forger), version=before)
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {back.seq} is of rules {before}, the row before it of {now}"
    monkeypatch.setattr(events, "RULES_VERSION", before)
    said = f"main: the event of row {newer.seq} cannot be applied: UnknownEventError"
    assert any(problem.startswith(said) for problem in audit(forger.path).problems)


def test_refusals_are_counted(forger: Forger) -> None:
    """S8: the request of a refusal is in no row; that it moves nothing is checked, and how many is said."""
    forger.append(events.Refused("locked_out", "no_more_bets", ()), "T01")
    report = audit(forger.path)
    assert (report.problems, report.refusals) == ((), 1)


def stopped_for_a_hit(_: Forger) -> Any:
    return events.Refused("internal", "internal_error", ("it broke",), [1], [1])


def stopped_twice(_: Forger) -> Any:
    return events.Refused("internal", "internal_error", ("it broke",), [], [1, 1])


def refused_at_length(_: Forger) -> Any:
    return events.Refused("internal", "internal_error", ("x" * 200_000,))


def refused_in_no_words(_: Forger) -> Any:
    return events.Refused("internal", "it_broke", ())


def refused_in_words_of_another_code(_: Forger) -> Any:
    return events.Refused("internal", "no_more_bets", ())


def refused_without_its_values(_: Forger) -> Any:
    return events.Refused("internal", "internal_error", ())


def refused_for_many_hits(_: Forger) -> Any:
    return events.Refused("internal", "internal_error", ("it broke",), [1] * 100_000)


def read_on(day: str) -> Callable[[Forger], Any]:
    return lambda forger: replace(forger.right(Reading("2029-12-31")), day=day)


def resumed_by_nobody(_: Forger) -> Any:
    return Resumed([2], "operator")


def suspended_by_nobody(_: Forger) -> Any:
    return Suspended([1], "operator")


def suspended_by_people_for_the_server(_: Forger) -> Any:
    return Suspended([1], "config", ANNA)


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        (stopped_for_a_hit, "(refused): internal names no hit"),
        (stopped_twice, "(refused): it suspends other links than its own"),
        (refused_at_length, "(refused): error of internal_error is longer than is kept"),
        (refused_in_no_words, "(refused): there is no template 'it_broke'"),
        (refused_in_words_of_another_code, "(refused): no_more_bets is no sentence of internal"),
        (refused_without_its_values, "(refused): internal_error has 1 values, not 0"),
        (refused_for_many_hits, "(refused): it names 100000 hits, and 64 are the most"),
        (read_on("9999-12-31"), "(reading_taken): it reads the day 9999-12-31, and was written before"),
        (read_on("2030-01-03"), "(reading_taken): it reads the day 2030-01-03, and was written before"),
        (read_on("2029-13-01"), "(reading_taken): '2029-13-01' is no day"),
        (read_on("zzzz"), f"(reading_taken): {refuses('day_malformed', day='zzzz')}"),
        (resumed_by_nobody, f"(resumed): {refuses('signer_missing')}"),
        (suspended_by_nobody, f"(suspended): {refuses('signer_missing')}"),
        (suspended_by_people_for_the_server, f"(suspended): {refuses('cause_of_server', cause='config')}"),
    ],
)
def test_what_no_server_would_write_is_found(
    forger: Forger, forgery: Callable[[Forger], Any], said: str
) -> None:
    """S8, S2: a refusal within its bounds, a reading of a day that is over, and somebody for every act."""
    row = forger.append(forgery(forger))
    (problem,) = audit(forger.path).problems
    assert problem.startswith(f"main: row {row.seq} {said}"), problem


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (CorrectMeter("five", "major", DOLLAR, ""), "Expected `str` of length >= 1 - at `$.reason`"),
        (
            CorrectMeter("five", "major", DOLLAR, "x" * 100_000),
            "Expected `str` of length <= 256 - at `$.reason`",
        ),
    ],
    ids=["no reason", "a reason too long"],
)
def test_an_act_that_nobody_can_ask_for_is_found(forger: Forger, command: CorrectMeter, said: str) -> None:
    """S8, L8: people's fields have bounds, such as a reason; a row beyond them no server wrote."""
    row = forger.append(forger.right(command, "anna", "bo"))
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {row.seq} (meter_corrected): nobody can ask for it: {said}"


def test_a_reading_before_the_last_is_found(forger: Forger) -> None:
    """S2: gaming days are read in their order."""
    forger.append(forger.right(Reading("2029-12-31")))
    late = replace(forger.right(Reading("2030-01-01")), day="2020-01-01")
    row = forger.append(late)
    (problem,) = audit(forger.path).problems
    assert problem.startswith(
        f"main: row {row.seq} (reading_taken): {refuses('day_read_already', day='2020-01-01')}"
    )


def test_a_body_with_more_in_it_is_found(forger: Forger) -> None:
    """S8: what is not in the event's own bytes was put there by somebody else, whatever the kind."""
    event = events.Refused("locked_out", "no_more_bets", ())
    extended = msgspec.msgpack.encode([None, [*msgspec.msgpack.decode(events.encode(event)), "smuggled"]])
    row = forger.append(event, "T01", body=extended)
    (problem,) = audit(forger.path).problems
    assert problem.startswith(f"main: row {row.seq} (refused): its body has more in it"), problem


def test_a_row_of_no_year_is_found(forger: Forger) -> None:
    """S8: a moment that no calendar has."""
    rows = [
        forger.append(forger.right(Suspend("operator", (), "felt"), "anna"), at=at)
        for at in (0, 253_402_300_799_999, 253_402_300_800_000, -1, 2**62)
    ]
    assert audit(forger.path).problems == tuple(
        f"main: row {row.seq} was written at {row.at} ms, which is in no year from 1970 to 9999"
        for row in rows[2:]
    )


def test_links_that_an_error_stopped_are_named(forger: Forger) -> None:
    """S8: no row shows whether there was an error, so these are told apart from what moved nothing."""
    forger.append(events.Refused("locked_out", "no_more_bets", ()), "T01")
    rows = [
        forger.append(events.Refused("internal", "internal_error", ("it broke",), [], [link]))
        for link in (1, 2)
    ]
    report = audit(forger.path)
    assert (report.problems, report.refusals, report.stopped) == ((), 3, tuple(row.seq for row in rows))


def test_an_act_on_a_hit_that_nobody_made_is_found(forger: Forger) -> None:
    """S8: verify says which hit there is none of, and not how it came upon that."""
    event = Validated(9, [9], ANNA)
    wrong = DecidedEntry(
        forger.head.seq + 1, 0, event.kind, events.RULES_VERSION, None, None, None, bytes(16),
        row_commands.encode(event, Validate("H9")), (),
    )  # fmt: skip
    with closing(SqliteLedger(forger.path)) as ledger:
        head = forger.head
        ledger.append("main", head.epoch, head.seq, [row_of("main", head.epoch, wrong, head.hash)])
    problems = audit(forger.path).problems
    said = f"main: row {wrong.seq} (validated): it is about H9, which no row made"
    assert said in problems
    assert not any("KeyError(9)" in problem for problem in problems), problems


@pytest.mark.parametrize(("forgery", "said"), BY_PEOPLE)
def test_a_start_goes_on_from_no_act_that_the_rules_refuse(
    forger: Forger, forgery: Callable[[Forger], Any], said: str
) -> None:
    """S3, S8: a start decides the newest rows again; one row that moves money to a meter pays nobody."""
    row = forger.append(forgery(forger))
    with pytest.raises(LedgerCorrupt, match=re.escape(f"main: row {row.seq} {said}")) as stopped:
        Forger(forger.path)
    assert "jackpot ledger restore" in str(stopped.value)


@pytest.mark.parametrize(("table", "forgery", "said"), BY_TABLES)
def test_a_start_goes_on_from_no_frame_that_the_rules_refuse(
    forger: Forger, table: str, forgery: Callable[[Forger], Any], said: str
) -> None:
    """S3, S8: nor from a settlement, a void or a withdrawal of somebody's own."""
    row = forger.append(forgery(forger), table)
    with pytest.raises(LedgerCorrupt, match=re.escape(f"main: row {row.seq} {said}")):
        Forger(forger.path)
