"""Processor time budget of HTTP next to the tables: a token bucket, and fair queueing between payers.

All HTTP together gets a quarter of a core while a table is connected. What is asked of it waits for a turn:
connections before they are accepted, each piece of bytes before it is decrypted or parsed, each request
before it is handled. What a turn costs is charged to its payer, an address or, once known, a person. Among
those waiting the payer that has used least goes first, so one that floods waits for its own flood, and
nobody is refused. Networks divide a share before the payers of each divide their part, so that an IPv6
network is not as many payers as it has addresses. Who has waited for long has every second turn, so that
newcomers without end keep nobody waiting for ever. It does no I/O; the event loop calls `HttpBudget.run`.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable
from enum import Enum
from itertools import count
from typing import Any, Final, Generic, Protocol, TypeVar

from jackpot.clock import Clock

# Of one core, for people and strangers together. With the shares below it is a quarter of a core.
COMMON_RATE: Final = 0.17
# Of one core, for each share that has one of its own: a command, a probe and a scrape take some milliseconds,
# and none of them comes more often than once in some seconds. A listener accepts a hundred a second by it.
OWN_RATE: Final = 0.02
# Processor time that may be used at once after a pause: one page with all that it loads. A table waits no
# longer than this for HTTP, plus one step that is longer.
BURST_S: Final = 0.025
# Debt that is remembered. A single expensive read stops HTTP for a few seconds at most.
DEBT_S: Final = 0.5
# What is left when the next turn is given after a debt: less is not worth a look.
TURN_MIN_S: Final = 0.0001
# What a request is expected to cost before it is known, and the bounds of what it is expected to cost later.
EXPECTED_S: Final = 0.002
EXPECTED_MIN_S: Final = 0.0005
EXPECTED_MAX_S: Final = BURST_S
# Of the expectation, what the last request counts.
LEARNT: Final = 0.25
# Who has waited for longer than this has every second turn, in the order of waiting. Shorter waits are left
# to the fair order, which newcomers that ask for little pass through quickly.
LONG_WAIT_S: Final = 1.0
# Entries of a heap that may be void, besides as many as there are good ones: few, and seldom cleared.
VOID_MAX: Final = 64
# Payers, and networks, that are remembered: those that asked last. A forgotten one begins like a newcomer.
PAYERS_MAX: Final = 4_096


class BudgetShare(Enum):
    """Payers that divide processor time among each other. Some shares have a bucket of their own."""

    ADMIN = "admin"
    """The admin socket."""
    PROBE = "probe"
    """Requests for /readyz and /healthz."""
    SCRAPER = "scraper"
    """The addresses in [listen] scrapers."""
    PROXY = "proxy"
    """The addresses in [listen] proxies, until the head of a request names the client."""
    LISTENER = "listener"
    """Connections that are accepted, before their payers are known."""
    PERSON = "person"
    STRANGER = "stranger"


OWN: Final = frozenset({BudgetShare.ADMIN, BudgetShare.PROBE, BudgetShare.SCRAPER, BudgetShare.LISTENER})


class Bucket:
    """Token bucket of processor time in seconds; it grows by `rate` a second up to BURST_S."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._left = BURST_S
        self._at = now

    def left(self, now: float) -> float:
        self._left = min(self._left + max(now - self._at, 0.0) * self._rate, BURST_S)
        self._at = max(now, self._at)
        return self._left

    def take(self, seconds: float, now: float) -> None:
        """Uses some, or gives some back if `seconds` is below zero."""
        self._left = max(self.left(now) - seconds, -DEBT_S)

    def fill(self, now: float) -> None:
        self._at = now
        self._left = BURST_S

    def waits_s(self, now: float) -> float:
        """Seconds until there is something left."""
        left = self.left(now)
        return 0.0 if left > 0 else (TURN_MIN_S - left) / self._rate


class _Member(Protocol):
    """A member of a line. used: its processor time by the line's account, in seconds."""

    used: float


M = TypeVar("M", bound=_Member)


