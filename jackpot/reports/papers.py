"""Printed documents of a payment: jackpot slip and payout form, from the journal (A8, A10, T11)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jackpot.catalogue.figures import rate_text
from jackpot.config import Site
from jackpot.ledger.cycles import TakePoint, settlement
from jackpot.ledger.joined_banks import former_numbers
from jackpot.ledger.reading import Reader
from jackpot.reports.explain import kind_of, numbers_today, placed, the_hit, where
from jackpot.reports.read.cards import HitCards, Source, cards_of
from jackpot.reports.read.entries import asked
from jackpot.reports.read.hits import (
    ERASED,
    MISSING,
    PERSONAL,
    AwardChange,
    HitStory,
    facts_of,
    written_on,
)
from jackpot.reports.read.meter_history import LevelRef, entry_at
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import (
    Cell,
    Fact,
    Report,
    ReportColumn,
    ReportRefused,
    ReportRequest,
    ReportResult,
)
from jackpot.reports.winners import done, status, worth
from jackpot.rules.acts.fields import Way
from jackpot.rules.acts.hits import Corrected, Paid, Validated, ways
from jackpot.rules.acts.papers import PapersAdded
from jackpot.rules.acts.payout_details import winners
from jackpot.rules.money import from_cents
from jackpot.rules.rounds.undo import is_whole
from jackpot.rules.state import Award, Hit
from jackpot.text import LAMPS, Sentence, both, card, joined, name_sentence

COLUMNS: Final = (
    ReportColumn("award"),
    ReportColumn("what"),
    ReportColumn("paid_from", "word"),
    ReportColumn("status", "word"),
    ReportColumn(
        "amount",
        "sum",
        "with what was corrected; the hand's own awards come first",
    ),
)

# What people write on a payout form, as the paper has it; a line stays empty for what is written by hand.
WRITTEN: Final = (
    "dealer", "witness", "surveillance", "patron", "identification", "tax_form", "tax_number", "document",
)  # fmt: skip
# The same where the site's country has taxes: what was withheld, and how the money was given.
TAXED: Final = (
    "dealer", "witness", "surveillance", "patron", "identification", "taxpayer_number", "tax_form",
    "tax_number", "treaty_rate", "treaty_form", "way", "way_number", "document",
)  # fmt: skip

# Of these, what a paper calls by more than its name.
_CALLED: Final[Mapping[str, str]] = {
    "tax_number": "number of the tax form",
    "way_number": "number of the slip, cheque or account",
}
# Of these, what has no line unless somebody wrote it.
_RARE: Final = ("treaty_rate", "treaty_form")
# What is written on papers in words of ours.
_WORDS: Final = frozenset({"cash", "cheque", "account", ERASED, MISSING})
# What a payment says of the part that was given another way: it stands on the lines of its way.
_OTHER: Final[Mapping[str, str]] = {"other_way": "way", "other_number": "way_number"}

# Whose each copy of a paper is: the drawer's stays with the money, accounting's comes to it another way.
COPIES: Final = ("Original: cage", "Copy: accounting", "Copy: patron")

# Source of the cards of a round whose frames are archived.
_FROM: Final[Mapping[Source, Sentence]] = {
    "archive": Sentence("the archive"),
    "state": Sentence("the sealed state with which the rows here begin; the frames are archived"),
}

# Bytes of a hash in one group: as many as the eye keeps while comparing two papers.
_HASH_GROUP: Final = 4


def find_slip(ledger: Reader, request: ReportRequest) -> ReportResult:
    """The jackpot slip. Raises ReportRefused, LedgerError."""
    bank, story = the_hit(ledger, request)
    names = JournalNames(ledger, bank)
    own = [award for award in story.hit.awards if award.kind != "envy"]
    envy = [award for award in story.hit.awards if award.kind == "envy"]
    sums = [Fact("amount", worth(own), "sum"), *([Fact("envy", worth(envy), "sum")] if envy else [])]
    sums += _stakes(own)
    paid = _payments([step for steps in story.steps.values() for step in steps])
    return ReportResult(
        sums + _slip(ledger, request, names, story) + [*_left_to_give(paid), *_ways(paid)],
        _awards(request, names, story.hit.awards),
        [],
    )


class FormWinner(NamedTuple):
    """The winner of a payout form. others: the seats that have forms of their own."""

    seat: int
    awards: list[Award]
    others: list[int]


def find_payout(ledger: Reader, request: ReportRequest) -> ReportResult:
    """The payout form of one winner: the slip, the cards, the cycle, and who did what.

    Raises as `find_slip`.
    """
    bank, story = the_hit(ledger, request)
    names, winner = JournalNames(ledger, bank), winner_of(story.hit, request.seat)
    facts = [Fact("amount", worth(winner.awards), "sum"), *_stakes(winner.awards), *_winner(winner)]
    if winner.others and request.site.plain_tax_from is not None:
        counts = Sentence("this seat's sum, with that of seats that name the same patron")
        facts.append(Fact("counts for a tax form", counts))
    facts += _slip(ledger, request, names, story, winner.awards)
    steps = [step for award in winner.awards for step in story.steps[award.number]]
    steps.sort(key=lambda step: step.seq)
    validated, paid = done(names, steps, Validated), done(names, steps, Paid)
    cards = cards_of(ledger, names, story.hit, request.archive)
    facts += [
        Fact("cards", _faces(cards.own)),
        *([Fact("cards from", _FROM[cards.source])] if cards.source in _FROM else []),
        *([Fact("board", _faces(cards.board))] if cards.board else []),
        *([Fact("dealer's cards", _faces(cards.dealer))] if cards.dealer and story.hit.seat else []),
        *([Fact("bonus cards", _faces(cards.bonus))] if cards.bonus else []),
        Fact(
            "cycle",
            joined(_cycles(ledger, request, names, story, winner)) or Sentence("none: the house pays"),
        ),
        Fact("hand", _hand(cards, story.hit)),
        Fact("validated", validated[0], "moment"),
        Fact("validated by", validated[1]),
        Fact("paid", paid[0], "moment"),
        Fact("paid by", paid[1]),
    ]
    written = _written(ledger, names.bank, story.hit.number, winner)
    if request.site.tax is not None:
        facts += _taxes(steps)
    facts += _ways(_payments(steps))
    lines = (
        WRITTEN
        if request.site.tax is None
        else [name for name in TAXED if name not in _RARE or name in written]
    )
    facts += [Fact(_CALLED.get(name, name.replace("_", " ")), _line(written.get(name, ()))) for name in lines]
    facts += _lamps(winner.awards, written)
    facts += [Fact("disputed", Sentence("it is not paid"))] if story.disputed else []
    return ReportResult(facts, _awards(request, names, winner.awards), [])


def _lamps(awards: Iterable[Award], written: Mapping[str, Iterable[str]]) -> Iterator[Fact]:
    """What the table says of a winner's lamps, and what was seen of them, where anybody says it (P3)."""
    for name, said in (("lamp", [award.lamp for award in awards]), ("lamp seen", written.get("lamp", ()))):
        if shown := [LAMPS[state] for state in dict.fromkeys(said) if state]:
            yield Fact(name, joined(shown, "; "))


