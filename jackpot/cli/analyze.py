"""`jackpot paytable analyze`: return, hit frequency and meter cycle of a wager."""

from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jackpot.cli.options import fail, require_lab

if TYPE_CHECKING:
    from jackpot.odds.analyses import AnyAnalysis


@dataclass(frozen=True)
class AnalyzeOptions:
    """Arguments and options of the command, each with its default."""

    paytable: Annotated[
        str,
        typer.Argument(metavar="ID", help="A paytable that `jackpot paytable list` names, or `mystery`."),
    ]
    wager: Annotated[
        str | None,
        typer.Option(metavar="SUM", help="One wager. [default: the first that the paytable prints]"),
    ] = None
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The table's game. [default: the paytable's first]")
    ] = None
    envy: Annotated[
        str | None, typer.Option(metavar="A|B", help="The envy schedule, where there are two. [default: A]")
    ] = None
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="LEVEL.FIGURE=VALUE",
            help="A seed, reseed, primary, reserve or limit that the source leaves open; of `mystery` seed, "
            "must_hit_by and primary of each level. May be repeated.",
        ),
    ] = None
    meters: Annotated[
        list[str] | None,
        typer.Option(
            "--meter",
            metavar="LEVEL=SUM",
            help="What a level's meter shows; may be repeated. [default: its seed]",
        ),
    ] = None
    players: Annotated[int, typer.Option(help="Players at the table, each dealt a hand.")] = 1
    rate: Annotated[int, typer.Option(help="Wagers an hour, on the whole link.")] = 1_000
    magic_card_every: Annotated[
        int, typer.Option(min=0, help="One Magic Card in this many rounds; 0: none.")
    ] = 0
    lucky_every: Annotated[int, typer.Option(min=0, help="One Lucky Bonus in this many rounds; 0: none.")] = 0
    stake: Annotated[
        str | None,
        typer.Option(
            metavar="returned|kept",
            help="A winning stake in a wagering device, where the source leaves it open. [default: returned]",
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="JSON, to standard output.")] = False
    as_csv: Annotated[
        bool, typer.Option("--csv", help="One figure a line, comma-separated, to standard output.")
    ] = False
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A page to hand in, written to that file.")
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Draw pictures in this folder, as SVG and PNG; needs the extra lab."
        ),
    ] = None
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="The seed of the random year in the pictures.")
    ] = "1"

    def found(self) -> "AnyAnalysis":
        """Runs the analysis. Ends the command where it cannot be made."""
        from jackpot.odds.analyses import analysis_of, wished
        from jackpot.odds.analysis import AnalysisConditions
        from jackpot.odds.subject import AnalysisError, OperatorChoices

        figures = _pairs("--set", "LEVEL.FIGURE=VALUE", self.figures)
        draws = self.magic_card_every, self.lucky_every
        wish = OperatorChoices(self.wager, self.game, self.envy, figures, *draws, self.stake)
        tonight = AnalysisConditions(_sums(self.meters), self.players, self.rate)
        try:
            return analysis_of(wished(self.paytable, wish), tonight)
        except AnalysisError as error:
            fail(str(error))


def analyze(**given: Any) -> None:
    """Tell exactly what a wager returns, how often each hand comes, and what a cycle of a meter is like.

    Every deal is counted; only Cover All of three players and more is simulated, and its bound is shown. A
    figure that the source leaves open, and that you do not give, counts as 0 or is left out, and the analysis
    says so. Each return is a part of the wager.

    `mystery` is a link whose levels must hit by a sum; each is given whole by --set.

    Example: jackpot paytable analyze pa-643a-five-card-C --wager 5.00 --meter mega=81250.00 --players 6
    """
    from jackpot.odds.output import as_csv, as_html, as_json

    asked = AnalyzeOptions(**given)
    if asked.as_json + asked.as_csv + (asked.html is not None) > 1:
        fail("--json, --csv and --html are three ways: choose one")
    found = asked.found()
    if asked.plot is not None:
        for file in _draw(found, asked.plot, asked.seed):
            typer.echo(str(file), err=asked.as_json or asked.as_csv)
    if asked.html is not None:
        write(asked.html, as_html(found))
        typer.echo(f"{asked.html}: the analysis, ready to print")
    elif asked.as_json:
        typer.echo(as_json(found))
    elif asked.as_csv:
        typer.echo(as_csv(found), nl=False)
    else:
        _print(found)


analyze.__signature__ = Signature([  # type: ignore[attr-defined]
    Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        annotation=field.type,
        default=Parameter.empty if field.default is MISSING else field.default,
    )
    for field in fields(AnalyzeOptions)
])  # fmt: skip
analyze.__annotations__ = {field.name: field.type for field in fields(AnalyzeOptions)}


def write(file: Path, text: str) -> None:
    """Writes a file at the path given; ends the command where it cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")


def _draw(analysis: "AnyAnalysis", folder: Path, seed: str) -> list[Path]:
    """The pictures that were written. Ends the command where one cannot be."""
    if folder.suffix.lower() in (".svg", ".png"):
        fail(f"--plot {folder}: there are several pictures, each as SVG and PNG: name a folder")
    require_lab("matplotlib", "--plot")
    from jackpot.odds.pictures import SUFFIXES, pictures, written

    drawn = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in pictures(analysis, seed).items():
            for suffix in SUFFIXES:
                file = folder / f"{analysis.subject.terms.paytable}-{name}.{suffix}"
                file.write_bytes(written(figure, suffix))
                drawn.append(file)
    except OSError as error:
        fail(f"{folder} cannot be written: {error.strerror}")
    return drawn


def _pairs(option: str, form: str, texts: list[str] | None) -> dict[str, str]:
    """Parses NAME=VALUE of an option that may be repeated."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, _, value = text.partition("=")
        if not (name and value):
            fail(f"{option} {text}: write it as {form}")
        if name in found:
            fail(f"{option} {name}: given twice")
        found[name] = value
    return found


def _sums(texts: list[str] | None) -> dict[str, int]:
    from jackpot.catalogue import parse_money

    found = {}
    for name, text in _pairs("--meter", "LEVEL=SUM", texts).items():
        try:
            found[name] = parse_money(text)
        except ValueError as error:
            fail(f"--meter {name}: {error}")
    return found


def _print(analysis: "AnyAnalysis") -> None:
    from jackpot.cli.options import plain_table, wide_console
    from jackpot.odds.analyses import facts_of, sheets_of
    from jackpot.odds.sheets import cell_text

    console = wide_console()
    for label, text in facts_of(analysis):
        console.print(f"  {label}: {text}", highlight=False)
    for sheet in sheets_of(analysis):
        table = plain_table(*(column.name.replace("_", " ") for column in sheet.columns))
        for column, made in zip(sheet.columns, table.columns, strict=True):
            made.justify = "left" if column.kind in ("text", "name", "suits") else "right"
        for row in sheet.rows:
            cells = zip(sheet.columns, row, strict=True)
            table.add_row(*(cell_text(column.kind, cell) for column, cell in cells))
        console.print()
        console.print(f"[bold]{sheet.title}[/bold]", highlight=False)
        console.print(table)
        for note in sheet.notes:
            console.print(f"  {note}", highlight=False)
