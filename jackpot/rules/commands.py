"""What may be asked of the engine? Every command, already well-formed, and all that decides it.

What a table commands is its decoded frame; what people and the server ask for stands in `acts`. Sums are
cents, as on the wire; ids are strings. The shell has checked types and ranges.
"""

from typing import Final

import msgspec

from controllers.messages import TableMessage
from jackpot.rules.signing import Proof

DIGEST_BYTES: Final = 16
# The last ones of an act's digest say under which key it was asked for, and the others what was asked.
KEY_BYTES: Final = 8


class Hello(msgspec.Struct, frozen=True):
    """A table greets: answered with its welcome, or `ledger_behind` (a table is a witness)."""

    acked: int | None = None


class ActCommand(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """What people, or the server itself, ask for; each stands in `acts` with what it does."""


Command = TableMessage | Hello | ActCommand


class Draw(msgspec.Struct, frozen=True, gc=False):
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

    at: unix milliseconds; it decides only whether papers and names were kept long enough. tick:
    milliseconds of the server's monotonic clock.
    table: whose frame or hello, None for other commands. digest: of the decoded request, 16 bytes, the same
    for a resend; that of an act ends with its key. people: names that stand for it and that nobody proved,
    none, one or two. proof: who signed instead. draws: by link, for a command that may lock.
    """

    command: Command
    at: int
    tick: int
    digest: bytes
    table: str | None = None
    people: tuple[str, ...] = ()
    draws: dict[str, Draw] = {}
    proof: Proof = Proof()

    @property
    def table_seq(self) -> int | None:
        """The number of a table's frame; None for other commands, which have none."""
        seq: int | None = getattr(self.command, "seq", None)
        return seq
