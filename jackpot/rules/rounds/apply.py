"""Applies the events of settlement, closing and voiding; nothing is refused here."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from controllers.answers import Refund
from jackpot.rules import meter, outgoing_messages
from jackpot.rules.cards import pack, unpack
from jackpot.rules.effects import Effects
from jackpot.rules.events import (
    Closed,
    Closing,
    Event,
    HitMade,
    LeftMade,
    Recomputed,
    Refused,
    Settled,
    Settlement,
    TakeMade,
    Voided,
)
from jackpot.rules.hands import making
from jackpot.rules.invariant import require
from jackpot.rules.meter import Accounts
from jackpot.rules.money import to_cents
from jackpot.rules.rounds import mystery, unpaid
from jackpot.rules.rounds.offers import settled_hits
from jackpot.rules.rounds.recompute import PlacedWager, drop_bets
from jackpot.rules.rounds.undo import AwardShare, MeterTake, floor_of, is_whole
from jackpot.rules.state import (
    HITS_KEPT,
    PAID_KEPT,
    UNPAID,
    Award,
    BankState,
    Hit,
    HitShown,
    Level,
    Link,
    Placed,
    ResidualAmount,
    Round,
    Settling,
    Table,
)
from jackpot.rules.void_causes import NO_CAUSE

# Paid awards of which an answer says what more they would be worth: it fits a frame next to 192 awards or 64
# refunds. An undo reaches so many only where an older award was unpaid for long; the journal has them all.
LEFT_TOLD_MAX: Final = 64

NO_TABLE: Final = "a table's event without its table"


def take_back(
    effects: Effects, round_: Round, placed: Iterable[Placed], recomputed: Recomputed
) -> tuple[Refund, ...]:
    """Undoes wagers; returns the refunds and where each goes (T6)."""
    keys = {(place.seat, place.link, place.dealer) for place in placed}
    made = list(zip(round_.bets, round_.seqs, strict=True))
    gone = [one for one in made if (one[0].seat, one[0].link, one[0].dealer) in keys]
    bets = [bet for bet, _ in gone]
    round_.seated |= {bet.seat: bet.player for bet in bets if bet.player is not None}
    round_.seqs = [seq for bet, seq in made if bet not in bets]
    round_.bets = [bet for bet in round_.bets if bet not in bets]
    for number, count in sorted(Counter(bet.link for bet in bets).items()):
        link = effects.state.link(number)
        for level in link.levels:
            if not link.terms.mystery:
                drop_bets(level.history, link, gone)
            level.undone_wagers += count
    if round_.counted:
        mystery.apply_refunded(effects.state, round_, bets)
    _uncount(effects.state, gone)
    recomputed_changes(effects, recomputed)
    return tuple(outgoing_messages.refund(effects.state.link(bet.link), bet) for bet in bets)


def _uncount(state: BankState, undone: Collection[PlacedWager]) -> None:
    """Removes these wagers from the counts that rounds keep of the moments of their settling (T10).

    Rounds that were settled before the first of them are not looked at: a table may take wagers back often.
    """
    first = min((seq for _, seq in undone), default=state.seq)
    for number, last in reversed(state.settled.items()):
        if last < first:
            break
        table = state.table(number)
        rounds = [one for one in (table.round, table.closed) if one is not None]
        for settling in [settling for one in rounds for settling in one.settlings]:
            for bet, seq in undone:
                if seq < settling.seq and bet.link in settling.wagers:
                    settling.wagers[bet.link] -= 1


def recomputed_changes(effects: Effects, recomputed: Recomputed) -> None:
    """Applies a recomputation: moves the accounts and raises later awards that are worth more now (A11)."""
    for change in recomputed.changes:
        effects.move(change.link, change.level, change.change)
    amounts = dict(recomputed.raised)
    levels = {(change.link, change.level) for change in recomputed.changes if change.level} if amounts else ()
    for hit in _unpaid_hits(effects.state, levels):
        for award in hit.awards:
            if award.number in amounts:
                _raise(effects, hit, award, amounts[award.number])
    for made in recomputed.left:
        _leave_residual(effects, made)
    if grown := recomputed.grown():
        left = {f"A{made.award}": to_cents(made.more) for made in grown[:LEFT_TOLD_MAX]}
        effects.told.left = left


def _leave_residual(effects: Effects, left_made: LeftMade) -> None:
    """Leaves a residual amount on the meter; what is undecided waits for two people (A11)."""
    state = effects.state
    waits = left_made.more - sum(share.decided for share in _shares(state, left_made))
    residual = next((one for one in state.left if one.award == left_made.award), None)
    if residual is None and waits > 0:
        residual = ResidualAmount(state.next_left, left_made.award, left_made.link, left_made.level, 0)
        state.left.append(residual)
        state.next_left += 1
    if residual is not None:
        _set_undecided(state, residual, waits)


def mark_decided(effects: Effects, residual: ResidualAmount, amount: int) -> None:
    """Marks so much of a residual amount as decided; micro-dollars."""
    for share in _shares(effects.state, residual):
        share.decided += amount
    _set_undecided(effects.state, residual, residual.amount - amount)


def _set_undecided(state: BankState, residual: ResidualAmount, amount: int) -> None:
    """Sets the undecided part of a residual amount; it is listed while there is any."""
    residual.amount = amount
    state.left = [one for one in state.left if one.amount > 0]


def _shares(state: BankState, residual: ResidualAmount | LeftMade) -> list[AwardShare]:
    """The share of the award that left it, while its level's history can still change."""
    history = state.link(residual.link).levels[residual.level - 1].history
    return [share for share in history.shares() if share.award == residual.award]


