"""A real server with a committed mystery level: what it commits to, keeps, opens, and never tells."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
from msgspec.structs import replace

from jackpot.app import Server
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.config import Config, load
from jackpot.config.mystery_key import new_key_text, read_mystery_key
from jackpot.ledger.entries import events_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.trigger_rows import SealedTrigger, stored
from jackpot.ledger.trigger_vault import unseal
from jackpot.ledger.verify.side_tables import KeptRows, compare
from jackpot.ledger.verify.verifier import verify
from jackpot.ledger.witness import Witness
from jackpot.rules import registry
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.commitment import CommitmentId, opens
from jackpot.rules.events import Closed, TriggerOpened
from jackpot.rules.invariant import require
from jackpot.rules.triggers import LastCommitment, Trigger
from tests.ledger.waiting import backup, open_ledger
from tests.ledgers import KINDS, Fresh
from tests.running_server import (
    LINK,
    Device,
    Faulty,
    administer,
    configure,
    doubt,
    doubt_but_written,
    on_loop,
    table,
)

# $10 to $20; each wager of $5 adds 50 cents, so a round of seven adds $3.50.
LINKS: Final = f"""
[[link]]
id = "{LINK}"
kind = "mystery"
form = "committed"
wager = "5.00"
electronic = true
[link.level.meter]
seed = "10.00"
must_hit_by = "20.00"
primary = "10%"
"""
SEATS: Final = range(1, 8)
LEVEL: Final = ("test", "main", LINK, "meter")


def floor(folder: Path, url: str = "", *, key: bool = True) -> Config:
    """A floor with one table on a committed link; its key is made once."""
    file = folder / "mystery" / "key"
    if not file.exists() and key:
        file.parent.mkdir(exist_ok=True)
        file.touch(0o600)
        file.write_text(new_key_text()[0])
    config = configure(
        folder,
        tables=1,
        links=LINKS,
        extra=f'[mystery]\nkey = "{file}"',
        of_tables="max_rounds_per_minute = 1000",
    )
    if url:
        text = config.path.read_text()
        config.path.write_text(text.replace(f'url = "{config.ledger.url}"', f'url = "{url}"'))
    return load(config.path)


class Floor:
    """A table that plays on a server, a round of seven wagers after the other."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.seq = device.heard[-1]["last_seq"]

    async def send(self, **message: Any) -> dict[str, Any]:
        self.seq += 1
        self.device.say(seq=self.seq, **message)
        return await self.device.answer(self.seq)

    async def lock(self) -> str:
        name = f"R{self.seq}"
        bets = [{"seat": seat, "link": LINK, "amount": 500} for seat in SEATS]
        answer = await self.send(t="wager", round=name, bets=bets, lock=True)
        assert answer["t"] == "ack", answer
        return name

    async def play(self) -> list[dict[str, Any]]:
        """A round: its awards."""
        answer = await self.send(t="close", round=await self.lock())
        assert answer["t"] == "ack", answer
        return list(answer.get("awards", []))

    async def until_won(self) -> list[dict[str, Any]]:
        for _ in range(4):
            if awards := await self.play():
                return awards
        raise AssertionError("$10 of contributions, and no win")


class Playing(Floor):
    """The same, on a server of this process."""

    def __init__(self, server: Server, device: Device) -> None:
        super().__init__(device)
        self.server = server


@asynccontextmanager
async def playing(config: Config, ledger: Any = None) -> AsyncIterator[Playing]:
    async with Server(config, ledger=ledger) as server, table(server) as device:
        yield Playing(server, device)


def key_file(config: Config) -> Path:
    return require(config.mystery, "a key").key


def running(config: Config, ledger: Reader) -> tuple[SealedTrigger, Trigger]:
    """The stored trigger that runs, and what it is."""
    (row,) = stored(ledger)
    return row, unseal(read_mystery_key(key_file(config)), row)


def now_running(config: Config) -> tuple[SealedTrigger, Trigger]:
    with closing(open_reader(config.ledger.url)) as ledger:
        return running(config, ledger)


def witnessed(config: Config) -> int:
    return Witness(key_file(config)).read()[LEVEL].which.number


