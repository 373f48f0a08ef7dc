"""Are two accounts two people?"""

from jackpot.rules.acts.people import GiveCode, Grant, ResetSecret, SetSecret, WithdrawRole
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.signing import People
from tests.rules.site import ADMINS, CODE, SECRET, OfSite


def fault(site: OfSite, *pair: int) -> str:
    return People(proof=site.proof(*pair)).fault()


def code(site: OfSite, person: int, *by: int, **more: str) -> str:
    return str(site.ask(Vouch(person), *by, **more).answer.get("code", ""))  # type: ignore[arg-type]


def test_two_who_had_their_codes_from_one_admin_are_one() -> None:
    """Misuse: who gave both codes may have chosen both secrets; another admin then saw one come in."""
    site = OfSite()
    cal, dan, eve = site.join("floor"), site.join("floor"), site.join("floor", by=2)
    assert "person 3 and person 4 had their codes from person 1" in fault(site, cal, dan)
    assert fault(site, cal, eve) == fault(site, *ADMINS) == ""
    assert code(site, dan, 2) == ""
    assert fault(site, cal, dan) == fault(site, dan, cal) == ""
    assert "a code from person 1" in fault(site, dan, 1), "never with who gave the code"


def test_who_may_vouch() -> None:
    """Misuse: neither the giver, nor who came by their code, nor a token or a login; once, if it helps."""
    site = OfSite()
    cal, dan, admin = site.join("floor"), site.join("floor"), site.join("admin")
    assert code(site, cal, 1) == "not_allowed"
    assert code(site, cal, admin) == "not_allowed"
    assert code(site, cal, dan) == "not_allowed"
    assert code(site, cal, *ADMINS) == "no_person"
    assert code(site, cal, 2, means="login") == "no_person"
    assert code(site, 1, 2) == "unchanged", "nobody gave them a code"
    assert code(site, cal, 2) == ""
    assert code(site, cal, 2) == "unchanged"
    assert code(site, 99, 2) == "no_such_person"
    assert site.ask(WithdrawRole(admin, "admin"), 1).answer["ok"]


def test_a_new_code_needs_a_new_word() -> None:
    """Misuse: a reset takes back what was said of the person before."""
    site = OfSite()
    cal, dan = site.join("floor"), site.join("floor")
    assert code(site, cal, 2) == ""
    assert site.ask(ResetSecret(cal), *ADMINS).answer["ok"]
    assert site.ask(GiveCode(cal, CODE, 1), 1).answer["ok"]
    assert code(site, cal, 2) == "not_allowed", "without a secret nobody was seen"
    assert site.ask(SetSecret(SECRET), cal, means="code").answer["ok"]
    assert fault(site, cal, dan)
    assert site.ask(Grant(dan, "cage"), *ADMINS).answer["ok"]
