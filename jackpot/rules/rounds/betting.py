"""Wagers before the cards: placing, withdrawing and locking, decided and applied (T1-T3, T9, L11)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Literal, Protocol

import msgspec
from msgspec.structs import replace

from controllers.messages import Bet, Lock, Unbet, Wager, Withdraw
from jackpot.rules import names, outgoing_messages
from jackpot.rules.cards import DECK
from jackpot.rules.chance import NO_CHANCE, Chance
from jackpot.rules.commands import RawDraws
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, Locked, Locking, Wagered, Withdrawn
from jackpot.rules.invariant import invariant, require
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.outcome import AnswerBuilder
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.refusal import CODES, Refusal, refuse_if
from jackpot.rules.rounds.apply import NO_TABLE, forget, take_back, unfinished
from jackpot.rules.rounds.offers import take_wagers
from jackpot.rules.rounds.recompute import PlacedWager, without_bets
from jackpot.rules.state import BankState, DrawMade, Link, Placed, Round, Table
from jackpot.rules.triggers import NO_TRIGGERS, TriggerSource

# One frame of 65,536 bytes holds a welcome: with the round, and the last answer, which may list 192 awards.
ROUND_BETS_MAX: Final = 64

# In C, for it is asked at every lock.
_LEVELS: Final = attrgetter("levels")

# How long a table opens and locks no new round, once a person has asked to reopen the last one (T10).
ASKED_HOLDS_MS: Final = 15 * 60_000


class FrameContext(msgspec.Struct, frozen=True, gc=False):
    """Everything besides the command and the state that decides. draws: raw random numbers, by link (A7).

    chance, triggers: what a close draws from, and asks, for mystery levels (Y2). asked_ms: as in `Wagered`.
    rounds_lately: opened by the table in the last minute (L11). tick: now.
    """

    draws: Mapping[str, RawDraws]
    asked_ms: int = 0
    rounds_lately: int = 0
    tick: int = 0
    chance: Chance = NO_CHANCE
    triggers: TriggerSource = NO_TRIGGERS


class WagerCounts(msgspec.Struct, frozen=True):
    """Wagers of a round as somebody counted them, by link. sums: what they come to, in micro-dollars (B3)."""

    wagers: dict[int, int] = {}
    sums: dict[int, int] = {}


class AtSeat(Protocol):
    """A wager or a hand at a seat, with its player where one was named (T9)."""

    @property
    def seat(self) -> int: ...
    @property
    def player(self) -> str | None: ...


def link_number(state: BankState, table: Table, name: str) -> int:
    """The number of one of the table's links; refused as `unknown_link`."""
    for number in table.links:
        if state.link(number).terms.link == name:
            return number
    raise _no_link(table, name)


def find_round(table: Table, round_id: str) -> Round:
    """The unfinished round of that id; refused as `no_such_round`."""
    round_ = table.find(round_id)
    if round_ is None:
        ended = round_id == table.ended
        raise Refusal("round_ended_already" if ended else "round_not_unfinished", round=round_id)
    return round_


