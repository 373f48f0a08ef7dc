"""Catalogue of alarms: every kind, the events that raise it, and its words. Each is open until acknowledged.

An alarm is open for one place at a time: the same alarm raised there again is counted. The engine, the
report and the notifier call the same function, so that none of them can leave one out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from jackpot.rules.acts.cash import CashNoticed
from jackpot.rules.acts.conflict import SeqConflict
from jackpot.rules.acts.devices import DeviceBlocked
from jackpot.rules.acts.ends import EndWaits
from jackpot.rules.acts.hits import Corrected, Paid, cash_of_day, over_in_cash
from jackpot.rules.acts.level_order import LevelOrderChanged
from jackpot.rules.acts.links import CONFIG_REASON, Suspended
from jackpot.rules.acts.lost_acks import BEHIND, FoundBehind
from jackpot.rules.acts.people import Recovered
from jackpot.rules.acts.sessions import LockedOut
from jackpot.rules.codes import Code
from jackpot.rules.effects import Effects, Map
from jackpot.rules.events import Event, LampReported, LeftMade, Refused
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.phrases import Phrase, english, phrase
from jackpot.rules.rounds.apply import LEFT_TOLD_MAX
from jackpot.rules.state import Alarm, BankState


class AlarmKind(NamedTuple):
    """A kind of alarm.

    means: what has happened. then: what people do about it, before they acknowledge it.
    """

    means: str
    then: str


KINDS: Final[Mapping[str, AlarmKind]] = {
    "admin_recovered": AlarmKind(
        "an admin was made where no server ran",
        "ask who did it on the server's machine; nobody else has confirmed them",
    ),
    "chip_mismatch": AlarmKind(
        "the dealer's chip count is not that of the accepted wagers",
        "count again at the table, strike one wager, or void the round",
    ),
    "config_differs": AlarmKind(
        "a link takes no wagers, because the configuration differs from the journal",
        "two people confirm what differs, on the page of the link; or set the configuration right",
    ),
    "count_mismatch": AlarmKind(
        "the table's own count of wagers is not the server's",
        "explain it before the drop is counted: report `wagers` has every wager of the table",
    ),
    "currency_report": AlarmKind(
        "a patron was given more cash in a gaming day than goes without a report",
        "file the currency transaction report, with all that the cage gave them on that day",
    ),
    "device_conflict": AlarmKind(
        "two devices use one key, and neither is let in",
        "find the second one, then clear the first; revoke a stolen key",
    ),
    "internal": AlarmKind(
        "something happened that nobody can explain, and its links stopped",
        "keep the log and the ledger; once it is understood two people resume the links",
    ),
    "end_waits": AlarmKind(
        "a link cannot end as two people announced it; it takes no wagers once its day is over",
        "see to what is in the way: then the server ends it; or two people close it to another link",
    ),
    "lamp_failed": AlarmKind(
        "the lamp of an award does not light",
        "look at the seat's lamp, and say what it shows when you validate the hit; have the lamp repaired",
    ),
    BEHIND: AlarmKind(
        "a table has answers that the ledger has lost",
        "two people say whether they believe what the table says",
    ),
    "left_on_meter": AlarmKind(
        "an award that was paid would be worth more now; the difference stays on its meter",
        "two people decide on it, on the page of its link",
    ),
    "levels_out_of_order": AlarmKind(
        "a lower level of a link stands above a higher one",
        "look why the higher one is low; two people may change its reseed or its rates",
    ),
    "person_locked_out": AlarmKind(
        "somebody failed to sign in too often under this name",
        "ask the person whether it was they; an admin resets the password if not",
    ),
    "seq_conflict": AlarmKind(
        "the table sent two commands under one number; the first stands",
        "look whether two devices use its key, or it lost its memory",
    ),
    "unreasonable": AlarmKind(
        "the table placed more than it can play",
        "look into the table's controller",
    ),
}
"""Everything that people must look at and acknowledge (T3, S6, S9, L11, L12, A11, P2)."""

# Events that raise one whenever they come. The other events say it in what their answer tells: a count that
# disagrees as `warn`, paid awards that would be worth more as `left`.
ALWAYS: Final = frozenset(
    {
        CashNoticed,
        Corrected,
        DeviceBlocked,
        EndWaits,
        FoundBehind,
        LampReported,
        LevelOrderChanged,
        LockedOut,
        Paid,
        Recovered,
        Refused,
        SeqConflict,
        Suspended,
    }
)
# Refusals that alarm; every other one is a mistake of one command.
_REFUSALS: Final = (Code.UNREASONABLE.value, Code.INTERNAL.value)


class RaisedAlarm(NamedTuple):
    """An alarm as an event raises it. facts: for the log; they say where. what: as in `state.Alarm`."""

    kind: str
    facts: Map
    what: Phrase | None = None


class AlarmNames(Protocol):
    """Resolves numbers of the journal to names; "" for None."""

    def link(self, number: int | None) -> str: ...
    def table(self, number: int | None) -> str: ...
    def level(self, link: int, level: int) -> str: ...


class _StateNames(NamedTuple):
    """Resolves names from a bank's state."""

    state: BankState

    def link(self, number: int | None) -> str:
        return "" if number is None else self.state.link(number).terms.link

    def table(self, number: int | None) -> str:
        return "" if number is None else self.state.table(number).terms.table

    def level(self, link: int, level: int) -> str:
        return self.state.link(link).levels[level - 1].terms.level


