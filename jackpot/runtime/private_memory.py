"""Keeps this process's memory out of core dumps, debuggers and other processes of its user (Y9).

Root can read it all the same, and so can whoever may change the program. Python cannot overwrite what it has
freed, so keys and triggers may stay in memory until the process ends.
"""

import ctypes
import os
import resource
import sys
from contextlib import suppress
from typing import Final

from jackpot.runtime.errors import ServerError

# From Linux's <linux/prctl.h>.
_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4


class MemoryNotPrivate(ServerError):
    """The system does not keep this process's memory private; the text says what failed."""


def make_private() -> None:
    """Makes this process neither dumpable nor traceable by its own user. Raises MemoryNotPrivate.

    A process that it starts is dumpable again, and has none of its memory.
    """
    with suppress(OSError, ValueError):  # a unit's filter of system calls may forbid it; the next one counts
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sys.platform.startswith("linux"):
        raise MemoryNotPrivate("only on Linux can a process forbid others to read its memory")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise MemoryNotPrivate(f"prctl(PR_SET_DUMPABLE) failed: {os.strerror(ctypes.get_errno())}")


def is_private() -> bool:
    """Whether it is neither dumpable nor traceable now."""
    return sys.platform.startswith("linux") and not ctypes.CDLL(None).prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0)