def decide_wager(state: BankState, table: Table, command: Wager, context: FrameContext) -> Wagered:
    """Accepts every bet of the frame or none."""
    bets, round_ = command.bets, table.find(command.round)
    if not bets:
        raise Refusal("no_bets")
    links = {link.terms.link: link for link in map(state.link, table.links)}
    placed, faults = _placed(table, round_, bets, links)
    check_players(table, [*round_.bets, *bets] if round_ else bets)
    _check_round_for_wager(table, command.round)
    players = 0
    if command.lock and not all(map(_LEVELS, links.values())):
        players = _players(state, table, command.players, [*round_.bets, *placed] if round_ else placed)
    for name, link in links.items():
        if link.suspended and any(bet.link == name for bet in bets):
            raise Refusal("link_is_suspended", link=name, reasons=link.suspended)
    if round_ is None and table.held:
        raise Refusal("cards_must_stay")
    if asked_ms := context.asked_ms if round_ is None or command.lock else 0:
        _check_asked(asked_ms)
    chips = _chips(state, table, command.chips) if command.chips else {}
    sums = _sums(state, table, command.sums) if command.sums else {}
    if faults:
        raise min(faults, key=lambda fault: CODES.index(fault.code))
    limit = table.terms.max_rounds_per_minute
    if round_ is None and limit and context.rounds_lately >= limit:
        raise Refusal("too_many_rounds_a_minute", limit=limit)
    whole = [*round_.bets, *placed] if round_ else placed
    if len(whole) > ROUND_BETS_MAX:
        raise Refusal("too_many_bets", most=ROUND_BETS_MAX)
    locking = None
    if command.lock:
        wrong = disagreeing(state, table, whole, WagerCounts(chips, sums), {})
        drawn = _draw(state, table, whole, context.draws)
        locking = Locking(chips, drawn, wrong.wagers, sums, wrong.sums, players)
    counted = round_ is None and bool(limit)
    return Wagered(command.round, placed, locking, asked_ms, context.tick if counted else 0)


def _placed(
    table: Table, round_: Round | None, bets: tuple[Bet, ...], links: Mapping[str, Link]
) -> tuple[list[Placed], list[Refusal]]:
    """The wagers by link number, checked: at a seat of the table, of an amount of the link, each once (T2).

    Also returns what is wrong with them, since other refusals come before those. Raises those that come first
    of all.
    """
    takes = {name: (link.number, to_cents(link.terms.wager), link.terms.most) for name, link in links.items()}
    taken = {(bet.seat, bet.link, bet.dealer) for bet in round_.bets} if round_ else set()
    placed, seats, faults = [], table.terms.seats, list[Refusal]()
    for bet in bets:
        if (found := takes.get(bet.link)) is None:
            faults.append(_no_link(table, bet.link))
            continue
        number, cents, most = found
        dealer = bet.on == "dealer"
        place = bet.seat, number, dealer
        if dealer and not _takes_dealer(links[bet.link], table):
            raise Refusal("link_without_dealer_wagers", link=bet.link)
        if bet.seat > seats:
            faults.append(_no_seat(table, bet.seat))
        elif bet.amount != cents and not (most and links[bet.link].terms.takes(from_cents(bet.amount))):
            faults.append(_wrong_amount(links[bet.link].terms, bet.amount))
        elif place in taken:
            faults.append(Refusal("wager_made_already", seat=bet.seat))
        taken.add(place)
        placed.append(Placed(bet.seat, number, dealer, bet.player, from_cents(bet.amount) if most else 0))
    return placed, faults


def _wrong_amount(terms: LinkTerms, cents: int) -> Refusal:
    """The refusal of an amount, with those that the link takes (T2, B3); cents."""
    least, most, unit = map(to_cents, (terms.wager, terms.most, terms.unit))
    if not most:
        return Refusal("amount_not_exact", amount=cents, link=terms.link, exact=least)
    bounds = {"least": least, "most": most, "unit": unit}
    return Refusal("amount_out_of_bounds", amount=cents, link=terms.link, **bounds)


def decide_withdraw(state: BankState, table: Table, command: Withdraw, _around: FrameContext) -> Withdrawn:
    """Takes wagers back before the lock (T2)."""
    round_ = find_round(table, command.round)
    refuse_if(round_.state != "open", "no_withdrawal_after_lock")
    wagers = find_bets(state, table, round_, command.bets)
    return Withdrawn(round_.id, [bet for bet, _ in wagers], without_bets(state, round_, wagers))


def find_bets(state: BankState, table: Table, round_: Round, named: Iterable[Unbet]) -> list[PlacedWager]:
    """The wagers named; refused as `unknown_link`, `unknown_seat` or `no_wager`."""
    keys = [(bet.seat, link_number(state, table, bet.link), bet.on == "dealer") for bet in named]
    for seat, _, _ in keys:
        if seat > table.terms.seats:
            raise _no_seat(table, seat)
    refuse_if(len(set(keys)) < len(keys), "wager_named_twice")
    made = zip(round_.bets, round_.seqs, strict=True)
    standing = {(bet.seat, bet.link, bet.dealer): (bet, seq) for bet, seq in made}
    for key in keys:
        refuse_if(key not in standing, "no_such_wager", seat=key[0])
    return [standing[key] for key in keys]


