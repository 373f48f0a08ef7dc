"""Mysteries of both forms whose ledger comes back from old backups again and again, as chance has it (Y8)."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from jackpot.app import Server
from jackpot.config import Config, load
from jackpot.ledger.open import open_reader, opened
from jackpot.ledger.witness import Witness
from jackpot.rules import registry
from jackpot.rules.acts.triggers import TriggersRenewed
from jackpot.rules.events import Closed, TriggerOpened
from jackpot.rules.invariant import require
from jackpot.rules.money import to_cents
from tests.bank.test_running_triggers import LINKS, SEATS, compared, floor, key_file, now_running, proved
from tests.ledger.waiting import backup, open_ledger, restore
from tests.nightly import repeated
from tests.running_server import LINK, administer, on_loop, table

DRAWN: Final = "drawn"
FORMS: Final = (LINK, DRAWN)
MUST_HIT_BY: Final = 2_000
LIVES: Final = 8
BOTH: Final = {"by": "Ann", "and_by": "Bo"}


class Copy(NamedTuple):
    """A backup. witness: the file next to the key as it was. since: by link, what was shown since a win."""

    file: Path
    witness: bytes
    since: dict[str, list[int]]


class History:
    """A floor in one life after the other. shown: by link, every sum that was shown since its last win in the
    ledger, also by what is lost since. stated: what two people stated at the last start, until it was won.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.config = _both_forms(folder)
        self.random = Random(seed)
        self.shown: dict[str, list[int]] = {link: [1_000] for link in FORMS}
        self.stated: dict[str, int] = {}
        self.copies: list[Copy] = []
        self.won: dict[bytes, int] = {}
        self.restores = 0
        self._waits = False
        self._folder = folder
        self._witness = Witness(key_file(self.config)).file

    def live(self) -> None:
        """A start of the server, a few rounds, and its end."""
        on_loop(self._live)()
        self._read()

    async def _live(self) -> None:
        async with Server(self.config) as server:
            if self._waits:
                await self._resume(server)
                self._waits = False
            async with table(server) as device:
                for _ in range(self.random.randrange(5)):
                    await self._round(server, device)

    async def _resume(self, server: Server) -> None:
        """Two people state what was shown; no trigger of before runs then."""
        before = now_running(self.config)[0].committed
        highest = [f"{link}.meter={cents / 100:.2f}" for link, cents in self.stated.items()]
        act = {"do": "resume", "cause": "restored", "links": [], "reason": "an old copy"}
        answer = await administer(self.config, **act, **BOTH, highest=highest)
        assert answer["ok"], answer
        for link in server.banks["main"].sequencer.engine.state.links:
            assert link.suspended == []
            cycle = require(link.levels[0].mystery, "a mystery")
            assert cycle.decided >= self.stated[link.terms.link] * 10_000
        row, trigger = now_running(self.config)
        assert row.committed != before
        assert trigger.value > self.stated[LINK] * 10_000

    async def _round(self, server: Server, device: Any) -> None:
        seq = server.banks["main"].sequencer.engine.state.tables[0].last_seq
        bets = [{"seat": seat, "link": link, "amount": 500} for seat in SEATS for link in FORMS]
        device.say(t="wager", seq=seq + 1, round=f"R{seq}", bets=bets, lock=True)
        assert (await device.answer(seq + 1))["t"] == "ack"
        device.say(t="close", seq=seq + 2, round=f"R{seq}")
        answer = await device.answer(seq + 2)
        assert answer["t"] == "ack", answer
        for award in answer.get("awards", []):
            assert award["amount"] >= self.stated.pop(award["link"], 0)
            self.shown[award["link"]] = [award["amount"]]
        for link in server.banks["main"].sequencer.engine.state.links:
            cents = to_cents(link.levels[0].accounts.primary)
            assert cents < MUST_HIT_BY, "at its highest sum somebody has won"
            if any(award["link"] == link.terms.link for award in answer.get("awards", [])):
                self.shown[link.terms.link] = []
            self.shown[link.terms.link].append(cents)

    def _read(self) -> None:
        """Each trigger is won once, in whichever life."""
        with closing(open_reader(self.config.ledger.url)) as ledger:
            for row in ledger.rows("main", 0, 10_000):
                event = registry.decode(row.kind, row.version, row.body) if row.kind == Closed.kind else None
                for counted in event.counted if isinstance(event, Closed) else ():
                    for one in counted.opened:
                        assert self.won.setdefault(one.salt, row.at) == row.at, "a trigger was won twice"

    def copy(self) -> None:
        file = self._folder / f"copy-{len(self.copies)}.db"
        with closing(open_ledger(self.config.ledger.url)) as ledger:
            backup(ledger, file)
        since = {link: list(sums) for link, sums in self.shown.items()}
        self.copies.append(Copy(file, self._witness.read_bytes(), since))

    def restore(self) -> None:
        """One of the copies is the ledger; the witness mostly stays, and knows more."""
        which = self.random.choice(self.copies)
        for file in self._folder.glob("ledger.db*"):
            file.unlink()
        restore(which.file, lambda: opened(self.config.ledger.url), 0)
        if self.random.random() < 0.3:
            self._witness.write_bytes(which.witness)
        self.restores, self._waits = self.restores + 1, True
        # What the lost rows showed, their wins too, is stated: nobody there can tell which is which.
        for link in FORMS:
            self.shown[link] = which.since[link] + self.shown[link]
            self.stated[link] = min(max(self.shown[link]), MUST_HIT_BY - 1)


def _both_forms(folder: Path) -> Config:
    """A floor with one table, on a committed link and a drawn one."""
    path = floor(folder).path
    text = path.read_text()
    other = LINKS.replace(LINK, DRAWN).replace("committed", "drawn")
    at = f'links = ["{LINK}"]\nmax_rounds'
    assert at in text
    text = text.replace(at, f'links = ["{LINK}", "{DRAWN}"]\nmax_rounds').replace(LINKS, LINKS + other)
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("seed", range(repeated(2, 20)))
def test_a_ledger_that_comes_back_from_old_copies_is_won_once(tmp_path: Path, seed: int) -> None:
    """Y2, Y8, Y12: no trigger wins twice, none of before plays on, at the highest sum somebody wins, and
    what was shown is not decided again.
    """
    history = History(tmp_path, seed)
    history.live()
    history.copy()
    for _ in range(LIVES):
        if history.random.random() < 0.5:
            history.copy()
        else:
            history.restore()
        history.live()
    assert history.restores > 1
    with closing(open_reader(history.config.ledger.url)) as ledger:
        proved(ledger)
        assert not compared(ledger)
        made, shown = _commitments(ledger)
    assert [one.salt for one in shown] == list(dict.fromkeys(one.salt for one in shown))
    assert len(made) == len(shown) + 1, "each commitment but the last one is opened"


def _commitments(ledger: Any) -> tuple[list[bytes], list[TriggerOpened]]:
    """What the committed level committed to, and what was opened of it, in order."""
    made, shown = list[bytes](), list[TriggerOpened]()
    for row in ledger.rows("main", 0, 10_000):
        event = registry.decode(row.kind, row.version, row.body)
        if isinstance(event, Closed):
            for counted in event.counted:
                made += [one.digest for one in counted.committed]
                shown += counted.opened
        elif isinstance(event, TriggersRenewed):
            made += [one.committed.digest for one in event.levels if one.committed]
            shown += [one.opened for one in event.levels if one.opened]
    return made, shown
