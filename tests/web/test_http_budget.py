"""Processor time of HTTP is shared, and never refused; tables play on whatever strangers ask of the pages."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

import aiohttp
import pytest

from jackpot.app import Server
from jackpot.runtime.isolate import failures
from jackpot.web import http_budget
from jackpot.web.http_budget import (
    BURST_S,
    COMMON_RATE,
    DEBT_S,
    EXPECTED_S,
    LONG_WAIT_S,
    OWN,
    OWN_RATE,
    PAYERS_MAX,
    VOID_MAX,
    BudgetShare,
    HttpBudget,
)
from jackpot.web.http_connection import PARSED_AT_ONCE, READ_MAX, STREAM_HEARD_MAX, HttpConnections
from tests.running_server import StepClock, call, configure, ended, on_loop, table, until

FLOODED = "127.0.0.66"
HEAD = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"
SOCKET = (
    b"GET /ws/meters HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
# A masked text frame of one letter, as small as they come.
TEXT_FRAME = b"\x81\x81\0\0\0\0a"
SHARES = (BudgetShare.STRANGER, BudgetShare.PERSON)


class Ahead:
    """A fake clock and event loop: what is scheduled comes in its time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._later: list[tuple[float, Callable[[], None]]] = []

    def monotonic(self) -> float:
        return self.now

    def unix_ms(self) -> int:
        return int(self.now * 1000)

    def call_later(self, seconds: float, work: Callable[[], None]) -> None:
        self._later.append((self.now + seconds, work))

    def until(self, end: float) -> None:
        while due := min((one for one in self._later if one[0] <= end), default=None, key=lambda one: one[0]):
            self._later.remove(due)
            self.now = max(self.now, due[0])
            due[1]()
        self.now = end


def busy(clock: Ahead) -> HttpBudget:
    budget = HttpBudget(clock, clock.call_later)
    budget.tables_connected = True
    return budget


def demand(
    budget: HttpBudget, share: BudgetShare, key: str, cost: float, done: list[tuple[BudgetShare, str]]
) -> None:
    """A payer that asks again as soon as it was served, for ever."""
    payer = budget.payer(share, key)

    def served() -> None:
        done.append((share, key))
        budget.charge(payer, cost)
        if len(done) < 100_000:
            ask()

    def ask() -> None:
        budget._join(payer, served, budget._clock.monotonic())
        budget._schedule(budget._clock.monotonic())

    ask()


@pytest.mark.parametrize("cost", [0.0002, 0.003, 0.02])
def test_all_http_together_gets_a_quarter_of_a_core(cost: float) -> None:
    """However many ask, of whatever share: what they use in a minute is bounded."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    for share in BudgetShare:
        for number in range(7):
            demand(budget, share, f"{number}", cost, done)
    clock.until(60.0)
    used = sum(budget.used.values())
    allowed = 60.0 * (COMMON_RATE + OWN_RATE * len(OWN))
    assert COMMON_RATE + OWN_RATE * len(OWN) <= 0.25
    assert used <= allowed + (BURST_S + cost) * (1 + len(OWN))
    assert used >= 0.8 * 60.0 * COMMON_RATE  # what there is is given


@pytest.mark.parametrize("addresses", [1, 40])
def test_an_address_waits_for_its_own_flood(addresses: int) -> None:
    """The next one that comes waits for one turn of each address that floods, however often each asks."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    for number in range(addresses):
        for _connection in range(64):
            demand(budget, BudgetShare.STRANGER, f"flood {number}", 0.001, done)
    clock.until(10.0)
    times = [done.count((BudgetShare.STRANGER, f"flood {number}")) for number in range(addresses)]
    assert max(times) - min(times) <= 1
    before = len(done)
    demand(budget, BudgetShare.STRANGER, "honest", 0.001, done)
    clock.until(11.0)
    assert done.index((BudgetShare.STRANGER, "honest")) - before <= addresses


