"""Query of requests that wait for a second person: what each would do now, and what its asker saw."""

from base64 import b64decode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from jackpot.api.http_call import plain_of
from jackpot.api.operation import BankElsewhere, Query, Reply, Sight
from jackpot.api.preview import Leaving, Moved, Raised, Undone, moved, what_follows
from jackpot.api.queries.tables import still_ms, tables_of
from jackpot.auth.request_expiry import lost_since
from jackpot.config import compared
from jackpot.config.phrases import sentence_of
from jackpot.rules.acts import ACT_OF, decode_asked
from jackpot.rules.acts.authorization import event_if_confirmed
from jackpot.rules.acts.hits import Correct, find_award
from jackpot.rules.acts.meters import DecideLeft
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.preview import check_seen, mark_of, preview_of
from jackpot.rules.money import decimal
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import Role
from jackpot.rules.state import ApprovalRequest, BankState

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.bank.bank import Bank
    from jackpot.reports.read.people import PersonNames
    from jackpot.rules.engine import Engine


class Waiting(Reply, frozen=True):
    """A request for a second person. what: the act that waits, or that answers. asked: who asked, if anybody.

    request: what `confirm` and `reject` call it; then `fields` are those of the act that waits. What a table
    asks has none; of a seat that may be abandoned `fields` has the `seat`. left_ms: how long it waits yet, in
    milliseconds. asker: who asked, by number. roles: with one of which another person
    may confirm it. moved, raised, leaving, undone: what it would do now. seen: what it would have moved when
    it was asked for. shown: sent with `confirm` as `seen`, it has it refused once it would do something else
    than what it would do now. problem: why it would be refused now, "" where it would be done. template,
    values: of the problem, as of a refusal.
    """

    what: str
    bank: str
    request: str | None
    fields: dict[str, Any]
    table: str | None
    round: str | None
    acked: int | None
    last_seq: int | None
    asked: str | None
    left_ms: int | None
    asker: int | None = None
    roles: tuple[Role, ...] = ()
    moved: tuple[Moved, ...] = ()
    raised: tuple[Raised, ...] = ()
    leaving: tuple[Leaving, ...] = ()
    undone: tuple[Undone, ...] = ()
    seen: tuple[Moved, ...] = ()
    shown: Sight | None = None
    problem: str = ""
    template: str = ""
    values: dict[str, int | str] = msgspec.field(default_factory=dict)


class Requests(Reply, frozen=True):
    requests: tuple[Waiting, ...]
    elsewhere: tuple[BankElsewhere, ...]


class AskRequests(Query, frozen=True):
    """Requests that wait for a second person."""

    path = "/requests"
    reply = Requests

    async def answer(self, at: "QueryContext") -> Requests:
        here, elsewhere = at.whose.with_people()
        found: list[Waiting] = []
        for bank in here:
            found += await _asked_for(at, bank)
            found += await _at_tables(at, bank)
        return Requests(requests=tuple(found), elsewhere=elsewhere)


async def _asked_for(at: "QueryContext", bank: "Bank") -> list[Waiting]:
    """The requests that wait for another person's confirmation.

    An expired request waits no more, although the journal says so some seconds later.
    """
    tick, now = int(bank.clock.monotonic() * 1000), at.clock.unix_ms()

    def look(engine: "Engine") -> list[PendingRequest]:
        state = engine.state
        lefts = ((request, still_ms(engine, request, tick)) for request in state.requests)
        return [_looked_at(state, request, left_ms, now) for request, left_ms in lefts if left_ms]

    waits = [one for one in await bank.ask(look) if not await lost_since(at.directory, one.request)]
    called = await at.called(one.request.people for one in waits)
    return [_request(bank.name, one, called) for one in waits]


