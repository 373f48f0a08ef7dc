"""Metrics of the process: its program, its banks at work, Redis, and connections.

Each part keeps plain counts, which are read when they are scraped; they start at 0 with the process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import InfoMetricFamily

from jackpot.bank.counts import AWARDS
from jackpot.bank.mystery_readiness import MysteryFile, MysteryReadiness
from jackpot.clock import Clock
from jackpot.logs import lines_dropped
from jackpot.rules.money import from_cents
from jackpot.runtime.histogram import Histogram
from jackpot.runtime.isolate import failures
from jackpot.web.http_budget import HttpBudget
from jackpot.web.metric_families import Facts, Family, by_bank, counter, gauge, histogram, registry, units

# Prometheus asks every few seconds; a listener of two servers of it, or a person who looks, every second.
SCRAPE_SERVES_S: Final = 1.0

_BANK_GAUGES: Final = (
    ("bank_active", "active", "1 while the bank decides and is durable."),
    ("bank_stopped", "stopped", "1 once the bank has stopped for good."),
    ("bank_standby", "standby", "1 while another server is seen to have the bank."),
    ("queue_limit", "queue_limit", "Commands in the queue at which tables are read no further."),
    ("durable_seq", "durable_seq", "The journal's last durable entry."),
    ("epoch", "epoch", "The epoch in which the bank is written."),
)
_BANK_COUNTERS: Final = (
    ("commands", "submitted", "Commands taken in."),
    ("commits_in_doubt", "doubts", "Commits of which it was unknown whether they are durable."),
    ("commits_slow", "slow_commits", "Commits that took so long that the links were suspended."),
    ("batches_refused", "batches_refused", "Batches whose data the database refused."),
)
_BANK_HISTOGRAMS: Final = (
    ("commit_seconds", "commits", "Duration of durable commits."),
    ("batch_rows", "batches", "Rows a durable commit."),
    ("wager_answer_seconds", "answers", "From taking in a wager to releasing its answer."),
)
_RELAY_GAUGES: Final = (("relay_up", "up", "1 while Redis takes what the bank shows."),)
_RELAY_COUNTERS: Final = (
    ("relay_published", "published", "Messages that Redis took."),
    ("relay_refused", "refused", "Messages that Redis refused: it held something newer."),
    ("relay_failures", "failures", "Attempts with a node of Redis that ended with an error."),
)
_SIGNED_GAUGES: Final = (
    ("signed_seq", "signed_seq", "The last entry of which a head was signed here."),
    ("signed_timestamp_seconds", "signed_at", "When a head of the bank was last signed here."),
)
_HEAD_GAUGES: Final = (
    ("heads_waiting", "waiting", "Signed heads that the destination has not taken yet."),
    ("heads_sent_timestamp_seconds", "sent_at", "When it last took one, 0 if not since the start."),
)
_HEAD_COUNTERS: Final = (
    ("heads_sent", "sent", "Signed heads that it took."),
    ("heads_failures", "failures", "Attempts to send one that failed."),
    ("heads_dropped", "dropped", "Signed heads that were given up for newer ones."),
)
_NOTICE_GAUGES: Final = (
    ("notices_waiting", "waiting", "Notices that were read and that the pagers' server has not taken yet."),
    ("notices_sent_timestamp_seconds", "sent_at", "When it last took one, 0 if not since the start."),
)
_NOTICE_COUNTERS: Final = (
    ("notices_sent", "sent", "Notices that it took."),
    ("notices_failures", "failures", "Attempts to send one that failed."),
    ("notices_dropped", "dropped", "Notices that were given up because the pagers' server refused them."),
)
_DEVICE_GAUGES: Final = (
    ("connected", "connected", "1 while it is connected and let in."),
    ("blocked", "blocked", "1 while two devices were found with its key and nobody has cleared it."),
    ("last_seen_timestamp_seconds", "heard", "When it was last heard, 0 if not since the start."),
)
_DOOR_GAUGES: Final = (
    ("listener_connections", "open", "Connections that were let in."),
    ("listener_waiting", "waiting", "Connections that wait to be let in."),
    ("listener_limit", "most", "How many there may be that count."),
)
_DOOR_COUNTERS: Final = (
    ("listener_refused", "refused", "Connections closed without a word."),
    ("listener_evicted", "evicted", "Strangers closed for others that came after them."),
)


class ConnectionStatistics(NamedTuple):
    """Statistics of connections.

    devices, listeners: `statistics()` of each role's devices and each listener. refused: requests, by code.
    http: processor time of HTTP.
    """

    devices: Sequence[Facts]
    listeners: Sequence[Facts]
    refused: Mapping[str, int]
    http: HttpBudget


class LastScrape:
    """The cached answer of /metrics, which serves for a second: more frequent scrapes cost nothing more."""

    def __init__(self, clock: Clock, collect: Callable[[], Awaitable[bytes]]) -> None:
        self._clock = clock
        self._collect = collect
        self._collecting = asyncio.Lock()
        self._body = b""
        self._made_at = -inf

    async def answer(self, _request: web.Request) -> web.Response:
        """GET /metrics: everything, in Prometheus' text form."""
        async with self._collecting:
            if self._clock.monotonic() - self._made_at >= SCRAPE_SERVES_S:
                self._body = await self._collect()
                self._made_at = self._clock.monotonic()
        return web.Response(body=self._body, headers={"Content-Type": CONTENT_TYPE_LATEST})


