"""Certificate checks of a remote ledger and a remote Redis."""

from pathlib import Path

import pytest
import structlog
import trustme

from jackpot.app import Server
from jackpot.config import Config, load
from jackpot.lab.testing.postgres import SYSTEM, Postgres, free_port
from jackpot.lab.testing.redis import RedisServer
from jackpot.ledger.store import LedgerUnusable
from jackpot.signage import SignageProcess
from tests.running_server import configure, on_loop, sign, table, until

HALL = '[[signage]]\nid = "hall"\nsigns = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n'


def certified(folder: Path) -> tuple[Path, Path]:
    """A certificate of localhost and its key; ours.pem signed it, other.pem did not."""
    ours, other = trustme.CA(), trustme.CA()
    ours.cert_pem.write_to_path(str(folder / "ours.pem"))
    other.cert_pem.write_to_path(str(folder / "other.pem"))
    made = ours.issue_cert("localhost")
    cert, key = folder / "there.pem", folder / "there.key"
    key.touch(mode=0o600)
    made.private_key_pem.write_to_path(str(key))
    made.cert_chain_pems[0].write_to_path(str(cert))
    return cert, key


def reached(config: Config, ledger: str, redis: str) -> Config:
    """A floor that reaches its ledger and Redis by TLS, with a signage process."""
    given = config.path.read_text().replace(config.ledger.url, ledger)
    config.path.write_text(f'{given}\n[redis]\nurl = "{redis}"\n{HALL}')
    return load(config.path)


@pytest.mark.usefixtures("redis_there")
@pytest.mark.skipif(not SYSTEM.exists(), reason="needs a PostgreSQL with TLS: Debian's postgresql")
@on_loop
async def test_a_ledger_and_a_redis_behind_tls(tmp_path: Path) -> None:
    """DESIGN, TLS to both: the right certificate works; one of another name or authority never does.

    An untrusted ledger stops the start, and says what to do. Redis stops no table (S7): the log
    says what to do.
    """
    cert, key = certified(tmp_path)
    database = {"ssl": "on", "ssl_cert_file": str(cert), "ssl_key_file": str(key)}
    port = str(free_port())
    node = {"tls-port": port, "tls-cert-file": str(cert), "tls-key-file": str(key), "tls-auth-clients": "no"}

    def floor(database: tuple[str, str], redis: tuple[str, str]) -> Config:
        """Each reached by that host, and believed by that authority."""
        (to, trust), (fed_by, believed) = database, redis
        checked = f"sslmode=verify-full&sslrootcert={tmp_path}/{trust}"
        ledger = f"postgresql://postgres@{to}:{cluster.port}/postgres?{checked}"
        feed = f"rediss://{fed_by}:{port}?ssl_ca_certs={tmp_path}/{believed}"
        return reached(configure(tmp_path), ledger, feed)

    right, authority, name = ("localhost", "ours.pem"), ("localhost", "other.pem"), ("127.0.0.1", "ours.pem")
    with Postgres(tmp_path / "own", database) as cluster, RedisServer(tmp_path / "redis", settings=node):
        config = floor(right, right)
        async with Server(config) as server, table(server) as device:
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
            async with SignageProcess(config, config.signage[0]) as hall:
                board = hall.followers["main"].board
                await until(lambda: board.trusted and board.rev == server.banks["main"].board.rev)
                async with sign(hall) as seen:
                    await seen.type("meters")
        for seq, wrong, fault, cure in (
            (2, authority, "local issuer certificate", "=FILE"),
            (3, name, "not valid for '127.0.0.1'", "write the host in the URL as the certificate has it"),
        ):
            with pytest.raises(LedgerUnusable) as caught:
                async with Server(floor(wrong, right)):
                    pass
            assert fault in str(caught.value)
            assert cure in str(caught.value)
            assert "\n" not in str(caught.value)
            with structlog.testing.capture_logs() as logs:
                async with Server(floor(right, wrong)) as server, table(server) as device:
                    await until(lambda: server.relays[0].line.failures > 0)
                    device.wager(seq, "R1", seq)
                    assert (await device.answer(seq))["t"] == "ack"
            (lost,) = [line["reason"] for line in logs if line["event"] == "redis_lost"]
            assert fault in lost
            assert cure in lost
