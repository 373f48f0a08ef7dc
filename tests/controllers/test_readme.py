"""The protocol's page names everything that the protocol has."""

import asyncio
import re
import subprocess
import sys
import textwrap
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import pytest

from controllers.answers import Ack
from controllers.client import ServerRefused, TableClient
from controllers.frames import FrameReader, decode, encode, frame
from controllers.hello import hello_mac
from controllers.memory import VolatileMemory
from controllers.messages import CARDS_MAX, COMMANDS, Bet, Claim, Hello
from controllers.states import DEVICE_SAYS, SERVER_SAYS
from jackpot.app import Server
from jackpot.catalogue.paytables import Paytable, every, fold_of, games_of, ids, takes_dealer_hand
from jackpot.rules import hands
from jackpot.rules.paytable import Game
from tests import ceilings
from tests.controllers import transcript
from tests.running_server import configure, on_loop, until

ROOT: Final = Path(__file__).parents[2]
PAGE = (ROOT / "controllers" / "README.md").read_text()
KEY: Final = bytes(range(32))
NONCE: Final = bytes(range(0xA0, 0xB0))
CODES = re.findall(
    r"\w+",
    """
    seq_conflict seq_old seq_gap not_active bad_message round_unfinished no_such_round no_such_award
    locked_out not_locked chip_mismatch suspended table_held unknown_link unknown_seat wrong_amount
    duplicate_wager unreasonable out_of_order already_settled no_wager hand_mismatch impossible_cards
    two_people award_standing too_many internal
    """,
)


def test_every_message_and_field_is_described() -> None:
    """Controllers/README.md is the protocol's public form."""
    types = {message.split()[0] for message in DEVICE_SAYS | SERVER_SAYS} - {"malformed"}
    fields = {field for kind in (*COMMANDS, Bet, Claim, Hello) for field in kind.__struct_fields__}
    assert [name for name in sorted(types | fields) if name not in PAGE] == []


def test_codes_stand_in_their_order() -> None:
    """WIRE table commands: nack codes, in the order in which they are looked for; each has a row."""
    told = PAGE.partition('`{t: "nack"')[2]
    assert re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE)[: len(CODES) + 1] == [*CODES, "t"]


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (Path(__file__).parents[2] / "controllers").glob("*.py"))
)
def test_every_file_has_its_question(name: str) -> None:
    """DESIGN house: each file answers one question."""
    assert name == "__init__.py" or f"`{name}`" in PAGE


def play(folder: Path, port: int) -> "subprocess.CompletedProcess[str]":
    """Runs the page's sample in a folder that has keys/T01, against the server at that port."""
    (sample,) = re.findall(r"    import asyncio\n.*?asyncio\.run\(play\(\)\)\n", PAGE, re.DOTALL)
    text = textwrap.dedent(sample).replace("10.0.0.5:5710", f"127.0.0.1:{port}")
    (folder / "play.py").write_text(text)
    command, paths = [sys.executable, "play.py"], {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command,
        cwd=folder,
        env=paths,
        capture_output=True,
        text=True,
        check=False,
        timeout=ceilings.PROGRAM_S,
    )


@on_loop
async def test_the_round_of_the_page_plays(tmp_path: Path) -> None:
    """README, client: as it stands, with a server's address in it, it wins; run again it is told no."""
    config = configure(tmp_path)
    (tmp_path / "keys").mkdir()
    (tmp_path / "T01").rename(tmp_path / "keys" / "T01")
    async with Server(config) as server:
        won = await asyncio.to_thread(play, tmp_path, server.ports["tables"])
        again = await asyncio.to_thread(play, tmp_path, server.ports["tables"])
    assert (won.returncode, won.stdout) == (0, "seat 3 wins 1000009 cents, pending\n"), won.stderr
    assert (again.returncode, again.stderr.partition(":")[0]) == (1, "locked_out"), again


