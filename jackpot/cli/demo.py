"""`jackpot demo`: a whole simulated floor on this machine, with nothing else installed."""

import asyncio
import errno
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.options import fail, options

if TYPE_CHECKING:
    from jackpot.lab.demo.audit import Verdict
    from jackpot.lab.demo.floor import SimulatedFloor
    from jackpot.lab.demo.pace import DemoPace
    from jackpot.lab.demo.scene import Scene

# Interval of the view, and of the lines where there is no terminal.
DRAWS_A_SECOND: Final = 8
LINE_EVERY_S: Final = 2.0

# Speed without --rounds, for somebody who watches: a real floor's round a minute would be slow.
WATCHED_SPEED: Final = 20.0

# Speed of --show and --by-hand.
SHOWN_SPEED: Final = 1.0

# Name of the ledger's database in a PostgreSQL that the demo starts.
DATABASE: Final = "jackpot"

# Exit code after Ctrl-C, as shells expect it.
INTERRUPTED: Final = 130

app = typer.Typer(help="A whole simulated floor on this machine.")


@dataclass(frozen=True)
class DemoOptions:
    """Options of the command."""

    seed: Annotated[int, typer.Option(help="Which cards are dealt, and who plays.")] = 1
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            help=f"Times faster than a real floor: {WATCHED_SPEED:g}, or with --rounds as fast as it can.",
        ),
    ] = None
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many rounds, all tables together.")
    ] = None
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep everything there, and go on with what is there.")
    ] = None
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Port of the pages; without it one that is free, and with --folder the same again.",
        ),
    ] = None
    lucky: Annotated[
        int, typer.Option(min=0, metavar="N", help="Stack one deck in N, so that meters are won; 0: none.")
    ] = 0
    postgres: Annotated[
        bool, typer.Option("--postgres", help="Keep the ledger in a PostgreSQL that the demo starts itself.")
    ] = False
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Keep the ledger in this empty database: postgresql://user@host/database."
        ),
    ] = None
    show: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Show on the signs all that they can show, one after another; --rounds is how many times.",
        ),
    ] = False
    by_hand: Annotated[
        bool,
        typer.Option("--by-hand", help="A hit waits: validate and pay it yourself, in a browser."),
    ] = False

    def checked(self) -> None:
        """Ends the command on options that exclude each other."""
        from jackpot.lab.testing.postgres import EnginesMissing, binaries

        if self.show and (self.postgres or self.ledger or self.lucky or self.by_hand):
            fail("--show wins by a plan of its own: leave out --ledger, --lucky, --postgres and --by-hand")
        if self.postgres and self.ledger is not None:
            fail("--postgres starts a database of its own, --ledger names one: give one of them")
        if self.postgres:
            try:
                binaries()
            except EnginesMissing as missing:
                fail(str(missing))

    def scene(self) -> "Scene":
        from jackpot.lab.demo.scene import Scene

        watched = SHOWN_SPEED if self.by_hand else WATCHED_SPEED
        speed = self.speed if self.speed or self.rounds else watched
        return Scene(self.seed, speed, self.lucky, by_hand=self.by_hand)


