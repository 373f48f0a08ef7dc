"""Soak of a Patroni pair whose machines die under load. By hand: `python -m tests.soak patroni`.

Under load, on one machine: three etcd and two Patroni with PostgreSQL as `deploy/patroni` has them, each with
an address and a certificate of its own, and two servers. Again and again kill -9 of an etcd; of
PostgreSQL alone, which Patroni starts again; of the standby's whole node; and of the primary's whole node, so
that the standby is promoted by itself. What died is started again, as systemd does it, and the old primary
must follow the new one before the next trouble. Then what people do by day: `patronictl switchover`, and new
certificates for all of them.
Printed: how long until every table had played a round again, the longest that one waited for an answer, and
how many old primaries were rewound.
Needs Debian's packages etcd-server, patroni, python3-idna and postgresql.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import ssl
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import asyncpg
import pytest
import yaml

from jackpot.lab.testing import cluster_cleanup
from jackpot.lab.testing.postgres import Programs, free_port, tied
from jackpot.ledger.verify.verifier import verify
from tests.deploy.tools import DEPLOY
from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Servers, serving, verdict
from tests.ledger.waiting import open_ledger

TABLES: Final = 6
ETCDS: Final = ("etcd1", "etcd2", "etcd3")
NODES: Final = ("db1", "db2")
# One for each machine of the shipped files, so that no certificate is good for another machine.
ADDRESSES: Final = dict(zip((*NODES, *ETCDS), (f"127.0.0.{last}" for last in range(11, 16)), strict=True))
SHIPPED: Final = DEPLOY / "patroni" / "patroni.yml"
ETCD: Final = DEPLOY / "patroni" / "etcd.env"
CERTIFICATES: Final = DEPLOY / "patroni" / "certificates.sh"
# What Patroni writes into its log once an old primary was rewound.
REWOUND: Final = "pg_rewind exit code=0"
# Debian's, with the libraries that Debian brings it.
PYTHON: Final = "/usr/bin/python3"
# Answers between two troubles, at the least and at the most.
ANSWERS: Final = (200, 1_000)
# A node's lead ends after 20 s (`ttl`), and then it is promoted; a slow machine takes some times as long.
WITHIN_S: Final = 180.0
_LOOK_EVERY_S: Final = 0.1
_ASKS_S: Final = 2.0


def wait_until(condition: Callable[[], bool], seen: Callable[[], object]) -> None:
    """Waits until it holds. Raises AssertionError after `WITHIN_S`, with what is seen then."""
    ends = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < ends, f"the pair does not settle: {seen()}"
        time.sleep(_LOOK_EVERY_S)


class Authority:
    """The certificates of all machines, made as the README says. folder: where they are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "certificates"
        subprocess.run([CERTIFICATES, self.folder, *ADDRESSES.values()], check=True)

    def renew(self) -> None:
        """New certificates and keys in place of the old ones, of the same authority."""
        new = self.folder / "new"
        new.mkdir()
        for name in ("ca.pem", "ca.key"):
            shutil.copy(self.folder / name, new)
        subprocess.run([CERTIFICATES, new, *ADDRESSES.values()], check=True)
        for file in new.iterdir():
            file.replace(self.folder / file.name)
        new.rmdir()

    def shows_new(self, host: str, port: int) -> bool:
        """Whether who answers there shows the certificate that its file has now."""
        try:
            shown = ssl.get_server_certificate((host, port), timeout=_ASKS_S)
        except OSError:  # Patroni opens its listener again with the new one
            return False
        return ssl.PEM_cert_to_DER_cert(shown) == self.own(host)

    def own(self, host: str) -> bytes:
        return ssl.PEM_cert_to_DER_cert((self.folder / f"{host}.pem").read_text())

    def here(self, shipped: str, name: str, ports: dict[str, int]) -> str:
        """A shipped file, with this machine's addresses and files.

        ports: shipped `host:port` -> the port here.
        """
        own = self.folder / ADDRESSES[name]
        places = {"server.pem": f"{own}.pem", "server.key": f"{own}.key", "ca.pem": f"{self.folder}/ca.pem"}
        for file, place in places.items():
            for folder in ("/etc/patroni", "/etc/etcd"):
                shipped = shipped.replace(f"{folder}/{file}", place)
        for address, port in ports.items():
            host = address.partition(":")[0].removesuffix(".casino")
            shipped = shipped.replace(address, f"{ADDRESSES.get(host, ADDRESSES[name])}:{port}")
        return shipped

    def believed(self, name: str = "") -> ssl.SSLContext:
        """TLS context for a client that trusts this authority. name: the machine whose certificate it has."""
        context = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
        if name:
            own = self.folder / ADDRESSES[name]
            context.load_cert_chain(f"{own}.pem", f"{own}.key")
        return context


