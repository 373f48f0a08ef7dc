"""Claims of a settlement, checked and ranked by the server (H1-H4, T4, T8)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from controllers.messages import Claim, Settle
from jackpot.rules import cards as deck
from jackpot.rules import hands
from jackpot.rules.hands import CardsShown, Ranked
from jackpot.rules.paytable import ANY, DECIDED_AT_CLOSE, FOLD, Game, HandKind, LinkTerms
from jackpot.rules.phrases import Fault
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds.betting import check_players, link_number
from jackpot.rules.rounds.offers import lacking, named
from jackpot.rules.state import BankState, HandShown, Round, Table


class Seat(msgspec.Struct, gc=False):
    """One seat's hand: what it claims, the cards that it shows, and what `read_hands` makes of them.

    player: whose the box is, if a claim says. shown: as it is journalled. ranked: by link number, for every
    link that the hand counts on. unverified: the links for which only a name was claimed (H4). late: folded,
    and settled after the others (B8). beaten: whose hand the other one beat, the seat itself or 0 for the
    dealer (B11). abandoned: its player has left (P6).
    """

    number: int
    claims: list[Claim]
    cards: tuple[int, ...]
    folded: bool
    player: str | None
    shown: list[HandShown] = []
    ranked: dict[int, Ranked] = {}
    unverified: set[int] = set()
    late: bool = False
    beaten: int = 0
    abandoned: bool = False

    @property
    def left(self) -> bool:
        """Whether it shows nothing, but says that its player has left: that is no hand (P6)."""
        return self.abandoned and not self.cards


class ShownCards(NamedTuple):
    """All that a settlement shows; seats in payout order, each once. left: seats that are no hand (P6)."""

    seats: list[Seat]
    board: tuple[int, ...]
    dealer: tuple[int, ...]
    bonus: tuple[int, ...] = ()
    left: tuple[Seat, ...] = ()


class SentClaims(NamedTuple):
    """The claims of a settlement frame, their cards parsed once. seats: in the order of their first claims.

    named: the claims that say a player.
    """

    seats: dict[int, Seat]
    board: tuple[int, ...]
    dealer: tuple[int, ...]
    named: list[Claim]
    bonus: tuple[int, ...] = ()


def check_shape(table: Table, command: Settle) -> SentClaims:
    """Checks what was sent; refused for what is wrong whatever the round (WIRE: order of checks).

    Folds that the game has not, empty claims, one seat twice or with two hands, and players who are in two
    places.
    """
    for field in ("hands", "board", "dealer", "bonus") if table.terms.game == ANY else ():
        refuse_if(bool(getattr(command, field)), "game_without_cards", field=field)
    try:
        seats = _seats(table.terms.game, command.hands)
        if named := [claim for claim in command.hands if claim.player is not None]:
            check_players(table, named, whole=False)
        board = deck.parse_all(command.board, "board")
        hands.check_counts(table.terms.game, (), board)
        bonus: tuple[int, ...] = ()
        if command.bonus:
            bonus = deck.parse_all(command.bonus, "bonus")
            hands.check_bonus(table.terms.game, bonus)
        return SentClaims(seats, board, deck.parse_all(command.dealer, "dealer"), named, bonus)
    except Fault as fault:
        raise Refusal(fault.phrase) from fault


def _seats(game: Game, claims: Iterable[Claim]) -> dict[int, Seat]:
    """Groups the claims by seat. Raises ValueError for cards that are none, or too many or few (H2, H4)."""
    seats: dict[int, Seat] = {}
    counted: set[int] = set()
    for claim in claims:
        if claim.folded:
            refuse_if(FOLD[game] == "none", "game_without_fold", game=game)
        elif claim.cards is None and claim.hand is None and not claim.abandoned:
            raise Refusal("seat_shows_nothing", seat=claim.seat)
        if claim.abandoned:
            more = claim.folded or claim.hand is not None or claim.link is not None
            refuse_if(more or claim.seat in seats, "abandoned_alone", seat=claim.seat)
        cards = deck.parse_all(claim.cards)
        if len(cards) not in counted and not (claim.abandoned and not cards):
            hands.check_counts(game, cards, ())
            counted.add(len(cards))
        seat = seats.get(claim.seat)
        if seat is None:
            seats[claim.seat] = Seat(
                claim.seat, [claim], cards, claim.folded, claim.player, abandoned=claim.abandoned
            )
        else:
            _add_claim(seat, claim, cards)
    return seats


def _add_claim(seat: Seat, claim: Claim, cards: tuple[int, ...]) -> None:
    """Adds a claim of a seat; refused where it was made before, or shows different cards."""
    twice = seat.abandoned or any(other.link == claim.link for other in seat.claims)
    refuse_if(twice, "seat_named_twice", seat=claim.seat)
    if claim.cards is not None:
        first = all(other.cards is None for other in seat.claims)
        differ = not first and cards != seat.cards
        refuse_if(differ, "seat_shows_two_hands", seat=claim.seat)
        seat.cards = cards
    seat.claims.append(claim)
    seat.folded = seat.folded or claim.folded
    seat.player = claim.player if seat.player is None else seat.player


def read_hands(
    state: BankState, table: Table, round_: Round, command: Settle, sent: SentClaims
) -> ShownCards:
    """The hands as they count; refused with the first code that applies."""
    board = _board(round_, sent.board)
    dealer: tuple[int, ...] = ()
    bonus: tuple[int, ...] = ()
    if sent.dealer or round_.dealer:
        dealer = _unchanged(round_.dealer, sent.dealer, "dealer_differs")
    if sent.bonus or round_.bonus:
        bonus = _unchanged(round_.bonus, sent.bonus, "bonus_differs")
    common = CardsShown((), board, dealer, bonus)
    wagered = round_.links()
    seats, left = list(sent.seats.values()), tuple[Seat, ...]()
    gone = [seat for seat in seats if seat.abandoned]
    if gone:
        left = tuple(seat for seat in gone if seat.left)
        seats = [seat for seat in seats if seat not in left]
    _check_all_in_one(state, round_, wagered, seats, dealer, close=command.close)
    if gone or round_.abandoned:
        _check_abandoned(state, round_, seats, left, close=command.close)
    # A mystery level is won by no hand: its links count none (Y7).
    played = [number for number in table.links if number in wagered and not state.link(number).terms.form]
    _check_players(table, round_, sent.named)
    spoken = [claim for claim in command.hands if claim.hand is not None or claim.link is not None]
    named = {
        id(claim): _named_links(state, table, round_, claim, played)
        for claim in spoken
        if claim.hand is not None
    }
    _check_dealer(state, table, round_, dealer, board)
    if round_.offers:
        check_offers(state, table, round_, seats, common, close=command.close)
    _rank_seats(state, table, seats, played, common)
    counted = (*(command.counts or ()), *(command.sums or ()))
    for name in (*[claim.link for claim in spoken if claim.link is not None], *counted):
        link_number(state, table, name)
    order = [claim.seat for claim in command.hands]
    if order and max(order) > table.terms.seats:
        above = next(seat for seat in order if seat > table.terms.seats)
        raise Refusal("seat_above_table", seat=above, most=table.terms.seats)
    if left:
        order = [number for number in order if not sent.seats[number].left]
    _check_order(table, round_, seats, order)
    if left:
        _check_left(round_, left)
    _check_wagers(state, table, wagered, spoken)
    for seat in seats:
        if spoken:
            _read_claims(state, table, seat, named)
        else:  # cards alone, or a fold
            cards, folded = bytes(seat.cards), seat.folded
            seat.shown = [HandShown(seat.number, cards, "", "", 0, folded, seat.player, seat.abandoned)]
    _check_possible(round_, seats, common)
    return ShownCards(seats, board, dealer, bonus, left)


def _check_abandoned(
    state: BankState, round_: Round, seats: Sequence[Seat], left: Sequence[Seat], *, close: bool
) -> None:
    """Checks seats whose players left: before the first close, by rules that know it, cards last (P6)."""
    for seat in seats:
        early = seat.abandoned and not round_.abandoned.get(seat.number)
        refuse_if(early, "abandoned_unconfirmed", seat=seat.number)
    for seat in left:
        refuse_if(round_.reopened, "abandoned_too_late", seat=seat.number)
        for bet in round_.bets:
            terms = state.link(bet.link).terms
            if bet.seat == seat.number and terms.of_massachusetts:
                raise Refusal("abandoned_not_of_link", seat=seat.number, link=terms.link)
    if close:
        check_answered(round_, [seat.number for seat in left])


def check_answered(round_: Round, left: Iterable[int] = ()) -> None:
    """Refuses to end a round while people have not answered for a seat (P6). left: said of these now."""
    waits = sorted({*round_.waiting(), *left} - round_.lost())
    refuse_if(bool(waits), "abandoned_waits", seats=waits)


def _check_left(round_: Round, left: Iterable[Seat]) -> None:
    """Checks that the seats whose players left have wagers, which are not settled (P6)."""
    for seat in left:
        refuse_if(seat.number in round_.settled(), "seat_settled_already", seat=seat.number)
    for seat in left:
        idle = all(bet.seat != seat.number for bet in round_.bets)
        refuse_if(idle, "abandoned_without_wager", seat=seat.number)


def _rank_seats(
    state: BankState, table: Table, seats: Sequence[Seat], played: Sequence[int], common: CardsShown
) -> None:
    """Ranks each seat's cards on each link that is played.

    The seats' cards and the board were counted before. common: without a seat's own cards.
    """
    shown = [seat for seat in seats if seat.cards]
    for link in played if shown else ():
        terms = state.link(link).terms
        made = hands.own_and_board(terms.hand_kind, table.terms.game)
        if made is None:
            _rank_of_others(terms, table.terms.game, link, shown, common)
            continue
        taken, ranking = made
        if len(common.board) < taken:
            raise _needs_more(terms)
        community = common.board[:taken]
        for seat in shown:
            seat.ranked[link] = ranking(seat.cards + community)


def _rank_of_others(
    terms: LinkTerms, game: Game, link: int, seats: Sequence[Seat], common: CardsShown
) -> None:
    """Ranks hands that are made of other cards besides, or beaten by another, where these are shown.

    Not those that the close decides: no seat has one (B10, B11, B13, B16).
    """
    kind = terms.hand_kind
    if kind in DECIDED_AT_CLOSE:
        return
    for seat in seats:
        shown = common._replace(own=seat.cards)
        ranked = None
        if kind != "beaten":
            ranked = hands.rank_shown(kind, game, shown, terms.cards)
        elif not hands.needs(kind, game).missing(shown):
            lost = hands.beaten(shown.own, shown.dealer, shown.board)
            if lost is not None:
                ranked, seat.beaten = lost.ranked, 0 if lost.by_player else seat.number
        if ranked is not None:
            seat.ranked[link] = ranked


def _needs_more(terms: LinkTerms) -> Refusal:
    return Refusal("board_too_short", link=terms.link)


def _check_players(table: Table, round_: Round, named: Sequence[Claim]) -> None:
    """Checks the player of a box without a wager: no wager and no other hand contradicts it (A5, T9)."""
    nameless = {bet.seat for bet in round_.bets if bet.player is None} if named else set()
    for claim in named:
        refuse_if(claim.seat in nameless, "seat_without_player_name", seat=claim.seat)
    check_players(table, [*round_.bets, *round_.shown, *named])


def _read_claims(state: BankState, table: Table, seat: Seat, named: dict[int, list[int]]) -> None:
    """Reads one seat's claims as one hand: the same cards have one name (H2, H4). named: links by claim."""
    number, ranked = seat.number, seat.ranked
    spoken: dict[HandKind, Ranked] = {}
    for claim in seat.claims:
        for link in named.get(id(claim), ()):
            name = Ranked(claim.hand or "", claim.suit or "")
            if link not in ranked:
                seat.unverified.add(link)
                ranked[link] = name
            kind = state.link(link).terms.hand_kind
            _check_name(number, name, ranked[link])
            _check_name(number, name, spoken.get(kind, name))
            spoken[kind] = name if name.suit else spoken.get(kind, name)
        link = link_number(state, table, claim.link) if claim.link else 0
        packed = b"" if seat.shown else deck.pack(seat.cards)
        hand, suit = claim.hand or "", claim.suit or ""
        shown = HandShown(number, packed, hand, suit, link, claim.folded, seat.player, claim.abandoned)
        seat.shown.append(shown)


