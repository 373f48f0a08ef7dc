"""Mystery links that draw as they go: levels that must hit by a sum (Y1-Y4, Y6, Y7, Y10, Y11)."""

from collections import deque
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from controllers.frames import FRAME_MAX
from jackpot.rules import views
from jackpot.rules.acts.banks import CloseBank
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, Transfer
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command
from jackpot.rules.commitment import RAW_BYTES, WORD_BYTES
from jackpot.rules.engine import Engine
from jackpot.rules.events import Closed
from jackpot.rules.outgoing_messages import greeting
from jackpot.rules.paytable import Game, LevelTerms, LinkTerms, TableTerms
from jackpot.rules.state import Level, MysteryCycle
from tests.frames import Bet, Claim, Close, Lock, Settle, Unbet, Void, Wager, Withdraw
from tests.rules import floor
from tests.rules.floor import DOLLAR
from tests.rules.subject import PEOPLE, OfEngine
from tests.said import Heard, refused_frame

CENT: Final = DOLLAR // 100
# Of an exact number: it is below every range of the examples, so the word itself is the number.
WORD: Final = WORD_BYTES


def level(name: str = "meter", a: int = 10, b: int = 20, rate: int = 1_000, **more: Any) -> LevelTerms:
    """A level of $a to $b; rate in basis points."""
    return LevelTerms(name, rate, 0, a * DOLLAR, a * DOLLAR, must_hit_by=b * DOLLAR, **more)


def mystery(name: str = "M", *levels: LevelTerms, **more: Any) -> LinkTerms:
    """A $5 link of chips; each wager adds 50 cents to a meter of $10 to $20."""
    given: dict[str, Any] = {"wager": 5 * DOLLAR, "count_chips": True, "hold_table": False} | more
    wager = given.pop("wager")
    return LinkTerms(
        name, floor.BANK, "mystery", wager, "mystery", levels or (level(),), (), form="drawn", **given
    )


def why(answer: dict[str, Any]) -> str:
    """The template of what is wrong with terms."""
    *_, fault = answer["values"]
    return str(fault["template"] if isinstance(fault, dict) else fault)


class Scripted:
    """Numbers that a test says, one after the other; each as the bytes that it is read from."""

    def __init__(self) -> None:
        self.numbers: deque[int] = deque()
        self.asked: list[tuple[int, int]] = []

    def raw(self, link: int, level: int) -> bytes:
        self.asked.append((link, level))
        return self.numbers.popleft().to_bytes(WORD, "big") + bytes(RAW_BYTES - WORD)


