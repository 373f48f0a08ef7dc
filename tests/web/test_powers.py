"""Roles: every route of the API and every page, against every role."""

import uuid
from pathlib import Path
from typing import Any, Final

import aiohttp

from jackpot.api.http_call import target_of
from jackpot.api.operation import BASE, name_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.rules.signing import ROLES
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, on_loop, table
from tests.web.staffed import join, token
from tests.web.test_authentication import floor

ALL: Final = "viewer floor cage auditor admin"
# Who may ask for what: by the route of a question and the name of an act.
MAY: Final = {
    "/site": ALL,
    "/banks": ALL,
    "/links": ALL,
    "/links/{link}": ALL,
    "/preview/{act}": ALL,
    "/tables": ALL,
    "/tables/{table}": ALL,
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
    "change-secret": ALL,
    "set-digits": ALL,
    "end-digits": ALL,
    "/people": "auditor admin",
    "/tokens": ALL,
    "make-token": "",  # asked by a program here: a person makes it with their own password
    "end-token": ALL,
    "validate": "floor",
    "undo": "floor",
    "reopen": "floor",
    "decline": "floor",
    "release": "floor",
    "strike": "floor",
    "void": "floor",
    "pay": "floor cage",
    "dispute": "floor",
    "lift": "floor auditor",
    "add-papers": "floor cage",
    "erase-papers": "admin",
    "correct": "floor cage",
    "suspend": "floor admin",
    "resume": "floor admin",
    "clear": "floor admin",
    "acknowledge": "floor admin",
    "confirm-behind": "floor admin",
    "confirm-program": "floor admin",
    "correct-meter": "floor admin",
    "decide-left": "floor admin",
    "transfer": "admin",
    "close-link": "admin",
    "change-parameters": "admin",
    "confirm": ALL,
    "reject": ALL,
    "revoke": "admin",
    "hand-over": "admin",
    "add-person": "admin",
    "give-code": "admin",
    "grant": "admin",
    "withdraw-role": "admin",
    "reset-secret": "admin",
    "end-person": "admin",
    "vouch": "admin",
    "erase-name": "admin",
}

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
    "/reports/slip?hit=H1": ALL,
    "/reports/payout?hit=H1": "floor cage auditor admin",
    "/waiting": ALL,
    "/account": ALL,
    "/people": "auditor admin",
    "/people/1": "auditor admin",
}
ROUND: Final = {"table": "T01", "round": "R9", "reason": "x"}
ABOUT: Final[dict[str, dict[str, Any]]] = {
    "/links/{link}": {"link": LINK},
    "/preview/{act}": {"link": LINK, "act": "close-link"},
    "/tables/{table}": {"table": "T01"},
    "/hits/{hit}": {"hit": "H1"},
    "validate": {"hit": "H9"},
    "pay": {"hit": "H9", "document": "W-1"},
    "add-papers": {"hit": "H9", "witness": "Bo", "reason": "x"},
    "dispute": {"hit": "H9", "reason": "x"},
    "lift": {"hit": "H9", "reason": "x", "dispute": 9},
    "erase-papers": {"hit": "H9", "reason": "x"},
    "undo": {"hit": "H9", "reason": "x"},
    "correct": {"award": "A9", "amount": "1.00", "reason": "x", "bank": "main"},
    "reopen": ROUND,
    "decline": ROUND,
    "void": ROUND,
    "strike": {**ROUND, "seat": 1, "link": LINK},
    "release": {"table": "T01", "reason": "x"},
    "suspend": {"cause": "operator", "links": [LINK], "reason": "x"},
    "resume": {"cause": "restored", "links": [LINK], "reason": "x"},
    "confirm-behind": {"table": "T01", "reason": "x", "believe": True},
    "confirm-program": {"digest": "0" * 64, "reason": "x", "bank": "main"},
    "correct-meter": {"link": LINK, "level": "meter", "amount": "-1.00", "reason": "x"},
    "decide-left": {"left": "D9", "remove": True, "reason": "x", "bank": "main"},
    "transfer": {"link": LINK, "to": LINK, "reason": "x"},
    "close-link": {"link": LINK, "reason": "x"},
    "change-parameters": {"link": LINK, "reason": "x"},
    "acknowledge": {"alarm": "AL9", "bank": "main"},
    "clear": {"role": "table", "device": "T01"},
    "confirm": {"request": "site-99"},
    "reject": {"request": "site-99", "reason": "x"},
    "revoke": {"device": "T02"},
    "hand-over": {"bank": "main"},
    "add-person": {"login": "new", "name": "New"},
    "give-code": {"person": 99},
    "grant": {"person": 99, "role": "floor"},
    "withdraw-role": {"person": 99, "role": "floor"},
    "reset-secret": {"person": 99},
    "end-person": {"person": 99},
    "vouch": {"person": 99},
    "erase-name": {"person": 99},
    "make-token": {"days": 1, "secret": "a guess"},
    "change-secret": {"secret": "a guess", "new": "another secret"},
    "set-digits": {"secret": "a guess", "totp_key": 8 * "AAAA", "totp": "123456"},
    "end-digits": {"secret": "a guess", "totp": "123456"},
    "end-token": {"token": 99},
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
            found = {kind.path: await asked(web, mine, kind, kind.path) for kind in QUESTIONS}
            for kind in ASKED_ACTS:
                found[name_of(kind)] = await asked(web, mine, kind, name_of(kind))
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
                    assert answer.status == (200 if role in roles.split() else 403), (role, page)


async def asked(web: aiohttp.ClientSession, mine: dict[str, str], kind: Any, name: str) -> str:
    """The code of its refusal; "" if it is answered."""
    target = target_of(kind, ABOUT.get(name, {}))
    headers = {**mine, "Idempotency-Key": uuid.uuid4().hex}
    async with web.request(target.method, BASE + target.path, json=target.body, headers=headers) as answer:
        return str((await answer.json()).get("code", "")) if answer.status >= 400 else ""
