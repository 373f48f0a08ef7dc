"""Bonus wagers with fixed odds: a link without levels (B1-B8, B12, B15, B16)."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from controllers.messages import CENTS_MAX, Malformed, decode_device
from jackpot.rules import views
from jackpot.rules.acts.hits import Correct, Corrected, Paid, Pay, Undo, Validate
from jackpot.rules.acts.links import OpenLink, Suspend
from jackpot.rules.acts.meters import Transfer
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.rounds import Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command
from jackpot.rules.engine import Engine
from jackpot.rules.outgoing_messages import greeting, needed
from jackpot.rules.paytable import Fixed, ForOne, Game, LinkTerms, PaytableRow, TableTerms, ToOne
from jackpot.rules.state import PAID_KEPT
from tests.frames import Bet, Claim, Close, Lock, Settle, Unbet, Void, Wager, Withdraw
from tests.rules import floor
from tests.rules.acts.test_requests import last
from tests.rules.floor import DOLLAR
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_tax import US_2026
from tests.said import Heard, refused_frame

HANDS: Final = ("straight-flush", "three-of-a-kind", "straight", "flush", "pair")
CENT: Final = DOLLAR // 100


def rows(hands: Iterable[str], *odds: int) -> tuple[PaytableRow, ...]:
    return tuple(PaytableRow(hand, ToOne(n)) for hand, n in zip(hands, odds, strict=True))


def offer(name: str, kind: Any, pays: tuple[PaytableRow, ...], **more: Any) -> LinkTerms:
    """An offer of $5 to $100, in steps of $5, on the layout."""
    given: dict[str, Any] = {
        "wager": 5 * DOLLAR, "most": 100 * DOLLAR, "unit": 5 * DOLLAR, "placed": "layout",
        "validate_at": 1_000 * DOLLAR, "cage_at": 10_000 * DOLLAR, "always_validate_for": 500,
    } | more  # fmt: skip
    return LinkTerms(name, floor.BANK, f"paytable-of-{name}", given.pop("wager"), kind, (), pays, **given)


THREE: Final = offer("three", "three", rows(HANDS, 40, 30, 6, 4, 1))
HIGH: Final = ("royal-flush", "straight-flush", "four-of-a-kind", "full-house", "flush")
FIVE: Final = offer(
    "five", "five-flop", rows(HIGH, 20_000, 2_000, 100, 75, 50), placed="device", count_chips=True
)
DOLLARS: Final = offer(
    "dollars", "five-flop",
    (PaytableRow("royal-flush", Fixed(25_000 * DOLLAR)), PaytableRow("flush", Fixed(50 * DOLLAR))),
    wager=DOLLAR, most=DOLLAR, unit=DOLLAR, placed="device", count_chips=True,
)  # fmt: skip
PAIR_PLUS: Final = offer("pair-plus", "three", rows(HANDS, 40, 30, 5, 4, 1))
ACES_UP: Final = offer("aces-up", "four", rows(("four-of-a-kind", "straight"), 50, 5), fold="stands")
TRIPS: Final = offer("trips", "five-best", rows(("royal-flush", "straight-flush", "flush"), 50, 40, 7))
METER: Final = floor.TERMS["five-A"]


class Place:
    """A table with a link and offers, and what it sends."""

    def __init__(self, *terms: LinkTerms, game: Game = "let-it-ride", seats: int = 6) -> None:
        self.subject, self.seq = OfEngine(), 0
        for one in terms:
            assert self.subject.execute(OpenLink(one)).answer["ok"]
        names = tuple(one.link for one in terms)
        assert self.subject.execute(OpenTable(TableTerms("T1", game, seats, names, 1))).answer["ok"]

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

    def state(self) -> str:
        """That of its unfinished round."""
        round_ = views.round_of(self.subject.engine, "T1")
        assert round_ is not None
        return str(round_["state"])

    def unseen(self) -> list[str]:
        """The offers of its unfinished round whose cards are still to be shown."""
        round_ = views.round_of(self.subject.engine, "T1")
        assert round_ is not None
        return list(round_["unseen"])

    def house(self, link: str) -> tuple[int, int, int]:
        """Wagers, awards and what the house has of an offer, in cents."""
        accounts = self.subject.link(link).outside
        assert sum(accounts.values()) == 0
        return -accounts.wagers // CENT, accounts.awards // CENT, accounts.house // CENT


def bets(link: str, *amounts: tuple[int, int]) -> tuple[Bet, ...]:
    """Wagers of each seat, in cents."""
    return tuple(Bet(seat, link, cents) for seat, cents in amounts)


def paid(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (one["seat"], one["link"], one["amount"], one.get("stake", 0), one.get("stake_at"))
        for one in answer.get("awards", ())
    ]


def test_the_player_chooses_an_amount_within_the_bounds() -> None:
    """B3, T2: out of bounds is `wrong_amount`, naming them; another amount needs a withdrawal first."""
    place = Place(THREE)
    for cents in (0, 499, 501, 10_500, 2**53 - 1):
        told = place.refused(Wager("r1", bets("three", (1, cents))))
        assert told == ("wrong_amount", "amount_out_of_bounds", cents, "three", 500, 10_000, 500)
    place.send(Wager("r1", bets("three", (1, 500), (2, 10_000), (3, 1_500))))
    assert place.refused(Wager("r1", bets("three", (1, 1_000))))[:2] == (
        "duplicate_wager",
        "wager_made_already",
    )
    back = place.send(Withdraw("r1", (Unbet(1, "three"),)))
    assert back["refunds"] == [{"seat": 1, "link": "three", "on": "own", "amount": 500, "pays": "layout"}]
    place.send(Wager("r1", bets("three", (1, 1_000))))
    assert place.house("three") == (12_500, 0, 12_500)


def test_wagers_and_awards_lie_on_level_0() -> None:
    """B1, B4: the house has the wagers; it pays N times the wager, and the stake besides."""
    place = Place(METER, THREE)
    place.send(Wager("r1", (*bets("three", (6, 1_000), (2, 500)), Bet(6, METER.link, 100)), True))
    answer = place.send(
        Settle("r1", (Claim(6, ("As", "Ks", "Qs")), Claim(2, ("2h", "7d", "9c"))), ("3d", "5h"), close=True)
    )
    assert paid(answer) == [(6, "three", 40_000, 1_000, "layout")]
    assert (answer["awards"][0]["kind"], answer["awards"][0]["level"]) == ("odds", None)
    assert place.house("three") == (1_500, 41_000, -39_500)
    assert place.subject.entries[-1].postings[0].level == 0
    assert -place.subject.link(METER.link).levels[0].accounts.wagers == 21 * DOLLAR // 100


@pytest.mark.parametrize(
    ("more", "stake"),
    [
        ({"placed": "device", "rows": (PaytableRow("pair", ForOne(1)),)}, (0, None)),
        ({"placed": "device"}, (500, "inventory")),
        ({"placed": "layout"}, (500, "layout")),
    ],
)
def test_a_stake_lies_is_paid_back_or_is_kept(more: dict[str, Any], stake: tuple[Any, ...]) -> None:
    """B4, B5, B9: the odds are the award, which no limit reduces; the stake stands next to it."""
    place = Place(replace(THREE, **more))
    place.send(Wager("r1", bets("three", (1, 500)), True))
    answer = place.send(Settle("r1", (Claim(1, ("2h", "2d", "9c")),), close=True))
    assert paid(answer) == [(1, "three", 500, *stake)]


def test_dollars_are_the_whole_payout() -> None:
    """B3, B4: a paytable in dollars has one amount, and returns no stake."""
    place = Place(DOLLARS)
    assert place.refused(Wager("r1", bets("dollars", (1, 200))))[0] == "wrong_amount"
    place.send(Wager("r1", bets("dollars", (1, 100)), True, {"dollars": 1}))
    answer = place.send(Settle("r1", (Claim(1, ("2h", "5h", "9h")),), ("Jh", "Kh"), close=True))
    assert paid(answer) == [(1, "dollars", 5_000, 0, None)]


def test_the_count_is_of_wagers_and_of_what_they_come_to() -> None:
    """T3, B3, B6: either of them wrong, or owed, is a mismatch; a right one ends it."""
    place = Place(FIVE)
    wagered = bets("five", (1, 500), (2, 2_000))
    counts: tuple[tuple[Any, Any], ...] = (
        (None, None),
        ({"five": 2}, None),
        ({"five": 1}, {"five": 2_500}),
        ({"five": 2}, {"five": 2_000}),
    )
    for number, (chips, sums) in enumerate(counts):
        round_ = f"r1-{number}"
        place.send(Wager(round_, wagered))
        heard = place.hear(Lock(round_, chips, sums))
        assert heard.answer["warn"] == ["chip_mismatch"], (chips, sums)
        facts = dict(heard.alarms)["chip_mismatch"]
        assert facts["sums"] == {"five": {"table": (sums or {}).get("five"), "server": 2_500}}
        assert place.refused(Close(round_))[0] == "chip_mismatch"
        assert "warn" not in place.send(Lock(round_, {"five": 2}, {"five": 2_500}))
        place.send(Void(round_, "tests"))
    place.send(Wager("r2", wagered, True, {"five": 2}, {"five": 500}))
    struck = place.act(Strike("T1", "r2", 2, "five", "tests"), ("ann",))
    assert [one["amount"] for one in struck["refunds"]] == [2_000]
    assert place.state() == "mismatch"  # two chips were counted
    place.send(Lock("r2", {"five": 1}))
    assert place.state() == "locked"


def test_a_sum_of_one_amount_is_counted_where_it_is_sent() -> None:
    """T3, B3: the number of wagers says it already; a sum that disagrees with it is one all the same."""
    place = Place(DOLLARS)
    place.send(Wager("r1", bets("dollars", (1, 100), (2, 100))))
    assert place.send(Lock("r1", {"dollars": 2}, {"dollars": 100}))["warn"] == ["chip_mismatch"]
    assert "warn" not in place.send(Lock("r1", sums={"dollars": 200}))


def test_no_sum_is_more_than_the_ledger_holds() -> None:
    """B3, S9: what a device says of its sums is bounded, so that none of its frames stops the whole bank."""
    place, most = Place(THREE), {"three": CENTS_MAX}
    place.send(Wager("r1", bets("three", (1, 500)), True, {"three": 1}, most))
    place.send(Close("r1", {"three": 1}, most))
    assert Engine.from_snapshot(place.subject.engine.snapshot()).seq == place.subject.engine.seq
    for kind in ("wager", "lock", "settle", "close"):
        fields: dict[str, Any] = {
            "t": kind,
            "seq": 1,
            "round": "r1",
            "bets": [],
            "hands": [],
            "sums": {"three": CENTS_MAX + 1},
        }
        said = decode_device(msgspec.msgpack.encode(fields))
        assert isinstance(said, Malformed), kind
        assert said.message.startswith("sums, a value: ")


def test_nothing_joins_two_wagers_of_a_seat() -> None:
    """B7: that a text wants one of two wagers, the dealer checks; each is taken and settled by itself."""
    place = Place(THREE, replace(THREE, link="other"))
    place.send(Wager("r1", (*bets("three", (1, 500)), *bets("other", (1, 10_000))), True))
    answer = place.send(Settle("r1", (Claim(1, ("2h", "2d", "9c")),), close=True))
    assert [one[1:3] for one in paid(answer)] == [("three", 500), ("other", 10_000)]


def test_chips_on_the_layout_are_not_counted() -> None:
    """B6: the dealer's count of them says nothing."""
    place = Place(THREE)
    assert "warn" not in place.send(Wager("r1", bets("three", (1, 500)), True, {"three": 7}, {"three": 1}))


