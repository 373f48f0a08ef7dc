"""Checks a ledger against its signed heads before anything is opened or written (S3, S8)."""

from collections.abc import Mapping
from typing import Final

import structlog

from jackpot.config import Config
from jackpot.ledger.archived import cut_of
from jackpot.ledger.banks import FIRST_EPOCH, site_of
from jackpot.ledger.heads import SignedHead, SiteKey, differs, is_ahead, known_keys, newest_heads
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.signing import SITE

# What people do next where it is not.
_ON_PURPOSE: Final = (
    "If people brought an older copy back on purpose, keep {file}, and name a new file in [heads] file"
)
# And where the file says nothing of a bank that a server has held.
_NO_HEAD: Final = (
    "if the file is new, or this server never held the bank, nothing; else the file was taken away, or its "
    "heads are of a key that [heads] does not know: bring it back or list that key in [heads] known, and run "
    "jackpot verify --heads before the floor opens"
)

log: Final = structlog.get_logger()


def check_signed(ledger: Reader, config: Config) -> dict[str, int]:
    """Holds each bank's newest signed head against the ledger, if a file is configured. Returns their rows.

    Raises LedgerCorrupt where one is not in its chain. A file that cannot be read proves nothing. That is
    logged, and the floor opens.
    """
    heads = config.heads
    if heads is None or heads.file is None:
        return {}
    banks = {*config.banks, SITE, *ledger.banks()}
    known = known_keys([SiteKey(heads.key).public, *heads.known])
    try:
        newest = newest_heads(heads.file, banks, known) if heads.file.exists() else {}
    except OSError as error:
        log.warning("heads_unreadable", file=str(heads.file), reason=error.strerror)
        newest = {}
    try:
        for head in newest.values():
            check_head(ledger, head)
    except LedgerCorrupt as error:
        raise LedgerCorrupt(f"{error}. {_ON_PURPOSE.format(file=heads.file)}") from error
    return {bank: head.seq for bank, head in newest.items()}


def tell_unproved(ledger: Reader, config: Config, proved: Mapping[str, int]) -> None:
    """Logs how many rows no signed head proves, and which banks that had a holder have no head.

    proved: as in `check_signed`.
    """
    heads = config.heads
    if heads is None or heads.file is None:
        return
    for bank in ledger.banks():
        head = ledger.head(bank)
        rows = head.seq - proved.get(bank, 0)
        facts = {"bank": bank, "epoch": head.epoch, "rows": rows, "file": str(heads.file)}
        if bank in {*config.banks, SITE} - proved.keys() and head.epoch > FIRST_EPOCH:
            log.error("heads_missing", **facts, do=_NO_HEAD)
        elif rows:
            log.warning("rows_unproved", **facts)


def check_head(ledger: Reader, head: SignedHead) -> int:
    """Holds one signed head against its bank. Returns how many rows are newer: nothing outside proves those.

    Raises LedgerCorrupt where the ledger is not the one that it was signed of.
    """
    last = ledger.head(head.bank).seq
    if head.seq > last:
        raise LedgerCorrupt(f"{head.bank}: {is_ahead(head.seq, last)}")
    if (site := site_of(ledger, head.bank)) != head.site:
        raise LedgerCorrupt(f'{head.bank}: a head of site "{head.site}" was signed, and here is "{site}"')
    rows = ledger.rows(head.bank, head.seq - 1, 1)
    cut = cut_of(ledger, head.bank)
    if cut is not None and head.seq <= cut.seq and (not rows or rows[0].seq != head.seq):
        raise LedgerCorrupt(
            f"{head.bank}: row {head.seq}, of which the newest head was signed, is archived: compare them by "
            "jackpot verify --heads with --archive, and name a new file in [heads] file"
        )
    if not rows or rows[0].seq != head.seq:
        raise LedgerCorrupt(f"{head.bank}: row {head.seq}, of which a head was signed, is missing")
    if (fault := differs(rows[0], head.epoch, head.hash)) is not None:
        raise LedgerCorrupt(f"{head.bank}: {fault}")
    return last - head.seq
