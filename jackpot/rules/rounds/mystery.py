"""Mystery levels: meters that must hit by a sum, and all that is different for their links (Y1-Y4, Y11).

Their wagers move no meter before their round is closed. Then they count one after the other, and the one that
lifts the meter to the trigger wins it, whatever the cards. The trigger is drawn as it goes: each wager that
lifts the meter to where nothing was decided yet draws a number for itself. That is the same as one number of
the whole range, drawn before, of which nobody knows anything. A level that is committed has such a number:
the state has its commitment alone, and what keeps it says whether a meter has reached it (Y9, Y12).

What counted is a fact. Nothing later makes another wager the winner: so nothing here is recomputed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from jackpot.rules import meter, outgoing_messages
from jackpot.rules.chance import Chance
from jackpot.rules.commitment import CommitmentId, drawn_from, opens, uniform
from jackpot.rules.effects import Effects
from jackpot.rules.events import LevelChange, LevelCounted, TakeMade, TriggerCommitted, TriggerOpened
from jackpot.rules.invariant import invariant, require
from jackpot.rules.meter import Accounts
from jackpot.rules.money import BASIS_POINTS, floor_to_cent
from jackpot.rules.paytable import LevelTerms
from jackpot.rules.refusal import refuse_if
from jackpot.rules.rounds.awards import AwardTally
from jackpot.rules.state import (
    HITS_KEPT,
    Award,
    BankState,
    Commitment,
    CountedBet,
    HitShown,
    Level,
    Link,
    MysteryCycle,
    Placed,
    Round,
    Table,
)
from jackpot.rules.triggers import LastCommitment, TriggerSource

# Takes of mystery levels come after all others of their entry; each by the place of its wager (T5).
COUNTED_FROM: Final = 2000

# What a mystery award is called in place of a hand.
MYSTERY: Final = "mystery"

_NO_COMMITMENT: Final = "a committed level without a commitment"
NO_CYCLE: Final = "a mystery level without a cycle"


class _LevelCount(msgspec.Struct):
    """A level while a round is counted. meter, decided, terms: as the wagers before have left them."""

    link: Link
    level: Level
    meter: int
    decided: int
    terms: LevelTerms
    drawn: list[bytes]
    commitment: Commitment | None
    opened: list[TriggerOpened] = []
    committed: list[TriggerCommitted] = []
    wagers: int = 0


def is_counted(take: TakeMade) -> bool:
    """Whether it is the take of a mystery level."""
    return take.order >= COUNTED_FROM


def place_of(take: TakeMade) -> int:
    """The place of the wager that won it among those of its link in the round, from 0."""
    return take.order - COUNTED_FROM


def links_of(state: BankState, table: Table) -> list[Link]:
    """The table's mystery links, in their order."""
    return [link for link in map(state.link, table.links) if link.terms.form]


def counts(state: BankState, round_: Round) -> bool:
    """Whether the end of the round counts wagers on mystery levels: its first end, and only once (Y3)."""
    if not round_.reopened:
        for bet in round_.bets:  # each close of each table comes by here: no calls
            if state.links[bet.link - 1].terms.form:
                return True
    return False


def count(tally: AwardTally, chance: Chance, triggers: TriggerSource) -> list[LevelCounted]:
    """Counts the round's wagers one after the other, in payout order; what they win joins the tally (Y3).

    Nothing may refuse the close any more: what is drawn here is drawn for good.
    """
    _check_triggers(tally, triggers)
    levels = {
        link.number: [_begin_count(link, level) for level in link.levels]
        for link in links_of(tally.state, tally.table)
    }
    # No hand decides them: one at a seat that its player left counts, too (P6).
    wagered = {(bet.seat, bet.link) for bet in tally.round.bets if not bet.dealer}
    for seat in sorted({bet.seat for bet in tally.round.bets}, reverse=True):
        for number, counting in levels.items():
            if (seat, number) in wagered:
                for one in counting:
                    _count_wager(tally, one, seat, chance, triggers)
    return [
        LevelCounted(one.link.number, one.level.number, one.wagers, one.drawn, one.opened, one.committed)
        for counting in levels.values()
        for one in counting
        if one.wagers
    ]


