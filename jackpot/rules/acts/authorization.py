"""May these people stand for that act? Looked at before the act itself is decided, and the same for all."""

from typing import Final

from jackpot.rules import names
from jackpot.rules.acts import ACT_BY, ACT_OF, decode_asked
from jackpot.rules.acts.act import Act, By
from jackpot.rules.acts.people import SetSecret, untrue
from jackpot.rules.acts.preview import check_seen, check_shown, seen
from jackpot.rules.acts.requests import (
    Reject,
    called,
    check_confirmed,
    decide_request,
    find_request,
    forget,
)
from jackpot.rules.acts.rounds import AgreeToReopen, check_agrees
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.events import Event, encode
from jackpot.rules.invariant import InvariantError
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import ROLES, SITE, People, Signed
from jackpot.rules.state import Request, State

# Whom a request waits for, where only the other reasons to refuse it are looked for; nobody has the number,
# neither as a person nor as who gave a code.
SOMEBODY: Final = People().signed_by(Signed(-2, ROLES))


def decide_asked(state: State, command: ActCommand, by: By) -> Event:
    """The event of an act that is allowed, or that another person must confirm. Raises Refusal."""
    act = ACT_OF[type(command)]
    check_people(state, act, command, by.people)
    if isinstance(command, Reject):
        check_reject(state, command, by.people)
    try:
        event = act.decide(state, command, by)
    except Refusal as refusal:
        if refusal.code is not Code.TWO_PEOPLE or len(by.people.signed) != 1:
            raise
        # What two people would be refused waits for nobody.
        event = act.decide(state, command, by._replace(people=by.people.then(SOMEBODY)))
        check_shown(state, by.people.proof.seen, event)
        return decide_request(state, command, by, seen(state, event))
    check_shown(state, by.people.proof.seen, event)
    if by.people.proof.request:
        check_seen(state, find_request(state, called(state, by.people.proof.request)), event)
    return event


def would(state: State, request: Request) -> Event:
    """What a request would come to, if somebody confirmed it now. Raises Refusal."""
    command = decode_asked(request.command)
    try:
        return ACT_OF[type(command)].decide(state, command, By(request.people.then(SOMEBODY)))
    except InvariantError as error:
        raise Refusal(Code.INTERNAL, f"it cannot be done: {error}") from error


def check_people(state: State, act: Act, command: ActCommand, people: People) -> None:
    """Refuse people who are not as they say, or have not the power, or confirm what was not asked for."""
    for name in people.names:
        refuse_if(not names.plain(name), Code.NO_PERSON, "by: a name is empty")
        wrong = names.fault(name)
        refuse_if(wrong is not None, Code.BAD_REQUEST, f"by: {wrong}")
    if state.bank != SITE:
        old = bool(people.count()) and not act.alone and people.proof.seq < state.known
        refuse_if(
            old, Code.STALE, f"the people are those of row {people.proof.seq}, row {state.known} was seen"
        )
    else:
        named = bool(people.names and state.people) and not act.alone
        refuse_if(named, Code.NO_PERSON, "by: the site has people, and one of them must sign in")
    if isinstance(command, AgreeToReopen):
        check_agrees(state, command, people)
    for one in people.signed:
        said = untrue(state, one, choosing=isinstance(command, SetSecret)) if state.bank == SITE else ""
        refuse_if(bool(said), Code.NOT_ALLOWED, f"by: {said}")
        power = act.power_for(state, command)
        needed = f"only {' or '.join(power) or 'the server itself'} may"
        needed += "; the cage pays it" if power != act.power else ""
        said = f"by: person {one.id} may not {_words(act)}: {needed}"
        refuse_if(not act.allows(state, command, one), Code.NOT_ALLOWED, said)
    if people.proof.request:
        check_confirmed(state, command, people)


def _words(act: Act) -> str:
    return act.name.replace("-", " ")


def check_reject(state: State, command: Reject, people: People) -> None:
    """Refuse who neither asked for what waits nor may ask for the same."""
    request = find_request(state, command.request)
    asked = decode_asked(request.command)
    act = ACT_OF[type(asked)]
    for one in people.signed:
        may = one.id == request.people.signed[0].id or act.allows(state, asked, one)
        refuse_if(
            not may, Code.NOT_ALLOWED, f"by: person {one.id} may not {_words(act)}, so cannot reject it"
        )


def same(state: State, event: Event, at: int) -> list[int]:
    """The requests that would have come to the event, before it is applied: none does it once more.

    at: the entry's, as in `Envelope`.
    """
    act, people = ACT_BY.get(type(event)), getattr(event, "people", None)
    if act is None or people is None:
        return []
    by, done = By(people, getattr(event, "tick", 0), at), encode(event)
    return [request.id for request in state.requests if _comes_to(state, act, request, by) == done]


def _comes_to(state: State, act: Act, request: Request, by: By) -> bytes | None:
    """The event of what was asked for, if these people did it now; None where they could not."""
    command = decode_asked(request.command)
    if not isinstance(command, act.command):
        return None
    try:
        return encode(act.decide(state, command, by))
    except (Refusal, InvariantError):
        return None


def stood(state: State, people: People, *, done: bool) -> None:
    """Who stood for an entry is known from then on. done: it did what they asked, so it no longer waits."""
    state.known = max(state.known, people.proof.seq)
    if done and people.proof.request:
        forget(state, people.proof.request)
