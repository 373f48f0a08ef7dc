"""Re-decides a journalled event from the state before it (S8). The event itself is not trusted.

An act's row holds its command. A frame's event names everything in the frame that decides, so the frame is
built again from it; a refused frame stands in its row, unless it is long. The command is decided again, and
must come to the row's body, byte for byte. What is refused without its command is believed: it moves no
money.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, get_args

import msgspec

from controllers import messages as m
from jackpot.rules import cards as deck
from jackpot.rules import events as e
from jackpot.rules import row_commands
from jackpot.rules.acts import conflict, decode_asked, is_alone, lost_acks
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.requests import ActRefused, Requested
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.chance import Chance, JournaledChance
from jackpot.rules.codes import Code
from jackpot.rules.commands import Command, Envelope, RawDraws
from jackpot.rules.epoch import Epoch
from jackpot.rules.events import Event
from jackpot.rules.invariant import InvariantError
from jackpot.rules.meter import Accounts
from jackpot.rules.money import MICROS_PER_UNIT, to_cents
from jackpot.rules.outcome import Written
from jackpot.rules.phrases import english, misfit
from jackpot.rules.refusal import CODES, HITS_TOLD_MAX, NOT_APPLIED, Refusal
from jackpot.rules.rounds import mystery
from jackpot.rules.signing import People
from jackpot.rules.state import Award, BankState, Table
from jackpot.rules.templates import TEMPLATES
from jackpot.rules.triggers import JournaledTriggers, LevelTriggers, TriggerSource
from jackpot.rules.void_causes import CAUSES

# How many characters of each value a difference shows: enough to see what was changed.
TOLD_MAX: Final = 160
INTERNAL: Final = Code.INTERNAL.value
# Fields in micro-dollars, told as sums of money.
_MONEY: Final = frozenset({"amount", *Accounts.__struct_fields__})


class Decider(Protocol):
    """The engine as the redecider uses it; nothing changes. Raises Refusal, InvariantError."""

    state: BankState
    epoch: Epoch

    def decide(
        self,
        envelope: Envelope,
        asked_ms: int,
        lately: int | None = None,
        chance: Chance = ...,
        triggers: TriggerSource = ...,
    ) -> Event: ...


def check(
    engine: Decider,
    entry: Written,
    event: Event,
    untrue: Callable[[People], str | None] = lambda _: None,
    *,
    sayable: bool = False,
) -> str | None:
    """The reason why the rules would not have decided this event next; None where they would.

    untrue: why the signers were not as they signed; None where they were. sayable: whether a frame must be
    able to carry the command, people to ask for an act, and the rules to say the sentence of a refusal. A
    start does not check that: it serves a ledger that holds longer values, and sends tables a shortened text.
    May raise anything for an event that names what is not there.
    """
    state = engine.state
    try:
        command = row_commands.command_in(entry.body, event)
    except msgspec.MsgspecError as error:
        return f"its command cannot be read: {error}"
    if row_commands.encode(event, command) != entry.body:
        return "its body has more in it, or in another form, than the event that it tells"
    table = None if entry.table is None else state.table(entry.table)
    misplaced = _misplaced(state, table, entry, event)
    if misplaced is not None:
        return misplaced
    if isinstance(event, e.Refused):
        fault = _refused(state, table, event) or (_unfit(event) if sayable else None)
        return fault or _refused_again(engine, entry, event, command, sayable=sayable)
    if isinstance(event, lost_acks.FoundBehind | lost_acks.BehindOver):
        return _greeted(engine, event)
    if isinstance(event, conflict.SeqConflict):
        return conflict.conflicting(state, event, entry.digest, engine.epoch.since)
    if isinstance(event, ProgramBegan) and engine.epoch.since != state.seq:
        return "a program begins with the first row of an epoch, and this is another"
    hit = getattr(event, "hit", None)
    # A notice of cash may be about a hit that the state keeps no more; the rules refuse any other act on it.
    if hit is not None and not 0 < hit < state.next_hit:
        return f"it is about H{hit}, which no row made"
    if table is not None:
        if command is not None:
            return "its frame stands next to what it came to"
        asked, people = _FRAMES[type(event)](state, event, entry.table_seq or 0), People()
    else:
        if isinstance(event, Requested | ActRefused):
            command = decode_asked(event.command)
        if command is None:
            return "it names no command"
        asked, people = command, getattr(event, "people", People())
    envelope = _envelope(entry, table, asked, people, _draws(state, getattr(event, "locking", None)), event)
    try:
        decided = engine.decide(
            envelope, _asked_ms(table, event), chance=_chance(event), triggers=_triggers(state, event)
        )
    except Refusal as refusal:
        return f"the rules refuse it: {refusal.message} ({refusal.code})"
    except InvariantError as error:
        return f"the rules cannot decide it: {error}"
    if row_commands.encode(decided, command) != entry.body:
        return _otherwise(event, decided)
    if table is not None:
        return _unsayable(asked) if sayable else None
    false = None if is_alone(asked) else untrue(people)
    return false or (_unaskable(asked) if sayable and people.count() else None)


def _envelope(
    entry: Written,
    table: Table | None,
    command: Command,
    people: People,
    draws: dict[str, RawDraws],
    event: Event,
) -> Envelope:
    """The command with what its row says about it."""
    return Envelope(
        command,
        entry.at,
        getattr(event, "tick", 0),
        entry.digest,
        table.terms.table if table else None,
        people=people.names,
        draws=draws,
        proof=people.proof,
    )


def _refused_again(
    engine: Decider,
    entry: Written,
    event: e.Refused,
    command: Command | None,
    *,
    sayable: bool,
) -> str | None:
    """Why the rules would not refuse the frame so; None where they would, or its row does not keep it."""
    if command is None:
        return None
    table = None if entry.table is None else engine.state.table(entry.table)
    if table is None or not isinstance(command, m.TableMessage):
        return "its command is no frame of a table"
    if event.code == INTERNAL:
        return "internal names no frame"
    if command.seq != entry.table_seq:
        return f"it refuses frame {command.seq}"
    # A minute's rounds may have been opened before the first row that is read: that there were so many is
    # believed, and nothing else.
    many = table.terms.max_rounds_per_minute or 0 if event.code == Code.UNREASONABLE else 0
    envelope = _envelope(entry, table, command, People(), {}, event)
    try:
        engine.decide(envelope, 0, many)
    except Refusal as refusal:
        right = e.Refused(refusal.code.value, refusal.template, refusal.values, list(refusal.hits))
        if right != event:
            return f"the rules refuse it otherwise: {_difference(event, right)}"
        return _unsayable(command) if sayable and not isinstance(command, m.Malformed) else None
    except InvariantError as error:
        return f"the rules cannot decide it: {error}"
    return "the rules do not refuse it"


def _otherwise(event: Event, decided: Event) -> str:
    """Describes how the event that the rules decide differs: a refusal, a request, or other values."""
    if isinstance(decided, ActRefused) and not isinstance(event, ActRefused):
        return f"the rules refuse it: {english(decided.template, decided.values)} ({decided.code})"
    if isinstance(decided, Requested) and not isinstance(event, Requested):
        return "by the rules it waits for a second person"
    return f"the rules decide otherwise: {_difference(event, decided)}"


def _unfit(event: e.Refused) -> str | None:
    """Why no rule says that sentence with these values; None where one may."""
    if (wrong := misfit(event.template, event.values)) is not None:
        return wrong
    if TEMPLATES[event.template].code != event.code:
        return f"{event.template} is no sentence of {event.code}"
    return None


def _unsayable(command: Command) -> str | None:
    """Why no frame could carry the command; None where one could."""
    sent = m.decode_device(msgspec.msgpack.encode(command))
    return f"no frame can say it: {sent.message}" if isinstance(sent, m.Malformed) else None


def _unaskable(command: Command) -> str | None:
    """Why nobody could ask for the act: a field is beyond its bounds; None where somebody could."""
    try:
        msgspec.msgpack.decode(msgspec.msgpack.encode(command), type=type(command))
    except msgspec.MsgspecError as error:
        return f"nobody can ask for it: {error}"
    return None


def _asked_ms(table: Table | None, event: Event) -> int:
    """How long a table had waited for a second person; 0 where no reopening was requested."""
    return max(1, getattr(event, "asked_ms", 0)) if table is not None and table.waits() else 0


def _misplaced(state: BankState, table: Table | None, entry: Written, event: Event) -> str | None:
    """Why no event of this kind can stand here, whatever its content; None where one can."""
    if state.closed_into:
        return f"the bank ended before it: it became part of {state.closed_into}"
    framed = table is not None
    of_tables = type(event) in _FRAMES and not getattr(event, "people", People()).count()
    if not isinstance(event, e.Refused) and framed != of_tables:
        return "it is no table's frame" if framed else "it is a table's, and names none"
    if table is None:
        again = any(done.digest == entry.digest for done in state.acts)
        return "the same request was carried out before" if again else None
    if table.number != entry.table:
        return f"there is no table {entry.table}"
    if isinstance(event, e.Voided) and event.table != table.number:
        return f"it voids a round of table {event.table}"
    if entry.table_seq != table.last_seq + 1:
        return f"it is frame {entry.table_seq} of the table, and {table.last_seq + 1} comes next"
    return None


def _refused(state: BankState, table: Table | None, event: e.Refused) -> str | None:
    """Checks a refusal: it moves nothing, and only an internal one stops links, those of its command."""
    if event.code not in CODES or event.code in NOT_APPLIED:
        return f"{event.code!r} is no refusal that is journalled"
    if len(event.hits) > HITS_TOLD_MAX:
        return f"it names {len(event.hits)} hits, and {HITS_TOLD_MAX} are the most"
    if event.code != INTERNAL:
        if table is None:
            return "people's acts are not journalled as refused"
        if event.suspended:
            return f"{event.code} suspends no link"
        unknown = [number for number in event.hits if number not in state.hits]
        return f"there is no hit H{unknown[0]}" if unknown else None
    if event.hits:
        return "internal names no hit"
    return None if event.suspended in _stops(state, table) else "it suspends other links than its own"


def _stops(state: BankState, table: Table | None) -> Iterable[list[int]]:
    """The links that an internal error may stop: a table's; for an act, of one table, one hit or none."""
    if table is not None:
        return [sorted(table.links)]
    return [[], *([link.number] for link in state.links), *(sorted(one.links) for one in state.tables)]


