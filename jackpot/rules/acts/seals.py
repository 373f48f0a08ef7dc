"""How does the journal bear a snapshot out? An entry names the state before it by the SHA-256 of its bytes.

To plant another state, a forger would have to write that entry and every later one again. At the end of the
journal there are no later ones: what proves the end is a signed head outside the database (S8).
"""

from hashlib import sha256
from typing import ClassVar, Final

import msgspec

from jackpot.rules.acts.act import Act, By
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.state import State

# The form of a snapshot; a snapshot of another form is passed over and the journal replayed instead.
SNAPSHOT_FORMAT: Final = 10


class Seal(ActCommand, tag="seal", frozen=True):
    """The bank's writer seals the state as it is (S3)."""


class Sealed(Event, frozen=True, array_like=True):
    """The state before this entry. format: of its snapshot. digest: SHA-256 of the snapshot's bytes."""

    kind: ClassVar[int] = 31
    format: int
    digest: bytes


def snapshot_of(state: State) -> bytes:
    """The whole state in its canonical bytes."""
    return msgspec.msgpack.encode(state)


def digest_of(snapshot: bytes) -> bytes:
    """What a seal names a snapshot by; 32 bytes."""
    return sha256(snapshot).digest()


def decide_seal(state: State, _command: Seal, _by: By) -> Sealed:
    """The state as it is now."""
    return Sealed(SNAPSHOT_FORMAT, digest_of(snapshot_of(state)))


def apply_sealed(effects: Effects, event: Sealed) -> None:
    """A seal of another format helps no start of this program, so it does not put the next one off."""
    if event.format == SNAPSHOT_FORMAT:
        effects.state.sealed = effects.seq


ACTS: Final = (Act(Seal, decide_seal, {Sealed: apply_sealed}, lambda _, _event: [Seal()]),)
