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


@on_loop
async def test_what_a_device_prints_and_how_it_ends_is_said(tmp_path: Path) -> None:
    """Conformance: its maker reads why it does not play; it is started again only where they want it."""
    lives, said = tmp_path / "lives", list[str]()
    command = f"sh -c 'echo life >>{lives}; printf \"no key\\033[2J\\n\"; echo bad >&2; exit 3' {{server}}"
    process = ProcessPower(command, said.append)
    try:
        await process.start("127.0.0.1:5710")
        await until(lambda: len(said) == 3)
    finally:
        await process.kill()
    assert said == ["  device: no key?[2J", "  device: bad", "the device ended by itself: exit code 3"]
    again = ProcessPower(command, said.append, again=True)
    try:
        await again.start("127.0.0.1:5710")
        await until(lambda: lives.read_text().count("life") >= 3)
    finally:
        await again.kill()
    assert lives.read_text().count("life") >= 3


@on_loop
async def test_a_device_that_prints_without_end_is_read_and_ended(tmp_path: Path) -> None:
    """Conformance: of a line that never ends the first part is said; nothing that it started goes on."""
    child, said = tmp_path / "child", list[str]()
    process = ProcessPower(
        f"sh -c 'sleep 60 & echo $! >{child}; yes | tr -d \"\\n\"' {{server}}", said.append
    )
    await process.start("127.0.0.1:5710")
    await until(lambda: bool(said))
    await process.kill()
    assert len(said) == 1
    assert len(said[0]) < 3_000
    await until(lambda: not Path("/proc", child.read_text().strip()).exists())
