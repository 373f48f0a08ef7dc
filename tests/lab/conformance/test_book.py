"""The tester's table state detects what a table must not send."""

from typing import Any

import pytest

from controllers.answers import Ack, Nack
from controllers.frames import encode
from controllers.messages import Ping, Pong, decode_device, digest
from controllers.session import Commanded
from jackpot.lab.conformance.book import TableRecord
from jackpot.lab.conformance.offers import offer_of
from jackpot.lab.conformance.report import ConformanceReport

# On the device, counted, by two community cards; and chips on the layout, by three cards.
COUNTED, LAID = "pa-643a-five-card-bonus-C", "pa-643a-three-card-bonus-A"
TRIPS = "pa-653a-trips-A"
LINK = "five"


def command(kind: str, seq: int, **fields: Any) -> Commanded:
    message = decode_device(encode({"t": kind, "seq": seq, "round": "R1", **fields})[4:])
    assert not isinstance(message, Ping | Pong)
    return Commanded(seq, message, digest(message))


def wager(seq: int, *seats: int, **fields: Any) -> Commanded:
    bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in seats]
    return command("wager", seq, **{"bets": bets, "lock": True, **fields})


def settle(seq: int, *seats: int, **fields: Any) -> Commanded:
    hands = [{"seat": seat, "cards": [f"{seat}s", f"{seat}h", f"{seat}d"]} for seat in seats]
    return command("settle", seq, **{"hands": hands, "board": ["As", "Ks"], **fields})


def broken(*commands: Commanded) -> list[str]:
    """The obligations that a fresh record finds broken, and the codes that it refused with."""
    report = ConformanceReport("table")
    book = TableRecord(report, LINK, 100)
    for each in commands:
        book.note(each)
        book.decide(each)
    return [one.name for one, verdict, _ in report.results() if verdict == "fail"]


ROUND = (wager(1, 7, 3), settle(2, 7, 3, close=True))


def test_a_whole_round_is_right() -> None:
    """WIRE table commands: in two frames, seat by seat, and voided; and a resend of each."""
    assert broken(*ROUND, *ROUND) == []
    by_seat = settle(2, 7), settle(3, 3), command("close", 4)
    assert broken(wager(1, 7, 3), *by_seat, wager(5, 1, round="R2"), command("void", 6, reason="jam")) == []


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("contiguous", (wager(2, 7),)),
        ("contiguous", (*ROUND, wager(4, 7, round="R2"))),
        ("resend", (*ROUND, settle(2, 7, close=True))),
        ("fields", (command("wager", 1),)),
        ("wagers", (wager(1, 7, 7),)),
        ("wagers", (wager(1, bets=[{"seat": 1, "link": LINK, "amount": 500}]),)),
        ("wagers", (wager(1, bets=[{"seat": 1, "link": "other", "amount": 100}]),)),
        ("rounds", (*ROUND, wager(3, 7))),
        ("rounds", (wager(1, 7), wager(2, 7, round="R2"))),
        ("rounds", (wager(1, 7), wager(2, 3))),
        ("rounds", (wager(1, 7, lock=False), settle(2, 7))),
        ("payout-order", (wager(1, 7, 3), settle(2, 3, 7))),
        ("payout-order", (wager(1, 7, 3), settle(2, 3), settle(3, 7))),
        ("cards", (wager(1, 7), settle(2, 7, board=["7s", "As"]))),
    ],
)
def test_what_is_against_the_protocol_is_found(name: str, commands: tuple[Commanded, ...]) -> None:
    """WIRE table commands: one obligation, and no other one, is broken."""
    assert broken(*commands) == [name]


def test_other_content_under_an_undecided_number_is_found() -> None:
    """WIRE: the table keeps the command with its number until it is answered."""
    report = ConformanceReport("table")
    book = TableRecord(report, LINK, 100)
    book.note(wager(1, 7))
    book.note(wager(1, 3))
    assert report.failed
    fresh = TableRecord(ConformanceReport("table"), LINK, 100)
    fresh.note(wager(1, 7))
    assert fresh.refuse(wager(1, 7), "suspended").expected == 1
    fresh.note(wager(1, 3))  # the number is free again
    assert not fresh._report.failed


def offer_book() -> TableRecord:
    return TableRecord(
        ConformanceReport("table", offers=True), LINK, 100, [offer_of(COUNTED), offer_of(LAID)]
    )


def on(link: str, amount: int, seat: int = 7) -> dict[str, Any]:
    return {"seat": seat, "link": link, "amount": amount}