def exposition(families: Iterable[Family]) -> bytes:
    """Prometheus' text form of these families."""
    return generate_latest(registry(families))


def of_program(build: Mapping[str, str], lag: Histogram, now: float) -> Iterator[Family]:
    """The program. lag: seconds by which the event loop was late.

    now: unix seconds, by this machine's clock.
    """
    yield InfoMetricFamily("jackpot_build", "The program that runs.", dict(build))
    yield gauge("clock_timestamp_seconds", "The machine's clock at this scrape.", [], [([], now)])
    yield histogram("event_loop_lag_seconds", "How late the event loop was.", [], [([], lag)])
    yield counter(
        "peer_failures",
        "Peers that were broken off because handling them raised, by what they were.",
        ["kind"],
        (([kind], count) for kind, count in failures().items()),
    )
    yield counter("log_lines_dropped", "Lines of the log that were lost.", [], [([], lines_dropped())])


def of_encryption(ends: float | None) -> Iterator[Family]:
    """TLS. ends: of the certificate, unix seconds; None without one."""
    text = "When the certificate of the listeners ends."
    yield gauge("tls_certificate_expiry_timestamp_seconds", text, [], [] if ends is None else [([], ends)])


def of_keys(ends: Mapping[tuple[str, str], int]) -> Iterator[Family]:
    """Keys. ends: by role and device, when its key must be replaced, unix seconds."""
    text = "When the key is as old as the site lets keys become."
    yield gauge("key_expiry_timestamp_seconds", text, ["role", "device"], ends.items())


def of_timers(timers: Sequence[str], banks: Iterable[str]) -> Iterator[Family]:
    """Timers of the site. What they found they say themselves, in the file of a timer."""
    text = "1: the site has a timer that proves this bank, or its backup."
    wanted = [([bank, timer], 1) for bank in banks for timer in timers]
    yield gauge("timer_wanted", text, ["bank", "timer"], wanted)


def of_banks(statistics: Sequence[Facts]) -> Iterator[Family]:
    """Banks. statistics: of each one."""
    banks = [([bank["bank"]], bank) for bank in statistics]
    yield from by_bank(_BANK_GAUGES, _BANK_COUNTERS, statistics)
    for name, key, text in _BANK_HISTOGRAMS:
        yield histogram(name, text, ["bank"], ((at, bank[key]) for at, bank in banks))
    yield gauge(
        "queue_commands",
        "Commands and questions not answered yet, by what they wait for.",
        ["bank", "stage"],
        (([*at, stage], count) for at, bank in banks for stage, count in bank["queue"].items()),
    )
    yield counter(
        "alarms",
        "Alarms raised since the start, by what they say.",
        ["bank", "code"],
        (([*at, code], count) for at, bank in banks for code, count in bank["alarms"].items()),
    )


def of_awards(statistics: Sequence[Facts]) -> Iterator[Family]:
    """Awards, as they were decided: a later undo or correction takes nothing back."""
    yield counter(
        "awards_made_currency_units",
        "Awards made since the start, by kind.",
        ["link", "kind"],
        (
            ([link, kind], units(from_cents(bank["awards"].get((link, kind), 0))))
            for bank in statistics
            for link in bank["links"]
            for kind in AWARDS
        ),
    )