@app.command()
@options(DemoOptions)
def demo(asked: DemoOptions) -> None:
    """Play a simulated floor: twelve tables, five games and bonus wagers, in this terminal and in a browser.

    Real decks are dealt and played through real connections; a simulated supervisor validates and pays. With
    honest decks small awards come every few rounds, a minor about every thousand, a royal flush hardly ever.
    People sign in on the pages with passwords that are printed once, at the first start on a ledger.
    Afterwards the books are verified; the last line and the exit code say whether they balance and every
    table's own count agrees with them. With --folder DIR, tables, keys and the ledger itself are kept in DIR,
    and the next demo on DIR goes on with them; a PostgreSQL is then kept in DIR/postgres.

    With --by-hand nobody simulated pays: a royal flush waits, and a person validates and pays it on the
    pages, as some lines in the terminal say. Without a terminal nothing else is printed until the table
    has played on.

    Example: jackpot demo --lucky 25
    """
    asked.checked()
    folder = asked.folder.resolve() if asked.folder else Path(tempfile.mkdtemp(prefix="jackpot-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"--folder: {folder} is no folder and cannot be made one: {error.strerror}")
    if asked.show:
        _run(folder, lambda: _show_on_ledger(folder, asked))
    else:
        scene = asked.scene()
        _run(folder, lambda: _on_ledger(folder, scene, asked))
    if asked.folder is None:
        shutil.rmtree(folder)


def _run(folder: Path, play: Callable[[], "Verdict"]) -> None:
    """Plays in a folder and prints the result; returns only if all is well."""
    from jackpot.bank.bank import BankStopped
    from jackpot.config import ConfigErrors
    from jackpot.lab.demo.scene import FloorError
    from jackpot.lab.testing.postgres import EngineError
    from jackpot.ledger.store import LedgerError
    from jackpot.logs import write_logs

    verdict, trouble = None, []
    try:
        with (folder / "server.log").open("a") as log:
            write_logs(log)
            verdict = play()
    except* (BankStopped, ConfigErrors, EngineError, FloorError, LedgerError, OSError) as errors:
        trouble = [f"{error}{_advice(error)}" for error in _leaves(errors)]
    if verdict is None:
        fail(f"the floor stopped: {'; '.join(trouble)}; everything is in {folder}")
    print(verdict.line(), flush=True)
    if verdict.problems:
        fail(f"everything is in {folder}")


def _on_ledger(folder: Path, scene: "Scene", asked: DemoOptions) -> "Verdict":
    with _database(folder, asked.postgres, asked.ledger) as found:
        return asyncio.run(_play(folder, scene, asked, found))


def _show_on_ledger(folder: Path, asked: DemoOptions) -> "Verdict":
    with _database(folder, False, None):
        return asyncio.run(_show(folder, asked))


@contextmanager
def _database(folder: Path, postgres: bool, url: str | None) -> Iterator[str | None]:
    """The ledger's URL, if it is not the folder's own file; runs a PostgreSQL kept in the folder."""
    place = folder / "postgres"
    if url is not None and not (folder / "floor.toml").exists():
        _refuse_foreign(url, folder)
    if url is not None or not (postgres or place.exists()):
        yield url
        return
    from jackpot.lab.demo.scene import FloorError
    from jackpot.lab.testing.postgres import Postgres

    if (folder / "floor.toml").exists() and not place.exists():
        raise FloorError(f"the floor in {folder} has its ledger elsewhere: its floor.toml says where")
    cluster = Postgres(place, keep=True)
    print(f"starting PostgreSQL {cluster.programs.version} in {place}", flush=True)
    with cluster:
        if not cluster.has(DATABASE):
            cluster.create(DATABASE)
        yield cluster.url(DATABASE)


def _refuse_foreign(url: str, folder: Path) -> None:
    """Raises FloorError for a ledger with real data: simulated money never goes into it."""
    from jackpot.lab.demo.scene import FloorError
    from jackpot.ledger.connect import without_password
    from jackpot.ledger.open import opened
    from jackpot.ledger.reading import Reader

    if url.startswith("sqlite:///"):  # relative to the configuration in the folder
        url = f"sqlite:///{folder / url.removeprefix('sqlite:///')}"

    async def known() -> list[str]:
        async with opened(url) as store:
            return await store.run(Reader.banks)

    if banks := asyncio.run(known()):
        raise FloorError(
            f"{without_password(url)} is somebody's ledger, with bank {', '.join(banks)}: "
            "give the demo an empty database, or the folder (--folder) of the demo that it is of"
        )


def _leaves(errors: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """The leaf exceptions of nested exception groups."""
    found: list[BaseException] = []
    for error in errors.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


def _advice(error: BaseException) -> str:
    """Hint for a kept floor whose ports are taken."""
    taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
    return (
        " (is this floor running already? its floor.toml names its ports, and --port another one)"
        if taken
        else ""
    )


async def _play(folder: Path, scene: "Scene", asked: DemoOptions, url: str | None) -> "Verdict":
    from jackpot.lab.demo.floor import SimulatedFloor
    from jackpot.lab.demo.pace import DemoPace

    pace = DemoPace(scene.speed, asked.rounds)
    floor = SimulatedFloor(folder, scene, pace, url, asked.port)

    def stopping() -> None:
        scene.stopping = True

    _stop_on_signals(folder, pace, stopping)
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(floor, scene))
        verdict = await floor.play()
        watching.cancel()
    return verdict


async def _show(folder: Path, asked: DemoOptions) -> "Verdict":
    """Prints line by line what the signs show."""
    from jackpot.lab.demo.pace import DemoPace
    from jackpot.lab.demo.show import Show

    pace = DemoPace(asked.speed or SHOWN_SPEED, asked.rounds)
    print("a show of all that signs can show; Ctrl-C ends it", flush=True)
    _stop_on_signals(folder, pace, lambda: print("ending...", flush=True))
    return await Show(folder, pace, lambda line: print(line, flush=True), asked.port).play()


def _stop_on_signals(folder: Path, pace: "DemoPace", stopping: Callable[[], None]) -> None:
    """Handles signals: the first stops gracefully, the second Ctrl-C ends the program at once."""

    def stop() -> None:
        if pace.stopping:
            _end_at_once(folder)
        stopping()
        pace.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)


def _end_at_once(folder: Path) -> None:
    """Exits at once, which the ledger withstands; the next demo on this folder resumes."""
    screen = "\x1b[?1049l\x1b[?25h" if sys.stdout.isatty() else ""  # the live view may have hidden the cursor
    print(f"{screen}ended at once; everything is in {folder}", flush=True)
    os._exit(INTERRUPTED)


async def _watch(floor: "SimulatedFloor", scene: "Scene") -> None:
    """Draws the floor while it plays: the live view, or a line now and then without a terminal."""
    from rich.console import Console
    from rich.live import Live

    from jackpot.lab.demo.view import draw, plain

    console = Console()
    if not console.is_terminal:
        print(f"a simulated floor, seed {scene.seed}, {scene.pace()}, {scene.decks()}", flush=True)
        await _tell_people(floor, scene)
        try:
            while True:
                await asyncio.sleep(LINE_EVERY_S)
                floor.look()
                if not scene.waits_for_hands():  # the steps stay the last lines on the screen
                    print(plain(scene), flush=True)
        finally:
            print(plain(scene), flush=True)
    await _tell_people(floor, scene)
    scene.people = tuple(f"{one.login} {one.password}" for one in floor.logins)
    try:
        with Live(console=console, auto_refresh=False, screen=True) as live:
            while True:
                floor.look()
                live.update(draw(scene, console.width), refresh=True)
                await asyncio.sleep(1 / DRAWS_A_SECOND)
    finally:  # what was drawn is gone with the alternate screen
        print(plain(scene), flush=True)


async def _tell_people(floor: "SimulatedFloor", scene: "Scene") -> None:
    """Prints the addresses for a browser, and once the logins and passwords."""
    await floor.opened.wait()
    _, ops, *_ = scene.pages
    print("in a browser: " + "  ".join(scene.pages))
    if floor.logins:
        print(f"people sign in at {ops}; these passwords are shown here alone, and only now:")
        width = max(len(one.login) for one in floor.logins)
        for one in floor.logins:
            print(f"  {one.login:{width}}  {one.password}  {one.role}")
    else:
        print(f"people sign in at {ops} as the first demo in this folder said")
    if scene.by_hand:
        scene.steps = _steps(floor, ops)
        print("\n".join(scene.steps))
    sys.stdout.flush()


def _steps(floor: "SimulatedFloor", ops: str) -> tuple[str, ...]:
    """Steps by which a person validates and pays the hit that waits."""
    from jackpot.lab.demo.house import BY_HAND, VALIDATE_AT
    from jackpot.lab.demo.people import CASHIER, SUPERVISOR
    from jackpot.text import words

    table, seat = BY_HAND.table, BY_HAND.seat
    given = {one.login: f" {one.password}" for one in floor.logins}
    return (
        f"a {words(BY_HAND.hand).lower()} at {table} waits for you, and the table waits with it:",
        f"1. open {ops}/hits as {SUPERVISOR}{given.get(SUPERVISOR, '')}",
        "2. open the hit, look at its cards, and press Validate",
        f"3. sign out, sign in as {CASHIER}{given.get(CASHIER, '')}: what a meter pays comes from the cage",
        f"4. write tax form W-2G, number T-1, payout form P-1; press Paid to seat {seat}",
        f"5. {table} plays on; pay the envy bonus of the other seats below, with payout forms P-2 and so on",
        f"hits of ${VALIDATE_AT} and more wait for you, too; the dealer pays smaller ones, and nobody looks",
    )
