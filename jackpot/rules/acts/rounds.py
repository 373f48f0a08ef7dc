"""Changes of a round by people: striking a wager, voiding, reopening once closed (T3, T6, T8, T10)."""

from typing import ClassVar, Final

from controllers.messages import Id, On, Seat, Unbet
from jackpot.rules.acts.act import FLOOR, Act, ActContext
from jackpot.rules.acts.fields import Cause, Reason
from jackpot.rules.acts.requests import as_asked
from jackpot.rules.acts.tables import find_table
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, Recomputed, Voided
from jackpot.rules.invariant import require
from jackpot.rules.refusal import TWO_PEOPLE, Refusal, refuse_if
from jackpot.rules.rounds.apply import apply_voided, take_back, unfinished
from jackpot.rules.rounds.betting import WagerCounts, apply_count, find_bets, miscounted
from jackpot.rules.rounds.claims import common_of, hands_shown
from jackpot.rules.rounds.final_awards import takes_two
from jackpot.rules.rounds.offers import lacking
from jackpot.rules.rounds.recompute import without_bets
from jackpot.rules.rounds.settling import KNOWN_CARDS, voided
from jackpot.rules.signing import People, Signed
from jackpot.rules.state import BankState, Placed, ReopenRequest, Round, Table

# What a floorperson's decision about an abandoned seat is counted as: the player has left, or has not (P6).
ABANDONED_DECISIONS: Final = ("confirmed", "denied")


class Strike(ActCommand, tag="strike", frozen=True):
    """A floorperson strikes one wager of a round that waits for its count (T3).

    Two people strike one on a dealer's hand, or on an offer, whose cards cannot be shown (T8, B16).
    """

    table: Id
    round: Id
    seat: Seat
    link: Id
    reason: Reason
    on: On = "own"


