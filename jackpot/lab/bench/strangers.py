"""What does somebody without a key send who means harm? Run as a program: connections that prove nothing.

python -m jackpot.lab.bench.strangers PORT    until it is ended
"""

import asyncio
import sys
from contextlib import suppress
from typing import Final

from controllers.frames import encode

# At any time; each calls again at once. The server's door lets in 400 a second, and these could be thousands.
STRANGERS: Final = 32
_HELLO: Final = encode({"t": "hello", "v": 1, "role": "table", "id": "T00001", "mac": bytes(32)})


async def flood(port: int) -> None:
    """Calls, says a hello with a wrong mac, hears that it is wrong, and calls again; never ends."""

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
