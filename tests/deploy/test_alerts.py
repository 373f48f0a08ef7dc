"""Every shipped alert is valid, tested, and one that a person can act on."""

import re
import subprocess
from typing import Any, Final

import pytest
import yaml

from tests.deploy.tools import DEPLOY, TIMEOUT_S, promtool, tool
from tests.soak.alerts import CASES, NOT_HERE
from tests.soak.watched import SOONER, hurried

# What an entry of the runbook says.
PARTS: Final = ("Means", "Affects", "Look first", "Do", "Ends")
FOLDER: Final = DEPLOY / "prometheus"
# What promtool tests the rules with: most alerts fire within minutes; some wait for an hour.
TESTS: Final = (FOLDER / "alerts.test.yml", FOLDER / "alerts.hours.test.yml")
# Where a site keeps its runbook; nothing where its Prometheus does not say.
RUNBOOK: Final = "{{ $externalLabels.runbook }}"


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", FOLDER / "prometheus.yml"),
        ("check", "rules", FOLDER / "alerts.yml"),
        *(("test", "rules", file) for file in TESTS),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[2].stem}",
)
def test_promtool_agrees(arguments: tuple[str, ...]) -> None:
    """Deploy: configuration and rules are valid, and the rules do what their tests say."""
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def test_alertmanager_takes_its_configuration() -> None:
    """Deploy: it is valid, and every severity that an alert has goes to people of its own."""
    file = FOLDER / "alertmanager.yml"
    amtool = tool("amtool", "prometheus-alertmanager")
    done = subprocess.run(
        [amtool, "check-config", file], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    routes = [amtool, "config", "routes", "test", f"--config.file={file}"]
    reached = {
        severity: subprocess.run(
            [*routes, f"severity={severity}"], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
        ).stdout.strip()
        for severity in {rule["labels"]["severity"] for rule in rules()}
    }
    assert reached == {"critical": "pager", "warning": "floor", "info": "news"}


def test_every_alert_is_seen_to_fire_and_to_be_silent() -> None:
    """Deploy: no alert without a test in which it fires, and one in which the floor is in order."""
    tests = [test for file in TESTS for test in yaml.safe_load(file.read_text())["tests"]]
    looked = [look for test in tests for look in test["alert_rule_test"]]
    alerts = {rule["alert"] for rule in rules()}
    assert {look["alertname"] for look in looked if look["exp_alerts"]} == alerts
    in_order = [test for test in tests if "in order" in test["name"]]
    assert {look["alertname"] for test in in_order for look in test["alert_rule_test"]} == alerts


def test_every_alert_is_caused_in_the_soak() -> None:
    """Deploy: `tests.soak alerts` brings each alert about, or says why it cannot; its rules stay valid."""
    caused = [alert for case in CASES for alert in case.alerts]
    assert sorted([*caused, *NOT_HERE]) == sorted(rule["alert"] for rule in rules())
    groups = hurried(yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"])
    changed = {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"] if "alert" in rule}
    assert all(new in changed[alert] for alert, (_, new) in SOONER.items())


def test_every_alert_says_what_to_do() -> None:
    """Deploy: a severity, one line that names the thing, and plain words for who is woken."""
    found = rules()
    assert len({rule["alert"] for rule in found}) == len(found)
    for rule in found:
        assert rule["alert"].startswith("Jackpot")
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"].keys() == {"summary", "description", "runbook"}
        assert rule["annotations"]["description"].endswith(".")
        assert rule["annotations"]["runbook"] == f"{RUNBOOK}RUNBOOK.md#{rule['alert'].lower()}"


def test_the_runbook_has_every_alert_in_its_order() -> None:
    """Deploy: of each alert what it means, whom it affects, where to look, what to do and how it ends."""
    text = (DEPLOY / "RUNBOOK.md").read_text()
    entries = [
        entry for entry in re.split(r"^### ", text, flags=re.MULTILINE)[1:] if entry.startswith("Jackpot")
    ]
    assert [entry.split()[0] for entry in entries] == [rule["alert"] for rule in rules()]
    for entry in entries:
        assert re.findall(r"(?m)^- \*\*([\w ]+)\*\* ", entry) == list(PARTS), entry


def test_what_is_recorded_is_used() -> None:
    """Deploy: each recorded series is what an alert asks for."""
    groups = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    recorded = {rule["record"] for group in groups for rule in group["rules"] if "record" in rule}
    asked = " ".join(rule["expr"] for rule in rules())
    assert recorded
    assert all(name in asked for name in recorded)