def _taxes(steps: Iterable[AwardChange]) -> Iterator[Fact]:
    """What was withheld from the payments of a winner, and given; lines for writing on before the first."""
    taxed = [event for event in _payments(steps) if event.tax is not None and event.paid]
    if not taxed:
        yield from (Fact(name, "") for name in ("withheld", "paid out"))
        return
    last = taxed[-1]
    form = Sentence("{form} is due", form=last.form) if last.form else Sentence("none is due")
    yield Fact("form by law", form)
    yield Fact("winnings of the wager", from_cents(last.winnings), "sum")
    yield Fact("wager", from_cents(last.wager), "sum")
    withheld = from_cents(sum(event.withheld for event in taxed))
    yield Fact("withheld", withheld, "sum")
    if rates := sorted({event.rate for event in taxed if event.withheld}):
        yield Fact("rate withheld", ", ".join(map(rate_text, rates)))
    yield Fact("paid out", from_cents(sum(event.paid for event in taxed)) - withheld, "sum")


def _left_to_give(payments: Iterable[Paid | Corrected]) -> Iterator[Fact]:
    """What was withheld from these payments and what was paid out, where anything was withheld."""
    taxed = [event for event in payments if event.withheld]
    if taxed:
        withheld = sum(event.withheld for event in taxed)
        yield Fact("withheld", from_cents(withheld), "sum")
        yield Fact("paid out", from_cents(sum(event.paid for event in payments) - withheld), "sum")