def test_the_tables_own_sums_are_compared() -> None:
    """S6, B3: its lifetime sum, undone wagers included, next to its lifetime count."""
    place = Place(THREE)
    place.send(Wager("r1", bets("three", (1, 500))))
    place.send(Withdraw("r1", (Unbet(1, "three"),)))
    place.send(Wager("r1", bets("three", (1, 1_500)), True))
    assert "warn" not in place.send(Close("r1", {"three": 2}, {"three": 2_000}))
    place.send(Wager("r2", bets("three", (1, 500)), True))
    heard = place.hear(Close("r2", {"three": 3}, {"three": 2_000}))
    assert heard.answer["warn"] == ["count_mismatch"]
    assert dict(heard.alarms)["count_mismatch"]["sums"] == {"three": {"table": 2_000, "server": 2_500}}


@pytest.mark.parametrize(
    ("terms", "game", "cards", "board", "won"),
    [
        (PAIR_PLUS, "three-card-poker", ("2h", "2d", "9c"), None, 0),  # 649a.11(b)(1): lost
        (ACES_UP, "four-card-poker", ("2h", "3d", "4c", "5h", "9c"), None, 2_500),  # 641a.11(b)(1): stands
        (
            TRIPS,
            "ultimate-texas-holdem",
            ("2h", "3h"),
            ("4h", "9h", "Jh", "2d", "2s"),
            3_500,
        ),  # 653a.11(f)(2)(i)
    ],
)
def test_a_fold_is_of_the_paytable(
    terms: LinkTerms, game: Game, cards: tuple[str, ...], board: tuple[str, ...] | None, won: int
) -> None:
    """B8, T8: what stands is paid by its own cards; not sent, it is lost."""
    for sent, cents in ((cards, won), (None, 0)):
        place = Place(terms, game=game)
        place.send(Wager("r1", bets(terms.link, (1, 500)), True))
        answer = place.send(Settle("r1", (Claim(1, sent, folded=True),), board, close=True))
        assert sum(one["amount"] for one in answer.get("awards", ())) == cents


