"""Everything that a large floor has, on one machine and without containers: `deploy/local-up`.

Two servers of one ledger, two signage processes, a PostgreSQL with a standby that has every commit, a Redis
or Valkey, Prometheus with the shipped alerts, and Alertmanager; each a program of its own, in one folder.
It has people, and its signs are simulated, so that no alert fires. Nobody plays: point controllers at the
addresses, with the keys in the folder.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from jackpot.app import Server
from jackpot.config import load
from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.servers import Program, end, serving
from jackpot.lab.demo.house import furnish
from jackpot.lab.demo.people import Login, hire
from jackpot.lab.testing.postgres import EngineError, EnginesMissing, Postgres, binaries, free_port
from jackpot.lab.testing.redis import RedisServer, any_program
from jackpot.lab.testing.simulated_signs import SHOWING
from jackpot.logs import write_logs
from jackpot.net.admin_socket import login_of

SERVERS: Final = ("a", "b")
SIGNAGE: Final = ("hall", "bar")
PRIMARY, STANDBY = "db1", "db2"
DATABASE: Final = "jackpot"
# No commit is answered before the standby has it.
PAIR: Final = {"synchronous_standby_names": f"FIRST 1 ({STANDBY})"}
# Debian packages of what no wheel brings, and their programs.
PROMETHEUS: Final = "prometheus"
ALERTMANAGER: Final = "prometheus-alertmanager"
READY: Final = {
    PROMETHEUS: re.compile("ready to receive web requests"),
    ALERTMANAGER: re.compile("Listening"),
}
# Width of the names in a summary.
WIDE: Final = max(map(len, READY))
# Scrape interval: somebody watches it, and five seconds, as on a floor, are long then.
EVERY: Final = "1s"

# Time to stop; then programs are killed, as nothing of them is kept.
ENDS_S: Final = 10.0
ENDED_BY: Final = (signal.SIGINT, signal.SIGTERM)
# A signal that comes just before an infinite wait would only be noticed with the next one.
NOTICED_S: Final = 1.0

MONITORING: Final = """\
global:
  scrape_interval: {every}
  evaluation_interval: {every}
rule_files: [{rules}]
alerting:
  alertmanagers:
    - static_configs:
        - targets: [{alertmanager}]
scrape_configs:
  - job_name: jackpot
    static_configs:
      - targets: {servers}
  - job_name: jackpot-signage
    static_configs:
      - targets: {signage}
