"""The independent model's tables and rounds, and which of their commands is refused with which code."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any
from unicodedata import normalize

from tests.faults.model_facts import Link, Play, Wager
from tests.faults.model_hands import ORDER, best_name, most, pair_rank
from tests.faults.model_paytables import CRISS_CROSS, FOUR_CARD, HOLD_EM, LET_IT_RIDE, THREE_CARD

Map = dict[str, Any]
Spoken = tuple[str, Map]  # a link, and what a seat's hand is on it
DEALT = {LET_IT_RIDE: 3, HOLD_EM: 2, THREE_CARD: 3, FOUR_CARD: 5, CRISS_CROSS: 2}
# How many community cards are shown at a time.
BOARDS = {LET_IT_RIDE: (0, 2), HOLD_EM: (0, 3, 5), CRISS_CROSS: (0, 5)}
# What an offer counts of the cards that no seat holds: of the board, of the dealer, of the bonus cards.
NEEDS = {"bonus": (0, 0, 3), "dealer": (0, 3, 0), "beaten": (5, 2, 0), "board": (5, 0, 0), "table": (2, 0, 0)}
AT_CLOSE = ("board", "table")  # offers that the close pays, for all seats by the same hand
ANY = "any"  # a game that is not named: its rounds end without cards (Y7)
OPEN, LOCKED, MISMATCH, DONE, VOID = "open", "locked", "mismatch", "closed", "void"


class Refused(Exception):
    """A command refused whole, with its code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Round:
    """number: which of its table's it is; a table may use a name again."""

    name: str
    table: str
    number: int
    state: str = OPEN
    wagers: list[Wager] = field(default_factory=list)
    players: dict[int, str] = field(default_factory=dict)
    boxes: dict[int, str] = field(default_factory=dict)  # whose a box without a wager is, as its hand said
    chips: dict[str, int] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=dict)  # what the chips come to, in cents (B3)
    draws: dict[str, Map] = field(default_factory=dict)
    board: list[str] = field(default_factory=list)
    dealer: list[str] = field(default_factory=list)
    bonus: list[str] = field(default_factory=list)
    players_dealt: int = 0  # as the lock said
    cards: dict[int, list[str]] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    lowest: int | None = None  # the last seat settled
    turns: list[int] = field(default_factory=list)  # the seats settled before it was ever closed, in order
    folded: set[int] = field(default_factory=set)
    paid_draws: set[tuple[int, str, str]] = field(default_factory=set)
    dealer_done: bool = False
    ended: bool = False  # it was closed at least once
    reopened: bool = False
    shared: list[Any] = field(default_factory=list)  # winners waiting for the close
    played: dict[str, Play] = field(default_factory=dict)  # by link, as of its first close
    asked_ms: int | None = None  # when somebody first asked to reopen it, since it was closed
    gone: dict[int, bool] = field(default_factory=dict)  # abandoned seats, and whether people confirmed it

    def lost(self, seat: int) -> bool:
        """P6: whether people have confirmed that the seat was abandoned."""
        return self.gone.get(seat, False)

    def live(self, link: str, on: str | None = None) -> list[Wager]:
        return [w for w in self.wagers if w.live and w.link == link and on in (None, w.on)]

    def at(self, seat: int, link: str, on: str = "own") -> Wager | None:
        return next((w for w in self.live(link, on) if w.seat == seat), None)

    def play(self, link: Link) -> Play:
        """The terms that pay it; a closed round keeps those it was played by."""
        return self.played.get(link.name) or link.play()

    def owes_dealer(self) -> bool:
        """Whether wagers on the dealer's hand wait for it to be shown."""
        waits = (w.live and w.on == "dealer" and not self.lost(w.seat) for w in self.wagers)
        return not self.dealer and any(waits)

    def one_showing(self, links: dict[str, Link]) -> bool:
        """Whether all its hands come in one settlement; those found late may come one by one (T10)."""
        live = [wager for wager in self.wagers if wager.live]
        shared = any(links[wager.link].simultaneous == "share" for wager in live)
        on_dealer = any(wager.on == "dealer" and not self.lost(wager.seat) for wager in live)
        return not self.reopened and (shared or on_dealer)


