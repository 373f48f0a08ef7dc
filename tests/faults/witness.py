"""Checks at every step that the server matches the independent model and shows only what is durable.

The witness is told what the server does, in order: rows written, answers released, a ledger looked at. It
feeds each durable command to the model and compares answers, awards, postings and meters. What devices are
told is held against what was durable at that moment. Any difference ends the run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from controllers.messages import Malformed
from jackpot.bank.sequencer import Sequencer
from jackpot.config.mystery_key import MysteryKey
from jackpot.ledger.journal import Head, Row
from jackpot.ledger.reading import Reader
from jackpot.ledger.trigger_rows import SealedTrigger
from jackpot.ledger.trigger_vault import unseal
from jackpot.rules import commands, events, registry
from jackpot.rules.acts.banks import BankOpened
from jackpot.rules.acts.conflict import SeqConflict
from jackpot.rules.acts.disputes import Disputed
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.lost_acks import BehindConfirmed, BehindOver, ConfirmBehind, FoundBehind
from jackpot.rules.acts.meters import TRANSFERRED, LeftDecided, LinkClosed, Transferred
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.programs import ConfirmProgram, ProgramBegan, ProgramConfirmed
from jackpot.rules.acts.requests import ActRefused, ExpireRequest, RequestExpired
from jackpot.rules.acts.site_cursor import SeePeople
from jackpot.rules.acts.snapshot_seals import Sealed
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import require
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome
from jackpot.rules.outgoing_messages import answer_of
from jackpot.rules.phrases import english
from jackpot.rules.state import AnsweredAct, AnsweredFrame
from jackpot.rules.views import statistics
from tests.faults.claims import BEHIND, GREETINGS, Claims
from tests.faults.difference import Difference, same
from tests.faults.drawing import Oracle, counted_of
from tests.faults.figures import compare_figures
from tests.faults.heralds import History
from tests.faults.house import BANK, House, model_level, server_level
from tests.faults.model import Model
from tests.faults.model_facts import CENT
from tests.faults.model_must_hit import Meter, from_raw
from tests.faults.programs import PROGRAM, Programs
from tests.faults.site import HOLDS_MS, signers_of, waited_of
from tests.faults.terms import ACTIONS, Names, drawn, wire_form
from tests.faults.worked.form import usd
from tests.said import told

Map = dict[str, Any]

# Rows that move nothing, and keep no answer.
SILENT: Final = (Sealed, SeqConflict, ProgramBegan, TriggersRenewed)
# Those of them that the bank's writer writes by itself.
OWN: Final = (Sealed.kind, ProgramBegan.kind, TriggersRenewed.kind)
# Answers remembered a table: a resend may ask for the last 64, and 64 may be under way.
ANSWERS: Final = 200
KEPT: Final = 64
ACTS: Final = 600
# Why a link stands still whose terms are others in the configuration.
CONFIG: Final = "config"
# Meter values remembered a level: a delayed push tells an old revision.
TRAIL: Final = 4_000
# Commands between two foldings of the model's history.
FOLD_EVERY: Final = 8

ACCOUNTS: Final = (
    "primary",
    "reserve",
    "overflow",
    "house",
    "wagers",
    "awards",
    "corrections",
    "transfers",
)
SOURCES: Final = frozenset({"house", "wagers", "corrections", "transfers"})
OF_AWARD: Final = ("seat", "link", "hand", "kind", "amount", "pays", "status", "unverified", "because")


class Witness:
    """The checker of one run. seq: of the last row that the model was fed. written: of the last durable row.

    plans: the links as people have agreed on them.
    """

    def __init__(
        self,
        house: House,
        poison: set[bytes],
        note: Callable[[str], None],
        now: Callable[[], float],
        programs: Programs,
        oracle: Oracle,
    ) -> None:
        self.house = house
        self.model = Model()
        self.model.holds_ms = HOLDS_MS
        self.claims = Claims()
        self.claims.of_highest = self._fault_of_highest
        self.programs = programs
        self.oracle = oracle
        self.history = History(now)
        self.seq = self.written_seq = 0
        self.rounds = 0
        self.kinds: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self._note = note
        self._poison = poison
        self._unfed: deque[Row] = deque()
        self._asked: dict[tuple[str | None, int | None, bytes], list[Envelope]] = {}
        self._answers: dict[str, dict[int, tuple[bytes, Map]]] = {plan.table: {} for plan in house.tables}
        self._acts: dict[bytes, Map] = {}
        self._last: dict[str, int] = {plan.table: 0 for plan in house.tables}
        self._books: dict[tuple[str, str], Counter[str]] = {}
        self._outside: Counter[str] = Counter()
        self._offered: Counter[str] = Counter()  # the house's, by the postings of an offer (B1)
        self._trail: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._reasons: dict[str, set[str]] = {plan.link: set() for plan in house.links}
        self.names = Names()
        self.plans = {plan.link: plan for plan in house.links}
        self._left: dict[str, int] = {}
        self._reviving = False
        self._site_seq = 0
        self._opening: list[tuple[bytes, events.TriggerOpened]] = []
        self.poison_next = False

    # What the server does

    def written(self, rows: Sequence[Row]) -> None:
        """Called when a commit has returned."""
        self._unfed.extend(rows)
        self.written_seq = rows[-1].seq
        self._reviving = False

    def asked(self, envelope: Envelope) -> None:
        """A command reached the server; an answer may come, or a row, or nothing."""
        number = None if envelope.table is None else envelope.table_seq
        key = (envelope.table, number, envelope.digest)
        self._asked.setdefault(key, []).append(envelope)
        if self.poison_next and envelope.table is not None and envelope.table_seq is not None:
            self.poison_next = False
            self._poison.add(envelope.digest)
        if len(self._asked) > 4 * ANSWERS * len(self._last):
            for old in list(self._asked)[: len(self._asked) // 2]:
                del self._asked[old]

    def released(self, envelope: Envelope, outcome: Outcome, *, current: bool = True) -> None:
        """An answer leaves: what it was decided on must be durable.

        current: decided by the holder of the bank; another may know less, and must say nothing else.
        """
        entry, answer = outcome.entry, told(outcome.answer)
        self._pass_seals()
        known = entry is not None and entry.seq <= self.seq
        if entry is None or (known and answer.get("code") == "seq_conflict"):
            self._unjournalled(envelope, answer, current)
        elif entry.seq > self.seq:
            if not self._unfed or self._unfed[0].seq != entry.seq:
                raise Difference(f"{envelope.command} is answered before its row {entry.seq} is durable")
            self._feed(self._unfed.popleft(), answer)
            if answer.get("code") == BEHIND and "t" in answer:
                same(f"row {entry.seq}, what is alarmed", [code for code, _ in outcome.alarms], [BEHIND])
            meters = self.model.meters()
            for link, level, micros in outcome.meters:
                key = (link, model_level(level))
                same(f"row {entry.seq}, the meter to be shown of {key}", micros, meters[key]["primary"])
        else:
            self._recorded(envelope, answer)

    def looked(self, ledger: Reader, engine: Engine, head: Head) -> None:
        """A process has rebuilt its state: nothing durable may be missing, what is new was asked for."""
        found = ledger.rows(BANK, self.seq, 10_000)
        self._reviving = True
        if head.seq < self.written_seq:
            raise Difference(f"the ledger lost rows: it ends at {head.seq}, {self.written_seq} was durable")
        known = {row.seq: row for row in self._unfed}
        self._unfed.clear()
        for row in found:
            if row.seq in known:
                # What its transaction did to triggers is not a part of the row (Y12).
                same(f"row {row.seq} read again", row, replace(known[row.seq], triggers=None))
            else:
                self._note(f"row {row.seq} was revived")
            self._feed(row, self._kept_answer(engine, row))
        self.written_seq = head.seq
        same("the rows of the ledger", head.seq, self.seq)
        self.history.found = head.seq
        self.compare(engine)

    def durable(self, sequencer: Sequencer, every: bool = False) -> None:
        """Called after all answers of a commit have left; now and then compares the whole state."""
        self._pass_seals()
        if sequencer.engine.seq == self.seq and (every or self.seq % 7 == 0):
            self.compare(sequencer.engine)

    # What devices are told

    def shown(self, device: str, message: Map, last: int) -> None:
        """Meters reached a device: they must be what was durable at their revision (S5)."""
        rev = message["rev"]
        if rev < last:
            raise Difference(f"{device} was told revision {rev} after {last} on one connection")
        if rev > self.written_seq:
            raise Difference(f"{device} was told revision {rev}, {self.written_seq} is durable")
        for link, level, cents in message["values"]:
            trail = self._trail[link, model_level(level)]
            place = bisect_right(trail, (rev, 1 << 62)) - 1
            if place >= 0:
                same(f"{device} sees {link} {level} at revision {rev}", cents, trail[place][1])

    def heard(self, table: str, command: Map, answer: Map) -> None:
        """A table has an answer: it must be the one that was recorded, for that command."""
        if "expected" in answer:
            return
        seq = command["seq"]
        if seq > self._last[table]:
            raise Difference(f"{table} has an answer to {seq}, {self._last[table]} is its last durable one")
        if seq in self._answers[table]:
            same(f"{table} {seq}, the answer", answer, self._answers[table][seq][1])

    def last_answer(self, table: str, seq: int) -> Map | None:
        """The answer to a table's command, if it is remembered."""
        found = self._answers[table].get(seq)
        return found and found[1]

    def differs(self) -> set[str]:
        """The links that stand still because a server was told other terms than people agreed on (L9)."""
        return {link for link, reasons in self._reasons.items() if CONFIG in reasons}

    def accepted(self, table: str) -> dict[str, int]:
        """Wagers ever accepted at a table, by link."""
        return dict(self.model.tables[table].accepted)

    # One durable command

    def _pass_seals(self) -> None:
        """The server's own rows, which nobody asked for and nobody is answered."""
        while self._unfed and self._unfed[0].kind in OWN:
            self._feed(self._unfed.popleft(), {})

    def _feed(self, row: Row, answer: Map) -> None:
        """A row is durable: let the model decide the same, and compare."""
        same("the next durable row", row.seq, self.seq + 1)
        self.seq = row.seq
        self.claims.follows(row)
        event = registry.decode(row.kind, row.version, row.body)
        self.programs.follows(row, event)
        if isinstance(event, ProgramBegan):
            self.programs.began(event)
            self._hold(PROGRAM, resume=not self.programs.waits)
        if row.seq == 1 and isinstance(event, BankOpened):
            self.oracle.site = event.site
            return  # the ledger's own beginning, of which the model knows nothing
        if isinstance(event, SILENT):
            same(f"row {row.seq}, what it moves", row.postings, ())
            if isinstance(event, TriggersRenewed):
                self._renewed(event)
            return  # verify computes the state
        envelope = self._envelope_of(row, event)
        before = self.model.meters()
        self._once(envelope, row, answer)
        self._tell_drawn(row, event)
        said = self._step(envelope, event)
        self._check_drawn(event)
        self._note(f"row {row.seq} {envelope.table or '-'} {wire_form(envelope.command)} -> {answer}")
        self.kinds[type(event).__name__] += 1
        self.rounds += ended(event)
        self._post(row, before)
        if said is not None:
            by = envelope.table or envelope.proof.signed
            self._compare_answers(f"row {row.seq}, {by} {envelope.command}", answer, said)
        self.history.note(row.seq, self.model, self.names.theirs)
        self.history.note_rounds(row.seq, self.model, by_people=envelope.table is None)
        if self.seq % FOLD_EVERY == 0:
            self.model.checkpoint(forget=True)

    def _envelope_of(self, row: Row, event: events.Event) -> Envelope:
        """The command of a row: it must have been asked for."""
        number = event.table if isinstance(event, GREETINGS) else row.table
        table = None if number is None else self.house.tables[number - 1].table
        found = self._asked.get((table, row.table_seq, row.digest))
        if not found:
            raise Difference(f"row {row.seq} was never asked for: {table} {row.table_seq} {event}")
        return found[-1]

    def _once(self, envelope: Envelope, row: Row, answer: Map) -> None:
        """Every command stands in the journal once, a table's in its order."""
        if isinstance(envelope.command, commands.TableHello):
            return  # the claims know
        if envelope.table is None:
            if row.digest in self._acts:
                raise Difference(f"row {row.seq} repeats an act: {envelope.command}")
            self._acts[row.digest] = answer
            if len(self._acts) > ACTS:
                del self._acts[next(iter(self._acts))]
            return
        table, seq = envelope.table, envelope.table_seq or 0
        same(f"row {row.seq}, the next number of {table}", seq, self._last[table] + 1)
        self._last[table] = seq
        self._answers[table][seq] = row.digest, answer
        if len(self._answers[table]) > ANSWERS:
            del self._answers[table][next(iter(self._answers[table]))]

    def _step(self, envelope: Envelope, event: events.Event) -> Map | None:
        """Applies the command to the model; None where the model has no answer."""
        command, model = envelope.command, self.model
        if isinstance(command, OpenLink):
            self._open(command.terms.link)
        elif isinstance(command, OpenTable):
            next(plan for plan in self.house.tables if plan.table == command.terms.table).open(model)
        elif isinstance(command, Suspend | Resume):
            self._suspend(command, event)
        elif isinstance(event, events.Refused):
            return self._refused(envelope, event)
        elif isinstance(event, FoundBehind | BehindOver | BehindConfirmed):
            self._witnessed(envelope, event)
        elif envelope.table is not None:
            return model.frame(envelope.table, wire_form(command), drawn(event, self.house))
        elif isinstance(command, ExpireRequest):
            assert isinstance(event, RequestExpired)
            over = event.waited_ms >= model.holds_ms or bool(event.lost)
            same(f"row {self.seq}, {command} is over", over, True)
            model.expire(event.request)
        elif isinstance(command, SeePeople):
            self._site_seq = max(self._site_seq, command.seq)
        elif isinstance(command, ConfirmBehind):
            self.claims.refused(envelope, answered(event))
        elif isinstance(command, ConfirmProgram):
            self._confirmed(envelope, event)
        elif type(command) in ACTIONS:
            said = self._act(envelope, event)
            self._followed(event)
            return said
        return None

    # Mysteries

    def _meter(self, link: int, level: int) -> tuple[str, str, Meter]:
        """A level by its numbers: its link, its name as the server has it, and the model's."""
        plan = self.house.links[link - 1]
        name = list(plan.levels)[level - 1]
        return plan.link, name, self.model.links[plan.link].must_hit[model_level(name)]

    def _tell_drawn(self, row: Row, event: events.Event) -> None:
        """The model is told what the row has drawn, before it decides the same."""
        for one in counted_of(event):
            link, level, meter = self._meter(one.link, one.level)
            self.oracle.chance.check(row.digest, (one.link, one.level), one.drawn)
            meter.tape.left.extend(map(from_raw, one.drawn))
            of_each = [self.oracle.value(meter, link, level, BANK, made) for made in one.committed]
            if one.committed:
                of_row = self.oracle.of_row.setdefault(row.seq, [])
                of_row.append((link, level, one.committed[-1].number))
            meter.tape.left.extend(of_each)
            digests = [self.oracle.digest(link, level), *(made.digest for made in one.committed)]
            self._opening += list(zip(digests, one.opened, strict=False))
        locking = getattr(event, "locking", None)
        for made in locking.draws if locking is not None else ():
            seats = self.house.tables[(row.table or 0) - 1].seats
            self.oracle.chance.check_lock(row.digest, made, seats)

    def _check_drawn(self, event: events.Event) -> None:
        """All that it has drawn was used, and it opened what the model has seen crossed, and nothing else."""
        told: dict[tuple[str, str], list[int]] = {}
        for one in counted_of(event):
            link, level, _ = self._meter(one.link, one.level)
            told[link, model_level(level)] = [opened.value for opened in one.opened]
        for digest, opened in self._opening:
            self.oracle.opened(digest, opened)
        self._opening = []
        self._check_opened(told)

    def _check_opened(self, told: dict[tuple[str, str], list[int]]) -> None:
        for where, tape in self.model.tapes().items():
            tape.over()
            meter = self.model.links[where[0]].must_hit[where[1]]
            same(f"row {self.seq}, opened of {where}", told.get(where, []), list(meter.look_at_opened()))

    def _renewed(self, event: TriggersRenewed) -> None:
        """Commitments that are due, and no others: what ran is opened, unless it can never be."""
        told: dict[tuple[str, str], list[int]] = {}
        for one in event.levels:
            link, level, meter = self._meter(one.link, one.level)
            closed = self.model.links[link].closed
            due = meter.runs if closed else meter.waits
            same(f"row {self.seq}, whether a commitment of {link} {level} is due", True, due)
            before = self.oracle.digest(link, level)
            if one.committed is None:
                same(f"row {self.seq}, {link} is closed", True, closed)
                meter.end_trigger()
            else:
                meter.tape.left.append(self.oracle.value(meter, link, level, BANK, one.committed))
                meter.renew()
            if one.opened is not None:
                self.oracle.opened(before, one.opened)
                told[link, model_level(level)] = [one.opened.value]
        self._check_opened(told)
        self.kinds["TriggersRenewed"] += 1

    def _fault_of_highest(self, highest: tuple[str, ...]) -> str | None:
        """The code of what people must not state (Y8).

        They state each level once, from what was decided to below the sum by which it must hit.
        """
        said = dict(one.rsplit("=", 1) for one in highest)
        open_ones = [link for link in self.model.links.values() if not link.closed]
        meters = {
            f"{link.name}.{server_level(name)}": meter
            for link in open_ones
            for name, meter in link.must_hit.items()
        }
        if said.keys() != meters.keys():
            return "bad_request"
        stated = {name: usd(text) for name, text in said.items()}
        low = any(stated[name] < meter.highest // CENT * CENT for name, meter in meters.items())
        high = any(stated[name] >= meter.terms.must_hit_by for name, meter in meters.items())
        return "bad_amount" if low or high else None

    def _state(self, event: BehindConfirmed) -> None:
        """People believe a table: no trigger of before is played on; all is decided up to what they say."""
        for one in event.stated:
            link, level, meter = self._meter(one.link, one.level)
            if one.decided < meter.highest:
                raise Difference(f"row {self.seq}: {link} {level} is decided up to {one.decided} again")
            meter.highest = one.decided
        for of in self.model.links.values() if event.believed else ():
            for meter in of.must_hit.values() if not of.closed else ():
                meter.commit()

    def look_at_running(self, rows: Sequence[SealedTrigger], key: MysteryKey) -> None:
        """At the end: what the ledger keeps is what runs, each above all that was decided (Y2, Y12)."""
        kept = {row.committed: unseal(key, row).value for row in rows}
        running = {}
        for link in self.model.links.values():
            for name, meter in link.must_hit.items() if not link.closed else ():
                if meter.runs:
                    running[self.oracle.digest(link.name, server_level(name))] = meter.trigger
                    same(f"{link.name} {name} has not hit", meter.highest < meter.trigger, True)
        same("the triggers that run", kept, running)

    def _followed(self, event: events.Event) -> None:
        """Tracks what an act leaves until people end it: a dispute, or a link's suspension reason."""
        if isinstance(event, Disputed):
            self.names.disputes[self.seq] = self.model.disputes
        elif isinstance(event, LeftDecided):
            self.names.left.pop(f"D{event.left}", None)
        elif isinstance(event, LinkChanged):
            self.plans[event.terms.link] = self.names.plan_of(event.terms)
        elif isinstance(event, Transferred | LinkClosed):
            link = self.house.links[event.link - 1].link
            if not self.model.links[link].closed:
                self._hold(TRANSFERRED, (link,))

    def _open(self, name: str) -> None:
        self.house.link(name).open(self.model)
        self.model.links[name].suspended = bool(self._reasons[name])
        for (link, level), meter in self.model.meters().items():
            if link == name:
                self._books[link, level] = Counter()
                self._trail[link, level] = [(self.seq, to_cents(meter["primary"]))]

    def _witnessed(self, envelope: Envelope, event: FoundBehind | BehindOver | BehindConfirmed) -> None:
        """A table claims that the ledger has lost something, or people answer the claim."""
        table = self.house.tables[event.table - 1].table
        last = self._last[table]
        if isinstance(event, FoundBehind):
            others = [one for name, one in self.model.tables.items() if name != table]
            self.claims.found(event, envelope, last, played=any(any(one.accepted.values()) for one in others))
            if event.suspends:
                self._hold(BEHIND)
        elif isinstance(event, BehindOver):
            self.claims.over(event, envelope, last)
        else:
            self._last[table] = self.claims.confirmed(event, envelope, last)
            self._state(event)
            if not self.claims.said:
                self._hold(BEHIND, resume=True)

    def _confirmed(self, envelope: Envelope, event: events.Event) -> None:
        """People confirm a program, or are refused."""
        if not isinstance(event, ProgramConfirmed):
            self.programs.refused(envelope, answered(event))
            return
        self.programs.confirmed(envelope, event)
        if not self.programs.waits:
            self._hold(PROGRAM, resume=True)

    def _suspend(self, command: Suspend | Resume, event: events.Event) -> None:
        if command.cause == BEHIND:
            raise Difference(f"only people's answer to a table may do that: {command}")
        resume = isinstance(command, Resume)
        if isinstance(event, ActRefused):
            so_already = all((command.cause in self._reasons[link]) != resume for link in command.links)
            same(f"row {self.seq}, {command} is refused, for it is so already", so_already, True)
            return
        for link in (
            command.links or tuple(self.model.links) if resume and command.cause == "internal" else ()
        ):
            self._refused_row_shown(link)
        self._hold(command.cause, command.links, resume=resume)

    def _refused_row_shown(self, link: str) -> None:
        """Y9: the database has seen a row that it refused: no trigger that it may show is played on."""
        reasons = self._reasons[link]
        if "internal" in reasons and not reasons & {"trigger", "rolled_back", "restored"}:
            for meter in self.model.links[link].must_hit.values():
                meter.commit()

    def _hold(self, reason: str, links: Sequence[str] = (), *, resume: bool = False) -> None:
        """Suspends these links, or all, for that reason; or resumes them."""
        for link in links or tuple(self._reasons):
            if resume:
                self._reasons[link].discard(reason)
            else:
                self._reasons[link].add(reason)
            if link in self.model.links:  # else it opens with these reasons
                self.model.links[link].suspended = bool(self._reasons[link])

    def _refused(self, envelope: Envelope, event: events.Refused) -> Map | None:
        """A durable refusal. Only what the database refused may be `internal`."""
        self.codes[event.code] += 1
        if event.code == "internal":
            if envelope.digest not in self._poison:
                raise Difference(f"internal: {english(event.template, event.values)}\n  in {envelope}")
            for link in self.model.tables[envelope.table].links if envelope.table else ():
                self._reasons[link].add("internal")
                self.model.links[link].suspended = True
            return None
        if isinstance(envelope.command, Malformed):
            same("a malformed frame's code", event.code, "bad_message")
            return None
        return self.model.frame(envelope.table or "", wire_form(envelope.command))

    def _act(self, envelope: Envelope, event: events.Event | None = None) -> Map:
        command, proof = envelope.command, envelope.proof
        fields = self.names.fields(command)
        kind = ACTIONS[type(command)]
        if proof.signed:
            self._site_seq = max(self._site_seq, proof.seq)
            return self.model.sign(kind, signers_of(proof), waited_of(event), **fields)
        return self.model.act(kind, **fields, people=len(set(envelope.people)))

    def _post(self, row: Row, before: dict[tuple[str, str], dict[str, int]]) -> None:
        """The row's postings balance, and bring the books to what the model's meters are (M4)."""
        meters = self.model.meters()
        for posting in row.postings:
            link = self.house.links[posting.link - 1].link
            same(f"row {row.seq}, the sum of {posting}", sum(posting[3:]), 0)
            if posting.level == 0:
                self._outside[link] += posting.awards
                if self.model.links[link].offer:
                    self._offered[link] -= posting.wagers
                continue
            level = [name for name_link, name in meters if name_link == link][posting.level - 1]
            if (link, level) in before:
                same(f"row {row.seq}, cycle of {posting}", posting.cycle, before[link, level]["cycle"])
            for account in ACCOUNTS:
                sign = -1 if account in SOURCES else 1
                self._books[link, level][account] += sign * getattr(posting, account)
        for link, paid in self._outside.items():
            of = self.model.links[link]
            by_house = self.model.by_payer(of).total() + self.model.stakes(of)
            same(f"row {row.seq}, what the house pays of {link}", paid, by_house)
        for link, had in self._offered.items():
            same(f"row {row.seq}, wagered on {link}", had, self.model.offered(self.model.links[link]))
        for key, meter in meters.items():
            for account in ACCOUNTS:
                same(f"row {row.seq}, {account} of {key}", self._books[key][account], meter[account])
            trail = self._trail[key]
            if trail[-1][1] != to_cents(meter["primary"]):
                trail.append((row.seq, to_cents(meter["primary"])))
                if len(trail) > 2 * TRAIL:
                    del trail[:TRAIL]

    # Answers

    def _compare_answers(self, what: str, answer: Map, said: Map) -> None:
        ok = answer["ok"] if "ok" in answer else answer["t"] == "ack"
        code = (answer.get("code"), said.get("code")) if "t" in answer else (None, None)
        same(what + ", allowed", (ok, code[0]), (said["ok"], code[1]))
        waits = answer.get("request") if answer.get("asked") else None
        same(what + ", waits as", waits or None, f"{BANK}-{said['asked']}" if "asked" in said else None)
        if not ok:
            if "t" not in answer:
                return  # the model tells people no hits
            hits = {self.names.ours.get(hit, hit) for hit in answer.get("hits", ())}
            same(what + ", the hits that stand", hits, set(said.get("hits", ())))
            return
        refund = ("seat", "link", "amount", "pays")
        server = sorted(tuple(one[key] for key in refund) for one in answer.get("refunds", ()))
        model = sorted(tuple(one[key] for key in refund) for one in said["refunds"])
        if answer.get("t") == "ack":
            self._compare_awards(what, answer.get("awards", []), said["awards"])
            same(what + ", refunds", server, model)
            same(what + ", warned", bool(answer.get("warn")), bool(said["warn"]))
        left = {self.names.ours.get(award): cents for award, cents in answer.get("left", {}).items()}
        more = {one["award"]: one["difference"] for one in said["left"]}
        told = {award: cents for award, cents in more.items() if cents > self._left.get(award, 0)}
        self._left |= more
        same(what + ", left on the meter", left, told)

    def _compare_awards(self, what: str, server: list[Map], model: list[Map]) -> None:
        """The same awards, each paired with its like, so that both ids are known."""
        mine = [
            (self._award_key(award, award["level"] and model_level(award["level"])), award)
            for award in server
        ]
        theirs = [(self._award_key(award, award["level"]), award) for award in model]
        same(what + ", awards", sorted(str(key) for key, _ in mine), sorted(str(key) for key, _ in theirs))
        left = list(theirs)
        for key, award in mine:
            pair = next(other for other in left if other[0] == key)
            left.remove(pair)
            for ours, their in ((pair[1]["award"], award["award"]), (pair[1]["hit"], award["hit"])):
                self.names.pair(ours, their)

    def _award_key(self, award: Map, level: str | None) -> tuple[Any, ...]:
        return (level or None, *(award[key] for key in OF_AWARD))

    def _recorded(self, envelope: Envelope, answer: Map) -> None:
        """A command that was durable before is answered: as it was then."""
        if isinstance(envelope.command, commands.TableHello):
            self.claims.again(envelope, answer)
            return
        if envelope.table is None:
            same(f"{envelope.command}, again", answer, self._acts.get(envelope.digest))
            return
        found = self._answers[envelope.table].get(envelope.table_seq or 0)
        same(f"{envelope.table} {envelope.table_seq}, again", (envelope.digest, answer), found)

    def _unjournalled(self, envelope: Envelope, answer: Map, current: bool) -> None:
        """An answer without a row: a resend, or a no that uses up no number.

        current: as of `released`; what was decided before it is then what the model was fed, or a process has
        just found.
        """
        settled = current and not self._reviving
        if isinstance(envelope.command, commands.TableHello):
            self.claims.greeted(envelope, answer, self._last[envelope.table or ""], settled=settled)
            return
        code = answer.get("code")
        if envelope.table is None:
            if current and envelope.digest in self._acts:
                self._recorded(envelope, answer)
            elif code == "stale":
                same(
                    f"{envelope.command}, older than another's act", envelope.proof.seq < self._site_seq, True
                )
            elif settled and type(envelope.command) in ACTIONS:
                said = self._act(envelope)
                same(f"{envelope.command} {envelope.people}, {answer}", answer["ok"], said["ok"])
            elif settled and isinstance(envelope.command, ConfirmBehind):
                self.claims.refused(envelope, answer)
            elif settled and isinstance(envelope.command, ConfirmProgram):
                self.programs.refused(envelope, answer)
            return
        self.codes[str(code)] += 1
        answers = self._answers[envelope.table]
        recorded = answers.get(envelope.table_seq or 0)
        if "expected" not in answer:
            self._recorded(envelope, answer)
        elif code == "seq_old" and envelope.table_seq in list(answers)[-KEPT:]:
            raise Difference(f"seq_old for {envelope}, its answer must still be kept")
        elif code == "seq_conflict" and recorded is not None and recorded[0] == envelope.digest:
            raise Difference(f"a resend of {envelope} is called a conflict")
        elif code in ("suspended", "table_held") and settled and not self._unfed:
            said = self.model.frame(envelope.table, wire_form(envelope.command))
            same(f"{envelope.table} {envelope.command}, refused", code, said.get("code"))

    # The whole state

    def _kept_answer(self, engine: Engine, row: Row) -> Map:
        """The answer that the state keeps for a row; of a greeting it keeps none."""
        if row.kind in {event.kind for event in (*GREETINGS, *SILENT)}:
            return {}
        kept: Sequence[AnsweredFrame | AnsweredAct] = engine.state.acts
        if row.table is not None:
            answers = engine.state.table(row.table).answers
            kept = [one for one in answers if one.seq == row.table_seq]
        for one in kept:
            if one.digest == row.digest:
                return told(answer_of(one) if isinstance(one, AnsweredFrame) else one.answer)
        raise Difference(f"the state keeps no answer for row {row.seq}")

    def compare(self, engine: Engine) -> None:
        """Every meter, count, round, hit and award of the state against the model."""
        facts = statistics(engine)
        meters = self.model.meters()
        for link in facts["links"]:
            still = bool(self._reasons[link["link"]]) or self.model.links[link["link"]].closed
            same(f"{link['link']} suspended", link["state"] != "active", still)
            for level in link["levels"]:
                meter = meters[link["link"], model_level(level["level"])]
                for ours in ("primary", "reserve", "overflow", "house", "awards", "cycle"):
                    same(f"{link['link']} {level['level']} {ours}", level[ours], meter[ours])
                same(f"{link['link']} contributions", level["contributions"], meter["wagers"])
        for table in facts["tables"]:
            name = table["table"]
            accepted = self.model.tables[name].accepted
            same(
                f"{name}, wagers", table["wagers"], {link: accepted.get(link, 0) for link in table["wagers"]}
            )
            came_to = self.model.tables[name].wagered
            wagered = {offer: CENT * came_to.get(offer, 0) for offer in table["sums"]}
            same(f"{name}, what its wagers came to", table["sums"], wagered)
            same(f"{name}, last number", table["last_seq"], self._last[name])
            same(f"{name}, held", bool(table["held"]), self.model.held(name))
        compare_figures(facts, self.model)
        self._compare_mysteries(engine)
        self._compare_hits(engine)
        self._compare_left(facts["left"])
        self.claims.compare(engine)
        self.programs.compare(engine)

    def _compare_mysteries(self, engine: Engine) -> None:
        """Y2, Y12: what was decided, and which commitment runs."""
        for link in engine.state.links:
            for level in link.levels:
                if level.mystery is None:
                    continue
                name, called, meter = self._meter(link.number, level.number)
                runs = level.mystery.commitment is not None and level.mystery.commitment.running
                server = level.mystery.decided, runs, level.mystery.replace
                must_replace = meter.due and meter.runs
                same(f"{name} {called}, decided", server, (meter.highest, meter.runs, must_replace))
                if runs:
                    digest = require(level.mystery.commitment, "it runs").digest
                    same(f"{name} {called}, its commitment", digest, self.oracle.digest(name, called))

    def _compare_hits(self, engine: Engine) -> None:
        mine = {award.id: award for hit in self.model.hits_made.values() for award in hit.awards}
        for hit in engine.state.hits.values():
            for award in hit.awards:
                ours = mine.get(self.names.ours.get(f"A{award.number}", ""))
                if ours is not None:
                    server = (to_cents(award.amount), award.status)
                    same(f"A{award.number} of H{hit.number}", server, (ours.amount, ours.status))
                elif award.status in ("pending", "validated"):
                    raise Difference(f"A{award.number} of H{hit.number} is unknown to the model: {award}")
        theirs = {f"A{award.number}" for hit in engine.state.hits.values() for award in hit.awards}
        for ours in mine.values():
            if ours.status in ("pending", "validated") and self.names.theirs.get(ours.id) not in theirs:
                raise Difference(f"the state has forgotten {self.names.theirs.get(ours.id)}, {ours}")

    def _compare_left(self, listed: list[Map]) -> None:
        """Compares residual amounts that wait for a decision, and the server's ids of them."""
        mine = {award.id: award.undecided for link in self.model.links for award in self.model.left_on(link)}
        waits = {self.names.ours[one["award"]]: to_cents(one["amount"]) for one in listed}
        same("what waits for a decision", waits, mine)
        self.names.left |= {one["left"]: self.names.ours[one["award"]] for one in listed}


def answered(event: events.Event) -> Map:
    """A refusal of people's answer to a table, as its row has it."""
    assert isinstance(event, ActRefused)
    return {"code": event.code}


def ended(event: events.Event) -> bool:
    """Whether this event ended a round."""
    if isinstance(event, events.Settled):
        return event.closing is not None
    if isinstance(event, events.Voided):
        return not event.settles
    return isinstance(event, events.Closed)