def offered(seq: int, *bets: dict[str, Any], **fields: Any) -> Commanded:
    return command("wager", seq, **{"bets": bets, "lock": True, **fields})


RIGHT = {"chips": {COUNTED: 1}, "sums": {COUNTED: 1000}}
BETS = on(COUNTED, 1000), on(LAID, 500)


def test_a_round_with_offers_is_right() -> None:
    """B3, B16: amounts within bounds, counted, placed anew, settled with the community cards."""
    book = offer_book()
    for each in (
        offered(1, *BETS, lock=False),
        command("withdraw", 2, bets=[{"seat": 7, "link": LAID}]),
        offered(3, on(LAID, 2500), chips={COUNTED: 2}, sums={COUNTED: 1000}),
        command("lock", 4, **RIGHT),  # the dealer counts once more
        settle(5, 7, close=True),
    ):
        assert isinstance(book.decide(each), Ack)
    found = {one.name: verdict for one, verdict, _ in book._report.results()}
    assert not book._report.failed
    assert {found[name] for name in ("offer-amounts", "offer-counts", "offer-cards")} == {"pass"}


@pytest.mark.parametrize(
    ("name", "code", "commands"),
    [
        ("offer-amounts", "wrong_amount", [offered(1, on(COUNTED, 400))]),
        ("offer-amounts", "wrong_amount", [offered(1, on(COUNTED, 3000))]),
        ("offer-amounts", "wrong_amount", [offered(1, on(LAID, 501))]),
        ("offer-amounts", "duplicate_wager", [offered(1, *BETS, lock=False), offered(2, on(LAID, 1000))]),
        ("offer-amounts", "bad_message", [offered(1, on(LAID, 500) | {"on": "dealer"})]),
        ("offer-cards", "bad_message", [offered(1, *BETS, **RIGHT), settle(2, 7, board=None)]),
        ("offer-cards", "bad_message", [offered(1, *BETS, **RIGHT), command("close", 2)]),
        ("offer-cards", None, [offered(1, on(LAID, 500)), settle(2, hands=[{"seat": 7, "cards": ["9c"]}])]),
        ("offer-counts", None, [offered(1, *BETS), settle(2, 7)]),
        ("offer-counts", None, [offered(1, *BETS, chips={COUNTED: 1}), settle(2, 7)]),
        ("offer-counts", None, [offered(1, *BETS, **RIGHT | {"sums": {COUNTED: 999}}), settle(2, 7)]),
    ],
)
def test_what_is_against_an_offer_is_found(name: str, code: str | None, commands: list[Commanded]) -> None:
    """B3, B16: one obligation is broken; the server refuses with the code that the rule names."""
    book = offer_book()
    answer = [book.decide(each) for each in commands][-1]
    assert [one.name for one, verdict, _ in book._report.results() if verdict == "fail"] == [name]
    assert getattr(answer, "code", None) == code


def test_a_seat_whose_player_left_has_lost_and_is_no_turn() -> None:
    """P6: the tester's server confirms it at once; the others are settled in payout order as ever."""
    report = ConformanceReport("table")
    book = TableRecord(report, LINK, 100)
    book.decide(wager(1, 7, 3))
    left = command("settle", 2, hands=[{"seat": 3, "abandoned": True}])
    assert all(isinstance(book.decide(each), Ack) for each in (left, settle(3, 7, close=True)))
    assert not report.failed


def test_a_lamp_is_of_an_award_that_the_table_was_told_of() -> None:
    """P3: before a round and after it; of any other award it is found, and refused."""
    report = ConformanceReport("table", offers=True)
    offer = offer_of(LAID)
    book = TableRecord(report, LINK, 100, [offer])
    bets = [{"seat": 3, "link": LAID, "amount": offer.bounds.least}]
    book.decide(command("wager", 1, bets=bets, lock=True))
    book.pay(settle(2, 3, close=True), offer.award(3, offer.bounds.least))
    assert isinstance(book.decide(command("lamp", 3, award="A1", state="lit")), Ack)
    assert not report.failed
    refused = book.decide(command("lamp", 4, award="A2", state="lit"))
    assert isinstance(refused, Nack)
    assert (refused.code, report.failed) == ("no_such_award", True)


