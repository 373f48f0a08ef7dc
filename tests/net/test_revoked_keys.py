"""Revocation of keys: at once, for ever, and for that device alone."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from controllers.hello import AUTH_FAILED
from jackpot.api.http_call import with_idempotency_key
from jackpot.api.operation import NotDone, OperationCall
from jackpot.api.queries.devices import Revoke
from jackpot.api.queries.servers import HandOver
from jackpot.app import Server
from jackpot.bank.bank import Bank
from jackpot.bank.lifecycle import LifecycleState
from jackpot.config import Config
from jackpot.ledger.journal import Head
from jackpot.net.device_registry import fingerprint
from jackpot.rules.acts.devices import BlockDevice, ClearDevice, EndKey, KeyEnded
from jackpot.rules.acts.people import WithdrawRole
from jackpot.rules.codes import Code
from jackpot.rules.registry import decode
from tests.auth.test_auth_service import ANN, opened
from tests.net.test_admin_socket import jackpot
from tests.running_server import Faulty, administer, configure, connected, doubt, on_loop, sign, table, until


async def refused(server: Server, role: str, name: str, *, key: int = 0) -> bool:
    """Whether a hello with that key gets the strangers' refusal."""
    async with connected(server.ports[f"{role}s"]) as device:
        await device.hello(server.config, role, name, key=key)
        error = await device.type("error", "welcome")
        return (error.get("code"), error.get("message")) == ("auth_failed", AUTH_FAILED)


def taken_by(name: str, bank: Bank) -> None:
    """Puts the bank in the state where another server has fenced this one, and was seen at work since."""
    bank.perform(bank.lifecycle.fenced())
    for beat in (1, 2):
        head = Head(bank.name, bank.sequencer.epoch + 1, 9, bytes(32), name, beat)
        now = bank.clock.monotonic()
        bank.perform(bank.lifecycle.seen(head, held=True, now=now, waits=0.0))


async def revoked(config: Config, **request: str) -> list[str]:
    answer = await administer(config, do="revoke", by="Ann", **request)
    assert answer["ok"], answer
    return list(answer["revoked"])


@on_loop
async def test_a_revoked_key_opens_nothing_now_and_after_a_restart(tmp_path: Path) -> None:
    """DESIGN, stolen device key: its connection closes, its hello is refused, after a restart too."""
    config = configure(tmp_path)
    key = fingerprint(config.keys["table", "T01"][0])
    async with Server(config) as server, table(server) as device, table(server, "T02") as other:
        device.wager(1, "R1", 1)
        await device.answer(1)
        assert await revoked(config, device="T01") == [key]
        assert (await device.type("error"))["code"] == "auth_failed"
        await device.closed()
        assert await refused(server, "table", "T01")
        other.wager(1, "R1", 1)
        assert (await other.answer(1))["t"] == "ack"
    async with Server(config) as server:
        assert await refused(server, "table", "T01")
        assert not await refused(server, "table", "T02")


@on_loop
async def test_the_journal_says_who_revoked_it(tmp_path: Path) -> None:
    """L8, S3: a key's end is an entry with the person, replayed like any other."""
    config = configure(tmp_path)
    async with Server(config) as server, sign(server) as board:
        await revoked(config, role="sign", device="S01")
        await board.closed()
        durable = server.banks["main"].sequencer.durable_seq
        row = (await server._stores["main"].rows("main", durable - 1, 1))[0]
        ended = decode(row.kind, row.version, row.body)
        assert isinstance(ended, KeyEnded)
        key = fingerprint(config.keys["sign", "S01"][0])
        assert (ended.role, ended.device, ended.fingerprint) == ("sign", "S01", key)
        assert (ended.people.names, ended.people.signed) == (("Ann",), ())
        assert await refused(server, "sign", "S01")


@on_loop
async def test_a_start_names_who_is_locked_out(tmp_path: Path) -> None:
    """S3: a configuration that still names a key that has ended is said to, at every start."""
    config = configure(tmp_path)
    async with Server(config):
        await revoked(config, device="T02")
    with capture_logs() as logs:
        async with Server(config):
            pass
    warned = [line for line in logs if line["event"] == "device_locked_out"]
    assert [(line["role"], line["device"]) for line in warned] == [("table", "T02")]


@on_loop
async def test_one_key_of_a_rotation(tmp_path: Path) -> None:
    """WIRE, handshake: with a fingerprint only that key ends; a device that uses the other one stays."""
    config = configure(tmp_path, next_keys=True)
    old, new = (fingerprint(key) for key in config.keys["table", "T01"])
    async with Server(config) as server, table(server, key=0) as device:
        answer = await administer(config, do="revoke", device="T01", key=new)
        assert (answer["revoked"], answer["left"]) == ([new], [old])
        assert await refused(server, "table", "T01", key=1)
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"


