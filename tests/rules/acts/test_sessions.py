"""The journal names each session and its end."""

from jackpot.rules.acts.people import EndPerson, GiveCode, ResetSecret, SetSecret
from jackpot.rules.acts.sessions import SESSIONS_OF_ONE, LockOut, SignIn, SignOut
from jackpot.rules.engine import Engine
from tests.rules.acts.test_people import SESSION, code
from tests.rules.site import ADMINS, CODE, SECRET, OfSite, mark


def test_sign_ins_and_lock_outs_are_in_the_journal() -> None:
    """An access log is a query: who came in, and who was locked out after how many failures."""
    site = OfSite()
    assert code(site, SignIn(1, SESSION)) == ""
    assert code(site, SignIn(2, SESSION)) == "twice", "a session has one person"
    heard = site.ask(LockOut(2, 10))
    assert [(name, facts["person"], facts["failures"]) for name, facts in heard.alarms] == [
        ("person_locked_out", 2, 10)
    ]
    assert code(site, SignIn(9, SESSION)) == "no_such_person"
    assert code(site, SignOut(SESSION)) == ""
    assert code(site, SignOut(SESSION)) == "no_person"


def test_the_journal_knows_whose_sessions_are_open() -> None:
    """S8: one ends with a sign-out, another secret, a reset, the person; of many the oldest does."""
    site = OfSite()
    third = site.join("floor")

    def begin(number: int, person: int = third) -> None:
        assert code(site, SignIn(person, mark(number))) == ""

    def theirs() -> list[int]:
        sessions = site.engine.state.sessions
        return [int.from_bytes(digest, "big") for digest, one in sessions.items() if one.person == third]

    begin(100, 1)
    for number in range(SESSIONS_OF_ONE + 2):
        begin(number)
    assert theirs() == list(range(2, SESSIONS_OF_ONE + 2))
    assert code(site, SignOut(mark(5))) == ""
    assert 5 not in theirs()
    for end, by in ((SetSecret(SECRET), (third,)), (ResetSecret(third), ADMINS)):
        begin(50)
        assert code(site, end, *by) == ""
        assert theirs() == []
    assert code(site, GiveCode(third, CODE, 1), 1) == ""
    assert code(site, SetSecret(SECRET), third, means="code") == ""
    begin(8)
    assert code(site, EndPerson(third), 1) == ""
    assert [one.person for one in site.engine.state.sessions.values()] == [1]
    assert Engine.from_snapshot(site.engine.snapshot()).state == site.engine.state
