"""Searches for a running trigger in Redis, PostgreSQL, its log, its write-ahead log and its refusals.

A level between ten and ninety millions has a trigger of so many digits that no other number looks like it. It
is searched for in every form in which a program writes numbers, and so are the numbers from which it follows.
"""

import asyncio
import codecs
import struct
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest
from msgspec.structs import astuple
from redis.asyncio import Redis

from jackpot.config import Config
from jackpot.config.mystery_key import read_mystery_key
from jackpot.lab.testing.postgres import Postgres
from jackpot.lab.testing.redis import RedisServer
from jackpot.ledger.entries import events_of
from jackpot.ledger.journal import Row
from jackpot.ledger.open import open_reader
from jackpot.ledger.store import DataRefused
from jackpot.ledger.trigger_rows import stored
from jackpot.ledger.trigger_vault import unseal
from jackpot.publish.redis_relay import keys_of
from jackpot.rules import registry
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.events import Closed, TriggerOpened
from jackpot.rules.invariant import require
from jackpot.rules.triggers import Trigger
from tests.bank import test_running_triggers as running
from tests.bank.test_running_triggers import Playing, floor, key_file, playing, proved, suspended
from tests.publish.test_redis_relay import fed, signage
from tests.running_server import LINK, Faulty, administer, on_loop, sign, until

FAR: Final = """
[link.level.mega]
seed = "10000000.00"
must_hit_by = "90000000.00"
primary = "5%"
"""
NEAR: Final = """
[link.level.minor]
"""
ABOVE: Final = 10_000_000_000_000
# Bytes of a short trace: a shorter one is found in anything.
SHORTEST: Final = 5


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link also has a level that no test wins."""
    monkeypatch.setattr(running, "LINKS", running.LINKS.replace("[link.level.meter]", FAR + NEAR))


def triggers(config: Config) -> dict[str, Trigger]:
    """The running triggers, by level, as who has key and ledger knows them."""
    key = read_mystery_key(key_file(config))
    with closing(open_reader(config.ledger.url)) as ledger:
        return {row.which.level: unseal(key, row) for row in stored(ledger)}


def opened(config: Config) -> list[TriggerOpened]:
    """The triggers that wins have opened."""
    with closing(open_reader(config.ledger.url)) as ledger:
        rows = ledger.rows("main", 0, 1_000)
    found = []
    for row in rows:
        event = registry.decode(row.kind, row.version, row.body) if row.kind == Closed.kind else None
        for counted in event.counted if isinstance(event, Closed) else ():
            found += counted.opened
    return found


def of_bytes(data: bytes) -> Iterator[bytes]:
    yield data
    yield data.hex().encode()
    yield data.hex().upper().encode()
    yield b64encode(data)


def of_number(micros: int) -> Iterator[bytes]:
    """A sum as digits in micro-dollars, cents and dollars, as bytes of either order, hex, base64, a float."""
    cents = micros // 10_000
    for text in (
        f"{micros}", f"{micros:,}", f"{cents}", f"{cents:,}", f"{cents / 100:.2f}", f"{cents / 100:,.2f}",
        f"{micros / 1_000_000:.6f}", f"{micros:x}", f"{micros:X}", f"{cents:x}",
    ):  # fmt: skip
        yield text.encode()
    for number in (micros, cents):
        size = (number.bit_length() + 7) // 8
        for length in {size, 8}:
            for order in ("big", "little"):
                yield from of_bytes(number.to_bytes(length, order))
    for form in ("<d", ">d"):
        yield from of_bytes(struct.pack(form, micros / 1_000_000))


def traces(trigger: Trigger | TriggerOpened, above: int) -> set[bytes]:
    """The trigger, the number drawn for it, the last sum below it, and halves of salt and raw bytes."""
    found = set[bytes]()
    for micros in (trigger.value, trigger.value - above, trigger.value - above - 1, trigger.value - 1):
        found.update(of_number(micros))
    for data in (trigger.salt, trigger.raw):
        half = len(data) // 2
        for part in (data, data[:half], data[half:]):
            found.update(of_bytes(part))
    return {trace for trace in found if len(trace) >= SHORTEST}


def hits(said: Iterable[tuple[str, bytes]], wanted: set[bytes]) -> list[tuple[str, bytes]]:
    """Where one of them stands, and what it is."""
    return [(where, trace) for where, text in said for trace in wanted if trace in text]


async def play(place: Playing) -> None:
    """Wins of the near level, so that all that a win writes is written; the far one runs."""
    for _ in range(3):
        awards = await place.until_won()
        assert {award["level"] for award in awards} == {"minor"}


@asynccontextmanager
async def overheard(redis: RedisServer) -> AsyncIterator[list[tuple[str, bytes]]]:
    """Every command that Redis was sent, and every message on the bank's channel."""
    said: list[tuple[str, bytes]] = []

    async def hear(what: str, words: str) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", redis.port)
        writer.write(f"{words}\r\n".encode())
        ready.append(await reader.readline())
        try:
            while data := await reader.read(1 << 20):
                said.append((what, data))
        finally:
            writer.close()

    ready: list[bytes] = []
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(hear("commands", "MONITOR")),
            group.create_task(hear("channel", f"SSUBSCRIBE {keys_of('main')[2]}")),
        ]
        while len(ready) < len(tasks):  # noqa: ASYNC110 - Redis answers at once
            await asyncio.sleep(0)
        yield said
        for task in tasks:
            task.cancel()


