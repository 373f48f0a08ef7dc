"""Book of the bonus: each table's wagers and awards, and each link's seeds, by period and shift.

Wagers are counted from postings, awards from events. All of it is then held against the database's own sums
of every account (M4).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.reports.contributions import contributed_by
from jackpot.reports.read.dealt import DealtRound, watch
from jackpot.reports.read.entries import one
from jackpot.reports.read.gaming_days import DayPart
from jackpot.reports.read.hits import HitStory, changes, stories_within
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.shifts import shift_moments, shift_of
from jackpot.reports.reconcile import joined_with, moved
from jackpot.reports.report import InArchive, ReportProblem
from jackpot.rules import meter
from jackpot.rules.events import LevelCounted
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.state import Award, DrawMade
from jackpot.text import Sentence

PAID_BY_HOUSE: Final[Mapping[str, str]] = {"odds": "odds", "envy": "envy", "draw": "draws"}
"""By the kind of an award that no meter pays, its figure."""
FROM_HOUSE: Final = (*PAID_BY_HOUSE.values(), "stakes")
"""The figures of what postings without a meter award: stakes that "N to 1" gives back are among it (B4)."""


class BonusKey(NamedTuple):
    """Key of the book's figures. period: a part's name. table: 0, with no shift, for the link itself."""

    period: str
    link: int
    table: int
    shift: str


class AwardMove(NamedTuple):
    """A change of what an award comes to. seq, at: of the entry that made it. step: "won", or what was done.

    micros: the difference. counts: 1 where it is won, -1 where it is undone, else 0. stake: what of
    the wager goes back to the winner with it (B4), or is kept again.
    """

    seq: int
    at: int
    story: HitStory
    award: Award
    step: str
    micros: int
    counts: int

    @property
    def stake(self) -> int:
        return self.counts * self.award.stake

    @property
    def figure(self) -> str:
        """Which figure of the book it changes."""
        return "from_meters" if self.award.level else PAID_BY_HOUSE[self.award.kind]

    @property
    def of_hand(self) -> bool:
        """Whether it is for the winner's own hand: no draw, and no bonus for another's hand."""
        return self.award.kind in ("meter", "odds")


class WageredTerms(NamedTuple):
    """Terms on which wagers were made, at a table of so many seats.

    players: of the rounds, where what a hand pays depends on them (Cover All), else 1.
    """

    terms: LinkTerms
    seats: int
    players: int = 1


class PlayersTally:
    """What was wagered by table, link, shift and players on wagers whose pay depends on these (B10).

    A `RoundListener`. sums: micro-dollars.
    """

    def __init__(self, names: JournalNames, site: Site) -> None:
        self._names = names
        self._site = site
        self.sums: Counter[tuple[int, int, str, int]] = Counter()

    def drawn(self, seq: int, round_: DealtRound, draws: list[DrawMade]) -> None:
        """Nothing is drawn for offers."""

    def counted(self, levels: list[LevelCounted]) -> None:
        """No level counts an offer."""

    def played(self, round_: DealtRound, sign: int) -> None:
        """Counts a round that ended, or takes it back."""
        shift = shift_of(round_.at, self._site)
        for bet in round_.bets:
            terms = self._names.links[bet.link]
            if by_players(terms):
                key = round_.table, bet.link, shift, round_.players
                self.sums[key] += sign * bet.wagered(terms)


def by_players(terms: LinkTerms) -> bool:
    """Whether what a hand pays depends on how many play (Cover All)."""
    return terms.hand_kind == "best-of-table"


class BonusBook:
    """The book of one bank over some periods.

    figures: by key, micro-dollars by name, and how many wagers and hits. hands: by key, awards by the hand
    that won. wagers: by key, how many on each of `played`, by its place. offered: the same of offers, whose
    wagers are not counted: micro-dollars (B1); of Cover All only where the book is asked for what is
    expected, which takes the rounds. problems: what does not add up.
    """

    def __init__(
        self,
        ledger: Reader,
        names: JournalNames,
        site: Site,
        parts: Sequence[DayPart],
        *,
        expected: bool = False,
    ) -> None:
        self.names = names
        self.figures: defaultdict[BonusKey, Counter[str]] = defaultdict(Counter)
        self.hands: defaultdict[BonusKey, Counter[str]] = defaultdict(Counter)
        self.wagers: defaultdict[BonusKey, Counter[int]] = defaultdict(Counter)
        self.offered: defaultdict[BonusKey, Counter[int]] = defaultdict(Counter)
        self.played: list[WageredTerms] = []
        self.problems: list[ReportProblem] = []
        self._ledger = ledger
        self._site = site
        self._places: dict[WageredTerms, int] = {}
        self._known: dict[tuple[int, int, int], int] = {}
        if parts:
            self._awards(parts)
        for part in parts:
            self._wagers(part)
        of_part: defaultdict[str, list[BonusKey]] = defaultdict(list)
        for key in self.figures:
            of_part[key.period].append(key)
        for part in parts:
            if expected:
                self._by_players(part, of_part[part.name])
            self.problems += self._links(part, of_part[part.name])

    def _wagers(self, part: DayPart) -> None:
        """What each table put on the meters, and on offers, which move no meter."""
        names = self.names
        for (shift, table, link, level, rated), micros in self._wagered(part).items():
            key = BonusKey(part.name, link, table, shift)
            figures, place = self.figures[key], self._place(link, rated, table)
            if not level:
                figures["wagered"] += micros
                if not by_players(names.links[link]):
                    self.offered[key][place] += micros
                continue
            terms, wagers = names.link_terms(link, rated), micros // names.each(link, rated)
            figures["wagers"] += wagers
            figures["wagered"] += wagers * terms.wager
            for terms_of_level in terms.levels:
                primary, reserve = meter.parts(terms_of_level, wagers * terms.wager)
                figures["onto_meters"] += primary
                figures["onto_reserves"] += reserve
            self.wagers[key][place] += wagers

    def _by_players(self, part: DayPart, keys: Sequence[BonusKey]) -> None:
        """What was wagered on Cover All with each number of players; of rounds that the ledger still has.

        keys: those of the part.
        """
        links = {key.link for key in keys if by_players(self.names.links[key.link])}
        if not links:
            return
        tally = PlayersTally(self.names, self._site)
        try:
            watch(self._ledger, self.names.bank, part.after, part.upto, tally)
        except InArchive:
            self.problems.append(
                ReportProblem(
                    "players_archived",
                    "{link}, {period}: its expected cost is left out, for its rounds are in the archive",
                    link=" ".join(sorted(filter(None, map(self.names.link, links)))),
                    period=part.name,
                )
            )
            return
        for (table, link, shift, players), micros in tally.sums.items():
            played = WageredTerms(
                self.names.link_terms(link, part.upto), self.names.tables[table].seats, players
            )
            place = self._places.setdefault(played, len(self.played))
            if place == len(self.played):
                self.played.append(played)
            key = BonusKey(part.name, link, table, shift)
            self.figures[key]["wagered"] += 0  # so that the key has a row
            self.offered[key][place] += micros

    def _wagered(self, part: DayPart) -> Counter[tuple[str, int, int, int, int]]:
        """What was contributed, by shift, table, link, level and the entry at which its rates held.

        No contribution is rounded (M2), so a sum of them tells as many wagers as they do. The database adds
        up those of a shift, since a month has hundreds of thousands of them.
        """
        found: Counter[tuple[str, int, int, int, int]] = Counter()
        for start, end in self.names.stretches(part.after, part.upto):
            moments = self._moments(start, end)
            for each in contributed_by(self._ledger, self.names, start, end, 1, moments):
                shift = shift_of(each.at, self._site)
                found[shift, each.table, each.link, each.level, each.rated] += each.micros
        return found

    def _moments(self, after: int, upto: int) -> list[int]:
        """Moments that divide the entries after < seq <= upto into shifts; none where they are not here."""
        first = one(self._ledger, self.names.bank, after + 1)
        last = one(self._ledger, self.names.bank, upto)
        if first is None or last is None:
            return []
        return shift_moments(first.at, last.at, self._site)

    def _place(self, link: int, rated: int, table: int) -> int:
        """The place in `played`: terms are slow to compare, so each is compared once a stretch."""
        seats = self.names.tables[table].seats
        place = self._known.get((link, rated, seats))
        if place is None:
            played = WageredTerms(self.names.link_terms(link, rated), seats)
            place = self._places.setdefault(played, len(self.played))
            if place == len(self.played):
                self.played.append(played)
            self._known[link, rated, seats] = place
        return place

    def _awards(self, parts: Sequence[DayPart]) -> None:
        """What each table's hands won, and later changes of it, each in the period in which it happened."""
        begins = [part.after for part in parts]
        for move in award_moves(self._ledger, self.names, begins[0], parts[-1].upto):
            period = parts[bisect_left(begins, move.seq) - 1].name
            key = BonusKey(period, move.award.link, move.story.hit.table, shift_of(move.at, self._site))
            self.figures[key][move.figure] += move.micros
            self.figures[key]["stakes"] += move.stake
            if move.of_hand and not self.names.links[move.award.link].offer:
                self.hands[key][move.story.hit.hand] += move.counts

    def _links(self, part: DayPart, keys: Sequence[BonusKey]) -> Iterator[ReportProblem]:
        """What the house put on each link's meters; problems where tables differ from the database's sums.

        keys: those of the part's tables.
        """
        carried = joined_with(self._ledger, self.names.bank, part.after, part.upto)
        lacks: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for (link, level), accounts in moved(self._ledger, self.names.bank, part.after, part.upto).items():
            own = accounts.less(carried.get((link, level), Accounts()))
            lacks[link]["contributions"] -= own.wagers
            lacks[link]["awards of meters" if level else "awards of the house"] += own.awards
            if level:
                key = BonusKey(part.name, link, 0, "")
                self.figures[key].update(seeds=-own.house, corrections=-own.corrections)
        for key in keys:
            if key.table:
                figures = self.figures[key]
                lacks[key.link].subtract({
                    "contributions": _contributed(self.names.links[key.link], figures),
                    "awards of meters": figures["from_meters"],
                    "awards of the house": sum(figures[name] for name in FROM_HOUSE),
                })  # fmt: skip
        for link, lack in lacks.items():
            for what, micros in lack.items():
                if micros:
                    yield ReportProblem(
                        "sum_of_no_table",
                        "{link}, {period}: {micros} micro-dollars of {what} belong to no table; "
                        "jackpot verify says which row was changed",
                        link=self.names.link(link), period=part.name, micros=micros, what=Sentence(what),
                    )  # fmt: skip


