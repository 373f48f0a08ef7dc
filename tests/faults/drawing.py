"""Draws of the simulated servers for mysteries, and the part of them that the journal may have (Y1, Y2, Y12).

The oracle sees each number that the operating system's source would have given. So it knows every running
trigger from its commitment alone, and needs neither the key nor what a server says when it opens one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from jackpot.rules.cards import DECK
from jackpot.rules.events import Closed, Event, LevelCounted, Settled, TriggerCommitted, TriggerOpened
from jackpot.rules.state import DrawMade
from tests.faults.difference import Difference, same
from tests.faults.model_must_hit import Meter, Value, from_raw, number

# As the rules' README has it, for a check of a commitment in another language.
DOMAIN: Final = b"jackpot mystery commitment 1"
SALT_BYTES: Final = 32
# A lock draws four numbers for a link, of no level: of the card, which, of the box, which.
PER_LOCK: Final = 4
NO_LEVEL: Final = 0

Where = tuple[int, int]  # a link's number, and a level's


def commitment(*fields: str | int | bytes) -> bytes:
    """SHA-256 of the domain and these fields, each with its length before it."""
    texts = [one if isinstance(one, bytes) else str(one).encode() for one in fields]
    return sha256(b"".join(len(text).to_bytes(4, "big") + text for text in (DOMAIN, *texts))).digest()


class Drawn(NamedTuple):
    """What was drawn for one trigger."""

    raw: bytes
    salt: bytes


class Source:
    """The random bytes of all servers' triggers, seeded. loose: drawn, and in no row that is known yet."""

    def __init__(self, random: Random) -> None:
        self.loose: list[Drawn] = []
        self._random = random
        self._raw = b""

    def token_bytes(self, length: int) -> bytes:
        """First the bytes of a number, then its salt."""
        given = self._random.randbytes(length)
        if length == SALT_BYTES:
            self.loose.append(Drawn(self._raw, given))
        else:
            self._raw = given
        return given


class Chance:
    """The random bytes by which each process first decided a command, by level.

    Those of a command that was refused without a row are none: it may come again.
    """

    def __init__(self) -> None:
        self._drawn: dict[bytes, dict[tuple[str, Where], list[bytes]]] = {}

    def note(self, command: bytes, process: str, drawn: Mapping[Where, Sequence[bytes]]) -> None:
        """A process has decided the command with that digest, by these bytes."""
        for where, taken in drawn.items():
            before = self._drawn.setdefault(command, {}).setdefault((process, where), [])
            before += taken[len(before) :]

    def check(self, command: bytes, where: Where, told: Sequence[bytes]) -> None:
        """Y2: a row has the first bytes by which its process decided the command: it draws none anew."""
        found = self._drawn.get(command, {}).items()
        drawn = [taken for (_, of), taken in found if of == where]
        if told and not any(_begins(taken, told) for taken in drawn):
            raise Difference(f"level {where}: {len(told)} numbers of a row are not the first that were drawn")

    def check_lock(self, command: bytes, made: DrawMade, seats: int) -> None:
        """A7: a lock has the numbers of the first bytes that its process drew for it, as far as it draws."""
        taken = [
            drawn[:PER_LOCK]
            for (_, where), drawn in self._drawn.get(command, {}).items()
            if where == (made.link, NO_LEVEL)
        ]
        told = [made.magic_chance, made.magic_card, made.lucky_chance, made.lucky_box]
        if -1 in told:
            return  # one of the two is off: which bytes it has depends on the terms of then
        for first in taken:
            card, box = number(first[1], DECK), 1 + number(first[3], seats)
            if (card, box) == (told[1], told[3]):
                return
        raise Difference(f"a lock has {made}, which are not the first numbers that were drawn for it")


def _begins(drawn: Sequence[bytes], told: Sequence[bytes]) -> bool:
    """Whether these are the first of what was drawn; of each as many bytes as it took."""
    return len(drawn) >= len(told) and all(
        whole.startswith(part) for whole, part in zip(drawn, told, strict=False)
    )


class Oracle:
    """Triggers by their commitments. site: as the ledger has it.

    used: of each commitment in the journal, what it was made of: bytes of its own. of_row: by row, the
    levels that a round's end has committed anew, each with the commitment's number.
    """

    def __init__(self, source: Source, chance: Chance) -> None:
        self.source, self.chance = source, chance
        self.site = ""
        self.used: dict[bytes, Drawn] = {}
        self.of_row: dict[int, list[tuple[str, str, int]]] = {}
        self._last: dict[tuple[str, str], tuple[int, bytes]] = {}

    def value(self, meter: Meter, link: str, level: str, bank: str, made: TriggerCommitted) -> Value:
        """The trigger of a commitment, once its range is known. Raises Difference where there is none."""
        where = link, level

        def trigger(low: int, high: int) -> int:
            before, _ = self._last.get(where, (0, b""))
            if made.number <= before:
                raise Difference(f"{where}: commitment {made.number} comes after {before}")
            for drawn in reversed(self.source.loose):
                value = from_raw(drawn.raw)(low, high)
                fields = self.site, bank, link, level, meter.cycle, made.number, drawn.salt, value
                if commitment(*fields) == made.digest:
                    self.source.loose.remove(drawn)
                    self.used[made.digest] = drawn
                    self._last[where] = made.number, made.digest
                    return value
            raise Difference(f"{where}: commitment {made.number} was made of nothing that was drawn for it")

        return trigger

    def digest(self, link: str, level: str) -> bytes:
        """The last commitment of a level."""
        return self._last.get((link, level), (0, b""))[1]

    def check_published(self, row: int, witness: Path) -> None:
        """Y8: nobody is told of a row before the witness next to the server's key has its commitments."""
        made = self.of_row.pop(row, [])
        if not made:
            return
        text = json.loads(witness.read_text()) if witness.exists() else {"levels": []}
        known = {(one["link"], one["level"]): one["number"] for one in text["levels"]}
        for link, level, newest in made:
            if known.get((link, level), 0) < newest:
                raise Difference(f"row {row} is told before {witness} has {newest} of {link}")

    def opened(self, digest: bytes, told: TriggerOpened) -> None:
        """What opens a commitment is what it was made of."""
        drawn = self.used.get(digest)
        if drawn is None or told.salt != drawn.salt or not drawn.raw.startswith(told.raw):
            raise Difference(f"{digest.hex()} is opened with something else than it was made of: {told}")
        same("the opened trigger, by its bytes", told.value, from_raw(told.raw)(told.above, told.upto))


def counted_of(event: Event) -> Iterator[LevelCounted]:
    """What a round's end has counted on mysteries."""
    if isinstance(event, Closed | Settled):
        yield from event.counted
