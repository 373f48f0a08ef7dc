"""Requests that wait for a second person, who confirms or rejects them within 15 minutes.

The act is decided when it is confirmed, with both, as if both had asked for it then. What was refused to
signers is in the journal as well.
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Final

import msgspec
from msgspec import Meta

from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.fields import NUMBER, Reason
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.phrases import Phrase, Values, phrase
from jackpot.rules.refusal import TWO_PEOPLE, Refusal, refuse_if
from jackpot.rules.signing import ROLES, People, Signed
from jackpot.rules.state import ApprovalRequest, BankState, SeenPreview

# How long a request waits, in milliseconds, as long as a table waits for a reopening (T10).
REQUEST_HOLDS_MS: Final = 15 * 60 * 1_000
# What a request has waited whose time another server's clock counted: nobody knows how long, so it is over.
RESTARTED_MS: Final = 2**53 - 1
# Requests that wait in one bank: more than all people of a floor could look at within that time.
REQUESTS_MAX: Final = 100
# Maximum of one person: more than a hit has awards to correct, so that nobody leaves no room for others.
REQUESTS_OF_ONE: Final = 10
# Refusals of one person that a bank journals in an hour of its epoch: more than anybody comes to who works,
# and few for a journal. Further ones are answered alike, and stand in the log.
REFUSED_OF_ONE: Final = 60

RequestId = Annotated[
    str,
    Meta(pattern=rf"^[A-Za-z0-9._-]{{1,64}}-{NUMBER}", description="a request's id, such as main-5"),
]


class Requested(Event, frozen=True, array_like=True):
    """One person's request for an act that takes two. command: the act, as JSON. tick: as in `Envelope`.

    seen: its preview then.
    """

    kind: ClassVar[int] = 45
    id: int
    command: bytes
    tick: int
    people: People
    seen: SeenPreview


class ActRefused(Event, frozen=True, array_like=True):
    """A refused act of signers, and why. command: as JSON. template, values: as in `phrases.Phrase`."""

    kind: ClassVar[int] = 46
    command: bytes
    code: str
    template: str
    values: Values
    hits: list[int]
    people: People


def decide_request(state: BankState, command: ActCommand, by: ActContext, preview: SeenPreview) -> Requested:
    """Makes one person's act wait for another person. preview: as it is now."""
    many = len(state.requests) >= REQUESTS_MAX
    refuse_if(many, "too_many_requests", count=REQUESTS_MAX)
    asker = by.people.signed[0].id
    own = sum(request.people.signed[0].id == asker for request in state.requests)
    refuse_if(own >= REQUESTS_OF_ONE, "too_many_requests_of_one", count=own, person=asker)
    return Requested(state.next_request, msgspec.json.encode(command), by.tick, by.people, preview)


def apply_requested(effects: Effects, event: Requested) -> None:
    """Adds the request."""
    state = effects.state
    state.requests.append(
        ApprovalRequest(event.id, event.command, event.people, effects.seq, event.tick, event.seen)
    )
    state.next_request = event.id + 1
    effects.told.asked, effects.told.request = True, request_id(state, event.id)


def decide_refused(command: ActCommand, refusal: Refusal, by: ActContext) -> ActRefused:
    """Journals a refused act of signers."""
    asked = msgspec.json.encode(command)
    hits = list(refusal.hits)
    return ActRefused(asked, refusal.code.value, refusal.template, refusal.values, hits, by.people)


def apply_refused(effects: Effects, event: ActRefused) -> None:
    """Counts the refusal with those of tables."""
    refusals = effects.state.refusals
    refusals[event.code] = refusals.get(event.code, 0) + 1


class Confirm(ActCommand, tag="confirm", frozen=True):
    """A second person confirms what waits; it is decided now."""

    request: RequestId


def decide_confirm(state: BankState, command: Confirm, _by: ActContext) -> Event:
    """Refuses: a request that waits is decided as its own act, so here comes only what does not wait."""
    find_request(state, command.request)
    raise Refusal("request_needs_signers", request=command.request)


def confirmed(people: People, request: ApprovalRequest, waited_ms: int) -> People:
    """The proof of both people, as they are now, for a request. waited_ms: by this epoch's clock."""
    proof = msgspec.structs.replace(people.proof, request=request.id, waited_ms=waited_ms)
    return People(proof=proof)


