"""Reads and checks key files, of devices and of the site, and warns where others can read them."""

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Final

KEY_BYTES: Final = 32  # SHA-256's own size: a longer key adds nothing to the mac
# A key file others can read is a key others have.
KEY_MODES: Final = frozenset({0o600, 0o400})
# What comes before the 32 bytes of an Ed25519 public key in DER (RFC 8410): its kind, and how long it is.
_PUBLIC_DER: Final = bytes.fromhex("302a300506032b6570032100")
_PEM: Final = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")


def open_to_all(file: Path) -> str | None:
    """A warning where everybody on the machine can read the private key in the file, else None.

    A group may: that is how a certificate is shared by the services of one machine.
    """
    mode = file.stat().st_mode & 0o777
    return (
        f"{file} has mode {mode:04o}: everybody here can read the private key (chmod 640)"
        if mode & 4
        else None
    )


def read_key(file: Path) -> tuple[bytes | None, list[str]]:
    """Reads the key, None where there is none, with a sentence for each mistake."""
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


def public_der(public: bytes) -> bytes:
    """A site's public key, 32 bytes, in the form that is hashed and that other programs read."""
    return _PUBLIC_DER + public


def public_pem(public: bytes) -> str:
    """The same as text, for a file."""
    return "\n".join([_PEM[0], b64encode(public_der(public)).decode(), _PEM[1], ""])


def read_public(file: Path) -> bytes | None:
    """The 32 bytes of the Ed25519 public key in a PEM file; None where there is none."""
    try:
        lines = file.read_text(encoding="ascii").split("\n")
        der = b64decode("".join(line for line in lines if line.strip() not in _PEM), validate=True)
    except (OSError, ValueError):
        return None
    whole = der.startswith(_PUBLIC_DER) and len(der) == len(_PUBLIC_DER) + KEY_BYTES
    return der.removeprefix(_PUBLIC_DER) if whole else None
