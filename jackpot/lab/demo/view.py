"""Terminal view of the floor, drawn from the scene alone; 80 columns by 24 lines are enough."""

from collections.abc import Iterable
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from jackpot.lab.demo.scene import FloorEvent, Scene, dollars
from jackpot.rules.paytable import Game
from jackpot.rules.terms import METER
from jackpot.text import counted

# A lower level looks like a minor.
LEVEL_STYLES: Final = {
    METER: "bold bright_yellow",
    "mega": "bold bright_yellow",
    "major": "bold bright_magenta",
}
LOW_STYLE: Final = "bold bright_cyan"

# Widths of names that leave room for two tables a line.
SHORT_GAMES: Final[dict[Game, str]] = {
    "let-it-ride": "Let It Ride",
    "ultimate-texas-holdem": "Ult. Hold 'Em",
    "three-card-poker": "Three Card",
    "four-card-poker": "Four Card",
    "criss-cross-poker": "Criss-Cross",
}
GAME_WIDTH: Final = max(map(len, SHORT_GAMES.values()))

# Columns that hold everything.
WIDE: Final = 100

# Heights of a link's panel, and of the tables next to their rows.
METERS_LINES: Final = 4
TABLES_LINES: Final = 2

AT_PLAY: Final = {"waiting", "betting", "dealing", "paying"}


def draw(scene: Scene, width: int = WIDE) -> RenderableType:
    """Draws the whole screen at any height: the list of events gets the lines that are left.

    In fewer columns than WIDE it leaves out what people can do without.
    """
    wide = width >= WIDE
    head, tables = _head(scene, width), _tables(scene, wide)
    rows = (len(scene.tables) + 1) // 2
    screen = Layout()
    screen.split_column(
        Layout(Group(*head), size=len(head)),
        Layout(_meters(scene), size=METERS_LINES),
        Layout(tables, size=rows + TABLES_LINES),
        _events(scene),
        Layout(_foot(scene, wide), size=1),
    )
    return screen


def plain(scene: Scene) -> str:
    """The floor in one line, for output that is not a terminal."""
    meters = "  ".join(f"{link}.{level} {dollars(cents)}" for (link, level), cents in scene.meters.items())
    played, made = counted(scene.rounds, "round"), counted(scene.wagers, "wager")
    return f"{played}, {made}, {counted(scene.awards, 'award')}; {meters}"


def _head(scene: Scene, width: int) -> list[Text]:
    """Header lines: the floor, its address, who signs in there with which password, what to do."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(" JACKPOT ", style="bold black on bright_yellow")
    text.append(f"  seed {scene.seed}, {scene.pace()}, ")
    text.append(scene.decks(), style="bold red" if scene.lucky else "green")
    lines = [text]
    if scene.pages:
        first, *others = scene.pages
        paths = [page.removeprefix(first.rstrip("/")) for page in others]
        lines.append(_line("  ".join((f" {first}", *paths)), "bright_cyan"))
    line = ""
    for one in scene.people:
        if line and len(line) + len(one) + 2 > width:
            lines.append(_line(line))
            line = ""
        line += f"  {one}" if line else f" {one}"
    if line:
        lines.append(_line(line))
    return [*lines, *(_line(f" {step}", "bold bright_yellow") for step in scene.steps)]


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _meters(scene: Scene) -> RenderableType:
    links: dict[str, list[tuple[str, int]]] = {}
    for (link, level), cents in scene.meters.items():
        links.setdefault(link, []).append((level, cents))
    panels = []
    for link, levels in links.items():
        grid = Table.grid(padding=(0, 3))
        for level, _ in levels:
            grid.add_column(level, justify="right", min_width=12)
        grid.add_row(*(Text(level.upper(), style="dim") for level, _ in levels))
        grid.add_row(
            *(Text(dollars(cents), style=LEVEL_STYLES.get(level, LOW_STYLE)) for level, cents in levels)
        )
        online = scene.signs_online.get(link, False)
        panels.append(
            Panel(grid, title=f"{link}{'' if online else ' (sign offline)'}", border_style="yellow")
        )
    row = Table.grid(padding=(0, 1))
    row.add_row(*panels)
    return row


def _tables(scene: Scene, wide: bool) -> RenderableType:
    """The tables in two columns, six rows each."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, int(wide), 0, 0), pad_edge=False)
    for _ in range(2):
        table.add_column("table", style="bold", no_wrap=True)
        table.add_column("game", no_wrap=True, min_width=GAME_WIDTH)
        table.add_column("rounds", justify="right", no_wrap=True)
        if wide:
            table.add_column("wagers", justify="right", no_wrap=True)
        table.add_column("now", no_wrap=True, min_width=len("suspended"))
    lines = list(scene.tables.values())
    half = (len(lines) + 1) // 2
    for row in range(half):
        cells: list[RenderableType] = []
        for line in lines[row::half]:
            cells += [line.table, SHORT_GAMES[line.game], str(line.rounds)]
            if wide:
                cells.append(str(line.wagers))
            cells.append(Text(line.doing, style="green" if line.doing in AT_PLAY else "bold yellow"))
        table.add_row(*cells)
    return table


def _events(scene: Scene) -> Layout:
    both = Layout(minimum_size=1)
    both.split_row(
        Layout(_lines("last hits and awards", scene.hits)),
        *([] if scene.by_hand else [Layout(_lines("supervisor", scene.acts))]),
    )
    return both


def _lines(title: str, lines: Iterable[FloorEvent]) -> Panel:
    shown = [_line(line.text, "bold bright_yellow" if line.big else "") for line in lines]
    return Panel(Group(*shown), title=title, title_align="left", border_style="dim")


def _foot(scene: Scene, wide: bool) -> Text:
    facts = [
        *([scene.address] if wide else []),
        counted(scene.rounds, "round"),
        counted(scene.awards, "award"),
        counted(scene.meter_hits, "meter hit"),
        f"{dollars(scene.won_cents)} won",
        "stopping" if scene.stopping else "Ctrl-C ends",
    ]
    return Text(" " + "   ".join(facts), style="dim", no_wrap=True)
