"""The engine as a subject of worked examples: frames and acts in, views of its state out."""

from typing import Any

import msgspec
from msgspec.structs import replace

from controllers import messages
from jackpot.catalogue.paytables import fold_of, load, rows_of
from jackpot.catalogue.terms import LevelEntry, LinkEntry, TermsRefused, resolve
from jackpot.rules import cards, redecide, registry, views
from jackpot.rules.acts import ACT_OF, ACTS
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.banks import BeginBank, CloseBank, handed_on, offsets
from jackpot.rules.acts.hits import Pay, payments
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.meters import TRANSFERRED, CloseLink, CorrectMeter, Transfer
from jackpot.rules.acts.papers import PapersAdded
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.preview import mark_of, preview_of
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command, Envelope, RawDraws
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.paytable import ForOne, LinkTerms, TableTerms, ToOne
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import People, Proof, Signed
from tests.faults.model_floor import one_name
from tests.faults.test_model import NEW_CLOCK_MS
from tests.faults.worked.form import Link, Message, Signer, Table, usd
from tests.frames import numbered
from tests.said import Heard, heard

BANK = "main"
PEOPLE = ("Ada", "Grace")
ADMINS = (Signed(98, ("admin",)), Signed(99, ("admin",)))
FRAMES: dict[str, type[Command]] = {
    "wager": messages.Wager,
    "withdraw": messages.Withdraw,
    "lock": messages.Lock,
    "settle": messages.Settle,
    "close": messages.Close,
    "void": messages.Void,
    "lamp": messages.Lamp,
}
# What names somebody on a hit's papers, in the order in which the server has it.
PERSONAL = ("dealer", "witness", "patron", "tax_number")
GAMES = {
    "three-card": "three-card-poker",
    "four-card": "four-card-poker",
    "criss-cross": "criss-cross-poker",
}


