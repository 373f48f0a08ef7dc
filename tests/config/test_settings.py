"""The checked configuration: addresses, ledgers and sites."""

from datetime import time
from pathlib import Path

import pytest

from jackpot.config import Address, Ledger, Site


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("127.0.0.1:5710", True),
        ("127.8.0.1:0", True),
        ("localhost:80", True),
        ("[::1]:443", True),
        ("[::]:5710", False),
        ("0.0.0.0:5710", False),
        ("10.0.0.1:65535", False),
        ("jackpot.casino:5710", False),
    ],
)
def test_an_address_is_read_and_written_alike(text: str, loopback: bool) -> None:
    """DESIGN, config: an address beyond loopback needs TLS, so each is known for what it is."""
    address = Address.of(text)
    assert str(address) == text
    assert address.loopback is loopback


@pytest.mark.parametrize("text", ["127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:http"])
def test_an_address_without_a_port_is_none(text: str) -> None:
    """DESIGN, config: a port is 0 to 65535."""
    with pytest.raises(ValueError, match=r"port|invalid literal"):
        Address.of(text)


def test_a_ledger_knows_its_file() -> None:
    """One server has a file, several share a database."""
    assert Ledger("sqlite:////var/lib/jackpot/ledger.db").file == Path("/var/lib/jackpot/ledger.db")
    assert Ledger("postgresql://floor@db/ledger").file is None


@pytest.mark.parametrize(
    ("name", "id_", "first"),
    [
        ("Riverside", "", "riverside"),
        ("River & Side, Hall 2", "", "river-side-hall-2"),
        ("Riverside", "lake", "lake"),
        ("\N{HIRAGANA LETTER A}", "", "site"),
        ("x" * 200, "", "x" * 64),
    ],
)
def test_a_new_ledger_gets_an_id(name: str, id_: str, first: str) -> None:
    """S3: a ledger knows its site from its first row on; an id is 1 to 64 characters."""
    assert Site(name, "USD", time(6), "UTC", id=id_).first_id == first
