"""Random floors: links, tables, rigged deals and commands, for the engine's tests and ledgers.

Most commands fit the table's round as it stands, some do not, so that refusals are exercised as well as
awards. Two royals in one round come as names, since one deck cannot deal them. Every choice comes from
one seeded generator a command, so that a failing history shrinks by whole commands.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from controllers import messages
from jackpot.rules import commands
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.meters import Account, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.payout_details import winners
from jackpot.rules.acts.rounds import Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.cards import text
from jackpot.rules.commands import RawDraws
from jackpot.rules.hands import NAMES
from jackpot.rules.paytable import (
    EnvyRow,
    ForOne,
    Game,
    LevelTerms,
    LinkTerms,
    PaytableRow,
    Percent,
    TableTerms,
    ToOne,
)
from jackpot.rules.state import BankState, Hit, Link, Placed, Round, Table
from tests import frames
from tests.frames import Bet, Claim, Unbet

DOLLAR: Final = 1_000_000
WHOLE: Final = 10_000
TENTH: Final = 1_000
BANK: Final = "main"


def level(
    name: str, primary: int, reserve: int, seed: int, reseed: int | None = None, **more: Any
) -> LevelTerms:
    """A level; rates in basis points, seeds in dollars."""
    return LevelTerms(
        name, primary, reserve, seed * DOLLAR, (seed if reseed is None else reseed) * DOLLAR, **more
    )


def _odds(four: int, full: int, flush: int, straight: int, three: int) -> tuple[PaytableRow, ...]:
    names = ("four-of-a-kind", "full-house", "flush", "straight", "three-of-a-kind")
    pays = (four, full, flush, straight, three)
    return tuple(PaytableRow(name, ForOne(n)) for name, n in zip(names, pays, strict=True) if n)


ENVY: Final = (EnvyRow("royal-flush", 1_000 * DOLLAR), EnvyRow("straight-flush", 300 * DOLLAR))
TOP_AND_TENTH: Final = (
    PaytableRow("royal-flush", Percent("meter", WHOLE)),
    PaytableRow("straight-flush", Percent("meter", TENTH)),
)
MEGA_MAJOR: Final = (
    PaytableRow("royal-flush", Percent("mega", WHOLE)),
    PaytableRow("straight-flush", Percent("major", WHOLE)),
)
MINOR: Final = (PaytableRow("four-of-a-kind", Percent("minor", WHOLE)),)


def link(
    name: str, paytable: str, levels: tuple[LevelTerms, ...], rows: tuple[PaytableRow, ...], **more: Any
) -> LinkTerms:
    """A $1 link."""
    kind = more.pop("hand_kind", "five-flop")
    wager = more.pop("wager", DOLLAR)
    return LinkTerms(name, BANK, paytable, wager, kind, levels, rows, **more)


def _bonus(name: str, **more: Any) -> LinkTerms:
    rows = TOP_AND_TENTH + _odds(500, 100, 50, 0, 0)
    return link(
        name,
        "pa-653a-five-card-hand-bonus",
        (level("meter", 1_300, 800, 10_000, 0),),
        rows,
        electronic=True,
        dealer_hand=True,
        always_validate_for=500,
        **more,
    )


LINKS: Final = (
    link(
        "five-A",
        "pa-643a-five-card-A",
        (level("meter", 2_100, 0, 10_000),),
        TOP_AND_TENTH + _odds(300, 50, 40, 30, 9),
        envy=ENVY,
    ),
    link(
        "five-B",
        "pa-643a-five-card-B",
        (level("mega", 1_100, 0, 10_000), level("major", 1_000, 0, 1_000)),
        MEGA_MAJOR + _odds(300, 50, 40, 30, 9),
        envy=ENVY,
        validate_at=100 * DOLLAR,
    ),
    link(
        "five-C",
        "pa-643a-five-card-C",
        (level("mega", 900, 0, 10_000), level("major", 700, 0, 1_000), level("minor", 300, 0, 250)),
        MEGA_MAJOR + MINOR + _odds(0, 50, 40, 30, 10),
        envy=ENVY,
        hold_table=False,
    ),
    link(
        "five-D",
        "pa-643a-five-card-D",
        (level("mega", 1_000, 0, 50_000), level("major", 800, 0, 5_000), level("minor", 300, 0, 1_250)),
        MEGA_MAJOR + MINOR + _odds(0, 50, 40, 30, 9),
        wager=5 * DOLLAR,
        envy=(EnvyRow("royal-flush", 5_000 * DOLLAR), EnvyRow("straight-flush", 1_500 * DOLLAR)),
        count_chips=True,
    ),
    _bonus("bonus"),
    _bonus("bonus-share", simultaneous="share", hold_table=False, validate_at=1_000 * DOLLAR),
    # Small and steep, so that a few wagers reach the limit, the reserve and the floor.
    link(
        "ceiling",
        "ma-PTMGL01",
        (level("meter", 5_033, 1_207, 50, 50, limit=53 * DOLLAR),),
        (
            *TOP_AND_TENTH,
            PaytableRow("four-of-a-kind", Percent("meter", 3_333)),
            PaytableRow("flush", ToOne(50)),
        ),
        simultaneous="share",
        floor_to_seed=True,
        hold_table=False,
        magic_every=2,
        lucky_every=2,
        magic_for=20,
        lucky_for=5,
    ),
    link(
        "four-A",
        "pa-641a-2011-progressive-A",
        (level("meter", 1_400, 300, 5_000),),
        (
            PaytableRow("four-aces", Percent("meter", WHOLE)),
            PaytableRow("four-of-a-kind", ForOne(300)),
            PaytableRow("straight-flush", ForOne(100)),
            PaytableRow("three-of-a-kind", ForOne(9)),
        ),
        hand_kind="four",
        envy=(
            EnvyRow("four-aces", 100 * DOLLAR),
            EnvyRow("four-of-a-kind", 10 * DOLLAR),
            EnvyRow("straight-flush", 5 * DOLLAR),
        ),
    ),
    link(
        "three-A",
        "pa-643a-three-card-A",
        (level("meter", 1_400, 0, 1_000),),
        (
            PaytableRow("mini-royal", Percent("meter", WHOLE), "s"),
            PaytableRow("mini-royal", ForOne(500), "hdc"),
            PaytableRow("straight-flush", ForOne(70)),
            PaytableRow("three-of-a-kind", ForOne(60)),
            PaytableRow("straight", ForOne(6)),
        ),
        hand_kind="three",
        envy=(EnvyRow("mini-royal", 100 * DOLLAR, "s"), EnvyRow("mini-royal", 25 * DOLLAR, "hdc")),
    ),
)
TERMS: Final = {terms.link: terms for terms in LINKS}

TABLES: Final = (
    TableTerms("L1", "let-it-ride", 7, ("five-C", "three-A")),
    TableTerms("L2", "let-it-ride", 7, ("five-C", "five-A")),
    TableTerms("L3", "let-it-ride", 5, ("ceiling", "five-B"), 3),
    TableTerms("L4", "let-it-ride", 7, ("ceiling", "five-D")),
    TableTerms("U1", "ultimate-texas-holdem", 6, ("five-C", "bonus")),
    TableTerms("U2", "ultimate-texas-holdem", 6, ("bonus-share", "five-B")),
    TableTerms("F1", "four-card-poker", 7, ("four-A",)),
    TableTerms("F2", "four-card-poker", 7, ("four-A",), 1, 3),
)


class Deal(NamedTuple):
    """A rigged deal: no card twice; hands are for any seats, the dealer's is for the dealer."""

    board: str
    dealer: str
    hands: tuple[str, ...]