def test_an_offer_takes_cards_alone() -> None:
    """B16, H4: a name counts for links with levels; for an offer it is refused, or says nothing."""
    place = Place(METER, THREE)
    place.send(Wager("r1", (*bets("three", (1, 500)), Bet(1, METER.link, 100)), True))
    told = place.refused(Settle("r1", (Claim(1, hand="pair", link="three"),)))
    assert told == ("bad_message", "offer_needs_cards", "three")
    answer = place.send(Settle("r1", (Claim(1, hand="full-house"),), close=True))
    assert [(one["link"], one["unverified"]) for one in answer["awards"]] == [(METER.link, True)]


def test_a_hand_by_name_alone_settles_its_seat_and_loses_its_offers() -> None:
    """B16: where no cards can be read the link is paid by the name; cards that come later are too late."""
    place = Place(METER, THREE)
    place.send(Wager("r1", (*bets("three", (1, 500)), Bet(1, METER.link, 100)), True))
    place.send(Settle("r1", (Claim(1, hand="full-house"),)))
    late = Settle("r1", (Claim(1, ("2h", "2d", "9c")),), ("9d", "9h"))
    assert place.refused(late)[0] == "already_settled"
    assert place.send(Close("r1")).get("awards", []) == []
    assert place.house("three") == (500, 0, 500)


@pytest.mark.parametrize(
    "command", [Close("r1"), Settle("r1", (Claim(1, ("2h", "2d", "9c")),)), Settle("r1", (), close=True)]
)
def test_nothing_loses_for_a_card_that_nobody_showed(command: Command) -> None:
    """B16: a seat is not settled, and no round closed, while a standing offer lacks the board."""
    place = Place(FIVE)
    place.send(Wager("r1", bets("five", (1, 500)), True, {"five": 1}, {"five": 500}))
    assert place.refused(command) == ("bad_message", "board_too_short", "five")
    place.send(Settle("r1", (), ("3d", "5h")))
    place.send(Close("r1"))
    assert place.house("five") == (500, 0, 500)


