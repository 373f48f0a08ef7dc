"""Shares of file descriptors."""

import resource
from pathlib import Path

import structlog

from jackpot.net.file_descriptors import (
    A_DEVICE,
    KEPT,
    KEPT_A_BANK,
    PACE,
    PACE_TLS,
    SHARE_MIN,
    STRANGERS_MAX,
    bounds,
    raise_limit,
)
from tests.running_server import configure
from tests.web.test_ciphertext import encrypted


def test_descriptors_are_shared_out(tmp_path: Path) -> None:
    """Descriptors: what tables and ledger need is kept; strangers share the rest, and the start says so."""
    config = configure(tmp_path, tables=10, signs=5)
    listeners = ("tables", "signs", "http")
    kept = KEPT + KEPT_A_BANK + A_DEVICE * 15
    with structlog.testing.capture_logs() as logs:
        wide = bounds(config, listeners, 65_536)
        narrow = bounds(config, listeners, 1_024)
        least = bounds(config, listeners, 100)
    assert wide["tables"].most == STRANGERS_MAX
    assert wide["http"].most == config.listen.http_connections
    assert sum(one.most for one in narrow.values()) <= 1_024 - kept
    assert all(one.of_address <= one.most for one in narrow.values())
    assert {one.most for one in least.values()} == {SHARE_MIN}
    assert [line["event"] for line in logs] == ["descriptors", *["descriptors", "descriptors_short"] * 2]


def test_a_large_floor_leaves_room_for_those_that_come_back(tmp_path: Path) -> None:
    """Descriptors: where two for each device are too many, one is kept, and strangers share the rest."""
    config = configure(tmp_path, tables=60, signs=6)
    limit = KEPT + 2 * KEPT_A_BANK + A_DEVICE * 66 + SHARE_MIN
    narrow = bounds(config, ("tables", "signs"), limit)
    assert [narrow[name].known for name in ("tables", "signs")] == [60, 6]
    assert sum(one.most for one in narrow.values()) == limit - KEPT - 2 * KEPT_A_BANK - 66
    wide = bounds(config, ("tables", "signs"), 65_536)
    assert wide["tables"].known == A_DEVICE * 60


def test_strangers_come_slower_where_each_costs_a_handshake(tmp_path: Path) -> None:
    """S4, misuse: at the devices' ports no handshakes of strangers take the processor from the tables."""
    listeners = ("tables", "signs")
    plain = bounds(configure(tmp_path), listeners, 65_536)
    assert {one.pace for one in plain.values()} == {PACE}
    config, _ = encrypted(tmp_path)
    assert {one.pace for one in bounds(config, listeners, 65_536).values()} == {PACE_TLS}


def test_the_soft_limit_is_raised() -> None:
    """Descriptors: what the system would allow is asked for."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
        assert raise_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 512
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
