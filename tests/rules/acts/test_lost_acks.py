"""Claims of lost acks: which are believed, and what stops meanwhile (S9)."""

from typing import Any, TypeVar

import pytest

from jackpot.rules import events, registry
from jackpot.rules.acts.links import Resume, Resumed, Suspend
from jackpot.rules.acts.lost_acks import (
    BELIEVED_MAX,
    BehindConfirmed,
    BehindOver,
    ConfirmBehind,
    FoundBehind,
)
from jackpot.rules.commands import TableHello
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import malformed
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager

E = TypeVar("E", bound=events.Event)
ADA, BOTH = ("Ada",), ("Ada", "Grace")


def three() -> OfEngine:
    """Three tables on one link, of which all but T3 have played a round."""
    subject = bank()
    subject.add(Table("T3"))
    for name in ("T1", "T2"):
        send(subject, 1, wager(f"{name}-1"), table=name)
        send(subject, 2, frames.Close(f"{name}-1"), table=name)
    return subject


def says(subject: OfEngine, table: str, acked: int) -> dict[str, Any]:
    return subject.execute(TableHello(acked=acked), table=table).answer


def confirm(subject: OfEngine, table: str, believe: bool, people: tuple[str, ...] = BOTH) -> dict[str, Any]:
    return subject.execute(ConfirmBehind(table, "looked at both", believe), people=people).answer


def rows(subject: OfEngine, kind: type[E]) -> list[E]:
    found = (registry.decode(entry.kind, entry.version, entry.body) for entry in subject.entries)
    return [event for event in found if isinstance(event, kind)]


def suspended(subject: OfEngine) -> bool:
    held = {tuple(link.suspended) for link in subject.engine.state.links}
    assert held in ({()}, {("ledger_behind",)})
    return held == {("ledger_behind",)}


def test_a_table_is_ahead_from_one_above_the_last_number() -> None:
    """S9: the last number itself is what it should know."""
    subject = three()
    assert says(subject, "T1", 2)["t"] == "welcome"
    assert says(subject, "T1", 3)["code"] == "ledger_behind"


def test_one_table_is_no_off_switch() -> None:
    """S9: refused and alarmed, journalled once an epoch whatever it says then; the others play on."""
    subject = three()
    found = subject.execute(TableHello(acked=2**53 - 2**32), table="T1")
    assert [alarm for alarm, _ in found.alarms] == ["ledger_behind"]
    for acked in (7, 8, 2**52, 2**53 - 2**32):
        assert says(subject, "T1", acked)["code"] == "ledger_behind"
    assert len(rows(subject, FoundBehind)) == 1
    assert not suspended(subject)
    assert send(subject, 3, wager("x2"), table="T2").answer["t"] == "ack"


def test_the_bank_stops_when_a_second_table_says_so_in_the_epoch() -> None:
    """S9: not for what was said in an earlier epoch."""
    subject = three()
    says(subject, "T1", 9)
    subject.take_over()
    says(subject, "T2", 9)
    assert not suspended(subject)
    assert says(subject, "T1", 9)["code"] == "ledger_behind"
    assert suspended(subject)
    assert [event.suspends for event in rows(subject, FoundBehind)] == [False, False, True]
    for table in ("T1", "T2"):
        assert confirm(subject, table, believe=True)["ok"]
    assert not suspended(subject)


def test_a_table_that_people_have_answered_is_no_second_witness() -> None:
    """S9: so one liar stops the bank no more, however often they answer it; its new word is journalled."""
    subject = three()
    says(subject, "T1", 9)
    assert confirm(subject, "T1", believe=True)["ok"]
    for acked in (5, 6, 7):
        assert says(subject, "T2", acked)["code"] == "ledger_behind"
        assert not suspended(subject)
        assert confirm(subject, "T2", believe=False)["ok"]
    assert says(subject, "T2", 7)["t"] == "welcome"
    assert len(rows(subject, FoundBehind)) == 4
    says(subject, "T2", 8)
    says(subject, "T3", 1)
    assert suspended(subject), "two wait for people"


def test_an_engine_that_is_rebuilt_within_an_epoch_knows_when_that_began() -> None:
    """S9: what a table said stays said, and counts for the next one; in a new epoch neither does."""
    subject = three()
    says(subject, "T1", 9)
    subject.rebuild()
    assert says(subject, "T1", 9)["code"] == "ledger_behind"
    assert len(rows(subject, FoundBehind)) == 1
    says(subject, "T2", 9)
    assert suspended(subject)


def test_the_bank_stops_where_no_other_table_has_ever_played() -> None:
    """S9: then nobody else could say it; a table whose frames were all refused has not played."""
    subject = bank()
    send(subject, 1, malformed("t: unknown"), table="T2")
    says(subject, "T1", 1)
    assert suspended(subject)
    subject.open(Link("M", "pa-643a-five-card-A"))
    assert suspended(subject), "a link that opens meanwhile waits, too"
    assert confirm(subject, "T1", believe=False)["ok"]
    assert not suspended(subject)