class _FairQueue(Generic[M]):
    """Members that wait for a turn. floor: what the member had used that was served last in the fair order.

    Turns go alternately to the member that has used least, and to the one that has waited longest, if that is
    longer than LONG_WAIT_S.
    """

    def __init__(self) -> None:
        self.floor = 0.0
        self._heap: list[tuple[float, int, M]] = []
        # Since when each waits, and its good entry in the heap; who has waited longest is the first.
        self._since: dict[M, tuple[float, int]] = {}
        self._order = count()
        self._longest_next = False

    def __bool__(self) -> bool:
        return bool(self._since)

    def lift(self, member: M) -> None:
        """Raises a returning member to the floor: it has no claim on the time in which it was idle."""
        member.used = max(member.used, self.floor)

    def join(self, member: M, now: float) -> None:
        """Enqueues a member."""
        number = next(self._order)
        self._since[member] = now, number
        heapq.heappush(self._heap, (member.used, number, member))

    def take(self, now: float) -> M:
        """Dequeues the member whose turn it is."""
        longest = next(iter(self._since))
        if self._longest_next and now - self._since[longest][0] >= LONG_WAIT_S:
            self._longest_next, taken = False, longest
        else:
            self._longest_next, taken = True, self._least_used()
            self.floor = max(self.floor, taken.used)
        del self._since[taken]
        if len(self._heap) > 2 * len(self._since) + VOID_MAX:
            self._heap = [(one.used, number, one) for one, (_, number) in self._since.items()]
            heapq.heapify(self._heap)
        return taken

    def _least_used(self) -> M:
        """The member that has used least. What it has used since it joined is counted."""
        while True:
            key, number, member = self._heap[0]
            if self._since.get(member, (0.0, -1))[1] != number:
                heapq.heappop(self._heap)
            elif member.used > key:
                heapq.heapreplace(self._heap, (member.used, number, member))
            else:
                heapq.heappop(self._heap)
                return member


class Payer:
    """One address, or one person, with the turns that it waits for.

    used: its processor time by the fair queue's account, in seconds. expected: what its requests cost.
    """

    __slots__ = ("expected", "key", "network", "network_key", "share", "used", "waiting")

    def __init__(self, share: BudgetShare, key: str, network: "Network", network_key: str) -> None:
        self.share = share
        self.key = key
        self.network = network
        self.network_key = network_key
        self.used = 0.0
        self.expected = EXPECTED_S
        self.waiting: deque[Callable[[], None]] = deque()


class Network:
    """Payers that divide one part among each other: those of one IPv6 network, else a single one."""

    __slots__ = ("line", "used")

    def __init__(self) -> None:
        self.used = 0.0
        self.line: _FairQueue[Payer] = _FairQueue()


class _Queue:
    """Waiting networks of one share, and in each its payers. used: of the common time, by all."""

    def __init__(self) -> None:
        self.used = 0.0
        self._line: _FairQueue[Network] = _FairQueue()

    def __bool__(self) -> bool:
        return bool(self._line)

    def lift(self, payer: Payer) -> None:
        """Raises a returning share: what it used before gives no claim."""
        self._line.lift(payer.network)
        payer.network.line.lift(payer)

    def join(self, payer: Payer, work: Callable[[], None], now: float) -> None:
        payer.waiting.append(work)
        if len(payer.waiting) > 1:
            return
        network, others = payer.network, bool(payer.network.line)
        network.line.lift(payer)
        network.line.join(payer, now)
        if not others:
            self._line.lift(network)
            self._line.join(network, now)

    def next(self, now: float) -> Callable[[], None]:
        """Dequeues the next turn."""
        network = self._line.take(now)
        payer = network.line.take(now)
        work = payer.waiting.popleft()
        if payer.waiting:
            network.line.join(payer, now)
        if network.line:
            self._line.join(network, now)
        return work


