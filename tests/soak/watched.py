"""The floor that Prometheus watches in the soak of alerts: real servers, and rules with short waits.

One server on a PostgreSQL pair with Redis, a signage process, a notifier and signed heads; and a small one on
SQLite, with a small disk and a certificate of its own.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import yaml

from jackpot.clock import SystemClock
from jackpot.config.mystery_key import new_key_text
from jackpot.lab.testing.postgres import Postgres, free_port
from jackpot.lab.testing.redis import RedisServer, any_program
from tests.deploy.test_prometheus import Prometheus, running
from tests.deploy.tools import DEPLOY, tool
from tests.e2e.floors import BOARD, CHIPS, EASY, MYSTERY, NOTHING, ROYAL, ROYAL_BOARD, hand
from tests.e2e.site import Program, Site
from tests.e2e.test_servers_clocks import own_clock, set_clock
from tests.e2e.vendor import Vendor, bets
from tests.notify.heads import heads
from tests.notify.test_notifier import SECRET, pager
from tests.program import jackpot

RULES: Final = DEPLOY / "prometheus" / "alerts.yml"
# What a rule compares with, where that is a time: it is as long here.
SOONER: Final = {
    "JackpotHitWaiting": ("> 900", "> 3"),
    "JackpotHeadsNotSigned": ("> 7200", "> 12"),
}
# A rule looks back so far, in place of minutes.
WINDOW: Final = "20s"
# A look at Prometheus costs a millisecond; JackpotWon ends after some seconds.
LOOK_EVERY_S: Final = 0.2
# The notifier gives a notice up after eight attempts, which come further and further apart.
WITHIN_S: Final = 180.0
# A cause takes one that no other has used.
TABLES: Final = 20
# Tables that fill half of a bank's queue, with 64 commands each.
CROWD: Final = 40
# Bytes of the small server's disk: its ledger, and a little.
DISK: Final = 4 * 2**20


def hurried(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rules, but with seconds for minutes: how long they wait, and how far they look back."""
    for group in groups:
        for rule in group["rules"]:
            expr = re.sub(r"\[(5m|10m|30m|6h)(:?)\]", f"[{WINDOW}]", rule["expr"])
            expr = expr.replace("offset 1m", "offset 4s")
            old, new = SOONER.get(rule.get("alert", ""), ("", ""))
            rule["expr"] = expr.replace(old, new)
            if "for" in rule:
                rule["for"] = "1s"
    return groups


class Watching:
    """Prometheus with the hurried rules, and a folder whose files are what node_exporter would show."""

    def __init__(self, folder: Path, targets: dict[str, str], stack: ExitStack) -> None:
        self.told = folder / "told"
        self.told.mkdir()
        now_s = SystemClock().unix_ms() // 1000
        proved = "jackpot_backup_proved_timestamp_seconds"
        lines = [f'{proved}{{bank="{bank}"}} {now_s}\n' for bank in ("main", "site")]
        (self.told / "metrics").write_text("".join(lines))
        handler = partial(_Quiet, directory=str(self.told))
        node = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=node.serve_forever, daemon=True).start()
        stack.callback(node.shutdown)
        targets = {**targets, "node": f"http://127.0.0.1:{node.server_port}"}
        shipped = yaml.safe_load(RULES.read_text())
        (folder / "alerts.yml").write_text(yaml.safe_dump({"groups": hurried(shipped["groups"])}))
        config = {
            # While its ledger is in doubt a server answers after two seconds.
            "global": {"scrape_interval": "3s", "scrape_timeout": "3s", "evaluation_interval": "1s"},
            "rule_files": [str(folder / "alerts.yml")],
            "scrape_configs": [_scrape(name, url) for name, url in targets.items()],
        }
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        address = f"127.0.0.1:{free_port()}"
        words = [
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address={address}",
            "--log.level=error",
        ]
        stack.enter_context(running([tool("prometheus", "prometheus"), *words]))
        self.prometheus = Prometheus(address)
        until(self.prometheus.answers, lambda: "Prometheus does not answer")
        until(lambda: len(self.prometheus.ask("up == 1")) == len(targets), lambda: "not all is scraped")

    def firing(self, only: dict[str, str]) -> set[str]:
        """The alerts that fire now. only: labels that they have."""
        found = [
            each["labels"] for each in self.prometheus.get("alerts")["alerts"] if each["state"] == "firing"
        ]
        return {labels["alertname"] for labels in found if only.items() <= labels.items()}


