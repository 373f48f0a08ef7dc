"""A real Prometheus finds on a running floor every documented metric, alert and dashboard series."""

import json
import signal
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

from jackpot.lab.demo.house import OFFERS
from jackpot.lab.testing.postgres import free_port
from tests import ceilings
from tests.deploy.dashboard import boards, filled, queries, variables
from tests.deploy.test_metrics import documented
from tests.deploy.tools import DEPLOY, ROOT, TIMEOUT_S, tool

WAIT_S: Final = ceilings.WAIT_S
# Nothing is drawn where nothing was refused, alarmed or won in the last seconds, and no heads are signed. No
# round of the demo is void, no seat of it abandoned, and no lamp of it reported.
MAY_BE_EMPTY: Final = (
    "Floor, Hits", "Floor, Alarms", "Floor, Void rounds", "Floor, Abandoned seats", "Floor, Lamps",
    "Link, History B", "Server, Refusals", "Server, Strangers",
    "Server, Faults", "Server, Entries not proved", "Business, Awards an hour", " mark ",
)  # fmt: skip
HISTOGRAM: Final = ("_bucket", "_sum", "_count")
# The demo has no Redis, certificate, standby or mystery key, signs no heads, pages nobody, and lets keys grow
# old.
NOT_IN_THE_DEMO: Final = (
    "jackpot_relay_", "jackpot_tls_", "jackpot_heads_", "jackpot_signed_", "jackpot_notices_",
    "jackpot_key_", "jackpot_ledger_standbys", "jackpot_timer_", "jackpot_mystery_file_",
)  # fmt: skip


def wait_for(missing: Callable[[], Any]) -> None:
    """Waits until nothing is missing; fails with what still is."""
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

    def range(self, expr: str, start: float, end: float, step: int) -> list[Any]:
        """The series that a graph draws. start, end: unix seconds."""
        window = {"start": str(start), "end": str(end), "step": str(step)}
        return list(self.get("query_range", query=expr, **window)["result"])

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self._address}/-/ready", timeout=WAIT_S) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def served_at(log: Path) -> str | None:
    """The HTTP address of the demo's server, once it serves."""
    for line in log.read_text().splitlines() if log.exists() else ():
        event = json.loads(line)
        if event["event"] == "serving":
            return f"127.0.0.1:{event['http']}"
    return None


@pytest.fixture(scope="module")
def prometheus(made_once: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """The shipped configuration and alerts, pointed at a demo, scraped every second."""
    program = tool("prometheus", "prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    demo = [sys.executable, "-m", "jackpot.cli", "demo", "--folder", str(folder / "floor")]
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


def test_every_query_of_the_dashboards_has_data(prometheus: Prometheus) -> None:
    """Deploy: each panel's and mark's query, as Grafana asks it, gives something to draw."""
    asked = queries()
    empty = {name for name in asked if any(part in name for part in MAY_BE_EMPTY)}
    assert all(any(part in name for name in empty) for part in MAY_BE_EMPTY)
    wait_for(lambda: [name for name in asked.keys() - empty if not prometheus.ask(asked[name])])
    for name in empty:
        prometheus.ask(asked[name])


def test_no_window_loses_a_hit(prometheus: Prometheus) -> None:
    """Deploy: the bars of a link's history add up to all its hits, however wide each of them is."""
    hits = "sum(max by (link, level) (jackpot_hits_total))"
    (bars_of,) = {mark["expr"] for mark in boards()["Link"]["annotations"]["list"] if mark["name"] == "Hits"}

    points = dict[int, float]()

    def rises() -> bool:
        """Looks at the hits at each second since the first scrape, or since one that failed."""
        now = int(prometheus.ask('up{job="jackpot"}')[0]["value"][0])
        (found,) = prometheus.range(hits, now - 120, now, 1)
        values = [(int(at), float(value)) for at, value in found["values"]]
        gaps = [place for place in range(1, len(values)) if values[place][0] - values[place - 1][0] > 1]
        points.clear()
        points.update(values[gaps[-1] if gaps else 0 :])
        shown = list(points.values())
        return len(shown) >= 20 and shown[-2] >= shown[10] + 3

    wait_for(lambda: not rises())
    first, last = min(points) + 9, max(points) - 1
    for step in (1, 2, 4, 9):
        end = first + (last - first) // step * step
        expr = filled(bars_of.replace("$__interval", f"{step}s"))
        bars = prometheus.range(expr, first, end, step)
        drawn = sum(float(value) for series in bars for _, value in series["values"])
        assert drawn == points[end] - points[first - step], step


def test_every_variable_of_the_dashboards_has_values(prometheus: Prometheus) -> None:
    """Deploy: links and tables can be chosen, all of the floor's."""
    values = {
        name: prometheus.get(f"label/{label}/values", **{"match[]": series})
        for name, (series, label) in variables().items()
    }
    assert values["link"] == sorted(["floor-five", "floor-three", *(offer.offer for offer in OFFERS)])
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
        rule.get("alert") or rule["record"] for group in shipped for rule in group["rules"]
    )
    alerts = prometheus.get("alerts")["alerts"]
    firing = {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}
    assert not firing & {"JackpotServerDown", "JackpotNotDurable", "JackpotLinkSuspended"}