def _begin_count(link: Link, level: Level) -> _LevelCount:
    cycle = cycle_of(level)
    return _LevelCount(
        link, level, level.accounts.primary, cycle.decided, cycle.terms, [], cycle.commitment, [], []
    )


def _check_triggers(tally: AwardTally, triggers: TriggerSource) -> None:
    """Refuses a close while a trigger that it may need is not to be had: the table sends it again (Y12)."""
    for link in links_of(tally.state, tally.table):
        if not is_committed(link) or all(bet.link != link.number for bet in tally.round.bets):
            continue
        for level in link.levels:
            running = running_of(level)
            missing = running is None or cycle_of(level).replace or triggers.missing(running.digest)
            refuse_if(missing, "trigger_missing", link=link.terms.link, level=level.terms.level)


def _count_wager(
    tally: AwardTally, counting: _LevelCount, seat: int, chance: Chance, triggers: TriggerSource
) -> None:
    """Counts one wager on a level: it decides only if it lifts the meter above all that was decided (Y2)."""
    place, link, level = counting.wagers, counting.link, counting.level
    counting.wagers += 1
    counting.meter += contribution_of(counting.terms, link.terms.wager)
    if counting.meter <= counting.decided:
        return
    hit_by = must_hit_sum(counting.terms)
    shown = min(counting.meter, hit_by)
    if not (
        _crossed(tally.state, counting, triggers) if counting.commitment else _drawn(counting, shown, chance)
    ):
        invariant(counting.meter < hit_by, "a mystery level must hit by its sum")
        counting.decided = counting.meter
        return
    amount = floor_to_cent(shown)
    number = tally.win(link, level, seat, MYSTERY, amount)
    tally.takes.append(TakeMade(link.number, level.number, BASIS_POINTS, COUNTED_FROM + place, [number]))
    counting.terms = level.terms
    counting.decided = counting.meter = counting.meter - amount + counting.terms.reseed
    if counting.commitment is not None:
        cycle = level.cycle + len(counting.opened)
        counting.commitment = _next_commitment(tally.state, counting, cycle, triggers)


def _drawn(counting: _LevelCount, shown: int, chance: Chance) -> bool:
    """Whether the number that the wager draws for itself wins (Y2, drawn)."""
    drawing = uniform(
        chance.raw(counting.link.number, counting.level.number),
        must_hit_sum(counting.terms) - counting.decided,
    )
    counting.drawn.append(drawing.raw)
    return drawing.value < shown - counting.decided


def _crossed(state: BankState, counting: _LevelCount, triggers: TriggerSource) -> bool:
    """Whether the meter has reached the trigger, which is opened then (Y2, committed)."""
    commitment = require(counting.commitment, _NO_COMMITMENT)
    if not triggers.crossed(commitment.digest, counting.meter):
        return False
    opened = opening(state, counting.link, counting.level, commitment, triggers)
    invariant(
        counting.decided < opened.value <= counting.meter, "the trigger was crossed before, or is not yet"
    )
    counting.opened.append(opened)
    return True


def _next_commitment(
    state: BankState, counting: _LevelCount, cycle: int, triggers: TriggerSource
) -> Commitment:
    """The commitment of the cycle that begins with what the meter shows now."""
    last = require(counting.commitment, _NO_COMMITMENT)
    made = triggers.commit(
        commitment_id(state, counting.link, counting.level, state.bank, cycle, last.number + 1),
        counting.meter,
        must_hit_sum(counting.terms),
    )
    made = require(made, "a trigger cannot be kept")
    invariant(made.number > last.number, "numbers of commitments grow")
    counting.committed.append(made)
    return Commitment(
        state.bank, cycle, made.number, made.digest, counting.meter, must_hit_sum(counting.terms)
    )


# Commitments (Y12).


def is_committed(link: Link) -> bool:
    """Whether the link's levels have triggers that are fixed before."""
    return link.terms.form == "committed"


def running_of(level: Level) -> Commitment | None:
    """The commitment of a level that was not opened yet."""
    found = None if level.mystery is None else level.mystery.commitment
    return found if found is not None and found.running else None


