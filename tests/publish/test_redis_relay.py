"""Redis never delays wagers, and no follower ever shows an older value."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import NoPermissionError, ResponseError

from controllers.answers import Hit, Status
from jackpot.app import Server
from jackpot.bank.lifecycle import LifecycleState
from jackpot.config import Config, load
from jackpot.lab.testing.postgres import EnginesMissing, free_port
from jackpot.lab.testing.redis import RedisServer, redis_program, valkey_program
from jackpot.publish.board import MeterBoard
from jackpot.publish.redis_follower import LATE_S, STALE_S, FollowedBoard, RedisFollower
from jackpot.publish.redis_relay import (
    EXPIRE_MS,
    HITS_MAX,
    OLDER,
    TAKEN,
    TOLD_MAX,
    WHOLE,
    RelayedLink,
    RelayedState,
    Rev,
    SignKeys,
    keys_of,
    offer,
    read,
)
from jackpot.runtime.service import Service
from jackpot.signage import SignageProcess
from tests.running_server import (
    LINK,
    StepClock,
    administer,
    configure,
    connected,
    on_loop,
    sign,
    table,
    until,
)

ROOT = Path(__file__).parent.parent.parent
FACE = RelayedLink(100, "pa-643a-five-card-C", {"mega": 1_000_000}, "active", "", "normal", ())
HALL = '[[signage]]\nid = "hall"\nsigns = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n'
HIT = Hit("H1", LINK, "mega", "royal-flush", "T01", 100, 1, "main", 1, 0)
PROGRAMS = {"redis": redis_program, "valkey": valkey_program}


@pytest.fixture(params=PROGRAMS)
def node(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    """An empty node of each implementation."""
    try:
        program = PROGRAMS[request.param]()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    with RedisServer(tmp_path / "node", program) as node:
        yield node


def said(rev: Rev, mega: int = 1_000_000, after: Rev | None = None) -> RelayedState:
    face = msgspec.structs.replace(FACE, levels={"mega": mega})
    whole = after is None
    return RelayedState(
        rev, after, True, {LINK: face}, SignKeys() if whole else None, [HIT] if whole else None
    )


def mega(board: MeterBoard) -> int | None:
    return board.links[LINK].levels.get("mega")


def fed(config: Config, *nodes: RedisServer) -> Config:
    """The same configuration with these nodes, and a signage process."""
    more = f"\n[redis]\nurl = {[node.url for node in nodes]}\n{HALL}"
    config.path.write_text(config.path.read_text() + more)
    return load(config.path)


@asynccontextmanager
async def following(config: Config, clock: StepClock, *nodes: RedisServer) -> AsyncIterator[RedisFollower]:
    """A follower of the bank, with nothing but Redis."""
    board = FollowedBoard("main", config.links, clock)
    follower = RedisFollower(board, [node.url for node in nodes], clock)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(follower.run())
        yield follower
        task.cancel()


@asynccontextmanager
async def signage(config: Config, clock: StepClock | None = None) -> AsyncIterator[SignageProcess]:
    async with SignageProcess(config, config.signage[0], clock) as process:
        yield process


@on_loop
async def test_the_script_refuses_what_is_older(node: RedisServer) -> None:
    """Relay: one script compares revisions, sets, expires in 15 s; a replaced server is refused."""
    async with Redis.from_url(node.url) as client:
        assert await offer(client, "main", said((2, 7, 1))) == TAKEN
        assert await offer(client, "main", said((2, 7, 1), 5)) == OLDER
        assert await offer(client, "main", said((2, 6, 9), 5)) == OLDER
        assert await offer(client, "main", said((1, 99, 99), 5)) == OLDER
        found = await read(client, "main")
        assert found is not None
        assert found[0] == said((2, 7, 1))
        assert 0 <= found[1] < 15
        assert await offer(client, "main", said((2, 8, 2), 5, after=(2, 7, 0))) == WHOLE
        assert await offer(client, "main", said((2, 8, 3), 6, after=(2, 7, 1))) == TAKEN
        assert await offer(client, "main", said((3, 1, 1), 7)) == TAKEN
        assert await offer(client, "empty", said((3, 2, 2), 8, after=(3, 1, 1))) == WHOLE
        found = await read(client, "main")
        assert found is not None
        assert found[0] == said((3, 1, 1), 7)
        for key in keys_of("main")[:2]:
            assert 0 < await client.pttl(key) <= EXPIRE_MS


@on_loop
async def test_a_follower_goes_only_forward(node: RedisServer, tmp_path: Path) -> None:
    """Signage: what is newer is applied, a gap reads the whole, an older value is never shown."""
    config, clock = configure(tmp_path), StepClock()
    async with Redis.from_url(node.url) as client:
        await offer(client, "main", said((2, 7, 1), 70))
        async with following(config, clock, node) as follower:
            board = follower.board
            await until(lambda: mega(board) == 70)
            await offer(client, "main", said((2, 8, 2), 80, after=(2, 7, 1)))
            await until(lambda: mega(board) == 80)
            assert follower.gaps == 0
            # A message that the follower is not sent, and one behind it.
            await client.hset(keys_of("main")[0], mapping={"seq": 9, "beat": 3})
            await offer(client, "main", said((2, 10, 4), 100, after=(2, 9, 3)))
            await until(lambda: mega(board) == 100)
            assert (follower.gaps, board.rev) == (1, 10)
            # Redis comes back empty, and the first to write is a server that was replaced.
            await client.flushall()
            assert await offer(client, "main", said((1, 99, 99), 5)) == TAKEN
            await until(lambda: follower.older == 1)
            assert await offer(client, "main", said((3, 10, 1), 110)) == TAKEN
            await until(lambda: mega(board) == 110)
            assert board.trusted


@on_loop
async def test_what_nobody_confirms_is_a_fault(redis: RedisServer, tmp_path: Path) -> None:
    """Signage: fault once the heartbeat is gone, also where Redis still holds the value."""
    config, clock = configure(tmp_path), StepClock()
    async with Redis.from_url(redis.url) as client, following(config, clock, redis) as follower:
        board = follower.board
        assert board.display(LINK).state == "fault"
        waits = follower.service
        assert waits is Service.SOON
        await offer(client, "main", said((1, 1, 1)))
        await until(lambda: board.trusted)
        assert board.display(LINK).state == "normal"
        assert follower.service is Service.HERE
        clock.ahead_s += STALE_S + 1
        follower.sweep()
        assert not board.trusted
        assert board.display(LINK).state == "fault"
        assert board.state(LINK) == ("suspended", "ledger")
        await offer(client, "main", said((1, 1, 2), after=(1, 1, 1)))
        await until(lambda: board.trusted)
        # A process that starts later knows from Redis how old the value is.
        await client.pexpire(keys_of("main")[0], EXPIRE_MS - int(STALE_S * 1000) - 1_000)
        async with following(config, clock, redis) as late:
            await until(lambda: mega(late.board) is not None)
            assert not late.board.trusted


@on_loop
async def test_the_clock_of_redis_makes_nothing_younger(redis: RedisServer, tmp_path: Path) -> None:
    """Signage: a replica whose clock is behind holds an old value for long, and calls it new."""
    config, clock = configure(tmp_path), StepClock()
    async with Redis.from_url(redis.url) as client, following(config, clock, redis) as follower:
        await offer(client, "main", said((1, 1, 1)))
        await until(lambda: follower.board.trusted)
        clock.ahead_s += STALE_S + 1
        for left_ms in (EXPIRE_MS, EXPIRE_MS + 3_600_000):
            await client.pexpire(keys_of("main")[0], left_ms)
            await follower._read(client)
            assert not follower.fresh
        async with following(config, clock, redis) as late:
            await until(lambda: mega(late.board) is not None)
            assert not late.board.trusted
            await offer(client, "main", said((1, 1, 2), after=(1, 1, 1)))
            await until(lambda: late.board.trusted and follower.board.trusted)


@on_loop
async def test_a_process_that_stood_still_does_not_believe_what_has_waited(
    redis: RedisServer, tmp_path: Path
) -> None:
    """Signage: what lay unread while a process was frozen may be old, and Redis knows how old."""
    config, clock = configure(tmp_path), StepClock()
    async with Redis.from_url(redis.url) as client, following(config, clock, redis) as follower:
        await offer(client, "main", said((1, 1, 1), 10))
        await until(lambda: follower.board.trusted)
        clock.ahead_s += EXPIRE_MS / 1000
        await offer(client, "main", said((1, 2, 2), 20, after=(1, 1, 1)))
        await client.delete(keys_of("main")[0])
        await until(lambda: follower.line.failures == 1)
        assert not follower.fresh
        assert mega(follower.board) == 10
        await offer(client, "main", said((1, 3, 3), 30))
        await until(lambda: mega(follower.board) == 30)
        assert follower.fresh


def test_a_line_that_is_too_thin_makes_nothing_younger(
    redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signage: messages that queued up on their way are old, however steadily they come; the whole board is
    read.
    """
    get, queue = PubSub.get_message, deque[Any]()

    async def late(self: PubSub, **how: Any) -> Any:
        message = await get(self, **how)
        if message is None or message["type"] != "smessage":
            return message
        queue.append(message)
        return queue.popleft() if len(queue) > LATE_S * 10 else None

    @on_loop
    async def run() -> None:
        config, clock = configure(tmp_path), StepClock()
        async with Redis.from_url(redis.url) as client, following(config, clock, redis) as follower:
            await offer(client, "main", said((1, 1, 1)))
            await until(lambda: follower.fresh)
            monkeypatch.setattr(PubSub, "get_message", late)
            seq = 1
            while follower.line.failures == 0:
                seq += 1
                clock.ahead_s += 0.1
                await offer(client, "main", said((1, seq, seq), seq))
                assert seq < 10_000
            await until(lambda: mega(follower.board) == seq)

    run()


