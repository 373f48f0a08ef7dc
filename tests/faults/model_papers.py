"""Payments, disputes, papers and tax forms, for the independent model (A10).

Readings, besides those of the model:
 1. A winner is a seat with an award that stands. A hit may be written on once an award of it is validated,
    paid or final: also a final one may be corrected to the sum that takes a form.
 2. What is written on one winner's papers stands there alone, what is written with no winner on those of all.
    A validation is about the hand, so it stands on those of all. Of a single winner all papers are its own.
 3. A patron, and a form by name and number, are of one winner. Half a form is none, and refused.
 4. The number of a form is given with a payment, or with the correction of what was paid, and is that
    winner's from then on. Before the payment there is no form: a number that comes with a correction then is
    nobody's. However it is written - case, blanks - it is one number.
 5. Seats count together whose papers name one patron, as people's names are compared. Two that each name one
    with a third are together with that one, and not with each other. Each takes a form of its own.
 6. What the site wants on all papers it wants for a payment, and not for a correction.
"""

from __future__ import annotations

from typing import Any

from tests.faults.model_acts import Acts
from tests.faults.model_facts import (
    FINAL,
    OF_ALL,
    PAID,
    PENDING,
    UNDONE,
    VALIDATED,
    Award,
    Hit,
    Papers,
    status_of,
)
from tests.faults.model_floor import Map, Refused, one_name


