"""What do operations see? One collector that reads the plain counts of each part when it is scraped.

Money leaves here in currency units, converted from whole micro-units at this edge and nowhere else. Meters
and counts of the books come from a state read at a durable point (S5); what the parts count themselves starts
at 0 with the process. Every label's values are bounded by the configuration, or by a list in the program.
deploy/METRICS.md says what each one means, and a test holds it complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import Any, Final, NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from jackpot.logs import lines_dropped
from jackpot.rules.acts.links import CONFIG_REASON, RESTORED
from jackpot.rules.acts.witness import BEHIND
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.refusal import CODES, NOT_APPLIED
from jackpot.server.alone import failures
from jackpot.server.histogram import Histogram

_MICRO_DIGITS: Final = -6
_MS: Final = 1000

# Why a link takes no wagers: its configuration is not its journal's, an invariant broke, a table has answers
# that the ledger lost. What people give as a reason is one of their own.
REASONS: Final = (CONFIG_REASON, "internal", BEHIND, RESTORED, "people")
STATUSES: Final = ("pending", "validated")
PAYERS: Final = ("cage", "inventory", "account")
# The level of awards that no meter pays: odds, envy and draws.
HOUSE: Final = "house"

_LEVEL_MONEY: Final = (
    ("meter", "primary", "The level's meter."),
    ("reserve", "reserve", "What waits for the level's next meter."),
    ("overflow", "overflow", "What rose above the level's limit."),
    ("house", "house", "House money put into the level: seeds, reseeds, make-goods, less returns."),
    ("contributions", "contributions", "Contributions to the level, net of what was undone."),
    ("wins", "wins", "Standing percentage awards of the level."),
)
_LEVEL_TERMS: Final = (
    ("seed", "seed", "What the level opened with."),
    ("reseed", "reseed", "What the house puts into the level after it was won."),
    ("limit", "limit", "The level's limit, infinite where it has none."),
)
_LEVEL_RATES: Final = (
    ("primary_rate_ratio", "primary_rate", "The part of each wager that goes onto the level's meter."),
    ("reserve_rate_ratio", "reserve_rate", "The part of each wager that goes onto the level's reserve."),
)
_LEVEL_COUNTS: Final = (
    ("wagers", ("wagers", "undone_wagers"), "Wagers accepted, those undone later included."),
    ("wagers_undone", ("undone_wagers",), "Wagers undone after they had been accepted."),
    ("hits", ("hits", "undone_hits"), "Percentage hits, those undone later included."),
    ("hits_undone", ("undone_hits",), "Percentage hits undone after they had been published."),
)
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
    ("listener_turned_out", "turned_out", "Strangers closed for others that came after them."),
)

Facts = Mapping[str, Any]
_Named = Sequence[tuple[str, str, str]]
_Samples = Iterable[tuple[Sequence[str], float]]
Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily | InfoMetricFamily


def registry(scrape: Collector) -> CollectorRegistry:
    """A registry for one scrape."""
    found = CollectorRegistry(auto_describe=False)
    found.register(scrape)
    ProcessCollector(registry=found)
    return found


class WayIn(NamedTuple):
    """devices, doors: `statistics()` of each role's devices and each listener. refused: requests, by code."""

    devices: Sequence[Facts]
    doors: Sequence[Facts]
    refused: Mapping[str, int]


