"""Recomputation of every level that an undo touches, decided on copies (A11)."""

from collections.abc import Callable, Iterable

from jackpot.rules.events import LeftMade, LevelChange, Recomputed
from jackpot.rules.meter import Accounts
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.offers import given_back
from jackpot.rules.rounds.undo import AwardCorrection, History, LevelPoint, replay
from jackpot.rules.state import Award, BankState, Level, Link, Placed, Round

Edit = Callable[[History], None]
PlacedWager = tuple[Placed, int]
"""A wager, and the entry that accepted it."""


def recompute(edits: Iterable[tuple[Link, Level, Edit]]) -> tuple[Recomputed, dict[int, int]]:
    """Recomputes levels with their histories so edited; returns every share's amount by award, too."""
    made = Recomputed([], [], [])
    amounts: dict[int, int] = {}
    for link, level, edit in edits:
        before: dict[int, int] = {}
        replay(level.history.copy(), before)
        history = level.history.copy()
        edit(history)
        left: dict[int, int] = {}
        accounts = replay(history, left).accounts
        made.changes.append(LevelChange(link.number, level.number, accounts.less(level.accounts)))
        made.raised.extend(_raised(level, history))
        for award in sorted(left.keys() | before.keys()):
            more, change = left.get(award, 0), left.get(award, 0) - before.get(award, 0)
            if change:
                made.left.append(LeftMade(link.number, level.number, award, more, change))
        amounts |= {share.award: share.amount for share in history.shares()}
    return made, amounts


def _raised(level: Level, history: History) -> list[tuple[int, int]]:
    """Awards that stand in both histories and are worth more in the new one: (number, new amount)."""
    before = {share.award: share.amount for share in level.history.shares()}
    return [
        (share.award, share.amount)
        for share in history.shares()
        if not share.undone and share.amount != before.get(share.award, share.amount)
    ]


def drop_bets(history: History, link: Link, bets: Iterable[PlacedWager]) -> None:
    """Removes the wagers from the level's history."""
    for bet, seq in bets:
        if bet.link == link.number:
            history.drop(seq)


def without_bets(state: BankState, round_: Round, bets: Iterable[PlacedWager]) -> Recomputed:
    """The recomputation as if these wagers of the round had not been made (T2, T6).

    Mystery levels are not recomputed: they give back what has counted (Y4).
    """
    wagers = list(bets)

    def dropping(link: Link) -> Edit:
        return lambda history: drop_bets(history, link, wagers)

    links = [state.link(number) for number in sorted({bet.link for bet, _ in wagers})]
    made, _ = recompute(
        (link, level, dropping(link)) for link in links if not link.terms.mystery for level in link.levels
    )
    for link in links:
        made.changes.extend(given_back(link, [bet for bet, _ in wagers]))
    if round_.counted:
        made.changes.extend(mystery.refunded(state, round_, [bet for bet, _ in wagers]))
    return made


def mark_undone(history: History, awards: set[int]) -> None:
    """Marks the awards' shares, and their corrections, as undone (A10)."""
    for share in history.shares():
        share.undone = share.undone or share.award in awards
    for point in history.points:
        if point.fix is not None and point.fix.award in awards:
            point.fix.undone = True


def without_awards(state: BankState, awards: Iterable[Award]) -> Recomputed:
    """The recomputation without these awards; odds awards go back to the house (A10, A11).

    The sum of one of a mystery level goes to its overflow (Y4).
    """
    gone, apart = list[Award](), list[LevelChange]()
    for award in awards:
        if mystery.is_mystery(state, award):
            apart.append(mystery.without_award(state, award))
        else:
            gone.append(award)
    numbers = {award.number for award in gone}
    levels = sorted({(award.link, award.level) for award in gone if award.level})
    made, _ = recompute(
        (state.link(link), state.link(link).levels[level - 1], lambda history: mark_undone(history, numbers))
        for link, level in levels
    )
    for link in sorted({award.link for award in gone if not award.level}):
        house = [award for award in gone if (award.link, award.level) == (link, 0)]
        total = sum(award.worth() + award.stake for award in house)
        made.changes.append(LevelChange(link, 0, Accounts(awards=-total, house=total)))
    made.changes.extend(apart)
    return made


def correct(history: History, seq: int, award: Award, difference: int) -> None:
    """Corrects the award by so much, in entry `seq`, as two people decided: the level moves then (A10).

    The sum of a paid one stays as it is.
    """
    for share in history.shares():
        if share.award == award.number and not award.settled():
            share.correction += difference
            share.amount += difference
    history.points.append(
        LevelPoint((seq, 0), history.wagers, fix=AwardCorrection(award.number, difference, award.won))
    )


def with_correction(state: BankState, award: Award, difference: int) -> Recomputed:
    """The recomputation with the award corrected from now on: no other award moves (A10)."""
    link = state.link(award.link)
    if not award.level:
        return Recomputed([LevelChange(link.number, 0, Accounts(awards=difference, house=-difference))])
    if link.terms.mystery:
        return Recomputed([mystery.corrected(state, award, difference)])
    level = link.levels[award.level - 1]
    made, _ = recompute([(link, level, lambda history: correct(history, state.seq + 1, award, difference))])
    return Recomputed(made.changes)
