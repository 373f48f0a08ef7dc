"""The dashboards fit Grafana's schema and query only metrics that the server exports."""

import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from jackpot.cli.dashboards import shipped
from tests import ceilings
from tests.deploy.dashboard import FOLDER, boards, panels, queries, variables
from tests.deploy.test_metrics import documented
from tests.deploy.tools import DEPLOY

COLUMNS: Final = 24
INSTALL_S: Final = ceilings.PROGRAM_S
# A panel type -> where Grafana's own schema describes its options.
OPTIONS: Final = {
    "stat": "stat/panelcfg/x/StatPanelCfg",
    "table": "table/panelcfg/x/TablePanelCfg",
    "timeseries": "timeseries/panelcfg/x/TimeSeriesPanelCfg",
    "state-timeline": "statetimeline/panelcfg/x/StateTimelinePanelCfg",
}
# The schema has enums where JSON has their values.
PLAIN: Final = """\
import type { Dashboard } from '@grafana/schema';
type Plain<T> = T extends (infer U)[] ? Plain<U>[] : T extends string ? `${T}`
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
"""


# What each dashboard is for.
SHOWN: Final = {
    "Business": {
        "jackpot_awards_made_currency_units_total",
        "jackpot_contributions_currency_units",
        "jackpot_house_currency_units",
        "jackpot_offer_awards_currency_units",
        "jackpot_offer_wagers_currency_units",
        "jackpot_table_info",
        "jackpot_table_offer_wagers_currency_units_total",
        "jackpot_table_wagers_total",
    },
    "Floor": {
        "jackpot_alarms_total",
        "jackpot_awards_waiting",
        "jackpot_hits_total",
        "jackpot_meter_currency_units",
        "jackpot_requests_waiting",
        "jackpot_sign_connected",
        "jackpot_table_connected",
        "jackpot_table_rounds_total",
    },
    "Link": {
        "jackpot_contributions_currency_units",
        "jackpot_cycle",
        "jackpot_hit_probability_ratio",
        "jackpot_hits_total",
        "jackpot_house_currency_units",
        "jackpot_meter_currency_units",
        "jackpot_wins_currency_units",
    },
    "Server": {
        "jackpot_bank_active",
        "jackpot_batch_rows",
        "jackpot_commit_seconds",
        "jackpot_event_loop_lag_seconds",
        "jackpot_ledger_disk_free_bytes",
        "jackpot_refusals_total",
        "jackpot_wager_answer_seconds",
        "process_resident_memory_bytes",
    },
}