@on_loop
async def test_a_false_message_ends_no_process(redis: RedisServer, tmp_path: Path) -> None:
    """Signage: what no server of ours would say is not taken, not even in part, and signs still come in."""
    config, huge = fed(configure(tmp_path), redis), 2**70
    true = msgspec.to_builtins(said((1, 2, 2), 20))
    face = true["links"][LINK]
    channel = keys_of("main")[2]
    async with Redis.from_url(redis.url) as client, signage(config) as process:
        follower = process.followers["main"]
        await offer(client, "main", said((1, 1, 1), 10))
        await until(lambda: follower.fresh)
        for change in (
            {"rev": [1, huge, 2]},
            {"links": {LINK: face | {"wager": huge}}},
            {"links": {LINK: face | {"levels": {"mega": huge}}}},
            {"links": {LINK: face | {"levels": {str(level): 1 for level in range(1_000)}}}},
            {"links": {LINK: face | {"levels": {"x" * 65: 1}}}},
            {"links": {LINK: face | {"levels": {"<b>": 1}}}},
            {"links": {LINK: face | {"paytable": "x" * 65}}},
            {"links": {LINK: face | {"reason": "x" * 70_000}}},
            {"links": {LINK: face | {"waiting": [{"amount": huge}]}}},
            {"hits": [{"t": "hit"}]},
            {"hits": [msgspec.to_builtins(HIT) | {"link": 1}]},
            {"told": [[LINK, {"t": "error", "hit": "H1"}]]},
        ):
            failures = follower.line.failures
            await client.spublish(channel, msgspec.json.encode(true | change))
            await until(lambda: follower.line.failures > failures and follower.line.up)  # noqa: B023
            assert (follower.rev, mega(follower.board)) == ((1, 1, 1), 10)
        await client.hset(keys_of("main")[0], "seq", huge)
        with pytest.raises(ValueError, match="int"):
            await read(client, "main")
        async with sign(process) as board:
            await board.type("meters")


