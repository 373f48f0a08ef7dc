"""Is what people write on a payout kept once, held to its mark, copied, and erased by mark or age?"""

from pathlib import Path

import pytest

from jackpot.ledger import papers
from jackpot.rules import apply_rounds
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import ErasePapers, Paid, PapersErased, Pay, Validate
from jackpot.rules.acts.papers import AddPapers
from jackpot.rules.signing import People
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.conftest import Place
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.play import Play
from tests.ledger.test_verify import audit, write

FACTS = {"patron": "Pät Ron <b>", "tax_number": "T-0815"}
MADE = 1_790_000_000_000


def test_a_paper_is_kept_once_and_goes(place: Place) -> None:
    """A10, S8: the same request keeps it once, also when it is erased; another salt is another mark; what was
    changed is no fact at all.
    """
    ledger = place.open()
    ((mark,),) = ledger.change(papers.keep(FACTS, b"r" * 16, MADE))
    ((again,),) = ledger.change(papers.keep(FACTS, b"r" * 16, MADE + 1))
    ((other,),) = ledger.change(papers.keep(FACTS, b"s" * 16, MADE + 1))
    assert (again, len(mark), other == mark) == (mark, 32, False)
    assert papers.facts(ledger, mark) == FACTS
    copied = papers.carried(ledger)
    ledger.change(papers.erase(mark))
    assert (papers.facts(ledger, mark), papers.facts(ledger, other)) == ({}, FACTS)
    ((again,),) = ledger.change(papers.keep(FACTS, b"r" * 16, MADE + 1))
    assert (again, papers.facts(ledger, mark)) == (mark, {}), "what is erased stays so"
    ledger.change(*copied)
    assert papers.facts(ledger, mark) == FACTS
    assert papers.older(ledger, MADE + 1) == {mark}
    assert papers.older(ledger, MADE + 2) == {mark, other}
    ledger.change(papers.erase(mark))
    assert papers.older(ledger, MADE + 2) == {other}
    ledger.change(papers.drop(mark))
    assert papers.facts(ledger, mark) is None
    ledger.change(("UPDATE paper SET facts = ?1", ('{"patron": "Eve"}',)))
    assert papers.facts(ledger, other) is None


def test_papers_of_a_hit_long_settled_are_as_old_as_the_journal_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10, S8: no state knows the hit any more, and one person erases its papers by age: verify finds when
    they were written, whatever the row says. Two people need no age.
    """
    monkeypatch.setattr(apply_rounds, "PAID_KEPT", 0)
    play = Play(12)
    play.frame("T03", frames.Wager("R3", (Bet(4, "five", 100),), lock=True))
    play.frame("T03", frames.Settle("R3", (Claim(4, cards=("2h", "7h", "9h")),), ("Jh", "3h"), close=True))
    play.act(Validate("H1", paper=b"v" * 32, on_paper=("dealer",)), "anna")
    play.act(Pay("H1", document="W-1", paper=b"p" * 32, on_paper=("patron",)), "anna")
    paid = play.rows[-1]
    assert paid.kind == Paid.kind
    play.act(AddPapers("H1", "left out", surveillance="camera 5"), "anna")
    play.frame("T03", frames.Wager("R4", (Bet(4, "five", 100),), lock=True))
    assert not {**play.engine.state.hits, **play.engine.state.paid}
    path = tmp_path / "ledger.db"
    write(path, play.rows, [])
    forger = Forger(path)
    one, two = People(("anna",)), People(("anna", "ben"))
    assert NOW_MS - paid.at > 30 * DAY_MS
    forger.append(PapersErased(1, "over", one, 30, paid.at))
    forger.append(forger.right(ErasePapers("H1", "asked for", 30, 1), "anna", "ben"))
    forger.append(PapersErased(1, "asked for", two, 30, 1))
    assert audit(path).problems == ()
    row = forger.append(PapersErased(1, "over", one, 30, paid.at - 1))
    (problem,) = audit(path).problems
    assert problem.endswith(
        f"{row.seq} (papers_erased): the newest papers of H1 are of {paid.at} ms, not of {paid.at - 1}"
    )
