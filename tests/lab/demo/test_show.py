"""The showcase has everything that signs can show, and its books balance."""

import signal
import subprocess
from pathlib import Path
from typing import Final

from jackpot.lab.testing.postgres import free_port
from tests.lab.test_demo import DEMO, ROOT, TIMEOUT_S, demo

# Steps of a show, as its lines name them.
STEPS: Final = [
    *("open", "mega", "validated", "minor", "pending", "major", "envy", "minor", "undone"),
    *("wagers", "cut", "suspended", "resumed", "fault"),
]


def test_a_show_has_all_that_signs_can_show_and_balanced_books() -> None:
    """Signs: two times through the show: each step is told, the signs come back, the books balance."""
    done = demo("--show", "--rounds", "2", "--speed", "50")
    assert done.returncode == 0, done.stdout + done.stderr
    first, where, people, *steps, last = done.stdout.splitlines()
    assert first.startswith("a show")
    assert "/sign/wall?links=floor-five,floor-three" in where
    assert "/ops (admin-1 " in people
    assert [line.split()[0] for line in steps] == [*STEPS, "back", *STEPS[1:]]
    assert "at T01: $10,0" in steps[1]
    assert last.startswith("the books balance: ")


def test_a_show_goes_on_with_a_folder_of_the_demo(tmp_path: Path) -> None:
    """M4, S6: it plays where a demo has played, at the port that was asked for; the books still balance."""
    assert demo("--rounds", "40", "--lucky", "5", "--folder", tmp_path).returncode == 0
    port = free_port()
    for _ in range(2):
        done = demo("--show", "--rounds", "1", "--speed", "50", "--folder", tmp_path, "--port", str(port))
        assert done.returncode == 0, done.stdout + done.stderr
        _, where, people, *_, last = done.stdout.splitlines()
        assert f"http://127.0.0.1:{port}/sign/wall" in where
        assert "as the first demo here said" in people
        assert last.startswith("the books balance: ")
    assert demo("--rounds", "40", "--folder", tmp_path).returncode == 0


def test_a_show_that_is_ended_says_so_and_waits_no_more() -> None:
    """Ctrl-C while people look at what stands still: it is heard at once, and the books balance."""
    # At a hundredth of its speed the first look alone would take longer than the test may.
    show = [*DEMO, "--show", "--speed", "0.01"]
    with subprocess.Popen(show, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.lstrip().startswith("open"):
                break
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    assert said.startswith("ending...\n")
    assert said.splitlines()[-1].startswith("the books balance: ")
