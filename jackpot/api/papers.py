"""Payout papers: personal data of payouts, kept next to the journal for the site's retention period."""

from typing import Any, cast

from jackpot.api.operation import BadRequest
from jackpot.api.queries import payouts
from jackpot.api.queries.payouts import Payout
from jackpot.auth.auth_service import SecretStore
from jackpot.catalogue.figures import parse_rate
from jackpot.clock import Clock
from jackpot.config import Site
from jackpot.ledger import papers
from jackpot.rules.acts.fields import Payee
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.papers import AddPapers
from jackpot.text import RefusalSentence


class Papers:
    """Keeps payout papers. store: of the ledger that they lie in."""

    def __init__(self, store: SecretStore, clock: Clock, site: Site) -> None:
        self._store = store
        self._clock = clock
        self._site = site

    async def keep(self, payout: Payout, request: bytes) -> bytes:
        """Keeps what names somebody; returns its digest, empty if there is nothing.

        request: the digest of the request, so that it is kept once. Raises NotDone, LedgerError.
        """
        facts = payout.papers()
        if not facts:
            return b""
        ((mark,),) = await self._store.change(papers.keep(facts, request, self._clock.unix_ms()))
        return bytes(mark)

    def act(
        self, payout: Payout, mark: bytes, same_patron: tuple[int, ...], cash_before: int | None = None
    ) -> Validate | Pay | AddPapers:
        """The act that the rules decide. Raises BadRequest.

        same_patron: the hit's winners whose papers name the same patron. cash_before: what that patron was
        given in cash in this gaming day, in cents; None where nobody is named.
        """
        named: Any = tuple(payout.papers())  # of its own fields, and of no others
        match payout:
            case payouts.Validate(hit=hit, award=award, surveillance=surveillance, lamp=lamp):
                return Validate(hit, award, surveillance, mark, named, lamp)
            case payouts.Pay():
                return self._pay(payout, mark, same_patron, cash_before)
            case payouts.AddPapers(hit=hit, reason=reason, seat=seat, surveillance=pictures, tax_form=form):
                return AddPapers(hit, reason, pictures, form, mark, seat, named, same_patron)
        raise BadRequest(RefusalSentence("{name} is no payout", name=type(payout).__name__))

    def _pay(
        self, payout: payouts.Pay, mark: bytes, same_patron: tuple[int, ...], cash_before: int | None
    ) -> Pay:
        """A payment, by the law of the site's country as it is now.

        Where only one form can be due, it is named. Raises BadRequest.
        """
        site, named = self._site, tuple(payout.papers())
        tax = site.tax_terms(self._clock.unix_ms())
        form, treaty_form = payout.tax_form, payout.treaty_form
        if tax is not None and payout.tax_number and not form:
            form = tax.foreign_form if payout.nonresident else tax.form
        if site.tax is not None and payout.treaty_rate and not treaty_form:
            treaty_form = site.tax.treaty_form
        return Pay(
            payout.hit,
            payout.award,
            payout.document,
            tax_form=form,
            tax_from=site.plain_tax_from,
            paper=mark,
            seat=payout.seat,
            needs=site.payout_needs,
            on_paper=cast("Payee", named),
            same_patron=same_patron,
            tax=tax,
            withheld=payout.withheld,
            nonresident=payout.nonresident,
            treaty_rate=_basis_points(payout.treaty_rate),
            treaty_form=treaty_form,
            way=payout.way,
            other_way=payout.other_way,
            other_sum=payout.other_sum,
            cash_before=cash_before if tax is not None else None,
        )

    async def drop(self, mark: bytes) -> None:
        """Drops the row with this digest: its act was refused."""
        await self._store.change(papers.drop(mark))


def _basis_points(rate: str) -> int | None:
    """The rate of a treaty; None where none is given. Raises BadRequest."""
    try:
        return parse_rate(f"{rate.removesuffix('%')}%") if rate else None
    except ValueError as error:
        raise BadRequest(RefusalSentence("{error}", field="treaty_rate", error=str(error))) from error
