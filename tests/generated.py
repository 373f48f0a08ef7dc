"""Writes every file again that is made from the code: `python -m tests.generated`.

It tells which of them have changed. Two that are made by what runs are left to their own commands: the
transcript of the floor protocol, and the facts of the PostgreSQL schema.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tests.cli import reference
from tests.config import extraction
from tests.controllers import test_answers, vectors
from tests.ledger import audit_kinds
from tests.rules import test_templates
from tests.web import openapi

WRITE_AGAIN: Final = "the code has changed: python -m tests.generated writes this file again"
GENERATED: Final[dict[Path, Callable[[], str]]] = {
    openapi.FILE: openapi.text,
    audit_kinds.FILE: audit_kinds.text,
    reference.FILE: reference.text,
    test_templates.GOLDEN: test_templates.text,
    test_answers.SCHEMA: test_answers.text,
    vectors.FILE: vectors.text,
    **{extraction.file(kind): partial(extraction.template, kind) for kind in extraction.KINDS},
}


def main() -> None:
    for path, text in GENERATED.items():
        now = text()
        if not path.exists() or path.read_text("utf-8") != now:
            path.write_text(now, "utf-8")
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
