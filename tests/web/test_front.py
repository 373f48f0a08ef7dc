"""Does the door lead to our own pages, and does a page offer only what its person may do?"""

import re
from pathlib import Path

import pytest

from jackpot.rules.signing import Role
from tests.server.bed import on_loop, table
from tests.server.test_admin import royal
from tests.web.staffed import join
from tests.web.test_access import floor, signed_in


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/ops\\@evil", "/opsevil", "/"])
@on_loop
async def test_the_door_leads_to_our_own_pages_alone(tmp_path: Path, back: str) -> None:
    """Access: where somebody is sent after signing in is never another site."""
    async with floor(tmp_path) as (_, web):
        async with web.get("/ops/sign-in", params={"back": back}) as answer:
            assert re.search(r'name="back" value="([^"]*)"', await answer.text())[1] == "/ops"  # type: ignore[index]
        async with await signed_in(web, back=back) as answer:
            assert answer.headers["Location"] == "/ops"


@pytest.mark.parametrize(
    ("roles", "offered"),
    [
        (("viewer",), set()),
        (("auditor",), set()),
        (("cage",), {"correct"}),
        (("floor",), {"validate", "undo", "correct"}),
        (("floor", "cage"), {"validate", "undo", "correct"}),
    ],
)
@on_loop
async def test_a_page_offers_what_its_person_may_do(
    tmp_path: Path, roles: tuple[Role, ...], offered: set[str]
) -> None:
    """Powers: a button that would only refuse is none; what each act takes stands in the registry of acts."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        await join(server, "cal", *roles)
        (await signed_in(web, login="cal")).close()
        async with web.get("/ops/hits/main/H1") as answer:
            found = set(re.findall(r'action="/ops/acts/([a-z-]+)"', await answer.text()))
        assert found == offered