def _greeted(engine: Decider, event: lost_acks.FoundBehind | lost_acks.BehindOver) -> str | None:
    """Why the rules would not have journalled a table's claim of lost answers; None where they would (S9)."""
    state, since = engine.state, engine.epoch.since
    table = state.table(event.table)
    if isinstance(event, lost_acks.BehindOver):
        right: Event | None = lost_acks.decide_over(table, event.acked)
    elif lost_acks.is_told(state, table, since):
        right = None
    else:
        right = lost_acks.decide_found(state, table, event.acked, since)
        right = right if lost_acks.is_ahead(table, event.acked) else None
    if right is None:
        return f"table {table.terms.table} says nothing new with answers up to {event.acked}"
    return None if right == event else f"the rules decide otherwise: {_difference(event, right)}"


def _difference(written: Event, decided: Event) -> str:
    """Describes how the two events differ, for people."""
    if type(written) is not type(decided):
        return f"written {type(written).__name__}, decided {type(decided).__name__}"
    fields = written.__struct_fields__
    differ = [name for name in fields if getattr(written, name) != getattr(decided, name)]
    if not differ:
        return "the same facts in other bytes"
    return _innermost(differ[0], getattr(written, differ[0]), getattr(decided, differ[0]))


def _innermost(path: str, written: Any, decided: Any) -> str:
    """The first differing value, with its path: `made.hits[0].seat`, or `A4 amount` of an award."""
    if isinstance(written, Award) and isinstance(decided, Award) and written.number == decided.number:
        path = f"A{written.number}"
    if isinstance(written, msgspec.Struct) and type(written) is type(decided):
        for name in written.__struct_fields__:
            if getattr(written, name) != getattr(decided, name):
                more = f"{path} {name}" if isinstance(written, Award) else f"{path}.{name}"
                return _innermost(more, getattr(written, name), getattr(decided, name))
    if (
        isinstance(written, list | tuple)
        and isinstance(decided, list | tuple)
        and len(written) == len(decided)
    ):
        for place, (one, other) in enumerate(zip(written, decided, strict=True)):
            if one != other:
                return _innermost(f"{path}[{place}]", one, other)
    if path.replace(".", " ").split()[-1] in _MONEY and isinstance(written, int) and isinstance(decided, int):
        return f"{path} is written {_sum(written)}, by the rules {_sum(decided)}"
    return f"{path} is written {_value_text(written)}, by the rules {_value_text(decided)}"