def _rank(
    state: BankState, table: Table, number: int, own: tuple[int, ...], board: tuple[int, ...]
) -> Ranked:
    terms = state.link(number).terms
    ranked = hands.rank(terms.hand_kind, table.terms.game, own, board)
    if ranked is None:
        raise _needs_more(terms)
    return ranked


def dealer_ranked(state: BankState, table: Table, number: int, showing: ShownCards) -> Ranked:
    """Ranks the dealer's hand, for the wagers on it (A6)."""
    return _rank(state, table, number, showing.dealer, showing.board)


def _check_name(seat: int, name: Ranked, ranked: Ranked) -> None:
    other_suit = name.suit and ranked.suit and name.suit != ranked.suit
    refuse_if(
        name.name != ranked.name or bool(other_suit),
        "hand_not_of_cards",
        seat=seat,
        claimed=name.name,
        ranked=ranked.name,
    )


def _named_links(state: BankState, table: Table, round_: Round, claim: Claim, played: list[int]) -> list[int]:
    """The links that a named hand is for: its `link` if it is known, or all whose hand the same cards make.

    A link counts also where only other seats have wagered on it, for the hand may earn them envy (A5).
    """
    name = claim.hand or ""
    played = [number for number in played if named(state.link(number).terms)]
    if claim.link is not None:
        links = [number for number in table.links if state.link(number).terms.link == claim.link]
        for number in links:
            refuse_if(not named(state.link(number).terms), "offer_needs_cards", link=claim.link)
    else:
        own = {bet.link for bet in round_.bets if bet.seat == claim.seat and not bet.dealer}
        wagered = own.intersection(played)
        kinds = {state.link(number).terms.hand_kind for number in wagered or played}
        refuse_if(len(kinds) > 1, "hand_needs_link")
        links = [number for number in played if state.link(number).terms.hand_kind in kinds]
    for number in links:
        terms = state.link(number).terms
        known = name in hands.NAMES[terms.hand_kind]
        refuse_if(not known, "hand_not_of_link", hand=name, link=terms.link)
        missing = name in _suited_hands(terms) and claim.suit is None and claim.cards is None
        refuse_if(missing, "hand_needs_suit", link=terms.link, hand=name)
    return links