@dataclass
class Table:
    name: str
    game: str
    seats: int
    links: list[str]
    adjacent: int
    unfinished: dict[str, Round] = field(default_factory=dict)
    ended: Round | None = None  # the last round, closed or void
    reopenable: Round | None = None  # the last closed one, until the next lock
    asked: str | None = None  # that round, while a second person has not answered
    rounds: int = 0  # ever opened
    accepted: dict[str, int] = field(default_factory=dict)  # wagers ever accepted, undone ones too
    wagered: dict[str, int] = field(default_factory=dict)  # what those came to
    per_minute: int = 0  # rounds that it may open; 0 where nobody watches
    opened_ms: list[int] = field(default_factory=list)  # when it opened one, in the last minute


def one_name(player: str) -> str:
    """A player's name without what does not tell two apart: case, width, blanks, how accents are put in."""
    return " ".join(normalize("NFKC", normalize("NFKC", player).casefold()).split())


def sitting(round_: Round) -> dict[int, str | None]:
    """The seats that have a wager; None for a wager without a player: of one of its own, named by nobody."""
    return {wager.seat: round_.players.get(wager.seat) for wager in round_.wagers if wager.live}


def check_players(table: Table, round_: Round | None, bets: list[Map]) -> dict[int, str]:
    """T9: one name a seat; the seats of a name are neighbours and not more than the game allows."""
    seated = sitting(round_) if round_ is not None else {}
    players = {seat: name for seat, name in seated.items() if name is not None}
    for bet in bets:
        if "player" not in bet:
            continue
        name = one_name(bet["player"])
        if players.setdefault(bet["seat"], name) != name:
            raise Refused("bad_message")
    check_neighbours(table, players)
    return players


def check_owners(table: Table, round_: Round | None, hands: list[Map]) -> dict[int, str]:
    """A5: whose the boxes without a wager are; never against a wager, or against what was said before."""
    boxes = dict(round_.boxes) if round_ is not None else {}
    players: dict[int, str | None] = {**boxes, **(sitting(round_) if round_ is not None else {})}
    for hand in hands:
        if "player" not in hand:
            continue
        name = one_name(hand["player"])
        if players.setdefault(hand["seat"], name) != name:
            raise Refused("bad_message")
        boxes[hand["seat"]] = name
    check_neighbours(table, {seat: name for seat, name in players.items() if name is not None})
    return boxes


def check_said(table: Table, things: list[Map]) -> None:
    """T9, in one message alone: a seat is of one player, and nobody's lie farther apart than they may."""
    most = 1 if table.game == HOLD_EM else table.adjacent
    said = {(one["seat"], one_name(one["player"])) for one in things if "player" in one}
    for seat, name in said:
        for other, whose in said:
            if (seat == other and name != whose) or (name == whose and abs(seat - other) >= most):
                raise Refused("bad_message")


def check_neighbours(table: Table, players: dict[int, str]) -> None:
    most = 1 if table.game == HOLD_EM else table.adjacent
    for name in set(players.values()):
        seats = [seat for seat, whose in players.items() if whose == name]
        if max(seats) - min(seats) + 1 != len(seats) or len(seats) > most:
            raise Refused("bad_message")


def check_kept(table: Table, links: dict[str, Link], void: Map) -> None:
    """P5: a void keeps Trips Wagers alone, and for a card that was exposed or found face up."""
    for name in void.get("settles", []):
        if void.get("cause") not in ("cards-face-up", "exposed-card"):
            raise Refused("bad_message")
        link = links.get(name) if name in table.links else None
        if link is None:
            continue
        trips = link.offer and link.placed == "layout" and link.paytable.best_of == "seven"
        if table.game != HOLD_EM or not trips:
            raise Refused("bad_message")


