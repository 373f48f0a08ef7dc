"""Limits on file descriptors, shared out among listeners and the ledger.

Each connection takes one, and so do the ledger's files. Unauthenticated connections are bounded, so that some
are always left for tables and for the ledger.
"""

import resource
from collections.abc import Iterable, Mapping
from typing import Final

import structlog

from jackpot.config import Config
from jackpot.net.admission import AdmissionLimits

# At the admin socket: people and their programs, each for one request. One user of the machine leaves half of
# them to the others, and has enough for scripts that run at the same time.
ADMIN_MAX: Final = 64
ADMIN_OF_USER: Final = 32
# Kept back for the event loop, the log, certificates, a restart of what failed, and the admin socket.
KEPT: Final = 64 + ADMIN_MAX
# A bank's own: a ledger's file with its log and index, or connections to PostgreSQL and to Redis.
KEPT_A_BANK: Final = 16
# A device's connections at one moment: the old and the new one. Where the system allows too few for that, one
# is kept for each; a new one then takes the place of a stranger until the old one has gone.
A_DEVICE: Final = 2
# Strangers at one listener, nearly all of them in its line: who waits there does not call again and again.
STRANGERS_MAX: Final = 4_096
# Strangers admitted a second: less than a tenth of a processor; a device that says no hello costs 0.2 ms, a
# request that is none 1 ms.
PACE: Final = 400
PACE_HTTP: Final = 80
# Over TLS a device's stranger costs a handshake, too: 0.5 ms, and 1 ms with an RSA key. A device that
# authenticates gives its place in the pace back, so a whole floor comes no slower for it.
PACE_TLS: Final = 80
# Connections to the admin socket are admitted as fast as over HTTP.
ADMIN: Final = AdmissionLimits(ADMIN_MAX, ADMIN_OF_USER, PACE_HTTP)
# Below this a listener cannot be used at all.
SHARE_MIN: Final = 16
# More is not asked of the system: what is above it no listener uses.
ASKED_MAX: Final = 65_536

log: Final = structlog.get_logger()


def raise_limit() -> int:
    """How many descriptors this process may have; raises the soft limit to what the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ASKED_MAX if hard == resource.RLIM_INFINITY else min(hard, ASKED_MAX)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return ASKED_MAX if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def bounds(config: Config, listeners: Iterable[str], limit: int) -> dict[str, AdmissionLimits]:
    """Shares `limit` out among the listeners ("tables", "signs", "http", "public"); logs shortages."""
    listen = config.listen
    devices = {"tables": len(config.tables), "signs": len(config.signs)}
    wanted = {name: STRANGERS_MAX if name in devices else listen.http_connections for name in listeners}
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
    pace = PACE if listen.tls is None else PACE_TLS
    return {
        name: AdmissionLimits(
            share,
            min(share, of_address[name]),
            pace if name in devices else PACE_HTTP,
            each * devices.get(name, 0),
        )
        for name, share in shares.items()
    }


def _shares(wanted: Mapping[str, int], left: int) -> dict[str, int]:
    """Everything that is wanted, or a proportional share of it."""
    total = sum(wanted.values())
    if total <= left:
        return dict(wanted)
    return {name: max(SHARE_MIN, number * left // total) for name, number in wanted.items()}