def test_two_people_strike_a_wager_whose_community_cards_cannot_be_shown() -> None:
    """B16, T8: its money goes back, the count that agreed goes on without it, and the round can close."""
    place = Place(METER, FIVE)
    wagered = (*bets("five", (2, 500), (1, 1_500)), Bet(3, METER.link, 100))
    place.send(Wager("r1", wagered, True, {"five": 2}, {"five": 2_000}))
    place.send(Settle("r1", (Claim(3, hand="full-house"),)))
    place.act(Validate("H1"), ("ann",))
    place.act(Pay("H1", document="W-1"), ("ann",))
    assert place.refused(Close("r1"))[:2] == ("bad_message", "board_too_short")
    assert place.refused(Void("r1", "tests"))[0] == "award_standing"
    strike = Strike("T1", "r1", 1, "five", "cards were mixed")
    assert place.subject.execute(strike, people=("ann",)).answer["code"] == "two_people"
    assert [one["amount"] for one in place.act(strike)["refunds"]] == [1_500]
    place.act(replace(strike, seat=2))
    assert place.state() == "locked"
    place.send(Close("r1", {"five": 2}, {"five": 2_000}))
    assert place.house("five") == (0, 0, 0)


def test_a_wager_whose_community_cards_were_shown_is_not_struck() -> None:
    """B16, T3: nor one whose count agrees, nor before the lock."""
    place = Place(FIVE)
    place.send(Wager("r1", bets("five", (1, 500))))
    strike = Strike("T1", "r1", 1, "five", "tests")
    assert place.subject.execute(strike, people=PEOPLE).answer["code"] == "not_mismatch"
    place.send(Lock("r1", {"five": 1}, {"five": 500}))
    place.send(Settle("r1", (), ("3d", "5h")))
    assert place.subject.execute(strike, people=PEOPLE).answer["code"] == "not_mismatch"


def test_high_awards_wait_and_the_highest_are_the_cages() -> None:
    """B15, A10, T11: final below `validate_at` and 500 times the wager; from `cage_at` on with papers."""
    cases = (
        (THREE, ("2h", "2d", "9c"), (), 500, "final", "inventory"),
        (THREE, ("2h", "3h", "4h"), (), 2_500, "pending", "inventory"),  # 40 x 25.00 = 1,000.00
        (
            replace(FIVE, count_chips=False),
            ("2h", "3h", "4h"),
            ("5h", "6h"),
            500,
            "pending",
            "cage",
        ),  # 2,000 x 5.00
    )
    for terms, cards, board, cents, status, pays in cases:
        place = Place(terms)
        place.send(Wager("r1", bets(terms.link, (1, cents)), True))
        (award,) = place.send(Settle("r1", (Claim(1, cards),), board or None, close=True))["awards"]
        assert (award["status"], award["pays"]) == (status, pays)
        assert place.subject.held("T1") == (pays == "cage")
    place = Place(replace(FIVE, count_chips=False, validate_at=2_000_000 * DOLLAR, cage_at=None))
    place.send(Wager("r1", bets("five", (1, 500)), True))
    (award,) = place.send(Settle("r1", (Claim(1, ("2h", "3h", "4h")),), ("5h", "6h"), close=True))["awards"]
    assert award["status"] == "pending"  # 2,000 times the wager


def test_an_undo_takes_the_stake_along_and_a_void_needs_it() -> None:
    """T6, A10, B4: final awards of an unfinished round are undone, then its wagers go back."""
    place = Place(THREE)
    place.send(Wager("r1", bets("three", (1, 500), (2, 1_000)), True))
    place.send(Settle("r1", (Claim(2, ("2h", "2d", "9c")),)))
    assert place.refused(Void("r1", "tests"))[0] == "award_standing"
    place.act(Undo("H1", "tests"), ("ann",))
    assert place.house("three") == (1_500, 0, 1_500)
    assert [one["amount"] for one in place.send(Void("r1", "tests"))["refunds"]] == [500, 1_000]
    assert place.house("three") == (0, 0, 0)


def test_one_act_undoes_all_final_awards_and_voids() -> None:
    """B15, T6: a floorperson's one act; an award that waits for people is undone by itself first."""
    place = Place(THREE)
    place.send(Wager("r1", bets("three", (1, 500), (2, 1_000), (3, 2_500)), True))
    place.send(Settle("r1", (Claim(3, ("2h", "2d", "9c")), Claim(2, ("3h", "3d", "8c")))))
    whole = VoidRound("T1", "r1", "tests", undo_final=True)
    refused = place.subject.execute(VoidRound("T1", "r1", "tests"), people=("ann",)).answer
    assert (refused["code"], refused["hits"]) == ("award_standing", ["H1", "H2"])
    done = place.subject.execute(whole, people=("ann",))
    assert [one["amount"] for one in done.answer["refunds"]] == [500, 1_000, 2_500]
    undone = [push.message["award"] for push in done.pushes if push.message["t"] == "status"]
    assert undone == ["A1", "A2"]
    assert place.house("three") == (0, 0, 0)
    assert place.subject.link("three").paid_by == {"inventory": 0}
    place.send(Wager("r2", bets("three", (1, 2_500)), True))
    place.send(Settle("r2", (Claim(1, ("2h", "3h", "4h")),)))
    waits = place.subject.execute(replace(whole, round="r2"), people=("ann",)).answer
    assert (waits["code"], waits["hits"]) == ("award_standing", ["H3"])


