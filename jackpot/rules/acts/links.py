"""Opening, suspension and resumption of links (L4, L7, L9, S4, S9)."""

from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from controllers.messages import Id, Links
from jackpot.rules.acts import lost_acks
from jackpot.rules.acts.act import FLOOR_OR_ADMIN, Act, ActContext
from jackpot.rules.acts.fields import Reason
from jackpot.rules.acts.highest_shown import Highest, StatedValue, apply_stated, decide_stated, every_link
from jackpot.rules.acts.lost_acks import BEHIND, AcceptedClaim, decide_believed
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.acts.tables import find_table
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand, Envelope
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.phrases import Fault, Phrase, phrase, quoted
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.undo import new_history
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import BankState, Level, Link
from jackpot.rules.terms import check_link

# What tables and signs are told where people suspend a link, and where an invariant broke.
OPERATOR: Final = "operator"
INTERNAL: Final = Code.INTERNAL.value

# What tables and signs are told of a bank that came back from a backup, until two people resume it (S9).
RESTORED: Final = "restored"

# Reasons for which the server itself stops links: they differ from the configuration, or came from a backup.
CONFIG_REASON: Final = "config"
# Or a trigger of a committed level is not to be had (Y12), or the ledger lacks a commitment that was
# published (Y8).
TRIGGER_REASON: Final = "trigger"
ROLLED_BACK: Final = "rolled_back"
SERVER_SUSPENDS: Final = (CONFIG_REASON, RESTORED, TRIGGER_REASON, ROLLED_BACK)
SERVER_RESUMES: Final = (CONFIG_REASON, TRIGGER_REASON)

# Two people resume what these stopped.
TWO_RESUME: Final = (RESTORED, INTERNAL, TRANSFERRED, ROLLED_BACK)

# A link that opens while its bank is suspended for one of these is suspended, too.
OF_THE_BANK: Final = (lost_acks.BEHIND, RESTORED)


# Maximum of tables whose claims one act accepts: more than a bank has.
TABLES_MAX: Final = 1_000


class OpenLink(ActCommand, tag="open-link", frozen=True):
    terms: LinkTerms


