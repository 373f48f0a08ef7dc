"""Whose name may be erased?"""

from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.acts.people import EndPerson
from tests.rules.site import OfSite


def test_who_left_is_erased_once_by_an_admin() -> None:
    """Retention: nobody who is here, nobody whom there never was, and not twice; by age with nobody."""
    site = OfSite()
    cal, dee = site.join("floor"), site.join("cage")

    def code(person: int, *by: int) -> str:
        return str(site.ask(EraseName(person), *by).answer.get("code", ""))

    assert code(cal, 1) == "not_allowed"
    assert site.ask(EndPerson(cal), 1).answer["ok"]
    assert code(99, 1) == "no_such_person"
    assert code(cal, dee) == "not_allowed"
    assert code(cal, 1) == ""
    assert code(cal, 2) == "unchanged"
    assert code(dee) == "not_allowed"
    assert site.ask(EndPerson(dee), 1).answer["ok"]
    assert code(dee) == ""
