"""A table's log survives power loss (WIRE: table commands)."""

import os
import stat
from pathlib import Path

import pytest

from controllers.memory import FileMemory, Record


class Power:
    """Content of a folder after a power loss: synced contents, under synced names.

    Every fsync of the program passes through it, the true one first.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.contents: dict[int, bytes] = {}
        self.names: dict[str, int] = {}
        self._true = os.fsync
        monkeypatch.setattr(os, "fsync", self._fsync)

    def _fsync(self, file: int) -> None:
        self._true(file)
        facts = os.fstat(file)
        if stat.S_ISDIR(facts.st_mode):
            self.names = {path.name: path.stat().st_ino for path in self.folder.iterdir()}
        else:
            self.contents[facts.st_ino] = Path(f"/proc/self/fd/{file}").readlink().read_bytes()

    def remains(self, name: str, into: Path) -> list[Record]:
        """The records that a memory of that name would load after a power loss now."""
        path = into / name
        if name in self.names:
            path.write_bytes(self.contents.get(self.names[name], b""))
        memory = FileMemory(path, sync=False)
        found = memory.load()
        memory.close()
        path.unlink()
        return found


@pytest.fixture
def power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Power:
    folder = tmp_path / "table"
    folder.mkdir()
    (tmp_path / "after").mkdir()
    return Power(folder, monkeypatch)


def test_what_was_appended_survives(power: Power, tmp_path: Path) -> None:
    """WIRE table commands: a record is safe when `append` returns, and its file in its folder."""
    memory = FileMemory(power.folder / "T01.log")
    records: list[Record] = []
    for number in range(3):
        records.append(["put", {"seq": number}])
        memory.append(records[-1])
        assert power.remains("T01.log", tmp_path / "after") == records
    memory.close()


def test_what_replaced_all_survives(power: Power, tmp_path: Path) -> None:
    """WIRE table commands: the new log is whole before it has the name, and the name is safe on return."""
    memory = FileMemory(power.folder / "T01.log")
    memory.append(["put", {"seq": 1}])
    memory.replace(["all", 1, None, []])
    assert power.remains("T01.log", tmp_path / "after") == [["all", 1, None, []]]
    memory.append(["put", {"seq": 2}])
    assert power.remains("T01.log", tmp_path / "after") == [["all", 1, None, []], ["put", {"seq": 2}]]
    memory.close()


def test_without_sync_nothing_is_promised(power: Power) -> None:
    """The other choice: the records survive the program's end, not the power's."""
    memory = FileMemory(power.folder / "T01.log", sync=False)
    memory.append(["put", {"seq": 1}])
    memory.replace(["all", 1, None, []])
    memory.close()
    assert (power.contents, power.names) == ({}, {})
    again = FileMemory(power.folder / "T01.log")
    assert again.load() == [["all", 1, None, []]]
    again.close()


def test_a_log_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    """WIRE table commands: all records are replaced or none, and the table goes on."""
    memory = FileMemory(tmp_path / "T01.log")
    memory.append(["put", {"seq": 1}])
    (tmp_path / "T01.log.new").mkdir()
    with pytest.raises(OSError, match="directory"):
        memory.replace(["all", 1, None, []])
    memory.append(["put", {"seq": 2}])
    memory.close()
    again = FileMemory(tmp_path / "T01.log")
    assert again.load() == [["put", {"seq": 1}], ["put", {"seq": 2}]]
    again.close()
