"""An independent model of linked progressives: small, slow, and written from the regulations alone.

It knows nothing of networks, sequence numbers or storage. It is told decided things in order, keeps each
link's history as a list of plain facts, and for every question walks that list from the beginning.

Readings (where the rules leave a choice, the one taken here):
 1. An undo, a withdrawal, a strike, a void and a hand found late all change the history and recompute it.
    The recomputed meter gives an award what its percentage comes to, in whole cents (M3); the house makes
    up the rest of what was published, so the residue below a cent and, after a 10 % hit, nine tenths of
    the recomputed meter stay with the players. The meter never gives more than its percentage.
 2. A raised amount is published: a later recomputation does not lower it again.
 3. Shares: undoing one share leaves its award to the remaining winners of the row (or the remaining
    players on the dealer's hand), who are raised if unpaid. With the last share undone there was no award.
 4. A cycle number is one more than the reseeds ever made, undone ones too. A hand found late carries the
    cycle of its turn; the level's number then goes up by one, and hits already made keep theirs.
 5. "Its turn" for a hand found late: just before the next lower seat that was settled, whatever link that
    seat's hand was for; else at the close.
 6. An award is corrected to the sum it ought to have; one final at once is corrected as one that was paid.
    A correction stands in the history where it was made. Upward the primary gives whole cents: down to the
    reseed if a reseed stands that came with the award or after it, or if floor_to_seed holds, else to zero.
    A later recomputation may divide it otherwise between primary and house; it raises the award by as much
    as it would have without the correction.
 7. Overflow comes back only at a reseed, not after a 10 % hit.
 8. Undoing a hit undoes all its awards, and is refused while one of them is paid (or final in a finished
    round); undoing the hand's own award alone leaves the envy bonuses as they are. Two people are needed
    while a later percentage award of the same level stands (one of the same shared event is not later).
 9. Validating any award but an envy bonus validates its hand, so all that waits for it. An envy bonus is
    validated alone only once its hand is, and paid only while no award of its hand is pending (again). A hand
    that wins a share at the close is validated after it. A hand's own award that is final at once makes its
    envy final.
10. Draw prizes are odds awards: they wait unless validate_at lets them be final. A Magic Card in a seat's
    own cards counts from whatever entry of the seat sent them. A close is never too_many for its draws.
    Nothing is drawn for a link on which nobody has a wager. Draws are refused for a 653a link, and for an
    Ultimate Texas Hold 'Em table whatever its link.
11. `bad_message`: `on: dealer` where it is not offered, a fold at Let It Ride, a hand that is neither folded
    nor shown nor named, other numbers of cards than a seat is dealt, other boards than the game shows (two;
    three or five), a `player` that T9 refuses in the message alone: looked for before the round's state. What
    is wrong in a settlement for what its round is comes right after the state, for until then the wagers may
    change: the `player` of a hand that is not its wager's (a wager without one is of a player of its own,
    whom no hand names), that another hand of the round contradicts, or that T9 refuses over wagers and hands
    together (a name is the same in whatever case, width and blanks it is written); too few community cards or
    not the dealer's two for a wager on them, a board or a dealer's hand other than the one known (an empty
    one is not sent), a name that is no hand of a link wagered on (be it on the dealer's hand alone) or lacks
    the suit that its rows tell apart, and one without `link` where the cards that make the hand differ
    between the seat's links (where it has none, between those wagered on).
12. A seat is settled once, in several entries of one message where each is for a link; two with the same
    link, or with other cards, are `bad_message`. Cards speak for every link, whatever `link` says, for that
    is what a name is for. A name alone speaks for links whose hands are made of the same cards, and so two
    names of a seat for such links, or two suits, are `hand_mismatch`, also where one link has no wager of the
    seat. A seat above the last one settled is `out_of_order` even if it was settled; the last one again is
    `already_settled`. In a reopened round only the hands of one message have an order, for each is paid as of
    its own turn.
13. A folded hand claimed by name only was not shown: it wins nothing and earns no envy.
14. Chip counts are owed only for links that have a wager in the round. Electronic links are not counted.
15. While a reopened round is unfinished, `wager` and `lock` of another round are `round_unfinished`.
    A `wager` for the last round, closed or void, is `locked_out`; any other command for it `no_such_round`.
    A `wager` with the name of an older one opens another round: what the old one has won stays the old one's.
16. `reopen` by one person asks, by two it reopens, asked for or not; `decline` is the second person's no, or
    their silence. While asked, a new round's first wager and the lock of an open round are `table_held`.
    A round is reopened as often as needed until the table's next lock. What was asked stands until it is
    answered, but holds the table for a quarter of an hour, which ends with the same millisecond: from when it
    was first asked since the round was closed. Another server counts the quarter from its own start.
17. On a shared link the percentages are awarded at the close, everything else at the turn. Percentages of
    different rows are never shared. Missed hands join them at the next close, as of the first one. In a
    round with a wager on a shared link, or on the dealer's hand, one settlement has all hands: of every seat
    with an own wager on any link, unless it closes the round and those left out have lost. One that leaves a
    seat out, and any hands after it, are `bad_message` until the round is reopened.
18. The dealer's hand is paid at the turn of the highest seat that wagered on it, whether or not that seat
    itself is settled: with the hands, or where none are sent at the close. Shown alone it pays nothing, for
    no turn has come, but is known. Hands settled before it is known are `bad_message`. Where it cannot be
    shown, two people strike each wager on it while the round is locked or miscounted; one person strikes a
    wager of a link whose own count disagrees or is owed. Once cards were shown, or the round was closed, a
    count that disagrees is `chip_mismatch` and changes nothing.
19. Undoing needs no one for a table's own withdrawal or void, whatever came later.
20. A pending or validated percentage award holds its table whatever its amount; releasing the cards covers
    the awards that stand then.
21. `unreasonable` is a round that a table opens when it has opened its limit of rounds in the minute before,
    which ends with the same millisecond; void ones count, refused ones do not. More wagers than its seats can
    place cannot be, with one wager a seat, link and hand. Another server has another clock: its first minute
    begins with it.
22. A correction moves primary, reserve or overflow by an amount, at any time, and stands whatever is undone
    before it. Below its limit again a primary has no overflow back: that comes with the reseed.
23. New terms count for what comes after them in the history. A hand found late is settled as if at its turn,
    so by the terms that its round was played by: its level's, its envy, whether it shares, whether it waits.
    Whether it holds its table is of today. Until the next reseed a level's floor (A4, A10) is the reseed that
    was in force.
24. The house money of the current cycle is what the house put on the meter: the seed or reseed that began it,
    and what topped it up. What the house gave to an award is gone with that award. It returns from the
    primary first, then from the overflow, then from the reserve. What is left moves, each account into the
    same one of the other link's level, which may be in play; its limit holds there. A level goes to the one
    of its name unless people say where.
25. A closing is a transfer of all levels, after which the link takes nothing more; without another link only
    where nothing of the players' is left. A closed link stays suspended. What was moved stays moved: a hand
    found late, or a round voided, is made up by the house. What comes to stand on it may be corrected away or
    transferred; it stays closed.
26. What a paid award leaves on the meter waits for two people: it stays, or it is taken off the primary. What
    an award of the whole meter or a transfer has taken along since, or the primary has not, is not taken off.
    By as much as the award is corrected upward after that, it is decided. While anything waits on a link it
    is neither transferred nor closed; its terms may change.
27. A dispute holds the payment of all awards of its hit, and nothing else: it is validated, corrected and
    undone meanwhile. Two people lift it, who name it; it also ends when nothing of the hit is to be paid.
28. A payment is to one winner: a seat that the hit gives something, each box by itself, of one player too.
    It names the seat or the award where the hit is of several, paid ones too; undone and final ones are not
    counted. Where the site names a sum, it takes a tax form if what the hit gives that seat comes to the sum,
    whatever others get. A correction takes one if it brings there what was paid, or was final; not where it
    was there before.
29. A table may say what the lamp of an award shows while the award stands, and its hit waits for people or is
    of a round that can still change. To say the same again is no change; more than sixteen changes are
    `unreasonable`. Where it says last that a lamp failed, the validation of the award says what it shows.
"""