def decide_lock(state: BankState, table: Table, command: Lock, context: FrameContext) -> Locked:
    """Locks the round; a second lock corrects the count and the number of players, no more (T3, B10).

    Once cards were shown, or a player has left (P6), a count that agreed stays: else a wager could be struck
    because it won or lost. So does the number of players, once cards were shown.
    """
    round_ = find_round(table, command.round)
    recount = round_.state != "open"
    closed = table.closed
    if closed is not None and closed.state != "closed" and not recount:
        raise Refusal("round_was_reopened", round=closed.id)
    players = 0
    if command.players is not None or round_.offers:
        players = _players(state, table, command.players, round_.bets, round_)
    if not recount:
        _check_asked(context.asked_ms)
    chips, sums = _chips(state, table, command.chips), _sums(state, table, command.sums)
    wrong = miscounted(state, table, round_, WagerCounts(round_.chips | chips, round_.sums | sums))
    if recount:
        if wrong.wagers:
            refuse_if(round_.begun(), "count_stays_after_cards")
            refuse_if(bool(round_.abandoned), "count_stays_when_abandoned", seats=sorted(round_.abandoned))
        locking = Locking(chips, [], wrong.wagers, sums, wrong.sums, players)
        return Locked(round_.id, locking, recount=True)
    drawn = _draw(state, table, round_.bets, context.draws)
    locking = Locking(chips, drawn, wrong.wagers, sums, wrong.sums, players)
    return Locked(round_.id, locking, asked_ms=context.asked_ms)


def _players(
    state: BankState, table: Table, stated: int | None, bets: Sequence[Placed], locked: Round | None = None
) -> int:
    """The number of players that the lock says, 0 for none; owed where a wager depends on it (B10).

    bets: of the whole round. locked: the round, where the lock may be its second.
    """
    offers = [bet.link for bet in bets if bet.amount]
    if stated is None or not offers:
        owed = locked is None or not locked.players
        for bet in bets if owed else ():
            terms = state.link(bet.link).terms
            refuse_if(terms.hand_kind == "best-of-table", "players_missing", link=terms.link)
        return 0
    least, most = len({bet.seat for bet in bets}), table.terms.seats
    refuse_if(not least <= stated <= most, "players_out_of_bounds", players=stated, least=least, most=most)
    if locked is not None and locked.begun():
        refuse_if(stated != locked.players, "players_stay_after_cards", players=locked.players)
    return stated


def miscounted(state: BankState, table: Table, round_: Round, counted: WagerCounts) -> WagerCounts:
    """The round's wagers on each link where the dealer's count is missing or disagrees with them (T3)."""
    return disagreeing(state, table, round_.bets, counted, round_.terms)


def disagreeing(
    state: BankState,
    table: Table,
    accepted: Iterable[Placed],
    counted: WagerCounts,
    played: Mapping[int, LinkTerms],
) -> WagerCounts:
    """The wagers on each link whose count, or sum, is missing or differs (T3, B3).

    Electronic wagers, and those on the layout, have no chips to count. played: on which terms, by link, where
    people have changed them since (L9).
    """
    differing = WagerCounts()
    for number in table.links:
        terms = played.get(number) or state.link(number).terms
        count, sum_ = counted.wagers.get(number), counted.sums.get(number)
        silent = count is None and sum_ is None and not terms.count_chips
        if silent or terms.electronic or terms.placed == "layout":
            continue
        placed = [bet.link for bet in accepted].count(number)
        if terms.most > terms.wager or sum_ is not None:
            wagered = sum(bet.wagered(terms) for bet in accepted if bet.link == number)
            if (count or 0, sum_ or 0) != (placed, wagered):
                differing.wagers[number], differing.sums[number] = placed, wagered
        elif (count or 0) != placed:
            differing.wagers[number] = placed
    return differing


