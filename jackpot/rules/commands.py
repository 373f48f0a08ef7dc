"""What may be asked of the engine? Every command, already well-formed; people and tables alike.

What a table commands is its decoded frame. Sums are cents, as on the wire; ids are strings. The shell has
checked types and ranges.
"""

import msgspec

from controllers.messages import On, TableMessage
from jackpot.rules.events import HandedOn
from jackpot.rules.paytable import LinkTerms, TableTerms


class Hello(msgspec.Struct, frozen=True):
    """A table greets: answered with its welcome, or `ledger_behind` (a table is a witness)."""

    acked: int | None = None


class OpenBank(msgspec.Struct, frozen=True):
    """A bank's first entry. site: the id of the site whose ledger it is in."""

    site: str


class OpenLink(msgspec.Struct, frozen=True):
    terms: LinkTerms


class OpenTable(msgspec.Struct, frozen=True):
    """A table joins, or its terms change while it has no unfinished round."""

    terms: TableTerms


class Suspend(msgspec.Struct, frozen=True):
    """links: empty for all of the bank. reason: what the tables are told. note: why, in people's words."""

    reason: str
    links: tuple[str, ...] = ()
    note: str = ""


class Resume(msgspec.Struct, frozen=True):
    """Takes one reason away from the links; the others stay.

    believe: the tables, with the number each said, whose lost tail the same act confirms (S9).
    """

    reason: str
    links: tuple[str, ...] = ()
    note: str = ""
    believe: tuple[tuple[str, int], ...] = ()


class Reading(msgspec.Struct, frozen=True):
    """Every meter, at the end of the gaming day named (S2)."""

    day: str


class Validate(msgspec.Struct, frozen=True):
    """A floorperson validates a hit, or one of its awards (A10)."""

    hit: str
    award: str | None = None


class Pay(msgspec.Struct, frozen=True):
    """The documentation is complete: a validated hit, or one award, is paid (A10, T11)."""

    hit: str
    award: str | None = None


class Undo(msgspec.Struct, frozen=True):
    """A hit, or one award or share of it, is undone (A11)."""

    hit: str
    reason: str
    award: str | None = None


class Correct(msgspec.Struct, frozen=True):
    """An award comes to another sum (A10), in cents; two people. document: a must where it is paid."""

    award: str
    amount: int
    reason: str
    document: str = ""


class Release(msgspec.Struct, frozen=True):
    """A floorperson releases the cards of a held table (T11)."""

    table: str
    reason: str


class Strike(msgspec.Struct, frozen=True):
    """A floorperson strikes one wager of a round that waits for its count (T3).

    Two people strike one on a dealer's hand that cannot be shown (T8).
    """

    table: str
    round: str
    seat: int
    link: str
    reason: str
    on: On = "own"


class VoidRound(msgspec.Struct, frozen=True):
    """A floorperson voids an unfinished round, two people a reopened one (T6)."""

    table: str
    round: str
    reason: str


class Reopen(msgspec.Struct, frozen=True):
    """A closed round is opened again until the table's next lock (T10).

    By two people at once, or one asks and another answers; until then the table opens and locks no new one.
    """

    table: str
    round: str
    reason: str


class Decline(msgspec.Struct, frozen=True):
    """The answer is no: the round that somebody asked to reopen stays closed (T10)."""

    table: str
    round: str
    reason: str


class ConfirmBehind(msgspec.Struct, frozen=True):
    """Two people believe what a table says that the ledger has lost, or they do not (S9)."""

    table: str
    reason: str
    believe: bool


class BlockDevice(msgspec.Struct, frozen=True):
    """Two devices fight for one key: no more hellos until an operator clears it."""

    role: str
    device: str


class ClearDevice(msgspec.Struct, frozen=True):
    role: str
    device: str


class EndKey(msgspec.Struct, frozen=True):
    """The first hello with a new key ends the old one, or people do. fingerprint: of the key that ends."""

    role: str
    device: str
    fingerprint: str


class CloseBank(msgspec.Struct, frozen=True):
    """The bank, at rest, becomes part of another one."""

    into: str
    reason: str


class BeginBank(msgspec.Struct, frozen=True):
    """A new bank goes on with what others handed on. heads: of each, its name, last entry and its hash."""

    heads: tuple[tuple[str, int, bytes], ...]
    parts: tuple[HandedOn, ...]


SystemCommand = (
    BeginBank | OpenBank | OpenLink | OpenTable | Suspend | Resume | Reading | BlockDevice | EndKey
)
PersonCommand = (
    Validate
    | Pay
    | Undo
    | Correct
    | Release
    | Strike
    | VoidRound
    | Reopen
    | Decline
    | ConfirmBehind
    | ClearDevice
    | CloseBank
    | Suspend
    | Resume
)
Command = TableMessage | Hello | SystemCommand | PersonCommand


class Draw(msgspec.Struct, frozen=True):
    """Raw secure random numbers for one link's draws of one round (A7), made before the decision.

    magic_chance, lucky_chance: 0 .. N-1, 0 draws. magic_card: 0 .. 51. lucky_box: 1 .. seats. Of a draw
    that is off they decide nothing and are not journalled.
    """

    magic_chance: int
    magic_card: int
    lucky_chance: int
    lucky_box: int


class Envelope(msgspec.Struct, frozen=True):
    """A command with all that decides it.

    at: unix milliseconds, recorded only. tick: milliseconds of the server's monotonic clock.
    table: whose frame or hello, None for other commands. digest: of the decoded request, 16 bytes, the same
    for a resend. people: who stands for it, none, one or two. draws: by link, for a command that may lock.
    proved: whether the people signed in.
    """

    command: Command
    at: int
    tick: int
    digest: bytes
    table: str | None = None
    people: tuple[str, ...] = ()
    draws: dict[str, Draw] = {}
    proved: bool = False

    @property
    def table_seq(self) -> int | None:
        """The number of a table's frame; None for other commands, which have none."""
        seq: int | None = getattr(self.command, "seq", None)
        return seq