def check_bets(
    table: Table, links: dict[str, Link], bets: list[Map], taken: set[tuple[int, str, str]]
) -> None:
    """The codes of a wager's bets, each looked for over the whole message before the next."""
    if any(bet["link"] not in table.links for bet in bets):
        raise Refused("unknown_link")
    if any(not 1 <= bet["seat"] <= table.seats for bet in bets):
        raise Refused("unknown_seat")
    if any(not links[bet["link"]].takes(bet["amount"]) for bet in bets):
        raise Refused("wrong_amount")
    taken = set(taken)
    for bet in bets:
        key = (bet["seat"], bet["link"], bet.get("on", "own"))
        if key in taken:
            raise Refused("duplicate_wager")
        taken.add(key)


def check_said_players(
    table: Table, links: dict[str, Link], bets: list[tuple[int, str]], said: int | None, known: Round | None
) -> int:
    """B10: how many players the lock says, where a bet is on an offer; 0 where it does not.

    bets: seat and link.
    """
    offers = [link for _, link in bets if links[link].offer]
    if said is None or not offers:
        if any(links[link].paytable.best_of == "table" for link in offers) and not (
            known and known.players_dealt
        ):
            raise Refused("bad_message")
        return 0
    if not len({seat for seat, _ in bets}) <= said <= table.seats:
        raise Refused("bad_message")
    seen = known and (known.ended or known.board or known.dealer or known.bonus or known.settled)
    if known is not None and seen and said != known.players_dealt:
        raise Refused("bad_message")
    return said


def miscounted(
    table: Table, links: dict[str, Link], round_: Round, chips: dict[str, int], sums: dict[str, int]
) -> set[str]:
    """T3, B3, B6: the links whose count, or sum, disagrees with the wagers, or is owed.

    Electronic ones have none, and those on the layout. Who sends one of both owes the other where amounts
    vary.
    """
    on_device = [links[name] for name in table.links if links[name].placed == "device"]
    counted = [link for link in on_device if not link.paytable.electronic]
    wrong = set[str]()
    for link in counted:
        live, said = round_.live(link.name), link.name in chips or link.name in sums
        if not said and not round_.play(link).count_chips:
            continue
        if chips.get(link.name, 0) != len(live):
            wrong.add(link.name)
        if (link.most > link.wager or link.name in sums) and sums.get(link.name, 0) != sum(
            wager.cents for wager in live
        ):
            wrong.add(link.name)
    return wrong


def count_state(table: Table, links: dict[str, Link], round_: Round) -> str:
    """T3: locked, or waiting for a count that agrees."""
    return MISMATCH if miscounted(table, links, round_, round_.chips, round_.sums) else LOCKED


@dataclass
class Common:
    """The cards that no seat holds, as a round or a message has them."""

    board: list[str]
    dealer: list[str]
    bonus: list[str]


def common_of(round_: Round, message: Map) -> Common:
    told = (message.get(name, getattr(round_, name)) for name in ("board", "dealer", "bonus"))
    return Common(*told)


def counted_of(link: Link) -> tuple[int, int, int]:
    """How many of the board, the dealer's and the bonus cards an offer of other cards counts."""
    if link.paytable.best_of != "named":
        return NEEDS[link.paytable.best_of]
    last = {
        what: max([int(place[-1]) for place in link.cards if place.startswith(what)], default=0)
        for what in ("board", "dealer")
    }
    return last["board"], 2 if last["dealer"] else 0, 0


def lacks_common(link: Link, common: Common) -> bool:
    """B16: whether cards that the link's wagers count besides a seat's own were not shown."""
    board, dealer, bonus = counted_of(link)
    return len(common.board) < board or len(common.dealer) < dealer or len(common.bonus) < bonus


