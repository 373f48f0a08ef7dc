"""The fixture of all tests of pages: reports and figures are worked out in the test's own process."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from jackpot.api.worker_pool import WorkerPool
from jackpot.odds import worker as odds
from jackpot.reports import worker as reports

# By the module that a worker process would run.
_ANSWERED: Final[dict[str, Callable[[bytes], bytes]]] = {
    "jackpot.odds.worker": odds.answered,
    "jackpot.reports.worker": reports.answered,
}


@pytest.fixture(autouse=True)
def answers_without_processes(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Has a worker pool answer in a thread, unless the test is marked `real_workers`.

    A worker process spends most of its time on its start. It is also nicer than everything else on the
    machine, so that a page of a busy machine waits for it longer than it may. tests/api/test_worker_pool.py
    proves the processes.
    """
    if request.node.get_closest_marker("real_workers"):
        yield
        return
    with ThreadPoolExecutor(1) as one_at_a_time:

        async def run(
            pool: WorkerPool, question: bytes, within_s: float, _folder: str | None
        ) -> tuple[int | None, bytes, bytes]:
            answered = _ANSWERED[pool._program[-1]]
            async with asyncio.timeout(within_s):
                work = asyncio.get_running_loop().run_in_executor(one_at_a_time, answered, question)
                return 0, await work, b""

        monkeypatch.setattr(WorkerPool, "_run", run)
        yield
