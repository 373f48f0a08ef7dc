"""How does a sign get its meters? The TCP shell of the signs: they only listen."""

import secrets
from typing import Final

from controllers.answers import Welcome
from controllers.frames import encode
from controllers.hello import VERSION
from controllers.messages import TableMessage
from controllers.session import Greeted
from jackpot.net.admission import NO_DOOR, Guest
from jackpot.net.connection import Connection
from jackpot.net.device_protocol import Reads
from jackpot.net.device_registry import Device
from jackpot.net.devices import Devices
from jackpot.publish.broadcaster import Subscription

# WIRE: a sign that has left its values unread for 10 s is closed.
SIGN_UNREAD_S: Final = 10.0
# Pushes that a sign has not read yet; values are never queued, so this is hundreds of hits.
SIGN_UNREAD_MOST: Final = 65_536
# The system's own buffer in front of a sign: small, so that a slow sign's next value is a new one.
SIGN_SEND_BUFFER: Final = 16_384


class Signs(Devices):
    """All signs."""

    def connection(self, *, certified: bool, guest: Guest = NO_DOOR) -> "SignConnection":
        """A shell for a sign that just connected."""
        return SignConnection(self, certified=certified, guest=guest)


class SignConnection(Connection):
    """One sign's connection."""

    reads = Reads(SIGN_UNREAD_MOST, SIGN_UNREAD_S, SIGN_SEND_BUFFER)

    def __init__(self, devices: Devices, *, certified: bool, guest: Guest = NO_DOOR) -> None:
        super().__init__(devices, certified=certified, guest=guest)
        self._links: frozenset[str] = frozenset()
        self._shown: list[Subscription] = []

    def greeted(self, device: Device, event: Greeted) -> None:
        """Welcomed at once: boards show only what is durable."""
        unknown = set(event.links or ()) - device.links
        if unknown:
            self.fail("bad_frame", f"links: {min(unknown)} is not of this sign")
            return
        self._links = device.links if event.links is None else frozenset(event.links)
        boards = [desk.board for desk in device.desks]
        self.session.welcome(
            Welcome(
                v=VERSION,
                session=secrets.token_hex(8),
                heartbeat_ms=self.devices.limits.heartbeat_ms,
                last_seq=0,
                last=None,
                held=False,
                links=tuple(fact for board in boards for fact in board.facts(sorted(self._links))),
                round=None,
            )
        )
        self._shown = [board.audience.watch(self, self._links.intersection(board.links)) for board in boards]
        for board in boards:
            for hit in board.recent_hits(self._links):
                self.tell(encode(hit))

    def commanded(self, device: Device, command: TableMessage, digest: bytes) -> None:
        """A sign's session lets no command through."""

    def over(self) -> None:
        """Shows it nothing more."""
        for end in self._shown:
            end()
