"""Does a request say what it would do, who may confirm it, and what has changed since?"""

import re
from pathlib import Path
from typing import Any

import aiohttp

from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.codes import Code
from tests.server.bed import LINK, on_loop, table
from tests.server.test_admin import royal
from tests.web.staffed import join, prove, token
from tests.web.test_access import floor, signed_in

LESS = CorrectMeter(LINK, "mega", -12_345_678, "a test wager")


async def waits(web: aiohttp.ClientSession, bearer: str) -> dict[str, Any]:
    """The only request that waits, as the API has it."""
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


@on_loop
async def test_a_request_names_its_sums_and_who_may_confirm_it(tmp_path: Path) -> None:
    """L8: what it would do now, and once a jackpot fell what it would have done; then nobody confirms it."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await join(server, "vic", "viewer")
        main, bearer = server.writers["main"], await token(server)
        ann, bo = await prove(server, "ann"), await prove(server, "bo")
        asked = await server.entrance.act(main, LESS, [ann])
        assert (asked.asked, asked.request) == (True, "main-1")
        one = await waits(web, bearer)
        assert (one["request"], one["asker"], one["roles"], one["problem"]) == (
            "main-1",
            ann.id,
            ["floor", "admin"],
            "",
        )
        assert one["moved"] == one["seen"]
        assert (one["moved"][0]["value"], one["moved"][0]["value_after"]) == ("10000.00", "9987.654322")
        assert (await page(web, "bo"))[0]
        offered, said = await page(web, "ann")
        assert (offered, "Somebody else with the role floor or admin confirms it." in said) == (False, True)
        offered, said = await page(web, "vic")
        assert (
            offered,
            "Another person with the role floor or admin confirms it. You have viewer." in said,
        ) == (False, True)
        assert "$9,987.654322" in said
        await royal(device)
        one = await waits(web, bearer)
        assert "more than wagers has moved the meter since" in one["problem"]
        assert one["seen"][0]["value"] == "10000.00"
        offered, said = await page(web, "bo")
        assert (offered, "What it would have done when it was asked for" in said) == (False, True)
        before = main.core.engine.state.links[0].levels[0].accounts
        for by in ([bo], [ann, bo]):  # the second time on Ann's screen
            confirmed = await server.entrance.act(main, Confirm("main-1"), by)
            assert (confirmed.ok, confirmed.code) == (False, Code.CHANGED)
        assert main.core.engine.state.links[0].levels[0].accounts == before
