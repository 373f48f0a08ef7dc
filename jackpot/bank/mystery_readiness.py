"""Readiness of this server for the running triggers of its committed links, also while it stands by.

A server that only stands by reads no trigger. It would find out that its key is missing, or is another one,
once it has taken a bank, and then suspend the bank's committed links. So every server looks at its key file,
at the witness next to it, and at whether that key opens what the ledger has, for as long as it runs (Y12).
What the key opens goes into the witness, so that of a standby, too, knows every level before it serves one
(Y8). No trigger is kept here.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import structlog

from jackpot.config import Config
from jackpot.config.mystery_key import KeyFileError, MysteryKey, read_mystery_key
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.ledger.trigger_rows import SealedTrigger, stored
from jackpot.ledger.trigger_vault import TriggerUnreadable, unseal
from jackpot.ledger.witness import Witness, Witnessed, WitnessError
from jackpot.reports.read.reader import LedgerReader
from jackpot.runtime.cancelled import end_if_cancelled

# An alert waits a minute. A look costs two small files and one short read of the ledger.
LOOK_EVERY_S: Final = 10.0

log: Final = structlog.get_logger()


class MysteryFile(StrEnum):
    """What a server needs for committed links besides the ledger."""

    KEY = "key"
    WITNESS = "witness"


class MysteryReadiness:
    """Looks at the files of one key, and at what it has to open. banks: those with committed links.

    ledger: read every few seconds; while it does not answer, what it said before holds.
    """

    def __init__(self, key_file: Path, banks: Collection[str], ledger: LedgerReader) -> None:
        self.banks = frozenset(banks)
        self.faults: Mapping[MysteryFile, str] = {}
        self._key_file = key_file
        self._ledger = ledger
        self._rows: Sequence[SealedTrigger] = ()
        self._opened: frozenset[SealedTrigger] = frozenset()

    async def run(self) -> None:
        """Looks again and again, until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.look()
            end_if_cancelled()

    async def look(self) -> None:
        """Looks once. The log has each fault as it comes, or changes."""
        try:
            self._rows = await self._ledger.read(self._read)
        except LedgerError as error:
            log.warning("running_triggers_unknown", reason=str(error), kind="running_triggers")
        faults = await asyncio.to_thread(self._find)
        for file, reason in faults.items():
            if self.faults.get(file) != reason:
                log.error("mystery_not_ready", file=file.value, reason=reason)
        self.faults = faults

    def _read(self, ledger: Reader) -> Sequence[SealedTrigger]:
        return [row for row in stored(ledger) if row.which.bank in self.banks]

    def _find(self) -> Mapping[MysteryFile, str]:
        """The faults of now; what the key opens is witnessed. Blocks for the disk's time."""
        found: dict[MysteryFile, str] = {}
        try:
            self._open(read_mystery_key(self._key_file))
        except (KeyFileError, TriggerUnreadable) as error:
            text = str(error)
            found[MysteryFile.KEY] = text if str(self._key_file) in text else f"{self._key_file}: {text}"
        witness = Witness(self._key_file)
        try:
            witness.advance(Witnessed(row.which, row.committed) for row in self._opened)
            witness.try_out()
        except WitnessError as error:
            found[MysteryFile.WITNESS] = str(error)
        return found

    def _open(self, key: MysteryKey) -> None:
        """Opens every row that is new. A row says of itself what it is of, and only the key proves it.

        Raises TriggerUnreadable of the first that the key does not open.
        """
        opened = set[SealedTrigger]()
        try:
            for row in self._rows:
                if row not in self._opened or row.key != key.id:
                    unseal(key, row)
                opened.add(row)
        finally:
            self._opened = frozenset(opened)


def readiness_of(config: Config, ledger: LedgerReader) -> MysteryReadiness | None:
    """For the committed links of a configuration; None where it has none, or names no key."""
    banks = {terms.bank for terms in config.links if terms.form == "committed"}
    if config.mystery is None or not banks:
        return None
    return MysteryReadiness(config.mystery.key, banks, ledger)
