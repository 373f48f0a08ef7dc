"""The simulated Redis runs the two scripts exactly as a real one does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from redis import Redis

from controllers.answers import Hit
from jackpot.lab.testing.postgres import EnginesMissing
from jackpot.lab.testing.redis import RedisServer, redis_program
from jackpot.publish import redis_relay
from jackpot.publish.redis_relay import EXPIRE_MS, RelayedLink, RelayedState, Rev, SignKeys, keys_of
from tests.faults.network import Timeline
from tests.faults.relays import FalseRedis

FACE = RelayedLink(100, "pa-643a-five-card-C", {"mega": 1}, "active", "", "normal", ())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Redis]:
    try:
        redis_program()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    with RedisServer(tmp_path / "redis") as node, Redis.from_url(node.url) as client:
        yield client


def message(random: Random, before: Rev) -> RelayedState:
    """A random message: in sequence or not, whole or not, newer or older."""
    rev: Rev = tuple(max(part + random.choice([-1, 0, 0, 1, 9]), 0) for part in before)  # type: ignore[assignment]
    whole = random.random() < 0.3
    wrong = random.random() < 0.2
    names = random.sample(["one", "two", "three"], random.randint(0, 3))
    hits = [
        Hit(f"H{number}", "one", "mega", "flush", "T01", 100, 1, "main", 1, 0)
        for number in range(random.randint(0, 3))
    ]
    return RelayedState(
        rev,
        None if whole else (before[0], before[1], before[2] + wrong),
        random.random() < 0.8,
        {name: msgspec.structs.replace(FACE, levels={"mega": random.randrange(99)}) for name in names},
        SignKeys(blocked=["S1"]) if whole or random.random() < 0.2 else None,
        hits if whole or random.random() < 0.3 else None,
    )


def test_the_false_node_does_what_a_real_one_does(client: Redis) -> None:
    """DESIGN, signage: the same answers, contents and messages, whatever is said to it, in any order."""
    random, timeline = Random(1), Timeline()
    false = FalseRedis(timeline)
    names = [name.encode() for name in keys_of("main")]
    before: Rev = (1, 1, 1)
    answers = set()
    for _ in range(400):
        if random.random() < 0.02:
            client.delete(*names[:2])
            timeline.now += EXPIRE_MS / 1000
        said = message(random, before)
        values: list[Any] = redis_relay._arguments(said)
        wire = [value if isinstance(value, bytes) else str(value).encode() for value in values]
        heard: list[bytes] = []
        false.connections = [Listener(heard)]  # type: ignore[list-item]
        answer = client.eval(redis_relay._SCRIPT, 3, *names, *values)
        assert false.execute(redis_relay._SCRIPT, names, wire) == answer
        real: Any = client.eval(redis_relay._READ, 2, *names[:2])
        mine = false.execute(redis_relay._READ, names[:2], [])
        assert dict(zip(mine[0][::2], mine[0][1::2], strict=True)) == client.hgetall(names[0])
        assert mine[1] == real[1]
        assert heard == [wire[5]] * (answer == redis_relay.TAKEN)
        if answer == redis_relay.TAKEN:
            before = said.rev
        answers.add(answer)
    assert answers == {redis_relay.TAKEN, redis_relay.OLDER, redis_relay.WHOLE}


class Listener:
    """A connection that keeps what is published."""

    def __init__(self, heard: list[bytes]) -> None:
        self._heard = heard

    def publish(self, _channel: bytes, data: bytes) -> None:
        self._heard.append(data)
