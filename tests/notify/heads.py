"""Test helpers for a site that signs heads: its keys, the section [heads], and the lines written."""

import json
import secrets
from pathlib import Path
from typing import Any

from jackpot.config import public_pem
from jackpot.ledger.heads import SiteKey

PRIVATE = "site"
FILE = "heads.jsonl"


def site_key(folder: Path, name: str = PRIVATE) -> SiteKey:
    """A key pair in files, made once."""
    file = folder / name
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(32))
    key = SiteKey(bytes.fromhex(file.read_text()))
    (folder / f"{name}.pub").write_text(public_pem(key.public))
    return key


def heads(folder: Path, *more: str, file: str = FILE) -> str:
    """The section: heads go into a file. more: further lines; file: "" for none."""
    site_key(folder)
    lines = ["[heads]", f'key = "{folder / PRIVATE}"', *more]
    return "\n".join(lines + ([f'file = "{folder / file}"'] if file else []))


def written(folder: Path, bank: str = "main") -> list[dict[str, Any]]:
    """The heads of a bank in the file, in order; what is not whole yet is left out."""
    path = folder / FILE
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [head for head in map(json.loads, lines) if head["bank"] == bank]