def proved(ledger: Reader) -> None:
    assert not verify(ledger, bank="main").problems


def compared(ledger: Reader) -> list[str]:
    """What the tables next to the journal say that the chain does not."""
    return list(compare(ledger, ledger.banks(), KeptRows(known=True, days=None, at=0)).problems)


def suspended(found: dict[str, Any]) -> list[str]:
    (link,) = found["links"]
    return list(link["reasons"])


@pytest.mark.parametrize("kind", KINDS)
def test_each_win_opens_its_commitment_and_makes_the_next(kind: str, fresh: Fresh, tmp_path: Path) -> None:
    """Y2, Y3, Y12: fixed before, opened as committed, the first crossing won; every row proves that."""
    config = floor(tmp_path, fresh(kind))
    first: list[tuple[SealedTrigger, Trigger]] = []
    amounts: list[int] = []

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            first.append(await asyncio.to_thread(now_running, config))
            for _ in range(3):
                amounts.extend(award["amount"] for award in await place.until_won())

    play()
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)
        ((_, _, begun),) = events_of(ledger, "main", TriggersRenewed.kind)
        assert isinstance(begun, TriggersRenewed)
        made = [require(begun.levels[0].committed, "the first")]
        opened: list[TriggerOpened] = []
        for found in ledger.rows("main", 0, 1_000):
            event = (
                registry.decode(found.kind, found.version, found.body) if found.kind == Closed.kind else None
            )
            for counted in event.counted if isinstance(event, Closed) else ():
                made += counted.committed
                opened += counted.opened
        assert len(opened) == len(amounts) >= 3
        assert [one.number for one in made] == list(range(1, len(made) + 1))
        for number, (commitment, one, amount) in enumerate(zip(made, opened, amounts, strict=False), 1):
            assert opens(commitment.digest, CommitmentId(*LEVEL, number, number), one.salt, one.value)
            # Won by the first wager that reached it: 50 cents lower it was not.
            assert 0 <= amount * 10_000 - one.value < 500_000
        (row, trigger), (now, _) = first[0], running(config, ledger)
        assert (row.committed, trigger.value) == (made[0].digest, opened[0].value)
        assert now.committed == made[-1].digest
        assert not compared(ledger)
    with closing(open_ledger(config.ledger.url)) as ledger:
        ledger.change(("UPDATE mystery_trigger SET committed = ?1", (bytes(32),)))
        nobodys = "is of no running commitment: somebody wrote it, or put it back"
        last = f"commitment {now.which.number}, is missing: it can never be opened"
        assert compared(ledger) == [
            f"main: the row of mystery_trigger of {LINK} meter, {last}",
            f"a row of mystery_trigger ({'00' * 8}) {nobodys}",
        ]
    with closing(open_reader(config.ledger.url)) as ledger:
        assert witnessed(config) == len(made)


def test_a_restart_plays_on_by_the_same_trigger(tmp_path: Path) -> None:
    """Y8, Y12: whoever restarts a server learns and changes nothing."""
    config = floor(tmp_path)
    seen = []

    @on_loop
    async def play() -> None:
        for _ in range(3):
            async with playing(config) as place:
                with closing(open_reader(config.ledger.url)) as ledger:
                    seen.append(running(config, ledger)[1].value)
                if len(seen) == 2:
                    await place.play()

    play()
    assert seen[0] == seen[1]
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)


@pytest.mark.parametrize("fault", [doubt, doubt_but_written])
def test_a_commit_in_doubt_draws_again_only_what_nobody_was_told(tmp_path: Path, fault: Any) -> None:
    """Y2, Y12: where the row is there, so is its trigger; else both are new, and nobody was told."""
    config = floor(tmp_path)

    @on_loop
    async def play() -> None:
        ledger = Faulty(config)
        async with playing(config, ledger) as place:
            for _ in range(6):
                name = await place.lock()
                ledger.faults.append(fault)
                answer = await place.send(t="close", round=name)
                assert answer["t"] == "ack", answer

    play()
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)
        row, _ = running(config, ledger)
        assert witnessed(config) == row.which.number > 1


