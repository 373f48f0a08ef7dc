"""Acts of floorpeople through the admin socket, which the floor is told of."""

import asyncio
import getpass
import grp
import os
import socket
import stat
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from jackpot.app import Server
from jackpot.auth.password_hashing import PasswordHashing
from jackpot.auth.person_admin import PersonAdmin
from jackpot.config import Config
from jackpot.net import admin_socket, file_descriptors
from jackpot.net.admission import AdmissionLimits
from jackpot.rules.acts.hits import Undone
from jackpot.rules.registry import decode
from tests import program
from tests.auth.test_auth_service import ANN, BEN, QUICK
from tests.running_server import (
    LINK,
    LINKS,
    WAIT_S,
    Device,
    administer,
    configure,
    ended,
    on_loop,
    table,
    until,
)
from tests.said import in_words, problem

ROYAL = {"seat": 1, "cards": ["As", "Ks", "Qs"]}


async def royal(device: Device, seq: int = 1, round_id: str = "R1", **more: Any) -> None:
    """A royal flush at seat 1, the round closed."""
    device.wager(seq, round_id, 1, 2, lock=True)
    hands = [ROYAL]
    device.say(t="settle", seq=seq + 1, round=round_id, hands=hands, board=["Js", "Ts"], close=True, **more)
    answer = await device.answer(seq + 1)
    assert answer["t"] == "ack", answer


async def pay(config: Config, hit: str = "H1", by: str = "Ann") -> None:
    """Pays both winners of that royal flush: seat 1, and seat 2 its envy bonus."""
    for seat in (1, 2):
        answer = await administer(config, do="pay", hit=hit, seat=seat, document=f"W-{seat}", by=by)
        assert answer["ok"], answer


async def jackpot(*words: str) -> tuple[int, str, str]:
    """Runs the command line in a process of its own: exit code, output, errors."""
    done = await asyncio.to_thread(program.jackpot, *words)
    return done.returncode, done.stdout, done.stderr


@on_loop
async def test_two_people_are_asked_for_where_the_rules_do(tmp_path: Path) -> None:
    """A11: undoing while a later award of the level exists takes two people: refused in a sentence."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    async with Server(config) as server, table(server) as device:
        await royal(device)
        await royal(device, 3, "R2")
        answer = await administer(config, do="undo", hit="H1", reason="wrong hand", by="Ann")
        assert not answer["ok"]
        why = in_words("why_later_award")
        assert problem(answer) == ("two_people", "two_people", {"why": why})
        undo = ("hits", "undo", "H1", "--reason", "wrong hand", "--config", str(config.path))
        code, _, error = await jackpot(*undo, "--by", "Ann")
        assert code == 1
        assert "type both names: --by NAME --and-by OTHER" in error
        code, _, error = await jackpot(*undo, "--by", "Ann", "--and-by", " ANN")
        assert code == 1
        assert "'ANN' is the same person" in error
        code, _, error = await jackpot(*undo, "--by", "Ann", "--and-by", "\u0410nn")
        assert code == 1
        assert in_words("name_scripts", name="\u0410nn", others=["cyrillic"]) in error
        code, out, error = await jackpot(*undo, "--by", "Ann", "--and-by", "Bo")
        assert code == 0, error
        assert out.startswith("H1: undone")
        shown = (await jackpot("hits", "show", "H1", "--config", str(config.path)))[1]
        assert ", undone: $10,000.18, and $1,000.00 envy\n" in shown  # what was taken back, and not nothing
        durable = server.banks["main"].sequencer.durable_seq
        row = (await server._stores["main"].rows("main", durable - 1, 1))[0]
        event = decode(row.kind, row.version, row.body)
        assert isinstance(event, Undone)
        assert (event.people.names, event.people.signed) == (("Ann", "Bo"), ())


@on_loop
async def test_an_award_is_corrected_on_the_command_line(tmp_path: Path) -> None:
    """A10: by two people; the sum of a paid one stays, and the difference wants a document's number."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        two = ("--reason", "misread", "--by", "Ann", "--and-by", "Bo", "--config", str(config.path))
        code, _, error = await jackpot("hits", "correct", "A1", "--amount", "9.999", *two)
        assert (code, "finer than a cent" in error) == (1, True)
        code, out, error = await jackpot("hits", "correct", "A1", "--amount", "9999.00", *two)
        assert (code, out) == (0, "A1: comes to $9,999.00, to be validated\n"), error
        told = await device.hear(lambda message: message["t"] == "award" and message["amount"] == 999_900)
        assert told["status"] == "pending"
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        assert (await administer(config, do="pay", hit="H1", seat=1, document="W-1", by="Ann"))["ok"]
        code, _, error = await jackpot("hits", "correct", "A1", "--amount", "10000", *two)
        assert (code, error.partition(":")[0]) == (1, "document")
        paper = ("--write", "document=W-7")
        code, out, _ = await jackpot("hits", "correct", "A1", "--amount", "9998.50", *paper, *two)
        assert (code, out) == (0, "A1: stays as it was paid; -$0.50 journalled against it\n")


