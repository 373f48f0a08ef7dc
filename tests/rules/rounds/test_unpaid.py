"""The work of counting what waits for people does not grow with how much waits (A10)."""

from collections.abc import Callable
from functools import partial

from jackpot.bank.bank import snapshot_of
from jackpot.rules import outgoing_messages, views
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import WaitingAwards
from jackpot.rules.outgoing_messages import AWARDS_AT_ONCE, JACKPOTS_MAX
from jackpot.rules.rounds.unpaid import WAITING_MAX
from tests.controllers.test_bounds import steps
from tests.frames import Claim, Settle
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager
from tests.said import Heard

SEATS = (7, 6, 5, 4, 3, 2)
BOARD = ("Js", "Ts")
# A straight flush is 10 % of the meter and an envy bonus for each other seat; the others are odds awards.
THREES = tuple(Claim(seat, (f"{seat}s", f"{seat}h", f"{seat}d")) for seat in SEATS[1:])
HANDS = (Claim(7, ("7s", "8s", "9s")), *THREES)
AWARDS = 2 * len(SEATS) - 1
PAGE = 100


def floor() -> OfEngine:
    """A table that opens rounds while its jackpots wait (T11)."""
    return bank(hold_table=False)


def play(subject: OfEngine, rounds: int) -> list[Heard]:
    """So many rounds of T1, each with six hits and eleven awards: what came of each."""
    found = subject.engine.table("T1")
    assert found is not None
    made = []
    for _ in range(rounds):
        name = f"r{found.rounds}"
        send(subject, found.last_seq + 1, wager(name, SEATS))
        made.append(send(subject, found.last_seq + 1, Settle(name, HANDS, BOARD, close=True)))
        assert len(made[-1].answer["awards"]) == AWARDS
    return made


def page(engine: Engine, after: int = 0) -> WaitingAwards:
    table = engine.table("T1")
    assert table is not None
    return outgoing_messages.waiting(engine.state, table, after)


def test_a_look_costs_the_same_however_many_awards_wait() -> None:
    """A10: a scrape, a board, what signs name, a welcome and a page of hits, at 500 awards and at 1,600."""
    subject = floor()
    looks: dict[str, Callable[[Engine], object]] = {
        "scrape": views.statistics,
        "board": snapshot_of,
        "signs": lambda engine: outgoing_messages.jackpots(engine.state, 1),
        "welcome": page,
        "next part of the welcome": lambda engine: page(engine, 5),
        "hits": lambda engine: views.waiting_hits(engine, 0, PAGE),
        "next hits": lambda engine: views.waiting_hits(engine, 5, PAGE),
    }

    def work() -> dict[str, int]:
        return {name: steps(partial(look, subject.engine)) for name, look in looks.items()}

    play(subject, AWARDS_AT_ONCE // len(SEATS) + 8)
    before = work()
    play(subject, 100)
    assert work() == before


def test_pages_name_every_award_and_hit_that_waits_once() -> None:
    """WIRE, handshake; A10: parts of a welcome, and pages of hits, in order, none left out, none twice."""
    subject = floor()
    play(subject, 2 * AWARDS_AT_ONCE // AWARDS + 20)
    people = {"people": ("Ada", "Grace")}
    subject.execute(Validate("H3"), **people)
    for number in (5, 300):
        subject.execute(Validate(f"H{number}"), **people)
        assert subject.execute(Pay(f"H{number}", document="W-1"), **people).answer["ok"]
    assert subject.execute(Undo("H9", "x"), **people).answer["ok"]
    state = subject.engine.state
    open_ = [hit for _, hit in sorted(state.hits.items()) if hit.awards[0].status in ("pending", "validated")]
    wanted = [f"H{hit.number}" for hit in open_]
    assert not {"H5", "H9", "H300"} & set(wanted)
    parts = [page(subject.engine)]
    while (after := parts[-1].after) is not None:
        parts.append(page(subject.engine, after))
    assert list(dict.fromkeys(award.hit for part in parts for award in part.awards)) == wanted
    told = [award.award for part in parts for award in part.awards]
    assert told == [f"A{award.number}" for hit in open_ for award in hit.awards]
    assert max(len(part.awards) for part in parts) < AWARDS_AT_ONCE + AWARDS
    listed, more, last = list[str](), True, 0
    while more:
        hits, more = views.waiting_hits(subject.engine, last, PAGE)
        listed += [hit["hit"] for hit in hits]
        last = int(listed[-1][1:])
    assert listed == wanted


def test_signs_name_the_oldest_jackpots_that_wait() -> None:
    """S7: sixteen, the oldest first; a correction shows, one that is validated makes room."""
    subject = floor()
    play(subject, JACKPOTS_MAX + 2)
    people = {"people": ("Ada", "Grace")}
    first = subject.engine.state.hits[1].awards[0]
    assert subject.execute(Correct(f"A{first.number}", 7_00, "x"), **people).answer["ok"]
    assert subject.execute(Validate("H7"), **people).answer["ok"]
    found = outgoing_messages.jackpots(subject.engine.state, 1)
    assert [hit.hit for hit in found] == [f"H{6 * number + 1}" for number in (0, *range(2, JACKPOTS_MAX + 1))]
    assert found[0].amount == 7_00


def test_a_table_at_which_awards_pile_up_is_alarmed_once() -> None:
    """A10: with the frame that passes the bound, and again only once it has fallen below."""
    subject = floor()
    made = play(subject, WAITING_MAX // AWARDS + 3)
    alarms = [alarm for outcome in made for alarm in outcome.alarms]
    (name, told), *others = alarms
    assert (name, told["table"], others) == ("awards_waiting", "T1", [])
    assert WAITING_MAX < told["awards"] <= WAITING_MAX + AWARDS
    (of_table,) = (one for one in views.statistics(subject.engine)["tables"] if one["table"] == "T1")
    assert of_table["waiting"] == len(made) * AWARDS