def test_people_and_strangers_have_halves() -> None:
    """One person that is signed in gets as much as all strangers of forty addresses."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    for number in range(40):
        demand(budget, BudgetShare.STRANGER, f"{number}", 0.001, done)
    demand(budget, BudgetShare.PERSON, "1", 0.001, done)
    clock.until(30.0)
    assert budget.used[BudgetShare.PERSON] == pytest.approx(budget.used[BudgetShare.STRANGER], rel=0.02)


@pytest.mark.parametrize("share", [share for share in BudgetShare if share in OWN])
def test_probes_scrapes_and_the_admin_socket_have_shares_of_their_own(share: BudgetShare) -> None:
    """While everything else is in debt, each of them is served at once."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    for other in SHARES:
        budget.charge(budget.payer(other, "deep in debt"), 10.0)
        demand(budget, other, "waits", 0.001, done)
    budget.turn(budget.payer(share, "1"), lambda: done.append((share, "1")))
    assert done == [(share, "1")]
    clock.until(DEBT_S / COMMON_RATE + 1.0)
    assert {one for one, _ in done} == {share, *SHARES}  # no debt keeps anybody out for longer


@pytest.mark.parametrize("flood", [BudgetShare.STRANGER, *(share for share in BudgetShare if share in OWN)])
def test_no_share_starves_another(flood: BudgetShare) -> None:
    """Misuse: forty addresses that ask for /readyz, or a page, leave a person half of what there is."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    for number in range(40):
        demand(budget, flood, f"{number}", 0.001, done)
    demand(budget, BudgetShare.PERSON, "1", 0.001, done)
    clock.until(30.0)
    assert budget.used[BudgetShare.PERSON] >= 0.45 * 30.0 * COMMON_RATE


@pytest.mark.parametrize("first", [BudgetShare.STRANGER, BudgetShare.PERSON, BudgetShare.PROBE])
def test_a_quiet_past_is_no_claim_and_a_busy_one_no_debt(first: BudgetShare) -> None:
    """What a share used while nobody else asked is not made up for later: from then on each has its half."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    budget = busy(clock)
    alone = budget.payer(first, "alone")
    for _ in range(2_000):
        clock.until(clock.now + 0.1)
        budget.turn(alone, lambda: budget.charge(alone, 0.001))
    for share in SHARES:
        demand(budget, share, "1", 0.001, done)
    clock.until(clock.now + 30.0)
    times = [sum(one is share for one, _ in done) for share in SHARES]
    assert times[0] == pytest.approx(times[1], rel=0.05)


@pytest.mark.parametrize("network", ["", "2001:db8:1::/48"])
@pytest.mark.parametrize("paid", [0.001, 0.02])
def test_newcomers_without_end_keep_nobody_waiting(network: str, paid: float) -> None:
    """Misuse: for each address that is served a new one comes. Who paid before does not wait for ever."""
    crowd, cost = 50, 0.001
    clock, done = Ahead(), list[float]()
    budget = busy(clock)
    names = count()

    def newcomer() -> None:
        payer = budget.payer(BudgetShare.STRANGER, f"{next(names)}", network)

        def served() -> None:
            budget.charge(payer, cost)
            newcomer()

        budget._join(payer, served, clock.now)
        budget._schedule(clock.now)

    for _ in range(crowd):
        newcomer()
    honest = budget.payer(BudgetShare.STRANGER, "honest", network)
    budget.charge(honest, paid)
    asked = clock.now
    budget.turn(honest, lambda: done.append(clock.now))
    clock.until(60.0)
    assert done
    turns = 2 * (crowd + 1) * cost / COMMON_RATE
    assert done[0] - asked <= LONG_WAIT_S + turns + paid / COMMON_RATE
    assert len(budget._queues[BudgetShare.STRANGER]._line._heap) <= 2 * crowd + VOID_MAX


def test_an_ipv6_network_is_no_crowd_of_payers() -> None:
    """Misuse: who has a /48 has 65,536 networks of a customer each, and gets no more than one customer."""
    clock, done = Ahead(), list[tuple[BudgetShare, str]]()
    visits = HttpConnections(clock)
    budget = visits.budget = busy(clock)
    crowd = [visits.stranger(f"2001:db8:1:{number:x}::1").key for number in range(40)]
    for key in (*crowd, visits.stranger("2001:db8:2:1::1").key):
        demand(budget, BudgetShare.STRANGER, key, 0.001, done)
    clock.until(30.0)
    served = [done.count((BudgetShare.STRANGER, key)) for key in crowd]
    assert max(served) - min(served) <= 1
    assert done.count((BudgetShare.STRANGER, "2001:db8:2:1::/64")) == pytest.approx(sum(served), rel=0.02)


