"""Worker processes stay within their resource limits, and end with the server."""

import os
import subprocess
import sys
from pathlib import Path

from jackpot import worker_limits
from tests.running_server import on_loop, until

ANSWER = "from jackpot import worker_limits; worker_limits.answer(lambda asked: asked.upper())"


@on_loop
async def test_where_memory_is_short_it_ends_first() -> None:
    """Misuse: tables have priority; where memory is short the worker is killed before the server."""
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    words = [sys.executable, "-c", ANSWER]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        of_it = Path(f"/proc/{process.pid}")
        bounded = (
            f"Max address space         {worker_limits.MEMORY_MAX}",
            f"Max cpu time              {worker_limits.SECONDS_MAX}",
        )
        await until(lambda: all(line in (of_it / "limits").read_text() for line in bounded))
        assert (of_it / "oom_score_adj").read_text() == "1000\n"
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(ours + worker_limits.NICER, 19)
        assert process.communicate(b"asked")[0] == b"ASKED"


def gone(pid: int) -> bool:
    """Whether that process has ended, reaped or not."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


@on_loop
async def test_it_ends_with_a_server_that_was_killed() -> None:
    """Misuse: a worker whose server was killed ends, because nobody reads its answer any more."""
    question, end = os.pipe()  # its other end stays open here, so that no question ever comes
    server = (
        "import subprocess, sys; "
        f"child = subprocess.Popen([sys.executable, '-c', {ANSWER!r}], stdin={question}); "
        "print(child.pid, flush=True); child.wait()"
    )
    words = [sys.executable, "-c", server]
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, pass_fds=[question]) as process:
            assert process.stdout is not None
            child = int(process.stdout.readline())
            score = Path(f"/proc/{child}/oom_score_adj")
            await until(lambda: score.read_text() == "1000\n")
            assert not gone(child)
            process.kill()
            await until(lambda: gone(child))
    finally:
        os.close(question)
        os.close(end)
