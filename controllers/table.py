"""Table side of the protocol: each command is decided exactly once (numbering, outbox, recovery).

A command gets the next number and is written to memory before it is sent. It leaves the outbox with its
answer. On a new connection all unanswered commands are sent again under the same numbers. The server repeats
its answer to those that it has already decided, and decides the rest.

An answer with `expected` used up no number. Then nothing new is sent until all that was sent is answered.
Commands refused with `seq_gap` are sent again in order, numbered from `expected`. The other answers of this
kind (`suspended`, `table_held`, `seq_conflict`, `seq_old`) go to the caller, who decides whether to retry.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, Final

from controllers.device import CommandAnswered, DeviceEvent, DeviceSession
from controllers.frames import BadFrame
from controllers.memory import Memory, Record
from controllers.pace import UNANSWERED_MAX
from controllers.session import SILENT_HEARTBEATS, SessionClosed
from controllers.states import SessionState

MEMORY_MAX: Final = 262_144
"""Bytes of memory after which it begins a new log: some 1,000 rounds, read in an instant at the start."""


class Offline(Exception):
    """The server is not reachable: no progressive wagers are taken."""


class Full(Exception):
    """The limit of unanswered commands is reached; wait for an answer."""


@dataclass(slots=True)
class Pending:
    """One unanswered command. sent_at: None until sent on this connection. turned_back: by a gap."""

    ticket: int
    message: dict[str, Any]
    sent_at: float | None = None
    turned_back: bool = False

    def is_out(self) -> bool:
        """Whether it was sent and waits for its answer."""
        return self.sent_at is not None and not self.turned_back


class TableSession(DeviceSession):
    """Session of a table over all its connections, and over power loss as far as its memory lasts."""

    role = "table"

    def __init__(self, device: str, key: bytes, random: Callable[[], float], memory: Memory) -> None:
        super().__init__(device, key, random)
        self.acked = 0
        """The highest number with a durable answer."""
        self.last: dict[str, Any] | None = None
        """The newest durable answer."""
        self.pending: list[Pending] = []
        """Unanswered commands, oldest first; their numbers are dense."""
        self._memory = memory
        self._tickets = count(1)
        self._expected: int | None = None
        self._last_follows = False
        self._last_seq = 0
        for record in memory.load():
            self._remember(record)
        self._next = self.pending[-1].message["seq"] + 1 if self.pending else self.acked + 1

    def online(self, now: float) -> bool:
        """Whether progressive wagers may be taken: the server is connected and answers in time."""
        return self.state is SessionState.TABLE and now < self._late_at()

    @property
    def full(self) -> bool:
        """Whether no further command may be submitted before one is answered."""
        return len(self.pending) >= UNANSWERED_MAX

    def submit(self, message: Mapping[str, Any], now: float) -> int:
        """Submit a command without its seq; returns the ticket that `CommandAnswered` carries.

        Raises Offline for a wager while not online, Full at 64 unanswered commands. Other commands wait for
        the server.
        """
        if message["t"] == "wager" and not self.online(now):
            raise Offline("the table is offline: no progressive wagers")
        if self.full:
            raise Full(f"{UNANSWERED_MAX} commands are unanswered")
        item = Pending(next(self._tickets), {**message, "seq": self._next})
        self._memory.append(["put", item.message])
        self._next += 1
        self.pending.append(item)
        if self.state is SessionState.TABLE and self._expected is None:
            self._dispatch(item, now)
        return item.ticket

    # Input from the server.

    def _hello_facts(self) -> dict[str, Any]:
        return {"acked": self.acked}

    def _welcomed(self, message: dict[str, Any], now: float) -> None:
        last_seq = message.get("last_seq")
        if type(last_seq) is not int or last_seq < 0:
            raise BadFrame("last_seq: missing")
        self._last_seq, self._last_follows = last_seq, message.get("last_follows") is True
        if last_seq < self.acked or not self.pending:
            self.acked, self.last = last_seq, message.get("last")
        first = self.pending[0].message["seq"] if self.pending else last_seq + 1
        self._expected = None
        self._number_from(min(first, last_seq + 1))
        for item in self.pending:
            self._dispatch(item, now)

    def _answered(self, message: dict[str, Any], events: list[DeviceEvent], now: float) -> None:
        if self._last_follows:
            self._take_last(message)
            return
        item = next(filter(Pending.is_out, self.pending), None)
        if item is None or message.get("seq") != item.message["seq"]:
            raise BadFrame(f"answer to {message.get('seq')}, which is not the oldest command sent")
        code, expected = message.get("code"), message.get("expected")
        if code == "not_active":
            self.state = SessionState.CLOSED
            events.append(SessionClosed("not_active", "the server is no longer the active one"))
            return
        if expected is not None:
            if type(expected) is not int or expected < 1:
                raise BadFrame("expected: a number above zero is needed")
            self._expected = expected
        if code == "seq_gap":
            item.turned_back = True
        else:
            self._done(item, message)
            events.append(CommandAnswered(item.ticket, item.message, message))
        self._go_on(now)

    def _take_last(self, message: dict[str, Any]) -> None:
        """Handle the answer to the welcome's last_seq, for which the welcome had no room."""
        self._last_follows = False
        if message.get("seq") != self._last_seq:
            raise BadFrame(f"answer to {message.get('seq')} in place of that to {self._last_seq}")
        if self.acked == self._last_seq:
            self.last = message
            self._memory.append(self._whole())

    def _done(self, item: Pending, answer: dict[str, Any]) -> None:
        """Complete a command: remove it from the log, then act on the answer."""
        self.pending.remove(item)
        if "expected" not in answer:
            self.acked, self.last = max(self.acked, item.message["seq"]), answer
        self._memory.append(["done", item.message["seq"], answer])
        if self._memory.size > MEMORY_MAX:
            self._memory.replace(self._whole())

    def _go_on(self, now: float) -> None:
        """After a gap, once everything sent is answered: renumber the rest and send it."""
        if self._expected is None or any(map(Pending.is_out, self.pending)):
            return
        self._number_from(self._expected)
        self._expected = None
        for item in self.pending:
            self._dispatch(item, now)

    def _number_from(self, first: int) -> None:
        """Number all pending commands from here; stored before any of them is sent."""
        for seq, item in enumerate(self.pending, first):
            item.message = {**item.message, "seq": seq}
        self._next = first + len(self.pending)
        self._memory.append(self._whole())

    def _dispatch(self, item: Pending, now: float) -> None:
        item.sent_at, item.turned_back = now, False
        self._send(item.message, now)

    def _late_at(self) -> float:
        """When the oldest sent command counts as late."""
        sent = [each.sent_at for each in self.pending[:1] if each.sent_at is not None]
        return sent[0] + SILENT_HEARTBEATS * self.heartbeat if sent else inf

    # The log.

    def _whole(self) -> Record:
        return ["all", self.acked, self.last, [item.message for item in self.pending]]

    def _remember(self, record: Record) -> None:
        match record:
            case ["put", message]:
                self.pending.append(Pending(next(self._tickets), message))
            case ["done", seq, answer]:
                self.pending = [item for item in self.pending if item.message["seq"] != seq]
                if "expected" not in answer:
                    self.acked, self.last = max(self.acked, seq), answer
            case ["all", acked, last, messages]:
                self.acked, self.last = acked, last
                self.pending = [Pending(next(self._tickets), message) for message in messages]
            case _:
                raise ValueError(f"the memory holds a record that is not ours: {record!r}")
