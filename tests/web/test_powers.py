"""Roles: every route of the API and every page, against every role."""

import uuid
from pathlib import Path
from typing import Any, Final

import aiohttp

from jackpot.api.http_call import target_of
from jackpot.api.operation import BASE, name_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.rules.signing import ROLES
from tests.api.example_acts import example
from tests.net.test_admin_socket import royal
from tests.rules.acts.powers import POWERS
from tests.running_server import LINK, on_loop, table
from tests.web.staffed import join, token
from tests.web.test_authentication import floor

ALL: Final = "viewer floor cage auditor admin"
# Who may ask for what: by the route of a question and, as the README of the rules says, the name of an act.
MAY: Final[dict[str, str]] = {
    "/site": ALL,
    "/banks": ALL,
    "/links": ALL,
    "/links/{link}": ALL,
    "/preview/{act}": ALL,
    "/tables": ALL,
    "/tables/{table}": ALL,
    "/tables/{table}/posted": ALL,
    "/hits/waiting": ALL,
    "/hits": ALL,
    "/hits/{hit}": ALL,
    "/readings": ALL,
    "/journal": ALL,
    "/devices": ALL,
    "/requests": ALL,
    "/programs": ALL,
    "/alarms": ALL,
    "/me": ALL,
    "/people": "auditor admin",
    "/tokens": ALL,
} | {name: " ".join(POWERS[name]) for name in map(name_of, ASKED_ACTS) if name in POWERS}
# A person makes it with their own password, and not a program that asks with a token.
MAY["make-token"] = ""

PAGES: Final = {
    "": ALL,
    "/hits": ALL,
    "/hits/main/H1": ALL,
    "/hits/main/H1/preview?act=undo": ALL,
    f"/links/{LINK}": ALL,
    f"/links/{LINK}/preview?act=close-link": ALL,
    "/links": ALL,
    "/tables/T01": ALL,
    "/requests": ALL,
    "/alarms": ALL,
    "/journal": ALL,
    "/readings": ALL,
    "/reports": ALL,
    "/director": ALL,
    "/what-if": ALL,
    "/reports/slip?hit=H1": ALL,
    "/reports/payout?hit=H1": "floor cage auditor admin",
    "/waiting": ALL,
    "/account": ALL,
    "/people": "auditor admin",
    "/people/1": "auditor admin",
}
# What a question's address names.
ABOUT: Final[dict[str, dict[str, Any]]] = {
    "/links/{link}": {"link": LINK},
    "/preview/{act}": {"link": LINK, "act": "close-link"},
    "/tables/{table}": {"table": "T01"},
    "/tables/{table}/posted": {"table": "T01"},
    "/hits/{hit}": {"hit": "H1"},
}


def test_the_table_has_every_route() -> None:
    """S5: every query and every act has a row here that says who may ask it."""
    assert MAY.keys() == {kind.path for kind in QUESTIONS} | {name_of(kind) for kind in ASKED_ACTS}


@on_loop
async def test_every_role_against_every_route(tmp_path: Path) -> None:
    """Misuse: the wrong role is refused as `not_allowed`; the right one gets an answer."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        for role in ROLES:
            await join(server, role, role)
            mine = {"Authorization": f"Bearer {await token(server, role)}"}
            found = {kind.path: await asked(web, mine, kind, ABOUT.get(kind.path, {})) for kind in QUESTIONS}
            for kind in ASKED_ACTS:
                found[name_of(kind)] = await asked(web, mine, kind, example(kind))
            assert {name for name, code in found.items() if code != "not_allowed"} == {
                name for name, roles in MAY.items() if role in roles.split()
            }, role
            assert not {"no_person", "bad_request", "internal"} & set(found.values()), found


@on_loop
async def test_every_role_against_every_page(tmp_path: Path) -> None:
    """Misuse: a page is there for those who may read it, and a clear refusal for the others."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        for role in ROLES:
            await join(server, role, role)
            mine = {"Authorization": f"Bearer {await token(server, role)}"}
            for page, roles in PAGES.items():
                async with web.get(f"/ops{page}", headers=mine) as answer:
                    # A preview says on its page why its act would be refused now.
                    seen = {200, 409} if "/preview" in page else {200}
                    assert answer.status in (seen if role in roles.split() else {403}), (role, page)


async def asked(web: aiohttp.ClientSession, mine: dict[str, str], kind: Any, fields: dict[str, Any]) -> str:
    """The code of its refusal; "" if it is answered."""
    target = target_of(kind, fields)
    headers = {**mine, "Idempotency-Key": uuid.uuid4().hex}
    async with web.request(target.method, BASE + target.path, json=target.body, headers=headers) as answer:
        return str((await answer.json()).get("code", "")) if answer.status >= 400 else ""
