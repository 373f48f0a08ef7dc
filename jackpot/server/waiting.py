"""What waits for a second person, what would it do now, and what did the first one see?"""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from jackpot.books.people import Called
from jackpot.config import compared
from jackpot.rules.acts import ACT_OF, decode_asked
from jackpot.rules.acts.hits import Correct
from jackpot.rules.acts.meters import DecideLeft
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS
from jackpot.rules.acts.seen import check_seen, seen
from jackpot.rules.acts.standing import would
from jackpot.rules.engine import Engine
from jackpot.rules.money import decimal
from jackpot.rules.refusal import Refusal
from jackpot.rules.state import Asked as Reopening
from jackpot.rules.state import Request as Asked
from jackpot.rules.state import State
from jackpot.server import asks, replies
from jackpot.server.preview import moved


class Waits(NamedTuple):
    """A request. left_ms: how long it waits yet. sums: by name, what stands now of what it would change.

    moved, seen: as of the reply. problem: why it would be refused now.
    """

    request: Asked
    left_ms: int
    sums: dict[str, Any]
    moved: tuple[replies.Moved, ...]
    seen: tuple[replies.Moved, ...]
    problem: str


class AllWaits(NamedTuple):
    """at_tables: whether a table waits."""

    requests: list[Waits]
    at_tables: bool


def waits_of(engine: Engine, tick: int) -> AllWaits:
    """What waits in a bank for a second person. tick: now, as in `Envelope`."""
    state = engine.state
    requests = [_looked_at(state, request, still_ms(engine, request, tick)) for request in state.requests]
    return AllWaits(requests, bool(state.behind) or any(table.waits() for table in state.tables))


def still_ms(engine: Engine, asked: Asked | Reopening, tick: int) -> int:
    """For how many milliseconds it still waits for a second person. tick: now, as in `Envelope`."""
    return max(0, REQUEST_HOLDS_MS - engine.epoch.waited_ms(asked, tick))


def _looked_at(state: State, request: Asked, left_ms: int) -> Waits:
    """Decided as if somebody confirmed it now."""
    command, now, problem = decode_asked(request.command), tuple[replies.Moved, ...](), ""
    try:
        event = would(state, request)
        now = moved(state, seen(state, event))
        check_seen(state, request, event)
    except Refusal as refusal:
        problem = refusal.message
    return Waits(request, left_ms, _sums(state, command), now, moved(state, request.seen), problem)


def _sums(state: State, command: Any) -> dict[str, Any]:
    """What stands now of what it would change, where its own fields do not say."""
    match command:
        case Correct():
            hits = (*state.hits.values(), *state.paid.values())
            awards = [award for hit in hits for award in hit.awards if f"A{award.number}" == command.award]
            return {"now": decimal(awards[0].worth())} if awards else {}
        case DecideLeft():
            left = [one for one in state.left if f"D{one.number}" == command.left]
            return {"amount": decimal(left[0].amount)} if left else {}
        case ChangeLink():
            terms = next(link.terms for link in state.links if link.terms.link == command.terms.link)
            changes = compared(terms, command.terms)
            return {"changes": [f"{one.what}: {one.before}, then {one.now}" for one in changes]}
    return {}


def told_of(bank: str, waits: Waits, named: Called) -> replies.Waiting:
    """What one person asked for, and another has to confirm."""
    request, command = waits.request, decode_asked(waits.request.command)
    fields = msgspec.json.decode(request.command) | asks.plain_of(command)
    if isinstance(command, ChangeLink):
        fields = {"do": fields["do"], "link": command.terms.link, "reason": command.reason}
    for ours in ("tax_from", "kept_days", "written"):
        fields.pop(ours, None)
    fields |= waits.sums
    facts = {
        "request": f"{bank}-{request.id}",
        "asked": named.who(request.people),
        "asker": request.people.signed[0].id,
        "roles": ACT_OF[type(command)].power,
        "left_ms": waits.left_ms,
        "moved": waits.moved,
        "seen": waits.seen,
        "problem": waits.problem,
    }
    table, what = fields.get("table"), str(fields.pop("do"))
    if "person" in fields:
        fields["person"] = named.name(fields["person"])
    if "mark" in fields:
        fields["person"] = named.marked(b64decode(fields.pop("mark")))
    return waiting(what, {"bank": bank}, fields=fields, table=table, **facts)


def waiting(what: str, at: Mapping[str, str], **facts: Any) -> replies.Waiting:
    """Something that waits; what is not given is not so."""
    known = dict.fromkeys(("request", "table", "round", "acked", "last_seq", "asked", "left_ms"))
    return msgspec.convert({"what": what, "fields": {}, **known, **at, **facts}, replies.Waiting)
