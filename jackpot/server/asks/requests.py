"""What waits for a second person, what would it do now, and what did the first one see?"""

from base64 import b64decode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from jackpot.config import compared
from jackpot.rules.acts import ACT_OF, decode_asked
from jackpot.rules.acts.hits import Correct, find_award
from jackpot.rules.acts.meters import DecideLeft
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.seen import check_seen, mark_of, seen
from jackpot.rules.acts.standing import would
from jackpot.rules.money import decimal
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import Role
from jackpot.rules.state import Request as Asked
from jackpot.rules.state import State
from jackpot.server.asks.ask import Elsewhere, Question, Reply, Sight
from jackpot.server.asks.preview import Leaving, Moved, Raised, Undone, leaving, moved, raised, undone
from jackpot.server.asks.tables import still_ms, tables_of
from jackpot.server.asks.target import plain_of

if TYPE_CHECKING:
    from jackpot.books.people import Called
    from jackpot.rules.engine import Engine
    from jackpot.server.asks.sources import Sources


class Waiting(Reply, frozen=True):
    """What a second person answers. what: the act that waits, or that answers. asked: who asked, if anybody.

    request: what `confirm` and `reject` call it; then `fields` are those of the act that waits. left_ms: how
    long it waits yet, in milliseconds. asker: who asked, by number. roles: with one of which another person
    may confirm it. moved, raised, leaving, undone: what it would do now. seen: what it would have moved when
    it was asked for. shown: sent with `confirm` as `seen`, it has it refused once it would do something else
    than what it would do now. problem: why it would be refused now, "" where it would be done.
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


class Requests(Reply, frozen=True):
    requests: tuple[Waiting, ...]
    elsewhere: tuple[Elsewhere, ...]


class AskRequests(Question, frozen=True):
    """What waits for a second person?"""

    path = "/requests"
    reply = Requests

    async def answer(self, at: "Sources") -> Requests:
        here, elsewhere = at.whose.with_people()
        found: list[Waiting] = []
        for desk in here:
            tick = int(desk.clock.monotonic() * 1000)
            waits = await desk.ask(lambda engine, tick=tick: waits_of(engine, tick))  # type: ignore[misc]
            called = await at.called(one.request.people for one in waits.requests)
            found += (told_of(desk.bank, one, called) for one in waits.requests)
            for table in await tables_of(at, desk) if waits.at_tables else ():
                round_, where = table.round, {"bank": desk.bank, "table": table.table}
                if round_ is not None and round_.left_ms:
                    facts = {"round": round_.round, "asked": round_.asked, "left_ms": round_.left_ms}
                    found.append(waiting("reopen", where, **facts))
                if table.behind is not None:
                    found.append(
                        waiting("confirm-behind", where, acked=table.behind, last_seq=table.last_seq)
                    )
        return Requests(requests=tuple(found), elsewhere=elsewhere)


class Waits(NamedTuple):
    """A request. left_ms: how long it waits yet. sums: by name, what stands now of what it would change.

    would: what else of the reply says what it would do, or why it would be refused.
    """

    request: Asked
    left_ms: int
    sums: dict[str, Any]
    would: dict[str, Any]


class AllWaits(NamedTuple):
    """at_tables: whether a table waits."""

    requests: list[Waits]
    at_tables: bool


def waits_of(engine: "Engine", tick: int) -> AllWaits:
    """What waits in a bank for a second person. tick: now, as in `Envelope`.

    A request whose time is over waits no more, although the journal says so some seconds later.
    """
    state = engine.state
    lefts = ((request, still_ms(engine, request, tick)) for request in state.requests)
    requests = [_looked_at(state, request, left_ms) for request, left_ms in lefts if left_ms]
    return AllWaits(requests, bool(state.behind) or any(table.waits() for table in state.tables))


def _looked_at(state: State, request: Asked, left_ms: int) -> Waits:
    """Decided as if somebody confirmed it now."""
    command = decode_asked(request.command)
    found: dict[str, Any] = {"seen": moved(state, request.seen)}
    found |= {"roles": ACT_OF[type(command)].power_for(state, command)}
    try:
        event = would(state, request)
        found |= {"moved": moved(state, seen(state, event)), "shown": mark_of(state, event).hex()}
        found |= {"raised": raised(state, event), "leaving": leaving(state, event)}
        found |= {"undone": undone(state, event)}
        check_seen(state, request, event)
    except Refusal as refusal:
        found["problem"] = refusal.message
    return Waits(request, left_ms, _sums(state, command), found)


def _sums(state: State, command: Any) -> dict[str, Any]:
    """What stands now of what it would change, where its own fields do not say."""
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


def told_of(bank: str, waits: Waits, named: "Called") -> Waiting:
    """What one person asked for, and another has to confirm."""
    request, command = waits.request, decode_asked(waits.request.command)
    fields = msgspec.json.decode(request.command) | plain_of(command)
    if isinstance(command, ChangeLink):
        fields = {"do": fields["do"], "link": command.terms.link, "reason": command.reason}
    for ours in ("tax_from", "kept_days", "written"):
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
        fields["person"] = named.marked(b64decode(fields.pop("mark")))
    return waiting(what, {"bank": bank}, fields=fields, table=table, **facts)


def waiting(what: str, at: Mapping[str, str], **facts: Any) -> Waiting:
    """Something that waits; what is not given is not so."""
    known = dict.fromkeys(("request", "table", "round", "acked", "last_seq", "asked", "left_ms"))
    return msgspec.convert({"what": what, "fields": {}, **known, **at, **facts}, Waiting)
