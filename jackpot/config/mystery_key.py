"""The key file of committed mystery levels: its form, how it is made, and what is wrong with one (Y12).

The file is TOML text with two lines that count:

    id = "0123456789abcdef"     16 hex digits, computed from the key: the ledger names a key by it
    key = "..."                 64 hex digits: 32 random bytes

It is its owner's alone. `jackpot mystery new-key` makes it; a server never does, as a key that was made in
the place of one that is missing would hide that loss.
"""

import os
import re
import secrets
import stat
import tomllib
from collections.abc import Collection, Iterable
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final, NoReturn

from jackpot.config.keys import KEY_BYTES, KEY_MODES
from jackpot.config.settings import ConfigErrors, Mystery
from jackpot.config.source import ConfigSource
from jackpot.rules.paytable import LinkTerms

MAKES_ONE: Final = "jackpot mystery new-key"
# Keeps the id from being any other hash of the key. With 64 bits no two keys of a site have the same id.
_ID_DOMAIN: Final = b"jackpot mystery key id 1"
_ID_BYTES: Final = 8
_HEX_KEY: Final = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")
# The file has some 300 bytes: what is far longer is another file, and is not read to its end.
_FILE_BYTES_MAX: Final = 4_096
_TEXT: Final = """\
# Key of the committed mystery levels. A person who has it and the ledger knows every running trigger.
# Keep a second copy, apart from the ledger and its backups.
id = "{id}"
key = "{key}"
"""


def read_mystery_section(
    source: ConfigSource, roles: Collection[str], links: Iterable[LinkTerms]
) -> Mystery | None:
    """Reads [mystery], None where there is none. A key that cannot be used is a warning, which names its
    file: the other links of the house play on, and the levels that need it wait (Y12).

    roles: a machine without table keys seals nothing, and has no mystery key.
    """
    given = source.section("mystery")
    if "table" not in roles:
        return None
    if "key" not in given:
        if not source.spoiled("mystery") and any(terms.form == "committed" for terms in links):
            source.wrong(
                "mystery.key", f"is missing: a committed link needs one: `{MAKES_ONE} FILE` makes it"
            )
        return None
    file = source.path.parent / given["key"]
    try:
        read_mystery_key(file)
    except KeyFileError as error:
        source.warn(f"mystery.key: {error}")
    return Mystery(file)


class KeyFault(StrEnum):
    """What is wrong with a key file."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    NOT_PRIVATE = "not_private"
    DAMAGED = "damaged"


class KeyFileError(ConfigErrors):
    """A key file that cannot be used; the text names the file, and says what to do."""

    def __init__(self, fault: KeyFault, text: str) -> None:
        super().__init__([("", text)])
        self.fault = fault


class MysteryKey:
    """A key that triggers are sealed with. Its text shows its id alone; nothing encodes or pickles it.

    id: 16 hex digits, public. secret: 32 bytes.
    """

    __slots__ = ("id", "secret")

    def __init__(self, secret: bytes) -> None:
        self.id = sha256(_ID_DOMAIN + secret).digest()[:_ID_BYTES].hex()
        self.secret = secret

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not pickled")


def new_key_text() -> tuple[str, str]:
    """The text of a new key file, and the new key's id."""
    key = MysteryKey(secrets.token_bytes(KEY_BYTES))
    return _TEXT.format(id=key.id, key=key.secret.hex()), key.id


def read_mystery_key(file: Path) -> MysteryKey:
    """Reads a key. Raises KeyFileError."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyFileError(
            KeyFault.MISSING,
            f"{file}: there is no such key file: bring back its copy (only for new mystery levels make a new "
            f"one: {MAKES_ONE} {file})",
        ) from None
    except OSError as error:
        raise KeyFileError(
            KeyFault.UNREADABLE, f"{file} cannot be read: {error.strerror}: give it to the server's user"
        ) from None
    try:
        _check_private(file, os.fstat(descriptor))
        text = os.read(descriptor, _FILE_BYTES_MAX + 1)
    except OSError as error:
        raise KeyFileError(KeyFault.UNREADABLE, f"{file} cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    return _parsed(file, text)


def _check_private(file: Path, file_stat: os.stat_result) -> None:
    """Raises KeyFileError unless it is a file that its owner, this process's user, reads alone."""
    mode = stat.S_IMODE(file_stat.st_mode)
    if not stat.S_ISREG(file_stat.st_mode):
        raise KeyFileError(KeyFault.DAMAGED, f"{file} is no file: name the key file itself")
    if mode not in KEY_MODES:
        raise KeyFileError(
            KeyFault.NOT_PRIVATE,
            f"{file} has mode {mode:04o}: only its owner may read a key (chmod 600). Others could "
            "read it until now, and may know the running triggers: replace key and triggers",
        )
    # To root, who may read every file, it may belong to anybody.
    if file_stat.st_uid != (own := os.geteuid()) and own != 0:
        raise KeyFileError(
            KeyFault.NOT_PRIVATE,
            f"{file} belongs to user {file_stat.st_uid}, not to the server's, {own}: chown it",
        )


def _parsed(file: Path, text: bytes) -> MysteryKey:
    """The key in the text. Raises KeyFileError, which shows nothing of the text."""
    damaged = KeyFileError(
        KeyFault.DAMAGED, f"{file} holds no mystery key, or a damaged one: bring back its copy"
    )
    try:
        found = tomllib.loads(text.decode("ascii")) if len(text) <= _FILE_BYTES_MAX else {}
    except ValueError:
        raise damaged from None
    key = found.get("key")
    if found.keys() != {"id", "key"} or not isinstance(key, str) or not _HEX_KEY.fullmatch(key):
        raise damaged
    made = MysteryKey(bytes.fromhex(key))
    if found["id"] != made.id:
        raise damaged  # a digit of either was changed
    return made
