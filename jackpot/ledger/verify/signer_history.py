"""Verifies the signers of acts against the history of the site's people (S8)."""

from collections.abc import Callable

from jackpot.ledger.entries import events_of
from jackpot.ledger.journal import Row, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, event_in, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.acts.banks import BankOpened
from jackpot.rules.acts.people import PeopleBegun, untrue
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE, People, Proof


class SignerHistory:
    """People of a site as of the rows that acts of another bank refer to, replayed forward only.

    The rules require that no act of a bank refers further back than the act before it.
    """

    def __init__(self, ledger: Reader) -> None:
        self._ledger = ledger
        self._engine = Engine(SITE)
        self._hash = genesis(SITE)
        self._broken = False

    def untrue(self, people: People) -> str | None:
        """Why these people cannot have signed an act; None if they can."""
        proof = people.proof
        if not people.count() and not proof.seq:
            return None
        if not self._reaches(proof):
            return f"it names row {proof.seq} of bank {SITE}, which is not in this ledger as it names it"
        state = self._engine.state
        if people.names and state.people:
            return f"nobody proved its names, and the site had people by row {proof.seq} of bank {SITE}"
        said = [untrue(state, one) for one in people.signed]
        return next((f"{one} by row {proof.seq} of bank {SITE}" for one in said if one), None)

    def _reaches(self, proof: Proof) -> bool:
        """Replays the site to that entry, which must be the one that the act names."""
        engine = self._engine
        while engine.seq < proof.seq and not self._broken:
            page = self._ledger.rows(SITE, engine.seq, min(PAGE_ROWS, proof.seq - engine.seq))
            self._broken = not (page and all(self._follows(row) for row in page))
        if proof.seq == 0:
            return not proof.hash
        return engine.seq == proof.seq and self._hash == proof.hash

    def _follows(self, row: Row) -> bool:
        """Applies a row, if it comes next."""
        if chained(self._hash, row) != row.hash:
            return False
        try:
            replay(self._engine, row)
        except LedgerCorrupt:
            return False
        self._hash = row.hash
        return True


def untrue_in(ledger: Reader, bank: str) -> Callable[[People], str | None]:
    """Signer check of `verify` for each act of the bank; the site's own chain checks its own acts."""
    return (lambda _people: None) if bank == SITE else SignerHistory(ledger).untrue


def nameless_after(ledger: Reader, bank: str) -> int | None:
    """The bank's row after which no unauthenticated name is believed: where it stood as the site's people
    began, 0 where it was opened since; None where they have not, or their entry does not say.
    """
    if bank == SITE:
        return None
    for _, _, event in events_of(ledger, SITE, PeopleBegun.kind):
        if isinstance(event, PeopleBegun) and event.stood is not None:
            return next((seq for name, seq, _ in event.stood if name == bank), 0)
    return None


def unsigned_opening(ledger: Reader, bank: str) -> list[str]:
    """Problem of a bank that was opened after the site had people, and not by one of them.

    Whichever rules its first row names: rows of older ones are not decided again.
    """
    if nameless_after(ledger, bank) != 0:
        return []
    for row in ledger.rows(bank, 0, 1):
        event = event_in(row)
        if isinstance(event, BankOpened):
            people = event.people
            fault = SignerHistory(ledger).untrue(people) if people.signed else "nobody signed it"
            return [f"{bank}: row 1 opens it after the site had people: {fault}"] if fault else []
    return []
