"""`python -m tests.cli.reference` writes jackpot/cli/README.md from what each command says with `--help`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer.main

from jackpot.cli.__main__ import COMMANDS, root

FILE: Final = Path(__file__).parents[2] / "jackpot" / "cli" / "README.md"
# A command of typer's own click, whose place differs from version to version.
Command = Any
HEAD: Final = """# Commands

Made by `python -m tests.cli.reference` from what each command says with `--help`. A test holds it.

They are grouped by who uses them most, as `jackpot --help` lists them. Every command and every group has
`--help` with its arguments and options. Wherever a command takes a ledger's URL, it is `--ledger URL`.
Without it the ledger is that of `--config FILE`, or of `JACKPOT_CONFIG`.

A command that reads a running server, or acts on it, has `--json`. Reports have `--csv`, `--json` and
`--html FILE`, a page to print; they read only the ledger, while a server runs or from a backup
(`--ledger URL`). Sums and times are written as `--config FILE` says; for a backup without a configuration
give `--currency`, `--timezone` and `--day-ends`.
"""


def walked(command: Command, *path: str) -> Iterator[tuple[tuple[str, ...], Command]]:
    """A command and, of a group, all below it; each with the words that lead to it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walked(below, *path, name)


def every() -> list[tuple[tuple[str, ...], Command]]:
    """Every command and group of the program, the root first."""
    found: list[tuple[tuple[str, ...], Command]] = [((), typer.main.get_command(root(None)))]
    for name in COMMANDS:
        whole = typer.main.get_command(root(name))
        found += walked(getattr(whole, "commands", {})[name], name)
    return found


def example(command: Command) -> str:
    """The example of a command's help."""
    return " ".join(command.help.partition("Example:")[2].split())


def text() -> str:
    """The file's text, as it should be."""
    found, group = [HEAD], ""
    for path, command in every():
        if not path or getattr(command, "commands", None):
            continue
        if (of := COMMANDS[path[0]].of) != group:
            group = of
            found.append(f"\n## {group}\n\n| `jackpot` | what it does | example |\n|---|---|---|\n")
        first = " ".join(command.help.partition("Example:")[0].split("\n\n")[0].split())
        cells = (f"`{' '.join(path)}`", first, f"`{example(command)}`")
        found.append("| " + " | ".join(re.sub(r"\|", r"\\|", cell) for cell in cells) + " |\n")
    return "".join(found)


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    print(f"wrote {FILE}")