def commitment_id(
    state: BankState, link: Link, level: Level, bank: str, cycle: int, number: int
) -> CommitmentId:
    """What a commitment of the level is of, as its hash has it."""
    return CommitmentId(state.site, bank, link.terms.link, level.terms.level, cycle, number)


def opening(
    state: BankState, link: Link, level: Level, commitment: Commitment, triggers: TriggerSource
) -> TriggerOpened:
    """What opens a commitment. Raises InvariantError unless that is what it was made of."""
    trigger = triggers.opened(commitment.digest)
    which = commitment_id(state, link, level, commitment.bank, commitment.cycle, commitment.number)
    fits = opens(commitment.digest, which, trigger.salt, trigger.value)
    invariant(fits, f"{link.terms.link} {level.terms.level}: this opens another commitment")
    above, upto = commitment.above, commitment.upto
    drawn = drawn_from(trigger.raw, trigger.value - above - 1, upto - above)
    invariant(drawn, f"{link.terms.link} {level.terms.level}: the trigger is not what its bytes give")
    return TriggerOpened(trigger.salt, trigger.value, trigger.raw, above, upto)


def last_commitments(state: BankState) -> list[LastCommitment]:
    """The last commitment of each committed level; one without any has number 0, and nothing else."""
    commitments = []
    for link in state.links:
        if not is_committed(link):
            continue
        for level in link.levels:
            last = cycle_of(level).commitment or Commitment(state.bank, 0, 0, b"", 0, 0, running=False)
            which = commitment_id(state, link, level, last.bank, last.cycle, last.number)
            commitments.append(LastCommitment(which, last.digest, last.running))
    return commitments


def apply_counted(effects: Effects, table: Table, round_: Round, counted: Iterable[LevelCounted]) -> None:
    """Counts the wagers of a closed round; the awards are hits of the state already."""
    for made in counted:
        link = effects.state.link(made.link)
        bets = _in_payout_order(round_, made.link)
        invariant(len(bets) == made.wagers, f"round {round_.id} has other wagers than were counted")
        _apply_level(effects, table, round_, link, link.levels[made.level - 1], bets, made.committed)


def _apply_level(
    effects: Effects,
    table: Table,
    round_: Round,
    link: Link,
    level: Level,
    bets: Sequence[Placed],
    committed: Sequence[TriggerCommitted],
) -> None:
    won = {
        award.won[1] - COUNTED_FROM: award
        for number in round_.hits
        for award in effects.state.hits[number].awards
        if (award.link, award.level, award.kind) == (link.number, level.number, "meter")
    }
    cycle, accounts, next_ones = cycle_of(level), effects.meter(link, level), iter(committed)
    for place, bet in enumerate(bets):
        amount = contribution_of(cycle.terms, link.terms.wager)
        accounts.primary += amount
        accounts.wagers -= amount
        level.history.wagers += 1
        round_.counted.append(CountedBet(bet.seat, link.number, level.number, level.cycle, amount))
        if place in won:
            _reseed(effects, table, link, level, won[place])
            if is_committed(link):
                commit_to(effects.state, level, next(next_ones))
        else:
            cycle.decided = max(cycle.decided, accounts.primary)


def _reseed(effects: Effects, table: Table, link: Link, level: Level, award: Award) -> None:
    """Pays the award from the meter and begins the next cycle: its terms are those of now (Y1, Y11)."""
    cycle, accounts = cycle_of(level), effects.meter(link, level)
    hit = effects.state.hits[award.hit]
    hit.cycle = level.cycle
    before = accounts.primary
    accounts.awards += award.amount
    accounts.primary += level.terms.reseed - award.amount
    accounts.house -= level.terms.reseed
    level.cycle += 1
    level.hits += 1
    level.wins += award.amount
    changed = cycle.terms.must_hit_by != level.terms.must_hit_by
    cycle.terms, cycle.stake = level.terms, level.terms.reseed
    cycle.start = cycle.decided = accounts.primary
    shown = HitShown(
        hit=hit.number,
        table=table.terms.table,
        hand=hit.hand,
        amount=award.amount,
        at=effects.at,
        cycle=hit.cycle,
        seq=effects.seq,
        before=before,
        after=accounts.primary,
    )
    level.shown.append(shown)
    del level.shown[:-HITS_KEPT]
    effects.tell_link(link, outgoing_messages.hit_push(effects.state.bank, link, level.terms.level, shown))
    if changed:
        effects.tell_state(link)


