"""Random numbers for a replay of a mystery link: the journal's own, on whatever terms it is played (Y2, Y9).

Each number is made of random bytes that have nothing to do with the terms. So the same bytes are as random
on others, and on the same terms they give what they gave. Of a drawn link each close has those of its wagers.
Of a committed one each commitment that was opened has its own: the replay's first takes those of the
journal's first, and so on. Of the one that runs the ledger says nothing but that no meter has reached it. In
its place, and for what the journal never drew, come numbers of the replay's own. They are the same every time
that it is asked, and tell nothing: a running trigger is never read here.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha512
from heapq import merge
from typing import Final, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, of_kind, won
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, WORD_BYTES, CommitmentId, uniform
from jackpot.rules.events import Closed, LevelCounted, Settled, TriggerCommitted, TriggerOpened
from jackpot.rules.invariant import require
from jackpot.rules.rounds import mystery
from jackpot.rules.state import Commitment, Link
from jackpot.rules.triggers import NewTrigger, Trigger

_WORDS: Final = 1 << (8 * WORD_BYTES)
# What a replay commits to is told to nobody.
_SALT: Final = bytes(SALT_BYTES)


class RunningAtStart(NamedTuple):
    """A trigger that ran as the replay begins: it stands as it is where the level must hit by the same sum.

    known: it was opened later; else it stands for one that still runs.
    """

    value: int
    upto: int
    known: bool = True


class StandInBytes(NamedTuple):
    """Random bytes that stand for those of the commitment that runs."""

    raw: bytes


TriggerBytes = bytes | RunningAtStart | StandInBytes | None
"""Random bytes of a commitment, or its trigger; None for one that was never opened."""


def commitments_of(
    ledger: Reader, bank: str, link: Link, after: int, upto: int
) -> dict[int, list[TriggerBytes]]:
    """By level, what its commitments had, in their order: that which ran after the entry `after`, then those
    that follow. link: as it stands at `upto`.
    """
    found: dict[int, list[TriggerOpened | None]] = {level.number: [] for level in link.levels}
    renewed = of_kind(ledger, bank, TriggersRenewed.kind, after, upto)
    for entry in merge(won(ledger, bank, after, upto), renewed):
        for number, opened in _opened(entry, link.number):
            found[number].append(opened)
    own = _OwnNumbers(f"{bank} {link.terms.link} running")
    made: dict[int, list[TriggerBytes]] = {}
    for level in link.levels:
        known, running = found[level.number], mystery.running_of(level)
        each: list[TriggerBytes] = [None if one is None else one.raw for one in known]
        if running is not None:
            raw = _not_reached(running, mystery.cycle_of(level).decided, own)
            each.append(StandInBytes(raw))
            if after and not known:
                value = running.above + 1 + uniform(raw, running.upto - running.above).value
                each[0] = RunningAtStart(value, running.upto, known=False)
        if after and known and (first := known[0]) is not None:
            each[0] = RunningAtStart(first.value, first.upto)
        made[level.number] = each
    return made


def _opened(entry: Entry, link: int) -> Iterable[tuple[int, TriggerOpened | None]]:
    """By level what an entry opened, or ended without opening it."""
    event = entry.event
    if isinstance(event, TriggersRenewed):
        for one in event.levels:
            if one.link == link and one.ended is not None:
                yield one.level, one.opened
    elif isinstance(event, Settled | Closed):
        for counted in event.counted:
            if counted.link == link:
                yield from ((counted.level, opened) for opened in counted.opened)


def _not_reached(running: Commitment, decided: int, own: "_OwnNumbers") -> bytes:
    """Random bytes of any trigger that lies above what was decided: a word of all those that give one."""
    below, least = running.upto - running.above, decided - running.above
    offset = least + uniform(own.next(), below - least).value
    # Of so many bytes each word is as likely, to one part in 2^448.
    return (int.from_bytes(own.next()) % (_WORDS // below) * below + offset).to_bytes(WORD_BYTES, "big")


class _OwnNumbers:
    """Pseudo-random bytes of a name, the same each time; nothing is decided by them but a replay."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._number = 0

    def next(self) -> bytes:
        """As many bytes as one number may take."""
        self._number += 1
        return sha512(f"what-if {self._name} {self._number}".encode()).digest()[:RAW_BYTES]


class ReplayRandomness:
    """Chance and triggers of one side of a replay. own: how many numbers were not the journal's."""

    def __init__(
        self, name: str, commitments: Mapping[int, Sequence[TriggerBytes]], levels: Sequence[str]
    ) -> None:
        """name: what the replay's own numbers are of. levels: by their numbers, from 1."""
        self.own = 0
        self._own = _OwnNumbers(name)
        self._kept: dict[bytes, Trigger] = {}
        self._commitments = {
            level: deque(commitments.get(number, ())) for number, level in enumerate(levels, 1)
        }
        self._drawn: dict[int, deque[bytes]] = defaultdict(deque)

    def begin(self, counted: Iterable[LevelCounted]) -> None:
        """The next wagers are those of a close that drew these."""
        self._drawn.clear()
        for one in counted:
            self._drawn[one.level].extend(one.drawn)

    # Chance (rules/chance.py).

    def raw(self, _link: int, level: int) -> bytes:
        """The journal's bytes of the next wager on the level."""
        left = self._drawn[level]
        return self._whole(left.popleft() if left else None)

    # Triggers (rules/triggers.py).

    def missing(self, committed: bytes) -> bool:
        """As in `TriggerSource`."""
        return committed not in self._kept

    lost = missing

    def crossed(self, committed: bytes, meter: int) -> bool:
        """As in `TriggerSource`."""
        return meter >= self._trigger(committed).value

    def opened(self, committed: bytes) -> Trigger:
        """As in `TriggerSource`."""
        return self._trigger(committed)

    def commit(
        self,
        least: CommitmentId,
        above: int,
        upto: int,
        *,
        people: bool = False,  # noqa: ARG002
    ) -> TriggerCommitted | None:
        """As in `TriggerSource`, by the bytes of the journal's next commitment of the level."""
        left = self._commitments[least.level]
        made = left.popleft() if left else None
        if isinstance(made, RunningAtStart):
            made = self._standing(made, above, upto)
        if isinstance(made, StandInBytes):
            self.own += 1
            made = made.raw
        drawing = uniform(self._whole(made), upto - above)
        new = NewTrigger(least, Trigger(_SALT, above + 1 + drawing.value, drawing.raw))
        self._kept[new.committed] = new.trigger
        return TriggerCommitted(least.number, new.committed)

    def _standing(self, begun: RunningAtStart, above: int, upto: int) -> bytes | StandInBytes | None:
        """TriggerBytes that give the trigger with which the replay begins; None where it is drawn anew."""
        if begun.upto != upto or begun.value <= above:
            return None
        raw = (begun.value - above - 1).to_bytes(WORD_BYTES, "big")
        return raw if begun.known else StandInBytes(raw)

    def _trigger(self, committed: bytes) -> Trigger:
        return require(self._kept.get(committed), "the replay has committed to no such trigger")

    def _whole(self, raw: bytes | None) -> bytes:
        """As many bytes as one number may take: on other terms a word may be rejected that once counted."""
        self.own += raw is None
        return (raw or b"") + self._own.next()[: RAW_BYTES - len(raw or b"")]
