"""Program identity: what a start finds of its files, what the journal records, and who confirms it."""

import re
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
import structlog

from jackpot import app
from jackpot.app import Server
from jackpot.auth.person_admin import PersonAdmin
from jackpot.config import Config, load
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.program import Installed, Program
from jackpot.rules.acts.programs import ConfirmProgram, ProgramBegan, ProgramConfirmed
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.registry import decode
from jackpot.rules.signing import SITE
from jackpot.runtime.errors import ProgramUnproved
from tests.auth.test_auth_service import ANN, BEN
from tests.program import jackpot as run
from tests.running_server import (
    LINK,
    Faulty,
    administer,
    configure,
    connected,
    doubt,
    doubt_but_written,
    on_loop,
    table,
)
from tests.web.staffed import done, prove, staffed
from tests.web.test_authentication import signed_in
from tests.web.test_metrics import fetch

OLD: Final = Program("1.1", sha256(b"1.1").digest())
NEW: Final = Program("1.2", sha256(b"1.2").digest())
BOTH: Final = {"by": "Ann", "and_by": "Bo"}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the installed program that servers find from their next start on."""

    def runs(program: Program = OLD, **more: Any) -> None:
        async def look() -> Installed:
            return Installed(program, **more)

        monkeypatch.setattr(app, "look_at_program", look)

    runs()
    return runs


def confirming(folder: Path) -> Config:
    """A floor whose people confirm each program."""
    config = configure(folder)
    text = config.path.read_text()
    config.path.write_text(text.replace('name = "Test"', 'name = "Test"\nconfirm_program = true'))
    return load(config.path)


def rows(folder: Path, bank: str = "main") -> list[tuple[int, Any]]:
    """Each row's epoch and event."""
    with closing(SqliteLedger(folder / "ledger.db", readonly=True)) as ledger:
        found = ledger.rows(bank, 0, 1_000)
        return [(row.epoch, decode(row.kind, row.version, row.body)) for row in found]


def firsts(folder: Path, bank: str = "main") -> dict[int, Any]:
    """The first event of each epoch, but for the one that opens the bank."""
    found: dict[int, Any] = {}
    for epoch, event in rows(folder, bank)[1:]:
        found.setdefault(epoch, event)
    return found


def programs(folder: Path, bank: str = "main") -> list[tuple[int, int, str]]:
    """First and last row of each program, as verify reports them."""
    with closing(SqliteLedger(folder / "ledger.db", readonly=True)) as ledger:
        report = verify(ledger, bank)
    assert report.problems == ()
    return [(one.first, one.last, one.version) for one in report.programs]


async def readiness(server: Server) -> tuple[int, str]:
    return await fetch(server, "/readyz")


def state_of(server: Server) -> tuple[str, str]:
    return server.banks["main"].board.state(LINK)


@on_loop
async def test_each_epoch_begins_with_its_program(tmp_path: Path, runs: Any) -> None:
    """S3: the first row of each epoch of each bank, that of the people too; verify says what each decided."""
    config = configure(tmp_path)
    for program in (OLD, OLD, NEW):
        runs(program)
        async with Server(config):
            pass
    for bank in ("main", SITE):
        began = firsts(tmp_path, bank)
        assert [type(event) for event in began.values()] == [ProgramBegan] * 3
        told = [(event.version, event.digest, event.serves) for event in began.values()]
        assert told == [(*OLD, "always"), (*OLD, "always"), (*NEW, "always")]
        seen = [epoch for epoch, event in rows(tmp_path, bank) if isinstance(event, ProgramBegan)]
        assert seen == list(began)
    (opened, old, new) = programs(tmp_path)
    assert (opened, old[2], new[2]) == ((1, 1, ""), "1.1", "1.2")
    assert old[1] + 1 == new[0]
    assert new[1] == len(rows(tmp_path))
    said = run("verify", "--config", config.path).stdout
    assert "main: rows 1 to 1: program not recorded\n" in said
    assert f"main: rows 2 to {old[1]}: jackpot 1.1, digest {OLD.digest.hex()}\n" in said