def raise_alarms(effects: Effects, event: Event) -> None:
    """Opens the alarm that the event raises, or counts it on the one already open there."""
    if isinstance(event, Refused) and event.code not in _REFUSALS:  # the mistake of one command
        return
    number = None if effects.table is None else effects.table.number
    for found in raised(event, number, _StateNames(effects.state)):
        effects.alarm(found.kind, **found.facts)
        _open(effects, found)


def raised(event: Any, table: int | None, names: AlarmNames) -> Iterator[RaisedAlarm]:
    """The alarm that an event raises. table: whose frame it was."""
    facts: Map
    match event:
        case DeviceBlocked():
            yield RaisedAlarm("device_conflict", {"role": event.role, "device": event.device})
        case FoundBehind():
            facts = {"table": names.table(event.table), "acked": event.acked, "suspends": event.suspends}
            lost = "alarm_answers_lost_and_bank_stopped" if event.suspends else "alarm_answers_lost"
            yield RaisedAlarm(BEHIND, facts, phrase(lost, acked=event.acked))
        case LockedOut():
            facts = {"person": event.person, "failures": event.failures}
            yield RaisedAlarm("person_locked_out", facts, phrase("alarm_failures", count=event.failures))
        case Recovered():
            facts = {"person": event.id, "by": list(event.people.said())}
            yield RaisedAlarm("admin_recovered", facts, phrase("alarm_recovered_by", people=facts["by"]))
        case Paid() | Corrected() if over_in_cash(event):
            yield _cash_alarm(event.hit, cash_of_day(event))
        case CashNoticed():
            yield _cash_alarm(event.hit, event.cash)
        case LevelOrderChanged() if event.pairs:
            levels = [
                phrase(
                    "alarm_level_above",
                    lower=names.level(event.link, lower),
                    less=from_cents(to_cents(below)),
                    higher=names.level(event.link, higher),
                    more=from_cents(to_cents(above)),
                )
                for higher, lower, above, below in event.pairs
            ]
            yield RaisedAlarm(
                "levels_out_of_order", {"link": names.link(event.link)}, phrase("alarm_levels", levels=levels)
            )
        case EndWaits():
            facts = {"link": names.link(event.link), "message": english(event.template, event.values)}
            yield RaisedAlarm("end_waits", facts, Phrase(event.template, event.values))
        case LampReported() if event.changed and event.state == "lamp_failed":
            facts = {"table": names.table(table), "award": f"A{event.award}", "seat": event.seat}
            said = phrase("alarm_lamp", award=facts["award"], seat=event.seat)
            yield RaisedAlarm("lamp_failed", facts, said)
        case SeqConflict():
            facts = {"table": names.table(event.table), "table_seq": event.table_seq}
            yield RaisedAlarm("seq_conflict", facts, phrase("alarm_number_used", number=event.table_seq))
        case Suspended() if event.cause == CONFIG_REASON:
            for link in event.links:
                yield RaisedAlarm("config_differs", {"link": names.link(link)})
        case Refused() if event.code in _REFUSALS:
            facts = {"table": names.table(table), "message": english(event.template, event.values)}
            yield RaisedAlarm(event.code, facts, Phrase(event.template, event.values))
    if (locking := getattr(event, "locking", None)) is not None and locking.accepted:
        counts = _counts(names, locking.chips, locking.accepted)
        sums = _sums(names, locking.sums, locking.wagered)
        yield RaisedAlarm("chip_mismatch", *_miscounted(names.table(table), event.round, counts, sums))
    if (closing := getattr(event, "closing", None)) is not None and (closing.ours or closing.our_sums):
        counts = _counts(names, closing.counts, closing.ours)
        sums = _sums(names, closing.sums, closing.our_sums)
        yield RaisedAlarm("count_mismatch", *_miscounted(names.table(table), event.round, counts, sums))
    if left := _residual_sums(event):
        hit = getattr(event, "hit", None)
        of = {"table": names.table(getattr(event, "table", table))} if hit is None else {"hit": f"H{hit}"}
        cents = {f"A{one.award}": to_cents(one.more) for one in left[:LEFT_TOLD_MAX]}
        awards = [
            phrase("alarm_award_left", award=award, sum=from_cents(sum_)) for award, sum_ in cents.items()
        ]
        more = len(left) - len(awards)
        what = (
            phrase("alarm_more_left", awards=awards, more=more)
            if more
            else phrase("alarm_left", awards=awards)
        )
        yield RaisedAlarm("left_on_meter", {**of, "awards": cents, "count": len(left)}, what)


