"""Precedence of nack codes: where two apply, the first of the stated list (WIRE: Nack codes)."""

from collections.abc import Iterator

import pytest

from tests.e2e.floors import (
    AWARD,
    BOARD,
    CHIPS,
    EASY,
    FIVE,
    NOTHING,
    ROYAL_7,
    ROYAL_BOARD,
    THREE,
    hand,
    locked,
)
from tests.e2e.site import Site, running
from tests.e2e.vendor import Message, bets


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    floor = Site(tmp_path_factory.mktemp("codes"), FIVE + EASY + THREE + CHIPS)
    floor.add("table", ["easy"], 10, "easy")
    floor.add("table", ["five"], 2, "five")
    floor.add("table", ["easy", "three"], 2, "two")
    floor.add("table", ["chips"], 2, "chips")
    floor.add("table", ["easy"], 2, "slow", max_rounds_per_minute=1)
    with running(floor):
        yield floor


def pairs_of_a_wager() -> dict[str, tuple[Message, str]]:
    """Frames for a table whose round R1 is locked and whose last closed round is R0."""
    wrong = {"amount": 7}
    return {
        "bad_message, round_unfinished": (
            {"round": "R2", "bets": bets("easy", [1], on="dealer")},
            "bad_message",
        ),
        "bad_message, locked_out": ({"round": "R1", "bets": bets("easy", [1], on="dealer")}, "bad_message"),
        "bad_message, unknown_seat": (
            {"round": "R2", "bets": bets("easy", [9, 12], player="A")},
            "bad_message",
        ),
        "round_unfinished, locked_out": ({"round": "R0", "bets": bets("easy", [1])}, "round_unfinished"),
        "round_unfinished, unknown_link": ({"round": "R2", "bets": bets("none", [1])}, "round_unfinished"),
        "locked_out, unknown_link": ({"round": "R1", "bets": bets("none", [1])}, "locked_out"),
        "locked_out, unknown_seat": ({"round": "R1", "bets": bets("easy", [9])}, "locked_out"),
        "locked_out, wrong_amount": ({"round": "R1", "bets": bets("easy", [1], **wrong)}, "locked_out"),
        "locked_out, duplicate_wager": ({"round": "R1", "bets": bets("easy", [7])}, "locked_out"),
    }


def test_the_order_of_a_wagers_codes(site: Site) -> None:
    """WIRE, nack codes: where two apply, the first of the list is answered: round before bets."""
    with site.table(site.unused("easy")) as device:
        locked(device, round_id="R0")
        device.ack("close", round="R0")
        locked(device)
        for case, (fields, code) in pairs_of_a_wager().items():
            assert device.nack("wager", **fields) == code, case
        device.ack("close", round="R1")
        assert device.nack("wager", round="R1", bets=bets("none", [9])) == "locked_out"
        ladder = [
            ([*bets("easy", [9]), *bets("none", [1])], "unknown_link"),
            ([*bets("easy", [1], 7), *bets("easy", [9])], "unknown_seat"),
            ([*bets("easy", [1, 1]), *bets("easy", [2], 7)], "wrong_amount"),
            (bets("easy", [1, 1]), "duplicate_wager"),
        ]
        for wrong, code in ladder:
            assert device.nack("wager", round="R2", bets=wrong, lock=True) == code
        assert device.nack("wager", round="R2", bets=bets("easy", [9]), chips={"none": 1}) == "unknown_link"
    with site.table(site.unused("slow")) as device:
        locked(device)
        device.ack("close", round="R1")
        assert device.nack("wager", round="R2", bets=bets("easy", [1, 1])) == "duplicate_wager"
        assert device.nack("wager", round="R2", bets=bets("easy", [1])) == "unreasonable"
    site.logged("unreasonable")


def test_the_order_of_a_withdrawals_codes(site: Site) -> None:
    """WIRE, nack codes: no_such_round, locked_out, unknown_link, unknown_seat, duplicate_wager, no_wager."""

    def off(seat: int, link: str = "easy", **more: str) -> Message:
        return {"seat": seat, "link": link, **more}

    with site.table(site.unused("easy")) as device:
        assert device.nack("withdraw", round="R1", bets=[off(1, "none")]) == "no_such_round"
        device.ack("wager", round="R1", bets=bets("easy", [1]))
        ladder = [
            ([off(9), off(1, "none")], "unknown_link"),
            ([off(1), off(1), off(9)], "unknown_seat"),
            ([off(2), off(1), off(1)], "duplicate_wager"),
            ([off(1), off(2)], "no_wager"),
            ([off(1, on="dealer")], "no_wager"),
        ]
        for wrong, code in ladder:
            assert device.nack("withdraw", round="R1", bets=wrong) == code
        device.ack("lock", round="R1")
        assert device.nack("withdraw", round="R1", bets=[off(1, "none")]) == "locked_out"


