"""The deterministic engine of one bank: decides commands into events, applies events to the state.

*Decide* looks at the state and returns one event, or refuses; it changes nothing. *Apply* changes the
state by the event alone and cannot fail. So the journal's events, applied again in order, give the
same state to the last micro-dollar.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from controllers import messages
from controllers.answers import Error, Nack
from jackpot.rules import alarms, events, registry, row_commands
from jackpot.rules.acts import conflict, decode_asked, lost_acks, requests, snapshot_seals
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.authorization import decide_or_request, record_signers, satisfied_requests
from jackpot.rules.acts.banks import BankBegun
from jackpot.rules.acts.links import links_of
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.requests import ActRefused, Confirm
from jackpot.rules.acts.snapshot_seals import Sealed
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.chance import NO_CHANCE, Chance
from jackpot.rules.codes import Code
from jackpot.rules.commands import KEY_BYTES, ActCommand, Command, Envelope, TableHello
from jackpot.rules.effects import Effects, Map, MovedLevels
from jackpot.rules.epoch import Epoch
from jackpot.rules.events import Event, Refused
from jackpot.rules.invariant import InvariantError, invariant
from jackpot.rules.outcome import ActAnswer, Answer, DecidedEntry, Outcome, Written
from jackpot.rules.outgoing_messages import answer_of, greeting, hit_names
from jackpot.rules.postings import only_link
from jackpot.rules.refusal import NOT_APPLIED, Refusal, refuse_if
from jackpot.rules.rounds import betting, lamps, settling
from jackpot.rules.rounds.betting import FrameContext
from jackpot.rules.signing import People
from jackpot.rules.state import ANSWERS_KEPT, AnsweredAct, AnsweredFrame, BankState, FrameRefused, Table
from jackpot.rules.templates import TEMPLATES
from jackpot.rules.triggers import NO_TRIGGERS, TriggerSource

# Events of the bank's writer itself, without an answer to anybody.
OWN = (Sealed, ProgramBegan, TriggersRenewed)
# Events that are neither a table's frame nor an act that anybody may ask for again.
UNASKED = (*lost_acks.GREETINGS, *conflict.APPLIES, *OWN)
# Events after which there are other tables.
TABLES_CHANGE = (TableOpened, BankBegun)


def _decide_malformed(
    _state: BankState, _table: Table, command: messages.Malformed, _around: FrameContext
) -> Event:
    field, _, complaint = command.message.partition(": ")
    raise Refusal("frame_malformed", field=field, complaint=complaint)


DECIDE: Final[dict[type[Command], Callable[[BankState, Table, Any, FrameContext], Event]]] = {
    messages.Wager: betting.decide_wager,
    messages.Withdraw: betting.decide_withdraw,
    messages.Lock: betting.decide_lock,
    messages.Settle: settling.decide_settle,
    messages.Close: settling.decide_close,
    messages.Void: settling.decide_void,
    messages.Lamp: lamps.decide_lamp,
    messages.Malformed: _decide_malformed,
}
"""What each frame of a table leads to. Each raises Refusal, InvariantError."""


class Engine:
    """The engine of one bank. Between entries its state is whole; see the module's text.

    chance, triggers: what its decisions draw from, and ask, for mystery levels (Y2); none, unless its bank's
    writer gives it some.
    """

    def __init__(self, bank: str) -> None:
        self.state = BankState(bank)
        self._tables: dict[str, Table] = {}
        self.epoch = Epoch()
        self.chance: Chance = NO_CHANCE
        self.triggers: TriggerSource = NO_TRIGGERS

    @property
    def seq(self) -> int:
        """The last entry's number, 0 when there is none."""
        return self.state.seq

    @property
    def unsealed(self) -> int:
        """How many entries there are after the newest snapshot seal; 0 once the bank has ended."""
        state = self.state
        return 0 if state.closed_into else state.seq - state.sealed

    def snapshot(self) -> bytes:
        """The whole state in bytes, as `SnapshotSeal` names it by its digest."""
        return snapshot_seals.snapshot_of(self.state)

    @classmethod
    def from_snapshot(cls, data: bytes) -> "Engine":
        """An engine with the state of a snapshot. Raises msgspec.DecodeError or ValueError if it is none."""
        state = msgspec.msgpack.decode(data, type=BankState)
        engine = cls(state.bank)
        engine.state = state
        engine._index()
        return engine

    def done_before(self, digest: bytes) -> AnsweredAct | None:
        """The kept answer under an act's key, a refusal where that was another act; None if it is new."""
        for done in self.state.acts:
            if done.digest == digest:
                return done
            if done.digest[-KEY_BYTES:] == digest[-KEY_BYTES:]:
                return AnsweredAct(digest, _refused(Refusal("key_used")))
        return None

    def new_epoch(self, tick: int) -> None:
        """Starts an epoch: waiting times and lost-ack claims count from here (L11, T10, S9).

        Another server's clock may differ. tick: when, as in `Envelope`.
        """
        self.epoch = Epoch(self.seq, tick)

    @property
    def unbegun(self) -> bool:
        """Whether no program has begun in this epoch. A bank's very first row comes before any."""
        return self.seq > 0 and self.state.program.seq <= self.epoch.since

    def go_on(self, before: "Engine") -> None:
        """Replaces `before` within its epoch: what counted there counts on (L11, T10, S9)."""
        self.epoch = before.epoch.known_at(self.seq)

    def table(self, name: str) -> Table | None:
        """The table of that id."""
        return self._tables.get(name)

    def execute(self, envelope: Envelope) -> Outcome:
        """Decides and applies one command. For a frame: resends first, then its order, then its content.

        A refusal is an outcome, not an exception. InvariantError means that applying went wrong: this
        engine is broken, to be rebuilt from the ledger.
        """
        command = envelope.command
        if isinstance(command, TableHello):
            return self._hello(envelope, command)
        if isinstance(command, ActCommand):
            return self._act(envelope)
        table, seq = self._tables[envelope.table or ""], command.seq
        if seq <= table.last_seq:
            return self._sent_again(envelope, table, seq)
        if seq > table.last_seq + 1:
            return _not_applied(table, seq, Refusal("seq_gap", next=table.last_seq + 1))
        try:
            asked_ms = self.epoch.asked_ms(table, envelope.tick)
            around = _around(self.epoch, table, envelope, asked_ms, self.chance, self.triggers)
            event = DECIDE[type(command)](self.state, table, command, around)
        except Refusal as refusal:
            if refusal.code in NOT_APPLIED:
                return _not_applied(table, seq, refusal)
            refused = Refused(refusal.code.value, refusal.template, refusal.values, list(refusal.hits))
            return self._commit(envelope, table, refused, command=command)
        except InvariantError as error:
            event = _internal(self.state, envelope, str(error))
        return self._commit(envelope, table, event)

    def decide(
        self,
        envelope: Envelope,
        asked_ms: int,
        lately: int | None = None,
        chance: Chance = NO_CHANCE,
        triggers: TriggerSource = NO_TRIGGERS,
    ) -> Event:
        """The event that a command, other than a hello, would lead to now; nothing changes.

        asked_ms: as in `Wagered`, in place of this engine's own clock. lately: as in `FrameContext`, None
        where this engine knows. chance, triggers: in place of its own. Raises Refusal, InvariantError.
        """
        table, command = self._tables.get(envelope.table or ""), envelope.command
        if table is None:
            return self._decide_act(command, _by(envelope, triggers))
        around = _around(self.epoch, table, envelope, asked_ms, chance, triggers)
        if lately is not None:
            around = msgspec.structs.replace(around, rounds_lately=lately)
        return DECIDE[type(command)](self.state, table, command, around)

    def execute_as_internal(self, envelope: Envelope, message: str) -> Outcome:
        """Durably refuses a command that broke an invariant, or whose data was refused (WIRE: internal)."""
        table = self._tables.get(envelope.table or "") if envelope.table_seq is not None else None
        if table is not None:
            invariant(envelope.table_seq == table.last_seq + 1, "a refusal out of the table's order")
        return self._commit(envelope, table, _internal(self.state, envelope, message))

    def replay(self, written: Written, event: Event | None = None) -> MovedLevels:
        """Applies one journalled event; returns the meters and hits that its row must name.

        event: where it was decoded before; it becomes part of the state. Raises InvariantError where it does
        not fit, registry.UnknownEventError, msgspec.DecodeError.
        """
        invariant(written.seq == self.seq + 1, f"entry {written.seq} does not follow {self.seq}")
        table = self.state.table(written.table) if written.table is not None else None
        invariant(table is None or table.number == written.table, f"there is no table {written.table}")
        # Readers find acts by the number that they lack: one with it would be seen by nobody.
        placed = (written.table is None) == (written.table_seq is None)
        invariant(placed, "a frame has a table and a number, and any other entry neither")
        effects = Effects(self.state, written.seq, written.at, table)
        if event is None:
            event = registry.decode(written.kind, written.version, written.body)
        return self._apply(effects, event, written.table_seq, written.digest)

    def _hello(self, envelope: Envelope, hello: TableHello) -> Outcome:
        table = self._tables.get(envelope.table or "")
        if table is None or self.state.closed_into:
            return Outcome(None, Error("auth_failed", "unknown device"))
        if hello.acked is not None and lost_acks.is_ahead(table, hello.acked):
            behind = Error(lost_acks.BEHIND, lost_acks.refusal_of_claim(table))
            if lost_acks.is_told(self.state, table, self.epoch.since):
                return Outcome(None, behind)
            found = lost_acks.decide_found(self.state, table, hello.acked, self.epoch.since)
            return self._commit(envelope, None, found, behind)
        welcome = greeting(self.state, table)
        over = lost_acks.decide_over(table, hello.acked)
        return Outcome(None, welcome) if over is None else self._commit(envelope, None, over, welcome)

    def _sent_again(self, envelope: Envelope, table: Table, seq: int) -> Outcome:
        """Answers a frame whose number was used before."""
        found = conflict.decide_conflict(table, seq, envelope.digest, self.epoch.since)
        resent = _resent(table, seq, envelope.digest)
        return resent if found is None else self._commit(envelope, None, found, resent.answer)

    def _act(self, envelope: Envelope) -> Outcome:
        """Decides and applies an act of people or of the server, once however often it is sent."""
        if (before := self.done_before(envelope.digest)) is not None:
            return Outcome(None, before.answer)
        command, by = envelope.command, _by(envelope, self.triggers)
        if isinstance(command, Confirm) and (
            request := requests.waiting_request(self.state, command.request)
        ):
            waited = self.epoch.waited_ms(request, envelope.tick)
            by = by._replace(people=requests.confirmed(by.people, request, waited))
            command = decode_asked(request.command)
        try:
            into = self.state.closed_into
            refuse_if(bool(into), "bank_ended", bank=self.state.bank, into=into)
            event = self._decide_act(command, by)
        except Refusal as refusal:
            return Outcome(None, _refused(refusal))
        if isinstance(event, ActRefused):
            person = event.people.signed[-1].id
            if self.epoch.refused_lately(person, envelope.tick) >= requests.REFUSED_OF_ONE:
                return Outcome(None, _told_refused(event))
            self.epoch.refused(person, envelope.tick, self.seq + 1)
        unkept = ActAnswer(ok=True) if isinstance(event, OWN) else None
        return self._commit(envelope, None, event, unkept, command)

    def _decide_act(self, command: Command, by: ActContext) -> Event:
        """The event of an act: done, waiting for a second person, or refused.

        What is refused to unauthenticated names is no event. Raises Refusal.
        """
        if not isinstance(command, ActCommand):
            raise InvariantError(f"{type(command).__name__} is no act")
        try:
            return decide_or_request(self.state, command, by)
        except Refusal as refusal:
            if not by.people.signed or refusal.code is Code.STALE:
                raise
            return requests.decide_refused(command, refusal, by)

    def _commit(
        self,
        envelope: Envelope,
        table: Table | None,
        event: Event,
        unkept: Answer | None = None,
        command: Command | None = None,
    ) -> Outcome:
        """Applies the event and makes its entry, with the answer, the pushes and the new meters.

        unkept: the answer to a hello, a used number or the writer's own, which the state does not keep.
        command: what led to it, None where its row keeps none: the database may have refused it.
        """
        seq = self.state.seq + 1
        body = row_commands.encode(event, command)  # before it is applied: the state goes on with parts of it
        effects = Effects(self.state, seq, envelope.at, table)
        number, table_seq = (None, None) if table is None else (table.number, table.last_seq + 1)
        moved = self._apply(effects, event, table_seq, envelope.digest)
        postings = moved.postings
        entry = DecidedEntry(
            seq, envelope.at, event.kind, events.RULES_VERSION, only_link(postings), number, table_seq,
            envelope.digest, body, postings, moved.hits,
        )  # fmt: skip
        answer = unkept or (self.state.acts[-1].answer if table is None else answer_of(table.answers[-1]))
        waiting = effects.waiting() if effects.awarded else ()
        return Outcome(
            entry,
            answer,
            tuple(effects.pushes),
            moved.meters,
            waiting,
            tuple(effects.alarms),
            effects.notices() if effects.noticed else None,
        )

    def _apply(self, effects: Effects, event: Event, table_seq: int | None, digest: bytes) -> MovedLevels:
        """Changes the state by one event; the postings must balance, or the money stops (M4).

        table_seq, digest: of the command, so that a resend of it gets the same answer.
        """
        state, table, told = self.state, effects.table, effects.told
        over = satisfied_requests(state, event, effects.at) if table is None and state.requests else ()
        registry.APPLY[type(event)](effects, event)
        if told.warn or told.left or type(event) in alarms.ALWAYS:
            alarms.raise_alarms(effects, event)
        moved = effects.moved()
        state.seq = effects.seq
        if table is None:
            _keep_act(effects, event, digest, over)
            if isinstance(event, TABLES_CHANGE):
                self._index()
            return moved
        table.last_seq = number = table_seq or 0
        answer = _frame_refused(event) if isinstance(event, Refused) else told.ack(number)
        table.answers.append(AnsweredFrame(number, digest, answer))
        del table.answers[:-ANSWERS_KEPT]
        if table.terms.max_rounds_per_minute and isinstance(event, events.Wagered):
            opened = table.round is not None and table.round.first_seq == effects.seq
            if opened:
                self.epoch.opened(table, event.tick, effects.seq)
        return moved

    def _index(self) -> None:
        self._tables = {table.terms.table: table for table in self.state.tables}


