"""Sign-ins, sign-outs and lock-outs; a session counts only if the journal names it (S8).

A session also ends with the person's secret, and with the person: see `people`.
"""

from typing import ClassVar, Final

from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.people import Digest, Number, find_person
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.state import BankState, Session

# Sessions that one person has at once: a desk, a phone, a tablet, and those that they forgot to leave.
SESSIONS_OF_ONE: Final = 20


class SignIn(ActCommand, tag="sign-in", frozen=True):
    """The server has let a person in. session: the digest of what their browser keeps."""

    person: Number
    session: Digest


class SignedIn(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 40
    person: int
    session: bytes


class SignOut(ActCommand, tag="sign-out", frozen=True):
    """A person has left. session: as in `SignIn`."""

    session: Digest


class SignedOut(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 49
    person: int
    session: bytes


class LockOut(ActCommand, tag="lock-out", frozen=True):
    """For a while the server lets a person in no longer: somebody tried too often. failures: how often."""

    person: Number
    failures: int


class LockedOut(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 41
    person: int
    failures: int


def decide_sign_in(state: BankState, command: SignIn, _by: ActContext) -> SignedIn:
    """Records a sign-in; a session that the journal does not name lets nobody in."""
    person = find_person(state, command.person)
    refuse_if(not person.secret, "password_needed", person=person.id)
    refuse_if(command.session in state.sessions, "session_of_other")
    return SignedIn(person.id, command.session)


def apply_signed_in(effects: Effects, event: SignedIn) -> None:
    """Begins the session; where the person has too many, their oldest one ends."""
    sessions = effects.state.sessions
    own = [digest for digest, one in sessions.items() if one.person == event.person]
    if len(own) >= SESSIONS_OF_ONE:
        del sessions[own[0]]
    sessions[event.session] = Session(event.person, effects.at)


def decide_sign_out(state: BankState, command: SignOut, _by: ActContext) -> SignedOut:
    """Records a sign-out."""
    session = state.sessions.get(command.session)
    if session is None:
        raise Refusal("session_ended")
    return SignedOut(session.person, command.session)


def apply_signed_out(effects: Effects, event: SignedOut) -> None:
    """Ends the session."""
    del effects.state.sessions[event.session]


def decide_lock_out(state: BankState, command: LockOut, _by: ActContext) -> LockedOut:
    """Records that a person is locked out."""
    return LockedOut(find_person(state, command.person).id, command.failures)


def apply_seen(_effects: Effects, _event: LockedOut) -> None:
    """Changes nothing in the state; a lock-out alarms."""


ACTS: Final = (
    Act(
        SignIn,
        decide_sign_in,
        {SignedIn: apply_signed_in},
    ),
    Act(
        SignOut,
        decide_sign_out,
        {SignedOut: apply_signed_out},
    ),
    Act(
        LockOut,
        decide_lock_out,
        {LockedOut: apply_seen},
    ),
)
