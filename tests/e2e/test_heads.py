"""Signed heads prove a jackpot outside the database, also after a kill before its head was sent (S8)."""

import asyncio
import signal
from pathlib import Path

from tests.e2e.site import Program
from tests.net.test_admin_socket import jackpot, royal
from tests.notify.heads import FILE, heads, written
from tests.running_server import LINKS, configure, connected

# A head leaves within a second of its hit, so nearly every kill comes before it.
KILLS_MAX = 8


async def hit(program: Program, folder: Path, seq: int) -> None:
    """A jackpot at T01 that was acknowledged, and kill -9 at once."""
    config = configure(folder, links=LINKS + "hold_table = false\n", extra=heads(folder))
    async with connected(program.ports["tables"]) as device:
        await device.hello(config, "table", "T01")
        await device.type("welcome")
        await royal(device, seq, f"R{seq}")
    program.stop(signal.SIGKILL)


async def proved(config: Path, folder: Path) -> str:
    """Output of `jackpot verify` on the signed heads in the file, compared with the ledger."""
    code, out, error = await jackpot(
        "verify", "--config", str(config), "--heads", str(folder / FILE), "--key", str(folder / "site.pub")
    )
    assert (code, error) == (0, "")
    return next(line for line in out.splitlines() if "proved" in line)


def test_a_kill_between_a_hit_and_its_head(tmp_path: Path) -> None:
    """S5, S8: the hit is durable and said to be unproved; the next start signs it, and is not held up."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n", extra=heads(tmp_path)).path
    program = Program(config, "serve")

    async def scenario() -> None:
        for number in range(KILLS_MAX):
            program.start()
            await hit(program, tmp_path, 1 + 2 * number)
            if "unproved: " in await proved(config, tmp_path):
                break
        else:
            raise AssertionError("every head was quicker than the kill")
        before = len(written(tmp_path))
        program.start()
        assert [line["rows"] for line in program.log if line["event"] == "rows_unproved"]
        assert program.stop() == 0
        assert len(written(tmp_path)) > before
        assert "every row is proved by a signed head" in await proved(config, tmp_path)

    try:
        asyncio.run(scenario())
    finally:
        program.stop(signal.SIGKILL)
