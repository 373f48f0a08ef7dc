"""Links, hands and rounds of the protocol tests. The links are as short as the configuration allows."""

from tests.e2e.vendor import Message, Vendor, bets

FIVE = """
[[link]]
id = "five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
"""
# The smallest stop: no cards are kept, odds awards below $400 are final at once.
EASY = """
[[link]]
id = "easy"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
hold_table = false
validate_at = "400.00"
"""
THREE = """
[[link]]
id = "three"
paytable = "pa-643a-three-card-A"
wager = "1.00"
decks = 1
count_chips = false
hold_table = false
"""
# Electronic, shared, with draws nearly every round.
BONUS = """
[[link]]
id = "bonus"
paytable = "pa-643a-five-card-hand-bonus"
wager = "1.00"
decks = 1
simultaneous = "share"
magic_card_every = 5
hold_table = false
"""
# Committed, $10 to $20: a wager adds 50 cents, so a round of seven adds $3.50. It needs a key.
MYSTERY = """
[[link]]
id = "must-hit"
kind = "mystery"
form = "committed"
wager = "5.00"
electronic = true
[link.level.meter]
seed = "10.00"
must_hit_by = "20.00"
primary = "10%"
"""
# The dealer's chip count must come.
CHIPS = """
[[link]]
id = "chips"
paytable = "pa-643a-five-card-A"
wager = "5.00"
decks = 1
count_chips = true
hold_table = false
"""
# Ultimate Texas Hold 'Em: the dealer's hand may be wagered on.
DEALER = """
[[link]]
id = "dealer"
paytable = "pa-653a-five-card-hand-bonus"
wager = "1.00"
decks = 1
hold_table = false
"""
# A bank of its own.
SIDE = """
[[link]]
id = "side"
paytable = "pa-643a-five-card-B"
wager = "1.00"
decks = 1
count_chips = false
bank = "side"
hold_table = false
"""

ROYAL = {"cards": ["As", "Ks", "Qs"]}
ROYAL_BOARD = ["Js", "Ts"]
AWARD = {
    "award",
    "hit",
    "seat",
    "link",
    "level",
    "hand",
    "kind",
    "amount",
    "pays",
    "status",
    "unverified",
    "because",
    "light",
}


def locked(
    device: Vendor, link: str = "easy", seats: tuple[int, ...] = (7, 5, 3), round_id: str = "R1"
) -> None:
    device.ack("wager", round=round_id, bets=bets(link, seats), lock=True)


def hand(seat: int, *cards: str, **more: object) -> Message:
    return {"seat": seat, **({"cards": list(cards)} if cards else {}), **more}


ROYAL_7 = hand(7, *ROYAL["cards"])
NOTHING = ("2s", "3h", "9d")
BOARD = ["Js", "Td"]
