"""Explains an award: every step from its cycle's beginning to what was paid (L10)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from jackpot.ledger.cycles import TakePoint, settlement
from jackpot.ledger.joined_banks import former_numbers, parts_of
from jackpot.ledger.reading import Reader
from jackpot.reports.read.hits import AwardChange, HitStory, changes, story_of
from jackpot.reports.read.meter_history import LevelRef, MeterHistory, amounts, award_list, entry_at, percent
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import (
    Cell,
    Fact,
    Report,
    ReportColumn,
    ReportProblem,
    ReportRefused,
    ReportRequest,
    ReportResult,
)
from jackpot.rules import meter
from jackpot.rules.acts.hits import Corrected, Undone
from jackpot.rules.events import Event, TakeMade
from jackpot.rules.state import Award, Hit
from jackpot.text import Sentence, both, joined, name_sentence, one_of

COLUMNS: Final = (
    ReportColumn("award"),
    ReportColumn("part", "word", help="how it grew: adds up to meter; share and later: add up to total"),
    ReportColumn("what"),
    ReportColumn("day", help="the gaming day"),
    ReportColumn("table"),
    ReportColumn("row", "count", "of the journal; none for a day's wagers"),
    ReportColumn("cycle", "count"),
    ReportColumn("amount", "sum"),
    ReportColumn("reserve", "sum", "what it moved there"),
    ReportColumn("overflow", "sum", "what it moved there"),
)

# Name of a seat and of its envy bonus: seat 0 is the dealer's hand.
_DEALER: Final = Sentence("the dealer's hand")


Part = tuple[str, Sentence, int, int]
"""Of an award: part, what, row, amount."""


class AwardMade(NamedTuple):
    """A percentage award when it was made.

    row: the entry. others: all awards that shared it, late ones too.
    """

    row: int
    take: TakeMade
    others: list[Award]

    @property
    def turn(self) -> TakePoint:
        return TakePoint(self.take.moment or self.row, self.take.order)


def the_hit(ledger: Reader, request: ReportRequest) -> tuple[str, HitStory]:
    """The bank that made the hit asked for, and its history. Raises ReportRefused.

    It is asked for by its number in that bank, or in one that this became.
    """
    found = []
    for bank in request.banks:
        story = story_of(ledger, bank, request.hit)
        if story is not None:
            found.append((story.bank, story))
    if not found:
        hit, banks = f"H{request.hit}", one_of(request.banks)
        today = [
            Sentence(
                "{hit} of {bank} is {now} in {into}",
                hit=hit,
                bank=part.bank,
                now=f"H{request.hit + part.by.hits}",
                into=bank,
            )
            for bank in request.banks
            for part in parts_of(ledger, bank)
            if request.hit + part.by.hits in part.hits
        ]
        if not today:
            raise ReportRefused(
                "no_hit_there", "there is no {hit} in {banks}", field="hit", hit=hit, banks=banks
            )
        raise ReportRefused(
            "hit_renumbered",
            "there is no {hit} in {banks}; {today}",
            field="hit",
            hit=hit,
            banks=banks,
            today=joined(today, "; "),
        )
    if len(found) > 1:
        banks = one_of([bank for bank, _ in found])
        raise ReportRefused(
            "hit_of_several_banks",
            "each bank counts its own hits; which one? {banks}",
            field="bank",
            banks=banks,
        )
    return found[0]


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every award of one hit. Raises ReportRefused, LedgerError."""
    bank, story = the_hit(ledger, request)
    names = JournalNames(ledger, bank)
    hit = story.hit
    facts = [
        Fact("hit", Sentence("{hit} in bank {bank}", hit=f"H{hit.number}", bank=bank)),
        *numbers_today(ledger, story),
        Fact("hand", joined([name_sentence(hit.hand), *placed(names, hit)])),
        Fact("link", request.link_cell(names.link(hit.link))),
        Fact("won", hit.at, "moment"),
    ]
    facts += [
        Fact(f"A{award.number}", joined([kind_of(request, names, award), Sentence(award.status)]))
        for award in hit.awards
    ]
    problems: list[ReportProblem] = []
    return ReportResult(facts, _rows(ledger, request, names, story, problems), problems)


def numbers_today(ledger: Reader, story: HitStory) -> Iterator[Fact]:
    """The numbers of a hit and its awards in the bank that its bank became; nothing where that goes on."""
    now = former_numbers(ledger, story.bank, story.hit.number)[-1]
    if now.bank == story.bank:
        return
    awards = joined(
        Sentence("{award} is {now}", award=f"A{award.number}", now=f"A{award.number + now.by.awards}")
        for award in story.hit.awards
    )
    yield Fact(
        "since the join",
        Sentence("{hit} in bank {bank}: {awards}", hit=f"H{now.number}", bank=now.bank, awards=awards),
    )


def where(seat: int) -> Sentence:
    """A seat, in words."""
    return Sentence("seat {seat}", seat=seat) if seat else _DEALER


def placed(names: JournalNames, hit: Hit) -> tuple[Sentence, Sentence, Sentence]:
    """The seat, the table and the round of a hit."""
    table = Sentence("table {table}", table=names.table(hit.table))
    return where(hit.seat), table, Sentence("round {round}", round=hit.round)


def kind_of(request: ReportRequest, names: JournalNames, award: Award) -> Sentence:
    """The kind of an award, in words."""
    to = Sentence("to seat {seat}", seat=award.seat) if award.seat else Sentence("to the dealer's hand")
    if award.level:
        link = names.link(award.link)
        level = request.level_title(link, names.level(award.link, award.level))
        return Sentence("{level} of {link}, {to}", level=level, link=request.title(link), to=to)
    if award.kind == "envy":
        of = Sentence("the hand of seat {seat}", seat=award.because) if award.because else _DEALER
        return Sentence("Envy for {hand}, {to}, paid by the house", hand=of, to=to)
    return Sentence("{kind}, {to}, paid by the house", kind=name_sentence(award.kind), to=to)


