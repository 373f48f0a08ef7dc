"""View model of the simulated floor: meters, tables, hits, and what the supervisor does."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from jackpot.lab.demo.house import BY_HAND
from jackpot.rules.paytable import Game

# Events kept: more than a tall terminal has room for.
HITS_SHOWN: Final = 40
ACTS_SHOWN: Final = 40


def dollars(cents: int) -> str:
    """Formats cents for people: $1,234.56."""
    return f"${cents // 100:,}.{cents % 100:02}"


class FloorError(Exception):
    """The server gave an answer that a well-behaved table or supervisor must never get."""


class FloorEvent(NamedTuple):
    """An event of the floor; big where a meter was won."""

    text: str
    big: bool = False


@dataclass
class TableLine:
    """State of one table. link: None where it has offers alone. rounds, wagers: since the demo began."""

    table: str
    game: Game
    link: str | None
    doing: str = "connecting"
    rounds: int = 0
    wagers: int = 0


@dataclass
class Scene:
    """All that the view draws. meters: cents by (link, level), as the signs last showed them.

    speed: how many times faster than a real floor, None as fast as it can. lucky: one deck in so many
    is stacked, 0 none. pages: where a browser sees the floor and its signs. people: who signs in there, with
    their passwords. by_hand: people validate and pay as `steps` says, and no simulated supervisor does.
    warnings: what the server found different in a table's own count.
    """

    seed: int
    speed: float | None
    lucky: int
    address: str = ""
    pages: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    by_hand: bool = False
    steps: tuple[str, ...] = ()
    meters: dict[tuple[str, str], int] = field(default_factory=dict)
    signs_online: dict[str, bool] = field(default_factory=dict)
    tables: dict[str, TableLine] = field(default_factory=dict)
    hits: deque[FloorEvent] = field(default_factory=lambda: deque(maxlen=HITS_SHOWN))
    acts: deque[FloorEvent] = field(default_factory=lambda: deque(maxlen=ACTS_SHOWN))
    awards: int = 0
    meter_hits: int = 0
    won_cents: int = 0
    warnings: list[str] = field(default_factory=list)
    stopping: bool = False

    @property
    def rounds(self) -> int:
        return sum(line.rounds for line in self.tables.values())

    @property
    def wagers(self) -> int:
        return sum(line.wagers for line in self.tables.values())

    def waits_for_hands(self) -> bool:
        """Whether a person has something to pay before the table of that hit plays another round."""
        return self.by_hand and (line := self.tables.get(BY_HAND.table)) is not None and line.rounds < 2

    def decks(self) -> str:
        """Describes how the cards are dealt, so that nobody mistakes a stacked deck for luck."""
        if self.lucky:
            return f"one deck in {self.lucky} is STACKED"
        return "honest decks after one that is STACKED" if self.by_hand else "honest decks"

    def pace(self) -> str:
        return "as fast as it can" if self.speed is None else f"{self.speed:g} x real time"
