"""One API client carries the options of every command to the server."""

import socket
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from jackpot.api.operation import Ask
from jackpot.api.queries.links import AskLinks
from jackpot.cli import api_client as talk
from jackpot.cli.api_client import ALONE, LOOK, TWO, ApiClient, with_api_options
from jackpot.rules.acts.hits import Validate
from tests.unprivileged import unprivileged


@pytest.mark.parametrize(
    ("ask", "end"),
    [
        (AskLinks(), "the server waits for its ledger\n"),
        (Validate("H1"), "its ledger; whether it was done shows once the ledger is well\n"),
    ],
)
def test_a_server_in_doubt_is_not_waited_for_without_end(
    ask: Ask, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S5: who asked an act is told that it may have been done; who only looked is not."""
    monkeypatch.setattr(talk, "ANSWER_WITHIN_S", 0.05)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        with pytest.raises(typer.Exit):
            ApiClient(socket=tmp_path / "s").ask(ask)
    said = capsys.readouterr().err
    assert said.startswith("no answer within ")
    assert said.endswith(end)


@pytest.mark.parametrize("what", ["socket", "config"])
def test_a_person_who_may_not_act_is_told_who_may(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A10: socket and configuration are the server's own user's; another person learns how to become it."""
    path = tmp_path / what
    (tmp_path / "config").touch()
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(str(tmp_path / "socket"))
        there.listen()
        path.chmod(0)
        with unprivileged(), pytest.raises(typer.Exit):
            (ApiClient(socket=path) if what == "socket" else ApiClient(config=path)).ask(AskLinks())
    said = capsys.readouterr().err
    assert str(path) in said
    assert "the server's own user may, and root as that user: runuser -u " in said
    assert "is it running?" not in said


def test_a_command_gets_the_options_that_it_names_behind_its_own() -> None:
    """README, commands: who acts, and on which server, is said in one way everywhere."""
    heard: list[tuple[ApiClient, str, int]] = []
    app = typer.Typer()

    @app.command()
    @with_api_options(*TWO, "bank")
    def act(talk: ApiClient, hit: str, size: int = 1) -> None:
        heard.append((talk, hit, size))

    words = [
        "H1",
        "--size",
        "2",
        "--bank",
        "main",
        "--by",
        "Ann",
        "--and-by",
        "Bo",
        "--json",
        "--socket",
        "s",
    ]
    done = CliRunner().invoke(app, words, env={"JACKPOT_CONFIG": "c.toml"})
    assert done.exit_code == 0, done.output
    assert heard == [(ApiClient(Path("c.toml"), Path("s"), "main", "Ann", "Bo", as_json=True), "H1", 2)]


@pytest.mark.parametrize(("options", "unknown"), [(LOOK, "--by"), (ALONE, "--socket"), (LOOK, "--bank")])
def test_an_option_that_means_nothing_is_unknown(options: tuple[str, ...], unknown: str) -> None:
    """A question needs nobody, and a command without a server no socket: nothing is taken in silence."""
    app = typer.Typer()

    @app.command()
    @with_api_options(*options)
    def look(talk: ApiClient) -> None:
        raise AssertionError(talk)

    assert CliRunner().invoke(app, [unknown, "x"]).exit_code == 2
