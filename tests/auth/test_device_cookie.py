"""Device cookie: a browser is known for the people who signed in in it, and for nobody else."""

import pytest

from jackpot.auth.device_cookie import DAY_MS, HOLDS_DAYS, PEOPLE_MAX, known_device, signed_cookie

NOW = 20_000 * DAY_MS
HASH = "$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA"


def test_several_people_share_a_browser() -> None:
    """The id stays, each is known by their own signature, and the last ones of a shift are kept."""
    cookie = ""
    for number in range(PEOPLE_MAX + 1):
        cookie = signed_cookie(cookie, f"p{number}", f"{HASH}{number}", NOW)
    device = cookie.partition(".")[0]
    found = [known_device(cookie, f"p{number}", f"{HASH}{number}", NOW) for number in range(PEOPLE_MAX + 1)]
    assert found == [None] + [device] * PEOPLE_MAX
    again = signed_cookie(cookie, "p5", f"{HASH}5", NOW + DAY_MS)
    assert again.count(".") == cookie.count(".")
    assert known_device(again, "p1", f"{HASH}1", NOW) == device


def test_a_cookie_is_good_for_its_person_password_and_time() -> None:
    """Another login, another password, a day that is over or has not come: the browser is not known."""
    cookie = signed_cookie("", "ann", HASH, NOW)
    device = cookie.partition(".")[0]
    assert known_device(cookie, "ann", HASH, NOW) == device
    assert known_device(cookie, "ann", HASH, NOW + (HOLDS_DAYS - 1) * DAY_MS) == device
    assert known_device(cookie, "ann", HASH, NOW + HOLDS_DAYS * DAY_MS) is None
    assert known_device(cookie, "ann", HASH, NOW - DAY_MS) is None
    assert known_device(cookie, "bo", HASH, NOW) is None
    assert known_device(cookie, "ann", f"{HASH}x", NOW) is None


@pytest.mark.parametrize("change", ["", "x", "{}x", "\u00e9{}", "{}.1-zz", "0{}", "{}\n", "{}."])
def test_a_forged_cookie_is_none(change: str) -> None:
    """Misuse: what differs in one letter, or is no cookie of ours, makes nobody known."""
    cookie = signed_cookie("", "ann", HASH, NOW)
    forged = change.format(cookie)
    assert known_device(forged, "ann", HASH, NOW) is None
    flipped = cookie[:-1] + ("0" if cookie[-1] != "0" else "1")
    assert known_device(flipped, "ann", HASH, NOW) is None
    other = ("0" if cookie[0] != "0" else "1") + cookie[1:]
    assert known_device(other, "ann", HASH, NOW) is None
    new = signed_cookie(forged, "ann", HASH, NOW)
    assert known_device(new, "ann", HASH, NOW) is not None
