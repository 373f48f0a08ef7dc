"""What changes by the acts of people and of the server? Their events are applied here; nothing is refused."""

from typing import Final

from jackpot.rules import facts, witness
from jackpot.rules.apply_rounds import (
    forget,
    judge_count,
    recomputed_changes,
    retire,
    take_back,
    unfinished,
)
from jackpot.rules.effects import Change, Effects
from jackpot.rules.events import (
    BankOpened,
    Corrected,
    DeviceBlocked,
    DeviceCleared,
    KeyEnded,
    LinkOpened,
    Paid,
    ReadingTaken,
    Refused,
    Released,
    ReopenAsked,
    ReopenDeclined,
    Reopened,
    Resumed,
    Struck,
    Suspended,
    TableOpened,
    Undone,
    Validated,
)
from jackpot.rules.invariant import present
from jackpot.rules.meter import Accounts, opened
from jackpot.rules.money import to_cents
from jackpot.rules.recompute import correct, mark_undone
from jackpot.rules.state import Asked, Award, Hit, Level, Link, Table
from jackpot.rules.undo import BASE, History, Point, is_whole

# What tables and signs are told of a bank that came back from a backup, until two people resume it (S9).
RESTORED: Final = "restored"
# A link that opens while its bank is suspended for one of these is suspended, too.
OF_THE_BANK: Final = (witness.BEHIND, RESTORED)


def apply_bank_opened(effects: Effects, event: BankOpened) -> None:
    """The ledger knows whose it is."""
    effects.state.site = event.site


def apply_link_opened(effects: Effects, event: LinkOpened) -> None:
    """A link opens with its seeds, from the house (L4)."""
    state = effects.state
    link = Link(event.number, event.terms, [], Accounts())
    state.links.append(link)
    for number, terms in enumerate(event.terms.levels, 1):
        base = opened(terms)
        level = Level(number, terms, Accounts(), History(base.copy(), [Point(BASE)]))
        link.levels.append(level)
        effects.meter(link, level).add(base)
    for reason in OF_THE_BANK:
        if any(reason in other.suspended for other in state.links):
            effects.suspend(link, reason)


def apply_table_opened(effects: Effects, event: TableOpened) -> None:
    """A table joins, or changes its terms."""
    state = effects.state
    names = {link.terms.link: link.number for link in state.links}
    links = [names[name] for name in event.terms.links]
    if event.number <= len(state.tables):
        table = state.table(event.number)
        if table.closed is not None:
            forget(effects, table, table.closed)
            table.closed = table.asked = None
        table.terms, table.links = event.terms, links
    else:
        state.tables.append(Table(event.number, event.terms, links))


def apply_refused(effects: Effects, event: Refused) -> None:
    """A durable no; after an internal error its links stop (WIRE: internal)."""
    refusals = effects.state.refusals
    refusals[event.code] = refusals.get(event.code, 0) + 1
    name = effects.table.terms.table if effects.table else None
    if event.code in ("internal", "unreasonable"):
        effects.alarm(event.code, table=name, message=event.message)
    for number in event.suspended:
        effects.suspend(effects.state.link(number), event.code)


def apply_validated(effects: Effects, event: Validated) -> None:
    """Awards are validated; envy bonuses with their hand (A10)."""
    hit = effects.state.hits[event.hit]
    for award in _chosen(hit, event.awards):
        award.status = "validated"
    _tell(effects, hit, event.awards, "validated")


def apply_paid(effects: Effects, event: Paid) -> None:
    """Awards are paid; the table's cards are free once its cage awards are documented (T11)."""
    hit = effects.state.hits[event.hit]
    for award in _chosen(hit, event.awards):
        award.status = "paid"
        if award.level:
            history = _level(effects, award).history
            for share in history.shares():
                share.paid = share.paid or share.award == award.number
    _tell(effects, hit, event.awards, "paid")
    _finish(effects, hit)


def apply_undone(effects: Effects, event: Undone) -> None:
    """The state becomes what it would be without the awards; later ones may be raised (A11)."""
    state = effects.state
    hit = state.hits[event.hit]
    gone = _chosen(hit, event.awards)
    for award in gone:
        award.status = "undone"
        link = state.link(award.link)
        link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) - award.worth()
    for level in _levels(effects, gone):
        _undo_on(level, hit, gone)
    recomputed_changes(effects, event.recomputed)
    _tell(effects, hit, event.awards, "undone")
    _finish(effects, hit)


def _undo_on(level: Level, hit: Hit, gone: list[Award]) -> None:
    """Leave the awards out of the level's history and its counts (S1); join the cycle (L10)."""
    numbers = {award.number for award in gone if award.level == level.number}
    mark_undone(level.history, numbers)
    amount = sum(award.amount for award in gone if award.number in numbers)
    level.wins -= amount
    for shown in level.shown:
        if shown.hit == hit.number:
            shown.amount -= amount
    if any(award.level == level.number and award.stands() for award in hit.awards):
        return
    level.hits -= 1
    level.undone_hits += 1
    level.shown = [shown for shown in level.shown if shown.hit != hit.number]
    for point in level.history.points:
        take = point.take
        if take is None or not is_whole(take.rate):
            continue
        mine = any(share.award in numbers for share in take.shares)
        if mine and all(share.undone for share in take.shares):
            level.joined.append((hit.cycle, level.cycle))


