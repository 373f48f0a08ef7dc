"""Verify names each row next to the journal that the chain contradicts, and no lawful one (S8)."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.ledger import keyring, papers
from jackpot.ledger.keyring import Secret, StoredName
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import Statement
from jackpot.ledger.verify.side_tables import KeptRows, archived, compare
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.papers import AddPapers, ErasePapers
from jackpot.rules.acts.people import AddPerson, FirstPeople, GiveCode, ResetSecret, SetSecret
from jackpot.rules.acts.requests import Reject
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.commands import ActCommand
from jackpot.rules.signing import SITE
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.conftest import Place
from tests.ledger.people import Paper
from tests.ledger.play import START_MS, Play
from tests.ledger.waiting import Ledger, backup

# Of both banks: what the site's configuration says of papers, and when it is looked.
FOR_EVER: Final = KeptRows(known=True, days=None, at=START_MS + 400 * DAY_MS)
UNKNOWN: Final = FOR_EVER._replace(known=False)
_numbers = count(1)

ANN, BEN, CAL, DEE, EVE, FAY, GUS = (
    StoredName.of(login, login.title()) for login in ("ann", "ben", "cal", "dee", "eve", "fay", "gus")
)
KEYS: Final = {
    number: Secret(number, f"$argon2id${number}", b"totp" * (number == 1)) for number in range(1, 6)
}


class Sheet:
    """Content of one payout's documents. row: as stored."""

    def __init__(self, patron: str) -> None:
        number = next(_numbers)
        self.keep = papers.keep({"patron": patron}, number.to_bytes(16), START_MS)
        self.row = self.keep[1]
        self.mark: bytes = self.row[0]


def did(play: Play, act: ActCommand, *people: str) -> None:
    answer = play.act(act, *people).of_act()
    assert answer.ok, answer.message