@pytest.mark.parametrize("fault", [doubt, doubt_but_written])
@on_loop
async def test_an_epoch_after_a_doubt_begins_with_it_too(tmp_path: Path, runs: Any, fault: Any) -> None:
    """S3, DESIGN 4: once in an epoch, before anything that waited, whether or not the batch was written."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.faults = [fault]
        device.wager(1, "R1", 1)
        device.wager(2, "R1", 2)
        assert (await device.answer(2))["t"] == "ack"
    began = [(epoch, type(event)) for epoch, event in firsts(tmp_path).items()]
    assert began == [(2, ProgramBegan), (3, ProgramBegan)]
    assert sum(isinstance(event, ProgramBegan) for _, event in rows(tmp_path)) == 2
    assert programs(tmp_path)[1:] == [(2, len(rows(tmp_path)), "1.1")]


@on_loop
async def test_a_doubt_about_the_row_itself_writes_it_once(tmp_path: Path, runs: Any) -> None:
    """S3: what was not durable of the epoch before is not written in the next one as well."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    ledger.faults = [doubt, doubt]
    async with Server(config, ledger=ledger) as server, table(server) as device:
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
    for bank in ("main", SITE):
        began = [epoch for epoch, event in rows(tmp_path, bank) if isinstance(event, ProgramBegan)]
        assert len(began) == len(set(began))
        assert programs(tmp_path, bank)[0] == (1, 1, "")


@on_loop
async def test_a_file_that_differs_keeps_every_link_from_starting(tmp_path: Path, runs: Any) -> None:
    """S3: each is named; no bank of links is taken; people sign in, and pages say why."""
    config = configure(tmp_path)
    async with Server(config) as server:
        pass
    before = rows(tmp_path)
    files = ("jackpot/rules/money.py differs", "jackpot/web/more.js is not listed")
    runs(Program("1.1"), faults=files)
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server:
            status, said = await readiness(server)
            assert status == 503
            assert all(file in said for file in files)
            assert not server.active
            assert server.people.active
            assert state_of(server)[0] == "suspended"
            assert (await fetch(server, "/"))[0] == 200
            await PersonAdmin(server.auth).begin((ANN, BEN), "root")
            assert (await server.auth.sign_in("ben", BEN.secret)).person.id == 2
            async with connected(server.ports["tables"]) as device:
                await device.hello(config, "table", "T01")
                assert (await device.type("error"))["code"] == "not_active"
    assert next(line for line in logs if line["event"] == "program_differs")["files"] == list(files)
    assert rows(tmp_path) == before
    (*_, last) = firsts(tmp_path, SITE).values()
    assert (last.version, last.digest) == ("1.1", b"")
    runs(OLD)
    async with Server(config) as server:
        assert (await readiness(server))[0] == 200


@on_loop
async def test_links_wait_until_two_people_know_the_program(tmp_path: Path, runs: Any) -> None:
    """S3: signing in works meanwhile; once confirmed the same program waits no more, and another one does."""
    config = confirming(tmp_path)
    async with Server(config) as server:
        assert state_of(server) == ("suspended", "program")
        status, said = await readiness(server)
        assert status == 200  # it acts: people may confirm
        assert "jackpot bank confirm-program DIGEST --bank main" in said
        (program,) = (await administer(config, do="/programs"))["programs"]
        assert (program["version"], program["digest"], program["waits"]) == (*_text(OLD), True)
        confirm = {"do": "confirm-program", "digest": OLD.digest.hex(), "reason": "as published"}
        refused = await administer(config, **confirm, by="Ann")
        assert (refused["ok"], refused["code"]) == (False, "two_people")
        assert state_of(server)[0] == "suspended"
        refused = await administer(config, do="resume", cause="program", links=[LINK], reason="x", **BOTH)
        assert not refused["ok"]
        assert (await administer(config, **confirm, **BOTH))["ok"]
        assert state_of(server)[0] == "active"
        again = await administer(config, **confirm, **BOTH)
        assert (again["ok"], again["code"]) == (False, "program_known")
        async with table(server) as device:
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
    async with Server(config) as server:
        assert state_of(server)[0] == "active"
    runs(NEW)
    async with Server(config) as server, table(server) as device:
        assert state_of(server) == ("suspended", "program")
        device.wager(2, "R1", 2)
        assert (await device.answer(2))["code"] == "suspended"
    runs(OLD)
    async with Server(config) as server:  # back to what people know
        assert state_of(server)[0] == "active"
    assert [version for _, _, version in programs(tmp_path)] == ["", "1.1", "1.2", "1.1"]