def metrics_in(text: str) -> set[str]:
    """The names of ours that an expression asks for, as documented."""
    found = set(re.findall(r"\b(?:jackpot|process)_[a-z_]+\b", text)) - {"jackpot_"}
    kinds = documented()
    return {name if name in kinds else re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def test_it_asks_only_for_documented_metrics() -> None:
    """Deploy: no query of a dashboard or of an alert names a metric that is not in METRICS.md."""
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    expressions = re.findall(r"(?m)^ +expr: (.*)$", alerts)
    asked = metrics_in("\n".join([*queries().values(), *expressions, *(s for s, _ in variables().values())]))
    assert len(asked) > 30
    known = (documented(part).keys() for part in ("server", "signage", "timer"))
    assert asked <= {metric for part in known for metric in part}


def test_each_shows_what_it_is_for() -> None:
    """Deploy: the floor's health; a level's history; whether the program keeps up; the bonus's cost."""
    for title, metrics in SHOWN.items():
        text = "\n".join(expr for name, expr in queries().items() if name.startswith(f"{title}, "))
        assert metrics_in(text) >= metrics, title


def test_no_two_panels_cover_each_other() -> None:
    """Deploy: every panel has its own place in the grid, an id, a unit, words and our data source."""
    for title, board in boards().items():
        places = board["panels"]
        assert len({panel["id"] for panel in places}) == len(places)
        for one, other in itertools.combinations([panel["gridPos"] for panel in places], 2):
            apart = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
            above = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
            assert apart or above, (title, one, other)
    for panel in itertools.chain.from_iterable(map(panels, boards().values())):
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= COLUMNS
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["description"].endswith(".")
        for source in (panel["datasource"], *(target["datasource"] for target in panel["targets"])):
            assert source == {"type": "prometheus", "uid": "${datasource}"}


def test_what_is_chosen_is_what_is_drawn() -> None:
    """Deploy: links and tables can be chosen, and each query keeps to the chosen ones."""
    assert variables().keys() == {"instance", "link", "table"}
    for board in boards().values():
        chosen = {one["name"] for one in board["templating"]["list"]}
        for target in (target for panel in panels(board) for target in panel["targets"]):
            for metric, label in (("jackpot_meter", "link"), ("jackpot_table_", "table")):
                if metric in target["expr"]:
                    assert label in chosen
                    assert f'{label}=~"${label}"' in target["expr"]


def test_a_site_has_its_own_currency_and_runbook() -> None:
    """Deploy: the program writes what is shipped, with the site's unit for each sum and its address."""
    assert {file.name: file.read_text() for file in FOLDER.glob("*.json")} == dict(
        shipped("USD", "RUNBOOK.md")
    )
    assert list(boards()) == ["Business", "Floor", "Link", "Server"]
    for board in boards().values():
        assert [link["url"] for link in board["links"]] == ["", "RUNBOOK.md"]
    for currency, unit in (("EUR", "currencyEUR"), ("KWD", "currency:KWD")):
        text = "".join(text for _, text in shipped(currency, "https://ops.example/runbook"))
        assert f'"unit": "{unit}"' in text
        assert "currencyUSD" not in text
        assert '"url": "https://ops.example/runbook"' in text


def test_provisioning_leads_to_it() -> None:
    """Deploy: Grafana finds the data source and the folder where compose puts the dashboard."""
    provisioning = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards" / "jackpot.yml").read_text())["providers"]
    mounted = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["grafana"]["volumes"]
    assert source["url"] == "http://prometheus:9090"
    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in mounted
    assert "./grafana/provisioning:/etc/grafana/provisioning:ro" in mounted
    assert all((DEPLOY / line.split(":")[0]).is_dir() for line in mounted if line.startswith("./"))


def typed() -> str:
    """The dashboards as TypeScript, each part said to be what Grafana's schema calls it."""
    lines = [PLAIN]
    for number, path in enumerate(OPTIONS.values()):
        where = f"@grafana/schema/dist/esm/raw/composable/{path}_types.gen.js"
        lines.append(f"import type * as Panel{number} from '{where}';")
    for title, board in boards().items():
        # The schema of these two leaves out what the Prometheus data source adds to them.
        rest = {key: value for key, value in board.items() if key not in ("annotations", "templating")}
        kind = "Plain<Omit<Dashboard, 'annotations' | 'templating'>>"
        lines.append(f"export const {title}: {kind} = {json.dumps(rest)};")
        for panel in panels(board):
            number, place = list(OPTIONS).index(panel["type"]), f"{title}{panel['id']}"
            parts: dict[str, Any] = {"Options": panel["options"]}
            if custom := panel["fieldConfig"]["defaults"].get("custom"):
                parts["FieldConfig"] = custom
            for part, value in parts.items():
                kind = f"Plain<Partial<Panel{number}.{part}>>"
                lines.append(f"export const {part}{place}: {kind} = {json.dumps(value)};")
    return "\n".join(lines)


def test_it_fits_the_schema_of_grafana(tmp_path: Path) -> None:
    """Deploy: Grafana's own types accept each dashboard and every panel's options."""
    if shutil.which("npm") is None:
        pytest.skip("npm is missing: apt-get install npm")
    packages = ["@grafana/schema@11", "typescript@5"]
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages]
    (tmp_path / "package.json").write_text("{}")
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=INSTALL_S, check=False
    )
    if done.returncode:
        pytest.skip(f"npm cannot install {' and '.join(packages)}: {done.stderr}")
    (tmp_path / "floor.ts").write_text(typed())
    options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"]
    checked = subprocess.run(
        ["node_modules/.bin/tsc", *options, "floor.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=INSTALL_S,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
