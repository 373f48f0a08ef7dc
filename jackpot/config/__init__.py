"""What does this server run: which links, tables and signs, where, and with which keys?

`load` reads one TOML file whole: it gives the configuration, or every mistake in it. Nothing is guessed.
"""

from jackpot.config.compare import differences
from jackpot.config.display import LOGO_TYPES, Display
from jackpot.config.keys import KEY_BYTES, read_key
from jackpot.config.reading import load
from jackpot.config.settings import (
    Address,
    Config,
    ConfigErrors,
    Ledger,
    Listen,
    ServerAt,
    Sign,
    Signage,
    Site,
    Tls,
    UdpSign,
)

__all__ = [
    "KEY_BYTES",
    "LOGO_TYPES",
    "Address",
    "Config",
    "ConfigErrors",
    "Display",
    "Ledger",
    "Listen",
    "ServerAt",
    "Sign",
    "Signage",
    "Site",
    "Tls",
    "UdpSign",
    "differences",
    "load",
    "read_key",
]
