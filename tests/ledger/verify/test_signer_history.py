"""Verify finds acts of people who lacked the role, or whose recorded state is false."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from jackpot.ledger.journal import row_of
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.signer_history import unsigned_opening
from jackpot.ledger.verify.timestamp_checks import CONFIRMED_WITHIN_MS, TOKEN_LATE_MS
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import row_commands
from jackpot.rules.acts.banks import BankOpened, OpenBank
from jackpot.rules.acts.hits import Correct, Paid, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.people import AddPerson, Grant, Granted, MakeToken, ResetSecret, WithdrawRole
from jackpot.rules.acts.requests import ActRefused
from jackpot.rules.acts.site_cursor import SeePeople
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.phrases import phrase
from jackpot.rules.signing import SITE, People, Proof, Signed
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.people import ADMINS, SECRET, SITE_ID, Paper
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import audit, spoil, write
from tests.ledger.waiting import open_banks
from tests.said import refuses

ROYAL: Final = Claim(5, cards=("As", "Ks", "Qs"))
BOARD: Final = ("Js", "Ts")

replace = msgspec.structs.replace


class Case:
    """A ledger with a royal flush that waits, and a site with people; `floor` and `cage` are two of them."""

    def __init__(self, path: Path, paper: Paper) -> None:
        play = Play(12)
        play.frame("T01", frames.Wager("R1", (Bet(5, "five", 100), Bet(3, "five", 100)), lock=True))
        play.frame("T01", frames.Settle("R1", (ROYAL,), BOARD))
        write(path, play.rows, [])
        with closing(SqliteLedger(path)) as ledger:
            paper.write(ledger)
        self.path, self.paper = path, paper
        self.forger = Forger(path)

    def problems(self) -> tuple[str, ...]:
        with closing(SqliteLedger(self.path, readonly=True)) as ledger:
            assert verify(ledger, SITE).problems == ()
            return verify(ledger, "main").problems

    def signed(self, event: Any, *people: int) -> Any:
        """The event as if these people had signed it."""
        return replace(event, people=People(proof=self.paper.proof(*people)))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path / "ledger.db", Paper())


def confirmed_after_a_loss(case: Case, *, hidden: bool) -> Any:
    """Who asked was no floorperson for a while. hidden: the row says that they always were."""
    paper, ledger = case.paper, case.path
    asked: Any = case.forger.right(Correct("A1", 900_000, "misread"), proof=paper.proof(paper.floor))
    case.forger.append(asked)
    before = paper.engine.seq
    paper.act(WithdrawRole(paper.floor, "floor"), *ADMINS[:1])
    paper.act(Grant(paper.floor, "floor"), *ADMINS)
    with closing(SqliteLedger(ledger)) as site:
        site.append(SITE, 1, before, paper.rows[before:])
    proof = replace(paper.proof(paper.floor, paper.cage), request=asked.id, waited_ms=5)
    if not hidden:
        refused: Any = case.forger.right(Correct("A1", 900_000, "misread"), proof=proof)
        assert (type(refused), refused.code) == (ActRefused, "expired")
        return refused
    first, second = proof.signed
    assert first.lost == before + 1
    return case.forger.right(
        Correct("A1", 900_000, "misread"), proof=replace(proof, signed=(replace(first, lost=0), second))
    )


def test_a_request_of_who_lost_the_power_since_is_refused(case: Case) -> None:
    """S8: also where they have it again; a row that hides the loss is not as the site has it."""
    case.forger.append(confirmed_after_a_loss(case, hidden=False))
    assert case.problems() == ()


def test_a_row_that_hides_a_loss_is_found(case: Case) -> None:
    """S8: the site's own chain says when a right was lost."""
    case.forger.append(confirmed_after_a_loss(case, hidden=True))
    (problem,) = case.problems()
    lost = case.paper.engine.state.people[case.paper.floor - 1].lost
    assert str(phrase("signer_lost_right", person=case.paper.floor, row=lost, said=0)) in problem


def test_acts_of_people_who_had_the_power_are_right(case: Case) -> None:
    """S8: alone and by two, decided on the people as of then."""
    paper, forger = case.paper, case.forger
    forger.append(forger.right(Validate("H1"), proof=paper.proof(paper.floor)))
    correct = Correct("A1", 900_000, "misread")
    forger.append(forger.right(correct, proof=paper.proof(paper.floor, paper.cage)))
    forger.append(forger.right(correct, proof=paper.proof(paper.floor)))
    assert case.problems() == ()


def paid_by_an_admin(case: Case) -> Any:
    case.forger.append(case.forger.right(Validate("H1"), proof=case.paper.proof(case.paper.floor)))
    return case.signed(Paid(1, [1, 2], People()), ADMINS[0])


