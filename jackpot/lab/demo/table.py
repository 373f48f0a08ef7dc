"""Simulated table: plays through the reference client and keeps its own count."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple, TypedDict

from controllers.client import TableClient
from controllers.table import Offline
from jackpot.lab.demo.dealing import DemoDeal, deal
from jackpot.lab.demo.house import BY_HAND, WAGER_CENTS, DemoOffer, DemoPlace
from jackpot.lab.demo.own_count import OwnCount
from jackpot.lab.demo.pace import AWAY_S, BETTING_S, DEALING_S, PAYING_S, DemoPace
from jackpot.lab.demo.scene import FloorError, FloorEvent, Scene, TableLine, dollars
from jackpot.rules.paytable import FOLD

# Share of occupied seats that place the progressive wager, and each bonus wager; share of occupied seats.
BETS: Final = 0.8
BONUS_BETS: Final = 0.4
OCCUPIED: Final = 0.7

# How often: a wager is taken back before the lock, cards are misdealt, seats are settled one by one, a player
# has two boxes.
TAKES_BACK: Final = 0.03
MISDEAL: Final = 0.01
SEAT_BY_SEAT: Final = 0.15
TWO_BOXES: Final = 0.1

# Probability that a table disconnects after a round, for a minute or two.
GOES_AWAY: Final = 0.02

# Refusals of commands that were not applied and may be retried: the table waits and tries again.
LATER: Final = frozenset({"suspended", "table_held"})

Message = dict[str, Any]


class Shift(NamedTuple):
    """Shared by all tables of a floor. call: calls the supervisor."""

    pace: DemoPace
    scene: Scene
    call: Callable[[], None]


class SimulatedTable:
    """One table. connect: makes its client, a new one each time it comes back."""

    def __init__(
        self,
        place: DemoPlace,
        own_count: OwnCount,
        rng: Random,
        connect: Callable[[], TableClient],
        shift: Shift,
    ) -> None:
        self._place = place
        self._own_count = own_count
        self._rng = rng
        self._pace, self._scene, self._call = shift
        self._news = asyncio.Event()
        self._pace.wakes(self._news)
        self._line = TableLine(place.table, place.game, place.link)
        self._scene.tables[place.table] = self._line
        # The hand that the first round wins, so that a person has something to do.
        self._first = BY_HAND if self._scene.by_hand and place.table == BY_HAND.table else None
        self._connect = connect
        self._client: TableClient
        self._unanswered: list[Message] = []

    async def play(self) -> None:
        """Plays rounds while the pace allows; sometimes disconnects after one, and comes back."""
        while True:
            self._client = self._connect()
            self._client.on_push = self._told
            # A command that is unanswered before it connects comes from before a restart.
            self._unanswered = [item.message for item in self._client.session.pending]
            async with self._client:
                goes_away = await self._play_on()
            if not goes_away:
                self._line.doing = "closed"
                return
            self._line.doing = "away"
            await self._pace.pause(AWAY_S, self._rng)

    def _told(self, message: Message) -> None:
        if message["t"] in {"status", "link", "welcome", "round"}:
            self._news.set()

    async def _play_on(self) -> bool:
        """Plays until no round may begin, or the table disconnects; returns whether it does."""
        await self._client.wait_online()
        await self._client.wait_answered()
        for answer in await finish_interrupted(self._client, self._own_count, self._unanswered):
            self._expect(answer)
        self._line.doing = "waiting"
        if not self._first:
            await self._pace.pause(BETTING_S, self._rng)  # tables begin at different times
        while self._pace.take_round():
            if await self._play_round(f"R{self._client.session.acked + 1}"):
                self._line.rounds += 1
            if self._pace.leisurely and self._rng.random() < GOES_AWAY:
                return True
        return False

    async def _play_round(self, round_id: str) -> bool:
        """Plays a round; returns whether it began.

        The floor may end while the table is held or the link suspended.
        """
        first, self._first = self._first, None
        seats = self._crowd(with_=first.seat if first else 0)
        self._line.doing = "betting"
        if not first:
            await self._pace.pause(BETTING_S, self._rng)
        if not await self._bet(round_id, seats, all_bet=bool(first)):
            return False
        self._line.doing = "dealing"
        if not first:
            await self._pace.pause(DEALING_S, self._rng)
            if self._rng.random() < MISDEAL:
                self._expect(await self._client.void(round_id, "misdeal"))
                return True
        lucky = self._scene.lucky
        stack = not first and bool(lucky) and self._rng.randrange(lucky) == 0
        wins = (first.seat, first.hand) if first else None
        dealt = deal(self._place.game, seats, self._rng, stack=stack, wins=wins)
        self._line.doing = "paying"
        await self._settle(round_id, dealt)
        await self._pace.pause(PAYING_S, self._rng)
        return True

    def _crowd(self, with_: int = 0) -> list[int]:
        """The occupied seats, in payout order (T4); at least one.

        with_: a seat with a neighbour, 0 for none.
        """
        places = range(self._place.seats, 0, -1)
        seats = [seat for seat in places if self._rng.random() < OCCUPIED or seat in (with_, with_ - 1)]
        return seats or [self._rng.randint(1, self._place.seats)]

    def _bets(self, seats: list[int], *, all_bet: bool) -> list[Message]:
        """Wagers of a round; all_bet: on the link alone, of every seat."""
        place, bets = self._place, list[Message]()
        if place.link:
            betting = [seat for seat in seats if all_bet or self._rng.random() < BETS]
            bets = [
                {"seat": seat, "link": place.link, "amount": WAGER_CENTS} for seat in betting or seats[:1]
            ]
        if not all_bet:
            bonus = [(seat, offer) for seat in seats for offer in place.offers]
            chosen = [one for one in bonus if self._rng.random() < BONUS_BETS]
            bets += [self._bonus(*one) for one in chosen or (bonus[:1] if not bets else ())]
        self._share_boxes(bets)
        return bets

    def _bonus(self, seat: int, offer: DemoOffer) -> Message:
        """A bonus wager of any amount that it takes, rather a low one."""
        units = (offer.most - offer.least) // offer.unit + 1
        chips = min(self._rng.randrange(units), self._rng.randrange(units), self._rng.randrange(units))
        return {"seat": seat, "link": offer.offer, "amount": offer.least + chips * offer.unit}

    def _share_boxes(self, bets: list[Message]) -> None:
        """Now and then the first two neighbours with a wager are one player's boxes."""
        seats = sorted({bet["seat"] for bet in bets}, reverse=True)
        neighbours = next((pair for pair in pairwise(seats) if pair[0] == pair[1] + 1), ())
        # A player of Ultimate Texas Hold 'Em has one position (T9).
        if neighbours and self._place.game != "ultimate-texas-holdem" and self._rng.random() < TWO_BOXES:
            for bet in bets:
                if bet["seat"] in neighbours:
                    bet["player"] = "one-of-two-boxes"

    async def _bet(self, round_id: str, seats: list[int], *, all_bet: bool) -> bool:
        """Places wagers and locks; False if the floor stops before they are accepted."""
        bets = self._bets(seats, all_bet=all_bet)
        takes_back = not all_bet and len(bets) > 1 and self._rng.random() < TAKES_BACK
        while True:
            try:
                self._news.clear()
                answer = await self._client.wager(
                    round_id,
                    bets,
                    lock=not takes_back,
                    **({} if takes_back else counted(self._client, bets, len(seats))),
                )
            except Offline:
                self._line.doing = "offline"
                await self._client.wait_online()
                continue
            if answer.get("code") not in LATER:
                break
            self._line.doing = "held" if answer["code"] == "table_held" else "suspended"
            await self._news.wait()
            if self._pace.stopping:
                return False
        self._expect(answer)
        self._own_count.accepted(round_id, [bet["link"] for bet in bets], sums_of(self._client, bets))
        self._line.wagers += len(bets)
        if takes_back:
            back = {name: bets[0][name] for name in ("seat", "link")}
            self._expect(await self._client.withdraw(round_id, [back]))
            self._expect(await self._client.lock(round_id, **counted(self._client, bets[1:], len(seats))))
        return True

    async def _settle(self, round_id: str, dealt: DemoDeal) -> None:
        hands = [self._claim(seat, dealt) for seat in dealt.hands]
        facts = {"board": dealt.board or None, "dealer": dealt.dealer or None, "bonus": dealt.bonus or None}
        own = {"counts": self._own_count.counts, "sums": self._own_count.sums}
        if self._rng.random() >= SEAT_BY_SEAT:
            answer = await self._client.settle(round_id, hands, close=True, **own, **facts)
            self._take(answer, dealt)
            return
        for hand in hands:
            self._take(await self._client.settle(round_id, [hand], **facts), dealt)
        self._take(await self._client.close(round_id, **own), dealt)

    def _claim(self, seat: int, dealt: DemoDeal) -> Message:
        """The claim of a hand; its cards are shown where a wager stands after a fold (T8, B8)."""
        claim: Message = {"seat": seat}
        if seat in dealt.folded:
            claim["folded"] = True
        stands = FOLD[self._place.game] == "stands" or any(
            offer.stands(self._place.game) for offer in self._place.offers
        )
        if seat not in dealt.folded or stands:
            claim["cards"] = dealt.hands[seat]
        return claim

    def _take(self, answer: Message, dealt: DemoDeal) -> None:
        """Shows what the server awards, and calls the supervisor for awards that wait."""
        self._expect(answer)
        for award in answer.get("awards", ()):
            self._scene.awards += 1
            self._scene.meter_hits += award["kind"] == "meter"
            self._scene.won_cents += award["amount"]
            self._scene.hits.appendleft(self._say(award, dealt))
            if award["status"] == "pending":
                self._call()

    def _say(self, award: Mapping[str, Any], dealt: DemoDeal) -> FloorEvent:
        offered = award["link"] != self._place.link
        what = award["level"] if award["kind"] == "meter" else award["link"] if offered else award["kind"]
        stacked = " (stacked)" if dealt.stacked and dealt.stacked[0] == award["seat"] else ""
        seat = f"{self._place.table}.{award['seat']}"
        text = f"{seat} {award['hand']}{stacked} {dollars(award['amount'])} {what}"
        return FloorEvent(text, award["kind"] == "meter")

    def _expect(self, answer: Message) -> None:
        """Raises FloorError for a refusal, a fault of the floor or server.

        A warning says that a count differs.
        """
        if answer["t"] != "ack":
            raise FloorError(f"{self._place.table}: {answer['code']}: {answer['message']}")
        for warning in answer.get("warn", ()):
            self._scene.warnings.append(f"{self._place.table}: {warning}")


