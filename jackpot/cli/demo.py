"""`jackpot demo`: a whole floor on this machine, with nothing installed beside it."""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.speak import fail

if TYPE_CHECKING:
    from jackpot.lab.audit import Verdict
    from jackpot.lab.floor import Floor
    from jackpot.lab.scene import Scene

# How often the view is drawn, and a line printed where there is no terminal.
DRAWS_A_SECOND: Final = 8
LINE_EVERY_S: Final = 2.0

# Without --rounds somebody watches: a real floor's round a minute at each table would be slow to watch.
WATCHED_SPEED: Final = 20.0

# What a shell expects of a program that Ctrl-C ended.
INTERRUPTED: Final = 130

app = typer.Typer(help="A whole simulated floor on this machine.")


@app.command()
def demo(
    seed: Annotated[int, typer.Option(help="Which cards are dealt, and who plays.")] = 1,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            help=f"Times faster than a real floor; {WATCHED_SPEED:g}, with --rounds as fast as it can.",
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many rounds, over all tables together.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep everything there, and go on from what is there.")
    ] = None,
    lucky: Annotated[
        int, typer.Option(min=0, metavar="N", help="Stack one deck in N, to see the meters won; 0: none.")
    ] = 0,
) -> None:
    """Play a simulated floor: twelve tables of three games on two links, in this terminal and in a browser.

    Real decks are dealt and played through real connections; a simulated supervisor validates and pays. With
    honest decks small awards come every few rounds, a minor about every thousand, a royal flush hardly ever.
    Afterwards the books are verified; the last line and the exit code say whether they balance and every
    table's own count agrees with them.

    Example: jackpot demo --lucky 25
    """
    if ledger is not None:
        ledger.mkdir(parents=True, exist_ok=True)
        _run(ledger.resolve(), seed, speed, rounds, lucky)
        return
    folder = Path(tempfile.mkdtemp(prefix="jackpot-"))
    _run(folder, seed, speed, rounds, lucky)
    shutil.rmtree(folder)


def _run(folder: Path, seed: int, speed: float | None, rounds: int | None, lucky: int) -> None:
    """Plays in a folder and says how it went; returns only if all is well."""
    from jackpot.cli.serve import json_logs
    from jackpot.config import ConfigErrors
    from jackpot.lab.scene import FloorError, Scene
    from jackpot.ledger.store import LedgerError
    from jackpot.server.writer import BankStopped

    scene = Scene(seed, speed if speed or rounds else WATCHED_SPEED, lucky)
    verdict, trouble = None, []
    try:
        with (folder / "server.log").open("a") as log:
            json_logs(log)
            verdict = asyncio.run(_play(folder, scene, rounds))
    except* (BankStopped, ConfigErrors, FloorError, LedgerError, OSError) as errors:
        trouble = [str(error) for error in _leaves(errors)]
    if verdict is None:
        fail(f"the floor stopped: {'; '.join(trouble)}; everything is in {folder}")
    print(verdict.line(), flush=True)
    if verdict.problems:
        fail(f"everything is in {folder}")


def _leaves(errors: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """The errors themselves, out of whatever groups they came in."""
    found: list[BaseException] = []
    for error in errors.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


async def _play(folder: Path, scene: "Scene", rounds: int | None) -> "Verdict":
    from jackpot.lab.floor import Floor
    from jackpot.lab.pace import Pace

    pace = Pace(scene.speed, rounds)
    floor = Floor(folder, scene, pace)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        """Once is a wish; the second Ctrl-C ends the program at once, as a power loss would."""
        if pace.stopping:
            _end_at_once(folder)
        scene.stopping = True
        pace.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(floor, scene))
        verdict = await floor.play()
        watching.cancel()
    return verdict


def _end_at_once(folder: Path) -> None:
    """The ledger withstands it; the next demo on this folder goes on where it was."""
    cursor = "\x1b[?25h" if sys.stdout.isatty() else ""  # the live view had hidden it
    print(f"{cursor}ended at once; everything is in {folder}", flush=True)
    os._exit(INTERRUPTED)


async def _watch(floor: "Floor", scene: "Scene") -> None:
    """Draws the floor while it plays: the live view, or a line now and then without a terminal."""
    from rich.console import Console
    from rich.live import Live

    from jackpot.lab.view import draw, plain

    console = Console()
    if not console.is_terminal:
        print(f"a simulated floor, seed {scene.seed}, {scene.pace()}, {scene.decks()}", flush=True)
        told = False
        try:
            while True:
                await asyncio.sleep(LINE_EVERY_S)
                if scene.pages and not told:
                    told = True
                    print("in a browser: " + "  ".join(scene.pages), flush=True)
                floor.look()
                print(plain(scene), flush=True)
        finally:
            print(plain(scene), flush=True)
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while True:
                floor.look()
                live.update(draw(scene), refresh=True)
                await asyncio.sleep(1 / DRAWS_A_SECOND)
        finally:
            live.update(draw(scene), refresh=True)