@on_loop
async def test_what_cannot_be_revoked(tmp_path: Path) -> None:
    """Keys: unknown devices and keys, and keys that have ended, are refused with what was wrong."""
    config = configure(tmp_path)
    async with Server(config) as server:
        await revoked(config, device="T01")
        of_main = {"role": "table", "device": "T02", "bank": "main"}
        for request, field, values in (
            ({}, "device", {}),
            ({"device": "T99"}, None, {"device": "'T99'", "devices": "T01 T02"}),
            ({"device": "T01"}, None, {"role": "table", "device": "T01", "what": "it has no valid key"}),
            (
                {"device": "T02", "key": "beef"},
                None,
                {"role": "table", "device": "T02", "what": "beef is no valid key of it"},
            ),
            ({"device": "T02", "role": "lamp"}, "role", {}),
            ({"device": "T02", "bank": "site"}, "bank", of_main),
            ({"device": "T02", "bank": "other"}, "bank", of_main),
        ):
            answer = await administer(config, do="revoke", **request)
            found = answer["code"], answer.get("field"), answer.get("values", {})
            assert found == ("bad_request", field, values)
        assert not await refused(server, "table", "T02")


@on_loop
async def test_no_device_is_of_the_bank_of_the_people(tmp_path: Path) -> None:
    """S5: nobody looks there for a key that ended, so none ends there; and none is blocked or cleared."""
    async with Server(configure(tmp_path)) as server:
        for act in (EndKey("table", "T01", "beef"), BlockDevice("table", "T01"), ClearDevice("table", "T01")):
            assert (await server.people.person(act, ("Ann",))).code == "other_bank"


@on_loop
async def test_a_refused_revocation_leaves_the_device_as_it_was(tmp_path: Path) -> None:
    """S5: neither a viewer nor one who was an admin until now ends a key, here or anywhere."""
    async with opened(tmp_path) as site:
        ann, val = await site.enter(ANN), await site.join("val", "viewer")
        cal = await site.join("cal", "admin")
        assert (await site.auth.act(site.server.people, WithdrawRole(cal.id, "admin"), [ann])).ok
        for person, act in ((val, Revoke("T01")), (val, HandOver()), (cal, Revoke("T01"))):
            with pytest.raises(NotDone) as refusal:
                await site.server.acts.carry_out(
                    with_idempotency_key(OperationCall(act, (person,), None), person, "once")
                )
            assert refusal.value.code is Code.NOT_ALLOWED
        assert not site.server.tables.registry.ended
        async with table(site.server) as device:
            assert device.heard[-1]["t"] == "welcome"


@on_loop
async def test_a_key_is_revoked_where_the_bank_is(tmp_path: Path) -> None:
    """Keys: a server that stands by says who has the bank, however often it is asked, and ends nothing."""
    config = configure(tmp_path)
    async with Server(config) as server:
        taken_by("b", server.banks["main"])
        for _ in range(2):
            answer = await administer(config, do="revoke", device="T01")
            assert answer["code"] == "misdirected"
            assert (answer["status"], answer["bank"], answer["server"]) == (421, "main", "b")
        assert server.tables.registry.keys("table", "T01")


@on_loop
async def test_in_doubt_the_key_ends_at_once_and_the_entry_follows(tmp_path: Path) -> None:
    """S5: denying promises nothing, so it waits for no disk; the answer waits until it is durable."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.faults.append(doubt)
        assert len(await revoked(config, device="T01")) == 1
        await device.closed()
        assert server.banks["main"].counts.doubts == 1
    async with Server(config) as server:
        assert await refused(server, "table", "T01")


@on_loop
async def test_the_command_line_revokes_and_a_new_key_lets_in(tmp_path: Path) -> None:
    """Keys: revoke, new --force, restart: the device is back with its new key alone."""
    config = configure(tmp_path)
    async with Server(config):
        code, out, err = await jackpot("keys", "revoke", "T01", "--config", str(config.path), "--by", "Ann")
        key = fingerprint(config.keys["table", "T01"][0])
        assert (code, err) == (0, "")
        assert out == f"table T01: revoked {key}; it is locked out until it has a new key\n"
    code, _, _ = await jackpot("keys", "new", "--force", str(tmp_path / "T01"))
    assert code == 0
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        assert device.heard[-1]["t"] == "welcome"


@on_loop
async def test_a_key_that_ended_while_its_device_waited_for_the_bank(tmp_path: Path) -> None:
    """WIRE, stolen key: a device that greets a standby is looked at again once that has read the journal.

    A key that ended elsewhere opens nothing then, is not taken for the next one, and stops no server.
    """
    config = configure(tmp_path, next_keys=True)
    async with Server(config) as server:
        bank, tables = server.banks["main"], server.tables
        await revoked(config, device="T01", key=fingerprint(config.keys["table", "T01"][0]))
        await revoked(config, device="T02")
        tables.registry.ended.clear()
        bank.lifecycle.state = LifecycleState.OPENING
        async with (
            connected(server.ports["tables"]) as old,
            connected(server.ports["tables"]) as new,
            connected(server.ports["tables"]) as stolen,
        ):
            await old.hello(config, "table", "T01", key=0)
            await new.hello(config, "table", "T01", key=1)
            await stolen.hello(config, "table", "T02", key=1)
            await until(lambda: len(tables._waiting) == 3)
            await server._taken(bank)
            bank.perform(bank.lifecycle.agreed())
            assert (await old.type("error", "welcome"))["code"] == "auth_failed"
            assert (await stolen.type("error", "welcome"))["code"] == "auth_failed"
            assert (await new.type("error", "welcome"))["t"] == "welcome"
        assert len(tables.registry.ended) == 3
