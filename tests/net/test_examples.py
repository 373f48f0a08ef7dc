"""Example tables in other languages, against the real server and through a power loss."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackpot.app import Server
from jackpot.rules import views
from tests.controllers.examples import WAIT_S, c, node, playing
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table

ROYAL = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
# A meter won by chance would hold the table for people, and there are none.
UNHELD = LINKS + "hold_table = false\n"
# Bonus wagers on the device, whose chips are counted, and on the layout (B1-B6).
OFFERS = """
[[offer]]
id = "five-bonus"
paytable = "pa-643a-five-card-bonus-C"
placed = "device"
tables = ["T01", "T02"]
least = "1.00"
most = "5.00"
stake = "kept"
cage_at = "1000000.00"
approved = "a letter"
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
tables = ["T01", "T02"]
least = "5.00"
most = "100.00"
approved = "a letter"
"""
ROUNDS = 5


async def evening(server: Server, program: Sequence[str], name: str, folder: Path) -> list[int]:
    """A table plays, loses its power meanwhile, and plays on; the numbers of all answered commands."""
    address, key = f"127.0.0.1:{server.ports['tables']}", server.config.keys["table", name][0]
    async with playing(program, name, [address], key, folder, "--pause", "0") as before:
        await before.until_told(20)
    async with playing(
        program, name, [address], key, folder, "--rounds", str(ROUNDS), "--pause", "0"
    ) as after:
        await after.until_done()
    told = [*before.told, *after.told]
    assert {one["answer"]["t"] for one in told} == {"ack"}
    return [one["answer"]["seq"] for one in told]


@on_loop
async def test_tables_in_other_languages_play_and_survive(tmp_path: Path) -> None:
    """L6, S4, S5, B1-B3: each of their wagers is in the ledger once; a kill -9 loses and doubles nothing."""
    async with Server(configure(tmp_path, links=UNHELD + OFFERS)) as server:
        programs = {"T01": node(), "T02": c(tmp_path)}
        evenings = await asyncio.gather(
            *(evening(server, program, name, tmp_path) for name, program in programs.items())
        )
        books = await server.banks["main"].ask(views.statistics)
    for facts, seqs in zip(books["tables"], evenings, strict=True):
        assert seqs == sorted(set(seqs))  # a command that was answered is never sent again
        assert facts["last_seq"] == seqs[-1]
        for link in (LINK, "five-bonus", "three-bonus"):
            assert facts["wagers"][link] >= 3 * ROUNDS
    assert not any(books["alarms"].values())


async def first_complaint(server: Server, program: Sequence[str], name: str, folder: Path) -> str:
    """The first line of a table's standard error."""
    folder.mkdir()
    address, key = f"127.0.0.1:{server.ports['tables']}", server.config.keys["table", name][0]
    async with playing(program, name, [address], key, folder) as example, asyncio.timeout(WAIT_S):
        assert example.process.stderr is not None
        return (await example.process.stderr.readline()).decode()


@on_loop
async def test_a_table_that_waits_for_people_says_so(tmp_path: Path) -> None:
    """T11: who starts a table that may not play reads why, and does not look at a silent program."""
    config = configure(tmp_path)
    async with Server(config) as server:
        async with table(server) as device:
            device.wager(1, "R1", 1, lock=True)
            device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
            assert (await device.answer(2))["t"] == "ack"
        await administer(config, do="suspend", by="Ann", cause="operator", links=[LINK], reason="test")
        for language, program in (("node", node()), ("c", c(tmp_path))):
            held, idle = await asyncio.gather(
                first_complaint(server, program, "T01", tmp_path / f"{language}-1"),
                first_complaint(server, program, "T02", tmp_path / f"{language}-2"),
            )
            assert (held, idle) == ("held: people must see to a hit\n", "every link is suspended\n")