def _suited_hands(terms: LinkTerms) -> set[str]:
    """The hands that this link's rows distinguish by suit."""
    rows = {row.hand for row in terms.rows if row.suits}
    return rows | {row.hand for row in terms.envy if row.suits}


def _check_order(table: Table, round_: Round, seats: Sequence[Seat], order: list[int]) -> None:
    """Checks that seat numbers fall, from the dealer's far right; anew when reopened (T4).

    In Ultimate Texas Hold 'Em folded hands may come after the others, falling among themselves (B8).
    """
    settled = round_.settled()
    before = [] if round_.reopened else settled
    falls = table.terms.game == "ultimate-texas-holdem" and (before or len(order) > 1)
    turns = [*before, *order] if falls else [min(before), *order] if before else order
    if turns != sorted(turns, reverse=True):
        folded = {shown.seat for shown in round_.shown if shown.folded} if falls else set[int]()
        late = _late(turns, folded | {seat.number for seat in seats if seat.folded} if falls else folded)
        for seat in seats:
            seat.late = seat.number in late
    for number in order if settled else ():
        refuse_if(number in settled, "seat_settled_already", seat=number)


def _late(turns: Sequence[int], folded: Collection[int]) -> list[int]:
    """The seats whose folded hands come after the others; refused where seats rise otherwise (T4, B8)."""
    rises = [at for at, (before, after) in enumerate(pairwise(turns), 1) if before < after]
    others, late = turns[: rises[0]], turns[rises[0] :]
    if len(rises) > 1 or late[0] not in folded or set(late) & set(others):
        raise Refusal("seat_out_of_order", high=turns[rises[-1]], low=turns[rises[-1] - 1])
    for seat in late:
        refuse_if(seat not in folded, "seat_after_late_folds", seat=seat)
    return list(late)