def shown_at_once(*cents: int) -> Place:
    """A round in which each seat won six times its wager with a straight, final at once."""
    place = Place(THREE)
    seats = range(len(cents), 0, -1)
    place.send(Wager("r1", bets("three", *zip(seats, cents, strict=True)), True))
    hands = zip("2456", "3567", "4678", strict=True)
    claims = [Claim(seat, (f"{a}h", f"{b}d", f"{c}c")) for seat, (a, b, c) in zip(seats, hands, strict=False)]
    awards = place.send(Settle("r1", tuple(claims)))["awards"]
    assert {award["status"] for award in awards} == {"final"}
    return place


def test_final_awards_that_come_to_what_waits_for_people_take_two() -> None:
    """B15, A11: $990 in a round one person undoes, $1,020 two, by one act or by several."""
    whole = VoidRound("T1", "r1", "tests", undo_final=True)
    alone: Any = ("ann",)
    shown_at_once(8_500, 8_000).act(whole, alone)
    place = shown_at_once(9_000, 8_000)
    assert place.subject.execute(whole, people=alone).answer["code"] == "two_people"
    place.act(whole)
    place = shown_at_once(9_000, 8_000, 500)
    place.act(Undo("H1", "tests"), alone)
    place.act(Undo("H3", "tests"), alone)
    for rest in (Undo("H2", "tests"), whole):
        answer = place.subject.execute(rest, people=alone).answer
        assert answer["code"] == "two_people", "with what was undone before"
    place.act(Undo("H2", "tests"))
    place.act(whole, alone)


def test_awards_are_validated_paid_and_corrected_like_any() -> None:
    """A10, B4: the amount alone is corrected, by the house; the stake stays."""
    place = Place(THREE)
    place.send(Wager("r1", bets("three", (1, 2_500)), True))
    place.send(Settle("r1", (Claim(1, ("2h", "3h", "4h")),), close=True))
    place.act(Validate("H1"), ("ann",))
    place.act(Pay("H1", document="W-1"), ("ann",))
    place.act(Correct("A1", 120_000, "tests", "W-2"))
    assert place.house("three") == (2_500, 122_500, -120_000)


NAMED: Final = ("patron", "tax_number", "identification", "taxpayer_number", "way_number")
FORM: Final = Pay(
    "H1", tax=US_2026, tax_form="W-2G", paper=bytes(32), on_paper=NAMED, way="cheque", withheld=240_000
)


def test_the_tax_law_looks_at_what_the_player_wagered() -> None:
    """A10, B3: a form is due from 300 times the amount that was chosen, whatever the least is."""
    for cents, form in ((2_000, ""), (2_500, "")):  # 100 times
        place = Place(replace(FIVE, count_chips=False))
        place.send(Wager("r1", bets("five", (1, cents)), True))
        place.send(Settle("r1", (Claim(1, ("2h", "2d", "2c")),), ("2s", "6h"), close=True))
        place.act(Validate("H1"), ("ann",))
        place.act(Pay("H1", document="W-1", tax=US_2026), ("ann",))
        paid_out = last(place.subject)
        assert isinstance(paid_out, Paid)
        assert (paid_out.wager, paid_out.winnings, paid_out.form) == (cents, 100 * cents, form)


@pytest.mark.parametrize(
    ("pays", "withheld"),
    [(ToOne(2_000), 240_000), (ForOne(2_000), 239_880)],  # 24 % of 10,000.00; of 9,995.00
)
def test_a_stake_that_came_back_is_not_taken_off_what_is_won(pays: ToOne | ForOne, withheld: int) -> None:
    """A10, B4, B5: the law takes the wager off what comes back in all; of N to 1 the amount is without it."""
    rows_ = (PaytableRow("straight-flush", pays),)
    place = Place(replace(FIVE, count_chips=False, rows=rows_))
    place.send(Wager("r1", bets("five", (1, 500)), True))
    place.send(Settle("r1", (Claim(1, ("2h", "3h", "4h")),), ("5h", "6h"), close=True))
    place.act(Validate("H1"), ("ann",))
    paying = replace(FORM, document="W-1", withheld=withheld)
    wrong = place.subject.execute(replace(paying, withheld=withheld + 1), people=("ann",)).answer
    assert wrong["code"] == "withheld_differs"
    place.act(paying, ("ann",))


