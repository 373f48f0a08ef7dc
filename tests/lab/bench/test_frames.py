"""The rounds of the bench are accepted by the server, and all alike."""

import pytest

from controllers.frames import LENGTH_BYTES
from controllers.messages import Close, Settle, Wager, decode_typed
from jackpot.lab.bench.frames import BOARD, HANDS, LINK, WIN_EVERY, WINS, Script, payload_text
from jackpot.rules.cards import parse
from jackpot.rules.hands import rank


def test_a_round_is_a_wager_and_a_settlement() -> None:
    """Bench: typed frames, as a table sends them; seven seats, numbers in order, a new round each."""
    script = Script(1, hands=True)
    messages = [decode_typed(script.frame(seq)[LENGTH_BYTES:]) for seq in range(1, 5)]
    wager, settle, other, _ = messages
    assert isinstance(wager, Wager)
    assert isinstance(settle, Settle)
    assert isinstance(other, Wager)
    assert [message.seq for message in messages if isinstance(message, Wager | Settle)] == [1, 2, 3, 4]
    assert (wager.round, len(wager.bets), wager.lock) == (settle.round, 7, True)
    assert (settle.close, len(settle.hands), settle.board) == (True, 7, BOARD)
    assert other.round != wager.round
    assert {bet.link for bet in wager.bets} == {LINK}
    assert isinstance(decode_typed(Script(1, hands=False).frame(2)[LENGTH_BYTES:]), Close)


def test_one_round_in_many_has_a_winner() -> None:
    """Bench: what wins is an odds award; tables win at different moments."""
    lost, won = Script(0, hands=True).frame(2), Script(0, hands=True).frame(2 * WIN_EVERY)
    winner = decode_typed(won[LENGTH_BYTES:])
    assert isinstance(winner, Settle)
    assert winner.hands[0].cards == WINS
    loser = decode_typed(lost[LENGTH_BYTES:])
    assert isinstance(loser, Settle)
    assert loser.hands[0].cards == HANDS[-1]
    later = decode_typed(Script(1, hands=True).frame(2 * WIN_EVERY)[LENGTH_BYTES:])
    assert isinstance(later, Settle)
    assert later.hands[0].cards == HANDS[-1]


@pytest.mark.parametrize(("cards", "name"), [*((hand, None) for hand in HANDS), (WINS, "full-house")])
def test_what_the_hands_are(cards: tuple[str, ...], name: str | None) -> None:
    """Bench: no hand but the winning one is paid anything, and one deck has them all."""
    ranked = rank("five-flop", "let-it-ride", [parse(card) for card in cards], [parse(c) for c in BOARD])
    assert ranked is not None
    assert ranked.name == name if name else ranked.name in ("high-card", "pair", "two-pair")
    dealt = [card for hand in (*HANDS[:-1], WINS, BOARD) for card in hand]
    assert len(set(dealt)) == len(dealt)


def test_other_designs_get_as_many_bytes() -> None:
    """Bench: equal work a frame: text of the frame's own length, where no bytes can be sent."""
    frame = Script(0, hands=False).frame(1)
    assert len(payload_text(frame)) == len(frame) - LENGTH_BYTES
