"""A fault of shape hides no other mistake."""

from tests.config.floor import WriteFloor, mistakes


def test_a_fault_of_shape_hides_nothing(floor: WriteFloor) -> None:
    """DESIGN, config: every mistake of one reading, next to a fault of shape and behind it."""
    file = floor(
        ('currency = "USD"', "currency = 1"),
        ('timezone = "America/New_York"', 'timezone = "Mars"'),
        ('signs = "127.0.0.1:5711"', 'signs = "127.0.0.1:5710"\nhttp = 8080'),
        ('paytable = "pa-643a-five-card-C"\nwager = "1.00"', 'paytable = "pa-643a-five-card-X"\nwager = 1'),
        ('wager = "1.00"\ndecks = 1\n[[table]]', "wager = 1\ndecks = 1\nfloor_to_seed = true\n[[table]]"),
        ('seats = 7\nlinks = ["five", "bonus"]', 'seats = "7"\nlinks = ["five", "bogus"]'),
        ('key_file = "keys/T02"', 'key_file = "keys/nowhere"\nmax_rounds_per_minute = "many"'),
        ('links = ["five"]\nkey_file = "keys/S01"', 'links = ["nobody", 7]\nkey_file = "keys/S01"'),
    )
    found = mistakes(file)
    assert found.keys() == {
        "site.currency",
        "site.timezone",
        "listen.http",
        "listen.signs",
        "link[0].wager",
        "link[0].paytable",
        "link[1].wager",
        "link[1].floor_to_seed",
        "table[0].seats",
        "table[0].links",
        "table[1].max_rounds_per_minute",
        "table[1].key_file",
        "sign[0].links[1]",
        "sign[0].links",
    }


def test_a_udp_sign_of_bad_shape_is_read_on(floor: WriteFloor) -> None:
    """DESIGN, config: a missing address hides neither an unknown link nor a bad format."""
    sign = '[[udp_sign]]\nlinks = ["six"]\nformat = "{nothing}"\n'
    paths = {f"udp_sign[0].{name}" for name in ("address", "links", "format")}
    assert mistakes(floor(more=sign)).keys() == paths
