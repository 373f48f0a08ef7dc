"""What does an entry bring about? Its answer, its pushes and its postings, gathered as it is applied."""

from operator import sub
from typing import Any, Final, Literal, NamedTuple

import msgspec

from controllers import answers
from jackpot.rules import facts
from jackpot.rules.invariant import InvariantError
from jackpot.rules.meter import Accounts, is_sound
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Push, Told
from jackpot.rules.postings import Posting
from jackpot.rules.state import Award, Hit, Level, Link, Round, State, Table

Map = dict[str, Any]
Change = Literal["validated", "paid", "undone", "raised", "released"]


class Moved(NamedTuple):
    """What an entry moved. meters: (link, level, micro-dollars of the primary), as each level is now.

    hits: the numbers of those that it made or changed, ascending.
    """

    postings: tuple[Posting, ...]
    meters: tuple[tuple[str, str, int], ...]
    hits: tuple[int, ...]


NOTHING_MOVED: Final = Moved((), (), ())


class Effects:
    """One entry in the making. seq, at: the journal's. table: whose frame it is, if it is one.

    told: what its answer tells. awarded: the numbers of the links whose percentage awards changed. hits: of
    those that it makes or changes.
    """

    def __init__(self, state: State, seq: int, at: int, table: Table | None) -> None:
        self.state = state
        self.seq = seq
        self.at = at
        self.table = table
        self.told = Told()
        self.awarded: set[int] = set()
        self.hits: set[int] = set()
        self.pushes: list[Push] = []
        self.alarms: list[tuple[str, Map]] = []
        self._before: dict[tuple[int, int], tuple[Link, Level | None, int, tuple[int, ...]]] = {}

    def meter(self, link: Link, level: Level) -> Accounts:
        """A level's accounts, about to move."""
        key = (link.number, level.number)
        if key not in self._before:
            self._before[key] = link, level, level.cycle, level.accounts.values()
        return level.accounts

    def outside(self, link: Link) -> Accounts:
        """The accounts of the link's awards that no meter pays, about to move (level 0)."""
        if (link.number, 0) not in self._before:
            self._before[link.number, 0] = link, None, 0, link.outside.values()
        return link.outside

    def move(self, link_number: int, level_number: int, change: Accounts) -> None:
        """Move a level, or level 0, by the change."""
        link = self.state.link(link_number)
        if level_number:
            self.meter(link, link.levels[level_number - 1]).add(change)
        else:
            self.outside(link).add(change)

    def moved(self) -> Moved:
        """What moved, by link and level. The books must balance now, or the money stops (M4).

        A level that did not move has no posting. Raises InvariantError.
        """
        hits = tuple(sorted(self.hits)) if self.hits else ()
        if not self._before:
            return Moved((), (), hits) if hits else NOTHING_MOVED
        postings, meters = [], []
        for key, (link, level, cycle, before) in sorted(self._before.items()):
            accounts = level.accounts if level else link.outside
            after = accounts.values()
            if not is_sound(after, level.terms.limit if level else None):
                name = f"{link.terms.link}.{level.terms.level if level else '-'}"
                raise InvariantError(f"entry {self.seq} unbalances {name}: {accounts}")
            change = tuple(map(sub, after, before))
            if any(change):
                postings.append(tuple.__new__(Posting, (*key, cycle, *change)))
            if level is not None:
                meters.append((link.terms.link, level.terms.level, accounts.primary))
        return Moved(tuple(postings), tuple(meters), hits)

    def waiting(self) -> tuple[tuple[str, tuple[answers.WaitingHit, ...]], ...]:
        """Of every link whose awards changed, the jackpots that wait now (S7)."""
        if not self.awarded:
            return ()
        return tuple(
            (self.state.link(number).terms.link, facts.jackpots(self.state, number))
            for number in sorted(self.awarded)
        )

    def tell_table(self, table: Table, message: answers.Award | answers.Status | answers.Round) -> None:
        """To one table."""
        self.pushes.append(Push(message, table=table.terms.table))

    def tell_link(self, link: Link, message: answers.Hit | answers.Link) -> None:
        """To every table and sign of a link."""
        self.pushes.append(Push(message, link=link.terms.link))

    def tell_status(self, hit: Hit, status: Change, award: Award | None = None) -> None:
        """A new status: to the hit's table; a hit's, or a raised sum, to the signs of its link, too."""
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
        """People changed the table's round, or voided it; the wagers that went back are told with it."""
        push = msgspec.structs.replace(facts.round_push(self.state, round_), refunds=self.told.refunds)
        self.tell_table(table, msgspec.structs.replace(push, state="void") if void else push)

    def suspend(self, link: Link, reason: str) -> None:
        """The link takes no wagers."""
        if reason not in link.suspended:
            link.suspended.append(reason)
            self.tell_state(link)

    def resume(self, link: Link, reason: str) -> None:
        """One reason less; the link takes wagers again if it was the last."""
        if reason in link.suspended:
            link.suspended.remove(reason)
            self.tell_state(link)

    def tell_state(self, link: Link) -> None:
        """The link's state, to all of it."""
        self.tell_link(link, facts.link_push(link))

    def alarm(self, name: str, **facts: Any) -> None:
        """Something to tell and to count; `rules/alarms.py` says which of it people must acknowledge."""
        self.alarms.append((name, {"seq": self.seq, **facts}))
