"""Translates frames, acts and draws from the server's terms to the model's."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from jackpot.rules import cards, commands, events
from jackpot.rules.acts.disputes import Dispute, Lift
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.requests import Confirm, Reject
from jackpot.rules.acts.rounds import AgreeToReopen, DecideAbandoned, Decline, Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.acts.triggers import ReplaceTriggers
from jackpot.rules.paytable import LinkTerms
from tests.faults.house import House, LinkPlan, model_level
from tests.faults.site import fields_of

Map = dict[str, Any]

ACTIONS: Final[dict[type, str]] = {
    Validate: "validate",
    Pay: "pay",
    Undo: "undo",
    Correct: "correct",
    Release: "release",
    Strike: "strike",
    VoidRound: "void_round",
    DecideAbandoned: "decide_abandoned",
    Reopen: "reopen",
    AgreeToReopen: "agree_to_reopen",
    Decline: "decline",
    Dispute: "dispute",
    Lift: "lift",
    CorrectMeter: "correct_meter",
    DecideLeft: "decide_left",
    Transfer: "transfer",
    CloseLink: "close_link",
    ChangeLink: "change",
    ReplaceTriggers: "replace_triggers",
    Confirm: "confirm",
    Reject: "reject",
}


class Names:
    """Maps the server's names to the model's. left: the award that waits. disputes: by their entry.

    plans: what people want of links, by the terms that they ask for.
    """

    def __init__(self) -> None:
        self.ours: dict[str, str] = {}
        self.theirs: dict[str, str] = {}
        self.left: dict[str, str] = {}
        self.disputes: dict[int, int] = {}
        self.plans: dict[bytes, LinkPlan] = {}

    def pair(self, ours: str, theirs: str) -> None:
        self.theirs[ours], self.ours[theirs] = theirs, ours

    def change(self, plan: LinkPlan) -> ChangeLink:
        """Asks for a link to be as in this plan."""
        terms = plan.terms()
        self.plans[msgspec.msgpack.encode(terms)] = plan
        return ChangeLink(terms, "new controls")

    def plan_of(self, terms: LinkTerms) -> LinkPlan:
        return self.plans[msgspec.msgpack.encode(terms)]

    def fields(self, command: commands.Command) -> Map:
        """The fields of an act, by the model's names."""
        fields = fields_of(command)
        for key in ("hit", "award"):
            if key in fields:
                fields[key] = self.ours.get(fields[key], fields[key])
        if isinstance(command, CorrectMeter):
            fields |= {"level": model_level(command.level), "micros": fields.pop("amount")}
        elif isinstance(command, DecideLeft):
            fields["award"] = self.left.get(fields.pop("left"), "")
        elif isinstance(command, Transfer | CloseLink):
            fields["levels"] = dict(map(_levels, command.levels))
        elif isinstance(command, ChangeLink):
            plan = self.plan_of(command.terms)
            fields = {"link": plan.link, "reason": command.reason, **plan.change()}
        elif isinstance(command, Lift):
            fields["dispute"] = self.disputes.get(command.dispute, 0)
        return fields


def _levels(pair: str) -> tuple[str, str]:
    """Source and target level of a pair such as "meter=major"."""
    one, _, other = pair.partition("=")
    return model_level(one), model_level(other)


def wire_form(command: commands.Command) -> Map:
    """A frame as the table sent it, without its number; acts in the same form."""
    fields: Map = {"t": type(command).__name__.lower()}
    for key, value in msgspec.json.decode(msgspec.json.encode(command)).items():
        if key == "seq":
            continue
        fields[key] = (
            [bare(one) if isinstance(one, dict) else one for one in value]
            if isinstance(value, list)
            else value
        )
    return bare(fields)


def bare(fields: Map) -> Map:
    return {key: value for key, value in fields.items() if value is not None}


def drawn(event: events.Event, house: House) -> dict[str, Map]:
    """The draws at this lock, by link."""
    locking = getattr(event, "locking", None)
    out: dict[str, Map] = {}
    for draw in locking.draws if locking is not None else ():
        one: Map = {}
        if draw.magic is not None:
            one["magic_card"] = cards.text(draw.magic)
        if draw.lucky is not None:
            one["lucky_box"] = draw.lucky
        out[house.links[draw.link - 1].link] = one
    return out
