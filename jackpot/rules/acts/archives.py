"""Archiving of old frames: the journal records the cut after which its chain goes on without them (S8).

The entries that stay behind the cut are all that is no table's frame, each frame that made or changed a hit,
and each refusal. So whatever is read by its kind or by its hit stays where it was.
"""

from typing import ClassVar, Final

import msgspec

from jackpot.rules.acts.act import ADMIN, Act, ActContext
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.signing import People
from jackpot.rules.state import BankState

_HASH_BYTES: Final = 32


class Cut(msgspec.Struct, frozen=True, array_like=True):
    """The entry up to which frames are archived; a snapshot seal follows it, so that its state is known.

    seq, hash, epoch, version: of that entry. since: the entry after which its epoch began. gone: the first
    entry that goes. stays: SHA-256 over the entries up to `seq` that stay, as `jackpot.ledger.archived` says.
    """

    seq: int
    hash: bytes
    epoch: int
    version: int
    since: int
    gone: int
    stays: bytes


class Archive(ActCommand, tag="archive", frozen=True):
    """Frames of tables leave the ledger for an archive."""

    cut: Cut
    reason: str


class Archived(Event, frozen=True, array_like=True):
    """Frames of tables up to the cut are in an archive; until they are taken out of the ledger, here too."""

    kind: ClassVar[int] = 85
    cut: Cut
    people: People
    reason: str


def decide_archive(state: BankState, command: Archive, by: ActContext) -> Archived:
    """Archives frames before the newest snapshot seal, by two people."""
    cut = command.cut
    invariant(0 < cut.gone <= cut.seq < state.sealed, "it cuts where no sealed entry is")
    invariant(len(cut.hash) == len(cut.stays) == _HASH_BYTES, "a hash has 32 bytes")
    invariant(0 <= cut.since < cut.seq and cut.epoch > 0 and cut.version > 0, "no entry is so")
    return Archived(cut, by.people, command.reason)


def apply_archived(_effects: Effects, _event: Archived) -> None:
    """Changes nothing: the state needs none of those entries."""


ACTS: Final = (
    Act(
        Archive,
        decide_archive,
        {Archived: apply_archived},
        power=ADMIN,
        needs_two="why_rows_archived",
    ),
)