@pytest.fixture
def logged() -> Iterator[list[dict[str, Any]]]:
    with structlog.testing.capture_logs() as lines:
        yield lines  # type: ignore[misc]  # a list of such


def reasons(logged: list[dict[str, Any]]) -> list[str]:
    return [line["reason"] for line in logged if line["event"] == "trigger_missing"]


def test_a_standby_without_the_key_decides_nothing(tmp_path: Path, logged: list[dict[str, Any]]) -> None:
    """Y12: the link waits, the log says which file, a round that is open waits; with the key all goes on."""
    config = floor(tmp_path)
    file = key_file(config)

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            name = await place.lock()
        away = file.rename(file.with_name("away"))
        async with playing(config) as place:
            assert suspended(await administer(config, do="/links")) == ["trigger"]
            assert (await place.send(t="close", round=name))["code"] == "suspended"
        away.rename(file)
        async with playing(config) as place:
            assert suspended(await administer(config, do="/links")) == []
            assert (await place.send(t="close", round=name))["t"] == "ack"
            await place.until_won()

    play()
    assert f"{file}: there is no such key file" in reasons(logged)[0]
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)


def test_another_key_and_a_deleted_row_are_told_apart(tmp_path: Path, logged: list[dict[str, Any]]) -> None:
    """Y12: the wrong key, and the right one with a row that is gone: each says what it is."""
    config = floor(tmp_path)
    file = key_file(config)

    @on_loop
    async def play() -> None:
        async with playing(config):
            pass
        right = file.read_text()
        with closing(open_reader(config.ledger.url)) as ledger:
            row, _ = running(config, ledger)
        file.write_text(new_key_text()[0])
        async with playing(config):
            assert suspended(await administer(config, do="/links")) == ["trigger"]
        assert f"is sealed with key {row.key}" in reasons(logged)[-1]
        file.write_text(right)
        with closing(open_ledger(config.ledger.url)) as ledger:
            ledger.change(("DELETE FROM mystery_trigger", ()))
        async with playing(config):
            assert suspended(await administer(config, do="/links")) == ["trigger"]
        assert "the ledger lacks the trigger of main: floor-five meter" in reasons(logged)[-1]

    play()


def test_a_trigger_that_is_deleted_under_a_server_stops_its_link(tmp_path: Path) -> None:
    """Y12: it plays on by what it has in its memory; once it reads the ledger again the link waits."""
    config = floor(tmp_path)

    @on_loop
    async def play() -> None:
        ledger = Faulty(config)
        async with playing(config, ledger) as place:
            store = place.server.banks["main"].store
            await store.change(("DELETE FROM mystery_trigger", ()))
            assert (await place.send(t="close", round=await place.lock()))["t"] == "ack"
            await store.change(("DELETE FROM mystery_trigger", ()))
            ledger.faults.append(doubt)
            name = await place.lock()
            assert (await place.send(t="close", round=name))["code"] == "suspended"
            await place.device.hear(lambda heard: heard["t"] == "link" and heard["state"] == "suspended")
            assert suspended(await administer(config, do="/links")) == ["trigger"]

    play()


def test_a_rolled_back_ledger_is_found_out_and_goes_on_with_a_fresh_trigger(
    tmp_path: Path, logged: list[dict[str, Any]]
) -> None:
    """Y8: the witness is ahead; two people resume; the old commitment is opened, and replaced."""
    config = floor(tmp_path)
    file, old = tmp_path / "ledger.db", tmp_path / "old.db"

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            await place.play()
        shutil.copy(file, old)
        async with playing(config) as place:
            await place.until_won()
        shutil.copy(old, file)
        with closing(open_reader(config.ledger.url)) as ledger:
            before, trigger = running(config, ledger)
        async with Server(config):
            assert suspended(await administer(config, do="/links")) == ["rolled_back"]
            resumed = {"cause": "rolled_back", "links": [LINK], "reason": "an old copy, case 7"}
            answer = await administer(config, do="resume", by="Ann", and_by="Bo", **resumed)
            assert answer["message"].startswith("highest: state the highest value"), answer
            resumed["highest"] = [f"{LINK}.meter=18.00"]
            answer = await administer(config, do="resume", by="Ann", and_by="Bo", **resumed)
            assert answer["ok"], answer
            assert suspended(await administer(config, do="/links")) == []
        with closing(open_reader(config.ledger.url)) as ledger:
            *_, (_, _, event) = events_of(ledger, "main", TriggersRenewed.kind)
            assert isinstance(event, TriggersRenewed)
            opened = require(event.levels[0].opened, "the old one")
            assert (opened.salt, opened.value) == (trigger.salt, trigger.value)
            now, _ = running(config, ledger)
            assert now.committed != before.committed
            assert now.which.number > before.which.number + 1
            assert running(config, ledger)[1].value > 18_000_000

    play()
    assert "knows a later commitment" in reasons(logged)[0]

    @on_loop
    async def again() -> None:
        async with Server(config):
            assert suspended(await administer(config, do="/links")) == []

    again()
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)


