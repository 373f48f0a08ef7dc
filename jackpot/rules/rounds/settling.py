"""Settlement, closing and voiding of a round: seats in payout order, shared awards at the close (T4-T6)."""

from collections.abc import Collection, Iterable, Mapping

from controllers.messages import Close, Settle, Void, VoidCause
from jackpot.rules.cards import pack
from jackpot.rules.events import (
    Closed,
    Closing,
    LevelCounted,
    Recomputed,
    Settled,
    Settlement,
    TakeMade,
    Voided,
)
from jackpot.rules.hands import Ranked
from jackpot.rules.money import from_cents
from jackpot.rules.paytable import PaytableRow, Percent, row_for
from jackpot.rules.refusal import Refusal, refuse_if, two_people
from jackpot.rules.rounds import claims, mystery
from jackpot.rules.rounds.awards import AwardTally, WinningHand
from jackpot.rules.rounds.betting import FrameContext, WagerCounts, find_round, link_number
from jackpot.rules.rounds.claims import Seat, ShownCards
from jackpot.rules.rounds.offers import decided_at_close
from jackpot.rules.rounds.recompute import Edit, recompute, without_awards, without_bets
from jackpot.rules.rounds.undo import AwardShare, History, MeterTake
from jackpot.rules.signing import People
from jackpot.rules.state import Award, BankState, HandShown, Level, Link, Round, Sharer, Table
from jackpot.rules.void_causes import SETTLES, is_trips

# Takes of one entry in their order: a seat's turn, the dealer's hand before the seat's own; then folded hands
# that come after the others; rows that are shared when the round closes come after every seat (T5, A6, B8).
SEATS_MAX = 16
LATE_FROM = 2 * (SEATS_MAX + 1)
SHARED_FROM = 1000

# What the draws are called in place of a hand (A7).
MAGIC_CARD = "magic-card"
LUCKY_BONUS = "lucky-bonus"
# Why a reopened round is voided by two people (T6).
KNOWN_CARDS = "why_round_was_closed"


def _order(seat: int, *, dealer: bool, late: bool = False) -> int:
    """The place of a seat's turn among the takes of one entry. late: as in `Seat`."""
    return 2 * (SEATS_MAX + 1 - seat) + (0 if dealer else 1) + (LATE_FROM if late else 0)


def decide_settle(state: BankState, table: Table, command: Settle, context: FrameContext) -> Settled:
    """Settles the seats shown, in payout order, and closes the round if asked.

    Without hands and without a close no seat's turn has come: then it shows cards and pays nothing.
    """
    sent = claims.check_shape(table, command)
    round_ = _find_locked(table, command.round)
    showing = claims.read_hands(state, table, round_, command, sent)
    counts = _counts(state, table, command)
    tally = AwardTally(state, table, round_, showing.left)
    sharers = _pay_turns(tally, showing) if showing.seats or command.close else []
    if command.close:
        _pay_at_close(tally, [*round_.sharers, *sharers], showing)
    made, closing = _with_late_takes(state, tally), _closing(table, counts) if command.close else None
    counted = _count(tally, context) if closing else []
    return Settled(
        round=round_.id,
        shown=_hands_shown(showing),
        board=pack(showing.board),
        dealer=pack(showing.dealer),
        made=made,
        sharers=[] if command.close else sharers,
        closing=closing,
        bonus=pack(showing.bonus),
        counted=counted,
    )


def _hands_shown(showing: ShownCards) -> list[HandShown]:
    """The hands as they are journalled, and after them the seats whose players left (P6)."""
    shown = [hand for seat in showing.seats for hand in seat.shown]
    if showing.left:
        shown += [HandShown(seat.number, player=seat.player, abandoned=True) for seat in showing.left]
    return shown


def decide_close(state: BankState, table: Table, command: Close, context: FrameContext) -> Closed:
    """Closes the round: seats not settled have lost; shared awards and the Lucky Bonus are made (T5, A7).

    A wager on the dealer's hand is never lost unseen: that hand is shown first, or people strike it (T8).
    """
    round_ = _find_locked(table, command.round)
    if not round_.dealer and round_.on_dealer():
        raise Refusal("dealer_wagers_unpaid")
    if round_.abandoned:
        claims.check_answered(round_)
    if round_.offers:
        claims.check_offers(state, table, round_, [], claims.common_of(round_), close=True)
    closing = _closing(table, _counts(state, table, command))
    pays = bool(round_.sharers or round_.draws or round_.dealer or round_.offers)
    if not pays and not mystery.counts(state, round_):
        return Closed(round_.id, closing, Settlement())  # nothing is left to pay
    tally = AwardTally(state, table, round_)
    common = claims.common_of(round_)
    showing = ShownCards([], common.board, common.dealer, common.bonus)
    _pay_at_close(tally, [*round_.sharers, *_pay_turns(tally, showing)], showing)
    made = _with_late_takes(state, tally)
    return Closed(round_.id, closing, made, _count(tally, context))


