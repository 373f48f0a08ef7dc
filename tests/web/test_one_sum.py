"""A hit is one sum wherever people read it, with envy for others next to it and never in it."""

from pathlib import Path

from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINK, on_loop, table
from tests.web.staffed import token
from tests.web.test_authentication import floor

# A royal flush of seat 1, and the envy bonus of seat 2.
OWN, ENVY = "10,000.18", "1,000.00"
# What the two come to, which nobody is paid.
TOGETHER = "11,000.18"
PAGES = (
    "/ops",
    "/ops/hits",
    "/ops/hits/main/H1",
    f"/ops/links/{LINK}",
    "/ops/reports/slip?hit=H1&as=print",
    "/ops/reports/payout?hit=H1&as=print",
    "/ops/reports/slip?hit=H1",
    "/ops/reports/hits?bank=main",
    "/ops/reports/hits?bank=main&as=csv",
    "/floor.json",
    "/api/v1/hits/H1",
    "/api/v1/hits/waiting",
    "/api/v1/hits",
)
COMMANDS = (("hits", "list"), ("hits", "show", "H1"), ("report", "slip", "H1"), ("report", "hits"))


@on_loop
async def test_a_royal_with_envy_is_one_sum_everywhere(tmp_path: Path) -> None:
    """A5, S1: pages, papers, reports, the API and commands say $10,000.18, and $1,000.00 apart from it."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        mine = {"Authorization": f"Bearer {await token(server)}"}
        said = {}
        for page in PAGES:
            async with web.get(page, headers=mine) as answer:
                assert answer.status == 200, page
                said[page] = await answer.text()
        for command in COMMANDS:
            code, out, error = await jackpot(*command, "--config", str(server.config.path))
            assert code == 0, (command, error)
            said[" ".join(command)] = out
    for where, text in said.items():
        plain = text.replace(",", "")
        assert OWN.replace(",", "") in plain, where
        assert TOGETHER.replace(",", "") not in plain, where
        if "links" not in where and "payout" not in where:  # envy has forms of its own
            assert ENVY.replace(",", "") in plain, where
