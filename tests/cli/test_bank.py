"""`jackpot bank`: opening and joining banks; what is refused is told in a sentence."""

from pathlib import Path

from jackpot.app import Server
from jackpot.config import load
from tests.net.test_admin_socket import jackpot
from tests.running_server import LINK, LINKS, configure, on_loop

SIDE = f'{LINKS.replace(LINK, "side").strip()}\nbank = "side"'


@on_loop
async def test_a_bank_of_the_configuration_is_opened_once(tmp_path: Path) -> None:
    """S3: one that the ledger never had, by a command; everything else is one clear line."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    code, _, error = await jackpot("bank", "open", "main", *where)
    assert (code, error.startswith("the ledger is empty: if it was lost")) == (1, True)
    async with Server(config):
        pass
    code, _, error = await jackpot("bank", "open", "side", *where)
    assert (code, error) == (1, f"no link of {config.path} lies in bank side; it has main\n")
    config.path.write_text(config.path.read_text().replace(LINKS, f"{LINKS}\n{SIDE}\n"))
    code, out, error = await jackpot("bank", "open", "side", *where)
    assert (code, out.startswith("bank side is open: start the server")) == (0, True), error
    code, _, error = await jackpot("bank", "open", "side", *where)
    assert (code, error) == (1, "bank side is open already\n")
    async with Server(load(config.path)) as server:
        assert set(server.banks) == {"main", "side"}


@on_loop
async def test_banks_are_joined_by_somebody_for_a_reason(tmp_path: Path) -> None:
    """S8: three different names, a person, a reason; a bank that is not at rest is refused."""
    config = configure(tmp_path, links=f"{LINKS}\n{SIDE}")
    where = ("--config", str(config.path))
    async with Server(config):
        pass
    join = ("bank", "join", "main", "side")
    code, _, error = await jackpot(*join, "--into", "main", "--reason", "one room", *where)
    assert (code, error.startswith("three different names")) == (1, True)
    code, _, error = await jackpot(*join, "--into", "floor", "--reason", " ", *where)
    assert (code, error) == (1, "--reason: say why; it is journalled\n")
    code, _, error = await jackpot(*join, "--into", "floor", "--reason", "one room", "--by", " ", *where)
    assert (code, error) == (1, "--by: a name of printable characters\n")
    code, _, error = await jackpot(*join, "--into", "floor", "--reason", "one room", *where)
    assert (code, error.startswith("not joined: "), "Traceback" in error) == (1, True, False)
