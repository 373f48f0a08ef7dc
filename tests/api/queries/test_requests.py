"""Requests: what each would do, who may confirm it, and what has changed since."""

import re
from pathlib import Path
from typing import Any

import aiohttp

from jackpot.app import Server
from jackpot.rules.acts.hits import Pay, Undo, Validate
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.requests import Confirm, Reject
from jackpot.rules.codes import Code
from jackpot.rules.phrases import phrase
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS, on_loop, table
from tests.web.staffed import join, prove, token
from tests.web.test_authentication import floor, signed_in

LESS = CorrectMeter(LINK, "mega", -12_345_678, "a test wager")


async def waits(web: aiohttp.ClientSession, bearer: str) -> dict[str, Any]:
    """The only waiting request, as the API has it."""
    async with web.get("/api/v1/requests", headers={"Authorization": f"Bearer {bearer}"}) as answer:
        (one,) = (await answer.json())["requests"]
    return dict(one)


async def page(web: aiohttp.ClientSession, login: str) -> tuple[bool, str]:
    """Whether the page of requests offers that person to confirm, and its text in one line."""
    (await signed_in(web, login=login)).close()
    async with web.get("/ops/requests") as answer:
        said = await answer.text()
    text = " ".join(re.sub(r"<[^>]*>", " ", said.partition("<main")[2]).split())
    return 'action="/ops/acts/confirm"' in said, text


async def shown(web: aiohttp.ClientSession) -> tuple[str, str]:
    """What the page shows of LESS before it is asked for, and what its form sends with it."""
    given = {"act": "correct-meter", "level": "mega", "account": "primary", "amount": "-12.345678"}
    async with web.get(f"/ops/links/{LINK}/preview", params=given) as answer:
        said = await answer.text()
    (mark,) = re.findall(r'name="seen" value="([0-9a-f]{32})"', said)
    return mark, said


async def asked(web: aiohttp.ClientSession, bearer: str, mark: str) -> tuple[int, str]:
    """Asks for LESS by the API, as it was shown."""
    less = {"link": LINK, "level": "mega", "amount": "-12.345678", "reason": "a test wager", "seen": mark}
    headers = {"Authorization": f"Bearer {bearer}", "Idempotency-Key": mark}
    async with web.post("/api/v1/acts/correct-meter", json=less, headers=headers) as answer:
        return answer.status, str((await answer.json()).get("code", ""))


async def sent(web: aiohttp.ClientSession) -> list[str]:
    """What the page's form to confirm sends of what the page shows."""
    async with web.get("/ops/requests") as answer:
        said = await answer.text()
    return re.findall(r'name="seen" value="([0-9a-f]{32})"', said)


async def looked(web: aiohttp.ClientSession, at: str, **given: str) -> tuple[str, dict[str, str]]:
    """What the page says of a previewed act, and the fields of its form."""
    async with web.get(f"/ops{at}/preview", params=given) as answer:
        said = await answer.text()
    form = said.partition(f'<form method="post" action="/ops/acts/{given["act"]}">')[2].partition("</form>")[
        0
    ]
    text = " ".join(re.sub(r"<[^>]*>", " ", said.partition("<main")[2]).split())
    return text, dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))


async def posted(web: aiohttp.ClientSession, act: str, fields: dict[str, str]) -> tuple[int, str]:
    """Sends the form with a reason: the status, and what the page says that it leads to."""
    async with web.post(f"/ops/acts/{act}", data={**fields, "reason": "a test"}) as answer:
        return answer.status, " ".join(re.sub(r"<[^>]*>", " ", await answer.text()).split())


@on_loop
async def test_a_correction_is_asked_for_as_it_was_shown(tmp_path: Path) -> None:
    """A10, L8: the hit's page leads to what it would do to the meter; once that is other, it is refused."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        (await signed_in(web)).close()
        async with web.get("/ops/hits/main/H1") as answer:
            assert "/ops/acts/correct" not in await answer.text()
        more = {"act": "correct", "award": "A1", "amount": "9000.00"}
        said, fields = await looked(web, "/hits/main/H1", **more)
        assert "A1: $10,000.18 becomes $9,000.00" in said
        assert {"award": "A1", "amount": "9000.00", "bank": "main"}.items() <= fields.items()
        status, other = await posted(web, "correct", {**fields, "amount": "9000.01"})
        assert (status, "would do something else now than was shown" in other) == (409, True)
        _, fields = await looked(web, "/hits/main/H1", **more)
        status, said = await posted(web, "correct", fields)
        assert (status, "It is not done yet: it waits 15 minutes for a second person." in said) == (200, True)
        one = await waits(web, await token(server))
        assert (one["what"], one["shown"], one["fields"]["amount"]) == ("correct", fields["seen"], "9000.00")
        assert (one["fields"]["hit"], one["fields"]["seat"]) == ("H1", 1)  # nobody confirms blindly
        said, fields = await looked(web, "/hits/main/H1", **{**more, "award": "A9"})
        assert (fields, "A9" in said) == ({}, True)


@on_loop
async def test_what_a_page_showed_is_asked_for_as_it_was_shown(tmp_path: Path) -> None:
    """L8: a jackpot fell since the page was opened: it is refused, and the page opened again asks for it."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        bearer = await token(server)
        (await signed_in(web)).close()
        old, said = await shown(web)
        assert "9,987.654322" in said
        await royal(device)
        assert await asked(web, bearer, old) == (409, "changed")
        assert await asked(web, bearer, (await shown(web))[0]) == (200, "")
        assert await asked(web, bearer, "x" * 32) == (400, "bad_request")


