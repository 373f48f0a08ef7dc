"""How many descriptors may this process have, and who gets them?

Each connection takes one, and so do the ledger's files. What strangers may use is so bounded that there are
always some left for tables and for the ledger.
"""

import resource
from collections.abc import Iterable, Mapping
from typing import Final

import structlog

from jackpot.config import Config
from jackpot.net.admission import Bounds

# At the admin socket: people and their programs, each for one request. One user of the machine leaves half of
# them to the others, and has enough for scripts that run at the same time.
ADMIN_MOST: Final = 64
ADMIN_OF_USER: Final = 32
# Kept back for the event loop, the log, certificates, a restart of what failed, and the admin socket.
KEPT: Final = 64 + ADMIN_MOST
# A bank's own: a ledger's file with its log and index, or connections to PostgreSQL and to Redis.
KEPT_A_BANK: Final = 16
# A device's connections at one moment: the old and the new one. Where the system allows too few for that, one
# is kept for each; a new one then takes the place of a stranger until the old one has gone.
A_DEVICE: Final = 2
# Strangers at one listener, nearly all of them in its line: who waits there does not call again and again.
STRANGERS_MOST: Final = 4_096
# Strangers let in a second: less than a tenth of a processor; a device that says no hello costs 0.2 ms, a
# request that is none 1 ms.
PACE: Final = 400
PACE_HTTP: Final = 80
# Those who come to the admin socket are let in as fast as over HTTP.
ADMIN: Final = Bounds(ADMIN_MOST, ADMIN_OF_USER, PACE_HTTP)
# Below this a listener cannot be used at all.
LEAST: Final = 16
# More is not asked of the system: what is above it no listener uses.
ASKED_MOST: Final = 65_536

log: Final = structlog.get_logger()


def allowed() -> int:
    """How many this process may have; the soft limit is raised to what the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ASKED_MOST if hard == resource.RLIM_INFINITY else min(hard, ASKED_MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return ASKED_MOST if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def bounds(config: Config, listeners: Iterable[str], limit: int) -> dict[str, Bounds]:
    """What each listener ("tables", "signs", "http", "public") may have of `limit`; said at the start."""
    listen = config.listen
    devices = {"tables": len(config.tables), "signs": len(config.signs)}
    wanted = {name: STRANGERS_MOST if name in devices else listen.http_connections for name in listeners}
    # The banks of the links, and that of the people.
    own = KEPT + KEPT_A_BANK * (len(config.banks) + 1)
    connected = sum(devices[name] for name in wanted if name in devices)
    needed = own + A_DEVICE * connected + sum(wanted.values())
    each = A_DEVICE if needed <= limit else 1
    shares = _shares(wanted, limit - own - each * connected)
    log.info("descriptors", allowed=limit, kept=own + each * connected, **shares)
    if needed > limit:
        log.warning("descriptors_short", allowed=limit, needed=needed)
    of_address = {
        name: listen.strangers_per_address if name in devices else listen.http_per_address for name in shares
    }
    return {
        name: Bounds(
            share,
            min(share, of_address[name]),
            PACE if name in devices else PACE_HTTP,
            each * devices.get(name, 0),
        )
        for name, share in shares.items()
    }


def _shares(wanted: Mapping[str, int], left: int) -> dict[str, int]:
    """All that is wanted, or each its part of what there is."""
    total = sum(wanted.values())
    if total <= left:
        return dict(wanted)
    return {name: max(LEAST, number * left // total) for name, number in wanted.items()}
