"""Example tables in other languages, against the real server and through a power loss."""

import asyncio
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jackpot.app import Server
from jackpot.rules import views
from jackpot.rules.paytable import SEATS, Game
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


# By game: a deck that wins each wager (cards of three seats, the board, the dealer's, the bonus cards);
# and the wagers, each with the place where it lies.
GAMES: Final[dict[Game, tuple[str, dict[str, str]]]] = {
    "let-it-ride": (
        "AsAdKh 2c2d5h 3c3d6h AcKd AhKs9d",
        {
            "pa-643a-five-card-bonus-C": "device",
            "pa-643a-three-card-bonus-A": "layout",
            "pa-643a-six-card-bonus-A": "layout",
            "ma-lir-cover-all": "layout",
            "ma-lir-bonus": "device",
        },
    ),
    "ultimate-texas-holdem": (
        "AsAc 5h9d 2h7d AdKcKs5s9c KhKd",
        {"pa-653a-trips-A": "layout", "pa-653a-bad-beat-A": "layout", "pa-653a-six-card-bonus-A": "layout"},
    ),
    "three-card-poker": (
        "AsAdKh 2c5d9h 3c6d8h AhKsKd",
        {"pa-649a-2011-pair-plus-A": "layout", "pa-649a-2011-six-card-bonus-A": "layout"},
    ),
    "four-card-poker": ("AsAdAhAc2d 3c5d7h9sJc 4c6d8hTs2h", {"pa-641a-2011-aces-up-A": "layout"}),
    "criss-cross-poker": ("2c3d 4c5d 7c8d AsAdAhKcKd", {"pa-674a-five-card-bonus": "layout"}),
}
SIX = ["own-1", "own-2", "board-1", "board-2", "board-3", "dealer-1"]


def bonus_floor(folder: Path) -> str:
    """Two tables of each game, one a language, with every bonus wager of it."""
    parts = []
    for game, (_, wagers) in GAMES.items():
        tables = [f"{game}-{language}" for language in ("node", "c")]
        for table_ in tables:
            key = folder / table_
            key.touch(mode=0o600)
            key.write_text(secrets.token_hex(32))
            seats = f"seats = {SEATS[game]}"
            parts.append(f'[[table]]\nid = "{table_}"\ngame = "{game}"\n{seats}\nkey_file = "{key}"')
        for paytable, place in wagers.items():
            more = 'stake = "kept"\n' if paytable == "pa-643a-five-card-bonus-C" else ""
            more += "" if paytable == "ma-lir-bonus" else 'least = "5.00"\nmost = "25.00"\nunit = "5.00"\n'
            more += f"cards = {json.dumps(SIX)}\n" if paytable == "pa-653a-six-card-bonus-A" else ""
            parts.append(
                f'[[offer]]\nid = "{paytable}"\npaytable = "{paytable}"\nplaced = "{place}"\n{more}'
                f'approved = "a letter"\ntables = {json.dumps(tables)}'
            )
    return "\n".join(parts)


async def wins(server: Server, program: Sequence[str], game: Game, language: str, folder: Path) -> None:
    """A table's first round places each wager of its game, and wins each."""
    deck, wagers = GAMES[game]
    name = f"{game}-{language}"
    address, key = f"127.0.0.1:{server.ports['tables']}", server.config.keys["table", name][0]
    options = ("--game", game, "--deck", deck.replace(" ", ""), "--rounds", "1")
    async with playing(program, name, [address], key, folder, *options) as example:
        await example.until_done()
    assert {one["answer"]["t"] for one in example.told} == {"ack"}
    table_ = next(one for one in server.config.tables if one.table == name)
    assert set(table_.links) == set(wagers)


@on_loop
async def test_tables_in_other_languages_win_each_bonus_wager(tmp_path: Path) -> None:
    """B1-B16, P3: all five games; Cover All by its players, the cards that are needed, and every lamp lit."""
    async with Server(configure(tmp_path, links=LINKS + bonus_floor(tmp_path))) as server:
        programs = {"node": node(), "c": c(tmp_path)}
        async with asyncio.TaskGroup() as group:
            for language, program in programs.items():
                for game in GAMES:
                    group.create_task(wins(server, program, game, language, tmp_path))
        books = await server.banks["main"].ask(views.statistics)
        state = await server.banks["main"].ask(lambda engine: engine.state)
        awards = [
            award
            for table_ in state.tables
            for hit in (*table_.paid.values(), *state.hits.values())
            for award in hit.awards
        ]
        won = {
            (state.table(hit.table).terms.table, state.link(hit.link).terms.link)
            for table_ in state.tables
            for hit in (*table_.paid.values(), *state.hits.values())
        }
    due = {
        (f"{game}-{language}", paytable)
        for game, (_, wagers) in GAMES.items()
        for language in programs
        for paytable in wagers
    }
    assert {award.lamp for award in awards} == {"lit"}
    assert won == due
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
