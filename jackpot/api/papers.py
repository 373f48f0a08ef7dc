"""Payout papers: personal data of payouts, kept next to the journal for the site's retention period."""

from typing import Any

from jackpot.api.operation import BadRequest
from jackpot.api.queries import payouts
from jackpot.api.queries.payouts import Payout
from jackpot.auth.auth_service import SecretStore
from jackpot.clock import Clock
from jackpot.config import Site
from jackpot.ledger import papers
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

    def act(self, payout: Payout, mark: bytes, same_patron: tuple[int, ...]) -> Validate | Pay | AddPapers:
        """The act that the rules decide.

        same_patron: the hit's winners whose papers name the same patron.
        """
        named: Any = tuple(payout.papers())  # of its own fields, and of no others
        match payout:
            case payouts.Validate(hit=hit, award=award, surveillance=surveillance):
                return Validate(hit, award, surveillance, mark, named)
            case payouts.Pay(hit=hit, award=award, seat=seat, document=document, tax_form=form):
                least, needs = self._site.tax_form_from, self._site.payout_needs
                return Pay(hit, award, document, form, least, mark, seat, needs, named, same_patron)
            case payouts.AddPapers(hit=hit, reason=reason, seat=seat, surveillance=pictures, tax_form=form):
                return AddPapers(hit, reason, pictures, form, mark, seat, named, same_patron)
        raise BadRequest(RefusalSentence("{name} is no payout", name=type(payout).__name__))

    async def drop(self, mark: bytes) -> None:
        """Drops the row with this digest: its act was refused."""
        await self._store.change(papers.drop(mark))
