"""Refusals and other answers are bounded before they are journalled (WIRE: frames)."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controllers import messages
from controllers.answers import Ack, Drawn, Nack, Refund, Welcome
from controllers.frames import FRAME_MAX, encode
from controllers.messages import CENTS_MAX
from jackpot.rules import commands, registry
from jackpot.rules.acts.banks import CloseBank
from jackpot.rules.acts.devices import ClearDevice, EndKey
from jackpot.rules.acts.hits import Correct, Pay, Undo, Undone, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.rounds import DecideAbandoned, Decline, Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import TABLE_LINKS_MAX, OpenTable, Release
from jackpot.rules.codes import OF_ACTS, OF_FRAMES
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.meter import Accounts
from jackpot.rules.outgoing_messages import answer_of, award_facts, greeting
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.phrases import MESSAGE_MAX, QUOTED_MAX, Values, bounded, english, misfit, quoted
from jackpot.rules.refusal import HITS_TOLD_MAX, Refusal
from jackpot.rules.rounds.apply import LEFT_TOLD_MAX
from jackpot.rules.rounds.awards import AWARDS_PER_FRAME
from jackpot.rules.rounds.betting import ROUND_BETS_MAX
from jackpot.rules.rounds.undo import new_history
from jackpot.rules.state import (
    AnsweredFrame,
    Award,
    BankState,
    DrawMade,
    FrameRefused,
    HandShown,
    Level,
    Link,
    Placed,
    Round,
    Table,
)
from jackpot.rules.terms import WAGER_MAX
from tests import frames
from tests.faults.worked import form
from tests.frames import Bet, Claim, Unbet, numbered
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager
from tests.said import told

LONG = "x" * 60_000
INT_MAX = 2**53 - 1
RIGHT: tuple[Command, ...] = (
    frames.Wager("r1", (Bet(3, "L", 100, "Ann"), Bet(5, "L", 100)), lock=True, chips={"L": 2}),
    frames.Wager("r2", (Bet(3, "L", 100),)),
    frames.Withdraw("r1", (Unbet(3, "L"),)),
    frames.Lock("r1", {"L": 2}),
    frames.Settle(
        "r1",
        (Claim(3, ("As", "Ks", "Qs"), "royal-flush", "s", "L"),),
        ("Js", "Ts"),
        close=True,
        counts={"L": 2},
    ),
    frames.Settle("r1", (Claim(3, hand="royal-flush"),)),
    frames.Close("r1", {"L": 2}),
    frames.Void("r1", "why"),
)
ACTS: tuple[Command, ...] = (
    Validate("H1", "A1"),
    Pay("H1", "A1"),
    Undo("H1", "why", "A1"),
    Correct("A1", 5, "why"),
    Release("T1", "why"),
    Strike("T1", "r1", 3, "L", "why"),
    VoidRound("T1", "r1", "why"),
    DecideAbandoned("T1", "r1", 3, True, "why"),
    Reopen("T1", "r1", "why"),
    Decline("T1", "r1", "why"),
    ConfirmBehind("T1", "why", believe=True),
    ClearDevice("table", "T1"),
    EndKey("table", "T1", "abc"),
    CloseBank("other", "why"),
    Suspend("operator", ("L",), "why"),
    Resume("operator", ("L",), "why"),
)


def longer(value: Any) -> Iterator[Any]:
    """The value again and again, each time with one of its texts far too long."""
    if isinstance(value, str):
        yield from (LONG, "x" * 64)
    elif isinstance(value, dict):
        yield from ({**value, key: part} for key, item in value.items() for part in longer(item))
        yield from ({**value, LONG: item} for item in list(value.values())[:1])
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from ([*value[:place], part, *value[place + 1 :]] for part in longer(item))


def variants(command: Command) -> Iterator[Command]:
    yield command
    for fields in longer(msgspec.to_builtins(command)):
        if isinstance(command, commands.ActCommand):  # whatever its fields' bounds keep out of a request
            yield type(command)(**{name: fields[name] for name in command.__struct_fields__})
            continue
        try:
            yield msgspec.convert(fields, type(command))
        except msgspec.ValidationError:
            continue  # a field of few values, or the name of a field


def states() -> Iterator[Engine]:
    """A table before its round, in each part of it, and after it."""
    subject = OfEngine()
    subject.open(form.Link("L", "pa-643a-five-card-A", options={"count_chips": True}))
    subject.add(form.Table("T1"))
    subject.add(form.Table("T2"))
    yield subject.engine
    hand = {"seat": 3, "cards": ["As", "Ks", "Qs"]}
    for message in (
        {"t": "wager", "round": "r1", "bets": [{"seat": 3, "link": "L", "amount": 100, "player": "Ann"}]},
        {"t": "lock", "round": "r1", "chips": {"L": 9}},
        {"t": "lock", "round": "r1", "chips": {"L": 1}},
        {"t": "settle", "round": "r1", "hands": [hand], "board": ["Js", "Ts"]},
        {"t": "close", "round": "r1"},
    ):  # fmt: skip
        assert subject.frame("T1", message, {})["ok"], message
        yield subject.engine


def refused(engine: Engine, command: Command, *, people: tuple[str, ...] = ()) -> dict[str, Any]:
    """The refusal of that command in that state, which stays as it is; empty where it is none."""
    copy = Engine.from_snapshot(engine.snapshot())
    found = copy.table("T1")
    assert found is not None
    whose: dict[str, Any] = {} if people else {"table": "T1"}
    draws = {"L": commands.RawDraws(1, 0, 1, 1)}
    command = numbered(command, found.last_seq + 1)
    envelope = Envelope(command, 1, 1, bytes(16), people=people, draws=draws, **whose)
    answer = told(copy.execute(envelope).answer)
    if whose and answer["t"] == "nack" and "expected" not in answer:
        kept = copy.table("T1")
        assert kept is not None
        assert all(len(encode(one.answer)) < 4 * MESSAGE_MAX + 2_000 for one in kept.answers)
        (last,) = [one.answer for one in kept.answers if one.seq == answer["seq"]]
        assert isinstance(last, FrameRefused)
        assert misfit(last.template, last.values) is None
    if "template" in answer:
        values = msgspec.convert(answer.get("values", []), Values)
        assert misfit(answer["template"], values) is None
        answer["message"] = english(answer["template"], values)
    return answer if "code" in answer else {}


def test_no_refusal_says_more_than_a_frame_and_a_page_can_bear() -> None:
    """WIRE frames: it repeats at most 64 characters of what was sent, and has at most 256 of its own."""
    codes = set()
    for engine in states():
        for command in RIGHT:
            for variant in variants(command):
                if answer := refused(engine, variant):
                    assert answer["code"] in OF_FRAMES
                    codes.add(answer["code"])
                    check(answer)
        for command in ACTS:
            for variant in variants(command):
                for people in (("Ann",), ("Ann", "Bob")):
                    if answer := refused(engine, variant, people=people):
                        assert answer["code"] in OF_ACTS
                        codes.add(answer["code"])
                        check(answer)
    assert codes >= {
        "bad_message", "round_unfinished", "no_such_round", "locked_out", "not_locked", "chip_mismatch",
        "unknown_link", "duplicate_wager", "already_settled", "award_standing", "no_such_hit",
        "no_such_award", "no_such_table", "not_held", "not_behind", "not_blocked", "not_suspended",
        "two_people",
    }  # fmt: skip


def check(answer: dict[str, Any]) -> None:
    assert len(answer["message"]) <= MESSAGE_MAX
    assert "x" * (QUOTED_MAX + 1) not in answer["message"]


def test_a_refusal_is_cut_where_it_is_made() -> None:
    """WIRE frames: whatever a rule says, its text and its list of hits have an end."""
    refusal = Refusal("link_hits_stand", tuple(range(1_000)), hits=[LONG] * 1_000, link=LONG)
    assert refusal.message == bounded(f"link: {LONG}") == f"link: {'x' * 247}..."
    assert len(refusal.hits) == HITS_TOLD_MAX
    assert len(msgspec.msgpack.encode(refusal.values)) < 100 * MESSAGE_MAX
    assert quoted(LONG) == f"'{'x' * 64}'..."
    assert quoted("R1") == "'R1'"
    assert quoted("a\nb") == r"'a\nb'"


def test_an_internal_error_is_told_in_short() -> None:
    """WIRE codes: internal: what broke may hold anything; the refusal that is journalled does not."""
    *_, engine = states()
    found = engine.table("T1")
    assert found is not None
    envelope = Envelope(messages.Lock(found.last_seq + 1, "r9"), 1, 1, bytes(16), table="T1")
    answer = told(engine.execute_as_internal(envelope, LONG).answer)
    assert (answer["code"], len(answer["message"])) == ("internal", MESSAGE_MAX)


NAMES = [f"{number}{'l' * 63}" for number in range(TABLE_LINKS_MAX)]


def full_table() -> tuple[BankState, Table]:
    """A table with all that a welcome tells of it, as long as the rules let it be."""
    terms = [LevelTerms(name, 1, 1, 1, 1) for name in ("mega", "major", "minor")]
    paytable = "p" * 64
    links = [
        Link(
            number,
            LinkTerms(name, "b" * 64, paytable, INT_MAX * 10_000, "five-flop", tuple(terms), ()),
            [
                Level(at, one, Accounts(), new_history(one, 1, floor_to_seed=False))
                for at, one in enumerate(terms, 1)
            ],
            Accounts(),
        )
        for number, name in enumerate(NAMES, 1)
    ]
    places = [
        (seat, link.number, dealer) for link in links for seat in range(10, 17) for dealer in (False, True)
    ]
    round_ = Round(
        "r" * 64,
        "mismatch",
        INT_MAX,
        [Placed(*place, "\u738b" * 21) for place in places[:ROUND_BETS_MAX]],
        [INT_MAX] * ROUND_BETS_MAX,
        {link.number: INT_MAX for link in links},
        [DrawMade(link.number, 51, 16) for link in links],
        bytes(7),
        bytes(7),
        [HandShown(seat) for seat in range(16, 0, -1)],
    )
    numbers = [link.number for link in links]
    table = Table(1, TableTerms("T" * 64, "let-it-ride", 7, tuple(NAMES)), numbers, INT_MAX, round=round_)
    return BankState("b" * 64, links=links, tables=[table]), table


def largest(state: BankState) -> list[Ack | FrameRefused]:
    """The longest answers that the engine makes."""
    award = Award(
        INT_MAX, INT_MAX, 16, 1, 2, "three-of-a-kind", "envy", INT_MAX * 10_000, "inventory", "validated",
        because=16,
    )  # fmt: skip
    draw = {name: Drawn("As", 16) for name in NAMES}
    refund = Refund(16, NAMES[0], "dealer", INT_MAX, "inventory")
    left = {f"A{INT_MAX - number}": INT_MAX for number in range(LEFT_TOLD_MAX)}
    ack = Ack(INT_MAX, draw=draw, warn=("chip_mismatch", "count_mismatch"), left=left)
    hits = (f"H{INT_MAX}",) * HITS_TOLD_MAX
    return [
        replace(ack, awards=(award_facts(state, award),) * AWARDS_PER_FRAME),
        replace(ack, refunds=(refund,) * ROUND_BETS_MAX),
        FrameRefused("impossible_cards", "internal_error", ("\U0001f0a1" * MESSAGE_MAX,), hits),
    ]


def test_the_longest_answer_and_the_largest_welcome_fit_a_frame() -> None:
    """WIRE handshake: with the last answer, 192 awards in it, and the whole round of eight links."""
    state, table = full_table()
    sizes = []
    for answer in largest(state):
        kept = AnsweredFrame(table.last_seq, b"", answer)
        assert len(encode(answer_of(kept))) <= FRAME_MAX
        msgspec.convert(told(answer_of(kept)), Ack | Nack)
        table.answers = [kept]
        found = greeting(state, table)
        facts: dict[str, Any] = {
            name: getattr(found, name) for name in found.__struct_fields__ if name != "waiting"
        }
        message = Welcome(v=1, session="f" * 16, heartbeat_ms=INT_MAX, **facts)
        sizes.append(len(encode(message)))
    assert FRAME_MAX - 8_000 < max(sizes) <= FRAME_MAX


def test_the_largest_welcome_of_offers_fits_a_frame() -> None:
    """WIRE handshake, B3, B4: an amount at each wager, a sum of each link, and each wager wins a stake."""
    state, table = full_table()
    for link in state.links:
        link.terms = replace(link.terms, levels=(), most=WAGER_MAX, unit=1_000_000)
    round_, won = table.round, largest(state)[0]
    assert round_ is not None
    assert isinstance(won, Ack)
    round_.bets = [replace(bet, amount=WAGER_MAX, dealer=False) for bet in round_.bets]
    round_.sums = dict.fromkeys(table.links, CENTS_MAX * 10_000)
    staked = replace(won.awards[0], level=None, kind="odds", stake=1_000_000, stake_at="inventory")
    awards = (*(staked,) * ROUND_BETS_MAX, *won.awards[ROUND_BETS_MAX:])
    table.answers = [AnsweredFrame(table.last_seq, b"", replace(won, awards=awards))]
    found = greeting(state, table)
    facts: dict[str, Any] = {
        name: getattr(found, name) for name in found.__struct_fields__ if name != "waiting"
    }
    message = Welcome(v=1, session="f" * 16, heartbeat_ms=INT_MAX, **facts)
    assert FRAME_MAX - 2_000 < len(encode(message)) <= FRAME_MAX


def test_a_table_has_eight_links() -> None:
    """WIRE frames: a table on more is refused: its welcome could not be told."""
    subject = OfEngine()
    for number in range(9):
        subject.open(form.Link(f"L{number}", "pa-643a-five-card-A"))
    links = tuple(f"L{number}" for number in range(9))
    answer = subject.execute(OpenTable(TableTerms("T1", "let-it-ride", 7, links))).answer
    assert (answer["ok"], answer["code"]) == (False, "too_many_links")
    assert subject.execute(OpenTable(TableTerms("T1", "let-it-ride", 7, links[:8]))).answer["ok"]


@pytest.mark.parametrize("count", [ROUND_BETS_MAX, ROUND_BETS_MAX + 1])
def test_a_round_has_64_wagers(count: int) -> None:
    """WIRE frames: more could not be told in a welcome."""
    subject = OfEngine()
    for number in range(6):
        subject.open(form.Link(f"L{number}", "pa-653a-five-card-hand-bonus"))
    links = tuple(f"L{number}" for number in range(6))
    subject.add(form.Table("T1", game="ultimate-texas-holdem", seats=6, links=links))
    places = [(seat, link, on) for link in links for seat in range(1, 7) for on in ("own", "dealer")]
    bets = [{"seat": seat, "link": link, "on": on, "amount": 100} for seat, link, on in places]
    assert subject.frame("T1", {"t": "wager", "round": "r", "bets": bets[:60]}, {})["ok"]
    last = subject.frame("T1", {"t": "wager", "round": "r", "bets": bets[60:count]}, {})
    assert last.get("code") == (None if count == ROUND_BETS_MAX else "too_many")


def test_an_answer_tells_the_first_of_many_paid_awards_that_would_be_worth_more() -> None:
    """A11, WIRE frames: `left` is bounded, the alarm counts them all, and the journal names each."""
    subject = bank()
    tenth = (Claim(3, ("7s", "8s", "9s")),)
    for number in range(LEFT_TOLD_MAX + 2):
        name, seq = ("T2", 1) if number == 0 else ("T1", 2 * number - 1)
        send(subject, seq, wager(f"r{number}", (3,)), table=name)
        send(subject, seq + 1, frames.Settle(f"r{number}", tenth, ("Ts", "Js"), close=True), table=name)
        if number:
            for kind in ("validate", "pay"):
                assert subject.act(kind, hit=f"H{number + 1}")["ok"]
    outcome = subject.execute(Undo("H1", "misdealt"), people=("Ada", "Grace"))
    assert list(outcome.answer["left"]) == [f"A{number}" for number in range(2, LEFT_TOLD_MAX + 2)]
    alarms = dict(outcome.alarms)
    assert alarms["left_on_meter"]["count"] == LEFT_TOLD_MAX + 1
    entry = outcome.entry
    assert entry is not None
    undone = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(undone, Undone)
    assert len(undone.recomputed.left) == LEFT_TOLD_MAX + 1
