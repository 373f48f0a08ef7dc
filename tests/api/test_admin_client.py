"""Admin client against a server that is there, gone, or hangs up."""

import socket
import threading
from pathlib import Path

import pytest

from jackpot.api import admin_client
from jackpot.api.queries.links import AskLinks


def test_a_server_that_hangs_up_is_no_answer(tmp_path: Path) -> None:
    """S5: what was asked may have been done; the asker hears an error of the connection, no traceback."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()

        def hang_up() -> None:
            line, _ = listening.accept()
            line.recv(65_536)
            line.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ConnectionError):
            admin_client.ask(tmp_path / "s", AskLinks())
        thread.join()
