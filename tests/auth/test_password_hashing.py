"""Password hashing, its bounded queue, and TOTP codes."""

import asyncio
import os
import sys
from collections import Counter
from threading import Event, current_thread, get_native_id
from time import process_time, thread_time

import pytest
from argon2 import PasswordHasher

from jackpot.auth import password_hashing as hashing_module
from jackpot.auth.password_hashing import (
    AT_ONCE,
    NICER,
    OF_KNOWN,
    OF_PLACE,
    WAITING_MAX,
    PasswordHashing,
    is_hash_of,
    totp_at,
    totp_step,
)
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied
from tests.running_server import on_loop, until

# RFC 6238, appendix B, its SHA-1 lines: seconds, and the last six of the eight digits there.
VECTORS = ((59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (20000000000, "353130"))
KEY = b"12345678901234567890"
# Where a test is about who waits, and not about what a hash costs: all ask before the first is checked.
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def _too_many(found: object) -> bool:
    return isinstance(found, Denied) and found.code is Code.BUSY


@pytest.mark.parametrize(("seconds", "digits"), VECTORS)
def test_digits_are_those_of_the_standard(seconds: int, digits: str) -> None:
    """RFC 6238: what any app on a phone shows."""
    assert totp_at(KEY, seconds // 30) == digits


def test_a_code_is_good_once_and_for_a_while() -> None:
    """The half minute before and the next are good, others are not, nor is one that was used, or an older."""
    now = 1_111_111_111_000
    step = now // 30_000
    for ahead, good in ((-2, False), (-1, True), (0, True), (1, True), (2, False)):
        assert totp_step(KEY, totp_at(KEY, step + ahead), now, 0) == (step + ahead if good else None)
    assert totp_step(KEY, totp_at(KEY, step), now, step) is None
    assert totp_step(KEY, totp_at(KEY, step - 1), now, step) is None
    assert totp_step(KEY, "", now, 0) is None


@on_loop
async def test_a_secret_fits_its_hash_alone() -> None:
    """argon2id, salted: no two hashes are alike, and what is no hash fits nothing."""
    hashing = PasswordHashing()
    one, other = await hashing.hash("a secret"), await hashing.hash("a secret")
    assert one != other
    assert one.startswith("$argon2id$")
    checks = [(one, "a secret"), (one, "another"), ("no hash", "a secret"), (None, "a secret")]
    assert [await hashing.fits(*check) for check in checks] == [True, False, False, False]
    hashing.close()


@pytest.mark.parametrize("lanes", [1, 4])
def test_an_old_hash_takes_one_processor_too(lanes: int) -> None:
    """Its lanes are filled by the thread that checks it, and no other: tables play on beside it."""
    hash_ = PasswordHasher(parallelism=lanes).hash("a secret")
    began = thread_time(), process_time()
    assert is_hash_of(hash_, "a secret")
    here, everywhere = thread_time() - began[0], process_time() - began[1]
    assert here > 0.8 * everywhere
    assert not is_hash_of(hash_, "another")


@pytest.mark.parametrize("secret", ["", "a secret", "contraseña", "x" * 256, "a\0b"])
def test_a_hash_is_read_as_its_makers_read_it(secret: str) -> None:
    """Of every form of secret, with lanes and costs of its own; cut short or changed it is of nothing."""
    for made in (PasswordHasher(2, 64, 4), PasswordHasher(1, 8, 1, hash_len=16, salt_len=8)):
        hash_ = made.hash(secret)
        assert is_hash_of(hash_, secret)
        assert not is_hash_of(hash_, secret + "x")
        other = "A" if hash_[-4] != "A" else "B"
        changed = f"{hash_[:-4]}{other}{hash_[-3:]}"
        for none in ("", "$", "no hash", changed, hash_[:-30], hash_.replace("$v=19", "")):
            assert not is_hash_of(none, secret)


@on_loop
async def test_few_are_checked_at_once_and_few_wait() -> None:
    """A thousand sign-in attempts: those that cannot be checked soon are refused at once."""
    hashing = PasswordHashing(CHEAP)
    most = AT_ONCE + WAITING_MAX
    checks = [hashing.fits(None, "x", str(place)) for place in range(2 * most)]
    known = [hashing.fits(None, "x", f"known {place}", known=True) for place in range(OF_KNOWN + 1)]
    found = await asyncio.gather(*checks, *known, return_exceptions=True)
    strangers, known_ones = found[: 2 * most], found[2 * most :]
    assert strangers[: most - OF_KNOWN] == [False] * (most - OF_KNOWN)
    assert all(_too_many(one) for one in strangers[most - OF_KNOWN :])
    assert known_ones[:-1] == [False] * OF_KNOWN, "strangers from whatever many places leave room for them"
    assert _too_many(known_ones[-1])
    assert await hashing.fits(None, "x") is False
    hashing.close()


@on_loop
async def test_one_place_leaves_room_for_others() -> None:
    """Misuse: many at once from one address hold up that one; afterwards it has its share again."""
    hashing = PasswordHashing(CHEAP)
    flood = [hashing.fits(None, "x", "10.0.0.66") for _ in range(AT_ONCE + WAITING_MAX)]
    *found, other = await asyncio.gather(*flood, hashing.fits(None, "x", "10.0.0.5"), return_exceptions=True)
    assert found[:OF_PLACE] == [False] * OF_PLACE
    assert all(_too_many(one) for one in found[OF_PLACE:])
    assert other is False
    assert await hashing.fits(None, "x", "10.0.0.66") is False
    hashing.close()


@on_loop
async def test_strangers_wait_for_each_other_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """One check at a time for unknown places, each with one lane; a known place has another one."""
    hashing, inside, most, go = PasswordHashing(), Counter[str](), Counter[str](), Event()
    kept = await hashing.hash("a secret")
    assert ",p=1$" in kept

    def verify(*_given: object) -> bool:
        lane = current_thread().name.partition("_")[0]
        inside[lane] += 1
        most[lane] = max(most[lane], inside[lane])
        go.wait()
        inside[lane] -= 1
        return True

    monkeypatch.setattr(hashing_module, "is_hash_of", verify)
    strangers = [hashing.fits(kept, "x", f"10.0.0.{number}") for number in range(20)]
    checks = [asyncio.ensure_future(check) for check in strangers]  # noqa: TID251 - they are awaited below
    known = asyncio.ensure_future(hashing.fits(kept, "x", "device 1", known=True))  # noqa: TID251 - as these
    await until(lambda: len(inside) == 2)
    go.set()
    assert all(await asyncio.gather(*checks, known))
    assert most == {"stranger": 1, "secret": 1}
    hashing.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority of each thread's own")
@on_loop
async def test_a_hash_gives_way_to_wagers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Misuse: guesses of secrets take a processor, and tables that share it go first."""
    hashing, found = PasswordHashing(CHEAP), []

    def verify(*_given: object) -> bool:
        found.append(os.getpriority(os.PRIO_PROCESS, get_native_id()))
        return True

    monkeypatch.setattr(hashing_module, "is_hash_of", verify)
    for known in (False, True):
        await hashing.fits("a hash", "x", "10.0.0.5", known=known)
    here = os.getpriority(os.PRIO_PROCESS, get_native_id())
    assert found == [min(here + NICER, 19)] * 2
    hashing.close()


@on_loop
async def test_a_hash_of_four_lanes_still_fits() -> None:
    """A password that was chosen before checks had one lane is good as it was."""
    hashing = PasswordHashing()
    assert await hashing.fits(PasswordHasher(parallelism=4).hash("a secret"), "a secret")
    hashing.close()