@on_loop
async def test_the_socket_is_ours_alone_and_knows_who_we_are(tmp_path: Path) -> None:
    """Mode 0600; the person is the peer's login name unless another is given."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    async with Server(config) as server, table(server) as device:
        assert stat.S_IMODE(config.listen.admin.stat().st_mode) == 0o600
        await royal(device)
        assert (await administer(config, do="validate", hit="H1"))["ok"]
        durable = server.banks["main"].sequencer.durable_seq
        last = (await server._stores["main"].rows("main", durable - 1, 1))[0]
        assert getpass.getuser().encode() in last.body


@on_loop
async def test_a_named_group_may_open_the_socket_and_each_acts_as_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People: a member is the person with their login, also where they only look; another is nobody."""
    group, other = grp.getgrgid(os.getgid()).gr_name, os.geteuid() + 1
    config = configure(tmp_path, extra=f'admin_group = "{group}"')
    async with Server(config) as server:
        assert stat.S_IMODE(config.listen.admin.stat().st_mode) == 0o660
        assert config.listen.admin.stat().st_gid == os.getgid()
        server.auth.hashing = PasswordHashing(QUICK)
        await PersonAdmin(server.auth).begin((ANN, BEN), "root")
        assert (await administer(config, do="/links"))["ok"], "its own user reads the ledger anyway"
        monkeypatch.setattr(admin_socket, "peer_of", lambda _connection: other)
        monkeypatch.setattr(admin_socket, "login_of", lambda _uid: "ann")
        assert len((await administer(config, do="/people"))["people"]) == 2
        assert (await administer(config, do="end-person", person=2))["ok"]
        monkeypatch.setattr(admin_socket, "login_of", lambda _uid: "guest")
        for do in ("/links", "/journal"):
            refused = await administer(config, do=do)
            assert problem(refused) == ("no_person", None, {"login": "'guest'"})


def knock(stack: ExitStack, path: Path, said: bytes = b"") -> socket.socket:
    """Opens the admin socket and sends this and nothing else. `stack` closes the socket."""
    raw = stack.enter_context(socket.socket(socket.AF_UNIX))
    raw.setblocking(False)
    raw.connect(str(path))
    raw.send(said)
    return raw


@on_loop
async def test_who_may_open_the_socket_cannot_use_up_the_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Descriptors: it has a bound in all and one for each user; others are answered, and tables play."""
    monkeypatch.setattr(file_descriptors, "ADMIN", AdmissionLimits(most=12, of_address=8, pace=80))
    users = [4_001, 4_002, os.geteuid()]
    monkeypatch.setattr(admin_socket, "peer_of", lambda _connection: users[0])
    config = configure(tmp_path)
    with ExitStack() as stack:
        async with Server(config) as server:
            door = next(door for door in server.listeners if door.name == "admin")
            for most in (8, 12):
                hog = [knock(stack, config.listen.admin) for _ in range(30)]
                await until(lambda hog=hog: sum(map(ended, hog)) == 30 - 8)  # type: ignore[misc]
                assert len(door.admission_control.inside) == most
                del users[0]
            assert (await administer(config, do="/links"))["ok"]
            async with table(server) as device:
                device.wager(1, "R1", 1)
                assert (await device.answer(1))["t"] == "ack"
            assert len(door.admission_control.inside) <= 12


@on_loop
async def test_who_asks_for_nothing_at_the_socket_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Descriptors: a head or a body that does not come within seconds gives its place back."""
    monkeypatch.setattr("jackpot.web.http_connection.HEAD_WITHIN_S", 0.3)
    monkeypatch.setattr("jackpot.web.forms.BODY_WITHIN_S", 0.3)
    config = configure(tmp_path)
    post = "POST /api/v1/acts/validate HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n"
    json_of_9 = "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    with ExitStack() as stack:
        async with Server(config):
            silent = [knock(stack, config.listen.admin, said) for said in (b"", b"GET /api", post.encode())]
            slow = knock(stack, config.listen.admin, f"{post}{json_of_9}".encode())
            await until(lambda: all(map(ended, silent)))
            answer = await asyncio.to_thread(_first_line, slow)
            assert answer.startswith(b"HTTP/1.1 408 ")