@on_loop
async def test_a_table_knows_why_it_is_not_in(tmp_path: Path) -> None:
    """README, client: a wrong key is no riddle: `trouble` has the error's code."""
    async with Server(configure(tmp_path)) as server:
        address = f"127.0.0.1:{server.ports['tables']}"
        async with TableClient("T01", KEY, [address], VolatileMemory()) as table:
            await until(lambda: table.trouble is not None)
            assert isinstance(table.trouble, ServerRefused)
            assert str(table.trouble).startswith("auth_failed: ")


@on_loop
async def test_the_session_of_the_page_is_a_real_one(tmp_path: Path) -> None:
    """README, a whole session: word for word what a real server says today."""
    played = await transcript.run(tmp_path)
    assert transcript.page_with(PAGE, played) == PAGE, "again: python -m tests.controllers.transcript"


Wants = tuple[str, str, str, str]
"""Of a hand's own cards, the board, the dealer's, and what a fold does: as the page writes them."""


def wants_of_the_page(paytable: str, game: str) -> list[Wants]:
    """Rows of the page's table of cards for this paytable at this game."""
    table = PAGE.partition("**The cards of each game.**")[2].partition("\n\nHands by name")[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    return [
        (row[2], row[3], row[4], row[5])
        for row in rows
        if row[0] == f"`{game}`"
        and any(fnmatchcase(paytable, form) for form in re.findall("`(.*?)`", row[1]))
    ]


def wants_of_the_rules(table: Paytable, game: Game) -> Wants:
    """The same, from the server's rules."""
    own = [count for count in range(1, CARDS_MAX + 1) if _is_dealt(game, count)]
    needs = hands.needs(table.hand, game, hands.SIX_PLACES if table.cards_open else ())
    on_dealer = takes_dealer_hand(table) and game == "ultimate-texas-holdem"
    dealer = "2" if on_dealer else str(needs.dealer or "-")
    return str(*own), str(needs.board), dealer, fold_of(table, game).replace("none", "-")


def _is_dealt(game: Game, count: int) -> bool:
    try:
        hands.check_counts(game, range(count), ())
    except ValueError:
        return False
    return True


def test_the_page_says_which_cards_each_game_wants() -> None:
    """H2, T8, A6, B8: one row for each paytable at each game that may play it."""
    played = [table for table in every().values() if table.use != "catalogue"]
    for table in played:
        for game in games_of(table):
            found = wants_of_the_page(table.id, game)
            assert found == [wants_of_the_rules(table, game)], (table.id, game)
    links = [table for table in ids() if every()[table].use == "link"]
    assert not any(wants_of_the_page(table, "criss-cross-poker") for table in links)


def frames_of_the_page() -> list[bytes]:
    """The frames that the page shows byte by byte."""
    part = PAGE.partition("## The first frames in bytes")[2].partition("\n## ")[0]
    lines = re.findall(r"^ {4,}((?:[0-9a-f]{2} {1,2})*[0-9a-f]{2})(?: {2,}|$)", part, re.MULTILINE)
    data, reader, found = bytes.fromhex(" ".join(lines)), FrameReader(), []
    reader.add(data)
    while (payload := reader.next_frame()) is not None:
        found.append(frame(payload))
    assert b"".join(found) == data
    return found


def test_the_bytes_of_the_page_are_those_of_the_protocol() -> None:
    """README, bytes: what another language's author compares with is what this code says and reads."""
    mac = hello_mac(KEY, NONCE, "table", "T01")
    bets = [{"seat": 3, "link": "five", "amount": 100}]
    said: list[Any] = [
        {"t": "challenge", "v": 1, "nonce": NONCE, "server": "Riverside"},
        {"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": mac, "acked": 0},
        {"t": "wager", "seq": 1, "round": "R1", "bets": bets, "lock": True},
        Ack(1),
    ]
    assert frames_of_the_page() == [encode(message) for message in said]
    assert [decode(each[4:])["t"] for each in frames_of_the_page()] == ["challenge", "hello", "wager", "ack"]
