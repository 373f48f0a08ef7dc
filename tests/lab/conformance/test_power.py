"""A program is killed and restarted as by a power loss."""

import asyncio
from pathlib import Path

from jackpot.lab.conformance.power import ManualPower, ProcessPower
from tests.running_server import on_loop, until


@on_loop
async def test_a_process_is_killed_and_started_again(tmp_path: Path) -> None:
    """WIRE table commands: across power loss; nothing of the first life goes on."""
    lives = tmp_path / "lives"
    process = ProcessPower(f"sh -c 'echo $$ $0 >>{lives}; exec sleep 60' {{server}}")

    def told() -> list[str]:
        return lives.read_text().splitlines() if lives.exists() else []

    try:
        await process.start("127.0.0.1:5710")
        await until(lambda: len(told()) == 1)
        await process.cycle()
        await until(lambda: len(told()) == 2)
    finally:
        await process.kill()
    (first, one), (second, two) = (line.split() for line in told())
    assert one == two == "127.0.0.1:5710"
    assert not Path("/proc", first).exists()
    assert not Path("/proc", second).exists()


def test_a_person_is_asked() -> None:
    """A real device has its power cut by hand."""
    asked: list[str] = []
    asyncio.run(ManualPower(asked.append).cycle())
    assert len(asked) == 1
