"""Messages of `jackpot serve` where it cannot start."""

import socket
from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot
from tests.running_server import configure, on_loop


@on_loop
async def test_a_port_in_use_asks_whether_it_runs_already(tmp_path: Path) -> None:
    """The last line says which port it is, and what to look for."""
    file = configure(tmp_path).path
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file.write_text(file.read_text().replace('tables = "127.0.0.1:0"', f'tables = "127.0.0.1:{port}"'))
        code, _, error = await jackpot("serve", "--config", str(file))
    last = error.splitlines()[-1]
    assert (code, last.startswith("not started: "), str(port) in last) == (1, True, True)
    assert last.endswith("address already in use; is it running already?")
    assert not (tmp_path / "ledger.db").exists()  # which nobody would miss: it has every link at its seed


@on_loop
async def test_a_second_server_on_a_ledger_is_told_of_the_first(tmp_path: Path) -> None:
    """S3: one server at a time writes a ledger in SQLite, and the second says which process does."""
    config = configure(tmp_path)
    async with Server(config):
        code, _, error = await jackpot("serve", "--config", str(config.path))
    last = error.splitlines()[-1]
    assert (code, last.startswith(f"not started: the ledger {tmp_path}/ledger.db is in use")) == (1, True)


@on_loop
async def test_a_configuration_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    """One line, no traceback, a non-zero exit."""
    code, _, error = await jackpot("serve", "--config", str(tmp_path / "none.toml"))
    assert (code, error) == (1, f"{tmp_path}/none.toml cannot be read: No such file or directory\n")
