"""The planned maintenance of the runbook, with its commands run as written.

What differs here: the folders are a test's own, `systemctl` is this test, the server's user is the one who
runs it, and the program is not installed again. Install and rolling restart: `test_install.py`,
`test_rolling_restart.py`.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.deploy.tools import DEPLOY, TIMEOUT_S
from tests.e2e.site import Program
from tests.e2e.vendor import Vendor, bets
from tests.program import jackpot

CONFIG: Final = """
[site]
name = "Riverside"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "America/New_York"
[ledger]
url = "sqlite:////var/lib/jackpot/ledger.db"
[heads]
key = "keys/site"
file = "/mnt/audit/heads.jsonl"
[people]
required = false
[listen]
tables = "127.0.0.1:0"
http = "127.0.0.1:0"
[[link]]
id = "floor-five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
hold_table = false
[[table]]
id = "T01"
game = "let-it-ride"
seats = 7
links = ["floor-five"]
key_file = "keys/T01"
"""
SIX: Final = """
[[link]]
id = "floor-six"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
"""
# The folders of the runbook, and what they are called here.
PLACES: Final = {
    "/etc/jackpot": "etc",
    "/var/lib/jackpot": "lib",
    "/backup": "backup",
    "/mnt/audit": "audit",
    "/media/commission": "commission",
    "/var/lib/prometheus/node-exporter": "node",
    "NEW.": "new.",
}
# Done by `test_wheel.py`, or by nobody who is not root.
ELSEWHERE: Final = ("/usr/bin/python3 -m venv", "/opt/", "ln -sfn", "runuser", "chown")
TWO: Final = ("links close", "ledger resume")
ROYAL: Final = {"cards": ["As", "Ks", "Qs"]}, ["Js", "Ts"]


def commands(work: str) -> list[list[str]]:
    """The blocks of commands of a planned work, in order; a block is a list of lines."""
    text = (DEPLOY / "RUNBOOK.md").read_text()
    (section,) = re.findall(rf"(?ms)^### {work}\n(.*?)(?=^### |\Z)", text)
    blocks = re.findall(r"(?m)((?:^ {7}.*\n)+)", section)
    return [[line.strip() for line in block.splitlines()] for block in blocks]


class House:
    """A machine with one server, which is not started yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("etc/keys", "etc/tls", "lib", "backup/ledger", "audit", "commission", "node"):
            (folder / name).mkdir(parents=True)
        self.config = folder / "etc" / "config.toml"
        self.write(CONFIG)
        self.run("jackpot keys new keys/T01")
        self.run("jackpot keys site keys/site")
        self.server = Program(self.config, "serve")

    def write(self, text: str) -> None:
        """The configuration, with this test's folders."""
        self.config.write_text(self._here(text))

    def change(self, *changes: tuple[str, str]) -> None:
        """Edits the configuration."""
        text = self.config.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.config.write_text(text)

    def do(self, work: str) -> list[list[str]]:
        """Runs a whole planned work, block by block; returns what each line printed."""
        return [[self.run(line) for line in block] for block in commands(work)]

    def timed(self, name: str) -> None:
        """Runs what the timer of that name starts."""
        unit = (DEPLOY / f"jackpot-{name}.service").read_text()
        (line,) = re.findall(r"(?m)^ExecStart=/opt/jackpot/bin/(.*)$", unit)
        self.run(line)
        assert list(self.folder.glob(f"node/jackpot-{name}.prom"))

    def run(self, line: str) -> str:
        """Runs one line of the runbook; returns what it printed."""
        if line.startswith(ELSEWHERE):
            return ""
        if line.startswith("systemctl "):
            return self._systemctl(line.split()[1])
        if line.startswith("jackpot "):
            words = shlex.split(self._here(line))[1:]
            if line.removeprefix("jackpot ").startswith(TWO) and "--preview" not in words:
                words += ["--by", "Ann Lee", "--and-by", "Bo Ray"]
            done = jackpot(*words, more={"JACKPOT_CONFIG": str(self.config)})
        else:
            shell = self._here(line.replace("-o jackpot -g jackpot ", ""))
            done = subprocess.run(
                ["bash", "-euc", shell], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
            )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    def _systemctl(self, word: str) -> str:
        if word in {"stop", "restart"}:
            assert self.server.stop() == 0
        if word in {"start", "restart"}:
            self.server.start()
        return ""

    def _here(self, text: str) -> str:
        for place, name in PLACES.items():
            text = re.sub(rf"(?<![\w/.]){re.escape(place)}", f"{self.folder}/{name}", text)
            text = text.replace(f"sqlite:///{place}", f"sqlite:///{self.folder}/{name}")
        return text

    def table(self, key: str = "T01", **hello: Any) -> Vendor:
        """T01, connected, and its hello said."""
        device = Vendor(self.server.ports["tables"])
        device.hello(bytes.fromhex((self.config.parent / "keys" / key).read_text()), "table", "T01", **hello)
        return device

    def play(self, name: str, link: str = "floor-five", hand: Any = None) -> int:
        """A round at T01, of one wager: the table's number afterwards."""
        with self.table() as device:
            device.welcome()
            device.ack("wager", round=name, bets=bets(link, [1]), lock=True)
            hands = {"hands": [{"seat": 1, **hand[0]}], "board": hand[1]} if hand else {"hands": []}
            device.ack("settle", round=name, close=True, **hands)
            return device.seq


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    (tmp_path / "etc").mkdir()
    monkeypatch.chdir(tmp_path / "etc")  # as the runbook's `jackpot` does
    found = House(tmp_path)
    yield found
    found.server.stop()


