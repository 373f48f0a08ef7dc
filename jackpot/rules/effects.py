"""Effects of one journal entry: its answer, pushes and postings, gathered while it is applied."""

from operator import sub
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import astuple

from controllers import answers
from jackpot.rules import outgoing_messages as facts
from jackpot.rules.invariant import InvariantError
from jackpot.rules.meter import Accounts, contribute, is_sound, rise
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import AnswerBuilder, Push
from jackpot.rules.postings import Posting
from jackpot.rules.state import Award, BankState, Hit, Level, Link, Round, Table

Map = dict[str, Any]
Change = Literal["validated", "paid", "undone", "raised", "released"]


class MovedLevels(msgspec.Struct, frozen=True, gc=False):
    """Levels that an entry moved. meters: (link, level, micro-dollars of the primary), after the entry.

    hits: which ones it made or changed, by number, ascending.
    """

    postings: tuple[Posting, ...]
    meters: tuple[tuple[str, str, int], ...]
    hits: tuple[int, ...]


NOTHING_MOVED: Final = MovedLevels((), (), ())


class Effects(msgspec.Struct, eq=False):
    """The entry being built. seq, at: the journal's. table: whose frame it is, if it is one.

    told: what its answer tells. awarded: the numbers of the links whose percentage awards changed. hits: of
    those that it makes or changes. noticed: whether other notices stand (P2).
    before: by link and level, the cycle and the balances of what it moves.
    """

    state: BankState
    seq: int
    at: int
    table: Table | None
    told: AnswerBuilder = msgspec.field(default_factory=AnswerBuilder)
    awarded: set[int] = set()
    hits: set[int] = set()
    pushes: list[Push] = []
    alarms: list[tuple[str, Map]] = []
    before: dict[tuple[int, int], tuple[Link, Level | None, int, tuple[int, ...]]] = {}
    risen: list[Posting] = []
    meters: list[tuple[str, str, int]] = []
    noticed: bool = False

    def meter(self, link: Link, level: Level) -> Accounts:
        """A level's accounts, before they move."""
        accounts, key = level.accounts, (link.number, level.number)
        if key not in self.before:
            self.before[key] = link, level, level.cycle, astuple(accounts)
        return accounts

    def outside(self, link: Link) -> Accounts:
        """The accounts of the link's awards that no meter pays (level 0), before they move."""
        if (link.number, 0) not in self.before:
            self.before[link.number, 0] = link, None, 0, astuple(link.outside)
        return link.outside

    def rise(self, link: Link, level: Level, wagers: int) -> None:
        """Raises a level by so many wagers (L6). Raises InvariantError (M4)."""
        accounts, terms = level.accounts, level.terms
        level.history.wagers += wagers
        posting = rise(link.number, level.number, level.cycle, terms, wagers * link.terms.wager)
        if terms.limit is not None:
            contribute(self.meter(link, level), terms, posting.primary, posting.reserve)
            return
        accounts.primary += posting.primary
        accounts.reserve += posting.reserve
        accounts.wagers += posting.wagers
        if sum(astuple(accounts)):  # nothing falls: what was sound is sound while it balances
            raise InvariantError(f"entry {self.seq} unbalances {link.terms.link}.{terms.level}: {accounts}")
        self.risen.append(posting)
        self.meters.append((link.terms.link, terms.level, accounts.primary))

    def move(self, link_number: int, level_number: int, change: Accounts) -> None:
        """Moves the accounts of a level, or of level 0, by the change."""
        link = self.state.link(link_number)
        if level_number:
            self.meter(link, link.levels[level_number - 1]).add(change)
        else:
            self.outside(link).add(change)

    def moved(self) -> MovedLevels:
        """What moved, by link and level. The postings must balance, or the money stops (M4).

        A level that did not move has no posting. Raises InvariantError.
        """
        hits = tuple(sorted(self.hits)) if self.hits else ()
        postings, meters = self.risen, self.meters
        if not self.before:
            return MovedLevels(tuple(postings), tuple(meters), hits) if postings or hits else NOTHING_MOVED
        for (number, level_number), (link, level, cycle, before) in sorted(self.before.items()):
            after = astuple(link.outside if level is None else level.accounts)
            if after != before:
                if not is_sound(after, None if level is None else level.terms.limit):
                    name = f"{link.terms.link}.{'-' if level is None else level.terms.level}"
                    raise InvariantError(f"entry {self.seq} unbalances {name}: {after}")
                postings.append(Posting(number, level_number, cycle, *map(sub, after, before)))
            if level is not None:
                meters.append((link.terms.link, level.terms.level, after[0]))
        postings.sort()
        return MovedLevels(tuple(postings), tuple(meters), hits)

    def waiting(self) -> tuple[tuple[str, tuple[answers.WaitingHit, ...]], ...]:
        """The waiting jackpots of every link whose awards changed (S7)."""
        return tuple(
            (self.state.link(number).terms.link, facts.jackpots(self.state, number))
            for number in sorted(self.awarded)
        )

    def notices(self) -> dict[str, tuple[answers.Notice, ...]]:
        """The notices that stand now, by link (P2)."""
        return facts.notices(self.state)

    def tell_table(self, table: Table, message: answers.Award | answers.Status | answers.Round) -> None:
        """Pushes to one table."""
        self.pushes.append(Push(message, table=table.terms.table))

    def tell_link(self, link: Link, message: answers.Hit | answers.Link) -> None:
        """Pushes to every table and sign of a link."""
        self.pushes.append(Push(message, link=link.terms.link))

    def tell_status(self, hit: Hit, status: Change, award: Award | None = None) -> None:
        """Pushes a new status to the hit's table; a hit's, or a raised sum, to the signs of its link, too."""
        self.hits.add(hit.number)
        message = answers.Status(f"H{hit.number}", status)
        if award is not None:
            if award.kind == "meter":
                self.awarded.add(award.link)
            message = answers.Status(message.hit, status, f"A{award.number}", to_cents(award.amount))
        self.tell_table(self.state.table(hit.table), message)
        if award is None or status == "raised":
            link = self.state.link(hit.link).terms.link
            self.pushes.append(Push(message, signs_of=link))

    def tell_round(self, table: Table, round_: Round, *, void: bool = False) -> None:
        """Pushes a round that people changed or voided to its table, with the refunds."""
        push = msgspec.structs.replace(facts.round_push(self.state, round_), refunds=self.told.refunds)
        self.tell_table(table, msgspec.structs.replace(push, state="void") if void else push)

    def suspend(self, link: Link, reason: str) -> None:
        """Suspends the link: it takes no wagers."""
        if reason not in link.suspended:
            link.suspended.append(reason)
            self.tell_state(link)

    def resume(self, link: Link, reason: str) -> None:
        """Removes one reason; the link takes wagers again if it was the last."""
        if reason in link.suspended:
            link.suspended.remove(reason)
            self.tell_state(link)

    def tell_state(self, link: Link) -> None:
        """Pushes the link's state to its tables and signs."""
        self.tell_link(link, facts.link_push(link))

    def alarm(self, name: str, **facts: Any) -> None:
        """Adds an event to log and count; `rules/alarms.py` says which of them people must acknowledge."""
        self.alarms.append((name, {"seq": self.seq, **facts}))
