"""Validation, payment, undo and correction of a hit's awards (A10, A11).

What people write on a payout form lies next to the journal where it names somebody, so that it can be erased.
The journal has its digest (`paper`), and in plain words what names nobody.
"""

from collections.abc import Iterable
from typing import ClassVar, Final, Literal, Protocol

from msgspec.structs import replace

from controllers.messages import Seat
from jackpot.rules import outgoing_messages
from jackpot.rules.acts import payout_details, payout_tax
from jackpot.rules.acts.act import CAGE, FLOOR, FLOOR_OR_CAGE, Act, ActContext
from jackpot.rules.acts.fields import (
    AwardId,
    BasisPoints,
    Cents,
    Document,
    Fact,
    HitId,
    LampSeen,
    Paper,
    PaperField,
    Payee,
    Reason,
    Way,
    Witnesses,
)
from jackpot.rules.acts.payout_details import winners
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Change, Effects
from jackpot.rules.events import Event, Recomputed
from jackpot.rules.former_numbers import refuse_former
from jackpot.rules.invariant import require
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery, unpaid
from jackpot.rules.rounds.apply import end_dispute, mark_decided, recomputed_changes, retire
from jackpot.rules.rounds.final_awards import takes_two
from jackpot.rules.rounds.recompute import correct, mark_undone, with_correction, without_awards
from jackpot.rules.rounds.undo import is_whole
from jackpot.rules.signing import People, Role
from jackpot.rules.state import PAID_KEPT, UNPAID, Award, BankState, Hit, Level
from jackpot.rules.tax import Payee as TaxPayee
from jackpot.rules.tax import TaxDue, TaxTerms, Winnings, due

# No award is corrected to more than a billion: a slip of the hand, and 64 bits hold a level's sums.
AWARD_MAX: Final = 100_000_000_000


# Hits and awards are numbered one by one: no number is as long as this.
DIGITS_MAX: Final = 20


class Validate(ActCommand, tag="validate", frozen=True):
    """A floorperson validates a hit, or one of its awards (A10).

    surveillance: the reference of its pictures. paper: the digest of who was there. on_paper: what it names.
    lamp: what the lamps of its awards show, as the floorperson saw them (P3).
    """

    hit: HitId
    award: AwardId | None = None
    surveillance: Fact = ""
    paper: Paper = b""
    on_paper: Witnesses = ()
    lamp: LampSeen = ""


