"""What does an entry bring about? Its answer, its pushes and its postings, gathered as it is applied."""

from typing import Any

from jackpot.rules import cards as deck
from jackpot.rules.meter import Accounts
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Push
from jackpot.rules.postings import Posting
from jackpot.rules.state import Award, Hit, Level, Link, Round, State, Table

Map = dict[str, Any]


class Effects:
    """One entry in the making. seq, at: the journal's. table: whose frame it is, if it is one."""

    def __init__(self, state: State, seq: int, at: int, table: Table | None) -> None:
        self.state = state
        self.seq = seq
        self.at = at
        self.table = table
        self.answer: Map = {}
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

    def tell_table(self, table: Table, message: Map) -> None:
        """To one table."""
        self.pushes.append(Push(message, table=table.terms.table))

    def tell_link(self, link: Link, message: Map) -> None:
        """To every table and sign of a link."""
        self.pushes.append(Push(message, link=link.terms.link))

    def tell_status(self, hit: Hit, status: str, award: Award | None = None) -> None:
        """A new status: to the hit's table; a hit's, or a raised sum, to the signs of its link, too."""
        message: Map = {"t": "status", "hit": f"H{hit.number}", "status": status}
        if award is not None:
            message |= {"award": f"A{award.number}", "amount": to_cents(award.amount)}
        self.tell_table(self.state.table(hit.table), message)
        if award is None or status == "raised":
            link = self.state.link(hit.link).terms.link
            self.pushes.append(Push(message, signs_of=link))

    def tell_round(self, table: Table, round_: Round, **more: Any) -> None:
        """People changed the table's round; `more` replaces or adds facts of it."""
        self.tell_table(table, {"t": "round", **round_facts(self.state, round_), **more})

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
        self.tell_link(link, link_state_map(link))

    def alarm(self, name: str, **facts: Any) -> None:
        """Something for people to look at."""
        self.alarms.append((name, {"seq": self.seq, **facts}))


def link_state_map(link: Link) -> Map:
    """The `link` push."""
    if not link.suspended:
        return {"t": "link", "link": link.terms.link, "state": "active"}
    reason = link.suspended[-1]
    return {"t": "link", "link": link.terms.link, "state": "suspended", "reason": reason}


def award_map(state: State, award: Award) -> Map:
    """An award as the wire tells it."""
    link = state.link(award.link)
    return {
        "award": f"A{award.number}",
        "hit": f"H{award.hit}",
        "seat": award.seat,
        "link": link.terms.link,
        "level": link.levels[award.level - 1].terms.level if award.level else None,
        "hand": award.hand,
        "kind": award.kind,
        "amount": to_cents(award.amount),
        "pays": award.pays,
        "status": award.status,
        "unverified": award.unverified,
        "because": award.because or None,
        "light": True,
    }


def draw_map(state: State, round_: Round) -> Map | None:
    """What was drawn, by link: `magic_card` and `lucky_box` where they were (A7)."""
    drawn: Map = {}
    for draw in round_.draws:
        entry: Map = {}
        if draw.magic is not None:
            entry["magic_card"] = deck.text(draw.magic)
        if draw.lucky is not None:
            entry["lucky_box"] = draw.lucky
        if entry:
            drawn[state.link(draw.link).terms.link] = entry
    return drawn or None


def round_map(state: State, table: Table) -> Map | None:
    """The round that the table has to finish, as `welcome` tells it."""
    round_ = table.unfinished()
    return None if round_ is None else round_facts(state, round_)


def round_facts(state: State, round_: Round) -> Map:
    """A round as `welcome` and `round` tell it."""
    return {
        "round": round_.id,
        "state": round_.state,
        "bets": [
            {
                "seat": bet.seat,
                "link": state.link(bet.link).terms.link,
                "on": "dealer" if bet.dealer else "own",
                "player": bet.player,
            }
            for bet in round_.bets
        ],
        "chips": {state.link(number).terms.link: count for number, count in round_.chips.items()},
        "draw": draw_map(state, round_),
        "board": [deck.text(card) for card in deck.unpack(round_.board)],
        "dealer": [deck.text(card) for card in deck.unpack(round_.dealer)],
        "settled": list(dict.fromkeys(round_.settled())),
    }
