"""The tester's table state detects what a table must not send."""

from typing import Any

import pytest

from controllers.frames import encode
from controllers.messages import Ping, Pong, decode_device, digest
from controllers.session import Commanded
from jackpot.lab.conformance.book import TableRecord
from jackpot.lab.conformance.report import ConformanceReport

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
