"""Operations on devices: which are known and connected here, and revocation of their keys."""

from typing import TYPE_CHECKING, Literal

from controllers.messages import Id
from jackpot.api.operation import Query, Reply, ServerCommand
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.fields import Role

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.net.devices import ConnectedDevices


class Device(Reply, frozen=True):
    """A table or sign. keys: fingerprints of those it may greet with. blocked: two devices used one key."""

    role: Literal["table", "sign"]
    device: str
    links: tuple[str, ...]
    online: bool
    blocked: bool
    keys: tuple[str, ...]


class Devices(Reply, frozen=True):
    devices: tuple[Device, ...]


class AskDevices(Query, frozen=True):
    """The tables and signs of the configuration, and which of them are connected here."""

    path = "/devices"
    reply = Devices

    async def answer(self, at: "QueryContext") -> Devices:
        known = at.whose.devices.items()
        return Devices(
            devices=tuple(_device(role, of, name) for role, of in known for name in of.registry.devices)
        )


class Revoked(Reply, frozen=True):
    """Ended keys of a device.

    revoked: fingerprints of the keys that ended. left: of the keys that are still valid.
    """

    revoked: tuple[str, ...]
    left: tuple[str, ...]


class Revoke(ServerCommand, tag="revoke", frozen=True):
    """A device's keys end for ever. key: the fingerprint of one of them, None for all that are valid."""

    reply = Revoked
    what = "revoke a key"
    bank_key = BankKey.OWN_DEVICE  # it keeps no key out that another bank's journal says ended
    device: Id
    role: Role = "table"
    key: str | None = None


def _device(role: str, devices: "ConnectedDevices", name: str) -> Device:
    registry = devices.registry
    return Device(
        role=role,  # type: ignore[arg-type]  # "table" or "sign", as the registries are named
        device=name,
        links=tuple(sorted(registry.devices[name].links)),
        online=name in devices.current,
        blocked=name in registry.blocked,
        keys=tuple(registry.fingerprints(name)),
    )
