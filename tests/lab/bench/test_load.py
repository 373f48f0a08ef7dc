"""The load generator counts what was answered, and ends at the first refusal."""

from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.config import Config
from jackpot.config import load as load_config
from jackpot.lab.bench.load import Job, LoadError, load, percentiles
from jackpot.lab.bench.servers import ServedFloor, furnish
from jackpot.lab.demo.house import SQLITE
from tests.running_server import configure, on_loop


def furnished(folder: Path) -> Config:
    """The bench's own floor, of two tables."""
    furnish(folder / "bench.toml", SQLITE, ServedFloor(2))
    return load_config(folder / "bench.toml")


def job(config: Config, server: Server, **facts: object) -> Job:
    keys = {name: key[0].hex() for (role, name), key in config.keys.items() if role == "table"}
    usual: dict[str, object] = {"kind": "table", "clients": len(keys), "seconds": 0.1, "warm": 0.0}
    return Job(**usual | {"port": server.ports["tables"], "keys": keys} | facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(("flight", "hands"), [(1, False), (8, True)])
def test_a_closed_load_leaves_no_round_open(tmp_path: Path, flight: int, hands: bool) -> None:
    """Bench: frames are answered one by one or eight at a time, and afterwards every round has ended."""

    @on_loop
    async def run() -> None:
        config = furnished(tmp_path)
        async with Server(config) as server:
            found = await load(job(config, server, flight=flight, hands=hands))
            assert found.frames > 0
            assert found.cpu > 0
            assert not found.latencies
            tables = await server.banks["main"].ask(lambda engine: engine.state.tables)
            assert [table.last_seq % 2 for table in tables] == [0, 0]
            assert all(table.rounds == table.last_seq // 2 > 0 for table in tables)

    run()


def test_an_open_load_times_every_wager(tmp_path: Path) -> None:
    """Bench: frames are sent when they are due; each wager's time is counted, its lateness apart."""

    @on_loop
    async def run() -> None:
        config = furnished(tmp_path)
        async with Server(config) as server:
            found = await load(job(config, server, rate=40.0, seconds=0.5))
            assert 0 < found.latencies["p50"] <= found.latencies["p99"] <= found.latencies["max"]
            assert found.late["p99"] >= 0

    run()


def test_a_refused_load_is_no_measurement(tmp_path: Path) -> None:
    """Bench: every frame must be accepted; a refusal ends it, and says which."""

    @on_loop
    async def run() -> None:
        config = configure(tmp_path)
        async with Server(config) as server:
            with pytest.raises(LoadError, match=r"T0[12]: unknown_link"):
                await load(job(config, server))

    run()


def test_percentiles_are_measured_values() -> None:
    """Nearest rank: no percentile is a time that nobody waited."""
    assert percentiles([3.0, 1.0, 2.0]) == {"p50": 2.0, "p90": 3.0, "p99": 3.0, "max": 3.0}
    assert percentiles([float(number) for number in range(1, 101)]) == {
        "p50": 50.0,
        "p90": 90.0,
        "p99": 99.0,
        "max": 100.0,
    }
    with pytest.raises(LoadError, match="nothing was measured"):
        percentiles([])
