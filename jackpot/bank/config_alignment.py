"""Aligns configuration and ledger before a link starts (S3, L9).

If the two differ the journal prevails, and the link is suspended.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import structlog

from jackpot.bank.bank import Bank
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.bank.signed_head_check import check_signed, tell_unproved
from jackpot.config import Config, differences
from jackpot.config.writing import writing
from jackpot.ledger import takeovers
from jackpot.ledger.banks import (
    FIRST_EPOCH,
    UNFINISHED_COPY,
    has_ended,
    open_banks,
    site_of,
    unbegun,
    unbegun_message,
)
from jackpot.ledger.connect import without_password
from jackpot.ledger.joined_banks import broken_beginning
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to
from jackpot.ledger.store import DataRefused, LedgerCorrupt, LedgerUnusable, Store
from jackpot.reports.read.gaming_days import day_ended
from jackpot.rules import views
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.links import CONFIG_REASON, ROLLED_BACK, TRIGGER_REASON, OpenLink, Resume, Suspend
from jackpot.rules.acts.notices import announced_end, check_link_terms, check_table_terms
from jackpot.rules.acts.parameters import same_levels
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.acts.triggers import due
from jackpot.rules.codes import Code
from jackpot.rules.commands import Command
from jackpot.rules.engine import Engine
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.refusal import Refusal
from jackpot.rules.rounds import mystery
from jackpot.rules.signing import SITE
from jackpot.rules.state import CLOSED, ENDED, BankState

# A bank counts as new for a day: `jackpot users init` opens it, and the server is started soon afterwards.
NEW_MS: Final = 24 * 60 * 60 * 1_000
# What to do about a link that opens in a bank that was there before.
NOT_THERE: Final = (
    "if the link is new, nothing; if it ever had a meter, stop the server: the ledger has lost it, and "
    "jackpot verify --config looks for what else is missing"
)

# What to do about a head or takeovers that somebody changed. A start goes on: the next epoch fences any other
# writer, and each row is judged by itself.
BY_HAND: Final = (
    "find out who writes to the database by hand; jackpot verify names it until the ledger is copied into a "
    "new one (jackpot ledger copy), which begins its takeovers anew"
)

# What to do about a configured end that was not announced (P2).
ANNOUNCE: Final = (
    "two people announce it on the link's page, or by jackpot links announce-end {link} {day} --to LINK "
    "--reason TEXT"
)
OTHER_DAY: Final = (
    "write the announced day, and start again; or two people withdraw the notice, and announce {day}"
)
TOO_NEAR: Final = "write a later day, start again, and announce it"

# What to do about terms that were not announced, or for a later day.
PUT_BACK: Final = "until then put the configuration back as it was, and start again"

# Which triggers are missing changes only when the ledger is read again; meanwhile their closes wait.
LOOK_EVERY_S: Final = 1.0

log: Final = structlog.get_logger()


class OtherSite(LedgerUnusable):
    """The ledger is not that of the configuration's site."""


class AlignedBank(NamedTuple):
    """Differences between configuration and ledger at a start.

    missing, left_out: what `missing_banks` and `left_out_banks` find.

    proved: for each bank that has a signed head, the newest row that one proves.
    """

    missing: dict[str, str]
    left_out: list[str]
    proved: dict[str, int]


async def open_books(store: Store, config: Config, unix_ms: int) -> AlignedBank:
    """Opens every bank of the configuration if the ledger is empty; otherwise finds the differences.

    Raises LedgerCorrupt where its schema is not that of the migrations, a bank does not begin as one does, or
    the ledger is not the one whose heads were signed; OtherSite where it is another site's.
    """
    proved = await check_books(store, config)
    await store.run(lambda ledger: tell_unproved(ledger, config, proved))
    if await open_configured(store, config, unix_ms):
        url, site = without_password(config.ledger.url), config.site.first_id
        log.warning(
            "banks_opened", url=url, site=site, banks=(*config.banks, SITE), seeds=seeds(config, config.links)
        )
    missing, left_out = await store.run(lambda ledger: _compared(ledger, config))
    return AlignedBank(missing, left_out, proved)


async def check_books(store: Store, config: Config) -> dict[str, int]:
    """Checks the schema, and the ledger against its signed heads. Returns `AlignedBank.proved`.

    Runs before anything is written; otherwise a lost ledger would begin again at its seeds. Raises
    LedgerCorrupt.
    """
    found = await store.run(Reader.schema)
    for warning in found.warnings:
        log.warning("ledger_warning", warning=warning)
    if found.refusal:
        raise LedgerCorrupt(found.refusal)
    for problem in await store.run(_edited_heads):
        log.error("takeovers_differ", problem=problem, do=BY_HAND)
    return await store.run(lambda ledger: check_signed(ledger, config))