class Validated(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 10
    hit: int
    awards: list[int]
    people: People
    surveillance: str = ""
    paper: bytes = b""
    on_paper: Witnesses = ()
    lamp: LampSeen = ""


def decide_validate(state: BankState, command: Validate, by: ActContext) -> Validated:
    """Validates a hand, with all its awards that wait; later an envy bonus alone (A10).

    Where its table says that a lamp of them failed, the floorperson says what it shows (P3).
    """
    hit = find_hit(state, command.hit)
    chosen = _awards_named(hit, command.award, "pending")
    early = _shares_later(state, hit)
    if command.award is None or chosen[0].kind != "envy":
        chosen = _awards_named(hit, None, "pending")
    else:
        own = [award.status for award in hit.awards if award.kind != "envy" and award.stands()]
        early = early or not own or "pending" in own
    refuse_if(early, "envy_waits_for_hand")
    payout_details.check_paper(command.paper, command.on_paper, "")
    numbers = [award.number for award in chosen]
    for award in chosen:
        failed = award.lamp == "lamp_failed" and not command.lamp
        refuse_if(failed, "lamp_not_seen", award=award.number)
    facts_ = command.surveillance, command.paper, command.on_paper, command.lamp
    return Validated(hit.number, numbers, by.people, *facts_)


def apply_validated(effects: Effects, event: Validated) -> None:
    """Validates the awards; envy bonuses with their hand (A10)."""
    hit = effects.state.hits[event.hit]
    for award in _chosen(hit, event.awards):
        unpaid.change(effects.state, award, "validated")
    payout_details.write(
        hit, payout_details.ALL, payout_details.fields_of(event.on_paper, event.surveillance)
    )
    hit.written = effects.at if event.paper else hit.written
    _push_status(effects, hit, event.awards, "validated")


class Pay(ActCommand, tag="pay", frozen=True):
    """The documentation is complete: one winner of a validated hit, or one award, is paid (A10, T11).

    seat: the winner's; a hit with one winner needs none. document: of the payment, its number. tax_form: what
    it is called. tax_from: the site's sum from which a payment takes one, in cents, None where none does.
    needs: what the site wants on the papers of every payment. on_paper: what this one's paper names.
    same_patron: winners of the hit whose papers name the same one, as the server reads them. tax: the figures
    of the law of the site's country, which then decides in place of `tax_from`. withheld: in cents, as the
    cashier says it. nonresident, treaty_rate, treaty_form: as in `tax.Payee`, with the form that claims the
    treaty. way: how the money is given. other_way: how a part of it is given instead, other_sum, in cents.
    cash_before: what the patron was given in cash in this gaming day, in cents, as the server reads it; None
    where the papers name no patron.
    """

    hit: HitId
    award: AwardId | None = None
    document: Document = ""
    tax_form: Fact = ""
    tax_from: int | None = None
    paper: Paper = b""
    seat: Seat | None = None
    needs: tuple[PaperField, ...] = ()
    on_paper: Payee = ()
    same_patron: tuple[Seat, ...] = ()
    tax: TaxTerms | None = None
    withheld: Cents | None = None
    nonresident: bool = False
    treaty_rate: BasisPoints | None = None
    treaty_form: Fact = ""
    way: Way = ""
    cash_before: Cents | None = None
    other_way: Way = ""
    other_sum: Cents = 0


class Paid(Event, frozen=True, array_like=True):
    """Awards were paid. awards: of one seat, who is the winner.

    The meter was debited the whole sum; what was withheld of it is in the winner's papers and here, and in no
    account. paid: with what was withheld of it. Where the site has taxes: form: that was due, "" for none.
    rate: at which was withheld, in basis points. wager, winnings: by which that was decided. Sums in cents.
    """

    kind: ClassVar[int] = 11
    hit: int
    awards: list[int]
    people: People
    document: str = ""
    tax_form: str = ""
    tax_from: int | None = None
    paper: bytes = b""
    needs: tuple[PaperField, ...] = ()
    on_paper: Payee = ()
    same_patron: tuple[Seat, ...] = ()
    tax: TaxTerms | None = None
    withheld: int = 0
    nonresident: bool = False
    treaty_rate: int | None = None
    treaty_form: str = ""
    way: Way = ""
    cash_before: int | None = None
    form: str = ""
    rate: int = 0
    wager: int = 0
    winnings: int = 0
    paid: int = 0
    other_way: Way = ""
    other_sum: int = 0


class Paying(Protocol):
    """An award, from the state or as a query gives it."""

    @property
    def pays(self) -> str: ...


def payments(hit: Hit, document: str) -> list[Pay]:
    """The payments that pay a validated hit whole, where papers do not matter: one per winner."""
    return [Pay(f"H{hit.number}", document=f"{document}-{seat}", seat=seat) for seat in winners(hit.awards)]


def payers(awards: Iterable[Paying]) -> tuple[Role, ...]:
    """The roles that may pay these awards: only the cage if it pays one of them, a part of a meter (A8)."""
    return CAGE if any(award.pays == "cage" for award in awards) else FLOOR_OR_CAGE


def who_pays(state: BankState, command: Pay) -> tuple[Role, ...]:
    """The roles that may pay the validated awards named: of the hit, of the seat, or one award (A8)."""
    hit = state.hits.get(number_of("H", command.hit))
    return payers(
        award
        for award in (hit.awards if hit is not None else ())
        if award.status == "validated"
        and command.seat in (None, award.seat)
        and command.award in (None, f"A{award.number}")
    )


def decide_pay(state: BankState, command: Pay, by: ActContext) -> Paid:
    """Pays one winner, whose documentation is complete (A10, T11)."""
    hit = find_hit(state, command.hit)
    awards = _payable(state, hit, command)
    unnamed = command.seat is None and command.award is None and len(winners(hit.awards)) > 1
    refuse_if(unnamed, "several_winners_paid", hit=hit.number, seats=winners(hit.awards))
    refuse_if(not command.document, "document_missing")
    held = hit.number in state.disputed
    refuse_if(held, "hit_in_dispute", hit=hit.number)
    _check_papers(hit, awards[0].seat, command)
    won, taxed = _taxed(state, hit, awards, command)
    parts = command.way, command.other_way, command.other_sum
    payout_tax.check_other_way(*parts, command.on_paper, won.now - taxed.withheld)
    numbers = sorted(award.number for award in awards)
    return Paid(
        hit.number,
        numbers,
        by.people,
        document=command.document,
        tax_form=command.tax_form,
        tax_from=command.tax_from,
        paper=command.paper,
        needs=command.needs,
        on_paper=command.on_paper,
        same_patron=command.same_patron,
        tax=command.tax,
        withheld=taxed.withheld,
        nonresident=command.nonresident,
        treaty_rate=command.treaty_rate,
        treaty_form=command.treaty_form,
        way=command.way,
        cash_before=command.cash_before,
        form=taxed.form,
        rate=taxed.rate,
        wager=won.wager,
        winnings=won.total,
        paid=won.now,
        other_way=command.other_way,
        other_sum=command.other_sum,
    )


def _payable(state: BankState, hit: Hit, command: Pay) -> list[Award]:
    """The awards that a payment names, without envy whose hand waits; refused if none is left."""
    awards = _awards_named(hit, command.award, "validated", command.seat)
    if _shares_later(state, hit) or any(it.kind != "envy" and it.status == "pending" for it in hit.awards):
        awards = [award for award in awards if award.kind != "envy"]
    refuse_if(not awards, "envy_waits_for_hand")
    return awards


def _taxed(state: BankState, hit: Hit, awards: list[Award], command: Pay) -> tuple[Winnings, TaxDue]:
    """What the law takes of a payment; nothing where the site's country has no taxes here. Raises Refusal."""
    if (terms := command.tax) is None:
        return Winnings(0, 0, 0, to_cents(sum(award.worth() for award in awards)), 0), TaxDue("", 0, 0)
    seat = awards[0].seat
    won = payout_tax.of_payment(state, hit, awards)
    before = payout_details.payee_of(hit, seat, command.on_paper)
    found = due(terms, won, TaxPayee(before.numbered, command.nonresident, command.treaty_rate))
    there = payout_details.fields_on_papers(hit, seat) | payout_details.fields_of(
        command.on_paper, tax_form=command.tax_form
    )
    payout_tax.check_form(found, won, hit, seat, command.tax_form)
    payout_tax.check_treaty(command.treaty_rate, numbered=before.numbered)
    payout_tax.check_paid(terms, found, there, command.way, command.withheld)
    return won, found


def _check_papers(hit: Hit, seat: int, command: Pay) -> None:
    """Refuses a payment whose papers are another winner's, or lack the tax form or required fields."""
    payout_details.check_paper(command.paper, command.on_paper, command.tax_form)
    payout_tax.check_way(command.way, command.on_paper)
    payout_tax.check_payee(
        command.tax,
        nonresident=command.nonresident,
        treaty_rate=command.treaty_rate,
        treaty_form=command.treaty_form,
        withheld=command.withheld,
    )
    payout_details.check_document(hit, seat, command.document)
    if command.tax_from is not None and not command.tax_form:
        payout_details.check_tax_form(hit, seat, command.tax_from, same=command.same_patron)
    there = payout_details.fields_on_papers(hit, seat) | payout_details.fields_of(
        command.on_paper, tax_form=command.tax_form
    )
    there |= {"way"} if command.way else set()
    for name in command.needs:
        refuse_if(name not in there, "paper_missing", field=name)


def apply_paid(effects: Effects, event: Paid) -> None:
    """Pays awards; the table's cards are free once its cage awards are documented (T11)."""
    hit = effects.state.hits[event.hit]
    paid = _chosen(hit, event.awards)
    fields = payout_details.fields_of(event.on_paper, tax_form=event.tax_form)
    for seat in winners(paid):
        payout_details.write(hit, seat, fields, event.document, event.same_patron, event.tax_form)
        if event.tax is not None:
            payee = TaxPayee(False, event.nonresident, event.treaty_rate)
            payout_tax.write(hit, seat, payee, event.withheld)
    for award in paid:
        unpaid.change(effects.state, award, "paid")
        if award.level:
            history = _level(effects, award).history
            for share in history.shares():
                share.paid = share.paid or share.award == award.number
    hit.written = effects.at if event.paper else hit.written
    _push_status(effects, hit, event.awards, "paid")
    _finish(effects, hit)


class Undo(ActCommand, tag="undo", frozen=True):
    """A hit, or one award or share of it, is undone (A11)."""

    hit: HitId
    reason: Reason
    award: AwardId | None = None


class Undone(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 12
    hit: int
    awards: list[int]
    reason: str
    recomputed: Recomputed
    people: People


def decide_undo(state: BankState, command: Undo, by: ActContext) -> Undone:
    """Undoes a hit, or one award or share of it, as if it had not been made (A11)."""
    hit = find_hit(state, command.hit)
    awards = _undoable(hit, command.award)
    refuse_if(not awards, "undo_finds_no_award", hit=command.hit)
    round_ = state.table(hit.table).find(hit.round)
    unfinished = round_ is not None and hit.number in round_.hits
    for award in awards:
        paid = award.status == "paid"
        refuse_if(paid, "award_is_paid", award=award.number)
        final = award.status == "final" and not unfinished
        refuse_if(final, "award_is_final", award=award.number)
        there = award.number in hit.credited
        refuse_if(there, "award_is_credited", award=award.number)
    numbers = sorted(award.number for award in awards)
    return Undone(hit.number, numbers, command.reason, without_awards(state, awards), by.people)


def undoes_before_others(state: BankState, command: Undo, _at: int) -> str:
    """Why two people undo it: an award of its level was made later, or many were final at once (A11, B15).

    Of a mystery level two people always do (Y4).
    """
    hit = find_hit(state, command.hit)
    awards = _undoable(hit, command.award)
    if any(mystery.is_mystery(state, award) for award in awards):
        return "why_mystery_undone"
    numbers = {award.number for award in awards}
    round_ = state.table(hit.table).find(hit.round)
    if round_ is not None and takes_two(state, round_, numbers):
        return "why_final_undone"
    later = any(
        state.link(award.link).levels[award.level - 1].history.has_later(numbers)
        for award in awards
        if award.level
    )
    return "why_later_award" if later else ""


def can_undo(state: BankState, hit: Hit) -> bool:
    """Whether the hit may be undone whole: a final award in its unfinished round alone, a paid one never."""
    round_ = state.table(hit.table).find(hit.round)
    unfinished = round_ is not None and hit.number in round_.hits
    awards = _undoable(hit, None)
    ended = ("paid",) if unfinished else ("paid", "final")
    return hit.number in state.hits and bool(awards) and all(award.status not in ended for award in awards)


def _undoable(hit: Hit, name: str | None) -> list[Award]:
    return [award for award in hit.awards if award.stands() and name in (None, f"A{award.number}")]


def apply_undone(effects: Effects, event: Undone) -> None:
    """Changes the state to what it would be without the awards; later ones may be raised (A11)."""
    state = effects.state
    hit = state.hits[event.hit]
    gone = _chosen(hit, event.awards)
    for award in gone:
        unpaid.change(state, award, "undone")
        link = state.link(award.link)
        link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) - award.worth()
    for level in _levels(effects, gone):
        _undo_on(level, hit, gone)
    for award in gone:
        if mystery.is_mystery(state, award):
            mystery.apply_undone(state, award)
    recomputed_changes(effects, event.recomputed)
    _push_status(effects, hit, event.awards, "undone")
    _finish(effects, hit)


def _undo_on(level: Level, hit: Hit, undone_awards: list[Award]) -> None:
    """Removes the awards from the level's history and its counts (S1); joins the cycle (L10)."""
    numbers = {award.number for award in undone_awards if award.level == level.number}
    mark_undone(level.history, numbers)
    amount = sum(award.amount for award in undone_awards if award.number in numbers)
    level.wins -= amount
    for shown in level.shown:
        if shown.hit == hit.number:
            shown.amount -= amount
    if any(award.level == level.number and award.stands() for award in hit.awards):
        return
    level.hits -= 1
    level.undone_hits += 1
    level.shown = [shown for shown in level.shown if shown.hit != hit.number]
    for point in level.history.points:
        take = point.take
        if take is None or not is_whole(take.rate):
            continue
        mine = any(share.award in numbers for share in take.shares)
        if mine and all(share.undone for share in take.shares):
            level.joined.append((hit.cycle, level.cycle))


class Correct(ActCommand, tag="correct", frozen=True):
    """An award comes to another sum (A10), in cents; two people. document: a must where it is paid.

    tax_from, tax, way, cash_before: as in `Pay`. What is paid on top takes a form that stands on the winner's
    papers, and its document is the number of slip, cheque or account.
    """

    award: AwardId
    amount: Cents
    reason: Reason
    document: Document = ""
    tax_from: int | None = None
    tax: TaxTerms | None = None
    way: Way = ""
    cash_before: Cents | None = None


class Corrected(Event, frozen=True, array_like=True):
    """An award was corrected. amount: micro-dollars, what the award comes to now.

    Where it was paid before, the difference is journalled against it, under a document's number. withheld,
    form, rate, wager, winnings, paid, way, cash_before: of what is paid on top, as in `Paid`.
    """

    kind: ClassVar[int] = 13
    hit: int
    award: int
    amount: int
    reason: str
    recomputed: Recomputed
    people: People
    document: str = ""
    tax_from: int | None = None
    tax: TaxTerms | None = None
    withheld: int = 0
    form: str = ""
    rate: int = 0
    wager: int = 0
    winnings: int = 0
    paid: int = 0
    way: Way = ""
    cash_before: int | None = None


def ways(event: Paid | Corrected) -> dict[Way, int]:
    """How a payment was given: by way, the part of it, in cents; "" where nobody said it."""
    given, other = event.paid - event.withheld, event.other_sum if isinstance(event, Paid) else 0
    first: dict[Way, int] = {event.way: given - other}
    return first | {event.other_way: other} if isinstance(event, Paid) and other else first


def cash(event: Paid | Corrected) -> int:
    """What a payment gave in cash, in cents."""
    return ways(event).get("cash", 0)


def cash_of_day(event: Paid | Corrected) -> int:
    """What a patron was given in cash in the gaming day, with this payment; it alone where none is named."""
    return (event.cash_before or 0) + cash(event) if cash(event) else 0


def over_in_cash(event: Paid | Corrected) -> bool:
    """Whether that is more than goes without a report."""
    return event.tax is not None and cash_of_day(event) > event.tax.cash_over


def who_corrects(state: BankState, command: Correct) -> tuple[Role, ...]:
    """The roles that may correct an award: only the cage if that changes its payment (A8, A10)."""
    award = find_award(state, command.award)
    return payers([award] if award is not None and award.settled() else [])


def payers_of(state: BankState, name: str) -> tuple[Role, ...]:
    """The roles that pay an award, or have paid it (A8)."""
    award = find_award(state, name)
    return payers([] if award is None else [award])


def decide_correct(state: BankState, command: Correct, by: ActContext) -> Corrected:
    """Corrects an award; the meter, or the house, takes the difference now (A10)."""
    if (award := find_award(state, command.award)) is None:
        refuse_former(state, "A", number_of("A", command.award))
        raise Refusal("award_unknown", award=command.award, count=PAID_KEPT)
    refuse_if(not award.stands(), "award_undone", award=command.award)
    paper = award.settled() and not command.document
    refuse_if(paper, "document_of_difference", award=command.award, status=award.status)
    bad = not 0 <= command.amount <= AWARD_MAX
    refuse_if(bad, "amount_out_of_range", most=AWARD_MAX)
    amount = from_cents(command.amount)
    more = amount - award.worth()
    won, taxed = Winnings(0, 0, 0, 0, 0), TaxDue("", 0, 0)
    if award.settled():
        hit = _kept_hit(state, award.hit)
        payout_details.check_document(hit, award.seat, command.document)
        if command.tax_from is not None and more > 0:
            payout_details.check_tax_form(hit, award.seat, command.tax_from, more)
        if command.tax is not None and more > 0:
            won = payout_tax.of_correction(state, hit, award.seat, more)
            payee = payout_details.payee_of(hit, award.seat)
            payout_tax.check_treaty(payee.treaty_rate, numbered=payee.numbered)
            taxed = due(command.tax, won, payee)
            there = payout_details.fields_on_papers(hit, award.seat)
            payout_tax.check_form(taxed, won, hit, award.seat)
            payout_tax.check_needs(command.tax, taxed, there, command.way)
    recomputed = with_correction(state, award, more)
    return Corrected(
        award.hit,
        award.number,
        amount,
        command.reason,
        recomputed,
        by.people,
        document=command.document,
        tax_from=command.tax_from,
        tax=command.tax,
        withheld=taxed.withheld,
        form=taxed.form,
        rate=taxed.rate,
        wager=won.wager,
        winnings=won.total,
        paid=won.now,
        way=command.way,
        cash_before=command.cash_before,
    )


def apply_corrected(effects: Effects, event: Corrected) -> None:
    """Corrects an award, which waits for its validation again; a paid one stays as it is (A10)."""
    state = effects.state
    hit = _kept_hit(state, event.hit)
    award = _chosen(hit, [event.award])[0]
    effects.hits.add(hit.number)
    link = state.link(award.link)
    more = event.amount - award.worth()
    if award.level:
        level = _level(effects, award)
        if link.terms.mystery:
            mystery.apply_corrected(state, award, more)
        else:
            correct(level.history, effects.seq, award, more)
        level.wins += more
    link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) + more
    recomputed_changes(effects, event.recomputed)
    if award.settled():
        award.difference += more
        if (waits := state.uncredited.get(award.number)) is not None:
            state.uncredited[award.number] = replace(waits, amount=award.worth())
        payout_details.write(hit, award.seat, (), event.document)
        if event.withheld:
            payout_tax.write(hit, award.seat, payout_details.payee_of(hit, award.seat), event.withheld)
        effects.told.difference = to_cents(more)
        for one in [one for one in state.left if one.award == award.number and more > 0]:
            mark_decided(effects, one, min(more, one.amount))
    else:
        unpaid.change(state, award, "pending", event.amount)
        for shown in _level(effects, award).shown if award.level else ():
            shown.amount += more if shown.hit == hit.number else 0
        effects.awarded.add(award.link)
        effects.tell_table(state.table(hit.table), outgoing_messages.award_push(state, award))
    effects.told.hit = f"H{hit.number}"
    _tell_awards(effects, [award])


