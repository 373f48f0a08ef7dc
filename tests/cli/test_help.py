"""Every command has help with a working example, and the page of commands is made from it."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from jackpot.cli.__main__ import COMMANDS, root
from tests.cli import reference
from tests.cli.reference import Command, every
from tests.generated import WRITE_AGAIN
from tests.program import jackpot

# No line of a help is folded.
WIDE = {"COLUMNS": "400"}


EVERY = every()


@pytest.mark.parametrize("path", [path for path, _ in EVERY], ids=" ".join)
def test_help_shows_an_example_that_can_be_typed(path: tuple[str, ...]) -> None:
    """cli/README: each command and group has `--help` with an example, and its words are right."""
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
    """cli/README: a flag takes no value, and its help names none; what takes one says what it is."""
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


def test_the_page_of_commands_is_what_help_says() -> None:
    """cli/README: `python -m tests.generated` has been run since a command changed."""
    assert reference.FILE.read_text("utf-8") == reference.text(), WRITE_AGAIN


def test_the_list_of_commands_says_what_each_group_says_of_itself() -> None:
    """A command's line is the same before it is chosen and after."""
    for name, (_, line, _) in COMMANDS.items():
        (command,) = [command for path, command in EVERY if path == (name,)]
        if getattr(command, "commands", {}):
            assert command.help == line


def test_commands_stand_by_who_uses_them() -> None:
    """cli/README: `--help` lists each command under those who use it most, and so does the page."""
    shown = CliRunner().invoke(root(None), ["--help"], env=WIDE).output
    listed: dict[str, str] = {}
    panel = ""
    for line in shown.splitlines():
        if title := re.match(r"\W*╭─ (.+?) ─", line):
            panel = title[1]
        elif (word := re.match(r"│ +(\w+) ", line)) and word[1] in COMMANDS:
            listed[word[1]] = panel
    assert listed == {name: command.of for name, command in COMMANDS.items()}


def test_a_ledger_is_named_in_one_way() -> None:
    """cli/README: wherever a command takes a ledger's URL, it is the option --ledger."""
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
