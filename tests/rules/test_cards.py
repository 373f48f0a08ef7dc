"""A card is the same as text, as a number and as a byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.rules.cards import DECK, pack, parse, text, unpack


def test_every_card_has_its_number() -> None:
    """H4: a card is rank * 4 + suit, so that 52 texts and the numbers 0..51 are the same set."""
    texts = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    assert [parse(name) for name in texts] == list(range(DECK))
    assert [text(card) for card in range(DECK)] == texts
    assert (parse("2s"), parse("As"), parse("Ac")) == (0, 48, 51)


@pytest.mark.parametrize("name", ["", "A", "10s", "as", "AS", "1s", "Ax", "sA", "As ", "🂡"])
def test_a_text_that_is_no_card_is_named(name: str) -> None:
    """H4: cards that cannot be are refused, and the refusal says which text it was."""
    with pytest.raises(ValueError, match="is no card") as caught:
        parse(name)
    assert repr(name) in str(caught.value)


@given(st.text(max_size=3))
def test_parse_accepts_nothing_else(name: str) -> None:
    """H4: whatever a table sends is a card with the same text, or a ValueError."""
    try:
        card = parse(name)
    except ValueError:
        return
    assert text(card) == name


@given(st.lists(st.integers(0, DECK - 1), max_size=16))
def test_packed_cards_come_back_in_order(cards: list[int]) -> None:
    """H4: the journal's bytes of a hand give back the same cards, one byte a card."""
    packed = pack(cards)
    assert len(packed) == len(cards)
    assert unpack(packed) == tuple(cards)


def test_a_byte_that_is_no_card_is_refused() -> None:
    """H4: a journal that holds an impossible card is not read as if it were one."""
    assert unpack(b"\x33") == (51,)
    with pytest.raises(ValueError, match="33343"):
        unpack(b"\x33\x34\x30")
