"""Order of a link's levels: a lower level that stands above a higher one is recorded, and alarmed (L12)."""

from typing import ClassVar, Final

from controllers.messages import Id
from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.meters import find_link
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import BankState, Link


class CheckLevelOrder(ActCommand, tag="check-level-order", frozen=True):
    """The server has seen that the order of a link's levels changed."""

    link: Id


class LevelOrderChanged(Event, frozen=True, array_like=True):
    """Which levels of a link are out of order from here on.

    pairs: (higher level, lower level, micro-dollars of each); none once all are in order again.
    """

    kind: ClassVar[int] = 88
    link: int
    pairs: tuple[tuple[int, int, int, int], ...]


def out_of_order(link: Link) -> tuple[tuple[int, int, int, int], ...]:
    """The neighbouring levels of which the lower one shows more, as in `LevelOrderChanged` (L12).

    Levels whose reseeds do not fall have no order that players could expect, so they are not compared.
    """
    if link.closed:
        return ()
    found = []
    for higher, lower in zip(link.levels, link.levels[1:], strict=False):
        above, below = higher.accounts.primary, lower.accounts.primary
        if below > above and higher.terms.reseed >= lower.terms.reseed:
            found.append((higher.number, lower.number, above, below))
    return tuple(found)


def order_changed(link: Link) -> bool:
    """Whether other levels are out of order than the journal says."""
    return [pair[:2] for pair in out_of_order(link)] != link.out_of_order


def decide_check(state: BankState, command: CheckLevelOrder, _by: ActContext) -> LevelOrderChanged:
    """Records the levels that are out of order, once for each change (L12)."""
    link = find_link(state, "link", command.link)
    refuse_if(not order_changed(link), "level_order_unchanged", link=link.terms.link)
    return LevelOrderChanged(link.number, out_of_order(link))


def apply_changed(effects: Effects, event: LevelOrderChanged) -> None:
    """Keeps which levels are out of order, so that a start raises no alarm again that was acknowledged."""
    effects.state.link(event.link).out_of_order = [pair[:2] for pair in event.pairs]


ACTS: Final = (Act(CheckLevelOrder, decide_check, {LevelOrderChanged: apply_changed}),)
