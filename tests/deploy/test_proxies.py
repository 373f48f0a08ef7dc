"""The reverse proxies of `deploy/proxy`, each with its shipped file, before a server with sign-in."""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import aiohttp
import msgspec
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict

from jackpot.app import Server
from jackpot.auth.login_rate_limiter import OF_ONE
from jackpot.clock import SystemClock
from jackpot.config.certificates import self_signed
from jackpot.lab.testing.postgres import free_port
from jackpot.web.authentication import SECURE_COOKIE
from jackpot.web.http_budget import BudgetShare
from tests import ceilings
from tests.deploy.tools import DEPLOY, tool
from tests.running_server import LINK, configure, on_loop, table
from tests.web.receivers import Amounts, take
from tests.web.staffed import SECRET, staffed

FOLDER: Final = DEPLOY / "proxy"
# What people type, where the proxy listens, and where the server is, as the files have them.
NAME: Final = "floor.example.com"
PORT: Final = "443"
SERVER: Final = "127.0.0.1:8080"
# Two people at two machines of the floor, and whom one of them wants to be taken for.
CLIENT, OTHER = "127.0.0.21", "127.0.0.22"
FORGED: Final = "198.51.100.7"
WITHIN_S: Final = ceilings.WAIT_S

# What Debian's nginx.conf has around conf.d, with the test's folder for all that nginx writes.
AROUND_NGINX: Final = """
daemon off;
pid {folder}/nginx.pid;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {file};
}}
"""


class Proxy(NamedTuple):
    """A proxy program: its file, its Debian package, and the arguments that start it.

    certificate: where the file has it, with the key where that is apart. around: a file that includes it.
    """

    program: str
    file: str
    package: str
    certificate: tuple[str, ...]
    words: tuple[str, ...]
    around: str = ""


PROXIES: Final = (
    Proxy("haproxy", "haproxy.cfg", "haproxy", ("/etc/haproxy/floor.pem",), ("-db", "-f")),
    Proxy(
        "nginx",
        "nginx.conf",
        "nginx",
        ("/etc/nginx/floor.pem", "/etc/nginx/floor.key"),
        ("-e", "stderr", "-c"),
        AROUND_NGINX,
    ),
    Proxy(
        "caddy",
        "Caddyfile",
        "caddy",
        ("/etc/caddy/floor.pem", "/etc/caddy/floor.key"),
        ("run", "--adapter", "caddyfile", "--config"),
    ),
)
each_proxy: Final = pytest.mark.parametrize("proxy", PROXIES, ids=lambda proxy: proxy.program)


class ThisMachine(AbstractResolver):
    """A resolver that maps every name to this machine."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        here = ResolveResult(hostname=host, host="127.0.0.1", port=port, family=family, proto=0, flags=0)
        return [here]

    async def close(self) -> None:
        """Does nothing; no resource is held."""


class Way(NamedTuple):
    """The way through a proxy. authority: of its certificate."""

    port: int
    authority: Path

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    def browser(self, address: str) -> aiohttp.ClientSession:
        """A browser on the machine of that address."""
        trusts = ssl.create_default_context(cafile=str(self.authority))
        connector = aiohttp.TCPConnector(resolver=ThisMachine(), local_addr=(address, 0), ssl=trusts)
        patience = aiohttp.ClientTimeout(total=WITHIN_S)
        return aiohttp.ClientSession(self.origin, connector=connector, timeout=patience)


def written(proxy: Proxy, folder: Path, port: int, server: int) -> Path:
    """Writes the proxy's configuration: the shipped file with this port, server and certificate."""
    made = self_signed([NAME], 1, SystemClock().unix_ms())
    parts = (made.cert, made.key) if len(proxy.certificate) == 2 else (made.cert + made.key,)
    ours = {PORT: str(port), SERVER: f"127.0.0.1:{server}"}
    for place, part in zip(proxy.certificate, parts, strict=True):
        own = folder / Path(place).name
        own.touch(mode=0o600)
        own.write_text(part)
        ours[place] = str(own)
    (folder / "authority.pem").write_text(made.cert)
    text = (FOLDER / proxy.file).read_text()
    for shipped, own_ in ours.items():
        assert shipped in text
        text = text.replace(shipped, own_)
    file = folder / proxy.file
    file.write_text(text)
    if not proxy.around:
        return file
    user = "user root;" if os.geteuid() == 0 else ""
    around = folder / f"around-{proxy.file}"
    around.write_text(proxy.around.format(folder=folder, file=file, user=user))
    return around


