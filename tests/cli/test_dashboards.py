"""`jackpot dashboards` writes the dashboards in the site's currency."""

import json
from pathlib import Path

from tests.program import jackpot
from tests.running_server import configure


def test_they_are_written_in_the_currency_of_the_site(tmp_path: Path) -> None:
    """Deploy: four files with sums as the configuration says, and a link to where the runbook is read."""
    config = configure(tmp_path).path
    config.write_text(config.read_text().replace('"USD"', '"EUR"'))
    folder = tmp_path / "dashboards"
    words = ("dashboards", folder, "--config", config, "--runbook", "https://ops.example/runbook")
    refused = jackpot(*words)
    assert (refused.returncode, refused.stderr) == (1, f"there is no folder {folder}: make it first\n")
    folder.mkdir()
    done = jackpot(*words)
    assert (done.returncode, done.stdout) == (0, f"the dashboards are in {folder}, in EUR\n")
    boards = {file.stem: json.loads(file.read_text()) for file in folder.iterdir()}
    assert sorted(boards) == ["business", "floor", "link", "server"]
    assert "currencyEUR" in json.dumps(boards["link"])
    assert boards["link"]["links"][1]["url"] == "https://ops.example/runbook"