def _payments(steps: Iterable[AwardChange]) -> list[Paid | Corrected]:
    """The payments among changes of awards, each once."""
    events = {(step.bank, step.seq): step.event for step in steps}
    return [event for event in events.values() if isinstance(event, Paid | Corrected)]


def _ways(payments: Iterable[Paid | Corrected]) -> Iterator[Fact]:
    """What these payments gave in each way that somebody named, where there are several."""
    given = Counter[Way]()
    for event in payments:
        given.update(ways(event))
    told = (
        Fact("given in cash", from_cents(given["cash"]), "sum"),
        Fact("given by cheque", from_cents(given["cheque"]), "sum"),
        Fact("given to an account", from_cents(given["account"]), "sum"),
    )
    yield from (fact for fact in told if fact.value and len(+given) > 1)


def winner_of(hit: Hit, seat: int) -> FormWinner:
    """The winner at that seat; for 0 the one who held the hand, else the first that it pays.

    Raises ReportRefused.
    """
    seats = winners(hit.awards) or sorted({award.seat for award in hit.awards})
    main = hit.seat if hit.seat in seats else seats[0]
    awards = [award for award in hit.awards if award.seat == (seat or main)]
    if not awards:
        raise ReportRefused(
            "seat_without_award",
            "{hit} has no award for seat {seat}",
            field="seat",
            hit=f"H{hit.number}",
            seat=seat,
        )
    return FormWinner(seat or main, awards, [one for one in seats if one != (seat or main)])


def _winner(winner: FormWinner) -> Iterator[Fact]:
    yield Fact("winner", where(winner.seat))
    if winner.others:
        yield Fact("other winners", both([where(seat) for seat in winner.others]))


def _written(ledger: Reader, bank: str, hit: int, winner: FormWinner) -> dict[str, list[str]]:
    """What people wrote at validation and payment, and added since, each text once."""
    found: dict[str, list[str]] = {}
    theirs = {award.number for award in winner.awards}
    for event in written_on(ledger, bank, hit):
        if isinstance(event, Paid) and theirs.isdisjoint(event.awards):
            continue
        if isinstance(event, PapersAdded) and event.seat not in (0, winner.seat):
            continue
        facts = facts_of(ledger, event) | {"document": getattr(event, "document", "")}
        for gone in (ERASED, MISSING):
            if gone in facts:
                facts |= dict.fromkeys(PERSONAL, gone)
        for name, said in facts.items():
            line = found.setdefault(_OTHER.get(name, name), [])
            if said and said not in line:
                line.append(said)
    return found


def _line(written: Iterable[str]) -> str:
    """What was written on one line of a paper; words of ours are said in the reader's language."""
    return joined([Sentence(text) if text in _WORDS else text for text in written], "; ")


def _slip(
    ledger: Reader,
    request: ReportRequest,
    names: JournalNames,
    story: HitStory,
    awards: Sequence[Award] = (),
) -> list[Fact]:
    """The facts of a hit that both documents have. awards: of a winner, whose status is told; else all."""
    hit = story.hit
    row = ledger.rows(names.bank, hit.seq - 1, 1)[0]
    seat, table, round_ = placed(names, hit)
    now = former_numbers(ledger, names.bank, hit.number)[-1]
    stands = {"bank": names.bank, "status": Sentence(status(story, awards))}
    return [
        Fact("hit", Sentence("{hit} in bank {bank}, {status}", hit=f"H{hit.number}", **stands)),
        *numbers_today(ledger, story),
        Fact(
            "won",
            Sentence(
                "{hand} on {link}", hand=name_sentence(hit.hand), link=request.title(names.link(hit.link))
            ),
        ),
        Fact("where", joined([table, seat, round_])),
        Fact("when", hit.at, "moment"),
        Fact("journal", Sentence("row {row}, {hash}", row=hit.seq, hash=row.hash.hex(" ", _HASH_GROUP))),
        Fact("page", _page(request.site, now.bank, now.number), "code"),
    ]


