"""Metrics: names by Prometheus' rules, bounded labels, and exactly those that METRICS.md documents."""

import ast
import re
from pathlib import Path
from typing import Final

import msgspec
import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from jackpot.app import Server
from jackpot.bank.counts import ALARMS
from jackpot.config import Config
from jackpot.config.mystery_key import new_key_text
from jackpot.rules.refusal import CODES
from jackpot.signage import SignageProcess
from jackpot.web.book_metrics import HOUSE, REASONS, STATUSES
from tests.deploy.tools import DEPLOY, ROOT, promtool
from tests.e2e.floors import MYSTERY
from tests.notify.heads import heads
from tests.program import jackpot
from tests.running_server import LINK, LINKS, OFFER, configure, on_loop, sign, table
from tests.web.test_metrics import fetch

_ROW: Final = re.compile(r"^\| `(\w+)` \| (\w+) \| ([\w, ]*)\|", re.MULTILINE)

Kind = tuple[str, frozenset[str]]


def documented(part: str = "server") -> dict[str, Kind]:
    """Type and labels of every metric of a part of METRICS.md, by name."""
    heads = "## A signage process\n|## Commands that a timer runs\n"
    parts = re.split(heads, (DEPLOY / "METRICS.md").read_text())
    rows = _ROW.findall(dict(zip(("server", "signage", "timer"), parts, strict=True))[part])
    found = {
        name: (kind, frozenset(filter(None, map(str.strip, labels.split(",")))))
        for name, kind, labels in rows
    }
    assert len(found) == len(rows), "a metric is documented twice"
    return found


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scrape of a server with a table and a sign at work."""
    scraped = []

    @on_loop
    async def scrape() -> None:
        folder = tmp_path_factory.mktemp("floor")
        extra = f'[redis]\nurl = "redis://127.0.0.1:1"\n[keys]\ngood_days = 30\n{heads(folder)}'
        (folder / "notify").touch(mode=0o600)
        (folder / "notify").write_text("ab" * 32)
        extra += '\n[notify]\nurl = "https://127.0.0.1:1"\nsecret = "notify"\n'
        (folder / "mystery").touch(mode=0o600)
        (folder / "mystery").write_text(new_key_text()[0])
        extra += '[mystery]\nkey = "mystery"\n'
        config = timed(configure(folder, links=LINKS + OFFER + MYSTERY, extra=extra))
        async with Server(config) as server, table(server) as device, sign(server):
            device.wager(1, "R1", 1, 2, lock=True)
            await device.answer(1)
            scraped.append((await fetch(server, "/metrics"))[1])

    scrape()
    return scraped[0]


@pytest.fixture(scope="module")
def families(text: str) -> list[Metric]:
    return list(text_string_to_metric_families(text))


def timed(config: Config) -> Config:
    """The same floor, with both timers."""
    ledger = msgspec.structs.replace(config.ledger, timers=("backup", "verify"))
    return msgspec.structs.replace(config, ledger=ledger)


def name_of(family: Metric) -> str:
    """A metric's name as Prometheus stores it; the parser strips a counter's suffix."""
    return f"{family.name}_total" if family.type == "counter" else family.name


def test_every_metric_is_documented_and_every_documented_one_is_there(families: list[Metric]) -> None:
    """Metrics: METRICS.md is complete in both directions: names, types and labels."""
    assert kinds(families) == documented()


def kinds(families: list[Metric]) -> dict[str, Kind]:
    return {
        name_of(family): (
            family.type,
            frozenset(label for sample in family.samples for label in sample.labels) - {"le"},
        )
        for family in families
    }


@on_loop
async def test_a_signage_process_has_its_own(tmp_path: Path) -> None:
    """METRICS.md is complete for a signage process too: its own, and those it shares with the server."""
    extra = '[redis]\nurl = "redis://127.0.0.1:1"\n[[signage]]\nid = "hall"\nhttp = "127.0.0.1:0"'
    config = configure(tmp_path, extra=extra)
    async with SignageProcess(config, config.signage[0]) as process:
        text = (await fetch(process, "/metrics"))[1]
    found = kinds(list(text_string_to_metric_families(text)))
    assert promtool("check", "metrics", given=text).stdout == ""
    assert documented("signage").items() <= found.items() <= (documented() | documented("signage")).items()


def test_promtool_finds_nothing_to_say(text: str) -> None:
    """Metrics: Prometheus' own naming rules."""
    checked = promtool("check", "metrics", given=text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_labels_are_bounded_and_there_from_the_start(families: list[Metric]) -> None:
    """Metrics: every value of a label is there at 0 from the start, so that a first rise is seen."""
    values: dict[str, dict[str, set[str]]] = {}
    for family in families:
        for sample in family.samples:
            for label, value in sample.labels.items():
                values.setdefault(name_of(family), {}).setdefault(label, set()).add(value)
    assert values["jackpot_refusals_total"]["code"] == set(CODES)
    assert values["jackpot_alarms_total"]["code"] == set(ALARMS)
    assert values["jackpot_link_suspended"]["reason"] == set(REASONS)
    assert values["jackpot_awards_waiting"] == {
        "link": {LINK, "three-bonus", "must-hit"},
        "level": {"mega", "major", "minor", "meter", HOUSE},
        "status": set(STATUSES),
    }
    assert values["jackpot_table_connected"]["table"] == {"T01", "T02"}
    assert values["jackpot_key_expiry_timestamp_seconds"]["device"] == {"T01", "T02", "S01", "heads"}


def test_a_timer_is_wanted_of_the_banks_that_it_speaks_of(tmp_path: Path) -> None:
    """Metrics: an alert for a timer that never ran expects only banks that its file names."""
    config = timed(configure(tmp_path))
    scraped = []

    @on_loop
    async def scrape() -> None:
        async with Server(config) as server:
            scraped.append((await fetch(server, "/metrics"))[1])

    scrape()
    (backups := tmp_path / "backups").mkdir()
    told = tmp_path / "told.prom"
    url, spoken = config.ledger.url, {}
    for timer, words in (
        ("verify", ["verify", "--ledger", url, "--jobs", "1"]),
        ("backup", ["ledger", "nightly", backups, "--ledger", url]),
    ):
        assert jackpot(*words, "--textfile", told).returncode == 0
        spoken[timer] = set(re.findall(r'timestamp_seconds\{bank="(\w+)"\}', told.read_text()))
    wanted: dict[str, set[str]] = {"verify": set(), "backup": set()}
    for bank, timer in re.findall(r'jackpot_timer_wanted\{bank="(\w+)",timer="(\w+)"\}', scraped[0]):
        wanted[timer].add(bank)
    assert wanted == spoken != {}


def test_the_documentation_names_every_alarm() -> None:
    """Metrics: the codes in METRICS.md are the program's, and the program's are what it raises."""
    text = (DEPLOY / "METRICS.md").read_text()
    assert " ".join(ALARMS) in text
    raised = set()
    for file in sorted((ROOT / "jackpot" / "rules").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(func=ast.Attribute(attr="alarm"), args=[ast.Constant(value=str() as name)]):
                    raised.add(name)
    assert raised
    assert raised <= set(ALARMS)


def test_money_is_in_currency_units(families: list[Metric]) -> None:
    """Metrics: base units: 10000.18, never cents; moments in seconds."""
    by_name = {name_of(family): family for family in families}
    meters = {
        sample.labels["level"]: sample.value for sample in by_name["jackpot_meter_currency_units"].samples
    }
    assert meters == {"mega": 10_000.18, "major": 1_000.14, "minor": 250.06, "meter": 10.00}
    seen = {s.labels["table"]: s.value for s in by_name["jackpot_table_last_seen_timestamp_seconds"].samples}
    started = by_name["process_start_time_seconds"].samples[0].value
    assert seen["T01"] > started
    assert seen["T02"] == 0


@on_loop
async def test_what_is_wagered_on_an_offer_and_paid(tmp_path: Path) -> None:
    """B1, B4: an offer's wagers and awards, a returned wager included; by table what was accepted."""
    async with Server(configure(tmp_path, links=LINKS + OFFER)) as server, table(server) as device:
        bets = [{"seat": seat, "link": "three-bonus", "amount": 1_000} for seat in (3, 2, 1)]
        device.say(t="wager", seq=1, round="R1", bets=bets)
        device.say(t="withdraw", seq=2, round="R1", bets=[{"seat": 3, "link": "three-bonus"}])
        device.say(t="lock", seq=3, round="R1")
        hands = [{"seat": 2, "cards": ["2s", "2h", "5d"]}, {"seat": 1, "cards": ["7s", "9h", "Jd"]}]
        device.say(t="settle", seq=4, round="R1", hands=hands, close=True)
        assert len((await device.answer(4))["awards"]) == 1
        text = (await fetch(server, "/metrics"))[1]
    found = {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.labels.get("link") == "three-bonus"
    }
    assert found["jackpot_offer_wagers_currency_units"] == 20
    assert found["jackpot_offer_awards_currency_units"] == 20  # a pair pays 1 to 1, and returns the wager
    assert found["jackpot_table_offer_wagers_currency_units_total"] == 30


@on_loop
async def test_what_waits_refuses_and_alarms(tmp_path: Path) -> None:
    """A10, T11, WIRE: a hit waits by link, level and status; refusals and alarms are counted by code."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        hands = [{"seat": 1, "cards": ["As", "Ks", "Qs"]}]
        device.say(t="settle", seq=2, round="R1", hands=hands, board=["Js", "Ts"], close=True)
        at = (await device.answer(2))["awards"][0]["amount"] / 100
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "table_held"
        device.wager(2, "R2", 1)
        assert (await device.answer(2))["code"] == "seq_conflict"
        found = {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families((await fetch(server, "/metrics"))[1])
            for sample in family.samples
        }
    assert found["jackpot_awards_waiting", *sorted((LINK, "mega", "pending"))] == 1
    assert found["jackpot_awards_waiting_currency_units", *sorted((LINK, "mega", "pending"))] == at
    assert found["jackpot_oldest_waiting_timestamp_seconds", LINK] > found["process_start_time_seconds",]
    assert found["jackpot_awards_currency_units", *sorted((LINK, "cage"))] == at
    assert found["jackpot_table_held", "T01"] == 1
    assert found["jackpot_table_rounds_total", "T01"] == 1
    assert found["jackpot_hits_total", *sorted((LINK, "mega"))] == 1
    assert found["jackpot_cycle", *sorted((LINK, "mega"))] == 2
    assert found["jackpot_refusals_total", *sorted(("main", "table_held"))] == 1
    assert found["jackpot_refusals_total", *sorted(("main", "seq_conflict"))] == 1
    assert found["jackpot_alarms_total", *sorted(("main", "seq_conflict"))] == 1
    assert found["jackpot_wager_answer_seconds_count", "main"] == 3
