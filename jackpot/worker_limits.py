"""How does a process do long work behind the server's own? Nicer, of little memory, and the first to end."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

# The tables' own process goes first.
NICER: Final = 10
# Where memory runs out, the kernel ends this process before any other; the server's own score was inherited.
_SCORE: Final = Path("/proc/self/oom_score_adj")
_FIRST: Final = "1000"
# Of addresses, in bytes: a report and the lab's figures take some 50 MB, its pictures 200. What grows beyond
# this fails by itself.
MEMORY_MOST: Final = 1024**3
# Of processor time: nobody waits for an answer as long as this.
SECONDS_MOST: Final = 60
# From Linux's <linux/prctl.h>: the signal that this process gets when the one that started it ends.
_PR_SET_PDEATHSIG: Final = 1


def answer(work: Callable[[bytes], bytes]) -> None:
    """One question from standard input, its answer to standard output; where memory ends, so does this."""
    end_with_the_server()
    go_behind()
    with suppress(OSError):  # only Linux has it
        _SCORE.write_text(_FIRST)
    for bound, most in ((resource.RLIMIT_AS, MEMORY_MOST), (resource.RLIMIT_CPU, SECONDS_MOST)):
        with suppress(OSError, ValueError):  # where less is allowed already
            resource.setrlimit(bound, (most, most))
    sys.stdout.buffer.write(work(sys.stdin.buffer.read()))


def end_with_the_server() -> None:
    """From here on this process is killed when the one that started it ends: nobody reads what it says."""
    with suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def go_behind() -> None:
    """From here on the server's own process goes first."""
    with suppress(PermissionError):  # a unit may forbid it; then both are as they are
        os.nice(NICER)
