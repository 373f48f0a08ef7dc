"""The floor of the independent model of must-hit-by links: tables, rounds, hits, and people's acts.

It answers as `worked/play.py` asks, and refuses only what the worked cycles try. A wager counts in the moment
in which its round is closed, and not before (Y3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.faults.model_mystery import CENT, Award, Draw, Level, Refused, Terms
from tests.faults.worked.form import Link, Message, Signer, Table, cents, usd

OPEN, LOCKED, MISMATCH, CLOSED, REOPENED, VOID = "open", "locked", "mismatch", "closed", "reopened", "void"
PENDING, VALIDATED, PAID, UNDONE = "pending", "validated", "paid", "undone"

Where = tuple[str, str]
"""A link and a level."""


@dataclass
class Wager:
    """A wager. counted: the cycle in which it raised each level; nothing before its round is closed."""

    seat: int
    link: str
    counted: dict[str, int] = field(default_factory=dict)


@dataclass
class Round:
    name: str
    state: str = OPEN
    wagers: list[Wager] = field(default_factory=list)
    chips: dict[str, int] = field(default_factory=dict)


@dataclass
class Hit:
    """What one wager won of one level; its award has the same number."""

    number: int
    table: str
    round: str
    seat: int
    link: str
    level: str
    award: Award
    status: str = PENDING


@dataclass
class MysteryLink:
    """A link with its levels, from the first to the last."""

    form: Link
    levels: dict[str, Level]
    suspended: bool = False
    closed: bool = False


class Code(Exception):
    """A refusal with its code."""


def terms_of(wager: int, given: dict[str, str]) -> Terms:
    """Terms as the worked cycles have them: dollars, and a rate in percent."""
    sums = usd(given["minimum"]), usd(given["must_hit_by"])
    return Terms(*sums, wager, usd(given["rate"]) // CENT)


class MysteryFloor:
    """A subject of the worked cycles. draws: what gives each level its triggers."""

    def __init__(self, draws: dict[Where, Draw]) -> None:
        self.draws = draws
        self.links: dict[str, MysteryLink] = {}
        self.tables: dict[str, Table] = {}
        self.rounds: dict[str, dict[str, Round]] = {}
        self.last: dict[str, Round] = {}
        self.made: list[Hit] = []

    def open(self, link: Link) -> None:
        levels = {
            name: Level(terms_of(usd(link.wager), given), link.options["form"], self.draws[link.name, name])
            for name, given in link.options["levels"].items()
        }
        self.links[link.name] = MysteryLink(link, levels)

    def add(self, table: Table) -> None:
        self.tables[table.name] = table
        self.rounds[table.name] = {}

    # -- what tables send ------------------------------------------------------------------------------

    def frame(self, table: str, message: Message, draws: Message) -> Message:
        try:
            answer: Message = getattr(self, f"on_{message['t']}")(self.tables[table], message)
        except Code as refused:
            return {"ok": False, "code": str(refused)}
        return answer

    def on_wager(self, table: Table, message: Message) -> Message:
        rounds, name = self.rounds[table.name], message["round"]
        if any(other != name for other in rounds):
            raise Code("round_unfinished")
        if any(self.links[bet["link"]].suspended for bet in message["bets"]):
            raise Code("suspended")
        at = rounds.get(name) or Round(name)
        if at.state != OPEN:
            raise Code("locked_out")
        for bet in message["bets"]:
            if bet["amount"] != cents(self.links[bet["link"]].form.wager):
                raise Code("wrong_amount")
            if any((wager.seat, wager.link) == (bet["seat"], bet["link"]) for wager in at.wagers):
                raise Code("duplicate_wager")
        rounds[name] = at
        at.wagers += [Wager(bet["seat"], bet["link"]) for bet in message["bets"]]
        return self.locked(table, at, message) if message.get("lock") else answer()

    def on_withdraw(self, table: Table, message: Message) -> Message:
        at = self.playing(table, message)
        if at.state != OPEN:
            raise Code("locked_out")
        gone = {(bet["seat"], bet["link"]) for bet in message["bets"]}
        at.wagers = [wager for wager in at.wagers if (wager.seat, wager.link) not in gone]
        return answer()

    def on_lock(self, table: Table, message: Message) -> Message:
        at = self.playing(table, message)
        if at.state == OPEN and len(self.rounds[table.name]) > 1:
            raise Code("round_unfinished")
        return self.locked(table, at, message)

    def locked(self, table: Table, at: Round, message: Message) -> Message:
        """No more bets; links whose chips are counted say how many there are (T3, Y10)."""
        self.last.pop(table.name, None)
        at.chips |= message.get("chips", {})
        at.state = MISMATCH if self.miscounted(at) else LOCKED
        return answer(warn=["chip_mismatch"] if at.state == MISMATCH else [])

    def electronic(self, link: str) -> bool:
        """Whether its wagers are no chips: nobody counts them, and they go back to an account."""
        return bool(self.links[link].form.options.get("electronic"))

    def miscounted(self, at: Round) -> set[str]:
        standing = {wager.link for wager in at.wagers}
        counted = {name for name in standing if not self.electronic(name)}
        counts = {name: sum(wager.link == name for wager in at.wagers) for name in counted}
        return {name for name, count in counts.items() if at.chips.get(name) != count}

    def on_settle(self, table: Table, message: Message) -> Message:
        raise Code("bad_message")

    def on_close(self, table: Table, message: Message) -> Message:
        """The round's wagers count, and are decided: from the highest seat down, and level by level (Y3)."""
        at = self.playing(table, message)
        if at.state == OPEN:
            raise Code("not_locked")
        if at.state == MISMATCH:
            raise Code("chip_mismatch")
        awards = [] if at.state == REOPENED else self.count(table, at)
        at.state = CLOSED
        del self.rounds[table.name][at.name]
        self.last[table.name] = at
        return answer(awards=awards)

    def count(self, table: Table, at: Round) -> list[Message]:
        awards = []
        order = {name: place for place, name in enumerate(table.links)}
        for wager in sorted(at.wagers, key=lambda wager: (-wager.seat, order[wager.link])):
            for name, level in self.links[wager.link].levels.items():
                wager.counted[name] = level.cycle
                won = level.contribute()
                if won is not None:
                    hit = Hit(len(self.made) + 1, table.name, at.name, wager.seat, wager.link, name, won)
                    self.made.append(hit)
                    awards.append(award_of(hit))
        return awards

    def on_void(self, table: Table, message: Message) -> Message:
        at = self.playing(table, message)
        if at.state == REOPENED:
            raise Code("two_people")
        return self.gone(table, at)

    def gone(self, table: Table, at: Round) -> Message:
        """A void round returns its wagers; those that had counted are refunded (Y4)."""
        refunds = [
            {
                "link": wager.link,
                "seat": wager.seat,
                "pays": "account" if self.electronic(wager.link) else "inventory",
            }
            for wager in at.wagers
        ]
        for wager in at.wagers:
            self.give_back(wager)
        at.state, at.wagers = VOID, []
        self.rounds[table.name].pop(at.name)
        return answer(refunds=refunds)

    def give_back(self, wager: Wager) -> None:
        for name, cycle in wager.counted.items():
            self.links[wager.link].levels[name].refund(cycle)

    def playing(self, table: Table, message: Message) -> Round:
        if message["round"] not in self.rounds[table.name]:
            raise Code("no_such_round")
        return self.rounds[table.name][message["round"]]

    # -- what people do --------------------------------------------------------------------------------

    def act(self, kind: str, **fields: Any) -> Message:
        try:
            done: Message = getattr(self, f"do_{kind}")(**fields)
        except (Refused, Code) as refused:
            return {"ok": False, "code": str(refused)}
        return done

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> Message:
        """Refused: in the worked cycles so many people act, and nobody signs."""
        return {"ok": False, "code": "nobody signs"}

    def preview(self, kind: str, **fields: Any) -> object:
        """Refused: in the worked cycles nothing is previewed."""
        return "nothing is previewed"

    def hit(self, hit: str | None = None, award: str | None = None) -> Hit:
        return next(one for one in self.made if f"H{one.number}" == hit or f"A{one.number}" == award)

    def do_validate(self, people: int, hit: str) -> Message:
        self.hit(hit).status = VALIDATED
        return answer()

    def do_pay(self, people: int, award: str) -> Message:
        of = self.hit(award=award)
        if of.status != VALIDATED:
            raise Code("not_validated")
        of.status = PAID
        return answer()

    def do_undo(self, people: int, hit: str | None = None, award: str | None = None) -> Message:
        """Y4: two people, until it is paid."""
        of = self.hit(hit, award)
        if people < 2:
            raise Code("two_people")
        if of.status not in (PENDING, VALIDATED):
            raise Code("not_undoable")
        of.status = UNDONE
        self.links[of.link].levels[of.level].undo(of.award)
        return answer()

    def do_strike(self, people: int, table: str, round: str, seat: int, link: str) -> Message:  # noqa: A002 (the field's name)
        at = self.rounds[table].get(round)
        if at is None or at.state != MISMATCH or link not in self.miscounted(at):
            raise Code("no_such_wager")
        at.wagers = [wager for wager in at.wagers if (wager.seat, wager.link) != (seat, link)]
        at.state = MISMATCH if self.miscounted(at) else LOCKED
        return answer()

    def do_reopen(self, people: int, table: str, round: str) -> Message:  # noqa: A002 (the field's name)
        at = self.last.get(table)
        if at is None or at.name != round or at.state != CLOSED:
            raise Code("no_such_round")
        if people == 2:
            at.state = REOPENED
            self.rounds[table][round] = at
        return answer()

    def do_void_round(self, people: int, table: str, round: str) -> Message:  # noqa: A002 (the field's name)
        at = self.rounds[table].get(round)
        if at is None or (at.state == REOPENED and people < 2):
            raise Code("two_people")
        of = [hit for hit in self.made if (hit.table, hit.round) == (table, round)]
        if any(hit.status != UNDONE for hit in of):
            raise Code("award_standing")
        return self.gone(self.tables[table], at)

    def do_correct_meter(self, people: int, link: str, level: str, account: str, micros: int) -> Message:
        if people < 2:
            raise Code("two_people")
        self.links[link].levels[level].correct(account, micros)
        return answer()

    def do_suspend(self, people: int, link: str) -> Message:
        self.links[link].suspended = True
        return answer()

    def do_resume(self, people: int, link: str) -> Message:
        if self.links[link].closed:
            raise Code("closed")
        self.links[link].suspended = False
        return answer()

    def at_rest(self, name: str, people: int) -> MysteryLink:
        """L8, L9: suspended, no unfinished round, every hit paid or undone; by two people."""
        link = self.links[name]
        rounds = [at for rounds in self.rounds.values() for at in rounds.values()]
        waiting = any(hit.link == name and hit.status in (PENDING, VALIDATED) for hit in self.made)
        unfinished = any(wager.link == name for at in rounds for wager in at.wagers)
        if people < 2 or not link.suspended or unfinished or waiting:
            raise Code("not_at_rest")
        return link

    def do_change(self, people: int, link: str, levels: dict[str, dict[str, str]]) -> Message:
        of = self.at_rest(link, people)
        asked = {of.levels[name]: terms_of(usd(of.form.wager), given) for name, given in levels.items()}
        if all((level.later or level.terms) == terms for level, terms in asked.items()):
            raise Code("unchanged")
        for level, terms in asked.items():
            terms.check(level.most_left)
        for level, terms in asked.items():
            level.later = terms
        return answer()

    def do_close_link(self, people: int, link: str, to: str) -> Message:
        of = self.at_rest(link, people)
        for name, level in of.levels.items():
            level.close_into(self.links[to].levels[name])
        of.closed = True
        return answer()

    # -- how things stand ------------------------------------------------------------------------------

    def wait(self, ms: int, *, take_over: bool = False) -> None:
        """Time decides nothing here, nor does another server (Y8: the ledger and its witness are there)."""

    def meters(self) -> dict[Where, dict[str, int]]:
        accounts = "primary", "overflow", "house", "wagers", "awards", "corrections", "transfers", "cycle"
        return {
            (name, level): {account: getattr(of, account) for account in accounts} | {"reserve": 0}
            for name, link in self.links.items()
            for level, of in link.levels.items()
        }

    def highest(self) -> dict[Where, int]:
        """Y2: the highest meter decided without a win, of each level."""
        return {
            (name, level): of.highest
            for name, link in self.links.items()
            for level, of in link.levels.items()
        }

    def hits(self) -> list[Message]:
        return [
            {
                "hit": f"H{hit.number}",
                "round": hit.round,
                "seat": hit.seat,
                "link": hit.link,
                "level": hit.level,
            }
            | {"awards": [award_of(hit)]}
            for hit in self.made
        ]

    def held(self, table: str) -> bool:
        return False


def answer(**more: Any) -> Message:
    return {"ok": True, "awards": [], "refunds": [], "warn": [], "status": [], "left": []} | more


def award_of(hit: Hit) -> Message:
    return {
        "award": f"A{hit.number}",
        "hit": f"H{hit.number}",
        "seat": hit.seat,
        "link": hit.link,
        "level": hit.level or None,
        "hand": "mystery",
        "kind": "meter",
        "amount": hit.award.amount // CENT,
        "pays": "cage",
        "status": hit.status,
        "unverified": False,
        "because": None,
        "light": True,
    }
