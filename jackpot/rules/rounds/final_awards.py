"""Awards that were final at once, taken back while their round is unfinished (A11, B15).

Each of them is below its link's `validate_at`, so one person undoes it. Two people are needed once what is
undone of a round comes to that sum, by one act or by several.
"""

from collections.abc import Collection

from jackpot.rules.state import BankState, Round


def takes_two(state: BankState, round_: Round, undone_awards: Collection[int]) -> bool:
    """Whether undoing these awards takes two people, with those of the round that were undone before."""
    found = [
        (award, least)
        for number in round_.hits
        for award in state.hits[number].awards
        if not award.level and (least := state.link(award.link).terms.validate_at) is not None
    ]
    finals = [one for one in found if one[0].number in undone_awards and one[0].status == "final"]
    # An undone award does not say whether it had waited: every small one counts, so that nothing slips by.
    before = [one for one in found if one[0].status == "undone" and one[0].amount < one[1]]
    total = sum(award.worth() for award, _ in finals + before)
    return bool(finals) and total >= min(least for _, least in finals + before)
