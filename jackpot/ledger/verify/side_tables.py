"""Checks the tables next to the journal against the chain: names, secrets and papers (S8).

Nothing there is trusted by itself: another name or secret matches no digest of the chain. But somebody who
writes to these tables alone can remove a name, lock somebody out, or empty a payout's documents. So `jackpot
verify` names each row that the chain does not bear out.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger import keyring, papers, trigger_rows
from jackpot.ledger.entries import events_of
from jackpot.ledger.joined_banks import later_banks
from jackpot.ledger.keyring import StoredName
from jackpot.ledger.papers import StoredPaper, Written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.acts import decode_asked
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.banks import BankBegun
from jackpot.rules.acts.hits import Paid, Validated
from jackpot.rules.acts.papers import PapersAdded, PapersErased
from jackpot.rules.acts.people import AddPerson
from jackpot.rules.acts.requests import Requested
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.rounds import mystery
from jackpot.rules.signing import SITE
from jackpot.rules.state import BankState

# The digits of a row's key that are told: enough to find the row, few enough to read.
_TOLD: Final = 16
# What a server leaves that ended between keeping a row and its entry; it looks once an hour, and twice.
_LEFT: Final = (
    "the server deletes within some hours what it left when it ended; any other row was written by somebody"
)
_MAY_READ: Final = "SELECT has_table_privilege('secret', 'SELECT')"
_COMMITMENTS: Final = "SELECT committed FROM audit_commitments ORDER BY committed"
# Above every row of a bank: of a row of one that it became.
_AFTER_ITS_END: Final = 2**63 - 1
_OF_PAPERS: Final = Validated.kind, Paid.kind, PapersAdded.kind, PapersErased.kind


class KeptRows(NamedTuple):
    """Retention of documents. known: whether the site's configuration says so. days: None for ever.

    at: now, in unix milliseconds.
    """

    known: bool
    days: int | None
    at: int


class SideTableResult(NamedTuple):
    """Result of one comparison. problems: a sentence for each row that disagrees. by_age: how many papers
    were emptied without an entry, and only the site's configuration says whether they were due. unread: the
    secrets were not looked at, since this role of the database may not read them.
    """

    problems: list[str]
    by_age: int
    unread: bool = False


def compare(ledger: Reader, banks: Collection[str], keeping: KeptRows) -> SideTableResult:
    """Compares the rows that belong to these banks with their entries. Raises LedgerError.

    Next to a running server a row may be a moment ahead of its entry, so only problems that two successive
    comparisons find count. Rows of documents that no entry names are reported if all banks are compared.
    """
    problems = list[str]()
    # The rows are read first: an entry that is written meanwhile is found for them.
    triggers = _running(ledger)
    sheets, people, unread = papers.rows(ledger), keyring.names(ledger), not _may_read_secrets(ledger)
    secrets = [] if unread else keyring.secret_rows(ledger)
    if SITE in banks:
        try:
            state = read_to(ledger, SITE, ledger.head(SITE)).state
        except LedgerCorrupt as error:
            problems.append(f"{SITE}: its names and secrets are not compared: {error}")
        else:
            problems += _names(ledger, state, people)
            problems += [] if unread else _secrets(state, secrets)
    by_age, found = 0, {kept.mark: kept for kept in sheets}
    for bank in banks:
        said, aged = _papers(ledger, bank, found, keeping)
        problems += said
        by_age += aged
    if trigger_rows.TABLE not in ledger.version.lacks:
        problems += _triggers(ledger, banks, triggers)
    if set(banks) == set(ledger.banks()):
        problems += [f"a row of paper ({mark.hex()[:_TOLD]}) is of no entry: {_LEFT}" for mark in found]
    return SideTableResult(problems, by_age, unread)


def archived(archive: Reader, ledger: Reader) -> list[str]:
    """Problems of the same tables of an archive. Raises LedgerError.

    They are of when the archive was brought up to date: what was erased or replaced since may still be there,
    and what was meanwhile may be gone. So a row is wrong if it was changed, or if it is missing or emptied
    although the archive's chain has it and the ledger still has it whole.
    """
    try:
        state = read_to(archive, SITE, archive.head(SITE)).state if SITE in archive.banks() else None
    except LedgerCorrupt as error:
        return [f"{SITE}: its names and secrets are not compared: {error}"]
    found = [*_papers_of(archive, ledger)]
    if state is not None:
        found += _people_of(state, archive, ledger)
    return found


def _papers_of(archive: Reader, ledger: Reader) -> Iterator[str]:
    rows = {row.mark: row for row in papers.rows(archive)}
    whole = {row.mark for row in papers.rows(ledger) if row.is_marked()}
    for bank in archive.banks():
        for seq, _, event in events_of(archive, bank, *_OF_PAPERS):
            if not isinstance(event, Written) or not event.paper:
                continue
            row, whose = rows.get(event.paper), f"{bank}: the row of paper of H{papers.hit_of(event)}"
            if row is not None and not row.is_empty() and not row.is_marked():
                yield f"{whose}, as row {seq} has it, was changed: salt and facts do not make its mark"
            elif event.paper in whole and (row is None or row.is_empty()):
                yield f"{whose}, as row {seq} has it, is gone, and the ledger has it"


def _people_of(state: BankState, archive: Reader, ledger: Reader) -> Iterator[str]:
    names = {row.mark: row for row in keyring.names(archive)}
    named = {row.mark for row in keyring.names(ledger) if row.is_marked()}
    unread = not _may_read_secrets(ledger)
    secrets = {row.digest: row for row in keyring.secret_rows(archive)}
    own = set() if unread else {row.digest for row in keyring.secret_rows(ledger) if row.is_its_own()}
    for person in state.people:
        name, secret, whose = (
            names.get(person.mark),
            secrets.get(person.secret),
            f"{SITE}: person {person.id}",
        )
        if name is not None and not name.is_marked():
            yield f"{whose}: the row of person was changed: login, name and salt do not make its mark"
        elif name is None and person.mark in named:
            yield f"{whose}: the row of person with the name is gone, and the ledger has it"
        if secret is not None and not secret.is_its_own():
            yield f"{whose}: the row of secret was changed: hash and key of codes do not make its digest"
        elif secret is None and person.secret in own:
            yield f"{whose}: the row of secret is gone, and the ledger has it"


def _may_read_secrets(ledger: Reader) -> bool:
    """Whether the role may read secrets; on PostgreSQL an auditor's may not."""
    if isinstance(ledger, SqliteLedger):
        return True
    ((may,),) = ledger.look_up(_MAY_READ)
    return bool(may)


