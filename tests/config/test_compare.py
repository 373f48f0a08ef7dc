"""Differences between the configuration and the ledger."""

from jackpot.config import differences, load
from jackpot.rules.paytable import LinkTerms
from tests.config.floor import WriteFloor


def test_where_the_ledger_and_the_configuration_differ(floor: WriteFloor) -> None:
    """L9: a parameter that changed is found, in words, and so is nothing else."""
    old = load(floor()).links[0]
    assert differences(old, old) == []
    assert differences(old, load(floor(('wager = "1.00"', 'wager = "5.00"'))).links[0])[0] == (
        "wager: 1.00 in the ledger, 5.00 in the configuration"
    )
    limit = '[link.level.mega]\nlimit = "20000.00"\nlimit_approval = "yes"\n[[link]]\nid = "bonus"'
    new: LinkTerms = load(
        floor(('decks = 1\n[[link]]\nid = "bonus"', f'decks = 1\nvalidate_at = "500.00"\n{limit}'))
    ).links[0]
    assert differences(old, new) == [
        "level mega limit: none in the ledger, 20,000.00 in the configuration",
        "validate_at: none in the ledger, 500.00 in the configuration",
    ]
    other = load(floor(("pa-643a-five-card-C", "pa-643a-five-card-A"))).links[0]
    assert "levels: mega, major, minor in the ledger, meter in the configuration" in differences(old, other)