def test_a_key_is_rotated(house: House) -> None:
    """Runbook: both keys are good, then the new one alone; a stolen one opens nothing."""
    make, keep, steal, _ = commands("Key rotation")
    house.server.start()
    house.change(('key_file = "keys/T01"', 'key_file = "keys/T01"\nkey_file_next = "keys/T01.next"'))
    for line in make:
        house.run(line)
    for key in ("T01", "T01.next"):
        with house.table(key) as device:
            device.welcome()
    house.server.logged("key_ended")
    with house.table("T01") as device:
        assert device.error()["code"] == "auth_failed"
    house.change(('key_file_next = "keys/T01.next"', ""))
    for line in keep:
        house.run(line)
    with house.table("T01") as device:  # the new one, whatever its file is called
        device.welcome()
        house.run(steal[0])
        device.gone()
    for line in steal[1:]:
        house.run(line)
    with house.table("T01") as device:
        device.welcome()


def test_a_certificate_is_changed_as_it_runs(house: House) -> None:
    """Runbook: the server takes the new files in place of the old ones."""
    for name in ("tls/server", f"{house.folder}/new"):
        house.run(f"jackpot keys tls {name}")
    house.change(("[listen]", '[listen.tls]\ncert = "tls/server.pem"\nkey = "tls/server.key"\n[listen]'))
    house.server.start()
    house.do("Certificates")
    house.server.logged("certificate_loaded")


def test_a_link_moves_and_a_regulator_comes(house: House) -> None:
    """Runbook: the money is on the new link, the old one is gone; what a regulator asks for is answered."""
    start, suspend, look, close, last = commands("Move and close a link")
    house.server.start()
    house.play("R1", hand=ROYAL)
    for line in ("hits validate H1", "hits pay H1 --write document=4711"):
        house.run(f"jackpot {line}")
    house.change(('links = ["floor-five"]', 'links = ["floor-five", "floor-six"]'))
    house.config.write_text(house.config.read_text() + SIX)
    for line in (*start, *suspend, *look, *close):
        house.run(line)
    text = house.config.read_text()
    house.config.write_text(re.sub(r'(?s)\[\[link\]\]\nid = "floor-five".*?(?=\[\[)', "", text))
    house.change(('"floor-five", ', ""))
    for line in last:
        house.run(line)
    assert "floor-six" in house.run("jackpot links show floor-six")
    assert house.play("R2", "floor-six") > 0
    visit = [
        line.replace("floor-five", "floor-six") for block in commands("A regulator's visit") for line in block
    ]
    said = [house.run(line) for line in visit]
    assert "floor-five" in "".join(said)  # the books still know it


def test_an_upgrade_and_a_restore(house: House) -> None:
    """Runbook: nothing is lost by an upgrade; what a restore of last night's backup lost is listed, and
    confirmed by two; what the timers start tells Prometheus.
    """
    house.server.start()
    house.play("R1")
    house.do("Upgrade")
    house.play("R2")
    for unit in ("verify", "backup"):
        house.timed(unit)
    (made,) = house.folder.glob("backup/ledger/ledger-*.db")
    made.rename(house.folder / "backup" / "ledger.db")
    acked = house.play("R3")
    house.change(("heads.jsonl", "heads-2.jsonl"))
    *before, behind, resume = commands("Restore")
    for block in before:
        for line in block:
            house.run(line)
    with house.table(acked=acked) as device:
        assert device.error()["code"] == "ledger_behind"
    assert "T01" in house.run(*behind)
    house.run(*resume)
    assert house.play("R4") > acked
