"""Payout documents are kept once, checked against their digest, copied, and erased."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.ledger import papers
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Paid, Pay, Validate
from jackpot.rules.acts.papers import AddPapers, ErasePapers, PapersAdded, PapersErased
from jackpot.rules.events import Event
from jackpot.rules.rounds import apply
from jackpot.rules.signing import People
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.conftest import Place
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import audit, write
from tests.ledger.waiting import backup
from tests.said import refuses

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
    ledger.change(("UPDATE paper SET facts = ''", ()))
    assert papers.facts(ledger, other) is None, "emptied by hand, which is no erasure"


def test_no_file_has_what_was_erased(tmp_path: Path) -> None:
    """A10: no page of the ledger's file does, nor of its archive's, once that is brought up to date."""
    path = tmp_path / "ledger.db"
    kept = Kept(Place(f"sqlite:///{path}"), tmp_path)
    names = [f"Patron-{number:03}" for number in range(200)]
    marks = [
        kept.ledger.change(papers.keep({"patron": name}, number.to_bytes(16), MADE))[0][0]
        for number, name in enumerate(names)
    ]
    kept.seal()
    kept.ledger.change(*map(papers.erase, marks[:120]), *map(papers.drop, marks[120:150]))
    backup(kept.ledger, kept.file)
    kept.ledger.close()
    for file in (path, kept.file):
        written = file.read_bytes()
        assert [name for name in names if name.encode() in written] == names[150:]


def test_papers_of_a_hit_long_settled_are_as_old_as_the_journal_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A10, S8: no state knows the hit any more, and one person erases its papers by age: verify finds when
    they were written, whatever the row says. Two people need no age.
    """
    monkeypatch.setattr(apply, "PAID_KEPT", 0)
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


def test_verify_believes_no_entry_about_its_papers(tmp_path: Path) -> None:
    """S8, A10: what it says that it wrote must bear out what it says of the site's wishes and the form."""
    play = Play(12)
    play.frame("T03", frames.Wager("R3", (Bet(4, "five", 100), Bet(2, "five", 100)), lock=True))
    royal = Claim(4, cards=("As", "Ks", "Qs"))
    play.frame("T03", frames.Settle("R3", (royal,), ("Js", "Ts"), close=True))
    play.act(Validate("H1"), "anna")
    path = tmp_path / "ledger.db"
    write(path, play.rows, [])
    forger = Forger(path)
    paid: Any = forger.right(Pay("H1", document="W-1", seat=4), "anna")
    form = {"tax_form": "W-2G", "tax_from": 1}
    added = PapersAdded(1, "late", paid.people, tax_form="W-2G", paper=b"p" * 32, on_paper=("tax_number",))
    fakes: list[tuple[Event, str]] = [
        (replace(paid, needs=("patron",)), refuses("paper_missing", field="patron")),
        (
            replace(paid, needs=("patron",), on_paper=("patron",)),
            refuses("paper_without_name"),
        ),
        (
            replace(paid, needs=("witness",), on_paper=("patron",), paper=b"p" * 32),
            refuses("paper_missing", field="witness"),
        ),
        (replace(paid, **form), refuses("tax_form_incomplete", field="tax_number")),
        (replace(paid, **form, on_paper=("tax_number",)), refuses("paper_without_name")),
        (added, refuses("several_winners_named", hit=1, seats=[2, 4])),
    ]
    for fake, said in fakes:
        copy = tmp_path / "copy.db"
        copy.write_bytes(path.read_bytes())
        Forger(copy).append(fake)
        assert said in audit(copy).problems[0]
    forger.append(paid)
    assert audit(path).problems == ()
    other: Any = forger.right(Pay("H1", document="W-2", seat=2), "anna")
    forger.append(replace(other, document="w-1"), command=Pay("H1", document="w-1", seat=2))
    assert refuses("document_of_other_seat", document="w-1", seat=4) in audit(path).problems[0]