async def _at_tables(at: "QueryContext", bank: "Bank") -> list[Waiting]:
    """What tables ask people: to reopen a round, if a seat is abandoned, which answers the ledger lost."""
    if not await bank.ask(_tables_wait):
        return []
    found: list[Waiting] = []
    for table in await tables_of(at, bank):
        round_, where = table.round, {"bank": bank.name, "table": table.table}
        if round_ is not None and round_.left_ms:
            facts = {"round": round_.round, "asked": round_.asked, "left_ms": round_.left_ms}
            found.append(_waiting("reopen", where, **facts))
        if round_ is not None:
            for one in round_.abandoned:
                if not one.confirmed:
                    asked = {"round": round_.round, "fields": {"seat": one.seat}}
                    found.append(_waiting("decide-abandoned", where, **asked))
        if table.behind is not None:
            found.append(_waiting("confirm-behind", where, acked=table.behind, last_seq=table.last_seq))
    return found


def _tables_wait(engine: "Engine") -> bool:
    state = engine.state
    return bool(state.behind) or any(
        table.waits() or (table.round is not None and table.round.waiting()) for table in state.tables
    )


class PendingRequest(NamedTuple):
    """A request. left_ms: how long it waits yet. sums: by name, what stands now of what it would change.

    would: what else of the reply says what it would do, or why it would be refused.
    """

    request: ApprovalRequest
    left_ms: int
    sums: dict[str, Any]
    would: dict[str, Any]


def _looked_at(state: BankState, request: ApprovalRequest, left_ms: int, at: int) -> PendingRequest:
    """Previews the confirmation of a request, as of now. at: unix milliseconds."""
    command = decode_asked(request.command)
    found: dict[str, Any] = {
        "seen": moved(state, request.seen),
        "roles": ACT_OF[type(command)].power_for(state, command),
    }
    try:
        event = event_if_confirmed(state, request, at)
        now = preview_of(state, event)
        found |= {**what_follows(state, event, now), "shown": mark_of(now, event).hex()}
        check_seen(state, request, now, event)
    except Refusal as refusal:
        said = sentence_of(refusal.template, refusal.values)
        found |= {"problem": said, "template": said.template, "values": said.english_values}
    return PendingRequest(request, left_ms, _sums(state, command), found)


def _sums(state: BankState, command: Any) -> dict[str, Any]:
    """The current values of what it would change, if its own fields do not say."""
    match command:
        case Correct():
            if (award := find_award(state, command.award)) is None:
                return {}
            return {"hit": f"H{award.hit}", "seat": award.seat, "now": decimal(award.worth())}
        case DecideLeft():
            left = [one for one in state.left if f"D{one.number}" == command.left]
            return {"amount": decimal(left[0].amount)} if left else {}
        case ChangeLink():
            terms = next(link.terms for link in state.links if link.terms.link == command.terms.link)
            changes = compared(terms, command.terms)
            return {"changes": [f"{one.what}: {one.before}, then {one.now}" for one in changes]}
    return {}


def _request(bank: str, waits: PendingRequest, named: "PersonNames") -> Waiting:
    """A request that another person has to confirm."""
    request, command = waits.request, decode_asked(waits.request.command)
    fields = msgspec.json.decode(request.command) | plain_of(command)
    if isinstance(command, ChangeLink):
        fields = {"do": fields["do"], "link": command.terms.link, "reason": command.reason}
    for ours in ("due", "tax_from", "tax", "cash_before", "kept_days", "written"):
        fields.pop(ours, None)
    fields |= waits.sums
    facts = {
        "request": f"{bank}-{request.id}",
        "asked": named.who(request.people),
        "asker": request.people.signed[0].id,
        "left_ms": waits.left_ms,
        **waits.would,
    }
    table, what = fields.get("table"), str(fields.pop("do"))
    if "person" in fields:
        fields["person"] = named.name(fields["person"])
    if "mark" in fields:
        fields["person"], fields["login"] = named.marked(b64decode(fields.pop("mark")))
    return _waiting(what, {"bank": bank}, fields=fields, table=table, **facts)


def _waiting(what: str, at: Mapping[str, str], **facts: Any) -> Waiting:
    """An item that waits; what is not given is empty."""
    known = dict.fromkeys(("request", "table", "round", "acked", "last_seq", "asked", "left_ms"))
    return msgspec.convert({"what": what, "fields": {}, **known, **at, **facts}, Waiting)
