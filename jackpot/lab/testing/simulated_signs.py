"""Signs of a simulated floor, in a program of their own: each shows what the servers send.

python -m jackpot.lab.testing.simulated_signs FOLDER HOST:PORT...
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from controllers.client import SignClient
from jackpot.lab.demo.house import SIGNS, key

# Printed once every sign shows the meters of its link.
SHOWING: Final = "all signs show their meters"


async def show(folder: Path, servers: list[str]) -> None:
    """Shows until the program is ended. folder: with the keys. servers: where signs connect."""
    async with AsyncExitStack() as connections:
        signs = [SignClient(name, key(folder, name), servers) for name in SIGNS]
        for sign in signs:
            await connections.enter_async_context(sign)
        for sign in signs:
            await sign.wait_showing()
        print(SHOWING, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("servers", nargs="+")
    given = arguments.parse_args()
    asyncio.run(show(given.folder, given.servers))