def check_players(table: Table, seated: Iterable[AtSeat], *, whole: bool = True) -> None:
    """Checks that a seat has one player, and one player's boxes are neighbours within the table's limit (T9).

    seated: in order; one without a player says nothing. whole: no more is known of the round, so that no box
    between two others is still to come.
    """
    named = [(one.seat, one.player) for one in seated if one.player is not None]
    if len(named) < 2:
        return  # there is nobody to take them for
    owners: dict[int, str] = {}
    boxes: dict[str, set[int]] = {}
    for seat, player in named:
        known = owners.setdefault(seat, player)
        name = names.normal_form(player)
        boxes.setdefault(name, set()).add(seat)
        if player != known and name != names.normal_form(known):
            raise Refusal("seat_of_other_player", seat=seat, player=known)
    most = 1 if table.terms.game == "ultimate-texas-holdem" else table.terms.adjacent_boxes
    for seats in boxes.values():
        width = max(seats) - min(seats) + 1
        if width > most or (whole and width != len(seats)):
            raise Refusal("seats_not_adjacent", player=owners[max(seats)], most=most)


def _takes_dealer(link: Link, table: Table) -> bool:
    return link.terms.dealer_hand and table.terms.game == "ultimate-texas-holdem"


def _check_round_for_wager(table: Table, round_id: str) -> None:
    unfinished = table.unfinished()
    if unfinished is None:
        ended = (table.ended, table.closed.id if table.closed else "")
        refuse_if(round_id in ended, "round_has_ended")
        return
    refuse_if(unfinished.id != round_id, "round_not_finished", round=unfinished.id)
    refuse_if(unfinished.state != "open", "no_more_bets")


def _check_asked(asked_ms: int) -> None:
    """Refuses what would make the reopening too late, while a second person has not answered (T10)."""
    refuse_if(0 < asked_ms < ASKED_HOLDS_MS, "reopening_holds_table")


def _no_link(table: Table, name: str) -> Refusal:
    return Refusal("link_not_of_table", link=name, table=table.terms.table)


def _no_seat(table: Table, seat: int) -> Refusal:
    return Refusal("seat_above_table", seat=seat, most=table.terms.seats)


def _chips(state: BankState, table: Table, chips: Mapping[str, int] | None) -> dict[int, int]:
    if not chips:
        return {}
    counts = {link_number(state, table, name): count for name, count in chips.items()}
    return dict(sorted(counts.items()))


def _sums(state: BankState, table: Table, sums: Mapping[str, int] | None) -> dict[int, int]:
    """The dealer's sums by link, in micro-dollars (B3)."""
    return {number: from_cents(cents) for number, cents in _chips(state, table, sums).items()}


def _draw(
    state: BankState, table: Table, bets: Iterable[Placed], draws: Mapping[str, RawDraws]
) -> list[DrawMade]:
    """Makes the draws of a link: one chance in N a round each for the Magic Card and the Lucky Bonus (A7)."""
    made = []
    for number in sorted(table.links):
        terms = state.link(number).terms
        if not terms.magic_every and not terms.lucky_every:
            continue
        if number not in [bet.link for bet in bets]:
            continue
        invariant(terms.link in draws, f"no draw was made for link {terms.link}")
        draw, drawn = draws[terms.link], DrawMade(number)
        if terms.magic_every:
            fair = 0 <= draw.magic_chance < terms.magic_every and 0 <= draw.magic_card < DECK
            invariant(fair, f"no numbers for a Magic Card: {draw}")
            drawn.magic_chance, drawn.magic_card = draw.magic_chance, draw.magic_card
        if terms.lucky_every:
            fair = 0 <= draw.lucky_chance < terms.lucky_every and 1 <= draw.lucky_box <= table.terms.seats
            invariant(fair, f"no numbers for a Lucky Bonus: {draw}")
            drawn.lucky_chance, drawn.lucky_box = draw.lucky_chance, draw.lucky_box
        made.append(drawn)
    return made


