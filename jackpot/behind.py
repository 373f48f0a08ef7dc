"""How does a process do long work behind the server's own? Nicer, of little memory, and the first to end."""

import os
import resource
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


def answer(work: Callable[[bytes], bytes]) -> None:
    """One question from standard input, its answer to standard output; where memory ends, so does this."""
    with suppress(OSError):  # only Linux has it
        _SCORE.write_text(_FIRST)
    with suppress(OSError, ValueError):  # where less is allowed already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MOST, MEMORY_MOST))
    sys.stdout.buffer.write(work(sys.stdin.buffer.read()))


def go_behind() -> None:
    """From here on the server's own process goes first."""
    with suppress(PermissionError):  # a unit may forbid it; then both are as they are
        os.nice(NICER)
