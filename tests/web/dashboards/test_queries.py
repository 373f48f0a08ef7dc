"""Shared queries of the dashboards."""

from jackpot.web.dashboards.queries import hits_in_a_step, late


def test_hits_are_held_against_the_value_one_step_before() -> None:
    """Deploy: a step of a graph has what rose since the step before, to which the same width leads back."""
    asked = hits_in_a_step("level")
    assert asked.startswith("sum by (level) (")
    assert asked.count("offset $__interval") == 1
    assert asked.count('link=~"$link"') == 2


def test_a_colour_says_what_to_do() -> None:
    """Deploy: green, yellow to look, red to act; red only where somebody acts."""
    assert [colour for _, colour in late(1)] == ["green", "yellow"]
    assert late(300, 900) == ((0, "green"), (300, "yellow"), (900, "red"))