def paid_with_another_role(case: Case) -> Any:
    case.forger.append(case.forger.right(Validate("H1"), proof=case.paper.proof(case.paper.floor)))
    proof = case.paper.proof(ADMINS[0])
    people = People(proof=replace(proof, signed=(Signed(1, ("cage",)),)))
    cents = to_cents(case.forger.state.hits[1].awards[0].amount)
    return Paid(1, [1], people, document="W-1", paid=cents)


def validated_by_nobody_there(case: Case) -> Any:
    right = case.forger.right(Validate("H1"), proof=case.paper.proof(case.paper.floor))
    proof = replace(case.paper.proof(), signed=(Signed(99, ("floor",)),))
    return replace(right, people=People(proof=proof))


def validated_by_an_unproved_name(case: Case) -> Any:
    paper = case.paper
    right = case.forger.right(Validate("H1"), proof=paper.proof(paper.floor))
    return replace(right, people=People(("anna",), paper.proof()))


def validated_at_another_row(case: Case) -> Any:
    proof = replace(case.paper.proof(case.paper.floor), hash=b"x" * 32)
    return case.forger.right(Validate("H1"), proof=proof)


def validated_at_no_row(case: Case) -> Any:
    proof = replace(case.paper.proof(case.paper.floor), seq=1_000)
    return case.forger.right(Validate("H1"), proof=proof)


def validated_before_they_came(case: Case) -> Any:
    paper = case.paper
    first = paper.rows[0]
    return case.forger.right(Validate("H1"), proof=Proof((Signed(paper.floor, ("floor",)),), 1, first.hash))


def corrected_with_a_token(case: Case) -> Any:
    paper = case.paper
    proof = paper.proof(paper.floor, paper.cage)
    right = case.forger.right(Correct("A1", 900_000, "misread"), proof=proof)
    first, second = proof.signed
    return replace(right, people=People(proof=replace(proof, signed=(first, replace(second, means="token")))))


def corrected_by_who_gave_the_code(case: Case) -> Any:
    """A correction whose row hides the issuer of the two-factor code."""
    paper = case.paper
    proof = paper.proof(paper.floor, paper.cage)
    hidden = replace(proof, signed=(proof.signed[0], replace(proof.signed[1], given_by=0)))
    return case.forger.right(Correct("A1", 900_000, "misread"), proof=hidden)


def validated_by_a_token_that_nobody_made(case: Case) -> Any:
    return case.forger.right(Validate("H1"), proof=case.paper.proof(case.paper.floor, means="token"))


def corrected_by_who_has_no_secret(case: Case) -> Any:
    """Two people reset it, perhaps since it was stolen."""
    paper = case.paper
    second = paper.proof(paper.floor_too).signed
    bare = Paper()
    bare.act(ResetSecret(paper.floor_too), *ADMINS)
    with closing(SqliteLedger(case.path)) as ledger:
        ledger.append(SITE, 1, paper.engine.seq, bare.rows[paper.engine.seq :])
    proof = bare.proof(paper.floor)
    return case.forger.right(
        Correct("A1", 900_000, "misread"), proof=replace(proof, signed=(*proof.signed, *second))
    )


def confirmed_what_nobody_asked(case: Case) -> Any:
    paper = case.paper
    proof = paper.proof(paper.floor, paper.cage)
    right = case.forger.right(Correct("A1", 900_000, "misread"), proof=proof)
    return replace(right, people=People(proof=replace(proof, request=7, waited_ms=5)))


def confirmed_another_sum(case: Case) -> Any:
    paper = case.paper
    asked = case.forger.right(Correct("A1", 900_000, "misread"), proof=paper.proof(paper.floor))
    case.forger.append(asked)
    proof = paper.proof(paper.floor, paper.cage)
    right = case.forger.right(Correct("A1", 100, "misread"), proof=proof)
    return replace(right, people=People(proof=replace(proof, request=1, waited_ms=5)))


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        (paid_by_an_admin, refuses("may_not_cage_pays", person=1, act="pay", power=["cage"])),
        (paid_with_another_role, f"{phrase('signer_without_role', person=1, roles=['cage'])} by row"),
        (validated_by_nobody_there, f"{phrase('signer_unknown', number=99)} by row"),
        (validated_by_an_unproved_name, "nobody proved its names, and the site had people by row"),
        (validated_at_another_row, "which is not in this ledger as it names it"),
        (validated_at_no_row, "it names row 1000 of bank site, which is not in this ledger as it names it"),
        (validated_before_they_came, f"{phrase('signer_unknown', number=3)} by row 1 of bank site"),
        (corrected_with_a_token, "signed in by their token, and signs with their own password) (two_people)"),
        (corrected_by_who_gave_the_code, "with a code from person 1 by row"),
        (validated_by_a_token_that_nobody_made, f"{phrase('signer_without_token', person=3)} by row"),
        (corrected_by_who_has_no_secret, f"{phrase('signer_without_password', person=4)} by row"),
        (
            confirmed_what_nobody_asked,
            refuses("request_unknown", request="main-7"),
        ),
        (confirmed_another_sum, refuses("request_asks_otherwise", request="main-1")),
    ],
)
def test_an_act_without_the_power_is_named(case: Case, forgery: Callable[[Case], Any], said: str) -> None:
    """S8: verify decides by the people as of then, whom only the site's own chain can say."""
    row = case.forger.append(forgery(case))
    (problem,) = case.problems()
    assert problem.startswith(f"main: row {row.seq} ("), problem
    assert said in problem


