"""Hashing of passwords (argon2id) in few threads with a bounded queue, and TOTP codes.

A check takes a tenth of a second and 64 MiB on purpose, so that a stolen hash is worth little. More checks
than may wait are refused at once, and tables play on.
"""

import asyncio
import hmac
import os
import secrets
import sys
import threading
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Final, TypeVar

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import HashingError, InvalidHashError
from argon2.low_level import Type, core, error_to_str, ffi, hash_secret_raw
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied

# Checks at once: one of strangers, and one for people where they came in before. Each takes one processor
# for a fifth of a second.
AT_ONCE: Final = 2
# How much a thread that hashes gives way to the one that decides wagers, where they share a processor: less
# than 2 to 1, for it must not be held up while it has the interpreter.
NICER: Final = 3
# RFC 9106's second choice, with one lane instead of four: a check takes one processor, and not all of them.
LANES: Final = 1
# What the library in C says of a hash that was made.
ARGON2_OK: Final = 0
# Checks that wait, too: some two seconds for the last of them.
WAITING_MAX: Final = 32
# Of one place: a shift that signs in behind one address, and a quarter of what there is room for.
OF_PLACE: Final = 8
# RFC 6238: six digits, of half a minute each; the one before and the next are good, since clocks differ.
TOTP_STEP_S: Final = 30
TOTP_DIGITS: Final = 6
TOTP_DRIFT: Final = 1

# Kept free of strangers, however many places they come from: for people where they came in before.
OF_KNOWN: Final = 8

BUSY: Final = "too many people sign in at once: try again in some seconds"

T = TypeVar("T")


class PasswordHashing:
    """Makes and checks hashes of secrets. hasher: argon2id, as RFC 9106 advises for little memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(parallelism=LANES)
        # One thread each: strangers wait for each other, and for nobody else.
        self._known = ThreadPoolExecutor(1, "secret", _give_way)
        self._unknown = ThreadPoolExecutor(1, "stranger", _give_way)
        self._inside = 0
        self._places: Counter[str] = Counter()

    async def hash(self, secret: str) -> str:
        """Hashes a secret for storage. Raises Denied if too many are checked."""
        return await self._aside(self._known, lambda: self._hasher.hash(secret))

    async def mark(self, digest: bytes, salt: bytes) -> bytes:
        """A hash of that many bytes, for a digest that covers a secret; as slow to guess as a password hash.

        salt: 8 bytes or more. Raises Denied if too many are checked.
        """
        hasher = self._hasher
        return await self._aside(
            self._known,
            lambda: hash_secret_raw(
                digest, salt, hasher.time_cost, hasher.memory_cost, hasher.parallelism, len(digest), Type.ID
            ),
        )

    async def fits(self, hash_: str | None, secret: str, place: str = "", *, known: bool = False) -> bool:
        """Whether the hash is of that secret; None: there is no such person. Raises Denied.

        place: as in a LoginRateLimiter. known: that person has signed in there before.
        """

        def verified() -> bool:
            return is_hash_of(hash_ or self._nobodys, secret) and hash_ is not None

        full = not known and self._inside >= AT_ONCE + WAITING_MAX - OF_KNOWN
        if full or self._places[place] >= OF_PLACE:
            raise _too_many()
        self._places[place] += 1
        try:
            return await self._aside(self._known if known else self._unknown, verified)
        finally:
            self._places -= Counter((place,))  # what is at 0 is no longer kept

    @cached_property
    def _nobodys(self) -> str:
        """The hash of a secret that nobody has: an unknown login takes as long as a known one."""
        return self._hasher.hash(secrets.token_urlsafe())

    async def _aside(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if self._inside >= AT_ONCE + WAITING_MAX:
            raise _too_many()
        self._inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, work)
        finally:
            self._inside -= 1

    def close(self) -> None:
        """Closes without waiting."""
        for thread in (self._known, self._unknown):
            thread.shutdown(wait=False, cancel_futures=True)


def _give_way() -> None:
    """Lowers this thread's priority; only Linux has one of each thread's own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.nice(0) + NICER)


def is_hash_of(hash_: str, secret: str) -> bool:
    """As `PasswordHasher.verify`, in this thread alone: whether an encoded hash is of that secret.

    A hash has the lanes that it was made with until its secret is changed. Here they are filled one after the
    other, so that one sign-in takes one processor, however old the hash. Raises HashingError.
    """
    try:
        made = extract_parameters(hash_)
        salt, digest = (b64decode(part + "=" * (-len(part) % 4)) for part in hash_.split("$")[-2:])
    except (InvalidHashError, ValueError):
        return False  # of nothing
    found, password = ffi.new("uint8_t[]", len(digest)), ffi.new("uint8_t[]", secret.encode())
    salted = ffi.new("uint8_t[]", salt)
    context = ffi.new(
        "argon2_context *",
        {
            "version": made.version, "t_cost": made.time_cost, "m_cost": made.memory_cost,
            "lanes": made.parallelism, "threads": 1,
            "pwd": password, "pwdlen": len(secret.encode()), "salt": salted, "saltlen": len(salt),
            "out": found, "outlen": len(digest),
        },
    )  # fmt: skip
    if (code := core(context, made.type.value)) != ARGON2_OK:
        raise HashingError(error_to_str(code))
    return hmac.compare_digest(bytes(ffi.buffer(found)), digest)


def _too_many() -> Denied:
    return Denied(Code.BUSY, BUSY)


def invitation(key: bytes, login: str, site: str) -> str:
    """The otpauth address from which an app on a phone takes a key."""
    totp = TOTP(key, TOTP_DIGITS, SHA1(), TOTP_STEP_S, enforce_key_length=False)  # noqa: S303 - as below
    return totp.get_provisioning_uri(login, site)


def totp_at(key: bytes, step: int) -> str:
    """The six digits of that half minute."""
    sha1 = SHA1()  # noqa: S303 - what the apps on phones take
    return HOTP(key, TOTP_DIGITS, sha1, enforce_key_length=False).generate(step).decode()


def totp_step(key: bytes, code: str, unix_ms: int, used: int) -> int | None:
    """The step of a code that is valid now and not used; None if it is not valid. used: the last one."""
    now, code = unix_ms // 1000 // TOTP_STEP_S, "".join(code.split())  # apps show them in two groups
    for step in range(max(now - TOTP_DRIFT, used + 1), now + TOTP_DRIFT + 1):
        if hmac.compare_digest(totp_at(key, step).encode(), code.encode()):
            return step
    return None