LET_IT_RIDE: Final = (
    Deal("Jh Th", "", ("Ah Kh Qh", "9h 8h 7h", "Qs Ks As", "Js Jd Jc", "2c 3d 8s", "2d 2s 4c", "5c 5d 6s")),
    Deal("5h 6h", "", ("2h 3h 4h", "7h 8h 9h", "5s 5d 5c", "6s 6d 6c", "Ah Kh 2d", "Qd Kd Ad", "3s 4c 7d")),
    Deal("9c 8c", "", ("9h 9d 9s", "8h 8d 8s", "Jc Tc 7c", "Ac Kc 2c", "Qs Ks As", "Th Js 7d", "2d 3h 4s")),
    Deal("2c 7d", "", ("2d 2h 2s", "7h 7s 7c", "Ks 9h 4d", "As Ks Qs", "3c 5h Td", "Jd 8h 4c", "6s 9d Qc")),
)
HOLDEM: Final = (
    Deal("Qh Jh Th 2c 3d", "9h 8h", ("Ah Kh", "2h 2d", "Qs Qd", "3h 3s", "5c 6d", "7c 7d")),
    Deal("Qh Jh Th 9h 3d", "Ah Kh", ("8h 2c", "Qs Qd", "3h 3s", "5c 6d", "7c 7d", "Kd As")),
    Deal("7c 7d 2h 2s 9c", "2c 2d", ("7h 7s", "9h 9d", "3h 3s", "5c 6d", "Kc Qc", "As Kd")),
    Deal("Ts Js Qs Ks As", "2c 2d", ("7h 7s", "9h 9d", "3h 3s", "5c 6d", "8c 8d", "4c 4d")),
)
FOUR_CARD: Final = (
    Deal("", "", ("Ah Ad Ac As 2s", "Kh Kd Kc Ks 3s", "5h 6h 7h 8h 2d", "9h 9d 9c 3d 4s", "Th Td Jc 2c 4d")),
    Deal("", "", ("5s 6s 7s 8s Ad", "2h 2d 2c 2s Kd", "Qh Qd Qc Qs Jh", "9s Ts Js Kc 3h", "4h 5d 6c 7d 9d")),
)
DEALS: Final[dict[Game, tuple[Deal, ...]]] = {
    "let-it-ride": LET_IT_RIDE,
    "ultimate-texas-holdem": HOLDEM,
    "four-card-poker": FOUR_CARD,
}
MISTAKE: Final = 14  # one choice in so many is a wrong one


