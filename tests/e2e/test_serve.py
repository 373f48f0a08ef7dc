"""`jackpot serve`: start, structured JSON logs, configuration errors and graceful stop."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ceilings
from tests.running_server import LINK, configure


def serve(config: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "jackpot.cli", "serve", "--config", str(config)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """Structured logs, a graceful stop on SIGTERM, exit code 0; a second server of the file is refused."""
    config = configure(tmp_path)
    with serve(config.path) as server:
        assert server.stderr is not None
        lines = []
        for line in server.stderr:
            lines.append(json.loads(line))
            if lines[-1]["event"] == "serving":
                break
        assert {"tables", "signs", "http"} <= lines[-1].keys()
        assert lines[-1]["pages"] == f"http://127.0.0.1:{lines[-1]['http']}/"
        with serve(config.path) as second:
            _, error = second.communicate(timeout=ceilings.WAIT_S)
            assert second.returncode == 1
            assert "is in use by process" in error.splitlines()[-1]
        server.send_signal(signal.SIGTERM)
        _, rest = server.communicate(timeout=ceilings.WAIT_S)
        assert server.returncode == 0
        said = [json.loads(line) for line in rest.splitlines()]
        assert [said[0]["event"], said[-1]["event"]] == ["stopping", "stopped"]
        given_up = sorted((line["event"], line["bank"]) for line in said[1:-1])
        assert given_up == [("bank_released", "main"), ("bank_released", "site")], (
            "nobody stands by for a file that one server has"
        )


def test_a_person_at_a_terminal_is_told_its_addresses(tmp_path: Path) -> None:
    """CLI: on a terminal the log is for people, and says where pages, signs, tables and metrics are."""
    config = configure(tmp_path)
    ours, terminal = pty.openpty()
    command = [sys.executable, "-m", "jackpot.cli", "serve", "--config", str(config.path)]
    with subprocess.Popen(command, stderr=terminal) as server, os.fdopen(ours, "rb", closefd=False) as lines:
        os.close(terminal)
        said = []
        for line in lines:
            said.append(line.decode().strip())
            if said[-1].startswith("sign "):
                break
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=ceilings.WAIT_S) == 0
    os.close(ours)
    told = dict(line.split() for line in said if len(line.split()) == 2)
    assert told.keys() == {"tables", "signs", "floor", "people", "metrics", "sign"}
    assert told["sign"] == told["floor"] + f"sign/{LINK}"
    assert told["metrics"] == told["floor"] + "metrics"


def test_every_mistake_is_named(tmp_path: Path) -> None:
    """A configuration that is wrong is never served."""
    file = tmp_path / "config.toml"
    file.write_text('[site]\nname = "X"\n')
    with serve(file) as server:
        out, error = server.communicate(timeout=ceilings.WAIT_S)
    assert (server.returncode, out) == (1, "")
    assert "ledger" in error
    assert "Traceback" not in error


HANGS = """
import sys, threading
import jackpot.app, jackpot.cli.__main__ as cli
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.sqlite.file import SqliteFile

def hang(*_given):
    print("hangs", flush=True)
    threading.Event().wait()

{} = hang
jackpot.app.STOP_WITHIN_S = 0.1
sys.exit(cli.main())
"""


@pytest.mark.parametrize("what", ["SqliteLedger.append", "SqliteFile._connect", "SqliteLedger.banks"])
def test_its_process_ends_while_the_disk_hangs(tmp_path: Path, what: str) -> None:
    """DESIGN 4: SIGTERM ends the whole process, whatever thread waits for the disk, and from its start on."""
    config = configure(tmp_path)
    command = [sys.executable, "-c", HANGS.format(what), "serve", "--config", str(config.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "hangs\n"
        server.send_signal(signal.SIGTERM)
        try:
            _, error = server.communicate(timeout=ceilings.WAIT_S)
        finally:
            server.kill()
    assert server.returncode == 0, error
    assert [json.loads(line)["event"] for line in error.splitlines()][-1] == "stopped"
