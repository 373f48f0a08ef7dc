"""What do operations see? One collector that reads each part's plain counts when it is scraped.

Money leaves here in currency units, converted from whole micro-units at this edge and nowhere else. Meters
and counts come from a state read at a durable point (S5); the parts' own counts are plain integers.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from jackpot.server.devices import Devices
from jackpot.server.writer import Histogram, Writer

_MICRO_DIGITS: Final = -6
_Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily | InfoMetricFamily


def registry(
    build: Mapping[str, str],
    states: Iterable[Mapping[str, Any]],
    writers: Iterable[Writer],
    devices: Iterable[Devices],
) -> CollectorRegistry:
    """A registry for one scrape. states: `views.statistics` of every bank, read where they were durable."""
    found = CollectorRegistry(auto_describe=False)
    found.register(Scrape(build, list(states), list(writers), list(devices)))
    return found


class Scrape(Collector):
    """One look at everything."""

    def __init__(
        self,
        build: Mapping[str, str],
        states: list[Mapping[str, Any]],
        writers: list[Writer],
        devices: list[Devices],
    ) -> None:
        self._build = build
        self._states = states
        self._writers = writers
        self._devices = devices

    def collect(self) -> Iterator[_Family]:
        """Every family, once."""
        yield InfoMetricFamily("jackpot_build", "The program that runs.", dict(self._build))
        yield from self._levels()
        yield from self._tables()
        yield from self._banks()
        yield from self._connections()

    def _levels(self) -> Iterator[_Family]:
        links = [link for state in self._states for link in state["links"]]
        levels = [(link["link"], level) for link in links for level in link["levels"]]
        active = GaugeMetricFamily("jackpot_link_active", "1 where wagers are taken.", labels=["link"])
        for link in links:
            active.add_metric([link["link"]], float(link["state"] == "active"))
        yield active
        for name, key, text in (
            ("meter", "primary", "The level's meter"),
            ("reserve", "reserve", "What waits for the next meter"),
            ("overflow", "overflow", "What rose above the limit"),
            ("wins", "wins", "Standing percentage awards"),
        ):
            family = GaugeMetricFamily(
                f"jackpot_{name}_currency_units", f"{text}, in currency units.", labels=["link", "level"]
            )
            for link, level in levels:
                family.add_metric([link, level["level"]], _units(level[key]))
            yield family
        for name, keys, text in (
            ("wagers", ("wagers", "undone_wagers"), "Wagers accepted"),
            ("wagers_undone", ("undone_wagers",), "Wagers undone later"),
            ("hits", ("hits", "undone_hits"), "Percentage hits"),
            ("hits_undone", ("undone_hits",), "Percentage hits undone later"),
        ):
            counter = CounterMetricFamily(f"jackpot_{name}", f"{text}.", labels=["link", "level"])
            for link, level in levels:
                counter.add_metric([link, level["level"]], sum(level[key] for key in keys))
            yield counter

    def _tables(self) -> Iterator[_Family]:
        rounds = CounterMetricFamily("jackpot_rounds", "Rounds of a table.", labels=["table"])
        wagers = CounterMetricFamily(
            "jackpot_table_wagers", "Wagers accepted, undone ones included.", labels=["table", "link"]
        )
        held = GaugeMetricFamily("jackpot_table_held", "1 while its cards must stay.", labels=["table"])
        for table in [table for state in self._states for table in state["tables"]]:
            rounds.add_metric([table["table"]], table["rounds"])
            held.add_metric([table["table"]], float(bool(table["held"])))
            for link, count in table["wagers"].items():
                wagers.add_metric([table["table"], link], count)
        yield from (rounds, wagers, held)

    def _banks(self) -> Iterator[_Family]:
        awards = GaugeMetricFamily("jackpot_awards_waiting", "Awards by status.", labels=["bank", "status"])
        refusals = CounterMetricFamily("jackpot_refusals", "Durable refusals.", labels=["bank", "code"])
        for state in self._states:
            for status, count in state["hits"].items():
                awards.add_metric([state["bank"], status], count)
            for code, count in state["refusals"].items():
                refusals.add_metric([state["bank"], code], count)
        yield from (awards, refusals)
        active = GaugeMetricFamily("jackpot_active", "1 while it decides and is durable.", labels=["bank"])
        depth = GaugeMetricFamily("jackpot_queue_depth", "Commands not answered yet.", labels=["bank"])
        seq = GaugeMetricFamily("jackpot_durable_seq", "The last durable entry.", labels=["bank"])
        doubts = CounterMetricFamily("jackpot_commits_in_doubt", "Commits in doubt.", labels=["bank"])
        commits = HistogramMetricFamily("jackpot_commit_seconds", "Durable commits.", labels=["bank"])
        batches = HistogramMetricFamily("jackpot_batch_rows", "Rows a commit.", labels=["bank"])
        for writer in self._writers:
            bank = [writer.bank]
            active.add_metric(bank, float(writer.active))
            depth.add_metric(bank, writer.core.depth)
            seq.add_metric(bank, writer.core.durable_seq)
            doubts.add_metric(bank, writer.doubts)
            commits.add_metric(bank, _buckets(writer.commits), writer.commits.sum)
            batches.add_metric(bank, _buckets(writer.batches), writer.batches.sum)
        yield from (active, depth, seq, doubts, commits, batches)

    def _connections(self) -> Iterator[_Family]:
        connections = GaugeMetricFamily("jackpot_connections", "Open connections.", labels=["role"])
        online = GaugeMetricFamily("jackpot_devices_online", "Devices let in.", labels=["role"])
        closed = CounterMetricFamily("jackpot_connections_closed", "Why they ended.", labels=["role", "code"])
        for devices in self._devices:
            connections.add_metric([devices.role], len(devices.connections))
            online.add_metric([devices.role], len(devices.current))
            for code, count in devices.closed.items():
                closed.add_metric([devices.role, code], count)
        yield from (connections, online, closed)


def _units(micros: int) -> float:
    """Currency units, exact in their shortest decimal form up to 9 billion."""
    return float(Decimal(micros).scaleb(_MICRO_DIGITS))


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    total, buckets = 0, []
    for bound, count in zip((*histogram.bounds, "+Inf"), histogram.counts, strict=True):
        total += count
        buckets.append((str(bound), float(total)))
    return buckets
