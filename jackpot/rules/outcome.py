"""Outcome of a command: the journal entry, the answer and the pushes."""

from typing import Any, Protocol

import msgspec

from controllers.answers import (
    Ack,
    Award,
    AwardFacts,
    Drawn,
    Error,
    Hit,
    Link,
    LinkFacts,
    Nack,
    Notice,
    Refund,
    Round,
    RoundFacts,
    Status,
    WaitingHit,
)
from jackpot.rules.invariant import InvariantError
from jackpot.rules.phrases import Values, english
from jackpot.rules.postings import Posting


class Written(Protocol):
    """The part of a decided command that is journalled, as in `DecidedEntry`."""

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


class DecidedEntry(msgspec.Struct, frozen=True, gc=False):
    """Journal entry of one decided command; the sequencer adds bank, epoch and hash.

    kind: of the event. version: of the rules. link: its number where one link alone is touched. table: its
    number. body: the event, in its canonical bytes. postings: by link, then level. hits: the numbers of those
    that it made or changed.
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
    hits: tuple[int, ...] = ()


class WaitingAwards(msgspec.Struct, frozen=True):
    """Awards of a table that wait for people, sent after its welcome.

    after: the next ones are of hits with a higher number; None where there are no more.
    """

    awards: tuple[Award, ...]
    after: int | None


class Greeting(msgspec.Struct, frozen=True):
    """The welcome of a table: what it needs to go on."""

    last_seq: int
    last: Ack | Nack | None
    held: bool
    links: tuple[LinkFacts, ...]
    round: RoundFacts | None
    waiting: WaitingAwards


class ActAnswer(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Answer to an act, for people or the server itself. code, template, values, hits: of a refusal.

    difference: what was journalled against a paid award by this act, in cents. differences: what is
    journalled against each of `awards` in all, none left out but 0. asked: a second person is waited for,
    for a request of that id if it is one. person, token: the number of a new one. keys: those that ended.
    """

    ok: bool
    code: str = ""
    template: str = ""
    values: Values = ()
    hits: tuple[str, ...] = ()
    hit: str = ""
    awards: tuple[AwardFacts, ...] = ()
    warn: tuple[str, ...] = ()
    refunds: tuple[Refund, ...] | msgspec.UnsetType = msgspec.UNSET
    left: dict[str, int] | None = None
    difference: int | None = None
    asked: bool = False
    request: str = ""
    person: int = 0
    token: int = 0
    differences: dict[str, int] = {}
    keys: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The English of a refusal; "" of what was done."""
        return "" if self.ok else english(self.template, self.values)


class AnswerBuilder(msgspec.Struct, gc=False):
    """Builds an entry's answer; fields as in ActAnswer and the protocol's ack."""

    awards: tuple[AwardFacts, ...] = ()
    draw: dict[str, Drawn] | None = None
    warn: tuple[str, ...] = ()
    refunds: tuple[Refund, ...] | msgspec.UnsetType = msgspec.UNSET
    left: dict[str, int] | None = None
    hit: str = ""
    difference: int | None = None
    asked: bool = False
    request: str = ""
    person: int = 0
    token: int = 0
    differences: dict[str, int] = {}
    keys: tuple[str, ...] = ()

    def ack(self, seq: int) -> Ack:
        """The answer to a table's frame."""
        return Ack(seq, self.awards, self.draw, self.warn, self.refunds, self.left)

    def done(self) -> ActAnswer:
        """The answer to an act."""
        return ActAnswer(
            ok=True,
            hit=self.hit,
            awards=self.awards,
            warn=self.warn,
            refunds=self.refunds,
            left=self.left,
            difference=self.difference,
            asked=self.asked,
            request=self.request,
            person=self.person,
            token=self.token,
            differences=self.differences,
            keys=self.keys,
        )


Answer = Ack | Nack | Greeting | Error | ActAnswer


class Push(msgspec.Struct, frozen=True, gc=False):
    """A message to everybody it concerns (WIRE: server pushes).

    table: to that table. link: to every table and sign of that link. signs_of: to the signs alone of
    that link. Exactly one of the three is given.
    """

    message: Link | Hit | Award | Status | Round
    table: str | None = None
    link: str | None = None
    signs_of: str | None = None


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a command.

    entry: None where nothing is to be journalled (a resend, a refusal that uses up no number).

    answer: to a frame an Ack or a Nack; to a hello a Greeting, or an Error; to an act its own. meters: (link,
    level, micro-dollars of the primary) of every level that moved, after it. waiting: of every link whose
    awards changed, its jackpots that wait for a floorperson now (S7). alarms: event name and facts, for the
    log and for people; they always say who and where. notices: by link, those that stand now; None where
    they are as before (P2).
    """

    entry: DecidedEntry | None
    answer: Answer
    pushes: tuple[Push, ...] = ()
    meters: tuple[tuple[str, str, int], ...] = ()
    waiting: tuple[tuple[str, tuple[WaitingHit, ...]], ...] = ()
    alarms: tuple[tuple[str, dict[str, Any]], ...] = ()
    notices: dict[str, tuple[Notice, ...]] | None = None

    def of_act(self) -> ActAnswer:
        """The answer to an act. Raises InvariantError where it is none."""
        if not isinstance(self.answer, ActAnswer):
            raise InvariantError(f"an act was answered with {type(self.answer).__name__}")
        return self.answer