"""


class Topology:
    """The whole topology in a folder. `stack` ends it: all programs at one moment, then the databases.

    deploy: the folder with the shipped alerts. addresses: of each part by its name, once it is up; a server's
    and a signage process's by listener. logins: of the people, with their passwords.
    """

    def __init__(self, folder: Path, deploy: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._deploy = deploy / "prometheus"
        self._stack = stack
        self._programs: dict[str, Program] = {}
        self.addresses: dict[str, Any] = {}
        self.logins: tuple[Login, ...] = ()

    def up(self) -> None:
        """Returns once every part answers. Raises EngineError, LoadError."""
        found = _programs()
        redis = self._stack.enter_context(RedisServer(self._folder / "redis", any_program()))
        self.addresses |= {"postgresql": self._database(), "redis": redis.url}
        config = furnish(self._folder, self.addresses["postgresql"], self._more())
        self.addresses["config"] = str(config)
        with (self._folder / "people.log").open("w") as log:
            write_logs(log)
            self.logins = asyncio.run(_logins_of(config))
        self._stack.callback(self._end)  # before Redis and PostgreSQL, on which they depend
        for kind, command, names in (("server", "serve", SERVERS), ("signage", "signage", SIGNAGE)):
            for name in names:
                words = ("-m", "jackpot.cli", command, "--config", str(config), "--id", name)
                self._start(f"{kind} {name}", Program(self._folder / name, *words))
        for program in self._programs.values():
            program.said(serving)
        self._connect_signs()
        self._watch(found)

    def _database(self) -> str:
        primary = self._stack.enter_context(Postgres(self._folder / PRIMARY))
        standby = primary.standby(self._folder / STANDBY, STANDBY)
        primary.create(DATABASE)
        primary.configure(PAIR)
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in (primary, standby))
        return f"postgresql://postgres@{hosts}/{DATABASE}"

    def _more(self) -> str:
        """Sections of the configuration for several servers: their listeners, and Redis between them."""
        text = f'\n[redis]\nurl = "{self.addresses["redis"]}"\n'
        places = [("server", name) for name in SERVERS] + [("signage", name) for name in SIGNAGE]
        for kind, name in places:
            listeners = ("tables", "signs", "http") if kind == "server" else ("signs", "http")
            found = {listener: f"127.0.0.1:{free_port()}" for listener in listeners}
            self.addresses[f"{kind} {name}"] = found
            lines = "".join(f'{listener} = "{address}"\n' for listener, address in found.items())
            text += f'\n[[{kind}]]\nid = "{name}"\n{lines}'
        return text

    def _start(self, name: str, program: Program) -> None:
        program.start()
        self._programs[name] = program

    def _connect_signs(self) -> None:
        """Starts the simulated signs; returns once they show their meters."""
        at = [self.addresses[f"server {name}"]["signs"] for name in SERVERS]
        words = ("-m", "jackpot.lab.testing.simulated_signs", str(self._folder), *at)
        program = Program(self._folder / "signs", *words)
        self._start("simulated signs", program)
        program.said(lambda line: SHOWING in line)

    def _end(self) -> None:
        for name in end(self._programs, ENDS_S):
            print(f"killed, since it had not ended after {ENDS_S:.0f} s: {name}", file=sys.stderr)

    def _watch(self, found: dict[str, str]) -> None:
        """Starts Prometheus and Alertmanager, as `deploy/prometheus` has them."""
        for name in (ALERTMANAGER, PROMETHEUS):
            self.addresses[name] = f"127.0.0.1:{free_port()}"
        config = self._folder / "prometheus.yml"
        config.write_text(
            MONITORING.format(
                every=EVERY,
                rules=json.dumps(str(self._deploy / "alerts.yml")),
                alertmanager=json.dumps(self.addresses[ALERTMANAGER]),
                servers=json.dumps([self.addresses[f"server {name}"]["http"] for name in SERVERS]),
                signage=json.dumps([self.addresses[f"signage {name}"]["http"] for name in SIGNAGE]),
            )
        )
        words = {
            ALERTMANAGER: [
                f"--config.file={self._deploy / 'alertmanager.yml'}",
                f"--storage.path={self._folder / ALERTMANAGER}",
                "--cluster.listen-address=",  # the only one
            ],
            PROMETHEUS: [
                f"--config.file={config}",
                f"--storage.tsdb.path={self._folder / PROMETHEUS / 'data'}",
            ],
        }
        for name, given in words.items():
            given.append(f"--web.listen-address={self.addresses[name]}")
            program = Program(self._folder / name, *given, program=found[name])
            self._start(name, program)
            program.said(READY[name].search)

    def summary(self) -> str:
        """The addresses, for people."""
        lines = []
        for name, at in self.addresses.items():
            if isinstance(at, dict):
                devices = [f"{listener} {address}" for listener, address in at.items() if listener != "http"]
                said = "  ".join([f"http://{at['http']}", *devices])
            else:
                said = f"http://{at}" if name in READY else at
            lines.append(f"  {name:{WIDE}}  {said}")
        lines.append(f"  {'keys':{WIDE}}  {self._folder / 'keys'}, of the tables and signs")
        lines += [
            f"  {one.role:{WIDE}}  {one.login} {one.password}, at /ops of a server" for one in self.logins
        ]
        return "\n".join(lines)


async def _logins_of(config: Path) -> tuple[Login, ...]:
    """The people of the floor, made before its servers start."""
    # As the only server, which has its banks once it has started: one of several may still wait for them.
    alone = structs.replace(load(config).of_server(SERVERS[0]), servers=())
    async with Server(alone) as server:
        return await hire(server.auth, login_of(os.getuid()))


def _programs() -> dict[str, str]:
    """Path of each program that no wheel brings. Raises EnginesMissing, which names all that are missing."""
    found = {name: shutil.which(name) for name in READY}
    missing = [name for name, path in found.items() if path is None]
    for look, package in ((binaries, "postgresql"), (any_program, "redis-server")):
        try:
            look()
        except EnginesMissing:
            missing.append(package)
    if missing:
        raise EnginesMissing(f"missing on this machine; on Debian: apt-get install {' '.join(missing)}")
    return {name: path for name, path in found.items() if path}


def main() -> int:
    """The exit code: 0 after Ctrl-C, 1 where a part does not start."""
    arguments = argparse.ArgumentParser(prog="local-up", description=__doc__)
    arguments.add_argument("deploy", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--json", action="store_true", help="print the addresses as one line of JSON")
    given = arguments.parse_args()
    # Also where a script started it in the background: a program is born there with SIGINT ignored.
    for number in ENDED_BY:
        signal.signal(number, signal.default_int_handler)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jackpot-up-")))
        topology = Topology(folder, given.deploy.resolve(), stack)
        try:
            topology.up()
            if given.json:
                people = [one._asdict() for one in topology.logins]
                print(json.dumps(topology.addresses | {"people": people}), flush=True)
            else:
                print(f"all is up:\n{topology.summary()}\nCtrl-C ends all of it", flush=True)
            while True:
                time.sleep(NOTICED_S)
        except (EngineError, LoadError) as error:
            print(f"not started: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            for number in ENDED_BY:
                signal.signal(number, signal.SIG_IGN)  # shutdown is in progress
            return 0


if __name__ == "__main__":
    sys.exit(main())
