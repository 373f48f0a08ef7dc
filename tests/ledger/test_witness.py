"""The witness of commitments: where it stands to a ledger, and that it is never behind what was published."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.ledger import witness
from jackpot.ledger.witness import (
    LEDGER_HOLDS,
    Witness,
    Witnessed,
    WitnessError,
    WitnessPosition,
    position_of,
)
from jackpot.rules.commitment import CommitmentId
from tests import ceilings

WHICH: Final = CommitmentId("riverside", "main", "mystery", "major", 7, 12)


def at(number: int, committed: bytes = bytes(32), **of: Any) -> Witnessed:
    return Witnessed(replace(WHICH, number=number, **of), committed)


# Witness, ledger, where that is, and whether the ledger is played on.
OUTCOMES: Final[dict[str, tuple[Witnessed | None, Witnessed | None, str, bool]]] = {
    "a level of which nobody knows anything": (None, None, "none", True),
    "the first commitment, not witnessed yet": (None, at(1), "unknown", True),
    "a standby that never served": (None, at(40), "unknown", True),
    "killed between commit and witness": (at(12), at(13), "behind", True),
    "a server that was away": (at(12), at(90, cycle=31), "behind", True),
    "in step": (at(12), at(12), "equal", True),
    "rolled back by one": (at(13), at(12), "ahead", False),
    "an old copy": (at(90, cycle=31), at(12), "ahead", False),
    "rolled back, and in a later cycle": (at(13), at(12, cycle=8), "ahead", False),
    "the lost tail was written again, otherwise": (at(12), at(12, b"\1" * 32), "other", False),
    "the same in another cycle": (at(12), at(12, cycle=8), "other", False),
    "a ledger from before the first commitment": (at(1), None, "lost", False),
    "an empty ledger": (at(12), None, "lost", False),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_where_a_witness_stands(case: str) -> None:
    """Y8: every pair of witness and ledger, and whether the level may go on."""
    witnessed, ledger, found, holds = OUTCOMES[case]
    assert position_of(witnessed, ledger) == found
    assert LEDGER_HOLDS[WitnessPosition(found)] == holds


def test_the_outcomes_are_all_told() -> None:
    """Y8: no standing without a verdict, none that no example shows."""
    assert (
        set(LEDGER_HOLDS)
        == set(WitnessPosition)
        == {WitnessPosition(found) for *_, found, _ in OUTCOMES.values()}
    )


@pytest.fixture
def kept(tmp_path: Path) -> Witness:
    return Witness(tmp_path / "mystery.key")


def test_it_lies_next_to_the_key_and_has_the_last_of_each_level(kept: Witness, tmp_path: Path) -> None:
    """Y8: ledger, link, level, cycle and number, for its owner alone."""
    assert kept.read() == {}
    kept.advance([])
    assert not kept.file.exists()
    minor = at(3, level="minor")
    kept.advance([at(12), minor])
    kept.advance([at(13, b"\1" * 32)])
    assert kept.file == tmp_path / "mystery.key.witness"
    assert kept.file.stat().st_mode & 0o777 == 0o600
    assert set(Witness(tmp_path / "mystery.key").read().values()) == {at(13, b"\1" * 32), minor}
    assert json.loads(kept.file.read_text())["levels"][0] == {
        "ledger": "riverside", "bank": "main", "link": "mystery", "level": "major", "cycle": 7, "number": 13,
        "committed": "01" * 32,
    }  # fmt: skip


def test_it_never_goes_back(kept: Witness) -> None:
    """Y8: a server that lost its bank meanwhile writes late, and lower: that changes nothing."""
    kept.advance([at(13)])
    for late in (at(12), at(13, b"\2" * 32), at(1, cycle=900)):
        kept.advance([late])
        assert list(kept.read().values()) == [at(13)]


def test_servers_of_one_machine_share_it(kept: Witness, tmp_path: Path) -> None:
    """Y8: each of several writers keeps what the others wrote."""
    with ThreadPoolExecutor(8) as pool:
        own = [Witness(tmp_path / "mystery.key") for _ in range(8)]
        for number in range(1, 6):
            list(pool.map(lambda one, n=number: own[one].advance([at(n, bank=f"bank{one}")]), range(8)))
    assert set(kept.read().values()) == {at(5, bank=f"bank{one}") for one in range(8)}


def test_it_is_on_the_disk_before_it_takes_its_name(kept: Witness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Y8: written whole, synced, renamed, and then the folder is synced."""
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        done.append(f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name}")
        sync(descriptor)

    def renamed(path: Path, to: Path) -> Path:
        done.append(f"rename {path.name}")
        return rename(path, to)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    kept.advance([at(12)])
    assert done == [
        "sync mystery.key.witness.part",
        "rename mystery.key.witness.part",
        f"sync {kept.file.parent.name}",
    ]


_WRITER: Final = """
import sys
from pathlib import Path
from msgspec.structs import replace
from jackpot.ledger.witness import Witness, Witnessed
from jackpot.rules.commitment import CommitmentId
kept = Witness(Path(sys.argv[1]))
for number in range(1, 1_000_000):
    kept.advance([Witnessed(CommitmentId("riverside", "main", "mystery", "major", 7, number), bytes(32))])
    print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_a_whole_witness(kept: Witness, tmp_path: Path) -> None:
    """Y8: kill -9 at any moment: what was told is there, or the one that was being written."""
    for told in (1, 2, 5, 9):
        kept.file.unlink(missing_ok=True)
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "mystery.key")], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            said = [int(writer.stdout.readline()) for _ in range(told)]
            writer.send_signal(signal.SIGKILL)
            said += [int(line) for line in writer.stdout]
            writer.wait(ceilings.PROGRAM_S)
        (found,) = kept.read().values()
        assert found.which.number in {said[-1], said[-1] + 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"witness": 2, "levels": []}',
        '{"witness": 1, "levels": [{}]}',
        "\0",
        '{"witness": 1}',
    ],
)
def test_a_damaged_witness_is_no_missing_one(kept: Witness, text: str) -> None:
    """Y8: it says which file and what to find out first, and nothing overwrites it."""
    kept.file.write_text(text)
    for use in (kept.read, lambda: kept.advance([at(12)])):
        with pytest.raises(WitnessError, match=r"mystery\.key\.witness is no witness, or a damaged one"):
            use()
    assert kept.file.read_text() == text


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "mystery.key.witness.lock").mkdir(),
        lambda folder: (folder / "mystery.key.witness.part").mkdir(),
        lambda folder: (folder / "mystery.key.witness.part").symlink_to("/dev/null"),
    ],
)
def test_a_witness_that_cannot_be_written_is_an_error(
    kept: Witness, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """Y8: so that nobody is told what no witness has."""
    spoil(tmp_path)
    with pytest.raises(WitnessError, match=r"mystery\.key\.witness cannot be written"):
        kept.advance([at(12)])
    assert kept.read() == {}


def test_its_form_is_fixed() -> None:
    """Y8: a program of later reads it."""
    assert witness.FORMAT == 1