def test_two_people_confirm_and_nobody_resumes_it_otherwise() -> None:
    """S9: one name is refused, and no other act takes `ledger_behind` away or brings it."""
    subject = bank()
    says(subject, "T1", 7)
    assert confirm(subject, "T1", believe=True, people=ADA)["code"] == "two_people"
    for act in (Resume, Suspend):
        assert subject.execute(act("ledger_behind", (), ""), people=BOTH).answer["code"] == "reserved"
    assert confirm(subject, "T2", believe=True)["code"] == "not_behind"
    assert confirm(subject, "T1", believe=True)["ok"]
    (confirmed,) = rows(subject, BehindConfirmed)
    assert (confirmed.acked, confirmed.missing, confirmed.people.signed) == (7, 7, ())
    assert says(subject, "T1", 7)["last_seq"] == 7
    assert send(subject, 8, wager()).answer["t"] == "ack"


def test_nobody_is_believed_above_half_of_what_the_wire_can_count() -> None:
    """S9: from a believed number a table can count on for ever; a higher one is disbelieved, and it plays."""
    subject = three()
    says(subject, "T1", BELIEVED_MAX + 1)
    assert confirm(subject, "T1", believe=True)["code"] == "not_believable"
    assert confirm(subject, "T1", believe=False)["ok"]
    assert says(subject, "T1", BELIEVED_MAX + 1)["last_seq"] == 2
    assert send(subject, 3, wager("r2")).answer["t"] == "ack"
    subject = three()
    says(subject, "T1", BELIEVED_MAX)
    assert confirm(subject, "T1", believe=True)["ok"]
    assert send(subject, BELIEVED_MAX + 1, wager("r2")).answer["t"] == "ack"


def test_a_disbelieved_number_is_ignored_until_the_table_names_a_right_one() -> None:
    """S9: up to the number disbelieved; above it, and after a right one, its word counts again."""
    subject = three()
    says(subject, "T1", 100)
    confirm(subject, "T1", believe=False)
    for acked in (100, 3):
        assert says(subject, "T1", acked)["last_seq"] == 2
    assert says(subject, "T1", 101)["code"] == "ledger_behind"
    confirm(subject, "T1", believe=False)
    for _ in range(2):
        assert says(subject, "T1", 2)["t"] == "welcome"
    assert len(rows(subject, BehindOver)) == 1
    assert says(subject, "T1", 3)["code"] == "ledger_behind"


def test_a_tables_numbers_never_go_back() -> None:
    """S4, S5: believing a number that the table has passed since makes no frame new again."""
    subject = bank()
    says(subject, "T1", 2)
    for seq in range(1, 4):
        send(subject, seq, malformed(f"t: {seq}"))
    confirm(subject, "T1", believe=True)
    found = subject.engine.table("T1")
    assert found is not None
    assert found.last_seq == 3
    assert send(subject, 3, malformed("t: 3")).entry is None


def test_a_restored_bank_waits_for_two_people_who_may_confirm_its_tables() -> None:
    """S9: one act resumes it and believes every table, each with the number that they were shown."""
    subject = three()
    subject.execute(Suspend("restored", (), "from row 7"))
    says(subject, "T1", 20)
    says(subject, "T2", 30)
    tables = (("T1", 20), ("T2", 30))
    resume = Resume("restored", (), "the shift log agrees", tables)
    assert subject.execute(resume, people=ADA).answer["code"] == "two_people"
    for wrong in ((("T1", 21),), (("T3", 1),), (("T1", 20), ("T1", 20))):
        other = Resume("restored", (), "", wrong)
        assert not subject.execute(other, people=BOTH).answer["ok"]
    assert subject.execute(resume, people=BOTH).answer["ok"]
    (resumed,) = rows(subject, Resumed)
    assert [(one.table, one.acked, one.missing) for one in resumed.believed] == [(1, 20, 18), (2, 30, 28)]
    assert not suspended(subject)
    assert says(subject, "T2", 30)["last_seq"] == 30


@pytest.mark.parametrize("reason", ["restored", "internal"])
def test_two_people_resume_what_went_wrong(reason: str) -> None:
    """S9, S3: a restored bank, or one that contradicted itself, is not let in again by one."""
    subject = bank()
    subject.execute(Suspend(reason, (), ""), people=ADA)
    subject.open(Link("M", "pa-643a-five-card-A"))
    resume = Resume(reason, (), "")
    assert subject.execute(resume, people=ADA).answer["code"] == "two_people"
    assert subject.execute(resume, people=BOTH).answer["ok"]
    assert [link.suspended for link in subject.engine.state.links] == [[], []]
