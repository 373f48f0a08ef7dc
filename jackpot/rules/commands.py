"""Commands of the engine, already well-formed, with everything that decides them.

A table's command is its decoded frame; those of people and of the server stand in `acts`. Sums are cents, as
in the protocol; ids are strings. Types and ranges were checked before.
"""

from typing import Final

import msgspec

from controllers.messages import TableMessage
from jackpot.rules.signing import Proof

DIGEST_BYTES: Final = 16
# The last ones of an act's digest say under which key it was asked for, and the others what was asked.
KEY_BYTES: Final = 8


class TableHello(msgspec.Struct, frozen=True):
    """A table's hello: answered with its welcome, or with `ledger_behind` (it may claim lost acks, S9)."""

    acked: int | None = None


class ActCommand(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """A command of people, or of the server itself; each stands in `acts` with what it does."""


Command = TableMessage | TableHello | ActCommand


class RawDraws(msgspec.Struct, frozen=True, gc=False):
    """Raw secure random numbers for one link's draws of one round (A7), made before the decision.

    magic_chance, lucky_chance: 0 .. N-1, 0 draws. magic_card: 0 .. 51. lucky_box: 1 .. seats. Of a draw
    that is off they decide nothing and are not journalled.
    """

    magic_chance: int
    magic_card: int
    lucky_chance: int
    lucky_box: int


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """A command with all that decides it.

    at: unix milliseconds; it decides only whether papers and names were kept long enough, and
    whether the day of a notice has come. tick:
    milliseconds of the server's monotonic clock.
    table: whose frame or hello, None for other commands. digest: of the decoded request, 16 bytes, the same
    for a resend; that of an act ends with its key. people: its unauthenticated
    names, none, one or two. proof: who signed instead. draws: by link, for a command that may lock.
    """

    command: Command
    at: int
    tick: int
    digest: bytes
    table: str | None = None
    people: tuple[str, ...] = ()
    draws: dict[str, RawDraws] = {}
    proof: Proof = Proof()

    @property
    def table_seq(self) -> int | None:
        """The number of a table's frame; None for other commands."""
        seq: int | None = getattr(self.command, "seq", None)
        return seq