def _edited_heads(ledger: Reader) -> list[str]:
    """Problems: heads that somebody edited by hand. They are warnings only, since no row is decided by a
    head.
    """
    return [problem for bank in ledger.banks() for problem in takeovers.differences(ledger, bank)]


async def open_configured(store: Store, config: Config, unix_ms: int) -> bool:
    """Opens every bank of the configuration in one transaction if the ledger is empty (S3). Returns whether
    it did.
    """
    if await store.run(Reader.banks):
        return False
    try:
        await open_banks(store, (*config.banks, SITE), config.site.first_id, unix_ms)
    except DataRefused:
        log.info("banks_opened_by_another")
        return False
    return True


def _compared(ledger: Reader, config: Config) -> tuple[dict[str, str], list[str]]:
    site = check_site(ledger, config)
    for bank in ledger.banks():
        if problems := broken_beginning(ledger, bank):
            raise LedgerCorrupt("; ".join(problems))
    if site and site != config.site.first_id:
        log.warning("site_renamed", site=site, name=config.site.name)
    left_out = left_out_banks(ledger, config)
    for bank in left_out:
        log.warning("bank_not_configured", bank=bank, reason=left_out_message(bank))
    return missing_banks(ledger, config), left_out


def seeds(config: Config, links: Iterable[LinkTerms]) -> dict[str, str]:
    """Seed of each level of these links, by link and level."""
    sums = writing(config.site.locale, config.site.currency)
    return {
        f"{link.link}.{level.level}": sums.text(to_cents(level.seed))
        for link in links
        for level in link.levels
    }


def missing_banks(ledger: Reader, config: Config) -> dict[str, str]:
    """Banks of the configuration that the ledger lacks or has without a row, each with a message.

    Where all links of such a bank lie in other banks, the configuration is at fault, and the message says so.
    So does that about a bank which a broken-off join is to begin.
    """
    there = [bank for bank in ledger.banks() if ledger.head(bank).seq]
    missing = [bank for bank in (*config.banks, SITE) if bank not in there]
    misplaced: dict[str, str] = {}
    if missing:
        with suppress(LedgerCorrupt):  # of another bank, which does not start: it says so itself
            misplaced = misplaced_links(ledger, config)
    waiting = unbegun(ledger)
    return {
        bank: unbegun_message(bank, waiting[bank])
        if bank in waiting
        else _missing_message(bank, config, misplaced)
        for bank in missing
    }


def _missing_message(bank: str, config: Config, misplaced: Mapping[str, str]) -> str:
    links = [terms.link for terms in config.links if terms.bank == bank]
    if links and all(link in misplaced for link in links):
        return "; ".join(misplaced_message(link, misplaced[link], bank) for link in links)
    return (
        f"bank {bank} is not in the ledger, or has no row there: if it is new, jackpot bank open {bank} "
        "opens it; if it ever had a meter, the ledger has lost it"
    )


def left_out_banks(ledger: Reader, config: Config) -> list[str]:
    """The banks that are open in the ledger, and of which the configuration has no link."""
    known = (*config.banks, SITE)
    return [bank for bank in ledger.banks() if bank not in known and not has_ended(ledger, bank)]


def left_out_message(bank: str) -> str:
    """Message about a bank that the configuration left out."""
    return (
        f"bank {bank} is open in the ledger, and no link of the configuration lies in it: its links "
        "are closed, and what their meters hold waits"
    )


def check_site(ledger: Reader, config: Config) -> str:
    """The id of the site whose ledger it is; "" where no bank of it says so.

    Raises OtherSite where that is not the configuration's site, LedgerCorrupt where a bank cannot be read.
    """
    wanted = config.site.id
    for bank in _finished_banks(ledger):
        site = site_of(ledger, bank)
        if wanted and site != wanted:
            raise OtherSite(
                f'{without_password(config.ledger.url)} is the ledger of site "{site}", the configuration is '
                f'of site "{wanted}" ([site] id)'
            )
        wanted = site
    if wanted and wanted != config.site.first_id:
        _check_renamed(ledger, config, wanted)
    return wanted


def _finished_banks(ledger: Reader) -> list[str]:
    """Banks whose first entry names their site. One without a row, or from an unfinished copy, has none."""
    heads = [ledger.head(bank) for bank in ledger.banks()]
    return [head.bank for head in heads if head.seq and head.holder != UNFINISHED_COPY]


