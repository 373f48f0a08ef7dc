"""The tester passes this server, and fails one that does less."""

import json
from pathlib import Path
from typing import Final

import pytest

from controllers.answers import Ack, Nack
from controllers.session import Commanded
from jackpot.app import Server
from jackpot.lab.conformance.server import ConformanceTarget, HelloRefused, examine
from tests.controllers.host import Host
from tests.controllers.pair import KEY, Ledger
from tests.running_server import LINK, LINKS, configure, on_loop


@on_loop
async def test_this_server_passes(tmp_path: Path) -> None:
    """WIRE: every obligation of a server that the tester knows, and nothing is left on the table."""
    config = configure(tmp_path, heartbeat_ms=500)
    async with Server(config) as server:
        port, key = server.ports["tables"], config.keys["table", "T01"][0]
        target = ConformanceTarget("127.0.0.1", port, "T01", key, LINK, 100)
        for _ in range(2):  # the second time the table has played before
            report = await examine(target)
            assert {verdict for _, verdict, _ in report.results()} == {"pass"}, report.results()


OFFERS = """
[[offer]]
id = "five-bonus"
paytable = "pa-643a-five-card-bonus-C"
placed = "device"
tables = ["T01"]
least = "1.00"
most = "5.00"
stake = "kept"
approved = "a letter"
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
tables = ["T01"]
least = "5.00"
most = "100.00"
approved = "a letter"
[[offer]]
id = "dollar-bonus"
paytable = "ma-lir-bonus"
placed = "device"
tables = ["T01"]
"""


@on_loop
async def test_this_server_passes_with_its_offers(tmp_path: Path) -> None:
    """B3, B4, B16, P5: amounts, counts with sums, cards, odds, voids; without offers none is looked at."""
    config = configure(tmp_path, links=LINKS + OFFERS)
    async with Server(config) as server:
        port, key = server.ports["tables"], config.keys["table", "T01"][0]
        target = ConformanceTarget("127.0.0.1", port, "T01", key, LINK, 100)
        report = await examine(target, quick=True)
    found = {one.name: (verdict, why) for one, verdict, why in report.results() if one.of_offers}
    assert len(found) == 7
    assert {verdict for verdict, _ in found.values()} == {"pass"}, report.results()


GAMES: Final = {
    "let-it-ride": ("pa-643a-six-card-bonus-A", "ma-lir-cover-all"),
    "ultimate-texas-holdem": ("pa-653a-trips-A", "pa-653a-bad-beat-A", "pa-653a-six-card-bonus-A"),
    "three-card-poker": ("pa-649a-2011-pair-plus-A", "pa-649a-2011-six-card-bonus-A"),
    "criss-cross-poker": ("pa-674a-five-card-bonus",),
}
OTHER_SIX: Final = ["own-1", "own-2", "board-1", "board-3", "board-5", "board-4"]


@pytest.mark.parametrize("game", GAMES)
@on_loop
async def test_this_server_passes_with_the_offers_of_each_game(tmp_path: Path, game: str) -> None:
    """B10-B16: Cover All by its players, bonus and dealer's cards, a table of offers alone."""
    key = tmp_path / "B01"
    key.touch(mode=0o600)
    key.write_text("ab" * 32)
    parts = [f'[[table]]\nid = "B01"\ngame = "{game}"\nseats = 6\nkey_file = "{key}"\n']
    for paytable in GAMES[game]:
        six = f"cards = {json.dumps(OTHER_SIX)}\n" if paytable == "pa-653a-six-card-bonus-A" else ""
        parts.append(
            f'[[offer]]\nid = "{paytable}"\npaytable = "{paytable}"\nplaced = "layout"\n{six}'
            'least = "5.00"\nmost = "25.00"\nunit = "5.00"\napproved = "a letter"\ntables = ["B01"]\n'
        )
    config = configure(tmp_path, links=LINKS + "".join(parts))
    async with Server(config) as server:
        link = GAMES[game][0]
        target = ConformanceTarget(
            "127.0.0.1", server.ports["tables"], "B01", bytes.fromhex("ab" * 32), link, 500
        )
        report = await examine(target, quick=True)
    assert {
        name for name, verdict in ((o.name, v) for o, v, _ in report.results()) if verdict == "fail"
    } == set()
    found = {one.name: verdict for one, verdict, _ in report.results() if one.of_offers}
    assert {"offers", "offer-codes", "offer-refunds", "offer-unshown", "offer-pays"} <= {
        name for name, verdict in found.items() if verdict == "pass"
    }, report.results()


@on_loop
async def test_a_table_that_is_not_let_in_asks_no_more(tmp_path: Path) -> None:
    """A wrong key says nothing about a server: one sentence names the table, and nothing is reported."""
    async with Server(configure(tmp_path)) as server:
        target = ConformanceTarget("127.0.0.1", server.ports["tables"], "T01", bytes(32), LINK, 100)
        with pytest.raises(HelloRefused, match="table T01 is not let in: auth_failed"):
            await examine(target, quick=True)


class Forgetful(Ledger):
    """Keeps no answer: a resend is a gap."""

    def decide(self, command: Commanded) -> Ack | Nack:
        self.answers.pop(command.seq, None)
        return super().decide(command)


@on_loop
async def test_a_server_that_does_less_is_found() -> None:
    """WIRE: one nonce for all, no rules of the game, no older connection closed, no answer kept."""
    async with Host(Forgetful()) as host:
        address, port = host.address.split(":")
        report = await examine(
            ConformanceTarget(address, int(port), "T01", KEY, "floor-five", 100, None, 3.0), quick=True
        )
    found = {one.name: verdict for one, verdict, _ in report.results()}
    wrong = {"challenge", "same-answer", "conflict", "codes", "replaces"}
    assert {name for name in found if found[name] == "fail"} >= wrong, report.results()
    assert {"strangers", "welcome", "pongs"} <= {name for name in found if found[name] == "pass"}
