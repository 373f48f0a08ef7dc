"""Awards that were final at once, taken back while their round is unfinished (A11, B15).

Each of them is below its link's `validate_at`, so one person undoes it. Whoever undoes so many of a round
that they come to that sum together needs a second person, by one act or by several.
"""

from collections.abc import Collection

from jackpot.rules.state import BankState, Round


def takes_two(state: BankState, round_: Round, gone: Collection[int]) -> bool:
    """Whether undoing these awards takes two people, with those of the round that were undone before."""
    found = [award for number in round_.hits for award in state.hits[number].awards if not award.level]
    finals = {award.number for award in found if award.number in gone and award.status == "final"}
    least = {award.number: state.link(award.link).terms.validate_at for award in found}
    # An undone award does not say whether it had waited: every small one counts, so that nothing slips by.
    counted = [
        award
        for award in found
        if award.number in finals or (award.status == "undone" and award.amount < (least[award.number] or 0))
    ]
    bounds = [bound for award in counted if (bound := least[award.number]) is not None]
    return bool(finals) and sum(award.worth() for award in counted) >= min(bounds)
