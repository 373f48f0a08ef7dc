"""Who validates and pays what the tables win? A simulated floor supervisor, at the server's admin socket."""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any, Final

from jackpot.lab.pace import WALK_S, Pace
from jackpot.lab.scene import FloorError, Happening, Scene, dollars

NAME: Final = "demo supervisor"

# One answer lists a page of hits, each with at most two frames' awards.
ANSWER_MOST: Final = 16_777_216


class Supervisor:
    """When called, they validate every hit that waits and pay it. socket: the admin socket's path."""

    def __init__(self, socket: Path, rng: Random, pace: Pace, scene: Scene) -> None:
        self._socket = socket
        self._rng = rng
        self._pace = pace
        self._scene = scene
        self._called = asyncio.Event()
        self._ending = False

    def call(self) -> None:
        """A table has a win that waits."""
        self._called.set()

    def finish(self) -> None:
        """Lets `work` return once nothing waits. Call it when no table plays any more."""
        self._ending = True
        self._called.set()

    async def work(self) -> None:
        """Walks to the tables until `finish`, and then once more: a hit may have come while they were paying.

        Hits left open before a restart are looked for first.
        """
        await self._attend()
        ended = False
        while not ended:
            await self._called.wait()
            ended = self._ending
            self._called.clear()
            await self._pace.pause(WALK_S, self._rng)
            await self._attend()

    async def _attend(self) -> None:
        reader, writer = await asyncio.open_unix_connection(self._socket, limit=ANSWER_MOST)
        try:
            page = await _ask(reader, writer, do="hits")
            while page["hits"]:
                for hit in page["hits"]:
                    await self._see_to(reader, writer, hit)
                page = await _ask(reader, writer, do="hits", after=page["hits"][-1]["hit"])
        finally:
            writer.close()

    async def _see_to(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hit: dict[str, Any]
    ) -> None:
        for act, due in (("validate", {"pending"}), ("pay", {"pending", "validated"})):
            if any(award["status"] in due for award in hit["awards"]):
                await _ask(reader, writer, do=act, by=NAME, hit=hit["hit"])
                self._note(act, hit)

    def _note(self, act: str, hit: dict[str, Any]) -> None:
        done = {"validate": "validated", "pay": "paid"}[act]
        text = f"{done} {hit['hit']} {hit['hand']} {dollars(hit['amount'])} at {hit['table']}"
        self._scene.acts.appendleft(Happening(text, hit["level"] is not None))


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, **request: str) -> dict[str, Any]:
    writer.write(json.dumps(request).encode() + b"\n")
    answer: dict[str, Any] = json.loads(await reader.readline())
    if not answer["ok"]:
        raise FloorError(f"supervisor: {request}: {answer['code']}: {answer['message']}")
    return answer