def _count(tally: AwardTally, context: FrameContext) -> list[LevelCounted]:
    """Counts the wagers on mystery levels, last of all: nothing may refuse the close any more (Y3, Y9).

    What they win joins the settlement, whose hits and takes are those of the tally.
    """
    if not mystery.counts(tally.state, tally.round):
        return []
    return mystery.count(tally, context.chance, context.triggers)


def decide_void(state: BankState, table: Table, command: Void, _around: FrameContext) -> Voided:
    """Voids the round at the table's own request; a reopened one takes people (T6)."""
    named = command.settles or ()
    _check_settles(state, table, command.cause, named)
    round_ = find_round(table, command.round)
    settles = _settled_in_void(state, table, round_, named) if named else []
    if round_.reopened:
        two_people(People(), KNOWN_CARDS)
    return voided(
        state, table, command.round, command.reason, People(), cause=command.cause or "", settles=settles
    )


def _check_settles(state: BankState, table: Table, cause: VoidCause | None, named: Collection[str]) -> None:
    """Refuses a void that lets other wagers be settled than Trips, or for another cause than SETTLES (P5)."""
    refuse_if(bool(named) and cause not in SETTLES, "void_settles_for_no_cause", causes=sorted(SETTLES))
    for terms in (state.link(number).terms for number in table.links):
        other = terms.link in named and not is_trips(terms, table.terms.game)
        refuse_if(other, "void_settles_no_trips", link=terms.link)


def _settled_in_void(state: BankState, table: Table, round_: Round, named: Iterable[str]) -> list[int]:
    """The numbers of the links whose wagers a void lets be settled; refused where that is too late (P5)."""
    if round_.state == "open":
        raise Refusal("round_not_locked")
    numbers = [link_number(state, table, name) for name in dict.fromkeys(named)]
    refuse_if(bool(round_.settlings), "void_after_settling")
    for number in numbers:
        absent = number not in round_.links()
        refuse_if(absent, "no_wager_on_link", link=state.link(number).terms.link)
    return numbers


def voided(
    state: BankState,
    table: Table,
    round_id: str,
    reason: str,
    people: People,
    *,
    undo_final: bool = False,
    cause: str = "",
    settles: Collection[int] = (),
) -> Voided:
    """Returns every wager of the round, unless an award of it stands (T6). people: none for a table.

    undo_final: the awards of offers that were final at once are undone with it (B15). cause, settles: as in
    `Voided`.
    """
    round_ = find_round(table, round_id)
    standing = [award for number in round_.hits for award in state.hits[number].awards if award.stands()]
    gone = [award for award in standing if undo_final and _final_of_offer(state, award)]
    left = tuple(dict.fromkeys(award.hit for award in standing if award not in gone))
    if left:
        raise Refusal("round_has_awards", left)
    made = zip(round_.bets, round_.seqs, strict=True)
    recomputed = without_bets(state, round_, [one for one in made if one[0].link not in settles])
    recomputed.changes.extend(without_awards(state, gone).changes)
    undone = [award.number for award in gone]
    return Voided(table.number, round_.id, reason, recomputed, people, undone, cause, list(settles))


def _final_of_offer(state: BankState, award: Award) -> bool:
    return award.status == "final" and state.link(award.link).terms.offer


def _find_locked(table: Table, round_id: str) -> Round:
    round_ = find_round(table, round_id)
    if round_.state == "open":
        raise Refusal("round_not_locked")
    if round_.state == "mismatch":
        raise Refusal("chip_count_differs")
    return round_


def _closing(table: Table, counted: WagerCounts) -> Closing:
    """The round's end, with the server's counts of every link where the table's differ (S6, B3)."""
    if not counted.wagers and not counted.sums:
        return Closing(counted.wagers)
    ours = _differing(counted.wagers, table.counts)
    return Closing(counted.wagers, ours, counted.sums, _differing(counted.sums, table.sums))


def _differing(table_counts: Mapping[int, int], server_counts: Mapping[int, int]) -> dict[int, int]:
    """Ours, by link, where they are not what the table says."""
    return {
        number: server_counts.get(number, 0)
        for number in table_counts
        if server_counts.get(number, 0) != table_counts[number]
    }


def _counts(state: BankState, table: Table, command: Settle | Close) -> WagerCounts:
    """The table's own counts of its lifetime, by link (S6)."""
    if not command.counts and not command.sums:
        return WagerCounts()
    counts, sums = (
        {link_number(state, table, name): count for name, count in (said or {}).items()}
        for said in (command.counts, command.sums)
    )
    wagered = {number: from_cents(sums[number]) for number in sorted(sums)}
    return WagerCounts(dict(sorted(counts.items())), wagered)


