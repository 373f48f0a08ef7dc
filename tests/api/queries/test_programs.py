"""Query of the program that decides in each bank."""

from pathlib import Path

from jackpot import __version__
from jackpot.app import Server
from tests.running_server import administer, configure, on_loop


@on_loop
async def test_each_bank_says_which_program_decides(tmp_path: Path) -> None:
    """S3: by the journal, with the row; a checkout has no digest, and here nothing waits for people."""
    config = configure(tmp_path)
    async with Server(config):
        for asked in ({}, {"bank": "main"}):
            (one,) = (await administer(config, do="/programs", **asked))["programs"]
            assert one == {"bank": "main", "version": __version__, "digest": "", "seq": 2, "waits": False}
