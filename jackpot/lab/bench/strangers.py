"""Flood of unauthenticated connections with wrong MACs, as a program.

python -m jackpot.lab.bench.strangers PORT    until it is ended
"""

import asyncio
import sys
from contextlib import suppress
from typing import Final

from controllers.frames import encode

# Connections at a time. The server's listener accepts 400 a second, and these could make thousands.
STRANGERS: Final = 32
_HELLO: Final = encode({"t": "hello", "v": 1, "role": "table", "id": "T00001", "mac": bytes(32)})


async def flood(port: int) -> None:
    """Connects, sends a hello with a wrong MAC, reads the refusal, and reconnects; never ends."""

    async def call() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                try:
                    writer.write(_HELLO)
                    await reader.read()
                finally:
                    writer.transport.abort()

    print("flooding", flush=True)
    async with asyncio.TaskGroup() as group:
        for _ in range(STRANGERS):
            group.create_task(call())


if __name__ == "__main__":
    asyncio.run(flood(int(sys.argv[1])))
