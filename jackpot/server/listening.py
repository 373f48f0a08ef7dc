"""Where do devices reach this process, over TLS or not, and how are they let go?"""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Final

from jackpot.config import Config
from jackpot.server.alone import alone
from jackpot.server.devices import Devices
from jackpot.server.door import Door

# Devices have this long to read their last answers.
CLOSE_WITHIN_S: Final = 2.0


def tls_of(config: Config, *, devices: bool) -> ssl.SSLContext | None:
    """A listener's TLS; with a client CA every device must show a certificate of it."""
    tls = config.listen.tls
    if tls is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(tls.cert, tls.key)
    if devices and tls.client_ca is not None:
        context.load_verify_locations(tls.client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def listen(door: Door, devices: Devices) -> int:
    """Lets devices in at a door; the port that it got. Raises OSError."""
    certified = door.tls is not None and door.tls.verify_mode is ssl.CERT_REQUIRED
    return door.listen(lambda guest: devices.connection(certified=certified, guest=guest).wire)


async def close(devices: Sequence[Devices]) -> None:
    """Closes every connection once it was sent what is due, after 2 s also where that was not read."""
    for each in devices:
        each.flush()
        for connection in tuple(each.connections):
            alone(connection, connection.wire.transport.close)
    try:
        async with asyncio.timeout(CLOSE_WITHIN_S):
            for each in devices:
                await each.gone.wait()
    except TimeoutError:
        for each in devices:
            for connection in tuple(each.connections):
                alone(connection, connection.break_off)
