"""`jackpot simulate`: plays a year of a floor in minutes with the engine, into a ledger."""

import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.options import fail, options, read, require_lab

if TYPE_CHECKING:
    from jackpot.config import Config
    from jackpot.lab.simulation.plan import SimulationPlan
    from jackpot.lab.simulation.run import SimulationResult

app = typer.Typer(help="A year of a floor in minutes.")

# A fixed day, so that the same seed makes the same ledger.
_FIRST: Final = datetime(2026, 1, 1)  # noqa: DTZ001 - a date, as typer has it


@dataclass(frozen=True)
class SimulateOptions:
    """Options of the command."""

    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]", help="A new folder for ledger and configuration; without it nothing is kept."
        ),
    ] = None
    paytable: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="A paytable of a link, which `jackpot paytable list` names; or `mystery`, a link that must "
            "hit by a sum: --set gives meter.seed, meter.must_hit_by and meter.primary of each level.",
        ),
    ] = None
    offers: Annotated[
        list[str] | None,
        typer.Option("--offer", metavar="ID", help="A paytable of a bonus wager; may be repeated."),
    ] = None
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Which of the paytables' games. [default: the first of all]"),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the link or of an offer, like wager=5.00, meter.primary=15% or "
            "pa-653a-trips-A.most=100.00.",
        ),
    ] = None
    tables: Annotated[int, typer.Option(min=1, max=500, help="Tables on the floor.")] = 12
    players: Annotated[
        int, typer.Option(min=1, max=7, help="Players at each table; each makes every wager.")
    ] = 6
    days: Annotated[int, typer.Option(min=1, max=3_660, help="Gaming days, each of 24 hours of play.")] = 30
    rounds: Annotated[int, typer.Option(min=1, max=600, help="Rounds an hour, at each table.")] = 40
    folds: Annotated[
        int,
        typer.Option(min=0, max=100, help="Of a hundred hands so many are folded, where the game has folds."),
    ] = 0
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same ledger again.")] = 1
    first: Annotated[
        datetime,
        typer.Option(
            "--from",
            formats=["%Y-%m-%d"],
            metavar="DAY",
            show_default=False,
            help=f"The first gaming day. [default: {_FIRST:%Y-%m-%d}]",
        ),
    ] = _FIRST
    as_json: Annotated[bool, typer.Option("--json", help="The results, as JSON.")] = False


@app.command()
@options(SimulateOptions)
def simulate(asked: SimulateOptions) -> None:
    """Play a floor without sockets and clocks: real decks, the real engine, a real ledger.

    At the end the return of each wager stands next to the exact one, and the hands that were paid are
    compared with exact odds: each hand, all hands by one chi-square, and to which side they are off. Of a
    hundred seeds one may look improbable. Every seat makes every wager, on an offer with each amount in its
    turn, and folds no hand that an award would be lost for. A year of 12 tables takes about a quarter of an
    hour, and 1.9 GB in DIR; `jackpot report` and `jackpot verify` then read it. It needs the extra `lab`, and
    says how to install it.

    Example: jackpot simulate year --paytable pa-643a-five-card-C --tables 12 --players 6 --days 365 --seed 7
    """
    from jackpot.catalogue import CatalogueError
    from jackpot.ledger.store import LedgerError

    require_lab("numpy", "jackpot simulate")
    from jackpot.lab.simulation.plan import PlanError, SimulationPlan, game_of

    try:
        offers = tuple(asked.offers or ())
        played = (*([asked.paytable] if asked.paytable else []), *offers)
        plan = SimulationPlan(
            asked.paytable,
            game_of(played, asked.game, asked.players),
            asked.tables,
            asked.players,
            asked.days,
            asked.seed,
            asked.rounds,
            asked.first.date(),
            tuple(asked.settings or ()),
            offers,
            asked.folds,
        )
        config, result = _simulated(plan, asked.folder)
    except FileExistsError:
        fail(f"{asked.folder} is there already: give a new folder")
    except (PlanError, CatalogueError, LedgerError, OSError) as error:
        fail(f"not simulated: {error}")
    improbable = _print(plan, result, as_json=asked.as_json)
    if asked.folder is not None and not asked.as_json:
        typer.echo(f"kept: jackpot report hits --config {config.path} --from {plan.first}")
    if improbable or result.problems:
        raise typer.Exit(1)


