"""Sample table commands without sequence numbers; a test numbers its commands where it sends them."""

from functools import partial
from typing import Final, TypeVar

from msgspec.structs import replace

from controllers import messages
from controllers.messages import Bet, Claim, TableMessage, Unbet

__all__ = [
    "Bet", "Claim", "Close", "Lamp", "Lock", "Settle", "Unbet", "Void", "Wager", "Withdraw", "malformed",
    "numbered",
]  # fmt: skip

T = TypeVar("T")

# Of a command that is not sent yet.
UNNUMBERED: Final = 1

Wager = partial(messages.Wager, UNNUMBERED)
Withdraw = partial(messages.Withdraw, UNNUMBERED)
Lock = partial(messages.Lock, UNNUMBERED)
Settle = partial(messages.Settle, UNNUMBERED)
Close = partial(messages.Close, UNNUMBERED)
Void = partial(messages.Void, UNNUMBERED)
Lamp = partial(messages.Lamp, UNNUMBERED)


def malformed(message: str) -> messages.Malformed:
    """A frame with a wrong field."""
    return messages.Malformed(UNNUMBERED, message, message.encode())


def numbered(command: T, seq: int) -> T:
    """The frame with its number; any other command as it is."""
    return replace(command, seq=seq) if isinstance(command, TableMessage) else command
