"""The checker of outgoing frames rejects invalid ones, and the server sends none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgpack
import pytest

from controllers.frames import FRAME_MAX, LENGTH_BYTES, encode
from jackpot.app import Server
from tests.faults.difference import Difference
from tests.faults.speech import Ear, check_answer, checked
from tests.running_server import COUNTED, LINK, administer, configure, on_loop, sign, table

REFUND = {"seat": 1, "link": "five", "amount": 100, "pays": "inventory", "on": "dealer"}
NACK = {"t": "nack", "seq": 1, "code": "bad_message", "message": "seat: missing"}


@pytest.mark.parametrize(
    "message",
    [
        {"t": "link", "link": "five", "state": "active"},
        {"t": "ack", "seq": 0},
        {"t": "ack", "seq": 1, "more": 1},
        {"t": "ack", "seq": 1, "refunds": [REFUND | {"why": ""}]},
        {"t": "welcome", "session": "", "heartbeat_ms": 1, "links": [], "last": NACK | {"more": 1}},
        NACK | {"code": "never"},
        NACK | {"message": "x" * 257},
        {"t": "round"},
    ],
)
def test_what_is_no_message_of_the_schema(message: dict[str, Any]) -> None:
    """WIRE: a field too few or too many, at any depth, a value out of its range, a text too long."""
    with pytest.raises(Difference):
        checked(msgpack.packb(message))


def test_what_is_one() -> None:
    """WIRE: as the server says it."""
    ack = {"t": "ack", "seq": 1, "refunds": [REFUND], "left": {"A7": 3}}
    assert checked(msgpack.packb(ack)) == ack
    check_answer(NACK)


def test_lengths() -> None:
    """WIRE, frames: at most 65,536 bytes, before the welcome 4,096; an answer fits as it is decided."""
    with pytest.raises(Difference, match="frame"):
        Ear(lambda _message: None).listen((FRAME_MAX + 1).to_bytes(LENGTH_BYTES, "big"))
    with pytest.raises(Difference, match="stranger"):
        Ear(lambda _message: None).listen(
            encode({"t": "error", "code": "not_active", "message": "", "servers": ["x"] * 9_000})
        )
    with pytest.raises(Difference, match="no frame"):
        check_answer(NACK | {"hits": ["H1"] * FRAME_MAX})


@on_loop
async def test_what_goes_back_is_told_by_the_schema(tmp_path: Path) -> None:
    """WIRE, table commands, pushes: refunds of a void, and of a wager that people strike, name whose hand."""
    config = configure(tmp_path, links=COUNTED)
    async with Server(config) as server, table(server) as device, sign(server) as board:
        device.wager(1, "R1", 1, 2)
        device.say(t="void", seq=2, round="R1", reason="misdeal")
        assert (await device.answer(2))["refunds"][0]["on"] == "own"
        device.wager(3, "R2", 1, 2, lock=True, chips={LINK: 1})
        await device.answer(3)
        request = {"table": "T01", "round": "R2", "by": "Ann", "reason": "one chip"}
        assert (await administer(config, do="strike", seat=2, link=LINK, **request))["ok"]
        assert (await device.type("round"))["refunds"][0]["on"] == "own"
        await board.type("state")
        for message in device.heard + board.heard:
            checked(msgpack.packb(message))