def _names(ledger: Reader, state: BankState, rows: Sequence[StoredName]) -> Iterator[str]:
    """Problems: people whose row is missing, changed or not erased, and rows of nobody."""
    kept = {row.mark: row for row in rows}
    for person in state.people:
        row, whose = kept.pop(person.mark, None), f"{SITE}: person {person.id}"
        if person.erased:
            if row is not None:
                yield f"{whose}: the name was erased, and a row of person has it"
        elif row is None:
            yield f"{whose}: the row of person with the name is missing"
        elif not row.is_marked():
            yield f"{whose}: the row of person was changed: login, name and salt do not make its mark"
    for request in state.requests:
        asked = _added(request.command)
        row = None if asked is None else kept.get(asked.mark)
        if asked is not None and (row is None or not row.is_marked()):
            what = "is missing" if row is None else "was changed"
            yield f"{SITE}: the row of person of who is to join by request {SITE}-{request.id} {what}"
    asked_for = {asked.mark for asked in _ever_asked(ledger) if asked is not None}
    for mark in kept:
        if mark not in asked_for:
            yield f"{SITE}: a row of person ({mark.hex()[:_TOLD]}) is of nobody: {_LEFT}"


def _secrets(state: BankState, rows: Sequence[keyring.SecretRow]) -> Iterator[str]:
    """Problems: secrets that are missing, changed or another's, and unused ones."""
    kept = {row.digest: row for row in rows}
    own = defaultdict[bytes, list[int]](list)
    for person in state.people:
        if person.secret:
            own[person.secret].append(person.id)
    for digest, whose in own.items():
        row, who = kept.pop(digest, None), f"{SITE}: person {' and '.join(map(str, whose))}"
        if row is None:
            yield f"{who}: the row of secret is missing"
            continue
        if not row.is_its_own():
            yield f"{who}: the row of secret was changed: hash and key of codes do not make its digest"
        if row.kept.person not in whose:
            yield f"{who}: the row of secret was changed: it says that it is of person {row.kept.person}"
    for row in kept.values():
        key = f"a row of secret ({row.digest.hex()[:_TOLD]}), of person {row.kept.person}"
        yield f"{SITE}: {key}, is left over: by the chain it lets nobody in: {_LEFT}"