def _check_renamed(ledger: Reader, config: Config, site: str) -> None:
    """Accepts a renamed site, unless the configuration has no link in common with the ledger.

    Raises OtherSite.
    """
    known = {link for links in links_by_bank(ledger, _finished_banks(ledger)).values() for link in links}
    if known and not any(terms.link in known for terms in config.links):
        raise OtherSite(
            f'the ledger is of site "{site}", the configuration of "{config.site.name}", and they have no '
            f'link in common; if it is the same site, write id = "{site}" under [site]'
        )


async def align(bank: Bank, config: Config, store: Store, unix_ms: int) -> None:
    """Opens what the configuration adds; suspends what it would change (L9).

    unix_ms: the time now. A link that lies in another bank of the ledger is not opened a second
    time at new seeds: it waits until the configuration is corrected, or the banks are joined. Idempotent.
    Raises BankStopped, LedgerError.
    """
    known = await bank.ask(_terms)
    ours = [terms for terms in config.links if terms.bank == bank.name]
    elsewhere, new = {}, False
    if any(terms.link not in known for terms in ours):
        elsewhere = await store.run(lambda ledger: misplaced_links(ledger, config, bank.name))
        new = await _is_new(bank.name, store, unix_ms)
    for terms in ours:
        if terms.link in known:
            journal, suspended = known[terms.link]
            own = config.completed(terms, journal)
            early = await bank.ask(_early(own, unix_ms))
            await _agree_link(bank, own, journal, suspended, early)
        elif (name := elsewhere.get(terms.link)) is not None:
            log.error(
                "link_in_other_bank",
                link=terms.link,
                bank=name,
                configured=bank.name,
                do=_move_hint(name),
            )
        else:
            _tell_opening(terms, config, new=new)
            await _perform(bank, OpenLink(terms))
    await suspend_unannounced(bank, config, unix_ms)
    await resume_aligned(bank, config)
    for link in known.keys() - {terms.link for terms in config.links}:
        if CLOSED not in known[link][1]:
            log.warning("link_not_configured", bank=bank.name, link=link)
    await _agree_tables(bank, config)


async def _agree_link(
    bank: Bank, terms: LinkTerms, journal: LinkTerms, suspended: list[str], early: str | None
) -> None:
    """Suspends an open link whose terms differ between configuration and journal. early: as `too_early`."""
    if CLOSED in suspended:
        log.warning("link_closed", bank=bank.name, link=terms.link, do=closed_message(terms.link))
    elif differ := differences(journal, terms):
        do = {} if early is None else {"do": early}
        log.error("config_differs", bank=bank.name, link=terms.link, differences=differ, **do)
        if CONFIG_REASON not in suspended:
            await _perform(bank, Suspend(CONFIG_REASON, (terms.link,), ""))


async def suspend_unannounced(bank: Bank, config: Config, unix_ms: int) -> None:
    """Suspends links whose configured end is not announced, or no longer (P2). Raises BankStopped.

    unix_ms: now.
    """
    for end in await bank.ask(lambda engine: list(unannounced(engine.state, config, unix_ms))):
        log.error("end_not_announced", bank=bank.name, link=end.link, day=end.day, reason=end.why, do=end.do)
        if not end.suspended:
            await _perform(bank, Suspend(CONFIG_REASON, (end.link,), ""))


async def resume_aligned(bank: Bank, config: Config) -> None:
    """Resumes links that were suspended for a difference, now that the journal has the configured terms
    (L9), and the configured end is announced (P2).
    """
    known = await bank.ask(_terms)
    endless = {one.link for one in await bank.ask(lambda engine: list(unannounced(engine.state, config)))}
    for terms in config.links:
        journal, suspended = known.get(terms.link, (None, []))
        if journal is None:
            continue
        as_configured = journal == config.completed(terms, journal) and terms.link not in endless
        if as_configured and CONFIG_REASON in suspended and CLOSED not in suspended:
            await _perform(bank, Resume(CONFIG_REASON, (terms.link,), ""))


class Unannounced(NamedTuple):
    """A link that is configured to end with a day that was not announced. suspended: for a difference."""

    link: str
    day: str
    why: str
    do: str
    suspended: bool


