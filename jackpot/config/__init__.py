"""Configuration of a server: its links, tables and signs, its addresses, and its keys.

`load` reads one TOML file whole: it gives the configuration, or every mistake in it. Nothing is guessed.
"""

from jackpot.config.compare import ParameterDifference, compared, differences
from jackpot.config.display import BACKDROP_TYPES, FONT_TYPES, LOGO_TYPES, Display, level_titles_of, titles_of
from jackpot.config.keys import KEY_BYTES, public_pem, read_key, read_public
from jackpot.config.reading import load
from jackpot.config.settings import (
    Address,
    Config,
    ConfigErrors,
    Heads,
    Ledger,
    Listen,
    Notify,
    People,
    ServerAt,
    Shift,
    Sign,
    Signage,
    Site,
    Tls,
    UdpSign,
)

__all__ = [
    "BACKDROP_TYPES",
    "FONT_TYPES",
    "KEY_BYTES",
    "LOGO_TYPES",
    "Address",
    "Config",
    "ConfigErrors",
    "Display",
    "Heads",
    "Ledger",
    "Listen",
    "Notify",
    "ParameterDifference",
    "People",
    "ServerAt",
    "Shift",
    "Sign",
    "Signage",
    "Site",
    "Tls",
    "UdpSign",
    "compared",
    "differences",
    "level_titles_of",
    "load",
    "public_pem",
    "read_key",
    "read_public",
    "titles_of",
]