def test_the_order_of_a_settlements_codes(site: Site) -> None:
    """WIRE, nack codes: from bad_message to impossible_cards, each before the next."""
    with site.table(site.unused("two")) as device:
        dud = hand(7, *NOTHING)
        empty = hand(7)
        assert device.nack("settle", round="R1", hands=[empty], board=BOARD) == "bad_message"
        assert device.nack("settle", round="R1", hands=[dud], counts={"none": 1}) == "no_such_round"
        device.ack("wager", round="R1", bets=bets("easy", [7, 5, 3]))
        assert device.nack("settle", round="R1", hands=[empty]) == "bad_message"
        assert device.nack("settle", round="R1", hands=[dud], counts={"none": 1}) == "not_locked"
        device.ack("lock", round="R1")
        device.ack("settle", round="R1", hands=[dud], board=BOARD)
        same, other = hand(5, *NOTHING), hand(5, "4s", "5h", "8d")
        lie = hand(5, "4s", "5h", "8d", hand="flush")
        no_wager = hand(5, "4s", "5h", "8d", link="three")
        ladder: list[tuple[Message, str]] = [
            ({"hands": [other], "board": ["2d", "2h"], "counts": {"none": 1}}, "bad_message"),
            ({"hands": [other, hand(9, *NOTHING)], "board": ["2d", "2h"]}, "bad_message"),
            ({"hands": [hand(5, hand="mini-royal", link="easy"), hand(9, *NOTHING)]}, "bad_message"),
            ({"hands": [hand(5, hand="four-aces"), hand(3, hand="flush", link="none")]}, "bad_message"),
            ({"hands": [other, hand(5, *NOTHING, link="easy"), hand(9, *NOTHING)]}, "bad_message"),
            ({"hands": [hand(9, *NOTHING)], "counts": {"none": 1}}, "unknown_link"),
            ({"hands": [hand(9, *NOTHING), hand(5, hand="flush", link="none")]}, "unknown_link"),
            ({"hands": [hand(3, *NOTHING), other, hand(9, *NOTHING)]}, "unknown_seat"),
            ({"hands": [dud, hand(3, "4c", "5c", "8h"), other]}, "out_of_order"),
            ({"hands": [dud, no_wager]}, "already_settled"),
            ({"hands": [no_wager, hand(3, "4c", "5c", "8h", hand="flush")]}, "no_wager"),
            ({"hands": [lie, hand(3, *NOTHING)]}, "hand_mismatch"),
            ({"hands": [same]}, "impossible_cards"),
        ]
        for fields, code in ladder:
            assert device.nack("settle", round="R1", **fields) == code, fields
        device.ack("settle", round="R1", hands=[other], close=True)


def test_a_board_too_short_is_bad_before_all_else(site: Site) -> None:
    """WIRE, nack codes: `bad_message` comes before the seats, also where the cards are too few to rank."""
    with site.table(site.unused("easy")) as device:
        locked(device)
        hands = [hand(3, *NOTHING), hand(5, "4s", "5h", "8d"), hand(9, "4c", "5c", "8h")]
        assert device.nack("settle", round="R1", hands=hands) == "bad_message"


def test_a_count_and_the_round_come_before_links(site: Site) -> None:
    """WIRE, nack codes: chip_mismatch before unknown_link, no_such_round before both."""
    with site.table(site.unused("chips")) as device:
        device.ack("wager", round="R1", bets=bets("chips", [1], 500), lock=True)
        assert device.nack("close", round="R1", counts={"none": 1}) == "chip_mismatch"
        assert device.nack("settle", round="R1", hands=[hand(9, *NOTHING)]) == "chip_mismatch"
        assert device.nack("lock", round="R1", chips={"none": 1}) == "unknown_link"
        assert device.nack("lock", round="R2", chips={"none": 1}) == "no_such_round"
        device.ack("lock", round="R1", chips={"chips": 1})
        assert device.nack("close", round="R1", counts={"none": 1}) == "unknown_link"


def test_a_reopened_round_comes_first(site: Site) -> None:
    """WIRE, nack codes: round_unfinished before unknown_link (T10); a void is two_people (T6)."""
    name = site.unused("easy")
    with site.table(name) as device:
        locked(device)
        device.ack("close", round="R1")
        device.ack("wager", round="R2", bets=bets("easy", [1]))
        assert site.admin(do="reopen", table=name, round="R1", reason="missed", and_by="Bo")["ok"]
        assert device.nack("lock", round="R2", chips={"none": 1}) == "round_unfinished"
        assert device.nack("wager", round="R2", bets=bets("easy", [2])) == "round_unfinished"
        late = [hand(9, *NOTHING)]
        assert device.nack("settle", round="R1", hands=late, board=BOARD) == "unknown_seat"
        assert device.nack("void", round="R1", reason="misdeal") == "two_people"
        device.ack("close", round="R1")
        device.ack("lock", round="R2")


def test_a_held_table(site: Site) -> None:
    """WIRE, nack codes: `table_held` carries `expected`, opens no round, and comes before the bets (T11)."""
    name = site.unused("five")
    with site.table(name) as device:
        locked(device, "five")
        awards = device.ack("settle", round="R1", hands=[ROYAL_7], board=ROYAL_BOARD, close=True)["awards"]
        for wrong in (bets("five", [1]), bets("none", [9])):
            answer = device.ask("wager", round="R2", bets=wrong)
            assert (answer["code"], answer["expected"]) == ("table_held", 3)
        assert device.nack("wager", round="R1", bets=bets("five", [1])) == "locked_out"
        assert device.nack("wager", round="R2", bets=bets("five", [1], on="dealer")) == "bad_message"
        with site.connect() as again:
            again.hello(site.keys[name], "table", name)
            assert again.welcome()["held"] is True
            told = [again.next("award") for _ in awards]
            assert [{key: one[key] for key in AWARD} for one in told] == awards
            assert site.admin(do="release", table=name, reason="photographed")["ok"]
            released = again.next("status")
            assert (released["hit"], released["status"]) == (awards[0]["hit"], "released")
            again.ack("wager", round="R2", bets=bets("five", [1]))
            assert device.error()["code"] == "replaced"