def _page(site: Site, bank: str, hit: int) -> str:
    """Address of the hit's page; its number alone where the site's address is not known."""
    if not site.address:
        return Sentence("{hit} in bank {bank} of {site}", hit=f"H{hit}", bank=bank, site=site.name)
    return f"{site.address}/ops/hits/{bank}/H{hit}"


def _awards(
    request: ReportRequest, names: JournalNames, awards: Iterable[Award]
) -> Iterator[tuple[Cell, ...]]:
    for award in sorted(awards, key=_own_first):
        amount = award.worth() if award.stands() else 0
        yield f"A{award.number}", _what(request, names, award), award.pays, award.status, amount


def _stakes(awards: Iterable[Award]) -> list[Fact]:
    """The wagers that these awards return besides their amounts (B4)."""
    stakes = sum(award.stake for award in awards if award.stands())
    return [Fact("stake returned besides", stakes, "sum")] if stakes else []


def _what(request: ReportRequest, names: JournalNames, award: Award) -> str:
    """The kind of an award, in the words of the pages."""
    return kind_of(request, names, award)


def _faces(cards: Iterable[str]) -> str:
    """Cards as they are printed."""
    return " ".join(map(card, cards))


def _own_first(award: Award) -> tuple[bool, int]:
    return award.kind == "envy", award.number


def _cycles(
    ledger: Reader, request: ReportRequest, names: JournalNames, story: HitStory, winner: FormWinner
) -> Iterator[Sentence]:
    """Of each percentage award of the winner, its level and the cycle that it was won in."""
    told: dict[tuple[int, int], Sentence] = {}
    for award in winner.awards:
        if not award.level:
            continue
        row = story.made[award.number]
        take = next(
            take
            for take in settlement(entry_at(ledger, names.bank, row).event).takes
            if award.number in take.awards
        )
        place = LevelRef(names, award.link, award.level)
        cycle = cycle_at(ledger, place, TakePoint(take.moment or row, take.order))
        level = request.level_title(names.link(award.link), names.level(award.link, award.level))
        told[award.level, cycle] = Sentence("{level} {cycle}", level=level, cycle=cycle)
    yield from (told[key] for key in sorted(told))


def cycle_at(ledger: Reader, level_ref: LevelRef, take_point: TakePoint) -> int:
    """The number of the cycle at an award: that of its entry, plus the reseeds in the entry before it."""
    found = asked(ledger, level_ref.bank, _CYCLE, take_point.row, *level_ref.key)
    if not found:
        return 1
    seq, cycle = found[0]
    reseeds = [
        take
        for take in settlement(entry_at(ledger, level_ref.bank, seq).event).takes
        if (take.link, take.level) == level_ref.key and is_whole(take.rate)
    ]
    if seq < take_point.row:
        return int(cycle) + len(reseeds)
    return int(cycle) + sum(not take.moment and take.order < take_point.order for take in reseeds)


_CYCLE: Final = """
    SELECT seq, cycle FROM posting WHERE bank = ?1 AND seq <= ?2 AND link = ?3 AND level = ?4
    ORDER BY seq DESC LIMIT 1
"""


def _hand(cards: HitCards, hit: Hit) -> str:
    """The hand or draw that the hit is paid for, and its cards."""
    if cards.drawn:
        return Sentence("drawn by the server, {what}", what=cards.drawn)
    if hit.unverified:
        return Sentence("named by the dealer, without cards")
    if not cards.ranked:
        return Sentence("not shown to the server")
    return Sentence("ranked from {cards}", cards=_faces(cards.ranked))


REPORTS: Final = (
    Report(
        "slip",
        "Jackpot slip",
        "A hit on one page, to be signed: what was won, where, when, and who pays what.",
        COLUMNS,
        ("hit",),
        find_slip,
        "H12 --html slip.html",
        ("Floorperson, signature and licence", "Cashier, signature", "Patron, signature", "Date and time"),
        COPIES,
    ),
    Report(
        "payout",
        "Payout form",
        "What one winner is paid, on one page: what the ledger has, and room for the rest.",
        COLUMNS,
        ("hit", "seat", "archive"),
        find_payout,
        "H12 --seat 3 --html payout.html",
        (
            "Dealer, signature",
            "Floorperson who saw the cards, signature",
            "Witness, signature",
            "Patron, signature",
            "Cashier, signature",
            "Date and time of payment",
        ),
        COPIES,
        personal=True,
    ),
)
