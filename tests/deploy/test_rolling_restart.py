"""The runbook's rolling restart under load, with real tables and a real Prometheus watching.

Its commands are run as they stand, on each of two servers in turn; `systemctl restart` is this test.
"""

import asyncio
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

from jackpot.lab.testing.postgres import free_port
from tests.deploy.test_prometheus import Prometheus, running, wait_for
from tests.deploy.test_runbook import commands
from tests.deploy.tools import DEPLOY, TIMEOUT_S, tool
from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, serving, verdict

TABLES: Final = 4
# Seats that wager in each round of the load.
SEATS: Final = 3
# Answers before, between and after: some batches of every table.
ANSWERS: Final = 200
SHIPPED: Final = DEPLOY / "prometheus"
DOWN: Final = 'ALERTS{{alertname="JackpotServerDown",instance="127.0.0.1:{}"}}'
# In all the time that a test may take.
WOKEN: Final = 'count_over_time(ALERTS{alertstate="firing",severity="critical"}[1h])'


class Machines:
    """Both servers and the Prometheus that watches them, with the shipped alerts."""

    def __init__(self, floor: Servers, prometheus: Prometheus) -> None:
        self.floor = floor
        self._prometheus = prometheus

    def run(self, line: str, server: Server) -> str:
        """Runs one line of the runbook on a server's machine; returns what it printed."""
        if line == "systemctl restart jackpot":
            self._restart(server)
            return ""
        if line.startswith("jackpot lease "):
            done = server.lease(*shlex.split(line)[2:])
        else:
            shell = line.replace("127.0.0.1:8080", f"127.0.0.1:{server.at['http']}")
            done = subprocess.run(
                ["bash", "-euc", shell], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
            )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    def _restart(self, server: Server) -> None:
        """Restarts a server, keeping it down until Prometheus has seen it."""
        assert server.stop() == 0
        wait_for(lambda: not self._prometheus.ask(DOWN.format(server.at["http"])))
        server.start()

    def woken(self) -> list[str]:
        """The alerts that paged a person."""
        return [series["metric"]["alertname"] for series in self._prometheus.ask(WOKEN)]


@pytest.fixture
def machines(tmp_path: Path, database: str) -> Iterator[Machines]:
    program = tool("prometheus", "prometheus")
    floor = Servers(tmp_path, EASY, database, heartbeat_ms=5_000)
    floor.add("table", ["easy"], TABLES)
    floor.add("sign", ["easy"])
    config = yaml.safe_load((SHIPPED / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    config["scrape_configs"][0]["static_configs"] = [{"targets": floor.addresses("http")}]
    config["rule_files"] = [str(SHIPPED / name) for name in config["rule_files"]]
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(config))
    address = f"127.0.0.1:{free_port()}"
    words = [f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data"]
    words += [f"--web.listen-address={address}", "--log.level=error"]
    with serving(floor), running([program, *words]):
        prometheus = Prometheus(address)
        wait_for(lambda: not prometheus.answers())
        wait_for(lambda: len(prometheus.ask('up{job="jackpot"} == 1')) < len(floor.each))
        yield Machines(floor, prometheus)


def promised() -> float:
    """The longest that a table waits, seconds, as the runbook says."""
    runbook = " ".join((DEPLOY / "RUNBOOK.md").read_text().split())
    (found,) = re.findall(r"less than the (\d+) s after which a table calls itself offline", runbook)
    return float(found)


def test_servers_are_restarted_one_after_the_other(machines: Machines) -> None:
    """S4, S5, and the runbook's rolling restart under load, begun with the server that stands by.

    Nothing answered is lost or in the books twice, no wager is counted twice, the bank moves once, no table
    waits longer than the runbook says, and nobody is woken, though Prometheus saw each server down.
    """
    (look,), restart = commands("Rolling restart")
    floor, heard = machines.floor, Heard()

    async def one_by_one() -> None:
        async with load(floor, heard, floor.folder) as names:
            await heard.until_all_play(names)
            heard.longest()
            holder = await asyncio.to_thread(floor.holder)
            assert " held " in await asyncio.to_thread(machines.run, look, holder)
            for server in (floor.other(holder), holder):
                for line in restart:
                    await heard.until_more(ANSWERS)
                    await asyncio.to_thread(machines.run, line, server)
                await heard.until_all_play(names)
            assert await asyncio.to_thread(floor.holder) is floor.other(holder)

    asyncio.run(one_by_one())
    longest = heard.longest()
    print(f"a table waited at most {longest:.1f} s")
    assert longest < promised()
    assert machines.woken() == []
    took = [
        line for server in floor.each.values() for line in server.history if line["event"] == "ledger_checked"
    ]
    assert [line["bank"] for line in took].count("main") == 2  # at the first start, and once since
    accepted = [kind for kind, answer in heard.answers.values() if kind == "wager" and answer["t"] == "ack"]
    (link,) = floor.holder().admin(do="/links")["links"]
    assert [level["wagers"] for level in link["levels"]] == [SEATS * len(accepted)] * 3
    verdict(floor, heard)