def find_hit(state: BankState, name: str) -> Hit:
    """The hit of that id; refused as `no_such_hit`."""
    hit = state.hits.get(number_of("H", name))
    if hit is None:
        refuse_former(state, "H", number_of("H", name))
        raise Refusal("hit_not_open", hit=name)
    return hit


def _kept_hit(state: BankState, number: int) -> Hit:
    """A hit that the state holds, settled or not."""
    return require(state.hit(number), f"hit {number} is not kept")


def find_award(state: BankState, name: str) -> Award | None:
    """The award of that id, where the state holds its hit, settled or not."""
    number = number_of("A", name)
    kept = (state.hits, state.paid, *(table.paid for table in state.tables))
    hits = (hit for group in kept for hit in group.values())
    return next((award for hit in hits for award in hit.awards if award.number == number), None)


def _awards_named(
    hit: Hit, name: str | None, status: Literal["pending", "validated"], seat: int | None = None
) -> list[Award]:
    """The hit's awards of that status: all, those of the seat, or the one named; refused if none."""
    number, whose = hit.number, {} if seat is None else {"seat": seat}
    theirs = [award for award in hit.awards if seat in (None, award.seat)]
    if not theirs:
        raise Refusal("hit_has_no_award_of_seat" if whose else "hit_has_no_award", hit=number, **whose)
    if name is None:
        awards = [award for award in theirs if award.status == status]
        if not awards:
            raise Refusal(f"{'seat' if whose else 'hit'}_has_nothing_{status}", hit=number, **whose)
        return awards
    awards = [award for award in theirs if f"A{award.number}" == name]
    if not awards:
        raise Refusal("award_not_of_seat" if whose else "award_not_of_hit", hit=number, award=name, **whose)
    other = awards[0].status != status
    refuse_if(other, f"award_not_{status}", award=name, status=awards[0].status)
    return awards