def mistakes(rng: Random) -> bool:
    """True now and then."""
    return rng.randrange(MISTAKE) == 0


def people(rng: Random) -> tuple[str, ...]:
    """One person, two, one twice, or nobody."""
    return rng.choice([("ann",), ("ann",), ("ann", "bob"), ("bob", "ann"), ("ann", "ann"), ()])


def draws(rng: Random, state: BankState) -> dict[str, RawDraws]:
    """The raw random numbers of every link's draws (A7)."""
    return {
        link.terms.link: RawDraws(rng.randrange(2), rng.randrange(52), rng.randrange(2), rng.randint(1, 5))
        for link in state.links
    }


def says(rng: Random, state: BankState, table: Table, fresh: str) -> messages.TableMessage:
    """What a table says next: wagers, the lock, hands or the end; now and then what does not fit."""
    round_ = table.unfinished()
    if round_ is None or (round_.state == "open" and rng.random() < 0.2):
        return wagers(rng, state, table, fresh)
    if round_.state == "open" and round_.bets and rng.random() < 0.15:
        return withdrawals(rng, state, round_)
    if round_.state != "locked":
        return frames.Lock(round_.id, chips(rng, state, table, round_))
    if rng.random() < 0.08:
        return frames.Void(round_.id, "misdeal")
    if rng.random() < 0.2:
        return frames.Close(round_.id, counts(rng, table))
    return settlements(rng, state, table, round_)


def wagers(rng: Random, state: BankState, table: Table, fresh: str) -> messages.Wager:
    """Wagers for the open round, or for a new one named `fresh`."""
    round_ = table.unfinished()
    made = round_.bets if round_ else []
    taken = {(bet.seat, bet.link, bet.dealer) for bet in made}
    known = {bet.seat: bet.player for bet in made}
    seats = rng.sample(range(1, table.terms.seats + 1), rng.randint(1, table.terms.seats))
    bets = []
    for seat in seats:
        player = known.get(seat) or rng.choice([None] * 12 + ["ann", "bob"])
        for number, name in zip(table.links, table.terms.links, strict=True):
            terms = state.link(number).terms
            for on in ("own", "dealer") if terms.dealer_hand else ("own",):
                again = (seat, number, on == "dealer") in taken
                if rng.randrange(3) == 0 or (again and not mistakes(rng)):
                    continue
                cents = terms.wager // 10_000 + (mistakes(rng) and mistakes(rng))
                bets.append(Bet(seat, name, cents, player, on))
    name = round_.id if round_ and not mistakes(rng) else fresh
    return frames.Wager(name, tuple(bets), rng.random() < 0.6, chips(rng, state, table, round_, bets))


