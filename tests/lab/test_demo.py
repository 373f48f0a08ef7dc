"""`jackpot demo`, run as the program that a newcomer starts."""

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest

from jackpot.lab.demo.house import ANY_PORT
from tests import ceilings
from tests.program import jackpot

DEMO: Final = (sys.executable, "-m", "jackpot.cli.__main__", "demo")
TIMEOUT_S: Final = ceilings.PROGRAM_S
ROOT: Final = Path(__file__).parent.parent.parent


def demo(*options: str | Path) -> subprocess.CompletedProcess[str]:
    return jackpot("demo", *options)


def started(*options: str | Path) -> subprocess.Popen[str]:
    """A demo that plays on for ever, given back once it has opened."""
    process = subprocess.Popen([*DEMO, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "a simulated floor" in process.stdout.readline()
    return process


class Visitor:
    """A browser without scripts, at the demo's pages."""

    def __init__(self, port: int) -> None:
        self._at = ("127.0.0.1", port)
        self._cookie = ""

    def ask(self, path: str, **form: str) -> tuple[int, str]:
        """A page, or what a form answers: its status and text."""
        line = http.client.HTTPConnection(*self._at, timeout=TIMEOUT_S)
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": self._cookie}
        try:
            line.request("POST" if form else "GET", path, urlencode(form) or None, headers)
            answer = line.getresponse()
            if cookie := answer.getheader("Set-Cookie"):
                self._cookie = cookie.partition(";")[0]
            return answer.status, answer.read().decode()
        finally:
            line.close()

    def signs_in(self, login: str, password: str) -> bool:
        """Whether somebody with that password can sign in, and then sees the pages."""
        self._cookie = ""
        self.ask("/ops/sign-in", login=login, secret=password)
        return self.ask("/ops")[0] == 200

    def press(self, path: str, act: str, **typed: str) -> str:
        """Fills in the page's form of an act and presses its button: the page afterwards."""
        _, page = self.ask(path)
        form = page.partition(f'action="/ops/acts/{act}"')[2].partition("</form>")[0]
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
        assert set(typed) <= set(re.findall(r'name="(\w+)"', form)), form
        status, answer = self.ask(f"/ops/acts/{act}", **hidden, **typed)
        assert status == 303, answer
        return self.ask(path)[1]


def test_whom_the_demo_names_signs_in_and_pays_by_hand(tmp_path: Path) -> None:
    """S9, A10: each comes in with the password that is printed once; what waits is paid as it is told."""
    process = started("--by-hand", "--folder", tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    at = re.match(r"people sign in at (http://127.0.0.1:(\d+)/ops); ", process.stdout.readline())
    assert at is not None
    people = [process.stdout.readline().split() for _ in range(5)]
    assert [role for _, _, role in people] == ["admin", "admin", "cage", "auditor", "floor"]
    visitor = Visitor(int(at[2]))
    assert not visitor.signs_in(people[0][0], people[1][1])
    assert all(visitor.signs_in(login, password) for login, password, _ in people)
    steps = [process.stdout.readline() for _ in range(7)]
    assert steps[0] == "a royal flush at T01 waits for you, and the table waits with it:\n"
    assert steps[1] == f"1. open {at[1]}/hits as {people[-1][0]} {people[-1][1]}\n"
    button = re.search("press (Paid to seat [1-7])$", steps[4].strip())
    assert button is not None
    assert steps[6].startswith("hits of $50.00 and more wait for you, too")
    hit = "/ops/hits/main/H1"
    due = time.monotonic() + TIMEOUT_S
    while f'href="{hit}"' not in visitor.ask("/ops/hits")[1]:
        assert time.monotonic() < due
    page = visitor.press(hit, "validate")
    assert "Royal flush" in page
    assert f"{button[1]}</button>" not in page, "no floorperson pays what the cage pays (A8)"
    cashier = next((login, password) for login, password, role in people if role == "cage")
    assert steps[3].startswith(f"3. sign out, sign in as {' '.join(cashier)}: ")
    assert visitor.signs_in(*cashier)
    paid = visitor.press(hit, "pay", tax_form="W-2G", tax_number="T-1", document="P-1")
    assert '<span class="status paid">' in paid
    assert f"<b>Paid</b>{button[1].removeprefix('Paid')} by Carol Diaz" in paid
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    last, verdict = said.splitlines()
    assert " wagers, " in last, "no line of the floor pushes the steps away"
    assert verdict.startswith("the books balance: ")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not [login for login, password, _ in people if password.encode() in kept]
    again = demo("--rounds", "12", "--folder", tmp_path)
    assert "as the first demo in this folder said" in again.stdout


def test_sixty_rounds_end_with_balanced_books() -> None:
    """The last line says that the books balance and every table's own count agrees (M4, S6); exit 0."""
    done = demo("--rounds", "60", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    *_, played, last = done.stdout.splitlines()
    assert played.startswith("60 rounds, ")
    assert last.startswith("the books balance: ")
    assert last.endswith("the 12 tables' own counts agree")
    assert not done.stderr


def test_a_lucky_floor_wins_meters_and_is_paid(tmp_path: Path) -> None:
    """Stacked decks are said to be stacked; meters are won, and held tables play on once paid (T11)."""
    done = demo("--rounds", "80", "--seed", "1", "--lucky", "3", "--folder", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one deck in 3 is STACKED" in done.stdout
    acts = [json.loads(line) for line in (tmp_path / "server.log").read_text().splitlines()]
    done_acts = {act["do"] for act in acts if act["event"] == "act" and act["ok"]}
    assert done_acts == {"validate", "pay"}
    assert all(act["ok"] for act in acts if act["event"] == "act")


def test_ctrl_c_finishes_the_rounds_and_the_books(tmp_path: Path) -> None:
    """Ctrl-C in the middle of slow rounds: they are finished at once, the books are read, exit 0."""
    process = started("--speed", "1", "--folder", tmp_path)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    assert said.splitlines()[-1].startswith("the books balance: ")


def test_a_killed_floor_goes_on_where_it_was(tmp_path: Path) -> None:
    """S4, S6: tables finish the rounds that a kill -9 cut off, counts agree; pages stay where they were."""
    seen = set[str]()
    for number in range(2):
        process = started("--rounds", "100000", "--seed", str(number), "--folder", tmp_path)
        assert process.stdout is not None
        pages = process.stdout.readline()
        assert pages.startswith("in a browser: http://127.0.0.1:")
        assert "/sign/floor-five" in pages
        assert "/sign/wall" in pages
        seen.add(pages)
        while " rounds, " not in (line := process.stdout.readline()):
            assert line
        process.kill()
        process.communicate(timeout=TIMEOUT_S)
    assert len(seen) == 1
    done = demo("--rounds", "24", "--folder", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("the books balance: ")


def test_a_table_that_counts_otherwise_is_named(tmp_path: Path) -> None:
    """S6: a count that does not reconcile is never silently accepted; exit 1, and everything is kept."""
    assert demo("--rounds", "24", "--folder", tmp_path).returncode == 0
    count = tmp_path / "tables" / "T05.json"
    kept = json.loads(count.read_text())
    kept["counts"]["floor-five"] += 1
    count.write_text(json.dumps(kept))
    done = demo("--rounds", "24", "--folder", tmp_path)
    assert done.returncode == 1
    assert "do NOT balance" in done.stdout.splitlines()[-1]
    assert "T05 has counted " in done.stdout
    assert str(tmp_path) in done.stderr


@pytest.mark.parametrize("option", ["--rounds", "--speed"])
def test_nonsense_is_refused_in_one_line(option: str) -> None:
    """A number that cannot be meant ends with a clear line and a non-zero exit."""
    done = demo(option, "0")
    assert done.returncode == 2
    assert option in done.stderr


def test_a_ledger_in_use_is_refused(tmp_path: Path) -> None:
    """Two floors never write one ledger: the second finds its ports taken, or the ledger, and ends."""
    first = started("--speed", "1", "--folder", tmp_path)
    try:
        second = demo("--rounds", "1", "--folder", tmp_path)
        assert second.returncode == 1
        assert second.stderr.startswith("the floor stopped: ")
        assert re.search(r"is this floor running already\?|one server at a time", second.stderr)
        assert "Traceback" not in second.stderr
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=TIMEOUT_S)


def test_a_second_ctrl_c_ends_it_at_once_in_one_line(tmp_path: Path) -> None:
    """S5: a person who does not wait leaves a whole ledger: the next demo goes on from it."""
    process = started("--folder", tmp_path)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode in {0, 130}  # the first may have been enough
    assert "Traceback" not in said
    config = tmp_path / "floor.toml"  # another test may have taken its ports meanwhile
    config.write_text(re.sub(r'"127\.0\.0\.1:\d+"', f'"{ANY_PORT}"', config.read_text()))
    again = demo("--rounds", "12", "--folder", tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_file_in_the_place_of_the_folder_is_said_in_one_line(tmp_path: Path) -> None:
    """A newcomer who gives a file for --ledger reads so, and no traceback."""
    (tmp_path / "floor.toml").touch()
    done = demo("--rounds", "1", "--folder", tmp_path / "floor.toml")
    assert done.returncode == 1
    assert (
        done.stderr
        == f"--folder: {tmp_path / 'floor.toml'} is no folder and cannot be made one: File exists\n"
    )