def check_confirmed(state: BankState, request: ApprovalRequest, command: ActCommand, people: People) -> None:
    """Refuses a confirmation that differs from the request, its person or its time."""
    name, asker = request_id(state, request.id), request.people.signed[0]
    other = msgspec.json.encode(command) != request.command
    refuse_if(other, "request_asks_otherwise", request=name)
    waited = people.proof.waited_ms
    refuse_if(waited >= REQUEST_HOLDS_MS, "request_over", request=name, why=why_over(waited))
    first = people.signed[0]
    wrong = len(people.signed) != TWO_PEOPLE or as_asked(first) != as_asked(asker)
    refuse_if(wrong, "request_needs_another", request=name, person=asker.id)
    if first.lost != asker.lost:
        raise Refusal("request_over", request=name, why=phrase("over_after_lost_right"))
    if (fault := people.fault()) is not None:
        raise Refusal("request_signer_fault", request=name, fault=fault)


def why_over(waited_ms: int, lost: int = 0) -> Phrase:
    """How a request ended that nobody confirmed. waited_ms, lost: as in `RequestExpired`."""
    if lost:
        return phrase("over_after_lost_right")
    return phrase("over_after_restart" if waited_ms == RESTARTED_MS else "over_in_time")


def as_asked(signed: Signed) -> tuple[int, str, int]:
    """The part of the asker that must be the same at the confirmation: who they are, and by which means."""
    return signed.id, signed.means, signed.token


class Reject(ActCommand, tag="reject", frozen=True):
    """A waiting request is rejected by the one who asked, or by somebody who may ask for the same."""

    request: RequestId
    reason: Reason


class Rejected(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 47
    request: int
    reason: str
    people: People


def decide_reject(state: BankState, command: Reject, by: ActContext) -> Rejected:
    """Rejects a request, or withdraws one's own."""
    return Rejected(find_request(state, command.request).id, command.reason, by.people)


def apply_rejected(effects: Effects, event: Rejected) -> None:
    """Removes the request."""
    forget(effects.state, event.request)


class ExpireRequest(ActCommand, tag="expire-request", frozen=True):
    """A request is over. waited_ms, lost: as in `RequestExpired`."""

    request: RequestId
    waited_ms: int
    lost: int = 0


class RequestExpired(Event, frozen=True, array_like=True):
    """A request has expired.

    waited_ms: how long it waited, RESTARTED_MS where another server's clock counted that.

    lost: the entry of the bank `site` by which the one who asked has lost a right since; else 0.
    """

    kind: ClassVar[int] = 48
    request: int
    waited_ms: int
    lost: int = 0


def decide_expire(state: BankState, command: ExpireRequest, _by: ActContext) -> RequestExpired:
    """Ends a request that was not confirmed in time, or whose asker lost the right to it."""
    request = find_request(state, command.request)
    early = command.waited_ms < REQUEST_HOLDS_MS and command.lost <= request.people.signed[0].lost
    refuse_if(early, "request_not_due", request=command.request, waited=command.waited_ms)
    return RequestExpired(request.id, command.waited_ms, command.lost)


def apply_expired(effects: Effects, event: RequestExpired) -> None:
    """Removes the request, and reports that it expired."""
    forget(effects.state, event.request)
    request, why = request_id(effects.state, event.request), why_over(event.waited_ms, event.lost)
    effects.alarm("request_expired", request=request, why=str(why))


def waiting_request(state: BankState, name: str) -> ApprovalRequest | None:
    """The request of that id, None where none waits."""
    return next((request for request in state.requests if request_id(state, request.id) == name), None)


def bank_of(name: str) -> str:
    """The bank in a request's id."""
    return name.rpartition("-")[0]


def request_id(state: BankState, number: int) -> str:
    """The id of a request: unique among banks."""
    return f"{state.bank}-{number}"


def find_request(state: BankState, name: str) -> ApprovalRequest:
    """The request of that id; refused as `no_such_request`."""
    if (request := waiting_request(state, name)) is not None:
        return request
    raise Refusal("request_unknown", request=name)


def request_of(state: BankState, number: int) -> ApprovalRequest:
    """The request of that number; refused as `no_such_request`."""
    if (request := next((one for one in state.requests if one.id == number), None)) is not None:
        return request
    raise Refusal("request_unknown", request=request_id(state, number))


def forget(state: BankState, number: int) -> None:
    """Removes the request."""
    state.requests = [request for request in state.requests if request.id != number]


APPLIES: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {
    Requested: apply_requested,
    ActRefused: apply_refused,
}
"""What any act may come to."""

ACTS: Final = (
    Act(Confirm, decide_confirm, {}, asked=True, power=ROLES),
    Act(
        Reject,
        decide_reject,
        {Rejected: apply_rejected},
        asked=True,
        power=ROLES,
    ),
    Act(
        ExpireRequest,
        decide_expire,
        {RequestExpired: apply_expired},
    ),
)
