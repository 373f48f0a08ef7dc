"""`jackpot mystery`: makes and rotates the key of committed mystery levels, and shows what runs under it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.keys import write_key_file
from jackpot.cli.options import ConfigFile, fail, read
from jackpot.cli.options import table as print_table
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.config import Config
    from jackpot.config.mystery_key import MysteryKey
    from jackpot.ledger.trigger_rows import SealedTrigger
    from jackpot.ledger.witness import Witnessed

# What a row is that the key opens.
_SEALED: Final = "sealed"

app = typer.Typer(
    help="Mystery levels that are committed: make and rotate their key, show what runs.",
    epilog="Example: jackpot mystery new-key /etc/jackpot/mystery/key",
    no_args_is_help=True,
)


@app.command("new-key")
def new_key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write the key to.")],
) -> None:
    """Make a new key file, mode 0600, and show the key's id, by which the ledger names it.

    Run it as the server's user, in a folder that this user alone may enter and may write to: the server keeps
    its witness next to the key. Keep a second copy of the file apart from the ledger and its backups: without
    the key no running trigger can be opened, and a person who has both knows them all. A file that is there
    is never replaced.

    Example: jackpot mystery new-key /etc/jackpot/mystery/key
    """
    from jackpot.config.mystery_key import new_key_text

    if file.exists():
        fail(f"{file} exists already: a mystery key is never replaced; give the new one another name")
    text, id_ = new_key_text()
    write_key_file(file, text, 0o600, force=False)
    typer.echo(f'{file}: made, key {id_}; keep a copy of it elsewhere\n[mystery]\nkey = "{file}"')


@app.command("rotate-key")
def rotate_key(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The new key file, made by new-key.")],
    config: ConfigFile = None,
) -> None:
    """Seal every running trigger with the new key, in one step, while no server runs.

    Stop every server, rotate, give each server the new file under [mystery] key, and start. Until it is done
    the old key is good; from then on only the new one is. The witness is brought along.
    A person who had the old key knows the triggers that run now. After a leak replace the triggers, too.

    Example: jackpot mystery rotate-key /etc/jackpot/mystery/key2 --config /etc/jackpot/config.toml
    """
    from jackpot.ledger.store import LedgerError

    found, old_file = _key_file(config)
    old, into = _key(old_file), _key(new)
    if old.id == into.id:
        fail(
            f"{new} has the key that is in use already ({old.id}): `jackpot mystery new-key` makes a new one"
        )
    try:
        moved = asyncio.run(_rotated(found, (old_file, old), (new, into)))
    except LedgerError as error:
        fail(f"not rotated: {error}")
    typer.echo(
        f"{counted(moved, 'running trigger')} sealed with key {into.id}; key {old.id} opens none now\n"
        f'[mystery]\nkey = "{new}"'
    )


async def _rotated(config: "Config", old: "tuple[Path, MysteryKey]", new: "tuple[Path, MysteryKey]") -> int:
    """Seals the triggers again in one transaction: how many. Each key with its file.

    The new witness is written first: a server that takes the new key is never without it, and where it cannot
    be written nothing is sealed.
    """
    from jackpot.cli.offline_ledger import alone
    from jackpot.ledger.trigger_rows import resealed, stored
    from jackpot.ledger.trigger_vault import reseal
    from jackpot.ledger.witness import Witness

    (old_file, key), (new_file, into) = old, new
    async with alone(config, *config.banks, nobody=True) as store:
        rows = [row for row in await store.run(stored) if row.key != into.id]
        changes = [resealed(row, reseal([key], into, row)) for row in rows]
        await asyncio.to_thread(lambda: Witness(new_file).advance(Witness(old_file).read().values()))
        await store.change(*changes)
    return len(rows)


@app.command()
def show(config: ConfigFile = None) -> None:
    """Show which key is in use, and of every running commitment whether that key opens it; never a trigger.

    It ends with an error if the key cannot be used, or does not open everything. Run it on a standby, too.

    Example: jackpot mystery show --config /etc/jackpot/config.toml
    """
    from contextlib import closing

    from jackpot.ledger.open import open_reader
    from jackpot.ledger.store import LedgerError
    from jackpot.ledger.trigger_rows import stored
    from jackpot.ledger.witness import Witness

    found, file = _key_file(config)
    key = _key(file)
    try:
        with closing(open_reader(found.ledger.url)) as ledger:
            rows = stored(ledger)
        levels = Witness(file).read()
    except LedgerError as error:
        fail(str(error))
    typer.echo(f"{file}: key {key.id}")
    states = [_state(key, row) for row in rows]
    print_table(
        counted(len(rows), "running commitment"),
        ["bank", "link", "level", "cycle", "number", "commitment", "key", "trigger", "witness"],
        [
            [row.which.bank, row.which.link, row.which.level, str(row.which.cycle), str(row.which.number),
             row.committed.hex(), row.key, state, _witness(levels, row)]
            for row, state in zip(rows, states, strict=True)
        ],
    )  # fmt: skip
    if wrong := [row for row, state in zip(rows, states, strict=True) if state != _SEALED]:
        fail(f"key {key.id} does not open {counted(len(wrong), 'running trigger')}: see the table")


def _state(key: "MysteryKey", row: "SealedTrigger") -> str:
    """Whether the key opens the row's trigger, in a word."""
    from jackpot.ledger.trigger_vault import SealFault, TriggerUnreadable, unseal

    try:
        unseal(key, row)
    except TriggerUnreadable as error:
        return "other key" if error.fault == SealFault.OTHER_KEY else "changed"
    return _SEALED


def _witness(levels: "dict[tuple[str, str, str, str], Witnessed]", row: "SealedTrigger") -> str:
    """Where the witness of this machine stands to the row's level."""
    from jackpot.ledger.witness import Witnessed, position_of

    last = Witnessed(row.which, row.committed)
    return position_of(levels.get(last.level), last).value


def _key_file(config: Path | None) -> "tuple[Config, Path]":
    if config is None:
        fail("which key? give --config FILE, whose [mystery] key names it")
    found = read(config)
    if found.mystery is None:
        fail(f'{config} names no key: [mystery] key = "FILE"')
    return found, found.mystery.key


def _key(file: Path) -> "MysteryKey":
    """The key in the file; others cannot look into this process then. Ends the command if there is none."""
    from jackpot.config.mystery_key import KeyFileError, read_mystery_key
    from jackpot.runtime.private_memory import MemoryNotPrivate, make_private

    try:
        make_private()
    except MemoryNotPrivate as error:
        typer.echo(f"warning: {error}", err=True)
    try:
        return read_mystery_key(file)
    except KeyFileError as error:
        fail(str(error))
