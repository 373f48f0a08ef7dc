"""Which program decides here (S3)?"""

import hashlib
from importlib import resources
from typing import Any, Final

import controllers
import jackpot

# Every file that decides anything: the program and the paytables that it ships.
_CODE: Final = (".py", ".toml", ".sql", ".json")


def own_digest() -> str:
    """SHA-256 over the program's own files, names and bytes, in order (S3); hex."""
    total = hashlib.sha256()
    for package in (controllers, jackpot):
        root = resources.files(package)
        for path, data in sorted(_files(root, package.__name__)):
            total.update(f"{path}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


def _files(folder: Any, name: str) -> list[tuple[str, bytes]]:
    found = []
    for item in folder.iterdir():
        path = f"{name}/{item.name}"
        if item.is_dir():
            found += _files(item, path)
        elif item.name.endswith(_CODE):
            found.append((path, item.read_bytes()))
    return found