async def kept(redis: RedisServer) -> list[tuple[str, bytes]]:
    """Every key with its value, as Redis dumps it and as it tells it."""
    found = []
    async with Redis.from_url(redis.url) as client:
        for key in await client.keys("*"):
            name, kind = bytes(key).decode(), bytes(await client.type(key)).decode()  # type: ignore[arg-type]  # bytes, as nothing is decoded
            ask: Any = {
                "hash": client.hgetall, "list": lambda name: client.lrange(name, 0, -1), "string": client.get,
                "stream": client.xrange,
            }[kind]  # fmt: skip
            value = await ask(key)
            parts = [*value.items()] if isinstance(value, dict) else value
            found += [(f"{kind} {name}", bytes(one)) for part in parts for one in _flat(part)]
            found.append((f"dump of {name}", bytes(await client.dump(key) or b"")))
    return found


def _flat(part: Any) -> Sequence[Any]:
    return part if isinstance(part, tuple) else (part,)


def joined(said: Sequence[tuple[str, bytes]], source: str) -> bytes:
    return b"".join(data for where, data in said if where == source)


def as_bytes(said: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """All of each source together; of what Redis escaped for a terminal also the bytes themselves."""
    whole: dict[str, bytes] = {}
    for where, data in said:
        whole[where] = whole.get(where, b"") + data
    escaped = codecs.escape_decode(whole["commands"])[0] if "commands" in whole else b""
    return [*whole.items(), ("commands, as they were sent", bytes(escaped))]


@pytest.mark.usefixtures("far")
@on_loop
async def test_redis_and_displays_are_told_nothing(redis: RedisServer, tmp_path: Path) -> None:
    """Y9: every command, key, value and message of Redis, and what a sign fed by it is told."""
    config = fed(floor(tmp_path), redis)
    async with (
        overheard(redis) as heard, playing(config) as place, signage(config) as hall,
    ):  # fmt: skip
        await until(lambda: hall.followers["main"].board.trusted)
        async with sign(hall) as shown:
            await play(place)
            meter = place.server.banks["main"].board.links[LINK].levels["mega"]
            await shown.hear(lambda one: str(meter) in repr(one))
            shows, sources = str(meter).encode(), ("commands", "channel")
            await until(lambda: all(shows in joined(heard, source) for source in sources))
            said = as_bytes([*heard, *await kept(redis)])
            said.append(("sign", repr(shown.heard).encode()))
    secret = (await asyncio.to_thread(triggers, config))["mega"]
    assert {where.partition(" ")[0] for where, _ in said} >= {"commands", "channel", "hash", "dump", "sign"}
    assert hits(said, traces(secret, ABOVE)) == []


async def of_database(config: Config, cluster: Postgres) -> list[tuple[str, bytes]]:
    """Every table as text, what each connection runs, the server's log, and all files with rows in them."""
    found: list[tuple[str, bytes]] = []
    connection = await asyncpg.connect(config.ledger.url)
    try:
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in tables:
            rows = await connection.fetch(f'SELECT t::text FROM "{name}" AS t')
            found += [(f"table {name}", row[0].encode()) for row in rows]
        queries = await connection.fetch("SELECT query FROM pg_stat_activity")
        found += [("activity", (row[0] or "").encode()) for row in queries]
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
    found += [
        (f"file {file.parent.name}", file.read_bytes())
        for folder in ("pg_wal", "base")
        for file in (cluster.data / folder).rglob("*")
        if file.is_file()
    ]
    return [*found, ("log", cluster.log.read_bytes())]


@pytest.mark.usefixtures("far")
@on_loop
async def test_a_database_and_its_logs_hold_nothing(tmp_path: Path) -> None:
    """Y9, Y12: tables, files, write-ahead log, statements that run, a log of each with its parameters."""
    everything = {
        "log_statement": "all",
        "log_parameter_max_length": "-1",
        "log_parameter_max_length_on_error": "-1",
    }
    with Postgres(tmp_path / "cluster", everything) as cluster:
        config = floor(tmp_path, cluster.create("ledger"))
        async with playing(config) as place:
            await play(place)
            said = await of_database(config, cluster)
        secret = (await asyncio.to_thread(triggers, config))["mega"]
        told = (await asyncio.to_thread(opened, config))[-1]
        # What was opened is found where it must be, so that the search is known to find.
        where = {place.partition(" ")[0] for place, _ in hits(said, traces(told, 10_000_000))}
        assert {"table", "file", "log"} <= where
        assert hits(said, traces(secret, ABOVE)) == []


class Refusing(Faulty):
    """A ledger behind which somebody reads each row, and refuses those that open a trigger.

    refuses: so many more.
    """

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.refuses = 0
        self.read: list[TriggerOpened] = []

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        won = [
            row
            for row in rows
            if row.triggers is not None and row.triggers.opened and row.kind == Closed.kind
        ]
        if won and self.refuses:
            self.refuses -= 1
            event = registry.decode(won[0].kind, won[0].version, won[0].body)
            assert isinstance(event, Closed)
            self.read += event.counted[0].opened
            raise DataRefused("a constraint")
        super().append(bank, epoch, seq_before, rows)


@on_loop
async def test_a_trigger_that_a_refused_row_showed_is_played_on_by_nobody(tmp_path: Path) -> None:
    """Y9: the link stops; once two people resume it the trigger is opened, and a fresh one decides."""
    config = floor(tmp_path)
    ledger = Refusing(config)
    ledger.refuses = 1
    async with playing(config, ledger) as place:
        while True:
            name = await place.lock()
            answer = await place.send(t="close", round=name)
            if answer["t"] == "nack":
                break
        assert answer["code"] == "internal"
        assert suspended(await administer(config, do="/links")) == ["internal"]
        known, *_ = ledger.read  # the round may have won again what it reseeded
        assert (await asyncio.to_thread(triggers, config))["meter"].value == known.value
        resumed = {"cause": "internal", "links": [LINK], "reason": "it was the database"}
        answer = await administer(config, do="resume", by="Ann", and_by="Bo", **resumed)
        assert answer["ok"], answer
        fresh = (await asyncio.to_thread(triggers, config))["meter"]
        assert fresh.salt != known.salt
        answer = await place.send(t="close", round=name)
        assert answer["t"] == "ack", answer
        won = answer.get("awards") or await place.until_won()
        assert 0 <= won[0]["amount"] * 10_000 - fresh.value < 500_000
    with closing(open_reader(config.ledger.url)) as reader:
        proved(reader)
        *_, (_, _, event) = events_of(reader, "main", TriggersRenewed.kind)
        assert isinstance(event, TriggersRenewed)
        shown = require(event.levels[0].opened, "the one that was read")
        assert astuple(shown) == astuple(known)
