"""`schemas/odds.toml`: all counted deals, written, counted again and compared.

Needs numpy, of the extra `lab`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from jackpot.catalogue import counted_file, odds_of
from jackpot.odds.deals import CARDS, DEALT, CountedDeals, count
from jackpot.odds.duels import others
from jackpot.rules.paytable import Game, HandKind

_HEADER: Final = """\
# Counted deals of each hand: whole numbers of deals, by the cards that make the hand (H2).
# Every deal of `cards` from one deck of 52 is as likely as any other; what is not under `hands` pays nothing.
# `pairs`: how many deals of two players of one table make the hand of the row and, in the order of the rows,
# each hand. Both are dealt from one deck, and share the board.
# `ranks`: how many of the deals that make a pair make one of twos, of threes, and so on, of aces last.
# `seed`: of a simulation; `deals` are then the rounds that it dealt, some of the very many that there are.
# `best-play`: what the bets of Let It Ride win over all deals under best play, in bets.
# Every deal was ranked: `jackpot paytable count` wrote this file, and counts it again.
"""


class CountedCatalogue(NamedTuple):
    """All counts of `schemas/odds.toml`. hands: of kinds that one hand makes. others: as `duels.others`."""

    hands: dict[HandKind, dict[Game, CountedDeals]]
    others: dict[str, dict[str, Any]]


def as_toml(counted: CountedCatalogue) -> str:
    """`schemas/odds.toml`, which the catalogue reads."""
    lines = [_HEADER]
    for kind, games in counted.hands.items():
        first = next(iter(games.values()))
        lines += [f"[{kind}]", f'cards = "{CARDS[kind]}"', f"deals = {first.deals:_}"]
        lines += [f"ranks = [{', '.join(f'{number:_}' for number in first.ranks)}]", f"[{kind}.hands]"]
        lines += [f"{name} = {number:_}" for name, number in first.hands.items() if name != "high-card"]
        for game, found in games.items():
            lines.append(f"[{kind}.pairs.{game}]")
            lines += [f"{name} = [{', '.join(f'{number:_}' for number in row)}]"
                      for name, row in zip(found.hands, found.pairs, strict=True)]  # fmt: skip
        lines.append("")
    for section, values in counted.others.items():
        lines += [*_section(section, values), ""]
    return "\n".join(lines)


def _section(name: str, values: dict[str, Any]) -> list[str]:
    """A section of whole numbers, texts and sections of such."""
    lines = [f"[{name}]"]
    for key, value in values.items():
        if not isinstance(value, dict):
            lines.append(f"{key} = {value:_}" if isinstance(value, int) else f'{key} = "{value}"')
    for key, value in values.items():
        if isinstance(value, dict):
            lines += _section(f"{name}.{key}", value)
    return lines


def count_all(tell: Callable[[int, int], None] = lambda _done, _of: None) -> CountedCatalogue:
    """Counts of every kind of hand, at every game. tell: called with what is done and what there is."""
    found: dict[HandKind, dict[Game, CountedDeals]] = {}
    for done, (kind, game) in enumerate(DEALT):
        tell(done, len(DEALT) + 1)
        found.setdefault(kind, {})[game] = count(kind, game)
    tell(len(DEALT), len(DEALT) + 1)
    return CountedCatalogue(found, others())


def differences(kinds: dict[HandKind, dict[Game, CountedDeals]]) -> list[str]:
    """Differences from the catalogue's counts, as sentences."""
    wrong = []
    for kind, games in kinds.items():
        odds = odds_of(kind)
        for game, counted in games.items():
            known = {**odds.hands, "high-card": odds.deals - sum(odds.hands.values())}
            wrong += [
                f"{kind} at {game}, {hand}: {number:,} deals, not {known.get(hand, 0):,}"
                for hand, number in counted.hands.items()
                if known.get(hand) != number
            ]
            pairs = dict(zip(counted.hands, map(tuple, counted.pairs), strict=True))
            if pairs != odds.pairs.get(game):
                wrong.append(f"{kind} at {game}: the deals of two players")
            if tuple(counted.ranks) != odds.ranks:
                wrong.append(f"{kind} at {game}: the ranks of pairs")
    return wrong


def differences_of_others(others: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """As `differences`, of the other sections of the file."""
    known = counted_file()
    return [
        f"{section}: not as counted" for section, values in others.items() if known.get(section) != values
    ]
