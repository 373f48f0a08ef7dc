"""What is in a device's key file, and may anybody else read it?"""

from pathlib import Path
from typing import Final

KEY_BYTES: Final = 32  # SHA-256's own size: a longer key adds nothing to the mac
# A key file others can read is a key others have.
KEY_MODES: Final = frozenset({0o600, 0o400})


def open_to_all(file: Path) -> str | None:
    """A sentence where everybody on the machine can read the private key in the file, else None.

    A group may: that is how a certificate is shared by the services of one machine.
    """
    mode = file.stat().st_mode & 0o777
    return (
        f"{file} has mode {mode:04o}: everybody here can read the private key (chmod 640)"
        if mode & 4
        else None
    )


def read_key(file: Path) -> tuple[bytes | None, list[str]]:
    """The key, None where there is none, and a sentence for each mistake."""
    mistakes = []
    try:
        mode = file.stat().st_mode & 0o777
        if mode not in KEY_MODES:
            mistakes.append(f"{file} has mode {mode:04o}: only its owner may read a key (chmod 600)")
        text = file.read_text(encoding="ascii").strip()
        key = bytes.fromhex(text)
    except OSError as error:
        return None, [*mistakes, f"{file} cannot be read: {error.strerror}"]
    except ValueError:
        key, text = b"", ""
    if len(key) != KEY_BYTES or len(text) != 2 * KEY_BYTES:
        return None, [*mistakes, f"{file} does not hold a key: {2 * KEY_BYTES} hex digits"]
    return key, mistakes
