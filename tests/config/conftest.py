"""The fixture of all tests of configurations."""

from tests.config.floor import floor

__all__ = ["floor"]