@on_loop
async def test_a_redis_that_hangs_or_dies_holds_up_no_table(redis: RedisServer, tmp_path: Path) -> None:
    """DESIGN, beyond one machine: wagers never wait for it; only the newest board is kept; it recovers."""
    config = fed(configure(tmp_path), redis)
    async with Server(config) as server, table(server) as device, sign(server) as local:
        (relay,) = server.relays
        await until(lambda: relay.line.up)
        seq = 0
        for end, begin in ((redis.freeze, redis.thaw), (redis.kill, redis.start)):
            end()
            for _ in range(100):
                seq += 1
                device.wager(seq, "R1", 1)
                device.say(t="withdraw", seq=seq + 1, round="R1", bets=[{"seat": 1, "link": LINK}])
                seq += 1
            await device.answer(seq)
            rev = server.banks["main"].board.rev
            while (await local.type("meters"))["rev"] < rev:
                pass
            await until(lambda: not relay.line.up)
            published = relay.published
            for number in range(TOLD_MAX * 3):
                relay._tell(LINK, Status(f"H{number}", "paid"))
            assert len(relay._told) <= TOLD_MAX
            begin()
            await until(lambda: relay.line.up)
            assert relay.published <= published + 3
            async with Redis.from_url(redis.url) as client:
                found = await read(client, "main")
            assert found is not None
            assert found[0].rev[:2] == (relay._shown.epoch, rev)
            assert len(found[0].hits or ()) <= HITS_MAX


