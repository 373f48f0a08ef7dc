"""Who is paid, and what holds it: a dispute, a large sum's tax form (A10). For the independent model."""

from __future__ import annotations

from tests.faults.model_acts import Acts
from tests.faults.model_facts import FINAL, PAID, PENDING, UNDONE, VALIDATED, Award, Hit, status_of
from tests.faults.model_floor import Map, Refused


class PaperActs(Acts):
    """Acts on hits whose payment asks for more than a validation."""

    def __init__(self) -> None:
        super().__init__()
        self.disputes = 0  # ever begun; the last one's number

    def waiting(self, hit: Hit) -> list[Award]:
        """Its awards that are yet to be paid."""
        return [award for award in hit.awards if award.status in (PENDING, VALIDATED)]

    def do_dispute(self, hit: str, people: int = 1) -> Map:
        """One of the floor holds its payment; not that of a hit of which nothing is to be paid."""
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

    def do_pay(
        self,
        hit: str | None = None,
        award: str | None = None,
        seat: int | None = None,
        people: int = 1,
        tax_form: str = "",
        tax_from: int | None = None,
    ) -> Map:
        """To one winner: by the award, by the seat, or by the hit where it has no other.

        tax_from: from how many cents on a seat's payment takes a form; None where the site says none.
        """
        found, awards = self.awards_of(hit, award)
        ready = self.payable(found, [one for one in awards if seat in (None, one.seat)])
        if not ready:
            raise Refused("nothing of it is validated, or only envy of a hand that is not")
        if award is None and seat is None and len(self.winners(found)) > 1:
            raise Refused("several_winners")
        if found.disputed:
            raise Refused("disputed")
        written = tax_form or ready[0].seat in found.forms
        if tax_from is not None and self.given(found, ready[0].seat) >= tax_from and not written:
            raise Refused("no_tax_form")
        if tax_form:
            found.forms.add(ready[0].seat)
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
    ) -> Map:
        """What is paid on top is a payment too: the winner has a form where it comes to the site's sum."""
        if people < 2:
            raise Refused("two people")
        found, (one, *_) = self.awards_of(None, award)
        more = amount - one.amount - one.difference
        large = tax_from is not None and more > 0 and self.given(found, one.seat) + more >= tax_from
        if large and one.status in (PAID, FINAL) and one.seat not in found.forms:
            raise Refused("no tax form")
        return self.correct_award(award, amount, document)

    def of_payment(self, kind: str, fields: Map) -> list[Award]:
        """What this payment would pay, or the paid award that it corrects; of other acts nothing."""
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

    def given(self, hit: Hit, seat: int) -> int:
        """What it gives one seat."""
        awards = [award for award in hit.awards if award.seat == seat and award.status != UNDONE]
        return sum(award.amount + award.difference for award in awards)

    def do_undo(self, hit: str | None = None, award: str | None = None, people: int = 1) -> Map:
        """With the last award of a hit that waits its dispute is over: there is nothing to hold."""
        answer = super().do_undo(hit, award, people)
        found, _ = self.awards_of(hit, award)
        if not self.waiting(found):
            found.disputed = 0
        return answer