def _pay_turns(tally: AwardTally, showing: ShownCards) -> list[Sharer]:
    """Pays the hands shown, each at its seat's turn; returns those that wait for the close (T4-T6)."""
    round_ = tally.round
    sharers: list[Sharer] = []
    dealt = _dealer_turns(round_, showing)
    for seat in showing.seats:
        while dealt and (dealt[0][0] >= seat.number or seat.late):
            _pay_dealer(tally, showing, *dealt.pop(0), sharers)
        _pay_seat(tally, seat, sharers)
        if round_.draws:
            _pay_draws(tally, seat.number, seat.cards, showing.board)
    for turn in dealt:
        _pay_dealer(tally, showing, *turn, sharers)
    return sharers


def _dealer_turns(round_: Round, showing: ShownCards) -> list[tuple[int, int]]:
    """The seats at whose turns the dealer's hand is paid, by link: the first that wagered (A6).

    It is paid once, when the round's hands are settled; a round without any settles it at its close. They
    are in payout order, those of one seat by the links' numbers.
    """
    if not showing.dealer or round_.settlings:
        return []
    players = [(_dealer_players(round_, number), number) for number in sorted(round_.links())]
    return sorted([(seats[0], number) for seats, number in players if seats], key=lambda turn: -turn[0])


def _dealer_players(round_: Round, link: int) -> tuple[int, ...]:
    seats = {bet.seat for bet in round_.bets if bet.dealer and bet.link == link}
    return tuple(sorted(seats - round_.lost(), reverse=True))


def _moment(round_: Round, seat: int, *, late: bool = False) -> int:
    """The moment of a seat's turn: 0 for now. late: as in `Seat`.

    That of a missed hand is the entry in which a lower seat, or a fold after the others, was first settled,
    else the close (T10, B8).
    """
    if not round_.reopened:
        return 0
    lowest, folds = SEATS_MAX + 1, False
    for settling in round_.settlings:
        if not settling.seats:
            return settling.seq
        for settled in settling.seats:
            folds = folds or settled > lowest
            lowest = min(lowest, settled)
            if (folds, -settled) > (late, -seat):
                return settling.seq
    raise Refusal("round_never_closed")


def _pay_dealer(
    tally: AwardTally, showing: ShownCards, seat: int, number: int, sharers: list[Sharer]
) -> None:
    link, ranked = tally.link(number), claims.dealer_ranked(tally.state, tally.table, number, showing)
    winner = WinningHand(0, ranked.name, False, _dealer_players(tally.round, number))
    row, _ = tally.rows(number, ranked)
    if row is None:
        return
    for player in winner.players:
        tally.check_stays(player)
    if not isinstance(row.pays, Percent):
        tally.pay_row(link, row, winner, 0)
    elif link.terms.simultaneous == "order":
        tally.take(link, row.pays, [winner], _order(seat, dealer=True), _moment(tally.round, seat))
    else:
        sharers.append(_sharer(link, row, winner))


def _pay_seat(tally: AwardTally, seat: Seat, sharers: list[Sharer]) -> None:
    """Pays a seat's own wagers by their rows, and the envy that its hand earns others (A5, T8)."""
    if seat.folded and not seat.cards:
        return
    for number in tally.table.links:
        ranked = seat.ranked.get(number)
        if ranked is None:
            continue
        row, envy = tally.rows(number, ranked)
        if row is not None or envy is not None:
            _pay_hand(tally, seat, tally.link(number), ranked, sharers)


def _pay_hand(tally: AwardTally, seat: Seat, link: Link, ranked: Ranked, sharers: list[Sharer]) -> None:
    """Pays a hand that a row names on a link, and what it earns others."""
    row, _ = tally.rows(link.number, ranked)
    forfeited = seat.folded and link.terms.forfeits(tally.table.terms.game)
    if row is not None and (forfeited or (seat.number, link.number) not in tally.own):
        row = None
    unverified = link.number in seat.unverified
    because = seat.beaten if link.terms.hand_kind == "beaten" else 0
    winner = WinningHand(
        seat.number, ranked.name, unverified, (seat.number,), player=seat.player, because=because
    )
    hit = None
    shared = row is not None and isinstance(row.pays, Percent) and link.terms.simultaneous == "share"
    if row is not None and not shared:
        if isinstance(row.pays, Percent):
            order = _order(seat.number, dealer=False, late=seat.late)
            moment = _moment(tally.round, seat.number, late=seat.late)
            hit = tally.take(link, row.pays, [winner], order, moment)[0]
        else:
            hit = tally.pay_row(link, row, winner, 0)
    hit = tally.pay_envy(link, ranked, winner, hit)
    if row is not None and shared:
        if hit is not None:
            winner = winner._replace(hit=hit.number)
        sharers.append(_sharer(link, row, winner))


