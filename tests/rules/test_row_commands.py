"""A row holds the command that it decides, once, and no text twice (S8)."""

from typing import Final, get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from controllers import messages
from jackpot.rules import events, redecide, registry, row_commands
from jackpot.rules.acts import ACTS, fields
from jackpot.rules.acts.act import Act
from jackpot.rules.acts.links import Suspend, Suspended
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.signing import People
from tests import frames
from tests.frames import Bet
from tests.rules.acts.test_preview import LESS, asked_for, confirm, won
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager

# What people type: the types of the fields that hold it.
TYPED: Final = (fields.Reason, fields.Remark, fields.Document, fields.DocumentNumber, fields.Fact)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_what_people_type_stands_in_a_row_once(act: Act) -> None:
    """DESIGN: a text goes with its event; the command leaves it out."""
    hints = get_type_hints(act.command, include_extras=True)
    typed = {name for name, hint in hints.items() if hint in TYPED or name == "reason"}
    for event in act.applies:
        assert typed <= set(event.__struct_fields__)


def test_a_command_says_what_its_event_does_not() -> None:
    """S8: the body has the command's own fields and the event; together they are the command again."""
    command = Suspend("operator", ("five",), "a torn felt")
    event = Suspended([1], "operator", People(("anna",)), "a torn felt")
    body = row_commands.encode(event, command)
    assert msgspec.msgpack.decode(body) == [
        {"do": "suspend", "links": ["five"]},
        [[1], "operator", [["anna"], [[], 0, b"", 0, 0, b""]], "a torn felt"],
    ]
    assert body.count(b"a torn felt") == 1
    assert row_commands.command_in(body, event) == command
    assert registry.decode(event.kind, events.RULES_VERSION, body) == event


def test_a_confirmed_request_names_what_was_asked_for() -> None:
    """S8: the row of a confirmation is of the act, as if both had asked for it then."""
    subject = won()
    asked_for(subject, LESS)
    assert confirm(subject).answer["ok"]
    entry = subject.entries[-1]
    assert row_commands.command_in(entry.body, event_of(entry)) == LESS


def refused(subject: OfEngine, *bets: Bet) -> DecidedEntry:
    """The row of a wager that is refused: T1 has no such seat, or the bets are wrong otherwise."""
    seq = len(subject.engine.state.tables[0].answers) + 1
    answer = send(subject, seq, frames.Wager("r1", bets)).answer
    assert answer["t"] == "nack", answer
    return subject.entries[-1]


def event_of(entry: DecidedEntry) -> events.Event:
    return registry.decode(entry.kind, entry.version, entry.body)


def test_a_refused_frame_is_refused_again() -> None:
    """S8: the row has the frame; one that the rules take, or refuse otherwise, is found."""
    subject = bank()
    auditor = bank()
    entry = refused(subject, Bet(3, "L", 5))
    event = event_of(entry)
    assert isinstance(event, events.Refused)
    command = row_commands.command_in(entry.body, event)
    assert command == replace(frames.Wager("r1", (Bet(3, "L", 5),)), seq=1)
    assert redecide.check(auditor.engine, entry, event) is None
    for wrong, said in (
        ((replace(event, template="no"), command), "the rules refuse it otherwise: template is written 'no'"),
        ((event, replace(wager("r1"), seq=1)), "the rules do not refuse it"),
        ((event, replace(command, seq=2)), "it refuses frame 2"),
    ):
        forged = replace(entry, body=row_commands.encode(*wrong))
        assert said in (redecide.check(auditor.engine, forged, wrong[0]) or "")


def test_a_malformed_frame_is_kept_without_what_was_said() -> None:
    """S8, WIRE: its refusal has the words already."""
    subject = bank()
    wrong = messages.Malformed(1, "seat: it is no number", bytes(16))
    assert send(subject, 1, wrong).answer["code"] == "bad_message"
    assert subject.entries[-1].body.count(b"seat: it is no number") == 1


def test_a_long_refused_frame_is_not_kept() -> None:
    """S8: so that no device fills the journal; it is believed, as it moves nothing."""
    subject = bank()
    short = refused(subject, *(Bet(9, "L", 100) for _ in range(5)))
    long = refused(subject, *(Bet(9, "L", 100) for _ in range(200)))
    assert row_commands.is_kept(short.body)
    assert not row_commands.is_kept(long.body)
    assert len(long.body) < len(short.body) < row_commands.FRAME_KEPT_MAX


def test_a_body_is_in_one_form_alone() -> None:
    """S8: a field that the event says is not said twice, and none is there that the command has not."""
    subject = won()
    auditor = won()
    asked_for(subject, LESS)
    event = Suspended([1], "operator", People(("anna",)), "felt")
    whole = msgspec.msgpack.encode(({"do": "suspend", "cause": "operator", "links": ["L"]}, event))
    more = msgspec.msgpack.encode(({"do": "suspend", "links": ["L"], "more": 1}, event))
    least = msgspec.msgpack.encode(({"do": "confirm"}, event))
    for body, said in (
        (whole, "its body has more in it"),
        (more, "its body has more in it"),
        (least, "its command cannot be read: request of 'confirm' is missing"),
    ):
        row = DecidedEntry(
            auditor.engine.seq + 1, 0, event.kind, events.RULES_VERSION, None, None, None, bytes(16), body, ()
        )  # fmt: skip
        assert said in (redecide.check(auditor.engine, row, event) or "")