def _by(envelope: Envelope, triggers: TriggerSource) -> ActContext:
    return ActContext(People(envelope.people, envelope.proof), envelope.tick, envelope.at, triggers)


def _around(
    epoch: Epoch, table: Table, envelope: Envelope, asked_ms: int, chance: Chance, triggers: TriggerSource
) -> FrameContext:
    """The frame context. asked_ms: as in `Wagered`."""
    tick = envelope.tick
    lately = epoch.lately(table, tick) if table.terms.max_rounds_per_minute else 0
    return FrameContext(envelope.draws, asked_ms, lately, tick, chance, triggers)


def _keep_act(effects: Effects, event: Event, digest: bytes, over: Iterable[int]) -> None:
    """Keeps what follows from an act's event: who signed it, and its answer.

    over: the requests that it satisfies.
    """
    state = effects.state
    people: People | None = getattr(event, "people", None)
    if people is not None:
        record_signers(state, people, done=not isinstance(event, ActRefused))
    for number in over:
        requests.forget(state, number)
    if type(event) not in UNASKED:
        sender = people.signed[-1].id if people is not None and people.signed else 0
        state.keep(AnsweredAct(digest, _to_act(event, effects), sender, effects.at, event.kind))


def _not_applied(table: Table, seq: int, refusal: Refusal, *alarms: tuple[str, Map]) -> Outcome:
    """A refusal that uses up no number: the table goes on from `expected`."""
    nack = Nack(seq, refusal.code.value, refusal.message, table.last_seq + 1, link=_suspended_link(refusal))
    return Outcome(None, nack, alarms=alarms)


