"""What may people do? Validation, payment, undo and the other acts of the floor (A10, A11, T3, T10, T11)."""

from typing import Final, Literal

from controllers.messages import Unbet
from jackpot.rules.betting import find_bets, miscounted
from jackpot.rules.codes import Code
from jackpot.rules.commands import (
    ClearDevice,
    Correct,
    Decline,
    Envelope,
    Pay,
    Release,
    Reopen,
    Strike,
    Undo,
    Validate,
    VoidRound,
)
from jackpot.rules.events import (
    Corrected,
    DeviceCleared,
    Paid,
    People,
    Placed,
    Released,
    ReopenAsked,
    ReopenDeclined,
    Reopened,
    Struck,
    Undone,
    Validated,
    Voided,
)
from jackpot.rules.money import from_cents
from jackpot.rules.recompute import with_correction, without_awards, without_bets
from jackpot.rules.refusal import TWO_PEOPLE, Refusal, quoted, refuse_if, two_people
from jackpot.rules.settling import decide_void
from jackpot.rules.state import PAID_KEPT, Award, Hit, Round, State, Table
from jackpot.rules.witness import find_table

# No award is corrected to more than a billion: a slip of the hand, and 64 bits hold a level's sums.
AWARD_MOST: Final = 100_000_000_000
# Hits and awards are numbered one by one: no number is as long as this.
DIGITS_MOST: Final = 20


def decide_validate(state: State, command: Validate, people: People) -> Validated:
    """A floorperson validates a hand, with all that waits for it; then an envy bonus alone (A10)."""
    _someone(people)
    hit = find_hit(state, command.hit)
    chosen = _named(hit, command.award, "pending")
    early = _shares_later(state, hit)
    if command.award is None or chosen[0].kind != "envy":
        chosen = _named(hit, None, "pending")
    else:
        own = [award.status for award in hit.awards if award.kind != "envy" and award.stands()]
        early = early or not own or "pending" in own
    refuse_if(early, Code.HAND_PENDING, "award: an envy bonus waits until its hand is validated")
    return Validated(hit.number, [award.number for award in chosen], people)


def decide_pay(state: State, command: Pay, people: People) -> Paid:
    """The documentation is complete (A10, T11)."""
    _someone(people)
    hit = find_hit(state, command.hit)
    awards = _named(hit, command.award, "validated")
    if _shares_later(state, hit) or any(it.kind != "envy" and it.status == "pending" for it in hit.awards):
        awards = [award for award in awards if award.kind != "envy"]
    refuse_if(not awards, Code.HAND_PENDING, "award: an envy bonus waits until its hand is validated")
    return Paid(hit.number, sorted(award.number for award in awards), people)


def _shares_later(state: State, hit: Hit) -> bool:
    """Whether the hand's own award is made only when the round closes (T5)."""
    round_ = state.table(hit.table).find(hit.round)
    return round_ is not None and any(wait.hit == hit.number for wait in round_.waiting)


def decide_undo(state: State, command: Undo, people: People) -> Undone:
    """A hit, or one award or share of it, as if it had not been made (A11)."""
    _someone(people)
    hit = find_hit(state, command.hit)
    awards = [award for award in hit.awards if award.stands()]
    if command.award is not None:
        awards = [award for award in awards if f"A{award.number}" == command.award]
    refuse_if(not awards, Code.NO_SUCH_AWARD, f"hit {command.hit}: no such award stands")
    round_ = state.table(hit.table).find(hit.round)
    unfinished = round_ is not None and hit.number in round_.hits
    for award in awards:
        paid = award.status == "paid"
        refuse_if(paid, Code.PAID, f"A{award.number} is paid: it is met by a correction, not undone")
        final = award.status == "final" and not unfinished
        refuse_if(final, Code.FINAL, f"A{award.number} is final and its round has ended")
    numbers = {award.number for award in awards}
    later = any(
        level.history.has_later(numbers)
        for award in awards
        if award.level
        for level in [state.link(award.link).levels[award.level - 1]]
    )
    if later:
        two_people(people, "a later award of the level exists")
    recomputed = without_awards(state, awards)
    return Undone(hit.number, sorted(numbers), command.reason, recomputed, people)


def decide_correct(state: State, command: Correct, people: People) -> Corrected:
    """An award comes to another sum; the meter, or the house, takes the difference now (A10)."""
    two_people(people, "an award is corrected")
    award = _find_award(state, command.award)
    refuse_if(not award.stands(), Code.UNDONE, f"award: {command.award} is undone")
    paper = award.settled() and not command.document
    message = f"document: {command.award} is {award.status}; the difference needs a document's number"
    refuse_if(paper, Code.NO_DOCUMENT, message)
    bad = not 0 <= command.amount <= AWARD_MOST
    refuse_if(bad, Code.BAD_AMOUNT, f"amount: 0 to {AWARD_MOST} cents")
    amount = from_cents(command.amount)
    recomputed = with_correction(state, award, amount - award.worth())
    return Corrected(award.hit, award.number, amount, command.reason, recomputed, people, command.document)


def decide_release(state: State, command: Release, people: People) -> Released:
    """The floorperson releases the cards of a held table (T11)."""
    _someone(people)
    table = find_table(state, command.table)
    refuse_if(not table.held, Code.NOT_HELD, f"table {command.table} is not held")
    return Released(table.number, list(table.held), command.reason, people)


