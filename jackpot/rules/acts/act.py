"""The definition of an act: its command, its events, and how each of these changes the state."""

from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.phrases import Phrase
from jackpot.rules.signing import ROLES, People, Role, Signed
from jackpot.rules.state import BankState
from jackpot.rules.triggers import NO_TRIGGERS, TriggerSource


class BankKey(Enum):
    """The field that names the bank of an operation, unless the request itself says its bank."""

    TABLE = auto()
    """Its `table`, if it has one; else as SAID."""
    DEVICE = auto()
    """Its `device`, which has that `role`."""
    OWN_DEVICE = auto()
    """As DEVICE, and no other bank even if somebody says one."""
    LINK = auto()
    """Its `link`."""
    LINKS = auto()
    """The first of its `links`, if it has one; else as SAID."""
    HIT_OR_AWARD = auto()
    """Its `hit`, or its `award`: the banks are asked which of them has it."""
    HIT = auto()
    """Its `hit`, by asking the banks."""
    AWARD = auto()
    """Its `award`, by asking the banks."""
    LINK_OR_HIT = auto()
    """Its `link`, if it has one; else as HIT_OR_AWARD."""
    REQUEST = auto()
    """Its `request`, which begins with the bank."""
    PEOPLE = auto()
    """It is about the people of the site, who have a bank of their own."""
    SAID = auto()
    """Nothing: where there are several banks, somebody has to say which."""


# The fields by which an operation names its bank. Where it declares no key, it has the first of these whose
# fields it has: a round is of a table, so a table comes before a link.
_KEY_FIELDS: Final[Mapping[BankKey, frozenset[str]]] = {
    BankKey.TABLE: frozenset({"table"}),
    BankKey.DEVICE: frozenset({"device", "role"}),
    BankKey.OWN_DEVICE: frozenset({"device", "role"}),
    BankKey.LINK: frozenset({"link"}),
    BankKey.LINKS: frozenset({"links"}),
    BankKey.LINK_OR_HIT: frozenset({"link", "hit", "award"}),
    BankKey.HIT_OR_AWARD: frozenset({"hit", "award"}),
    BankKey.HIT: frozenset({"hit"}),
    BankKey.AWARD: frozenset({"award"}),
    BankKey.REQUEST: frozenset({"request"}),
}


def key_of(fields: Collection[str], declared: BankKey | None) -> BankKey | None:
    """What names the bank of an operation that has these fields; None where nothing does.

    Raises TypeError if it lacks a field that its declared key needs.
    """
    if declared is None:
        return next((key for key, needed in _KEY_FIELDS.items() if needed.issubset(fields)), None)
    if absent := _KEY_FIELDS.get(declared, frozenset()).difference(fields):
        raise TypeError(f"{declared} needs {' and '.join(sorted(absent))}")
    return declared


class ActContext(NamedTuple):
    """The people of an act, none, one or two, and its time. tick, at: as in `Envelope`.

    triggers: of mystery levels; only the bank's writer, and who decides an entry again, has any (Y9).
    """

    people: People = People()
    tick: int = 0
    at: int = 0
    triggers: TriggerSource = NO_TRIGGERS


def never_server(_command: Any) -> bool:
    """Of an act that people alone ask for."""
    return False


def always_server(_command: Any) -> bool:
    """Of an act that the server itself does as well."""
    return True


class Act(NamedTuple):
    """One entry of the registry of acts.

    decide: looks at the state and returns the event, or refuses; it touches nothing. applies: changes the
    state by each event that `decide` may return, and cannot fail. asked: whether people may ask a running
    server for it; its fields are then what they send. power: of the people who signed, each must have one of
    these roles; with none of them it is the server's own. narrower: which of these roles a command takes,
    where not all of them may ask for each. alone: it is done where no server runs, by an unauthenticated
    name, also where the site has people: the first of them, and one in place of all who are lost. needs_two:
    why two different people sign a command that can be decided now (a phrase, or its template), "" where one
    may; of the state, the command and the time. server: whether the server itself does, with nobody, what
    people may ask for. bank: what names the bank of an act that people ask for; None where its fields say it.
    """

    command: type[ActCommand]
    decide: Callable[[BankState, Any, ActContext], Event]
    applies: Mapping[type[Event], Callable[[Effects, Any], None]]
    asked: bool = False
    power: tuple[Role, ...] = ()
    alone: bool = False
    narrower: Callable[[BankState, Any], tuple[Role, ...]] | None = None
    needs_two: Callable[[BankState, Any, int], str | Phrase] | str = ""
    server: Callable[[Any], bool] = never_server
    bank: BankKey | None = None

    @property
    def name(self) -> str:
        """Its name for people: `confirm-behind`."""
        return str(self.command.__struct_config__.tag)

    def why_two(self, state: BankState, command: ActCommand, at: int) -> str | Phrase:
        """Why two different people sign this command, which can be decided now; "" where one may."""
        return self.needs_two if isinstance(self.needs_two, str) else self.needs_two(state, command, at)

    def needs_person(self, command: ActCommand) -> bool:
        """Whether somebody has to ask for it."""
        return bool(self.power or self.alone) and not self.server(command)

    def power_for(self, state: BankState, command: ActCommand) -> tuple[Role, ...]:
        """The roles that may ask for this very command, as the state is."""
        return self.power if self.narrower is None else self.narrower(state, command)

    def allows(self, state: BankState, command: ActCommand, signer: Signed) -> bool:
        """Whether this signer may ask for it."""
        power = self.power_for(state, command)
        return power == ROLES or not set(power).isdisjoint(signer.roles)


# Who may ask for what: the floor works with hits and rounds, and pays what the cage does not; the cage pays
# everything (A8); an admin has people and devices.
FLOOR: Final[tuple[Role, ...]] = ("floor",)
ADMIN: Final[tuple[Role, ...]] = ("admin",)
CAGE: Final[tuple[Role, ...]] = ("cage",)
FLOOR_OR_CAGE: Final[tuple[Role, ...]] = ("floor", "cage")
FLOOR_OR_AUDITOR: Final[tuple[Role, ...]] = ("floor", "auditor")
FLOOR_OR_ADMIN: Final[tuple[Role, ...]] = ("floor", "admin")


def outlived(since: int, kept_days: int | None, at: int) -> bool:
    """Whether the retention time has passed. since, at: unix milliseconds; 0 is not known.

    kept_days: by the site's configuration, None for ever.
    """
    return bool(since) and kept_days is not None and kept_days > 0 and at - since >= kept_days * DAY_MS