class Etcd:
    """One member. peer, client: its ports."""

    def __init__(self, folder: Path, name: str, authority: Authority) -> None:
        self.name, self.folder, self._authority = name, folder / name, authority
        self.peer, self.client = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, members: "list[Etcd]") -> None:
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*tied(), "etcd"], env={**os.environ, **self._environment(members)}, stdout=log, stderr=log
            )

    def _environment(self, members: "list[Etcd]") -> dict[str, str]:
        """What is shipped, at addresses of this machine."""
        text = ETCD.read_text()
        for line in ("ETCD_NAME", "ETCD_INITIAL_ADVERTISE_PEER_URLS", "ETCD_ADVERTISE_CLIENT_URLS"):
            (old,) = re.findall(rf"(?m)^{line}=.*$", text)
            text = text.replace(old, old.replace(ETCDS[0], self.name))
        ports = {"0.0.0.0:2380": self.peer, "0.0.0.0:2379": self.client}
        ports |= {f"{each.name}.casino:2380": each.peer for each in members}
        ports |= {f"{each.name}.casino:2379": each.client for each in members}
        lines = self._authority.here(text, self.name, ports).splitlines()
        shipped = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
        return {**shipped, "ETCD_DATA_DIR": str(self.folder / "data")}

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Node:
    """One machine of the pair: a Patroni and the PostgreSQL that it runs."""

    def __init__(self, folder: Path, name: str, etcds: list[Etcd], authority: Authority) -> None:
        self.name, self.folder, self.authority = name, folder / name, authority
        self.host = ADDRESSES[name]
        self.data = self.folder / "data"
        self.port, self.rest = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.folder.mkdir()
        self._guard = cluster_cleanup.guard(self.folder, self.data, keep=False)
        (self.folder / "patroni.yml").write_text(yaml.safe_dump(self._config(etcds)))

    def _config(self, etcds: list[Etcd]) -> dict[str, Any]:
        """What is shipped, at addresses of this machine."""
        ports = {"0.0.0.0:8008": self.rest, "0.0.0.0:5432": self.port}
        ports |= {f"{self.name}.casino:8008": self.rest, f"{self.name}.casino:5432": self.port}
        ports |= {f"{each.name}.casino:2379": each.client for each in etcds}
        text = SHIPPED.read_text().replace(NODES[0], self.name).replace("10.0.5.0/24", "127.0.0.1/32")
        config: dict[str, Any] = yaml.safe_load(self.authority.here(text, self.name, ports))
        here = config["postgresql"]
        # It asks itself as localhost, as it does where it listens everywhere.
        here["listen"] = f"127.0.0.1,{here['listen']}"
        here |= {
            "data_dir": str(self.data),
            "bin_dir": str(Programs().folder),
            "pgpass": str(self.folder / "pgpass"),
            "pg_hba": [line for line in here["pg_hba"] if not line.startswith("local")],
        }
        here["parameters"] |= {"unix_socket_directories": "", "dynamic_shared_memory_type": "mmap"}
        return config

    def start(self) -> None:
        """Starts Patroni from the longest-lived thread, because Patroni ends with it."""
        with (self.folder / "log").open("ab") as log:
            # Only what is tied as the user that it runs as stays tied.
            patroni = shutil.which("patroni") or "patroni"
            words = [*tied(), PYTHON, patroni, str(self.folder / "patroni.yml")]
            self._process = subprocess.Popen(
                Programs().command(words[0], *words[1:]),
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )

    def kill_database(self) -> None:
        """PostgreSQL alone, all its processes at one moment."""
        cluster_cleanup.kill(self.data)

    def kill(self) -> None:
        """The whole node."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)  # it starts nothing any more
            cluster_cleanup.kill(self.data)
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.kill()
        cluster_cleanup.remove(self.folder, self.data)
        cluster_cleanup.dismiss(self._guard)

    def reload(self) -> None:
        """Reloads as `systemctl reload patroni` does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def ctl(self, *words: str) -> None:
        """`patronictl WORDS` on this node."""
        patronictl = shutil.which("patronictl") or "patronictl"
        command = [PYTHON, patronictl, "-c", str(self.folder / "patroni.yml"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WITHIN_S)
        assert done.returncode == 0, done.stdout + done.stderr

    def members(self) -> dict[str, tuple[str, str]]:
        """Role and state of each node, by its name, as this one sees them; empty while it does not answer."""
        try:
            url = f"https://{self.host}:{self.rest}/cluster"
            context = self.authority.believed(self.name)
            with urllib.request.urlopen(url, timeout=_ASKS_S, context=context) as answer:
                found = json.load(answer)["members"]
        except OSError:
            return {}
        return {each["name"]: (each["role"], each["state"]) for each in found}

    def rewound(self) -> int:
        """How often the node was rewound so far."""
        return (self.folder / "log").read_text(errors="replace").count(REWOUND)


class Pair:
    """Both nodes and their etcd; they end with `stack`."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.authority = Authority(folder)
        self.etcds = [Etcd(folder, name, self.authority) for name in ETCDS]
        for etcd in self.etcds:
            stack.callback(etcd.kill)
            etcd.start(self.etcds)
        self.nodes = [Node(folder, name, self.etcds, self.authority) for name in NODES]
        for node in self.nodes:
            stack.callback(node.close)
            node.start()
        self.settle()

    @property
    def url(self) -> str:
        return self._url(*self.nodes)

    def _url(self, *nodes: Node, database: str = "ledger") -> str:
        password = yaml.safe_load(SHIPPED.read_text())["postgresql"]["authentication"]["superuser"][
            "password"
        ]
        hosts = ",".join(f"{node.host}:{node.port}" for node in nodes)
        believed = f"sslmode=verify-full&sslrootcert={self.authority.folder}/ca.pem"
        return f"postgresql://postgres:{password}@{hosts}/{database}?{believed}"

    def leader(self) -> Node:
        """The leading node; exactly one must lead."""
        (found,) = [node for node in self.nodes if node.members().get(node.name, ("",))[0] == "leader"]
        return found

    def standby(self) -> Node:
        leader = self.leader()
        return next(node for node in self.nodes if node is not leader)

    def settle(self) -> None:
        """Waits until one leads and the other has every commit. Raises AssertionError."""
        wait_until(self._settled, lambda: [node.members() for node in self.nodes])

    def _settled(self) -> bool:
        wanted = {("leader", "running"), ("sync_standby", "running"), ("sync_standby", "streaming")}
        seen = [node.members() for node in self.nodes]
        whole = all(len(members) == len(NODES) and set(members.values()) <= wanted for members in seen)
        return whole and all(len({role for role, _ in members.values()}) == len(NODES) for members in seen)

    def create(self) -> None:
        """The ledger's database, empty."""
        self._ask(self._url(self.leader(), database="postgres"), "CREATE DATABASE ledger TEMPLATE template0")

    def same_end(self) -> list[str]:
        """The ledger's URL of each node, the leader first, once the standby has replayed all of it."""
        leader, standby = self.leader(), self.standby()
        (at,) = self._ask(self._url(leader, database="postgres"), "SELECT pg_current_wal_lsn()::text")
        reached = f"SELECT pg_last_wal_replay_lsn() >= '{at}'::pg_lsn"
        there = self._url(standby, database="postgres")
        wait_until(lambda: self._ask(there, reached) == [True], standby.members)
        return [self._url(leader), self._url(standby)]

    def assert_shut(self) -> None:
        """Asserts that TLS is required, and that Patroni and etcd require a certificate."""
        plain = self._url(self.leader(), database="postgres").replace("verify-full", "disable")
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError, match="no encryption"):
            self._ask(plain, "SELECT 1")
        doors = {node.name: f"{node.host}:{node.rest}/cluster" for node in self.nodes}
        doors |= {etcd.name: f"{ADDRESSES[etcd.name]}:{etcd.client}/version" for etcd in self.etcds}
        for name, door in doors.items():
            assert self._answers(door, self.authority.believed(name)), door
            assert not self._answers(door, self.authority.believed()), f"{door} lets everybody in"

    def renew(self) -> None:
        """New certificates for all; returns once all show them."""
        self.authority.renew()
        for node in self.nodes:
            node.reload()
        doors = [(node.host, node.rest) for node in self.nodes]
        doors += [(ADDRESSES[etcd.name], port) for etcd in self.etcds for port in (etcd.client, etcd.peer)]
        for door in doors:
            wait_until(partial(self.authority.shows_new, *door), partial(str, door))
        for node in self.nodes:
            wait_until(partial(self._shows_new, node), node.members)

    def _shows_new(self, node: Node) -> bool:
        """Whether its PostgreSQL shows its new certificate."""

        async def shown() -> bytes:
            connection: Any = await asyncpg.connect(self._url(node, database="postgres"), timeout=WITHIN_S)
            try:
                found: bytes = connection._transport.get_extra_info("ssl_object").getpeercert(
                    binary_form=True
                )
            finally:
                await connection.close()
            return found

        return asyncio.run(shown()) == self.authority.own(node.host)

    @staticmethod
    def _answers(door: str, context: ssl.SSLContext) -> bool:
        try:
            with urllib.request.urlopen(f"https://{door}", timeout=_ASKS_S, context=context):
                return True
        except OSError:
            return False

    @staticmethod
    def _ask(url: str, statement: str) -> list[Any]:
        async def asked() -> list[Any]:
            connection = await asyncpg.connect(url, timeout=WITHIN_S)
            try:
                return [row[0] for row in await connection.fetch(statement)]
            finally:
                await connection.close()

        return asyncio.run(asked())


