"""Nothing is lost when the server is killed: kill -9 at random moments under load."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final

from tests.e2e.floors import EASY
from tests.e2e.load import Played, check, fixed_ports, load
from tests.e2e.site import Site, running
from tests.nightly import repeated
from tests.program import EACH_BATCH_APART

# The soak kills whole servers, databases and machines for hours.
KILLS: Final = repeated(3, 10)
TABLES: Final = 4
# Answers between two kills: from the first moments after a start to well into the stream.
ANSWERS_MAX: Final = 400


def floor(folder: Path) -> Site:
    site = Site(folder, EASY)
    site.add("table", ["easy"], TABLES)
    site.add("sign", ["easy"])
    return site


@contextmanager
def whole_in_the_end(site: Site, played: Played) -> Iterator[None]:
    """Serves on one ledger. At the end: a clean stop, nothing lost, and books that verify."""
    fixed_ports(site)
    with running(site):
        yield
        assert site.stop() == 0
    check(site.url, site.devices("table"), played)
    site.cli("verify")


async def kill_and_restart(site: Site, names: list[str], played: Played, rng: Random) -> None:
    """Kill -9 after some answers more, a start on the same ledger, and every table goes on by itself."""
    await played.until_more(rng.randint(1, ANSWERS_MAX))
    await asyncio.to_thread(site.stop, signal.SIGKILL)
    await asyncio.to_thread(site.start)
    await played.until_all_play(names)


def test_nothing_is_lost_by_kills(tmp_path: Path) -> None:
    """S4, S5: acknowledged commands are in the ledger once, no shown value was lost, the books verify."""
    site, rng, played = floor(tmp_path), Random(9), Played(pause_s=0.0)

    async def scenario() -> None:
        async with load(site, played, tmp_path) as names:
            await played.until_all_play(names)
            for _ in range(KILLS):
                await kill_and_restart(site, names, played, rng)

    with whole_in_the_end(site, played):
        asyncio.run(scenario())
    assert len(played.answers) > KILLS * TABLES


async def until_apart(site: Site, killed: int = 0) -> int:
    """Waits for a writer process other than the killed one to have the log open."""
    log = f"{site.folder / 'ledger.db'}-wal"
    while True:
        for pid in (child for child in site.children() if child != killed):
            with suppress(OSError):  # it has ended
                begun = b"jackpot.ledger.sqlite.writer_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
                if begun and any(str(file.readlink()) == log for file in Path(f"/proc/{pid}/fd").iterdir()):
                    return pid
        await asyncio.sleep(0.01)


async def until_killed_in_doubt(site: Site, played: Played, rng: Random) -> None:
    """Kills the writer process until a batch of it is in doubt, and the server has rebuilt its bank.

    One that is killed before the server has read its greeting had no batch: it is replaced without a doubt.
    """
    while not any(line["event"] == "bank_rebuilt" for line in site.log):
        writing = await until_apart(site)
        await played.until_more(rng.randint(TABLES, ANSWERS_MAX // 4))
        os.kill(writing, signal.SIGKILL)
        await until_apart(site, writing)  # the next one, which the server starts once it is sure of its bank


def test_nothing_is_lost_where_the_process_that_writes_is_killed(tmp_path: Path) -> None:
    """S5, DESIGN 4: a killed writer process leaves its batch in doubt; the server recovers, tables go on.

    A server that is killed with its writer process loses nothing either.
    """
    site, rng, played = floor(tmp_path), Random(10), Played(pause_s=0.0)
    site.more = {EACH_BATCH_APART: "1"}

    async def scenario() -> None:
        async with load(site, played, tmp_path) as names:
            await played.until_all_play(names)
            for _ in range(KILLS):
                await until_killed_in_doubt(site, played, rng)
                site.log.clear()  # before the next one is killed, and after all that this one caused
                await played.until_all_play(names)
            for _ in range(KILLS // 3):
                await kill_and_restart(site, names, played, rng)

    with whole_in_the_end(site, played):
        asyncio.run(scenario())
        (writing,) = site.children()
        os.kill(writing, signal.SIGINT)  # as Ctrl-C in a terminal does: the server alone decides when it ends
    assert not Path(f"/proc/{writing}").exists()
