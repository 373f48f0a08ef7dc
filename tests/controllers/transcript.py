"""Program that writes the transcript in controllers/README.md: `python -m tests.controllers.transcript`."""

import asyncio
import json
import re
import tempfile
from pathlib import Path
from typing import Any, Final

from jackpot.app import Server
from tests.running_server import LINK, Device, configure, connected

PAGE: Final = Path(__file__).parents[2] / "controllers" / "README.md"
BEGIN: Final = "<!-- Made by `python -m tests.controllers.transcript`. A test holds it. -->\n"
END: Final = "<!-- The end of what is made. -->\n"
WIDTH: Final = 150
VARIES: Final = {"nonce": "16 bytes", "mac": "32 bytes", "session": "its name", "at": "unix ms"}
"""What differs from one run to the next, with what stands in its place."""

SEATS: Final = (5, 3)
ROYAL: Final = ["As", "Ks", "Qs"]
BOARD: Final = ["Js", "Ts"]


class Session:
    """Records what one table sends and receives, without pings and later meters."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, *lines: str) -> None:
        self.lines += ["", *(f"# {line}" for line in lines)]

    def said(self, **message: Any) -> None:
        self._line("table ", message)

    def heard(self, message: dict[str, Any]) -> None:
        self._line("server", message)

    def _line(self, side: str, message: dict[str, Any]) -> None:
        """One message, wrapped where it is long."""
        text, indent = _text(message), " " * 9
        line = f"{side} > "
        for part in re.split(r"(?<=,) ", text):
            if len(line) + len(part) > WIDTH:
                self.lines.append(line.rstrip())
                line = indent
            line += part + " "
        self.lines.append(line.rstrip())


def _text(value: Any) -> str:
    """A message as the page writes it: JSON with unquoted keys."""
    if isinstance(value, dict):
        parts = (f"{key}: {_varies(key) or _text(item)}" for key, item in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    return json.dumps(value)


def _varies(key: str) -> str | None:
    return f"<{VARIES[key]}>" if key in VARIES else None


async def _come(device: Device, session: Session, key: bytes, acked: int) -> None:
    """From the challenge to the first meters."""
    await device.greet(key, "table", "T01", acked=acked)
    await device.type("meters")
    challenge, welcome, *rest = device.heard
    session.heard(challenge)
    session.said(t="hello", v=1, role="table", id="T01", mac=b"", acked=acked)
    for message in (welcome, *rest):
        session.heard(message)


async def _ask(device: Device, session: Session, **command: Any) -> None:
    """Sends one command, and receives everything up to its answer."""
    session.said(**command)
    device.say(**command)
    session.heard(await device.answer(command["seq"]))


async def _first_evening(device: Device, session: Session, key: bytes) -> dict[str, Any]:
    """Plays up to the power loss; returns the command that is unanswered then."""
    session.note("A new table comes for the first time: nothing is acknowledged yet.")
    await _come(device, session, key, 0)
    session.note("Two wagers, and no more bets. The server answers once both are durable.")
    bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in SEATS]
    await _ask(device, session, t="wager", seq=1, round="R1", bets=bets, lock=True)
    session.note(
        "The cards, in payout order: seat 5, then seat 3. The royal flush waits for people (pending).",
        "Seat 5 has an envy bonus, because of seat 3. Light both lamps.",
    )
    hands = [{"seat": 5, "cards": ["2h", "7d", "9c"]}, {"seat": 3, "cards": ROYAL}]
    settle = {"t": "settle", "seq": 2, "round": "R1", "hands": hands, "board": BOARD, "close": True}
    await _ask(device, session, **settle)
    session.heard(await device.type("hit"))
    session.note(
        "The power fails before the table has kept this answer.",
        "All that its memory knows: seq 1 is answered, seq 2 is not.",
    )
    return settle


async def _second_evening(device: Device, session: Session, key: bytes, settle: dict[str, Any]) -> None:
    session.note("It comes back. The server has decided seq 2 already, and still knows what it answered.")
    await _come(device, session, key, 1)
    session.heard(await device.type("award"))
    session.heard(await device.type("award"))
    session.note(
        "It sends what is unanswered again, unchanged. It gets the same answer; nothing is paid twice."
    )
    await _ask(device, session, **settle)
    session.note("It has lit both lamps, and says what they show. That of seat 5 stays dark: an alarm.")
    await _ask(device, session, t="lamp", seq=3, award="A1", state="lit")
    await _ask(device, session, t="lamp", seq=4, award="A2", state="lamp_failed")
    session.note("A number left out. The server has not applied it and says which number it expects.")
    await _ask(device, session, t="wager", seq=6, round="R2", bets=[{"seat": 1, "link": LINK, "amount": 100}])
    session.note(
        "That number is used. The table's cards are held until people have looked at the royal flush."
    )
    await _ask(device, session, t="wager", seq=5, round="R2", bets=[{"seat": 1, "link": LINK, "amount": 100}])


async def run(folder: Path) -> str:
    """The transcript's text."""
    session, config = Session(), configure(folder, heartbeat_ms=5_000)
    key = config.keys["table", "T01"][0]
    async with Server(config) as server:
        async with connected(server.ports["tables"]) as device:
            settle = await _first_evening(device, session, key)
        async with connected(server.ports["tables"]) as device:
            await _second_evening(device, session, key, settle)
    return "\n".join(f"    {line}".rstrip() for line in session.lines).strip("\n") + "\n"


def page_with(page: str, session: str) -> str:
    """The page with this transcript in it."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{session}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(page_with(PAGE.read_text(), asyncio.run(run(Path(made)))))
    print(f"wrote {PAGE}")
