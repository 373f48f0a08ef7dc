"""Does a real Prometheus find in a running floor everything that we document, alert on and draw?"""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.deploy.dashboard import queries, variables
from tests.deploy.test_metrics import documented
from tests.deploy.tools import DEPLOY, ROOT, TIMEOUT_S, tool

WAIT_S: Final = 30.0
# Nothing is drawn where nothing was refused, alarmed, won or restarted in the last seconds.
MAY_BE_EMPTY: Final = frozenset({"Refusals A", "Alarms A", "annotation Hits", "annotation Restarts"})
HISTOGRAM: Final = ("_bucket", "_sum", "_count")
# The demo has no Redis and no certificate, signs no heads, and pages nobody.
NOT_IN_THE_DEMO: Final = (
    "jackpot_relay_", "jackpot_tls_", "jackpot_heads_", "jackpot_signed_", "jackpot_notices_"
)  # fmt: skip


def wait_for(missing: Callable[[], Any]) -> None:
    """Returns once nothing is missing; what is missing to the end is in the failure."""
    until = time.monotonic() + WAIT_S
    while left := missing():
        assert time.monotonic() < until, f"still missing: {left}"
        time.sleep(0.2)


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=TIMEOUT_S)
        finally:
            process.kill()


class Prometheus:
    """A Prometheus at an address. Its errors are assertion errors that say what it said."""

    def __init__(self, address: str) -> None:
        self._address = address

    def get(self, path: str, **parameters: str) -> Any:
        url = f"http://{self._address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=WAIT_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from error

    def ask(self, expr: str) -> list[Any]:
        """The samples that a query gives."""
        data = self.get("query", query=expr)
        assert data["resultType"] == "vector", expr
        return list(data["result"])

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready", timeout=WAIT_S) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def served_at(log: Path) -> str | None:
    """The HTTP address of the demo's server, once it serves."""
    for line in log.read_text().splitlines() if log.exists() else ():
        event = json.loads(line)
        if event["event"] == "serving":
            return f"127.0.0.1:{event['http']}"
    return None


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """The shipped configuration and alerts, pointed at a demo, scraped every second."""
    program = tool("prometheus", "prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    demo = [sys.executable, "-m", "jackpot.cli", "demo", "--ledger", str(folder / "floor")]
    with running([*demo, "--speed", "200", "--lucky", "4"], stdout=subprocess.DEVNULL):
        log = folder / "floor" / "server.log"
        wait_for(lambda: served_at(log) is None)
        config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [{"targets": [served_at(log)]}]
        config["rule_files"] = [str(DEPLOY / "prometheus" / name) for name in config["rule_files"]]
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        address = f"127.0.0.1:{free_port()}"
        command = [
            program,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address={address}",
            "--log.level=error",
        ]
        with running(command):
            found = Prometheus(address)
            wait_for(lambda: not found.answers())
            wait_for(lambda: not found.ask('up{job="jackpot"} == 1'))
            yield found


def test_every_documented_metric_is_found(prometheus: Prometheus) -> None:
    """Proof: Prometheus scrapes the demo and stores every documented metric, and no other of ours."""
    expected = set()
    for name, (kind, _) in documented().items():
        if not name.startswith(NOT_IN_THE_DEMO):
            expected |= {name + suffix for suffix in HISTOGRAM} if kind == "histogram" else {name}
    wait_for(lambda: expected - set(prometheus.get("label/__name__/values")))
    stored = prometheus.get("label/__name__/values", **{"match[]": '{job="jackpot"}'})
    assert {name for name in stored if name.startswith(("jackpot_", "process_"))} == expected


def test_every_query_of_the_dashboard_has_data(prometheus: Prometheus) -> None:
    """Deploy: each panel's and annotation's query, as Grafana asks it, gives something to draw."""
    asked = queries()
    assert asked.keys() >= MAY_BE_EMPTY
    wait_for(lambda: [name for name in asked.keys() - MAY_BE_EMPTY if not prometheus.ask(asked[name])])
    for name in MAY_BE_EMPTY:
        prometheus.ask(asked[name])


def test_every_variable_of_the_dashboard_has_values(prometheus: Prometheus) -> None:
    """Deploy: links and tables can be chosen, all of the floor's."""
    values = {
        name: prometheus.get(f"label/{label}/values", **{"match[]": series})
        for name, (series, label) in variables().items()
    }
    assert values["link"] == ["floor-five", "floor-three"]
    assert values["table"] == [f"T{number:02}" for number in range(1, 13)]
    assert len(values["instance"]) == 1


def test_every_alert_is_evaluated(prometheus: Prometheus) -> None:
    """Deploy: Prometheus evaluates each rule on a real floor without an error."""

    def unwell() -> list[str]:
        groups = prometheus.get("rules")["groups"]
        return [rule["name"] for group in groups for rule in group["rules"] if rule["health"] != "ok"]

    wait_for(unwell)
    groups = prometheus.get("rules")["groups"]
    shipped = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]
    assert sorted(rule["name"] for group in groups for rule in group["rules"]) == sorted(
        rule["alert"] for group in shipped for rule in group["rules"]
    )
    alerts = prometheus.get("alerts")["alerts"]
    firing = {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}
    assert not firing & {"JackpotServerDown", "JackpotNotDurable", "JackpotLinkSuspended"}
