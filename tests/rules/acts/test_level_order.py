"""L12: a lower level that stands above a higher one is journalled once, alarmed, and seen to end."""

from jackpot.rules import views
from jackpot.rules.acts.level_order import CheckLevelOrder, order_changed
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.money import from_cents
from jackpot.rules.phrases import phrase
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank


def moved(subject: OfEngine, level: str, dollars: int) -> None:
    amount = from_cents(100 * dollars)
    assert subject.execute(CorrectMeter("L", level, amount, "counted"), people=("Ada", "Grace")).answer["ok"]


def checked(subject: OfEngine) -> str:
    """`ok`, or the template of the refusal."""
    answer = subject.execute(CheckLevelOrder("L")).answer
    return "ok" if answer["ok"] else answer["template"]


def test_a_minor_above_its_major_is_alarmed_once_until_the_order_changes() -> None:
    """L12: acknowledged, it comes back only after it had ended; the alarm names both levels and sums."""
    subject = bank("pa-643a-five-card-C")
    higher, lower, *_ = (level.terms.level for level in subject.engine.state.links[0].levels)
    above, below = (level.accounts.primary for level in subject.engine.state.links[0].levels[:2])
    assert checked(subject) == "level_order_unchanged"
    moved(subject, lower, 20_000)
    assert order_changed(subject.engine.state.links[0])
    assert checked(subject) == "ok"
    (alarm,) = views.open_alarms(subject.engine)
    said = phrase(
        "alarm_level_above", lower=lower, less=below + from_cents(2_000_000), higher=higher, more=above
    )
    assert (alarm["kind"], alarm["place"]) == ("levels_out_of_order", "link L")
    assert alarm["what"] == phrase("alarm_levels", levels=[said])
    moved(subject, lower, 1)  # further out of order is the same fact
    assert checked(subject) == "level_order_unchanged"
    moved(subject, lower, -20_001)
    assert checked(subject) == "ok"
    assert [one["times"] for one in views.open_alarms(subject.engine)] == [1]
    moved(subject, lower, 20_000)
    assert checked(subject) == "ok"
    assert [one["times"] for one in views.open_alarms(subject.engine)] == [2]


def test_equal_levels_are_in_order_and_no_other_link_is_checked() -> None:
    """L12: above means above."""
    subject = bank("pa-643a-five-card-C")
    higher, lower, *_ = subject.engine.state.links[0].levels
    gap = (higher.accounts.primary - lower.accounts.primary) // from_cents(100)
    moved(subject, lower.terms.level, gap)
    assert checked(subject) == "level_order_unchanged"
    assert subject.execute(CheckLevelOrder("M")).answer["code"] == "unknown_link"
