"""What comes of a command? What to journal, what to answer, whom to tell."""

from typing import Any, Protocol

import msgspec

from jackpot.rules.postings import Posting


class Written(Protocol):
    """What is journalled of one decided command, as in `Entry`."""

    @property
    def seq(self) -> int: ...
    @property
    def at(self) -> int: ...
    @property
    def kind(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def table(self) -> int | None: ...
    @property
    def table_seq(self) -> int | None: ...
    @property
    def digest(self) -> bytes: ...
    @property
    def body(self) -> bytes: ...


class Entry(msgspec.Struct, frozen=True):
    """What the journal keeps of one decided command; the sequencer adds epoch and hash.

    kind: of the event. version: of the rules. link: its number where one link alone is touched. table: its
    number. body: the event, in its canonical bytes.
    """

    seq: int
    at: int
    kind: int
    version: int
    link: int | None
    table: int | None
    table_seq: int | None
    digest: bytes
    body: bytes
    postings: tuple[Posting, ...]


class Push(msgspec.Struct, frozen=True):
    """A message for everybody it concerns, in the wire's words (WIRE: server pushes).

    table: to that table. link: to every table and sign of that link. signs_of: to the signs alone of
    that link. Exactly one of the three is given.
    """

    message: dict[str, Any]
    table: str | None = None
    link: str | None = None
    signs_of: str | None = None


class Outcome(msgspec.Struct, frozen=True):
    """entry: None where nothing is to be journalled (a resend, a refusal that uses up no number).

    answer: the frame's or act's answer, a map in the wire's words. meters: (link, level, micro-dollars
    of the primary) of every level that moved, after it. alarms: event name and facts, for the log and
    for people; they always say who and where.
    """

    entry: Entry | None
    answer: dict[str, Any]
    pushes: tuple[Push, ...] = ()
    meters: tuple[tuple[str, str, int], ...] = ()
    alarms: tuple[tuple[str, dict[str, Any]], ...] = ()
