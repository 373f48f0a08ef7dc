"""Archiving takes two people, and only entries before a snapshot seal leave the ledger (S8)."""

import pytest
from msgspec.structs import replace

from jackpot.rules.acts import ACT_OF
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.archives import Archive, Archived, Cut, decide_archive
from jackpot.rules.acts.authorization import check_people, decide_or_request
from jackpot.rules.acts.banks import CloseBank, OpenBank
from jackpot.rules.commands import ActCommand
from jackpot.rules.invariant import InvariantError
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import ROLES, People, Proof, Signed
from jackpot.rules.state import BankState

CUT = Cut(seq=9, hash=bytes(32), epoch=2, version=1, since=4, gone=3, stays=bytes(32))
STATE = BankState("main", 20, sealed=10)
BOTH = ActContext(People(("anna", "ben")))


def test_two_people_let_rows_go() -> None:
    """S8: the entry says who and why, and where the chain goes on."""
    assert decide_archive(STATE, Archive(CUT, "old"), BOTH) == Archived(CUT, BOTH.people, "old")
    for alone in (People(("anna",)), People(("anna", "anna"))):
        with pytest.raises(Refusal, match="two different people"):
            decide_or_request(STATE, Archive(CUT, "old"), ActContext(alone))
    with pytest.raises(Refusal, match="say who does this"):
        decide_or_request(STATE, Archive(CUT, "old"), ActContext())


@pytest.mark.parametrize("command", [Archive(CUT, "old"), CloseBank("floor", "one room"), OpenBank("here")])
def test_of_people_only_admins_do_it(command: ActCommand) -> None:
    """S8, L8: where the site has people, who may not end a bank does not get around that by a command."""
    act, state = ACT_OF[type(command)], replace(STATE, known=4)
    for role in ROLES:
        people = People(proof=Proof((Signed(1, (role,)),), 5, bytes(32)))
        if role == "admin":
            check_people(state, act, command, people)
            continue
        with pytest.raises(Refusal, match="only admin may"):
            check_people(state, act, command, people)
    with pytest.raises(Refusal, match="row 4 was seen"):
        check_people(state, act, command, BOTH.people)


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
