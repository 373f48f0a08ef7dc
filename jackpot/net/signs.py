"""TCP connections of the signs, which receive meters and send no commands."""

import secrets
from typing import Final

from controllers.answers import Welcome
from controllers.frames import encode
from controllers.hello import VERSION
from controllers.messages import TableMessage
from controllers.session import Greeted
from jackpot.config.posting import with_running_cycles
from jackpot.net.admission import NO_LISTENER, ConnectionAdmission
from jackpot.net.connection import Connection
from jackpot.net.device_protocol import Reads
from jackpot.net.device_registry import RegisteredDevice
from jackpot.net.devices import ConnectedDevices
from jackpot.publish.broadcaster import Subscription

# WIRE: a sign that has left its values unread for 10 s is closed.
SIGN_UNREAD_S: Final = 10.0
# Pushes that a sign has not read yet; values are never queued, so this is hundreds of hits.
SIGN_UNREAD_MAX: Final = 65_536
# The system's own buffer in front of a sign: small, so that a slow sign's next value is a new one.
SIGN_SEND_BUFFER: Final = 16_384


class Signs(ConnectedDevices):
    """All connections of signs."""

    def connection(
        self, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER
    ) -> "SignConnection":
        """Makes the connection of a sign that just connected."""
        return SignConnection(self, certified=certified, admission=admission)


class SignConnection(Connection):
    """One sign's connection."""

    reads = Reads(SIGN_UNREAD_MAX, SIGN_UNREAD_S, SIGN_SEND_BUFFER)

    def __init__(
        self, devices: ConnectedDevices, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER
    ) -> None:
        super().__init__(devices, certified=certified, admission=admission)
        self._links: frozenset[str] = frozenset()
        self._shown: list[Subscription] = []

    def greeted(self, device: RegisteredDevice, event: Greeted) -> None:
        """Welcomes the sign at once: boards show only what is durable."""
        unknown = set(event.links or ()) - device.links
        if unknown:
            self.fail("bad_frame", f"links: {min(unknown)} is not of this sign")
            return
        self._links = device.links if event.links is None else frozenset(event.links)
        boards = [bank.board for bank in device.banks]
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
        self._shown = [
            board.broadcaster.watch(self, self._links.intersection(board.links)) for board in boards
        ]
        for paytable in device.posted:
            links = [wager.link for wager in paytable.wagers]
            sums = [sum_ for board in boards for sum_ in board.must_hit_by(links)]
            self.tell(encode(with_running_cycles(paytable, sums)))
        for board in boards:
            for hit in board.recent_hits(self._links):
                self.tell(encode(hit))

    def commanded(self, device: RegisteredDevice, command: TableMessage, digest: bytes) -> None:
        """Unreachable: a sign's session lets no command through."""

    def over(self) -> None:
        """Stops showing it anything."""
        for end in self._shown:
            end()
