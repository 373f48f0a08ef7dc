"""`jackpot conformance` passes the example controllers, and names what it needs."""

import asyncio
import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trustme

from jackpot.lab.conformance.report import OBLIGATIONS
from tests.controllers.examples import c, node
from tests.program import jackpot
from tests.running_server import on_loop

# On the device and counted, on the layout, of one amount alone, with bonus cards, and by how many play.
OFFERS = (
    "pa-643a-five-card-bonus-C",
    "pa-643a-three-card-bonus-A",
    "ma-lir-bonus",
    "pa-643a-six-card-bonus-A",
    "ma-lir-cover-all",
)
LEFT_OUT = {"replaced"}
"""What --quick does not wait for."""


def conformance(*options: object) -> subprocess.CompletedProcess[str]:
    return jackpot("conformance", *map(str, options))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "T01.key"
    file.touch(mode=0o600)
    file.write_text(bytes(range(32)).hex())
    return file


async def examined(
    program: Sequence[str], folder: Path, key: Path, tls: Sequence[str] = ()
) -> dict[str, Any]:
    """The report on an example that the tester starts, kills and starts again. tls: of the tester."""
    folder.mkdir()
    given = ["--id", "T01", "--key", str(key), "--memory", str(folder / "memory"), "--pause", "10"]
    run = shlex.join([*program, "--server", "{server}", *given])
    options = [
        "--quick",
        "--json",
        "--heartbeat",
        "500",
        "--listen",
        "127.0.0.1:0",
        "--key",
        key,
        "--run",
        run,
        *(part for offer in OFFERS for part in ("--offer", offer)),
    ]
    done = await asyncio.to_thread(conformance, *options, *tls)
    assert done.returncode == 0, done.stdout + done.stderr
    trials = [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("trial ")]
    assert trials == [f"trial {number} of {len(trials)}" for number in range(1, len(trials) + 1)]
    assert len(trials) > 5, "who waits for it sees how far it is"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@on_loop
async def test_the_examples_pass(tmp_path: Path, key: Path) -> None:
    """WIRE, B3, B16: tables in other languages keep every obligation, with offers, one over TLS."""
    trust, pem, ca = trustme.CA(), tmp_path / "server.pem", tmp_path / "ca.pem"
    trust.cert_pem.write_to_path(str(ca))
    trust.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(pem))
    reports = await asyncio.gather(
        examined([*node(), "--ca", str(ca)], tmp_path / "node", key, ["--cert", str(pem)]),
        examined(c(tmp_path), tmp_path / "c", key),
    )
    for report in reports:
        unseen = {one["name"] for one in report["obligations"] if one["verdict"] != "pass"}
        assert unseen == LEFT_OUT, report


def test_every_obligation_is_explained() -> None:
    """WIRE: `--list` says what is wanted, where it stands, and how it is looked at."""
    shown = conformance("--list").stdout
    for one in OBLIGATIONS:
        assert f"{one.name} (" in shown
        assert one.text in shown
        assert one.how in shown


def test_what_cannot_be_tested_is_said_in_one_line(key: Path) -> None:
    """README, commands: one clear line on error, and a non-zero exit."""
    for options, complaint in (
        ((), "--key: "),
        (("--key", key, "--only", "politeness"), "--only: there is no obligation politeness"),
        (("--key", key, "--role", "lamp"), "--role: "),
        (("--key", key, "--offer", "pa-653a-trips"), "--offer: there is no bonus wager pa-653a-trips"),
        (("--key", key, "--listen", "5710"), "--listen: "),
        (("--key", key, "--listen", "127.0.0.1:0", "--run", "/no/such/device"), "/no/such/device: "),
        (("--key", key, "--server", "127.0.0.1:1"), "127.0.0.1:1: "),
    ):
        done = conformance(*options)
        assert done.returncode == 1, options
        assert done.stderr.splitlines()[-1].startswith(complaint), done.stderr
        assert done.stdout == ""


def test_the_key_says_whom_the_tester_plays(tmp_path: Path, key: Path) -> None:
    """It is said first; the device is named like its key, unless another name is given."""
    other = tmp_path / "T03"
    other.touch(mode=0o600)
    other.write_text(key.read_text())
    for options, name in (
        ((), "T01"),
        (("--device", "T07"), "T07"),
        (("--key", other), "T03"),
    ):
        done = conformance("--key", key, *options, "--server", "127.0.0.1:1")
        assert done.stderr.splitlines()[0] == f"playing table {name} at 127.0.0.1:1"