def _cash_alarm(hit: int, cash: int) -> RaisedAlarm:
    """The alarm of cash to one patron that is to be reported; cents."""
    facts: Map = {"hit": f"H{hit}", "cash": cash}
    return RaisedAlarm("currency_report", facts, phrase("alarm_cash", hit=facts["hit"], sum=from_cents(cash)))


def _residual_sums(event: Any) -> list[LeftMade]:
    """The paid awards that the event would have raised, each with how much."""
    made = getattr(event, "made", None)
    recomputed = getattr(event, "recomputed", None) if made is None else made.recomputed
    return [] if recomputed is None else recomputed.grown()


def _counts(names: AlarmNames, table_counts: Mapping[int, int], server_counts: Mapping[int, int]) -> Map:
    """By link the table's count, None where it sent none, and the accepted wagers."""
    return {
        names.link(link): {"table": table_counts.get(link), "server": count}
        for link, count in server_counts.items()
    }


def _sums(names: AlarmNames, table_sums: Mapping[int, int], server_sums: Mapping[int, int]) -> Map:
    """As `_counts`: what the wagers on offers come to, in cents (B3)."""
    return {
        names.link(link): {
            "table": to_cents(table_sums[link]) if link in table_sums else None,
            "server": to_cents(sum_),
        }
        for link, sum_ in server_sums.items()
    }


def _miscounted(table: str, round_: str, counts: Map, sums: Map) -> tuple[Map, Phrase]:
    """Facts and words of a count that disagrees. counts, sums: as of `_counts` and `_sums`."""
    links = [
        phrase("alarm_link_uncounted", link=link, ours=count["server"])
        if count["table"] is None
        else phrase("alarm_link_count", link=link, theirs=count["table"], ours=count["server"])
        for link, count in counts.items()
    ]
    links += [
        phrase("alarm_link_unsummed", link=link, ours=from_cents(sum_["server"]))
        if sum_["table"] is None
        else phrase(
            "alarm_link_sum", link=link, theirs=from_cents(sum_["table"]), ours=from_cents(sum_["server"])
        )
        for link, sum_ in sums.items()
    ]
    facts: Map = {"table": table, "round": round_, "counts": counts}
    return facts | ({"sums": sums} if sums else {}), phrase("alarm_counts", round=round_, counts=links)


def place(facts: Map) -> str:
    """Where it is: a table, another device, a person by number, a hit or a link; "" for the whole bank."""
    if "device" in facts:
        return f"{facts['role']} {facts['device']}"
    if "person" in facts:
        return f"person {facts['person']}"
    if "hit" in facts:
        return f"hit {facts['hit']}"
    if "link" in facts:
        return f"link {facts['link']}"
    return f"table {facts['table']}" if facts["table"] else ""


def _open(effects: Effects, raised: RaisedAlarm) -> None:
    state, at, what = effects.state, effects.at, raised.what
    open_alarm = state.alarms.get(key := (raised.kind, place(raised.facts)))
    if open_alarm is not None:
        open_alarm.what, open_alarm.last, open_alarm.times = what, at, open_alarm.times + 1
        return
    person = raised.facts.get("person", 0)
    state.alarms[key] = Alarm(state.next_alarm, *key, what, effects.seq, at, last=at, person=person)
    state.next_alarm += 1
