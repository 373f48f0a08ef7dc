"""`python -m tests.ledger.audit_kinds` writes the kinds of the registry into schemas/sql/audit.sql."""

import re
from pathlib import Path
from typing import Final

from jackpot.rules.registry import KINDS, name_of

FILE: Final = Path(__file__).parents[2] / "schemas" / "sql" / "audit.sql"
WIDTH: Final = 120
_LIST: Final = re.compile(r"(?<=WITH kinds \(number, name\) AS \(\n).*?(?=\n\)\nSELECT 'events')", re.DOTALL)


def text() -> str:
    """The file's text, as it should be."""
    lines = ["    VALUES"]
    for kind in sorted(KINDS):
        entry = f" ({kind}, '{name_of(kind)}'),"
        if len(lines[-1]) + len(entry) > WIDTH:
            lines.append("       ")
        lines[-1] += entry
    return _LIST.sub("\n".join(lines).removesuffix(","), FILE.read_text())


if __name__ == "__main__":
    FILE.write_text(text())