def unannounced(state: BankState, config: Config, at: int = 0) -> Iterator[Unannounced]:
    """The open links whose configured end nobody announced, or for another day (P2): they take no wagers.

    at: the time now, in unix milliseconds; a day that is too near for its notice is told.
    """
    for link in state.links:
        name = link.terms.link
        if (day := config.ends.get(name)) is None or link.closed or ENDED in link.suspended:
            continue
        notice = announced_end(state, link)
        if notice is not None and notice.day == day:
            continue
        days = link.terms.notice_days
        if notice is not None:
            why, do = (
                f"N{notice.number} announced that it ends with {notice.day}, and not with {day}",
                OTHER_DAY,
            )
        elif day_ended(day, config.site) - at <= days * DAY_MS:
            why = f"nobody announced that it ends with {day}, and that is too near: {days} days are needed"
            do = TOO_NEAR
        else:
            why, do = f"nobody announced that it ends with {day}", ANNOUNCE
        yield Unannounced(name, day, why, do.format(link=name, day=day), CONFIG_REASON in link.suspended)


async def align_triggers(bank: Bank) -> None:
    """Suspends links whose triggers are not to be had, and resumes them once they are (Y12); two people
    resume one whose ledger was rolled back (Y8).

    The log says which file is missing, or wrong, and what to do. Raises BankStopped.
    """
    found = await bank.ask(lambda engine: list(_level_faults(bank.triggers, engine.state)))
    for trouble in found:
        log.error(
            "trigger_missing", bank=bank.name, link=trouble.link, level=trouble.level, reason=trouble.reason
        )
    # Of a link with both the harder one, which people resume.
    wrong = {one.link: one.cause for one in sorted(found, key=lambda one: one.cause == ROLLED_BACK)}
    for link, (terms, suspended) in (await bank.ask(_terms)).items():
        if terms.form != "committed" or CLOSED in suspended:
            continue
        cause = wrong.get(link)
        if cause is not None and cause not in suspended:
            await _perform(bank, Suspend(cause, (link,), ""))
        if cause != TRIGGER_REASON and TRIGGER_REASON in suspended:
            await _perform(bank, Resume(TRIGGER_REASON, (link,), ""))


async def watch_triggers(bank: Bank) -> None:
    """Aligns the links whenever other triggers are missing, as after a doubt. Raises BankStopped."""
    known = dict(bank.triggers.troubles())
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if (now := dict(bank.triggers.troubles())) != known:
            await align_triggers(bank)
            known = now


class _LevelFault(NamedTuple):
    """Why nothing can be decided on a level. cause: of its link's suspension."""

    link: str
    level: str
    cause: str
    reason: str


def _level_faults(triggers: RunningTriggers, state: BankState) -> Iterator[_LevelFault]:
    reasons = dict(triggers.troubles())
    for link, level in due(state):
        which = mystery.commitment_id(state, link, level, state.bank, 0, 0)
        if reason := triggers.why_not(which, people=mystery.cycle_of(level).replace):
            reasons.setdefault((which.link, which.level), reason)
    behind = {
        (last.which.link, last.which.level)
        for last in mystery.last_commitments(state)
        if triggers.is_behind(last.which)
    }
    for (link_name, level_name), reason in reasons.items():
        cause = ROLLED_BACK if (link_name, level_name) in behind else TRIGGER_REASON
        yield _LevelFault(link_name, level_name, cause, reason)


def closed_message(link: str) -> str:
    """Message about a closed link that the configuration still has."""
    return f"link {link} was closed and takes nothing more: take it out of the configuration"


async def _is_new(bank: str, store: Store, unix_ms: int) -> bool:
    """Whether the bank was opened just now, and nobody had it before its holder of now.

    Its first row says when, and is under the hash. Who takes away what a bank of longer ago had is told as a
    warning that its links open anew (S3).
    """
    (first,) = await store.rows(bank, 0, 1)
    head = await store.head(bank)
    return head.epoch == FIRST_EPOCH + 1 and unix_ms - first.at < NEW_MS


def _tell_opening(terms: LinkTerms, config: Config, *, new: bool) -> None:
    """Logs the opening of a link; as a warning if its bank is not new, since it may have lost the link's
    meter.
    """
    facts = {"bank": terms.bank, "link": terms.link, "paytable": terms.paytable}
    if new:
        log.info("link_opening", **facts)
    else:
        log.warning("link_opening", **facts, seeds=seeds(config, [terms]), do=NOT_THERE)


async def _agree_tables(bank: Bank, config: Config) -> None:
    tables, links = await bank.ask(lambda engine: (table_terms(engine.state), views.link_terms(engine.state)))
    for terms in config.tables:
        if terms.links[0] in links and tables.get(terms.table) != terms:
            log.info("table_opening", bank=bank.name, table=terms.table, links=terms.links)
            await _perform(bank, OpenTable(terms))