def test_who_has_left_stands_for_nothing(tmp_path: Path) -> None:
    """S8: an act after their end is named; one that looked back behind an act before it, too."""
    paper = Paper()
    before = paper.proof(paper.floor)
    paper.ended(paper.floor)
    case = Case(tmp_path / "ledger.db", paper)
    forger = case.forger
    suspend = Suspend("operator", (), "a look")
    forger.append(forger.right(suspend, proof=before))
    assert case.problems() == ()
    row = forger.append(forger.right(Resume("operator", (), "ok"), proof=paper.proof(paper.floor)))
    (problem,) = case.problems()
    assert problem.startswith(f"main: row {row.seq} (resumed): person 3 has left by row"), problem
    late = forger.append(
        replace(forger.right(suspend, proof=paper.proof(paper.floor_too)), people=People(proof=before))
    )
    problems = case.problems()
    assert problems[1].startswith(
        f"main: row {late.seq} (suspended): the rules refuse it: the people are those"
    )


def test_what_a_bank_has_noted_nobody_looks_back_behind(tmp_path: Path) -> None:
    """S8: once the bank noted that somebody left, neither they nor unproved names append an act unseen."""
    paper = Paper()
    before = paper.proof(paper.floor)
    paper.ended(paper.floor)
    case = Case(tmp_path / "ledger.db", paper)
    forger, suspend = case.forger, Suspend("operator", (), "a look")
    forged = [forger.right(suspend, proof=before), forger.right(suspend, "anna")]
    forger.append(forger.right(SeePeople(paper.engine.seq, paper.hash)))
    assert case.problems() == ()
    rows = [forger.append(one) for one in forged]
    for row, problem in zip(rows, case.problems(), strict=True):
        assert problem.startswith(
            f"main: row {row.seq} (suspended): the rules refuse it: the people are those"
        )


def test_a_bank_notes_no_people_that_never_were(case: Case) -> None:
    """S8: what it noted is a row of the site, as an act's is."""
    row = case.forger.append(case.forger.right(SeePeople(3, b"x" * 32)))
    (problem,) = case.problems()
    assert problem.startswith(f"main: row {row.seq} (people_seen): it names row 3 of bank site"), problem


def test_a_token_that_was_over_signs_nothing(tmp_path: Path) -> None:
    """S8: a row names the token and its end, which the site's chain bears out; the wall's clock ends it."""
    paper = Paper()
    number = paper.act(MakeToken(SECRET, ("floor",), NOW_MS), paper.floor).token
    case = Case(tmp_path / "ledger.db", paper)
    proof = paper.proof(paper.floor, means="token")
    held = replace(proof, signed=(replace(proof.signed[0], token=number, until=NOW_MS),))
    suspend, resume = Suspend("operator", (), "a look"), Resume("operator", (), "ok")
    case.forger.append(case.forger.right(suspend, proof=held), at=NOW_MS)
    assert case.problems() == ()
    later = NOW_MS + TOKEN_LATE_MS + 1
    row = case.forger.append(case.forger.right(resume, proof=held), at=later)
    longer = replace(held, signed=(replace(held.signed[0], until=later),))
    other = case.forger.append(case.forger.right(suspend, proof=longer), at=later)
    problems = case.problems()
    assert f"row {row.seq} (resumed): person 3 signed with token 1, which had ended" in problems[0]
    assert f"row {other.seq} (suspended): {phrase('signer_without_token', person=3)}" in problems[1]


