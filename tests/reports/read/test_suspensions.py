"""Since when a link is suspended is read from the entry that began it."""

from contextlib import closing
from pathlib import Path

from jackpot.ledger.open import open_reader
from jackpot.reports.read.suspensions import suspensions
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.outcome import ActAnswer
from tests.ledger.waiting import open_ledger
from tests.reports.season import Season
from tests.rules.floor import LINKS


def test_the_first_suspension_since_the_last_resumption_counts(tmp_path: Path) -> None:
    """S4: each link by itself, and each cause; one that nothing in the journal began has none."""
    season, (one, other) = Season(1, 0, 0), [terms.link for terms in LINKS[:2]]
    for act in (
        Suspend("operator", (one, other), "drill"),
        Resume("operator", (one,), "over"),
        Suspend("operator", (one, other), "felt torn"),
        Suspend("operator", (one,), "again"),
    ):
        assert isinstance(season.ask(act, None, "Ann").answer, ActAnswer)
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        found = suspensions(books, "main", {(1, "operator"), (2, "operator"), (2, "internal")})
    assert [(began.link, began.reason) for began in found] == [(2, "drill"), (1, "felt torn")]
    assert [began.people.names for began in found] == [("Ann",), ("Ann",)]
