"""Plays a worked example against anything that answers as the rules demand, and says what differs.

A subject is the independent model or an adapter to another implementation. Its answers are maps:
    frame: {"ok": True, "awards": [award maps as the protocol gives them], "refunds": [...], "warn": [...],
            "status": [...], "left": [...]} or {"ok": False, "code": nack code}
    act:   {"ok": True, "status": [...], "left": [...]} or {"ok": False, ...}; sign: "asked", too
where "status" holds maps with award, status and amount: at least the later awards "raised" by this step;
and "left" maps with award and difference: what paid awards leave on the meter. Ids are the subject's own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from tests.faults.worked.form import (
    DEALER,
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Look,
    Message,
    Now,
    Prize,
    RepeatWagers,
    Signer,
    Step,
    Table,
    Wait,
    bets,
    cents,
    close,
    usd,
    wager,
)

Key = tuple[str, int, str, int, str]


class Subject(Protocol):
    def open(self, link: Link) -> None: ...

    def add(self, table: Table) -> None: ...

    def frame(self, table: str, message: Message, draws: Message) -> Message: ...

    def act(self, kind: str, **fields: Any) -> Message:
        """shown: what a preview gave."""

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> Message:
        """An act of people who sign; "asked" is the number of the request that waits now."""

    def preview(self, kind: str, **fields: Any) -> object:
        """The effect of an act; text where it is refused."""

    def wait(self, ms: int, *, take_over: bool = False) -> None: ...

    def meters(self) -> dict[tuple[str, str], dict[str, int]]:
        """Each account of Level in micro-dollars, and the cycle, by link and level."""

    def hits(self) -> list[Message]:
        """Each with hit, round, seat (None: dealer), link and awards: award, seat, kind, amount, status."""

    def held(self, table: str) -> bool: ...


def key_of(prize: Prize) -> Key:
    return (prize.hand.round, prize.hand.seat, prize.hand.link, prize.seat, prize.kind)


def same(what: str, got: object, expected: object) -> None:
    assert got == expected, f"{what}: is\n  {got}\nmust be\n  {expected}"


class Player:
    def __init__(self, example: Example, subject: Subject) -> None:
        self.example, self.subject = example, subject
        self.seats = {table.name: table.seats for table in example.tables}
        self.shown: dict[int, object] = {}

    def awards(self) -> dict[Key, Message]:
        """Every award of every hit, by what it is for."""
        return {
            (hit["round"], hit["seat"] or DEALER, hit["link"], award["seat"], award["kind"]): award
            for hit in self.subject.hits()
            for award in hit["awards"]
        }

    def hit_id(self, hand: Hand) -> str:
        for hit in self.subject.hits():
            if (hit["round"], hit["seat"] or DEALER, hit["link"]) == (hand.round, hand.seat, hand.link):
                return str(hit["hit"])
        raise AssertionError(f"no hit {hand}")

    def play(self) -> None:
        for link in self.example.links:
            self.subject.open(link)
        for table in self.example.tables:
            self.subject.add(table)
        for number, step in enumerate(self.example.steps, 1):
            self.step(f"step {number}", step)
        self.check_meters("at the end", self.example.meters)
        self.check_awards("at the end", self.example.awards)
        held = tuple(name for name in self.seats if self.subject.held(name))
        same("held tables", held, self.example.held)

    def step(self, name: str, step: Step) -> None:
        if isinstance(step, Frame):
            self.frame(f"{name}, {step.table} {step.message['t']}", step)
        elif isinstance(step, Act):
            self.act(f"{name}, {step.kind}", step)
        elif isinstance(step, Check):
            self.check_meters(name, step.meters)
        elif isinstance(step, Look):
            self.look(f"{name}, {step.act.kind}", step)
        elif isinstance(step, Wait):
            self.subject.wait(step.ms, take_over=step.take_over)
        else:
            self.fill(name, step)

    def frame(self, name: str, step: Frame) -> None:
        answer = self.subject.frame(step.table, step.message, dict(step.draws))
        same(name, None if answer["ok"] else answer["code"], step.code)
        if step.code is not None:
            return
        fields = (
            "seat",
            "link",
            "level",
            "hand",
            "kind",
            "amount",
            "pays",
            "status",
            "unverified",
            "because",
        )
        mine = tuple("payer" if field == "pays" else field for field in fields)
        got = Counter(tuple(award[field] for field in fields) for award in answer["awards"])
        must = Counter(
            tuple(cents(won.amount) if f == "amount" else getattr(won, f) for f in mine)
            for won in step.awards
        )
        same(name + " awards", sorted(got.items(), key=str), sorted(must.items(), key=str))
        refunds = []
        for refund in answer["refunds"]:
            account = ":account" if refund["pays"] == "account" else ""
            refunds.append(f"{refund['link']}:{refund['seat']}{account}")
        same(name + " refunds", sorted(refunds), sorted(step.refunds))
        same(name + " warns", bool(answer["warn"]), step.warn)
        self.check_changes(name, answer, step.changed)

    def fields(self, step: Act) -> Message:
        """The fields of an act, by the subject's own names."""
        fields = dict(step.fields)
        if isinstance(step.on, Hand):
            fields["hit"] = self.hit_id(step.on)
        elif step.on is not None:
            fields["award"] = self.awards()[key_of(step.on)]["award"]
        if step.kind == "correct_meter":
            fields["micros"] = usd(fields.pop("amount"))
        elif "amount" in fields:
            fields["amount"] = cents(fields["amount"])
        return fields

    def look(self, name: str, step: Look) -> None:
        told = self.subject.preview(step.act.kind, **self.fields(step.act))
        same(name + " shown", not isinstance(told, str), step.act.ok)
        self.shown[step.number] = told

    def act(self, name: str, step: Act) -> None:
        fields = self.fields(step)
        if step.shown:
            fields["shown"] = self.shown[step.shown]
        if step.signed:
            answer = self.subject.sign(step.kind, step.signed, **fields)
        else:
            answer = self.subject.act(step.kind, people=step.people, **fields)
        same(name + " allowed", answer["ok"], step.ok)
        same(name + " waits", answer.get("asked"), step.asked)
        if step.why:
            same(name + " refused as", answer.get("code", answer.get("why")), step.why)
        if not step.ok:
            return
        self.check_changes(name, answer, step.changed)
        left = {item["award"]: item["difference"] for item in answer["left"]}
        ids = {self.awards()[key_of(now.prize)]["award"]: cents(now.amount) for now in step.left}
        same(name + " left on the meter", left, ids)
        self.check_awards(name, [Now(n.prize, self.amount(n), n.status) for n in step.left])

    def amount(self, now: Now) -> str:
        """A paid award's own amount: what is left on the meter is told apart."""
        value = self.awards()[key_of(now.prize)]["amount"]
        return f"{value // 100}.{value % 100:02d}"

    def check_changes(self, name: str, answer: Message, changed: tuple[Now, ...]) -> None:
        raised = {item["award"] for item in answer["status"] if item["status"] == "raised"}
        same(name + " raised", raised, {self.awards()[key_of(now.prize)]["award"] for now in changed})
        self.check_awards(name, changed)

    def check_awards(self, name: str, expected: tuple[Now, ...] | list[Now]) -> None:
        awards = self.awards()
        for now in expected:
            award = awards[key_of(now.prize)]
            same(f"{name} {now.prize}", (award["amount"], award["status"]), (cents(now.amount), now.status))

    def check_meters(self, name: str, expected: Any) -> None:
        meters = self.subject.meters()
        for where, level in expected.items():
            must = accounts(level)
            same(f"{name} {where}", {field: meters[where][field] for field in must}, must)
        for where, have in meters.items():
            given = have["house"] + have["wagers"] + have["corrections"] + have["transfers"]
            kept = have["primary"] + have["reserve"] + have["overflow"] + have["awards"]
            same(f"{name} {where} balance (M4)", kept, given)

    def fill(self, name: str, step: RepeatWagers) -> None:
        left, number = step.n, 0
        while left:
            number += 1
            seats = list(range(1, min(left, self.seats[step.table]) + 1))
            left -= len(seats)
            round_ = f"{step.prefix}{number}"
            message = wager(round_, bets(step.link, seats, step.wager))
            self.frame(f"{name} round {number}", Frame(step.table, message))
            self.frame(f"{name} round {number}", Frame(step.table, close(round_)))


def accounts(level: Level) -> dict[str, int]:
    money = ("primary", "reserve", "overflow", "house", "wagers", "awards", "corrections", "transfers")
    return {field: usd(getattr(level, field)) for field in money} | {"cycle": level.cycle}


def play(example: Example, subject: Subject) -> None:
    """Raises AssertionError with the first difference."""
    Player(example, subject).play()