class Struck(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 15
    table: int
    round: str
    bet: Placed
    reason: str
    recomputed: Recomputed
    people: People


def decide_strike(state: BankState, command: Strike, by: ActContext) -> Struck:
    """Strikes a wager that waits for its count (T3), or for cards that nobody can show (T8, B16).

    Those of an abandoned seat have lost whatever the cards are (P6).
    """
    table, round_ = _find_round(state, command.table, command.round)
    chipped = _waits_for_count(state, table, round_, command.link)
    refuse_if(command.seat in round_.lost(), "abandoned_has_lost", seat=command.seat)
    if _on_unseen_dealer(state, command):
        refuse_if(bool(round_.dealer), "dealer_hand_was_shown")
    elif not _on_unseen_cards(state, command):
        refuse_if(not chipped, "link_count_agrees", link=command.link)
    (found,) = find_bets(state, table, round_, [Unbet(command.seat, command.link, command.on)])
    recomputed = without_bets(state, round_, [found])
    return Struck(table.number, round_.id, found[0], command.reason, recomputed, by.people)


def _waits_for_count(state: BankState, table: Table, round_: Round, link: str) -> bool:
    """Whether the link's count differs, so that a floorperson strikes a wager (T3)."""
    if round_.state != "mismatch":
        return False
    waits = miscounted(state, table, round_, WagerCounts(round_.chips, round_.sums)).wagers
    return any(state.link(number).terms.link == link for number in waits)


def _on_unseen_dealer(state: BankState, command: Strike) -> bool:
    """Whether a wager on the dealer's hand is struck although its count agrees (T8)."""
    table, round_ = _find_round(state, command.table, command.round)
    closed = command.on == "dealer" and round_.state != "open"
    return closed and not _waits_for_count(state, table, round_, command.link)


def _on_unseen_cards(state: BankState, command: Strike) -> bool:
    """Whether a wager on an offer is struck for cards that nobody showed (B10, B16).

    None is once the round was closed: nothing was closed without them, and what was paid by them stands.
    """
    table, round_ = _find_round(state, command.table, command.round)
    terms = next((link.terms for link in state.links if link.terms.link == command.link), None)
    if terms is None or not terms.offer or command.on == "dealer":
        return False
    if round_.state == "open" or round_.reopened:
        return False
    lacks = lacking(terms, table, round_, common_of(round_), len(hands_shown(round_))) is not None
    return lacks and not _waits_for_count(state, table, round_, command.link)


def strikes_unseen(state: BankState, command: Strike, _at: int) -> str:
    """Why two people strike it: the cards that decide it cannot be shown (T8, B16)."""
    if _on_unseen_dealer(state, command):
        return "why_dealer_wager_struck"
    return "why_offer_wager_struck" if _on_unseen_cards(state, command) else ""


def apply_struck(effects: Effects, event: Struck) -> None:
    """Removes one wager; the count may agree now (T3).

    Where it agreed before, as on an offer whose cards cannot be shown, what is given back is counted no more.
    """
    table = effects.state.table(event.table)
    round_ = unfinished(table, event.round)
    _uncount(effects.state, table, round_, event.bet)
    effects.told.refunds = take_back(effects, round_, [event.bet], event.recomputed)
    counted = WagerCounts(round_.chips, round_.sums)
    round_.state = apply_count(effects.told, miscounted(effects.state, table, round_, counted).wagers)
    effects.tell_round(table, round_)


def _uncount(state: BankState, table: Table, round_: Round, bet: Placed) -> None:
    """Takes a wager on an offer out of the dealer's count that agrees with it."""
    terms = round_.terms.get(bet.link, state.link(bet.link).terms)
    wrong = miscounted(state, table, round_, WagerCounts(round_.chips, round_.sums)).wagers
    if not terms.offer or bet.link in wrong:
        return
    if bet.link in round_.chips:
        round_.chips[bet.link] -= 1
    if bet.link in round_.sums:
        round_.sums[bet.link] -= bet.wagered(terms)


class VoidRound(ActCommand, tag="void", frozen=True):
    """A floorperson voids an unfinished round, two people a reopened one (T6).

    undo_final: the awards of offers that were final at once are undone with it (B15). cause: the irregularity
    (P5).
    """

    table: Id
    round: Id
    reason: Reason
    undo_final: bool = False
    cause: Cause = ""


def decide_void_round(state: BankState, command: VoidRound, by: ActContext) -> Voided:
    """Voids an unfinished round: a floorperson; a reopened one: two people (T6)."""
    table = find_table(state, command.table)
    return voided(
        state,
        table,
        command.round,
        command.reason,
        by.people,
        undo_final=command.undo_final,
        cause=command.cause,
    )


def voids_known(state: BankState, command: VoidRound, _at: int) -> str:
    """Why two people void it: it was reopened, or much of it was final (T6, B15)."""
    _, round_ = _find_round(state, command.table, command.round)
    if round_.reopened:
        return KNOWN_CARDS
    gone = {award.number for number in round_.hits for award in state.hits[number].awards}
    return "why_final_undone" if command.undo_final and takes_two(state, round_, gone) else ""


class DecideAbandoned(ActCommand, tag="decide-abandoned", frozen=True):
    """A floorperson says whether a player has left a seat, as the table says: its wagers then lose (P6)."""

    table: Id
    round: Id
    seat: Seat
    abandoned: bool
    reason: Reason


class AbandonedDecided(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 92
    table: int
    round: str
    seat: int
    abandoned: bool
    reason: str
    people: People


def decide_abandoned(state: BankState, command: DecideAbandoned, by: ActContext) -> AbandonedDecided:
    """Confirms that a seat was abandoned, or says that it was not: then its hand is settled as ever (P6)."""
    table, round_ = _find_round(state, command.table, command.round)
    waits = command.seat in round_.waiting()
    refuse_if(not waits, "abandoned_not_asked", seat=command.seat)
    return AbandonedDecided(
        table.number, round_.id, command.seat, command.abandoned, command.reason, by.people
    )


def apply_abandoned_decided(effects: Effects, event: AbandonedDecided) -> None:
    """Marks the seat as lost, or forgets that it was asked for; the table is told."""
    table = effects.state.table(event.table)
    round_ = unfinished(table, event.round)
    del round_.abandoned[event.seat]
    if event.abandoned:
        round_.abandoned[event.seat] = True
    effects.state.tally("abandoned", ABANDONED_DECISIONS[not event.abandoned])
    effects.tell_round(table, round_)


class Reopen(ActCommand, tag="reopen", frozen=True):
    """A closed round is opened again until the table's next lock (T10).

    By two people at once, or one asks and another answers; until then the table opens and locks no new one.
    """

    table: Id
    round: Id
    reason: Reason


class ReopenAsked(Event, frozen=True, array_like=True):
    """One person wants a closed round opened again. tick: when, by the server's monotonic clock, in ms."""

    kind: ClassVar[int] = 27
    table: int
    round: str
    reason: str
    tick: int
    people: People


class Reopened(Event, frozen=True, array_like=True):
    """A closed round was reopened.

    people: the two who stand for it, whether they acted at once or one after the other.
    """

    kind: ClassVar[int] = 16
    table: int
    round: str
    reason: str
    people: People


def decide_reopen(state: BankState, command: Reopen, by: ActContext) -> Reopened | ReopenAsked:
    """Reopens a closed round by two people at once, or requests it by one (T10).

    Of unauthenticated names, the second one may also come later.
    """
    table = _find_closed(state, command)
    asked, people = table.waits(), by.people
    if (fault := people.fault()) is not None:
        raise Refusal("signer_fault", fault=fault)
    if asked is not None and people.count() < TWO_PEOPLE and bool(asked.people.signed) == bool(people.signed):
        people = _with_asker(asked.people, people)
    if people.count() < TWO_PEOPLE:
        return ReopenAsked(table.number, command.round, command.reason, by.tick, people)
    return Reopened(table.number, command.round, command.reason, people)


def _with_asker(asker: People, people: People) -> People:
    """Both names. Signers are refused, for they answer with `AgreeToReopen`, or have asked already."""
    who = asker.first
    if people.signed:
        # To people who signed it is no reason to wait: the round has a wait of its own.
        refuse_if(people.signed[0].id == asker.signed[0].id, "reopening_asked_already", who=who)
        raise Refusal("reopening_asked_meanwhile", who=who)
    both = asker.then(people)
    refuse_if(both.count() < TWO_PEOPLE, "reopening_needs_another", who=who)
    return both


class AgreeToReopen(ActCommand, tag="agree-to-reopen", frozen=True):
    """A second person signs, after the one who asked to reopen a round, and as both stand now (T10).

    A server makes it of a second `Reopen`, with the asker's signature of that moment.
    """

    table: Id
    round: Id
    reason: Reason


def check_agrees(state: BankState, command: AgreeToReopen, people: People) -> None:
    """Refuses an answer to an asker who no longer waits, or who has lost a right since (T10)."""
    asked = asked_by(state, command.table)
    if asked is None or not people.signed or as_asked(people.signed[0]) != as_asked(asked):
        raise Refusal("reopening_answered_meanwhile", round=command.round)
    refuse_if(people.signed[0].lost != asked.lost, "reopening_asker_lost_right", person=asked.id)


def decide_agree(state: BankState, command: AgreeToReopen, by: ActContext) -> Reopened:
    """Reopens the round: the asker still has the same rights, and another person agrees (T10)."""
    table, people = _find_closed(state, command), by.people
    if people.count() < TWO_PEOPLE:
        if (fault := people.fault()) is not None:
            raise Refusal("reopening_needs_other", who=people.first, fault=fault)
        raise Refusal("reopening_asked_already", who=people.first)
    return Reopened(table.number, command.round, command.reason, people)


def asked_by(state: BankState, table_name: str) -> Signed | None:
    """The signer who asked to reopen the table's closed round, and waits for another; None for nobody."""
    waits = [table.waits() for table in state.tables if table.terms.table == table_name]
    return next((one for asked in waits if asked is not None for one in asked.people.signed), None)


def apply_reopen_asked(effects: Effects, event: ReopenAsked) -> None:
    """Makes the table open no new round until a second person answers (T10).

    The time for it counts from the first asking: a round that is asked for again holds its table no longer.
    """
    table = effects.state.table(event.table)
    table.asked = table.asked or ReopenRequest(event.people, effects.seq, event.tick)
    table.asked.people = event.people
    effects.told.asked = True


def apply_reopened(effects: Effects, event: Reopened) -> None:
    """Reopens the round, which may be voided, or a missed hand settled (T10)."""
    table = effects.state.table(event.table)
    round_ = require(table.closed, "a reopening without a closed round")
    table.asked = None
    round_.state = "locked"
    round_.reopened = True
    effects.tell_round(table, round_)


class Decline(ActCommand, tag="decline", frozen=True):
    """The answer is no: the round that somebody asked to reopen stays closed (T10)."""

    table: Id
    round: Id
    reason: Reason


class ReopenDeclined(Event, frozen=True, array_like=True):
    """Somebody says that the closed round stays closed."""

    kind: ClassVar[int] = 28
    table: int
    round: str
    reason: str
    people: People


def decide_decline(state: BankState, command: Decline, by: ActContext) -> ReopenDeclined:
    """Declines a reopening, or withdraws one's own request: the table goes on (T10)."""
    table = _find_closed(state, command)
    refuse_if(not table.waits(), "reopening_not_asked", round=command.round)
    return ReopenDeclined(table.number, command.round, command.reason, by.people)


def apply_reopen_declined(effects: Effects, event: ReopenDeclined) -> None:
    """Keeps the round closed; it may be asked for again."""
    require(effects.state.table(event.table).asked, "an answer to what nobody asked").people = People()


def _find_round(state: BankState, table_name: str, round_id: str) -> tuple[Table, Round]:
    table = find_table(state, table_name)
    round_ = table.find(round_id)
    if round_ is None:
        raise Refusal("round_unknown", round=round_id, table=table_name)
    return table, round_


def _find_closed(state: BankState, command: Reopen | AgreeToReopen | Decline) -> Table:
    """The table whose last closed round that is; refused as `no_such_round` (T10)."""
    table = find_table(state, command.table)
    closed = table.closed
    if closed is None or closed.id != command.round or closed.state != "closed":
        raise Refusal("round_not_last_closed")
    return table


ACTS: Final = (
    Act(
        Strike,
        decide_strike,
        {Struck: apply_struck},
        asked=True,
        power=FLOOR,
        needs_two=strikes_unseen,
    ),
    Act(
        VoidRound,
        decide_void_round,
        {Voided: apply_voided},
        asked=True,
        power=FLOOR,
        needs_two=voids_known,
    ),
    Act(
        DecideAbandoned,
        decide_abandoned,
        {AbandonedDecided: apply_abandoned_decided},
        asked=True,
        power=FLOOR,
    ),
    Act(
        Reopen,
        decide_reopen,
        {Reopened: apply_reopened, ReopenAsked: apply_reopen_asked},
        asked=True,
        power=FLOOR,
    ),
    Act(AgreeToReopen, decide_agree, {}, power=FLOOR),
    Act(
        Decline,
        decide_decline,
        {ReopenDeclined: apply_reopen_declined},
        asked=True,
        power=FLOOR,
    ),
)
