"""Where is what people write on a payout's papers? Next to the journal, for as long as the site says."""

from collections.abc import Iterable

from jackpot.clock import Clock
from jackpot.config import Site
from jackpot.ledger import papers
from jackpot.rules.acts.fields import PaperField
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.papers import AddPapers
from jackpot.rules.codes import Code
from jackpot.server.asks import payouts
from jackpot.server.asks.ask import BadRequest, NotDone
from jackpot.server.asks.payouts import Payout
from jackpot.server.people import Keeper


class Papers:
    """Keeps papers, and erases them. store: of the ledger that they lie in."""

    def __init__(self, store: Keeper, clock: Clock, site: Site) -> None:
        self._store = store
        self._clock = clock
        self._site = site

    async def keep(self, payout: Payout, request: bytes) -> bytes:
        """Keeps what names somebody: its mark, empty where nothing does.

        request: the digest of what was asked, so that it is kept once. Raises NotDone, LedgerError.
        """
        if isinstance(payout, payouts.Pay | payouts.AddPapers):
            _check(payout)
        facts = payout.papers()
        if not facts:
            return b""
        ((mark,),) = await self._store.change(papers.keep(facts, request, self._clock.unix_ms()))
        return bytes(mark)

    def act(self, payout: Payout, mark: bytes, before: Iterable[PaperField]) -> Validate | Pay | AddPapers:
        """What the rules decide. before: what stands on the papers of all winners of the hit."""
        match payout:
            case payouts.Validate(hit=hit, award=award, surveillance=surveillance):
                return Validate(hit, award, surveillance, mark)
            case payouts.Pay(hit=hit, award=award, seat=seat, document=document, tax_form=form):
                needs = self._site.payout_needs
                known = {*before, *(name for name in needs if getattr(payout, name, ""))}
                filled = tuple(name for name in needs if name in known)
                return Pay(hit, award, document, form, self._site.tax_form_from, mark, seat, needs, filled)
            case payouts.AddPapers(hit=hit, reason=reason, seat=seat, surveillance=pictures, tax_form=form):
                return AddPapers(hit, reason, pictures, form, mark, seat)
        raise BadRequest(f"{type(payout).__name__} is no payout")

    async def drop(self, mark: bytes) -> None:
        """Nothing has this mark any more: what it stood for was refused."""
        await self._store.change(papers.drop(mark))

    async def erase(self, *marks: bytes) -> None:
        """Erases what has these marks."""
        if any(marks):
            await self._store.change(*(papers.erase(mark) for mark in marks if mark))


def _check(pay: payouts.Pay | payouts.AddPapers) -> None:
    """Refuses half of a tax form: the journal has its name, and its number lies next to it."""
    for given, missing in (("tax_form", "tax_number"), ("tax_number", "tax_form")):
        if getattr(pay, given) and not getattr(pay, missing):
            raise NotDone(Code.NO_TAX_FORM, f"{missing}: a tax form has a name and a number")
