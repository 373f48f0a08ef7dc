"""The floor plays the number of rounds it was given, and stops when told to."""

import asyncio
from random import Random

from jackpot.lab.demo.pace import DemoPace


def test_rounds_are_counted_over_all_tables() -> None:
    """--rounds N is N rounds in all, whichever tables take them."""

    async def main() -> list[bool]:
        pace = DemoPace(None, 3)
        return [pace.take_round() for _ in range(5)]

    assert asyncio.run(main()) == [True, True, True, False, False]


def test_a_stop_ends_a_pause_and_wakes_who_waits() -> None:
    """Ctrl-C does not wait for a simulated dealer: a pause of hours ends at once."""

    async def main() -> None:
        pace, news = DemoPace(0.001, None), asyncio.Event()
        pace.wakes(news)
        async with asyncio.TaskGroup() as group:
            group.create_task(pace.pause(3600, Random(1)))
            group.create_task(news.wait())
            pace.stop()
        assert not pace.take_round()

    asyncio.run(main())


def test_without_a_speed_nothing_pauses() -> None:
    """As fast as it can: a pause does not even give way."""

    async def main() -> bool:
        pause = DemoPace(None, 1).pause(3600, Random(1))
        try:
            pause.send(None)
        except StopIteration:
            return True
        return False

    assert asyncio.run(main())
