"""`jackpot paytable`: lists and shows paytables, with the source and the open figures of each."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.analyze import analyze, write
from jackpot.cli.options import fail, plain_table, require_lab, wide_console

if TYPE_CHECKING:
    from rich.table import Table

    from jackpot.catalogue import Figure, Paytable
app = typer.Typer(
    help="The paytable catalogue: list, show, analyze, count.",
    epilog="Example: jackpot paytable show pa-643a-five-card-C",
    no_args_is_help=True,
)


@app.command("list")
def list_() -> None:
    """List every paytable of the catalogue: of links, of bonus wagers, and those that no table sends.

    Example: jackpot paytable list
    """
    from jackpot import catalogue

    console = wide_console()
    every = catalogue.every().values()
    links = plain_table("paytable", "levels", "status", "games", title="Links: progressives with a meter")
    for paytable in every:
        if paytable.use == "link":
            games = ", ".join(catalogue.games_of(paytable))
            links.add_row(paytable.id, ", ".join(paytable.level), paytable.status, games)
    offers = plain_table(
        "paytable", "wager", "placed", "status", "games", title="Bonus wagers with fixed odds"
    )
    for paytable in every:
        if paytable.use == "offer":
            what = paytable.wager or "", ", ".join(paytable.placed)
            offers.add_row(paytable.id, *what, paytable.status, ", ".join(paytable.games))
    alone = plain_table(
        "paytable", "why", "status", "games", title="In the catalogue only: no table sends them"
    )
    for paytable in every:
        if paytable.use == "catalogue":
            alone.add_row(
                paytable.id, paytable.catalogue_only or "", paytable.status, ", ".join(paytable.games)
            )
    unknown = plain_table(
        "wager", "section", "named in", "why", title="Known by name, not held, and not offered"
    )
    for wager in catalogue.not_held():
        unknown.add_row(wager.wager, wager.section, wager.named_in, wager.reason)
    for place, table in enumerate((links, offers, alone, unknown)):
        if place:
            console.print()
        console.print(table)


@app.command()
def show(
    paytable: Annotated[
        str, typer.Argument(metavar="ID", help="A paytable that `jackpot paytable list` names.")
    ],
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
    console = wide_console()
    console.print(f"[bold]{found.id}[/bold]  {found.title} ({found.jurisdiction}, {found.status})")
    for label, text in (*_facts(found), *_odds(found)):
        console.print(f"  {label}: {text}", highlight=False)
    levels = (_levels(found),) if found.level else ()
    for table in (_rows(found), *levels, *_envy(found)):
        console.print()
        console.print(table)


app.command("analyze")(analyze)


@app.command()
def count(
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the counts to this file, in the form of schemas/odds.toml."),
    ] = None,
) -> None:
    """Rank every deal again, and compare the counts with those that all returns are made of.

    It takes minutes, and needs the extra `lab`; without it, it says how to install it.

    Example: jackpot paytable count
    """
    require_lab("numpy", "jackpot paytable count")
    from jackpot.cli.progress import bar
    from jackpot.odds.counts_file import as_toml, count_all, differences, differences_of_others

    with bar() as tell:
        counted = count_all(lambda done, of: tell("ranking every deal", done, of))
    if save is not None:
        write(save, as_toml(counted))
    if wrong := [*differences(counted.hands), *differences_of_others(counted.others)]:
        fail(f"{len(wrong)} counts differ from schemas/odds.toml: {wrong[0]}")
    typer.echo("every count is that of schemas/odds.toml")


def _odds(paytable: "Paytable") -> list[tuple[str, str]]:
    """Return, hit frequency and break-even meter for one player, at the printed seeds."""
    from jackpot.odds.analysis import AnalysisConditions
    from jackpot.odds.analysis import analyze as analyze_wager
    from jackpot.odds.sheets import brief
    from jackpot.odds.subject import OperatorChoices, subject_of

    odds = brief(analyze_wager(subject_of(paytable.id, OperatorChoices()), AnalysisConditions()))
    if paytable.stake_open is None:
        return odds
    kept = brief(analyze_wager(subject_of(paytable.id, OperatorChoices(stake="kept")), AnalysisConditions()))
    return [odds[0], *kept]


def _facts(paytable: "Paytable") -> list[tuple[str, str]]:
    from jackpot.catalogue import games_of

    facts = [("source", paytable.source), ("games", ", ".join(games_of(paytable))), ("hand", paytable.hand)]
    facts += _facts_of_bonus(paytable)
    wagers = " or ".join(_sum(wager) for wager in paytable.wagers)
    facts.append(("wager", f"{wagers} only ({paytable.wagers_source})" if wagers else "any, in whole cents"))
    turn = f"by turn ({paytable.by_turn})" if paytable.by_turn else "by turn or shared"
    optional = (
        ("may share a link with", paytable.same_as),
        ("electronic wager", paytable.electronic),
        ("also on the dealer's hand", paytable.dealer_hand),
        ("winners of one round", turn if paytable.level else None),
    )
    facts += [(label, text) for label, text in optional if text is not None]
    if paytable.always_validate is not None:
        facts.append(
            ("always validated", f"{paytable.always_validate.pays} ({paytable.always_validate.source})")
        )
    if paytable.draws is not None:
        draws = {"magic_card": paytable.draws.magic_card, "lucky_bonus": paytable.draws.lucky_bonus}
        for draw, pays in draws.items():
            facts.append((draw.replace("_", " "), f"{pays} ({paytable.draws.source})"))
    if paytable.draws_refused is not None:
        facts.append(("no draws", paytable.draws_refused))
    facts += [(f"cards at {game}", reason) for game, reason in paytable.cards_by_house.items()]
    return facts


def _facts_of_bonus(paytable: "Paytable") -> list[tuple[str, str]]:
    """What a bonus wager with fixed odds has, and what is in the catalogue only."""
    facts = [(f"placed: {place}", source) for place, source in paytable.placed.items()]
    facts += [(f"a fold at {game}", f"{rule.does} ({rule.source})") for game, rule in paytable.fold.items()]
    optional = (
        ("catalogue only", paytable.catalogue_only),
        ("bonus on", paytable.bonus_on),
        ("bonus wager", paytable.wager),
        ("stake in a device", paytable.stake_open),
        ("cards", paytable.cards_open),
        ("odds may be raised", paytable.no_less),
    )
    facts += [(label, text) for label, text in optional if text is not None]
    return facts + [("reading", text) for text in paytable.readings]


def _sum(text: str) -> str:
    """Formats a sum of the catalogue, whose sources are all in dollars."""
    from jackpot.catalogue.figures import money_text, parse_money

    return f"${money_text(parse_money(text))}"


def _printed(text: str) -> str:
    """Formats a figure of the catalogue: "$5,000.00", "10,000 for 1", "9 %"."""
    from jackpot.catalogue.figures import MONEY

    if MONEY.fullmatch(text):
        return _sum(text)
    return re.sub(r"[0-9]{4,}", lambda digits: f"{int(digits[0]):,}", text).replace("%", " %")


def _rows(paytable: "Paytable") -> "Table":
    title = "Pays, the best row that a hand satisfies"
    most = max(len(row.by_players) for row in paytable.rows)
    players = [f"{count} player{'s' if count > 1 else ''}" for count in range(1, most + 1)]
    table = plain_table("hand", "suits", *(players or ["pays"]), "source", title=title)
    for row in paytable.rows:
        hand = f"{row.hand} of {row.least.replace('T', '10')} or better" if row.least else row.hand
        pays = map(_printed, row.by_players or (row.pays,))
        table.add_row(hand, row.suits or "all", *pays, row.source)
    return table


def _levels(paytable: "Paytable") -> "Table":
    table = plain_table("level", "figure", "value", "set by", "source", title="Levels")
    for name, level in paytable.level.items():
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


def _envy(paytable: "Paytable") -> list["Table"]:
    tables = []
    for item in paytable.envy:
        name = f" {item.schedule}" if item.schedule else ""
        table = plain_table(
            "hand", "suits", "envy", "source", title=f"Envy bonus{name} for a wager of {_sum(item.wager)}"
        )
        for row in item.rows:
            table.add_row(row.hand, row.suits or "all", _sum(row.sum), item.source)
        tables.append(table)
    return tables