def _simulated(plan: "SimulationPlan", folder: Path | None) -> "tuple[Config, SimulationResult]":
    """Plays the simulation. Mistakes of the configuration end the command before anything is kept."""
    from jackpot.cli.progress import bar
    from jackpot.lab.simulation.plan import furnish
    from jackpot.lab.simulation.run import simulate as play

    with tempfile.TemporaryDirectory(prefix="jackpot-simulate-") as made:
        config = read(furnish(Path(made), plan))
    if folder is not None:
        folder.mkdir(parents=True)
        config = read(furnish(folder, plan))
    with bar() as tell:
        of, keep = plan.rounds_in_all, folder is not None
        return config, play(plan, config, lambda done: tell("rounds", done, of), keep=keep)


def _print(plan: "SimulationPlan", result: "SimulationResult", *, as_json: bool) -> bool:
    """Prints the result; returns whether the hands are improbable."""
    from jackpot.reports.goodness_of_fit import LEVEL

    chances = result.chances()
    improbable = min(chances.values()) < LEVEL
    if as_json:
        typer.echo(_json(plan, result, chances))
        return improbable
    from jackpot.cli.options import table
    from jackpot.config.mystery import KIND as MYSTERY
    from jackpot.lab.demo.scene import dollars
    from jackpot.rules.money import to_cents

    used = sum(result.spent.values())
    parts = ", ".join(f"{part} {100 * took / used:.0f} %" for part, took in result.spent.items())
    typer.echo(f"{result.rounds:,} rounds of {plan.players} players, {result.rows:,} rows")
    typer.echo(f"{result.rounds / result.seconds:,.0f} rounds a second, for {result.seconds:,.1f} s")
    typer.echo(f"{result.rounds / used:,.0f} a second of a processor ({parts})")
    typer.echo(f"head {result.head.hex()}")
    sums = [
        [level.level, f"{level.wagers:,}", f"{level.hits:,}", dollars(to_cents(level.wins)),
         dollars(to_cents(level.primary)), dollars(to_cents(level.reserve))]
        for level in result.levels
    ]  # fmt: skip
    if sums:
        table("Levels", ["level", "wagers", "hits", "amount", "meter", "reserve"], sums)
    returns = [
        [one.wager, f"{one.wagers:,}", dollars(one.wagered), dollars(one.paid),
         f"{100 * one.returned:.2f} %", f"{100 * one.exact:.2f} %"]
        for one in result.wagers
    ]  # fmt: skip
    is_mystery = plan.paytable == MYSTERY
    what, title = ("cycle", "Returns") if is_mystery else ("hand", "Returns without meters")
    table(title, ["wager", "wagers", "wagered", "paid", "return", "exact"], returns)
    for one in result.wagers:
        hands = [
            [found.what, f"{found.observed:,}", f"{found.expected:,.2f}", f"{found.off:+.2f}",
             _chance(chances.get((one.wager, found.what)))]
            for found in one.judged.findings
        ]  # fmt: skip
        columns = [what, "came", "expected", "off", "corrected chance"]
        table(f"{what.capitalize()}s that were paid: {one.wager}", columns, hands)
        if is_mystery:
            continue
        above, below = one.judged.above, one.judged.below
        typer.echo(f"counts of a table and hand above what is expected: {above}, below: {below}")
    typer.echo(f"each chance is corrected for the number of comparisons, {len(chances)}")
    from_what = "random numbers" if is_mystery else "decks"
    typer.echo(
        f"improbable: the {what}s are not those of fair {from_what}"
        if improbable
        else f"the {what}s are probable"
    )
    for problem in result.problems or ["the books balance"]:
        typer.echo(problem)
    return improbable


def _chance(corrected: float | None) -> str:
    return "too few" if corrected is None else f"{corrected:.2g}"


def _json(plan: "SimulationPlan", result: "SimulationResult", chances: dict[tuple[str, str], float]) -> str:
    import msgspec

    said = result._asdict() | {
        "plan": plan._asdict() | {"first": plan.first.isoformat()},
        "head": result.head.hex(),
        "levels": [level._asdict() for level in result.levels],
        "wagers": [
            one._asdict() | {
                "returned": one.returned,
                "judged": {
                    "hands": [finding._asdict() for finding in one.judged.findings],
                    "above": one.judged.above,
                    "below": one.judged.below,
                    "corrected_chances": {
                        what: chance for (wager, what), chance in chances.items() if wager == one.wager
                    },
                },
            }
            for one in result.wagers
        ],
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(said)).decode()