def _papers(
    ledger: Reader, bank: str, rows: dict[bytes, StoredPaper], keeping: KeptRows
) -> tuple[list[str], int]:
    """Problems of the bank's documents, and how many were emptied without an entry.

    What a bank that this one became did with them counts, too. rows: those whose marks are found are taken
    out.
    """
    written, erased = list[tuple[int, int, Written]](), dict[int, tuple[int, str]]()
    newest = defaultdict[int, int](int)
    for later, by in later_banks(ledger, bank):
        for seq, at, event in events_of(ledger, later, *_OF_PAPERS):
            if isinstance(event, PapersErased):
                own = later == bank
                where = f"row {seq}" if own else f"row {seq} of {later}"
                erased[event.number - by.hits] = (seq if own else _AFTER_ITS_END), where
            elif isinstance(event, Written) and event.paper:
                hit = papers.hit_of(event) - by.hits
                newest[hit] = max(newest[hit], at)
                if later == bank:
                    written.append((seq, hit, event))
    said, by_age = list[str](), 0
    for seq, hit, event in written:
        row = rows.pop(event.paper, None)
        whose = f"{bank}: the row of paper of H{hit}, as row {seq} has it,"
        erasing, where = erased.get(hit, (0, ""))
        gone = erasing > seq
        if row is None:
            said.append(f"{whose} is missing")
        elif row.is_empty():
            if gone:
                continue
            if keeping.known and not outlived(newest[hit], keeping.days, keeping.at):
                said.append(f"{whose} was emptied: no entry erased it, and its time is not over")
            by_age += not keeping.known
        elif not row.is_marked():
            said.append(f"{whose} was changed: salt and facts do not make its mark")
        elif gone:
            said.append(f"{whose} is still there: {where} erased it: erase it once more")
    return said, by_age


def _running(ledger: Reader) -> set[bytes]:
    """The commitments whose triggers are stored; an auditor's role may read these alone."""
    if trigger_rows.TABLE in ledger.version.lacks:
        return set()
    return {bytes.fromhex(committed) for (committed,) in ledger.look_up(_COMMITMENTS)}


def _triggers(ledger: Reader, banks: Collection[str], stored: set[bytes]) -> Iterator[str]:
    """Problems: running commitments without a stored trigger, and triggers of none (Y12)."""
    running = set[bytes]()
    for bank in banks:
        if next(events_of(ledger, bank, TriggersRenewed.kind, BankBegun.kind), None) is None:
            continue
        try:
            state = read_to(ledger, bank, ledger.head(bank)).state
        except LedgerCorrupt as error:
            yield f"{bank}: its triggers are not compared: {error}"
            continue
        if state.closed_into:
            continue
        for last in mystery.last_commitments(state):
            if last.running and last.committed not in stored:
                yield (
                    f"{bank}: the row of mystery_trigger of {last.which.link} {last.which.level}, commitment "
                    f"{last.which.number}, is missing: it can never be opened"
                )
            running.add(last.committed)
    if set(banks) == set(ledger.banks()):
        for committed in stored - running:
            yield (
                f"a row of mystery_trigger ({committed.hex()[:_TOLD]}) is of no running commitment: somebody "
                "wrote it, or put it back"
            )


def _ever_asked(ledger: Reader) -> Iterator[AddPerson | None]:
    """Everybody whose joining was requested for a second signature, also if it was rejected."""
    for _, _, event in events_of(ledger, SITE, Requested.kind):
        yield _added(event.command) if isinstance(event, Requested) else None


def _added(command: bytes) -> AddPerson | None:
    """Person who joins by a request; None for any other request."""
    try:
        asked = decode_asked(command)
    except msgspec.DecodeError:
        return None
    return asked if isinstance(asked, AddPerson) else None
