"""A server watches the order of its links' levels by itself."""

from contextlib import closing
from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.rules.acts.level_order import LevelOrderChanged
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.registry import decode
from tests.bank.test_readings import ledger_of
from tests.running_server import LINK, configure, on_loop, until

TWENTY_THOUSAND = 20_000_000_000


@on_loop
async def test_levels_out_of_order_are_alarmed_and_not_again_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L12: a major that comes above its mega is alarmed without anybody asking, once."""
    monkeypatch.setattr("jackpot.bank.level_order.COMPARE_EVERY_S", 0.01)
    config = configure(tmp_path)
    async with Server(config) as server:
        bank = server.banks["main"]
        raised = CorrectMeter(LINK, "major", TWENTY_THOUSAND, "counted")
        assert (await bank.person(raised, ("Ann", "Bo"))).ok
        await until(lambda: bool(bank.sequencer.engine.state.alarms))
    async with Server(config) as server:
        bank = server.banks["main"]
        back = CorrectMeter(LINK, "major", -TWENTY_THOUSAND, "counted again")
        assert (await bank.person(back, ("Ann", "Bo"))).ok
        await until(lambda: not bank.sequencer.engine.state.links[0].out_of_order)
        ((kind, place),) = bank.sequencer.engine.state.alarms
        assert (kind, place) == ("levels_out_of_order", f"link {LINK}")
    with closing(ledger_of(config)) as ledger:
        events = [decode(row.kind, row.version, row.body) for row in ledger.rows("main", 0, 1_000)]
    assert [event.pairs != () for event in events if isinstance(event, LevelOrderChanged)] == [True, False]
