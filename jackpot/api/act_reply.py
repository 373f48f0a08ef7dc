"""Replies to people's acts: what was done, or a problem (RFC 9457) that says why it was refused."""

from typing import Any, Literal

import msgspec

from jackpot.api.operation import Money, Reply
from jackpot.api.queries.hits import Award, award_of
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.outcome import ActAnswer


class Refund(Reply, frozen=True):
    seat: int
    link: str
    on: Literal["own", "dealer"]
    amount: Money
    pays: Literal["cage", "inventory", "account", "layout"]


class ActReply(Reply, frozen=True, omit_defaults=True):
    """An act is done, and durable. left: by how much paid awards would be higher now (A11).

    difference: journalled against a paid award (A10). asked: it waits for a second person, who confirms
    `request`, if that is one. person: who was added, by number. suspended: the links that still take no
    wagers after a resumption, with why and what is next.
    """

    hit: str = ""
    awards: tuple[Award, ...] = ()
    warn: tuple[str, ...] = ()
    refunds: tuple[Refund, ...] = ()
    left: dict[str, Money] = msgspec.field(default_factory=dict)
    difference: Money | None = None
    asked: bool = False
    request: str = ""
    person: int = 0
    suspended: dict[str, str] = msgspec.field(default_factory=dict)


class Problem(Reply, frozen=True, omit_defaults=True):
    """A refusal (RFC 9457). code: what `type` says. template: the id of the sentence where it is one
    of the rules'; a program looks at this, for a text may be reworded. values: what varies in the sentence,
    by name. field: which field is wrong. next: what to do.

    hits: what stands in the way. bank, server: who has the bank, where this server has not.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    template: str | None = None
    values: dict[str, int | str] = msgspec.field(default_factory=dict)
    field: str | None = None
    next: str = ""
    hits: tuple[str, ...] = ()
    bank: str | None = None
    server: str | None = None


def reply_to(answer: ActAnswer) -> ActReply:
    """Builds the reply to an act."""
    facts: dict[str, Any] = msgspec.to_builtins(answer)
    refunds = (
        {**refund, "amount": decimal(from_cents(refund["amount"]))} for refund in facts.get("refunds", ())
    )
    left = {award: decimal(from_cents(more)) for award, more in (answer.left or {}).items()}
    return ActReply(
        hit=answer.hit,
        awards=tuple(
            award_of({**award, "difference": answer.differences.get(award["award"], 0)})
            for award in facts.get("awards", ())
        ),
        warn=answer.warn,
        refunds=tuple(Refund(**refund) for refund in refunds),
        left=left,
        difference=None if answer.difference is None else decimal(from_cents(answer.difference)),
        asked=answer.asked,
        request=answer.request,
        person=answer.person,
    )
