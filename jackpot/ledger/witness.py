"""The witness of commitments: a file next to the mystery key, which the ledger's database does not have (Y8).

It names the last commitment of each committed mystery level that was published. So a ledger that was rolled
back or replaced is found out: it lacks a commitment that the witness knows. A row of the journal is made
durable first, then the witness is written and synced, and only then anybody is told. A server that ends
between the two leaves the witness behind the ledger, and nobody was told; a witness ahead of the ledger
always means that something published was lost.

The file is a JSON object: `witness`, its format, and `levels`, one entry a level with the fields of a
commitment's id and the commitment in hexadecimal. It is no secret. It has an order of its own: the number of
a commitment, which grows in its level for ever. An entry is never replaced by a lower one, whichever server
writes later.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from jackpot.ledger.store import LedgerError
from jackpot.rules.commitment import CommitmentId

FORMAT: Final = 1
_ENDING: Final = ".witness"
_PART: Final = ".part"
_LOCK: Final = ".lock"
_MODE: Final = 0o600


class WitnessError(LedgerError):
    """The witness cannot be read or written; the text names the file, and says what to do."""


class Witnessed(NamedTuple):
    """The last commitment of a level, running or opened."""

    which: CommitmentId
    committed: bytes

    @property
    def level(self) -> tuple[str, str, str, str]:
        """Ledger, bank, link and level."""
        return self.which.ledger, self.which.bank, self.which.link, self.which.level


class WitnessPosition(StrEnum):
    """Where the witness of a level stands, seen from the ledger."""

    NONE = "none"  # neither has a commitment
    UNKNOWN = "unknown"  # the witness does not know the level
    BEHIND = "behind"
    EQUAL = "equal"
    OTHER = "other"  # the same number, and another commitment
    AHEAD = "ahead"
    LOST = "lost"  # the ledger has no commitment of the level


# Whether the level may be played on.
LEDGER_HOLDS: Final = {
    WitnessPosition.NONE: True,  # no commitment was ever published
    WitnessPosition.UNKNOWN: True,  # this machine never served the level: a standby, or a new server
    WitnessPosition.BEHIND: True,  # another server went on, or this one ended before it told anybody
    WitnessPosition.EQUAL: True,
    WitnessPosition.OTHER: False,  # a lost tail was written again, otherwise
    WitnessPosition.AHEAD: False,  # the ledger was rolled back, or its last rows were lost
    WitnessPosition.LOST: False,  # it is another ledger, or one from before the level's first commitment
}


def position_of(witnessed: Witnessed | None, ledger: Witnessed | None) -> WitnessPosition:
    """Where the witness stands to the ledger's last commitment of the same level; None: it has none."""
    if witnessed is None:
        return WitnessPosition.NONE if ledger is None else WitnessPosition.UNKNOWN
    if ledger is None:
        return WitnessPosition.LOST
    if witnessed.which.number == ledger.which.number:
        return WitnessPosition.EQUAL if witnessed == ledger else WitnessPosition.OTHER
    return WitnessPosition.AHEAD if witnessed.which.number > ledger.which.number else WitnessPosition.BEHIND


_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Natural = Annotated[int, msgspec.Meta(ge=0)]


class _WitnessEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ledger: str
    bank: str
    link: str
    level: str
    cycle: _Natural
    number: _Natural
    committed: _Digest

    @classmethod
    def of(cls, witnessed: Witnessed) -> "_WitnessEntry":
        id_ = witnessed.which
        return cls(
            id_.ledger, id_.bank, id_.link, id_.level, id_.cycle, id_.number, witnessed.committed.hex()
        )

    def witnessed(self) -> Witnessed:
        *which, committed = msgspec.structs.astuple(self)
        return Witnessed(CommitmentId(*which), bytes.fromhex(committed))


class _WitnessFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    witness: int
    levels: list[_WitnessEntry]


class Witness:
    """The witness file of one key. Its calls block for as long as the disk takes."""

    def __init__(self, key_file: Path) -> None:
        self.file = key_file.with_name(key_file.name + _ENDING)

    def read(self) -> dict[tuple[str, str, str, str], Witnessed]:
        """What it has, by level; empty where there is no file. Raises WitnessError."""
        try:
            text = self.file.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._failed("read", error) from error
        try:
            found = msgspec.json.decode(text, type=_WitnessFile)
            if found.witness != FORMAT:
                raise msgspec.ValidationError(f"format {found.witness}")
        except msgspec.DecodeError as error:
            raise WitnessError(
                f"{self.file} is no witness, or a damaged one ({error}): find out what the signs or tables "
                "showed last before you take it away"
            ) from error
        return {entry.level: entry for entry in (one.witnessed() for one in found.levels)}

    def advance(self, published: Iterable[Witnessed]) -> None:
        """Writes and syncs these, unless it has later ones of their levels. Raises WitnessError."""
        with self._alone():
            held = self.read()
            levels = held | {
                one.level: one
                for one in published
                if one.level not in held or one.which.number > held[one.level].which.number
            }
            if levels != held:
                self._replace(self._write(levels))

    def try_out(self) -> None:
        """Writes all that it has once more, next to it, and takes that away again. Raises WitnessError where
        it could not be written now.
        """
        with self._alone():
            self._write(self.read()).unlink()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps other servers from it meanwhile. Raises WitnessError also for what the disk refuses."""
        try:
            lock = os.open(self._beside(_LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE)
        except OSError as error:
            raise self._failed("written", error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)  # servers of several banks may share the file
            yield
        except OSError as error:
            raise self._failed("written", error) from error
        finally:
            os.close(lock)

    def _write(self, levels: dict[tuple[str, str, str, str], Witnessed]) -> Path:
        """Writes and syncs the file that takes its place."""
        text = msgspec.json.encode(
            _WitnessFile(FORMAT, [_WitnessEntry.of(levels[level]) for level in sorted(levels)])
        )
        part = self._beside(_PART)
        descriptor = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE
        )
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(msgspec.json.format(text) + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        return part

    def _replace(self, part: Path) -> None:
        part.replace(self.file)
        folder = os.open(self.file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _beside(self, ending: str) -> Path:
        return self.file.with_name(self.file.name + ending)

    def _failed(self, done: str, error: OSError) -> WitnessError:
        return WitnessError(
            f"{self.file} cannot be {done}: {error.strerror}: the server's user needs a folder of its own "
            "for the key, which it may write to"
        )