def apply_wagered(effects: Effects, event: Wagered) -> None:
    """Raises every level at once (L6); a seat that carries a player does so for all its wagers (T9)."""
    table = require(effects.table, NO_TABLE)
    round_ = table.round
    if round_ is None:
        round_ = table.round = Round(event.round, "open", effects.seq)
    for place in event.bets if round_.seated else ():
        round_.seated.pop(place.seat, None)
    round_.bets += event.bets
    round_.seqs += [effects.seq] * len(event.bets)
    if owners := {bet.seat: bet.player for bet in round_.bets if bet.player is not None}:
        round_.bets = [replace(bet, player=owners.get(bet.seat)) for bet in round_.bets]
    links = [bet.link for bet in event.bets]
    for number in sorted(set(links)):
        count = links.count(number)
        table.counts[number] = table.counts.get(number, 0) + count
        link = effects.state.link(number)
        for level in link.levels if not link.terms.form else ():  # the round's end counts it (Y3)
            effects.rise(link, level, count)
        if not link.levels:
            take_wagers(effects, table, round_, link, event.bets)
    if event.locking is not None:
        _lock(effects, table, round_, event.locking)


def apply_withdrawn(effects: Effects, event: Withdrawn) -> None:
    """Changes the state to what it would be without the wagers (T2)."""
    table = require(effects.table, NO_TABLE)
    refunds = take_back(effects, unfinished(table, event.round), event.bets, event.recomputed)
    if any(bet.amount for bet in event.bets):
        effects.told.refunds = refunds


def apply_locked(effects: Effects, event: Locked) -> None:
    """Locks the round (T1), or corrects its count (T3)."""
    table = require(effects.table, NO_TABLE)
    if event.recount:
        round_ = unfinished(table, event.round)
        round_.chips |= event.locking.chips
        round_.sums |= event.locking.sums
        round_.players = event.locking.players or round_.players
        round_.state = apply_count(effects.told, event.locking.accepted)
        return
    _lock(effects, table, require(table.round, "a lock without a round"), event.locking)


def _lock(effects: Effects, table: Table, round_: Round, locking: Locking) -> None:
    if table.closed is not None:
        forget(effects, table.closed)
        table.closed = table.asked = None
    _fold(effects.state, table.links, effects.seq)
    round_.chips = dict(locking.chips)
    round_.sums = dict(locking.sums)
    round_.players = locking.players
    round_.draws = list(locking.draws)
    round_.state = apply_count(effects.told, locking.accepted)
    if round_.draws:
        effects.told.draw = outgoing_messages.drawn(effects.state, round_)


def apply_count(answer: AnswerBuilder, wrong: Collection[int]) -> Literal["locked", "mismatch"]:
    """The state after the count: locked, or waiting for a count that agrees (T3). wrong: by `miscounted`."""
    if not wrong:
        return "locked"
    answer.warn = ("chip_mismatch",)
    return "mismatch"


def _fold(state: BankState, links: Iterable[int], seq: int) -> None:
    """Folds the histories that have grown long, except what an open round still needs (A11).

    seq: of the entry that is applied.
    """
    for number in links:
        link = state.link(number)
        for level in link.levels:
            if len(level.history.points) > level.history.fold_at:
                break
        else:
            continue
        open_ = [
            round_.first_seq
            for other in state.tables
            if number in other.links
            for round_ in (other.round, other.closed)
            if round_ is not None
        ]
        needed = min(open_, default=seq)
        waits = {one.award for one in state.left}
        for level in link.levels:
            level.history.fold(needed, waits)


APPLIES: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {
    Wagered: apply_wagered,
    Withdrawn: apply_withdrawn,
    Locked: apply_locked,
}
"""What each event before the cards changes."""
