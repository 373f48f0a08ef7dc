"""`jackpot config`: checks a configuration and shows what a server would run with it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer

from jackpot.cli.options import fail
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.config import Config
    from jackpot.config.settings import Listen, Signage
    from jackpot.rules.paytable import LevelTerms, LinkTerms

app = typer.Typer(
    help="The configuration file: check it, begin one, its schema.",
    epilog="Example: jackpot config check /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command()
def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", envvar="JACKPOT_CONFIG", help="A configuration in TOML.")
    ],
    preview: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write pictures of each link's sign there; needs Chromium."),
    ] = None,
) -> None:
    """Check a whole configuration: list every mistake, or show what it would run.

    Example: jackpot config check /etc/jackpot/config.toml --preview /tmp/signs
    """
    from jackpot.config import ConfigErrors, load

    try:
        found = load(file)
    except ConfigErrors as errors:
        _wrong(file, str(errors).splitlines())
    for line in (*_links(found), *_tables(found), *_returns(found), *_signs(found), *_processes(found)):
        typer.echo(line)
    told = _ledger(found)
    typer.echo(told.what)
    typer.echo(_heads(found))
    for warning in (*found.warnings, *_old_law(found), *told.warnings):
        typer.echo(f"warning: {warning}")
    if told.mistakes:
        _wrong(file, told.mistakes)
    if preview is not None:
        _draw(found, preview)
    typer.echo(f"{file}: good")


def _draw(config: "Config", folder: Path) -> None:
    """Writes pictures of each link's sign, and prints their names."""
    import asyncio

    from jackpot.cli.sign_pictures import pictures

    async def drawn() -> None:
        async for picture in pictures(config, place):
            typer.echo(f"picture {picture}")

    place = folder.absolute()
    try:
        place.mkdir(parents=True, exist_ok=True)
        asyncio.run(drawn())
    except OSError as error:
        fail(str(error))


def _wrong(file: Path, mistakes: Sequence[str]) -> NoReturn:
    """Prints every mistake on a line, and their number; ends the command."""
    for mistake in mistakes:
        typer.echo(mistake, err=True)
    fail(f"{file}: {counted(len(mistakes), 'mistake')}")


