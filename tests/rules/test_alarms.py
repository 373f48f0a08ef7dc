"""Every alarm stays open until somebody acknowledges it by name."""

from typing import Any

from controllers import messages
from jackpot.rules import alarms, views
from jackpot.rules.acts.alarms import AcknowledgeAlarm
from jackpot.rules.acts.devices import BlockDevice
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.people import Recover
from jackpot.rules.acts.sessions import LockOut
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import TableHello
from jackpot.rules.engine import Engine
from jackpot.rules.paytable import TableTerms
from jackpot.rules.phrases import Phrase, misfit, phrase
from tests.frames import Bet, Close, Lock, Wager
from tests.rules.site import OfSite, newcomer
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager


def counted(round_: str) -> Phrase:
    """What the alarm of a round that `mismatch` plays says."""
    return phrase(
        "alarm_counts", round=round_, counts=[phrase("alarm_link_count", link="L", theirs=1, ours=2)]
    )


def opened(subject: OfEngine) -> dict[str, Any]:
    """The open alarms, by id."""
    return {one["alarm"]: one for one in views.open_alarms(subject.engine)}


def acknowledge(subject: OfEngine, alarm: str, *people: str, remark: str = "") -> Any:
    return subject.execute(AcknowledgeAlarm(alarm, remark), people=people).answer


def mismatch(subject: OfEngine, seq: int, round_: str, table: str = "T1") -> None:
    """The dealer counts one chip less than there are wagers, and the round is void."""
    bets = (Bet(3, "L", 100), Bet(2, "L", 100))
    assert send(subject, seq, Wager(round_, bets), table=table).answer["t"] == "ack"
    assert send(subject, seq + 1, Lock(round_, {"L": 1}), table=table).answer["warn"] == ["chip_mismatch"]
    assert send(subject, seq + 2, messages.Void(0, round_, "misdeal"), table=table).answer["t"] == "ack"


def test_what_is_raised_again_counts_on_and_is_another_once_it_was_seen() -> None:
    """T3: a table that alarms all day has one open alarm, and no other table's is hidden behind it."""
    subject = bank()
    for number in range(3):
        mismatch(subject, 3 * number + 1, f"r{number}")
    mismatch(subject, 1, "x", "T2")
    found = opened(subject)
    assert {(name, one["place"], one["times"]) for name, one in found.items()} == {
        ("AL1", "table T1", 3),
        ("AL2", "table T2", 1),
    }
    assert (found["AL1"]["seq"], found["AL1"]["what"]) == (5, counted("r2"))
    assert acknowledge(subject, "AL1", "Ada")["ok"]
    mismatch(subject, 10, "r9")
    assert set(opened(subject)) == {"AL2", "AL3"}
    assert views.statistics(subject.engine)["alarms"] == dict.fromkeys(alarms.KINDS, 0) | {"chip_mismatch": 2}


def test_every_kind_is_opened_by_what_raises_it() -> None:
    """T3, S6, S9, L11: each says where it is; nothing else is open."""
    subject, site = bank(), OfSite()
    mismatch(subject, 1, "r1")
    send(subject, 4, wager("r2"))
    assert send(subject, 5, Close("r2", {"L": 9})).answer["warn"] == ["count_mismatch"]
    subject.execute(OpenTable(TableTerms("T3", "let-it-ride", 7, ("L",), max_rounds_per_minute=1)))
    mismatch(subject, 1, "r1", "T3")
    assert send(subject, 4, wager("r2"), table="T3").answer["code"] == "unreasonable"
    subject.execute(TableHello(acked=99), table="T2")
    subject.execute(BlockDevice("table", "T2"))
    assert subject.execute(Suspend("config", ("L",), "")).answer["ok"]
    found = {(one["kind"], one["place"]) for one in opened(subject).values()}
    assert found == {
        ("chip_mismatch", "table T1"),
        ("count_mismatch", "table T1"),
        ("chip_mismatch", "table T3"),
        ("unreasonable", "table T3"),
        ("ledger_behind", "table T2"),
        ("device_conflict", "table T2"),
        ("config_differs", "link L"),
    }
    site.ask(LockOut(2, 10))
    site.execute(Recover(*newcomer(3)), people=("root",))
    said = {(one["kind"], one["place"], one["what"]) for one in opened(site).values()}
    assert said == {
        ("person_locked_out", "person 2", phrase("alarm_failures", count=10)),
        ("admin_recovered", "person 3", phrase("alarm_recovered_by", people=["root"])),
    }


def test_what_an_alarm_says_is_a_template_with_values() -> None:
    """T3, S6, S9, L11: the state holds no text; a snapshot of it is the same again."""
    subject = bank()
    mismatch(subject, 1, "r1")
    send(subject, 4, wager("r2"))
    assert send(subject, 5, Close("r2", {"L": 9})).answer["warn"] == ["count_mismatch"]
    subject.execute(OpenTable(TableTerms("T3", "let-it-ride", 7, ("L",), max_rounds_per_minute=1)))
    assert send(subject, 1, wager("r1"), table="T3").answer["t"] == "ack"
    assert send(subject, 2, messages.Void(0, "r1", "misdeal"), table="T3").answer["t"] == "ack"
    assert send(subject, 3, wager("r2"), table="T3").answer["code"] == "unreasonable"
    subject.execute(TableHello(acked=99), table="T2")
    send(subject, 1, wager("r8"), table="T2")
    subject.execute(BlockDevice("table", "T2"))
    found = {one.kind: one.what for one in subject.engine.state.alarms.values()}
    theirs = phrase("alarm_link_count", link="L", theirs=9, ours=4)
    assert found == {
        "chip_mismatch": counted("r1"),
        "count_mismatch": phrase("alarm_counts", round="r2", counts=[theirs]),
        "unreasonable": phrase("too_many_rounds_a_minute", limit=1),
        "ledger_behind": phrase("alarm_answers_lost", acked=99),
        "device_conflict": None,
    }
    again = Engine.from_snapshot(subject.engine.snapshot())
    assert {one.kind: one.what for one in again.state.alarms.values()} == found
    assert all(misfit(said.template, said.values) is None for said in found.values() if said is not None)