def other_cards(link: Link, dealt: list[str], common: Common) -> list[str]:
    """B16: the six cards of a Six Card Bonus."""
    if link.paytable.best_of == "named":
        held = {"own": dealt, "dealer": common.dealer, "board": common.board}
        return [held[place[:-2]][int(place[-1]) - 1] for place in link.cards]
    return dealt + (common.bonus if link.paytable.best_of == "bonus" else common.dealer)


def hand_cards(table: Table, link: Link, dealt: list[str], board: list[str]) -> list[str]:
    """H2: which cards make the hand of a wager on this link at this table's game."""
    if link.paytable.kind == "three" or table.game in (THREE_CARD, FOUR_CARD):
        return dealt
    if table.game == LET_IT_RIDE:
        needed = board[:2] if len(board) >= 2 else None
    elif link.paytable.best_of == "seven":
        needed = board if len(board) == 5 else None
    else:
        needed = board[:3] if len(board) >= 3 else None
    if needed is None:
        raise Refused("bad_message")
    return dealt + needed


@dataclass
class Claim:
    """One hand on one link: its name, its suit where it has only one, and whether it was shown."""

    name: str
    suit: str = ""
    shown: bool = True
    unverified: bool = False
    rank: str = ""  # of a pair
    because: int | None = None  # whose hand it is, 0 the dealer's, where another hand beat it


def claim_of(table: Table, link: Link, hand: Map, common: Common) -> Claim | None:
    """The hand on this link; None where nothing was shown or named."""
    kind, board = link.paytable.kind, common.board
    if link.must_hit:
        return None  # no hand wins it (Y7)
    if link.paytable.best_of not in ("dealt", "seven"):
        return claim_of_others(link, hand, common)
    if "cards" in hand:
        used = hand_cards(table, link, hand["cards"], board)
        name = best_name(kind, used)
        suits = {card[1] for card in used}
        suit, rank = suits.pop() if len(suits) == 1 else "", pair_rank(used) if name == "pair" else ""
        claim = Claim(name, suit, rank=rank)
        if "hand" in hand and not same_name(hand["hand"], name):
            raise Refused("hand_mismatch")
        if "suit" in hand and kind == "three" and claim.suit not in ("", hand["suit"]):
            raise Refused("hand_mismatch")
        return claim
    if "hand" in hand and not hand.get("folded"):
        return Claim(hand["hand"], hand.get("suit", ""), shown=False, unverified=True)
    return None


def claim_of_others(link: Link, hand: Map, common: Common) -> Claim | None:
    """B11, B16: the hand of an offer that counts other cards besides; None where they were not shown."""
    best_of = link.paytable.best_of
    if best_of in AT_CLOSE or "cards" not in hand or lacks_common(link, common):
        return None
    if best_of != "beaten":
        used = other_cards(link, hand["cards"], common)
        name = best_name("six", used)
        return Claim(name, used[0][1] if name == "six-card-royal-flush" else "")
    player, house = hand["cards"] + common.board, common.dealer + common.board
    if most(player) == most(house):
        return None
    lost = player if most(player) < most(house) else house
    return Claim(best_name("five", lost), because=hand["seat"] if lost is player else 0)


def claim_at_close(link: Link, round_: Round) -> Claim:
    """B10, B13: the one hand that decides for every seat."""
    if link.paytable.best_of == "board":
        return Claim(best_name("five", round_.board), rank=pair_rank(round_.board))
    names = [best_name("five", dealt + round_.board[:2]) for dealt in round_.cards.values()]
    return Claim(min(names, key=ORDER["five"].index))


def same_name(claimed: str, name: str) -> bool:
    return claimed == name or (claimed, name) == ("four-of-a-kind", "four-aces")


def made_of(table: Table, link: Link) -> tuple[str, bool]:
    """H2: links for which this is the same have hands of the same cards at this table."""
    return link.paytable.kind, table.game == HOLD_EM and link.paytable.best_of == "seven"


