"""The program that decides: which one begins with an epoch, and which ones people have confirmed (S3).

A server's first row in an epoch names its program; the rows after it are that program's. Where the site wants
it, links wait for two people while the bank does not know the program.
"""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from jackpot.rules.acts.act import FLOOR_OR_ADMIN, Act, ActContext, BankKey
from jackpot.rules.acts.fields import Reason
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import BankState, Program

# What tables and signs are told while two people have not confirmed the program.
PROGRAM_REASON: Final = "program"
DIGEST_BYTES: Final = 32
# A version is a release's number; a wheel's name bounds it.
VERSION_MAX: Final = 64
# Programs that a bank knows, the newest: more than releases come out in the years that people look back on.
KNOWN_MAX: Final = 256

# always: its links play, whichever program it is. confirmed: they wait, unless the bank knows the program.
# never: of a command where no server runs, which serves no links, so it changes nothing of them.
Serves = Literal["always", "confirmed", "never"]

ProgramDigest = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}(?!\n)$", description="the digest of a program, 64 hex digits")
]


class BeginProgram(ActCommand, tag="begin-program", frozen=True):
    """The program that decides from now on. digest: as in `jackpot.program`; empty: nothing is proved."""

    version: str
    digest: bytes
    serves: Serves


class ProgramBegan(Event, frozen=True, array_like=True):
    """The first row of an epoch; a bank's very first row alone stands before it."""

    kind: ClassVar[int] = 86
    version: str
    digest: bytes
    serves: Serves


class ConfirmProgram(ActCommand, tag="confirm-program", frozen=True):
    """Two people have compared a program's digest with the published one: the bank knows it from now on."""

    digest: ProgramDigest
    reason: Reason


class ProgramConfirmed(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 87
    digest: bytes
    reason: str
    people: People


def decide_begin(_state: BankState, command: BeginProgram, _by: ActContext) -> ProgramBegan:
    """Begins a program. Raises InvariantError for an invalid one: only the server itself begins it."""
    fits = len(command.digest) in (0, DIGEST_BYTES) and 0 < len(command.version) <= VERSION_MAX
    invariant(fits, f"{command.version!r} with a digest of {len(command.digest)} bytes is no program")
    return ProgramBegan(command.version, command.digest, command.serves)


def apply_began(effects: Effects, event: ProgramBegan) -> None:
    """Sets the program that decides; links wait for people, or no longer do."""
    state = effects.state
    known = event.digest in state.programs
    waits = {"always": False, "confirmed": not known, "never": state.program.waits}[event.serves]
    state.program = Program(event.version, event.digest, effects.seq, waits)
    if event.serves == "never":
        return
    if event.serves == "always" and event.digest and not known:
        _know(state, event.digest)
    for link in state.links:
        if waits and not link.closed:
            effects.suspend(link, PROGRAM_REASON)
        elif not waits:
            effects.resume(link, PROGRAM_REASON)


def decide_confirm(state: BankState, command: ConfirmProgram, by: ActContext) -> ProgramConfirmed:
    """Confirms the program that runs or, before an upgrade, the one that will."""
    refuse_if(state.bank == SITE, "bank_without_links", bank=SITE)
    digest = bytes.fromhex(command.digest)
    refuse_if(digest in state.programs, "program_known")
    return ProgramConfirmed(digest, command.reason, by.people)


def apply_confirmed(effects: Effects, event: ProgramConfirmed) -> None:
    """Makes the program known; links that waited for it take wagers again."""
    state = effects.state
    _know(state, event.digest)
    if state.program.digest == event.digest and state.program.waits:
        state.program.waits = False
        for link in state.links:
            effects.resume(link, PROGRAM_REASON)


def _know(state: BankState, digest: bytes) -> None:
    state.programs = [*state.programs, digest][-KNOWN_MAX:]


ACTS: Final = (
    Act(
        BeginProgram,
        decide_begin,
        {ProgramBegan: apply_began},
    ),
    Act(
        ConfirmProgram,
        decide_confirm,
        {ProgramConfirmed: apply_confirmed},
        asked=True,
        bank=BankKey.SAID,
        power=FLOOR_OR_ADMIN,
        needs_two="why_program_released",
    ),
)