def commit_to(state: BankState, level: Level, committed: TriggerCommitted) -> None:
    """The level is committed to a trigger between all that was decided and the sum by which it must hit."""
    cycle = cycle_of(level)
    cycle.commitment = Commitment(
        state.bank, level.cycle, committed.number, committed.digest, cycle.decided, must_hit_sum(cycle.terms)
    )
    cycle.replace, cycle.reached = False, None


def replace_triggers(link: Link) -> None:
    """No trigger of the link is played on any more: each is opened and replaced (Y8)."""
    for level in link.levels:
        cycle_of(level).replace = True


def raise_decided(level: Level, decided: int) -> None:
    """All up to there is decided: wagers of rows that were lost may have lifted the meter so high (Y8)."""
    cycle = cycle_of(level)
    if decided > cycle.decided:
        if cycle.commitment is not None and cycle.reached is None:
            cycle.reached = cycle.decided
        cycle.decided = decided


def _in_payout_order(round_: Round, link: int) -> list[Placed]:
    """The round's wagers on the link, as they count (Y3)."""
    return sorted((bet for bet in round_.bets if bet.link == link), key=lambda bet: -bet.seat)


# What people and tables undo later (Y4).


class _LevelRefund(NamedTuple):
    """What a level gives back: from the running meter, from the overflow by cycle, and from the house."""

    wagers: int
    meter: int
    overflow: dict[int, int]
    house: int


def refunded(state: BankState, round_: Round, bets: Collection[Placed]) -> list[LevelChange]:
    """The changes of mystery levels by where these wagers go back (Y4): none where they have not counted."""
    return [
        LevelChange(
            link,
            level,
            Accounts(
                primary=-gone.meter,
                overflow=-sum(gone.overflow.values()),
                house=-gone.house,
                wagers=gone.meter + sum(gone.overflow.values()) + gone.house,
            ),
        )
        for (link, level), gone in _refunds(state, round_, bets).items()
    ]


def apply_refunded(state: BankState, round_: Round, bets: Collection[Placed]) -> None:
    """Counts these wagers of the round no more; the accounts are moved besides, by `refunded`."""
    for (link, number), gone in _refunds(state, round_, bets).items():
        level = state.link(link).levels[number - 1]
        level.history.wagers -= gone.wagers
        cycle = cycle_of(level)
        for of, amount in gone.overflow.items():
            cycle.undone[of] -= amount
            if not cycle.undone[of]:
                del cycle.undone[of]
    seats = {(bet.seat, bet.link) for bet in bets}
    round_.counted = [one for one in round_.counted if (one.seat, one.link) not in seats]


def _refunds(
    state: BankState, round_: Round, bets: Collection[Placed]
) -> dict[tuple[int, int], _LevelRefund]:
    """By link and level, what gives these wagers back, of a round that counted (Y4).

    The running meter gives what was added to it; the overflow, as far as it holds the award of that cycle
    that was undone, what was added before; the house the rest.
    """
    seats = {(bet.seat, bet.link) for bet in bets}
    levels: dict[tuple[int, int], list[CountedBet]] = defaultdict(list)
    for one in round_.counted:
        if (one.seat, one.link) in seats:
            levels[one.link, one.level].append(one)
    found = {}
    for key, counted in sorted(levels.items()):
        level = state.link(key[0]).levels[key[1] - 1]
        by_cycle: dict[int, int] = defaultdict(int)
        for one in counted:
            by_cycle[one.cycle] += one.amount
        running = min(by_cycle.pop(level.cycle, 0), level.accounts.primary)
        held, overflow = level.accounts.overflow, dict[int, int]()
        for of, amount in by_cycle.items():
            gives = min(amount, cycle_of(level).undone.get(of, 0), held)
            held -= gives
            if gives:
                overflow[of] = gives
        total = sum(one.amount for one in counted)
        house = total - running - sum(overflow.values())
        found[key] = _LevelRefund(len(counted), running, overflow, house)
    return found


