"""Showcase of everything that a sign can show, one after another: `jackpot demo --show`."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from controllers.client import TableClient
from controllers.memory import FileMemory
from controllers.table import Offline
from jackpot.api.queries.hits import AskWaitingHits
from jackpot.api.queries.links import AskLinks
from jackpot.api.queries.payouts import Validate
from jackpot.app import Server
from jackpot.config import Address, Config, load
from jackpot.lab.demo.audit import Verdict, audit
from jackpot.lab.demo.house import FIVE, PLACES, THREE, WAGER_CENTS, DemoPlace, furnish, keep_ports, key
from jackpot.lab.demo.own_count import OwnCount
from jackpot.lab.demo.pace import DemoPace
from jackpot.lab.demo.people import ask, hire
from jackpot.lab.demo.scene import FloorError, dollars
from jackpot.lab.demo.supervisor import payments
from jackpot.lab.demo.table import finish_interrupted
from jackpot.net.admin_socket import login_of
from jackpot.rules.acts.hits import Undo
from jackpot.rules.acts.links import OPERATOR, Resume, Suspend

# Tables where hands are won; and tables whose wagers let the meters of both links grow meanwhile.
STAGE: Final = "T01"
CROWD: Final = ("T05", "T09")
# Pause between rounds of the crowd: so short that an amount is never seen to stand still.
CROWD_EVERY_S: Final = 1.5
WINNER: Final = 3
NEIGHBOUR: Final = 6
# Seconds to show a static state, and a celebration until it is validated.
GLANCE_S: Final = 5.0
CELEBRATION_S: Final = 14.0
# Seconds of a minor's celebration, and of what waits afterwards.
MINOR_S: Final = 8.0
# Seconds until a sign that has lost the server says so, and then to show that.
FAULT_S: Final = 10.0


class Won(NamedTuple):
    """A hand of the winner's three cards and the board's two."""

    cards: tuple[str, ...]
    board: tuple[str, ...]


ROYAL: Final = Won(("As", "Ks", "Qs"), ("Js", "Ts"))
STRAIGHT_FLUSH: Final = Won(("9s", "8s", "7s"), ("Js", "Ts"))
FOUR: Final = Won(("Jh", "Jd", "Jc"), ("Js", "4d"))
NOTHING: Final = ("2h", "5d", "8c")


class Show:
    """The showcase on a demo's floor, in a new folder or in one that has it. say: prints a line.

    port: of the pages.
    """

    def __init__(
        self, folder: Path, pace: DemoPace, say: Callable[[str], None], port: int | None = None
    ) -> None:
        self._folder = folder
        self._pace = pace
        self._say = say
        self._config: Config = load(furnish(folder, port=port))
        kept = folder / "tables"
        kept.mkdir(exist_ok=True)
        self._own_counts = {name: OwnCount(kept / f"{name}.json") for name in (STAGE, *CROWD)}
        self._tables: dict[str, TableClient] = {}
        self._over = asyncio.Event()
        self._server: Server

    async def play(self) -> Verdict:
        """Plays as many cycles as the pace lets begin; each ends with a lost server.

        Then the books are read. Raises what the server raises, and FloorError where it answers what it must
        not.
        """
        async with AsyncExitStack() as connections:
            while self._pace.take_round():
                async with Server(self._config) as self._server:
                    if self._tables:
                        self._line("back", "the signs come back by themselves, with the amounts as they are")
                    else:
                        await self._open(self._server, connections)
                    await self._cycle()
                self._line("fault", f"the server is stopped: {FAULT_S:g} s without it, brand and name stay")
                await self._pace.pause(FAULT_S)
        bank = self._config.links[0].bank
        return await asyncio.to_thread(audit, self._config.ledger.url, bank, self._own_counts, {})

    async def _open(self, server: Server, connections: AsyncExitStack) -> None:
        """Starts the server and prints its addresses.

        Later servers have the same ports, so pages reconnect.
        """
        keep_ports(self._folder, server.ports)
        at = {name: Address("127.0.0.1", port) for name, port in server.ports.items()}
        listen = msgspec.structs.replace(self._config.listen, **at)
        self._config = msgspec.structs.replace(self._config, listen=listen)
        page = f"http://{listen.http}/"
        self._say(f"look at {page}sign/wall?links={FIVE},{THREE}  {page}sign/{FIVE}  {page}sign/{THREE}")
        logins = await hire(server.auth, login_of(os.getuid()))
        people = ", ".join(f"{one.login} {one.password}" for one in logins) or "as the first demo here said"
        self._say(f"what the floor sees: {page}  people: {page}ops ({people})")
        for name in (STAGE, *CROWD):
            memory = FileMemory(self._folder / "tables" / name, sync=False)
            connections.callback(memory.close)
            client = TableClient(name, key(self._folder, name), [str(listen.tables)], memory)
            unanswered = [item.message for item in client.session.pending]
            self._tables[name] = await connections.enter_async_context(client)
            await client.wait_online()
            await client.wait_answered()
            for answer in await finish_interrupted(client, self._own_counts[name], unanswered):
                self._expect(answer)
        await self._clear()
        self._line("open", "amounts roll up with each wager, and never beyond; below, which hand wins what")

    async def _clear(self) -> None:
        """Ends what an earlier demo left: hits that nobody has paid, and links that people stopped."""
        await self._see_to_it()
        for link in (await ask(self._server, AskLinks()))["links"]:
            if OPERATOR in link["reasons"]:
                await ask(self._server, Resume(OPERATOR, (link["link"],), "the show begins"))

    async def _cycle(self) -> None:
        self._over.clear()
        async with asyncio.TaskGroup() as floor:
            for place in (place for place in PLACES if place.table in CROWD):
                floor.create_task(self._wager_on(place))
            try:
                await self._pace.pause(GLANCE_S)
                await self._win_levels()
                await self._take_back()
                await self._suspend()
            finally:
                self._over.set()

    async def _win_levels(self) -> None:
        """Wins mega, minor, and major with envy, each validated and paid."""
        sum_ = await self._win(ROYAL)
        self._line(
            "mega", f"royal flush at {STAGE}: {sum_} counts up for a minute, or until people validate it"
        )
        await self._pace.pause(CELEBRATION_S)
        await self._see_to_it()
        self._line("validated", "the celebration ends, and the reseeded meter has the screen again")
        await self._pace.pause(GLANCE_S)
        sum_ = await self._win(FOUR)
        self._line("minor", f"four of a kind at {STAGE}: {sum_}, for six seconds")
        await self._pace.pause(MINOR_S)
        self._line("pending", "under the minor's new amount: what was won is being verified")
        await self._pace.pause(GLANCE_S)
        await self._see_to_it()
        sum_ = await self._win(STRAIGHT_FLUSH, envied=True)
        self._line("major", f"straight flush at {STAGE}: {sum_}, for twelve seconds")
        self._line("envy", f"seat {NEIGHBOUR} has its bonus for that hand: on the pages, and on no sign")
        await self._pace.pause(CELEBRATION_S)
        await self._see_to_it()

    async def _take_back(self) -> None:
        """Undoes a hit while it is celebrated; then voids a round, so that a meter falls."""
        await self._win(FOUR)
        self._line("minor", "another four of a kind, which turns out to be none")
        await self._pace.pause(GLANCE_S / 2)
        (hit,) = (await ask(self._server, AskWaitingHits()))["hits"]
        await ask(self._server, Undo(hit["hit"], "the cards were misread"))
        self._line("undone", "the celebration ends at once, and the meter has its money back")
        await self._pace.pause(GLANCE_S)
        round_id = await self._begin(range(7, 0, -1))
        self._line("wagers", f"seven wagers at {STAGE}: the amounts roll up")
        await self._pace.pause(GLANCE_S)
        self._expect(await self._tables[STAGE].void(round_id, "misdeal"))
        self._line("cut", "the round is void: lower amounts stand at once, and light passes over them")
        await self._pace.pause(GLANCE_S)

    async def _suspend(self) -> None:
        await ask(self._server, Suspend(OPERATOR, (FIVE,), "to show it"))
        self._line("suspended", f"{FIVE} takes no wagers and says so; {THREE} plays on")
        await self._pace.pause(GLANCE_S)
        await ask(self._server, Resume(OPERATOR, (FIVE,), "it was seen"))
        self._line("resumed", f"{FIVE} plays again")
        await self._pace.pause(GLANCE_S)

    async def _begin(self, seats: Sequence[int]) -> str:
        """Starts a round of the stage with these seats' wagers, locked; returns its id."""
        table = self._tables[STAGE]
        await table.wait_online()
        round_id = f"R{table.session.acked + 1}"
        self._expect(await table.wager(round_id, _bets(FIVE, seats), lock=True))
        self._own_counts[STAGE].accepted(round_id, [FIVE] * len(seats))
        return round_id

    async def _win(self, won: Won, *, envied: bool = False) -> str:
        """Gives the winner this hand; returns what the meter pays, as text.

        envied: another has a wager, too.
        """
        seats = (NEIGHBOUR, WINNER) if envied else (WINNER,)
        round_id = await self._begin(seats)
        cards: Mapping[int, Sequence[str]] = {NEIGHBOUR: NOTHING, WINNER: won.cards}
        hands = [{"seat": seat, "cards": cards[seat]} for seat in seats]
        answer = await self._tables[STAGE].settle(round_id, hands, board=won.board, close=True)
        self._expect(answer)
        return dollars(sum(award["amount"] for award in answer["awards"] if award["kind"] == "meter"))

    async def _see_to_it(self) -> None:
        """Validates and pays every hit that waits."""
        for hit in (await ask(self._server, AskWaitingHits()))["hits"]:
            if hit["status"] == "pending":
                await ask(self._server, Validate(hit["hit"]))
            for payment in payments(hit):
                await ask(self._server, payment)

    async def _wager_on(self, place: DemoPlace) -> None:
        """Plays round after round at a table that wins nothing, until the cycle is over."""
        table, rng, seats = self._tables[place.table], Random(place.table), range(place.seats, 0, -1)
        link = place.link
        if link is None:
            raise FloorError(f"{place.table} has no meter that could grow")
        while not self._over.is_set():
            round_id = f"R{table.session.acked + 1}"
            try:
                answer = await table.wager(round_id, _bets(link, seats), lock=True)
            except Offline:
                await table.wait_online()
                continue
            if answer["t"] == "ack":
                self._own_counts[place.table].accepted(round_id, [link] * len(seats))
                self._expect(await table.close(round_id))
            await self._pace.pause(CROWD_EVERY_S, rng)
            await asyncio.sleep(0)  # where there are no pauses, other tasks have their turn

    def _expect(self, answer: Mapping[str, Any]) -> None:
        if answer["t"] != "ack":
            raise FloorError(f"{STAGE}: {answer['code']}: {answer['message']}")

    def _line(self, what: str, look: str) -> None:
        self._say(f"{what:>10}  {look}")


def _bets(link: str, seats: Sequence[int]) -> list[dict[str, Any]]:
    return [{"seat": seat, "link": link, "amount": WAGER_CENTS} for seat in seats]
