"""The cards of a hit are those that were shown for it, and those that make its hand."""

from typing import Any

from jackpot.ledger.reading import Reader
from jackpot.reports.read.cards import cards_of
from jackpot.reports.read.names import JournalNames
from jackpot.rules import hands, registry
from jackpot.rules.cards import parse_all, text
from jackpot.rules.events import Settled
from jackpot.rules.rounds.settling import LUCKY_BONUS, MAGIC_CARD
from jackpot.text import card
from tests.reports.season import Season
from tests.reports.test_explain import hits_of


def test_every_hand_is_the_one_that_its_cards_make(books: Reader, season: Season) -> None:
    """H2, A7: what is shown as ranked is ranked as the hit says; of a drawn bonus stands what was drawn."""
    names, ranked, drawn = JournalNames(books, "main"), 0, set()
    for hit in hits_of(season).values():
        found = cards_of(books, names, hit)
        if hit.hand in (MAGIC_CARD, LUCKY_BONUS):
            assert found._replace(drawn="") == type(found)()
            assert drawn_in(season, hit) == found.drawn
            drawn.add(hit.hand)
        elif found.ranked:
            kind, game = names.links[hit.link].hand_kind, names.tables[hit.table].game
            made = hands.rank(kind, game, parse_all(found.own), parse_all(found.board))
            assert made is not None
            assert made.name == hit.hand
            ranked += 1
        else:
            assert hit.unverified
    assert ranked > 100
    assert drawn == {MAGIC_CARD, LUCKY_BONUS}


def drawn_in(season: Season, hit: Any) -> str:
    """The draw for a hit's link in its round, from the lock's event."""
    if hit.hand == LUCKY_BONUS:
        return f"Lucky Bonus: box {hit.seat}"
    for row in reversed(season.rows[: hit.seq]):
        event: Any = registry.decode(row.kind, row.version, row.body)
        locking = getattr(event, "locking", None)
        if row.table == hit.table and locking is not None and event.round == hit.round:
            for draw in locking.draws:  # a second count of the chips draws nothing
                if draw.link == hit.link and draw.magic is not None:
                    return f"Magic Card: {card(text(draw.magic))}"
    return ""


def test_the_cards_stand_as_they_were_dealt(books: Reader, season: Season) -> None:
    """H2: each in its place, the seat's own as its frame had them."""
    names = JournalNames(books, "main")
    shown = {
        (row.table, event.round, one.seat): tuple(map(text, one.cards))
        for row in season.rows
        for event in [registry.decode(row.kind, row.version, row.body)]
        if isinstance(event, Settled)
        for one in event.shown
        if one.cards
    }
    for hit in hits_of(season).values():
        if hit.seat and (own := cards_of(books, names, hit).own):
            assert own == shown[hit.table, hit.round, hit.seat]
