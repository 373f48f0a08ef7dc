"""Every command that writes without a server checks the signed heads first (S3, S8)."""

import ast
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
import typer.main
from msgspec.structs import replace
from typer.testing import CliRunner

import jackpot.cli
from jackpot.app import Server
from jackpot.cli.__main__ import root
from jackpot.cli.offline_ledger import alone
from jackpot.config.mystery_key import new_key_text
from jackpot.ledger.store import CommitInDoubt
from tests.cli.test_users import ANN, FIRST
from tests.ledger.waiting import open_ledger
from tests.notify.heads import heads
from tests.running_server import LINK, LINKS, configure, on_loop

SIDE: Final = f'{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
BY: Final = ("--by", "ann")
# A file next to the configuration.
NEXT: Final = "next"
# What each is typed with, and answers to what it asks.
WRITING: Final[dict[tuple[str, str], tuple[tuple[str, ...], str]]] = {
    ("bank", "open"): (("side",), ""),
    ("bank", "join"): (("main", "side", "--into", "floor", "--reason", "one room"), ""),
    ("users", "init"): ((), FIRST),
    ("users", "add"): (("cal", *BY), ""),
    ("users", "grant"): (("cal", "cage", *BY), ""),
    ("users", "withdraw"): (("cal", "cage", *BY), ""),
    ("users", "end"): (("cal", *BY), ""),
    ("users", "reset"): (("cal", *BY), ""),
    ("users", "code"): (("cal", *BY), ""),
    ("users", "erase"): (("cal", *BY), ""),
    ("users", "end-token"): (("1", *BY), ""),
    ("users", "recover"): (("eve",), f"{ANN}\n{ANN}\n"),
    ("mystery", "rotate-key"): ((NEXT,), ""),
}
# They only read.
READING: Final = {("users", "list"), ("users", "tokens"), ("mystery", "show"), ("mystery", "new-key")}
# Of a server that runs.
ASKING: Final = {("bank", "confirm-program")}
# `ledger` has a ledger by its address, without a configuration that knows heads: it makes one, copies one or
# brings one back, and the start that follows looks at the heads. The demo makes a new one of its own.
WITHOUT_HEADS: Final = {"ledger.py", "demo.py"}
OPENING: Final = {"opened", "open_store", "open_stores"}


def opens_to_write(module: Path) -> bool:
    """Whether the module opens a ledger for more than reading."""
    calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id in OPENING
        and not any(given.arg == "readonly" for given in call.keywords)
        for call in calls
    )


def test_one_place_opens_a_ledger_to_write() -> None:
    """S3: no command comes to a store but through `alone`, and every command of those modules is listed."""
    modules = Path(jackpot.cli.__file__).parent.glob("*.py")
    assert {module.name for module in modules if opens_to_write(module)} == {
        "offline_ledger.py",
        *WITHOUT_HEADS,
    }
    groups: dict[str, Any] = {
        name: getattr(typer.main.get_command(root(name)), "commands", {})[name]
        for name in ("bank", "users", "mystery")
    }
    known = {(name, command) for name, group in groups.items() for command in group.commands}
    assert known == WRITING.keys() | READING | ASKING


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration with two banks, and the signed heads of another ledger than it names."""
    folder = tmp_path_factory.mktemp("heads")
    signing = heads(folder)
    for name in ("key", NEXT):
        (folder / name).write_text(new_key_text()[0])
        (folder / name).chmod(0o600)

    @on_loop
    async def begun() -> None:
        async with Server(configure(folder, extra=signing)):
            pass
        for file in folder.glob("ledger.db*"):
            file.unlink()
        async with Server(configure(folder)):
            pass

    begun()
    return configure(folder, links=f"{LINKS}\n{SIDE}", extra=f'{signing}\n[mystery]\nkey = "key"').path


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_a_command_writes_nothing_into_another_ledger(command: tuple[str, str], other: Path) -> None:
    """S8: the ledger was lost and begun again; who would write says which head is not in it."""
    words, typed = WRITING[command]
    words = tuple(str(other.parent / word) if word == NEXT else word for word in words)
    run = [*command, *words, "--config", str(other)]
    done = CliRunner().invoke(root(command[0]), run, input=typed)
    assert (done.exit_code, "was signed" in done.output) == (1, True), done.output
    with closing(open_ledger(f"sqlite:///{other.parent / 'ledger.db'}", readonly=True)) as found:
        assert found.banks() == ["main", "site"]
        assert found.head("site").seq == 2  # it was opened, and a server has had it


@on_loop
async def test_a_command_commits_nothing_that_no_standby_has(database: str, tmp_path: Path) -> None:
    """S5: where the configuration wants a standby, rows neither come nor go without one."""
    config = configure(tmp_path)
    found = replace(config, ledger=replace(config.ledger, url=database, require_synchronous=True))
    async with alone(found, first=True) as store:
        with pytest.raises(CommitInDoubt, match="synchronous_standby_names is empty"):
            await store.new_epoch("main", "seal")