class _Quiet(SimpleHTTPRequestHandler):
    """Shows the folder's files, and says nothing of it."""

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


def _scrape(name: str, url: str) -> dict[str, Any]:
    scheme, _, target = url.partition("://")
    job = "node" if name == "node" else "jackpot"
    return {
        "job_name": name,
        "scheme": scheme,
        "tls_config": {"insecure_skip_verify": True},
        "static_configs": [{"targets": [target]}],
        "relabel_configs": [{"target_label": "job", "replacement": job}],
    }


def until(holds: Callable[[], Any], seen: Callable[[], object]) -> None:
    """Waits until it holds. Raises AssertionError with what is seen after `WITHIN_S`."""
    ends = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < ends, seen()
        time.sleep(LOOK_EVERY_S)


def wait_a_moment(seconds: float) -> None:
    """A trouble's own pace: there is nothing to wait for."""
    time.sleep(seconds)


class Pages:
    """Web server of a notification sink, on its own loop. broken: takes nothing. refusing: answers 400."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        context = pager(folder)
        self.found = self._do(context.__aenter__())
        stack.callback(lambda: self._do(context.__aexit__(None, None, None)))

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WITHIN_S)


class Floor:
    """The whole watched floor. site: the large server, small: the other. only: labels of the alert watched.

    played: how many rounds.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.primary = stack.enter_context(Postgres(folder / "db1"))
        self.standby = self.primary.standby(folder / "db2", "db2")
        self.primary.configure({"synchronous_standby_names": "FIRST 1 (db2)"})
        self.primary.create("ledger")
        self.redis = stack.enter_context(RedisServer(folder / "redis", any_program()))
        self.pages = Pages(folder, stack)
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in (self.primary, self.standby))
        self.site = self._site(f"postgresql://postgres@{hosts}/ledger")
        stack.callback(self.site.stop, signal.SIGKILL)
        self.site.start()
        self.small = Small(folder / "small", stack)
        targets = {"site": f"http://127.0.0.1:{self.site.ports['http']}", "small": self.small.url}
        signage = Program(self.site.config, "signage", "--id", "hall")
        stack.callback(signage.stop, signal.SIGKILL)
        signage.start()
        targets["hall"] = f"http://127.0.0.1:{signage.ports['http']}"
        self.watching = Watching(folder, targets, stack)
        self.sign = stack.enter_context(self.site.sign(self.site.devices("sign")[0]))
        self.played = 0
        self.only: dict[str, str] = {}

    def _site(self, url: str) -> Site:
        site = Site(self.folder, EASY + CHIPS, ledger=url)
        site.add("table", ["easy"], TABLES)
        site.add("table", ["chips"], 1, kind="chips")
        site.add("table", ["easy"], CROWD, kind="crowd")
        site.add("sign", ["easy"])
        (self.folder / "audit").mkdir()
        (self.folder / "notify").touch(mode=0o600)
        (self.folder / "notify").write_text(SECRET)
        site._parts += [
            f'[redis]\nurl = "{self.redis.url}"',
            '[[signage]]\nid = "hall"\nhttp = "127.0.0.1:0"',
            "[keys]\ngood_days = 30",
            heads(self.folder, file="audit/heads.jsonl"),
            f'[notify]\nurl = "https://127.0.0.1:{self.pages.found.port}/page"',
            'secret = "notify"\nca = "ca.pem"',
        ]
        site._parts[0] = site._parts[0].replace("[ledger]", '[ledger]\ntimers = ["backup"]')
        site._parts[0] = site._parts[0].replace('http = "127.0.0.1:0"', f'http = "127.0.0.1:{free_port()}"')
        return site

    def act(self, do: str, **fields: Any) -> dict[str, Any]:
        """An act of people, as the command line asks for it."""
        said = self.site.admin(do=do, bank="main", **fields)
        assert said["ok"], (do, said)
        return said

    def round(self, device: Vendor, *, royal: bool = False, seats: Sequence[int] = (1,), **more: Any) -> Any:
        """Plays one round of the seats; returns the answer to its settlement."""
        self.played += 1
        name = f"R{self.played}"
        device.ack("wager", round=name, bets=bets("easy", seats), lock=True)
        cards, board = (ROYAL["cards"], ROYAL_BOARD) if royal else (NOTHING, BOARD)
        hands = [hand(max(seats), *cards)]
        return device.ask("settle", round=name, hands=hands, board=board, close=True, **more)

    def pay(self, settled: dict[str, Any]) -> None:
        """The hit of a settlement, validated and paid."""
        hit = settled["awards"][0]["hit"]
        self.act("validate", hit=hit)
        self.act("pay", hit=hit, document="W-1")

    def acknowledge(self) -> None:
        """Acknowledges all open alarms."""
        for alarm in self.site.admin(do="/alarms")["alarms"]:
            self.act("acknowledge", alarm=alarm["alarm"])

    def restart(self) -> None:
        self.site.stop()
        Program.start(self.site)

    def table(self) -> AbstractContextManager[Vendor]:
        """A table that no cause has used yet, connected."""
        return self.site.table(self.site.unused())


