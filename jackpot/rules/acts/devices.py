"""Blocking of devices that share a key, and ending of device keys; an ended key is never valid again."""

from typing import ClassVar, Final

from controllers.messages import Id
from jackpot.rules.acts.act import ADMIN, FLOOR_OR_ADMIN, Act, ActContext, always_server
from jackpot.rules.acts.fields import Role
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import BankState


class BlockDevice(ActCommand, tag="block-device", frozen=True):
    """Two devices fight for one key: no more hellos until an operator clears it."""

    role: str
    device: str


class DeviceBlocked(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 22
    role: str
    device: str


def decide_block(state: BankState, command: BlockDevice, _by: ActContext) -> DeviceBlocked:
    """Blocks a device that connects from two places."""
    _of_links(state)
    blocked = (command.role, command.device) in state.blocked
    refuse_if(blocked, "device_blocked_already", role=command.role, device=command.device)
    return DeviceBlocked(command.role, command.device)


def apply_device_blocked(effects: Effects, event: DeviceBlocked) -> None:
    """Blocks the device: neither holder of its key may connect."""
    key = (event.role, event.device)
    if key not in effects.state.blocked:
        effects.state.blocked.append(key)


class ClearDevice(ActCommand, tag="clear", frozen=True):
    role: Role
    device: Id


class DeviceCleared(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 23
    role: str
    device: str
    people: People


def decide_clear(state: BankState, command: ClearDevice, by: ActContext) -> DeviceCleared:
    """Clears a blocked device, after an operator looked into the conflict."""
    _of_links(state)
    blocked = (command.role, command.device) in state.blocked
    refuse_if(not blocked, "device_not_blocked", device=command.device)
    return DeviceCleared(command.role, command.device, by.people)


def apply_device_cleared(effects: Effects, event: DeviceCleared) -> None:
    """Allows the device to connect again."""
    effects.state.blocked.remove((event.role, event.device))


class EndKey(ActCommand, tag="end-key", frozen=True):
    """The first hello with a new key ends the old one, or people do. fingerprint: of the key that ends.

    more: of the device's other keys that end with it.
    """

    role: str
    device: str
    fingerprint: str
    more: tuple[str, ...] = ()


class KeyEnded(Event, frozen=True, array_like=True):
    """A device's key has ended.

    people: who revoked it; none where a rotation ended it. more: as in `EndKey`.
    """

    kind: ClassVar[int] = 24
    role: str
    device: str
    fingerprint: str
    people: People = People()
    more: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The fingerprints of all that ended."""
        return (self.fingerprint, *self.more)


def decide_end_key(state: BankState, command: EndKey, by: ActContext) -> KeyEnded:
    """Ends the old key of a rotation, or a key that people revoke."""
    _of_links(state)
    return KeyEnded(command.role, command.device, command.fingerprint, by.people, command.more)


def apply_key_ended(effects: Effects, event: KeyEnded) -> None:
    """Ends the key, which is never valid again."""
    for key in event.keys:
        effects.state.ended.append((event.role, event.device, key))
        effects.alarm("key_ended", role=event.role, device=event.device, fingerprint=key)
    effects.told.keys = event.keys


def _of_links(state: BankState) -> None:
    refuse_if(state.bank == SITE, "bank_without_devices", bank=SITE)


ACTS: Final = (
    Act(
        BlockDevice,
        decide_block,
        {DeviceBlocked: apply_device_blocked},
    ),
    Act(
        ClearDevice,
        decide_clear,
        {DeviceCleared: apply_device_cleared},
        asked=True,
        power=FLOOR_OR_ADMIN,
    ),
    Act(EndKey, decide_end_key, {KeyEnded: apply_key_ended}, power=ADMIN, server=always_server),
)