def _suspended_link(refusal: Refusal) -> str | UnsetType:
    """The link that takes no wagers, where that is why: the table's others still do."""
    if refusal.code != Code.SUSPENDED:
        return UNSET
    return str(dict(zip(TEMPLATES[refusal.template].names, refusal.values, strict=True))["link"])


def _resent(table: Table, seq: int, digest: bytes) -> Outcome:
    """The kept answer to a frame that was decided before, if the content is the same."""
    for kept in table.answers:
        if kept.seq == seq:
            if kept.digest == digest:
                return Outcome(None, answer_of(kept))
            alarm = ("seq_conflict", {"table": table.terms.table, "table_seq": seq})
            return _not_applied(table, seq, Refusal("seq_conflict"), alarm)
    return _not_applied(table, seq, Refusal("seq_old", count=ANSWERS_KEPT))


def _internal(state: BankState, envelope: Envelope, message: str) -> Refused:
    """The refusal after a broken invariant: the command's links stop, the rest goes on."""
    refusal = Refusal("internal_error", error=message)
    suspended = links_of(state, envelope)
    return Refused(refusal.code.value, refusal.template, refusal.values, [], suspended)


def _frame_refused(event: Refused) -> FrameRefused:
    """What is kept of the table's answer to a refused frame."""
    return FrameRefused(event.code, event.template, event.values, hit_names(event.hits))


def _to_act(event: Event, effects: Effects) -> ActAnswer:
    """The answer to an act, of its event."""
    if isinstance(event, Refused | ActRefused):
        return _told_refused(event)
    return effects.told.done()


def _refused(refusal: Refusal) -> ActAnswer:
    """The answer to a refused act that is not journalled."""
    code, hits = refusal.code.value, hit_names(refusal.hits)
    return ActAnswer(ok=False, code=code, template=refusal.template, values=refusal.values, hits=hits)


def _told_refused(event: Refused | ActRefused) -> ActAnswer:
    """The answer to an act whose refusal is an event."""
    hits = hit_names(event.hits)
    return ActAnswer(ok=False, code=event.code, template=event.template, values=event.values, hits=hits)
