"""Power cuts for the device under test: kills its process, or asks a person."""

import asyncio
import shlex
from collections.abc import Callable
from typing import Final

STARTS: Final = "{server}"
"""Stands in the command of a device for the address where the tester listens."""


class ProcessPower:
    """Power of a device that is a program.

    killed as a power loss would, and restarted. command: its words.
    """

    def __init__(self, command: str) -> None:
        self._words = shlex.split(command)
        self._process: asyncio.subprocess.Process | None = None
        self._server = ""

    async def start(self, server: str) -> None:
        """Raises OSError where there is no such program."""
        self._server = server
        words = [word.replace(STARTS, server) for word in self._words]
        quiet = asyncio.subprocess.DEVNULL
        self._process = await asyncio.create_subprocess_exec(*words, stdin=quiet, stdout=quiet, stderr=quiet)

    async def cycle(self) -> None:
        """Cuts the power, and restores it."""
        await self.kill()
        await self.start(self._server)

    async def kill(self) -> None:
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


class ManualPower:
    """Power of a real device, cut by a person. ask: shows them a line, returns once they have done it."""

    def __init__(self, ask: Callable[[str], object]) -> None:
        self._ask = ask

    async def cycle(self) -> None:
        """Asks the person, and waits."""
        text = "Cut the device's power now, and switch it on again. Then press Enter"
        await asyncio.to_thread(self._ask, text)
