"""`jackpot keys`: how does a device get its key, and how is a conflict of two devices ended?"""

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from jackpot.cli.speak import By, ConfigFile, Json, Socket, ask, fail, show
from jackpot.cli.speak import table as print_table

app = typer.Typer(help="Device keys: make, show, clear a conflict.", no_args_is_help=True)

KEY_BYTES = 32  # SHA-256's own size: a longer key adds nothing to the mac
Role = Annotated[str, typer.Option("--role", help="table or sign.")]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the key goes; it must be new.")],
) -> None:
    """Make a new key file: 32 random bytes as 64 hex digits, mode 0600.

    Example: jackpot keys new /etc/jackpot/keys/T01
    """
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        fail(f"{file} exists already: a key is never written over")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
    with os.fdopen(opened, "w", encoding="ascii") as out:
        out.write(secrets.token_hex(KEY_BYTES) + "\n")
    typer.echo(f"{file}: made")


@app.command("show")
def show_(config: ConfigFile = None) -> None:
    """List every device and the fingerprints of its keys; a key itself is never shown.

    Example: jackpot keys show --config /etc/jackpot/config.toml
    """
    from jackpot.config import ConfigErrors, load
    from jackpot.server.devices import fingerprint

    if config is None:
        fail("which configuration? give --config FILE")
    try:
        found = load(config)
    except ConfigErrors as errors:
        fail(str(errors))
    rows = [
        [role, device, *(fingerprint(key) for key in keys), *[""] * (2 - len(keys))]
        for (role, device), keys in sorted(found.keys.items())
    ]
    print_table(f"{len(rows)} devices", ["role", "device", "key", "next key"], rows)


@app.command()
def clear(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="The blocked device's id.")],
    role: Role = "table",
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Let a device in again that was blocked because two used its key.

    Example: jackpot keys clear T01 --config /etc/jackpot/config.toml
    """
    answer = ask(config, socket, do="clear", device=device, role=role, by=by)
    show(answer, as_json, f"{role} {device}: cleared")
