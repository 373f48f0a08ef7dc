"""Roles, second-person requests and authorization, for the independent model.

The roles are of the site's people. Who gives only a name has signed nothing, and needs no role.
Readings, besides those of the model:
 1. No role stands above another: an admin validates nothing. The floor has what the rules leave to a
    floorperson; paying and correcting an award are the cage's, too. What the cage pays it pays alone, and
    has corrected alone once that is paid: as things stand when somebody signs, confirms or rejects.
 2. Two who sign are two only if they differ, the second has signed with a secret of their own, neither chose
    theirs with a code from the other, and not both theirs by one and the same third who is vouched for in
    neither. Two who are not do together what one may do, and are refused what takes two.
 3. One who asks for what takes two makes a request, unless two would be refused. Another confirms it within
    15 minutes, and while no other server has taken over: then both must have the role, and it is decided as
    it stands then. If it would do something else than when it was asked for, it is refused and waits on.
 4. Reopening a round waits by itself (T10): the first asks, and the second reopens it together with the
    first, as that one is then, who has lost nothing since.
 5. What is done ends every request of the bank that says the same, its reason too, no matter who asked and
    how it came to be done: alone, by two at once, by another request. Other words are another request, and
    stay; but the undo of a hit is the same as that of its only award that stands.
 6. Who was shown what an act would do may say so. It is refused as `changed` where it would do something else
    by then, as a request would be, and where it is another act; for which reason, and on which document, is
    all one. To be shown it changes nothing.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from tests.faults.model_facts import UNDONE
from tests.faults.model_figures import Figures
from tests.faults.model_floor import Map, Refused
from tests.faults.worked.form import Signer

FLOOR, CAGE, AUDITOR, ADMIN = "floor", "cage", "auditor", "admin"
ROLES: Final = ("viewer", FLOOR, CAGE, AUDITOR, ADMIN)
POWERS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("validate", "undo", "strike", "void_round", "release"), (FLOOR,)),
    "decide_abandoned": (FLOOR,),
    **dict.fromkeys(("reopen", "agree_to_reopen", "decline"), (FLOOR,)),
    **dict.fromkeys(("pay", "correct", "add_papers", "credit"), (FLOOR, CAGE)),
    "dispute": (FLOOR,),
    "lift": (FLOOR, AUDITOR),
    **dict.fromkeys(("suspend", "resume", "confirm_behind", "confirm_program", "clear"), (FLOOR, ADMIN)),
    **dict.fromkeys(("grant", "withdraw_role", "end_person", "add_person", "reset_secret"), (ADMIN,)),
    **dict.fromkeys(("give_code", "vouch"), (ADMIN,)),
    **dict.fromkeys(("correct_meter", "decide_left"), (FLOOR, ADMIN)),
    **dict.fromkeys(("change", "transfer", "close_link", "replace_triggers"), (ADMIN,)),
}
# How long a request waits, and how many of one person.
HOLDS_MS: Final = 15 * 60_000
OF_ONE: Final = 10


@dataclass
class Request:
    """A request of one person that another may confirm.

    fields: its reason, too. seen: what it would have done then. asked_ms: when; None for an earlier server.
    lost: as of the signer who asked.
    """

    kind: str
    fields: Map
    asker: int
    means: str
    seen: Any
    asked_ms: int | None
    lost: int = 0


@dataclass(frozen=True)
class Mark:
    """A preview: what somebody was shown that an act would do. fields: the act's."""

    kind: str
    fields: Map
    seen: Any


# Of an act, what makes no other act of it.
BY_THE_WAY: Final = ("reason", "document", "tax_from")


def may(signer: Signer, roles: tuple[str, ...]) -> bool:
    return not set(roles).isdisjoint(signer.roles)


def are_two(first: Signer, second: Signer | None = None) -> bool:
    if second is None or second.means != "secret":
        return False
    if first.given_by and first.given_by == second.given_by and not (first.vouched or second.vouched):
        return False  # one admin, or the machine's operator, may have chosen both secrets
    return first.id not in (second.id, second.given_by) and first.given_by != second.id


def nothing_moved() -> Map:
    """The answer to what changes no award and no meter."""
    return {"ok": True, "awards": [], "refunds": [], "warn": [], "status": [], "left": []}


def but_for_reason(fields: Map) -> Map:
    """The fields of an act that say which one it is: for another reason it is the same."""
    return {name: value for name, value in fields.items() if name != "reason"}


