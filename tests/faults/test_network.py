"""The simulated network keeps what TCP promises, and breaks what TCP does not."""

from __future__ import annotations

from random import Random

from tests.faults.network import Timeline, Weather, Wire


def wire_of(
    timeline: Timeline, seed: int, weather: Weather | None = None
) -> tuple[Wire, list[bytes], list[str]]:
    """A wire whose server end keeps what arrives, and notes each end that it hears of."""
    wire = Wire(timeline, Random(seed), weather or Weather())
    got: list[bytes] = []
    ends: list[str] = []
    wire.server.receive, wire.server.ended = got.append, lambda: ends.append("server")
    wire.device.ended = lambda: ends.append("device")
    return wire, got, ends


def run(timeline: Timeline) -> None:
    while len(timeline):
        timeline.step()


def test_bytes_of_a_connection_keep_their_order() -> None:
    """WIRE, frames: TCP's order holds within a connection, in pieces of any size, and the end comes last."""
    for seed in range(20):
        timeline = Timeline()
        wire, got, ends = wire_of(timeline, seed, Weather(lag_chance=0.2))
        sent = [bytes([number]) * number for number in range(1, 60)]
        for data in sent:
            wire.device.send(data)
        wire.device.close()
        run(timeline)
        assert b"".join(got) == b"".join(sent)
        assert ends == ["server"]


def test_one_connection_overtakes_another() -> None:
    """T7: between tables there is no order but the server's."""
    orders = set()
    for seed in range(20):
        timeline = Timeline()
        random = Random(seed)
        arrived: list[bytes] = []
        for name in (b"1", b"2"):
            wire = Wire(timeline, random, Weather())
            wire.server.receive = arrived.append
            wire.device.send(name)
        run(timeline)
        orders.add(tuple(arrived))
    assert orders == {(b"1", b"2"), (b"2", b"1")}


def test_a_cut_loses_the_end_of_what_was_under_way() -> None:
    """WIRE, frames: a prefix arrives, cut at any byte, then both sides are told."""
    lengths = set()
    for seed in range(40):
        timeline = Timeline()
        wire, got, ends = wire_of(timeline, seed, Weather(split=1.0))
        for number in range(50):
            timeline.after(number * 0.001, lambda wire=wire: wire.device.send(b"0123456789"))  # type: ignore[misc]
        timeline.after(0.025, wire.cut)
        run(timeline)
        arrived = b"".join(got)
        assert (b"0123456789" * 50).startswith(arrived)
        assert sorted(ends) == ["device", "server"]
        lengths.add(len(arrived) % 10)
    assert len(lengths) > 3


def test_a_half_open_connection_tells_nobody() -> None:
    """S4: a side that is not told has only silence to notice it by."""
    timeline = Timeline()
    wire, got, ends = wire_of(timeline, 1)
    wire.cut(server_told=False)
    wire.device.send(b"lost")
    run(timeline)
    assert got == []
    assert ends == ["device"]
