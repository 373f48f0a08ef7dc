"""Does a table written in another language understand the server?"""

import asyncio
import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from controllers.messages import Settle, Wager
from tests.controllers.host import CEILING_S, Host
from tests.controllers.pair import KEY

FOLDER = Path(__file__).parent / "node"
INSTALL_S = 120


def install() -> None:
    """Have Node and its one package, or skip; in CI that is a failure."""
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    with (FOLDER / "package.json").open() as package:
        fcntl.flock(package, fcntl.LOCK_EX)  # tests of several processes share the folder
        if not missing and not (FOLDER / "node_modules" / "@msgpack").is_dir():
            done = subprocess.run(["npm", "install", "--silent"], cwd=FOLDER, timeout=INSTALL_S, check=False)
            missing = [] if done.returncode == 0 else ["@msgpack/msgpack"]
    if missing and os.environ.get("CI"):
        pytest.fail(f"missing: {', '.join(missing)}")
    if missing:
        pytest.skip(f"missing: {', '.join(missing)}")


async def play(address: str, table: str, key: bytes, link: str, cents: int) -> dict[str, Any]:
    """One round by the Node table against the server there: what it saw."""
    command = ["node", "table.mjs", *address.split(":"), table, key.hex(), link, str(cents)]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=FOLDER, stdout=pipe, stderr=pipe)
    async with asyncio.timeout(CEILING_S):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    seen: dict[str, Any] = json.loads(out)
    return seen


def test_a_round_from_node() -> None:
    """A second implementation of the table's side plays a round over TCP."""
    install()

    async def body() -> None:
        async with Host() as host:
            seen = await play(host.address, "T01", KEY, "floor-five", 100)
            assert seen["welcome"]["heartbeat_ms"] == 5000
            assert seen["answers"] == [{"t": "ack", "seq": 1}, {"t": "ack", "seq": 2}]
            assert [type(message) for message in host.ledger.applied] == [Wager, Settle]
            assert seen["pushes"][0]["values"] == [["floor-five", "meter", 12_345]]

    asyncio.run(body())
