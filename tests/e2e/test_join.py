"""Two banks of a running floor are joined as an operator does it, and every table plays on."""

import subprocess
from pathlib import Path

import pytest

from tests import program
from tests.e2e.floors import BOARD, EASY, NOTHING, hand
from tests.e2e.site import Site, running
from tests.e2e.vendor import bets

LINKS = EASY.replace("easy", "north").replace("[[link]]", '[[link]]\nbank = "north"') + EASY.replace(
    "easy", "south"
).replace("[[link]]", '[[link]]\nbank = "south"')
WHY = ("--reason", "one control room")


def jackpot(site: Site, *words: str) -> "subprocess.CompletedProcess[str]":
    return program.jackpot(*words, "--config", site.config)


def meters(site: Site) -> dict[str, list[tuple[str, str]]]:
    """The meters of each link, as `jackpot links` has them."""
    links = site.admin(do="/links")["links"]
    return {link["link"]: [(level["level"], level["value"]) for level in link["levels"]] for link in links}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_banks_become_one(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    """DESIGN, beyond one machine: suspended, at rest, joined; meters and tables go on where they were."""
    more = {} if kind == "sqlite" else {"ledger": request.getfixturevalue("database")}
    site = Site(tmp_path, LINKS, **more)
    site.add("table", ["north"], kind="north")
    site.add("table", ["south"], kind="south")
    tables = {"north": site.unused("north"), "south": site.unused("south")}
    with running(site):
        for link, name in tables.items():
            with site.table(name) as table:
                table.ack("wager", round="R1", bets=bets(link, [2, 1]), lock=True)
                hands = [hand(2, *NOTHING), hand(1, "4s", "5h", "8d")]
                table.ack("settle", round="R1", hands=hands, board=BOARD, close=True)
            site.cli("links", "suspend", link, *WHY)
        before = meters(site)
        assert jackpot(site, "bank", "join", "north", "south", "--into", "floor", *WHY).returncode != 0
        site.stop()
        done = jackpot(site, "bank", "join", "north", "south", "--into", "floor", *WHY)
        assert done.returncode == 0, done.stderr
        assert "north and south are floor now" in done.stdout
        old = jackpot(site, "serve")
        assert old.returncode == 1
        assert 'was joined: write bank = "floor" on its links' in old.stderr
        site._parts = [part.replace('bank = "north"', 'bank = "floor"') for part in site._parts]
        site._parts = [part.replace('bank = "south"', 'bank = "floor"') for part in site._parts]
        site.start()
        assert meters(site) == before
        for link, name in tables.items():
            assert "operator is over" in site.cli("links", "resume", link, *WHY)
            with site.table(name) as table:
                assert table.seq == 2
                table.ack("wager", round="R2", bets=bets(link, [1]), lock=True)
        site.stop()
    site.cli("verify")


def test_a_link_is_not_opened_again_in_another_bank(tmp_path: Path) -> None:
    """L4, L9: a bank's name changed in the configuration seeds no second meter."""
    site = Site(tmp_path, LINKS)
    site.add("table", ["north"], kind="north")
    site.add("table", ["south"], kind="south")
    with running(site):
        site.stop()
        site._parts = [part.replace('bank = "north"', 'bank = "south"') for part in site._parts]
        site.start()
        found = site.logged("link_in_other_bank", link="north")
        assert found["bank"] == "north"
        assert 'write bank = "north" on the link' in found["do"]
        assert meters(site).keys() == {"south"}
