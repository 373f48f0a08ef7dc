"""Builders of outgoing messages: the only place that makes what tables, signs and people are sent.

The types are those of the protocol, so nothing is converted on its way out. Sums are cents.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from controllers import answers
from controllers.answers import (
    AbandonedSeat,
    Ack,
    AwardFacts,
    Drawn,
    LinkFacts,
    Nack,
    Need,
    Refund,
    RoundFacts,
    StandingBet,
    WaitingHit,
)
from controllers.messages import On
from jackpot.rules import cards as deck
from jackpot.rules.hands import needs
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Greeting, WaitingAwards
from jackpot.rules.paytable import Game, HandKind, LinkTerms
from jackpot.rules.phrases import english
from jackpot.rules.state import (
    CLOSED,
    UNPAID,
    AnsweredFrame,
    Award,
    BankState,
    Hit,
    HitShown,
    Level,
    Link,
    Notice,
    Placed,
    Round,
    Table,
)

# The `state` of a link names so many waiting jackpots; a sign has no room for more, and a frame is bounded.
JACKPOTS_MAX: Final = 16
# What a sign is told of a link's notices: its own, three a level, and one of each of some tables.
NOTICES_MAX: Final = 16
# How many waiting awards a table is told at once, 50 kB; the next ones when it has read them. A table
# that reads is told 7,000 in 3 s, and nobody waits for that.
AWARDS_AT_ONCE: Final = 256


def answer_of(answered: AnsweredFrame) -> Ack | Nack:
    """The answer to a frame, as the table gets it each time."""
    answer = answered.answer
    if isinstance(answer, Ack):
        return answer
    return Nack(answered.seq, answer.code, english(answer.template, answer.values), hits=answer.hits)


def hit_names(numbers: Sequence[int]) -> tuple[str, ...]:
    """The ids of hits."""
    return tuple([f"H{number}" for number in numbers]) if numbers else ()


def award_facts(state: BankState, award: Award) -> AwardFacts:
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
        because=award.because if award.because or link.terms.hand_kind == "beaten" else None,
        light=True,
        stake=to_cents(award.stake) if award.stake else UNSET,
        stake_at=_stake_at(link) if award.stake else UNSET,
        lamp=award.lamp or UNSET,
    )


def _stake_at(link: Link) -> answers.StakeAt:
    """Where the stake of a winner is, whose award is N to 1 (B4)."""
    return "layout" if link.terms.placed == "layout" else "inventory"


def award_push(state: BankState, award: Award) -> answers.Award:
    """An award, pushed again to its table."""
    return answers.Award(*msgspec.structs.astuple(award_facts(state, award)))


def drawn(state: BankState, round_: Round) -> dict[str, Drawn] | None:
    """The draws by link (A7); None where there was none."""
    found = {
        state.link(draw.link).terms.link: Drawn(
            None if draw.magic is None else deck.text(draw.magic),
            draw.lucky,
        )
        for draw in round_.draws
        if draw.magic is not None or draw.lucky is not None
    }
    return found or None


def round_facts(state: BankState, round_: Round) -> RoundFacts:
    """A round as a welcome tells it."""
    return RoundFacts(
        round=round_.id,
        state=round_.state,
        bets=tuple(
            StandingBet(
                bet.seat,
                state.link(bet.link).terms.link,
                _wagered_on(bet),
                bet.player,
                to_cents(bet.amount) if bet.amount else UNSET,
            )
            for bet in round_.bets
        ),
        chips={state.link(number).terms.link: count for number, count in round_.chips.items()},
        draw=drawn(state, round_),
        board=tuple(deck.text(card) for card in deck.unpack(round_.board)),
        dealer=tuple(deck.text(card) for card in deck.unpack(round_.dealer)),
        settled=tuple(dict.fromkeys(round_.settled())),
        sums={state.link(number).terms.link: to_cents(sum_) for number, sum_ in round_.sums.items()} or UNSET,
        bonus=tuple(deck.text(card) for card in deck.unpack(round_.bonus)) or UNSET,
        players=round_.players or UNSET,
        abandoned=tuple(AbandonedSeat(seat, round_.abandoned[seat]) for seat in sorted(round_.abandoned))
        or UNSET,
    )


def round_push(state: BankState, round_: Round) -> answers.Round:
    """A round that people changed, as pushed to its table."""
    return answers.Round(*msgspec.structs.astuple(round_facts(state, round_)))


def unfinished_facts(state: BankState, table: Table) -> RoundFacts | None:
    """The round that the table has to finish, as a welcome tells it."""
    round_ = table.unfinished()
    return None if round_ is None else round_facts(state, round_)


def refund(link: Link, bet: Placed) -> Refund:
    """A returned wager and where it goes (T6)."""
    pays: answers.RefundPays = "account" if link.terms.electronic else _stake_at(link)
    return Refund(bet.seat, link.terms.link, _wagered_on(bet), to_cents(bet.wagered(link.terms)), pays)


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
        cards=tuple(deck.text(card) for card in deck.unpack(shown.cards)) or UNSET,
    )


def link_push(link: Link) -> answers.Link:
    """A link's state; an active one has no reason."""
    most = must_hit_by(link) or UNSET
    if not link.suspended:
        return answers.Link(link.terms.link, "active", "", most)
    return answers.Link(link.terms.link, "suspended", CLOSED if link.closed else link.suspended[-1], most)


