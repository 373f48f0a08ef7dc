"""The bench measures a whole floor that waits and reconnects."""

from pathlib import Path

import msgspec

from jackpot.lab.bench.parts import SMALL, waiting


def test_a_floor_waits_and_comes_back(tmp_path: Path) -> None:
    """Bench: its memory and its part of a core, and how long it takes; each step is told as it begins."""
    said: list[str] = []
    sizes = msgspec.structs.replace(SMALL, tables=3, signs=2, seconds=0.2)
    found = waiting(tmp_path, sizes, said.append)
    (idle, nobody), (first, again) = found["idle"].rows.values(), found["crowd"].rows.values()
    assert idle["MiB"] > 0 <= idle["% of a core"]
    assert nobody["MiB"] > 0
    assert first["s"] > 0
    assert again["s"] > 0
    assert found["idle"].most == {"MiB": 1024, "% of a core": 15}
    assert [line.partition(":")[0] for line in said] == ["idle", "idle", "idle", "crowd"]