class Soak:
    """A floor under load, and what each trouble cost it, seconds."""

    def __init__(self, floor: Servers, pair: Pair, rng: Random) -> None:
        self.heard = Heard()
        self.heard.within_s = WITHIN_S
        self.took: dict[str, list[float]] = defaultdict(list)
        self.waited: dict[str, list[float]] = defaultdict(list)
        self._floor, self._pair, self._rng = floor, pair, rng
        self._names: list[str] = []

    async def run(self, times: int) -> None:
        """Each trouble so many times."""
        async with load(self._floor, self.heard, self._floor.folder) as self._names:
            await self.heard.until_all_play(self._names)
            for number in range(1, times + 1):
                await self._suffer("kill -9 of an etcd", self._etcd)
                await self._suffer("kill -9 of PostgreSQL", self._postgres)
                await self._suffer("kill -9 of the standby's node", self._standby)
                await self._suffer("kill -9 of the primary's node", self._primary)
                await self._suffer("a switchover", self._switch_over)
                await self._suffer("new certificates", self._renew)
                took = "; ".join(f"{what} {seconds[-1]:.1f} s" for what, seconds in self.took.items())
                print(f"{number} of {times}: {len(self.heard.answers):,} answers; {took}", flush=True)

    async def _suffer(self, what: str, trouble: Callable[[], Callable[[], None]]) -> None:
        """The trouble; once all play again, what it killed is started, and the pair settles."""
        await self.heard.until_more(self._rng.randint(*ANSWERS))
        self.heard.longest()
        began = time.monotonic()
        mend = await asyncio.to_thread(trouble)
        for _ in ("answered before, and heard now", "played since"):
            await self.heard.until_all_play(self._names)
        self.took[what].append(time.monotonic() - began)
        self.waited[what].append(self.heard.longest())
        mend()  # in this thread: what it starts would end with another one
        await asyncio.to_thread(self._pair.settle)
        await self.heard.until_all_play(self._names)

    def _etcd(self) -> Callable[[], None]:
        etcd = self._rng.choice(self._pair.etcds)
        etcd.kill()
        return lambda: etcd.start(self._pair.etcds)

    def _postgres(self) -> Callable[[], None]:
        self._pair.leader().kill_database()
        return lambda: None

    def _standby(self) -> Callable[[], None]:
        node = self._pair.standby()
        node.kill()
        return node.start

    def _primary(self) -> Callable[[], None]:
        node = self._pair.leader()
        node.kill()

        def back() -> None:
            assert self._pair.leader() is not node, "nobody was promoted"
            node.start()

        return back

    def _switch_over(self) -> Callable[[], None]:
        leader, standby = self._pair.leader(), self._pair.standby()
        leader.ctl("switchover", "jackpot", "--master", leader.name, "--candidate", standby.name, "--force")

        def done() -> None:
            assert self._pair.leader() is standby, "the standby did not take over"

        return done

    def _renew(self) -> Callable[[], None]:
        self._pair.renew()
        return lambda: None