def _contributed(terms: LinkTerms, figures: Mapping[str, int]) -> int:
    """What the postings have as wagers: the part that reaches the meters; all that lay on an offer (B1)."""
    return figures["wagered"] if terms.offer else figures["onto_meters"] + figures["onto_reserves"]


def award_moves(ledger: Reader, names: JournalNames, after: int, upto: int) -> Iterator[AwardMove]:
    """Every change of what an award comes to that an entry of this bank with after < seq <= upto made."""
    for story in stories_within(ledger, names.bank, after, upto):
        for award in story.hit.awards:
            first, made = story.first[award.number], story.made[award.number]
            if story.bank == names.bank and after < made <= upto:
                yield AwardMove(made, _made_at(ledger, names, story, made), story, award, "won", first, 1)
            for step, more in changes(first, story.steps[award.number]):
                if step.bank == names.bank and after < step.seq <= upto:
                    gone = -1 if step.what == "undone" else 0
                    yield AwardMove(step.seq, step.at, story, award, step.what, more, gone)


def _made_at(ledger: Reader, names: JournalNames, story: HitStory, made: int) -> int:
    """When an award was made: a hit may get more of them in a later entry."""
    if made == story.hit.seq:
        return story.hit.at
    entry = one(ledger, names.bank, made)
    return story.hit.at if entry is None else entry.at
