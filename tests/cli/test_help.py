"""Every command has help with a working example, and the README lists it."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from jackpot.cli.__main__ import COMMANDS, root
from tests.program import jackpot

# A command of typer's own click, whose place differs from version to version.
Command = Any
# No line of a help is folded.
WIDE = {"COLUMNS": "400"}
README = Path(__file__).parents[2] / "README.md"


def walked(command: Command, *path: str) -> Iterator[tuple[tuple[str, ...], Command]]:
    """A command and, of a group, all below it; each with the words that lead to it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walked(below, *path, name)


def every() -> list[tuple[tuple[str, ...], Command]]:
    found: list[tuple[tuple[str, ...], Command]] = [((), typer.main.get_command(root(None)))]
    for name in COMMANDS:
        whole = typer.main.get_command(root(name))
        found += walked(getattr(whole, "commands", {})[name], name)
    return found


EVERY = every()


@pytest.mark.parametrize("path", [path for path, _ in EVERY], ids=" ".join)
def test_help_shows_an_example_that_can_be_typed(path: tuple[str, ...]) -> None:
    """README, commands: each command and group has `--help` with an example, and its words are right."""
    shown = CliRunner().invoke(root(path[0] if path else None), [*path, "--help"], env=WIDE)
    assert shown.exit_code == 0, shown.output
    example = re.search(r"Example: (jackpot .*?)\s*$", shown.output, re.MULTILINE)
    assert example is not None, shown.output
    assert re.search(r"\([A-Z]\d+\)", shown.output) is None  # a rule's id tells a floorperson nothing
    _, *words = shlex.split(re.sub(r" > \S+$", "", example[1]))
    assert tuple(words[: len(path)]) == path
    command, rest = longest(words)
    command.make_context("jackpot", rest)  # raises where an option or argument is not one of its own


def test_a_flag_has_no_type() -> None:
    """README, commands: a flag takes no value, and its help names none; what takes one says what it is."""
    for words in (["--help"], ["report", "hits", "--help"], ["hits", "pay", "--help"]):
        shown = jackpot(*words).stdout
        assert "--help" in shown
        assert "<bool>" not in shown
    assert re.search(r"--csv +Comma-separated", jackpot("report", "hits", "--help").stdout)
    assert re.search(r"--from +DAY ", jackpot("report", "hits", "--help").stdout)


def longest(words: list[str]) -> tuple[Command, list[str]]:
    """The command that the words name, and what they give to it."""
    known = dict(EVERY)
    path = next(tuple(words[:size]) for size in (2, 1) if tuple(words[:size]) in known)
    return known[path], words[len(path) :]


def test_the_readme_names_every_command() -> None:
    """README, commands: its table has every command that there is, and no other."""
    told: set[tuple[str, ...]] = set()
    for cell in re.findall(r"^\| (`[^|]+) \|", README.read_text(), re.MULTILINE):
        group = ""
        for part in re.findall(r"`([^`]+)`", cell):
            words = [word for word in part.split() if word.islower() and not word.startswith("-")]
            if words == ["jackpot"]:
                continue
            if words[0] in COMMANDS:
                group = words[0]
                told.add(tuple(words[:2]))
            else:
                told.add((group, words[0]))
    leaves = {path for path, command in EVERY if path and not getattr(command, "commands", {})}
    assert told == leaves


def test_the_list_of_commands_says_what_each_group_says_of_itself() -> None:
    """A command's line is the same before it is chosen and after."""
    for name, (_, line, _) in COMMANDS.items():
        (command,) = [command for path, command in EVERY if path == (name,)]
        if getattr(command, "commands", {}):
            assert command.help == line


def test_commands_stand_by_who_uses_them() -> None:
    """README, commands: it and `--help` have the same groups, and each command in the same one."""
    shown = CliRunner().invoke(root(None), ["--help"], env=WIDE).output
    listed: dict[str, str] = {}
    panel = ""
    for line in shown.splitlines():
        if title := re.match(r"\W*╭─ (.+?) ─", line):
            panel = title[1]
        elif (word := re.match(r"│ +(\w+) ", line)) and word[1] in COMMANDS:
            listed[word[1]] = panel
    assert listed == {name: command.of for name, command in COMMANDS.items()}
    section = README.read_text().partition("\n## Commands\n")[2].partition("\n## ")[0]
    titles = dict.fromkeys(command.of for command in COMMANDS.values())
    assert re.findall(r"(?m)^### (.+)$", section) == list(titles)
    for name, of in listed.items():
        part = section.partition(f"### {of}\n")[2].partition("\n### ")[0]
        assert re.search(rf"^\| `{name}[ `]", part, re.MULTILINE), name


def test_a_ledger_is_named_in_one_way() -> None:
    """README, commands: wherever a command takes a ledger's URL, it is the option --ledger."""
    named = {
        (path, option)
        for path, command in EVERY
        for parameter in command.params
        for option in parameter.opts
        if "postgresql://" in (getattr(parameter, "help", None) or "")
    }
    assert {option for _, option in named} == {"--ledger"}
    takes = {path for path, _ in named}
    assert {("verify",), ("ledger", "backup"), ("ledger", "what-if"), ("report", "hits")} <= takes
    for path, command in EVERY:
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        assert "URL" not in [one.metavar for one in arguments], path