class Scene:
    """Five people: ann and ben are admins, cal works, dee left and was erased, eve's password was reset.

    Fay's joining waits, gus's was rejected. Two hits with papers, of which those of the second were erased.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.site = Paper(empty=True)
        self.validated, self.paid, self.added, self.erased = (
            Sheet(patron) for patron in ("Pat", "Pete", "Paul", "Quinn")
        )
        self._people()
        self._hits()

    def _people(self) -> None:
        site, change = self.site, self.ledger.change
        first = ((ANN.mark, KEYS[1].digest), (BEN.mark, KEYS[2].digest))
        assert site.act(FirstPeople(first), names=("root",)).ok
        for number, named in ((3, CAL), (4, DEE), (5, EVE)):
            assert site.act(AddPerson(named.mark, ("floor",)), 1, 2).person == number
            assert site.act(GiveCode(number, b"c" * 32, 1), 1).ok
            assert site.act(SetSecret(KEYS[number].digest), number, means="code").ok
            assert site.act(Vouch(number), 2).ok
        site.ended(4)
        assert site.act(ResetSecret(5), 1, 2).ok
        assert site.act(AddPerson(FAY.mark, ("floor",)), 1).asked
        asked = site.act(AddPerson(GUS.mark, ("floor",)), 1)
        assert site.act(Reject(asked.request, "not needed"), 1).ok
        site.write(self.ledger)
        change(*(one.kept() for one in (ANN, BEN, CAL, EVE, FAY, GUS)))
        change(*(KEYS[number].kept() for number in (1, 2, 3)))

    def _hits(self) -> None:
        play = Play(12)
        for number, table in ((1, "T03"), (2, "T02")):
            play.frame(table, frames.Wager(f"R{number}", (Bet(4, "five", 100),), lock=True))
            flush = Claim(4, cards=("2h", "7h", "9h"))
            play.frame(table, frames.Settle(f"R{number}", (flush,), ("Jh", "3h"), close=True))
        did(play, Validate("H1", paper=self.validated.mark, on_paper=("dealer",)), "anna")
        did(play, Pay("H1", document="W-1", paper=self.paid.mark, on_paper=("patron",)), "anna")
        did(play, AddPapers("H1", "left out", paper=self.added.mark, on_paper=("patron",)), "anna")
        did(play, Validate("H2", paper=self.erased.mark, on_paper=("dealer",)), "anna")
        did(play, Pay("H2", document="W-2"), "anna")
        did(play, ErasePapers("H2", "asked for"), "anna", "ben")
        self.ledger.new_epoch("main", "tests")
        self.ledger.append("main", 1, 0, play.rows)
        sheets = self.validated, self.paid, self.added, self.erased
        self.ledger.change(*(one.keep for one in sheets), papers.erase(self.erased.mark))

    def found(self, keeping: KeptRows = FOR_EVER) -> list[str]:
        return compare(self.ledger, self.ledger.banks(), keeping).problems


@pytest.fixture
def scene(place: Place) -> Scene:
    return Scene(place.open())


def test_nothing_lawful_is_named(scene: Scene) -> None:
    """Retention: an erased name, erased papers, a reset password, a request that waits or was rejected."""
    assert scene.found() == []
    assert scene.found(UNKNOWN) == []


def changed(table: str, what: str, key: bytes, *values: Any) -> Statement:
    column = {"secret": "digest"}.get(table, "mark")
    return f"UPDATE {table} SET {what} WHERE {column} = ?1", (key, *values)


def deleted(table: str, key: bytes) -> Statement:
    sql, values = changed(table, "", key)
    return sql.replace("UPDATE", "DELETE FROM").replace("SET ", ""), values


MALLORY: Final = StoredName.of("mallory", "Mallory")
STOLEN: Final = Secret(3, "$argon2id$mallory")
Do = Callable[[Scene], list[Statement]]
_OTHER: Final = b"\x07" * 32
# What somebody with rights to the tables does, and what is said of it.
TAMPERINGS: Final[dict[str, tuple[Do, list[str]]]] = {
    "another name": (
        lambda _: [changed("person", "name = ?2", ANN.mark, "Mallory")],
        ["site: person 1: the row of person was changed: login, name and salt do not make its mark"],
    ),
    "another login": (
        lambda _: [changed("person", "login = ?2", CAL.mark, "mallory")],
        ["site: person 3: the row of person was changed"],
    ),
    "another salt": (
        lambda _: [changed("person", "salt = ?2", BEN.mark, b"salt")],
        ["site: person 2: the row of person was changed"],
    ),
    "two names exchanged": (
        lambda _: [
            changed("person", "login = ?2, name = ?3", ANN.mark, "", ""),
            changed("person", "login = ?2, name = ?3", BEN.mark, ANN.login, ANN.name),
            changed("person", "login = ?2, name = ?3", ANN.mark, BEN.login, BEN.name),
        ],
        ["site: person 1: the row of person was changed", "site: person 2: the row of person was changed"],
    ),
    "a name taken away": (
        lambda _: [deleted("person", CAL.mark)],
        ["site: person 3: the row of person with the name is missing"],
    ),
    "a name under another mark": (
        lambda _: [changed("person", "mark = ?2", CAL.mark, _OTHER)],
        [
            "site: person 3: the row of person with the name is missing",
            f"site: a row of person ({'07' * 8}) is of nobody",
        ],
    ),
    "a name of nobody": (
        lambda _: [MALLORY.kept()],
        [f"site: a row of person ({MALLORY.mark.hex()[:16]}) is of nobody"],
    ),
    "an erased name put back": (
        lambda _: [DEE.kept()],
        ["site: person 4: the name was erased, and a row of person has it"],
    ),
    "the name of who is to join": (
        lambda _: [changed("person", "name = ?2", FAY.mark, "Mallory")],
        ["site: the row of person of who is to join by request site-1 was changed"],
    ),
    "who is to join taken away": (
        lambda _: [deleted("person", FAY.mark)],
        ["site: the row of person of who is to join by request site-1 is missing"],
    ),
    "another password": (
        lambda _: [changed("secret", "hash = ?2", KEYS[1].digest, "$argon2id$mallory")],
        ["site: person 1: the row of secret was changed: hash and key of codes do not make its digest"],
    ),
    "another key of codes": (
        lambda _: [changed("secret", "totp = ?2", KEYS[1].digest, b"mallory")],
        ["site: person 1: the row of secret was changed: hash and key of codes"],
    ),
    "no key of codes": (
        lambda _: [changed("secret", "totp = ?2", KEYS[1].digest, b"")],
        ["site: person 1: the row of secret was changed: hash and key of codes"],
    ),
    "a password taken away": (
        lambda _: [deleted("secret", KEYS[2].digest)],
        ["site: person 2: the row of secret is missing"],
    ),
    "two passwords exchanged": (
        lambda _: [
            changed("secret", "person = ?2", KEYS[2].digest, 3),
            changed("secret", "person = ?2", KEYS[3].digest, 2),
        ],
        [
            "site: person 2: the row of secret was changed: it says that it is of person 3",
            "site: person 3: the row of secret was changed: it says that it is of person 2",
        ],
    ),
    "another's password": (
        lambda _: [changed("secret", "hash = ?2", KEYS[2].digest, KEYS[3].hash)],
        ["site: person 2: the row of secret was changed: hash and key of codes"],
    ),
    "a password put back": (
        lambda _: [KEYS[5].kept()],
        [f"site: a row of secret ({KEYS[5].digest.hex()[:16]}), of person 5, is left over"],
    ),
    "a second password": (
        lambda _: [STOLEN.kept()],
        [f"site: a row of secret ({STOLEN.digest.hex()[:16]}), of person 3, is left over"],
    ),
    "a password of who left": (
        lambda _: [KEYS[4].kept()],
        [f"site: a row of secret ({KEYS[4].digest.hex()[:16]}), of person 4, is left over"],
    ),
    "another patron": (
        lambda scene: [changed("paper", "facts = ?2", scene.paid.mark, '{"patron": "Mallory"}')],
        ["main: the row of paper of H1, as row 12 has it, was changed: salt and facts do not make its mark"],
    ),
    "another salt of papers": (
        lambda scene: [changed("paper", "salt = ?2", scene.paid.mark, b"salt")],
        ["main: the row of paper of H1, as row 12 has it, was changed"],
    ),
    "two papers exchanged": (
        lambda scene: [
            changed("paper", "salt = ?2, facts = ?3", scene.paid.mark, *scene.added.row[3:]),
            changed("paper", "salt = ?2, facts = ?3", scene.added.mark, *scene.paid.row[3:]),
        ],
        [
            "main: the row of paper of H1, as row 12 has it, was changed",
            "main: the row of paper of H1, as row 13 has it, was changed",
        ],
    ),
    "papers taken away": (
        lambda scene: [deleted("paper", scene.validated.mark)],
        ["main: the row of paper of H1, as row 11 has it, is missing"],
    ),
    "papers of another mark": (
        lambda scene: [changed("paper", "mark = ?2", scene.paid.mark, _OTHER)],
        [
            "main: the row of paper of H1, as row 12 has it, is missing",
            f"a row of paper ({'07' * 8}) is of no entry",
        ],
    ),
    "papers whose text alone was emptied": (
        lambda scene: [changed("paper", "facts = ?2", scene.paid.mark, "")],
        ["main: the row of paper of H1, as row 12 has it, was changed"],
    ),
    "papers emptied without an entry": (
        lambda scene: [papers.erase(scene.paid.mark)],
        ["main: the row of paper of H1, as row 12 has it, was emptied: no entry erased it"],
    ),
    "erased papers put back": (
        lambda scene: [
            changed("paper", "salt = ?2, facts = ?3", scene.erased.mark, *scene.erased.row[3:]),
        ],
        ["main: the row of paper of H2, as row 14 has it, is still there: row 16 erased it"],
    ),
    "erased papers taken away": (
        lambda scene: [deleted("paper", scene.erased.mark)],
        ["main: the row of paper of H2, as row 14 has it, is missing"],
    ),
    "papers of no payout": (
        lambda _: [Sheet("Mallory").keep],
        ["a row of paper ("],
    ),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_each_tampering_is_named(scene: Scene, tampering: str) -> None:
    """S8: what was changed, taken away, added or exchanged, by the table, the person and the entry."""
    do, said = TAMPERINGS[tampering]
    scene.ledger.change(*do(scene))
    found = scene.found()
    assert len(found) == len(said), found
    for problem, beginning in zip(found, said, strict=True):
        assert problem.startswith(beginning)


def test_papers_go_by_age_where_the_site_says_so(scene: Scene) -> None:
    """Retention: no entry tells of it, so the configuration does; without one they are counted."""
    sheets = scene.validated, scene.paid, scene.added
    scene.ledger.change(*(papers.erase(sheet.mark) for sheet in sheets))
    assert scene.found(FOR_EVER._replace(days=399)) == []
    assert len(scene.found(FOR_EVER._replace(days=401))) == len(scene.found()) == len(sheets)
    looked = compare(scene.ledger, scene.ledger.banks(), UNKNOWN)
    assert (looked.problems, looked.by_age) == ([], len(sheets))


def test_a_bank_alone_is_compared_alone(scene: Scene) -> None:
    """S8: rows of another bank's people or papers are not told as of nobody."""
    scene.ledger.change(
        changed("person", "name = ?2", ANN.mark, "Mallory"), deleted("paper", scene.paid.mark)
    )
    assert len(compare(scene.ledger, [SITE], FOR_EVER).problems) == 1
    assert len(compare(scene.ledger, ["main"], FOR_EVER).problems) == 1