class Small:
    """A server on SQLite: a small disk, a certificate, a mystery key and a clock of its own.

    url: where it is scraped.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        folder.mkdir()
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()
        self.site = Site(folder, EASY, ledger=f"sqlite:///{self.disk}/ledger.db")
        self.site.add("table", ["easy"], 2)
        self.key = folder / "mystery"
        self.key.touch(mode=0o600)
        self.key.write_text(new_key_text()[0])
        self.site._parts.append(f'[mystery]\nkey = "{self.key}"\n{MYSTERY}')
        port = free_port()
        head = self.site._parts[0].replace('http = "127.0.0.1:0"', f'http = "127.0.0.1:{port}"')
        self.site._parts[0] = head + '[listen.tls]\ncert = "server.pem"\nkey = "server.key"\n'
        self.certificate(90)
        self.site.config.write_text("\n".join(self.site._parts))
        self.url = f"https://127.0.0.1:{port}"
        words = [sys.executable, "-m", "jackpot.cli", "serve"]
        self.clock(0)
        script = f'mount -t tmpfs -o size={DISK} none "{self.disk}" && exec "$@"'
        self.process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", script, "sh", *words, "--config", str(self.site.config)],
            env={**os.environ, **own_clock(self.folder / "clock")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(self._end)

    def clock(self, seconds: int) -> None:
        """Sets the server's clock offset from Prometheus'."""
        set_clock(self.folder / "clock", seconds)

    def certificate(self, days: int) -> None:
        for end in ("pem", "key"):
            (self.folder / f"server.{end}").unlink(missing_ok=True)
        done = jackpot("keys", "tls", self.folder / "server", "--days", str(days))
        assert done.returncode == 0, done.stderr

    def fill(self) -> Path:
        """Fills nearly all of the disk; returns the file that does."""
        root = Path(f"/proc/{self.process.pid}/root") / self.disk.relative_to("/")
        room = os.statvfs(root)
        (root / "fill").write_bytes(bytes(room.f_bavail * room.f_frsize - DISK // 50))
        return root / "fill"

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()
