"""`jackpot conformance`: tests a third-party device or server against the floor protocol."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from jackpot.cli.options import fail

if TYPE_CHECKING:
    import ssl

    from jackpot.lab.conformance.offers import ConformanceOffer
    from jackpot.lab.conformance.report import ConformanceReport

app = typer.Typer(help="Test another maker's device, or server, against the floor protocol.")

# How often the tester pings: an impatient server, so that silence is seen soon.
_HEARTBEAT_MS: Final = 1000


@dataclass(frozen=True, kw_only=True)
class _ConformanceOptions:
    """The options of the command."""

    device: Annotated[
        str | None,
        typer.Option("--device", metavar="ID", help="The device's id; default: the name of its key file."),
    ] = None
    role: Annotated[str, typer.Option("--role", help="table or sign.")] = "table"
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The device's key file.")] = None
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the device finds the tester.")] = (
        "127.0.0.1:5710"
    )
    link: Annotated[str, typer.Option("--link", help="The link that a table wagers on.")] = "floor-five"
    wager: Annotated[int, typer.Option("--wager", min=1, metavar="CENTS", help="The wager of that link.")] = (
        100
    )
    offer: Annotated[
        list[str] | None,
        typer.Option(
            "--offer",
            metavar="PAYTABLE",
            help="A bonus wager that the device takes besides, by its paytable; may be repeated.",
        ),
    ] = None
    heartbeat: Annotated[int, typer.Option(min=100, metavar="MS", help="The heartbeat of the tester.")] = (
        _HEARTBEAT_MS
    )
    run: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="A command that starts the device; {server} becomes the tester's address."
        ),
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="With --run: start the device again whenever it ends by itself.")
    ] = False
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Ask a person to cut the device's power.")] = (
        False
    )
    server: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Test this server instead of a device.")
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out the tests that wait for half a minute.")
    ] = False
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Only this obligation; may be repeated."),
    ] = None
    cert: Annotated[Path | None, typer.Option(metavar="FILE", help="TLS: the tester's certificate.")] = None
    cert_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TLS: the key of that certificate.")
    ] = None
    ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TLS: the authority of the other side's certificate.")
    ] = None
    explain: Annotated[bool, typer.Option("--list", help="Only explain every obligation.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False


def _with_options(command: Callable[[_ConformanceOptions], None]) -> Callable[..., None]:
    """The command as typer calls it: one parameter for each field."""

    def called(**given: Any) -> None:
        command(_ConformanceOptions(**given))

    hints = get_type_hints(_ConformanceOptions, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(one.name, kind, default=one.default, annotation=hints[one.name])
        for one in fields(_ConformanceOptions)
    ]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: hints[one.name] for one in fields(_ConformanceOptions)}
    called.__doc__ = command.__doc__
    called.__name__ = command.__name__
    return called


@app.command()
@_with_options
def conformance(options: _ConformanceOptions) -> None:
    """Test a device: the tester plays the server, and does to it what a floor does.

    Point the device at the tester, and let it play one round after another without end. The tester cuts its
    connections, refuses commands, falls silent, forgets, and sends it elsewhere. Then it reports each
    obligation of the protocol as pass, fail or not seen. It takes about two minutes. What a device that
    --run started prints, and how it ends by itself, stands next to the trials.

    A device that takes bonus wagers is tested with them too: --offer names each of their paytables.

    The exit code is 0 if something was seen and nothing failed. With --server the tester plays a table and
    tests a server instead, with all that it offers: choose one that no money depends on.

    Example: jackpot conformance --device T01 --key keys/T01 --run "./device {server}"
    """
    if options.explain:
        _explain()
        return
    report = _tested(options)
    _print(report, as_json=options.as_json)
    raise typer.Exit(0 if report.passed else 1)


def _tested(options: _ConformanceOptions) -> "ConformanceReport":
    """Runs the tests; ends the command where they cannot be run."""
    import asyncio

    try:
        if options.server is not None:
            return asyncio.run(_of_server(options))
        return asyncio.run(_of_device(options))
    except OSError as error:
        fail(f"{options.server or options.run or options.listen}: {error.strerror or error}")


async def _of_device(chosen: _ConformanceOptions) -> "ConformanceReport":
    from jackpot.lab.conformance.device import Options, examine
    from jackpot.lab.conformance.played import ConformanceSession, Setting
    from jackpot.lab.conformance.power import ManualPower, ProcessPower

    if chosen.role not in {"table", "sign"}:
        fail("--role: table or sign")
    host, port = _place("--listen", chosen.listen)
    if chosen.again and chosen.run is None:
        fail("--again: there is no --run that starts the device")
    process = None if chosen.run is None else ProcessPower(chosen.run, _say, again=chosen.again)
    hand = ManualPower(_asked_of_a_person) if chosen.by_hand else None
    device, key = _device(chosen)
    setting = Setting(
        chosen.role,
        device,
        key,
        chosen.link,
        chosen.wager,
        chosen.heartbeat,
        host,
        port,
        _listening_tls(chosen),
        _offers(chosen),
    )

    async def ready(played: ConformanceSession) -> None:
        typer.echo(f"waiting for {chosen.role} {device} at {played.addresses[0]}", err=True)
        if process is not None:
            await process.start(played.addresses[0])

    try:
        options = Options(chosen.quick, process or hand, _only(chosen), say=_say)
        return await examine(setting, options, ready)
    finally:
        if process is not None:
            await process.kill()


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _asked_of_a_person(text: str) -> None:
    typer.prompt(text, default="", show_default=False, err=True)


async def _of_server(options: _ConformanceOptions) -> "ConformanceReport":
    from jackpot.lab.conformance.server import ConformanceTarget, HelloRefused, examine

    host, port = _place("--server", options.server or "")
    tls = _calling_tls(options)
    device, key = _device(options)
    typer.echo(f"playing table {device} at {options.server}", err=True)
    try:
        target = ConformanceTarget(host, port, device, key, options.link, options.wager, tls)
        return await examine(target, quick=options.quick)
    except HelloRefused as refused:
        fail(f"{options.server}: {refused}; --device and --key name a table of it")


def _only(options: _ConformanceOptions) -> tuple[str, ...]:
    from jackpot.lab.conformance.report import BY_NAME

    for name in options.only or ():
        if name not in BY_NAME:
            fail(f"--only: there is no obligation {name}; --list has them all")
    return tuple(options.only or ())


def _offers(options: _ConformanceOptions) -> "tuple[ConformanceOffer, ...]":
    from jackpot.catalogue import ids_for
    from jackpot.lab.conformance.offers import offer_of
    from jackpot.text import did_you_mean

    known = ids_for("offer")
    for name in options.offer or ():
        if name not in known:
            fail(f"--offer: there is no bonus wager {name}{did_you_mean(name, known)}")
    return tuple(map(offer_of, dict.fromkeys(options.offer or ())))


def _device(options: _ConformanceOptions) -> tuple[str, bytes]:
    """The id and key of the device."""
    from jackpot.config import read_key

    if options.key is None:
        fail("--key: which key does the device have? `jackpot keys new FILE` makes one")
    key, mistakes = read_key(options.key)
    if key is None:
        fail("\n".join(mistakes))
    return options.device or options.key.name.removesuffix(".key"), key


def _place(option: str, text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal()):
        fail(f"{option}: HOST:PORT is needed, not {text}")
    return host.strip("[]"), int(port)


def _listening_tls(options: _ConformanceOptions) -> "ssl.SSLContext | None":
    """TLS of the tester as a server; with --ca the device must show a certificate."""
    import ssl

    if options.cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.cert_key)
    if options.ca is not None:
        context.load_verify_locations(options.ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _calling_tls(options: _ConformanceOptions) -> "ssl.SSLContext | None":
    """TLS of the tester as a table."""
    import ssl

    if options.ca is None:
        return None
    context = ssl.create_default_context(cafile=options.ca)
    if options.cert is not None:
        context.load_cert_chain(options.cert, options.cert_key)
    return context


def _explain() -> None:
    from jackpot.lab.conformance.report import OBLIGATIONS

    for one in OBLIGATIONS:
        typer.echo(f"{one.name} ({', '.join(sorted(one.sides))}; {one.section})\n  {one.text}\n  {one.how}")


def _print(report: "ConformanceReport", *, as_json: bool) -> None:
    import json

    if as_json:
        typer.echo(json.dumps(report.as_json(), indent=2))
        return
    results = report.results()
    for one, verdict, evidence in results:
        typer.echo(f"{verdict:8}  {one.name:15} {one.text} ({one.section})")
        if evidence and verdict != "pass":
            typer.echo(f"{'':27}{evidence}")
    counts = {
        verdict: sum(one.verdict == verdict for one in results) for verdict in ("pass", "fail", "not seen")
    }
    typer.echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
