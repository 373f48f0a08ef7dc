"""Names, secrets and sessions on both databases: stored, copied, and hidden from auditors."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from jackpot.ledger import keyring
from jackpot.ledger.banks import open_banks
from jackpot.ledger.keyring import Secret, StoredName, digest_of
from jackpot.ledger.maintenance.copy import copy
from jackpot.ledger.open import make_roles, opened
from jackpot.ledger.store import DataRefused
from jackpot.notify import notifier
from tests.ledger.conftest import Place
from tests.ledger.waiting import open_ledger
from tests.running_server import on_loop

ANN, BEN = StoredName.of("ann", "Ann"), StoredName.of("ben", "Ben")


def test_what_is_kept_is_of_its_digest() -> None:
    """S8: neither login, name nor salt can be exchanged, and neither hash nor the key of codes."""
    assert ANN.is_marked()
    assert not StoredName(ANN.mark, "eve", "Ann", ANN.salt).is_marked()
    assert not StoredName(ANN.mark, "annAnn", "", ANN.salt).is_marked()
    assert len({Secret(1, "a").digest, Secret(1, "b").digest, Secret(1, "a", b"k").digest}) == 3


def test_it_is_kept_and_read(place: Place) -> None:
    """Names, secrets, attempts, sessions and delivered notices; a row that matches no digest is ignored."""

    @on_loop
    async def keep() -> None:
        async with opened(place.url) as store:
            await store.change(ANN.kept(), Secret(1, "hash").kept())
            with pytest.raises(DataRefused):
                await store.change(BEN.kept(), StoredName.of("ann", "Another").kept())
            await store.change(
                ("INSERT INTO attempt VALUES (?1, ?2)", (1, 4)),
                ("INSERT INTO session VALUES (?1, ?2, ?3)", (digest_of("token"), 1, 5)),
                ("INSERT INTO person VALUES (?1, ?2, ?3, ?4)", (bytes(32), "eve", "Eve", b"salt")),
                ("INSERT INTO secret VALUES (?1, ?2, ?3, ?4)", (bytes(32), 1, "a stolen one", b"")),
            )
            await store.change(notifier.keep_delivered("main", 5), notifier.keep_delivered("side", 9))
            await store.change(notifier.keep_delivered("main", 7))
            assert await store.change(("UPDATE attempt SET totp_step = 9 RETURNING totp_step", ())) == [(9,)]

    keep()
    ledger = place.read()
    assert keyring.people(ledger) == {ANN.mark: ANN}
    assert [notifier.delivered_upto(ledger, bank) for bank in ("main", "side", "other")] == [7, 9, None]
    assert keyring.secret(ledger, Secret(1, "hash").digest) == Secret(1, "hash")
    assert keyring.secret(ledger, bytes(32)) is None
    assert keyring.secret(ledger, digest_of("x")) is None
    assert (keyring.used_step(ledger, 1), keyring.used_step(ledger, 2)) == (9, 0)
    assert [keyring.session_seen(ledger, digest_of(token)) for token in ("token", "other")] == [5, None]


def test_a_copy_takes_the_people_along(tmp_path: Path, place: Place) -> None:
    """S9: who could sign in can after a restore; sessions end, and a second copy brings what changed."""

    @on_loop
    async def copied() -> None:
        async with opened(f"sqlite:///{tmp_path}/source.db") as source, opened(place.url) as target:
            await source.new_epoch("main", "tests")
            await open_banks(source, ["side"], "riverside", 1)
            for change in ((ANN.kept(), Secret(1, "old").kept()), (BEN.kept(), Secret(1, "new").kept())):
                await source.change(*change)
                await copy(source, target)

    copied()
    target = place.read()
    assert keyring.people(target) == {one.mark: one for one in (ANN, BEN)}
    assert keyring.secret(target, Secret(1, "new").digest) is not None


@on_loop
async def test_an_auditor_reads_no_secret(database: str, postgres: object) -> None:
    """S8: a role that reads the ledger reads no credentials."""

    def make() -> None:
        open_ledger(database).close()
        make_roles(database)

    await asyncio.to_thread(make)
    connection = await asyncpg.connect(database)
    try:
        await connection.execute("SET ROLE jackpot_auditor")
        assert await connection.fetch("SELECT name FROM person") == []
        for table in ("secret", "attempt", "session"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"SELECT * FROM {table}")
    finally:
        await connection.close()