def test_a_copy_holds_what_its_source_does(scene: Scene, place: Place) -> None:
    """S9: names, secrets and papers of a copy are of its chain."""
    reader: Reader = place.read()
    kept = keyring.names(reader), keyring.secret_rows(reader), papers.rows(reader)
    assert [len(rows) for rows in kept] == [6, 3, 4]
    scene.ledger.change(*keyring.carried(reader), *papers.carried(reader))
    assert scene.found() == []


@pytest.fixture
def archive(scene: Scene, tmp_path: Path) -> Iterator[SqliteLedger]:
    """An archive of the scene's ledger."""
    backup(scene.ledger, tmp_path / "archive.db")
    with closing(SqliteLedger(tmp_path / "archive.db")) as opened:
        yield opened


def test_an_archive_of_before_is_not_accused(scene: Scene, archive: SqliteLedger) -> None:
    """Retention: papers that were erased since, a name, and a secret that was replaced are in it still."""
    assert archived(archive, scene.ledger) == []
    scene.ledger.change(
        papers.erase(scene.paid.mark),
        ("DELETE FROM person WHERE mark = ?1", (CAL.mark,)),
        ("DELETE FROM secret WHERE digest = ?1", (KEYS[2].digest,)),
    )
    assert archived(archive, scene.ledger) == []
    archive.change(  # it was brought up to date while a server erased them
        papers.erase(scene.paid.mark),
        ("DELETE FROM person WHERE mark = ?1", (CAL.mark,)),
        ("DELETE FROM secret WHERE digest = ?1", (KEYS[2].digest,)),
    )
    assert archived(archive, scene.ledger) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda scene: changed("paper", "facts = facts || ' '", scene.paid.mark), "H1, as row"),
        (lambda scene: papers.erase(scene.paid.mark), "is gone, and the ledger has it"),
        (lambda scene: papers.drop(scene.paid.mark), "is gone, and the ledger has it"),
        (
            lambda _: changed("person", "name = 'Eve'", CAL.mark),
            "site: person 3: the row of person was changed",
        ),
        (lambda _: ("DELETE FROM person WHERE mark = ?1", (CAL.mark,)), "site: person 3: the row of person"),
        (lambda _: changed("secret", "hash = 'x'", KEYS[2].digest), "site: person 2: the row of secret was"),
        (
            lambda _: ("DELETE FROM secret WHERE digest = ?1", (KEYS[2].digest,)),
            "person 2: the row of secret",
        ),
    ],
)
def test_each_tampering_with_an_archive_is_named(
    scene: Scene, archive: SqliteLedger, spoil: Callable[[Scene], Statement], said: str
) -> None:
    """S8: what somebody changed or took away of the archive's own papers, names and secrets."""
    archive.change(spoil(scene))
    (found,) = archived(archive, scene.ledger)
    assert said in found