def test_people_replace_a_trigger_that_leaked_while_rounds_are_played(tmp_path: Path) -> None:
    """Y12: in the middle of a round; the journal opens the old one, the round goes by the fresh one."""
    config = floor(tmp_path)

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            name = await place.lock()
            before, trigger = await asyncio.to_thread(now_running, config)
            leaked = {"links": [LINK], "reason": "a copy of the key, case 8"}
            answer = await administer(config, do="replace-triggers", by="Ann", and_by="Bo", **leaked)
            assert answer["ok"], answer
            now, fresh = await asyncio.to_thread(now_running, config)
            assert (now.which.number, witnessed(config)) == (before.which.number + 1,) * 2
            assert (now.committed, fresh.salt) != (before.committed, trigger.salt)
            answer = await place.send(t="close", round=name)
            assert answer["t"] == "ack", answer
            assert bool(answer.get("awards")) == (fresh.value <= 13_500_000)
            await place.until_won()
        with closing(open_reader(config.ledger.url)) as ledger:
            *_, (_, _, event) = events_of(ledger, "main", TriggersRenewed.kind)
            assert isinstance(event, TriggersRenewed)
            opened = require(event.levels[0].opened, "the old one")
            assert (opened.salt, opened.value, opened.raw) == (trigger.salt, trigger.value, trigger.raw)
            proved(ledger)
            assert not compared(ledger)

    play()


def test_a_witness_that_is_behind_is_brought_up_to_date(tmp_path: Path) -> None:
    """Y8: killed after the commit and before the witness, nobody was told: the ledger holds."""
    config = floor(tmp_path)
    kept = Witness(key_file(config)).file

    @on_loop
    async def play() -> None:
        async with playing(config):
            before = kept.read_text()
        async with playing(config) as place:
            await place.until_won()
        assert witnessed(config) > 1
        kept.write_text(before)
        async with playing(config) as place:
            assert suspended(await administer(config, do="/links")) == []
            assert witnessed(config) > 1
            await place.until_won()

    play()


def test_nobody_is_told_what_no_witness_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Y8: a win is answered only once the witness is written, however long that takes."""
    config = floor(tmp_path)
    refused = []

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            kept = Witness(key_file(config)).file
            block = kept.with_name(f"{kept.name}.part")
            block.mkdir()
            asked = place.server.banks["main"].triggers.publish

            def publish(rows: Any) -> None:
                try:
                    asked(rows)
                except Exception:
                    refused.append(place.device.heard[-1])
                    if len(refused) == 3:
                        block.rmdir()
                    raise

            monkeypatch.setattr(place.server.banks["main"].triggers, "publish", publish)
            awards = await place.until_won()
            assert len(refused) == 3
            assert all(heard.get("awards") != awards for heard in refused)
            assert witnessed(config) > 1

    play()


def test_nobody_is_told_after_a_doubt_what_no_witness_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Y8: nor is a win that turns out to be durable, before the witness has its commitment."""
    config = floor(tmp_path)
    told = []

    @on_loop
    async def play() -> None:
        ledger = Faulty(config)
        async with playing(config, ledger) as place:
            kept = Witness(key_file(config)).file
            block = kept.with_name(f"{kept.name}.part")
            asked, before = place.server.banks["main"].triggers.publish, witnessed(config)

            def publish(rows: Any) -> None:
                told.append((witnessed(config), list(place.device.heard)))
                if block.exists():
                    block.rmdir()
                asked(rows)

            monkeypatch.setattr(place.server.banks["main"].triggers, "publish", publish)
            awards: list[Any] = []
            while not awards:
                name = await place.lock()
                block.mkdir(exist_ok=True)
                ledger.faults.append(doubt_but_written)
                answer = await place.send(t="close", round=name)
                awards = answer.get("awards", [])
            assert [number for number, _ in told] == [before]
            assert all(heard.get("awards") != awards for _, known in told for heard in known)
            assert witnessed(config) > before

    play()


