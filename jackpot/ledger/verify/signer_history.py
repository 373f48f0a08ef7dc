"""Verifies the signers of acts against the history of the site's people (S8)."""

from collections.abc import Callable

from jackpot.ledger.journal import Row, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.acts.people import untrue
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
