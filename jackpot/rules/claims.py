"""What do the seats hold? A settlement's claims, checked and ranked by the server (H1-H4, T4, T8)."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from controllers.messages import Claim, Settle
from jackpot.rules import cards as deck
from jackpot.rules import hands
from jackpot.rules.betting import check_players, link_number
from jackpot.rules.codes import Code
from jackpot.rules.hands import Ranked
from jackpot.rules.paytable import FOLD, HandKind, LinkTerms
from jackpot.rules.refusal import Refusal, quoted, refuse_if
from jackpot.rules.state import HandShown, Round, State, Table

# Wagers on the dealer's hand exist in Ultimate Texas Hold 'Em alone (A6): two cards and the board.
DEALER_CARDS = 2


class Read(NamedTuple):
    """One seat's hand. ranked: by link number, for every link that the hand counts on.

    unverified: the links for which only a name was claimed (H4). player: whose the box is, if the hand says.
    """

    seat: int
    cards: tuple[int, ...]
    folded: bool
    ranked: dict[int, Ranked]
    unverified: frozenset[int]
    shown: list[HandShown]
    player: str | None


class Showing(NamedTuple):
    """All that a settlement shows; seats in payout order, each once."""

    seats: list[Read]
    board: tuple[int, ...]
    dealer: tuple[int, ...]


def check_shape(table: Table, command: Settle) -> None:
    """What is wrong whatever the round (WIRE: order of checks).

    Folds that the game has not, empty claims, one seat twice or with two hands, and players who are in two
    places.
    """
    folds = FOLD[table.terms.game]
    named: set[tuple[int, str | None]] = set()
    for claim in command.hands:
        refuse_if(
            claim.folded and folds == "none", Code.BAD_MESSAGE, f"folded: {table.terms.game} has no fold"
        )
        empty = claim.cards is None and claim.hand is None and not claim.folded
        refuse_if(empty, Code.BAD_MESSAGE, f"cards: seat {claim.seat} shows neither cards nor a named hand")
        key = (claim.seat, claim.link)
        refuse_if(key in named, Code.BAD_MESSAGE, f"hands: seat {claim.seat} is named twice")
        named.add(key)
        _check_counts(table, _parse("cards", claim.cards), ())
    check_players(table, command.hands, whole=False)
    for claims in _by_seat(command.hands).values():
        _own_cards(claims)
    _check_counts(table, (), _parse("board", command.board))
    _parse("dealer", command.dealer)


def read(state: State, table: Table, round_: Round, command: Settle) -> Showing:
    """The hands as they count; refused with the first code that applies."""
    board = _board(round_, _parse("board", command.board))
    dealer = _dealer(round_, _parse("dealer", command.dealer))
    _check_all_in_one(state, round_, command, dealer)
    played = [number for number in table.links if number in round_.links()]
    _check_players(table, round_, command.hands)
    named = {id(claim): _named_links(state, table, round_, claim, played) for claim in command.hands}
    by_seat = _by_seat(command.hands)
    own = {seat: _own_cards(claims) for seat, claims in by_seat.items()}
    made = {
        seat: {number: _rank(state, table, number, cards, board) for number in played}
        for seat, cards in own.items()
        if cards
    }
    _check_dealer(state, table, round_, dealer, board)
    for name in (*(claim.link for claim in command.hands if claim.link is not None), *(command.counts or ())):
        link_number(state, table, name)
    for claim in command.hands:
        over = claim.seat > table.terms.seats
        refuse_if(over, Code.UNKNOWN_SEAT, f"seat: {claim.seat} is above the table's {table.terms.seats}")
    _check_order(round_, [claim.seat for claim in command.hands])
    _check_wagers(state, table, round_, command.hands)
    seats = [
        _read_seat(
            state, table, [(claim, named[id(claim)]) for claim in claims], own[seat], made.get(seat, {})
        )
        for seat, claims in by_seat.items()
    ]
    _check_possible(round_, Showing(seats, board, dealer))
    return Showing(seats, board, dealer)


def _check_players(table: Table, round_: Round, claims: Sequence[Claim]) -> None:
    """A hand may say whose a box without a wager is. It contradicts no wager and no other hand (A5, T9)."""
    nameless = {bet.seat for bet in round_.bets if bet.player is None}
    for claim in claims:
        said = claim.player is not None and claim.seat in nameless
        refuse_if(said, Code.BAD_MESSAGE, f"player: seat {claim.seat} is of a player without a name")
    check_players(table, [*round_.bets, *round_.shown, *claims])


def _by_seat(claims: Sequence[Claim]) -> dict[int, list[Claim]]:
    by_seat: dict[int, list[Claim]] = {}
    for claim in claims:
        by_seat.setdefault(claim.seat, []).append(claim)
    return by_seat


def _own_cards(claims: Sequence[Claim]) -> tuple[int, ...]:
    """The cards that a seat shows, if it shows any; refused where two of its claims show different ones."""
    shown = [_parse("cards", claim.cards) for claim in claims if claim.cards is not None]
    differ = any(cards != shown[0] for cards in shown)
    refuse_if(differ, Code.BAD_MESSAGE, f"cards: seat {claims[0].seat} shows two different hands")
    return shown[0] if shown else ()


def _read_seat(
    state: State,
    table: Table,
    claims: Sequence[tuple[Claim, list[int]]],
    own: tuple[int, ...],
    ranked: dict[int, Ranked],
) -> Read:
    """One seat's claims, each with its links, as one hand: the same cards have one name (H2, H4)."""
    seat = claims[0][0].seat
    player = next((claim.player for claim, _ in claims if claim.player is not None), None)
    unverified: set[int] = set()
    spoken: dict[HandKind, Ranked] = {}
    shown: list[HandShown] = []
    for claim, links in claims:
        for number in links if claim.hand is not None else ():
            name = Ranked(claim.hand or "", claim.suit or "")
            if number not in ranked:
                unverified.add(number)
                ranked[number] = name
            kind = state.link(number).terms.hand_kind
            _check_name(seat, name, ranked[number])
            _check_name(seat, name, spoken.get(kind, name))
            spoken[kind] = name if name.suit else spoken.get(kind, name)
        link = link_number(state, table, claim.link) if claim.link else 0
        packed = deck.pack(own) if not shown else b""
        shown.append(HandShown(seat, packed, claim.hand or "", claim.suit or "", link, claim.folded, player))
    folded = any(claim.folded for claim, _ in claims)
    return Read(seat, own, folded, ranked, frozenset(unverified), shown, player)


