"""How long is the way of one wager? What was reached may get shorter, and no longer."""

import asyncio
from pathlib import Path

from tests.server.way import trace

# What one accepted wager with its lock passes today: functions and files that are handed it, crossings, forms
FUNCTIONS_MOST = 30
FILES_MOST = 14
CROSSINGS_MOST = 17
FORMS_MOST = 3


def test_the_way_of_a_wager_is_no_longer_than_it_was(tmp_path: Path) -> None:
    """Design: one accepted wager passes few functions, files and forms."""
    way = asyncio.run(trace(tmp_path))
    assert len(way.functions) <= FUNCTIONS_MOST, way.functions
    assert len(way.files) <= FILES_MOST, way.files
    assert way.crossings <= CROSSINGS_MOST
    assert len(way.forms) <= FORMS_MOST, way.forms
    assert way.calls[0].function.endswith("data_received")