def test_a_void_lets_trips_wagers_be_settled() -> None:
    """P5: the tester's server decides as the rules do; the round goes on with these wagers."""
    book = TableRecord(
        ConformanceReport("table", offers=True), LINK, 100, [offer_of(COUNTED), offer_of(TRIPS)]
    )
    voids = [
        command("void", seq, reason="x", cause=cause, settles=settles)
        for seq, cause, settles in (
            (2, "exposed-card", [TRIPS]), (4, "shoe-jam", [TRIPS]), (5, "exposed-card", [COUNTED]),
            (6, "exposed-card", [TRIPS]),
        )
    ]  # fmt: skip
    book.decide(offered(1, on(COUNTED, 1000), on(TRIPS, 500), lock=False))
    early = book.decide(voids[0])
    book.decide(command("lock", 3, **RIGHT))
    jam, other, done = (book.decide(each) for each in voids[1:])
    assert [getattr(answer, "code", None) for answer in (early, jam, other, done)] == [
        "not_locked", "bad_message", "bad_message", None,
    ]  # fmt: skip
    assert isinstance(done, Ack)
    assert [(one.link, one.amount) for one in done.refunds or ()] == [(COUNTED, 1000)]
    assert book.facts is not None
    assert [bet.link for bet in book.facts.bets] == [TRIPS]


def test_a_void_and_a_withdrawal_return_the_amounts() -> None:
    """B3: what goes back is the wager that the player chose, from where it lies."""
    book = offer_book()
    book.decide(offered(1, *BETS, lock=False))
    left = book.decide(command("withdraw", 2, bets=[{"seat": 7, "link": LAID}]))
    told = book.facts
    voided = book.decide(command("void", 3, reason="jam"))
    assert told is not None
    assert [bet.amount for bet in told.bets] == [1000]
    assert not isinstance(left, Nack)
    assert not isinstance(voided, Nack)
    assert [(one.amount, one.pays) for one in left.refunds or ()] == [(500, "layout")]
    assert [(one.amount, one.pays) for one in voided.refunds or ()] == [(1000, "inventory")]


COVER, SIX, CROSS = "ma-lir-cover-all", "pa-643a-six-card-bonus-A", "pa-674a-five-card-bonus"


def bonus_verdict(offers: tuple[str, ...], *commands: Commanded) -> tuple[str, str | None]:
    """The verdict on what offers need, and the first refusal's code."""
    report = ConformanceReport("table", offers=True)
    book = TableRecord(report, LINK, 100, [offer_of(one) for one in offers])
    answers = [book.decide(each) for each in commands]
    code = next((answer.code for answer in answers if isinstance(answer, Nack)), None)
    return {one.name: verdict for one, verdict, _ in report.results()}["offer-cards"], code


@pytest.mark.parametrize(
    ("players", "seats", "found"),
    [
        (2, (7, 3), ("pass", None)),
        (3, (7, 3), ("fail", "bad_message")),
        (1, (7, 3), ("fail", "bad_message")),
        (8, (7, 3), ("fail", "bad_message")),
        (None, (7, 3), ("fail", "bad_message")),
    ],
)
def test_cover_all_needs_the_players_that_the_lock_says(
    players: int | None, seats: tuple[int, ...], found: tuple[str, str | None]
) -> None:
    """B10: from the seats with wagers to the table's, and as many hands before the close."""
    bets = offered(1, on(COVER, 500, 7), on(COVER, 500, 3), players=players)
    assert bonus_verdict((COVER,), bets, settle(2, *seats), command("close", 3)) == found


def test_bonus_cards_are_due_where_a_six_card_wager_stands() -> None:
    """B16: at the seat's turn; cards that the close decides by are due at the close alone (B13)."""
    bonus = ["2c", "4c", "9d"]
    assert bonus_verdict((SIX,), offered(1, on(SIX, 500)), settle(2, 7, bonus=bonus)) == ("pass", None)
    assert bonus_verdict((SIX,), offered(1, on(SIX, 500)), settle(2, 7)) == ("fail", "bad_message")
    board = ["As", "Ks", "Qs", "Js", "9c"]
    hands = [{"seat": 6, "cards": ["2c", "3c"]}]
    bets = offered(1, on(CROSS, 500, 6))
    early = settle(2, hands=hands, board=None)
    assert bonus_verdict((CROSS,), bets, early, settle(3, hands=[], board=board, close=True)) == (
        "pass",
        None,
    )
    assert bonus_verdict((CROSS,), bets, early, command("close", 3)) == ("fail", "bad_message")


def test_a_table_of_criss_cross_poker_has_offers_alone() -> None:
    """L1, B13: its welcome has no link with a meter, and a wager on one is refused."""
    book = TableRecord(ConformanceReport("table", offers=True), LINK, 100, [offer_of(CROSS)])
    assert [(link.link, link.levels) for link in book.links] == [(CROSS, ())]
    refused = book.decide(wager(1, 6))
    assert isinstance(refused, Nack)
    assert refused.code == "unknown_link"