def _unpaid_hits(state: BankState, levels: Collection[tuple[int, int]]) -> list[Hit]:
    """The hits of the levels, by link and number, whose percentage awards wait: only these are raised."""
    numbers = {
        number
        for link, level in levels
        for (of, _), group in state.link(link).unpaid.items()
        if of == level
        for number in group.hits
    }
    return [state.hits[number] for number in sorted(numbers)]


def _raise(effects: Effects, hit: Hit, award: Award, amount: int) -> None:
    link = effects.state.link(award.link)
    level = link.levels[award.level - 1]
    more = amount - award.amount
    unpaid.change(effects.state, award, "pending", amount)
    level.wins += more
    link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) + more
    for share in level.history.shares():
        if share.award == award.number:
            share.amount = amount
    for shown in level.shown:
        if shown.hit == hit.number:
            shown.amount += more
    effects.tell_status(hit, "raised", award)


def apply_settled(effects: Effects, event: Settled) -> None:
    """Settles seats in payout order (T4)."""
    table = require(effects.table, NO_TABLE)
    round_ = unfinished(table, event.round)
    shown = [hand for hand in event.shown if hand.cards or not hand.abandoned]
    if shown and not round_.reopened:
        _mark(effects, table, round_, [hand.seat for hand in shown])
    round_.shown += shown
    if len(shown) < len(event.shown):
        left = (hand.seat for hand in event.shown if hand.abandoned and not hand.cards)
        round_.abandoned = dict.fromkeys(left, False) | round_.abandoned
    round_.board, round_.dealer, round_.bonus = event.board, event.dealer, event.bonus
    round_.sharers += event.sharers
    apply_settlement(effects, table, round_, event.made)
    if event.counted:
        mystery.apply_counted(effects, table, round_, event.counted)
    if event.closing is not None:
        _close(effects, table, round_, event.closing)


def apply_closed(effects: Effects, event: Closed) -> None:
    """Closes the round; seats not settled have lost."""
    table = require(effects.table, NO_TABLE)
    round_ = unfinished(table, event.round)
    if not round_.reopened:
        _mark(effects, table, round_, [])
    apply_settlement(effects, table, round_, event.made)
    if event.counted:
        mystery.apply_counted(effects, table, round_, event.counted)
    _close(effects, table, round_, event.closing)


def _mark(effects: Effects, table: Table, round_: Round, seats: list[int]) -> None:
    """Records this moment, so that a missed hand can be settled as if now (T10)."""
    last = round_.settlings[-1] if round_.settlings else None
    if last is not None and last.seq == effects.seq:
        wagers = dict(last.wagers)
    else:
        links = map(effects.state.link, round_.links())
        wagers = {link.number: link.levels[0].wagers for link in links if link.levels and not link.terms.form}
    settled = effects.state.settled
    settled.pop(table.number, None)
    settled[table.number] = effects.seq  # the latest stands last
    round_.settlings.append(Settling(effects.seq, seats, wagers))


