"""Is the ledger the one whose heads were signed (S3, S8)? Looked at before a start opens anything."""

from typing import Final

import structlog

from jackpot.config import Config
from jackpot.ledger.banks import site_of
from jackpot.ledger.heads import SignedHead, SiteKey, differs, is_ahead, known_keys, newest_heads
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.signing import SITE

# What people do next where it is not.
_ON_PURPOSE: Final = (
    "If people brought an older copy back on purpose, keep {file}, and name a new file in [heads] file"
)

log: Final = structlog.get_logger()


def check_signed(ledger: Reader, config: Config) -> dict[str, int]:
    """Holds the newest signed head of each bank against the ledger, where a file is configured; its row.

    Raises LedgerCorrupt where one is not in its chain. A file that cannot be read proves nothing. That is
    said, and the money does not wait for it.
    """
    heads = config.heads
    if heads is None or heads.file is None:
        return {}
    banks = {bank: ledger.head(bank).seq for bank in ledger.banks()}
    known = known_keys([SiteKey(heads.key).public, *heads.known])
    try:
        newest = newest_heads(heads.file, {*banks, *config.banks, SITE}, known) if heads.file.exists() else {}
    except OSError as error:
        log.warning("heads_unread", file=str(heads.file), reason=error.strerror)
        return {}
    try:
        unproved = banks | {bank: check_head(ledger, head) for bank, head in newest.items()}
    except LedgerCorrupt as error:
        raise LedgerCorrupt(f"{error}. {_ON_PURPOSE.format(file=heads.file)}") from error
    for bank, rows in unproved.items():
        if rows:
            log.warning("rows_unproved", bank=bank, rows=rows, file=str(heads.file))
    return {bank: head.seq for bank, head in newest.items()}


def check_head(ledger: Reader, head: SignedHead) -> int:
    """Holds one signed head against its bank: how many rows are newer, which nothing outside proves.

    Raises LedgerCorrupt where the ledger is not the one that it was signed of.
    """
    last = ledger.head(head.bank).seq
    if head.seq > last:
        raise LedgerCorrupt(f"{head.bank}: {is_ahead(head.seq, last)}")
    if (site := site_of(ledger, head.bank)) != head.site:
        raise LedgerCorrupt(f'{head.bank}: a head of site "{head.site}" was signed, and here is "{site}"')
    rows = ledger.rows(head.bank, head.seq - 1, 1)
    if not rows or rows[0].seq != head.seq:
        raise LedgerCorrupt(f"{head.bank}: row {head.seq}, of which a head was signed, is missing")
    if (fault := differs(rows[0], head.epoch, head.hash)) is not None:
        raise LedgerCorrupt(f"{head.bank}: {fault}")
    return last - head.seq
