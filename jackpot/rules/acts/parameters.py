"""Changes of a link's parameters: at rest, by two people, journalled with the old ones (L9)."""

from typing import ClassVar, Final

from jackpot.rules.acts.act import ADMIN, Act, ActContext
from jackpot.rules.acts.fields import Reason
from jackpot.rules.acts.meters import at_rest, find_open
from jackpot.rules.acts.notices import check_link_terms, forget_done
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.paytable import Fixed, LinkTerms
from jackpot.rules.phrases import Fault
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.undo import LevelPoint, PlayedTerms
from jackpot.rules.signing import People
from jackpot.rules.state import BankState, Link
from jackpot.rules.terms import check_link

# What a link is: its paytable, its wager and its game. The prize of a draw follows from whether it has one.
FIXED: Final = (
    "bank", "paytable", "wager", "hand_kind", "rows", "electronic", "dealer_hand", "always_validate_for",
    "placed", "fold", "cards", "form",
)  # fmt: skip
# The least amount of a wager that the player chooses (B12): not what the link is. A paytable in dollars is
# for one wager alone (B3).
CHOSEN: Final = "wager"


class ChangeLink(ActCommand, tag="change-link", frozen=True):
    """A link at rest plays on other terms from now on; two people. A server takes its own configuration's."""

    terms: LinkTerms
    reason: Reason


class LinkChanged(Event, frozen=True, array_like=True):
    """A link's terms were changed. before, terms: the old ones and the new ones, whole."""

    kind: ClassVar[int] = 84
    link: int
    before: LinkTerms
    terms: LinkTerms
    reason: str
    people: People


def decide_change_link(state: BankState, command: ChangeLink, by: ActContext) -> LinkChanged:
    """Changes any parameter but what defines the link; a limit is not below the meter (L7)."""
    terms = command.terms
    link = find_open(state, "link", terms.link)
    check_fixed(link.terms, terms)
    at_rest(state, link)
    refuse_if(link.terms == terms, "link_terms_unchanged", link=terms.link)
    try:
        check_link(terms, opens=False)
    except Fault as fault:
        raise Refusal("link_terms_bad", link=terms.link, fault=fault.phrase) from fault
    _check_limits(link, terms)
    check_link_terms(state, link, terms, by.at)
    return LinkChanged(link.number, link.terms, terms, command.reason, by.people)


def check_fixed(old: LinkTerms, terms: LinkTerms) -> None:
    """Refuses a change of what defines the link; refused as `fixed`."""
    chosen = old.most > 0 and not any(isinstance(row.pays, Fixed) for row in old.rows)
    fixed = [field for field in FIXED if field != CHOSEN or not chosen]
    changed = [field for field in fixed if getattr(old, field) != getattr(terms, field)]
    changed += [] if same_levels(old, terms) else ["levels"]
    refuse_if(bool(changed), "link_terms_fixed", fields=changed, link=old.link)


def same_levels(old: LinkTerms, terms: LinkTerms) -> bool:
    """Whether two terms have the same levels."""
    return [level.level for level in old.levels] == [level.level for level in terms.levels]


def apply_link_changed(effects: Effects, event: LinkChanged) -> None:
    """Sets the new terms; an earlier round, if it is reopened, keeps the old ones.

    The running cycle of a mystery level keeps the old ones, too (Y11).
    """
    link = effects.state.link(event.link)
    invariant(link.terms == event.before, f"link {link.terms.link} was played on other terms than before")
    for table in effects.state.tables:
        if table.closed is not None and link.number in table.closed.links():
            table.closed.terms.setdefault(link.number, event.before)
    link.terms = event.terms
    for level, terms in zip(link.levels, event.terms.levels, strict=True):
        level.terms = terms
        if level.mystery is not None:
            continue
        played = PlayedTerms(terms, event.terms.floor_to_seed)
        level.history.points.append(LevelPoint((effects.seq, 0), level.wagers, played=played))
    forget_done(effects)


def _check_limits(link: Link, terms: LinkTerms) -> None:
    for level, new in zip(link.levels, terms.levels, strict=True):
        primary = level.accounts.primary
        below = new.limit is not None and new.limit < primary
        refuse_if(below, "limit_below_meter", level=new.level, held=primary)
        if level.mystery is not None:
            # What the winning wager lifts the meter above its highest sum goes on in the next cycle (Y1).
            residue = mystery.contribution_of(level.mystery.terms, link.terms.wager)
            early = new.reseed + residue >= mystery.must_hit_sum(new)
            refuse_if(early, "mystery_starts_too_high", level=new.level)


ACTS: Final = (
    Act(
        ChangeLink,
        decide_change_link,
        {LinkChanged: apply_link_changed},
        power=ADMIN,
        needs_two="why_parameters_change",
    ),
)