def misplaced_links(ledger: Reader, config: Config, but: str = "") -> dict[str, str]:
    """The links of the configuration that lie in another bank of the ledger, and that bank.

    Where a join was broken off, they lie in the bank that it is to begin. but: a bank to skip. Raises
    LedgerCorrupt where a bank cannot be read.
    """
    others = [bank for bank in _finished_banks(ledger) if bank != but and not has_ended(ledger, bank)]
    waiting = {bank: into for into, ended in unbegun(ledger).items() for bank in ended}
    if tuple(others) == config.banks and len(others) == 1 and not waiting:
        return {}  # there is no other bank: no row need be read
    there = {link: bank for bank, links in links_by_bank(ledger, others).items() for link in links}
    for bank, into in waiting.items():
        there |= dict.fromkeys(views.link_terms(read_to(ledger, bank, ledger.head(bank)).state), into)
    wanted = {terms.link: terms.bank for terms in config.links}
    return {link: there[link] for link, bank in wanted.items() if there.get(link, bank) != bank}


def _early(terms: LinkTerms, at: int) -> Callable[[Engine], str | None]:
    return lambda engine: too_early(engine.state, terms, at)


def too_early(state: BankState, terms: LinkTerms | TableTerms, at: int) -> str | None:
    """Why these terms of a link or a table cannot hold yet, for want of a notice, and what to do (P2).

    None where they can. at: unix milliseconds.
    """
    try:
        if isinstance(terms, LinkTerms):
            for link in state.links:
                if link.terms.link == terms.link and same_levels(link.terms, terms):
                    check_link_terms(state, link, terms, at)
        else:
            for table in state.tables:
                if table.terms.table == terms.table:
                    check_table_terms(state, table, terms, at)
    except Refusal as refusal:
        return f"{refusal.message}; {PUT_BACK}"
    return None


def disagreements(ledger: Reader, config: Config, at: int) -> list[str]:
    """How the configuration differs from links that are open, the closed links that it still has, and what it
    takes away too early.

    at: the time now, in unix milliseconds. Raises LedgerCorrupt where a bank cannot be read.
    """
    said: list[str] = []
    for bank in _finished_banks(ledger):
        if bank not in config.banks:
            continue
        state = read_to(ledger, bank, ledger.head(bank)).state
        early = ((terms.table, too_early(state, terms, at)) for terms in config.tables)
        said += [f"table {table} goes on as before: {why}" for table, why in early if why is not None]
        for link in state.links:
            terms = next((terms for terms in config.links if terms.link == link.terms.link), None)
            if terms is not None and link.closed:
                said.append(closed_message(terms.link))
            elif terms is not None and (
                differ := differences(link.terms, config.completed(terms, link.terms))
            ):
                why = too_early(state, config.completed(terms, link.terms), at)
                until = "two people confirm" if why is None else f"that may hold ({why})"
                said.append(f"link {terms.link} stands still until {until}: {'; '.join(differ)}")
        said += [
            f"link {one.link} stands still: {one.why}; {one.do}" for one in unannounced(state, config, at)
        ]
    return said


def misplaced_message(link: str, bank: str, configured: str) -> str:
    """Message about a configured link that lies in another bank of the ledger."""
    return f"link {link} lies in bank {bank} of the ledger, and not in bank {configured}: {_move_hint(bank)}"


def _move_hint(bank: str) -> str:
    """Instruction for a link that lies in another bank than the configuration says."""
    return (
        f'write bank = "{bank}" on the link, as the ledger has it, and start again; or join the two banks '
        "(jackpot bank join) and write the new one"
    )


def links_by_bank(ledger: Reader, banks: Collection[str]) -> dict[str, list[str]]:
    """Links of each bank that has not ended, as of now; another server may be writing it."""
    states = {bank: read_to(ledger, bank, ledger.head(bank)).state for bank in banks}
    return {bank: list(views.link_terms(state)) for bank, state in states.items() if not state.closed_into}


def table_terms(state: BankState) -> dict[str, TableTerms]:
    """The terms of every table, by id, as the journal has them."""
    return {table.terms.table: table.terms for table in state.tables}


def _terms(engine: Engine) -> dict[str, tuple[LinkTerms, list[str]]]:
    return {link.terms.link: (link.terms, list(link.suspended)) for link in engine.state.links}


async def _perform(bank: Bank, command: Command) -> None:
    answer = await bank.person(command, ())
    if not answer.ok:
        name = type(command).__name__
        do = {"do": PUT_BACK} if answer.code == Code.NOTICE_NEEDED else {}
        log.error(
            "opening_refused", bank=bank.name, command=name, code=answer.code, message=answer.message, **do
        )