def sums_of(client: TableClient, bets: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """What the wagers on each offer come to, in cents; an offer is a link without levels."""
    offers = {link["link"] for link in (client.welcome or {}).get("links", ()) if not link["levels"]}
    sums = Counter[str]()
    for bet in bets:
        if bet["link"] in offers:
            sums[bet["link"]] += bet["amount"]
    return dict(sums)


class DealersCount(TypedDict, total=False):
    """What a dealer counts before the cards: by link chips, and cents on offers; and the players."""

    chips: dict[str, int]
    sums: dict[str, int]
    players: int


def counted(client: TableClient, bets: Sequence[Mapping[str, Any]], players: int) -> DealersCount:
    """The dealer's count of these wagers, of each link that the welcome says is counted (T3, B3).

    players: who are dealt a hand, said where a wager depends on it (B10).
    """
    links = (client.welcome or {}).get("links", ())
    wanted = {link["link"] for link in links if link.get("count")}
    chips = Counter(bet["link"] for bet in bets if bet["link"] in wanted)
    sums = {link: cents for link, cents in sums_of(client, bets).items() if link in wanted}
    count: DealersCount = {"chips": dict(chips), "sums": sums} if chips else {}
    if {link["link"] for link in links if "players" in link.get("needs", ())} & {bet["link"] for bet in bets}:
        count["players"] = players
    return count


async def finish_interrupted(
    client: TableClient, own_count: OwnCount, unanswered: Sequence[Message]
) -> list[Message]:
    """Ends the round that a stop left unfinished; returns the answers, each of which must accept.

    Its wagers count, and seats that were not paid have lost. Where a bonus wager counts cards that nobody has
    shown, and that are gone now, all wagers go back. unanswered: what the table had sent before it connected.
    It waits for each answer, so that is one command at most. It may have begun or ended the round.
    """
    last = client.session.last or {}
    welcomed = (client.welcome or {}).get("round") or {"round": None, "bets": []}
    begun = {welcomed["round"]: welcomed["bets"]}
    for message in unanswered:
        placed = message["t"] == "wager" and (last.get("seq"), last.get("t")) == (message["seq"], "ack")
        begun.setdefault(message["round"], message["bets"] if placed else [])
    begun.pop(None, None)
    answers: list[Message] = []
    for round_id, bets in begun.items():
        if bets and not own_count.knows(round_id):
            own_count.accepted(round_id, [bet["link"] for bet in bets], sums_of(client, bets))
        answer = await client.close(round_id, counts=own_count.counts, sums=own_count.sums)
        if answer.get("code") == "not_locked":
            players = len({bet["seat"] for bet in bets})
            answers.append(await client.lock(round_id, **counted(client, bets, players)))
            answer = await client.close(round_id, counts=own_count.counts, sums=own_count.sums)
        if answer.get("code") == "bad_message":
            answer = await client.void(round_id, "the cards are gone")
        if answer.get("code") != "no_such_round":  # the command sent again may itself have ended it
            answers.append(answer)
    return answers
