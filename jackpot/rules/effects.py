"""What does an entry bring about? Its answer, its pushes and its postings, gathered as it is applied."""

from typing import Any, Literal

import msgspec

from controllers import answers
from jackpot.rules import facts
from jackpot.rules.meter import Accounts
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Push, Told
from jackpot.rules.postings import Posting
from jackpot.rules.state import Award, Hit, Level, Link, Round, State, Table

Map = dict[str, Any]
Change = Literal["validated", "paid", "undone", "raised", "released"]


class Effects:
    """One entry in the making. seq, at: the journal's. table: whose frame it is, if it is one.

    told: what its answer tells. awarded: the numbers of the links whose percentage awards changed.
    """

    def __init__(self, state: State, seq: int, at: int, table: Table | None) -> None:
        self.state = state
        self.seq = seq
        self.at = at
        self.table = table
        self.told = Told()
        self.awarded: set[int] = set()
        self.pushes: list[Push] = []
        self.alarms: list[tuple[str, Map]] = []
        self._before: dict[tuple[int, int], tuple[int, Accounts]] = {}

    def meter(self, link: Link, level: Level) -> Accounts:
        """A level's accounts, about to move."""
        self._before.setdefault((link.number, level.number), (level.cycle, level.accounts.copy()))
        return level.accounts

    def outside(self, link: Link) -> Accounts:
        """The accounts of the link's awards that no meter pays, about to move (level 0)."""
        self._before.setdefault((link.number, 0), (0, link.outside.copy()))
        return link.outside

    def move(self, link_number: int, level_number: int, change: Accounts) -> None:
        """Move a level, or level 0, by the change."""
        link = self.state.link(link_number)
        if level_number:
            self.meter(link, link.levels[level_number - 1]).add(change)
        else:
            self.outside(link).add(change)

    def touched(self) -> list[tuple[Link, Level | None, Accounts, Accounts]]:
        """(link, level or None for level 0, accounts before, accounts now), in order."""
        rows = []
        for (number, level_number), (_, before) in sorted(self._before.items()):
            link = self.state.link(number)
            level = link.levels[level_number - 1] if level_number else None
            rows.append((link, level, before, level.accounts if level else link.outside))
        return rows

    def postings(self) -> tuple[Posting, ...]:
        """One row a level that moved; what did not move has none."""
        rows = []
        for (number, level_number), (cycle, before) in sorted(self._before.items()):
            link = self.state.link(number)
            now = link.levels[level_number - 1].accounts if level_number else link.outside
            change = now.less(before).values()
            if any(change):
                rows.append(Posting(number, level_number, cycle, *change))
        return tuple(rows)

    def meters(self) -> tuple[tuple[str, str, int], ...]:
        """(link, level, micro-dollars of the primary) of every level that moved, as it is now."""
        return tuple(
            (link.terms.link, level.terms.level, level.accounts.primary)
            for link, level, _, _ in self.touched()
            if level is not None
        )

    def waiting(self) -> tuple[tuple[str, tuple[answers.WaitingHit, ...]], ...]:
        """Of every link whose awards changed, the jackpots that wait now (S7)."""
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
        """Something for people to look at."""
        self.alarms.append((name, {"seq": self.seq, **facts}))
