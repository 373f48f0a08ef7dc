"""What does an undo come to? The changes of every level that it touches, decided on copies (A11)."""

from collections.abc import Callable, Iterable

from jackpot.rules.events import LevelChange, Recomputed
from jackpot.rules.meter import Accounts
from jackpot.rules.money import contribution
from jackpot.rules.state import Award, BetMade, Level, Link, State
from jackpot.rules.undo import History, replay

Edit = Callable[[History], None]


def rates_of(link: Link, level: Level) -> tuple[int, int]:
    """What one wager adds to the level's primary and reserve, in micro-dollars (L6)."""
    wager = link.terms.wager
    return contribution(wager, level.terms.primary), contribution(wager, level.terms.reserve)


def recompute(link: Link, level: Level, edit: Edit) -> tuple[LevelChange, History]:
    """The level's change of accounts if its history were edited so, and that history."""
    history = level.history.copy()
    edit(history)
    accounts = replay(history, level.terms, floor_to_seed=link.terms.floor_to_seed)
    return LevelChange(link.number, level.number, accounts.less(level.accounts)), history


def raised(level: Level, history: History) -> list[tuple[int, int]]:
    """Awards that stand in both histories and are worth more in the new one: (number, new amount)."""
    before = {share.award: share.amount for share in level.history.shares()}
    return [
        (share.award, share.amount)
        for share in history.shares()
        if not share.undone and share.amount != before.get(share.award, share.amount)
    ]


def drop_bets(history: History, link: Link, level: Level, bets: Iterable[BetMade]) -> None:
    """Take the wagers' contributions out of the level's history."""
    primary, reserve = rates_of(link, level)
    for bet in bets:
        if bet.link == link.number:
            history.drop(bet.seq, primary, reserve)


def without_bets(state: State, bets: Iterable[BetMade]) -> Recomputed:
    """As if these wagers had not been made (T2, T6)."""
    wagers = list(bets)
    changes: list[LevelChange] = []
    more: list[tuple[int, int]] = []
    for number in sorted({bet.link for bet in wagers}):
        link = state.link(number)
        for level in link.levels:
            change, history = recompute(
                link,
                level,
                lambda h, k=link, v=level: drop_bets(h, k, v, wagers),  # type: ignore[misc]
            )
            changes.append(change)
            more += raised(level, history)
    return Recomputed(changes, more)


def mark_undone(history: History, awards: set[int]) -> None:
    """The awards' shares stand no longer."""
    for share in history.shares():
        share.undone = share.undone or share.award in awards


def without_awards(state: State, awards: Iterable[Award]) -> Recomputed:
    """As if these awards had not been made; odds awards go back to the house (A11)."""
    changes: list[LevelChange] = []
    more: list[tuple[int, int]] = []
    gone = list(awards)
    numbers = {award.number for award in gone}
    for number, level_number in sorted({(award.link, award.level) for award in gone}):
        link = state.link(number)
        if not level_number:
            total = sum(award.amount for award in gone if (award.link, award.level) == (number, 0))
            changes.append(LevelChange(number, 0, Accounts(awards=-total, house=total)))
            continue
        level = link.levels[level_number - 1]
        change, history = recompute(link, level, lambda h: mark_undone(h, numbers))
        changes.append(change)
        more += raised(level, history)
    return Recomputed(changes, more)


def correct_share(history: History, award: int, amount: int) -> None:
    """The award's sum is what two people confirmed (A10)."""
    for share in history.shares():
        if share.award == award:
            share.amount, share.corrected = amount, True


def with_correction(state: State, award: Award, amount: int) -> Recomputed:
    """As if the award had been of this amount; the meter, or the house, takes the difference."""
    link = state.link(award.link)
    if not award.level:
        more = amount - award.amount
        return Recomputed([LevelChange(link.number, 0, Accounts(awards=more, house=-more))])
    level = link.levels[award.level - 1]
    change, history = recompute(link, level, lambda h: correct_share(h, award.number, amount))
    others = [entry for entry in raised(level, history) if entry[0] != award.number]
    return Recomputed([change], others)