@on_loop
async def test_a_replica_takes_over(redis: RedisServer, tmp_path: Path) -> None:
    """Proof: the primary dies, its replica is promoted, publisher and followers go on there."""
    with RedisServer(tmp_path / "second", settings={"replicaof": f"127.0.0.1 {redis.port}"}) as second:
        config = fed(configure(tmp_path), redis, second)
        async with Server(config) as server, table(server) as device, signage(config) as process:
            board = process.followers["main"].board
            await until(lambda: board.trusted)
            redis.kill()
            await until(lambda: not server.relays[0].line.up)
            second.command("REPLICAOF", "NO", "ONE")
            device.wager(1, "R1", 1)
            await device.answer(1)
            await until(lambda: board.trusted and board.rev == server.banks["main"].board.rev)
            assert mega(board) == 1_000_009


CLUSTER = {"cluster-enabled": "yes", "cluster-node-timeout": "2000"}


@pytest.mark.usefixtures("redis_there")
@on_loop
async def test_a_cluster_says_where_a_bank_is(tmp_path: Path) -> None:
    """Relay: sharded channels where it is a cluster; a bank's keys and channel are one node's."""
    # Nodes talk to each other at ports that are free, too: their own plus 10,000 may be anybody's.
    buses = [str(free_port()) for _ in range(2)]
    with (
        RedisServer(tmp_path / "a", settings=CLUSTER | {"cluster-port": buses[0]}) as one,
        RedisServer(tmp_path / "b", settings=CLUSTER | {"cluster-port": buses[1]}) as two,
    ):
        slot = one.command("CLUSTER", "KEYSLOT", keys_of("main")[0])
        assert [one.command("CLUSTER", "KEYSLOT", key) for key in keys_of("main")] == [slot] * 3
        two.command("CLUSTER", "ADDSLOTSRANGE", slot, slot)
        if slot:
            one.command("CLUSTER", "ADDSLOTSRANGE", 0, slot - 1)
        one.command("CLUSTER", "ADDSLOTSRANGE", slot + 1, 16_383)
        two.command("CLUSTER", "SET-CONFIG-EPOCH", 2)
        one.command("CLUSTER", "MEET", "127.0.0.1", two.port, buses[1])
        for node in one, two:
            await _joined(node)
        config = fed(configure(tmp_path), one)
        async with Server(config) as server, signage(config) as process:
            await until(lambda: process.followers["main"].board.trusted)
            assert server.relays[0].line.node == f"127.0.0.1:{two.port}"


async def _joined(node: RedisServer) -> None:
    await until(lambda: b"cluster_state:ok" in node.command("CLUSTER", "INFO"))


