"""Operations on hits: lists, and one hit with its awards, cards and steps."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from controllers.messages import Id, LampState
from jackpot.api.hit_history import hits_of
from jackpot.api.operation import PAGE_MAX, Limit, Moment, Money, NotDone, Query, Reply, money, number
from jackpot.reports.read import hits as books_of_hits
from jackpot.reports.read.cards import cards_of
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.round_evidence import RoundEvidence, evidence_of
from jackpot.reports.report import InArchive
from jackpot.rules import views
from jackpot.rules.acts import payout_tax
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.fields import HitId
from jackpot.rules.codes import Code
from jackpot.rules.effects import Map
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.state import UNPAID
from jackpot.rules.tax import Payee, TaxTerms, Winnings, due
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.auth.auth_service import AuthenticatedPerson
    from jackpot.ledger.reading import Reader
    from jackpot.rules.state import BankState


class Award(Reply, frozen=True):
    """One award of a hit.

    because: the seat whose hand earned an envy bonus. difference: journalled once it was paid (A10). stake:
    the wager that an award of N to 1 returns besides (B4). stake_at: where it is. credited: whether that was
    confirmed of an award to a game account, where one hit is asked for (P4). lamp: what its table said last
    of its lamp, if it did (P3).
    """

    award: str
    seat: int
    link: str
    level: str | None
    hand: str
    kind: Literal["meter", "odds", "envy", "draw"]
    amount: Money
    pays: Literal["cage", "inventory", "account"]
    status: Literal["pending", "validated", "paid", "final", "undone"]
    unverified: bool
    because: int | None
    difference: Money = "0.00"
    stake: Money | None = None
    stake_at: Literal["layout", "inventory"] | None = None
    credited: bool | None = None
    lamp: LampState | None = None


class Step(Reply, frozen=True):
    """An act of people on a hit; the newest stands first.

    facts: what they wrote on its papers. What names somebody is only for people who deal with payments. seat:
    whose papers they added to; None where it is not one winner's.
    """

    what: Literal[
        "validated", "paid", "undone", "corrected", "disputed", "lifted", "added", "erased", "credited"
    ]
    at: Moment
    awards: tuple[str, ...]
    people: tuple[str, ...]
    reason: str
    document: str
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    seat: int | None = None


class Cards(Reply, frozen=True):
    """The cards that a hit is paid for, in the order in which they were dealt, such as "As".

    own: of the hand, a player's or the dealer's; none where it was not shown. ranked: those that make the
    hand (H2), or were beaten (B11). dealer: the dealer's, where they were sent. drawn: of a drawn bonus what
    was drawn (A7). bonus: of the Six Card Bonus that all players share, where they were sent (B16).
    """

    own: tuple[str, ...]
    board: tuple[str, ...]
    dealer: tuple[str, ...]
    ranked: tuple[str, ...]
    drawn: str
    bonus: tuple[str, ...]


class Played(Reply, frozen=True):
    """What speaks for it that the round of a mystery award was played: nobody saw its cards (Y10).

    wagers: on its link, as they counted. wagered: what they come to. chips: the dealer's count of them; None
    where none was sent, or the frame is in an archive. rounds: that its table ended in the hour up to the
    award; None where some are in an archive. rounds_before: in that hour of each of the days before on which
    it ended any then, the nearest day first.
    """

    wagers: int
    wagered: Money
    chips: int | None
    rounds: int | None
    rounds_before: tuple[int, ...]


class Withholding(Reply, frozen=True):
    """What the law takes of a payment to such a payee. form: "" for none. left: what they are given."""

    payee: Literal["numbered", "unnumbered", "nonresident"]
    form: str
    withheld: Money
    left: Money


class Taxes(Reply, frozen=True):
    """What the law takes of the payment that waits for a seat, by who is paid.

    winnings: of the seat's wager, all that it won in the round. form: due of a resident; "" for none.
    """

    seat: int
    winnings: Money
    wager: Money
    form: str
    withholdings: tuple[Withholding, ...]


class FormerHit(Reply, frozen=True):
    """A hit in a bank that became the one that has it now."""

    bank: str
    hit: str


class Hit(Reply, frozen=True):
    """A hit with its awards. amount: the hand's own awards; what it earned others is `envy`.

    left, left_envy: what of these is not paid yet.

    steps, cards, played: where one hit is asked for. played: of a mystery's alone.

    disputed: the entry that holds its payment until two people lift that; None where none does.

    undoable: whether it may still be undone whole.

    former: what it was called in banks that became this one, the last one first.

    taxes: of each seat that waits to be paid, where one hit is asked for and the site's country has them.
    """

    hit: str
    bank: str
    link: str
    level: str | None
    table: str
    round: str
    seat: int | None
    hand: str
    unverified: bool
    amount: Money
    envy: Money
    difference: Money
    left: Money
    left_envy: Money
    at: Moment
    status: Literal["pending", "validated", "final", "paid", "undone"]
    disputed: int | None
    undoable: bool
    awards: tuple[Award, ...]
    steps: tuple[Step, ...] = ()
    cards: Cards | None = None
    played: Played | None = None
    former: tuple[FormerHit, ...] = ()
    taxes: tuple[Taxes, ...] = ()


class Hits(Reply, frozen=True):
    """One page of hits.

    more: what asks for the next ones, as `before` or `after`; None where there are none.
    """

    hits: tuple[Hit, ...]
    more: str | None


class AskWaitingHits(Query, frozen=True):
    """The hits of a bank that wait for people, the oldest first. after: newer ones than this."""

    path = "/hits/waiting"
    reply = Hits
    bank_key = BankKey.SAID
    bank: Id | None = None
    after: HitId | None = None
    limit: Limit = PAGE_MAX

    async def answer(self, at: "QueryContext") -> Hits:
        bank, after = await at.own(self, self.bank), number(self.after) or 0
        waits, more = await bank.ask(lambda engine: views.waiting_hits(engine, after, self.limit))
        hits = tuple(hit_of(bank.name, hit) for hit in waits)
        return Hits(hits=hits, more=hits[-1].hit if more else None)


class AskHits(Query, frozen=True):
    """Every hit of a bank, the newest first. before: older ones than this."""

    path = "/hits"
    reply = Hits
    bank_key = BankKey.SAID
    bank: Id | None = None
    before: HitId | None = None
    limit: Limit = PAGE_MAX

    async def answer(self, at: "QueryContext") -> Hits:
        bank = await at.own(self, self.bank)
        page = await hits_of(bank, at.books, number(self.before), self.limit)
        shown = tuple(hit_of(bank.name, hit) for hit in page.hits)
        return Hits(hits=shown, more=None if page.before is None else f"H{page.before}")


class AskHit(Query, frozen=True):
    """A hit, and what became of it, step by step."""

    path = "/hits/{hit}"
    reply = Hit
    hit: HitId
    bank: Id | None = None

    async def answer(self, at: "QueryContext") -> Hit:
        bank, wanted = await at.own(self, self.bank), number(self.hit) or 0
        hidden = () if sees_papers(at.people) else books_of_hits.PERSONAL
        listed = (await hits_of(bank, at.books, wanted + 1, 1)).hits
        hit = next((one for one in listed if one["hit"] == f"H{wanted}"), None)
        if hit is None:
            raise NotDone(
                Code.NO_SUCH_HIT,
                RefusalSentence(
                    "there is no {hit} in bank {bank}", field="hit", hit=self.hit, bank=bank.name
                ),
            )
        told = await at.books.read(lambda ledger: _looked_into(ledger, bank.name, wanted))
        steps = tuple(
            Step(
                what=one.what,
                at=one.at,
                awards=tuple(f"A{award}" for award in one.awards),
                people=one.people,
                reason=one.reason,
                document=one.document,
                facts={name: text for name, text in one.facts.items() if name not in hidden},
                seat=one.seat or None,
            )
            for one in told.done
        )
        terms = at.config.site.tax_terms(at.clock.unix_ms())
        taxes = () if terms is None else await bank.ask(lambda engine: _taxes(engine.state, wanted, terms))
        found = hit_of(bank.name, hit)
        credited = {award for step in steps if step.what == "credited" for award in step.awards}
        awards = tuple(
            msgspec.structs.replace(one, credited=one.award in credited) if one.pays == "account" else one
            for one in found.awards
        )
        return msgspec.structs.replace(
            found, steps=steps, cards=told.cards, played=told.played, taxes=taxes, awards=awards
        )


def sees_papers(people: Iterable["AuthenticatedPerson | str"]) -> bool:
    """Whether the asker may read whom a payout's papers name; a viewer may not.

    A login name on the server's machine can read the ledger itself.
    """
    return all(isinstance(one, str) or set(one.roles) - {"viewer"} for one in people)


_PAYEES: Final[Mapping[Literal["numbered", "unnumbered", "nonresident"], Payee]] = {
    "numbered": Payee(numbered=True),
    "unnumbered": Payee(),
    "nonresident": Payee(nonresident=True),
}


def _taxes(state: "BankState", number: int, terms: TaxTerms) -> tuple[Taxes, ...]:
    """What the law takes of each seat of a hit that waits to be paid."""
    hit = state.hits.get(number)
    if hit is None:
        return ()
    waiting = sorted({award.seat for award in hit.awards if award.status in UNPAID})
    return tuple(_taxes_of(payout_tax.of_seat(state, hit, seat), seat, terms) for seat in waiting)


def _taxes_of(won: Winnings, seat: int, terms: TaxTerms) -> Taxes:
    found = {name: due(terms, won, payee) for name, payee in _PAYEES.items()}
    return Taxes(
        seat=seat,
        winnings=decimal(from_cents(won.total)),
        wager=decimal(from_cents(won.wager)),
        form=found["numbered"].form,
        withholdings=tuple(
            Withholding(
                payee=name,
                form=one.form,
                withheld=decimal(from_cents(one.withheld)),
                left=decimal(from_cents(won.now - one.withheld)),
            )
            for name, one in found.items()
        ),
    )


class _JournaledHit(NamedTuple):
    """What the journal says of one hit. cards: None where an archive has its round."""

    cards: Cards | None
    played: Played | None
    done: list[books_of_hits.PersonAct]


def _looked_into(ledger: "Reader", bank: str, hit: int) -> _JournaledHit:
    """The cards that made a hit, or how a mystery's round was played, and the people's steps with it."""
    story = books_of_hits.story_of(ledger, bank, hit)
    cards = played = None
    if story is not None:
        names = JournalNames(ledger, story.bank)
        with suppress(InArchive):
            found = cards_of(ledger, names, story.hit)
            cards = Cards(found.own, found.board, found.dealer, found.ranked, found.drawn, found.bonus)
        if names.links[story.hit.link].mystery:
            played = _played(evidence_of(ledger, names, story.hit))
    return _JournaledHit(cards, played, books_of_hits.done_with(ledger, bank, hit))


def _played(known: RoundEvidence | None) -> Played | None:
    if known is None:
        return None
    return Played(
        wagers=known.wagers,
        wagered=decimal(known.wagered),
        chips=known.chips,
        rounds=known.rounds,
        rounds_before=known.before,
    )


def hit_of(bank: str, hit: Map) -> Hit:
    """A hit, as `views.hit` has it."""
    awards = tuple(award_of(award) for award in hit["awards"])
    sums = {name: money(hit[name]) for name in ("amount", "envy", "difference", "left", "left_envy")}
    return msgspec.convert({**hit, **sums, "awards": awards, "bank": bank}, Hit)


def award_of(award: Map) -> Award:
    """An award as replies have it."""
    sums = {name: money(award[name]) for name in ("amount", "difference", "stake") if name in award}
    return msgspec.convert(award | sums, Award)
