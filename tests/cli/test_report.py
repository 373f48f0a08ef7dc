"""`jackpot report` shows every report in every form; a wrong query is one clear line."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import closing, suppress
from pathlib import Path

import pytest

from jackpot.config import load
from jackpot.reports.registry import REPORTS
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import open_ledger
from tests.program import jackpot
from tests.reports.season import FIRST, Season
from tests.reports.test_report import ELSEWHERE
from tests.running_server import configure

DAYS = 2
STEPS = 60


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the command as people start it."""
    done = jackpot("report", *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A configuration whose ledger has a short season."""
    made = configure(tmp_path_factory.mktemp("reports"))
    with closing(open_ledger(made.ledger.url)) as ledger:
        Season(2, DAYS, STEPS).write(ledger)
    return str(made.path)


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_has_a_command(config: str, tmp_path: Path, name: str) -> None:
    """The registry: each report as a table, and as JSON with the same rows as in the registry's columns."""
    arguments = [name, *(["H3"] if "hit" in REPORTS[name].options else []), "--config", config]
    arguments += ["--from", "2026-01-01"] if "days" in REPORTS[name].options else []
    arguments += ["--month", "2026-10"] if name in ("result", "expected") else []
    arguments += ["--link", "five-A"] if name == "reading-slip" else []
    code, out, errors = run(*arguments)
    assert (code, errors) == (0, ""), out
    assert (REPORTS[name].title in out) == (name not in ELSEWHERE)
    code, out, errors = run(*arguments, "--json")
    assert (code, errors) == (0, "")
    rows = json.loads(out)["rows"]
    assert rows or name in ELSEWHERE
    assert [list(row) for row in rows[:1]] in ([], [[column.name for column in REPORTS[name].columns]])


def test_each_form_has_the_same_rows(config: str, tmp_path: Path) -> None:
    """CSV, JSON and the page to print say the same of a day; the page is a file that loads nothing."""
    day = ("reconcile", "--config", config, "--day", FIRST.isoformat(), "--drop", "five-A=10.50")
    rows = json.loads(run(*day, "--json")[1])["rows"]
    lines = list(csv.DictReader(io.StringIO(run(*day, "--csv")[1])))
    assert [line["closing"] for line in lines] == [row["closing"] for row in rows]
    assert {row["difference"] for row in rows} == {"0.000000"}
    assert [row["drop"] for row in rows if row["link"] == "five-A" and row["wagers"] is not None] == [
        "10.500000"
    ]
    page = tmp_path / "day.html"
    code, out, _ = run(*day, "--html", str(page))
    assert (code, out) == (0, f"{page}: Daily progressive reconciliation, ready to print\n")
    assert page.read_text().count("<tr>") == len(rows) + 2
    shown = run(*day)[1]
    assert "difference" in shown
    assert "total difference" not in shown


def test_a_long_report_is_shown_in_brief(config: str) -> None:
    """README, reports: fairness says its verdict first, then shows what is improbable; --all every row."""
    words = ("fairness", "--from", "2026-01-01", "--config", config)
    brief, whole = run(*words)[1].splitlines(), run(*words, "--all")[1].splitlines()
    rows = json.loads(run(*words, "--json")[1])["rows"]
    improbable = [row for row in rows if row["verdict"] == "improbable"]
    assert 0 < len(improbable) < len(rows)
    assert brief[0].startswith("verdict: look closer")
    assert [sum(line.startswith("│") for line in shown) for shown in (brief, whole)] == [
        len(improbable), len(rows),
    ]  # fmt: skip
    left = (
        f"{len(rows) - len(improbable)} comparisons that are not improbable are not shown; --all shows them"
    )
    assert brief[-1] == f"Fairness of hands and draws: {left}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("explain", "H9999"), "hit: there is no H9999 in main"),
        (("explain", "12"), "HIT: '12' is no hit's id, such as H12"),
        (("slip", "H1", "--bank", "side"), "--bank: there is no bank side; there is main"),
        (("reconcile", "--day", "today"), "--day: 'today' is no day like 2026-11-20"),
        (("reconcile", "--day", "2020-01-01"), "no reading was taken for 2020-01-01"),
        (("reconcile", "--drop", "five-A"), "--drop: 'five-A' is not like floor-five=1250.00"),
        (("reconcile", "--drop", "five-A=x"), "--drop: five-A: "),
        (("reconcile", "--link", "none"), "link: none is unknown; there is "),
        (("hits", "--from", "2026-11-02", "--to", "2026-11-01"), "--from: 2026-11-02 is after 2026-11-01"),
        (("hits", "--csv", "--json"), "one of --csv, --json and --html at a time"),
        (("hits", "--html", "/nowhere/page.html"), "--html: /nowhere/page.html cannot be written"),
        (("hits", "--ledger", "sqlite:////nowhere.db"), "/nowhere.db"),
    ],
)
def test_a_question_that_cannot_be_answered(config: str, arguments: tuple[str, ...], says: str) -> None:
    """Misuse: one clear line that names the option, and exit code 1."""
    code, out, errors = run(*arguments, "--config", config)
    assert (code, out) == (1, "")
    assert says in errors
    assert len(errors.splitlines()) == 1