class PaperActs(Acts):
    """Acts on hits whose payment asks for more than a validation."""

    def __init__(self) -> None:
        super().__init__()
        self.disputes = 0  # ever begun; the last one's number

    def waiting(self, hit: Hit) -> list[Award]:
        """The hit's awards that are yet to be paid."""
        return [award for award in hit.awards if award.status in (PENDING, VALIDATED)]

    def do_dispute(self, hit: str, people: int = 1) -> Map:
        """A floorperson holds a hit's payment; refused where nothing of it is to be paid."""
        found, _ = self.awards_of(hit, None)
        if found.disputed or not self.waiting(found):
            raise Refused("disputed already, or nothing waits")
        self.disputes += 1
        found.disputed = self.disputes
        return self.answer()

    def do_lift(self, hit: str, dispute: int, people: int = 1) -> Map:
        """Two people end the dispute that they name, and no later one."""
        if people < 2:
            raise Refused("two people")
        found, _ = self.awards_of(hit, None)
        if not found.disputed or found.disputed != dispute:
            raise Refused("not disputed, or by another dispute")
        found.disputed = 0
        return self.answer()

    def do_validate(
        self,
        hit: str | None = None,
        award: str | None = None,
        people: int = 1,
        lamp: str = "",
        wrote: tuple[str, ...] = (),
    ) -> Map:
        """wrote: who was there, and the pictures."""
        answer = super().do_validate(hit, award, people, lamp)
        self.awards_of(hit, award)[0].papers[OF_ALL].things |= set(wrote)
        return answer

    def do_pay(
        self,
        hit: str | None = None,
        award: str | None = None,
        seat: int | None = None,
        people: int = 1,
        **paper: Any,
    ) -> Map:
        """Pays one winner: by the award, by the seat, or by the hit where it has no other.

        paper: its `document`, `patron`, `tax_form` and `tax_number`, which is there with the form if it is
        left out; `tax_from`, from how many cents on a seat's payment takes a form; `needs`, what the site
        wants on all papers.
        """
        found, awards = self.awards_of(hit, award)
        ready = self.payable(found, [one for one in awards if seat in (None, one.seat)])
        if not ready:
            raise Refused("nothing of it is validated, or only envy of a hand that is not")
        if award is None and seat is None and len(self.winners(found)) > 1:
            raise Refused("several_winners")
        if found.disputed:
            raise Refused("disputed")
        winner = ready[0].seat
        self.check_document(found, winner, paper.get("document"))
        then = self.with_written(found, winner, paper)
        if large(paper.get("tax_from"), self.given(found, winner, then.patrons)):
            self.check_form(then)
        if set(paper.get("needs", ())) - then.things - found.papers[OF_ALL].things:
            raise Refused("no_paper")
        found.papers[winner] = then
        for one in ready:
            one.status = PAID
        return self.answer([status_of(one, PAID) for one in ready])

    def do_correct(
        self,
        award: str,
        amount: int,
        document: str | None = None,
        people: int = 1,
        tax_from: int | None = None,
        way: str = "",
    ) -> Map:
        """Corrects an award; a payment on top takes a form where the winner's sum reaches the site's.

        way: how it is given, which counts where a country's law is looked at, and not here.
        """
        assert not way
        if people < 2:
            raise Refused("two people")
        found, (one, *_) = self.awards_of(None, award)
        papers = found.papers[one.seat]
        more = amount - one.amount - one.difference
        settled = one.status in (PAID, FINAL)
        if settled:
            self.check_document(found, one.seat, document)
        if settled and more > 0 and large(tax_from, self.given(found, one.seat, papers.patrons) + more):
            self.check_form(papers)
        answer = self.correct_award(award, amount, document)
        papers.documents |= {one_name(document)} if settled and document else set()
        return answer

    def do_add_papers(self, hit: str, seat: int | None = None, people: int = 1, **paper: Any) -> Map:
        """Something more on the papers of one winner, or of all.

        paper: `wrote`, who was there, and the pictures; the rest as of a payment.
        """
        found, _ = self.awards_of(hit, None)
        standing = [one for one in found.awards if one.status != UNDONE]
        if all(one.status == PENDING for one in standing):
            raise Refused("not_validated")
        seats = {one.seat for one in standing}
        if seat not in (None, *seats):
            raise Refused("no_such_award")
        if seat is None and len(seats) == 1:
            (seat,) = seats
        own = paper.get("patron") or paper.get("tax_form") or paper.get("tax_number")
        if seat is None and own:
            raise Refused("several_winners")
        whose = OF_ALL if seat is None else seat
        then = self.with_written(found, whose, paper)
        if not own and not paper.get("wrote"):
            raise Refused("nothing is added")
        found.papers[whose] = then
        return self.answer()

    def check_document(self, hit: Hit, seat: int, document: str | None) -> None:
        """No two winners of a hit share the number of a form."""
        others = [papers for other, papers in hit.papers.items() if other != seat]
        if document and any(one_name(document) in papers.documents for papers in others):
            raise Refused("document_used")

    def check_form(self, papers: Papers) -> None:
        if "tax_form" not in papers.things:
            raise Refused("no_tax_form")

    def with_written(self, hit: Hit, whose: int, paper: Map) -> Papers:
        """The papers with the new entries added."""
        form = paper.get("tax_form", "")
        if bool(form) != bool(paper.get("tax_number", form)):
            raise Refused("no_tax_form")
        patron, document = paper.get("patron"), paper.get("document")
        things = {*paper.get("wrote", ()), *(["patron"] if patron else ()), *(["tax_form"] if form else ())}
        before = hit.papers[whose]
        return Papers(
            before.things | things,
            before.patrons | ({one_name(patron)} if patron else set()),
            before.documents | ({one_name(document)} if document else set()),
        )

    def of_payment(self, kind: str, fields: Map) -> list[Award]:
        """The awards that this payment would pay, or the paid one that it corrects; else none."""
        award: str | None = fields.get("award")
        name = fields.get("hit") or (award or "").split(".")[0]
        if kind not in ("pay", "correct") or name not in self.hits_made:
            return []
        found, awards = self.awards_of(name, award)
        if kind == "correct":
            return [one for one in awards if one.status in (PAID, FINAL)]
        return self.payable(found, [one for one in awards if fields.get("seat") in (None, one.seat)])

    def winners(self, hit: Hit) -> set[int]:
        """The seats that it pays, or has paid, by people's hands."""
        return {award.seat for award in hit.awards if award.status not in (UNDONE, FINAL)}

    def given(self, hit: Hit, seat: int, patrons: set[str]) -> int:
        """The sum that it gives one seat, with those whose papers name the same patron."""
        seats = {seat, *(other for other, papers in hit.papers.items() if papers.patrons & patrons)}
        awards = [award for award in hit.awards if award.seat in seats and award.status != UNDONE]
        return sum(award.amount + award.difference for award in awards)

    def do_undo(self, hit: str | None = None, award: str | None = None, people: int = 1) -> Map:
        """Undoes it; a dispute ends with the last waiting award of its hit."""
        answer = super().do_undo(hit, award, people)
        found, _ = self.awards_of(hit, award)
        if not self.waiting(found):
            found.disputed = 0
        return answer


def large(tax_from: int | None, cents: int) -> bool:
    """Whether so much takes a form. tax_from: None where the site says none."""
    return tax_from is not None and cents >= tax_from
