"""`jackpot bench` measures what it names, shows it, and reports what it cannot measure."""

import json
import subprocess
from pathlib import Path

import pytest

from jackpot.lab.bench.figures import NAMES
from tests.nightly import repeated
from tests.program import jackpot

ONLY = ("--only", "throughput", "--tables", 2, "--floor", 200)
TINY = (*ONLY, "--rounds", 1, "--seconds", 0.1, "--calm", 1)
# Both passes measure alike. tests/lab/bench/test_passes.py has what makes the second one slower.
DISKS = repeated(["the disk as it is"], ["the disk as it is", "each flush 1 ms slower"])


def bench(*options: object) -> subprocess.CompletedProcess[str]:
    return jackpot("bench", *map(str, options))


@pytest.fixture(scope="module")
def saved(made_once: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one round of everything, on each of DISKS; nothing else is left of it."""
    folder, disk = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("disk")
    file = folder / "report.json"
    done = bench(
        *TINY, "--slower" if len(DISKS) > 1 else "--as-it-is", "--folder", disk, "--save", file, "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(file.read_text())
    assert list(disk.iterdir()) == []
    return file


def test_everything_is_measured_in_every_round(saved: Path) -> None:
    """Bench: server, functions, scripts, echo, COPY and flush in one run; and latencies."""
    found = json.loads(saved.read_text())
    assert [each["disk"] for each in found["passes"]] == DISKS
    for each in found["passes"]:
        assert each["skipped"].keys() <= {"redis-benchmark"}
        (measured,) = each["rounds"]
        without = {name for name in NAMES if name.partition(" ")[0] in each["skipped"]}
        assert measured.keys() == NAMES.keys() - without
        assert all(one["frames"] > 0 for one in measured.values())
        (timed,) = each["latencies"]
        names = ("sqlite", "postgres", "echo", "fsync", "copy")
        paced = {f"{name} {pace}" for name in names for pace in (1, 10)}
        assert timed.keys() == paced
        assert all(0 < one["p50"] <= one["p99"] <= one["max"] for one in timed.values())


def test_a_report_is_told_to_people_and_compared(saved: Path) -> None:
    """Bench: a table, ratios with what is wanted, latencies, and next to an older report."""
    done = bench("--show", saved, "--compare", saved)
    assert done.returncode == 0, done.stderr
    for words in ("frames/s", "Every frame, in every design", " wanted", "open load", "old, new, new / old"):
        assert words in done.stdout
    assert "  1.00  this server, SQLite, rounds without hands, 1 in flight a table" in done.stdout


def test_a_part_can_be_measured_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bench: nothing else is; each figure stands next to what is wanted of it."""
    folder = tmp_path_factory.mktemp("b")  # a socket lies below it, and its address may have 107 bytes
    file = folder / "report.json"
    done = bench("--quick", "--only", "fan", "--folder", folder, "--save", file)
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == [file]
    found = json.loads(file.read_text())
    assert (found["passes"], list(found["sheets"])) == ([], ["fan"])
    (figures,) = found["sheets"]["fan"]["rows"].values()
    assert 0 < figures["p50 ms"] <= figures["p99 ms"]
    for words in ("<= 200", "wanted", "20 signs"):
        assert words in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--folder", "nowhere/at/all", "--only", "fan"),
            "--folder nowhere/at/all: there is no such folder; make it",
        ),
        (("--only", "sleep"), "--only sleep: there is throughput latency idle crowd fan growth"),
        (("--show", "nowhere.json"), "nowhere.json is no report of a bench: "),
        (("--plot", "picture.txt"), "--plot picture.txt: its name must end in .svg or .png"),
    ],
)
def test_where_nothing_can_be_measured(options: tuple[str, ...], said: str) -> None:
    """One clear line and a non-zero exit."""
    done = bench(*options)
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