def _rows(
    ledger: Reader,
    request: ReportRequest,
    names: JournalNames,
    story: HitStory,
    problems: list[ReportProblem],
) -> Iterator[tuple[Cell, ...]]:
    shown: dict[tuple[int, int, TakePoint], int] = {}
    for award in story.hit.awards:
        name, row = f"A{award.number}", story.made[award.number]
        event = entry_at(ledger, names.bank, row).event
        first = amounts(event)[award.number]
        parts = [("share", Sentence("what the paytable gives"), row, first)]
        if award.level:
            made = _award_made(ledger, names.bank, row, event, award)
            key = (award.link, award.level, made.turn)
            if key not in shown:
                way = MeterHistory(ledger, request.site, LevelRef(names, award.link, award.level), made.turn)
                yield from _history_rows(way, name)
                shown[key] = min(way.primary, way.most())
            parts = _share(made, award, shown[key], first)
            if len(parts) > 1 and not made.take.moment:
                problems.append(
                    ReportProblem(
                        "award_not_of_meter",
                        "{award}: it was not what its meter gave; jackpot verify says which row is wrong",
                        award=name,
                    )
                )
        parts += _later(names, story.steps[award.number], first)
        for part, what, at, amount in parts:
            yield name, part, what, "", "", at, None, amount, None, None
        total = sum(amount for *_, amount in parts)
        stands = award.worth() if award.stands() else 0
        if total != stands:
            problems.append(
                ReportProblem(
                    "award_steps_differ",
                    "{award}: its steps come to {total} and not to {stands} micro-dollars",
                    award=name, total=total, stands=stands,
                )
            )  # fmt: skip
        comes = Sentence("{award} comes to, {status}", award=name, status=Sentence(award.status))
        yield name, "total", comes, "", "", None, None, total, None, None


def _history_rows(way: MeterHistory, name: str) -> Iterator[tuple[Cell, ...]]:
    for line in way.lines():
        yield (name, "how it grew", line.what, line.day, line.table, line.row or None, line.cycle, line.meter,
               line.reserve, line.overflow)  # fmt: skip
    through = list(map(str, way.cycles))
    what = (
        Sentence("the meter at its turn (cycle {cycle})", cycle=through[0])
        if len(through) == 1
        else Sentence("the meter at its turn (cycles {cycles})", cycles=both(through))
    )
    yield name, "meter", what, "", "", way.turn.row, None, way.primary, None, None


def _award_made(ledger: Reader, bank: str, row: int, event: Event, award: Award) -> AwardMade:
    """How a percentage award was made; for a late one, the awards that had shared it before."""
    take = next(take for take in settlement(event).takes if award.number in take.awards)
    others = _awards(event, take)
    if take.moment:
        then = entry_at(ledger, bank, take.moment).event
        for known in settlement(then).takes:
            same = (known.link, known.level, known.order) == (take.link, take.level, take.order)
            others += _awards(then, known) if same and not known.moment else []
    return AwardMade(row, take, others)


def _awards(event: Event, take: TakeMade) -> list[Award]:
    return [award for hit in settlement(event).hits for award in hit.awards if award.number in take.awards]


def _share(made: AwardMade, award: Award, primary: int, first: int) -> list[Part]:
    """The meter's share: (part, what, row, amount). A second line states what no sum here shows."""
    dealers = sum(other.dealer for other in made.others)
    units = len(made.others) - dealers + (1 if dealers else 0)
    parts = units * dealers if award.dealer else units
    given = meter.formula(primary, made.take.rate, parts)
    share = percent(made.take.rate)
    what = (
        Sentence(
            "{share} of it, one of {parts} equal parts, rounded down to the cent", share=share, parts=parts
        )
        if parts > 1
        else Sentence("{share} of it, rounded down to the cent", share=share)
    )
    found: list[Part] = [("share", what, made.row, given)]
    if first != given:
        since = Sentence("by what was undone or settled before it since its turn")
        found.append(("share", since, made.row, first - given))
    return found


def _later(names: JournalNames, steps: list[AwardChange], first: int) -> list[Part]:
    """Later changes of the award; amounts are differences."""
    return [("later", _changed_in(names, step), step.seq, more) for step, more in changes(first, steps)]


def _changed_in(names: JournalNames, step: AwardChange) -> Sentence:
    """What changed an award; with the bank, where another one's row says it."""
    said = _changed(names, step)
    return said if step.bank == names.bank else Sentence("{what} (bank {bank})", what=said, bank=step.bank)


def _changed(names: JournalNames, step: AwardChange) -> Sentence:
    """What changed an award, and why."""
    match step.what, step.event:
        case "raised", Undone() as event:
            return Sentence(
                "raised by {who}: {awards} of {hit} undone",
                who=names.who(event.people), awards=award_list(event.awards), hit=f"H{event.hit}",
            )  # fmt: skip
        case "corrected", Corrected() as event:
            return Sentence("corrected by {who}: {reason}", who=names.who(event.people), reason=event.reason)
        case "undone", Undone() as event:
            return Sentence("undone by {who}: {reason}", who=names.who(event.people), reason=event.reason)
    return Sentence(step.what)


REPORT: Final = Report(
    "explain",
    "A jackpot explained",
    "Why did a hit come to its sum? Every wager of its cycle by gaming day and table, reserve and "
    "overflow that entered, what was won, undone or corrected, each step to the amount, to the micro-dollar.",
    COLUMNS,
    ("hit",),
    find,
    "H12",
)
