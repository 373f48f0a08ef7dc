"""Echo server for the same frames: the baseline of what they cost when nothing is done with them.

python -m jackpot.lab.bench.echo    prints its port
"""

import asyncio


class Echo(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_server gives
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


async def serve() -> None:
    """Serves until the process ends."""
    listener = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