class OfEngine:
    """One bank's engine, every entry of which is kept for a replay, and decided again by an auditor (S8)."""

    def __init__(self, bank: str = BANK) -> None:
        self.engine = Engine(bank)
        self.auditor = Engine(bank)
        self.entries: list[DecidedEntry] = []
        self.past: dict[str, Message] = {}
        self.opened: dict[str, Link] = {}
        self.added: set[str] = set()
        self.site = 0
        self.disputes: list[int] = []
        self.now_ms = 0
        self.papers = PapersKept()
        self._terms_asked: dict[int, Link] = {}
        self._asked = 0

    def execute(self, command: Command, **fields: Any) -> Heard:
        """Ask the engine; keep what it journals."""
        self._asked += 1
        digest = fields.pop("digest", self._asked.to_bytes(16, "big"))
        tick = fields.pop("tick", self.now_ms)
        command, at = numbered(command, fields.pop("table_seq", 0)), fields.pop("at", self._asked)
        envelope = Envelope(command, at=at, tick=tick, digest=digest, **fields)
        outcome = self.engine.execute(envelope)
        if outcome.entry is not None:
            self.entries.append(outcome.entry)
            if outcome.entry.seq == self.auditor.seq + 1:  # else a test went to the engine itself
                decide_again(self.auditor, outcome.entry)
        return heard(outcome)

    def payments(self, hit: str = "H1") -> list[Pay]:
        """What pays a hit whole."""
        return payments(self.engine.state.hits[int(hit[1:])], "W-1")

    def take_over(self, tick: int = 0) -> None:
        """Another server goes on from a snapshot, in a new epoch that begins at `tick` of its clock."""
        self.engine = Engine.from_snapshot(self.engine.snapshot())
        for engine in (self.engine, self.auditor):
            engine.new_epoch(tick)

    def become(self, first: Engine, into: str) -> None:
        """The bank and another, both at rest, become one, and this subject goes on with that.

        Its hits and awards are known by their new numbers from now on. The other's numbers come first.
        """
        assert self.execute(Suspend("joining", (), ""), people=PEOPLE).answer["ok"]
        assert self.execute(CloseBank(into, "one room"), people=PEOPLE).answer["ok"]
        parts = handed_on(first.state), self._last_event().handed_on
        heads = tuple((part.bank, 1, bytes(32)) for part in parts)
        self.engine, self.auditor = Engine(into), Engine(into)
        assert self.execute(BeginBank(heads, parts)).answer["ok"]
        by = offsets(parts)[1]
        for hit in self.past.values():
            hit["hit"] = f"H{int(hit['hit'][1:]) + by.hits}"
            for award in hit["awards"]:
                award["award"] = f"A{int(award['award'][1:]) + by.awards}"
        self.past = {hit["hit"]: hit for hit in self.past.values()}
        self.papers.renumber(by.hits)
        assert self.execute(Resume("joining", (), ""), people=PEOPLE).answer["ok"]

    def rebuild(self) -> None:
        """The same server goes on from a snapshot, within its epoch."""
        before = self.engine
        self.engine = Engine.from_snapshot(before.snapshot())
        self.engine.go_on(before)

    def open(self, link: Link) -> None:
        self.opened[link.name] = link
        terms = replace(_terms(link), bank=self.engine.state.bank)
        answer = self.execute(OpenLink(terms)).answer
        assert answer["ok"], answer

    def add(self, table: Table) -> None:
        self.added.add(table.name)
        game: Any = GAMES.get(table.game, table.game)
        terms = TableTerms(
            table.name,
            game,
            table.seats,
            table.links,
            table.adjacent_boxes,
            max_rounds_per_minute=table.per_minute,
        )
        answer = self.execute(OpenTable(terms)).answer
        assert answer["ok"], answer

    def frame(self, table: str, message: Message, draws: Message) -> Message:
        fields = {"seq": 1} | {name: value for name, value in message.items() if name != "t"}
        command = msgspec.convert(fields, FRAMES[message["t"]])
        raw = {name: _draw(drawn) for name, drawn in draws.items()}
        for link in self.engine.state.links:
            raw.setdefault(link.terms.link, _draw({}))
        found = self.engine.table(table)
        assert found is not None
        outcome = self.execute(command, table=table, table_seq=found.last_seq + 1, draws=raw)
        if outcome.answer["t"] == "nack":
            return {"ok": False, "code": outcome.answer["code"]}
        return self._told(outcome)

    def wait(self, ms: int, *, take_over: bool = False) -> None:
        self.now_ms = NEW_CLOCK_MS if take_over else self.now_ms + ms
        if take_over:
            self.take_over(self.now_ms)

    def preview(self, kind: str, **fields: Any) -> bytes | str:
        """As the server decides it for who asks; text where it is refused."""
        try:
            command = self._command(kind, fields)
            event: Any = ACT_OF[type(command)].decide(self.engine.state, command, ActContext(People(PEOPLE)))
        except (TermsRefused, Refusal) as refused:
            return str(refused) or "refused"
        return mark_of(preview_of(self.engine.state, event), event)

    def act(self, kind: str, people: int = 1, shown: bytes = b"", **fields: Any) -> Message:
        return self._act(kind, fields, people=PEOPLE[:people], proof=Proof(seen=shown))

    def sign(self, kind: str, signed: tuple[Signer, ...], shown: bytes = b"", **fields: Any) -> Message:
        """As the site had these people at some row of its own."""
        self.site += 1
        who = tuple(
            Signed(one.id, one.roles, one.means, one.given_by, one.vouched, lost=one.lost)  # type: ignore[arg-type]  # they are roles and means
            for one in signed
        )
        return self._act(kind, fields, proof=Proof(who, self.site, bytes(32), seen=shown))

    def _act(self, kind: str, fields: dict[str, Any], **by: Any) -> Message:
        found = self.link(fields["link"]) if kind == "resume" else None
        if found is not None and TRANSFERRED in found.suspended and not found.closed:
            two = {"proof": Proof(ADMINS, self.site, bytes(32))} if self.site else {"people": PEOPLE}
            assert self.execute(Resume(TRANSFERRED, (fields["link"],), "filled"), **two).answer["ok"]
        patron = one_name(fields.get("patron", ""))
        try:
            command = self._command(kind, fields)
        except TermsRefused:
            return {"ok": False, "code": "bad_terms"}
        self.hits()
        answer = self._done(self.execute(command, **by))
        if answer["ok"] and kind == "reading":
            answer["reading"] = self._last_reading()
        if answer["ok"]:
            self._followed(kind, fields, answer.get("asked"))
            if patron:
                self.papers.named(*self._papers_of_last(), patron)
        return answer

    def _command(self, kind: str, fields: dict[str, Any]) -> Any:
        """What is asked for. Raises TermsRefused."""
        if kind in ("correct_meter", "change", "transfer", "close_link"):
            return self._about_link(kind, dict(fields))
        if kind in ("suspend", "resume"):
            by_hand = Suspend if kind == "suspend" else Resume
            return by_hand("operator", (fields["link"],), "worked example")
        self._name(kind, fields)
        self.papers.write(kind, fields)
        name = "".join(part.title() for part in kind.split("_"))
        return next(act.command for act in ACTS if act.command.__name__ == name)(**fields)

    def _followed(self, kind: str, fields: dict[str, Any], asked: int | None) -> None:
        """What is to be known of it later on."""
        if kind == "dispute":
            self.disputes.append(self.engine.seq)
        elif kind == "confirm":
            form = self._terms_asked.get(int(fields["request"].rpartition("-")[2]))
            self.opened |= {form.name: form} if form is not None else {}
        elif kind == "change":
            form = self._changed(fields)
            if asked is None:
                self.opened[form.name] = form
            else:
                self._terms_asked[asked] = form

    def _last_event(self) -> Any:
        last = self.entries[-1]
        return registry.decode(last.kind, last.version, last.body)

    def _last_reading(self) -> dict[tuple[str, str], tuple[int, ...]]:
        """By link and level, as the entry has it."""
        names = list(self.meters())
        return dict(zip(names, (told[2:] for told in self._last_event().meters), strict=True))

    def _papers_of_last(self) -> tuple[int, int]:
        """The hit and the seat on whose papers the last entry has written."""
        event = self._last_event()
        if isinstance(event, PapersAdded):
            return event.number, event.seat or 0
        awards = self.past[f"H{event.hit}"]["awards"]
        return event.hit, next(one["seat"] for one in awards if one["award"] == f"A{event.awards[0]}")

    def _name(self, kind: str, fields: dict[str, Any]) -> None:
        """What an act of the form names, as the engine calls it; and some reason."""
        if kind not in ("validate", "pay", "credit", "confirm", "reading"):
            fields.setdefault("reason", "worked example")
        if kind == "pay":
            fields.setdefault("document", f"W-{fields.get('award') or fields.get('seat') or 'all'}")
        if kind in ("confirm", "reject"):
            fields["request"] = f"{self.engine.state.bank}-{fields['request']}"
        elif kind == "lift":
            fields["dispute"] = dict(enumerate(self.disputes, 1)).get(fields["dispute"], 0)
        elif kind == "decide_left":
            fields["left"] = self.left().get(fields.pop("award"), ("D0", 0))[0]
        elif kind in ("validate", "pay", "undo") and "award" in fields:
            fields["hit"] = next(
                hit["hit"]
                for hit in self.hits()
                for award in hit["awards"]
                if award["award"] == fields["award"]
            )

    def link(self, name: str) -> Any:
        return next(link for link in self.engine.state.links if link.terms.link == name)

    def _about_link(self, kind: str, fields: dict[str, Any]) -> Any:
        """What people do to a link as a whole (L8, L9)."""
        link, why = fields["link"], "worked example"
        if kind == "correct_meter":
            level = fields["level"] or "meter"
            return CorrectMeter(link, level, fields["micros"], why, fields["account"])
        if kind == "change":
            if "reserve" in fields:  # `_terms` gives any to a link, for the accounts' sake
                raise TermsRefused([("reserve", "of the paytable")])
            return ChangeLink(_terms(self._changed(fields)), why)
        levels = tuple(
            f"{level or 'meter'}={to or 'meter'}" for level, to in (fields.get("levels") or {}).items()
        )
        made = {"transfer": Transfer, "close_link": CloseLink}[kind]
        return made(link=link, to=fields.get("to"), reason=why, levels=levels)

    def _changed(self, fields: dict[str, Any]) -> Link:
        """A link's form with those terms."""
        form = self.opened[fields["link"]]
        terms = {name: value for name, value in fields.items() if name != "link"}
        options = {name: _merged(form.options.get(name), value) for name, value in terms.items()}
        return Link(form.name, form.paytable, form.wager, {**form.options, **options})

    def _done(self, outcome: Heard) -> Message:
        if not outcome.answer["ok"]:
            return {"ok": False, "code": outcome.answer["code"]}
        told = self._told(outcome)
        if "request" in outcome.answer and outcome.answer.get("asked"):
            told["asked"] = int(outcome.answer["request"].rpartition("-")[2])
        return told

    def _told(self, outcome: Heard) -> Message:
        left = outcome.answer.get("left", {})
        for award in outcome.answer.get("awards", []):
            award["level"] = None if award["level"] == "meter" else award["level"]
        return {
            "ok": True,
            "awards": outcome.answer.get("awards", []),
            "refunds": outcome.answer.get("refunds", []),
            "warn": outcome.answer.get("warn", []),
            "status": [push.message for push in outcome.pushes if push.message["t"] == "status"],
            "left": [{"award": award, "difference": difference} for award, difference in left.items()],
        }

    def figures(self) -> Message:
        """The bank's statistics, without the links and tables that another bank brought along."""
        found = views.statistics(self.engine)
        links = [link for link in found["links"] if link["link"] in self.opened]
        tables = [table for table in found["tables"] if table["table"] in self.added]
        return found | {"links": links, "tables": tables}

    def meters(self, figures: Message | None = None) -> dict[tuple[str, str], dict[str, int]]:
        """The accounts of every level. figures: as they were asked for just now, if they were."""
        found = {}
        for link in (figures or self.figures())["links"]:
            for level in link["levels"]:
                name = "" if level["level"] == "meter" else level["level"]
                found[link["link"], name] = {
                    "primary": level["primary"],
                    "reserve": level["reserve"],
                    "overflow": level["overflow"],
                    "house": level["house"],
                    "wagers": level["contributions"],
                    "awards": level["awards"],
                    "corrections": level["corrections"],
                    "transfers": level["transfers"],
                    "cycle": level["cycle"],
                }
        return found

    def hits(self) -> list[Message]:
        state = self.engine.state
        for hit in (views.hit(state, one) for one in state.hits.values()):
            if hit["awards"]:
                for award in hit["awards"]:
                    award["level"] = None if award["level"] == "meter" else award["level"]
                self.past[hit["hit"]] = hit
        return list(self.past.values())

    def left(self, figures: Message | None = None) -> dict[str, tuple[str, int]]:
        """What waits for a decision (A11): by award, how it is called and how many cents it is."""
        listed = (figures or self.figures())["left"]
        return {one["award"]: (one["left"], one["amount"] // 10_000) for one in listed}

    def held(self, table: str) -> bool:
        found = self.engine.table(table)
        return found is not None and bool(found.held)


class PapersKept:
    """Papers next to the journal: whom they name, by hit and seat. It says what the server says."""

    def __init__(self) -> None:
        self._named: dict[tuple[int, int], set[str]] = {}

    def write(self, kind: str, fields: dict[str, Any]) -> None:
        """What people write, as the act of the rules has it."""
        if kind not in ("validate", "pay", "add_papers"):
            return
        wrote, patron = fields.pop("wrote", ()), fields.pop("patron", "")
        number = fields.pop("tax_number", fields.get("tax_form", ""))
        if "surveillance" in wrote:
            fields["surveillance"] = "V-1"
        there = {*wrote, *(["patron"] if patron else ()), *(["tax_number"] if number else ())}
        fields["on_paper"] = tuple(one for one in PERSONAL if one in there)
        fields["paper"] = bytes(32) if fields["on_paper"] else b""
        if kind != "validate":
            hit, name = int(fields["hit"][1:]), one_name(patron)
            same = (seat for (of, seat), names in self._named.items() if of == hit and name in names)
            fields["same_patron"] = tuple(sorted(same)) if patron else ()

    def renumber(self, by: int) -> None:
        """All hits have numbers so much higher now."""
        self._named = {(hit + by, seat): names for (hit, seat), names in self._named.items()}

    def named(self, hit: int, seat: int, patron: str) -> None:
        """That name is on the winner's papers now."""
        self._named.setdefault((hit, seat), set()).add(patron)


def decide_again(auditor: Engine, entry: DecidedEntry) -> None:
    """S8: what was decided is decided again from the state before it, and then applied."""
    event = registry.decode(entry.kind, entry.version, entry.body)
    assert redecide.check(auditor, entry, event) is None, event
    auditor.replay(entry)


def _terms(link: Link) -> LinkTerms:
    """What the form comes to; raises TermsRefused."""
    options = dict(link.options)
    if load(link.paytable).use == "offer":
        return _offer(link)
    levels: dict[str, dict[str, str]] = {}
    reserves = options.pop("reserve", {})  # for the accounts' sake, also where no source prints one
    for name in ("seed", "reseed", "limit", "primary"):
        for level, text in options.pop(name, {}).items():
            percent = "%" if name == "primary" else ""
            if text is not None:
                levels.setdefault(level or "meter", {})[name] = text.replace(",", "") + percent
    options.setdefault("notice_days", 0)  # the model knows no notices (P2)
    if "magic_every" in options:
        options["magic_card_every"] = options.pop("magic_every")
    for level in levels.values():
        if "limit" in level:
            level["limit_approval"] = "worked example"
    entry = LinkEntry(
        id=link.name,
        paytable=link.paytable,
        wager=link.wager,
        level={name: LevelEntry(**level) for name, level in levels.items()},
        **options,
    )
    return _with_reserves(resolve(entry), reserves)


def _offer(link: Link) -> LinkTerms:
    """An offer, with what a configuration leaves to itself (B15)."""
    table = load(link.paytable)
    given: dict[str, Any] = {"validate_at": "1000.00", "cage_at": "10000.00", **link.options}
    sums: dict[str, Any] = {name: usd(given.pop(name)) for name in ("most", "unit", "validate_at", "cage_at")}
    kept, rows = given.pop("stake", "returned") == "kept", rows_of(table)
    if kept:
        rows = tuple(replace(row, pays=ForOne(row.pays.n)) for row in rows if isinstance(row.pays, ToOne))
    fold: Any = next((does for game in table.games if (does := fold_of(table, game)) != "none"), "game")
    return LinkTerms(
        link.name, BANK, table.id, usd(link.wager), table.hand, (), rows,
        fold=fold, always_validate_for=500, **sums, **given,
    )  # fmt: skip


def _merged(before: Any, value: Any) -> Any:
    """A new value; of levels those that are named."""
    return {**(before or {}), **value} if isinstance(value, dict) else value


def _with_reserves(terms: LinkTerms, reserves: dict[str, str]) -> LinkTerms:
    levels = tuple(
        replace(level, reserve=usd(reserves[name]) // 10_000) if name in reserves else level
        for level in terms.levels
        for name in ["" if level.level == "meter" else level.level]
    )
    return replace(terms, levels=levels)


def _draw(drawn: Message) -> RawDraws:
    card, box = drawn.get("magic_card"), drawn.get("lucky_box")
    return RawDraws(
        magic_chance=0 if card else 1,
        magic_card=cards.parse(card) if card else 0,
        lucky_chance=0 if box else 1,
        lucky_box=box or 1,
    )
