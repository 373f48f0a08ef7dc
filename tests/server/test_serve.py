"""Does `jackpot serve` start, say what it does in JSON, and end as it is told?"""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.server.bed import configure


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
        with serve(config.path) as second:
            _, error = second.communicate(timeout=30)
            assert second.returncode == 1
            assert "is in use by process" in error.splitlines()[-1]
        server.send_signal(signal.SIGTERM)
        _, rest = server.communicate(timeout=30)
        assert server.returncode == 0
        assert json.loads(rest.splitlines()[-1])["event"] == "stopped"


def test_every_mistake_is_named(tmp_path: Path) -> None:
    """A configuration that is wrong is never served."""
    file = tmp_path / "config.toml"
    file.write_text('[site]\nname = "X"\n')
    with serve(file) as server:
        out, error = server.communicate(timeout=30)
    assert (server.returncode, out) == (1, "")
    assert "ledger" in error
    assert "Traceback" not in error