def apply_settlement(effects: Effects, table: Table, round_: Round, settlement: Settlement) -> None:
    """Applies the awards of an entry: hits, takes from the meters, and what was settled in the past."""
    if not (settlement.hits or settlement.takes or settlement.recomputed):
        return
    state = effects.state
    awards: dict[int, Award] = {}
    before = len(table.unpaid.hits)
    for hit_made in settlement.hits:
        _hit(effects, table, round_, hit_made)
        for award in hit_made.awards:
            awards[award.number] = award
            unpaid.count(state, award)
            if award.kind == "meter":
                effects.awarded.add(award.link)
            state.next_award = max(state.next_award, award.number + 1)
            link = state.link(award.link)
            link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) + award.amount
            if not award.level:
                paid = award.amount + award.stake
                effects.outside(link).add(Accounts(awards=paid, house=-paid))
                _hold(table, link, award)
    waiting = len(table.unpaid.hits)
    if before <= unpaid.WAITING_MAX < waiting:
        effects.alarm("awards_waiting", table=table.terms.table, awards=waiting)
    for take in settlement.takes:
        _take(effects, table, round_, take, [awards[number] for number in take.awards])
    if settlement.recomputed is not None:
        recomputed_changes(effects, settlement.recomputed)
        for take in settlement.takes:
            _moved(effects, state.link(take.link).levels[take.level - 1])
    if awards:
        effects.told.awards = tuple(outgoing_messages.award_facts(state, award) for award in awards.values())


def _hit(effects: Effects, table: Table, round_: Round, hit_made: HitMade) -> None:
    state = effects.state
    effects.hits.add(hit_made.number)
    hit = state.hits.get(hit_made.number)
    if hit is None:
        link = state.link(hit_made.link)
        levels = {award.level for award in hit_made.awards if award.level}
        cycle = link.levels[min(levels) - 1].cycle if levels else 0
        hit = Hit(
            number=hit_made.number,
            table=table.number,
            round=round_.id,
            seat=hit_made.seat,
            link=hit_made.link,
            hand=hit_made.hand,
            seq=effects.seq,
            at=effects.at,
            cycle=cycle,
            awards=[],
            unverified=hit_made.unverified,
            opened=round_.first_seq,
            wager=round_.amount(hit_made.seat, hit_made.link),
        )
        state.hits[hit_made.number] = hit
        state.next_hit = max(state.next_hit, hit_made.number + 1)
    if hit_made.number not in round_.hits:
        round_.hits.append(hit_made.number)
    hit.awards += hit_made.awards


def _cards_of(table: Table, round_: Round, link: Link, seat: int) -> bytes:
    """The cards that made a hand, packed; none where it was claimed by name. seat: as in `Hit`."""
    shown = (one.cards for one in round_.shown if one.seat == seat and one.cards)
    own = next(shown, b"") if seat else round_.dealer
    kind = round_.terms.get(link.number, link.terms).hand_kind
    return pack(making(kind, table.terms.game, unpack(own), unpack(round_.board)))


def _take(effects: Effects, table: Table, round_: Round, take: TakeMade, awards: list[Award]) -> None:
    """Takes a percentage award from the meter; a whole meter begins its next cycle (A2, L10)."""
    state = effects.state
    link = state.link(take.link)
    if link.terms.mystery:  # its meter is counted next, wager by wager
        for award in awards:
            award.won = (effects.seq, take.order)
            _hold(table, link, award)
        return
    level = link.levels[take.level - 1]
    total = sum(award.amount for award in awards)
    accounts = effects.meter(link, level)  # a take in the past too: its posting names the cycle before it
    before = accounts.primary
    if not take.moment:
        meter.take(
            accounts,
            level.terms,
            rate=take.rate,
            from_meter=total,
            total=total,
            floor=floor_of(level.history) if link.terms.floor_to_seed and not is_whole(take.rate) else None,
        )
    shares = [AwardShare(award.number, award.amount, award.dealer) for award in awards]
    moment = (take.moment or effects.seq, take.order)
    for award in awards:
        award.won = moment
    cycle = level.cycle - level.history.reseeds_from(moment)
    wagers = round_.wagers_at(take.moment, link.number) if take.moment else level.wagers
    new = level.history.insert(moment, MeterTake(take.rate, shares), wagers)
    for number in dict.fromkeys(award.hit for award in awards):
        hit = state.hits[number]
        hit.cycle = cycle
        amount = sum(award.amount for award in awards if award.hit == number)
        level.hits += 1
        level.wins += amount
        shown = HitShown(
            hit=number,
            table=table.terms.table,
            hand=hit.hand,
            amount=amount,
            at=effects.at,
            cycle=cycle,
            seq=effects.seq,
            before=before,
            after=accounts.primary,
            cards=_cards_of(table, round_, link, hit.seat),
        )
        level.shown.append(shown)
        effects.tell_link(link, outgoing_messages.hit_push(state.bank, link, level.terms.level, shown))
        for award in (one for one in awards if one.hit == number):
            _hold(table, link, award)
    del level.shown[:-HITS_KEPT]
    if new and is_whole(take.rate):
        level.cycle += 1