def _check_wagers(state: BankState, table: Table, wagered: set[int], claims: Sequence[Claim]) -> None:
    """Checks that a hand named for a link counts there, for its own wager or for the envy of others (A5)."""
    for claim in claims:
        if claim.link is not None and link_number(state, table, claim.link) not in wagered:
            raise Refusal("no_wager_on_link", link=claim.link)


def _check_all_in_one(
    state: BankState,
    round_: Round,
    wagered: set[int],
    seats: Sequence[Seat],
    dealer: tuple[int, ...],
    *,
    close: bool,
) -> None:
    """Checks that a share link, or a wager on the dealer's hand, has all hands in one settlement (T5, A6).

    One that leaves out a seat is refused, unless it closes the round as well: no other would be taken, and
    what that seat has won would be lost. In a reopened round hands come as they are found (T10).
    """
    on_dealer = round_.on_dealer()
    shared = "share" in [state.link(number).terms.simultaneous for number in wagered]
    if round_.reopened or not (on_dealer or shared):
        return
    if seats:
        refuse_if(bool(round_.settlings), "one_settle_was_taken")
        shown = {seat.number for seat in seats} | round_.lost()
        left_out = sorted({bet.seat for bet in round_.bets if not bet.dealer} - shown, reverse=True)
        refuse_if(bool(left_out) and not close, "one_settle_lacks_seats", seats=left_out)
    wanted = on_dealer and bool(seats or close)
    refuse_if(wanted and not dealer, "dealer_hand_missing")


