"""Fairness report: hands, cards and draws of the journal against exact probabilities.

The journal does not say who dealt. A shift is as the site has it, else a third of the gaming day. Hands are
those that pay, against all wagers of rounds that ended: a site may send the cards of those alone. Cards are
held against the other cards of their rank, which a choice of paying hands favours as much; ranks against each
other only where every hand was shown. Random numbers of mystery links are held against uniform ones, and
their raw bytes against random bytes, for each link by itself; of a committed one these are the triggers that
were opened: won, replaced, or at its end. Many comparisons are made, so the chance of
each is corrected for their number (Holm). Where nobody counted how two hands of a round come together, a
round is judged by one hand: that of the highest seat with the wager (Bad Beat, a Six Card Bonus whose cards
an approval names), or of the table (Cover All), by its number of players.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.reports import goodness_of_fit, statistics
from jackpot.reports.goodness_of_fit import CountedHands, Finding
from jackpot.reports.random_numbers import RandomNumbers
from jackpot.reports.read.dealt import DealtRound, watch
from jackpot.reports.read.entries import of_kind
from jackpot.reports.read.gaming_days import periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.shifts import shift_of
from jackpot.reports.report import BriefReport, Cell, Fact, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules import cards as deck
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.events import LevelCounted, TriggerOpened
from jackpot.rules.hands import NAMES, CardsShown, beaten, best_of_table, makes, needs, rank_shown
from jackpot.rules.state import DrawMade, HandShown
from jackpot.text import Sentence, card

# Table or shift of a comparison over all of them.
ALL: Final = Sentence("all")
IMPROBABLE: Final = Sentence("improbable")
TOO_FEW: Final = Sentence("too few")
_SUITS: Final = len(deck.SUITS)
_RANKS: Final = len(deck.RANKS)

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("link"),
    ReportColumn("table"),
    ReportColumn("shift", help="in which the round began"),
    ReportColumn("what", "word"),
    ReportColumn("of", "count", "how many could have been it", always=True, spare=True),
    ReportColumn("observed", "count", always=True),
    ReportColumn("expected", "figure", help="by exact odds", spare=True),
    ReportColumn("off", "figure", help="by how many standard deviations, and to which side"),
    ReportColumn(
        "corrected_chance",
        "figure",
        help="of a report of fair play with anything so far off: corrected for the number of comparisons",
    ),
    ReportColumn("verdict"),
    ReportColumn(
        "shown_from",
        "count",
        "of so many, twice as often as expected would be found nine times in ten",
        spare=True,
    ),
)
_VERDICT: Final = next(number for number, column in enumerate(COLUMNS) if column.name == "verdict")


class FairnessPlace(NamedTuple):
    """Key of a comparison. link: 0 for cards, of all links. table, shift: 0 and "" for all."""

    link: int
    table: int
    shift: str

    def with_wider(self) -> "Iterator[FairnessPlace]":
        """The place itself, all shifts of its table, and all tables of its link."""
        yield self
        yield self._replace(shift="")
        if self.link:
            yield FairnessPlace(self.link, 0, "")


class DrawCounts:
    """Draws of one link.

    chances: locks and draws by what was drawn and its N. cards, boxes: every number drawn.
    """

    def __init__(self) -> None:
        self.chances: dict[tuple[str, int], list[int]] = {}
        self.cards: Counter[int] = Counter()
        self.boxes: Counter[tuple[int, int]] = Counter()

    def add(self, what: str, every: int, *, drawn: bool) -> None:
        locks = self.chances.setdefault((what, every), [0, 0])
        locks[0] += 1
        locks[1] += drawn

    def add_all(self, other: "DrawCounts") -> None:
        """Adds the counts of another place."""
        for key, (locks, drawn) in other.chances.items():
            mine = self.chances.setdefault(key, [0, 0])
            mine[0] += locks
            mine[1] += drawn
        self.cards.update(other.cards)
        self.boxes.update(other.boxes)

    def findings(self) -> Iterator[Finding]:
        for (what, every), (locks, drawn) in sorted(self.chances.items()):
            if every > 1:  # otherwise drawn each time
                often = Sentence("{what}, 1 in {every}", what=Sentence(what), every=f"{every:,}")
                yield goodness_of_fit.trial(often, locks, drawn, 1 / every)
        cards = {card(deck.text(number)): self.cards[number] for number in range(deck.DECK)}
        yield from _farthest("magic card", cards)
        for seats in sorted({seats for seats, _ in self.boxes}):
            boxes: dict[str, int] = {
                Sentence("{box} of {seats}", box=box, seats=seats): self.boxes[seats, box]
                for box in range(1, seats + 1)
            }
            yield from _farthest("lucky box", boxes)


class CardCounts:
    """Counts of cards that were shown. hidden: hands with a wager of which none was."""

    def __init__(self) -> None:
        self.seen: Counter[int] = Counter()
        self.hidden = 0

    def add_all(self, other: "CardCounts") -> None:
        """Adds the counts of another place."""
        self.seen.update(other.seen)
        self.hidden += other.hidden

    def findings(self) -> Iterator[Finding]:
        suits = [[self.seen[_SUITS * rank + suit] for suit in range(_SUITS)] for rank in range(_RANKS)]
        ranks = [sum(of_rank) for of_rank in suits]
        among = [
            goodness_of_fit.trial(
                _one_of("card", card(deck.text(_SUITS * rank + suit))),
                ranks[rank],
                suits[rank][suit],
                1 / _SUITS,
            )
            for rank in range(_RANKS)
            for suit in range(_SUITS)
            if ranks[rank]
        ]
        yield from _worst(among)
        if not self.hidden:
            yield from _farthest("rank", dict(zip(deck.RANKS, ranks, strict=True)))


class FairnessTally:
    """Tally of the rounds of one bank, as a RoundListener."""

    def __init__(self, names: JournalNames, site: Site, link: str | None) -> None:
        self._names = names
        self._site = site
        self._only = None if link is None else names.number(link)
        self._any = link is None
        # By players, 1 where their number does not matter.
        self.hands: defaultdict[FairnessPlace, defaultdict[int, CountedHands]] = defaultdict(
            lambda: defaultdict(CountedHands)
        )
        self.cards: defaultdict[FairnessPlace, CardCounts] = defaultdict(CardCounts)
        self.draws: defaultdict[FairnessPlace, DrawCounts] = defaultdict(DrawCounts)
        self.numbers: defaultdict[int, RandomNumbers] = defaultdict(RandomNumbers)
        self.hidden = 0

    def counted(self, levels: list[LevelCounted]) -> None:
        """Counts the numbers that wagers on mystery levels drew, or reached (Y2), by link."""
        for level in levels:
            if self._wants(level.link):
                for raw in level.drawn:
                    self.numbers[level.link].drawn(raw)
                for trigger in level.opened:
                    self.opened(level.link, trigger)

    def opened(self, link: int, trigger: TriggerOpened) -> None:
        """Counts an opened trigger, won or not, by where it lies from its own start (Y5)."""
        if self._wants(link):
            self.numbers[link].opened(trigger.above, trigger.value, trigger.upto, trigger.raw)

    def drawn(self, seq: int, round_: DealtRound, draws: list[DrawMade]) -> None:
        """Counts the draw of a lock (A7): raw numbers, lost ones too."""
        seats = self._names.tables[round_.table].seats
        for made in draws:
            if not self._wants(made.link):
                continue
            terms = self._names.link_terms(made.link, seq)
            counts = self.draws[FairnessPlace(made.link, round_.table, shift_of(round_.at, self._site))]
            if made.magic_chance >= 0:
                counts.add("magic card drawn", terms.magic_every, drawn=made.magic is not None)
                counts.cards[made.magic_card] += 1
            if made.lucky_chance >= 0:
                counts.add("lucky bonus drawn", terms.lucky_every, drawn=made.lucky is not None)
                counts.boxes[seats, made.lucky_box] += 1

    def played(self, round_: DealtRound, sign: int) -> None:
        """Counts a round that ended, or takes it back."""
        shift = shift_of(round_.at, self._site)
        shown: dict[int, list[HandShown]] = {}
        for hand in round_.shown:
            shown.setdefault(hand.seat, []).append(hand)
        own = {seat: b"".join(hand.cards for hand in hands) for seat, hands in shown.items()}
        own[0] = round_.dealer
        wagered = {
            link: {0 if bet.dealer else bet.seat for bet in round_.bets if bet.link == link}
            for link in {bet.link for bet in round_.bets}
            if self._wants(link) and not self._names.links[link].mystery
        }
        for link, seats in wagered.items():
            counted = self.hands[FairnessPlace(link, round_.table, shift)]
            terms, game = self._names.links[link], self._names.tables[round_.table].game
            if terms.hand_kind == "best-of-table":
                self._add_table(counted, round_, own, sign)
                continue
            judged = {max(seats)} if goodness_of_fit.one_a_round(terms, game) else seats
            made = [
                name
                for seat in judged
                if (name := self._made(link, round_, own.get(seat, b""), shown.get(seat, ())))
            ]
            counted[1].add(len(judged), made, sign)
        if wagered:
            counts = self.cards[FairnessPlace(0, round_.table, shift)]
            for dealt in chain(round_.board, round_.bonus, *own.values()):
                counts.seen[dealt] += sign
            hidden = sum(not own.get(seat) for seat in set().union(*wagered.values()))
            counts.hidden += sign * hidden
            self.hidden += sign * hidden

    def _wants(self, link: int) -> bool:
        return self._any or link == self._only

    @staticmethod
    def _add_table(
        counted: defaultdict[int, CountedHands], round_: DealtRound, own: Mapping[int, bytes], sign: int
    ) -> None:
        """Counts the highest hand of the table, of a round that shows every player's (B10)."""
        held = [tuple(cards) for seat, cards in own.items() if seat and cards]
        if round_.players and len(held) == round_.players and round_.board:
            counted[round_.players].add(1, [best_of_table(held, tuple(round_.board)).name], sign)

    def _made(self, link: int, round_: DealtRound, own: bytes, hands: Sequence[HandShown]) -> str | None:
        """The hand's rank on that link: by its cards, else as it was claimed (H2, H4)."""
        terms, game = self._names.links[link], self._names.tables[round_.table].game
        kind = terms.hand_kind
        if not makes(kind, game, terms.cards):
            return None
        shown = CardsShown(tuple(own), tuple(round_.board), tuple(round_.dealer), tuple(round_.bonus))
        if kind == "beaten":
            lost = None if needs(kind, game).missing(shown) else beaten(shown.own, shown.dealer, shown.board)
            return None if lost is None else lost.ranked.name
        if (ranked := rank_shown(kind, game, shown, terms.cards)) is not None:
            return ranked.name
        claimed = (hand.hand for hand in hands if hand.link in (0, link) and hand.hand in NAMES[kind])
        return next(claimed, None)


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every comparison, the least probable first. Raises LedgerError."""
    spans = {bank: wanted_span(ledger, bank, request) for bank in request.banks}
    found: list[tuple[JournalNames, FairnessPlace, Finding]] = []
    hidden = hands = numbers = 0
    for bank, days in spans.items():
        names = JournalNames(ledger, bank)
        tally = FairnessTally(names, request.site, request.link)
        watch(ledger, bank, days.after, days.upto, tally)
        for entry in of_kind(ledger, bank, TriggersRenewed.kind, days.after, days.upto):
            event = entry.event
            for renewed in event.levels if isinstance(event, TriggersRenewed) else ():
                if renewed.opened is not None:
                    tally.opened(renewed.link, renewed.opened)
        found += [(names, place, finding) for place, finding in _findings(names, tally)]
        hidden += tally.hidden
        hands += sum(counted.hands for by in tally.hands.values() for counted in by.values())
        numbers += sum(drawn.count for drawn in tally.numbers.values())
    return judged(found, periods(spans), hands, hidden, numbers)


def judged(
    found: Sequence[tuple[JournalNames, FairnessPlace, Finding]],
    facts: list[Fact],
    hands: int,
    hidden: int,
    numbers: int = 0,
) -> ReportResult:
    """The report of these comparisons.

    hands: with a wager, of which `hidden` showed no cards. numbers: random ones of mystery links.
    """
    known = [one for one in found if one[2].chance is not None]
    chances = statistics.holm([finding.chance or 0.0 for _, _, finding in known])
    of = {id(one[2]): corrected for one, corrected in zip(known, chances, strict=True)}
    rows = sorted(found, key=lambda one: (of.get(id(one[2]), 2.0), -abs(one[2].off)))
    improbable = sum(corrected < goodness_of_fit.LEVEL for corrected in chances)
    first = [
        Fact("verdict", _verdict(improbable, len(known), hands, numbers)),
        Fact(
            "how sure",
            Sentence(
                "of {count} such reports of fair play, at most one calls anything improbable",
                count=round(1 / goodness_of_fit.LEVEL),
            ),
        ),
    ]
    said = [
        Fact(
            "compared",
            Sentence("hands that pay, against all wagers of rounds that ended; cards, within their rank"),
        ),
        Fact(
            "shift",
            Sentence("the one in which the round began: the journal does not say who dealt"),
        ),
        Fact("comparisons", len(known), "count"),
        Fact(IMPROBABLE, improbable, "count"),
        Fact(
            "left out",
            Sentence(
                "{count} more, of which too few are expected to judge", count=f"{len(found) - len(known):,}"
            ),
        ),
        Fact("hands with a wager", hands, "count"),
        Fact(
            "without cards",
            Sentence("{count}: they count as hands that pay nothing", count=f"{hidden:,}"),
        ),
    ]
    if numbers:
        said.append(Fact("random numbers of mystery links", numbers, "count"))
    level = goodness_of_fit.LEVEL / max(1, len(known))
    cells = (_row(names, place, finding, of.get(id(finding)), level) for names, place, finding in rows)
    return ReportResult([*first, *facts, *said], iter(list(cells)), [])


def _verdict(improbable: int, known: int, hands: int, numbers: int) -> Sentence:
    """Whether play was fair, in one sentence. known: comparisons with a chance."""
    counts = {"of": f"{known:,}", "hands": f"{hands:,}"}
    if improbable:
        return Sentence(
            "look closer: {count} of {of} comparisons are improbable, listed first",
            count=improbable,
            **counts,
        )
    if known and numbers:
        return Sentence(
            "fair, as far as {hands} hands and {numbers} random numbers can tell: none of {of} comparisons "
            "is improbable",
            numbers=f"{numbers:,}",
            **counts,
        )
    if known:
        return Sentence(
            "fair, as far as {hands} hands can tell: none of {of} comparisons is improbable", **counts
        )
    return Sentence("too little was played to say")


def _row(
    names: JournalNames, place: FairnessPlace, finding: Finding, corrected: float | None, level: float
) -> tuple[Cell, ...]:
    verdict = TOO_FEW if corrected is None else IMPROBABLE if corrected < goodness_of_fit.LEVEL else ""
    return (
        names.bank, names.link(place.link or None), names.table(place.table or None) or ALL, place.shift or
        ALL, finding.what, finding.of, finding.observed, f"{finding.expected:.2f}", f"{finding.off:+.1f}", ""
        if corrected is None else f"{corrected:.2g}", verdict, statistics.trials_to_show(finding.rate,
        finding.spread, level) if finding.rate else None,
    )  # fmt: skip


def _findings(names: JournalNames, tally: FairnessTally) -> Iterator[tuple[FairnessPlace, Finding]]:
    """Of every table and shift, of each table over all shifts, and of each link over all tables."""
    for place, leaves in _places(tally.hands):
        terms = names.links[place.link]
        parts = [
            (goodness_of_fit.expected_of(terms, names.tables[leaf.table].game, players), counted)
            for leaf in leaves
            for players, counted in tally.hands[leaf].items()
        ]
        if parts:
            yield from ((place, finding) for finding in goodness_of_fit.compare(parts))
    for place, leaves in _places(tally.cards):
        cards = CardCounts()
        for leaf in leaves:
            cards.add_all(tally.cards[leaf])
        yield from ((place, finding) for finding in cards.findings())
    for link, numbers in tally.numbers.items():
        yield from ((FairnessPlace(link, 0, ""), finding) for finding in numbers.findings())
    for place, leaves in _places(tally.draws):
        draws = DrawCounts()
        for leaf in leaves:
            draws.add_all(tally.draws[leaf])
        yield from ((place, finding) for finding in draws.findings())


def _places(counted: Iterable[FairnessPlace]) -> Iterator[tuple[FairnessPlace, list[FairnessPlace]]]:
    """Each place with the places it is made of, narrow ones first; none that equals another."""
    made: defaultdict[FairnessPlace, list[FairnessPlace]] = defaultdict(list)
    for leaf in counted:
        for place in leaf.with_wider():
            made[place].append(leaf)
    told: set[tuple[FairnessPlace, ...]] = set()
    for place in sorted(made, key=lambda place: (not place.shift, not place.table)):
        if (leaves := tuple(made[place])) not in told:
            told.add(leaves)
            yield place, list(leaves)


def _one_of(what: str, name: str) -> Sentence:
    return Sentence("{what} {name}", what=Sentence(what), name=name)


def _farthest(what: str, counts: Mapping[str, int]) -> Iterator[Finding]:
    """The value farthest off, of equally likely ones."""
    of = sum(counts.values())
    if of and len(counts) > 1:
        yield from _worst(
            [
                goodness_of_fit.trial(_one_of(what, name), of, count, 1 / len(counts))
                for name, count in counts.items()
            ]
        )


def _worst(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The least probable comparison; its chance is that any of them is so far off."""
    if findings:
        worst = min(findings, key=lambda finding: finding.chance or 0.0)
        yield worst._replace(chance=min(1.0, (worst.chance or 0.0) * len(findings)))


REPORT: Final = Report(
    "fairness",
    "Fairness of hands and draws",
    "Were hands, cards and draws those of fair decks? They are compared with exact odds, by table and "
    "dealer's shift, the least probable first. Hands that pay are compared with all wagers. Each chance is "
    "corrected for the number of comparisons.",
    COLUMNS,
    ("days", "link"),
    find,
    "--from 2026-11-01 --to 2026-11-20",
    brief=BriefReport(lambda row: row[_VERDICT] == IMPROBABLE, "comparisons that are not improbable"),
)