def decide_strike(state: State, command: Strike, people: People) -> Struck:
    """A wager is struck whose link waits for its count (T3), or that is on an unseen dealer's hand (T8)."""
    _someone(people)
    table, round_ = _find_round(state, command.table, command.round)
    waits = miscounted(state, table, round_, round_.chips) if round_.state == "mismatch" else []
    chipped = any(state.link(number).terms.link == command.link for number in waits)
    if command.on == "dealer" and round_.state != "open" and not chipped:
        refuse_if(bool(round_.dealer), Code.DEALER_SHOWN, "on: the dealer's hand was shown")
        two_people(people, "a wager on a dealer's hand that cannot be shown is struck")
    else:
        refuse_if(not chipped, Code.NOT_MISMATCH, f"link: {quoted(command.link)} does not wait for its count")
    (bet,) = find_bets(state, table, round_, [Unbet(command.seat, command.link, command.on)])
    placed = Placed(bet.seat, bet.link, bet.dealer, bet.player)
    recomputed = without_bets(state, [bet])
    return Struck(table.number, round_.id, placed, command.reason, recomputed, people)


def decide_void_round(state: State, command: VoidRound, people: People) -> Voided:
    """A floorperson voids an unfinished round, two people a reopened one (T6)."""
    _someone(people)
    table = find_table(state, command.table)
    return decide_void(state, table, command.round, command.reason, people)


def decide_reopen(state: State, command: Reopen, people: People, tick: int) -> Reopened | ReopenAsked:
    """A closed round opens again by two people, at once or one after the other (T10). tick: of the act."""
    _someone(people)
    table = _find_closed(state, command)
    asked = table.waits()
    if asked is not None and people.count() < TWO_PEOPLE:
        people = People((asked.name, *people.names), asked.proved and people.proved)
        two_people(people, f"{asked.name} asked to reopen it already; another person answers")
    if people.count() < TWO_PEOPLE:
        return ReopenAsked(table.number, command.round, command.reason, tick, people)
    return Reopened(table.number, command.round, command.reason, people)


def decide_decline(state: State, command: Decline, people: People) -> ReopenDeclined:
    """A second person says no, or the first one was mistaken: the table goes on (T10)."""
    _someone(people)
    table = _find_closed(state, command)
    refuse_if(not table.waits(), Code.NOT_ASKED, f"round: nobody asked to reopen {quoted(command.round)}")
    return ReopenDeclined(table.number, command.round, command.reason, people)


def decide_clear(state: State, command: ClearDevice, people: People) -> DeviceCleared:
    """An operator has looked into the conflict."""
    _someone(people)
    blocked = (command.role, command.device) in state.blocked
    refuse_if(
        not blocked, Code.NOT_BLOCKED, f"{quoted(command.role)} {quoted(command.device)} is not blocked"
    )
    return DeviceCleared(command.role, command.device, people)


def find_hit(state: State, name: str) -> Hit:
    """The hit of that id; refused as `no_such_hit`."""
    hit = state.hits.get(_number("H", name))
    if hit is None:
        raise Refusal(Code.NO_SUCH_HIT, f"hit: {quoted(name)} is not an open hit")
    return hit


def links_of(state: State, envelope: Envelope) -> list[int]:
    """The links that a command is about, by its table, hit or award; none where it names none."""
    command = envelope.command
    name = envelope.table or getattr(command, "table", "")
    tables = [table.links for table in state.tables if table.terms.table == name]
    hit, award = getattr(command, "hit", ""), getattr(command, "award", "")
    hits = [
        [found.link]
        for found in state.hits.values()
        if f"H{found.number}" == hit or any(f"A{one.number}" == award for one in found.awards)
    ]
    return sorted({link for links in tables + hits for link in links})


def _find_award(state: State, name: str) -> Award:
    number = _number("A", name)
    for hit in (*state.hits.values(), *state.paid.values()):
        for award in hit.awards:
            if award.number == number:
                return award
    message = f"award: {quoted(name)} is neither an open award nor one of the last {PAID_KEPT} settled hits"
    raise Refusal(Code.NO_SUCH_AWARD, message)


def _find_round(state: State, table_name: str, round_id: str) -> tuple[Table, Round]:
    table = find_table(state, table_name)
    round_ = table.find(round_id)
    if round_ is None:
        message = f"round: {quoted(round_id)} is not an unfinished round of {table_name}"
        raise Refusal(Code.NO_SUCH_ROUND, message)
    return table, round_


def _find_closed(state: State, command: Reopen | Decline) -> Table:
    """The table whose last closed round that is; refused as `no_such_round` (T10)."""
    table = find_table(state, command.table)
    closed = table.closed
    if closed is None or closed.id != command.round or closed.state != "closed":
        message = "round: only the table's last closed round is reopened, before its next lock"
        raise Refusal(Code.NO_SUCH_ROUND, message)
    return table


def _named(hit: Hit, name: str | None, status: Literal["pending", "validated"]) -> list[Award]:
    """The hit's awards of that status, or the one named; refused if there is none."""
    wrong = Code.NOT_PENDING if status == "pending" else Code.NOT_VALIDATED
    if name is None:
        awards = [award for award in hit.awards if award.status == status]
        refuse_if(not awards, wrong, f"hit: H{hit.number} has no {status} award")
        return awards
    awards = [award for award in hit.awards if f"A{award.number}" == name]
    refuse_if(not awards, Code.NO_SUCH_AWARD, f"award: H{hit.number} has no award {quoted(name)}")
    other = awards[0].status != status
    refuse_if(other, wrong, f"award: {name} is {awards[0].status}, not {status}")
    return awards


def _number(letter: str, name: str) -> int:
    digits = name[1:] if name[:1] == letter else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < DIGITS_MOST else 0


def _someone(people: People) -> None:
    refuse_if(not people.count(), Code.NO_PERSON, "by: someone must stand for this act")
