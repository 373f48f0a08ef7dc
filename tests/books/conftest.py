"""The ledgers that histories are read from: those of the ledger's own tests."""

from tests.ledger.conftest import place

__all__ = ["place"]
