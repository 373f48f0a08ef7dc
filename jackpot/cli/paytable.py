"""`jackpot paytable`: what may a link pay, by which regulation, and what is left to the operator?"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.speak import PIPE_WIDTH, fail

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jackpot.catalogue import Figure, Paytable
    from jackpot.odds.analysis import Analysis, Tonight
    from jackpot.odds.subject import Wish

app = typer.Typer(
    help="The paytable catalogue: list, show, analyze, count.",
    epilog="Example: jackpot paytable show pa-643a-five-card-C",
    no_args_is_help=True,
)


@app.command("list")
def list_() -> None:
    """List every paytable of the catalogue.

    Example: jackpot paytable list
    """
    from jackpot import catalogue

    table = _table("paytable", "levels", "status", "games")
    for paytable in catalogue.every().values():
        games = ", ".join(catalogue.games_of(paytable))
        table.add_row(paytable.id, ", ".join(paytable.level), paytable.status, games)
    _console().print(table)


@app.command()
def show(
    paytable: Annotated[str, typer.Argument(metavar="ID", help="As `jackpot paytable list` names it.")],
) -> None:
    """Show one paytable: rows, levels, envy bonus, and the source of each.

    Example: jackpot paytable show pa-643a-five-card-C
    """
    from jackpot import catalogue

    try:
        found = catalogue.load(paytable)
    except catalogue.CatalogueError as error:
        typer.echo(f"{error}: `jackpot paytable list` names them all", err=True)
        raise typer.Exit(1) from error
    console = _console()
    console.print(f"[bold]{found.id}[/bold]  {found.title} ({found.jurisdiction}, {found.status})")
    for label, text in (*_facts(found), *_odds(found)):
        console.print(f"  {label}: {text}", highlight=False)
    for table in (_rows(found), _levels(found), *_envy(found)):
        console.print()
        console.print(table)


Id = Annotated[str, typer.Argument(metavar="ID", help="As `jackpot paytable list` names it.")]
Wager = Annotated[
    str | None, typer.Option("--wager", metavar="SUM", help="One wager. [default: the first that is printed]")
]
Game = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Whose table. [default: the paytable's first game]"),
]
EnvyAt = Annotated[
    str | None,
    typer.Option("--envy", metavar="A|B", help="The envy schedule, where there are two. [default: A]"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="LEVEL.FIGURE=VALUE",
        help="A seed, reseed, primary, reserve or limit that the source leaves open; may be repeated.",
    ),
]
Meters = Annotated[
    list[str] | None,
    typer.Option(
        "--meter", metavar="LEVEL=SUM", help="What a level shows; may be repeated. [default: its seed]"
    ),
]


@app.command()
def analyze(
    paytable: Id,
    wager: Wager = None,
    game: Game = None,
    envy: EnvyAt = None,
    figures: Set = None,
    meters: Meters = None,
    *,
    players: Annotated[int, typer.Option(help="Players at the table, each dealt a hand.")] = 1,
    rate: Annotated[int, typer.Option(help="Wagers an hour, on the whole link.")] = 1_000,
    magic_card_every: Annotated[int, typer.Option(min=0, help="One Magic Card in so many rounds.")] = 0,
    lucky_every: Annotated[int, typer.Option(min=0, help="One Lucky Bonus in so many rounds.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, to standard output.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="A line a figure, to standard output.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page to hand in, written to that file.")
    ] = None,
) -> None:
    """Tell exactly what a wager returns, how often each hand comes, and what a cycle of the meter is like.

    Every deal is counted, none is sampled. A figure that the source leaves open, and that is not given, is
    taken as 0 or left out, and the analysis says so. Each return is a part of the wager.

    Example: jackpot paytable analyze pa-643a-five-card-C --wager 5.00 --meter mega=81250.00 --players 6
    """
    from jackpot.odds.analysis import Tonight
    from jackpot.odds.output import as_csv as csv_of
    from jackpot.odds.output import as_html
    from jackpot.odds.output import as_json as json_of
    from jackpot.odds.subject import Wish

    if as_json + as_csv + (html is not None) > 1:
        fail("--json, --csv and --html are three ways: choose one")
    given = _pairs("--set", "LEVEL.FIGURE=VALUE", figures)
    wish = Wish(wager, game, envy, given, magic_card_every, lucky_every)
    found = _analysis(paytable, wish, Tonight(_meters(meters), players, rate))
    if html is not None:
        _write(html, as_html(found))
    elif as_json:
        typer.echo(json_of(found))
    elif as_csv:
        typer.echo(csv_of(found), nl=False)
    else:
        _tell(found)


@app.command()
def count(
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the counts there, as schemas/odds.toml has them."),
    ] = None,
) -> None:
    """Rank every deal again, and compare the counts with those that all returns are made of.

    It takes seconds, and needs numpy: pip install 'jackpot[lab]'.

    Example: jackpot paytable count
    """
    from importlib.util import find_spec

    if find_spec("numpy") is None:
        fail("to count deals needs numpy: pip install 'jackpot[lab]'")
    from jackpot.cli.bar import bar
    from jackpot.odds.deals import as_toml, count_all, differences

    with bar() as tell:
        counted = count_all(lambda done, of: tell("ranking every deal", done, of))
    if save is not None:
        _write(save, as_toml(counted))
    if wrong := differences(counted):
        fail(f"{len(wrong)} counts differ from schemas/odds.toml: {wrong[0]}")
    typer.echo("every count is that of schemas/odds.toml")


def _analysis(paytable: str, wish: "Wish", tonight: "Tonight") -> "Analysis":
    from jackpot.odds.analysis import analyze as found_by
    from jackpot.odds.subject import Unanalysable, subject_of

    try:
        return found_by(subject_of(paytable, wish), tonight)
    except Unanalysable as error:
        fail(str(error))


def _pairs(option: str, form: str, given: list[str] | None) -> dict[str, str]:
    """NAME=VALUE of an option that may be repeated."""
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            fail(f"{option} {text}: write it as {form}")
        if name in found:
            fail(f"{option} {name}: given twice")
        found[name] = value
    return found


def _meters(given: list[str] | None) -> dict[str, int]:
    from jackpot.catalogue import parse_money

    found = {}
    for name, text in _pairs("--meter", "LEVEL=SUM", given).items():
        try:
            found[name] = parse_money(text)
        except ValueError as error:
            fail(f"--meter {name}: {error}")
    return found


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")


def _tell(found: "Analysis") -> None:
    from jackpot.odds.sheets import facts_of, sheets_of, shown

    console = _console()
    for label, text in facts_of(found):
        console.print(f"  {label}: {text}", highlight=False)
    for sheet in sheets_of(found):
        table = _table(*(column.name.replace("_", " ") for column in sheet.columns))
        for column, made in zip(sheet.columns, table.columns, strict=True):
            made.justify = "left" if column.kind == "text" else "right"
        for row in sheet.rows:
            table.add_row(
                *(shown(column.kind, cell) for column, cell in zip(sheet.columns, row, strict=True))
            )
        console.print()
        console.print(f"[bold]{sheet.title}[/bold]", highlight=False)
        console.print(table)
        for note in sheet.notes:
            console.print(f"  {note}", highlight=False)


def _odds(found: "Paytable") -> list[tuple[str, str]]:
    """Its return, hit frequency and break-even meter for one player, at the seeds that are printed."""
    from jackpot.odds.analysis import Tonight
    from jackpot.odds.analysis import analyze as found_by
    from jackpot.odds.sheets import brief
    from jackpot.odds.subject import Wish, subject_of

    return brief(found_by(subject_of(found.id, Wish()), Tonight()))


def _console() -> "Console":
    """As wide as the terminal; to a pipe a line is a line."""
    from rich.console import Console

    found = Console()
    if not found.is_terminal:
        found.width = PIPE_WIDTH
    return found


def _table(*columns: str, title: str | None = None) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        # Nothing is cut short: a narrow terminal folds sources and games, not figures.
        table.add_column(column, overflow="fold", no_wrap=column not in {"source", "games"})
    return table


def _facts(found: "Paytable") -> list[tuple[str, str]]:
    from jackpot.catalogue import games_of

    facts = [("source", found.source), ("games", ", ".join(games_of(found))), ("hand", found.hand)]
    wagers = " or ".join(_sum(wager) for wager in found.wagers)
    facts.append(("wager", f"{wagers} only ({found.wagers_source})" if wagers else "any, in whole cents"))
    optional = (
        ("may share a link with", found.same_as),
        ("electronic wager", found.electronic),
        ("also on the dealer's hand", found.dealer_hand),
        ("winners of one round", f"by turn ({found.by_turn})" if found.by_turn else "by turn or shared"),
    )
    facts += [(label, text) for label, text in optional if text is not None]
    if found.always_validate is not None:
        facts.append(("always validated", f"{found.always_validate.pays} ({found.always_validate.source})"))
    if found.draws is not None:
        draws = {"magic_card": found.draws.magic_card, "lucky_bonus": found.draws.lucky_bonus}
        for draw, pays in draws.items():
            facts.append((draw.replace("_", " "), f"{pays} ({found.draws.source})"))
    if found.draws_refused is not None:
        facts.append(("no draws", found.draws_refused))
    facts += [(f"cards at {game}", reason) for game, reason in found.cards_by_house.items()]
    return facts


def _sum(text: str) -> str:
    """A sum of the catalogue, whose sources are all in dollars, as every command writes sums."""
    from jackpot.catalogue.figures import money_text, parse_money

    return f"${money_text(parse_money(text))}"


def _printed(text: str) -> str:
    """A figure of the catalogue, written as everywhere: "$5,000.00", "10,000 for 1", "9 %"."""
    from jackpot.catalogue.figures import MONEY

    if MONEY.fullmatch(text):
        return _sum(text)
    return re.sub(r"[0-9]{4,}", lambda digits: f"{int(digits[0]):,}", text).replace("%", " %")


def _rows(found: "Paytable") -> "Table":
    table = _table("hand", "suits", "pays", "source", title="Pays, the best row that a hand satisfies")
    for row in found.rows:
        table.add_row(row.hand, row.suits or "all", _printed(row.pays), row.source)
    return table


def _levels(found: "Paytable") -> "Table":
    table = _table("level", "figure", "value", "set by", "source", title="Levels")
    for name, level in found.level.items():
        for label in ("seed", "reseed", "primary", "reserve"):
            value, by = _figure(getattr(level, label))
            table.add_row(name if label == "seed" else "", label, value, by, level.source)
    return table


def _figure(figure: "Figure") -> tuple[str, str]:
    """A figure's value and who sets it: the regulation, the operator within it, the operator, or nobody."""
    if figure.mandated is not None:
        return _printed(figure.mandated), "mandated"
    if figure.minimum is not None:
        return f"at least {_printed(figure.minimum)}", "operator"
    if figure.as_seed:
        return "the seed", "one seed is printed"
    if figure.operator:
        return "as configured", "operator"
    return figure.none or "", "none"


def _envy(found: "Paytable") -> list["Table"]:
    tables = []
    for item in found.envy:
        name = f" {item.schedule}" if item.schedule else ""
        table = _table(
            "hand", "suits", "envy", "source", title=f"Envy bonus{name} for a wager of {_sum(item.wager)}"
        )
        for row in item.rows:
            table.add_row(row.hand, row.suits or "all", _sum(row.sum), item.source)
        tables.append(table)
    return tables
