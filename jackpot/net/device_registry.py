"""Registry of configured devices, their keys, and which keys are revoked.

The configuration names devices and keys; the journal says which keys have ended and who is blocked. Nothing
here depends on who is connected.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from controllers.answers import Paytable
from jackpot.publish.board import MeterBoard
from jackpot.rules.commands import Command
from jackpot.runtime.service import Service
from jackpot.text import counted

# Enough of a key's hash to tell keys apart in a journal, and nothing of the key itself.
FINGERPRINT_DIGITS: Final = 16
# WIRE: three replacements in a minute mean two devices with one key.
CONFLICT_REPLACEMENTS: Final = 3
CONFLICT_WITHIN_S: Final = 60.0


class DeviceBank(Protocol):
    """The part of a bank that a device needs: one that is written here, or one that is only shown here."""

    @property
    def name(self) -> str: ...
    @property
    def board(self) -> MeterBoard: ...
    @property
    def service(self) -> Service:
        """Whether it serves devices here, may soon, or does so elsewhere."""

    @property
    def full(self) -> bool:
        """Whether it can take no more commands."""

    def act(self, command: Command, release: Callable[[Any], None]) -> None:
        """Has the bank decide an act of the server itself about a device that is let in."""


class RegisteredDevice:
    """A configured device: its links, and the banks that they lie in; a table's lie in one.

    posted: the odds that a sign shows of tables, as it is sent them.
    """

    __slots__ = ("banks", "id", "links", "posted")

    def __init__(
        self,
        device: str,
        links: Sequence[str],
        banks: Iterable[DeviceBank],
        posted: Sequence[Paytable] = (),
    ) -> None:
        self.id = device
        self.posted = tuple(posted)
        self.links = frozenset(links)
        self.banks = tuple(dict.fromkeys(banks))

    @property
    def served(self) -> bool:
        """Whether all its banks serve it here."""
        return all(bank.service is Service.HERE for bank in self.banks)

    @property
    def coming(self) -> bool:
        """Whether all its banks serve it here, or may soon."""
        return all(bank.service is not Service.ELSEWHERE for bank in self.banks)


def fingerprint(key: bytes) -> str:
    """The fingerprint of a key, which a journal and an operator may know."""
    return hashlib.sha256(key).hexdigest()[:FINGERPRINT_DIGITS]


class DeviceRegistry:
    """All devices of one role ("table" or "sign"). configured: the keys of a role and device, oldest first.

    blocked: devices that an operator must clear first. ended: pairs of a device and the fingerprint of a
    revoked key.
    """

    def __init__(
        self,
        role: str,
        devices: Iterable[RegisteredDevice],
        configured: Callable[[str, str], Sequence[bytes]],
    ) -> None:
        self.role = role
        self.devices: Mapping[str, RegisteredDevice] = {device.id: device for device in devices}
        self.blocked: set[str] = set()
        self.ended: set[tuple[str, str]] = set()
        self._configured = configured
        self._replaced: dict[str, deque[float]] = {}

    def keys(self, role: str, device: str) -> Sequence[bytes]:
        """The keys that a device may greet with here; none for the other role, or an unknown device."""
        if role != self.role or device not in self.devices:
            return ()
        keys = self._configured(role, device)
        return [key for key in keys if (device, fingerprint(key)) not in self.ended]

    def why_refused(self, role: str, device: str) -> str:
        """Why a hello of this role and id is refused: for the log, never for the device."""
        if not role and not device:
            return "no hello came"
        if role != self.role:
            return f"a {role or 'device without a role'} says hello: this listener is for {self.role}s"
        if device not in self.devices:
            return "no device of this id is configured"
        ended = sum(name == device for name, _ in self.ended)
        told = f"; {counted(ended, 'key')} of it {'has' if ended == 1 else 'have'} ended" if ended else ""
        return f"no valid key of it made this mac{told}"

    def end_before(self, device: str, used: str) -> list[str]:
        """Revokes the device's keys that are older than the one in use; returns their fingerprints."""
        known = self.fingerprints(device)
        older = known[: known.index(used)] if used in known else known
        self.ended |= {(device, key) for key in older}
        return older

    def fingerprints(self, device: str) -> list[str]:
        """The fingerprints of the keys that it may greet with, oldest first."""
        return [fingerprint(key) for key in self.keys(self.role, device)]

    def learn(
        self,
        bank: DeviceBank,
        blocked: Iterable[tuple[str, str]],
        ended: Iterable[tuple[str, str, str]],
    ) -> list[str]:
        """Takes revoked keys (role, device, key) from a journal.

        Returns the devices that have no valid key now.
        """
        self.blocked -= {name for name, device in self.devices.items() if device.banks[0] is bank}
        self.blocked |= {device for role, device in blocked if role == self.role}
        self.ended |= {(device, key) for role, device, key in ended if role == self.role}
        own = (name for name, device in self.devices.items() if bank in device.banks)
        return [name for name in own if not self.keys(self.role, name)]

    def conflict(self, device: str, now: float) -> bool:
        """Counts a replacement; True if there were so many that the device is blocked from now on."""
        times = self._replaced.setdefault(device, deque())
        times.append(now)
        while times[0] <= now - CONFLICT_WITHIN_S:
            times.popleft()
        if len(times) < CONFLICT_REPLACEMENTS:
            return False
        times.clear()
        self.blocked.add(device)
        return True