def test_nobody_overtakes_those_that_wait() -> None:
    """One that comes at the moment when something is left again waits behind those that came before."""
    clock, done = Ahead(), list[str]()
    budget = busy(clock)
    budget.charge(budget.payer(BudgetShare.STRANGER, "past"), 2 * BURST_S)
    budget.turn(budget.payer(BudgetShare.PERSON, "1"), lambda: done.append("person"))
    clock.now += 1.0  # the loop is late: its timer has not come yet
    budget.turn(budget.payer(BudgetShare.STRANGER, "2"), lambda: done.append("stranger"))
    assert not done
    clock.until(2.0)
    assert done == ["person", "stranger"]


def test_nobody_waits_while_no_table_is_connected() -> None:
    """Nobody waits for the processor: a closed floor's reports take all of it."""
    clock, done = Ahead(), list[int]()
    budget = HttpBudget(clock, clock.call_later)
    payer = budget.payer(BudgetShare.STRANGER, "1")
    for number in range(100):
        budget.turn(payer, lambda number=number: done.append(number))  # type: ignore[misc]
        budget.charge(payer, 1.0)
    assert done == list(range(100))
    assert not budget.waiting


def test_payers_are_bounded() -> None:
    """Addresses without end are forgotten, and those that wait are not."""
    clock, done = Ahead(), list[int]()
    budget = busy(clock)
    waits = budget.payer(BudgetShare.STRANGER, "waits")
    budget.charge(waits, 1.0)
    budget.turn(waits, lambda: done.append(1))
    for number in range(2 * PAYERS_MAX):
        budget.payer(BudgetShare.STRANGER, f"{number}")
    assert len(budget._payers) <= PAYERS_MAX + 1
    clock.until(60.0)
    assert done == [1]


@on_loop
async def test_a_socket_that_talks_is_cut_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: a receiver of a stream that sends frames without end costs no more than its first bytes."""
    from aiohttp.web_protocol import RequestHandler

    parsed = 0
    feed = RequestHandler.data_received

    def counted(self: RequestHandler, data: bytes) -> None:
        nonlocal parsed
        parsed += len(data)
        feed(self, data)

    monkeypatch.setattr(RequestHandler, "data_received", counted)
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server, table(server) as device:
            for opening in (SOCKET, HEAD % b"/events/meters"):
                talks = call(stack, server.ports["http"], opening)
                await until(lambda: len(server._live.streams) == 1)
                before, cut = parsed, server.connections.refused["talking"]
                talks.setblocking(False)
                talks.send(TEXT_FRAME * 20_000)
                await until(lambda talks=talks: ended(talks))  # type: ignore[misc]
                assert server.connections.refused["talking"] == cut + 1
                assert parsed - before <= STREAM_HEARD_MAX
                await until(lambda: not server._live.streams)
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
    assert not any(failures().values())


@on_loop
async def test_what_came_with_the_head_of_a_stream_counts_too(tmp_path: Path) -> None:
    """Misuse: the same frames, sent before the server has answered."""
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server:
            talks = call(stack, server.ports["http"], SOCKET + TEXT_FRAME * 2_000)
            await until(lambda: ended(talks))
            assert server.connections.refused["talking"] == 1


@on_loop
async def test_a_socket_is_pinged_and_closed_as_the_standard_says(tmp_path: Path) -> None:
    """RFC 6455: a client that pings gets its pong, one that closes a close; pings for long are no talk."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, aiohttp.ClientSession() as session:
        async with session.ws_connect(f"http://127.0.0.1:{server.ports['http']}/ws/meters") as web:
            for _ in range(400):
                await web.ping(b"0123456789")
                clock.ahead_s += 1.0
                await asyncio.sleep(0)
            assert (await web.receive()).type is aiohttp.WSMsgType.TEXT
            await until(lambda: len(server._live.streams) == 1)
            await web.close()
            assert web.close_code == 1000
        assert not server.connections.refused["talking"]


@on_loop
async def test_a_flood_is_read_no_further_and_not_refused(tmp_path: Path) -> None:
    """Thousands of requests wait; a probe, a table and another address are answered before them."""
    lines = 200
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server, table(server) as device:
            port, budget = server.ports["http"], server.connections.budget
            await until(lambda: budget.tables_connected)
            budget.charge(budget.payer(BudgetShare.STRANGER, "past"), DEBT_S)
            flood = [call(stack, port, HEAD % b"/" * lines, FLOODED) for _ in range(16)]
            await until(lambda: budget.waiting >= 8)
            for path in (b"/readyz", b"/floor.json"):
                assert await answered(port, HEAD % path)
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
            assert budget.waiting >= 8
            assert all(len(one._unparsed) <= READ_MAX for one in server.connections.all)
            assert not any(server.connections.refused.values())
            one = flood.pop()
            for raw in flood:
                raw.close()
            budget.tables_connected = False
            assert await answers(one) == lines