def test_a_running_trigger_is_nowhere_but_in_memory(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Y9, Y12: every file that a server writes, its log, metrics, pages, answers, and a backup."""
    config = floor(tmp_path)
    said: list[bytes] = []

    @on_loop
    async def play() -> None:
        async with playing(config) as place:
            await place.until_won()
            await place.play()
            for path in ("/links", "/tables", "/hits"):
                said.append(repr(await administer(config, do=path)).encode())
            said.append(repr(place.device.heard).encode())
            said.append(repr(place.server.banks["main"].sequencer.engine.state).encode())
            said.append(place.server.banks["main"].sequencer.engine.snapshot())
            said.append(repr(vars(place.server.banks["main"].triggers)).encode())
            reader, writer = await asyncio.open_connection("127.0.0.1", place.server.ports["http"])
            writer.write(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
            said.append(await reader.read())
            writer.close()
            # As a copy of the disk has it while the server runs.
            said.extend(
                file.read_bytes()
                for file in tmp_path.rglob("*")
                if file.is_file() and file != key_file(config)
            )

    play()
    with closing(open_ledger(config.ledger.url)) as ledger:
        backup(ledger, tmp_path / "backup.db")
        _, trigger = running(config, ledger)
    said.extend(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file != key_file(config)
    )
    log = capfd.readouterr()
    said += [log.out.encode(), log.err.encode()]
    value = trigger.value
    traces = [
        str(value).encode(), f"{value / 1_000_000:.6f}".encode(), value.to_bytes(4, "big"),
        value.to_bytes(8, "big"), trigger.salt, trigger.salt.hex().encode(),
        trigger.raw[-8:], trigger.raw.hex().encode(),
    ]  # fmt: skip
    assert sum(map(len, said)) > 500_000
    for trace in traces:
        assert not [text[max(0, text.find(trace) - 40) :][:100] for text in said if trace in text]


def test_a_ledger_that_was_rolled_back_to_a_join_is_found_out(tmp_path: Path) -> None:
    """Y8: the last commitment is of a bank that became this one, which has published a later one itself."""
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_text(new_key_text()[0])
    which = CommitmentId("test", "east", LINK, "meter", 3, 4)
    before = RunningTriggers("east", file)
    before.load((), ())
    made = require(before.commit(which, 0, 10), "a commitment")
    rows = require(before.taken(), "its row").kept
    before.publish(rows)
    joined, last = RunningTriggers("main", file), LastCommitment(which, made.digest, running=True)
    joined.load(rows, [last])
    assert not joined.troubles()
    assert not joined.missing(made.digest)
    joined.opened(made.digest)
    assert joined.commit(replace(which, bank="main", cycle=4, number=5), 0, 10) is not None
    joined.publish(require(joined.taken(), "its row").kept)
    again = RunningTriggers("main", file)
    again.load(rows, [last])
    assert again.is_behind(which)
    assert "knows a later commitment, 5," in again.troubles()[LINK, "meter"]
    assert again.missing(made.digest)
    fresh = require(again.commit(replace(which, bank="main", number=5), 0, 10, people=True), "a fresh one")
    assert fresh.number > 5
    # Rolled back to before the join, and served by the configuration of then.
    apart = RunningTriggers("east", file)
    apart.load(rows, [last])
    assert apart.is_behind(which)
    assert apart.missing(made.digest)
