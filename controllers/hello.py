"""Authentication of a device: it proves its key by a MAC that is valid for one connection alone."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from controllers.answers import Challenge

VERSION: Final = 1

NONCE_BYTES: Final = 16

AUTH_FAILED: Final = "this device is not known here"

CLAIMED_MAX: Final = 64
"""Characters of an unproved id that are kept: as many as an id has."""

KEYS_AT_ONCE: Final = 2
"""Keys of one device in a rotation; for any device this many macs are computed, so that none tells time."""

DECOY_KEY: Final = bytes(32)


def hello_mac(key: bytes, nonce: bytes, role: str, device: str) -> bytes:
    """The MAC that proves a device's key: HMAC-SHA256 over nonce, role, a zero byte and id."""
    return hmac.digest(key, nonce + role.encode() + b"\0" + device.encode(), "sha256")


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """Verifier of the device's proof on one connection.

    nonce: 16 fresh random bytes. server: its name. keys: gives the valid keys of a device by role and id,
    oldest first, none where it is unknown. common_name: of the certificate, where the device had to show one.
    """

    nonce: bytes
    server: str
    keys: Callable[[str, str], Sequence[bytes]]
    common_name: str | None = None

    @property
    def challenge(self) -> Challenge:
        """The challenge message, the server's first."""
        return Challenge(VERSION, self.nonce, self.server)

    def proved(self, fields: Mapping[str, Any]) -> int | None:
        """The index of the key that made a hello's MAC, None if none did; takes constant time."""
        role, device, mac = (fields.get(name) for name in ("role", "id", "mac"))
        keys: list[bytes] = []
        if isinstance(role, str) and isinstance(device, str):
            keys.extend(self.keys(role, device))
        mac = mac if isinstance(mac, bytes) else b""
        proved = None
        for index, key in enumerate(keys + [DECOY_KEY] * (KEYS_AT_ONCE - len(keys))):
            right = hmac.compare_digest(hello_mac(key, self.nonce, str(role), str(device)), mac)
            if right and index < len(keys):
                proved = index
        return proved if self.common_name in (None, device) else None


def claimed(fields: Mapping[str, Any], field: str = "id") -> str:
    """The id and role claimed in a hello, authenticated or not: printable and short, for a log."""
    name = fields.get(field)
    text = name if isinstance(name, str) else ""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:CLAIMED_MAX])