def chips(
    rng: Random, state: BankState, table: Table, round_: Round | None, bets: Sequence[Bet] = ()
) -> dict[str, int] | None:
    """The dealer's count: right, wrong or missing."""
    if rng.random() < 0.5 and not any(state.link(number).terms.count_chips for number in table.links):
        return None
    counted = dict.fromkeys(table.terms.links, 0)
    for bet in bets:
        counted[bet.link] += 1
    by_number = dict(zip(table.links, table.terms.links, strict=True))
    for made in round_.bets if round_ else ():
        counted[by_number[made.link]] += 1
    return {name: count + mistakes(rng) for name, count in counted.items()}


def withdrawals(rng: Random, state: BankState, round_: Round) -> messages.Withdraw:
    """Some of the round's wagers."""
    bets = rng.sample(round_.bets, rng.randint(1, min(3, len(round_.bets))))
    return frames.Withdraw(round_.id, tuple(unbet(state, bet) for bet in bets))


def unbet(state: BankState, bet: Placed) -> Unbet:
    """How a command names a wager of the state."""
    return Unbet(bet.seat, state.link(bet.link).terms.link, "dealer" if bet.dealer else "own")


def settlements(rng: Random, state: BankState, table: Table, round_: Round) -> messages.Settle:
    """Rigged hands for seats still to be settled, in turn but for mistakes; all in one, or some."""
    deal = _begun(table, round_) or rng.choice(DEALS[table.terms.game])
    shown = {card for before in round_.shown for card in _texts(before.cards)}
    left = [hand for hand in deal.hands if not shown & set(hand.split())]
    settled = set(round_.settled())
    lowest = min(settled, default=table.terms.seats + 1)
    seats = [
        seat
        for seat in range(1, table.terms.seats + 1)
        if (seat not in settled and (round_.reopened or seat < lowest)) or mistakes(rng)
    ]
    seats = sorted(rng.sample(seats, rng.randint(0, min(len(seats), len(left)))), reverse=not mistakes(rng))
    claims = [
        _claim(rng, state, table, round_, seat, hand)
        for seat, hand in zip(seats, rng.sample(left, len(left)), strict=False)
    ]
    on_dealer = any(bet.dealer for bet in round_.bets)
    close = rng.random() < 0.6
    return frames.Settle(
        round_.id,
        tuple(claims),
        tuple(deal.board.split()) or None,
        tuple(deal.dealer.split()) if on_dealer else None,
        close,
        counts(rng, table) if close else None,
    )


def _claim(rng: Random, state: BankState, table: Table, round_: Round, seat: int, hand: str) -> Claim:
    folded = table.terms.game != "let-it-ride" and rng.random() < 0.2
    if folded and rng.random() < 0.5:
        return Claim(seat, folded=True)
    if rng.random() < 0.75:
        return Claim(seat, cards=tuple(hand.split()), folded=folded)
    numbers = {bet.link for bet in round_.bets if bet.seat == seat and not bet.dealer}
    mine = [number for number in table.links if number in numbers]
    terms = state.link(rng.choice(mine or table.links)).terms
    name: Any = rng.choice(NAMES[terms.hand_kind][:4])
    suit: Any = rng.choice("sh") if name == "mini-royal" else None
    return Claim(seat, hand=name, suit=suit, link=terms.link if mine else None, folded=folded)


def _begun(table: Table, round_: Round) -> Deal | None:
    """The deal that earlier settlements of the round were from."""
    board = _texts(round_.board)
    shown = {card for before in round_.shown for card in _texts(before.cards)}
    for deal in DEALS[table.terms.game]:
        cards = {card for hand in deal.hands for card in hand.split()}
        if (board and deal.board.split() == board) or (not board and shown and shown <= cards):
            return deal
    return None


