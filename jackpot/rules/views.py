"""Read-only views of a bank's state as plain data, for pages, metrics and the command line (S1)."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from jackpot.rules import alarms, outgoing_messages
from jackpot.rules.acts.hits import can_undo
from jackpot.rules.effects import Map
from jackpot.rules.engine import Engine
from jackpot.rules.former_numbers import former
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.rounds.claims import common_of, hands_shown
from jackpot.rules.rounds.offers import lacking
from jackpot.rules.state import HITS_SHOWN, UNPAID, Award, BankState, Hit, Level, Link, Table

# The status under which unpaid awards of disputed hits are counted; their own status stays.
DISPUTED: Final = "disputed"
WAITING: Final = (*UNPAID, DISPUTED)


def statistics(engine: Engine) -> Map:
    """Every meter and count of the bank; sums in micro-dollars, the wager in cents, rates in basis points."""
    state = engine.state
    waiting = _waiting(state)
    return {
        "bank": state.bank,
        "seq": state.seq,
        "links": [_link(link) for link in state.links],
        "tables": [
            {
                "table": table.terms.table,
                "number": table.number,
                "game": table.terms.game,
                "links": list(table.terms.links),
                "last_seq": table.last_seq,
                "round": msgspec.to_builtins(outgoing_messages.unfinished_facts(state, table)),
                "held": [f"H{number}" for number in table.held],
                "asked": {"round": closed.id, "by": asked.people.said()[0]} if closed and asked else None,
                "rounds": table.rounds,
                "wagers": {
                    state.link(number).terms.link: table.counts.get(number, 0) for number in table.links
                },
                "sums": {
                    link.terms.link: table.sums.get(link.number, 0)
                    for link in map(state.link, table.links)
                    if link.terms.offer
                },
                "waiting": len(table.unpaid.hits),
            }
            for table in state.tables
            for closed, asked in [(table.closed, table.waits())]
        ],
        "hits": {
            status: sum(group["awards"] for group in waiting if group["status"] == status)
            for status in WAITING
        },
        "waiting": waiting,
        "refusals": dict(state.refusals),
        "behind": {
            table.terms.table: {"acked": said.acked, "last_seq": table.last_seq}
            for number, said in state.behind.items()
            for table in [state.table(number)]
        },
        "blocked": [list(device) for device in state.blocked],
        "left": left(state),
        "notices": len(state.notices),
        "uncredited": {
            "awards": len(state.uncredited),
            "oldest": min((waits.at for waits in state.uncredited.values()), default=0),
        },
        "requests": len(state.requests) + sum(table.waits() is not None for table in state.tables),
        "tallies": [[*of, count] for of, count in state.tallies.items()],
        "people": len(state.people),
        "last_day": state.last_day,
        "alarms": {kind: sum(alarm.kind == kind for alarm in state.alarms.values()) for kind in alarms.KINDS},
    }


def left(state: BankState) -> list[Map]:
    """Residual amounts on meters that wait for two people (A11), in micro-dollars, the oldest first."""
    return [
        {
            "left": f"D{one.number}",
            "award": f"A{one.award}",
            "link": link.terms.link,
            "level": link.levels[one.level - 1].terms.level,
            "amount": one.amount,
        }
        for one in state.left
        for link in [state.link(one.link)]
    ]


def _waiting(state: BankState) -> list[Map]:
    """Awards not paid yet, by link, level and status; level None for those that no meter pays.

    amount: micro-dollars; oldest: when the oldest of their hits was made, unix milliseconds. Those of
    disputed hits are counted apart: they do not wait for people who validate and pay. People dispute few.
    """
    groups: dict[tuple[int, int, str], list[int]] = {
        (link.number, level, status): [len(group.hits), group.amount, _first(state, group.hits)]
        for link in state.links
        for (level, status), group in link.unpaid.items()
    }
    for number in sorted(state.disputed):
        hit = state.hits[number]
        for award in hit.awards:
            if award.status in UNPAID:
                groups[award.link, award.level, award.status][0] -= 1
                groups[award.link, award.level, award.status][1] -= award.amount
                apart = groups.setdefault((award.link, award.level, DISPUTED), [0, 0, hit.at])
                apart[0] += 1
                apart[1] += award.amount
    return [
        {
            "link": state.link(number).terms.link,
            "level": state.link(number).levels[level - 1].terms.level if level else None,
            "status": status,
            "awards": awards,
            "amount": amount,
            "oldest": oldest,
        }
        for (number, level, status), (awards, amount, oldest) in groups.items()
        if awards
    ]


def _first(state: BankState, hits: list[int]) -> int:
    """When the oldest of the hits was made that is not disputed; 0 where there is none."""
    return next((state.hits[number].at for number in hits if number not in state.disputed), 0)


def _link(link: Link) -> Map:
    terms = link.terms
    return {
        "link": terms.link,
        "number": link.number,
        "wager": to_cents(terms.wager),
        "paytable": terms.paytable,
        "state": "closed" if link.closed else "suspended" if link.suspended else "active",
        "reasons": list(link.suspended),
        "paid_by": dict(link.paid_by),
        "awards_outside": link.outside.awards,
        "wagered": -link.outside.wagers,
        "most": terms.most,
        "unit": terms.unit,
        "form": terms.form,
        "levels": [_level(level) for level in link.levels],
    }


def _level(level: Level) -> Map:
    accounts, terms = level.accounts, level.terms
    return {
        "level": terms.level,
        "primary": accounts.primary,
        "reserve": accounts.reserve,
        "overflow": accounts.overflow,
        "house": -accounts.house,
        "contributions": -accounts.wagers,
        "awards": accounts.awards,
        "corrections": -accounts.corrections,
        "transfers": -accounts.transfers,
        "seed": terms.seed,
        "reseed": terms.reseed,
        "limit": terms.limit,
        "must_hit_by": None if level.mystery is None else level.mystery.terms.must_hit_by,
        "primary_rate": terms.primary,
        "reserve_rate": terms.reserve,
        "cycle": level.cycle,
        "hits": level.hits,
        "wins": level.wins,
        "wagers": level.wagers,
        "undone_wagers": level.undone_wagers,
        "undone_hits": level.undone_hits,
        "last_hits": [
            {
                "hit": f"H{shown.hit}",
                "table": shown.table,
                "hand": shown.hand,
                "amount": to_cents(shown.amount),
                "at": shown.at,
                "cycle": shown.cycle,
                "before": shown.before,
                "after": shown.after,
            }
            for shown in reversed(level.shown[-HITS_SHOWN:])
        ],
    }


def open_alarms(engine: Engine) -> list[Map]:
    """Every alarm that nobody has acknowledged, the oldest first."""
    return [
        {
            "alarm": f"AL{alarm.number}",
            "kind": alarm.kind,
            "means": alarms.KINDS[alarm.kind].means,
            "then": alarms.KINDS[alarm.kind].then,
            "place": alarm.place,
            "what": alarm.what,
            "seq": alarm.seq,
            "at": alarm.at,
            "last": alarm.last,
            "times": alarm.times,
            "person": alarm.person,
        }
        for alarm in engine.state.alarms.values()
    ]


def waiting_hits(engine: Engine, after: int, limit: int) -> tuple[list[Map], bool]:
    """The first so many hits above that number that wait for people, oldest first; whether there are more."""
    state = engine.state
    found = sorted(number for table in state.tables for number in table.unpaid.first(limit + 1, after))
    return [hit(state, state.hits[number]) for number in found[:limit]], len(found) > limit


def round_of(engine: Engine, table: str) -> Map | None:
    """The round that the table has to finish, or its last closed one while it can be reopened (T10)."""
    found = engine.table(table)
    if found is None:
        return None
    current = outgoing_messages.unfinished_facts(engine.state, found)
    if current is not None:
        return dict(msgspec.to_builtins(current)) | {"unseen": _unseen(engine.state, found)}
    if found.closed is not None:
        waits = found.waits()
        asked = waits.people.said()[0] if waits else None
        hits_of = [f"H{number}" for number in found.closed.hits]
        return {"round": found.closed.id, "state": "closed", "hits": hits_of, "asked": asked}
    return None


def _unseen(state: BankState, table: Table) -> list[str]:
    """The offers wagered on in its locked round whose cards are still to be shown (B10, B16)."""
    round_ = table.unfinished()
    if round_ is None or round_.state == "open":
        return []
    offered = [state.link(number).terms for number in sorted({bet.link for bet in round_.bets})]
    common, shown = common_of(round_), len(hands_shown(round_))
    return [
        terms.link
        for terms in offered
        if terms.offer and lacking(terms, table, round_, common, shown) is not None
    ]


def has(engine: Engine, hit: int | None, award: int | None) -> bool:
    """Whether this bank, or one that became it, ever made a hit, or an award, that has this number here."""
    state = engine.state
    made = hit is None or state.first_hit <= hit < state.next_hit
    return made and (award is None or state.first_award <= award < state.next_award)


def _sum(awards: Iterable[Award]) -> int:
    return sum(to_cents(award.amount) for award in awards)


def hit(state: BankState, won: Hit) -> Map:
    """undoable: whether it may still be undone whole (A11).

    amount: the hand's own, as it was told when it was made; what it earned others is its `envy`.

    Of a hit that was undone whole they say what was taken back; of another, what stands.
    difference: what was journalled against its awards once they were paid, which no amount holds (A10).
    left, left_envy: what of `amount` and `envy` is not paid yet. disputed: the entry that holds its payment
    until that is lifted; None where nothing does. former: its numbers in banks that became this one.
    """
    statuses = {award.status for award in won.awards}
    awards = [
        {
            **msgspec.to_builtins(outgoing_messages.award_facts(state, award)),
            "difference": to_cents(award.difference),
        }
        for award in won.awards
    ]
    order: tuple[Any, ...] = ("pending", "validated", "final", "paid", "undone")
    levels = [award["level"] for award in awards if award["level"]]
    told = [award for award in won.awards if award.stands()] or won.awards
    unpaid = [award for award in won.awards if award.status in UNPAID]
    return {
        "hit": f"H{won.number}",
        "former": [
            {"bank": bank, "hit": f"H{number}"} for bank, number in former(state.parts, "H", won.number)
        ],
        "link": state.link(won.link).terms.link,
        "level": levels[0] if levels else None,
        "table": state.table(won.table).terms.table,
        "round": won.round,
        "seat": won.seat or None,
        "hand": won.hand,
        "unverified": won.unverified,
        "amount": _sum(award for award in told if award.kind != "envy"),
        "envy": _sum(award for award in told if award.kind == "envy"),
        "difference": sum(to_cents(award.difference) for award in won.awards if award.stands()),
        "left": _sum(award for award in unpaid if award.kind != "envy"),
        "left_envy": _sum(award for award in unpaid if award.kind == "envy"),
        "at": won.at,
        "status": next((status for status in order if status in statuses), "undone"),
        "disputed": state.disputed.get(won.number),
        "undoable": can_undo(state, won),
        "awards": awards,
    }


def link_terms(state: BankState) -> dict[str, LinkTerms]:
    """The terms of every link, by id, as the journal has them."""
    return {link.terms.link: link.terms for link in state.links}
