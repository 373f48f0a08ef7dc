"""Families of samples in Prometheus' form, of which metrics are made.

Money leaves here in currency units, converted from whole micro-units at this edge and nowhere else. Every
label's values are bounded by the configuration, or by a list in the program. deploy/METRICS.md says what each
one means, and a test holds it complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from jackpot.runtime.histogram import Histogram

_MICRO_DIGITS: Final = -6

Facts = Mapping[str, Any]
Named = Sequence[tuple[str, str, str]]
Samples = Iterable[tuple[Sequence[str], float]]
Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily | InfoMetricFamily


class _Scrape(Collector):
    """A collector for one scrape."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = families

    def collect(self) -> Iterator[Family]:
        """Every family, once."""
        yield from self._families


def registry(families: Iterable[Family]) -> CollectorRegistry:
    """A Prometheus registry for one scrape."""
    found = CollectorRegistry(auto_describe=False)
    found.register(_Scrape(families))
    ProcessCollector(registry=found)
    return found


def by_bank(gauges: Named, counters: Named, banks: Sequence[Facts]) -> Iterator[Family]:
    """Plain facts of each bank as families, by (name, key, help)."""
    labelled = [([bank["bank"]], bank) for bank in banks]
    for name, key, text in gauges:
        yield gauge(name, text, ["bank"], ((at, bank[key]) for at, bank in labelled))
    for name, key, text in counters:
        yield counter(name, text, ["bank"], ((at, bank[key]) for at, bank in labelled))


def gauge(name: str, text: str, labels: list[str], samples: Samples) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"jackpot_{name}", text, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family


def counter(name: str, text: str, labels: list[str], samples: Samples) -> CounterMetricFamily:
    family = CounterMetricFamily(f"jackpot_{name}", text, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family


def histogram(
    name: str, text: str, labels: list[str], samples: Iterable[tuple[Sequence[str], Histogram]]
) -> HistogramMetricFamily:
    """A histogram family of counts by size, and their sum."""
    family = HistogramMetricFamily(f"jackpot_{name}", text, labels=labels)
    for values, found in samples:
        family.add_metric(values, found.cumulative(), found.sum)
    return family


def units(micros: int) -> float:
    """Micro-units as currency units, exact in their shortest decimal form up to 9 billion."""
    return float(Decimal(micros).scaleb(_MICRO_DIGITS))
