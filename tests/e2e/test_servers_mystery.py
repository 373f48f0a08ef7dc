"""Two servers with a committed mystery link: a standby with and without its key, and what it takes over."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest

from jackpot.config.mystery_key import new_key_text, read_mystery_key
from jackpot.ledger.open import open_reader
from jackpot.ledger.trigger_rows import SealedTrigger, stored
from jackpot.ledger.trigger_vault import unseal
from jackpot.ledger.verify.verifier import verify
from jackpot.ledger.witness import Witness
from jackpot.rules.triggers import Trigger
from tests.e2e.floors import MYSTERY
from tests.e2e.servers import Server, Servers, kill, serving
from tests.e2e.vendor import WAIT_S, Message, Vendor, bets

LINK: Final = "must-hit"
KEY: Final = "KEY OF THE SERVER"
SEATS: Final = range(1, 8)


class MysteryServers(Servers):
    """Servers that have the same key, each in a folder of its own with its own witness."""

    def __init__(self, folder: Path, ledger: str) -> None:
        super().__init__(folder, MYSTERY, ledger)
        self.add("table", [LINK], game="any", max_rounds_per_minute=1_000)
        self._parts.append(f'[mystery]\nkey = "{KEY}"')
        text = new_key_text()[0]
        for name in self.each:
            file = self.key(name)
            file.parent.mkdir()
            file.touch(mode=0o600)
            file.write_text(text)
        self._key = read_mystery_key(self.key("a"))

    def seen_by(self, name: str, text: str) -> str:
        return text.replace(KEY, str(self.key(name)))

    def key(self, name: str) -> Path:
        return self.folder / f"mystery-{name}" / "key"

    def running(self) -> tuple[SealedTrigger, Trigger]:
        """The commitment that runs, and its trigger, as who has key and ledger knows it."""
        with closing(open_reader(self.url)) as ledger:
            (row,) = stored(ledger)
        return row, unseal(self._key, row)

    def witnessed(self, name: str) -> int:
        """The last commitment that the witness of a server has."""
        found = Witness(self.key(name)).read().values()
        return max((one.which.number for one in found), default=0)


@pytest.fixture
def floor(tmp_path: Path, database: str) -> Iterator[MysteryServers]:
    with serving(MysteryServers(tmp_path, database)) as found:
        assert isinstance(found, MysteryServers)
        yield found


def ready(server: Server) -> tuple[int, Message]:
    """What /readyz answers."""
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{server.ports['http']}/readyz", timeout=WAIT_S
        ) as found:
            return found.status, json.loads(found.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < ends, "it never came"


def usable(server: Server) -> dict[str, str]:
    """By file, what the metric says."""
    lines = [line for line in server.get("/metrics").splitlines() if line.startswith("jackpot_mystery_file")]
    return {line.split('"')[1]: line.split()[-1] for line in lines}


def troubles(server: Server) -> list[str]:
    return [one["what"] for one in json.loads(server.get("/floor.json"))["troubles"]]


@contextmanager
def table(floor: MysteryServers, server: Server) -> Iterator[Vendor]:
    """The table, once that server lets it in."""
    (name,) = floor.devices("table")
    ends = time.monotonic() + WAIT_S
    while True:
        device = server.connect("table")
        device.hello(floor.keys[name], "table", name)
        said = device.next("welcome", "error")
        if said["t"] == "welcome":
            break
        device.socket.close()
        assert said["code"] == "not_active", said
        assert time.monotonic() < ends, said
    with device:
        device.seq = said["last_seq"]
        yield device


def locked(device: Vendor) -> str:
    """A round of seven wagers, which counts once it is closed."""
    name = f"R{device.seq}"
    device.ack("wager", round=name, bets=bets(LINK, SEATS, 500), lock=True)
    return name


def until_won(device: Vendor, name: str = "") -> list[Message]:
    """Plays on, from a round that is locked, until the level is won; its awards."""
    for _ in range(4):
        if awards := device.ack("close", round=name or locked(device)).get("awards", []):
            return list(awards)
        name = ""
    raise AssertionError("$10 of contributions, and no win")


def won_by(awards: list[Message], trigger: Trigger) -> None:
    """The first wager that reached the trigger won: fifty cents lower it was not reached."""
    assert 0 <= awards[0]["amount"] * 10_000 - trigger.value < 500_000


def proved(floor: MysteryServers) -> None:
    with closing(open_reader(floor.url)) as ledger:
        assert not verify(ledger, bank="main").problems


def test_a_standby_without_the_key_is_not_ready(floor: MysteryServers) -> None:
    """Y12: it says what it cannot use, and its log where that is; ready with the key, as the holder was."""
    holder = floor.holder()
    standby = floor.other(holder)
    file = floor.key(standby.name)
    until(lambda: ready(standby) == ready(holder) == (200, {"status": "ready"}))
    assert usable(standby) == {"key": "1.0", "witness": "1.0"}
    away = file.rename(file.with_name("away"))
    missing = f"{file}: there is no such key file"
    until(lambda: ready(standby)[0] == 503)
    _, said = ready(standby)
    assert said["mystery"]["key"].startswith("This server cannot use the mystery key: ")
    assert said["reasons"]["main"].endswith(": This server cannot use the mystery key")
    assert file.parent.name not in str(said)  # and no stranger is told where
    assert usable(standby) == {"key": "0.0", "witness": "1.0"}
    assert troubles(standby) == ["This server cannot use the mystery key"]
    assert missing in standby.logged("mystery_not_ready", file="key")["reason"]
    assert ready(holder) == (200, {"status": "ready"})
    file.touch(mode=0o600)
    file.write_text(new_key_text()[0])
    other = "bring back the file of key"
    until(lambda: any(other in line.get("reason", "") for line in [*standby.log]))
    assert ready(standby)[0] == 503
    away.rename(file)
    until(lambda: ready(standby) == (200, {"status": "ready"}))
    assert not troubles(standby)


def test_a_witness_that_cannot_be_written_is_named(floor: MysteryServers) -> None:
    """Y8: by the standby, which is not ready, and by the holder, which plays on."""
    holder = floor.holder()
    standby = floor.other(holder)
    for server in floor.each.values():
        witness = Witness(floor.key(server.name)).file
        block = witness.with_name(f"{witness.name}.part")
        block.mkdir()
        until(lambda server=server: "mystery" in ready(server)[1])  # type: ignore[misc]
        status, said = ready(server)
        assert status == (503 if server is standby else 200)
        assert said["mystery"]["witness"].startswith(
            "This server cannot write the witness of the mystery key"
        )
        assert str(witness.parent) not in str(said)
        logged = server.logged("mystery_not_ready", file="witness")["reason"]
        assert logged.startswith(f"{witness} cannot be written: ")
        assert usable(server) == {"key": "1.0", "witness": "0.0"}
        block.rmdir()
        until(lambda server=server: ready(server)[1] == {"status": "ready"})  # type: ignore[misc]


def test_a_standby_knows_each_level_before_it_serves_one(floor: MysteryServers) -> None:
    """Y8: a standby that takes over finds out a ledger that lost what the first server published."""
    holder = floor.holder()
    with table(floor, holder) as device:
        until_won(device)
    number = floor.witnessed(holder.name)
    assert number > 1
    until(lambda: floor.witnessed(floor.other(holder).name) == number)


def test_a_standby_with_the_key_takes_over_between_draw_and_opening(floor: MysteryServers) -> None:
    """Y2, Y3, Y8: the round that the dead server locked is won at the other, by the trigger of before."""
    dead = floor.holder()
    heir = floor.other(dead)
    with table(floor, dead) as device:
        name = locked(device)
    row, trigger = floor.running()
    kill(dead)
    with table(floor, heir) as device:
        won_by(until_won(device, name), trigger)
        now, _ = floor.running()
        assert now.which.number > row.which.number
        assert floor.witnessed(heir.name) == now.which.number
        until_won(device)
    proved(floor)


def test_a_standby_without_the_key_takes_over_and_decides_nothing(floor: MysteryServers) -> None:
    """Y8, Y12: the locked round waits; started with the key, the server goes on by the trigger of before."""
    dead = floor.holder()
    heir = floor.other(dead)
    file = floor.key(heir.name)
    with table(floor, dead) as device:
        name = locked(device)
    row, trigger = floor.running()
    away = file.rename(file.with_name("away"))
    kill(dead)
    with table(floor, heir) as device:
        assert device.ask("close", round=name)["code"] == "suspended"
    status, said = ready(heir)
    assert (status, sorted(said["suspended"])) == (200, [LINK])
    until(lambda: "key" in ready(heir)[1].get("mystery", {}))
    assert heir.stop() == 0
    away.rename(file)
    heir.start()
    with table(floor, heir) as device:
        assert floor.running()[0] == row
        won_by(until_won(device, name), trigger)
    proved(floor)
