"""Which ledger does a URL name?"""

from typing import Final

from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import LedgerUnusable

_SQLITE: Final = "sqlite:///"


def open_ledger(url: str, *, readonly: bool = False) -> SqliteLedger:
    """Opens `sqlite:///relative.db` or `sqlite:////absolute.db`.

    readonly: beside a server, never creating anything. Raises LedgerUnusable.
    """
    path = url.removeprefix(_SQLITE)
    if path in {url, ""}:
        raise LedgerUnusable(
            f"{url!r} is not a ledger: write sqlite:///relative.db or sqlite:////absolute.db"
        )
    return SqliteLedger(path, readonly=readonly)
