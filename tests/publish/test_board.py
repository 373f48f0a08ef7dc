"""A hit is pushed to all watchers once, and remembered for a minute as it stands."""

from typing import Any

from controllers.answers import Hit, LinkFacts, Status
from controllers.frames import LENGTH_BYTES, decode
from jackpot.publish.board import BoardLink, BoardSnapshot, MeterBoard
from jackpot.rules.outcome import ActAnswer, Outcome, Push
from tests.running_server import StepClock

LINK = "five"
LINKS = frozenset([LINK])


class Always:
    """Trust in a bank that may be shown."""

    def leased(self, now: float) -> bool:
        return True

    def trusted(self, now: float) -> bool:
        return True


class Ear:
    """A watcher. heard: the hits that it was pushed."""

    kind = "sign"

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def tell(self, frame: bytes) -> None:
        while frame:
            end = LENGTH_BYTES + int.from_bytes(frame[:LENGTH_BYTES], "big")
            message: dict[str, Any] = decode(frame[LENGTH_BYTES:end])
            frame = frame[end:]
            if message["t"] == "hit":
                self.heard.append((message["hit"], message["level"]))

    def show(self, frame: bytes) -> bool:
        return True

    def break_off(self) -> None:
        raise AssertionError


def a_board() -> MeterBoard:
    board = MeterBoard("main", StepClock(), Always())
    facts = LinkFacts(LINK, 100, "nj-641a-A", ("mega", "minor"), "active")
    board.links[LINK] = BoardLink(facts, {"mega": 100, "minor": 10}, "")
    return board


def a_hit(board: MeterBoard, number: int, level: str = "mega") -> Hit:
    at = board.clock.unix_ms() - 1_000
    return Hit(f"H{number}", LINK, level, "royal-flush", "T01", 1_000, 1, "main", number, at)


def reset(board: MeterBoard, *hits: Hit) -> None:
    board.reset(BoardSnapshot([], list(hits), 9, {}, {}))


def test_a_hit_that_its_server_could_not_tell_is_told_by_the_next() -> None:
    """S7, WIRE, pushes: who is connected before a state is taken hears of its hits, each once."""
    board, ear = a_board(), Ear()
    board.broadcaster.watch(ear, LINKS)
    royal, straight = a_hit(board, 1), a_hit(board, 2, "minor")
    reset(board, royal)
    reset(board, royal, straight)
    assert ear.heard == [("H1", "mega"), ("H2", "minor")]
    assert board.recent_hits(LINKS) == [royal, straight]


def test_one_hit_may_win_two_levels() -> None:
    """WIRE, handshake: a welcome has each level's win, also from a state."""
    board = a_board()
    hits = [a_hit(board, 1), a_hit(board, 1, "minor")]
    reset(board, *hits)
    assert board.recent_hits(LINKS) == hits


def test_a_hit_is_forgotten_when_the_whole_of_it_is_undone() -> None:
    """A11, WIRE: while one award of it stands, who comes back within the minute is told of the hit."""
    board = a_board()
    hit = a_hit(board, 1)
    board.push([Outcome(None, ActAnswer(ok=True), pushes=(Push(hit, link=LINK),))], 10)
    for told, left in [(Status("H1", "undone", award="A2"), [hit]), (Status("H1", "undone"), [])]:
        board.push([Outcome(None, ActAnswer(ok=True), pushes=(Push(told, link=LINK),))], 11)
        assert board.recent_hits(LINKS) == left