def _sum(micros: int) -> str:
    """Formats an amount to the micro-dollar; to the cent where it has no fraction of one."""
    whole, part = divmod(abs(micros), MICROS_PER_UNIT)
    digits = f"{part:06}"
    return f"{'-' * (micros < 0)}{whole:,}.{digits[:2]}{digits[2:].rstrip('0')}"


def _value_text(value: Any) -> str:
    """Formats a value, cut where it is long; for a list of another length, its length."""
    if isinstance(value, list) and len(repr(value)) > TOLD_MAX:
        return f"as {len(value)} entries"
    return repr(value)[:TOLD_MAX]


def _link(state: BankState, number: int) -> str:
    return state.link(number).terms.link


def _counts(state: BankState, counts: Mapping[int, int]) -> dict[str, int]:
    return {_link(state, number): count for number, count in counts.items()}


def _sums(state: BankState, sums: Mapping[int, int]) -> dict[str, int]:
    return {_link(state, number): to_cents(sum_) for number, sum_ in sums.items()}


def _table_counts(state: BankState, closing: e.Closing) -> tuple[dict[str, int], dict[str, int]]:
    """The table's own counts and sums at a round's end."""
    return _counts(state, closing.counts), _sums(state, closing.sums)


def _dealer_or_seat(*, dealer: bool) -> m.On:
    return "dealer" if dealer else "own"