class Place:
    """A table on mystery links, and what it sends."""

    def __init__(self, *terms: LinkTerms, game: Game = "any", seats: int = 7) -> None:
        self.subject, self.seq, self.rounds = OfEngine(), 0, 0
        self.chance = self.subject.engine.chance = Scripted()
        for one in terms:
            assert self.subject.execute(OpenLink(one)).answer["ok"]
        names = tuple(one.link for one in terms)
        table = TableTerms("T1", game, seats, names, max_rounds_per_minute=1_000)
        assert self.subject.execute(OpenTable(table)).answer["ok"]

    def hear(self, command: Command) -> Heard:
        self.seq += 1
        return self.subject.execute(command, table="T1", table_seq=self.seq)

    def send(self, command: Command) -> dict[str, Any]:
        answer = self.hear(command).answer
        assert answer["t"] == "ack", answer
        return answer

    def refused(self, command: Command) -> tuple[Any, ...]:
        return refused_frame(self.hear(command))

    def act(self, command: Any, people: tuple[str, ...] = PEOPLE) -> dict[str, Any]:
        answer = self.subject.execute(command, people=people).answer
        assert answer["ok"], answer
        return answer

    def denied(self, command: Any, people: tuple[str, ...] = PEOPLE) -> str:
        answer = self.subject.execute(command, people=people).answer
        assert not answer["ok"], answer
        return str(answer["code"])

    def lock(self, *seats: int, link: str = "M", amount: int = 500) -> str:
        """A locked round of these seats, its count right."""
        self.rounds += 1
        name = f"R{self.rounds}"
        bets = tuple(Bet(seat, link, amount) for seat in seats)
        self.send(Wager(name, bets, lock=True, chips={link: len(seats)}))
        return name

    def close(self, name: str, *numbers: int) -> list[dict[str, Any]]:
        """The awards of a close that draws exactly these numbers."""
        self.chance.numbers.extend(numbers)
        awards = self.send(Close(name)).get("awards", [])
        assert not self.chance.numbers
        return list(awards)

    def play(self, seats: tuple[int, ...], *numbers: int) -> list[dict[str, Any]]:
        return self.close(self.lock(*seats), *numbers)

    def level(self, link: str = "M", name: str = "meter") -> Level:
        found: Level = self.subject.link(link).level(name)
        return found

    def cycle(self, link: str = "M", name: str = "meter") -> MysteryCycle:
        cycle = self.level(link, name).mystery
        assert cycle is not None
        return cycle

    def meter(self) -> int:
        """In cents and hundredths of them."""
        return self.level().accounts.primary

    def cents(self) -> tuple[int, int, int, int, int]:
        """Meter, overflow, house, wagers and awards, in cents."""
        accounts = self.level().accounts
        assert sum(accounts.values()) == 0
        sums = (accounts.primary, accounts.overflow, -accounts.house, -accounts.wagers, accounts.awards)
        return tuple(one // CENT for one in sums)  # type: ignore[return-value]  # five of five


def test_the_wager_that_reaches_the_trigger_wins_the_meter() -> None:
    """Y1, Y2, Y3, Y10: by hand; the wagers count as the round closes, seat 7 first, each with its own number.

    Seat 7 lifts 10.00 to 10.50 and wins for a number below 500,000: it draws 500,000. Seat 5 lifts it to
    11.00 and wins for one below 500,000: it draws 499,999. Seat 2 is the first of the next cycle.
    """
    place = Place(mystery())
    name = place.lock(7, 5, 2)
    assert place.meter() == 10 * DOLLAR
    (award,) = place.close(name, 500_000, 499_999, 9_999_999)
    assert award == {
        "award": "A1", "hit": "H1", "seat": 5, "link": "M", "level": "meter", "hand": "mystery",
        "kind": "meter", "amount": 1_100, "pays": "cage", "status": "pending", "unverified": False,
        "because": None, "light": True,
    }  # fmt: skip
    assert place.cents() == (1_050, 0, 2_000, 150, 1_100)
    found = place.level()
    assert (found.cycle, found.hits, found.wins, found.wagers) == (2, 1, 11 * DOLLAR, 3)
    assert (place.cycle().start, place.cycle().decided) == (10 * DOLLAR, 10_500_000)
    (shown,) = found.shown
    assert (shown.cycle, shown.before, shown.after) == (1, 11 * DOLLAR, 10 * DOLLAR)


def test_the_raw_bytes_of_each_number_are_journalled() -> None:
    """Y2, Y5: with those that were rejected; so nobody draws again to decide the entry again."""
    place = Place(mystery())
    name = place.lock(7)
    rejected = b"\xff" * WORD
    place.subject.engine.chance = Rejecting(rejected)
    place.send(Close(name))
    event = place.subject._last_event()
    assert isinstance(event, Closed)
    (counted,) = event.counted
    assert counted.drawn == [rejected + (9_000_000).to_bytes(WORD, "big")]


class Rejecting:
    """A source whose first word lies beyond the last whole multiple of every range."""

    def __init__(self, rejected: bytes) -> None:
        self._rejected = rejected

    def raw(self, _link: int, _level: int) -> bytes:
        return (self._rejected + (9_000_000).to_bytes(WORD, "big")).ljust(RAW_BYTES, b"\0")


def test_at_the_highest_sum_somebody_wins_for_sure() -> None:
    """Y2: never none at the maximum; the award is the highest sum, and what is above it goes on."""
    place = Place(mystery("M", level(rate=1_400)))  # 70 cents a wager: the 15th lifts 19.80 to 20.50
    for count in range(14):
        assert place.play((1,), 10 * DOLLAR - 700_000 * count - 1) == []
    assert place.meter() == 19_800_000
    (award,) = place.play((1,), 199_999)
    assert award["amount"] == 2_000
    assert place.meter() == 10_500_000
    assert place.cycle().start == place.cycle().decided == 10_500_000


def test_what_is_below_a_cent_goes_on() -> None:
    """Y1, M3: the award is floored to the cent."""
    place = Place(mystery("M", level(rate=133), wager=DOLLAR), seats=1)  # 1.33 cents a wager
    (award,) = place.close(place.lock(1, amount=100), 0)
    assert award["amount"] == 1_001
    assert place.meter() == 10_003_300


def test_what_was_taken_back_before_the_close_never_counted() -> None:
    """Y3: withdrawn, voided: no ticket, whatever was looked at meanwhile."""
    place = Place(mystery())
    place.send(Wager("A", (Bet(7, "M", 500), Bet(5, "M", 500))))
    place.send(Withdraw("A", (Unbet(7, "M"),)))
    place.send(Lock("A", {"M": 1}))
    answer = place.send(Void("A", "misdeal"))
    assert [refund["seat"] for refund in answer["refunds"]] == [5]
    assert place.chance.asked == []
    assert place.cents() == (1_000, 0, 1_000, 0, 0)
    assert (place.level().wagers, place.level().undone_wagers) == (0, 2)


def test_a_count_that_differs_draws_nothing() -> None:
    """Y3, T3, Y9: only a close that nothing can refuse any more decides."""
    place = Place(mystery())
    place.send(Wager("A", (Bet(7, "M", 500),), lock=True, chips={"M": 2}))
    assert place.refused(Close("A"))[0] == "chip_mismatch"
    place.send(Lock("A", {"M": 1}))
    assert place.chance.asked == []
    assert place.close("A", 499_999)[0]["amount"] == 1_050


def test_a_round_counts_once() -> None:
    """Y3: reopened and closed again it draws nothing more, and moves nothing."""
    place = Place(mystery())
    name = place.lock(7, 5)
    place.close(name, 9_999_999, 9_499_999)
    before = place.cents()
    place.act(Reopen("T1", name, "a missed hand"))
    assert place.close(name) == []
    assert place.cents() == before == (1_100, 0, 1_000, 100, 0)


def test_a_wager_below_what_was_decided_decides_nothing() -> None:
    """Y2, Y4: a refund lowers the meter, and nobody draws twice for the same part of it."""
    place = Place(mystery())
    name = place.lock(7, 5)
    place.close(name, 9_999_999, 9_499_999)
    place.act(Reopen("T1", name, "jam"))
    answer = place.act(VoidRound("T1", name, "jam"))
    assert len(answer["refunds"]) == 2
    assert (place.cents(), place.cycle().decided) == ((1_000, 0, 1_000, 0, 0), 11 * DOLLAR)
    assert (place.level().wagers, place.level().undone_wagers) == (0, 2)
    assert place.play((7, 5)) == []  # 10.50 and 11.00 were decided
    (award,) = place.play((1,), 499_999)
    assert award["amount"] == 1_150


def test_an_undone_award_goes_to_the_overflow() -> None:
    """Y4: two people; the running cycle goes on as it is, and no cycle is joined."""
    place = Place(mystery())
    (award,) = place.play((7, 5), 0, 8_000_000)
    assert place.denied(Undo("H1", "phantom round"), PEOPLE[:1]) == "two_people"
    running = (place.meter(), place.cycle().decided, place.level().cycle)
    place.act(Undo("H1", "phantom round"))
    assert place.cents() == (1_050, 1_050, 2_000, 100, 0)
    assert (place.meter(), place.cycle().decided, place.level().cycle) == running
    found = place.level()
    assert (found.hits, found.undone_hits, found.wins, found.joined) == (0, 1, 0, [])
    assert award["amount"] == 1_050


def test_refunds_of_an_undone_cycle_come_from_the_overflow() -> None:
    """Y4: of the running cycle from the meter; both wagers of a round may be of different cycles."""
    place = Place(mystery())
    name = place.lock(7, 5)
    place.close(name, 0, 8_000_000)
    place.act(Undo("H1", "phantom round"))
    place.act(Reopen("T1", name, "phantom round"))
    place.act(VoidRound("T1", name, "phantom round"))
    assert place.cents() == (1_000, 1_000, 2_000, 0, 0)
    assert place.cycle().undone == {1: 10 * DOLLAR}
    assert place.cycle().decided == 10_500_000


def test_a_refund_of_a_cycle_that_was_won_is_the_houses() -> None:
    """Y4: when the cycle has ended with an award that stands."""
    place = Place(mystery())
    name = place.lock(7)
    place.close(name, 9_999_999)
    assert place.subject.execute(
        OpenTable(TableTerms("T2", "any", 7, ("M",), max_rounds_per_minute=9))
    ).answer["ok"]
    place.chance.numbers.append(0)
    bets = (Bet(1, "M", 500),)
    place.subject.execute(Wager("X", bets, lock=True, chips={"M": 1}), table="T2", table_seq=1)
    place.subject.execute(Close("X"), table="T2", table_seq=2)
    place.act(Reopen("T1", name, "jam"))
    place.act(VoidRound("T1", name, "jam"))
    assert place.cents() == (1_000, 0, 2_050, 50, 1_100)


def test_a_corrected_award_leaves_the_running_cycle_alone() -> None:
    """A10, Y4: the house pays more; what it paid goes back to it first, less goes to the overflow."""
    place = Place(mystery())
    place.play((7, 5), 0, 8_000_000)
    running = (place.meter(), place.cycle().decided)
    place.act(Correct("A1", 1_060, "10 cents more"))
    assert place.cents() == (1_050, 0, 2_010, 100, 1_060)
    place.act(Correct("A1", 1_045, "15 cents less"))
    assert place.cents() == (1_050, 5, 2_000, 100, 1_045)
    place.act(Correct("A1", 1_050, "as it was"))
    place.act(Undo("H1", "no round"))
    assert place.cents() == (1_050, 1_050, 2_000, 100, 0)
    assert (place.meter(), place.cycle().decided) == running


def test_no_correction_wins() -> None:
    """Y11: upward it ends below the highest sum, and skips what is below; downward nothing is drawn again."""
    place = Place(mystery())
    assert place.denied(CorrectMeter("M", "meter", 10 * DOLLAR, "found")) == "bad_amount"
    assert place.denied(CorrectMeter("M", "meter", DOLLAR, "found", "reserve")) == "bad_amount"
    place.act(CorrectMeter("M", "meter", 9 * DOLLAR, "found"))
    assert (place.meter(), place.cycle().decided) == (19 * DOLLAR, 19 * DOLLAR)
    place.act(CorrectMeter("M", "meter", -5 * DOLLAR, "lost"))
    assert (place.meter(), place.cycle().decided) == (14 * DOLLAR, 19 * DOLLAR)
    assert place.play((1,)) == []
    assert place.chance.asked == []


def test_no_transfer_wins() -> None:
    """Y11, L8: nor does money of another link; its reserve joins the meter, since this one has none."""
    card = replace(floor.TERMS["five-A"], count_chips=False)
    bonus = LevelTerms("meter", 1_000, 1_000, 0, 0)
    place = Place(mystery())
    small = replace(card, link="S", levels=(bonus,))
    assert place.subject.execute(OpenLink(small)).answer["ok"]
    place.act(CorrectMeter("S", "meter", 6 * DOLLAR, "players'"))
    place.act(CorrectMeter("S", "meter", 3 * DOLLAR, "players'", "reserve"))
    place.act(Suspend("operator", ("S",), "to move"))
    place.act(Transfer("S", "M", "moved"))
    assert (place.meter(), place.cycle().decided) == (19 * DOLLAR, 19 * DOLLAR)
    place.act(CorrectMeter("S", "meter", DOLLAR, "players'"))
    assert place.denied(Transfer("S", "M", "too much")) == "bad_amount"
    place.act(CorrectMeter("S", "meter", -1, "a hair less"))
    place.act(Transfer("S", "M", "just below"))
    assert place.meter() == 20 * DOLLAR - 1


def test_a_link_that_is_closed_gives_the_house_its_money_of_the_cycle() -> None:
    """L8: the seed of the running cycle goes back, the players' money on to another link."""
    place = Place(mystery(), mystery("N"))
    place.play((7, 5), 9_999_999, 9_499_999)
    place.act(Suspend("operator", ("M",), "to close"))
    place.act(CloseLink("M", "old", to="N"))
    assert place.level().accounts.primary == 0
    assert place.level("N").accounts.primary == 11 * DOLLAR
    assert place.level().accounts.house == 0


def test_changed_terms_count_from_the_next_cycle() -> None:
    """L9, Y11: the running one keeps its rate and its highest sum."""
    place = Place(mystery())
    place.play((7,), 9_999_999)
    place.act(Suspend("operator", ("M",), "to change"))
    dear = mystery("M", level(a=20, b=30, rate=2_000))
    place.act(ChangeLink(dear, "new terms"))
    assert place.cycle().terms == level()
    place.act(Resume("operator", ("M",), "changed"))
    (award,) = place.play((7, 5), 0, 9_999_999)
    assert award["amount"] == 1_100
    assert (place.meter(), place.cycle().terms) == (21 * DOLLAR, dear.levels[0])
    place.act(Validate("H1"))
    for payment in place.subject.payments():
        place.act(payment)
    place.act(Suspend("operator", ("M",), "to change"))
    narrow = mystery("M", level(a=29, b=30, rate=100))
    assert place.denied(ChangeLink(narrow, "too narrow for what this cycle may leave")) == "bad_terms"
    assert place.denied(ChangeLink(replace(mystery(), form="committed"), "another form")) == "fixed"


def test_each_level_decides_by_itself() -> None:
    """Y6: one wager may win several, each a hit; levels in the link's order."""
    levels = level("mega", 100, 200, 1_000), level("minor", 10, 20, 500)
    place = Place(mystery("M", *levels))
    awards = place.play((7,), 499_999, 249_999)
    assert [(one["hit"], one["level"], one["amount"]) for one in awards] == [
        ("H1", "mega", 10_050), ("H2", "minor", 1_025),
    ]  # fmt: skip
    assert place.chance.asked == [(1, 1), (1, 2)]


def test_two_cycles_may_end_in_one_round() -> None:
    """Y2, Y3: the wager after a winner plays for the next cycle; never two winners of one."""
    place = Place(mystery())
    awards = place.play((7, 5, 2), 0, 0, 9_999_999)
    assert [(one["seat"], one["amount"]) for one in awards] == [(7, 1_050), (5, 1_050)]
    assert [shown.cycle for shown in place.level().shown] == [1, 2]
    assert place.level().cycle == 3
    hits = place.subject.engine.state.hits
    assert [hits[number].cycle for number in (1, 2)] == [1, 2]


def test_a_game_of_any_name_sends_wagers_alone() -> None:
    """Y7: no hands, no cards; a settle without them may close."""
    place = Place(mystery())
    name = place.lock(7)
    for field, sent in (
        ("hands", {"hands": (Claim(7, folded=True),)}),
        ("board", {"hands": (), "board": ("As", "Ks")}),
        ("dealer", {"hands": (), "dealer": ("As", "Ks")}),
    ):
        assert place.refused(Settle(name, **sent)) == ("bad_message", "game_without_cards", field)
    place.chance.numbers.append(9_999_999)
    assert place.send(Settle(name, (), close=True)).get("awards", []) == []
    assert place.meter() == 10_500_000


def test_a_table_may_have_links_of_both_kinds() -> None:
    """Y7: a hand counts on card links alone, also by its name; the close that settles it counts the rest."""
    card = replace(floor.TERMS["five-A"], count_chips=False)
    place = Place(card, mystery(), game="let-it-ride")
    bets = (Bet(7, "five-A", 100), Bet(7, "M", 500))
    place.send(Wager("A", bets, lock=True, chips={"M": 1}))
    place.chance.numbers.append(0)
    answer = place.send(Settle("A", (Claim(7, None, "flush"),), close=True))
    assert [(one["link"], one["kind"]) for one in answer["awards"]] == [("five-A", "odds"), ("M", "meter")]
    place.send(Wager("B", bets, lock=True, chips={"M": 1}))
    assert place.refused(Settle("B", (Claim(7, None, "flush", link="M"),)))[0] == "bad_message"


def test_mystery_awards_do_not_count_towards_those_of_hands() -> None:
    """Y9, WIRE: 64 wagers may all win at once, and the answer fits a frame; no win is refused."""
    wide = mystery("M" * 64, level(a=0, b=11, rate=10_000), wager=10 * DOLLAR)
    place = Place(wide, seats=16)
    links = [replace(wide, link=f"{letter}" * 64) for letter in "BCD"]
    for one in links:
        assert place.subject.execute(OpenLink(one)).answer["ok"]
    names = (wide.link, *(one.link for one in links))
    table = TableTerms("T1", "any", 16, names, max_rounds_per_minute=1_000)
    assert place.subject.execute(OpenTable(table)).answer["ok"]
    bets = tuple(Bet(seat, name, 1_000) for seat in range(1, 17) for name in names)
    place.send(Wager("A", bets, lock=True, chips=dict.fromkeys(names, 16)))
    place.chance.numbers.extend([0] * 64)
    answer = place.send(Close("A"))
    assert len(answer["awards"]) == 64
    assert len(msgspec.msgpack.encode(answer)) < FRAME_MAX


@pytest.mark.parametrize(
    ("terms", "fault"),
    [
        (mystery("M", level(b=10)), "terms_mystery_width"),
        (mystery("M", level(a=10, b=20, rate=10_000), wager=10 * DOLLAR), "terms_mystery_width"),
        (mystery("M", LevelTerms("meter", 1_000, 100, 0, 0, must_hit_by=DOLLAR)), "terms_mystery_level"),
        (mystery("M", level(limit=15 * DOLLAR)), "terms_mystery_level"),
        (mystery("M", LevelTerms("meter", 1_000, 0, 0, 0)), "terms_mystery_level"),
        (mystery("M", replace(level(), seed=9 * DOLLAR)), "terms_mystery_seed"),
        (mystery("M", level(a=90, b=100)), "terms_mystery_return"),
        (mystery("M", level(a=0, b=1, rate=50), wager=DOLLAR), "terms_mystery_cent"),
        (mystery(simultaneous="share"), "terms_mystery_has_none"),
        (mystery(count_chips=False), "terms_mystery_uncounted"),
        (mystery(electronic=True), "terms_mystery_uncounted"),
        (replace(mystery(), form=""), "terms_mystery_form"),
        (replace(floor.TERMS["five-A"], form="drawn"), "terms_mystery_form"),
    ],
)  # fmt: skip
def test_terms_that_no_mystery_link_has(terms: LinkTerms, fault: str) -> None:
    """Y1, Y10, S8: refused in an opening, too."""
    answer = OfEngine().execute(OpenLink(terms)).answer
    assert not answer["ok"]
    assert why(answer) == fault


def test_what_a_table_needs_for_a_mystery() -> None:
    """Y7, Y10: a pace, and no more awards at once than an answer holds; a game of any name takes no cards."""
    subject = OfEngine()
    for one in (mystery(), floor.TERMS["five-A"], mystery("N", *(level(name) for name in ("mega", "major")))):
        assert subject.execute(OpenLink(one)).answer["ok"]

    def said(*links: str, game: Game = "any", seats: int = 7, pace: int = 9) -> str:
        answer = subject.execute(
            OpenTable(TableTerms("T1", game, seats, links, max_rounds_per_minute=pace))
        ).answer
        return "" if answer["ok"] else why(answer)

    assert said("M", pace=0) == "terms_mystery_pace"
    assert said("M", "five-A") == "five-A"  # the link of another game
    assert said("M", "N", seats=16) == ""
    for letter in "OP":
        both = mystery(letter, *(level(name) for name in ("mega", "major")))
        assert subject.execute(OpenLink(both)).answer["ok"]
    assert said("M", "N", "O", "P", seats=10) == "terms_mystery_too_many"
    assert said("M", "five-A", game="let-it-ride") == ""
    assert said("M", game="criss-cross-poker", seats=6) == ""


def test_electronic_wagers_need_no_count() -> None:
    """Y10, T3."""
    place = Place(mystery(electronic=True, count_chips=False))
    place.send(Wager("A", (Bet(7, "M", 500),), lock=True))
    assert place.close("A", 0)[0]["pays"] == "cage"


def test_what_a_table_is_told_of_it() -> None:
    """Y6: the welcome says by which sum the running cycle must hit."""
    place = Place(mystery())
    table = place.subject.engine.table("T1")
    assert table is not None
    (told,) = greeting(place.subject.engine.state, table).links
    assert (told.paytable, told.must_hit_by, told.count) == ("mystery", {"meter": 2_000}, True)
    (found,) = views.statistics(place.subject.engine)["links"]
    assert found["levels"][0]["must_hit_by"] == 20 * DOLLAR


def test_it_goes_on_in_a_bank_that_its_own_became() -> None:
    """Y2: the running cycle is handed on, with what was decided of it."""
    place = Place(mystery())
    place.play((7, 5), 9_999_999, 9_499_999)
    place.subject.become(_closed(), "casino")
    place.chance = place.subject.engine.chance = Scripted()
    (award,) = place.play((7,), 499_999)
    assert (award["amount"], place.cycle().stake) == (1_150, 10 * DOLLAR)


def test_what_the_house_lent_goes_back_to_it_after_a_join() -> None:
    """A10, Y4: a paid award may still be corrected in the bank that its own became."""
    place = Place(mystery())
    place.play((7, 5), 0, 8_000_000)
    place.act(Correct("A1", 2_050, "a slip: $10 more"))
    place.act(Validate("H1"), ("ann",))
    place.act(Pay("H1", document="W-1"), ("ann",))
    place.play((4,), 9_000_000)
    overflow, house, lent = place.cents()[1], place.cents()[2], place.cycle().lent
    assert (overflow, lent) == (0, {1: 10 * DOLLAR})
    place.subject.become(_closed(), "casino")
    ((award,),) = (hit.awards for hit in place.subject.engine.state.paid.values())
    assert place.cycle().lent == {award.number: 10 * DOLLAR}
    place.act(Correct(f"A{award.number}", 1_050, "as it was", document="W-2"))
    assert place.cents()[1:3] == (0, house - 1_000)
    assert place.cycle().lent == {}


def _closed() -> Engine:
    other = OfEngine("other")
    assert other.execute(Suspend("joining", (), ""), people=PEOPLE).answer["ok"]
    assert other.execute(CloseBank("casino", "one room"), people=PEOPLE).answer["ok"]
    return other.engine


def test_a_snapshot_has_all_of_it() -> None:
    """S8: another server goes on from a snapshot as from the rows."""
    place = Place(mystery())
    place.play((7, 5), 0, 8_000_000)
    place.act(Undo("H1", "no round"))
    before = place.subject.engine.snapshot()
    place.subject.take_over()
    assert place.subject.engine.snapshot() == before
    assert place.subject.auditor.snapshot() == before