def number_of(letter: str, name: str) -> int:
    """The number in an id; 0, which is never used, where the text is no id."""
    digits = name[1:] if name[:1] == letter else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < DIGITS_MAX else 0


def _shares_later(state: BankState, hit: Hit) -> bool:
    """Whether the hand's own award is made only when the round closes (T5)."""
    round_ = state.table(hit.table).find(hit.round)
    return round_ is not None and any(sharer.hit == hit.number for sharer in round_.sharers)


def _chosen(hit: Hit, numbers: list[int]) -> list[Award]:
    return [award for award in hit.awards if award.number in numbers]


def _level(effects: Effects, award: Award) -> Level:
    return effects.state.link(award.link).levels[award.level - 1]


def _levels(effects: Effects, awards: list[Award]) -> list[Level]:
    keys = sorted({(award.link, award.level) for award in awards if award.level})
    return [effects.state.link(link).levels[level - 1] for link, level in keys]


def _push_status(effects: Effects, hit: Hit, awards: list[int], status: Change) -> None:
    """Pushes the status of each award, and of the hit once all its standing awards have it."""
    whole = all(award.status == status for award in hit.awards if award.stands())
    for award in _chosen(hit, awards):
        effects.tell_status(hit, status, award)
    if whole:
        effects.tell_status(hit, status)
    effects.told.hit = f"H{hit.number}"
    _tell_awards(effects, _chosen(hit, awards))


