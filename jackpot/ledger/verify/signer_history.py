"""Were people as they signed? An act names where the bank `site` stood, its chain says who they were (S8)."""

from collections.abc import Callable

from jackpot.ledger.journal import Row, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.acts.people import untrue
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE, People, Proof


class Roll:
    """The people of a ledger's site, followed as far as the acts of another bank looked, and never back.

    The rules hold a bank's acts to an order in which none looks further back than one before it.
    """

    def __init__(self, ledger: Reader) -> None:
        self._ledger = ledger
        self._engine = Engine(SITE)
        self._hash = genesis(SITE)
        self._broken = False

    def untrue(self, people: People) -> str | None:
        """Why these people cannot have stood for an act as they did; None where they can."""
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
        """Follows the site to that entry, which must be the one that was seen."""
        engine = self._engine
        while engine.seq < proof.seq and not self._broken:
            page = self._ledger.rows(SITE, engine.seq, min(PAGE_ROWS, proof.seq - engine.seq))
            self._broken = not (page and all(self._follows(row) for row in page))
        if proof.seq == 0:
            return not proof.hash
        return engine.seq == proof.seq and self._hash == proof.hash

    def _follows(self, row: Row) -> bool:
        """Goes on with a row, if it comes next."""
        if chained(self._hash, row) != row.hash:
            return False
        try:
            replay(self._engine, row)
        except LedgerCorrupt:
            return False
        self._hash = row.hash
        return True


def untrue_in(ledger: Reader, bank: str) -> Callable[[People], str | None]:
    """What `verify` asks of the people of each act of the bank; the site's own chain says so itself."""
    return (lambda _people: None) if bank == SITE else Roll(ledger).untrue
