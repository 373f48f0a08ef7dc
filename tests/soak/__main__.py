"""Soaks: a floor under faults for as long as you like. By hand: `python -m tests.soak failover`.

A real server, tables and a sign play on PostgreSQL under load. `kill-database`: kill -9 and a new start.
`failover`: kill -9 of the primary, promotion of its synchronous standby, a new standby where the old one was.
`patroni`: a pair that fails over by itself, see `patroni.py`.
`looks`: every page for people in every state, judged and drawn on sheets, see `looks.py`.
`films`: films of what signs show, each frame looked at, see `films.py`.
`signs`: a frame's work, a day of ten thousand updates, and eleven wins at once, see `signs.py`.
`alerts`: each alert of `deploy/prometheus` by its real cause, see `alerts.py`.
`model`: the engine next to the independent model, on random floors with and without offers and mysteries, see
`model.py`. `steps`: processes that die at each line between a draw and its opening, see `steps.py`.
`mystery`: a million cycles of must-hit-by levels in each form, against the exact law, see `mystery.py`.
`servers`: three servers that are killed, frozen, relieved and restarted, see `servers.py`. `cuts`: two that
are cut off from database and Redis in every way, see `tests/e2e/cuts.py`.
At the end every answer and every value that the sign showed is looked up in the ledger, and the books verify:
the exit code is 0 where nothing was lost, doubled or shown in vain.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from random import Random
from typing import Final

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.verify.verifier import verify
from tests.e2e.floors import EASY
from tests.e2e.load import Played, load, look
from tests.e2e.site import Site, running
from tests.ledger.waiting import open_ledger
from tests.soak.alerts import soak as soak_alerts
from tests.soak.films import FRAME_MS, Chosen
from tests.soak.films import soak as soak_films
from tests.soak.hostile import soak as soak_hostile
from tests.soak.looks import soak as soak_looks
from tests.soak.model import soak as soak_model
from tests.soak.mutants import soak as soak_mutants
from tests.soak.mystery import soak as soak_mystery
from tests.soak.patroni import soak as soak_patroni
from tests.soak.servers import soak as soak_servers
from tests.soak.servers import soak_cuts
from tests.soak.signs import UPDATES
from tests.soak.signs import soak as soak_signs
from tests.soak.steps import soak as soak_steps

TABLES: Final = 6
# Steps of the model: half an hour of a processor.
STEPS: Final = 1_000_000
# Cycles of each form of must-hit-by levels: some minutes of a processor for the model, half an hour for the
# engine.
CYCLES: Final = 1_000_000
# Answers between two troubles, at the least and at the most.
ANSWERS: Final = (200, 2_000)
# Those that have a file of their own.
ALONE: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "patroni": lambda chosen: soak_patroni(chosen.times, chosen.seed),
    "servers": lambda chosen: soak_servers(chosen.times, chosen.seed),
    "cuts": lambda chosen: soak_cuts(chosen.times),
    "model": lambda chosen: soak_model(chosen.steps, chosen.seed, chosen.only),
    "mystery": lambda chosen: soak_mystery(chosen.cycles, chosen.seed, chosen.only),
    "steps": lambda chosen: soak_steps(chosen.times, chosen.seed),
    "mutants": lambda chosen: soak_mutants(chosen.times, chosen.seed, chosen.only),
    "hostile": lambda chosen: soak_hostile(chosen.times, chosen.only),
    "alerts": lambda chosen: soak_alerts(chosen.only),
    "signs": lambda chosen: soak_signs(chosen.only, chosen.updates),
    "films": lambda chosen: soak_films(Chosen(chosen.only, chosen.times, chosen.every, light=chosen.light)),
    "looks": lambda chosen: soak_looks(chosen.only),
}
SYNCHRONOUS: Final = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"


class Nodes:
    """One node that can be killed, or two of which the second takes over."""

    def __init__(self, folder: Path, stack: ExitStack, *, standby: bool) -> None:
        self._folder = folder
        self._stack = stack
        self._made = 1
        self.primary = stack.enter_context(Postgres(folder / "node1"))
        self.primary.create("ledger")
        self.ports = [self.primary.port]
        if standby:
            self.standby = self._new_standby()
            self.ports.append(self.standby.port)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{','.join(f'127.0.0.1:{port}' for port in self.ports)}/ledger"

    def kill_database(self) -> None:
        self.primary.kill()
        self.primary.start()

    def fail_over(self) -> None:
        self.primary.kill()
        self.standby.promote(alone=True)

    def fill_up(self) -> None:
        """The killed primary is gone; a standby of the new one takes its address."""
        gone, self.primary = self.primary, self.standby
        gone._standbys.clear()
        gone.close()
        self.standby = self._new_standby(gone.port)

    def _new_standby(self, port: int = 0) -> Postgres:
        self._made += 1
        name = f"node{self._made}"
        made = self.primary.standby(self._folder / name, name, port)
        self._stack.callback(made.close)
        self.primary.configure({"synchronous_standby_names": name})
        self.wait_synchronous()
        return made

    def wait_synchronous(self) -> None:
        while not self.primary.sql(SYNCHRONOUS):
            time.sleep(0.01)


async def soak(nodes: Nodes, site: Site, played: Played, folder: Path, times: int, rng: Random) -> None:
    """Runs so many troubles under load, and prints a line for each."""
    failover = len(nodes.ports) > 1
    trouble: Callable[[], None] = nodes.fail_over if failover else nodes.kill_database
    async with load(site, played, folder) as names, telling(played):
        await played.until_all_play(names)
        for number in range(1, times + 1):
            await played.until_more(rng.randint(*ANSWERS))
            began = time.monotonic()
            await asyncio.to_thread(trouble)
            await played.until_all_play(names)
            took = time.monotonic() - began
            print(f"{number} of {times}: {len(played.answers):,} answers, all tables play after {took:.1f} s")
            if failover:
                await asyncio.to_thread(nodes.fill_up)


@asynccontextmanager
async def telling(played: Played) -> AsyncIterator[None]:
    """A word to the person who watches, when it ends badly."""
    try:
        yield
    except BaseException:
        print(f"stopped after {len(played.answers):,} answers; the tables' links: {played.states}")
        raise


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    arguments.add_argument("what", choices=["kill-database", "failover", *ALONE])
    arguments.add_argument("--times", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument(
        "--only",
        default="",
        help="mutants, attacks, alerts, films, parts of signs, houses, levels, pages: part of their name",
    )
    arguments.add_argument("--steps", type=int, default=STEPS, help="of the model")
    arguments.add_argument("--cycles", type=int, default=CYCLES, help="of mystery, of each form")
    arguments.add_argument(
        "--every", type=int, default=FRAME_MS, help="of films: milliseconds between frames"
    )
    arguments.add_argument("--updates", type=int, default=UPDATES, help="of the day of signs")
    arguments.add_argument("--light", action="store_true", help="of films: look at flashes alone")
    chosen = arguments.parse_args()
    if chosen.what in ALONE:
        return ALONE[chosen.what](chosen)
    played = Played(pause_s=0.0)
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place)
        nodes = Nodes(folder, stack, standby=chosen.what == "failover")
        site = Site(folder, EASY, ledger=nodes.url)
        site.add("table", ["easy"], TABLES)
        site.add("sign", ["easy"])
        stack.enter_context(running(site))
        asyncio.run(soak(nodes, site, played, folder, chosen.times, Random(chosen.seed)))
        site.stop()
        found = look(site.url, site.devices("table"), played)
        with closing(open_ledger(site.url, readonly=True)) as ledger:
            problems = verify(ledger, "main").problems
    for sentence in (*found.lost, *found.doubled, *found.wrong, *problems):
        print(sentence)
    print(
        f"{found.answered:,} acknowledged, {len(found.lost)} lost, {len(found.doubled)} doubled, "
        f"{len(found.wrong)} wrong, {len(problems)} problems in the books; "
        f"{found.looked_at:,} shown values looked up"
    )
    return 1 if found.lost or found.doubled or found.wrong or problems else 0


if __name__ == "__main__":
    sys.exit(main())