def _pay_draws(tally: AwardTally, seat: int, cards: Collection[int], board: Collection[int]) -> None:
    """Pays the seat's Magic Card and Lucky Bonus, once, however many wagers it has (A7)."""
    for draw in tally.round.draws:
        played = any(bet.seat == seat and bet.link == draw.link for bet in tally.round.bets)
        if not played or seat in tally.lost:
            continue
        link = tally.link(draw.link)
        if draw.magic in cards or draw.magic in board:
            tally.pay_draw(link, seat, MAGIC_CARD, link.terms.magic_for)
        if draw.lucky == seat:
            tally.pay_draw(link, seat, LUCKY_BONUS, link.terms.lucky_for)


def _pay_at_close(tally: AwardTally, sharers: list[Sharer], showing: ShownCards) -> None:
    """Pays shared awards row by row, highest first, each after the reseed of the row before (T5).

    Missed hands join their row's award as if at the first close (T10). Then the draws of seats left out, or
    settled before the card was on the board (A7), and what the close itself decides (B10, B13).
    """
    closed = (settling.seq for settling in tally.round.settlings if not settling.seats)
    moment = next(closed) if tally.round.reopened else 0
    for number, row in sorted({(sharer.link, sharer.row) for sharer in sharers}):
        link = tally.link(number)
        pays = link.terms.rows[row].pays
        winners = [_winner(tally, sharer) for sharer in sharers if (sharer.link, sharer.row) == (number, row)]
        # Those who bet on the dealer's hand may all have left since it was shown (P6).
        winners = [winner for winner in winners if winner.players]
        if isinstance(pays, Percent) and winners:
            tally.take(link, pays, winners, SHARED_FROM + row, moment)
    drawn = {bet.seat for bet in tally.round.bets} if tally.round.draws else set()
    for seat in sorted(drawn, reverse=True):
        _pay_draws(tally, seat, (), showing.board)
    if common := decided_at_close(tally.state, tally.table, tally.round):
        _pay_common(tally, common, showing)


def _pay_common(tally: AwardTally, links: list[int], showing: ShownCards) -> None:
    """Pays, in payout order, every wager on offers that one hand decides for all seats (B10, B13)."""
    won: dict[int, tuple[PaytableRow, str]] = {}
    for number in links:
        ranked = claims.ranked_at_close(tally.link(number).terms, tally.round, showing)
        row, _ = tally.rows(number, ranked)
        if row is not None:
            won[number] = row_for(row, tally.round.players), ranked.name
    for seat in sorted({bet.seat for bet in tally.round.bets}, reverse=True):
        for number, (row, hand) in won.items():
            if (seat, number) in tally.own:
                tally.pay_row(tally.link(number), row, WinningHand(seat, hand, False, (seat,)), 0)


def _sharer(link: Link, row: PaytableRow, winner: WinningHand) -> Sharer:
    """A hand that shares its row's award at the close (T5)."""
    index = link.terms.rows.index(row)
    return Sharer(
        winner.seat, link.number, index, winner.hand, winner.unverified, winner.seat == 0, winner.hit
    )


def _winner(tally: AwardTally, sharer: Sharer) -> WinningHand:
    players = _dealer_players(tally.round, sharer.link) if sharer.dealer else (sharer.seat,)
    return WinningHand(sharer.seat, sharer.hand, sharer.unverified, players, sharer.hit)


def _with_late_takes(state: BankState, tally: AwardTally) -> Settlement:
    """The settlement, with the sums of takes made in the past and what these change (T10, A11)."""
    settlement = tally.settlement()
    if not tally.late:
        return settlement

    def inserting(link: Link, level: Level) -> Edit:
        keys = (link.number, level.number)
        return lambda history: _insert_late(
            history, tally.round, [late for late in tally.late if (late[0].link, late[0].level) == keys]
        )

    links = [(state.link(take.link), take.level) for take, _ in tally.late]
    levels = {(link.number, number): (link, link.levels[number - 1]) for link, number in links}
    made, amounts = recompute(
        (link, level, inserting(link, level)) for _, (link, level) in sorted(levels.items())
    )
    fresh = {award.number: award for _, awards in tally.late for award in awards}
    for number, award in fresh.items():
        award.amount = amounts[number]
    others = [entry for entry in made.raised if entry[0] not in fresh]
    return Settlement(settlement.hits, settlement.takes, Recomputed(made.changes, others, made.left))


def _insert_late(history: History, round_: Round, late: Iterable[tuple[TakeMade, list[Award]]]) -> None:
    """Inserts takes into the past, at their turn."""
    for take, awards in late:
        shares = [AwardShare(award.number, award.amount, award.dealer) for award in awards]
        wagers = round_.wagers_at(take.moment, take.link)
        history.insert((take.moment, take.order), MeterTake(take.rate, shares), wagers)
