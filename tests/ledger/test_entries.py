"""Events are found by kind, in order; unreadable rows are left out (S8)."""

from jackpot.ledger.entries import events_of, readable
from jackpot.rules import registry
from jackpot.rules.acts.links import LinkOpened, Suspended
from jackpot.rules.acts.tables import TableOpened
from tests.ledger.conftest import Place
from tests.ledger.material import rows
from tests.ledger.play import Play

WANTED = (LinkOpened.kind, TableOpened.kind, Suspended.kind)


def test_events_come_in_the_order_of_their_rows(place: Place) -> None:
    """S8: all of the kinds that were asked for, of one bank, with row and time; no others."""
    ledger, play = place.open(), Play(12).until(60)
    ledger.new_epoch("main", "tests", at_least=play.rows[-1].epoch)
    ledger.append("main", play.rows[-1].epoch, 0, play.rows)
    ledger.new_epoch("side", "tests")
    ledger.append("side", 1, 0, rows(3, bank="side"))
    wanted = [
        (row.seq, row.at, registry.decode(row.kind, row.version, row.body))
        for row in play.rows
        if row.kind in WANTED
    ]
    assert list(events_of(ledger, "main", *WANTED)) == wanted != []
    assert list(events_of(ledger, "mian", *WANTED)) == []


def test_what_nobody_can_read_is_no_event() -> None:
    """S8: the verifier reports it; readers of some kinds skip it."""
    assert readable(LinkOpened.kind, 1, b"no event") is None
    assert readable(LinkOpened.kind, 10**6, b"") is None
    assert readable(10**6, 1, b"") is None