def apply_corrected(effects: Effects, event: Corrected) -> None:
    """An award comes to another sum, and waits for its validation; a paid one stays as it is (A10)."""
    state = effects.state
    hit = state.hits.get(event.hit) or state.paid[event.hit]
    award = _chosen(hit, [event.award])[0]
    link = state.link(award.link)
    more = event.amount - award.worth()
    if award.level:
        level = _level(effects, award)
        correct(level.history, effects.seq, award, more)
        level.wins += more
    link.paid_by[award.pays] = link.paid_by.get(award.pays, 0) + more
    recomputed_changes(effects, event.recomputed)
    if award.settled():
        award.difference += more
        effects.told.difference = to_cents(more)
    else:
        award.amount, award.status = event.amount, "pending"
        for shown in _level(effects, award).shown if award.level else ():
            shown.amount += more if shown.hit == hit.number else 0
        effects.awarded.add(award.link)
        effects.tell_table(state.table(hit.table), facts.award_push(state, award))
    effects.told.awards = (facts.award_facts(state, award),)


def apply_released(effects: Effects, event: Released) -> None:
    """The cards may go (T11)."""
    table = effects.state.table(event.table)
    table.held = []
    for number in event.hits:
        hit = effects.state.hits.get(number)
        if hit is not None:
            effects.tell_status(hit, "released")


def apply_struck(effects: Effects, event: Struck) -> None:
    """One wager fewer; the count may agree now (T3)."""
    table = effects.state.table(event.table)
    round_ = unfinished(table, event.round)
    effects.told.refunds = take_back(effects, round_, [event.bet], event.recomputed)
    judge_count(effects, table, round_)
    effects.tell_round(table, round_)


def apply_reopened(effects: Effects, event: Reopened) -> None:
    """A closed round may be voided, or a missed hand settled (T10)."""
    table = effects.state.table(event.table)
    round_ = present(table.closed, "a reopening without a closed round")
    table.asked = None
    round_.state = "locked"
    round_.reopened = True
    effects.tell_round(table, round_)


def apply_reopen_asked(effects: Effects, event: ReopenAsked) -> None:
    """The table opens no new round until a second person answers (T10).

    The time for it counts from the first asking: a round that is asked for again holds its table no longer.
    """
    table = effects.state.table(event.table)
    table.asked = table.asked or Asked("", False, effects.seq, event.tick)
    table.asked.name, table.asked.proved = event.people.names[0], event.people.proved
    effects.told.asked = True


def apply_reopen_declined(effects: Effects, event: ReopenDeclined) -> None:
    """The round stays closed, and may be asked for again."""
    present(effects.state.table(event.table).asked, "an answer to what nobody asked").name = ""


def apply_suspended(effects: Effects, event: Suspended) -> None:
    """Links take no wagers."""
    for number in event.links:
        effects.suspend(effects.state.link(number), event.reason)


def apply_resumed(effects: Effects, event: Resumed) -> None:
    """Links take wagers again, if nothing else holds them; what tables said may be confirmed with it (S9)."""
    for number in event.links:
        effects.resume(effects.state.link(number), event.reason)
    for believed in event.believed:
        witness.believe(effects, believed)


def apply_reading(effects: Effects, event: ReadingTaken) -> None:
    """A gaming day's reading is in the journal (S2)."""
    effects.state.last_day = event.day


def apply_device_blocked(effects: Effects, event: DeviceBlocked) -> None:
    """Two devices use one key: neither is let in."""
    key = (event.role, event.device)
    if key not in effects.state.blocked:
        effects.state.blocked.append(key)
    effects.alarm("device_conflict", role=event.role, device=event.device)


def apply_device_cleared(effects: Effects, event: DeviceCleared) -> None:
    """An operator lets the device in again."""
    effects.state.blocked.remove((event.role, event.device))


def apply_key_ended(effects: Effects, event: KeyEnded) -> None:
    """A rotation is complete: the old key is never valid again."""
    effects.state.ended.append((event.role, event.device, event.fingerprint))
    effects.alarm("key_ended", role=event.role, device=event.device, fingerprint=event.fingerprint)


def _chosen(hit: Hit, numbers: list[int]) -> list[Award]:
    return [award for award in hit.awards if award.number in numbers]


def _level(effects: Effects, award: Award) -> Level:
    return effects.state.link(award.link).levels[award.level - 1]


def _levels(effects: Effects, awards: list[Award]) -> list[Level]:
    keys = sorted({(award.link, award.level) for award in awards if award.level})
    return [effects.state.link(link).levels[level - 1] for link, level in keys]


def _tell(effects: Effects, hit: Hit, awards: list[int], status: Change) -> None:
    """Tell the status of each award, and of the hit once all its standing awards have it."""
    whole = all(award.status == status for award in hit.awards if award.stands())
    for award in _chosen(hit, awards):
        effects.tell_status(hit, status, award)
    if whole:
        effects.tell_status(hit, status)
    effects.told.hit = f"H{hit.number}"
    effects.told.awards = tuple(facts.award_facts(effects.state, award) for award in _chosen(hit, awards))


def _finish(effects: Effects, hit: Hit) -> None:
    """Free the table's cards, and drop the hit, once nothing of it is left to do."""
    table = effects.state.table(hit.table)
    cage = [award for award in hit.awards if award.pays == "cage"]
    if hit.number in table.held and all(award.status in ("paid", "undone") for award in cage):
        table.held.remove(hit.number)
        effects.tell_status(hit, "released")
    rounds = (table.round, table.closed)
    reopenable = any(round_ is not None and hit.number in round_.hits for round_ in rounds)
    if not reopenable:
        retire(effects, hit.number)
