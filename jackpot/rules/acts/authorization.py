"""Authorization of acts: the same checks for all, before the act itself is decided."""

from collections.abc import Sequence

import msgspec

from jackpot.rules import names
from jackpot.rules.acts import ACT_BY, ACT_OF, decode_asked
from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.people import SetSecret, untrue
from jackpot.rules.acts.preview import check_seen, check_shown, preview_of
from jackpot.rules.acts.requests import (
    Reject,
    check_confirmed,
    decide_request,
    find_request,
    forget,
    request_id,
    request_of,
)
from jackpot.rules.acts.rounds import AgreeToReopen, check_agrees
from jackpot.rules.commands import ActCommand
from jackpot.rules.events import Event, encode
from jackpot.rules.invariant import InvariantError
from jackpot.rules.refusal import TWO_PEOPLE, Refusal, refuse_if, two_people
from jackpot.rules.signing import SITE, People, Role, Signed
from jackpot.rules.state import ApprovalRequest, BankState, SeenPreview


def decide_or_request(state: BankState, command: ActCommand, by: ActContext) -> Event:
    """The event of an allowed act, or its request for another person. Raises Refusal."""
    act, proof = ACT_OF[type(command)], by.people.proof
    check_people(state, act, command, by.people)
    request = request_of(state, proof.request) if proof.request else None
    if request is not None:
        check_confirmed(state, request, command, by.people)
    if isinstance(command, Reject):
        check_reject(state, command, by.people)
    count = by.people.count()
    refuse_if(not count and act.needs_person(command), "signer_missing")
    event = act.decide(state, command, by)
    why = act.why_two(state, command, by.at) if count < TWO_PEOPLE else ""
    if why and len(proof.signed) != 1:
        two_people(by.people, why)
    if why or proof.seen or request is not None:
        now = preview_of(state, event)
        check_shown(now, event, proof.seen)
        if why:
            check_asked_once(state, command, now, event)
            return decide_request(state, command, by, now)
        if request is not None:
            check_seen(state, request, now, event)
    return event


def check_asked_once(state: BankState, command: ActCommand, now: SeenPreview, event: Event) -> None:
    """Refuses what a request that can be confirmed asks for already. now: the preview of the act's event."""
    for request in state.requests:
        if _but_for_reason(decode_asked(request.command)) == _but_for_reason(command):
            try:
                check_seen(state, request, now, event)
            except Refusal:
                continue  # nobody can confirm it any more
            raise Refusal("request_asked_already", request=request_id(state, request.id))


def _but_for_reason(command: ActCommand) -> ActCommand:
    """The command without the reason that people gave."""
    fields = command.__struct_fields__
    return msgspec.structs.replace(command, reason="") if "reason" in fields else command


def event_if_confirmed(state: BankState, request: ApprovalRequest, at: int) -> Event:
    """The event that a request would come to if it were confirmed now. at: unix milliseconds.

    Raises Refusal.
    """
    command = decode_asked(request.command)
    try:
        return ACT_OF[type(command)].decide(state, command, ActContext(request.people, at=at))
    except InvariantError as error:
        raise Refusal("cannot_be_done", error=str(error)) from error


def check_people(state: BankState, act: Act, command: ActCommand, people: People) -> None:
    """Refuses signers who are not as they claim, or lack the role."""
    for name in people.names:
        refuse_if(not names.normal_form(name), "name_empty")
        if (wrong := names.fault(name)) is not None:
            raise Refusal("name_faulty", fault=wrong)
    if state.bank != SITE:
        old = people.proof.seq < state.known and not act.alone and people.count() > 0
        refuse_if(old, "signers_stale", row=people.proof.seq, seen=state.known)
    else:
        named = bool(people.names and state.people) and not act.alone
        refuse_if(named, "sign_in_needed")
    if isinstance(command, AgreeToReopen):
        check_agrees(state, command, people)
    for signer in people.signed:
        wrong = untrue(state, signer, choosing=isinstance(command, SetSecret)) if state.bank == SITE else None
        if wrong is not None:
            raise Refusal("signer_fault", fault=wrong)
        if not act.allows(state, command, signer):
            raise _refuse_role(act, act.power_for(state, command), signer)


def _words(act: Act) -> str:
    return act.name.replace("-", " ")


def _refuse_role(act: Act, power: Sequence[Role], signer: Signed) -> Refusal:
    """The refusal of a signer without the role. power: the roles that may ask for this very command."""
    if not power:
        return Refusal("may_not_server_does", person=signer.id, act=_words(act))
    template = "may_not" if power == act.power else "may_not_cage_pays"
    return Refusal(template, person=signer.id, act=_words(act), power=power)


def check_reject(state: BankState, command: Reject, people: People) -> None:
    """Refuses a rejection by anybody but the asker and those who may ask for the same."""
    request = find_request(state, command.request)
    asked = decode_asked(request.command)
    act = ACT_OF[type(asked)]
    for signer in people.signed:
        may = signer.id == request.people.signed[0].id or act.allows(state, asked, signer)
        refuse_if(not may, "may_not_reject", person=signer.id, act=_words(act))


def satisfied_requests(state: BankState, event: Event, at: int) -> list[int]:
    """The other requests that the event satisfies, looked up before it is applied: none is done once more.

    The one that its people confirmed is not among them. at: the entry's, as in `Envelope`.
    """
    act, people = ACT_BY.get(type(event)), getattr(event, "people", None)
    if act is None or people is None:
        return []
    others = [request for request in state.requests if request.id != people.proof.request]
    if not others:
        return []
    by, done = ActContext(people, getattr(event, "tick", 0), at), encode(event)
    return [request.id for request in others if _comes_to(state, act, request, by) == done]


def _comes_to(state: BankState, act: Act, request: ApprovalRequest, by: ActContext) -> bytes | None:
    """The event of a request if these people made it now; None where they could not."""
    command = decode_asked(request.command)
    if not isinstance(command, act.command):
        return None
    try:
        return encode(act.decide(state, command, by))
    except (Refusal, InvariantError):
        return None


def record_signers(state: BankState, people: People, *, done: bool) -> None:
    """Records the signers of an entry. done: the requests that it satisfied, which no longer wait."""
    state.known = max(state.known, people.proof.seq)
    if done and people.proof.request:
        forget(state, people.proof.request)
