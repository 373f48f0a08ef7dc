"""Preview of an act that takes two people: the sums that it would move, and what they depend on.

The second person confirms what the first one saw. Wagers raise a meter all the time; where anything else
moved it since, or the act would move other sums, or of other awards, it is refused and asked for again (L8).
"""

from hashlib import sha256
from typing import Final

import msgspec

from jackpot.rules.acts.ends import EndGiven, changes_if_now
from jackpot.rules.acts.meters import LeftDecided, LinkClosed, MeterCorrected, Transferred, comes_to
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.requests import request_id
from jackpot.rules.events import Event, LevelChange, Recomputed
from jackpot.rules.meter import Accounts
from jackpot.rules.phrases import phrase
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.state import ApprovalRequest, BankState, SeenLevel, SeenPreview

# Size of a preview's hash: nobody finds another preview with the same.
MARK_BYTES: Final = 16
# Fields that go into the hash: another act may move the same sums. A reason is not among them.
_ABOUT: Final = (
    "link", "links", "level", "account", "amount", "to", "left", "remove", "terms",
    "hit", "awards", "award", "table", "round", "bet", "number", "seat", "digest", "day", "levels", "notice",
)  # fmt: skip
# Acts on meters, which depend on the balance.
_ON_METERS: Final = (MeterCorrected, LeftDecided, Transferred, LinkClosed)


def _moves(state: BankState, event: Event) -> list[LevelChange]:
    """The changes that an event would make now, by level."""
    match event:
        case MeterCorrected():
            change = Accounts(corrections=-event.amount)
            setattr(change, event.account, event.amount)
            return [LevelChange(event.link, event.level, change)]
        case LeftDecided():
            change = Accounts(primary=-event.amount, corrections=event.amount)
            return [LevelChange(event.link, event.level, change)] if event.remove else []
        case Transferred() | LinkClosed():
            return [LevelChange(one.link, one.level, comes_to(state, one)) for one in event.changes]
    return recomputed_of(event).changes


def recomputed_of(event: Event) -> Recomputed:
    """The event's recomputation (A11); nothing where none is made."""
    return getattr(event, "recomputed", None) or Recomputed([])


def _limits(state: BankState, event: Event) -> list[int | None]:
    """The limits of the levels that would receive a link's money: what is above goes to overflow (L7)."""
    if not isinstance(event, Transferred | LinkClosed):
        return []
    return [
        state.link(one.link).levels[one.level - 1].terms.limit
        for one in event.changes
        if one.link == event.to
    ]


def preview_of(state: BankState, event: Event) -> SeenPreview:
    """The preview of an act that would come to this event now."""
    levels = [
        SeenLevel(one.link, one.level, _accounts(state, one.link, one.level).copy(), one.change)
        for one in _moves(state, event)
        if any(one.change.values())
    ]
    terms = event.before if isinstance(event, LinkChanged) else None
    left = event.amount if isinstance(event, LeftDecided) else 0
    recomputed = recomputed_of(event)
    raised = sorted(award for award, _ in recomputed.raised)
    leaving = sorted({made.award for made in recomputed.left})
    return SeenPreview(levels, terms, left, _limits(state, event), raised, leaving)


def would_move(state: BankState, event: Event) -> SeenPreview | None:
    """What an announced end would move if it came now, for people to look at; None of any other event.

    Nobody confirms these sums: wagers, and hits, change them until the day.
    """
    moves = [LevelChange(one.link, one.level, comes_to(state, one)) for one in changes_if_now(state, event)]
    levels = [
        SeenLevel(one.link, one.level, _accounts(state, one.link, one.level).copy(), one.change)
        for one in moves
        if any(one.change.values())
    ]
    return SeenPreview(levels) if isinstance(event, EndGiven) else None


def _accounts(state: BankState, link: int, level: int) -> Accounts:
    """A level's accounts; level 0: those of awards that no meter pays."""
    found = state.link(link)
    return found.levels[level - 1].accounts if level else found.outside


def check_seen(state: BankState, request: ApprovalRequest, now: SeenPreview, event: Event) -> None:
    """Refuses a confirmation where the preview has changed since. now: of the act's event."""
    change = _changed(request.seen, now, on_meters=isinstance(event, _ON_METERS))
    if change is not None:
        raise Refusal("request_changed", request=request_id(state, request.id), what=phrase(change))


def mark_of(sight: SeenPreview, event: Event) -> bytes:
    """Hash of an event's preview and of what it depends on, except for what wagers alone move; 16 bytes."""
    held = [_held(one) for one in sight.levels] if isinstance(event, _ON_METERS) else []
    awards = sight.raised, sight.leaving
    about = event.kind, *(getattr(event, name, None) for name in _ABOUT)
    facts = about, [_sums(one) for one in sight.levels], held, sight.terms, sight.left, sight.limits, awards
    return sha256(msgspec.msgpack.encode(facts)).digest()[:MARK_BYTES]


def check_shown(now: SeenPreview, event: Event, shown: bytes) -> None:
    """Refuses a request, or a confirmation, whose effect differs from the preview that people were shown."""
    other = bool(shown) and shown != mark_of(now, event)
    refuse_if(other, "shown_otherwise")


def _changed(seen_before: SeenPreview, now: SeenPreview, *, on_meters: bool) -> str | None:
    """The template of what differs from the preview; None where nothing that matters does."""
    if seen_before.terms != now.terms:
        return "changed_terms"
    if [_sums(one) for one in seen_before.levels] != [_sums(one) for one in now.levels]:
        return "changed_sums"
    if seen_before.left != now.left:
        return "changed_left"
    if seen_before.limits != now.limits:
        return "changed_limits"
    if seen_before.raised != now.raised:
        return "changed_raised"
    if seen_before.leaving != now.leaving:
        return "changed_leaving"
    if on_meters and [_held(one) for one in seen_before.levels] != [_held(one) for one in now.levels]:
        return "changed_meter"
    return None


def _sums(seen_level: SeenLevel) -> tuple[int, ...]:
    """What a level would give or take in all; which accounts do may depend on later wagers."""
    return (
        seen_level.link,
        seen_level.level,
        seen_level.change.awards,
        seen_level.change.corrections,
        seen_level.change.transfers,
    )


def _held(seen_level: SeenLevel) -> tuple[int, ...]:
    """The balance of a level, without what wagers alone move."""
    return (
        seen_level.held.house,
        seen_level.held.awards,
        seen_level.held.corrections,
        seen_level.held.transfers,
    )
