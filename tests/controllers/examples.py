"""Starts the example controllers of other languages."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests import ceilings

FOLDER: Final = Path(__file__).parents[2] / "controllers" / "examples"
WAIT_S: Final = ceilings.WAIT_S


def node() -> list[str]:
    """Command of the table in JavaScript; without Node the test is skipped, in CI it fails."""
    need("node")
    return ["node", str(FOLDER / "node" / "play.mjs")]


def c(folder: Path, *sources: Path) -> list[str]:
    """Command of the table in C, built in the folder; without gcc as with `node`.

    sources: what is built with it in the place of its dealer.
    """
    need("gcc")
    built = folder / "table"
    own = [file for file in (FOLDER / "c").glob("*.c") if not sources or file.name != "play.c"]
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    checked = ["-fsanitize=undefined", "-fno-sanitize-recover=all"] if sources else []
    command: list[str | Path] = ["gcc", *strict, *checked, f"-I{FOLDER / 'c'}", "-o", built, *own, *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert done.returncode == 0, done.stderr
    return [str(built)]


def need(tool: str) -> None:
    if shutil.which(tool) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"missing: {tool}")


class Playing:
    """A running example. told: its commands with their answers, as they come."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told: list[dict[str, Any]] = []

    async def until_told(self, count: int) -> None:
        """Returns once it has reported so many answers."""
        assert self.process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            while len(self.told) < count:
                line = await self.process.stdout.readline()
                assert line, await self._ended()
                self.told.append(json.loads(line))

    async def until_done(self) -> None:
        """Returns once it has played all its rounds; fails with its error output."""
        async with asyncio.timeout(WAIT_S):
            assert self.process.stdout is not None
            while line := await self.process.stdout.readline():
                self.told.append(json.loads(line))
            complaint = await self._ended()
        assert self.process.returncode == 0, complaint

    async def _ended(self) -> str:
        assert self.process.stderr is not None
        complaint = (await self.process.stderr.read()).decode()
        await self.process.wait()
        return complaint


@asynccontextmanager
async def playing(
    program: Sequence[str], table: str, servers: Sequence[str], key: bytes, folder: Path, *more: str
) -> AsyncIterator[Playing]:
    """Runs the example against these servers, its memory in the folder; kills it at the end."""
    secret = folder / f"{table}.hex"
    secret.write_text(key.hex())
    given = [
        "--server",
        ",".join(servers),
        "--id",
        table,
        "--key",
        secret,
        "--memory",
        folder / f"{table}.memory",
    ]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *program, *map(str, given), *more, stdout=pipe, stderr=pipe
    )
    try:
        yield Playing(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
