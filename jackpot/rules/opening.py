"""May this link or table join the bank, this device greet? What the server itself asks of the engine."""

import re
from typing import Final

from jackpot.rules.apply_acts import RESTORED
from jackpot.rules.codes import Code
from jackpot.rules.commands import (
    BlockDevice,
    EndKey,
    OpenBank,
    OpenLink,
    OpenTable,
    Reading,
    Resume,
    Suspend,
)
from jackpot.rules.events import (
    BankOpened,
    DeviceBlocked,
    KeyEnded,
    LinkOpened,
    People,
    ReadingTaken,
    Resumed,
    Suspended,
    TableOpened,
)
from jackpot.rules.hands import makes
from jackpot.rules.paytable import SEATS
from jackpot.rules.refusal import Refusal, quoted, refuse_if, two_people
from jackpot.rules.state import State
from jackpot.rules.terms import check_link, check_table
from jackpot.rules.witness import BEHIND, decide_believed, find_table

# Reasons for which the server itself stops links: they differ from the configuration, or came from a backup.
CONFIG_REASON: Final = "config"
SERVER_SUSPENDS: Final = (CONFIG_REASON, RESTORED)
SERVER_RESUMES: Final = (CONFIG_REASON,)

# How a gaming day is written: its readings are in the order of their texts.
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

# Two people resume what these stopped.
TWO_RESUME: Final = (RESTORED, "internal")

# A welcome tells all of a table's links, its round and its last answer in one frame of 65,536 bytes.
TABLE_LINKS_MOST = 8


def decide_open_bank(state: State, command: OpenBank, people: People) -> BankOpened:
    """A bank opens once, before anything else (S3)."""
    refuse_if(state.seq > 0, Code.NOT_EMPTY, f"bank {state.bank} has entries already")
    refuse_if(not command.site, Code.NO_SITE, "site: a ledger is one site's")
    return BankOpened(command.site, people)


def decide_open_link(state: State, command: OpenLink) -> LinkOpened:
    """A link opens once; its terms are fixed for ever (L9)."""
    terms = command.terms
    known = any(link.terms.link == terms.link for link in state.links)
    refuse_if(known, Code.LINK_EXISTS, f"link {terms.link} is open already")
    refuse_if(terms.bank != state.bank, Code.OTHER_BANK, f"link {terms.link} is of bank {terms.bank}")
    try:
        check_link(terms)
    except ValueError as error:
        raise Refusal(Code.BAD_TERMS, f"link {terms.link}: {error}") from error
    return LinkOpened(len(state.links) + 1, terms)


def decide_open_table(state: State, command: OpenTable) -> TableOpened:
    """A table joins, or changes its terms between rounds (L1, L2, L11)."""
    terms = command.terms
    links = {link.terms.link: link for link in state.links}
    for name in terms.links:
        refuse_if(name not in links, Code.UNKNOWN_LINK, f"table {terms.table}: link {name} is not open")
        kind = links[name].terms.hand_kind
        wrong = not makes(kind, terms.game)
        refuse_if(wrong, Code.WRONG_GAME, f"table {terms.table}: {terms.game} cannot play link {name} (L1)")
    twice = len(set(terms.links)) < len(terms.links)
    refuse_if(not terms.links or twice, Code.NO_LINKS, f"table {terms.table}: no link, or one twice")
    many = len(terms.links) > TABLE_LINKS_MOST
    refuse_if(many, Code.TOO_MANY_LINKS, f"table {terms.table}: {TABLE_LINKS_MOST} links at most")
    most = SEATS[terms.game]
    wrong = not 1 <= terms.seats <= most
    refuse_if(wrong, Code.TOO_MANY_SEATS, f"table {terms.table}: {most} seats at most (L11)")
    try:
        check_table(terms)
    except ValueError as error:
        raise Refusal(Code.BAD_TERMS, f"table {terms.table}: {error}") from error
    for table in state.tables:
        if table.terms.table == terms.table:
            busy = table.unfinished() is not None
            refuse_if(busy, Code.ROUND_UNFINISHED, f"table {terms.table} has an unfinished round")
            refuse_if(table.terms == terms, Code.UNCHANGED, f"table {terms.table} has these terms already")
            return TableOpened(table.number, terms)
    return TableOpened(len(state.tables) + 1, terms)


