"""Pytest setup for the whole suite: no skips in CI, no leftover processes, test scheduling and workers.

It also sets the order of the tests and the number of processes.
"""

import functools
import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jinja2 import Environment
from jinja2.bccache import Bucket, BytecodeCache
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from jackpot.runtime.isolate import failures
from tests.callbacks import failures_of_callbacks
from tests.engines import database, ledger_template, postgres, redis, redis_there, room_in_memory
from tests.faults.repeat import SHARED_MEMORY
from tests.ledgers import fresh
from tests.leftovers import shared_memory, until_nothing_is_left
from tests.nightly import NIGHTLY, at_night
from tests.web.browser import close_shared

__all__ = [
    "database",
    "fresh",
    "ledger_template",
    "postgres",
    "redis",
    "redis_there",
]  # fixtures for every test

MEMORY_BEFORE: Final = pytest.StashKey[set[str]]()
# What starts programs and browsers takes longest, and waits for them most of that time. It comes first.
FIRST: Final = (
    "tests/test_wheel.py",
    "tests/cli/test_bench.py",
    "tests/e2e/",
    "tests/web/",
    "tests/lab/",
    "tests/deploy/",
    "tests/cli/",
)
# What reckons and never waits comes last, the longest last of all: half of the workers begin there. So there
# is always something to reckon while others wait, and short tests are left for the end of the run.
LAST: Final = ("tests/odds/", "tests/rules/test_against_model.py", "tests/faults/", "tests/reports/")
# What tests of a file share is made once, so one worker runs each such file whole: those that say so in these
# words, and these, whose checks over the tree read it once, or whose whole folder reads one ledger.
SHARES: Final = 'scope="module"'
TOGETHER: Final = ("tests/test_tidy.py", "tests/config/test_languages.py", "tests/reports/")
TESTS: Final = Path(__file__).parent
IN_CI: Final = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def _fail_instead_of_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = (
            f"{report.nodeid}: {reason}. In CI nothing may be skipped: .ci/run installs what is missing."
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_instead_of_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_instead_of_skip(report)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Number of workers for `-n auto`: two for a core, because tests of real programs often wait, and one.

    So more than half of them begin with what waits (LAST), and meanwhile the others reckon.
    """
    return len(os.sched_getaffinity(0)) * 2 + 1


@functools.cache
def together(file: str) -> str | None:
    """What one worker runs whole, of which this file is a part: the file itself, or a folder."""
    for part in TOGETHER:
        if file.startswith(part):
            return part
    path = TESTS.parent / file
    return file if path.is_file() and SHARES in path.read_text("utf-8") else None


class Together(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Scheduler that gives each worker the next test, or what is run together.

    Every other worker gets it from the end of the order.
    """

    def _assign_work_unit(self, node: Any) -> None:
        if int(node.gateway.id.removeprefix("gw")) % 2:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        return together(nodeid.partition("::")[0]) or nodeid

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Forgets what is done: after each test the whole of it is counted again."""
        super().mark_test_complete(node, item_index, duration)
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    return Together(config, log)


class Turned(pytest.Package):
    """The package of all tests, of which each worker begins at another part.

    The first who reads a file of tests compiles it, and keeps that for the others. Workers that go the same
    way at one time would each compile everything: a third of a minute of a processor for each of them.
    """

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        parts = list(super().collect())
        worker: dict[str, Any] = getattr(self.config, "workerinput", {"workerid": "gw0", "workercount": 1})
        first = int(worker["workerid"].removeprefix("gw")) * len(parts) // worker["workercount"]
        yield from parts[first:]
        yield from parts[:first]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> Turned | None:
    return Turned.from_parent(parent, path=path) if path == TESTS else None


def _place(item: pytest.Item) -> int:
    """In which part of the run a test comes."""
    if item.nodeid.startswith(FIRST):
        return -1
    return next((place for place, part in enumerate(LAST, 1) if item.nodeid.startswith(part)), 0)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    items.sort(key=lambda item: item.path)  # whichever part came first
    yield  # pytest brings those together that share a fixture's case
    if not NIGHTLY:
        later = [item for item in items if item.get_closest_marker(at_night.name)]
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if not item.get_closest_marker(at_night.name)]
    items.sort(key=_place)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MEMORY_BEFORE] = shared_memory()
    if room_in_memory():  # pytest's name for where its folders of tests lie
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(SHARED_MEMORY))
    gc.disable()  # until all tests are known


def pytest_collection_finish() -> None:
    """Has the garbage collector never look at what the collection made: a million objects, which stay."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module")
def made_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> None:
    """Marks a resource that tests of a file share; an error where a second worker makes it too."""
    if worker_id != "master":
        run = tmp_path_factory.getbasetemp().parent
        (run / request.node.name.replace("/", "-")).touch(exist_ok=False)


class CompiledTemplates(BytecodeCache):
    """The templates of pages as they were compiled, by name and text; each server of a test has them anew."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self._code.get(bucket.key + bucket.checksum):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once() -> Generator[None]:
    """Servers of a worker share compiled templates. To compile one costs more than most tests of a page."""
    with pytest.MonkeyPatch.context() as patch:
        shared = functools.partial(Environment, bytecode_cache=CompiledTemplates())
        patch.setattr("jackpot.web.sign_pages.Environment", shared)
        yield


@pytest.fixture(autouse=True)
def nobody_was_broken_off() -> Generator[None]:
    """Fails the test when the server caught an exception to isolate a peer."""
    before = failures()
    yield
    assert failures() == before, "a peer's handling raised: the log has it as peer_failed"


@pytest.fixture(autouse=True)
def no_callback_failed() -> Generator[None]:
    """An exception in an event loop's callback fails the test that caused it."""
    with failures_of_callbacks() as failed:
        yield
    assert not failed, "a callback of the event loop raised"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the run if a process still works in its folder, or new shared memory is left, at the end."""
    close_shared()
    config = session.config
    if hasattr(config, "workerinput"):
        return
    folder: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    left = until_nothing_is_left(folder, config.stash[MEMORY_BEFORE])
    for what in left:
        config.get_terminal_writer().line(f"left behind: {what}", red=True)
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
