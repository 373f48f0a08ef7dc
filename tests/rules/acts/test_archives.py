"""Archiving takes two people, and only entries before a snapshot seal leave the ledger (S8)."""

import pytest
from msgspec.structs import replace

from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.archives import Archive, Archived, Cut, decide_archive
from jackpot.rules.acts.authorization import decide_asked
from jackpot.rules.invariant import InvariantError
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import People
from jackpot.rules.state import BankState

CUT = Cut(seq=9, hash=bytes(32), epoch=2, version=1, since=4, gone=3, stays=bytes(32))
STATE = BankState("main", 20, sealed=10)
BOTH = ActContext(People(("anna", "ben")))


def test_two_people_let_rows_go() -> None:
    """S8: the entry says who and why, and where the chain goes on."""
    assert decide_archive(STATE, Archive(CUT, "old"), BOTH) == Archived(CUT, BOTH.people, "old")
    for alone in (People(("anna",)), People(("anna", "anna"))):
        with pytest.raises(Refusal, match="two different people"):
            decide_asked(STATE, Archive(CUT, "old"), ActContext(alone))
    with pytest.raises(Refusal, match="say who does this"):
        decide_asked(STATE, Archive(CUT, "old"), ActContext())


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": 10}, {"seq": 0}, {"gone": 0}, {"gone": 10}, {"hash": b""}, {"stays": bytes(31)}, {"since": 9},
        {"since": -1}, {"epoch": 0}, {"version": 0},
    ],
)  # fmt: skip
def test_a_cut_lies_before_a_sealed_state(wrong: dict[str, int]) -> None:
    """S8: no entry cuts where no state is known, whatever else it says."""
    with pytest.raises(InvariantError):
        decide_archive(STATE, Archive(replace(CUT, **wrong), "old"), BOTH)
