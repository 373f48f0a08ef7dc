"""What holds a payment, for the independent model: a dispute, and a large sum's tax form (A10)."""

from __future__ import annotations

from tests.faults.model_acts import Acts
from tests.faults.model_facts import FINAL, PAID, PENDING, VALIDATED, Award, Hit
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
        people: int = 1,
        tax_form: str = "",
        tax_from: int | None = None,
    ) -> Map:
        """tax_from: from how many cents on a seat's payment takes a form; None where the site says none."""
        found, awards = self.awards_of(hit, award)
        if found.disputed:
            raise Refused("disputed")
        ready = self.payable(found, awards)
        large = {
            one.seat for one in ready if tax_from is not None and self.given(ready, one.seat) >= tax_from
        }
        if len(large) > 1 or (large and not tax_form):
            raise Refused("no tax form, or one for several seats")
        return super().do_pay(hit, award)

    def do_correct(
        self,
        award: str,
        amount: int,
        document: str | None = None,
        people: int = 1,
        tax_form: str = "",
        tax_from: int | None = None,
    ) -> Map:
        """What is paid on top is a payment too: a form where it brings the award to the site's sum."""
        if people < 2:
            raise Refused("two people")
        _, (one, *_) = self.awards_of(None, award)
        before = one.amount + one.difference
        large = tax_from is not None and before < tax_from <= amount
        if large and one.status in (PAID, FINAL) and not tax_form:
            raise Refused("no tax form")
        return self.correct_award(award, amount, document)

    def given(self, awards: list[Award], seat: int) -> int:
        """What these awards come to for one seat."""
        return sum(award.amount for award in awards if award.seat == seat)

    def do_undo(self, hit: str | None = None, award: str | None = None, people: int = 1) -> Map:
        """With the last award of a hit that waits its dispute is over: there is nothing to hold."""
        answer = super().do_undo(hit, award, people)
        found, _ = self.awards_of(hit, award)
        if not self.waiting(found):
            found.disputed = 0
        return answer
