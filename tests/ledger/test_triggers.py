"""Running triggers next to the journal: sealed, bound to their commitment, and in one transaction with it."""

import json
import pickle
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from rich.pretty import pretty_repr

from jackpot.ledger.journal import Row, canonical
from jackpot.ledger.open import open_reader
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import DataRefused, Fenced
from jackpot.ledger.trigger_rows import SealedTrigger, TriggerChanges, resealed, stored
from jackpot.ledger.trigger_vault import (
    SEALED_BYTES,
    SealFault,
    TriggerUnreadable,
    reseal,
    seal,
    unseal,
)
from jackpot.rules.commitment import RAW_BYTES, commitment_of
from jackpot.rules.invariant import InvariantError
from jackpot.rules.triggers import NewTrigger, Trigger
from tests.ledger.aged import aged
from tests.ledger.conftest import Place
from tests.ledger.material import rows
from tests.ledger.play import Play
from tests.ledger.sealed import KEY, OTHER, RAW, SALT, TRACES, VALUE, WHICH, new, numbered, put
from tests.ledger.sqlite.test_writer_process import until_begun, with_store
from tests.ledger.waiting import copy, open_ledger


def keeping(written: Sequence[Row], *changes: TriggerChanges) -> list[Row]:
    """The rows, the first ones with these changes."""
    with_changes = [replace(row, triggers=change) for row, change in zip(written, changes, strict=False)]
    return [*with_changes, *written[len(changes) :]]


# What is sealed.


def test_a_sealed_trigger_opens_with_its_key_alone() -> None:
    """Y12: with the key it is what it was; without, it is bytes that tell nothing and are never the same."""
    row = seal(KEY, new())
    assert (row.committed, row.which, row.key) == (commitment_of(WHICH, SALT, VALUE), WHICH, KEY.id)
    opened = unseal(KEY, row)
    assert (opened.salt, opened.value, opened.raw) == (SALT, VALUE, RAW)
    assert seal(KEY, new()).sealed != row.sealed
    for part in TRACES:
        assert part not in row.sealed


@pytest.mark.parametrize("value", [0, 1, VALUE, 2**63 - 1])
@pytest.mark.parametrize("raw", [b"", RAW, bytes(RAW_BYTES)])
def test_every_sealed_trigger_is_equally_long(value: int, raw: bytes) -> None:
    """Y12: not even how large the trigger is can be told from what is stored."""
    row = seal(KEY, NewTrigger(WHICH, Trigger(SALT, value, raw)))
    assert len(row.sealed) == SEALED_BYTES
    opened = unseal(KEY, row)
    assert (opened.value, opened.raw) == (value, raw)


def test_another_key_is_told_from_a_row_that_was_changed() -> None:
    """Y12: who brought the wrong file is told which one is needed; a changed row is no matter of keys."""
    row = seal(KEY, new())
    with pytest.raises(TriggerUnreadable, match=f"sealed with key {KEY.id}.*has key {OTHER.id}") as other:
        unseal(OTHER, row)
    assert other.value.fault == SealFault.OTHER_KEY
    with pytest.raises(
        TriggerUnreadable, match="main: mystery major, cycle 7, commitment 12 was changed"
    ) as bad:
        unseal(KEY, replace(row, sealed=bytes(SEALED_BYTES)))
    assert bad.value.fault == SealFault.DAMAGED


@pytest.mark.parametrize(
    "change",
    [
        lambda row: replace(row, which=replace(WHICH, ledger="lakeside")),
        lambda row: replace(row, which=replace(WHICH, bank="other")),
        lambda row: replace(row, which=replace(WHICH, link="other")),
        lambda row: replace(row, which=replace(WHICH, level="minor")),
        lambda row: replace(row, which=replace(WHICH, cycle=8)),
        lambda row: replace(row, which=replace(WHICH, number=13)),
        lambda row: replace(row, committed=numbered(13).committed),
        lambda row: replace(row, sealed=row.sealed[:-1]),
        lambda row: replace(row, sealed=row.sealed + b"\0"),
        lambda row: replace(row, sealed=b""),
        lambda row: replace(row, sealed=numbered(13).sealed),
        *(
            lambda row, at=at: replace(
                row, sealed=row.sealed[:at] + bytes((row.sealed[at] ^ 1,)) + row.sealed[at + 1 :]
            )
            for at in (0, 11, 12, 60, SEALED_BYTES - 1)
        ),
    ],
)
def test_a_row_opens_only_as_it_was_stored(change: Callable[[SealedTrigger], SealedTrigger]) -> None:
    """Y12: nobody moves a trigger to another level, cycle, ledger or commitment, or changes a bit of it."""
    with pytest.raises(TriggerUnreadable) as refused:
        unseal(KEY, change(seal(KEY, new())))
    assert refused.value.fault == SealFault.DAMAGED


