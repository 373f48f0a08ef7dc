"""Who may act on this machine? The admin unix socket: the HTTP API for those who can open it (mode 0600).

An act carries the name given, else the login name of the peer's process, and a second name where the rules
ask for two people. Nobody proves who they are, and the journal says so of every name that comes from here.
"""

import os
import pwd
import socket
import stat
import struct
from pathlib import Path
from typing import Any, Final

# pid, uid and gid of the peer, as the kernel gives them.
_CREDENTIALS: Final = struct.Struct("3i")


def bound(path: Path) -> socket.socket:
    """A socket at `path`, mode 0600 from its first moment; a stale one there was of an earlier process.

    Raises OSError.
    """
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        path.unlink()
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        raw.bind(str(path))
    except OSError:
        raw.close()
        raise
    finally:
        os.umask(mask)
    return raw


def login(peer: Any) -> str:
    """The login name of the process at the other end."""
    packed = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(packed)
    return login_of(uid)


def login_of(uid: int) -> str:
    """The login name of a user of this machine."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