def hand_links(table: Table, links: dict[str, Link], round_: Round, hand: Map) -> list[str]:
    """The links that one entry of a settlement speaks for; a name only for hands of the same cards.

    A name never speaks for an offer (B16), nor for a mystery (Y7).
    """
    if "link" in hand:
        if "hand" in hand and hand["link"] in table.links and not takes_names(links[hand["link"]]):
            raise Refused("bad_message")
        return [hand["link"]]
    if "hand" not in hand:
        return list(table.links)
    spoken = [name for name in table.links if takes_names(links[name])]
    own = [name for name in spoken if round_.at(hand["seat"], name)]
    meant = {made_of(table, links[name]) for name in own or spoken if own or round_.live(name)}
    if len(meant) > 1:
        raise Refused("bad_message")
    return [name for name in spoken if not meant or made_of(table, links[name]) in meant]


def takes_names(link: Link) -> bool:
    """H4, B16, Y7: whether a hand may be named for it: not where cards alone count, and not where none do."""
    return not link.offer and not link.must_hit


def hands_by_link(table: Table, links: dict[str, Link], round_: Round, hands: list[Map]) -> list[Spoken]:
    """Each seat's hand on each link that it speaks for, in order; cards speak for every link (H4)."""
    spoken: list[Spoken] = []
    for seat in dict.fromkeys(hand["seat"] for hand in hands):
        entries = [hand for hand in hands if hand["seat"] == seat]
        shown = [hand["cards"] for hand in entries if "cards" in hand]
        whole: Map = {"seat": seat, "folded": any(hand.get("folded", False) for hand in entries)}
        whole |= {"cards": shown[0]} if shown else {}
        said = dict.fromkeys(table.links, whole) if shown else {}
        for hand in entries:
            for name in hand_links(table, links, round_, hand):
                said[name] = said.get(name, {}) | hand | whole
        spoken += [(name, said[name]) for name in table.links if name in said]
    return spoken


def check_names(table: Table, links: dict[str, Link], round_: Round, hands: list[Map]) -> None:
    """H4: a seat's cards have one name; two links whose hands are made of the same cards say the same."""
    for one, other in combinations((hand for hand in hands if "hand" in hand), 2):
        same_seat = one["seat"] == other["seat"]
        differ = one["hand"] != other["hand"] or len({one.get("suit"), other.get("suit")} - {None}) > 1
        if same_seat and differ:
            spoken = [hand_links(table, links, round_, hand) for hand in (one, other)]
            mine, its = ({made_of(table, links[name]) for name in names} for names in spoken)
            if mine & its:
                raise Refused("hand_mismatch")


def check_dealt(table: Table, message: Map) -> None:
    """H2: as many cards as the game deals to a seat, and to the board."""
    if table.game == ANY and any(message.get(name) for name in ("hands", "board", "dealer", "bonus")):
        raise Refused("bad_message")
    seats = {len(hand["cards"]) for hand in message["hands"] if "cards" in hand}
    board = len(message.get("board", []))
    if seats - {DEALT.get(table.game, 0)} or board not in BOARDS.get(table.game, (0,)):
        raise Refused("bad_message")
    if "bonus" in message and (table.game != LET_IT_RIDE or len(message["bonus"]) != 3):
        raise Refused("bad_message")


def check_hands(table: Table, hands: list[Map]) -> None:
    """Refuses a settlement for faults in its hands that do not depend on the round."""
    seats: dict[int, list[Map]] = {}
    gone: set[int] = set()
    for hand in hands:
        folded = hand.get("folded", False)
        if hand["seat"] in gone or (hand.get("abandoned") and (folded or hand["seat"] in seats)):
            raise Refused("bad_message")
        if hand.get("abandoned"):
            if "hand" in hand or "link" in hand:
                raise Refused("bad_message")
            gone.add(hand["seat"])
            continue
        if (table.game == LET_IT_RIDE and folded) or not (folded or "cards" in hand or "hand" in hand):
            raise Refused("bad_message")
        seats.setdefault(hand["seat"], []).append(hand)
    for entries in seats.values():
        named = [hand.get("link") for hand in entries]
        dealt = {tuple(hand["cards"]) for hand in entries if "cards" in hand}
        if len(dealt) > 1 or len(named) != len(set(named)):
            raise Refused("bad_message")