class Requests:
    """The requests of one bank that wait for a second person."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: dict[int, Request] = {}
        self.asked_for = 0
        self.holds_ms = HOLDS_MS
        self.now_ms = 0  # by the clock of the server that decides

    def sign(
        self,
        kind: str,
        signers: tuple[Signer, ...],
        waited_ms: int = 0,
        shown: Mark | None = None,
        **fields: Any,
    ) -> Map:
        """One act; `asked` is the number of a request that waits now. Refused: {"ok": False, "why": ...}.

        shown: what they were shown that it would do.
        """
        try:
            if kind == "confirm":
                return self.confirm(fields["request"], signers, waited_ms)
            if kind == "reject":
                return self.reject(fields["request"], signers[0])
            self.check_power(kind, signers, fields)
            self.check_mark(shown, kind, fields)
            return self.signed(kind, signers, fields)
        except Refused as refused:
            return {"ok": False, "why": refused.code}

    def preview(self, kind: str, **fields: Any) -> Mark | str:
        """The effect of an act, done by two; or the reason of its refusal."""
        try:
            return self.mark(kind, fields)
        except Refused as refused:
            return refused.code

    def mark(self, kind: str, fields: Map) -> Mark:
        fields, seen = self.whole(kind, fields), self.tried(kind, fields)
        kind, meant = self.meant(kind, fields)
        return Mark(kind, {name: value for name, value in meant.items() if name not in BY_THE_WAY}, seen)

    def check_mark(self, shown: Mark | None, kind: str, fields: Map) -> None:
        if shown is not None and shown != self.mark(kind, fields):
            raise Refused("changed")

    def check_power(self, kind: str, signers: tuple[Signer, ...], fields: Map) -> None:
        roles = self.roles(kind, fields)
        if not all(may(signer, roles) for signer in signers):
            raise Refused("not_allowed")

    def roles(self, kind: str, fields: Map) -> tuple[str, ...]:
        """The roles of which each signer needs one, as things stand."""
        return POWERS[kind]

    def signed(self, kind: str, signers: tuple[Signer, ...], fields: Map) -> Map:
        """An act of authorized signers: done, or asked for."""
        try:
            return self.done(kind, fields, 1 + are_two(*signers))
        except Refused as refused:
            if len(signers) > 1 or refused.code != "two people":
                raise
        fields, seen = self.whole(kind, fields), self.tried(kind, fields)
        (asker,) = signers
        for one in self.requests.values():
            if (one.kind, but_for_reason(one.fields), one.seen) == (kind, but_for_reason(fields), seen):
                raise Refused("asked_already")
        if sum(request.asker == asker.id for request in self.requests.values()) >= OF_ONE:
            raise Refused("too_many")
        self.asked_for += 1
        self.requests[self.asked_for] = Request(
            kind, fields, asker.id, asker.means, seen, self.now_ms, asker.lost
        )
        return nothing_moved() | {"asked": self.asked_for}

    def done(self, kind: str, fields: Map, people: int) -> Map:
        """Does the act, and ends all requests for the same one with the same reason."""
        waiting = {number: self.meant(one.kind, one.fields) for number, one in self.requests.items()}
        same = self.meant(kind, self.whole(kind, fields))
        answer = self.carry_out(kind, fields, people)
        self.requests = {number: self.requests[number] for number in waiting if waiting[number] != same}
        return answer

    def carry_out(self, kind: str, fields: Map, people: int) -> Map:
        told = {name: value for name, value in fields.items() if name != "reason"}
        return dict(getattr(self, f"do_{kind}")(people=people, **told))

    def tried(self, kind: str, fields: Map) -> Any:
        """The act's effect now, if done by two; or their refusal."""
        deepcopy(self).carry_out(kind, fields, 2)

    def whole(self, kind: str, fields: Map) -> Map:
        """The act with all its fields."""
        return fields

    def meant(self, kind: str, fields: Map) -> tuple[str, Map]:
        """The act's normalized key now: equal for two requests for the same act."""
        return kind, fields

    def confirm(self, number: int, signers: tuple[Signer, ...], waited_ms: int) -> Map:
        """signers: who asked, as they are now, and who confirms."""
        if number not in self.requests:
            raise Refused("no_such_request")
        request, asker = self.requests[number], signers[0]
        if (asker.id, asker.means) != (request.asker, request.means) or not are_two(*signers):
            raise Refused("not_allowed")
        self.check_power(request.kind, signers, request.fields)
        if request.asked_ms is None or max(waited_ms, self.now_ms - request.asked_ms) >= self.holds_ms:
            raise Refused("expired")
        if asker.lost != request.lost:
            raise Refused("expired")
        if self.tried(request.kind, request.fields) != request.seen:
            raise Refused("changed")
        return self.done(request.kind, request.fields, 2)

    def reject(self, number: int, signer: Signer) -> Map:
        """Rejects a request; by who asked, or who may ask for the same."""
        if number not in self.requests:
            raise Refused("no_such_request")
        request = self.requests[number]
        if signer.id != request.asker:
            self.check_power(request.kind, (signer,), request.fields)
        del self.requests[number]
        return nothing_moved()

    def take_over(self, now_ms: int) -> None:
        """Another server takes over with its own clock; earlier requests are over."""
        self.now_ms = now_ms
        for request in self.requests.values():
            request.asked_ms = None

    def expire(self, number: int) -> None:
        """Ends a request that nobody confirmed in time."""
        del self.requests[number]