def _texts(packed: bytes) -> tuple[str, ...] | None:
    return tuple(map(deck.text, deck.unpack(packed))) or None


def _draws(state: BankState, locking: e.Locking | None) -> dict[str, RawDraws]:
    """The raw random numbers, won or lost (A7)."""
    return {
        _link(state, made.link): RawDraws(
            made.magic_chance, made.magic_card, made.lucky_chance, made.lucky_box
        )
        for made in (locking.draws if locking else ())
    }


def _chance(event: Event) -> JournaledChance:
    """The raw bytes of what was drawn for mystery levels (Y2)."""
    counted = event.counted if isinstance(event, e.Settled | e.Closed) else []
    return JournaledChance({(one.link, one.level): iter(one.drawn) for one in counted})


def _triggers(state: BankState, event: Event) -> JournaledTriggers:
    """What the entry opened, and what it committed to (Y12)."""
    if isinstance(event, TriggersRenewed):
        renewed = (
            _level_triggers(state, one.link, one.level, [one.opened], [one.committed]) for one in event.levels
        )
        return JournaledTriggers(renewed)
    counted = event.counted if isinstance(event, e.Settled | e.Closed) else []
    return JournaledTriggers(
        _level_triggers(state, one.link, one.level, one.opened, one.committed) for one in counted
    )