def check_offers(
    state: BankState,
    table: Table,
    round_: Round,
    seats: Sequence[Seat],
    common: CardsShown,
    *,
    close: bool,
) -> None:
    """Refuses to settle these seats, or to end the round, without the cards that decide its offers (B16).

    What the first close decides is not due before, whatever seats are settled (B10, B13).
    """
    settled, gone = set(round_.settled()), round_.lost()
    now = {seat.number for seat in seats}
    folded = {seat.number for seat in seats if seat.folded}
    due: set[int] = set()
    for bet in round_.bets:
        if bet.link not in round_.offers or bet.seat in gone:
            continue
        terms = state.link(bet.link).terms
        if terms.hand_kind in DECIDED_AT_CLOSE:
            is_due = close and not round_.reopened
        else:
            lost = bet.seat in folded and terms.forfeits(table.terms.game)
            is_due = (bet.seat in now or (close and bet.seat not in settled)) and not lost
        if is_due:
            due.add(bet.link)
    for number in sorted(due):
        refusal = lacking(state.link(number).terms, table, round_, common, len(hands_shown(round_, seats)))
        if refusal is not None:
            raise refusal


def common_of(round_: Round) -> CardsShown:
    """The cards that were shown of a round, without those of seats."""
    return CardsShown((), deck.unpack(round_.board), deck.unpack(round_.dealer), deck.unpack(round_.bonus))


def hands_shown(round_: Round, seats: Iterable[Seat] = ()) -> dict[int, tuple[int, ...]]:
    """The cards of every seat that has shown them by now."""
    shown = {before.seat: deck.unpack(before.cards) for before in round_.shown if before.cards}
    return shown | {seat.number: seat.cards for seat in seats if seat.cards}


def ranked_at_close(terms: LinkTerms, round_: Round, showing: ShownCards) -> Ranked:
    """The one hand by which the close pays every wager on an offer (B10, B13)."""
    if terms.hand_kind == "five-board":
        return hands.five_best(showing.board)
    return hands.best_of_table(hands_shown(round_, showing.seats).values(), showing.board)


def _check_dealer(
    state: BankState, table: Table, round_: Round, dealer: tuple[int, ...], board: tuple[int, ...]
) -> None:
    """Checks that a dealer's hand with wagers is shown whole, with the board that it needs (A6)."""
    if not dealer or round_.dealer:
        return
    links = {bet.link for bet in round_.bets if bet.dealer}
    game, count = table.terms.game, hands.DEALS[table.terms.game].dealer
    if links or any(_counts_dealer(state.link(number).terms, game) for number in round_.offers):
        refuse_if(len(dealer) != count, "dealer_count_wrong", count=count, shown=len(dealer))
    for number in sorted(links):
        _rank(state, table, number, dealer, board)


def _counts_dealer(terms: LinkTerms, game: Game) -> bool:
    """Whether a wager on the link counts the dealer's cards besides its seat's (B11, B16)."""
    return hands.needs(terms.hand_kind, game, terms.cards).dealer > 0


def _check_possible(round_: Round, seats: Sequence[Seat], common: CardsShown) -> None:
    """Checks that no card comes twice in a round: it is played with one deck (L1, H4)."""
    seen = [*common.board, *common.dealer, *common.bonus]
    for before in round_.shown:
        seen += deck.unpack(before.cards)
    for seat in seats:
        seen += seat.cards
    if len(set(seen)) < len(seen):
        card, count = next((card, count) for card, count in Counter(seen).items() if count > 1)
        raise Refusal("card_shown_twice", card=deck.text(card), count=count)


def _board(round_: Round, sent: tuple[int, ...]) -> tuple[int, ...]:
    """The community cards; a later message may add cards, and change none."""
    before = tuple(deck.unpack(round_.board))
    differs = bool(sent) and sent[: len(before)] != before
    refuse_if(differs, "board_differs")
    return sent or before


def _unchanged(shown: bytes, sent: tuple[int, ...], template: str) -> tuple[int, ...]:
    """The cards that were sent, or before; both where they are the same."""
    if not shown:
        return sent
    before = deck.unpack(shown)
    refuse_if(bool(sent) and sent != before, template)
    return before
