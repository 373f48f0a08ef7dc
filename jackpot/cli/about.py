"""`jackpot about`: program version and digest, and the integrity of the installed files."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from jackpot.cli.options import digest_text, fail

app = typer.Typer(help="Which program this is: its release, its digest, its files.")


@app.command()
def about(
    wheel: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WHEEL]", help="A wheel of a release: what its digest is.", show_default=False
        ),
    ] = None,
    challenge: Annotated[
        str | None,
        typer.Option("--challenge", metavar="SEED", help="Answer an inspector: HMACs under this seed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Say which program this is, and whether its files are those that were installed.

    The digest is over the list of files that the release's wheel brings (RECORD). It is published with the
    release, and it is the same wherever that release is installed. A file that differs, is missing or is not
    listed is named, and the command ends with an error.

    With WHEEL, say the digest of that wheel, and whether it is what is installed here.

    With --challenge, print an HMAC over each part of what decides here: the program, the interpreter with its
    own library, every dependency, and what lies next to them. An inspector who runs the same on a machine
    with the same release, interpreter and dependencies gets the same lines.

    Example: jackpot about --json
    """
    if wheel is not None and challenge is not None:
        fail("--challenge is of what is installed here: leave the wheel out")
    if challenge is not None:
        _answer(challenge, as_json)
    elif wheel is not None:
        _of_wheel(wheel, as_json)
    else:
        _of_this(as_json)


def _show(answer: dict[str, Any], lines: list[str], as_json: bool) -> None:
    typer.echo(json.dumps(answer, indent=2) if as_json else "\n".join(lines))


def _of_this(as_json: bool) -> None:
    from jackpot.program import installed

    found = installed()
    program = found.program
    answer = {
        "version": program.version,
        "digest": program.digest.hex(),
        "checkout": found.checkout,
        "files": found.files,
        "faults": list(found.faults),
    }
    lines = [f"jackpot {program.version}", digest_text(program.digest)]
    if found.checkout:
        lines.append("it runs from a checkout: no list says which files it has")
    elif not found.faults:
        lines.append(f"{found.files} installed files are as they are listed")
    _show(answer, lines, as_json)
    for fault in found.faults:
        typer.echo(fault, err=True)
    if found.faults:
        raise typer.Exit(1)


def _of_wheel(wheel: Path, as_json: bool) -> None:
    from jackpot.program import of_wheel, running

    try:
        program = of_wheel(wheel)
    except (OSError, ValueError) as error:
        fail(str(error))
    here = program.digest == running().digest
    answer = {"version": program.version, "digest": program.digest.hex(), "installed": here}
    said = "it is what is installed here" if here else "it is not what is installed here"
    _show(answer, [f"jackpot {program.version}", digest_text(program.digest), said], as_json)


def _answer(seed: str, as_json: bool) -> None:
    from jackpot.cli.challenge import SEED_MIN, answers

    if len(seed) < SEED_MIN:
        fail(f"--challenge: a seed of {SEED_MIN} characters or more, which nobody knew before")
    found = answers(seed)
    _show(found, [f"{digest}  {name}" for name, digest in found.items()], as_json)
