"""Refusals of acts that need history: what was done before, and what people do next."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from jackpot.api.hit_history import hits_of
from jackpot.api.operation import Ask, NotDone, number, refused
from jackpot.api.query_context import QueryContext
from jackpot.api.suspension_help import remedies
from jackpot.bank.bank import Bank, BankStopped
from jackpot.config.phrases import sentence_of
from jackpot.config.writing import moment
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.reports.read import entries
from jackpot.reports.read.hits import done_with
from jackpot.rules.acts.hits import Pay, Undo, Validate
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.requests import REQUESTS_MAX, Confirm, Reject, RequestExpired, bank_of, why_over
from jackpot.rules.acts.rounds import VoidRound
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.phrases import Phrase, phrase
from jackpot.text import RefusalSentence, Sentence, both, joined

# By act: what its hit or award has become where that act, or a later one, was done before.
_DONE: Final[Mapping[type[Ask], tuple[str, ...]]] = {
    Validate: ("validated", "paid", "undone"),
    Pay: ("paid", "undone"),
    Undo: ("paid", "undone"),
}
# How the rules refuse the act then, and with which code people are told once it is known what was done.
_DONE_REFUSED: Final = (Code.NO_SUCH_HIT, Code.NO_SUCH_AWARD, Code.NOT_PENDING, Code.NOT_VALIDATED, Code.PAID)
_DONE_CODES: Final = {"validated": Code.NOT_PENDING, "paid": Code.PAID, "undone": Code.UNDONE}


async def refusal_of(at: QueryContext, bank: Bank, act: ActCommand, answer: ActAnswer) -> NotDone:
    """The refusal that people are told of an act that the rules refused."""
    code = Code(answer.code)
    if isinstance(act, Validate | Pay | Undo) and code in _DONE_REFUSED:
        with suppress(BankStopped, LedgerError):  # what the rules said is true without the ledger
            if (before := await _done_before(at, bank, act)) is not None:
                return before
    if isinstance(act, Confirm | Reject) and code is Code.NO_SUCH_REQUEST:
        with suppress(LedgerError):  # what the rules said is true without the ledger
            if (why := await at.books.read(lambda ledger: _how_ended(ledger, act.request))) is not None:
                over = phrase("request_over", request=act.request, why=why)
                return refused(Code.EXPIRED, over.template, over.values)
    said = sentence_of(answer.template, answer.values)
    if (next_ := _next_steps(at, bank, act, answer)) is not None:
        parts = {**said.values, "said": Sentence(said.plain, **said.values), "next": next_}
        said = RefusalSentence("{said}{next}", field=said.field, template=said.template, **parts)
    return NotDone(code, said, answer.hits)


def _how_ended(ledger: Reader, request: str) -> Phrase | None:
    """How an unconfirmed request ended; None if it is none of the last that ended so."""
    bank, below = bank_of(request), entries.BEYOND
    for _ in range(REQUESTS_MAX):
        ended = entries.newest(ledger, bank, RequestExpired.kind, below)
        if ended is None:
            return None
        event, below = ended.event, ended.seq
        if isinstance(event, RequestExpired) and f"{bank}-{event.request}" == request:
            return why_over(event.waited_ms, event.lost)
    return None


def _next_steps(at: QueryContext, bank: Bank, act: ActCommand, answer: ActAnswer) -> Sentence | None:
    """What comes next, if the rules cannot say: why a link is suspended, or which hits are in the way."""
    match act:
        case Resume(links=(link,)) if answer.code == Code.NOT_SUSPENDED:
            reasons = bank.board.state(link)[1]
            if not reasons:
                return Sentence("; it takes wagers")
            next_ = joined(remedies(reasons, bank.name, link), "; ")
            return Sentence("; it is suspended for {reasons}: {next}", reasons=reasons, next=next_)
        case VoidRound() if answer.code == Code.AWARD_STANDING and answer.hits:
            where = f" --bank {bank.name}" if len(at.whose.banks) > 1 else ""
            undo = ", ".join(f"`jackpot hits undo {hit}{where} --reason TEXT`" for hit in answer.hits)
            return Sentence(": {undo}", undo=undo)
    return None


async def _done_before(at: QueryContext, bank: Bank, act: Validate | Pay | Undo) -> NotDone | None:
    """A refusal that says who did it before, and when; None if nothing was done that stands."""
    hit, seat = number(act.hit) or 0, act.seat if isinstance(act, Pay) else None
    name = act.award or (f"seat {seat} of {act.hit}" if seat else act.hit)
    listed = (await hits_of(bank, at.books, hit + 1, 1)).hits
    theirs = [
        one
        for found in listed
        for one in found["awards"]
        if one["hit"] == act.hit and act.award in (None, one["award"]) and seat in (None, one["seat"])
    ]
    statuses, numbers = {one["status"] for one in theirs}, {number(one["award"]) for one in theirs}
    status = next((one for one in ("pending", "validated", "paid", "undone") if one in statuses), "final")
    if statuses == {"final"}:
        return NotDone(Code.NOT_PENDING, Sentence("{award} is final: it waits for nobody", award=name))
    for done in await at.books.read(lambda ledger: done_with(ledger, bank.name, hit)):
        if not numbers.isdisjoint(done.awards) and done.what == status and status in _DONE[type(act)]:
            when = moment(done.at, at.config.site.timezone)
            facts = {"award": name, "status": Sentence(status), "people": both(done.people), "at": when}
            said = Sentence("{award} is {status} already, by {people}, {at}", **facts)
            return NotDone(_DONE_CODES[status], said)
    return None