class LinkOpened(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 1
    number: int
    terms: LinkTerms


def decide_open_link(state: BankState, command: OpenLink, _by: ActContext) -> LinkOpened:
    """Opens a link once; its id is taken for ever (L9)."""
    terms = command.terms
    known = any(link.terms.link == terms.link for link in state.links)
    refuse_if(known, "link_open_already", link=terms.link)
    refuse_if(state.bank == SITE, "link_in_people_bank", link=terms.link, bank=SITE)
    refuse_if(terms.bank != state.bank, "link_of_other_bank", link=terms.link, bank=terms.bank)
    try:
        check_link(terms)
    except Fault as fault:
        raise Refusal("link_terms_bad", link=terms.link, fault=fault.phrase) from fault
    return LinkOpened(len(state.links) + 1, terms)


def apply_link_opened(effects: Effects, event: LinkOpened) -> None:
    """Opens a link with its seeds, from the house (L4)."""
    state = effects.state
    name = event.terms.link
    known = name in (link.terms.link for link in state.links)
    invariant(
        event.number == len(state.links) + 1 and not known, f"link {event.number} is no new {quoted(name)}"
    )
    link = Link(event.number, event.terms, [], Accounts())
    state.links.append(link)
    for number, terms in enumerate(event.terms.levels, 1):
        history = new_history(terms, event.terms.wager, floor_to_seed=event.terms.floor_to_seed)
        level = Level(number, terms, Accounts(), history)
        if event.terms.mystery:
            level.mystery = mystery.first_cycle(terms)
        link.levels.append(level)
        effects.meter(link, level).add(history.base)
    for reason in OF_THE_BANK:
        if any(reason in other.suspended for other in state.links):
            effects.suspend(link, reason)
    if state.program.waits:
        effects.suspend(link, PROGRAM_REASON)


class Suspend(ActCommand, tag="suspend", frozen=True):
    """Wagers on the links stop. cause: what the tables are told. links: none for all of the bank.

    reason: why, in people's words; "" where the server itself stops them.
    """

    cause: Annotated[str, Meta(pattern=f"^{OPERATOR}(?!\n)$", description=OPERATOR)]
    links: Links
    reason: Reason


class Suspended(Event, frozen=True, array_like=True):
    """Links take no wagers. cause, reason: as in `Suspend`."""

    kind: ClassVar[int] = 19
    links: list[int]
    cause: str
    people: People = People()
    reason: str = ""


def decide_suspend(state: BankState, command: Suspend, by: ActContext) -> Suspended:
    """Suspends some links, or all; without people where the server itself does."""
    _not_behind(command.cause)
    _not_of_people(by, command.cause)
    return Suspended(chosen(state, command.links), command.cause, by.people, command.reason)


def apply_suspended(effects: Effects, event: Suspended) -> None:
    """Suspends links: they take no wagers."""
    for number in event.links:
        effects.suspend(effects.state.link(number), event.cause)


class Resume(ActCommand, tag="resume", frozen=True):
    """One cause no longer holds the links; the others stay. links, reason: as in `Suspend`.

    believe: the tables, with the number each said, whose lost tail the same act confirms (S9). highest: where
    the ledger has lost rows, of each mystery level the highest value that was shown (Y8).
    """

    cause: Annotated[
        str,
        Meta(
            pattern=f"^({OPERATOR}|{INTERNAL}|{RESTORED}|{TRANSFERRED}|{ROLLED_BACK})(?!\n)$",
            description=f"{OPERATOR}, {INTERNAL}, {RESTORED}, {TRANSFERRED} or {ROLLED_BACK}",
        ),
    ]
    links: Links
    reason: Reason
    believe: Annotated[
        tuple[tuple[Id, int], ...], Meta(max_length=TABLES_MAX, description=f"{TABLES_MAX} tables at most")
    ] = ()
    highest: Highest = ()


class Resumed(Event, frozen=True, array_like=True):
    """A cause of suspension is over.

    cause, reason: as in `Resume`. believed: the tables whose lost tail the same act confirms (S9). stated: up
    to where mystery levels are decided (Y8).
    """

    kind: ClassVar[int] = 20
    links: list[int]
    cause: str
    people: People = People()
    reason: str = ""
    believed: list[AcceptedClaim] = msgspec.field(default_factory=list)
    stated: list[StatedValue] = msgspec.field(default_factory=list)


def decide_resume(state: BankState, command: Resume, by: ActContext) -> Resumed:
    """Removes one cause; an internal fault not while a trigger that it may have shown is not to be had (Y9).

    The server resumes a link itself once its triggers are back: nothing would replace them then.
    """
    _not_behind(command.cause)
    _not_of_people(by, command.cause)
    twice = len({name for name, _ in command.believe}) < len(command.believe)
    refuse_if(twice, "believed_twice")
    believed = [decide_believed(state, find_table(state, name), acked) for name, acked in command.believe]
    links = chosen(state, command.links)
    held = any(command.cause in state.link(number).suspended for number in links)
    refuse_if(not held, "link_not_suspended_for", cause=command.cause)
    for link in map(state.link, links):
        kept = command.cause == INTERNAL and {INTERNAL, TRIGGER_REASON}.issubset(link.suspended)
        refuse_if(kept, "triggers_not_held", link=link.terms.link, cause=TRIGGER_REASON)
    lost = (
        every_link(state)
        if believed
        else [one for one in links if _may_have_lost_rows(state.link(one), command.cause)]
    )
    stated = decide_stated(state, lost, command.highest)
    return Resumed(links, command.cause, by.people, command.reason, believed, stated)


def resumes_after_harm(_state: BankState, command: Resume, _at: int) -> str | Phrase:
    """Why two people resume: something has gone wrong that may go wrong again (S9)."""
    harm = command.cause in TWO_RESUME or bool(command.believe)
    return phrase("why_links_resume", cause=command.cause) if harm else ""


def apply_resumed(effects: Effects, event: Resumed) -> None:
    """Resumes links without another cause; may confirm the tables' claims of lost acks with it (S9)."""
    apply_stated(effects.state, event.stated)
    for number in event.links:
        link = effects.state.link(number)
        lost, shown = _may_have_lost_rows(link, event.cause), _may_be_known(link, event.cause)
        effects.resume(link, event.cause)
        if lost and mystery.is_committed(link):
            effects.resume(link, ROLLED_BACK)
        if (lost or shown) and mystery.is_committed(link):
            mystery.replace_triggers(link)
    for believed in event.believed:
        lost_acks.believe(effects, believed)


def _may_have_lost_rows(link: Link, cause: str) -> bool:
    """Whether it is resumed although the ledger may have lost rows of it (Y8)."""
    lost = (RESTORED, ROLLED_BACK)
    return cause in lost and any(reason in link.suspended for reason in lost)


def _may_be_known(link: Link, cause: str) -> bool:
    """Whether somebody who reads what is written to the ledger may know a running trigger: a row that was
    refused may have opened it (Y9). Where it is not to be had, or rows are lost, that is seen to first.
    """
    waits = (TRIGGER_REASON, ROLLED_BACK, RESTORED)
    return cause == INTERNAL and INTERNAL in link.suspended and not set(waits).intersection(link.suspended)


def _not_behind(cause: str) -> None:
    """Refuses `ledger_behind`: a table begins it, and people end it by confirming what is missing (S9)."""
    refuse_if(cause == BEHIND, "cause_ends_with_lost_acks", cause=BEHIND)


def _not_of_people(by: ActContext, cause: str) -> None:
    """Refuses people's act where the cause is the server's alone."""
    ours = bool(by.people.count()) and cause in (CONFIG_REASON, PROGRAM_REASON, TRIGGER_REASON)
    refuse_if(ours, "cause_of_server", cause=cause)


def chosen(state: BankState, names: tuple[str, ...]) -> list[int]:
    """The links of these names; without a name all that have not ended."""
    numbers = {link.terms.link: link.number for link in state.links if not link.closed}
    ended = {link.terms.link for link in state.links if link.closed}
    for name in names:
        refuse_if(name in ended, "link_has_ended", link=name)
        refuse_if(name not in numbers, "link_not_open", link=name)
    return [numbers[name] for name in names] if names else sorted(numbers.values())


def links_of(state: BankState, envelope: Envelope) -> list[int]:
    """The links that a command is about, by its table, hit or award; none where it names none."""
    command = envelope.command
    name = envelope.table or getattr(command, "table", "")
    tables = [table.links for table in state.tables if table.terms.table == name]
    hit, award = getattr(command, "hit", ""), getattr(command, "award", "")
    hits = [
        [found.link]
        for found in state.hits.values()
        if f"H{found.number}" == hit or any(f"A{one.number}" == award for one in found.awards)
    ]
    return sorted({link for links in tables + hits for link in links})


ACTS: Final = (
    Act(OpenLink, decide_open_link, {LinkOpened: apply_link_opened}),
    Act(
        Suspend,
        decide_suspend,
        {Suspended: apply_suspended},
        asked=True,
        power=FLOOR_OR_ADMIN,
        server=lambda command: command.cause in SERVER_SUSPENDS,
    ),
    Act(
        Resume,
        decide_resume,
        {Resumed: apply_resumed},
        asked=True,
        power=FLOOR_OR_ADMIN,
        needs_two=resumes_after_harm,
        server=lambda command: command.cause in SERVER_RESUMES,
    ),
)
