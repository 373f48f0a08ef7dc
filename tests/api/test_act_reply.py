"""Replies to acts: complete, and in the site's sums."""

from controllers.answers import Refund
from jackpot.api.act_reply import Refund as Told
from jackpot.api.act_reply import reply_to
from jackpot.rules.outcome import ActAnswer


def test_what_an_act_did_is_told_in_decimal_sums() -> None:
    """M1, A10, A11: what is refunded, left and journalled on top; an act that moved nothing says nothing."""
    refund = Refund(seat=2, link="floor-five", on="own", amount=500, pays="cage")
    done = reply_to(
        ActAnswer(ok=True, hit="H1", refunds=(refund,), left={"A1": 1}, difference=-250, person=7)
    )
    assert done.refunds == (Told(seat=2, link="floor-five", on="own", amount="5.00", pays="cage"),)
    assert (done.hit, done.left, done.difference, done.person) == ("H1", {"A1": "0.01"}, "-2.50", 7)
    nothing = reply_to(ActAnswer(ok=True))
    assert (nothing.refunds, nothing.left, nothing.difference, nothing.awards) == ((), {}, None, ())
