"""Frames that a table of the bench sends; rounds are identical but for their number and name.

A round is two frames: a wager of seven seats with the lock, and a close or a settlement of all seats with the
close. Frames are made from templates, so that the load costs little next to the server that it measures.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from controllers.frames import LENGTH_BYTES, encode
from jackpot.lab.demo.house import WAGER_CENTS

LINK: Final = "bench"
# Hands of Let It Ride that win nothing on this board, so that every round is alike.
BOARD: Final = ("2s", "7h")
HANDS: Final = (
    ("4d", "9c", "Ks"),
    ("4h", "9d", "Kc"),
    ("4s", "9h", "Kd"),
    ("5d", "Tc", "Qs"),
    ("5h", "Td", "Qc"),
    ("5s", "Th", "Qd"),
    ("3c", "8s", "Jd"),
)
# With this board a full house: the house pays 50 for 1, and nobody has to validate it.
WINS: Final = ("2h", "2d", "7s")
# With this board a royal flush: the whole meter, which people must validate.
JACKPOT: Final = ("Qs", "Js", "Ts")
JACKPOT_BOARD: Final = ("As", "Ks")
# One round in so many has the winning hand. Real floors have fewer.
WIN_EVERY: Final = 200

# A number that MessagePack encodes in nine bytes, replaced by each frame's own.
_SEQ: Final = 1 << 40
_SEQ_BYTES: Final = 8
_NAME: Final = "R" * 12


class Template(NamedTuple):
    """A frame without its number and its round's name."""

    head: bytes
    middle: bytes
    tail: bytes

    @classmethod
    def of(cls, kind: str, fields: Mapping[str, Any]) -> "Template":
        """The template of one command."""
        whole = encode({"t": kind, "seq": _SEQ, "round": _NAME, **fields})
        head, rest = whole.split(_SEQ.to_bytes(_SEQ_BYTES, "big"))
        middle, tail = rest.split(_NAME.encode())
        return cls(head, middle, tail)

    def frame(self, seq: int, name: str) -> bytes:
        """The frame with this number, for the round of this name (12 characters)."""
        seq_bytes = seq.to_bytes(_SEQ_BYTES, "big")
        return b"%b%b%b%b%b" % (self.head, seq_bytes, self.middle, name.encode(), self.tail)


class Script:
    """Frames of one table. hands: rounds end with a settlement of seven hands, else with a bare close.

    jackpot: with one of the last seat alone, which wins the whole meter each time. number: the table's, so
    that not all tables win in the same moment. every: one round in so many has the winning hand; WIN_EVERY,
    if not another.
    """

    def __init__(
        self, number: int, *, hands: bool = False, jackpot: bool = False, every: int | None = None
    ) -> None:
        seats = range(len(HANDS), 0, -1)
        bets = [{"seat": seat, "link": LINK, "amount": WAGER_CENTS} for seat in seats]
        shown = [{"seat": seat, "cards": list(HANDS[seat - 1])} for seat in seats]
        won = [{**hand, "cards": list(WINS)} if hand["seat"] == len(HANDS) else hand for hand in shown]
        self._number = number
        self._every = every or WIN_EVERY
        self._wager = Template.of("wager", {"bets": bets, "lock": True})
        if jackpot:
            royal = {
                "hands": [{**shown[0], "cards": list(JACKPOT)}],
                "board": list(JACKPOT_BOARD),
                "close": True,
            }
            self._lost = self._won = Template.of("settle", royal)
        elif hands:
            end = {"board": list(BOARD), "close": True}
            self._lost = Template.of("settle", {"hands": shown, **end})
            self._won = Template.of("settle", {"hands": won, **end})
        else:
            self._lost = self._won = Template.of("close", {})

    def frame(self, seq: int) -> bytes:
        """The frame with this number: odd ones open and lock a round, even ones end it."""
        played = (seq + 1) // 2
        name = f"R{played:011}"
        if seq % 2:
            return self._wager.frame(seq, name)
        wins = (played + self._number) % self._every == 0
        return (self._won if wins else self._lost).frame(seq, name)


def payload_text(frame: bytes) -> str:
    """Text as long as the frame, for a client that can send only text."""
    return "j" * (len(frame) - LENGTH_BYTES)