def _texts(packed: bytes) -> list[str]:
    return [text(card) for card in packed]


def counts(rng: Random, table: Table) -> dict[str, int] | None:
    """The table's own lifetime count of wagers (S6): right, wrong or not sent."""
    if rng.random() < 0.5:
        return None
    numbers = zip(table.links, table.terms.links, strict=True)
    return {name: table.counts.get(number, 0) + mistakes(rng) for number, name in numbers}


def hit_act(rng: Random, hit: Hit) -> commands.ActCommand:
    """What people do about a hit, or about one award of it."""
    name = f"H{hit.number}"
    chosen = rng.choice(hit.awards)
    award = f"A{chosen.number}" if rng.random() < 0.3 else None
    match rng.choice(["validate", "validate", "pay", "pay", "undo", "correct"]):
        case "validate":
            return Validate(name, award)
        case "pay":
            alone = award is None and len(winners(hit.awards)) > 1
            return Pay(name, award, f"W-{chosen.seat}", seat=chosen.seat if alone else None)
        case "undo":
            return Undo(name, "tests", award)
    cents = chosen.amount // 10_000 + rng.choice([-100_000, -1, 0, 1, 777, 2_000_000])
    return Correct(f"A{chosen.number}", max(0, cents), "tests")


def round_act(rng: Random, state: BankState, table: Table) -> commands.ActCommand:
    """What people do about a table or its round."""
    name = table.terms.table
    round_ = table.unfinished() or table.closed
    if round_ is None or mistakes(rng) or (table.held and rng.random() < 0.5):
        return Release(name, "tests")
    if table.unfinished() is None:
        return Reopen(name, round_.id, "tests")
    if round_.bets and round_.state == "mismatch":
        bet = unbet(state, rng.choice(round_.bets))
        return Strike(name, round_.id, bet.seat, bet.link, "tests", bet.on)
    return VoidRound(name, round_.id, "tests")


def meter_acts(rng: Random, state: BankState) -> list[commands.ActCommand]:
    """What people do about a link's money and its parameters; most of it needs the link suspended."""
    link = rng.choice(state.links)
    name, level = link.terms.link, rng.choice(link.levels)
    if state.left and rng.random() < 0.7:
        return [DecideLeft(f"D{one.number}", rng.random() < 0.5, "tests") for one in state.left[:2]]
    match rng.choice(["correct", "correct", "transfer", "change", "change"]):
        case "correct":
            account: Account = rng.choice(["primary", "primary", "reserve", "overflow"])
            held = getattr(level.accounts, account)
            amount = rng.choice([-held, -(held // 3), 1, 777_777, 3 * DOLLAR, -1])
            return [CorrectMeter(name, level.terms.level, amount, "tests", account)]
        case "transfer":
            acts = [Transfer(name, rng.choice(state.links).terms.link, "tests")]
            return _at_rest(name, *acts, Resume("transferred", (name,), "tests"))
    return _at_rest(name, ChangeLink(_changed(rng, link), "tests"))


def _at_rest(link: str, *acts: commands.ActCommand) -> list[commands.ActCommand]:
    return [Suspend("operator", (link,), "tests"), *acts, Resume("operator", (link,), "tests")]


def _changed(rng: Random, link: Link) -> LinkTerms:
    """Other rates, reseeds and limits; now and then a limit that is too low."""
    levels = tuple(
        replace(
            level.terms,
            primary=max(1, level.terms.primary + rng.choice([-100, 0, 100])),
            reserve=max(0, level.terms.reserve + rng.choice([-50, 0, 50])),
            reseed=max(DOLLAR, level.terms.reseed + rng.choice([-DOLLAR, 0, DOLLAR])),
            limit=rng.choice(
                [None, level.terms.limit, max(level.terms.seed, level.accounts.primary) + 9 * DOLLAR]
            ),
        )
        for level in link.levels
    )
    levels = tuple(
        replace(one, limit=None if one.limit is None else one.limit // 10_000 * 10_000) for one in levels
    )
    return replace(link.terms, levels=levels, validate_at=rng.choice([None, 100 * DOLLAR]))