def _level_triggers(
    state: BankState,
    link: int,
    level: int,
    opened: Iterable[e.TriggerOpened | None],
    committed: Iterable[e.TriggerCommitted | None],
) -> LevelTriggers:
    of = state.link(link)
    at = of.levels[level - 1]
    running = mystery.running_of(at)
    return LevelTriggers(
        of.terms.link,
        at.terms.level,
        b"" if running is None else running.digest,
        [one for one in opened if one is not None],
        [one for one in committed if one is not None],
    )


def _wager(state: BankState, event: e.Wagered, seq: int) -> Command:
    bets = tuple(
        m.Bet(
            bet.seat, _link(state, bet.link), to_cents(bet.wagered(state.link(bet.link).terms)), bet.player,
            _dealer_or_seat(dealer=bet.dealer),
        )
        for bet in event.bets
    )  # fmt: skip
    locking = event.locking
    chips = _counts(state, locking.chips) if locking else None
    sums = _sums(state, locking.sums) if locking else None
    players = locking.players or None if locking else None
    return m.Wager(seq, event.round, bets, locking is not None, chips, sums, players)


def _withdraw(state: BankState, event: e.Withdrawn, seq: int) -> Command:
    bets = (
        m.Unbet(bet.seat, _link(state, bet.link), _dealer_or_seat(dealer=bet.dealer)) for bet in event.bets
    )
    return m.Withdraw(seq, event.round, tuple(bets))


def _lock(state: BankState, event: e.Locked, seq: int) -> Command:
    locking = event.locking
    chips, sums = _counts(state, locking.chips), _sums(state, locking.sums)
    return m.Lock(seq, event.round, chips, sums, locking.players or None)


# What may stand in a claim, by its text: a row with another text was made by no frame.
_HANDS: Final[dict[str, m.HandName]] = {name: name for name in get_args(m.HandName)}
_SUITS: Final[dict[str, m.Suit]] = {suit: suit for suit in get_args(m.Suit)}


def _settle(state: BankState, event: e.Settled, seq: int) -> Command:
    """Rebuilds a settlement's claims, each with the cards that it showed.

    The journal keeps a seat's cards with its first claim alone.
    """
    cards: dict[int, tuple[str, ...] | None] = {}
    hands = tuple(
        m.Claim(
            shown.seat,
            cards.setdefault(shown.seat, _texts(shown.cards)),
            _HANDS[shown.hand] if shown.hand else None,
            _SUITS[shown.suit] if shown.suit else None,
            _link(state, shown.link) if shown.link else None,
            shown.folded,
            shown.player,
            shown.abandoned,
        )
        for shown in event.shown
    )
    closing = event.closing
    counts, sums = _table_counts(state, closing) if closing else (None, None)
    return m.Settle(
        seq, event.round, hands, _texts(event.board), _texts(event.dealer), close=closing is not None,
        counts=counts, sums=sums, bonus=_texts(event.bonus),
    )  # fmt: skip


def _close(state: BankState, event: e.Closed, seq: int) -> Command:
    return m.Close(seq, event.round, *_table_counts(state, event.closing))


def _void(state: BankState, event: e.Voided, seq: int) -> Command:
    settles = tuple(_link(state, number) for number in event.settles) or None
    return m.Void(seq, event.round, event.reason, CAUSES[event.cause] if event.cause else None, settles)


def _lamp(_state: BankState, event: e.LampReported, seq: int) -> Command:
    return m.Lamp(seq, f"A{event.award}", event.state)


# The frame that led to an event of a table, with its number.
_FRAMES: Final[dict[type[Event], Callable[[BankState, Any, int], Command]]] = {
    e.Wagered: _wager,
    e.Withdrawn: _withdraw,
    e.Locked: _lock,
    e.Settled: _settle,
    e.Closed: _close,
    e.Voided: _void,
    e.LampReported: _lamp,
}
