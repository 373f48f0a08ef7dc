"""Acts of people on hits, awards and rounds, for the independent model; and its books."""

from __future__ import annotations

from typing import Any

from tests.faults.model_facts import (
    CENT,
    FINAL,
    PAID,
    PENDING,
    UNDONE,
    VALIDATED,
    Accounts,
    Award,
    Change,
    Correction,
    Event,
    Fact,
    Hit,
    Link,
    Moved,
    Received,
    Turn,
    Wager,
    recompute,
    replay,
    status_of,
)
from tests.faults.model_floor import (
    LOCKED,
    MISMATCH,
    VOID,
    Map,
    Refused,
    Round,
    Table,
    common_of,
    count_state,
    lacks_cards,
    miscounted,
)

REOPENING_MS = 15 * 60_000  # how long a table waits for who may reopen its round
Changes = tuple[list[Map], list[Map]]  # awards raised, and what paid ones leave on the meter


class Acts:
    """The model's state, and what people do to hits and rounds."""

    def __init__(self) -> None:
        self.links: dict[str, Link] = {}
        self.tables: dict[str, Table] = {}
        self.hits_made: dict[str, Hit] = {}
        self.told: set[str] = set()
        self.made = 0
        self.now_ms = 0  # by the clock of the server that decides
        self.last_day = ""  # the newest gaming day whose end was read

    # -- common ----------------------------------------------------------------------------------------

    def start_link(self, link: Link) -> None:
        for name, level in link.levels.items():
            assert level.limit is None or level.limit >= max(level.seed, level.reseed)
            first, again = level.seed, level.reseed
            link.start[name] = Accounts(primary=first, house=first, stake=first, reset=again)
        link.terms = dict(link.levels)
        self.links[link.name] = link
        recompute(link)

    def new_id(self) -> str:
        self.made += 1
        return f"M{self.made}"

    def recompute(self, links: set[str]) -> Changes:
        raised: list[Map] = []
        left: list[Map] = []
        for name in sorted(links):
            more = recompute(self.links[name])
            raised += more[0]
            left += more[1]
        return raised, left

    def answer(self, raised: list[Map] | None = None, left: list[Map] | None = None) -> Map:
        return {
            "ok": True,
            "awards": [],
            "refunds": [],
            "warn": [],
            "status": raised or [],
            "left": left or [],
        }

    def give_back(self, wagers: list[Wager]) -> Changes:
        for wager in wagers:
            wager.live = False
            for name, meter in self.links[wager.link].must_hit.items():
                meter.take_back(wager.counted.get(name))
        return self.recompute({wager.link for wager in wagers})

    def check_triggers(self, round_: Round) -> None:
        """Y12: a round whose wagers may need a trigger that is not there waits."""
        meters = [
            meter
            for wager in round_.wagers
            if wager.live and not round_.ended
            for meter in self.links[wager.link].must_hit.values()
        ]
        if any(meter.waits for meter in meters):
            raise Refused("suspended")

    def held(self, table: str) -> bool:
        """T11: a percentage award of this table waits for its papers, its cards not released."""
        return any(
            award.pays == "cage" and award.status in (PENDING, VALIDATED) and not award.released
            for hit in self.hits_made.values()
            if hit.table == table and self.links[hit.link].hold_table
            for award in hit.awards
        )

    def of_round(self, round_: Round) -> list[Hit]:
        mine = (round_.table, round_.number)
        return [hit for hit in self.hits_made.values() if (hit.table, hit.round) == mine]

    def standing(self, round_: Round) -> list[str]:
        """The hits of a round that have an award not undone."""
        return [h.id for h in self.of_round(round_) if any(a.status != UNDONE for a in h.awards)]

    def won(self, round_: Round, wager: Wager) -> bool:
        """Whether an award stands that this wager has won."""
        return any(
            award.seat == wager.seat and award.status != UNDONE
            for hit in self.of_round(round_)
            if hit.link == wager.link and (hit.seat is None) == (wager.on == "dealer")
            for award in hit.awards
        )

    def void(self, table: Table, round_: Round) -> Map:
        wagers = [wager for wager in round_.wagers if wager.live]
        answer = self.answer(*self.give_back(wagers))
        for wager in wagers:
            answer["refunds"].append(self.refund(wager))
        round_.state, round_.shared = VOID, []
        del table.unfinished[round_.name]
        table.ended = round_
        if table.reopenable is round_:
            table.reopenable = None
        return answer

    def void_but(self, round_: Round, kept: list[str]) -> Map:
        """P5: all wagers go back but those on these links, with which the round goes on."""
        wagers = [wager for wager in round_.wagers if wager.live and wager.link not in kept]
        answer = self.answer(*self.give_back(wagers))
        answer["refunds"] = [self.refund(wager) for wager in wagers]
        round_.state, round_.draws = LOCKED, {}
        round_.chips = {link: count for link, count in round_.chips.items() if link in kept}
        round_.sums = {link: sum_ for link, sum_ in round_.sums.items() if link in kept}
        return answer

    def refund(self, wager: Wager) -> Map:
        """A wager that goes back, and where it goes (T6, B4)."""
        link = self.links[wager.link]
        on_layout = "layout" if link.placed == "layout" else "inventory"
        pays = "account" if link.paytable.electronic else on_layout
        return {"seat": wager.seat, "link": wager.link, "amount": wager.cents, "pays": pays}

    def forget(self) -> None:
        """Drop finished hits, so that long runs stay quick; what was paid is then corrected no more.

        Not those of which a link's history still has an award: what it leaves may change (A11).
        """
        events = [fact for link in self.links.values() for fact in link.facts if isinstance(fact, Event)]
        unfolded = {award.hit.id for event in events for each in event.winners for award in each}
        self.hits_made = {
            hit.id: hit
            for hit in self.hits_made.values()
            if any(award.status in (PENDING, VALIDATED) for award in hit.awards)
            or not self.finished(hit.table, hit.round)
            or hit.id in self.awaited()
            or hit.id in unfolded
        }

    def awaited(self) -> set[str]:
        """Hits that an act is asked for, and waits for a second person."""
        return set()

    # -- people ----------------------------------------------------------------------------------------

    def awards_of(self, hit: str | None, award: str | None) -> tuple[Hit, list[Award]]:
        name = hit or (award or "").split(".")[0]
        if name not in self.hits_made:
            raise Refused("no such hit")
        found = self.hits_made[name]
        return found, [one for one in found.awards if award in (None, one.id)]

    def do_validate(
        self, hit: str | None = None, award: str | None = None, people: int = 1, lamp: str = ""
    ) -> Map:
        found, awards = self.awards_of(hit, award)
        if award is not None and awards[0].status != PENDING:
            raise Refused("that award does not wait")
        if self.shares_later(found):
            raise Refused("an envy bonus waits for its hand")
        if award is not None and awards[0].kind == "envy":
            own = [one for one in found.awards if one.kind != "envy" and one.status != UNDONE]
            if not own or any(one.status == PENDING for one in own):
                raise Refused("an envy bonus waits for its hand")
        else:
            awards = found.awards
        waiting = [one for one in awards if one.status == PENDING]
        if not waiting:
            raise Refused("nothing waits")
        if not lamp and any(one.lamps[-1:] == ["lamp_failed"] for one in waiting):
            raise Refused("a lamp failed, and nobody says what it shows")
        for one in waiting:
            one.status = VALIDATED
        return self.answer([status_of(one, VALIDATED) for one in waiting])

    def shares_later(self, hit: Hit) -> bool:
        """Whether the hand has won a part of a shared award that is made at the round's close."""
        unfinished = self.tables[hit.table].unfinished.values()
        return any(waiting[3] is hit for round_ in unfinished for waiting in round_.shared)

    def payable(self, hit: Hit, awards: list[Award]) -> list[Award]:
        """The awards of a hit that may be paid now."""
        waits = self.shares_later(hit) or any(
            one.kind != "envy" and one.status == PENDING for one in hit.awards
        )
        return [one for one in awards if one.status == VALIDATED and not (waits and one.kind == "envy")]

    def do_undo(self, hit: str | None = None, award: str | None = None, people: int = 1) -> Map:
        found, awards = self.awards_of(hit, award)
        targets = [one for one in awards if one.status != UNDONE]
        if not targets or any(one.status == PAID for one in targets):
            raise Refused("nothing to undo, or paid")
        if any(one.credited for one in targets):
            raise Refused("on a game account")
        unfinished = self.tables[found.table].unfinished.values()
        playing = any(round_.number == found.round for round_ in unfinished)
        if any(one.status == FINAL for one in targets) and not playing:
            raise Refused("final")
        link = self.links[found.link]
        if people < 2 and any(self.later_stands(link, one) for one in targets if one.kind == "meter"):
            raise Refused("two people")
        if people < 2 and self.many_finals(found, targets):
            raise Refused("two people")
        for one in targets:
            one.status = UNDONE
            if link.must_hit:
                meter = link.must_hit[found.level or ""]
                meter.undo_award(one.id, found.cycle or 0, one.amount * CENT)
        raised, left = self.recompute({link.name})
        return self.answer([status_of(one, UNDONE) for one in targets] + raised, left)

    def many_finals(self, of: Hit, targets: list[Award]) -> bool:
        """A11, B15: whether final awards of a round, with those undone before, come to what waits for people.

        Of those undone before each counts that is below that sum: whether it was final is no longer said.
        """
        hits = [hit for hit in self.hits_made.values() if (hit.table, hit.round) == (of.table, of.round)]
        finals, before, bounds = list[Award](), list[Award](), list[int]()
        for one in (award for hit in hits for award in hit.awards if award.kind != "meter"):
            bound = self.links[one.hit.link].validate_at
            if bound is None:
                continue
            if one in targets and one.status == FINAL:
                finals.append(one)
            elif one.status == UNDONE and one.amount < bound:
                before.append(one)
            else:
                continue
            bounds.append(bound)
        come_to = sum(one.amount + one.difference for one in finals + before)
        return bool(finals) and come_to >= min(bounds)

    def later_stands(self, link: Link, award: Award) -> bool:
        """Whether a percentage award of the same level, won later in the history, is not undone.

        That of a mystery two people undo in any case (Y4).
        """
        if link.must_hit:
            return True
        seen = False
        for fact in link.facts:
            if isinstance(fact, Event) and seen and fact.level == award.hit.level and fact.standing():
                return True
            if isinstance(fact, Event) and any(award in each for each in fact.winners):
                seen = True
        return False

    def do_credit(self, award: str, people: int = 1, **more: Any) -> Map:
        """P4: an award to a game account is there, once it was paid; it is confirmed once."""
        _, (one, *_) = self.awards_of(None, award)
        if all(one is not other for other in self.uncredited()):
            raise Refused("of no account, not paid, or there already")
        one.credited = True
        return self.answer()

    def uncredited(self) -> list[Award]:
        """P4: the settled awards to game accounts that are not confirmed."""
        awards = (award for hit in self.hits_made.values() for award in hit.awards)
        settled = (one for one in awards if one.pays == "account" and one.status in (PAID, FINAL))
        return [one for one in settled if not one.credited]

    def correct_award(self, award: str, amount: int, document: str | None) -> Map:
        """An award to the cents that it ought to be (A10)."""
        found, awards = self.awards_of(None, award)
        one = awards[0]
        if one.status == UNDONE or amount < 0:
            raise Refused("undone, or less than nothing")
        change = amount - one.amount - one.difference
        if one.status in (PENDING, VALIDATED):
            one.fixed += change
            one.status = PENDING
        elif document is None:
            raise Refused("a paid award wants a document")
        else:
            one.difference += change
            one.decided += min(one.undecided, max(0, change))
        if one.kind != "meter":
            return self.answer()
        link = self.links[found.link]
        if link.must_hit:
            link.must_hit[found.level or ""].correct_award(one.id, change * CENT)
            return self.answer(*self.recompute({link.name}))
        link.facts.append(Correction(found.level or "", change * CENT, one))
        return self.answer(*self.recompute({link.name}))

    def do_release(self, table: str, people: int = 1) -> Map:
        if not self.held(table):
            raise Refused("not held")
        for hit in self.hits_made.values():
            for award in hit.awards:
                if hit.table == table and award.pays == "cage" and award.status in (PENDING, VALIDATED):
                    award.released = True
        return self.answer()

    def playing(self, table: str, name: str) -> tuple[Table, Round]:
        at = self.tables[table]
        if name not in at.unfinished:
            raise Refused("no_such_round")
        return at, at.unfinished[name]

    def do_strike(
        self, table: str, seat: int, link: str, on: str = "own", people: int = 1, **more: Any
    ) -> Map:
        """A wager of a count that disagrees (T3), or whose cards cannot be shown (T8, B16).

        No offer's of a reopened round: what its cards decided is decided. None of an abandoned seat (P6).
        """
        at, round_ = self.playing(table, more["round"])
        wager = round_.at(seat, link, on)
        counting = round_.state == MISMATCH and link in miscounted(
            at, self.links, round_, round_.chips, round_.sums
        )
        unshown = round_.state in (LOCKED, MISMATCH) and on == "dealer" and round_.owes_dealer()
        offer = link in self.links and self.links[link].offer and round_.state in (LOCKED, MISMATCH)
        common, shown = common_of(round_, {}), len(round_.cards)
        unshown |= (
            on == "own"
            and offer
            and not round_.reopened
            and lacks_cards(at, self.links[link], round_, common, shown)
        )
        unshown = unshown and not counting
        if wager is None or round_.lost(seat) or not (unshown or counting):
            raise Refused("no such wager, or no reason")
        if unshown and people < 2:
            raise Refused("two people")
        if self.won(round_, wager):
            raise Refused("award_standing")
        changes = self.give_back([wager])
        if unshown and on == "own":
            round_.chips |= {name: count - 1 for name, count in round_.chips.items() if name == link}
            round_.sums |= {name: sum_ - wager.cents for name, sum_ in round_.sums.items() if name == link}
        if not unshown:
            round_.state = count_state(at, self.links, round_)
        return self.answer(*changes)

    def do_void_round(self, table: str, people: int = 1, undo_final: bool = False, **more: Any) -> Map:
        """T6: undo_final undoes with it what an offer has paid at once (B15)."""
        at, round_ = self.playing(table, more["round"])
        awards = [award for hit in self.of_round(round_) for award in hit.awards if award.status != UNDONE]
        finals = [one for one in awards if one.status == FINAL and self.links[one.hit.link].offer]
        gone = finals if undo_final else []
        if people < 2 and (round_.ended or (gone and self.many_finals(gone[0].hit, gone))):
            raise Refused("two people")
        if len(gone) < len(awards):
            raise Refused("award_standing")
        for award in gone:
            award.status = UNDONE
        return self.void(at, round_)

    def do_decide_abandoned(
        self, table: str, seat: int, abandoned: bool, people: int = 1, **more: Any
    ) -> Map:
        """P6: a floorperson says whether a player left; if not, the hand is settled as ever."""
        _, round_ = self.playing(table, more["round"])
        if round_.gone.get(seat, True):
            raise Refused("nobody asked")
        del round_.gone[seat]
        if abandoned:
            round_.gone[seat] = True
        return self.answer()

    def do_reopen(self, table: str, people: int = 1, **more: Any) -> Map:
        """Asks to reopen, by one person; reopens, by two (T10)."""
        at, name = self.tables[table], more["round"]
        if at.reopenable is None or at.reopenable.name != name or name in at.unfinished:
            raise Refused("not the last closed round, or locked since")
        if people < 2:
            if at.asked:
                raise Refused("asked already")
            at.asked = name
            if at.reopenable.asked_ms is None:
                at.reopenable.asked_ms = self.now_ms
            return self.answer()
        round_ = at.reopenable
        round_.state, round_.lowest, round_.reopened = LOCKED, None, True
        at.unfinished[name], at.asked = round_, None
        return self.answer()

    def asking(self, table: Table) -> bool:
        """T10: whether it is held, for somebody has asked to reopen its round, and nobody has answered."""
        asked = table.reopenable.asked_ms if table.asked and table.reopenable is not None else None
        return asked is not None and self.now_ms - asked < REOPENING_MS

    def other_clock(self, now_ms: int) -> None:
        """Another server decides from now on: running time limits begin with its clock."""
        self.now_ms = now_ms
        for table in self.tables.values():
            table.opened_ms = []
            if table.reopenable is not None and table.reopenable.asked_ms is not None:
                table.reopenable.asked_ms = now_ms

    def do_decline(self, table: str, people: int = 1, **more: Any) -> Map:
        """The second person said no to a round's reopening, or nothing in the time there was."""
        at = self.tables[table]
        if at.asked != more["round"]:
            raise Refused("not asked")
        at.asked = None
        return self.answer()

    # -- the books -------------------------------------------------------------------------------------

    def do_reading(self, day: str, people: int = 0) -> Map:
        """S2: every meter as it stands at a gaming day's end: such as 2026-01-01, once, and no older one."""
        if day <= self.last_day:
            raise Refused("read_already")
        self.last_day = day
        return self.answer() | {"reading": {key: told(now) for key, now in self.levels().items()}}

    def levels(self) -> dict[tuple[str, str], Accounts]:
        return {(link.name, name): now for link in self.links.values() for name, now in link.now.items()}

    def meters(self) -> dict[tuple[str, str], dict[str, int]]:
        return {
            key: {
                "primary": now.primary,
                "reserve": now.reserve,
                "overflow": now.overflow,
                "cycle": now.reseeds + 1,
                "house": now.house,
                "wagers": now.wagers,
                "awards": now.awards,
                "corrections": now.corrections,
                "transfers": now.transfers,
            }
            for key, now in self.levels().items()
        }

    def hits(self) -> list[Map]:
        return [
            {
                "hit": hit.id,
                "table": hit.table,
                "round": hit.called,
                "seat": hit.seat,
                "link": hit.link,
                "level": hit.level,
                "hand": hit.hand,
                "cycle": hit.cycle,
                "unverified": hit.unverified,
                "disputed": hit.disputed,
                "awards": [
                    {
                        "award": award.id,
                        "seat": award.seat,
                        "kind": award.kind,
                        "level": award.level or None,
                        "amount": award.amount,
                        "pays": award.pays,
                        "status": award.status,
                        "because": award.because,
                        "left": award.undecided,
                        "difference": award.difference,
                        "lamp": award.lamps[-1] if award.lamps else "",
                    }
                    for award in hit.awards
                ],
            }
            for hit in self.hits_made.values()
            if hit.awards
        ]

    def finished(self, table: str, number: int) -> bool:
        at = self.tables[table]
        going_on = [*at.unfinished.values(), *([at.reopenable] if at.reopenable else [])]
        return all(round_.number != number for round_ in going_on)

    def fixed(self, fact: Fact) -> bool:
        """Whether nothing can change this fact any more."""
        if isinstance(fact, Change | Moved | Received):
            return True
        if isinstance(fact, Wager):
            return not fact.live or self.finished(fact.table, fact.round)
        if isinstance(fact, Turn):
            return self.finished(fact.table, fact.round)
        if isinstance(fact, Event):
            paid = all(award.status in (PAID, UNDONE) for each in fact.winners for award in each)
            return paid and self.finished(fact.table, fact.round)
        return fact.award is None or fact.award.status in (PAID, UNDONE)

    def checkpoint(self, forget: bool = False) -> int:
        """Fold the part of each link's history that can no longer change; how many facts were folded."""
        folded = 0
        for link in self.links.values():
            count = 0
            while count < len(link.facts) and self.fixed(link.facts[count]):
                count += 1
            gone = link.facts[:count]
            link.start |= {name: replay(link, name, gone)[0] for name in link.levels}
            for fact in gone:
                link.terms = fact.levels if isinstance(fact, Change) else link.terms
                if isinstance(fact, Wager) and fact.live:
                    link.wagered_before += fact.cents
            del link.facts[:count]
            folded += count
        if forget:
            self.forget()
        return folded


def told(now: Accounts) -> tuple[int, ...]:
    """A level as a reading has it: what stands there, and how many wagers and hits have counted (S1, S2)."""
    return now.primary, now.reserve, now.overflow, now.in_meter, now.hits