@on_loop
async def test_endless_bodies_are_read_in_turns(tmp_path: Path) -> None:
    """Misuse: bodies that never end hold up no table, and no more of them is kept than one piece each."""
    head = b"POST /ops/sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    head += b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server, table(server) as device:
            await until(lambda: server.connections.budget.tables_connected)
            bodies = [call(stack, server.ports["http"], head, FLOODED) for _ in range(24)]
            for raw in bodies:
                raw.setblocking(False)
                raw.send(b"1\r\na\r\n" * 10_000)  # as much as the system takes
            for seq in range(1, 20):
                device.wager(seq, f"R{seq}", 1) if seq % 2 else device.say(
                    t="void", seq=seq, round=f"R{seq - 1}", reason="misdeal"
                )
                assert (await device.answer(seq))["t"] == "ack"
            assert all(len(one._unparsed) <= READ_MAX for one in server.connections.all)


@on_loop
async def test_blank_lines_without_end_are_turns_and_no_recursion(tmp_path: Path) -> None:
    """Misuse: the shortest pieces there are, in a head's place and in a body that nobody reads."""
    body = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 16000\r\n\r\n"
    async with Server(configure(tmp_path)) as server:
        port = server.ports["http"]
        assert await answered(port, b"\r\n\r\n" * 4_000 + HEAD % b"/readyz")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(body + b"\r\n\r\n" * 4_000)
        assert (await reader.readline()).split()[1] == b"404"
        writer.close()
    assert not any(failures().values())


@on_loop
async def test_a_scrape_serves_for_a_second(tmp_path: Path) -> None:
    """A second request for the metrics within a second gets the last answer again."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, aiohttp.ClientSession() as session:

        async def scraped() -> str:
            async with session.get(f"http://127.0.0.1:{server.ports['http']}/metrics") as answer:
                return await answer.text()

        first = await scraped()
        clock.ahead_s += 0.5
        assert await scraped() == first
        clock.ahead_s += 0.5
        assert await scraped() != first


@on_loop
async def test_a_proxy_s_clients_pay_for_themselves(tmp_path: Path) -> None:
    """Behind a named proxy the client that it names pays, and not the proxy or who the client says it is."""
    extra = 'proxies = ["127.0.0.1"]\nscrapers = ["127.0.0.7"]'
    async with Server(configure(tmp_path, extra=extra)) as server:
        budget, port = server.connections.budget, server.ports["http"]
        forwarded = b"\r\nX-Forwarded-For: 192.0.2.9\r\nX-Forwarded-For: 198.51.100.1, 192.0.2.7"
        assert await answered(port, b"GET / HTTP/1.1\r\nHost: localhost" + forwarded + b"\r\n\r\n")
        assert await answered(port, HEAD % b"/metrics", "127.0.0.7")
        payers = {
            (share, key)
            for share, key in budget._payers
            if share not in {BudgetShare.LISTENER, BudgetShare.ADMIN}
        }
        assert {
            (BudgetShare.PROXY, "127.0.0.1"),
            (BudgetShare.STRANGER, "192.0.2.7"),
            (BudgetShare.SCRAPER, "127.0.0.7"),
        } == payers
        assert all(budget.used[share] > 0 for share, _ in payers)


def test_requests_that_come_together_are_expected_to_cost_something() -> None:
    """Requests that are admitted in one moment are bounded by what each is expected to cost."""
    assert http_budget.EXPECTED_MIN_S <= EXPECTED_S <= BURST_S / 4
    assert PARSED_AT_ONCE <= READ_MAX


def readable(raw: socket.socket) -> bool:
    """Whether something has come, or the connection has ended."""
    with suppress(BlockingIOError):
        raw.recv(1, socket.MSG_PEEK)
        return True
    return False


async def answered(port: int, said: bytes, host: str = "127.0.0.1") -> bool:
    """Whether the connection gets the answer that it asked for."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
    writer.write(said)
    line = await reader.readline()
    writer.close()
    return line.split()[1] == b"200"


async def answers(raw: socket.socket) -> int:
    """Counts answers until no more come."""
    raw.setblocking(False)
    found = b""

    def counted() -> int:
        nonlocal found
        with suppress(BlockingIOError):
            found += raw.recv(1 << 20)
        return found.count(b"HTTP/1.1 200")

    await until(lambda: counted() >= 200)
    return counted()