def test_forged_people_are_named(tmp_path: Path) -> None:
    """S8: the site's own chain is decided again, too: a role that one person gave, an unproved name."""
    paper = Paper()
    path = Case(tmp_path / "ledger.db", paper).path
    forger = Forger(path, SITE)
    signed = People(proof=Proof(paper.proof(ADMINS[0]).signed))
    row = forger.append(Granted(paper.floor, "admin", signed), command=Grant(paper.floor, "admin"))
    (problem,) = audit(path, bank=SITE).problems
    assert problem.endswith(f"row {row.seq} (granted): by the rules it waits for a second person"), problem
    added = forger.right(AddPerson(bytes(32)), proof=Proof(paper.proof(ADMINS[0]).signed))
    row = forger.append(replace(added, people=People(("anna",))))
    assert (
        audit(path, bank=SITE)
        .problems[1]
        .startswith(f"site: row {row.seq} (person_added): the rules refuse it")
    )
    made = forger.right(MakeToken(SECRET, ("cage",), 1), proof=Proof(paper.proof(paper.cage).signed))
    row = forger.append(replace(made, roles=["cage", "admin"]))
    assert "is not admin" in audit(path, bank=SITE).problems[2]


def test_who_confirmed_days_later_is_named(case: Case) -> None:
    """S8: a row says itself how long its request had waited, and the wall's clock goes with it."""
    forger, paper = case.forger, case.paper
    asked = forger.append(forger.right(Correct("A1", 900_000, "misread"), proof=paper.proof(paper.floor)))
    two = replace(paper.proof(paper.floor, paper.cage), request=1, waited_ms=5)
    done = forger.right(Correct("A1", 900_000, "misread"), proof=two)
    row = forger.append(done, at=NOW_MS + 10 * CONFIRMED_WITHIN_MS)
    (problem,) = case.problems()
    assert problem.startswith(f"main: row {row.seq} (corrected): "), problem
    assert f"request main-1 was asked in row {asked.seq}, more than a day before" in problem


def test_a_broken_site_bears_nobody_out(case: Case) -> None:
    """S8: where the site's chain cannot be followed, each act that looks beyond is named."""
    forger, paper = case.forger, case.paper
    forger.append(forger.right(Validate("H1"), proof=paper.proof(paper.floor)))
    spoil(case.path, "UPDATE journal SET at = at + 1 WHERE bank = 2 AND seq = 2")
    (problem,) = audit(case.path).problems
    assert "which is not in this ledger as it names it" in problem


def begun(path: Path) -> Case:
    """As a case, where the first people's entry says where the bank stood."""
    first = Case(path.with_name(f"before-{path.name}"), Paper())
    return Case(path, Paper(stood=(("main", first.forger.head.seq, first.forger.head.hash),)))


def test_no_name_is_believed_once_the_site_has_people(tmp_path: Path) -> None:
    """S8: also where the bank has seen no entry of theirs since, and the row names none, or an early one."""
    for proof in (Proof(), Proof(seq=1, hash=Paper(empty=True).hash)):
        case = begun(tmp_path / f"{proof.seq}.db")
        assert case.problems() == ()
        right: Any = case.forger.right(Suspend("operator", ("three",), "new felt"), "anna")
        row = case.forger.append(replace(right, people=People(("anna",), proof)))
        (problem,) = case.problems()
        assert f"row {row.seq} (suspended): nobody proved its names, and the site had people" in problem


def test_a_bank_that_nobody_opened_is_found_once_the_site_has_people(tmp_path: Path) -> None:
    """S3, S8: the first start opens banks by nobody, and the first people's entry names those."""
    case = begun(tmp_path / "ledger.db")
    proof = case.paper.proof(ADMINS[0])
    names = People(("anna",), Proof(seq=1, hash=case.paper.rows[0].hash))
    with closing(SqliteLedger(case.path)) as ledger:
        openings = {"nobody": People(), "anna": names, "ann": People(proof=proof)}
        for bank, by in openings.items():
            open_banks(ledger, [bank], SITE_ID, NOW_MS, by)
        said = "row 1 opens it after the site had people: nobody signed it"
        assert unsigned_opening(ledger, "nobody") == [f"nobody: {said}"]
        assert verify(ledger, "nobody").problems == (f"nobody: {said}",)
        assert f"anna: {said}" in verify(ledger, "anna").problems
        assert verify(ledger, "ann").problems == ()
        lost = replace(proof, signed=(replace(proof.signed[0], id=9),))
        body = row_commands.encode(BankOpened(SITE_ID, People(proof=lost)), OpenBank(SITE_ID))
        entry = DecidedEntry(1, NOW_MS, BankOpened.kind, 1, None, None, None, bytes(16), body, ())
        head = ledger.new_epoch("older", "forger")
        ledger.append("older", head.epoch, 0, [row_of("older", head.epoch, entry, head.hash)])
        assert "person 9" in verify(ledger, "older").problems[0], "rows of older rules are not decided again"