def _rank(state: State, table: Table, number: int, own: tuple[int, ...], board: tuple[int, ...]) -> Ranked:
    terms = state.link(number).terms
    ranked = hands.rank(terms.hand_kind, table.terms.game, own, board)
    if ranked is None:
        raise Refusal(Code.BAD_MESSAGE, f"board: link {terms.link} needs more community cards")
    return ranked


def dealer_ranked(state: State, table: Table, number: int, showing: Showing) -> Ranked:
    """The dealer's hand, for the wagers on it (A6)."""
    return _rank(state, table, number, showing.dealer, showing.board)


def _check_name(seat: int, name: Ranked, ranked: Ranked) -> None:
    other_suit = name.suit and ranked.suit and name.suit != ranked.suit
    refuse_if(
        name.name != ranked.name or bool(other_suit),
        Code.HAND_MISMATCH,
        f"hand: seat {seat} claims {name.name}, its cards are {ranked.name}",
    )


def _named_links(state: State, table: Table, round_: Round, claim: Claim, played: list[int]) -> list[int]:
    """The links that a named hand is for: its `link` if it is known, or all whose hand the same cards make.

    A link counts also where only other seats have wagered on it, for the hand may earn them envy (A5).
    """
    if claim.link is not None:
        links = [number for number in table.links if state.link(number).terms.link == claim.link]
    else:
        wagered = {bet.link for bet in round_.bets if bet.seat == claim.seat and not bet.dealer}
        kinds = {state.link(number).terms.hand_kind for number in wagered or played}
        differ = claim.hand is not None and len(kinds) > 1
        refuse_if(differ, Code.BAD_MESSAGE, "link: other cards make each hand of the seat; say which")
        links = [number for number in played if state.link(number).terms.hand_kind in kinds]
    if claim.hand is None:
        return links
    for number in links:
        terms = state.link(number).terms
        known = claim.hand in hands.NAMES[terms.hand_kind]
        refuse_if(not known, Code.BAD_MESSAGE, f"hand: {quoted(claim.hand)} is no hand of link {terms.link}")
        suited = claim.hand in _told_apart(terms)
        missing = suited and claim.suit is None and claim.cards is None
        refuse_if(missing, Code.BAD_MESSAGE, f"suit: link {terms.link} tells suits of {claim.hand} apart")
    return links


def _told_apart(terms: LinkTerms) -> set[str]:
    """The hands of which this link's rows tell suits apart."""
    rows = {row.hand for row in terms.rows if row.suits}
    return rows | {row.hand for row in terms.envy if row.suits}


