"""Vouching: when two accounts count as two people."""

import msgspec

from jackpot.rules.acts.people import (
    AddPerson,
    EndPerson,
    GiveCode,
    Grant,
    Recover,
    ResetSecret,
    SetSecret,
    WithdrawRole,
)
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.phrases import Phrase, phrase
from jackpot.rules.signing import People
from tests.rules.site import ADMINS, CODE, SECRET, OfSite, mark, newcomer
from tests.said import refusal


def fault(site: OfSite, *pair: int) -> Phrase | None:
    return People(proof=site.proof(*pair)).fault()


def code(site: OfSite, person: int, *by: int, **more: str) -> str:
    return str(site.ask(Vouch(person), *by, **more).answer.get("code", ""))  # type: ignore[arg-type]


def test_two_who_had_their_codes_from_one_admin_are_one() -> None:
    """Misuse: who gave both codes may have chosen both secrets; another admin then saw one come in."""
    site = OfSite()
    cal, dan, eve = site.join("floor"), site.join("floor"), site.join("floor", by=2)
    came = phrase("password_by_code", person=3, giver=1)
    assert fault(site, cal, dan) == phrase("same_origin", origin=came, other=4)
    assert fault(site, cal, eve) is fault(site, *ADMINS) is None
    assert code(site, dan, 2) == ""
    assert fault(site, cal, dan) is fault(site, dan, cal) is None
    never = phrase("password_by_code", person=dan, giver=1)
    assert fault(site, dan, 1) == never, "never with who gave the code"


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


def test_who_came_by_a_code_gives_none_until_somebody_vouched_for_them() -> None:
    """Misuse: one person behind a chain of codes is not two people; the third admin waits for one word."""
    site = OfSite()
    third, fourth = site.join("admin"), site.join("admin", by=2)
    site.ask(AddPerson(mark(5), ("floor",)), *ADMINS)
    refused = site.ask(GiveCode(5, CODE, 1), third).answer
    came = {"template": "password_by_code", "values": [3, 1]}
    assert refusal(refused) == ("not_allowed", "vouching_first", came, 3)
    assert code(site, third, fourth) == "not_allowed", "nor do two such vouch for each other"
    assert code(site, third, 2) == code(site, fourth, third) == ""
    assert site.ask(GiveCode(5, CODE, 1), third).answer["ok"]


def recovered(site: OfSite) -> int:
    """Another admin, made where no server runs."""
    answer = site.execute(Recover(*newcomer(len(site.engine.state.people) + 1)), people=("root",)).answer
    return int(answer["person"])


def test_two_admins_made_on_the_servers_machine_are_one() -> None:
    """Misuse: who made both may have chosen both secrets; they wait for an admin who is neither."""
    site = OfSite()
    eve, fay = recovered(site), recovered(site)
    alike = phrase("same_origin", origin=phrase("made_without_server", person=3), other=4)
    assert fault(site, eve, fay) == alike
    refused = site.ask(Grant(eve, "floor"), eve, fay).answer
    assert refusal(refused)[:2] == ("two_people", "two_people_other")
    assert refused["values"][1] == msgspec.json.decode(msgspec.json.encode(alike))
    assert fault(site, 1, eve) is fault(site, fay, 2) is None
    assert site.ask(Grant(1, "floor"), eve).answer["asked"], "another confirms it"
    assert site.ask(Confirm("site-1"), eve, 2).answer["ok"]
    assert code(site, eve, fay) == "not_allowed", "nor does one of them vouch for the other"
    site.ask(AddPerson(mark(5), ("floor",)), *ADMINS)
    assert site.ask(GiveCode(5, CODE, 1), eve).answer["code"] == "not_allowed"
    assert code(site, eve, 1) == ""
    assert code(site, fay, eve) == "not_allowed", "who was made as they were, judges them never"
    assert fault(site, eve, fay) is fault(site, fay, eve) is None
    assert site.ask(GiveCode(5, CODE, 1), eve).answer["ok"]


def test_where_every_other_admin_was_ended_the_site_begins_again() -> None:
    """All are lost: the one who was made ends them, for all to see, and who is made then is somebody else."""
    site = OfSite()
    floor, third, eve = site.join("floor"), site.join("admin"), recovered(site)
    for lost in ADMINS:
        assert site.ask(EndPerson(lost), eve).answer["ok"]
    assert fault(site, eve, recovered(site)) is not None, "one is here who came otherwise"
    assert site.ask(EndPerson(third), eve).answer["ok"]
    fay = recovered(site)
    assert fault(site, eve, fay) is None
    gus = recovered(site)
    assert fault(site, eve, gus) is not None, "now one is here who can vouch for them"
    assert code(site, eve, fay) == code(site, floor, fay) == ""


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