class SignedActs(Requests, Figures):
    """Acts of people who sign, on links, tables and hits."""

    def __init__(self) -> None:
        super().__init__()
        self.reopening: dict[str, Signer] = {}  # by table: who has asked, while nobody has answered

    def take_over(self, now_ms: int) -> None:
        super().take_over(now_ms)
        self.other_clock(now_ms)

    def act(self, kind: str, people: int = 1, shown: Mark | None = None, **fields: Any) -> Map:
        """One act of people who give their names; {"ok": False, "why": ...} where the rules refuse it."""
        try:
            self.check_mark(shown, kind, fields)
            return self.done(kind, fields, people)
        except Refused as refused:
            return {"ok": False, "why": refused.code}

    def roles(self, kind: str, fields: Map) -> tuple[str, ...]:
        """The cage's alone, where a part of it is what the cage pays, or has paid (A8)."""
        of_cage = any(award.pays == CAGE for award in self.of_payment(kind, fields))
        return (CAGE,) if of_cage else super().roles(kind, fields)

    def tried(self, kind: str, fields: Map) -> Any:
        then = deepcopy(self)
        then.carry_out(kind, fields, 2)
        return self.sight(kind, fields, then)

    def whole(self, kind: str, fields: Map) -> Map:
        """New terms are all that there will be, also those that stay."""
        if kind != "change" or fields["link"] not in self.links:
            return fields
        of = {name: fields[name] for name in ("link", "reason") if name in fields}
        terms = {name: value for name, value in fields.items() if name not in of}
        return of | self.whole_terms(self.links[fields["link"]], terms)

    def meant(self, kind: str, fields: Map) -> tuple[str, Map]:
        """An undo of a hit is one of each of its awards that stands."""
        name = fields.get("hit") or str(fields.get("award")).split(".")[0]
        if kind != "undo" or name not in self.hits_made:
            return kind, fields
        awards = [one.id for one in self.hits_made[name].awards if one.status != UNDONE]
        named = [one for one in awards if fields.get("award") in (None, one)]
        return kind, {"awards": named, "reason": fields.get("reason")}

    def signed(self, kind: str, signers: tuple[Signer, ...], fields: Map) -> Map:
        if kind == "agree_to_reopen":
            return self.agree(signers, fields["table"], fields["round"])
        if kind != "reopen" or are_two(*signers):
            return super().signed(kind, signers, fields)
        if len(signers) > 1:
            raise Refused("not_allowed")
        return self.reopen_by(signers[0], fields["table"], fields["round"])

    def reopen_by(self, signer: Signer, table: str, round_: str) -> Map:
        """The first asks; nobody asks after them (T10)."""
        asker = self.reopening.get(table)
        if self.tables[table].asked is not None and asker is not None:
            raise Refused("not_allowed" if asker.id == signer.id else "stale")
        answer = self.do_reopen(table, 1, round=round_)
        self.reopening[table] = signer
        return answer

    def agree(self, signers: tuple[Signer, ...], table: str, round_: str) -> Map:
        """signers: who asked, as they are now, and another, who is a second person to them (T10)."""
        asker = self.reopening.get(table) if self.tables[table].asked is not None else None
        if asker is None or (asker.id, asker.means) != (signers[0].id, signers[0].means):
            raise Refused("stale")
        if asker.lost != signers[0].lost:
            raise Refused("expired")
        if not are_two(*signers):
            raise Refused("not_allowed")
        answer = self.do_reopen(table, 2, round=round_)
        del self.reopening[table]
        return answer

    def awaited(self) -> set[str]:
        fields = [request.fields for request in self.requests.values()]
        return {str(one.get("hit") or one.get("award")).split(".")[0] for one in fields}