def _check_order(round_: Round, seats: list[int]) -> None:
    """Seat numbers fall, from the dealer's far right; when reopened, each settlement begins there (T4)."""
    settled = round_.settled()
    last = 0 if round_.reopened else min(settled, default=0)
    for before, seat in zip([last, *seats], seats, strict=False):
        late = bool(before) and seat > before
        refuse_if(late, Code.OUT_OF_ORDER, f"seat: {seat} is settled out of turn")
    for seat in seats:
        refuse_if(seat in settled, Code.ALREADY_SETTLED, f"seat: {seat} was settled already")


def _check_wagers(state: State, table: Table, round_: Round, claims: Sequence[Claim]) -> None:
    """A hand named for a link counts there, for its own wager or for the envy of others (A5)."""
    for claim in claims:
        missing = claim.link is not None and link_number(state, table, claim.link) not in round_.links()
        refuse_if(missing, Code.NO_WAGER, f"link: nobody has a wager on {claim.link} in this round")


def _check_all_in_one(state: State, round_: Round, command: Settle, dealer: tuple[int, ...]) -> None:
    """A share link, and a wager on the dealer's hand, want all hands in one settlement (T5, A6).

    One that leaves out a seat is refused, unless it closes the round as well: no other would be taken, and
    what that seat has won would be lost. In a reopened round hands come as they are found (T10).
    """
    on_dealer = any(bet.dealer for bet in round_.bets)
    shared = any(state.link(number).terms.simultaneous == "share" for number in round_.links())
    if round_.reopened or not (on_dealer or shared):
        return
    if command.hands:
        message = "hands: a shared link and the dealer's hand want all hands in one settle"
        refuse_if(bool(round_.settlings), Code.BAD_MESSAGE, f"{message}; it was taken before")
        shown = {claim.seat for claim in command.hands}
        left_out = sorted({bet.seat for bet in round_.bets if not bet.dealer} - shown, reverse=True)
        seats = ", ".join(map(str, left_out))
        message = f"{message}: missing {seats}; with `close` a seat left out has lost"
        refuse_if(bool(left_out) and not command.close, Code.BAD_MESSAGE, message)
    wanted = on_dealer and bool(command.hands or command.close)
    refuse_if(wanted and not dealer, Code.BAD_MESSAGE, "dealer: wagers stand on the dealer's hand")


def _check_dealer(
    state: State, table: Table, round_: Round, dealer: tuple[int, ...], board: tuple[int, ...]
) -> None:
    """Where wagers stand on it, the dealer's hand is shown whole, with the board that it needs (A6)."""
    shown = dealer and not round_.dealer
    links = {bet.link for bet in round_.bets if bet.dealer} if shown else set()
    wrong = bool(links) and len(dealer) != DEALER_CARDS
    refuse_if(wrong, Code.BAD_MESSAGE, f"dealer: {DEALER_CARDS} cards, not {len(dealer)}")
    for number in sorted(links):
        _rank(state, table, number, dealer, board)


def _check_possible(round_: Round, showing: Showing) -> None:
    """No card twice in one round: it is played with one deck (L1, H4)."""
    seen = Counter(showing.board)
    seen.update(showing.dealer)
    for before in round_.shown:
        seen.update(deck.unpack(before.cards))
    for seat in showing.seats:
        seen.update(seat.cards)
    for card, count in seen.items():
        refuse_if(count > 1, Code.IMPOSSIBLE_CARDS, f"cards: {deck.text(card)} is shown {count} times")


def _board(round_: Round, sent: tuple[int, ...]) -> tuple[int, ...]:
    """The community cards; a later message may add cards, and change none."""
    before = tuple(deck.unpack(round_.board))
    differs = bool(sent) and sent[: len(before)] != before
    refuse_if(differs, Code.BAD_MESSAGE, "board: differs from the cards sent before")
    return sent or before


def _dealer(round_: Round, sent: tuple[int, ...]) -> tuple[int, ...]:
    before = tuple(deck.unpack(round_.dealer))
    differs = bool(sent) and bool(before) and sent != before
    refuse_if(differs, Code.BAD_MESSAGE, "dealer: differs from the cards sent before")
    return sent or before


def _parse(field: str, texts: Sequence[str] | None) -> tuple[int, ...]:
    try:
        return tuple(deck.parse(text) for text in texts or ())
    except ValueError as error:
        raise Refusal(Code.BAD_MESSAGE, f"{field}: {error}") from error


def _check_counts(table: Table, own: tuple[int, ...], board: tuple[int, ...]) -> None:
    try:
        hands.check_counts(table.terms.game, own, board)
    except ValueError as error:
        raise Refusal(Code.BAD_MESSAGE, str(error)) from error