def without_award(state: BankState, award: Award) -> LevelChange:
    """The change by which an award is undone: its sum goes to the overflow, no cycle is joined (Y4).

    What the house paid towards it, when people raised it, goes back to the house (A10).
    """
    lent = cycle_of(level_of(state, award)).lent.get(award.number, 0)
    change = Accounts(awards=-award.amount, overflow=award.amount - lent, house=lent)
    return LevelChange(award.link, award.level, change)


def apply_undone(state: BankState, award: Award) -> None:
    """Keeps what the undone award gave to the overflow for refunds of its cycle's wagers (Y4)."""
    cycle, of = cycle_of(level_of(state, award)), state.hits[award.hit].cycle
    given = award.amount - cycle.lent.pop(award.number, 0)
    if given:
        cycle.undone[of] = cycle.undone.get(of, 0) + given


def corrected(state: BankState, award: Award, difference: int) -> LevelChange:
    """The change by which people raise or lower an award (A10): the running cycle stays as it is.

    The house pays what is raised. What is lowered goes back to it first, and then to the overflow.
    """
    lent = cycle_of(level_of(state, award)).lent.get(award.number, 0)
    back = min(max(0, -difference), lent)
    overflow = max(0, -difference) - back
    change = Accounts(awards=difference, overflow=overflow, house=back - max(0, difference))
    return LevelChange(award.link, award.level, change)


def apply_corrected(state: BankState, award: Award, difference: int) -> None:
    """Keeps what the house paid towards the award."""
    lent = cycle_of(level_of(state, award)).lent
    left = max(0, lent.get(award.number, 0) + difference)
    lent.pop(award.number, None)
    if left:
        lent[award.number] = left


def apply_moved(level: Level, *, ends: bool) -> None:
    """After people moved a level's money: what lifts the meter decides nothing, and is decided then (Y11).

    ends: all of it was taken away, and the house has its own back (L8).
    """
    cycle = cycle_of(level)
    lifted = level.accounts.primary > cycle.decided
    if lifted and cycle.commitment is not None and cycle.reached is None:
        cycle.reached = cycle.decided
    cycle.decided = max(cycle.decided, level.accounts.primary)
    cycle.replace |= lifted and cycle.commitment is not None
    if ends:
        cycle.stake = 0
        cycle.undone = {}


def without_history(level: Level, kept: Collection[int]) -> MysteryCycle | None:
    """The running cycle as another bank takes it over: nothing of before is reopened or undone there.

    kept: the awards that may still be corrected there (A10).
    """
    if level.mystery is None:
        return None
    lent = {award: more for award, more in level.mystery.lent.items() if award in kept}
    return replace(level.mystery, undone={}, lent=lent)


def taken_over(cycle: MysteryCycle, by: int) -> MysteryCycle:
    """The same in the next bank, whose awards have numbers that are higher by so much."""
    return replace(cycle, lent={award + by: more for award, more in cycle.lent.items()})


def level_of(state: BankState, award: Award) -> Level:
    """The level that an award was won on."""
    return state.link(award.link).levels[award.level - 1]


def is_mystery(state: BankState, award: Award) -> bool:
    """Whether it is the award of a mystery level."""
    return award.level > 0 and state.link(award.link).terms.mystery


def cycle_of(level: Level) -> MysteryCycle:
    """The running cycle of a mystery level. Raises InvariantError where it is none."""
    return require(level.mystery, NO_CYCLE)


def first_cycle(terms: LevelTerms) -> MysteryCycle:
    """The first cycle of a new level."""
    return MysteryCycle(terms, terms.seed, terms.seed, terms.seed)


# Terms (Y1).


def must_hit_sum(terms: LevelTerms) -> int:
    """The sum by which a mystery level must hit. Raises InvariantError where it is none."""
    return require(terms.must_hit_by, NO_CYCLE)


def contribution_of(terms: LevelTerms, wager: int) -> int:
    """What one wager adds to a level's meter; micro-dollars."""
    return meter.parts(terms, wager)[0]
