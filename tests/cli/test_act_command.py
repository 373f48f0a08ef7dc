"""The arguments and options of an act's command are those of its fields."""

import inspect
import re
from typing import Any, Final

import pytest
import typer.main
from typer.testing import CliRunner

from jackpot.api.operation import name_of
from jackpot.api.registry import ASKED_ACTS
from jackpot.cli.act_command import act_command, plain_act
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.rounds import Strike
from jackpot.rules.acts.vouching import Vouch
from tests.cli.test_help import EVERY, WIDE

# What people do with their own password, or must have seen on a page before they say yes.
ON_PAGES_ALONE: Final = {
    "change-secret", "confirm", "end-digits", "make-token", "reject", "set-digits", "vouch",
}  # fmt: skip
# Not typed, because the command itself says it, or asks for it in another way.
NOT_TYPED: Final = {
    "add-person": {"name"},
    "correct-meter": {"account", "amount", "level"},
    "lift": {"dispute"},
    "resume": {"believe", "cause", "links"},
    "strike": {"on"},
    "suspend": {"cause"},
}
ACTS: Final = {path: command.callback.act for path, command in EVERY if hasattr(command.callback, "act")}


def parameters(path: tuple[str, ...]) -> dict[str, Any]:
    """The parameters of a command by their names."""
    return {one.name: one for one in dict(EVERY)[path].params}


def test_every_act_of_people_has_a_command_or_a_page_of_its_own() -> None:
    """cli/README: what people may ask a server for, they may type; hand-over has no field but its bank."""
    typed = {name_of(kind) for kind in ACTS.values()} | {"hand-over"}
    assert typed | ON_PAGES_ALONE == {name_of(kind) for kind in ASKED_ACTS}
    assert typed & ON_PAGES_ALONE == set()


@pytest.mark.parametrize("path", ACTS, ids=" ".join)
def test_a_command_takes_every_field_of_its_act(path: tuple[str, ...]) -> None:
    """cli/README: nothing that an act takes can be left out of its command by accident."""
    kind, found = ACTS[path], parameters(path)
    written = {"dealer", "document", "patron", "surveillance", "tax_form", "tax_number", "witness"}
    written |= {"identification", "taxpayer_number", "treaty_form", "treaty_rate", "way", "way_number"}
    written |= {"other_way", "other_number"}
    fields = set(kind.__struct_fields__)
    if fields & written:
        fields = fields - written | {"write"}
    assert fields - found.keys() <= NOT_TYPED.get(name_of(kind), set()), path
    assert all(found[name].help for name in fields & found.keys())


def test_a_field_is_an_argument_or_an_option_as_its_type_says() -> None:
    """cli/README: what has to be given is an argument; reason, sum and flag are options; bounds hold."""
    found = parameters(("rounds", "strike"))
    assert [found[name].param_type_name for name in ("table", "round", "seat", "link")] == ["argument"] * 4
    assert (found["reason"].opts, found["reason"].required) == (["--reason", "-r"], True)
    assert found["seat"].min == 1
    assert (parameters(("hits", "pay"))["seat"].opts, parameters(("hits", "pay"))["award"].opts) == (
        ["--seat"],
        ["--award"],
    )
    decide = parameters(("links", "decide"))["remove"]
    assert (decide.opts, decide.secondary_opts, decide.required) == (["--remove"], ["--stay"], True)
    assert parameters(("links", "close"))["levels"].multiple
    assert parameters(("hits", "correct"))["amount"].opts == ["--amount"]
    assert parameters(("keys", "clear"))["role"].default == "table"
    assert parameters(("links", "suspend"))["links"].nargs == -1


def test_the_act_says_whom_it_takes_and_whether_it_is_previewed() -> None:
    """A10, L8: --and-by where two may sign, --preview where there is one, --bank where nothing names it."""
    options = {
        path: {name for name in ("and_by", "preview", "bank") if name in parameters(path)} for path in ACTS
    }
    assert options[("hits", "dispute")] == {"bank"}
    assert options[("hits", "undo")] == {"and_by", "preview", "bank"}
    assert options[("links", "transfer")] == {"and_by", "preview"}
    assert options[("ledger", "resume")] == {"and_by", "bank"}
    assert options[("rounds", "reopen")] == {"and_by"}
    assert (options[("links", "resume")], options[("links", "suspend")]) == ({"and_by"}, set())


def test_a_word_that_is_none_is_told_with_those_that_there_are() -> None:
    """cli/README: one clear line, before any server is asked."""
    app = typer.Typer()

    @act_command(app, Strike)
    def strike(call: Any) -> None:
        """Strike."""
        raise AssertionError(call)

    words = ["T01", "R1", "1", "floor-five", "--reason", "x", "--on", "other", "--socket", "none"]
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stderr) == (1, "'other' is no on; there is own, dealer\n")


def test_a_command_without_words_of_its_own_has_those_of_its_act() -> None:
    """Recipe of an act: one line makes its command, with help and an example that can be typed."""
    app = typer.Typer()
    plain_act(app, "users", Vouch)
    plain_act(app, "links", CorrectMeter)
    vouch = typer.main.get_command(app).commands["vouch"]  # type: ignore[attr-defined]
    first = re.sub(r" \([A-Z]\d.*?\)", "", inspect.getdoc(Vouch) or "").partition("\n")[0]
    assert vouch.help.startswith(first)
    assert vouch.help.endswith("Example: jackpot users vouch cal -c config.toml")
    shown = CliRunner().invoke(app, ["correct-meter", "--help"], env=WIDE)
    example = 'jackpot links correct-meter floor-five meter --amount 9999.21 --reason "why" -c config.toml'
    assert example in " ".join(shown.output.split())
