"""Acknowledgement of alarms, and alarms that nobody acknowledges."""

from typing import Any

import pytest

from jackpot.rules import registry
from jackpot.rules.acts.alarms import AcknowledgeAlarm, AlarmAcknowledged
from jackpot.rules.acts.banks import BeginBank, CloseBank, handed_on
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.people import Recover
from jackpot.rules.acts.sessions import LockOut
from jackpot.rules.engine import Engine
from jackpot.rules.signing import People
from jackpot.rules.state import Alarm
from tests.rules.site import OfSite, newcomer
from tests.rules.subject import OfEngine
from tests.rules.test_alarms import acknowledge, counted, mismatch, opened
from tests.rules.test_engine import bank
from tests.said import refusal


def test_an_alarm_is_open_until_somebody_has_seen_it() -> None:
    """T3: it says where and what; who saw it is in the journal, with what they found; then it is over."""
    subject = bank()
    mismatch(subject, 1, "r1")
    (alarm,) = opened(subject).values()
    assert (alarm["alarm"], alarm["kind"], alarm["place"]) == ("AL1", "chip_mismatch", "table T1")
    assert (alarm["what"], alarm["times"], alarm["seq"]) == (counted("r1"), 1, 5)
    assert acknowledge(subject, "AL1")["code"] == "no_person"
    assert acknowledge(subject, "AL2", "Ada")["code"] == "no_such_alarm"
    assert acknowledge(subject, "AL1", "Ada", remark="two chips under the felt")["ok"]
    assert opened(subject) == {}
    entry = subject.entries[-1]
    assert registry.decode(entry.kind, entry.version, entry.body) == AlarmAcknowledged(
        1, "chip_mismatch", "table T1", 1, "two chips under the felt", People(("Ada",))
    )
    assert acknowledge(subject, "AL1", "Grace")["code"] == "no_such_alarm"


@pytest.mark.parametrize("role", ["floor", "viewer"])
def test_who_may_acknowledge(role: Any) -> None:
    """T3: the floor and admins; what is about the people of the site an admin alone."""
    site = OfSite()
    other = site.join(role)
    site.ask(LockOut(2, 10))
    assert site.ask(AcknowledgeAlarm("AL1"), other).answer["code"] == "not_allowed"
    assert site.ask(AcknowledgeAlarm("AL1"), 1).answer["ok"]


@pytest.mark.parametrize("raised", [LockOut(3, 10), Recover(*newcomer(4))])
def test_nobody_acknowledges_what_is_about_themselves(raised: Any) -> None:
    """T3: an admin who was recovered, or locked out, does not take that from the eyes of the others."""
    site = OfSite()
    site.join("admin")
    assert site.execute(raised, people=("root",) if isinstance(raised, Recover) else ()).answer["ok"]
    (alarm,) = site.engine.state.alarms.values()
    refused = site.ask(AcknowledgeAlarm("AL1"), alarm.person).answer
    assert refusal(refused) == ("not_allowed", "alarm_about_oneself", "AL1", alarm.person)
    assert site.ask(AcknowledgeAlarm("AL1"), 2).answer["ok"]


def test_what_is_open_goes_on_in_the_bank_that_a_bank_becomes() -> None:
    """T3: to join banks is no way to be rid of an alarm; a number is never another alarm's."""
    subject = bank()
    mismatch(subject, 1, "r1")
    mismatch(subject, 1, "r1", "T2")
    assert acknowledge(subject, "AL1", "Ada")["ok"]
    assert subject.execute(Suspend("operator", (), "a new control room"), people=("Ada",)).answer["ok"]
    closed = subject.execute(CloseBank("floor", "one control room"), people=("Ada",))
    assert closed.answer["ok"], closed.answer
    entry = subject.entries[-1]
    event: Any = registry.decode(entry.kind, entry.version, entry.body)
    joined = OfEngine("floor")
    heads = (("main", entry.seq, b"h" * 32),)
    assert joined.execute(BeginBank(heads, (event.handed_on,))).answer["ok"]
    (alarm,) = opened(joined).values()
    assert (alarm["alarm"], alarm["kind"], alarm["place"]) == ("AL1", "chip_mismatch", "table T2")
    assert alarm["what"] == counted("r1")


def test_banks_that_are_joined_keep_alarms_of_the_same_hit_apart() -> None:
    """T3: each bank counts its hits from 1, and had alarms of its own; none takes the place of another."""
    parts, heads = [], []
    for name in ("north", "south"):
        engine = Engine(name)
        places = {"left_on_meter": "hit H1", "internal": "", "chip_mismatch": f"table {name}"}
        for kind, where in places.items():
            number = engine.state.next_alarm
            engine.state.alarms[kind, where] = Alarm(number, kind, where, None, 1, 1, 1)
            engine.state.next_alarm += 1
        parts.append(handed_on(engine.state))
        heads.append((name, 9, b"h" * 32))
    joined = OfEngine("floor")
    assert joined.execute(BeginBank(tuple(heads), tuple(parts))).answer["ok"]
    assert {alarm["place"] for alarm in opened(joined).values()} == {
        "hit H1 (north)", "bank north", "table north", "hit H1 (south)", "bank south", "table south",
    }  # fmt: skip