class Scrape(Collector):
    """One look at everything.

    states: `views.statistics` of every bank, read where they were durable. banks, relays: `statistics()` of
    each writer and of each bank's way to Redis. way_in: who is connected. lag: seconds by which the event
    loop was late.
    """

    def __init__(
        self,
        build: Mapping[str, str],
        states: Sequence[Facts],
        banks: Sequence[Facts],
        way_in: WayIn,
        lag: Histogram,
        relays: Sequence[Facts] = (),
    ) -> None:
        self._build = build
        self._states = states
        self._banks = banks
        self._devices = way_in.devices
        self._way_in = way_in
        self._lag = lag
        self._relays = relays

    def collect(self) -> Iterator[Family]:
        """Every family, once."""
        yield from self._program()
        yield from self._links()
        yield from self._levels()
        yield from self._level_terms()
        yield from self._waiting()
        yield from self._tables()
        yield from self._connected()
        yield from self._bank_facts()
        yield from self._connections()
        yield from self._relayed()

    def _program(self) -> Iterator[Family]:
        yield InfoMetricFamily("jackpot_build", "The program that runs.", dict(self._build))
        loop = HistogramMetricFamily("jackpot_event_loop_lag_seconds", "How late the event loop was.")
        loop.add_metric([], self._lag.cumulative(), self._lag.sum)
        yield loop
        yield _counter(
            "peer_failures",
            "Peers that were broken off because handling them raised, by what they were.",
            ["kind"],
            (([kind], count) for kind, count in failures().items()),
        )
        yield _counter("log_lines_dropped", "Lines of the log that were lost.", [], [([], lines_dropped())])

    def _relayed(self) -> Iterator[Family]:
        yield from by_bank(_RELAY_GAUGES, _RELAY_COUNTERS, self._relays)

    def _links(self) -> Iterator[Family]:
        links = [link for state in self._states for link in state["links"]]
        shown = {link: active for bank in self._banks for link, active in bank["links"].items()}
        yield _gauge(
            "link_active",
            "1 where wagers are taken.",
            ["link"],
            (([link["link"]], shown.get(link["link"], False)) for link in links),
        )
        yield _gauge(
            "link_suspended",
            "1 for each reason in the journal why no wagers are taken.",
            ["link", "reason"],
            (
                ([link["link"], reason], reason in {_reason(given) for given in link["reasons"]})
                for link in links
                for reason in REASONS
            ),
        )
        yield _gauge(
            "awards_currency_units",
            "Standing awards of every kind, by who pays them.",
            ["link", "pays"],
            (
                ([link["link"], payer], _units(link["paid_by"].get(payer, 0)))
                for link in links
                for payer in PAYERS
            ),
        )

    def _levels(self) -> Iterator[Family]:
        labels = ["link", "level"]
        levels = self._each_level()
        for name, key, text in _LEVEL_MONEY:
            yield _gauge(
                f"{name}_currency_units", text, labels, ((at, _units(level[key])) for at, level in levels)
            )
        for name, keys, text in _LEVEL_COUNTS:
            yield _counter(
                name, text, labels, ((at, sum(level[key] for key in keys)) for at, level in levels)
            )
        yield _gauge(
            "cycle",
            "The level's cycle, one more at each reseed.",
            labels,
            ((a, b["cycle"]) for a, b in levels),
        )

    def _level_terms(self) -> Iterator[Family]:
        """What a level lives by: only people change it (S1)."""
        labels = ["link", "level"]
        levels = self._each_level()
        for name, key, text in _LEVEL_TERMS:
            sums = ((at, inf if level[key] is None else _units(level[key])) for at, level in levels)
            yield _gauge(f"{name}_currency_units", text, labels, sums)
        for name, key, text in _LEVEL_RATES:
            yield _gauge(name, text, labels, ((at, level[key] / BASIS_POINTS) for at, level in levels))

    def _each_level(self) -> list[tuple[list[str], Facts]]:
        """Every level with its labels."""
        return [
            ([link["link"], level["level"]], level)
            for state in self._states
            for link in state["links"]
            for level in link["levels"]
        ]

    def _waiting(self) -> Iterator[Family]:
        """Every group there can be, so that none appears with its first award and vanishes with its last."""
        awards, amounts, oldest = {}, {}, {}
        for link in (link for state in self._states for link in state["links"]):
            oldest[(link["link"],)] = 0.0
            for level in [*(level["level"] for level in link["levels"]), HOUSE]:
                for status in STATUSES:
                    awards[link["link"], level, status] = 0
                    amounts[link["link"], level, status] = 0
        for group in (group for state in self._states for group in state["waiting"]):
            at = group["link"], group["level"] or HOUSE, group["status"]
            awards[at] += group["awards"]
            amounts[at] += group["amount"]
            made, before = group["oldest"] / _MS, oldest[(group["link"],)]
            oldest[(group["link"],)] = min(made, before) if before else made
        labels = ["link", "level", "status"]
        yield _gauge("awards_waiting", "Awards that are not paid yet.", labels, awards.items())
        yield _gauge(
            "awards_waiting_currency_units",
            "The sum of the awards that are not paid yet.",
            labels,
            ((at, _units(amount)) for at, amount in amounts.items()),
        )
        yield _gauge(
            "oldest_waiting_timestamp_seconds",
            "When the oldest hit that is not paid was made, 0 if none waits.",
            ["link"],
            oldest.items(),
        )

    def _tables(self) -> Iterator[Family]:
        tables = [table for state in self._states for table in state["tables"]]
        behind = {table for state in self._states for table in state["behind"]}
        yield _counter(
            "table_rounds",
            "Rounds that the table has closed.",
            ["table"],
            (([table["table"]], table["rounds"]) for table in tables),
        )
        yield _counter(
            "table_wagers",
            "Wagers accepted from the table, those undone later included.",
            ["table", "link"],
            (([table["table"], link], count) for table in tables for link, count in table["wagers"].items()),
        )
        for name, text, those in (
            ("held", "1 while its cards must stay.", {at["table"] for at in tables if at["held"]}),
            (
                "chip_mismatch",
                "1 while its round waits for a chip count that agrees.",
                {at["table"] for at in tables if (at["round"] or {}).get("state") == "mismatch"},
            ),
            ("ahead_of_ledger", "1 while it has answers that the ledger has lost.", behind),
        ):
            yield _gauge(
                f"table_{name}", text, ["table"], (([at["table"]], at["table"] in those) for at in tables)
            )

    def _connected(self) -> Iterator[Family]:
        for part in self._devices:
            role = part["role"]
            for name, key, text in _DEVICE_GAUGES:
                yield _gauge(
                    f"{role}_{name}", text, [role], (([one["id"]], one[key]) for one in part["devices"])
                )

    def _bank_facts(self) -> Iterator[Family]:
        banks = [([bank["bank"]], bank) for bank in self._banks]
        yield from by_bank(_BANK_GAUGES, _BANK_COUNTERS, self._banks)
        for name, key, text in _BANK_HISTOGRAMS:
            family = HistogramMetricFamily(f"jackpot_{name}", text, labels=["bank"])
            for at, bank in banks:
                family.add_metric(at, bank[key].cumulative(), bank[key].sum)
            yield family
        yield _gauge(
            "queue_commands",
            "Commands and questions not answered yet, by what they wait for.",
            ["bank", "stage"],
            (([*at, stage], count) for at, bank in banks for stage, count in bank["queue"].items()),
        )
        yield _counter(
            "alarms",
            "Alarms raised since the start, by what they say.",
            ["bank", "code"],
            (([*at, code], count) for at, bank in banks for code, count in bank["alarms"].items()),
        )
        refusals = {
            (bank["bank"], code): count for bank in self._banks for code, count in bank["not_applied"].items()
        }
        for state in self._states:
            durable = state["refusals"]
            refusals |= {
                (state["bank"], code): durable.get(code, 0) for code in CODES if code not in NOT_APPLIED
            }
        text = "Frames of tables refused: durable ones over the ledger's life, the others since the start."
        yield _counter("refusals", text, ["bank", "code"], refusals.items())

    def _connections(self) -> Iterator[Family]:
        doors = [([door["listener"]], door) for door in self._way_in.doors]
        for name, key, text in _DOOR_GAUGES:
            yield _gauge(name, text, ["listener"], ((at, door[key]) for at, door in doors))
        for name, key, text in _DOOR_COUNTERS:
            yield _counter(name, text, ["listener"], ((at, door[key]) for at, door in doors))
        yield _counter(
            "http_refused",
            "Requests refused without a look at what they ask for.",
            ["code"],
            (([code], count) for code, count in self._way_in.refused.items()),
        )
        parts = [([part["role"]], part) for part in self._devices]
        for name, key, text in (
            ("connections", "connections", "Open connections, also of strangers."),
            ("connections_stalled", "stalled", "Connections not read while their bank's queue is full."),
            ("connections_unread_bytes", "unread_bytes", "Bytes that devices have been told and not read."),
        ):
            yield _gauge(name, text, ["role"], ((at, part[key]) for at, part in parts))
        yield _counter(
            "connections_closed",
            "Connections that ended, by the error that ended them.",
            ["role", "code"],
            (([*at, code], count) for at, part in parts for code, count in part["closed"].items()),
        )


def by_bank(gauges: _Named, counters: _Named, banks: Sequence[Facts]) -> Iterator[Family]:
    """Plain facts of each bank, by (name, key, help)."""
    labelled = [([bank["bank"]], bank) for bank in banks]
    for name, key, text in gauges:
        yield _gauge(name, text, ["bank"], ((at, bank[key]) for at, bank in labelled))
    for name, key, text in counters:
        yield _counter(name, text, ["bank"], ((at, bank[key]) for at, bank in labelled))


def _gauge(name: str, text: str, labels: list[str], samples: _Samples) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"jackpot_{name}", text, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family


def _counter(name: str, text: str, labels: list[str], samples: _Samples) -> CounterMetricFamily:
    family = CounterMetricFamily(f"jackpot_{name}", text, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family


def _reason(given: str) -> str:
    """A bounded label for a reason that may be anybody's text."""
    return given if given in REASONS else "people"


def _units(micros: int) -> float:
    """Currency units, exact in their shortest decimal form up to 9 billion."""
    return float(Decimal(micros).scaleb(_MICRO_DIGITS))