def _hold(table: Table, link: Link, award: Award) -> None:
    """Keeps the cards of an award that the cage pays on the table, until it is documented (T11)."""
    if award.pays == "cage" and link.terms.hold_table and award.hit not in table.held:
        table.held.append(award.hit)


def _moved(effects: Effects, level: Level) -> None:
    """Fills in what a hit of this entry, won in the past, moved on the meter, after the recomputation."""
    if level.shown and level.shown[-1].seq == effects.seq:
        level.shown[-1].after = level.accounts.primary


def _close(effects: Effects, table: Table, round_: Round, closing: Closing) -> None:
    if closing.ours or closing.our_sums:
        effects.told.warn = ("count_mismatch",)
    if not round_.reopened:
        if not round_.settlings or round_.settlings[-1].seats:
            _mark(effects, table, round_, [])
        table.rounds += 1
    round_.state = "closed"
    round_.sharers = []
    table.ended = round_.id
    if table.round is round_:
        table.round = None
        table.closed = round_


def apply_voided(effects: Effects, event: Voided) -> None:
    """Returns every wager (T6); where some are to be settled, the round stays locked with them alone (P5)."""
    table = effects.state.table(event.table)
    round_ = unfinished(table, event.round)
    for number in round_.hits if event.undone else ():
        for award in effects.state.hits[number].awards:
            if award.number in event.undone:
                _undo_final(effects, effects.state.hits[number], award)
    placed = [Placed(bet.seat, bet.link, bet.dealer) for bet in round_.bets if bet.link not in event.settles]
    effects.told.refunds = take_back(effects, round_, placed, event.recomputed)
    effects.state.tally("void", event.cause or NO_CAUSE)
    if event.settles:
        _keep_settled(round_, event.settles)
        return
    forget(effects, round_)
    table.ended = round_.id
    if table.round is round_:
        table.round = None
    else:
        table.closed = None
    if event.people.said():
        effects.tell_round(table, round_, void=True)


def _keep_settled(round_: Round, settles: Collection[int]) -> None:
    """Keeps a round locked with the wagers on these links alone: no count of any other is due (P5)."""
    round_.chips = {link: count for link, count in round_.chips.items() if link in settles}
    round_.sums = {link: sum_ for link, sum_ in round_.sums.items() if link in settles}
    round_.offers = [link for link in round_.offers if link in settles]
    round_.draws = []
    round_.state = "locked"


def _undo_final(effects: Effects, hit: Hit, award: Award) -> None:
    """Undoes an award of an offer that was final at once; the accounts move with the rest of the void."""
    unpaid.change(effects.state, award, "undone")
    link = effects.state.link(award.link)
    link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) - award.worth()
    effects.tell_status(hit, "undone", award)


def forget(effects: Effects, round_: Round) -> None:
    """Drops the finished hits of a round that can no longer be reopened."""
    for number in round_.hits:
        retire(effects, number)


def retire(effects: Effects, number: int) -> None:
    """Drops a hit, once nothing is left to do about it and its round cannot be reopened.

    A hit that was paid, or final at once, is kept for a while, for it may still be corrected (A10).
    """
    state = effects.state
    hit = state.hits.get(number)
    if hit is None or any(award.status in UNPAID for award in hit.awards):
        return
    del state.hits[number]
    end_dispute(state, number)
    if any(award.settled() for award in hit.awards):
        kept = settled_hits(state, hit)
        kept[number] = hit
        if len(kept) > PAID_KEPT:
            del kept[next(iter(kept))]


def end_dispute(state: BankState, number: int) -> None:
    """Removes the dispute that holds the hit's payment."""
    state.disputed.pop(number, None)


def unfinished(table: Table, round_id: str) -> Round:
    """The round that an event is about; raises InvariantError where the table has no such unfinished one."""
    return require(table.find(round_id), f"table {table.terms.table} has no unfinished round {round_id}")


def apply_refused(effects: Effects, event: Refused) -> None:
    """Applies a durable refusal; after an internal error its links stop (WIRE: internal)."""
    refusals = effects.state.refusals
    refusals[event.code] = refusals.get(event.code, 0) + 1
    for number in event.suspended:
        effects.suspend(effects.state.link(number), event.code)


APPLIES: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {
    Settled: apply_settled,
    Closed: apply_closed,
    Voided: apply_voided,
    Refused: apply_refused,
}
"""What each event of a table's frame after the lock changes."""
