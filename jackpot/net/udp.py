"""UDP text output of meters for signage players, as `name:value!!name:value` datagrams.

Each datagram stands by itself: it holds whole values, so that a lost one is made good by the next. Nothing is
sent for a bank whose ledger is in doubt: silence is what such a player takes for a fault.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import structlog

from jackpot.config import UdpSign
from jackpot.publish.board import MeterBoard
from jackpot.publish.broadcaster import SIGN_INTERVAL_S

# A lost datagram is made good within a second; WIRE asks for 5 s.
REPEAT_S: Final = 1.0
# With its headers a datagram stays below Ethernet's 1,500 bytes: no network on the way has to cut it.
DATAGRAM_MAX: Final = 1_400
SEPARATOR: Final = "!!"
# Multicast stays on the floor's own network unless its routers are told otherwise.
MULTICAST_TTL: Final = 1

log: Final = structlog.get_logger()


def datagrams(items: Iterable[str]) -> list[bytes]:
    """Joins the items by `!!` into as many datagrams as they need."""
    found: list[bytes] = []
    for item in (item.encode() for item in items):
        separated = SEPARATOR.encode() + item
        if found and len(found[-1]) + len(separated) <= DATAGRAM_MAX:
            found[-1] += separated
        else:
            found.append(item)
    return found


class UdpText:
    """One configured receiver. boards: of the banks that its links lie in."""

    kind = "udp"

    def __init__(self, sign: UdpSign, boards: Sequence[MeterBoard]) -> None:
        self.sign = sign
        self.sent = 0
        self.failed = 0
        self._reachable = True
        self._boards = [(board, sorted(set(sign.links).intersection(board.links))) for board in boards]
        self._told: list[tuple[list[str], float]] = [([], 0.0)] * len(boards)
        self._socket: socket.socket | None = None
        self._to: tuple[str, int] = ("", 0)

    async def open(self) -> None:
        """Opens the socket, once the host's name is looked up. Raises OSError."""
        loop = asyncio.get_running_loop()
        address = self.sign.address
        ((family, kind, _, _, found), *_) = await loop.getaddrinfo(
            address.host, address.port, type=socket.SOCK_DGRAM
        )
        self._to = (str(found[0]), int(found[1]))
        self._socket = socket.socket(family, kind)
        self._socket.setblocking(False)
        if ipaddress.ip_address(self._to[0]).is_multicast:
            if family == socket.AF_INET:
                self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, MULTICAST_TTL)
                if self.sign.interface is not None:
                    leaves = socket.inet_aton(self.sign.interface)
                    self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, leaves)
            else:
                self._socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, MULTICAST_TTL)

    def tick(self, now: float) -> None:
        """Sends what changed, at most ten times a second, and everything once a second."""
        for place, (board, links) in enumerate(self._boards):
            told, at = self._told[place]
            if not board.trusted or now - at < SIGN_INTERVAL_S:
                continue
            items = self._items(board, links)
            if items != told or now - at >= REPEAT_S:
                self._told[place] = (items, now)
                for datagram in datagrams(items):
                    self._send(datagram)

    def break_off(self) -> None:
        """Drops what failed: the next datagram is tried in its turn."""

    def close(self) -> None:
        """Sends nothing more."""
        if self._socket is not None:
            self._socket.close()

    def _items(self, board: MeterBoard, links: Sequence[str]) -> list[str]:
        values: list[Mapping[str, str]] = [
            {"link": link, "level": level, "amount": f"{cents // 100}.{cents % 100:02}", "cents": str(cents)}
            for link, level, cents in board.values(links)
        ]
        items = [self.sign.format.format_map(value) for value in values]
        if self.sign.state_format is not None:
            for link in links:
                state = board.display(link).state.upper()
                items.append(self.sign.state_format.format_map({"link": link, "state": state}))
        return items

    def _send(self, datagram: bytes) -> None:
        """Sends a datagram. One that cannot leave now is dropped: the next one is newer."""
        assert self._socket is not None  # noqa: S101 - open() comes first
        try:
            self._socket.sendto(datagram, self._to)
            self.sent += 1
            self._reachable = True
        except OSError as error:
            self.failed += 1
            if self._reachable:
                address = str(self.sign.address)
                log.warning("udp_sign_unreachable", address=address, reason=str(error), kind=address)
            self._reachable = False
