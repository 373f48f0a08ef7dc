"""The rounds of a journal are read as they ended, each once."""

from collections import defaultdict

from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.ledger.reading import Reader
from jackpot.reports.fairness import FairnessTally
from jackpot.reports.read.dealt import watch
from jackpot.reports.read.names import JournalNames
from jackpot.rules import registry
from jackpot.rules.engine import Engine
from jackpot.rules.events import Closed, Settled, Voided
from tests.reports.season import SITE, Season


def test_each_hand_of_a_round_that_ended_is_counted_once(books: Reader, season: Season) -> None:
    """T2, T3, T6, T10: what was withdrawn, struck or voided counts nowhere, what was reopened counts once."""
    tally = FairnessTally(JournalNames(books, BANK), SITE, None)
    watch(books, BANK, 0, season.engine.seq, tally)
    counted: dict[tuple[int, int], int] = {}
    for place, each in tally.hands.items():
        hands_ = sum(of_players.hands for of_players in each.values())
        counted[place.link, place.table] = counted.get((place.link, place.table), 0) + hands_
    assert counted == {key: len(hands_) for key, hands_ in ended(season).items() if hands_}


def ended(season: Season) -> dict[tuple[int, int], set[tuple[str, int]]]:
    """By link and table: the hands with a wager in ended rounds, from the engine."""
    engine = Engine(BANK)
    found: defaultdict[tuple[int, int], set[tuple[str, int]]] = defaultdict(set)
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        engine.replay(row)
        if not isinstance(event, Settled | Closed | Voided):
            continue
        closes = not isinstance(event, Voided) and event.closing is not None
        number = event.table if isinstance(event, Voided) else row.table or 0
        for (_, table), played_ in found.items():
            played_ -= {one for one in played_ if (table, one[0]) == (number, event.round)}
        closed = engine.state.table(number).closed
        for bet in closed.bets if closed and closes else ():
            found[bet.link, number].add((event.round, 0 if bet.dealer else bet.seat))
    return found
