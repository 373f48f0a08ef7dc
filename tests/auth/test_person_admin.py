"""Joining of people: the first two, and unique logins."""

from pathlib import Path

import pytest

from jackpot.auth.person_admin import NewPerson
from jackpot.ledger.entries import events_of
from jackpot.ledger.reading import Reader
from jackpot.rules.acts.people import PeopleBegun
from jackpot.rules.codes import Code
from jackpot.rules.signing import SITE
from jackpot.runtime.errors import Denied
from tests.auth.test_auth_service import ANN, BEN, denied, opened
from tests.running_server import on_loop


@pytest.mark.parametrize(
    "first",
    [
        (ANN, ANN._replace(secret="another secret")),
        (ANN, BEN._replace(secret="short")),
        (ANN, BEN._replace(login="ben the second", secret="Ben the Second")),
        (ANN, BEN._replace(login="")),
        (ANN,),
    ],
)
@on_loop
async def test_who_cannot_be_first(tmp_path: Path, first: tuple[NewPerson, ...]) -> None:
    """Two different people, with names and with secrets that nobody guesses; else nobody begins."""
    async with opened(tmp_path, empty=True) as site:
        with pytest.raises(Denied):
            await site.person_admin.begin(first, "root")
        await site.person_admin.begin((ANN, BEN), "root")


@on_loop
async def test_the_first_people_say_where_each_bank_stands(tmp_path: Path) -> None:
    """S8: from there on `verify` believes no unauthenticated name, also where the bank has not seen them."""
    async with opened(tmp_path, empty=True) as site:

        def heads(ledger: Reader) -> list[tuple[str, int, bytes]]:
            return [
                (one.bank, one.seq, one.hash) for one in map(ledger.head, ledger.banks()) if one.bank != SITE
            ]

        stood = await site.auth.books.read(heads)
        await site.person_admin.begin((ANN, BEN), "root")
        (begun,) = await site.auth.books.read(lambda ledger: [*events_of(ledger, SITE, PeopleBegun.kind)])
        assert isinstance(begun[2], PeopleBegun)
        assert begun[2].stood == stood


@on_loop
async def test_a_login_is_one_persons(tmp_path: Path) -> None:
    """However it is written; one that waits for a second admin is taken, too, and a mistaken one is free."""
    async with opened(tmp_path) as site:
        ann = await site.enter(ANN)
        await denied(site.person_admin.add([ann], " ANN", "Another", ()), Code.TWICE)
        assert (await site.person_admin.add([ann], "cal", "Cal", ("floor",))).asked
        await denied(site.person_admin.add([ann], "cal", "Cal", ()), Code.TWICE)
        local = await site.auth.of_login("ann")
        assert local is not None
        floor = await site.join("dee", "floor")
        assert (await site.person_admin.add([floor], "eve", "Eve", ())).code == "not_allowed"
        assert (await site.person_admin.add([ann], "eve", "Eve", ())).ok