def test_who_has_the_key_cannot_put_another_trigger_behind_a_commitment() -> None:
    """Y12: what is opened must be what was committed to, whoever has sealed it."""
    forged = new(value=VALUE + 1)
    forged.committed = new().committed
    with pytest.raises(TriggerUnreadable) as refused:
        unseal(KEY, seal(KEY, forged))
    assert refused.value.fault == SealFault.DAMAGED


def test_a_rotation_seals_the_same_trigger_with_another_key() -> None:
    """Y12: the old key opens it no longer, and a key that is not here is named."""
    row = seal(KEY, new())
    moved = reseal([OTHER, KEY], OTHER, row)
    assert (moved.committed, moved.which, moved.key) == (row.committed, row.which, OTHER.id)
    assert unseal(OTHER, moved).value == VALUE
    with pytest.raises(TriggerUnreadable):
        unseal(KEY, moved)
    with pytest.raises(TriggerUnreadable, match=f"sealed with key {KEY.id}, which is not here"):
        reseal([OTHER], OTHER, row)


def test_nothing_that_cannot_be_opened_is_sealed() -> None:
    """Y12: a trigger of more random bytes than are drawn would be cut off."""
    with pytest.raises(InvariantError):
        seal(KEY, NewTrigger(WHICH, Trigger(SALT, VALUE, bytes(RAW_BYTES + 1))))


@pytest.mark.parametrize("secret", [Trigger(SALT, VALUE, RAW), new(), KEY])
def test_a_secret_shows_itself_nowhere(secret: Any) -> None:
    """Y9, Y12: not in a text, a log, a trace, JSON, MessagePack or a pickle."""
    said = "".join(
        [
            repr(secret),
            str(secret),
            f"{secret}",
            pretty_repr(secret),
            repr({"it": [secret]}),
            json.dumps([secret], default=repr),
        ]
    )
    try:
        json.dumps(secret)
    except TypeError as error:
        captured = traceback.TracebackException.from_exception(error, capture_locals=True)
        said += "".join(captured.format())
    for part in (str(VALUE), SALT.hex(), repr(SALT)[2:-1], KEY.secret.hex(), repr(KEY.secret)[2:-1]):
        assert part not in said
    for encode in (msgspec.json.encode, msgspec.msgpack.encode, msgspec.to_builtins, json.dumps):
        with pytest.raises(TypeError):
            encode(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)


# Where it is stored.


def test_a_trigger_comes_and_goes_with_its_rows(place: Place) -> None:
    """Y12: kept with the row that commits to it, deleted with the one that opens it."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    first, second, third = (numbered(number) for number in (1, 2, 3))
    written = keeping(
        rows(6),
        TriggerChanges(),
        TriggerChanges(kept=(first, second)),
        TriggerChanges(kept=(third,), opened=(first.committed,)),
    )
    ledger.append("main", 1, 0, written[:2])
    assert stored(ledger) == [first, second]
    ledger.append("main", 1, 2, written[2:])
    assert stored(place.read()) == [second, third]
    ledger.append(
        "main", 1, 6, keeping(rows(1, after=written[-1]), TriggerChanges(opened=(second.committed,)))
    )
    assert [unseal(KEY, row).value for row in stored(ledger)] == [VALUE]
    assert ledger.strays("main") == []


def test_one_transaction_may_keep_a_trigger_and_open_it(place: Place) -> None:
    """Y3, Y12: the wager after the one that won may win again, before the first is durable."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    first, second = numbered(1), numbered(2)
    ledger.append(
        "main", 1, 0,
        keeping(
            rows(2),
            TriggerChanges(kept=(first,)),
            TriggerChanges(kept=(second,), opened=(first.committed,)),
        ),
    )  # fmt: skip
    assert stored(ledger) == [second]


def test_a_row_that_is_refused_leaves_every_trigger_alone(place: Place) -> None:
    """Y12: what the ledger does not take changes nothing next to it."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    first, second = numbered(1), numbered(2)
    one, two, *_ = rows(2)
    ledger.append("main", 1, 0, keeping([one], TriggerChanges(kept=(first,))))
    swap = TriggerChanges(kept=(second,), opened=(first.committed,))
    with pytest.raises(DataRefused):
        ledger.append("main", 1, 1, keeping([replace(two, kind=2**63)], swap))
    with pytest.raises(Fenced):
        ledger.append("main", 9, 1, keeping([two], swap))
    assert stored(ledger) == [first]
    # The same commitment a second time.
    with pytest.raises(DataRefused):
        ledger.append("main", 1, 1, keeping([two], TriggerChanges(kept=(first,))))
    # Not a commitment at all.
    with pytest.raises(DataRefused):
        ledger.append("main", 1, 1, keeping([two], TriggerChanges(kept=(replace(second, committed=b"x"),))))
    assert ledger.head("main").seq == 1
    assert stored(ledger) == [first]


def test_a_trigger_that_somebody_took_away_stops_no_bank(place: Place) -> None:
    """Y12: the row that opens it is written all the same: it has the trigger itself."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, keeping(rows(1), TriggerChanges(opened=(numbered(1).committed,))))
    assert ledger.head("main").seq == 1