@on_loop
async def test_what_signs_are_told_is_told_there_too(redis: RedisServer, tmp_path: Path) -> None:
    """S7, WIRE pushes: hits, statuses, states and suspensions come to signs of a signage process."""
    clock = StepClock()
    config = fed(configure(tmp_path), redis)
    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    jackpot = {"hit": "H1", "level": "mega", "table": "T01", "amount": 1_000_009}
    async with Server(config, clock) as server, table(server) as device, signage(config) as process:
        await until(lambda: process.followers["main"].board.trusted)
        async with sign(process) as far:
            device.wager(1, "R1", 1, lock=True)
            device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
            hit = await far.type("hit")
            assert (hit["hit"], hit["amount"]) == ("H1", 1_000_009)
            won = await far.hear(lambda message: message["t"] == "state" and message["state"] == "win")
            assert won["waiting"] == [jackpot]
            clock.ahead_s += 21
            await far.hear(lambda message: message["t"] == "state" and message["state"] == "pending")
            await administer(config, do="validate", by="Ann", hit="H1")
            await far.hear(lambda message: message["t"] == "status" and message["status"] == "validated")
            await administer(config, do="suspend", by="Ann", cause="operator", links=[LINK], reason="felt")
            told = await far.hear(lambda message: message["t"] == "link")
            assert (told["state"], told["reason"]) == server.banks["main"].board.state(LINK)
            assert told["state"] == "suspended"
        async with sign(process) as late:
            assert (await late.type("hit"))["hit"] == "H1"


@on_loop
async def test_a_revoked_key_opens_nothing_there_either(redis: RedisServer, tmp_path: Path) -> None:
    """DESIGN, what it must withstand: a stolen key is revocable, also where no ledger is."""
    config = fed(configure(tmp_path), redis)
    async with Server(config), signage(config) as process:
        await until(lambda: process.followers["main"].board.trusted)
        async with sign(process) as far:
            await administer(config, do="revoke", by="Ann", role="sign", device="S01")
            assert (await far.type("error"))["code"] == "auth_failed"
        async with connected(process.ports["signs"]) as again:
            await again.hello(config, "sign", "S01")
            assert (await again.type("error"))["code"] == "auth_failed"


@on_loop
async def test_the_rights_in_the_runbook_are_enough(redis: RedisServer, tmp_path: Path) -> None:
    """Deploy, many signs: the two users that deploy/README.md makes; a signage machine's can say nothing."""
    lines = (ROOT / "deploy" / "README.md").read_text().splitlines()
    for line in lines:
        if line.strip().startswith("ACL SETUSER"):
            redis.command(*line.split())
    writer, reader = (redis.url.replace("//", f"//{user}:PASSWORD@") for user in ("jackpot", "signage"))
    config = fed(configure(tmp_path), redis)
    async with (
        Server(msgspec.structs.replace(config, redis=(writer,))),
        signage(msgspec.structs.replace(config, redis=(reader,))) as process,
        Redis.from_url(reader) as client,
    ):
        await until(lambda: process.followers["main"].board.trusted)
        with pytest.raises(NoPermissionError):
            await client.hset(keys_of("main")[0], "trusted", "0")
        with pytest.raises(ResponseError):
            await offer(client, "main", said((9, 9, 9)))
        found = await read(client, "main")
        assert found is not None
        assert found[0].rev[0] == 2


@on_loop
async def test_doubt_and_a_stop_are_faults_there_at_once(redis: RedisServer, tmp_path: Path) -> None:
    """S4, S5: a ledger in doubt is told at once; a bank that stopped says nothing more, and then expires."""
    clock = StepClock()
    config = fed(configure(tmp_path), redis)
    async with Server(config) as server, signage(config, clock) as process:
        bank, follower = server.banks["main"], process.followers["main"]
        await until(lambda: follower.board.trusted)
        bank.lifecycle.state = LifecycleState.DOUBT
        await until(lambda: not follower.board.trusted)
        assert follower.fresh
        bank.lifecycle.state = LifecycleState.SERVING
        await until(lambda: follower.board.trusted)
        bank.lifecycle.state = LifecycleState.WATCHING
        seen = server.relays[0].published
        clock.ahead_s += STALE_S + 1
        await until(lambda: not follower.board.trusted)
        assert server.relays[0].published <= seen + 1
        bank.lifecycle.state = LifecycleState.SERVING
        await until(lambda: follower.board.trusted)