@asynccontextmanager
async def through(proxy: Proxy, folder: Path) -> AsyncIterator[tuple[Server, Way]]:
    """A server of Ann and Bo with that proxy in front of it, once both answer."""
    program = tool(proxy.program, proxy.package)
    extra = f'proxies = ["127.0.0.1"]\nhosts = ["{NAME}"]'
    async with staffed(configure(folder, extra=extra)) as server:
        way = Way(free_port(), folder / "authority.pem")
        file = written(proxy, folder, way.port, server.ports["http"])
        with (folder / "proxy.log").open("w") as log:
            process = await asyncio.create_subprocess_exec(
                program, *proxy.words, str(file), stdout=log, stderr=log, cwd=folder,
                env={"HOME": str(folder)},
            )  # fmt: skip
        try:
            await until_it_listens(way.port, process, folder / "proxy.log")
            yield server, way
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def until_it_listens(port: int, process: asyncio.subprocess.Process, log: Path) -> None:
    """Waits until a proxy listens; fails with its log where it has ended."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            assert process.returncode is None, log.read_text()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.02)
                continue
            writer.close()
            return


async def signs_in(web: aiohttp.ClientSession, secret: str = SECRET, *lines: str) -> int:
    """Signs in; returns the answer's status. lines: forged X-Forwarded-For lines."""
    headers = CIMultiDict([("Origin", str(web._base_url).rstrip("/"))])
    for line in lines:
        headers.add("X-Forwarded-For", line)
    data = {"login": "ann", "secret": secret}
    async with web.post("/ops/sign-in", data=data, headers=headers, allow_redirects=False) as answer:
        return answer.status


async def until_shown(receive: Callable[[], Awaitable[str]], amount: str) -> None:
    """Waits until a stream's meters show that amount. receive: its next message."""
    seen: Amounts = []
    async with asyncio.timeout(WITHIN_S):
        while amount not in (text for _, text in seen):
            take(seen, msgspec.json.decode(await receive()))


@each_proxy
@on_loop
async def test_people_and_signs_come_through(proxy: Proxy, tmp_path: Path) -> None:
    """Deploy: a page, signing in, a WebSocket and an event stream, whose values come when they are there."""
    async with through(proxy, tmp_path) as (server, way), way.browser(CLIENT) as web:
        async with web.get("/ops/sign-in") as page:
            assert (page.status, "Sign in" in await page.text()) == (200, True)
        assert await signs_in(web) == 303
        kept = {cookie.key for cookie in web.cookie_jar}
        assert SECURE_COOKIE in kept, "the server knows that it came by TLS"
        async with web.get("/ops/hits", allow_redirects=False) as page:
            assert page.status == 200
        meters = f"meters?links={LINK}"
        async with (
            table(server) as device,
            web.ws_connect(f"/ws/{meters}") as socket_,
            web.get(f"/events/{meters}") as stream,
        ):

            async def message() -> str:
                return str((await socket_.receive()).data)

            async def event() -> str:
                while not (line := await stream.content.readline()).startswith(b"data:"):
                    assert line, "the stream has ended"
                return line.removeprefix(b"data:").decode()

            for receive in (message, event):
                await until_shown(receive, "10000.00")
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
            for receive in (message, event):
                await until_shown(receive, "10000.09")
            assert [stream.address for stream in server._live.streams] == [CLIENT, CLIENT]


@each_proxy
@on_loop
async def test_nobody_hides_behind_a_forged_address(proxy: Proxy, tmp_path: Path) -> None:
    """Misuse: the server counts and charges the machine behind the proxy, whatever address it claims."""
    async with through(proxy, tmp_path) as (server, way):
        async with way.browser(CLIENT) as web:
            for number in range(OF_ONE):
                lines = (f"203.0.113.{number}", f"{FORGED}, {OTHER}")[: 1 + number % 2]
                assert await signs_in(web, "wrong wrong wrong", *lines) == 403
            for lines in ((), (FORGED,), (FORGED, OTHER), (f"{FORGED}, {OTHER}",)):
                assert await signs_in(web, SECRET, *lines) == 403, "their own address is shut"
        async with way.browser(OTHER) as web:
            assert await signs_in(web) == 303, "and nobody else's"
        charged = {key for share, key in server.connections.budget._payers if share is BudgetShare.STRANGER}
        assert charged == {CLIENT, OTHER}
