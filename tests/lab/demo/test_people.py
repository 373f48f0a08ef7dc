"""Has the simulated floor people who can sign in, however its first start went?"""

from pathlib import Path
from typing import Final

import pytest

from jackpot.auth.person_admin import Coming
from jackpot.lab.demo.people import SUPERVISOR, Login, hire
from jackpot.lab.demo.scene import FloorError
from tests.auth.test_auth_service import ANN, BEN, Site, opened
from tests.running_server import on_loop

MACHINE: Final = "operator"
ADMINS: Final = (
    Coming("admin-1", "One", "nobody knows this"),
    Coming("admin-2", "Two", "nobody knows that"),
)


async def check(site: Site, hired: tuple[Login, ...]) -> None:
    """All come in with what they were told, as people with names, and the supervisor acts for the floor."""
    assert [one.role for one in hired] == ["admin", "admin", "cage", "auditor", "floor"]
    for one in hired:
        person = (await site.entrance.sign_in(one.login, one.password)).person
        assert person.roles == (one.role,)
        assert person.name == one.name
    acting = await site.entrance.of_login(SUPERVISOR)
    assert acting is not None
    assert (acting.name, acting.roles) == ("Sam Rivera", ("floor",))
    assert await hire(site.entrance, MACHINE) == (), "they are made once"


@on_loop
async def test_a_new_floor_has_people_of_every_role(tmp_path: Path) -> None:
    """Two admins, a cashier, an auditor and the floor supervisor, each with a password of their own."""
    async with opened(tmp_path, empty=True) as site:
        hired = await hire(site.entrance, MACHINE)
        assert len({one.password for one in hired}) == len(hired)
        await check(site, hired)


@pytest.mark.parametrize("until", [1, 2, 3])
@on_loop
async def test_a_start_that_was_cut_off_is_made_good(tmp_path: Path, until: int) -> None:
    """S5: after the admins, a cashier, or a supervisor without a secret, the next start makes the rest."""
    async with opened(tmp_path, empty=True) as site:
        await site.staff.begin(ADMINS, MACHINE)
        both = [await site.enter(one) for one in ADMINS]
        steps = (("cashier-1", "cage"), (SUPERVISOR, "floor"))
        for login, role in steps[: until - 1]:
            name = Login(login, role, "").name  # type: ignore[arg-type]
            await site.staff.add(both, login, name, (role,))  # type: ignore[arg-type]
        hired = await hire(site.entrance, MACHINE)
        assert [one.login for one in hired[:2]] == ["admin-3", "admin-4"]
        await check(site, hired)


@on_loop
async def test_nobody_is_made_among_people_of_others(tmp_path: Path) -> None:
    """A demo takes no power on a floor whose people others have made: it says which login it acts by."""
    async with opened(tmp_path, empty=True) as site:
        await site.staff.begin((ANN, BEN), "root")
        with pytest.raises(FloorError, match=f"jackpot users add {SUPERVISOR} --role floor"):
            await hire(site.entrance, MACHINE)
        assert len((await site.entrance.roster.look()).state.people) == 2