def of_chances(chances: Mapping[tuple[str, str], float]) -> Iterator[Family]:
    """Hit chances. chances: by link and level, that a wager wins a part of it."""
    text = "How often a wager wins the level, by the exact odds of its hands."
    yield gauge("hit_probability_ratio", text, ["link", "level"], chances.items())


def of_disk(disk: Sequence[tuple[int, int]]) -> Iterator[Family]:
    """Disk space. disk: bytes free and in all, if the ledger is a file."""
    for place, (name, text) in enumerate((("free", "Free bytes"), ("size", "All bytes"))):
        label = f"{text} of the disk that the ledger's file lies on."
        yield gauge(f"ledger_disk_{name}_bytes", label, [], (([], found[place]) for found in disk))


def of_standbys(count: int | None) -> Iterator[Family]:
    """Standbys. count: how many have every commit; None if none is meant to be there, or it is not known."""
    text = "Standbys of the database that have each commit before it is answered."
    yield gauge("ledger_standbys", text, [], [] if count is None else [([], count)])


def of_mystery(readiness: MysteryReadiness | None) -> Iterator[Family]:
    """Files of the mystery key. readiness: None without committed links."""
    text = "1 while this server could go on with committed mystery links by this file."
    faults = {} if readiness is None else readiness.faults
    files = () if readiness is None else MysteryFile
    yield gauge("mystery_file_usable", text, ["file"], (([file], file not in faults) for file in files))


def of_relays(statistics: Sequence[Facts]) -> Iterator[Family]:
    """Relays. statistics: of each bank's relay to Redis."""
    yield from by_bank(_RELAY_GAUGES, _RELAY_COUNTERS, statistics)


def of_heads(statistics: Sequence[Facts]) -> Iterator[Family]:
    """Signed heads. statistics: of the signer, if heads are signed."""
    yield from by_bank(_SIGNED_GAUGES, (), [bank for each in statistics for bank in each["banks"]])
    places = [([place["destination"]], place) for each in statistics for place in each["destinations"]]
    for name, key, text in _HEAD_GAUGES:
        yield gauge(name, text, ["destination"], ((at, place[key]) for at, place in places))
    for name, key, text in _HEAD_COUNTERS:
        yield counter(name, text, ["destination"], ((at, place[key]) for at, place in places))


def of_pagers(statistics: Sequence[Facts]) -> Iterator[Family]:
    """Notifier. statistics: of its outbox, if somebody is notified."""
    for name, key, text in _NOTICE_GAUGES:
        yield gauge(name, text, [], (([], each[key]) for each in statistics))
    for name, key, text in _NOTICE_COUNTERS:
        yield counter(name, text, [], (([], each[key]) for each in statistics))


def of_way_in(way_in: ConnectionStatistics) -> Iterator[Family]:
    """Connections, and those that were refused."""
    for part in way_in.devices:
        role = part["role"]
        for name, key, text in _DEVICE_GAUGES:
            yield gauge(f"{role}_{name}", text, [role], (([one["id"]], one[key]) for one in part["devices"]))
    listeners = [([listener["listener"]], listener) for listener in way_in.listeners]
    for name, key, text in _DOOR_GAUGES:
        yield gauge(name, text, ["listener"], ((at, listener[key]) for at, listener in listeners))
    for name, key, text in _DOOR_COUNTERS:
        yield counter(name, text, ["listener"], ((at, listener[key]) for at, listener in listeners))
    yield counter(
        "http_refused",
        "Requests refused without a look at what they ask for.",
        ["code"],
        (([code], count) for code, count in way_in.refused.items()),
    )
    yield counter(
        "http_processor_seconds",
        "Processor time that HTTP requests used.",
        ["share"],
        (([share.value], max(used, 0.0)) for share, used in way_in.http.used.items()),
    )
    yield gauge(
        "http_turns_waiting", "Requests that wait for processor time.", [], [([], way_in.http.waiting)]
    )
    parts = [([part["role"]], part) for part in way_in.devices]
    for name, key, text in (
        ("connections", "connections", "Open connections, also of strangers."),
        ("connections_stalled", "stalled", "Connections not read while their bank's queue is full."),
        ("connections_unread_bytes", "unread_bytes", "Bytes that devices have been told and not read."),
    ):
        yield gauge(name, text, ["role"], ((at, part[key]) for at, part in parts))
    yield counter(
        "connections_closed",
        "Connections that ended, by the error that ended them.",
        ["role", "code"],
        (([*at, code], count) for at, part in parts for code, count in part["closed"].items()),
    )