@on_loop
async def test_two_people_confirm_it_on_the_links_page(tmp_path: Path, runs: Any) -> None:
    """S3: it shows the version and the digest to compare; one asks there, another confirms, it is gone."""
    config, page = confirming(tmp_path), f"/ops/links/{LINK}"
    async with staffed(config) as server:
        at = f"http://127.0.0.1:{server.ports['http']}"
        ann, bo = (aiohttp.ClientSession(at, cookie_jar=aiohttp.CookieJar(unsafe=True)) for _ in BOTH)
        async with ann, bo:
            for web, login in ((ann, "ann"), (bo, "bo")):
                (await signed_in(web, login=login)).close()
            shown = await _page(ann, page)
            assert f"<dd>{OLD.version}</dd>" in shown
            assert f"<code>{OLD.digest.hex()}</code>" in shown
            said = await _sent(ann, "confirm-program", shown, reason="as published")
            assert "/ops/requests" in said
            assert state_of(server) == ("suspended", "program")
            waits = await _page(bo, "/ops/requests")
            assert OLD.digest.hex() in waits, "the second person compares it, too"
            await _sent(bo, "confirm", waits)
            assert state_of(server)[0] == "active"
            assert 'action="/ops/acts/confirm-program"' not in await _page(ann, page)
    (event,) = (event for _, event in rows(tmp_path) if isinstance(event, ProgramConfirmed))
    assert (event.digest, [one.id for one in event.people.signed]) == (OLD.digest, [1, 2])


async def _page(web: aiohttp.ClientSession, at: str) -> str:
    async with web.get(at) as answer:
        assert answer.status == 200
        return await answer.text()


async def _sent(web: aiohttp.ClientSession, act: str, page: str, **fields: str) -> str:
    """Sends the page's form of that act as a browser does; the text of the page that it leads to."""
    form = page.partition(f'action="/ops/acts/{act}"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
    async with web.post(f"/ops/acts/{act}", data=hidden | fields) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.text()


def _text(program: Program) -> tuple[str, str]:
    return program.version, program.digest.hex()


@on_loop
async def test_people_who_sign_in_confirm_it(tmp_path: Path, runs: Any) -> None:
    """S3: one asks for it and another confirms; a release may be confirmed before it is installed."""
    config = confirming(tmp_path)
    async with staffed(config) as server:
        ann, bo = await prove(server, "ann"), await prove(server, "bo")
        act, bank = server.auth.act, server.banks["main"]
        asked = await act(bank, ConfirmProgram(NEW.digest.hex(), "for tonight"), [ann])
        assert asked.asked
        done(await act(bank, Confirm(asked.request), [ann, bo]))
        assert state_of(server) == ("suspended", "program")
        done(await act(bank, ConfirmProgram(OLD.digest.hex(), "as published"), [ann, bo]))
        assert state_of(server)[0] == "active"
    runs(NEW)
    async with Server(config) as server:
        assert state_of(server)[0] == "active"


@on_loop
async def test_a_checkout_cannot_be_confirmed(tmp_path: Path, runs: Any) -> None:
    """S3: it says what it is; where people are to confirm the program it does not start at all."""
    runs(Program("1.1"), checkout=True)
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(tmp_path)) as server:
            assert state_of(server)[0] == "active"
    assert any(line["event"] == "program_unlisted" for line in logs)
    assert [event.digest for event in firsts(tmp_path).values()] == [b""]
    config = confirming(tmp_path)
    with pytest.raises(ProgramUnproved, match="runs from a checkout"):
        async with Server(config):
            pass
    ended = run("serve", "--config", config.path)
    assert ended.returncode == 1
    assert "not started: [site] confirm_program = true, and the program runs from a checkout" in ended.stderr


@on_loop
async def test_which_program_is_in_the_log_and_in_the_heads_holder(tmp_path: Path, runs: Any) -> None:
    """S3: others see who holds a bank, and which program that is."""
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(tmp_path)) as server:
            head = await server._stores["main"].head("main")
    digest = next(line for line in logs if line["event"] == "starting")["program"]
    assert digest == OLD.digest.hex()
    assert head.holder.endswith(digest[:12])