@app.command()
def example() -> None:
    """Print an annotated configuration with every setting, to begin with.

    Example: jackpot config example > config.toml
    """
    typer.echo(_shipped("config.example.toml"), nl=False)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the configuration, for editors that complete and check TOML.

    The example's first line names it as config.schema.json, next to the configuration.

    Example: jackpot config schema > config.schema.json
    """
    typer.echo(_shipped("config.schema.json"), nl=False)


def _shipped(name: str) -> str:
    from importlib import resources

    return resources.files("jackpot").joinpath("schemas", name).read_text(encoding="utf-8")


def _old_law(config: "Config") -> list[str]:
    """That the tax law is of an earlier year than this one."""
    from jackpot.clock import SystemClock

    law, terms = config.site.tax, config.site.tax_terms(SystemClock().unix_ms())
    year = config.site.year(SystemClock().unix_ms())
    if law is None or terms is None or terms.year >= year:
        return []
    return [
        f"site.tax: there are no figures of {year} yet; those of {terms.year} go on (law as of {law.checked})"
    ]


def _links(config: "Config") -> list[str]:
    from jackpot.catalogue import rate_text
    from jackpot.config.writing import writing
    from jackpot.rules.money import to_cents

    sums = writing(config.site.locale, config.site.currency)

    def money_text(micros: int) -> str:
        return sums.text(to_cents(micros))

    lines = []
    for link in config.links:
        wager = money_text(link.wager)
        if link.offer:
            lines += _offer(link, money_text)
            continue
        if link.mystery:
            lines += _mystery(link, money_text)
            continue
        lines.append(f"link {link.link} (bank {link.bank}): {link.paytable}, wager {wager}")
        for level in link.levels:
            limit = "no limit" if level.limit is None else f"limit {money_text(level.limit)}"
            lines.append(
                f"  {level.level}: primary {rate_text(level.primary)}, reserve {rate_text(level.reserve)}, "
                f"seed {money_text(level.seed)}, reseed {money_text(level.reseed)}, {limit}"
            )
    return lines


def _mystery(terms: "LinkTerms", money_text: Callable[[int], str]) -> list[str]:
    """A mystery link: between which sums its meters move, and what it returns (Y1, Y5)."""
    from jackpot.catalogue import rate_text
    from jackpot.config.mystery import returns, wagers

    counted_by = "electronic" if terms.electronic else "chips counted"
    head = (
        f"link {terms.link} (bank {terms.bank}): mystery, {terms.form}, wager {money_text(terms.wager)}, "
        f"{counted_by}, returns {returns(terms)}"
    )
    return [
        head,
        *(
            f"  {level.level}: {money_text(level.seed)}, must hit by {money_text(level.must_hit_by or 0)}, "
            f"{rate_text(level.primary)} of each wager; {wagers(level, terms.wager)}; "
            f"{_pays_from(level, terms.wager)}"
            for level in terms.levels
        ),
    ]


def _pays_from(level: "LevelTerms", wager: int) -> str:
    """The meter from which a wager returns more than it costs, where there is one (Y5)."""
    from math import floor

    from jackpot.catalogue import money_text
    from jackpot.odds.must_hit_by import MustHitByTerms, break_even

    terms = MustHitByTerms(level.reseed, level.must_hit_by or 0, wager, level.primary)
    meter = break_even(terms)
    if meter is None:
        return "no meter makes a wager return more than it costs"
    return f"a wager returns more than it costs above {money_text(floor(meter))}"


def _offer(terms: "LinkTerms", money_text: Callable[[int], str]) -> list[str]:
    """An offer: the amounts that it takes, and what it returns, by players where they decide (B3, B14)."""
    from jackpot.catalogue import odds_returns, percent_text

    amounts = money_text(terms.wager)
    if terms.most > terms.wager:
        amounts += f" to {money_text(terms.most)} in steps of {money_text(terms.unit)}"
    chips = ", chips counted" if terms.count_chips else ""
    where = f"on the {terms.placed}{chips}"
    head = f"offer {terms.link} (bank {terms.bank}): {terms.paytable}, wager {amounts}, {where}"
    first, *others = returns = odds_returns(terms)
    if not others:
        return [f"{head}, returns {percent_text(first.part)}"]
    simulated = {
        one.players: f", simulated, give or take {percent_text(one.bound)}, seed {one.seed}"
        for one in returns
        if one.seed
    }
    return [
        head,
        *(
            f"  with {counted(one.players, 'player')}: returns {percent_text(one.part)}"
            f"{simulated.get(one.players, '')}"
            for one in returns
        ),
    ]


def _tables(config: "Config") -> list[str]:
    return [
        f"table {terms.table}: {terms.game}, {counted(terms.seats, 'seat')}, on {', '.join(terms.links)}"
        for terms in config.tables
    ]


def _signs(config: "Config") -> list[str]:
    return [f"sign {sign.id}: {', '.join(sign.links)}" for sign in config.signs]


def _processes(config: "Config") -> list[str]:
    """The addresses at which each server and signage process listens."""
    servers = [
        f"server {server.id}: {_listens(server.listen)}, admin socket {server.listen.admin}"
        for server in config.servers
    ]
    return servers + [f"signage {one.id}: {_listens(one)}" for one in config.signage]


def _heads(config: "Config") -> str:
    """The sinks of signed heads, and the signers."""
    from jackpot.ledger.heads import SiteKey

    if config.heads is None:
        return "warning: without [heads] nothing outside the database proves the ledger"
    places = {name: getattr(config.heads, name) for name in ("file", "syslog", "webhook")}
    said = ", ".join(f"{name} {place}" for name, place in places.items() if place is not None)
    return f"heads signed by the key {SiteKey(config.heads.key).fingerprint} go to {said}"


def _listens(at: "Listen | Signage") -> str:
    addresses = {name: getattr(at, name, None) for name in ("tables", "signs", "http", "public")}
    return ", ".join(f"{name} {address}" for name, address in addresses.items() if address is not None)


class _Ledger(NamedTuple):
    """The ledger that a server would use, its content, and what does not match it, as sentences.

    mistakes: what keeps a link closed and only the configuration can cure.
    """

    what: str
    warnings: Sequence[str] = ()
    mistakes: Sequence[str] = ()


def _ledger(config: "Config") -> _Ledger:
    """Inspects the configured ledger. That of another site ends the command: no server starts on it."""
    from jackpot.bank.config_alignment import (
        OtherSite,
        check_site,
        disagreements,
        left_out_banks,
        left_out_message,
        misplaced_links,
        misplaced_message,
        missing_banks,
    )
    from jackpot.clock import SystemClock
    from jackpot.ledger.connect import without_password
    from jackpot.ledger.open import open_reader
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.signing import SITE

    url = config.ledger.url
    configured = {terms.link: terms.bank for terms in config.links}
    begins = (
        f"`jackpot users init`, or else the first start, opens these banks in it: {', '.join(config.banks)}, "
        f"and {SITE} for its people; the first start opens every link at its seed"
    )
    if url.startswith("sqlite:///") and not (path := Path(url.removeprefix("sqlite:///"))).exists():
        folder = path.parent
        missing = f"there is no folder {folder}: a server makes its ledger, but no folder for it"
        warnings = [] if folder.is_dir() else [missing]
        return _Ledger(f"ledger {url} does not exist yet: {begins}", warnings)
    shown = without_password(url)
    try:
        with closing(open_reader(url)) as ledger:
            there = ledger.banks()
            if not there:
                return _Ledger(f"ledger {shown} is empty: {begins}")
            site = check_site(ledger, config)
            warnings = [*missing_banks(ledger, config).values()]
            warnings += [left_out_message(bank) for bank in left_out_banks(ledger, config)]
            misplaced = misplaced_links(ledger, config)
            warnings += disagreements(ledger, config, SystemClock().unix_ms())
    except OtherSite as error:
        fail(str(error))
    except LedgerError as error:
        return _Ledger(f"ledger {shown} cannot be looked at from here: {error}")
    mistakes = [misplaced_message(link, bank, configured[link]) for link, bank in misplaced.items()]
    what = f"ledger {shown}: of site {site}, with the banks {', '.join(there)}"
    return _Ledger(what, [one for one in warnings if one not in mistakes], mistakes)


def _returns(config: "Config") -> list[str]:
    """Long-run return of a wager on each link with meters, by game and component (A7)."""
    from jackpot.catalogue import return_of

    links = {link.link: link for link in config.links if not link.offer}
    played = {
        (name, table.game, table.seats): None
        for table in config.tables
        for name in table.links
        if name in links
    }
    return [
        f"link {name} at {game}, {counted(seats, 'seat')}, returns {return_of(links[name], seats)}"
        + (" and what floor_to_seed tops up" if links[name].floor_to_seed else "")
        for name, game, seats in played
    ]