def _tell_awards(effects: Effects, awards: list[Award]) -> None:
    """Adds these awards to the answer, each with what was journalled against it once it was paid (A10)."""
    effects.told.awards = tuple(outgoing_messages.award_facts(effects.state, award) for award in awards)
    effects.told.differences = {
        f"A{award.number}": to_cents(award.difference) for award in awards if award.difference
    }


def _finish(effects: Effects, hit: Hit) -> None:
    """Frees the table's cards, and drops the hit, once nothing of it is left to do."""
    if not any(award.status in UNPAID for award in hit.awards):
        end_dispute(effects.state, hit.number)
    table = effects.state.table(hit.table)
    cage = [award for award in hit.awards if award.pays == "cage"]
    if hit.number in table.held and all(award.status in ("paid", "undone") for award in cage):
        table.held.remove(hit.number)
        effects.tell_status(hit, "released")
    rounds = (table.round, table.closed)
    reopenable = any(round_ is not None and hit.number in round_.hits for round_ in rounds)
    if not reopenable:
        retire(effects, hit.number)


ACTS: Final = (
    Act(
        Validate,
        decide_validate,
        {Validated: apply_validated},
        power=FLOOR,
    ),
    Act(
        Pay,
        decide_pay,
        {Paid: apply_paid},
        power=FLOOR_OR_CAGE,
        narrower=who_pays,
    ),
    Act(
        Undo,
        decide_undo,
        {Undone: apply_undone},
        asked=True,
        power=FLOOR,
        needs_two=undoes_before_others,
    ),
    Act(
        Correct,
        decide_correct,
        {Corrected: apply_corrected},
        power=FLOOR_OR_CAGE,
        narrower=who_corrects,
        needs_two="why_award_corrected",
    ),
)