def link_facts(link: Link, game: Game) -> LinkFacts:
    """A link as a welcome tells it to a table of that game."""
    return LinkFacts(
        link=link.terms.link,
        wager=to_cents(link.terms.wager),
        paytable=link.terms.paytable,
        levels=tuple(level.terms.level for level in link.levels),
        state="suspended" if link.suspended else "active",
        must_hit_by=must_hit_by(link) or UNSET,
        **_bounds(link.terms, game),
    )


def must_hit_by(link: Link) -> dict[str, int]:
    """By level the sum by which its running cycle must hit, in cents; none of any other link (Y6)."""
    terms = {level.terms.level: level.mystery.terms for level in link.levels if level.mystery is not None}
    return {name: to_cents(one.must_hit_by or 0) for name, one in terms.items()}


def _bounds(terms: LinkTerms, game: Game) -> dict[str, Any]:
    """What a welcome tells besides: of an offer its bounds (B3) and what its wagers need (B8, B10, B16).

    Of any link, whether its chips are counted (P8).
    """
    if not terms.offer:
        return {"count": True} if terms.count_chips else {}
    bounds = {"least": terms.wager, "most": terms.most, "unit": terms.unit}
    cents = {name: to_cents(micros) for name, micros in bounds.items()}
    return {
        **cents,
        "placed": terms.placed,
        "count": terms.count_chips,
        "needs": needed(terms.hand_kind, game, terms.cards),
    }


def needed(kind: HandKind, game: Game, six: Sequence[str] = ()) -> tuple[Need, ...]:
    """The fields of a table's lock and settle that decide a wager on an offer. six: as in `hands.needs`."""
    counts = needs(kind, game, six)
    named: tuple[Need, ...] = ("cards", "board", "dealer", "bonus")
    players: tuple[Need, ...] = ("players",) if kind == "best-of-table" else ()
    return (*(name for name, count in zip(named, counts, strict=True) if count), *players)


def greeting(state: BankState, table: Table) -> Greeting:
    """The welcome of a table."""
    last = next((answer_of(kept) for kept in reversed(table.answers) if kept.seq == table.last_seq), None)
    return Greeting(
        last_seq=table.last_seq,
        last=last,
        held=bool(table.held),
        links=tuple(link_facts(state.link(number), table.terms.game) for number in table.links),
        round=unfinished_facts(state, table),
        waiting=waiting(state, table),
    )


def waiting(state: BankState, table: Table, after: int = 0) -> WaitingAwards:
    """The first of the table's awards that wait for people, of hits with a number above `after` (A10)."""
    awards: list[answers.Award] = []
    hits = table.unpaid.first(AWARDS_AT_ONCE, after)
    taken = 0
    for number in hits:
        if len(awards) >= AWARDS_AT_ONCE:
            break
        taken = number
        awards += [award_push(state, award) for award in state.hits[number].awards if award.status in UNPAID]
    more = bool(hits) and taken < table.unpaid.hits[-1]
    return WaitingAwards(tuple(awards), taken if more else None)


def jackpots(state: BankState, number: int) -> tuple[WaitingHit, ...]:
    """A link's percentage awards that wait for a floorperson, a hit and level each, the oldest first (S7)."""
    link = state.link(number)
    found = sorted(
        (hit, level)
        for (level, status), group in link.unpaid.items()
        if level and status == "pending"
        for hit in group.first(JACKPOTS_MAX)
    )
    return tuple(
        _jackpot(state, state.hits[hit], link.levels[level - 1]) for hit, level in found[:JACKPOTS_MAX]
    )


def _jackpot(state: BankState, hit: Hit, level: Level) -> WaitingHit:
    mine = (award for award in hit.awards if award.level == level.number and award.status == "pending")
    cents = sum(to_cents(award.amount) for award in mine)
    return WaitingHit(f"H{hit.number}", level.terms.level, state.table(hit.table).terms.table, cents)


def notices(state: BankState) -> dict[str, tuple[answers.Notice, ...]]:
    """The notices that signs of each link show (P2): its own, and those of the payouts of its tables."""
    found: dict[str, list[answers.Notice]] = {link.terms.link: [] for link in state.links}
    for notice in state.notices:
        table = state.table(notice.table) if notice.table else None
        numbers = [notice.link] if notice.link else table.links if table is not None else []
        for link in map(state.link, numbers):
            found[link.terms.link].append(_notice(link, notice, table))
    return {link: tuple(told[:NOTICES_MAX]) for link, told in found.items()}


def _notice(link: Link, notice: Notice, table: Table | None) -> answers.Notice:
    return answers.Notice(
        notice.day,
        UNSET if table is None else table.terms.table,
        link.levels[notice.level - 1].terms.level if notice.level else UNSET,
        UNSET if notice.amount is None else to_cents(notice.amount),
        True if notice.ends else UNSET,
        UNSET if notice.seed is None else to_cents(notice.seed),
        UNSET if notice.rate is None else notice.rate,
    )


def _wagered_on(bet: Placed) -> On:
    return "dealer" if bet.dealer else "own"