def check_gone(links: dict[str, Link], round_: Round, message: Map) -> list[int]:
    """P6: the seats of which this message says that their players left; refused as `bad_message`."""
    said = [hand for hand in message["hands"] if hand.get("abandoned")]
    left = [hand["seat"] for hand in said if "cards" not in hand]
    if any("cards" in hand and not round_.lost(hand["seat"]) for hand in said):
        raise Refused("bad_message")
    of_massachusetts = {w.seat for w in round_.wagers if w.live and links[w.link].paytable.id[:3] == "ma-"}
    if left and (round_.reopened or of_massachusetts & set(left)):
        raise Refused("bad_message")
    waits = [seat for seat in {*round_.gone, *left} if not round_.lost(seat)]
    if message.get("close") and waits:
        raise Refused("bad_message")
    return left


def check_left(table: Table, round_: Round, left: list[int]) -> None:
    """P6: the seats have wagers, and were not settled."""
    if any(seat > table.seats for seat in left):
        raise Refused("unknown_seat")
    if any(seat in round_.settled for seat in left):
        raise Refused("already_settled")
    if any(not any(w.live and w.seat == seat for w in round_.wagers) for seat in left):
        raise Refused("no_wager")


def is_named(link: Link, hand: Map) -> bool:
    """Whether a hand of this link is so named; without cards it says the suit that rows tell apart."""
    paytable = link.paytable
    suited = any(row.suits and row.hand == hand["hand"] for row in paytable.rows)
    return hand["hand"] in ORDER[paytable.kind] and (not suited or "cards" in hand or "suit" in hand)


def check_shown(table: Table, links: dict[str, Link], round_: Round, message: Map) -> None:
    """Refuses a settlement for faults against its round's wagers and known cards."""
    hands, board = message["hands"], message.get("board", round_.board)
    shown = message.get("dealer", round_.dealer)
    if board[: len(round_.board)] != round_.board or round_.dealer not in ([], shown):
        raise Refused("bad_message")
    if round_.bonus not in ([], message.get("bonus", round_.bonus)):
        raise Refused("bad_message")
    if shown and not round_.dealer:
        counts = [one for one in offers_of(links, round_) if counted_of(one)[1]]
        if counts and len(shown) != {HOLD_EM: 2, THREE_CARD: 3}[table.game]:
            raise Refused("bad_message")
    if (hands or message.get("close")) and round_.owes_dealer() and not shown:
        raise Refused("bad_message")
    if hands and round_.one_showing(links):
        own = {wager.seat for wager in round_.wagers if wager.live and wager.on == "own"}
        left_out = {seat for seat in own if not round_.lost(seat)} - {hand["seat"] for hand in hands}
        if round_.settled or (left_out and not message.get("close")):
            raise Refused("bad_message")
    for name, hand in hands_by_link(table, links, round_, hands):
        names = [one for one in hands if one["seat"] == hand["seat"] and "hand" in one]
        for one in names:
            spoken = (round_.live(name) or "link" in one) and name in hand_links(table, links, round_, one)
            if spoken and not is_named(links[name], hand | {"hand": one["hand"]}):
                raise Refused("bad_message")
        of_others = links[name].paytable.best_of not in ("dealt", "seven")
        if "cards" in hand and round_.live(name, "own") and not of_others:
            hand_cards(table, links[name], hand["cards"], board)
    for wager in round_.wagers:
        if wager.live and wager.on == "dealer" and shown and not round_.dealer_done:
            hand_cards(table, links[wager.link], shown, board)
            if len(shown) != DEALT[table.game]:
                raise Refused("bad_message")


