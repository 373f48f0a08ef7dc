"""The work of a round, counted in calls of our own functions, so that a busy machine does not change it."""

import sys
from collections import Counter
from types import FrameType
from typing import Any, Final

import jackpot
from controllers import messages
from controllers.frames import LENGTH_BYTES
from controllers.messages import decode_device, digest
from jackpot.lab.bench.frames import HANDS, LINK, Script
from jackpot.rules.commands import Envelope
from tests.faults.worked.form import Link, Table
from tests.rules.subject import OfEngine

HOUSE: Final = jackpot.__path__[0]
# Of a full table on a link of three levels; a call more for each seat, or two for each level, is too many.
WAGER_MAX = 39
CLOSE_MAX = 32
SETTLE_MAX = 129
# The first rounds have nothing of a round before them to forget.
ROUNDS: Final = 3


def calls(*, hands: bool) -> dict[type, int]:
    """How many functions of ours the engine calls to decide a frame that nobody wins by, by its message."""
    subject = OfEngine()
    subject.open(Link(LINK, "pa-643a-five-card-C"))
    subject.add(Table("T1", links=(LINK,), seats=len(HANDS)))
    script, found = Script(0, hands=hands), dict[type, int]()
    count = 0

    def noted(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith(HOUSE)

    for seq in range(1, 2 * ROUNDS + 1):
        command = decode_device(script.frame(seq)[LENGTH_BYTES:])
        assert isinstance(command, messages.Wager | messages.Close | messages.Settle)
        envelope = Envelope(command, at=seq, tick=seq, digest=digest(command), table="T1")
        count = 0
        sys.setprofile(noted)
        outcome = subject.engine.execute(envelope)
        sys.setprofile(None)
        assert type(outcome.answer).__name__ == "Ack"
        found[type(command)] = count
    return found


def test_a_round_costs_no_more_calls_than_it_did() -> None:
    """A seat more, or a level more, may cost a little; a pass over all of them for each of them does not."""
    bare, shown = calls(hands=False), calls(hands=True)
    assert bare[messages.Wager] <= WAGER_MAX, bare
    assert bare[messages.Close] <= CLOSE_MAX, bare
    assert shown[messages.Settle] <= SETTLE_MAX, shown


def lines_of_taking_back(tables: int) -> int:
    """How many lines of the rules run where a table takes a wager back and others had their rounds before."""
    subject = OfEngine()
    subject.open(Link(LINK, "pa-643a-five-card-C"))
    lines = Counter[str]()

    def noted(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code.co_filename.startswith(HOUSE):
            lines[event] += 1
            return noted
        return None

    bet = {"seat": 1, "link": LINK, "amount": 100}
    for number in range(tables):
        name = f"T{number}"
        subject.add(Table(name, links=(LINK,)))
        assert subject.frame(name, {"t": "wager", "round": "R1", "bets": [bet], "lock": True}, {})["ok"]
        assert subject.frame(name, {"t": "close", "round": "R1"}, {})["ok"]
    assert subject.frame("T0", {"t": "wager", "round": "R2", "bets": [bet]}, {})["ok"]
    command = messages.Withdraw(seq=4, round="R2", bets=(messages.Unbet(1, LINK),))
    envelope = Envelope(command, at=9, tick=9, digest=digest(command), table="T0")
    before = sys.gettrace()
    sys.settrace(noted)
    outcome = subject.engine.execute(envelope)
    sys.settrace(before)
    assert type(outcome.answer).__name__ == "Ack"
    return lines["line"]


def test_a_wager_is_taken_back_at_a_cost_that_other_tables_do_not_raise() -> None:
    """T2, T10: a table takes wagers back thousands of times a second, and 10,000 others have rounds."""
    assert lines_of_taking_back(2) == lines_of_taking_back(20)