def test_a_bare_backup_is_read_by_who_knows_its_site(config: str) -> None:
    """README, reports: without a configuration options say its currency, time zone and day; or it asks."""
    url = load(Path(config)).ledger.url
    bare = ("hits", "--from", "2026-01-01", "--ledger", url)
    site = ["--currency", "USD", "--timezone", "America/New_York", "--day-ends", "06:00"]
    assert run(*bare, *site) == run(*bare[:3], "--config", config)
    code, _, errors = run(*bare, *site[:4])
    needed = f"--ledger without --config FILE: say how that site writes: {' '.join(site)}\n"
    assert (code, errors) == (1, needed)
    for at, wrong in ((1, "Dollar"), (3, "Nowhere"), (5, "noon")):
        code, _, errors = run(*bare, *(wrong if place == at else word for place, word in enumerate(site)))
        assert (code, errors.startswith(f"{site[at - 1]}: ")) == (1, True), errors
    code, _, errors = run(*bare, *site, "--config", config)
    assert (code, "for --ledger without --config" in errors) == (1, True)


def test_books_that_do_not_add_up_end_with_an_error(config: str, tmp_path: Path) -> None:
    """M4: the report is shown, each problem on a line of its own after it, and the exit code says so."""
    copy = tmp_path / "ledger.db"
    with closing(open_ledger(f"sqlite:///{copy}")) as ledger:
        Season(2, DAYS, STEPS).write(ledger)
    spoil(copy, "DELETE FROM posting WHERE seq = (SELECT max(seq) FROM posting WHERE wagers < 0)")
    code, out, errors = run("reconcile", "--config", config, "--ledger", f"sqlite:///{copy}")
    assert code == 1
    assert "Daily progressive reconciliation" in out
    assert "micro-dollars of the day are not accounted for" in errors


def test_an_empty_ledger_says_so(tmp_path: Path) -> None:
    """S3: nobody has opened it, so there is nothing to report."""
    made = configure(tmp_path)
    open_ledger(made.ledger.url).close()
    code, _, errors = run("hits", "--config", str(made.path))
    assert (code, errors) == (1, "the ledger is empty: no server has ever opened it\n")


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_a_report_fits_its_terminal(config: str, width: int) -> None:
    """README, reports: no line is longer than a terminal, no figure is cut, and what has no room is named."""
    words = ("hits", "--from", "2026-01-01", "--config", config)
    told = on_a_terminal(width, "report", *words)
    lines = [line for line in told.splitlines() if line.strip()]
    assert max(map(len, lines)) <= width
    assert "…" not in told
    rows = list(csv.DictReader(io.StringIO(run(*words, "--csv")[1])))
    assert all(f"{row['hit']} " in told for row in rows)
    assert ("too wide for this terminal, all in --csv: " in told) == (width < 300)
    amounts = [f"${row['amount'][:-4]}" for row in rows if "," not in f"{float(row['amount']):,.2f}"]
    assert width < 80 or all(f"{amount} " in told for amount in amounts), "what a hit comes to stays"


def on_a_terminal(width: int, *words: str) -> str:
    """What a command prints on a terminal of that width, without colours."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    size = {"TERM": "xterm", "COLUMNS": str(width), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "jackpot.cli", *words]
    with subprocess.Popen(command, stdout=writer, stdin=writer, env=os.environ | size) as process:
        os.close(writer)
        said = b""
        with suppress(OSError):  # the other end is gone
            while part := os.read(reader, 65_536):
                said += part
    os.close(reader)
    assert process.returncode == 0, said
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r", "")
