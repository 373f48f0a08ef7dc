"""The history of hits in the journal is what tables were told, however old."""

from typing import Any

from jackpot.reports.read.hits import page
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Envelope
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import LevelTerms, LinkTerms, PaytableRow, Percent, TableTerms
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.conftest import Place
from tests.ledger.play import Play
from tests.ledger.waiting import Ledger
from tests.reports.asked import said
from tests.said import heard

SEED = 2
# A wager raises it by a hundredth of a cent.
POOR = LinkTerms(
    link="poor", bank="main", paytable="test-poor", wager=1_000_000, hand_kind="five-flop",
    levels=(LevelTerms("meter", 1, 800, 0, 0),), hold_table=False,
    rows=(
        PaytableRow("royal-flush", Percent("meter", 10_000)),
        PaytableRow("straight-flush", Percent("meter", 1_000)),
    ),
)  # fmt: skip
ROWS = 700

Told = dict[str, dict[str, Any]]


class Heard(Play):
    """A floor whose tables record each award they were sent: hit, seat, sum and status."""

    def __init__(self, seed: int) -> None:
        self.told: Told = {}
        super().__init__(seed)

    def _do(self, envelope: Envelope) -> Outcome:
        outcome = super()._do(envelope)
        says = heard(outcome)
        said = [*says.answer.get("awards", ()), *(push.message for push in says.pushes)]
        for award in said:
            if "award" in award:
                known = self.told.setdefault(award["award"], {})
                known |= {name: award[name] for name in ("hit", "seat", "amount", "status") if name in award}
        return outcome


def history(ledger: Ledger, limit: int) -> tuple[list[int], Told]:
    """All hits, page by page: their numbers in order, and their awards."""
    numbers: list[int] = []
    told: Told = {}
    before: int | None = None
    while True:
        found = page(ledger, "main", before, limit)
        assert len(found.hits) <= limit
        for hit in found.hits:
            numbers.append(hit.number)
            for award in hit.awards:
                assert award.hit == hit.number
                told[f"A{award.number}"] = {
                    "hit": f"H{hit.number}",
                    "seat": award.seat,
                    "amount": to_cents(award.amount),
                    "status": award.status,
                }
        before = found.before
        if before is None:
            return numbers, told


def written(play: Play, ledger: Ledger) -> None:
    for epoch in range(1, play.epoch + 1):
        ledger.new_epoch("main", "test")
        rows = [row for row in play.rows if row.epoch == epoch]
        if rows:
            ledger.append("main", epoch, rows[0].seq - 1, rows)


def test_history_is_what_tables_were_told(place: Place) -> None:
    """S1, A10, A11: every hit once, the newest first: pending, paid, undone, raised and corrected ones."""
    ledger = place.open()
    play = Heard(SEED)
    play.until(ROWS)
    written(play, ledger)
    statuses = {award["status"] for award in play.told.values()}
    assert statuses >= {"pending", "validated", "paid", "undone"}
    for limit in (1, 7, 1_000):
        numbers, told = history(ledger, limit)
        assert numbers == sorted(numbers, reverse=True)
        assert len(numbers) == len(set(numbers))
        assert told == play.told


def test_an_empty_bank_has_no_history(place: Place) -> None:
    """S1: a bank that was never written, or has no hit, says so."""
    assert page(place.open(), "main") == ([], None)


def test_a_hit_of_nothing_is_a_hit(place: Place) -> None:
    """A2, S1: a meter below a cent is won for $0.00, and the history and the way to it know the hit."""
    play = Play(SEED)
    play.act(OpenLink(POOR))
    play.act(OpenTable(TableTerms("T09", "let-it-ride", 7, (POOR.link,))))
    play.frame("T09", frames.Wager("r1", (Bet(1, POOR.link, 100),), lock=True))
    lower = Claim(seat=1, cards=("9s", "Ks", "Qs"))
    play.frame("T09", frames.Settle("r1", (lower,), board=("Js", "Ts"), close=True))
    play.frame("T09", frames.Wager("r2", (Bet(1, POOR.link, 100),), lock=True))
    royal = Claim(seat=1, cards=("As", "Ks", "Qs"))
    play.frame("T09", frames.Settle("r2", (royal,), board=("Js", "Ts"), close=True))
    ledger = place.open()
    written(play, ledger)
    found = page(ledger, "main").hits
    assert [(hit.number, [award.amount for award in hit.awards]) for hit in found] == [(2, [0]), (1, [0])]
    (made,) = ledger.rows("main", found[1].seq - 1, 1)
    assert (made.postings, made.hits) == ((), (1,)), "a tenth of nothing moves nothing"
    report = said(ledger, "explain", hit=2)
    assert report.problems == []
    assert [line["amount"] for line in report.rows if line["part"] == "meter"] == [200]