@on_loop
async def test_a_request_names_its_sums_and_who_may_confirm_it(tmp_path: Path) -> None:
    """L8: what it would do now, and once a jackpot fell what it would have done; then nobody confirms it."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await join(server, "vic", "viewer")
        main, bearer = server.banks["main"], await token(server)
        ann, bo = await prove(server, "ann"), await prove(server, "bo")
        asked = await server.auth.act(main, LESS, [ann])
        assert (asked.asked, asked.request) == (True, "main-1")
        one = await waits(web, bearer)
        assert (one["request"], one["asker"], one["roles"], one["problem"], one["template"]) == (
            "main-1",
            ann.id,
            ["floor", "admin"],
            "",
            "",
        )
        assert one["moved"] == one["seen"]
        assert (one["moved"][0]["value"], one["moved"][0]["value_after"]) == ("10000.00", "9987.654322")
        assert (await page(web, "bo"))[0]
        assert await sent(web) == [one["shown"]]
        other = await server.auth.act(main, Confirm("main-1"), [bo], seen=bytes(16))
        assert other.code == Code.CHANGED
        offered, said = await page(web, "ann")
        assert (
            offered,
            "You asked for it: somebody else with the role floor or admin confirms it." in said,
        ) == (False, True)
        offered, said = await page(web, "vic")
        told = "Somebody with the role floor or admin confirms it. Your roles: viewer."
        assert (offered, told in said) == (False, True)
        assert "$9,987.654322" in said
        await royal(device)
        one = await waits(web, bearer)
        assert (one["template"], one["values"]) == (
            "request_changed",
            {"request": "main-1", "what": str(phrase("changed_meter"))},
        )
        assert one["seen"][0]["value"] == "10000.00"
        offered, said = await page(web, "bo")
        assert (offered, "What it would have done when it was asked for" in said) == (False, True)
        before = main.sequencer.engine.state.links[0].levels[0].accounts
        for by in ([bo], [ann, bo]):  # the second time on Ann's screen
            confirmed = await server.auth.act(main, Confirm("main-1"), by)
            assert (confirmed.ok, confirmed.code) == (False, Code.CHANGED)
        assert main.sequencer.engine.state.links[0].levels[0].accounts == before


@on_loop
async def test_a_request_names_the_awards_that_it_would_raise(tmp_path: Path) -> None:
    """A11, L8: who confirms an undo reads which award comes to which sum, and what stays of a paid one."""
    async with (
        floor(tmp_path, links=LINKS + "hold_table = false\n") as (server, web),
        table(server) as device,
    ):
        main, bearer = server.banks["main"], await token(server)
        ann = await prove(server, "ann")
        await royal(device)
        await royal(device, 3, "R2")
        assert (await server.auth.act(main, Undo("H1", "misread"), [ann])).asked
        raised = {"hit": "H2", "award": "A3", "amount": "10000.18", "amount_after": "10000.36"}
        assert (one := await waits(web, bearer))["raised"] == [raised]
        assert one["leaving"] == []
        _, said = await page(web, "bo")
        assert "A3 of H2 is raised from $10,000.18 to $10,000.36." in said
        async with web.get("/ops/hits/main/H1/preview?act=undo") as answer:
            looked = await answer.text()
        assert "A3 of H2 is raised from $10,000.18 to $10,000.36." in looked
        assert f'name="seen" value="{one["shown"]}"' in looked
        for act in (Validate("H2"), Pay("H2", seat=1, document="W-1")):
            assert (await server.auth.act(main, act, [ann])).ok
        one = await waits(web, bearer)
        assert (one["raised"], one["leaving"]) == (
            [],
            [{"award": "A3", "link": LINK, "level": "mega", "amount": "0.18"}],
        )
        what = phrase("changed_sums")
        assert (one["template"], one["values"]) == (
            "request_changed",
            {"request": "main-1", "what": str(what)},
        )
        await decides_as_shown(server, web)


async def decides_as_shown(server: Server, web: aiohttp.ClientSession) -> None:
    """Each decision on what that undo, asked for again, leaves on the meter acts as the page shows."""
    main = server.banks["main"]
    ann, bo = await prove(server, "ann"), await prove(server, "bo")
    assert (await server.auth.act(main, Reject("main-1", "look again"), [ann])).ok
    assert (await server.auth.act(main, Undo("H1", "misread"), [ann, bo])).ok
    async with web.get(f"/ops/links/{LINK}") as answer:
        said = await answer.text()
    assert ("/ops/acts/decide-left" in said, 'name="left" value="D1"' in said) == (False, True)
    stays, _ = await looked(web, f"/links/{LINK}", act="decide-left", left="D1", remove="false")
    assert ("No meter moves." in stays, "It stays for the next winner" in stays) == (True, True)
    goes, fields = await looked(web, f"/links/{LINK}", act="decide-left", left="D1", remove="true")
    assert ("Mega: meter" in goes, "Take it off the meter" in goes) == (True, True)
    assert (await posted(web, "decide-left", fields))[0] == 200
    one = await waits(web, await token(server))
    assert (one["what"], one["shown"], one["fields"]["remove"]) == ("decide-left", fields["seen"], True)
