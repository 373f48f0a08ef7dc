"""`jackpot keys`: creates, shows and revokes the keys of devices and of the site."""

import os
import secrets
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from jackpot.api.queries.devices import Revoke
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.options import ConfigFile, fail, read
from jackpot.cli.options import table as print_table
from jackpot.rules.acts.devices import ClearDevice
from jackpot.text import counted

app = typer.Typer(
    help="Keys of devices and of the site: make, show, revoke, clear a conflict.",
    epilog="Example: jackpot keys new /etc/jackpot/keys/T01",
    no_args_is_help=True,
)

# Browsers accept no certificate that is valid for longer.
_DAYS_MAX: Final = 397

Force = Annotated[bool, typer.Option("--force", help="Replace the file that is there; the old key is lost.")]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write the key to.")],
    force: Force = False,
) -> None:
    """Make a new key file: 32 random bytes as 64 hex digits, mode 0600, and show its fingerprint.

    Example: jackpot keys new /etc/jackpot/keys/T01
    """
    from jackpot.config import KEY_BYTES
    from jackpot.net.device_registry import fingerprint

    key = secrets.token_bytes(KEY_BYTES)
    write_key_file(file, key.hex() + "\n", 0o600, force)
    typer.echo(f"{file}: made, fingerprint {fingerprint(key)}")


@app.command()
def site(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write the private key to.")],
    force: Force = False,
) -> None:
    """Make the site's own key pair: the private key in FILE, mode 0600, the public key in FILE.pub.

    The server signs the heads of its ledger with it ([heads] key). Give the public key, which is printed too,
    to everybody who is to check them. For a new pair choose a new FILE, and name the old FILE.pub under
    [heads] known, so that what it signed still counts.

    Example: jackpot keys site /etc/jackpot/keys/site
    """
    from jackpot.config import KEY_BYTES, public_pem
    from jackpot.ledger.heads import SiteKey

    private = secrets.token_bytes(KEY_BYTES)
    key, public = SiteKey(private), file.with_name(f"{file.name}.pub")
    pem = public_pem(key.public)
    if public.exists() and not force:
        fail(f"{public} exists already: a key is replaced only with --force")
    write_key_file(file, private.hex() + "\n", 0o600, force)
    write_key_file(public, pem, 0o644, force=True)
    typer.echo(f"{file}: made, and {public}, fingerprint {key.fingerprint}\n{pem}", nl=False)


@app.command()
def tls(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Makes FILE.pem and FILE.key.")],
    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME", help="A name or address of the server; may be repeated."),
    ] = None,
    days: Annotated[
        int, typer.Option("--days", min=1, max=_DAYS_MAX, help="How many days it is valid.")
    ] = 90,
    force: Force = False,
) -> None:
    """Make a self-signed certificate for trying [listen.tls]. Browsers warn of it, for nobody vouches for it.

    Without --host it is for this machine's name, localhost and 127.0.0.1. On the floor use a certificate of
    your own authority: put it in the place of these files, and a running server takes it within some seconds.

    Example: jackpot keys tls /etc/jackpot/tls/server --host jackpot.example --host 10.0.0.7
    """
    import platform

    from jackpot.clock import SystemClock
    from jackpot.config.certificates import self_signed

    cert, key = (file.with_name(file.name + ending) for ending in (".pem", ".key"))
    hosts = host or [platform.node(), "localhost", "127.0.0.1"]
    made = self_signed(hosts, days, SystemClock().unix_ms())
    if cert.exists() and not force:
        fail(f"{cert} exists already: a certificate is replaced only with --force")
    write_key_file(key, made.key, 0o600, force)
    write_key_file(cert, made.cert, 0o644, force=True)
    typer.echo(f"{cert}: made for {', '.join(hosts)}, good for {days} days, SHA-256 {made.fingerprint}")
    typer.echo(f'[listen.tls]\ncert = "{cert}"\nkey = "{key}"')


def write_key_file(file: Path, text: str, mode: int, force: bool) -> None:
    """Creates a key's file atomically; ends the command on an error."""
    # Written under another name first: a key file never holds half a key, whenever the machine stops.
    near = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(near, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        try:
            if force:
                near.replace(file)
            else:
                os.link(near, file)  # unlike a rename, it never replaces a file
        finally:
            near.unlink(missing_ok=True)
    except FileExistsError:
        fail(f"{file} exists already: a key is replaced only with --force")
    except FileNotFoundError:
        fail(f"there is no folder {file.parent}: make it first, for the server's user alone (mkdir -m 0700)")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")


@app.command("show")
def show_(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Only this key file.")] = None,
    config: ConfigFile = None,
) -> None:
    """Show the fingerprint of a key file, or of every device's keys; a key itself is never shown.

    Example: jackpot keys show --config /etc/jackpot/config.toml
    """
    from jackpot.config import read_key
    from jackpot.net.device_registry import fingerprint

    if file is not None:
        key, mistakes = read_key(file)
        if key is None or mistakes:
            fail("\n".join(mistakes))
        typer.echo(f"{file}: {fingerprint(key)}")
        return
    if config is None:
        fail("which keys? give a key file, or --config FILE for all of them")
    found = read(config)
    rows = [
        [role, device, *(fingerprint(key) for key in keys), *[""] * (2 - len(keys))]
        for (role, device), keys in sorted(found.keys.items())
    ]
    print_table(counted(len(rows), "device"), ["role", "device", "key", "next key"], rows)


@act_command(app, Revoke)
def revoke(call: ActCall) -> None:
    """End a device's key for ever: its connection is closed at once, and the journal remembers it.

    Without --key it ends every key that the device may use now. The device comes back with a new key file
    (`jackpot keys new --force`) once the server has been restarted.

    Example: jackpot keys revoke T01 --config /etc/jackpot/config.toml
    """

    def said(answer: dict[str, Any]) -> str:
        left = len(answer["left"])
        rest = f"{left} other key is still valid" if left else "it is locked out until it has a new key"
        return "{role} {device}: revoked ".format_map(call.fields) + f"{', '.join(answer['revoked'])}; {rest}"

    call.done(said)


@act_command(app, ClearDevice, defaults={"role": "table"}, helps={"device": "The blocked device's id."})
def clear(call: ActCall) -> None:
    """Let a device in again that was blocked because two devices used its key.

    Example: jackpot keys clear T01 --config /etc/jackpot/config.toml
    """
    call.done("{role} {device}: cleared")
