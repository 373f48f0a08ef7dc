"""Refusals of commands, and their bounded texts; what each code means stands in codes.py."""

from typing import Final

from jackpot.rules.codes import OF_FRAMES, Code
from jackpot.rules.signing import People

# What RULES gives to two different people.
TWO_PEOPLE: Final = 2

# The codes of tables' frames; WIRE states their order, and a frame is answered with the first that applies.
CODES: Final = tuple(code.value for code in OF_FRAMES)

# These use up no sequence number and mean: certainly not applied. They carry `expected`.
NOT_APPLIED: Final = frozenset(code.value for code, frame in OF_FRAMES.items() if not frame.uses)

# What a refusal repeats of what was sent: enough to find the mistake.
QUOTED_MAX: Final = 64

# A refusal's text, in characters. A nack is kept, goes out in a frame and stands in a welcome: all of it is
# bounded before it is journalled.
MESSAGE_MAX: Final = 256

# Hits that a refusal names. A round has fewer; the list of a table's hits is on the floor page.
HITS_TOLD_MAX: Final = 64

_CUT: Final = "..."


class Refusal(Exception):
    """A command is refused whole. hits: numbers of the hits that stand in the way, the first of them."""

    def __init__(self, code: Code, message: str, hits: tuple[int, ...] = ()) -> None:
        message = bounded(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.hits = hits[:HITS_TOLD_MAX]


def quoted(sent: str) -> str:
    """Quotes what was sent, cut where it is long."""
    return repr(sent[:QUOTED_MAX]) + (_CUT if len(sent) > QUOTED_MAX else "")


def bounded(message: str) -> str:
    """Cuts a refusal's text to its maximum."""
    return message if len(message) <= MESSAGE_MAX else message[: MESSAGE_MAX - len(_CUT)] + _CUT


def refuse_if(condition: bool, code: Code, message: str) -> None:
    """Raises the Refusal if the condition holds."""
    if condition:
        raise Refusal(code, message)


def two_people(people: People, why: str) -> None:
    """Requires two different people; refused as `two_people`."""
    enough = people.count() >= TWO_PEOPLE
    fault = people.fault()
    said = f"two different people must confirm this: {why}" + (f" ({fault})" if fault else "")
    refuse_if(not enough, Code.TWO_PEOPLE, said)
