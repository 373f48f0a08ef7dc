"""A table's own count survives the table."""

from pathlib import Path

from jackpot.lab.demo.own_count import OwnCount


def test_a_count_is_kept_over_a_restart(tmp_path: Path) -> None:
    """S6, B3: counts and sums are for the table's lifetime, and know the last round that is in them."""
    first = OwnCount(tmp_path / "T01.json")
    first.accepted("R1", ["floor-five", "floor-five", "floor-three"])
    first.accepted("R2", ["floor-five", "trips", "trips"], {"trips": 1_500})
    again = OwnCount(tmp_path / "T01.json")
    assert again.counts == {"floor-five": 3, "floor-three": 1, "trips": 2}
    assert again.sums == {"trips": 1_500}
    assert again.knows("R2")
    assert not again.knows("R1")
    assert not again.knows("R3")
