"""The simulated floor has people who can sign in, even after an interrupted first start."""

from pathlib import Path
from typing import Final

import pytest

from jackpot.auth.person_admin import NewPerson
from jackpot.lab.demo.people import SUPERVISOR, Login, hire
from jackpot.lab.demo.scene import FloorError
from tests.auth.test_auth_service import ANN, BEN, Site, opened
from tests.running_server import on_loop

MACHINE: Final = "operator"
ADMINS: Final = (
    NewPerson("admin-1", "One", "nobody knows this"),
    NewPerson("admin-2", "Two", "nobody knows that"),
)


async def check(site: Site, hired: tuple[Login, ...]) -> None:
    """Checks that all sign in with the printed passwords, have names, and that the supervisor can act."""
    assert [one.role for one in hired] == ["admin", "admin", "cage", "auditor", "floor"]
    for one in hired:
        person = (await site.auth.sign_in(one.login, one.password)).person
        assert person.roles == (one.role,)
        assert person.name == one.name
    acting = await site.auth.of_login(SUPERVISOR)
    assert acting is not None
    assert (acting.name, acting.roles) == ("Sam Rivera", ("floor",))
    assert await hire(site.auth, MACHINE) == (), "they are made once"


@on_loop
async def test_a_new_floor_has_people_of_every_role(tmp_path: Path) -> None:
    """Two admins, a cashier, an auditor and the floor supervisor, each with a password of their own."""
    async with opened(tmp_path, empty=True) as site:
        hired = await hire(site.auth, MACHINE)
        assert len({one.password for one in hired}) == len(hired)
        await check(site, hired)


@pytest.mark.parametrize("until", [1, 2, 3])
@on_loop
async def test_a_start_that_was_cut_off_is_made_good(tmp_path: Path, until: int) -> None:
    """S5: after the admins, a cashier, or a supervisor without a secret, the next start makes the rest."""
    async with opened(tmp_path, empty=True) as site:
        await site.person_admin.begin(ADMINS, MACHINE)
        both = [await site.enter(one) for one in ADMINS]
        steps = (("cashier-1", "cage"), (SUPERVISOR, "floor"))
        for login, role in steps[: until - 1]:
            name = Login(login, role, "").name  # type: ignore[arg-type]
            await site.person_admin.add(both, login, name, (role,))  # type: ignore[arg-type]
        hired = await hire(site.auth, MACHINE)
        assert [one.login for one in hired[:2]] == ["admin-3", "admin-4"]
        await check(site, hired)


@on_loop
async def test_nobody_is_made_among_people_of_others(tmp_path: Path) -> None:
    """A demo takes no power on a floor whose people others have made: it says which login it acts by."""
    async with opened(tmp_path, empty=True) as site:
        await site.person_admin.begin((ANN, BEN), "root")
        with pytest.raises(FloorError, match=f"jackpot users add {SUPERVISOR} --role floor"):
            await hire(site.auth, MACHINE)
        assert len((await site.auth.directory.look()).state.people) == 2
