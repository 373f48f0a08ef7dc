"""Capacity planning: servers and database clusters for a casino, a state, the world, as measured.

    python -m jackpot.lab.testing.placement    the table of deploy/SCALE.md

A bank is the unit: one order of events, one writer, one process that its tables talk to. Banks are placed one
after the other on the server, and on the cluster, that has the least to do and has room; a new one is opened
where none has. What a bank alone needs more of than a process has no placement helps: it is said which limit.
"""

import heapq
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final, NamedTuple

from jackpot.text import counted


class UnitCost(NamedTuple):
    """Measured costs, on two cores shared by server, database and load; deploy/SCALE.md says how.

    Seconds of a core: frame, of a frame, half of them with seven hands; shown, of a value shown to a watcher;
    idle, of a second of a connection that says nothing. row_bytes: on the disk, with hands, indexes included.
    cluster_frames: rows a second that a PostgreSQL cluster makes durable.
    """

    frame: float = 160e-6
    shown: float = 20e-6
    idle: float = 9e-6
    row_bytes: int = 225
    cluster_frames: int = 9_600


# A process decides on one core. What is above half of it at the peak is kept for a takeover: two such servers
# fit into one for as long as the other is mended.
CORE_MAX: Final = 0.5
# The same for a database cluster.
CLUSTER_MAX: Final = 0.5
# Devices of one process: of 65,536 descriptors two are kept for each, besides those not authenticated yet.
DEVICES_MAX: Final = 20_000
# Signs of one signage process: half a core at ten values a second to each.
SIGNS_A_PROCESS: Final = 2_500
# Banks of one server: a lease beats at 0.6 s, and 16 descriptors are kept for each.
BANKS_MAX: Final = 64
# Values a second to a table while meters move all the time.
TABLE_VALUES: Final = 2
# Ratio of the peak to the average hour; at the peak a link is nearly won.
PEAK: Final = 3
MINUTE_S: Final = 60
YEAR_S: Final = 365 * 86_400


class Casino(NamedTuple):
    """Size of a casino. rounds: of a table a minute, of two frames each."""

    tables: int = 200
    signs: int = 40
    rounds: float = 1.0


class PlacedBank(NamedTuple):
    """A bank to place.

    frames: a second at the peak. tables: connected to it; signs are fed by other processes.
    """

    frames: float
    tables: int
    signs: int

    def cores(self, unit: UnitCost) -> float:
        """Cores of the process that holds it, at the peak."""
        return self.frames * unit.frame + self.tables * (TABLE_VALUES * unit.shown + unit.idle)


class PlacedServer(NamedTuple):
    """Result of a plan. limits: a sentence for each bank that no server, or no cluster, can hold."""

    name: str
    banks: int
    tables: int
    frames: float
    servers: int
    clusters: int
    signage: int
    terabytes_a_year: float
    limits: list[str]


def bank_of(casinos: int, casino: Casino) -> PlacedBank:
    """The bank of the links shared by so many casinos."""
    tables = casinos * casino.tables
    return PlacedBank(PEAK * tables * casino.rounds * 2 / MINUTE_S, tables, casinos * casino.signs)


def place(name: str, banks: Sequence[PlacedBank], unit: UnitCost) -> PlacedServer:
    """Places the largest first where there is the most room."""
    limits = sorted({limit for bank in set(banks) for limit in limits_of(bank, unit)})
    frames = sum(bank.frames for bank in banks)
    cores = _filled([bank.cores(unit) for bank in banks], CORE_MAX)
    clusters = _filled([bank.frames for bank in banks], CLUSTER_MAX * unit.cluster_frames)
    devices = _filled([bank.tables for bank in banks], DEVICES_MAX)
    bytes_a_year = frames / PEAK * YEAR_S * unit.row_bytes
    return PlacedServer(
        name,
        len(banks),
        sum(bank.tables for bank in banks),
        frames,
        max(cores, devices, ceil(len(banks) / BANKS_MAX)),
        clusters,
        ceil(sum(bank.signs for bank in banks) / SIGNS_A_PROCESS),
        bytes_a_year / 1e12,
        limits,
    )


def limits_of(bank: PlacedBank, unit: UnitCost) -> Iterator[str]:
    """Why one process, or one cluster, cannot hold the bank; nothing where they can."""
    if (cores := bank.cores(unit)) > 1:
        decided, shown = bank.frames * unit.frame, bank.tables * TABLE_VALUES * unit.shown
        yield (
            f"{cores:.1f} cores, and a bank has one: {decided:.1f} to decide its frames, {shown:.1f} to show "
            "its tables their meters"
        )
    if bank.tables > DEVICES_MAX:
        yield f"{bank.tables:,} tables, and a process has descriptors for {DEVICES_MAX:,}"
    if bank.frames > unit.cluster_frames:
        yield f"{bank.frames:,.0f} rows/s, and a cluster writes {unit.cluster_frames:,}"


def _filled(needs: Sequence[float], most: float) -> int:
    """Number of bins of that size that hold all needs, the largest first, each into the least filled."""
    places: list[float] = []
    for need in sorted(needs, reverse=True):
        if places and places[0] + need <= most:
            heapq.heapreplace(places, places[0] + need)
        else:
            heapq.heappush(places, need)
    return len(places)


def most_tables(casino: Casino, unit: UnitCost) -> int:
    """Maximum number of tables of one bank, at the peak, on one process."""
    each = bank_of(1, casino)
    return int(
        min(casino.tables / each.cores(unit), DEVICES_MAX, unit.cluster_frames / each.frames * casino.tables)
    )


PLANS: Final = (1, 100, 10_000)


def plans(casino: Casino, unit: UnitCost) -> Iterator[PlacedServer]:
    """Plans of casinos with links of their own, and with one link that all of them share."""
    for count in PLANS:
        yield place(f"{counted(count, 'casino')}, links of their own", [bank_of(1, casino)] * count, unit)
        if count > 1:
            yield place(f"one link of {count:,} casinos", [bank_of(count, casino)], unit)


def lines(casino: Casino, unit: UnitCost) -> Iterator[str]:
    """The plans as Markdown."""
    yield "| | banks | tables | frames/s at the peak | servers | clusters | signage | TB a year |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    said = []
    for plan in plans(casino, unit):
        placed = ("-", "-") if plan.limits else (f"{plan.servers:,}", f"{plan.clusters:,}")
        figures = f"{plan.banks:,}", f"{plan.tables:,}", f"{plan.frames:,.0f}", *placed, f"{plan.signage:,}"
        yield f"| {plan.name} | {' | '.join(figures)} | {plan.terabytes_a_year:,.2f} |"
        said += [f"- {plan.name}: {limit}" for limit in plan.limits]
    yield ""
    yield from said
    yield f"- the most tables of one bank: {most_tables(casino, unit):,}"


if __name__ == "__main__":
    for line in lines(Casino(), UnitCost()):
        print(line)
