"""The admin unix socket: the HTTP API for users of this machine who can open it.

That is the server's own user, root, and the members of a group that the configuration names. Each acts as the
person with the login name of the peer's process. Only where the site has no person, and its configuration
requires none, an act carries the name given, else that login name, and a second name where the rules ask for
two people. These names are unauthenticated, and the journal says so of every name from here.
"""

import grp
import os
import pwd
import socket
import stat
import struct
from pathlib import Path
from typing import Any, Final

# pid, uid and gid of the peer, as the kernel gives them.
_CREDENTIALS: Final = struct.Struct("3i")


def bound(path: Path, group: str = "") -> socket.socket:
    """Binds a socket at `path`, mode 0600 from its first moment; replaces one of an earlier process.

    group: its members may open it, too. Raises OSError.
    """
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        path.unlink()
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        raw.bind(str(path))
        if group:
            _open_to(path, group)
    except OSError:
        raw.close()
        raise
    finally:
        os.umask(mask)
    return raw


def _open_to(path: Path, group: str) -> None:
    """Lets the members of a group open the socket. Raises OSError."""
    try:
        os.chown(path, -1, grp.getgrnam(group).gr_gid)
    except KeyError as error:
        raise OSError(f"{path}: this machine has no group {group} ([listen] admin_group)") from error
    except PermissionError as error:
        raise OSError(
            f"{path}: the server's own user is not in group {group} ([listen] admin_group)"
        ) from error
    path.chmod(0o660)


def peer_of(connection: Any) -> int:
    """The user of the peer process."""
    packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(packed)
    return int(uid)


def reads_the_ledger(uid: int) -> bool:
    """Whether that user can read the ledger anyway: the server's own, and root."""
    return uid in (0, os.geteuid())


def login_of(uid: int) -> str:
    """The login name of a user of this machine."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
