"""Runs the whole simulated floor: a real server, tables and signs on real connections, a supervisor."""

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from controllers.client import SignClient, TableClient
from controllers.memory import FileMemory
from jackpot.app import Server
from jackpot.config import load
from jackpot.lab.demo.audit import Verdict, audit, meters_of
from jackpot.lab.demo.house import PLACES, SIGNS, SQLITE, DemoPlace, furnish, keep_ports, key
from jackpot.lab.demo.own_count import OwnCount
from jackpot.lab.demo.pace import DemoPace
from jackpot.lab.demo.people import Login, hire
from jackpot.lab.demo.scene import FloorError, Scene
from jackpot.lab.demo.supervisor import Supervisor
from jackpot.lab.demo.table import Shift, SimulatedTable
from jackpot.net.admin_socket import login_of
from jackpot.rules import views

# A sign gets the whole snapshot every 5 s (WIRE). If it does not show the ledger's meters after two, it is
# wrong.
SIGNS_AGREE_S: Final = 10.0


class SimulatedFloor:
    """One simulated floor in a folder, which is filled if it is empty. `scene` shows it.

    opened: set once people may come in. logins: of those made at this start, with their passwords.
    port: of the pages. url: of the ledger. Left out, it is the folder's own, or a file if the folder is new.
    Raises FloorError if the folder has another.
    """

    def __init__(
        self, folder: Path, scene: Scene, pace: DemoPace, url: str | None = None, port: int | None = None
    ) -> None:
        self._folder = folder
        self._scene = scene
        self._pace = pace
        self._config = load(furnish(folder, url or SQLITE, port=port))
        if url not in {None, self._config.ledger.url}:
            raise FloorError(f"the floor in {folder} has its ledger elsewhere: its floor.toml says where")
        kept = folder / "tables"
        kept.mkdir(exist_ok=True)
        self._own_counts = {place.table: OwnCount(kept / f"{place.table}.json") for place in PLACES}
        self._signs: dict[str, SignClient] = {}
        self._shown = asyncio.Event()
        self.opened = asyncio.Event()
        self.logins: tuple[Login, ...] = ()
        self._bank = self._config.links[0].bank

    async def play(self) -> Verdict:
        """Plays until the pace ends it; then all is paid, the server is stopped and the ledger audited.

        Raises what the server raises, and FloorError where it answers what it must not.
        """
        async with Server(self._config) as server:
            keep_ports(self._folder, server.ports)
            self._scene.address = f"tables on 127.0.0.1:{server.ports['tables']}"
            pages = f"http://127.0.0.1:{server.ports['http']}/"
            signs = (f"{pages}sign/{link.link}" for link in self._config.links if not link.offer)
            self._scene.pages = (pages, f"{pages}ops", *signs, f"{pages}sign/wall")
            self.logins = await hire(server.auth, login_of(os.getuid()))
            self.opened.set()
            async with AsyncExitStack() as connections:
                await self._hang_signs(server, connections)
                await self._open_tables(server, connections)
                await self._wait_for_signs(server)
                self.look()
                shown = {sign: dict(client.meters) for sign, client in self._signs.items()}
                self._signs.clear()  # what is drawn from now on is the floor as it closed
        verdict = await asyncio.to_thread(
            audit, self._config.ledger.url, self._bank, self._own_counts, shown, by_hand=self._scene.by_hand
        )
        return replace(verdict, problems=(*self._scene.warnings, *verdict.problems))

    def look(self) -> None:
        """Updates the scene with what the signs show now."""
        for sign, client in self._signs.items():
            self._scene.meters.update(client.meters)
            self._scene.signs_online[SIGNS[sign]] = client.showing

    async def _hang_signs(self, server: Server, connections: AsyncExitStack) -> None:
        address = f"127.0.0.1:{server.ports['signs']}"
        for sign in SIGNS:
            client = SignClient(sign, key(self._folder, sign), [address])
            client.on_push = lambda _: self._shown.set()
            self._signs[sign] = await connections.enter_async_context(client)

    async def _open_tables(self, server: Server, connections: AsyncExitStack) -> None:
        """Runs every table to its end; then the supervisor pays what is left, if no person does."""
        supervisor = Supervisor(server, self._rng("supervisor"), self._pace, self._scene)
        shift = Shift(self._pace, self._scene, supervisor.call)
        tables = [self._table(place, server, shift, connections) for place in PLACES]
        async with asyncio.TaskGroup() as staff:
            if not self._scene.by_hand:
                staff.create_task(supervisor.work())
            async with asyncio.TaskGroup() as playing:
                for table in tables:
                    playing.create_task(table.play())
            supervisor.finish()

    def _table(
        self, place: DemoPlace, server: Server, shift: Shift, connections: AsyncExitStack
    ) -> SimulatedTable:
        # Power loss is not simulated here, so nothing waits for this table's own disk.
        memory = FileMemory(self._folder / "tables" / place.table, sync=False)
        connections.callback(memory.close)
        address = f"127.0.0.1:{server.ports['tables']}"
        secret = key(self._folder, place.table)
        return SimulatedTable(
            place,
            self._own_counts[place.table],
            self._rng(place.table),
            lambda: TableClient(place.table, secret, [address], memory),
            shift,
        )

    async def _wait_for_signs(self, server: Server) -> None:
        """Waits until both signs show the ledger's meters; otherwise the audit reports it."""
        books: dict[str, Any] = await server.banks[self._bank].ask(views.statistics)
        due = {sign: meters_of(books, link) for sign, link in SIGNS.items()}
        try:
            async with asyncio.timeout(SIGNS_AGREE_S):
                while any(self._signs[sign].meters != meters for sign, meters in due.items()):
                    self._shown.clear()
                    await self._shown.wait()
        except TimeoutError:
            pass  # the audit names the sign and its value

    def _rng(self, name: str) -> Random:
        """Random generator of one person on the floor, independent of the others."""
        return Random(f"{self._scene.seed} {name}")
