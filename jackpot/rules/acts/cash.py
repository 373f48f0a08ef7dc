"""Notice of cash that is to be reported, where no payment could say it as it was made (A10).

A payment in cash says itself what its patron was given in the gaming day. It cannot know of a payment that
another bank makes at the same moment, nor of a patron whom the papers name only later.
"""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from controllers.messages import Seat
from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.fields import Cents, HitId
from jackpot.rules.acts.hits import number_of
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.state import BankState

Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}(?!\n)$", description="a gaming day")]


class NoticeCash(ActCommand, tag="notice-cash", frozen=True):
    """A patron was given more cash in a gaming day than goes without a report, as the server reads the books.

    hit, seat: of a winner whose papers name that patron. cash: in all banks, in cents. over: more than this,
    in cents, is to be reported.
    """

    hit: HitId
    seat: Seat
    day: Day
    cash: Cents
    over: Cents


class CashNoticed(Event, frozen=True, array_like=True):
    """As the command. hit: its number."""

    kind: ClassVar[int] = 89
    hit: int
    seat: int
    day: str
    cash: int
    over: int


def decide_notice(state: BankState, command: NoticeCash, _by: ActContext) -> CashNoticed:
    """Notices it. Raises InvariantError for what is no notice: only the server itself notices."""
    number = number_of("H", command.hit)
    invariant(0 < number < state.next_hit, f"{command.hit} is no hit")
    invariant(command.cash > command.over, f"{command.cash} cents are not more than {command.over}")
    return CashNoticed(number, command.seat, command.day, command.cash, command.over)


def apply_noticed(effects: Effects, event: CashNoticed) -> None:
    """Changes nothing of the hit: the event raises an alarm."""
    effects.told.hit = f"H{event.hit}"


ACTS: Final = (
    Act(
        NoticeCash,
        decide_notice,
        {CashNoticed: apply_noticed},
    ),
)
