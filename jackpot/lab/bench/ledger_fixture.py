"""Ledger fixture with years of history, made by the rules and the ledger without a socket.

    python -m jackpot.lab.bench.ledger_fixture FOLDER ROWS [TABLES]

writes a configuration with its ledger, for `serve`.

Each row is what a server would have written for the frames of the bench: it chains, balances and is sealed.
Each gaming day that ends is read.
"""

import asyncio
import sys
from collections import Counter
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from controllers.frames import LENGTH_BYTES
from controllers.messages import Ping, Pong, decode_device, digest
from jackpot.bank.readings import ended_day
from jackpot.bank.sequencer import BATCH_COMMANDS_MAX, Sequencer
from jackpot.clock import SystemClock
from jackpot.config import Config, load
from jackpot.lab.bench.frames import Script
from jackpot.lab.bench.servers import ServedFloor, furnish
from jackpot.ledger.banks import open_banks
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import DIGEST_BYTES, ActCommand, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE

# The server named in the rows; and milliseconds between two rows.
HOLDER: Final = "bench"
STEP_MS: Final = 100
FILE: Final = "past.db"
BANK: Final = "main"
USUAL: Final = ServedFloor(64)


class PastOptions(NamedTuple):
    """Options. hands: rounds end with a settlement of seven hands. day_rows: rows of a gaming day.

    hits: so many rounds before all others were won, each by the whole meter, and wait for people. awards: so
    many were won by less, which the house paid at once.
    """

    hands: bool = False
    day_rows: int = DAY_MS // STEP_MS
    hits: int = 0
    awards: int = 0


BARE: Final = PastOptions()


class LedgerFixture(NamedTuple):
    """A ledger fixture.

    config: of the floor. ledger: its file. keys, signs: of its devices in hex. rows: of the bank.

    now: when the last was written, in unix milliseconds.
    """

    config: Path
    ledger: Path
    keys: dict[str, str]
    signs: dict[str, str]
    rows: int
    now: int

    @property
    def url(self) -> str:
        """The ledger's URL."""
        return f"sqlite:///{self.ledger}"


def past(folder: Path, rows: int, floor: ServedFloor = USUAL, story: PastOptions = BARE) -> LedgerFixture:
    """Makes a folder with a ledger of at least so many rows."""
    folder.mkdir(parents=True)
    file, config = folder / FILE, folder / "past.toml"
    keys = furnish(config, f"sqlite:///{FILE}", floor)
    known, step_ms = load(config), DAY_MS // story.day_rows
    # The last row is of just now, and the first of a midnight: a server that starts has hardly a day to read.
    began = (SystemClock().unix_ms() - step_ms * rows) // DAY_MS * DAY_MS
    open_new(file, known, began)
    with closing(SqliteLedger(file)) as ledger:
        sequencer = Sequencer(Engine(BANK), ledger.new_epoch(BANK, HOLDER))
        (first,) = ledger.rows(BANK, 0, 1)
        sequencer.engine.replay(first)
        writer = _Writer(ledger, sequencer, known, began, step_ms)
        writer.acts()
        names = list(keys.tables)
        writer.won(story.hits, {name: Script(0, jackpot=True) for name in names})
        writer.won(story.awards, {name: Script(0, hands=True, every=1) for name in names})
        writer.frames(rows, names, hands=story.hands)
        return LedgerFixture(config, file, keys.tables, keys.signs, sequencer.durable_seq, writer.now)


def open_new(file: Path, config: Config, began: int) -> None:
    """Makes a ledger with the banks of a site. began: when, in unix milliseconds."""
    asyncio.run(_open(file, config, began))


async def _open(file: Path, config: Config, began: int) -> None:
    store = await AsyncSqliteStore.open(lambda: SqliteLedger(file))
    try:
        await open_banks(store, (BANK, SITE), config.site.first_id, began)
    finally:
        await store.close()


class _Writer:
    """Decides and writes frames, a full batch at a time."""

    def __init__(
        self, ledger: SqliteLedger, sequencer: Sequencer, config: Config, began: int, step_ms: int
    ) -> None:
        self._ledger = ledger
        self._core = sequencer
        self._config = config
        self._began = began
        self._step_ms = step_ms
        self._seqs: Counter[str] = Counter()
        self._acts = 0
        self._day = self._ended()

    def acts(self) -> None:
        """Opens links and tables as a first start does."""
        acts: list[ActCommand] = [OpenLink(terms) for terms in self._config.links]
        acts += [OpenTable(terms) for terms in self._config.tables]
        for act in acts:
            self._act(act)
        self._write()

    def frames(self, rows: int, names: list[str], *, hands: bool) -> None:
        """Plays a round of each table in turn, until there are so many rows."""
        scripts = {name: Script(number, hands=hands) for number, name in enumerate(names)}
        while self._core.durable_seq < rows:
            for name, script in scripts.items():
                self._round(name, script)
            if (ended := self._ended()) != self._day:
                self._act(Reading(ended))
                self._day = ended
            self._write()

    def won(self, rounds: int, scripts: dict[str, Script]) -> None:
        """Plays so many rounds, of each table in turn by its script."""
        for name, script in islice(cycle(scripts.items()), rounds):
            self._round(name, script)
        self._write()

    def _round(self, name: str, script: Script) -> None:
        for _ in range(2):
            self._seqs[name] += 1
            message = decode_device(script.frame(self._seqs[name])[LENGTH_BYTES:])
            if not isinstance(message, Ping | Pong):  # it never is
                self._submit(Envelope(message, self.now, 0, digest(message), table=name))

    @property
    def now(self) -> int:
        """The time of the next row."""
        return self._began + self._step_ms * self._core.engine.seq

    def _ended(self) -> str:
        site = self._config.site
        return ended_day(self.now, site.gaming_day_ends, ZoneInfo(site.timezone)).isoformat()

    def _act(self, act: ActCommand) -> None:
        self._acts += 1
        self._submit(Envelope(act, self.now, 0, self._acts.to_bytes(DIGEST_BYTES // 2, "big") * 2))

    def _submit(self, envelope: Envelope) -> None:
        self._core.submit(envelope, _accepted)
        if self._core.depth >= BATCH_COMMANDS_MAX:
            self._write()

    def _write(self) -> None:
        while (batch := self._core.take_batch()) is not None:
            self._ledger.append(BANK, batch.epoch, batch.before, batch.rows)
            self._core.committed()
            if batch.snapshot is not None:
                self._ledger.save_snapshot(batch.snapshot)
            self._ledger.checkpoint()


def _accepted(_outcome: object) -> None:
    """Asserts that a frame was accepted: those of the bench are never refused."""


if __name__ == "__main__":
    made = past(Path(sys.argv[1]), int(sys.argv[2]), ServedFloor(int(sys.argv[3])) if sys.argv[3:] else USUAL)
    print(made.config)