def decide_suspend(state: State, command: Suspend, people: People) -> Suspended:
    """Stop wagers on some links, or all; people: none if the server itself stops them."""
    _not_behind(command.reason)
    _stands(people, command.reason, SERVER_SUSPENDS)
    return Suspended(_links(state, command.links), command.reason, people, command.note)


def decide_resume(state: State, command: Resume, people: People) -> Resumed:
    """Take one reason away; two people, where something has gone wrong that may go wrong again (S9)."""
    _not_behind(command.reason)
    if command.reason in TWO_RESUME or command.believe:
        two_people(people, f"links resume after {quoted(command.reason)}")
    _stands(people, command.reason, SERVER_RESUMES)
    twice = len({name for name, _ in command.believe}) < len(command.believe)
    refuse_if(twice, Code.TWICE, "believe: a table is named twice")
    believed = [decide_believed(state, find_table(state, name), acked) for name, acked in command.believe]
    links = _links(state, command.links)
    held = any(command.reason in state.link(number).suspended for number in links)
    refuse_if(not held, Code.NOT_SUSPENDED, f"not suspended for {quoted(command.reason)}")
    return Resumed(links, command.reason, people, command.note, believed)


def decide_reading(state: State, command: Reading) -> ReadingTaken:
    """Every meter, once a gaming day (S2)."""
    refuse_if(
        not _DAY.fullmatch(command.day),
        Code.BAD_REQUEST,
        f"day: {quoted(command.day)} is not like 2026-11-20",
    )
    refuse_if(command.day <= state.last_day, Code.READ_ALREADY, f"gaming day {command.day} is read already")
    meters = [
        (
            link.number,
            level.number,
            level.accounts.primary,
            level.accounts.reserve,
            level.accounts.overflow,
            level.wagers,
            level.hits,
        )
        for link in state.links
        for level in link.levels
    ]
    return ReadingTaken(command.day, meters)


def decide_block(state: State, command: BlockDevice) -> DeviceBlocked:
    """No more hellos from a device that is in two places."""
    blocked = (command.role, command.device) in state.blocked
    refuse_if(blocked, Code.BLOCKED_ALREADY, f"{command.role} {command.device} is blocked already")
    return DeviceBlocked(command.role, command.device)


def decide_end_key(_state: State, command: EndKey, people: People) -> KeyEnded:
    """The old key of a rotation has ended, or people revoke one."""
    return KeyEnded(command.role, command.device, command.fingerprint, people)


def _not_behind(reason: str) -> None:
    """Refuse `ledger_behind`: a table begins it, and people end it by confirming what is missing (S9)."""
    refuse_if(
        reason == BEHIND, Code.RESERVED, f"reason: {BEHIND} ends where a table's lost tail is confirmed"
    )


def _stands(people: People, reason: str, own: tuple[str, ...]) -> None:
    """Refuse an act that nobody stands for, and people's where the reason is the server's alone."""
    refuse_if(not people.count() and reason not in own, Code.NO_PERSON, "by: someone must stand for this act")
    refuse_if(
        bool(people.count()) and reason == CONFIG_REASON, Code.RESERVED, f"reason: {reason} is the server's"
    )


def _links(state: State, names: tuple[str, ...]) -> list[int]:
    numbers = {link.terms.link: link.number for link in state.links}
    for name in names:
        if name not in numbers:
            raise Refusal(Code.UNKNOWN_LINK, f"link {quoted(name)} is not open")
    return [numbers[name] for name in names] if names else sorted(numbers.values())
