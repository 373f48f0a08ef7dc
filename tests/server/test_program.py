"""Is it on record which program decides?"""

from pathlib import Path

import structlog

from jackpot.app import Server
from tests.server.bed import configure, on_loop


@on_loop
async def test_the_programs_own_digest_is_logged(tmp_path: Path) -> None:
    """S3: which program decides is on record, in the log and in the head's holder."""
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(tmp_path)) as server:
            head = await server._stores["main"].head("main")
    digest = next(line for line in logs if line["event"] == "starting")["program"]
    assert len(digest) == 64
    assert head.holder.endswith(digest[:12])
