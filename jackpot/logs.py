"""Non-blocking, rate-limited logging in JSON lines.

Every event is one line of JSON, or one that people read where it goes to a terminal. A thread of its own
writes it, for a pipe that nobody reads blocks, and one whose reader is gone breaks: what cannot be written
is dropped and counted, and the caller goes on. Where a peer can cause a line, the line names its `kind`:
the first of a kind leaves at once, later ones are counted and at most one in 10 s says how many `more`
there were. Many devices are many kinds: of one event no more than two lines leave in a second, and the
other kinds wait for their turn. Where one peer can cause many kinds, such as a stranger who tries one
device's key after the other, the line names its `source`, too: sources take turns, so that an address with
many kinds keeps no other waiting.
"""

import atexit
import logging
import os
import select
import sys
import threading
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator
from math import inf
from typing import Any, Final, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor, WrappedLogger

from jackpot.clock import Clock, SystemClock

# One cause that goes on and on fills 360 lines in an hour; an operator sees that it does within seconds.
SAMPLE_S: Final = 10.0
# Lines of one event in a second, whatever their kinds: an operator reads no more, and one cause can touch
# every device of the floor.
LINES_A_SECOND: Final = 2
# Kinds of one event that are remembered at one moment: devices times reasons, or addresses. Beyond it the new
# ones of that event share one.
KINDS_MAX: Final = 4_096
# Lines that wait for a slow reader, about 1 MB; more are dropped.
LINES_MAX: Final = 4_096
# At the end a reader that takes nothing has this long to take the last lines.
CLOSE_WITHIN_S: Final = 1.0
# One that would take them is waited for so many times as long: the machine is busy, and our thread waits.
_CLOSE_TURNS: Final = 20
# Enough of a library's own words to tell its events apart.
_WORDS_MAX: Final = 64
_TEXT_MAX: Final = 500
# The shared name of kinds for which there is no room.
_OTHERS: Final = ("others", "others")


# Never the values of variables: a key may be among them.
_FOR_PROGRAMS: Final[tuple[Processor, ...]] = (
    structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    structlog.processors.JSONRenderer(),
)
_FOR_PEOPLE: Final[tuple[Processor, ...]] = (
    structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback, pad_event_to=20),
)


class _KindSampling:
    """The sampling state of one kind: when a line left, how many did not since, and the last of them."""

    __slots__ = ("at", "held", "last", "source")

    def __init__(self, source: Hashable) -> None:
        self.source = source
        self.at = -inf
        self.held = 0
        self.last: tuple[str, EventDict] | None = None


class _Event:
    """The kinds of one event. left: when its last lines did. owed: kinds wait; new ones wait behind them."""

    def __init__(self) -> None:
        self.kinds: dict[Hashable, _KindSampling] = {}
        self.left: deque[float] = deque(maxlen=LINES_A_SECOND)
        self.owed = False

    def kind(self, name: Hashable, source: Hashable) -> _KindSampling:
        """The kind of that name and source, or the one that those share for which there is no room."""
        known = source, name
        if known not in self.kinds and len(self.kinds) >= KINDS_MAX:
            known = _OTHERS
        return self.kinds.setdefault(known, _KindSampling(known[0]))

    def passes(self, kind: _KindSampling, now: float) -> bool:
        """Whether a new line may leave at once."""
        return now >= kind.at + SAMPLE_S and not self.owed and self._room(now)

    def leaves(self, kind: _KindSampling, now: float) -> None:
        """Records that a line of the kind left."""
        self.left.append(now)
        kind.at, kind.held, kind.last = now, 0, None

    def due(self, now: float) -> Iterator[tuple[str, EventDict]]:
        """As `Sampling.due`: least recently reported source first, then its least recently reported kind."""
        self.owed = False
        told: dict[Hashable, float] = {}
        for kind in self.kinds.values():
            told[kind.source] = max(told.get(kind.source, -inf), kind.at)
        turns = sorted(self.kinds.items(), key=lambda known: (told[known[1].source], known[1].at))
        for name, kind in turns:
            if now < kind.at + SAMPLE_S:
                continue
            if kind.last is None:
                del self.kinds[name]
            elif self._room(now):
                yield _event_of(kind.last, kind.held)
                self.leaves(kind, now)

    def _room(self, now: float) -> bool:
        """Whether a line of this event may leave now; if not, the next ones wait behind it."""
        free = len(self.left) < LINES_A_SECOND or now - self.left[0] > 1
        self.owed = self.owed or not free
        return free