class HttpBudget:
    """The processor time of all HTTP connections of a process.

    tables_connected: whether a table is connected, for which HTTP waits. used: seconds so far, by share.
    call_later: the event loop's; `run` is called by it.
    """

    def __init__(
        self, clock: Clock, call_later: Callable[[float, Callable[[], None]], Any] | None = None
    ) -> None:
        now = clock.monotonic()
        self.tables_connected = False
        self.used = dict.fromkeys(BudgetShare, 0.0)
        self._clock = clock
        self._call_later = call_later
        self._common = Bucket(COMMON_RATE, now)
        self._own = {share: Bucket(OWN_RATE, now) for share in OWN}
        self._queues = {share: _Queue() for share in BudgetShare}
        # Those of the queues in which somebody waits.
        self._waiting: dict[BudgetShare, _Queue] = {}
        self._payers: dict[tuple[BudgetShare, str], Payer] = {}
        self._networks: dict[tuple[BudgetShare, str], Network] = {}
        self._scheduled = False
        self._working = False
        # What the share that was served last had used of the common time by then.
        self._served = 0.0

    @property
    def waiting(self) -> int:
        """How many turns are waited for."""
        return sum(len(payer.waiting) for payer in self._payers.values())

    def payer(self, share: BudgetShare, key: str, network: str = "") -> Payer:
        """The payer of that name, in the network of that name; "" for one of its own.

        Of too many, an idle one is forgotten.
        """
        place = share, network or key
        around = self._networks.pop(place, None) or Network()
        self._networks[place] = around
        if len(self._networks) > PAYERS_MAX:
            oldest_place = next(iter(self._networks))
            left = self._networks.pop(oldest_place)
            if left.line:
                self._networks[oldest_place] = left
        payer = self._payers.pop((share, key), None) or Payer(share, key, around, place[1])
        self._payers[share, key] = payer
        if len(self._payers) > PAYERS_MAX:
            oldest = next(iter(self._payers))
            forgotten = self._payers.pop(oldest)
            if forgotten.waiting:
                self._payers[oldest] = forgotten
        return payer

    def turn(self, payer: Payer, work: Callable[[], None]) -> None:
        """Calls `work`, and charges its cost, when it is the payer's turn.

        That is at once if nobody waits and something is left.
        """
        now = self._clock.monotonic()
        queue = self._queues[payer.share]
        own = self._own_left(payer.share, now) and payer.share not in self._waiting
        free = own or (self._allowed(payer.share, now) and not self._waiting)
        if free and not self._working:
            queue.lift(payer)
            if not own:
                self._serve(queue)
            self._work(work)
            return
        self._join(payer, work, now)
        self._schedule(now)

    def _join(self, payer: Payer, work: Callable[[], None], now: float) -> None:
        """Enqueues a turn. A share that was idle until now has no claim on the time that others had."""
        queue = self._queues[payer.share]
        if payer.share not in self._waiting:
            self._waiting[payer.share] = queue
            queue.used = max(queue.used, self._served)
        queue.join(payer, work, now)

    def charge(self, payer: Payer, seconds: float) -> None:
        """Charges so much processor time to the payer."""
        self.count(payer, seconds)
        self.take(payer, seconds)

    def count(self, payer: Payer, seconds: float) -> None:
        """Counts use of a payer, which `take` has taken or will take."""
        self.used[payer.share] += seconds

    def take(self, payer: Payer, seconds: float) -> Bucket:
        """Takes so much from the payer; the bucket that it was taken from."""
        now = self._clock.monotonic()
        own = self._own_left(payer.share, now)
        bucket = self._own[payer.share] if own else self._common
        self._account(payer, seconds, bucket, now)
        return bucket

    def give_back(self, payer: Payer, seconds: float, bucket: Bucket) -> None:
        """Returns what was taken too much, to the bucket that it was taken from."""
        self._account(payer, -seconds, bucket, self._clock.monotonic())

    def _account(self, payer: Payer, seconds: float, bucket: Bucket, now: float) -> None:
        payer.used += seconds
        payer.network.used += seconds
        if bucket is self._common:
            self._queues[payer.share].used += seconds
        bucket.take(seconds, now)

    def run(self) -> None:
        """Gives one turn, and is scheduled for the next: what the tables sent meanwhile is answered first."""
        self._scheduled = False
        now = self._clock.monotonic()
        among = [share for share in self._waiting if self._allowed(share, now)]
        if among:
            share = min(among, key=lambda one: (not self._own_left(one, now), self._queues[one].used))
            queue = self._queues[share]
            if not self._own_left(share, now):
                self._serve(queue)
            work = queue.next(now)
            if not queue:
                del self._waiting[share]
            try:
                self._work(work)
            finally:
                self._schedule(now)
        else:
            self._schedule(now)

    def _work(self, work: Callable[[], None]) -> None:
        """Works one turn.

        What it asks for itself waits for the next one: turns within turns would never end.
        """
        self._working = True
        try:
            work()
        finally:
            self._working = False

    def _serve(self, queue: _Queue) -> None:
        """Serves a turn of the common time: a share that was idle meanwhile has no claim on it later."""
        queue.used = self._served = max(self._served, queue.used)

    def _allowed(self, share: BudgetShare, now: float) -> bool:
        if not self.tables_connected:
            self._common.fill(now)
            return True
        return self._common.left(now) > 0 or self._own_left(share, now)

    def _own_left(self, share: BudgetShare, now: float) -> bool:
        """Whether something is left in that share's own bucket."""
        own = self._own.get(share)
        return own is not None and own.left(now) > 0

    def _schedule(self, now: float) -> None:
        if self._scheduled:
            return
        if self._waiting:
            self._scheduled = True
            call_later = self._call_later or asyncio.get_running_loop().call_later
            call_later(min(self._waits_s(share, now) for share in self._waiting), self.run)

    def _waits_s(self, share: BudgetShare, now: float) -> float:
        if not self.tables_connected:
            return 0.0
        common, own = self._common.waits_s(now), self._own.get(share)
        return common if own is None else min(common, own.waits_s(now))