from __future__ import annotations

from typing import Any

from tests.faults.model_facts import PENDING, UNDONE, VALIDATED, Award, Level, Link, Wager
from tests.faults.model_floor import (
    DONE,
    MISMATCH,
    OPEN,
    Map,
    Refused,
    Round,
    Table,
    check_bets,
    check_dealt,
    check_gone,
    check_hands,
    check_kept,
    check_left,
    check_offers,
    check_owners,
    check_players,
    check_said,
    check_said_players,
    check_settle,
    check_shown,
    count_state,
    miscounted,
)
from tests.faults.model_links import level_of
from tests.faults.model_must_hit import MYSTERY, Meter, Tape
from tests.faults.model_mystery import Terms
from tests.faults.model_paytables import CATALOGUE, HOLD_EM, Paytable, envy_sums
from tests.faults.model_people import SignedActs
from tests.faults.model_settle import Settlement

__all__ = ["Model"]
MINUTE_MS = 60_000
# Changes of one award's lamp that are taken down.
LAMP_CHANGES = 16


class Model(SignedActs):
    """Links, tables, their rounds and hits; see the readings above."""

    def open_link(
        self,
        link: str,
        paytable_id: str,
        wager_cents: int,
        *,
        seed: dict[str, int] | None = None,
        reseed: dict[str, int] | None = None,
        primary: dict[str, int] | None = None,
        reserve: dict[str, int] | None = None,
        limit: dict[str, int] | None = None,
        decks: int = 1,
        **options: Any,
    ) -> None:
        """Seeds and limits in micro-dollars, rates in hundredths of a percent, each by level.

        `envy` in the options is the schedule, `envy_approved` the approved sums in cents by hand (A5).
        """
        assert decks == 1, f"{link}: one deck is in play in a round (L1)"
        paytable = CATALOGUE[paytable_id]
        floored = options.pop("floor_to_seed", False)
        levels = {}
        for name, terms in paytable.levels.items():
            first = (seed or {}).get(name)
            if first is None:
                assert terms.seed_for_1 is not None, f"{link}: {name} needs a seed"
                first = terms.seed_for_1 * wager_cents * 10_000
            again = (reseed or {}).get(name)
            if again is None:
                printed = terms.reseed_for_1
                again = first if printed is None else printed * wager_cents * 10_000
            rate = terms.primary if terms.primary is not None else (primary or {}).get(name)
            assert rate, f"{link}: {name} needs a rate"
            kept = terms.reserve or (reserve or {}).get(name, 0)
            levels[name] = Level(first, again, rate, kept, (limit or {}).get(name), floored)
        approved = options.pop("envy_approved", None) or {}
        envy = envy_sums(paytable, wager_cents, options.pop("envy", None) or "", approved)
        validate_at = options.pop("validate_at_cents", None)
        if not levels:  # the site's own controls, as a configuration without any has them (B15)
            validate_at = 100_000 if validate_at is None else validate_at
            options = {"cage_at": 1_000_000, **options}
        made = Link(link, paytable, wager_cents, levels, envy=envy, validate_at=validate_at, **options)
        assert not self.draws_on(made) or not paytable.id.startswith("pa-653a-"), f"{link}: no draws (A7)"
        self.start_link(made)

    def open_must_hit(
        self,
        link: str,
        form: str,
        wager_cents: int,
        levels: dict[str, Terms],
        *,
        electronic: bool,
        hold_table: bool = False,
    ) -> None:
        """A link of mystery levels (Y1), whose chips are counted unless it is electronic (Y10)."""
        meters = {}
        for name, terms in levels.items():
            tape = Tape(f"{link} {name}")
            meters[name] = Meter(terms, form, tape.draw, tape=tape)
        made = Link(
            link,
            Paytable(MYSTERY, MYSTERY, (), {}, best_of="none", electronic=electronic),
            wager_cents,
            {name: level_of(terms) for name, terms in levels.items()},
            count_chips=not electronic,
            hold_table=hold_table,
            must_hit=meters,
        )
        self.start_link(made)

    def tapes(self) -> dict[tuple[str, str], Tape]:
        """What the next entry has drawn is written on these, by link and level."""
        found = ((link.name, link.must_hit) for link in self.links.values())
        return {(link, name): meter.tape for link, meters in found for name, meter in meters.items()}

    def draws_on(self, link: Link) -> bool:
        return link.magic_every > 0 or link.lucky_every > 0

    def add_table(
        self,
        table: str,
        game: str,
        seats: int,
        links: list[str],
        adjacent_boxes: int = 2,
        per_minute: int = 0,
    ) -> None:
        drawn = [name for name in links if self.draws_on(self.links[name])]
        assert not drawn or game != HOLD_EM, f"{table}: no draws at this game (A7)"
        self.tables[table] = Table(table, game, seats, list(links), adjacent_boxes, per_minute=per_minute)

    def frame(self, table: str, message: Map, draws: dict[str, Map] | None = None) -> Map:
        """Decides one command of a table; returns the answer that its rules demand."""
        at = self.tables[table]
        before = dict(self.hits_made)
        try:
            answer = getattr(self, f"on_{message['t']}")(at, message, draws or {})
        except Refused as refused:
            self.hits_made = before
            answer = {"ok": False, "code": refused.code}
            if refused.code == "award_standing":
                answer["hits"] = self.standing(at.unfinished[message["round"]])
        return dict(answer)

    # -- the commands ----------------------------------------------------------------------------------

    def the_round(self, table: Table, name: str) -> Round:
        if name not in table.unfinished:
            raise Refused("no_such_round")
        return table.unfinished[name]

    def on_wager(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        name, bets = message["round"], message["bets"]
        for bet in bets:
            link = self.links.get(bet["link"]) if bet["link"] in table.links else None
            if bet.get("on", "own") == "dealer" and link is not None and not link.paytable.dealer:
                raise Refused("bad_message")
        round_ = table.unfinished.get(name)
        players = check_players(table, round_, bets)
        if any(other != name for other in table.unfinished):
            raise Refused("round_unfinished")
        last = table.ended is not None and table.ended.name == name
        if (round_ is not None and round_.state != OPEN) or (round_ is None and last):
            raise Refused("locked_out")
        players_said = 0
        if message.get("lock"):
            standing = [(w.seat, w.link) for w in round_.wagers if w.live] if round_ is not None else []
            asked = [(bet["seat"], bet["link"]) for bet in bets if bet["link"] in table.links]
            said = message.get("players")
            players_said = check_said_players(table, self.links, [*standing, *asked], said, None)
        if any(bet["link"] in table.links and self.links[bet["link"]].suspended for bet in bets):
            raise Refused("suspended")
        if (round_ is None and self.held(table.name)) or self.waits(table, round_, bool(message.get("lock"))):
            raise Refused("table_held")
        chips, sums = message.get("chips", {}), message.get("sums", {})
        if any(link not in table.links for link in (*chips, *sums)):
            raise Refused("unknown_link")
        taken = {(w.seat, w.link, w.on) for w in round_.wagers if w.live} if round_ is not None else set()
        check_bets(table, self.links, bets, taken)
        if round_ is None:
            self.check_pace(table)
            table.rounds += 1
            round_ = table.unfinished[name] = Round(name, table.name, table.rounds)
        new = {bet["seat"] for bet in bets}
        round_.players = {seat: name for seat, name in round_.players.items() if seat not in new} | players
        for bet in bets:
            wager = Wager(
                table.name, round_.number, bet["seat"], bet["link"], bet.get("on", "own"), cents=bet["amount"]
            )
            round_.wagers.append(wager)
            if not self.links[wager.link].must_hit:  # its round's end counts it (Y3)
                self.links[wager.link].facts.append(wager)
            table.accepted[wager.link] = table.accepted.get(wager.link, 0) + 1
            table.wagered[wager.link] = table.wagered.get(wager.link, 0) + wager.cents
        self.recompute({bet["link"] for bet in bets})
        if not message.get("lock"):
            return self.answer()
        round_.players_dealt = players_said
        return self.lock(table, round_, chips, sums, draws)

    def waits(self, table: Table, round_: Round | None, locking: bool) -> bool:
        """T10: whether a round begins or is locked while a closed one may yet be reopened."""
        return self.asking(table) and (round_ is None or (locking and round_.state == OPEN))

    def check_pace(self, table: Table) -> None:
        """L11: not more rounds in a minute than the table's own limit."""
        table.opened_ms = [then for then in table.opened_ms if self.now_ms - then < MINUTE_MS]
        if table.per_minute and len(table.opened_ms) >= table.per_minute:
            raise Refused("unreasonable")
        table.opened_ms.append(self.now_ms)

    def on_lamp(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        """P3: of a standing award whose hit waits for people, or is of a round that can still change."""
        rounds = {round_.number for round_ in table.unfinished.values()}
        if table.reopenable is not None:
            rounds.add(table.reopenable.number)
        for hit in self.hits_made.values():
            waits = any(award.status in (PENDING, VALIDATED) for award in hit.awards)
            for award in hit.awards:
                if award.id != message["award"] or hit.table != table.name or award.status == UNDONE:
                    continue
                if not waits and hit.round not in rounds:
                    continue
                if award.lamps[-1:] != [message["state"]]:
                    if len(award.lamps) >= LAMP_CHANGES:
                        raise Refused("unreasonable")
                    award.lamps.append(message["state"])
                return self.answer()
        raise Refused("no_such_award")

    def on_withdraw(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        round_ = self.the_round(table, message["round"])
        if round_.state != OPEN:
            raise Refused("locked_out")
        bets = message["bets"]
        if any(bet["link"] not in table.links for bet in bets):
            raise Refused("unknown_link")
        if any(not 1 <= bet["seat"] <= table.seats for bet in bets):
            raise Refused("unknown_seat")
        named = [(bet["seat"], bet["link"], bet.get("on", "own")) for bet in bets]
        if len(named) != len(set(named)):
            raise Refused("duplicate_wager")
        found: list[Wager] = []
        for bet in bets:
            wager = round_.at(bet["seat"], bet["link"], bet.get("on", "own"))
            if wager is None:
                raise Refused("no_wager")
            found.append(wager)
        answer = self.answer(*self.give_back(found))
        if any(self.links[wager.link].offer for wager in found):
            answer["refunds"] = [self.refund(wager) for wager in found]
        return answer

    def on_lock(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        name = message["round"]
        round_ = self.the_round(table, name)
        if round_.state == OPEN and len(table.unfinished) > 1:
            raise Refused("round_unfinished")
        bets = [(wager.seat, wager.link) for wager in round_.wagers if wager.live]
        said = check_said_players(table, self.links, bets, message.get("players"), round_)
        if self.waits(table, round_, True):
            raise Refused("table_held")
        chips, sums = message.get("chips", {}), message.get("sums", {})
        if any(link not in table.links for link in (*chips, *sums)):
            raise Refused("unknown_link")
        seen = round_.ended or round_.board or round_.dealer or round_.bonus or round_.settled or round_.gone
        if seen and miscounted(table, self.links, round_, round_.chips | chips, round_.sums | sums):
            raise Refused("chip_mismatch")
        round_.players_dealt = said or round_.players_dealt
        return self.lock(table, round_, chips, sums, draws)

    def lock(
        self,
        table: Table,
        round_: Round,
        chips: dict[str, int],
        sums: dict[str, int],
        draws: dict[str, Map],
    ) -> Map:
        if round_.state == OPEN:
            table.reopenable = table.asked = None
            round_.draws = {link: dict(draw) for link, draw in draws.items() if round_.live(link)}
            for name, drawn in round_.draws.items():
                link = self.links[name]
                assert link.magic_every or "magic_card" not in drawn, f"{name}: no Magic Card"
                assert link.lucky_every or "lucky_box" not in drawn, f"{name}: no Lucky Bonus"
        round_.chips |= chips
        round_.sums |= sums
        round_.state = count_state(table, self.links, round_)
        answer = self.answer()
        if round_.state == MISMATCH:
            answer["warn"].append("chip_mismatch")
        return answer

    def in_play(self, table: Table, name: str) -> Round:
        round_ = self.the_round(table, name)
        if round_.state == OPEN:
            raise Refused("not_locked")
        if round_.state == MISMATCH:
            raise Refused("chip_mismatch")
        return round_

    def on_settle(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        message = {key: value for key, value in message.items() if key == "hands" or value != []}
        check_dealt(table, message)
        check_hands(table, message["hands"])
        check_said(table, message["hands"])
        round_ = self.in_play(table, message["round"])
        boxes = check_owners(table, round_, message["hands"])
        left = check_gone(self.links, round_, message)
        message["hands"] = [hand for hand in message["hands"] if hand["seat"] not in left]
        check_shown(table, self.links, round_, message)
        check_offers(table, self.links, round_, message, bool(message.get("close")))
        check_left(table, round_, left)
        check_settle(table, self.links, round_, message)
        work = Settlement(table, round_, self.links, self.new_id, boxes, left)
        work.settle(message)
        if message.get("close"):
            self.check_triggers(round_)
        round_.gone = dict.fromkeys(left, False) | round_.gone
        for step in work.plan.steps:
            step()
        round_.boxes = boxes
        round_.board = message.get("board", round_.board)
        round_.dealer = message.get("dealer", round_.dealer)
        round_.bonus = message.get("bonus", round_.bonus)
        if not round_.ended:
            round_.turns += [hand["seat"] for hand in message["hands"]]
            round_.folded |= {hand["seat"] for hand in message["hands"] if hand.get("folded")}
        for hand in message["hands"]:
            if "cards" in hand:
                round_.cards[hand["seat"]] = hand["cards"]
            round_.settled.add(hand["seat"])
            round_.lowest = hand["seat"]
        if message.get("close"):
            return self.close(table, round_, message, work)
        return self.settled(table, work)

    def on_close(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        round_ = self.in_play(table, message["round"])
        if round_.owes_dealer():
            raise Refused("bad_message")
        check_gone(self.links, round_, {"hands": [], "close": True})
        check_offers(table, self.links, round_, {"hands": []}, True)
        if any(link not in table.links for link in (*message.get("counts", {}), *message.get("sums", {}))):
            raise Refused("unknown_link")
        work = Settlement(table, round_, self.links, self.new_id, round_.boxes)
        work.settle({"hands": [], "close": True})
        self.check_triggers(round_)
        for step in work.plan.steps:
            step()
        return self.close(table, round_, message, work)

    def close(self, table: Table, round_: Round, said: Map, work: Settlement) -> Map:
        steps = len(work.plan.steps)
        work.close()
        for step in work.plan.steps[steps:]:
            step()
        work.share()
        if not round_.ended:
            work.mark_closed()
            work.count_must_hit()
            round_.played = {name: self.links[name].play() for name in table.links}
        round_.state, round_.ended, round_.asked_ms = DONE, True, None
        del table.unfinished[round_.name]
        table.ended = table.reopenable = round_
        answer = self.settled(table, work)
        counts, sums = said.get("counts", {}), said.get("sums", {})
        differ = any(count != table.accepted.get(link, 0) for link, count in counts.items())
        if differ or any(cents != table.wagered.get(link, 0) for link, cents in sums.items()):
            answer["warn"].append("counts")
        return answer

    def settled(self, table: Table, work: Settlement) -> Map:
        answer = self.answer(*self.recompute(set(table.links)))
        fresh = [award for hit in work.plan.hits for award in hit.awards if award.id not in self.told]
        for hit in work.plan.hits:
            self.hits_made[hit.id] = hit
        self.note_won([award.hit for award in fresh if award.kind == "meter"])
        self.told |= {award.id for award in fresh}
        answer["awards"] = [award_map(award) for award in fresh]
        new = {award.id for award in fresh}
        answer["status"] = [change for change in answer["status"] if change["award"] not in new]
        return answer

    def on_void(self, table: Table, message: Map, draws: dict[str, Map]) -> Map:
        kept = message.get("settles", [])
        check_kept(table, self.links, message)
        round_ = self.the_round(table, message["round"])
        if kept and round_.state == OPEN:
            raise Refused("not_locked")
        if any(link not in table.links for link in kept):
            raise Refused("unknown_link")
        if kept and (round_.settled or round_.ended):
            raise Refused("already_settled")
        if not all(round_.live(link) for link in kept):
            raise Refused("no_wager")
        if round_.ended:
            raise Refused("two_people")
        if self.standing(round_):
            raise Refused("award_standing")
        return self.void_but(round_, kept) if kept else self.void(table, round_)


def award_map(award: Award) -> Map:
    """The award map of the protocol."""
    hit = award.hit
    return {
        "award": award.id,
        "hit": hit.id,
        "seat": award.seat,
        "link": hit.link,
        "level": award.level or None,
        "hand": hit.hand,
        "kind": award.kind,
        "amount": award.amount,
        "pays": award.pays,
        "status": award.status,
        "unverified": hit.unverified,
        "because": award.because,
        "light": True,
    } | ({"lamp": award.lamps[-1]} if award.lamps else {})
