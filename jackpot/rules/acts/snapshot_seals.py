"""Snapshot seals: an entry that names the state before it by the SHA-256 of its snapshot.

A start goes on from the older of two sealed states, and decides all that follows again (S3). To plant
another state before that, a forger must write every later entry again. To plant one at the journal's end they
must append a false seal, as many entries as lie between two seals, each by the rules, and one more seal. A
program makes those within seconds: so nothing here proves the end, a signed head outside does (S8).
"""

from hashlib import sha256
from typing import ClassVar, Final

import msgspec

from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.state import BankState

# The form of a snapshot; a snapshot of another form is passed over and the journal replayed instead. Who
# raises it raises RULES_VERSION too: a seal of another form is accepted of an older version alone.
SNAPSHOT_FORMAT: Final = 31

# After so many entries a snapshot seal is due: a start replays twice as many at most, some seconds of work.
SEAL_STEP: Final = 10_000

# No seal is good sooner: so many entries must a forger add before a start goes on from a state of theirs.
SEAL_MIN: Final = SEAL_STEP


class SnapshotSeal(ActCommand, tag="seal", frozen=True):
    """The bank's writer seals the state as it is (S3)."""


class Sealed(Event, frozen=True, array_like=True):
    """The state before this entry. format: of its snapshot. digest: SHA-256 of the snapshot's bytes."""

    kind: ClassVar[int] = 31
    format: int
    digest: bytes


def snapshot_of(state: BankState) -> bytes:
    """The whole state in its canonical bytes."""
    return msgspec.msgpack.encode(state)


def digest_of(snapshot: bytes) -> bytes:
    """The digest by which a snapshot seal names a snapshot; 32 bytes."""
    return sha256(snapshot).digest()


def decide_seal(state: BankState, _command: SnapshotSeal, _by: ActContext) -> Sealed:
    """Seals the state as it is now. Raises InvariantError too soon after the last snapshot seal."""
    since = state.seq - state.sealed
    invariant(
        not state.sealed or since >= SEAL_MIN,
        f"{since} entries after the last seal, and there are at least {SEAL_MIN} between two",
    )
    return Sealed(SNAPSHOT_FORMAT, digest_of(snapshot_of(state)))


def apply_sealed(effects: Effects, event: Sealed) -> None:
    """Records the seal. One of another format is useless here, so it does not delay the next one."""
    if event.format == SNAPSHOT_FORMAT:
        effects.state.sealed = effects.seq


ACTS: Final = (Act(SnapshotSeal, decide_seal, {Sealed: apply_sealed}),)