def test_a_correction_is_taxed_with_what_was_paid_before() -> None:
    """A10, B15: also where the hit is settled, kept with its table's, and another of the round waits."""
    place = Place(replace(FIVE, count_chips=False, hold_table=False))
    place.send(Wager("r1", bets("five", (2, 500), (1, 500)), True))
    hands = (Claim(2, ("2h", "3h", "4h")), Claim(1, ("7h", "8h", "9h")))
    place.send(Settle("r1", hands, ("5h", "6h"), close=True))
    place.act(Validate("H1"), ("ann",))
    place.act(replace(FORM, document="W-1"), ("ann",))
    place.send(Wager("r2", bets("five", (1, 500)), True))
    assert list(place.subject.engine.state.table(1).paid) == [1]
    place.act(Correct("A1", 1_500_000, "tests", "W-2", tax=US_2026))
    corrected = last(place.subject)
    assert isinstance(corrected, Corrected)
    assert (corrected.winnings, corrected.withheld) == (1_500_000, 120_000)  # 24 % of 15,000.00 in all


def test_each_table_keeps_its_own_settled_hits() -> None:
    """A10, B15: small awards of offers push out no jackpot that may still be corrected."""
    place = Place(METER, THREE)
    place.send(Wager("j", (Bet(1, METER.link, 100),), True))
    place.send(Settle("j", (Claim(1, ("2h", "3h", "4h")),), ("5h", "7h"), close=True))
    (hit,) = place.subject.engine.state.hits
    place.act(Validate(f"H{hit}"), ("ann",))
    place.act(Pay(f"H{hit}", document="W-1"), ("ann",))
    for number in range(PAID_KEPT + 3):
        place.send(Wager(f"r{number}", bets("three", (1, 500)), True))
        place.send(Settle(f"r{number}", (Claim(1, ("2h", "2d", "9c")),), close=True))
    state = place.subject.engine.state
    assert list(state.paid) == [hit]
    assert len(state.table(1).paid) == PAID_KEPT
    assert state.hit(hit) is not None
    place.act(Correct(f"A{hit}", 5_000, "tests", "W-3"))


def test_the_welcome_and_the_round_say_the_amounts() -> None:
    """B3: bounds and what is counted in `links`, amounts in `round`; nothing of it for a link with levels."""
    place = Place(METER, FIVE)
    place.send(
        Wager("r1", (*bets("five", (1, 1_500)), Bet(1, METER.link, 100)), True, {"five": 1}, {"five": 500})
    )
    state = place.subject.engine.state
    told = msgspec.to_builtins(greeting(state, state.table(1)))
    meter, five = told["links"]
    assert set(meter) == {"link", "wager", "paytable", "levels", "state"}
    assert five | {"link": "", "paytable": ""} == {
        "link": "", "wager": 500, "paytable": "", "levels": (), "state": "active",
        "least": 500, "most": 10_000, "unit": 500, "placed": "device", "count": True,
        "needs": ("cards", "board"),
    }  # fmt: skip
    assert [one.get("amount") for one in told["round"]["bets"]] == [1_500, None]
    assert told["round"]["sums"] == {"five": 500}


OWN_AND_SHARED: Final = ("own-1", "own-2", "board-1", "board-2", "dealer-1", "dealer-2")


@pytest.mark.parametrize(
    ("kind", "game", "cards", "named"),
    [
        ("three", "let-it-ride", (), ("cards",)),
        ("five-flop", "let-it-ride", (), ("cards", "board")),
        ("five-best", "ultimate-texas-holdem", (), ("cards", "board")),
        ("four", "four-card-poker", (), ("cards",)),
        ("six", "let-it-ride", (), ("cards", "bonus")),
        ("six", "three-card-poker", (), ("cards", "dealer")),
        ("six", "ultimate-texas-holdem", OWN_AND_SHARED, ("cards", "board", "dealer")),
        ("beaten", "ultimate-texas-holdem", (), ("cards", "board", "dealer")),
        ("best-of-table", "let-it-ride", (), ("cards", "board", "players")),
        ("five-board", "criss-cross-poker", (), ("board",)),
    ],
)
def test_the_welcome_says_what_an_offers_wagers_need(
    kind: Any, game: Game, cards: tuple[str, ...], named: tuple[str, ...]
) -> None:
    """B8, B10, B13, B16: the fields of lock and settle without which a wager is lost, or not settled."""
    assert needed(kind, game, cards) == named


def test_a_refusal_names_the_link_that_is_suspended() -> None:
    """S4: the table's other links take wagers all the time; a refusal for anything else names none."""
    place = Place(METER, THREE)
    place.act(Suspend("operator", ("three",), "tests"), ("ann",))
    told = place.hear(Wager("r1", (Bet(1, METER.link, 100), *bets("three", (1, 500))), True)).answer
    assert (told["code"], told["link"], told["expected"]) == ("suspended", "three", place.seq)
    place.seq -= 1
    place.send(Wager("r1", (Bet(1, METER.link, 100),), True))
    assert "link" not in place.hear(Wager("r2", (Bet(1, METER.link, 100),))).answer