def soak(times: int, seed: int) -> int:
    """The exit code: 0 where nothing was lost or doubled, at either node."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        pair = Pair(Path(place), stack)
        pair.create()
        pair.assert_shut()
        floor = Servers(Path(place), EASY, pair.url, ("a", "b"), heartbeat_ms=5_000)
        floor.add("table", ["easy"], TABLES)
        floor.add("sign", ["easy"])
        with serving(floor):
            found = Soak(floor, pair, Random(seed))
            asyncio.run(found.run(times))
        for floor.url in reversed(pair.same_end()):  # the standby has all of it, too
            verdict(floor, found.heard)
            with closing(open_ledger(floor.url, readonly=True)) as ledger:
                assert verify(ledger, "main").problems == ()
        rewound = sum(node.rewound() for node in pair.nodes)
    print(f"{len(found.heard.answers):,} acknowledged, none lost or doubled; the books of both nodes verify")
    print(f"{rewound} of {times} old primaries were rewound; nobody gets in without TLS")
    for what, seconds in found.took.items():
        waited = found.waited[what]
        print(
            f"{what}: all play after {statistics.median(seconds):.1f} s (most {max(seconds):.1f}), "
            f"longest wait {statistics.median(waited):.1f} s (most {max(waited):.1f})"
        )
    return 0
