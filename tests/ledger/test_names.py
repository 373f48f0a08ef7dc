"""The table `name` has the names of the journal's numbers, and each change of it is found (S8)."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from jackpot.ledger import names
from jackpot.ledger.names import NameRow, NumberedThing
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import VerifyOptions, verify
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.state import BankState
from tests.ledger import golden
from tests.ledger.conftest import Place
from tests.ledger.planted import run_sql
from tests.ledger.resting import Bank
from tests.ledger.tampered import tamper
from tests.ledger.waiting import copy, open_ledger

Made = Callable[[Path], None]


def of_before(path: Path) -> None:
    """A ledger from before the table existed; opening it for writing migrates it."""
    shutil.copy(golden.FOLDER / "0.1.0.db", path)


def of_now(path: Path) -> None:
    golden.make(path)


def state_names(state: BankState) -> set[NameRow]:
    """Names of the engine's numbers, from its state."""
    links = {NameRow(NumberedThing("link", 0, link.number), link.terms.link) for link in state.links}
    levels = {
        NameRow(NumberedThing("level", link.number, level.number), level.terms.level)
        for link in state.links
        for level in link.levels
    }
    tables = {NameRow(NumberedThing("table", 0, table.number), table.terms.table) for table in state.tables}
    people = {NameRow(NumberedThing("person", 0, one.id), one.mark.hex()) for one in state.people}
    made = [part for part in state.parts if part.hits.first < part.hits.end]
    runs = {NameRow(NumberedThing("hits", 0, part.hits.moved + 1), part.bank) for part in made}
    own = {NameRow(NumberedThing("hits", 0, max(part.hits.end for part in made)), "")} if made else set()
    return links | levels | tables | people | runs | own


def kept(ledger: Reader, bank: str) -> set[NameRow]:
    found = ledger.look_up(
        "SELECT kind, link, number, name.name FROM name JOIN bank ON bank.id = bank WHERE bank.name = ?1",
        bank,
    )
    return {NameRow(NumberedThing(kind, link, number), name) for kind, link, number, name in found}


@pytest.mark.parametrize("make", [of_before, of_now])
def test_every_number_has_its_name(place: Place, tmp_path: Path, make: Made) -> None:
    """S8: of links, levels, tables, people and a join's hits: opened, joined, migrated or copied."""
    path = tmp_path / "golden.db"
    make(path)
    with closing(SqliteLedger(path)) as source, closing(open_ledger(place.url)) as target:
        copy(source, target)
        seen = set[str]()
        for ledger in (source, target):
            for bank in ledger.banks():
                wanted = state_names(rebuild(ledger, bank)[0].state)
                assert kept(ledger, bank) == wanted
                assert names.differences(ledger, bank, ledger.head(bank).seq) == []
                seen |= {name.of.kind for name in wanted}
    assert seen == {"link", "level", "table", "person", "hits"}


@pytest.fixture
def golden_place(place: Place, tmp_path: Path) -> Place:
    of_before(tmp_path / "golden.db")
    with closing(SqliteLedger(tmp_path / "golden.db")) as source, closing(open_ledger(place.url)) as target:
        copy(source, target)
    return place


MAIN: Final = "bank = (SELECT id FROM bank WHERE name = 'main')"
SITE: Final = "bank = (SELECT id FROM bank WHERE name = 'site')"
ADD: Final = (
    "INSERT INTO name (bank, kind, link, number, name) SELECT id, {} FROM bank WHERE bank.name = 'main'"
)
TAMPERINGS: Final = {
    "a link renamed": (
        f"UPDATE name SET name = 'mine' WHERE {MAIN} AND kind = 'link' AND number = 1",
        "main: the table name calls link 1 'mine', row ",
    ),
    "a level renamed": (
        f"UPDATE name SET name = 'mine' WHERE {MAIN} AND kind = 'level' AND link = 1 AND number = 2",
        "main: the table name calls level 2 of link 1 'mine', row ",
    ),
    "a table taken away": (
        f"DELETE FROM name WHERE {MAIN} AND kind = 'table' AND number = 1",
        "main: the table name lacks table 1, ",
    ),
    "a link added": (
        ADD.format("'link', 0, 99, 'mine'"),
        "main: the table name has link 99, 'mine', which no row of the journal names",
    ),
    "a person exchanged": (
        f"UPDATE name SET name = 'mine' WHERE {SITE} AND number = 1",
        "site: the table name calls person 1 'mine', row ",
    ),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_each_tampering_is_named(golden_place: Place, tampering: str) -> None:
    """S8: by its bank, its number, and the row that says otherwise."""
    statement, said = TAMPERINGS[tampering]
    tamper(golden_place.url, statement)
    bank = said.partition(":")[0]
    ledger = golden_place.read()
    (problem,) = verify(ledger, bank).problems
    assert problem.startswith(said)
    assert verify(ledger, bank, options=VerifyOptions(chain=True)).problems == ()


def test_a_name_of_a_row_that_comes_meanwhile_is_no_problem(golden_place: Place) -> None:
    """S8: a server may open a link while the rows up to a head are verified."""
    ledger = golden_place.read()
    opened = {
        row.seq for row in ledger.rows("main", 0, 1_000) if row.kind in {LinkOpened.kind, TableOpened.kind}
    }
    assert names.differences(ledger, "main", min(opened) - 1) == []


def test_a_name_that_is_in_the_way_stops_no_link(place: Place) -> None:
    """S8: a planted row of the table keeps no link from opening, and verify names it."""
    with closing(open_ledger(place.url)) as ledger:
        run_sql(place.url, "INSERT INTO name VALUES (1, 'link', 0, 1, 'mine')")
        Bank(ledger, "north")
        (problem,) = names.differences(ledger, "north", ledger.head("north").seq)
        assert problem.startswith("north: the table name calls link 1 'mine', row 2 calls it 'five-north'")
