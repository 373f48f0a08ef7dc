"""Does long work next to the server take no more memory than it may?"""

import subprocess
import sys
from pathlib import Path

from jackpot import behind
from tests.server.bed import on_loop, until


@on_loop
async def test_where_memory_is_short_it_ends_first() -> None:
    """Misuse: where memory is short this process ends before the server does, and asks for little."""
    words = [
        sys.executable,
        "-c",
        "from jackpot import behind; behind.answer(lambda asked: behind.go_behind() or asked.upper())",
    ]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        of_it = Path(f"/proc/{process.pid}")
        bounded = f"Max address space         {behind.MEMORY_MOST}"
        await until(lambda: bounded in (of_it / "limits").read_text())
        assert (of_it / "oom_score_adj").read_text() == "1000\n"
        assert process.communicate(b"asked")[0] == b"ASKED"
