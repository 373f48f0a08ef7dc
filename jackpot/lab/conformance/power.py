"""Power cuts for the device under test: kills its process, or asks a person."""

import asyncio
import os
import shlex
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from controllers.device import FIRST_WAIT_S

STARTS: Final = "{server}"
"""Stands in the command of a device for the address where the tester listens."""


# A line of a device that is longer is no line for people; the rest of it is dropped.
LINE_MAX: Final = 2_000
# Between an end of the device and its next start, as between two attempts of a device to connect.
RESTART_S: Final = FIRST_WAIT_S
# For what a killed device had printed to be read: a process that left its group may hold its output open.
ENDS_S: Final = 5.0


class ProcessPower:
    """Power of a device that is a program.

    killed as a power loss would, and restarted. command: its words. say: hears each line that it prints, and
    how it ended by itself. again: start it once more when it has.
    """

    def __init__(
        self, command: str, say: Callable[[str], None] = lambda _: None, *, again: bool = False
    ) -> None:
        self._words = shlex.split(command)
        self._say, self._again = say, again
        self._process: asyncio.subprocess.Process | None = None
        self._server = ""
        self._watched: asyncio.Task[None] | None = None

    async def start(self, server: str) -> None:
        """Raises OSError where there is no such program."""
        self._server = server
        # `kill` ends it, and waits for it: it outlives this call, so no group can hold it.
        self._watched = asyncio.create_task(self._watch(await self._started()))  # noqa: TID251 - see above

    async def cycle(self) -> None:
        """Cuts the power, and restores it."""
        await self.kill()
        await self.start(self._server)

    async def kill(self) -> None:
        watched, self._watched = self._watched, None
        process, self._process = self._process, None
        if watched is None:
            return
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await asyncio.wait([watched], timeout=ENDS_S)
        watched.cancel()
        await asyncio.wait([watched])

    async def _started(self) -> asyncio.subprocess.Process:
        """The process, in a group of its own: a power loss ends what it has started, too."""
        self._process = await asyncio.create_subprocess_exec(
            *(word.replace(STARTS, self._server) for word in self._words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=LINE_MAX,
            start_new_session=True,
        )
        return self._process

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Tells what the device prints and how it ends; then starts it again, if that is wanted."""
        while True:
            if process.stdout is not None:
                await self._read(process.stdout)
            code = await process.wait()
            if self._process is not process:
                return  # it was killed
            self._process = None
            self._say(f"the device ended by itself: {_ending(code)}")
            if not self._again:
                return
            await asyncio.sleep(RESTART_S)
            try:
                process = await self._started()
            except OSError as error:
                self._say(f"the device does not start again: {error.strerror or error}")
                return

    async def _read(self, printed: asyncio.StreamReader) -> None:
        """Reads all that it prints, so that it never waits for a reader."""
        cut = False  # a part of this line was said, and it goes on
        while not printed.at_eof():
            try:
                line, whole = await printed.readuntil(), True
            except asyncio.IncompleteReadError as last:
                line, whole = last.partial, True
            except asyncio.LimitOverrunError as long:
                line, whole = await printed.readexactly(long.consumed), False
            if line and not cut:
                self._say(_printed(line))
            cut = not whole


def _printed(line: bytes) -> str:
    """A line of the device, as people may see it: without what moves a terminal's cursor."""
    text = line[:LINE_MAX].decode(errors="replace").rstrip("\r\n")
    return f"  device: {''.join(letter if letter.isprintable() else '?' for letter in text)}"


def _ending(code: int) -> str:
    """How a process ended."""
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


class ManualPower:
    """Power of a real device, cut by a person. ask: shows them a line, returns once they have done it."""

    def __init__(self, ask: Callable[[str], object]) -> None:
        self._ask = ask

    async def cycle(self) -> None:
        """Asks the person, and waits."""
        text = "Cut the device's power now, and switch it on again. Then press Enter"
        await asyncio.to_thread(self._ask, text)
