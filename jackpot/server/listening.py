"""Where do devices reach this process, over TLS or not, and how are they let go?"""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from typing import Final

from jackpot.config import Address, Config
from jackpot.server.devices import Connection, Devices

# Devices have this long to read their last answers.
CLOSE_WITHIN_S: Final = 2.0
# After a takeover a whole floor comes at one moment, and whoever finds no room is told nothing: it tries
# again after many seconds. The kernel keeps no more than this unless it is told to.
BACKLOG: Final = 4_096


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


async def listen(
    address: Address, connection: Callable[..., Connection], tls: ssl.SSLContext | None
) -> asyncio.Server:
    """Lets devices in at `address`. Raises OSError."""
    certified = tls is not None and tls.verify_mode is ssl.CERT_REQUIRED
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: connection(certified=certified), address.host, address.port, ssl=tls, backlog=BACKLOG
    )


def port_of(listener: asyncio.Server) -> int:
    """The port that it got, also where the configuration said 0."""
    port: int = listener.sockets[0].getsockname()[1]
    return port


async def close(devices: Sequence[Devices]) -> None:
    """Closes every connection once it was sent what is due; after 2 s whatever was not read."""
    for each in devices:
        each.close_all()
    try:
        async with asyncio.timeout(CLOSE_WITHIN_S):
            for each in devices:
                await each.gone.wait()
    except TimeoutError:
        for each in devices:
            each.abort_all()