def test_the_journal_has_nothing_of_a_trigger(place: Place) -> None:
    """Y12: neither the hashed bytes of a row nor a row that is read have what was stored with it."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    (plain,) = rows(1)
    (with_trigger,) = keeping([plain], TriggerChanges(kept=(numbered(1),)))
    assert canonical(with_trigger) == canonical(plain)
    ledger.append("main", 1, 0, [with_trigger])
    assert ledger.rows("main", 0, 1) == [plain]


def test_a_rotation_changes_the_rows_of_the_old_key_alone(place: Place) -> None:
    """Y12: a row that was opened or sealed again meanwhile is left as it is."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    first, second = numbered(1), numbered(2)
    ledger.append("main", 1, 0, keeping(rows(1), TriggerChanges(kept=(first, second))))
    new_first = reseal([KEY], OTHER, first)
    ledger.change(resealed(first, new_first), resealed(numbered(3), numbered(3)))
    assert stored(ledger) == [new_first, second]
    ledger.change(resealed(first, reseal([KEY], OTHER, first)))
    assert stored(ledger) == [new_first, second]


def test_a_large_batch_brings_its_triggers_to_the_other_process(tmp_path: Path) -> None:
    """Y12: the process that writes large batches gets what is sealed, in the same transaction."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        await store._appender.ready()
        await until_begun(store)
        written = rows(8)
        first, second = numbered(1), numbered(2)
        await store.append("main", 1, 0, keeping(written[:4], TriggerChanges(kept=(first, second))))
        await store.append("main", 1, 4, keeping(written[4:], TriggerChanges(opened=(first.committed,))))
        assert await store.run(stored) == [second]

    with_store(tmp_path / "ledger.db", use)


def test_a_copy_has_the_running_triggers_sealed(place: Place, tmp_path: Path) -> None:
    """Y8, Y12: a copy opens its commitments with the key, and without it has nothing but sealed bytes."""
    ledger = place.open()
    play = Play(20)
    play.plain_rounds(3)
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, play.rows)
    kept = [numbered(1), numbered(2)]
    ledger.change(*put(kept))
    file = tmp_path / "copy.db"
    with closing(open_ledger(f"sqlite:///{file}")) as target:
        copy(ledger, target)
        assert stored(target) == kept
        ledger.change(("DELETE FROM mystery_trigger WHERE number = 1", ()), *put([numbered(3)]))
        copy(ledger, target)
        assert [row.which.number for row in stored(target)] == [2, 3]
    held = file.read_bytes()
    for part in TRACES:
        assert part not in held


def test_what_was_deleted_is_overwritten(tmp_path: Path) -> None:
    """Y12: on SQLite no page and no log keeps a trigger that was opened, once it is carried."""
    file = tmp_path / "ledger.db"
    first = numbered(1)
    with closing(SqliteLedger(file)) as ledger:
        ledger.new_epoch("main", "test")
        written = rows(2)
        ledger.append("main", 1, 0, keeping(written[:1], TriggerChanges(kept=(first,))))
        assert first.sealed in b"".join(path.read_bytes() for path in tmp_path.iterdir())
        ledger.append("main", 1, 1, keeping(written[1:], TriggerChanges(opened=(first.committed,))))
    assert first.sealed not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_sealing_uses_a_nonce_once() -> None:
    """Y12: of 1,000 sealings no two have the same nonce, and none is predictable from the one before."""
    nonces = {seal(KEY, new()).sealed[:12] for _ in range(1_000)}
    assert len(nonces) == 1_000


def test_an_earlier_schema_has_no_triggers(tmp_path: Path) -> None:
    """S3: an archive of before is read without the table."""
    file = tmp_path / "ledger.db"
    with closing(SqliteLedger(file)) as ledger:
        ledger.new_epoch("main", "test")
        ledger.append("main", 1, 0, rows(1))
    with closing(open_reader(f"sqlite:///{aged(file, 3)}")) as reader:
        assert stored(reader) == []