def test_bounds_change_at_rest_and_the_odds_never() -> None:
    """B12, B16, L9: least, most and unit change; rows, place and six cards do not, nor a link's wager."""
    six = replace(SIX, cards=SIX_OF)
    place = Place(METER, THREE)
    assert place.subject.execute(OpenLink(six)).answer["ok"]
    place.act(Suspend("operator", (), "tests"), ("ann",))
    state = place.subject.engine.state
    for terms in (
        replace(THREE, rows=rows(HANDS, 41, 30, 6, 4, 1)),
        replace(THREE, placed="device"),
        replace(six, cards=(*SIX_OF[:5], "board-5")),
        replace(METER, wager=2 * DOLLAR),
    ):
        answer = place.subject.execute(ChangeLink(terms, "tests"), people=PEOPLE).answer
        assert answer["code"] == "fixed", terms
    lower = replace(THREE, wager=10 * DOLLAR, most=20 * DOLLAR, unit=10 * DOLLAR)
    place.act(ChangeLink(lower, "tests"))
    assert state.link(2).terms == lower


def test_a_paytable_in_dollars_keeps_its_amount() -> None:
    """B3, B12: its sums are for one wager alone; another amount would be another offer."""
    place = Place(DOLLARS)
    place.act(Suspend("operator", (), "tests"), ("ann",))
    other = replace(DOLLARS, wager=5 * DOLLAR, most=5 * DOLLAR, unit=5 * DOLLAR)
    answer = place.subject.execute(ChangeLink(other, "tests"), people=PEOPLE).answer
    assert answer["code"] == "fixed"


@pytest.mark.parametrize(
    ("more", "template"),
    [
        ({"most": DOLLAR}, "terms_sum"),
        ({"unit": 0}, "terms_sum"),
        ({"unit": 3 * DOLLAR}, "terms_not_of_units"),
        ({"rows": (PaytableRow("pair", Fixed(DOLLAR)),)}, "terms_dollars_one_amount"),
        ({"rows": rows(HANDS[:1], 1_000_001)}, "terms_sum"),
        ({"electronic": True}, "terms_offer_has_none"),
        ({"simultaneous": "share"}, "terms_offer_has_none"),
        ({"count_chips": True}, "terms_chips_layout"),
    ],
)
def test_terms_that_no_offer_has_are_refused(more: dict[str, Any], template: str) -> None:
    """B1, B3, B5, B6: whatever a configuration says, the journal takes no such offer."""
    answer = OfEngine().execute(OpenLink(replace(THREE, **more))).answer
    assert (answer["template"], answer["values"][1]["template"]) == ("link_terms_bad", template)


SIX_OF: Final = ("own-1", "own-2", "dealer-1", "dealer-2", "board-1", "board-2")
SIX: Final = offer("six", "six", rows(("four-of-a-kind",), 50), fold="stands")


@pytest.mark.parametrize(
    ("terms", "template"),
    [
        (replace(SIX, cards=SIX_OF[:5]), "terms_six_cards"),
        (replace(SIX, cards=(*SIX_OF[:5], "own-1")), "terms_six_cards"),
        (replace(SIX, cards=(*SIX_OF[:5], "board-6")), "terms_six_cards"),
        (replace(SIX, cards=("dealer-1", *(f"board-{at}" for at in range(1, 6)))), "terms_six_cards"),
        (replace(THREE, cards=SIX_OF), "terms_six_cards"),
        (replace(SIX, hand_kind="best-of-table"), "terms_by_players"),
        (replace(THREE, rows=(PaytableRow("pair", ToOne(2), by_players=(2,) * 7),)), "terms_by_players"),
        (replace(THREE, rows=(PaytableRow("pair", ToOne(2), by_players=(*(2,) * 6, 1_000_001)),),
                 hand_kind="best-of-table"), "terms_sum"),
        (replace(METER, hand_kind="five-board"), "terms_of_offer"),
        (replace(METER, cards=SIX_OF), "terms_of_offer"),
    ],
)  # fmt: skip
def test_terms_of_other_cards_are_checked_whole(terms: LinkTerms, template: str) -> None:
    """B10, B16, L1: six cards with one's own, odds for each number of players; with levels there are none."""
    answer = OfEngine().execute(OpenLink(terms)).answer
    assert (answer["template"], answer["values"][1]["template"]) == ("link_terms_bad", template)


@pytest.mark.parametrize(
    ("terms", "game", "ok"),
    [
        (SIX, "let-it-ride", True),
        (SIX, "three-card-poker", True),
        (SIX, "ultimate-texas-holdem", False),  # which six?
        (replace(SIX, cards=SIX_OF), "ultimate-texas-holdem", True),
        (replace(SIX, cards=SIX_OF), "let-it-ride", False),
        (SIX, "criss-cross-poker", False),
        (METER, "criss-cross-poker", False),
        (replace(SIX, hand_kind="five-board"), "criss-cross-poker", True),
    ],
)
def test_a_table_takes_the_hands_of_its_game(terms: LinkTerms, game: Game, ok: bool) -> None:
    """L1, B13, B16: no link with levels at a Criss-Cross table; six cards of Hold 'Em only as named."""
    subject = OfEngine()
    assert subject.execute(OpenLink(terms)).answer["ok"]
    answer = subject.execute(OpenTable(TableTerms("T1", game, 6, (terms.link,), 1))).answer
    assert answer["ok"] == ok, answer


