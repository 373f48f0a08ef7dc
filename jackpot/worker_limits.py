"""Resource limits of worker processes: nicer than the server, little memory, and the first to be killed."""

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
MEMORY_MAX: Final = 1024**3
# Of processor time: nobody waits for an answer as long as this.
SECONDS_MAX: Final = 60
# Begins a line that says how far the work is; no answer in JSON does.
PROGRESS: Final = b"+"
# From Linux's <linux/prctl.h>: the signal that this process gets when the one that started it ends.
_PR_SET_PDEATHSIG: Final = 1


def answer(work: Callable[[bytes], bytes], seconds_max: int = SECONDS_MAX) -> None:
    """Answers one question from standard input on standard output, within the memory limit.

    seconds_max: of processor time.
    """
    end_with_the_server()
    go_behind()
    with suppress(OSError):  # only Linux has it
        _SCORE.write_text(_FIRST)
    for bound, most in ((resource.RLIMIT_AS, MEMORY_MAX), (resource.RLIMIT_CPU, seconds_max)):
        with suppress(OSError, ValueError):  # where less is allowed already
            resource.setrlimit(bound, (most, most))
    sys.stdout.buffer.write(work(sys.stdin.buffer.read()))


def tell(done: int, of: int) -> None:
    """Tells the server how far the work is: a line of its own before the answer."""
    sys.stdout.buffer.write(PROGRESS + b"%d %d\n" % (done, of))
    sys.stdout.buffer.flush()


def end_with_the_server() -> None:
    """Makes the kernel kill this process when its parent ends: nobody would read its answer."""
    with suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def go_behind() -> None:
    """Lowers this process's priority below the server's own process."""
    with suppress(PermissionError):  # a unit may forbid it; then both are as they are
        os.nice(NICER)
