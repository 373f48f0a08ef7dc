"""Whose name may be erased?"""

from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.acts.people import EndPerson
from tests.rules.site import OfSite


def test_who_left_is_erased_once_by_two_admins_or_by_age() -> None:
    """Retention: nobody who is here, nobody whom there never was, not twice; by one or none only by age."""
    site = OfSite()
    cal, dee, eve = site.join("floor"), site.join("cage"), site.join("cage")

    def code(person: int, *by: int, due: bool = False) -> str:
        answer = site.ask(EraseName(person, due), *by).answer
        return "asked" if answer.get("asked") else str(answer.get("code", ""))

    assert code(cal, 1, 2) == "not_allowed"
    assert site.ask(EndPerson(cal), 1).answer["ok"]
    assert code(99, 1, 2) == "no_such_person"
    assert code(cal, dee, due=True) == "not_allowed"
    assert code(cal, 1) == "asked", "who ends somebody hides nobody"
    assert code(cal) == "two_people"
    assert not site.person(cal).erased
    assert code(cal, 1, 2) == ""
    assert code(cal, 2, due=True) == "unchanged"
    assert code(dee, due=True) == "not_allowed"
    for one, by in ((dee, ()), (eve, (1,))):
        assert site.ask(EndPerson(one), 1).answer["ok"]
        assert code(one, *by, due=True) == ""