class Sampling:
    """A structlog processor: one line of a kind in 10 s, two of an event in a second.

    Lines without `kind` all pass. Those without `source` are a source of their own for each kind.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._events: dict[str, _Event] = {}
        self._lock = threading.Lock()

    def __call__(self, _logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        """The line, with `more` where others of its kind were held back. Raises DropEvent."""
        if (name := event.pop("kind", None)) is None:
            return event
        source = event.pop("source", name)
        now = self._clock.monotonic()
        with self._lock:
            of = self._events.setdefault(event["event"], _Event())
            kind = of.kind(name, source)
            if not of.passes(kind, now):
                kind.held += 1
                kind.last = method, event
                raise structlog.DropEvent
            held = kind.held
            of.leaves(kind, now)
        return {**event, "more": held} if held else event

    def due(self) -> list[tuple[str, EventDict]]:
        """The last lines of the kinds whose turn has come, each with how many more it stands for.

        Least recently reported sources come first, and then kinds. Silent kinds are forgotten.
        """
        now = self._clock.monotonic()
        with self._lock:
            return [line for event in self._events.values() for line in event.due(now)]

    def rest(self) -> list[tuple[str, EventDict]]:
        """At the end: one line for each event that was held back, with how many more it stands for."""
        last, held = {}, Counter[str]()
        with self._lock:
            for name, event in self._events.items():
                for kind in event.kinds.values():
                    if kind.last is not None:
                        last[name] = kind.last
                        held[name] += kind.held
                        kind.held, kind.last = 0, None
        return [_event_of(line, held[name]) for name, line in last.items()]


def _event_of(line: tuple[str, EventDict], held: int) -> tuple[str, EventDict]:
    method, event = line
    return method, {**event, "more": held - 1} if held > 1 else event


class Sink:
    """Writes lines in the order in which they came. dropped: the number of lines lost."""

    def __init__(self, file: int, sampling: Sampling) -> None:
        self.dropped = 0
        self._file = file
        self._sampling = sampling
        self._lines: deque[bytes] = deque()
        self._writing = 0
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Takes a line; never waits."""
        with self._news:
            if len(self._lines) >= LINES_MAX:
                self.dropped += 1
                return
            self._lines.append(line.encode(errors="backslashreplace"))
            self._news.notify_all()

    def flush(self) -> None:
        """Does nothing: the caller does not wait for the reader."""

    def close(self, last: str = "") -> None:
        """Waits for all lines to be written, but not for long. last: a text for people, after every line."""
        self._tell(self._sampling.rest())
        with self._news:
            if last:
                self._lines.append(f"{last}\n".encode())
                self._news.notify_all()
            for _ in range(_CLOSE_TURNS):
                left = self._news.wait_for(lambda: not self._lines and not self._writing, CLOSE_WITHIN_S)
                if left or not self._ready():
                    return

    def _ready(self) -> bool:
        """Whether the reader accepts more."""
        waiting = select.poll()
        waiting.register(self._file, select.POLLOUT)
        return any(event & select.POLLOUT for _, event in waiting.poll(0))

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._lines, SAMPLE_S / 10)
                lines, self._lines = self._lines, deque()
                self._writing = len(lines)
            if lines:
                self._write(b"".join(lines))
                with self._news:
                    self._writing = 0
                    self._news.notify_all()
            self._tell(self._sampling.due())

    def _tell(self, lines: Iterable[tuple[str, EventDict]]) -> None:
        for method, event in lines:
            getattr(structlog.get_logger(), method)(**event)

    def _write(self, data: bytes) -> None:
        """Writes all of the lines, or counts those of which any part was lost."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            self.dropped += bytes(view).count(b"\n")


class _FailsafeLogger(structlog.make_filtering_bound_logger(logging.INFO)):  # type: ignore[misc]
    """A logger whose own errors are swallowed: a line that cannot be made is dropped."""

    def _proxy_to_logger(self, method_name: str, event: str | None = None, *args: Any, **facts: Any) -> Any:
        try:
            return super()._proxy_to_logger(method_name, event, *args, **facts)
        except Exception:  # noqa: BLE001 - whatever it is, it may not touch the money
            dropped_one()
            return None


class _Libraries(logging.Handler):
    """Logs of asyncio and aiohttp as events of ours, sampled, for a peer can cause them."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        kind = record.name, str(record.msg)[:_WORDS_MAX], type(error).__name__
        try:
            words = record.getMessage()[:_TEXT_MAX]
        except (TypeError, ValueError):
            words = str(record.msg)[:_TEXT_MAX]
        level = record.levelno if record.levelno in (logging.INFO, logging.WARNING) else logging.ERROR
        structlog.get_logger().log(
            level, "library", logger=record.name, message=words, exc_info=error, kind=kind
        )


_sinks: Final[list[Sink]] = []
_unmade: Final = [0]


def dropped_one() -> None:
    """Counts a line that could not be made."""
    _unmade[0] += 1


def lines_dropped() -> int:
    """The number of lines lost since the process began."""
    return _unmade[0] + sum(sink.dropped for sink in _sinks)


def write_logs(file: TextIO | None = None) -> Sink:
    """Writes every event as one line to `file`, else to standard error: event name, keys, time in UTC.

    JSON for programs; on a terminal in colours for the person before it. Close what it returns with the last
    line: anything written past it could come before the last lines.
    """
    sampling = Sampling(SystemClock())
    out = file or sys.stderr
    # A descriptor of its own: if the file is closed, its number may become another file's.
    sink = Sink(os.dup(out.fileno()), sampling)
    _sinks.append(sink)
    atexit.register(sink.close)
    structlog.configure(
        processors=[
            sampling,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(_FOR_PEOPLE if out.isatty() else _FOR_PROGRAMS),
        ],
        wrapper_class=_FailsafeLogger,
        logger_factory=structlog.WriteLoggerFactory(file=sink),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Libraries()], level=logging.WARNING, force=True)
    # What it warns of is a stranger's word, which it repeats.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
    return sink