def forfeits(table: Table, link: Link) -> bool:
    """T8, B8: whether a fold loses the wager."""
    return (
        link.paytable.fold or {FOUR_CARD: "forfeits", THREE_CARD: "forfeits"}.get(table.game)
    ) == "forfeits"


def check_offers(table: Table, links: dict[str, Link], round_: Round, message: Map, close: bool) -> None:
    """B16: no wager on an offer loses for cards that nobody showed; B10: nor for a player's."""
    hands, common = message["hands"], common_of(round_, message)
    shown = set(round_.cards) | {hand["seat"] for hand in hands if "cards" in hand}
    now = {hand["seat"] for hand in hands}
    folded = {hand["seat"] for hand in hands if hand.get("folded")}
    for wager in round_.wagers:
        link = links[wager.link]
        due = wager.seat in now or (close and wager.seat not in round_.settled)
        if link.paytable.best_of in AT_CLOSE:
            due = close and not round_.reopened
        if not wager.live or not link.offer or not due or round_.lost(wager.seat):
            continue
        if not (wager.seat in folded and forfeits(table, link)) and lacks_cards(
            table, link, round_, common, len(shown)
        ):
            raise Refused("bad_message")


def lacks_cards(table: Table, link: Link, round_: Round, common: Common, shown: int) -> bool:
    """B10, B16: whether cards that an offer's wagers count were not shown. shown: by how many seats."""
    if link.paytable.best_of not in ("dealt", "seven"):
        short = link.paytable.best_of == "table" and shown != round_.players_dealt
        return short or lacks_common(link, common)
    try:
        hand_cards(table, link, [], common.board)
    except Refused:
        return True
    return False


def offers_of(links: dict[str, Link], round_: Round) -> list[Link]:
    """The offers with other cards that were ever wagered on in the round."""
    names = {wager.link for wager in round_.wagers if links[wager.link].offer}
    return [links[name] for name in names if links[name].paytable.best_of not in ("dealt", "seven")]


def all_cards(round_: Round, message: Map) -> list[str]:
    """Every card known of the round once this message is taken."""
    seats = round_.cards | {hand["seat"]: hand["cards"] for hand in message["hands"] if "cards" in hand}
    common = common_of(round_, message)
    shared = [*common.board, *common.dealer, *common.bonus]
    return [*shared, *(card for dealt in seats.values() for card in dealt)]


def late_folds(table: Table, round_: Round, hands: list[Map]) -> set[int]:
    """T4, B8: the seats of folded hands that come after the others, where the game lets them."""
    before = [] if round_.reopened else round_.turns
    folded = round_.folded | {hand["seat"] for hand in hands if hand.get("folded")}
    in_turn: list[int] = []
    late: list[int] = []
    for seat in [*before, *(hand["seat"] for hand in hands)]:
        if not late and (not in_turn or seat <= in_turn[-1]):
            in_turn.append(seat)
        elif table.game != HOLD_EM or seat not in folded or seat in in_turn or (late and seat > late[-1]):
            raise Refused("out_of_order")
        else:
            late.append(seat)
    return set(late)


def check_settle(table: Table, links: dict[str, Link], round_: Round, message: Map) -> None:
    """The codes of a settlement after what is wrong with it whatever else stands, in their order."""
    hands, common = message["hands"], common_of(round_, message)
    if any("link" in hand and hand["link"] not in table.links for hand in hands):
        raise Refused("unknown_link")
    if any(not 1 <= hand["seat"] <= table.seats for hand in hands):
        raise Refused("unknown_seat")
    late_folds(table, round_, hands)
    if any(hand["seat"] in round_.settled for hand in hands):
        raise Refused("already_settled")
    if any("link" in hand and not round_.live(hand["link"]) for hand in hands):
        raise Refused("no_wager")
    check_names(table, links, round_, hands)
    for name, hand in hands_by_link(table, links, round_, hands):
        if round_.live(name):
            claim_of(table, links[name], hand, common)
    known = all_cards(round_, message)
    if len(known) != len(set(known)):
        raise Refused("impossible_cards")
