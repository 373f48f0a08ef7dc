"""Is what people write on a payout kept once, held to its mark, copied, and erased by mark or age?"""

from jackpot.ledger import papers
from tests.ledger.conftest import Place

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
    ledger.change(papers.erase_older(MADE + 1))
    assert (papers.facts(ledger, mark), papers.facts(ledger, other)) == ({}, FACTS)
    ledger.change(papers.drop(mark))
    assert papers.facts(ledger, mark) is None
    ledger.change(("UPDATE paper SET facts = ?1", ('{"patron": "Eve"}',)))
    assert papers.facts(ledger, other) is None