def test_the_round_says_bonus_cards_and_players() -> None:
    """B10, B16: a table that lost its memory is told what it has sent; a stranger without offers, nothing."""
    place = Place(METER, SIX)
    place.send(Wager("r1", (*bets("six", (1, 500)), Bet(1, METER.link, 100)), True, players=3))
    place.send(Settle("r1", (), bonus=("2h", "3h", "4h")))
    state = place.subject.engine.state
    told = msgspec.to_builtins(greeting(state, state.table(1)))["round"]
    assert (told["bonus"], told["players"]) == (("2h", "3h", "4h"), 3)
    place.send(Void("r1", "tests"))
    place.send(Wager("r2", (Bet(1, METER.link, 100),), True, players=3))
    told = msgspec.to_builtins(greeting(state, state.table(1)))["round"]
    assert not {"bonus", "players"} & set(told)


BOARD: Final = offer("board", "five-board", rows(("pair",), 1))
COVER: Final = offer(
    "cover", "best-of-table", (PaytableRow("pair", ToOne(1), by_players=(7, 6, 5, 4, 3, 2, 1)),)
)


@pytest.mark.parametrize(
    ("terms", "game", "missing", "shown"),
    [
        (BOARD, "criss-cross-poker", {}, {"board": ("9s", "9h", "2c", "3d", "7h")}),
        (SIX, "let-it-ride", {"board": ("Js", "Ts")}, {"bonus": ("2h", "3h", "4h")}),
        (SIX, "three-card-poker", {}, {"dealer": ("2h", "3h", "4h")}),
        (COVER, "let-it-ride", {"board": ("Js", "Ts")}, {"hands": (Claim(1, ("2h", "3h", "4h")),)}),
    ],
)
def test_people_are_told_whose_cards_are_still_to_be_shown(
    terms: LinkTerms, game: Game, missing: dict[str, Any], shown: dict[str, Any]
) -> None:
    """B10, B13, B16, T8: from the lock on, until they are shown, two people may strike those wagers."""
    place = Place(terms, game=game)
    strike = Strike("T1", "r1", 1, terms.link, "tests")
    place.send(Wager("r1", bets(terms.link, (1, 500))))
    assert place.unseen() == []
    place.send(Lock("r1", players=1))
    if missing:
        place.send(Settle("r1", **({"hands": ()} | missing)))
    assert place.unseen() == [terms.link]
    assert place.subject.execute(strike, people=("ann",)).answer["code"] == "two_people"
    place.send(Settle("r1", **({"hands": ()} | shown)))
    assert place.unseen() == []
    assert place.subject.execute(strike, people=PEOPLE).answer["code"] != "two_people"


def test_a_close_that_is_opened_again_pays_nothing_twice() -> None:
    """B10, B13, T10: what the close decided stays decided; a missed hand is settled beside it."""
    board = replace(THREE, link="board", hand_kind="five-board", rows=rows(("full-house", "pair"), 15, 1))
    place = Place(board, game="criss-cross-poker")
    place.send(Wager("r1", bets("board", (6, 500), (1, 1_000)), True))
    answer = place.send(Settle("r1", (), ("9s", "9h", "2c", "3d", "7h"), close=True))
    assert [one[:3] for one in paid(answer)] == [(6, "board", 500), (1, "board", 1_000)]
    place.act(Reopen("T1", "r1", "tests"))
    assert not paid(place.send(Close("r1")))
    assert place.house("board") == (1_500, 3_000, -1_500)


def test_what_the_close_decided_is_not_struck_once_it_is_opened_again() -> None:
    """B10, T8, T10: one hand more is shown then, and the wager that was paid, or lost, stays where it is."""
    odds = PaytableRow("straight", ToOne(30), by_players=(30, 15, 10, 8, 6, 5, 4))
    place = Place(replace(THREE, link="cover", hand_kind="best-of-table", rows=(odds,)))
    place.send(Wager("r1", bets("cover", (3, 500)), True, players=1))
    settle = Settle("r1", (Claim(3, ("7h", "8d", "9c")),), ("Th", "Jd"), close=True)
    assert paid(place.send(settle)) == [(3, "cover", 15_000, 500, "layout")]
    place.act(Reopen("T1", "r1", "tests"))
    place.send(Settle("r1", (Claim(2, ("2h", "4d", "6c")),)))
    strike = Strike("T1", "r1", 3, "cover", "tests")
    assert place.subject.execute(strike, people=PEOPLE).answer["code"] == "not_mismatch"
    place.send(Close("r1"))
    assert place.house("cover") == (500, 15_500, -15_000)


def test_a_link_with_levels_has_one_amount() -> None:
    """T2, B1: nothing of an offer is taken for it."""
    answer = OfEngine().execute(OpenLink(replace(METER, most=2 * DOLLAR, unit=DOLLAR))).answer
    assert answer["values"][1]["template"] == "terms_of_offer"


def test_an_offer_has_nothing_to_transfer() -> None:
    """B1, L8: asked for it, the engine says so, and the offer takes wagers as before."""
    place = Place(THREE, replace(FIVE, count_chips=False))
    place.hear(Wager("r1", (Bet(1, "three", 500),)))
    transfer = Transfer("three", "five", "a new game")
    assert (
        place.subject.execute(transfer, people=("Ada", "Grace")).answer["template"]
        == "transfer_without_meter"
    )
    assert place.subject.engine.state.links[0].suspended == []
