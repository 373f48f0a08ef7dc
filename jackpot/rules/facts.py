"""How is told what happened? The one maker of each fact that tables, signs and people are told.

The types are those of the protocol: nothing is put into other words on its way out. Sums are cents.
"""

from typing import Final

import msgspec

from controllers import answers
from controllers.answers import AwardFacts, Drawn, LinkFacts, Refund, RoundFacts, StandingBet, WaitingHit
from controllers.messages import On
from jackpot.rules import cards as deck
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Greeting
from jackpot.rules.state import Award, BetMade, HitShown, Link, Round, State, Table

# The `state` of a link names so many waiting jackpots; a sign has no room for more, and a frame is bounded.
WAITING_MOST: Final = 16


def award_facts(state: State, award: Award) -> AwardFacts:
    """An award."""
    link = state.link(award.link)
    return AwardFacts(
        award=f"A{award.number}",
        hit=f"H{award.hit}",
        seat=award.seat,
        link=link.terms.link,
        level=link.levels[award.level - 1].terms.level if award.level else None,
        hand=award.hand,
        kind=award.kind,
        amount=to_cents(award.amount),
        pays=award.pays,
        status=award.status,
        unverified=award.unverified,
        because=award.because or None,
        light=True,
    )


def award_push(state: State, award: Award) -> answers.Award:
    """An award, told again to its table."""
    return answers.Award(*msgspec.structs.astuple(award_facts(state, award)))


def drawn(state: State, round_: Round) -> dict[str, Drawn] | None:
    """What was drawn, by link (A7); None where nothing was."""
    found = {
        state.link(draw.link).terms.link: Drawn(
            None if draw.magic is None else deck.text(draw.magic),
            draw.lucky,
        )
        for draw in round_.draws
        if draw.magic is not None or draw.lucky is not None
    }
    return found or None


def round_facts(state: State, round_: Round) -> RoundFacts:
    """A round as a welcome tells it."""
    return RoundFacts(
        round=round_.id,
        state=round_.state,
        bets=tuple(
            StandingBet(bet.seat, state.link(bet.link).terms.link, _on(bet), bet.player)
            for bet in round_.bets
        ),
        chips={state.link(number).terms.link: count for number, count in round_.chips.items()},
        draw=drawn(state, round_),
        board=tuple(deck.text(card) for card in deck.unpack(round_.board)),
        dealer=tuple(deck.text(card) for card in deck.unpack(round_.dealer)),
        settled=tuple(dict.fromkeys(round_.settled())),
    )


def round_push(state: State, round_: Round) -> answers.Round:
    """A round that people changed."""
    return answers.Round(*msgspec.structs.astuple(round_facts(state, round_)))


def unfinished_facts(state: State, table: Table) -> RoundFacts | None:
    """The round that the table has to finish."""
    round_ = table.unfinished()
    return None if round_ is None else round_facts(state, round_)


def refund(link: Link, bet: BetMade) -> Refund:
    """A wager that goes back, and where to (T6)."""
    pays: answers.Pays = "account" if link.terms.electronic else "inventory"
    return Refund(bet.seat, link.terms.link, _on(bet), to_cents(link.terms.wager), pays)


def hit_push(bank: str, link: Link, level: str, shown: HitShown) -> answers.Hit:
    """A percentage award, to everybody on its link."""
    return answers.Hit(
        hit=f"H{shown.hit}",
        link=link.terms.link,
        level=level,
        hand=shown.hand,
        table=shown.table,
        amount=to_cents(shown.amount),
        cycle=shown.cycle,
        bank=bank,
        rev=shown.seq,
        at=shown.at,
    )


def link_push(link: Link) -> answers.Link:
    """A link's state; an active one has no reason."""
    if not link.suspended:
        return answers.Link(link.terms.link, "active", "")
    return answers.Link(link.terms.link, "suspended", link.suspended[-1])


def link_facts(link: Link) -> LinkFacts:
    """A link as a welcome tells it."""
    return LinkFacts(
        link=link.terms.link,
        wager=to_cents(link.terms.wager),
        paytable=link.terms.paytable,
        levels=tuple(level.terms.level for level in link.levels),
        state="suspended" if link.suspended else "active",
    )


def greeting(state: State, table: Table) -> Greeting:
    """What a table is welcomed with."""
    last = next((kept.answer for kept in reversed(table.answers) if kept.seq == table.last_seq), None)
    return Greeting(
        last_seq=table.last_seq,
        last=last,
        held=bool(table.held),
        links=tuple(link_facts(state.link(number)) for number in table.links),
        round=unfinished_facts(state, table),
        awards=tuple(
            award_push(state, award)
            for hit in state.hits.values()
            if hit.table == table.number
            for award in hit.awards
            if award.status in ("pending", "validated")
        ),
    )


def jackpots(state: State, link: int) -> tuple[WaitingHit, ...]:
    """A link's percentage awards that wait for a floorperson, a hit and level each, the oldest first (S7)."""
    found: dict[tuple[int, int], int] = {}
    for number in sorted(state.hits):
        for award in state.hits[number].awards:
            if award.kind == "meter" and award.link == link and award.status == "pending":
                found[number, award.level] = found.get((number, award.level), 0) + to_cents(award.amount)
        if len(found) >= WAITING_MOST:
            break
    levels = state.link(link).levels
    return tuple(
        WaitingHit(
            f"H{number}",
            levels[level - 1].terms.level,
            state.table(state.hits[number].table).terms.table,
            cents,
        )
        for (number, level), cents in list(found.items())[:WAITING_MOST]
    )


def _on(bet: BetMade) -> On:
    return "dealer" if bet.dealer else "own"