def _first_line(raw: socket.socket) -> bytes:
    raw.settimeout(WAIT_S)
    return raw.recv(4_096)


@on_loop
async def test_requests_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    """An error is one clear line, and the server goes on."""
    config = configure(tmp_path)
    async with Server(config):
        tables, banks = {"device": "'T99'", "devices": "T01 T02"}, {"bank": "'other'", "banks": "main"}
        for request, field, refused in (
            ({"do": "validate"}, "hit", ("bad_request", None, {})),
            ({"do": "validate", "hit": "H9"}, "hit", ("no_such_hit", "hit_not_open", {"hit": "'H9'"})),
            ({"do": "/tables/{table}", "table": "T99"}, "table", ("bad_request", None, tables)),
            ({"do": "undo", "hit": "H1", "reason": ""}, "reason", ("bad_request", None, {})),
            ({"do": "/hits", "bank": "other"}, "bank", ("bad_request", None, banks)),
            ({"do": "/hits", "colour": 1}, "colour", ("bad_request", None, {})),
        ):
            answer = await administer(config, **request)
            assert (answer["ok"], answer["field"], problem(answer)) == (False, field, refused)


@on_loop
async def test_the_command_line_acts(tmp_path: Path) -> None:
    """Hits, rounds and keys from a shell, tables of text, JSON, one clear line on error."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, out, _ = await jackpot("hits", "list", *where)
        assert (code, "10,000.18" in out, "11,000.18" in out, "royal-flush" in out) == (0, True, False, True)
        code, out, _ = await jackpot("hits", "show", "H1", *where)
        assert (code, "$10,000.18" in out, "$1,000.00" in out) == (0, True, True)
        made = (await administer(config, do="/hits/{hit}", hit="H1"))["at"]
        here = datetime.fromtimestamp(made // 1000, ZoneInfo("America/New_York"))
        assert f" on {LINK}, {here:%Y-%m-%d %H:%M:%S %Z}, pending" in out
        assert await jackpot("hits", "show", "H1", "--socket", str(config.listen.admin)) == (0, out, "")
        code, out, _ = await jackpot("hits", "validate", "H1", "--by", "Ann Lee", *where)
        assert (code, out.startswith("H1: validated (A1 $10,000.18 validated")) == (0, True)
        code, out, _ = await jackpot("hits", "list", "--json", *where)
        assert (code, '"status": "validated"' in out) == (0, True)
        code, out, _ = await jackpot("rounds", "show", "T01", *where)
        assert (code, out) == (0, "T01: round R1, closed\nits hits: H1\n")
        code, _, error = await jackpot("keys", "clear", "T01", *where)
        assert (code, error.count("\n")) == (1, 1)
    code, _, error = await jackpot("hits", "list", *where)
    assert (code, "no server answers at" in error) == (1, True)
    code, out, _ = await jackpot("keys", "show", *where)
    assert (code, out.count("table"), out.count("sign")) == (0, 2, 1)
    assert config.keys["table", "T01"][0].hex() not in out


@on_loop
async def test_a_link_is_suspended_and_resumed_from_a_shell(tmp_path: Path) -> None:
    """S4: wagers stop at once and are told why; money bet is settled; only the reason given is taken away."""
    config = configure(tmp_path)
    words = ("-c", str(config.path), "--by", "Ann", "--reason", "new felt")
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        assert (await jackpot("links", "suspend", LINK, *words))[0] == 0
        told = await device.hear(lambda message: message["t"] == "link")
        assert (told["state"], told["reason"]) == ("suspended", "operator")
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["t"] == "ack"
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "suspended"
        code, _, error = await jackpot("links", "resume", LINK, "--after", "internal", *words)
        assert (code, error.count("\n")) == (1, 1)
        assert "internal" in error
        assert "suspended: operator" in (await jackpot("links", "list", "-c", str(config.path)))[1]
        done = await jackpot("links", "resume", LINK, *words)
        assert done[:2] == (0, f"{LINK}: operator is over; it takes wagers again\n")
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["t"] == "ack"
