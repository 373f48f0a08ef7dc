"""Conformance trials of a server, by a table that sends valid commands and some invalid ones.

It plays with one table's key and voids each wager; but on each offer it wins once, by the lowest row. What
stops a table until people act (an `acked` beyond the ledger) is not tried.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final, NamedTuple

from controllers.frames import STRANGER_MAX, FrameReader, decode, encode
from controllers.hello import NONCE_BYTES, hello_mac
from jackpot.lab.conformance.book import SHARED
from jackpot.lab.conformance.offers import TRIPS, offer_of, paid, winning_deal
from jackpot.lab.conformance.report import ConformanceReport
from jackpot.rules import cards as deck
from jackpot.rules.outgoing_messages import needed
from jackpot.rules.paytable import MASSACHUSETTS, ToOne

WAIT_S: Final = 10.0
"""For anything that a server says at once."""

READ_BYTES: Final = 65_536
WELCOME: Final = ("session", "heartbeat_ms", "links", "last_seq", "last", "held", "round")

Message = dict[str, Any]


class ConformanceTarget(NamedTuple):
    """The server under test, and the table that the tester plays there.

    wager: in cents. patience: seconds for what it says at once.
    """

    host: str
    port: int
    device: str
    key: bytes
    link: str
    wager: int
    tls: ssl.SSLContext | None = None
    patience: float = WAIT_S


class NoAnswer(Exception):
    """The server did not send what it had to; the text says what."""


class HelloRefused(NoAnswer):
    """The server refused the table's hello."""


class ConformanceConnection:
    """One connection to the server; pings meanwhile are answered."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: float) -> None:
        self._patience = patience
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader()

    def say(self, message: Mapping[str, Any]) -> None:
        self.put(encode(message))

    def put(self, data: bytes) -> None:
        self._writer.write(data)

    async def hear(self, what: str, *types: str, seconds: float | None = None) -> Message:
        """The next message of these types, of any if none is named; raises Silent."""
        seconds = seconds or self._patience
        try:
            async with asyncio.timeout(seconds):
                while (message := await self._next()) is not None:
                    if message["t"] == "ping":
                        self.say({**message, "t": "pong"})
                    if not types or message["t"] in types:
                        return message
        except TimeoutError:
            raise NoAnswer(f"no {what} within {seconds:g} s") from None
        except OSError as error:
            raise NoAnswer(f"no {what}: {error}") from error
        raise NoAnswer(f"the connection ended without {what}")

    async def _next(self) -> Message | None:
        """The next frame; None at the end."""
        while (payload := self._frames.next_frame()) is None:
            data = await self._reader.read(READ_BYTES)
            if not data:
                return None
            self._frames.add(data)
        return decode(payload)

    async def ended(self) -> bool:
        """Whether the server closes it without sending anything more."""
        try:
            await self.hear("end")
        except NoAnswer as silent:
            return "ended" in str(silent)
        return False

    async def answer(self, message: Mapping[str, Any]) -> Message:
        """The server's answer to a command."""
        self.say(message)
        return await self.hear(f"answer to a {message['t']}", "ack", "nack")


class Questions:
    """Requests to the server. seq: the number of the next command."""

    def __init__(self, target: ConformanceTarget, report: ConformanceReport, *, quick: bool) -> None:
        self.target = target
        self.report = report
        self.quick = quick
        self.seq = 1
        self.round = ""
        self.let_in = False

    @asynccontextmanager
    async def call(self) -> AsyncIterator[ConformanceConnection]:
        target = self.target
        async with asyncio.timeout(target.patience):
            reader, writer = await asyncio.open_connection(target.host, target.port, ssl=target.tls)
        try:
            yield ConformanceConnection(reader, writer, target.patience)
        finally:
            writer.transport.abort()

    async def greet(self, call: ConformanceConnection, **facts: Any) -> Message:
        """Sends a hello; returns the server's response."""
        challenge = await call.hear("challenge", "challenge")
        device = facts.pop("id", self.target.device)
        mac = facts.pop("mac", hello_mac(self.target.key, challenge["nonce"], "table", device))
        call.say({"t": "hello", "v": 1, "role": "table", "id": device, "mac": mac, "acked": 0, **facts})
        return await call.hear("answer to a hello", "welcome", "error")

    @asynccontextmanager
    async def table(self) -> AsyncIterator[tuple[ConformanceConnection, Message]]:
        """A welcomed table; raises HelloRefused."""
        async with self.call() as call:
            welcome = await self.greet(call)
            if welcome["t"] != "welcome":
                said = f"{welcome.get('code')}: {welcome.get('message')}"
                raise HelloRefused(f"table {self.target.device} is not let in: {said}")
            self.let_in = True
            self.seq = welcome["last_seq"] + 1
            yield call, welcome

    def wager(self, **other: Any) -> Message:
        bets = [{"seat": 1, "link": self.target.link, "amount": self.target.wager, **other}]
        return {"t": "wager", "seq": self.seq, "round": self.round, "bets": bets}

    def expect(self, name: str, found: object, wanted: object, what: str) -> None:
        if found == wanted:
            self.report.met(name, what)
        else:
            self.report.broken(name, f"{what}: {found!r} in place of {wanted!r}")

    # Requests.

    async def challenge(self) -> None:
        nonces = []
        for _ in range(2):
            async with self.call() as call:
                said = await call.hear("challenge")
                nonces.append(said.get("nonce"))
                shape = said["t"], said.get("v"), len(said.get("nonce", b"")), type(said.get("server"))
                self.expect("challenge", shape, ("challenge", 1, NONCE_BYTES, str), "type, v, nonce, server")
        if nonces[0] == nonces[1]:
            self.report.broken("challenge", "two connections had one nonce")

    async def strangers(self) -> None:
        texts = []
        for facts in ({"mac": bytes(32)}, {"id": "no-such-device"}):
            async with self.call() as call:
                said = await self.greet(call, **facts)
                self.expect("strangers", said.get("code"), "auth_failed", f"a hello with {facts}")
                texts.append(said.get("message"))
                if not await call.ended():
                    self.report.broken("strangers", "the connection stays open")
        if len(set(texts)) > 1:
            self.report.broken("strangers", f"not the same words: {texts}")
        async with self.call() as call:
            await call.hear("challenge", "challenge")
            call.put((STRANGER_MAX + 1).to_bytes(4, "big"))
            said = await call.hear("error", "error")
            self.expect("bad-frames", said.get("code"), "bad_frame", "a long frame before the welcome")

    async def bad_frames(self) -> None:
        vectors = json.loads((files("jackpot") / "schemas" / "vectors.json").read_text("utf-8"))
        for one in vectors["bad"]:
            async with self.table() as (call, _):
                call.put(bytes.fromhex(one["hex"]))
                said = await call.hear(f"error to {one['what']}", "error")
                self.expect("bad-frames", said.get("code"), "bad_frame", one["what"])
                if not await call.ended():
                    self.report.broken("bad-frames", f"{one['what']}: the connection stays open")

    async def welcome(self) -> None:
        async with self.table() as (call, welcome):
            missing = [name for name in WELCOME if name not in welcome]
            self.expect("welcome", missing, [], "fields that are missing")
            metered = {link["link"] for link in welcome["links"] if link["levels"]}
            if metered:
                meters = await call.hear("meters", "meters")
                told = {value[0] for value in meters["values"]}
                self.expect("welcome", metered <= told, True, "a whole meters")
            call.say({"t": "ping", "at": 2**53 - 1})
            pong = await call.hear("pong", "pong")
            self.expect("pongs", pong.get("at"), 2**53 - 1, "at")
            if not self.quick:
                heartbeat = welcome["heartbeat_ms"] / 1000
                await call.hear("frame", seconds=heartbeat + 1)
                self.report.met("heartbeat", f"a frame within {heartbeat:g} s")

    async def commands(self) -> None:
        """One round of one wager, given back; and messages that a table must not send."""
        async with self.table() as (call, welcome):
            if welcome["round"] is not None:
                raise NoAnswer(f"the table has the round {welcome['round']['round']} unfinished")
            self.round = f"conformance-{self.seq}"
            wager = self.wager()
            first = await call.answer(wager)
            self.expect("answers", (first["t"], first["seq"]), ("ack", self.seq), "a wager")
            if first["t"] != "ack":
                return
            again = await call.answer({"unknown": [1], **dict(reversed(wager.items()))})
            self.expect("same-answer", again, first, "the wager again")
            other = await call.answer(self.wager(seat=2))
            wanted = "seq_conflict", self.seq + 1
            self.expect("conflict", (other.get("code"), other.get("expected")), wanted, "another wager")
            self.seq += 1
            gap = await call.answer({**self.wager(seat=2), "seq": self.seq + 1})
            self.expect(
                "gap", (gap.get("code"), gap.get("expected")), ("seq_gap", self.seq), "a number left out"
            )
            await self._refused(call, "bad-message", "bad_message", self.wager(seat=0), names="seat")
            await self._refused(call, "codes", "unknown_link", self.wager(seat=2, link="no-such-link"))
            await self._refused(
                call, "codes", "wrong_amount", self.wager(seat=2, amount=self.target.wager + 1)
            )
            await self._refused(
                call, "codes", "no_such_round", {"t": "lock", "seq": self.seq, "round": "no-such"}
            )
        await self._resume()

    async def _refused(
        self, call: ConformanceConnection, name: str, code: str, command: Message, names: str = ""
    ) -> None:
        """Checks a durable nack, which uses its number up."""
        said = await call.answer(command)
        found = said.get("code"), said.get("expected"), names in said.get("message", "")
        self.expect(name, found, (code, None, True), f"code, expected and field of {code}")
        self.seq += 1

    async def _resume(self) -> None:
        """The table reconnects in the middle of its round, then gives the wager back."""
        last = self.seq - 1
        async with self.table() as (call, welcome):
            facts = welcome["round"] or {}
            bets = [(bet["seat"], bet["link"]) for bet in facts.get("bets", ())]
            found = welcome["last_seq"], facts.get("round"), facts.get("state"), bets
            wanted = last, self.round, "open", [(1, self.target.link)]
            self.expect("resumes", found, wanted, "last_seq, round, state and bets")
            self.expect("resumes", (welcome["last"] or {}).get("seq"), last, "the last answer")
            void = {"t": "void", "seq": self.seq, "round": self.round, "reason": "a test of the protocol"}
            said = await call.answer(void)
            refunds = [(one["seat"], one["amount"]) for one in said.get("refunds", ())]
            self.expect(
                "answers", (said["t"], refunds), ("ack", [(1, self.target.wager)]), "a void's refunds"
            )

    async def abandoned(self) -> None:
        """A player leaves; the round does not close before people have answered, and is voided."""
        async with self.table() as (call, welcome):
            link = next(one for one in welcome["links"] if one["link"] == self.target.link)
            self.round = f"abandoned-{self.seq}"
            await self._command(call, **{**self.wager(), "seq": self.seq})
            count = {"chips": {link["link"]: 1}} if link.get("count") else {}
            await self._command(call, t="lock", round=self.round, **count)
            hands = [{"seat": 1, "abandoned": True}]
            said = await self._command(call, t="settle", round=self.round, hands=hands)
            if link["paytable"].startswith(MASSACHUSETTS):
                self.expect("abandoned", said.get("code"), "bad_message", "a seat by other rules")
            else:
                self.expect("abandoned", said["t"], "ack", "a seat whose player left")
                said = await self._command(call, t="close", round=self.round)
                found = said.get("code"), "abandoned" in said.get("message", "")
                self.expect("abandoned", found, ("bad_message", True), "a close before the answer")
            await self._command(call, t="void", round=self.round, reason="a test of the protocol")

    async def lamps(self) -> None:
        """A lamp of an award that nobody won; and one in no state."""
        async with self.table() as (call, _):
            lamp = {"t": "lamp", "seq": self.seq, "award": "no-such-award", "state": "lit"}
            await self._refused(call, "lamps", "no_such_award", lamp, names="award")
            dim = {**lamp, "seq": self.seq, "state": "dim"}
            await self._refused(call, "lamps", "bad_message", dim, names="state")

    # Questions about offers.

    async def offers(self) -> None:
        """Plays each offer of the welcome alone; a server without offers is asked nothing."""
        async with self.table() as (call, welcome):
            found = [link for link in welcome["links"] if not link["levels"]]
            self.report.offers = bool(found)
            for number, offer in enumerate(found):
                self._bounds(offer)
                await self._amounts(call, offer, f"offer-{self.seq}-{number}")
                await self._void_but(call, offer, f"void-{self.seq}-{number}")
                await self._paid(call, offer, f"odds-{self.seq}-{number}")

    def _bounds(self, offer: Message) -> None:
        least, most, unit = offer["least"], offer["most"], offer["unit"]
        found = offer["wager"], least % unit, most % unit, least <= most
        self.expect("offers", found, (least, 0, 0, True), f"wager and bounds of {offer['link']}")
        of = offer_of(offer["paytable"])
        if not of.six:  # else only the house's approval says which cards
            wanted = list(needed(of.kind, of.games[0]))
            self.expect("offers", offer["needs"], wanted, f"what {offer['link']} needs")

    async def _amounts(self, call: ConformanceConnection, offer: Message, round_id: str) -> None:
        """Wagers of right and wrong amounts, one of them withdrawn; the round is voided."""
        link, least, most, unit = offer["link"], offer["least"], offer["most"], offer["unit"]
        taken = await self._take(call, offer, round_id, 1, least)
        self.expect("offers", taken["t"], "ack", f"a wager of {least} on {link}")
        for amount in (most + unit, *((least - unit,) if least > unit else ()), least + 1):
            if unit > 1 or amount > most:
                said = await self._take(call, offer, round_id, 2, amount)
                self.expect("offer-codes", said.get("code"), "wrong_amount", f"{amount} on {link}")
        said = await self._take(call, offer, round_id, 1, most)
        self.expect("offer-codes", said.get("code"), "duplicate_wager", f"{most} at a seat that has wagered")
        bets = [{"seat": 1, "link": link}]
        said = await self._command(call, t="withdraw", round=round_id, bets=bets)
        self.expect("offer-refunds", _refunds(said), [(1, link, least)], "what a withdrawal returns")
        await self._take(call, offer, round_id, 1, most)
        said = await self._command(call, t="void", round=round_id, reason="a test of the protocol")
        self.expect("offer-refunds", _refunds(said), [(1, link, most)], "what a void returns")

    async def _void_but(self, call: ConformanceConnection, offer: Message, round_id: str) -> None:
        """A void that lets the wager be settled, taken of Trips Wagers alone; then one that returns it."""
        link, least = offer["link"], offer["least"]
        await self._take(call, offer, round_id, 1, least)
        await self._counted(call, offer, round_id)
        void: Message = {"t": "void", "round": round_id, "reason": "a test of the protocol"}
        said = await self._command(call, **void, cause="shoe-jam", settles=[link])
        self.expect("offer-void", said.get("code"), "bad_message", f"{link} settled after a jam")
        said = await self._command(call, **void, cause="exposed-card", settles=[link])
        kept = offer["paytable"].startswith(TRIPS)
        wanted = None if kept else "bad_message"
        self.expect("offer-void", said.get("code"), wanted, f"{link} settled after a card was exposed")
        said = await self._command(call, **void, cause="stub-count")
        self.expect("offer-void", _refunds(said), [(1, link, least)], "a void of the stub's count")

    async def _paid(self, call: ConformanceConnection, offer: Message, round_id: str) -> None:
        """A round of one wager: counted wrong and right, closed without its cards, and then won."""
        link, least = offer["link"], offer["least"]
        await self._take(call, offer, round_id, 1, least)
        await self._counted(call, offer, round_id)
        found = winning_deal(offer["paytable"])
        needed = [name for name in offer["needs"] if name in SHARED]
        if needed:
            said = await self._command(call, t="close", round=round_id)
            named = said.get("code"), any(name in said.get("message", "") for name in needed)
            without = f"a close of {link} without {' and '.join(needed)}"
            self.expect("offer-unshown", named, ("bad_message", True), without)
        else:
            self.report.met("offer-unshown", f"{link} counts a player's own cards alone")
        if found is None:
            await self._command(call, t="void", round=round_id, reason="a test of the protocol")
            return
        names, row, shown = found
        texts = {name: [deck.text(card) for card in cards] for name, cards in shown._asdict().items()}
        hands = [{"seat": 1, "cards": texts.pop("own")}]
        shared = {name: cards for name, cards in texts.items() if name in needed}
        said = await self._command(call, t="settle", round=round_id, hands=hands, close=True, **shared)
        due = paid(row, least)  # a house may pay more (B12)
        awards = [(one["hand"] in names, one["kind"], one["amount"] >= due) for one in said.get("awards", ())]
        self.expect(
            "offer-pays", awards, [(True, "odds", True)], f"{due} for a {row.hand} of {least} on {link}"
        )
        for one in said.get("awards", ()):
            for how in ("a lamp", "the same lamp again"):
                lit = await self._command(call, t="lamp", award=one["award"], state="lit")
                self.expect("lamps", lit["t"], "ack", f"{how} of an award on {link}")
        stakes = [one.get("stake") for one in said.get("awards", ())]
        if isinstance(row.pays, ToOne) and offer["placed"] == "layout":
            self.expect("offer-pays", stakes, [least], f"the stake of {link}, on the layout")

    async def _counted(self, call: ConformanceConnection, offer: Message, round_id: str) -> None:
        """Locks the round; where its chips are counted, first with wrong counts."""
        link, least = offer["link"], offer["least"]
        players = {"players": 1} if "players" in offer.get("needs", ()) else {}
        if not offer["count"]:
            self.report.met("offer-mismatch", f"{link} is not counted")
            await self._command(call, t="lock", round=round_id, **players)
            return
        summed = least < offer["most"]
        right = {"chips": {link: 1}} | ({"sums": {link: least}} if summed else {})
        wrong = [right | {"chips": {link: 2}}]
        if summed:
            wrong.append(right | {"sums": {link: least + 1}})
        for count in wrong:
            await self._command(call, t="lock", round=round_id, **count)
            said = await self._command(call, t="close", round=round_id)
            self.expect("offer-mismatch", said.get("code"), "chip_mismatch", f"{count} for one of {least}")
        said = await self._command(call, t="lock", round=round_id, **right)
        self.expect("offer-mismatch", said["t"], "ack", f"the right count of {link}")

    async def _take(
        self, call: ConformanceConnection, offer: Message, round_id: str, seat: int, amount: int
    ) -> Message:
        """The answer to a wager on an offer."""
        bets = [{"seat": seat, "link": offer["link"], "amount": amount}]
        return await self._command(call, t="wager", round=round_id, bets=bets)

    async def _command(self, call: ConformanceConnection, **message: Any) -> Message:
        """The answer to a command under the next number, which it uses up."""
        said = await call.answer({"seq": self.seq, **message})
        if "expected" not in said:
            self.seq += 1
        return said

    async def replaces(self) -> None:
        async with self.table() as (old, _), self.table():
            said = await old.hear("error", "error")
            self.expect("replaces", said.get("code"), "replaced", "the older connection")


def _refunds(answer: Message) -> list[tuple[int, str, int]]:
    """What an answer returns: seats, links and amounts."""
    return [(one["seat"], one["link"], one["amount"]) for one in answer.get("refunds", ())]


ASKED: Final[tuple[tuple[Callable[[Questions], Awaitable[None]], tuple[str, ...]], ...]] = (
    (Questions.challenge, ("challenge",)),
    (Questions.strangers, ("strangers",)),
    (Questions.welcome, ("welcome", "pongs", "heartbeat")),
    (Questions.bad_frames, ("bad-frames",)),
    (Questions.commands, ("answers", "same-answer", "conflict", "gap", "bad-message", "codes", "resumes")),
    (Questions.abandoned, ("abandoned",)),
    (Questions.lamps, ("lamps",)),
    (
        Questions.offers,
        (
            "offers",
            "offer-codes",
            "offer-refunds",
            "offer-void",
            "offer-mismatch",
            "offer-unshown",
            "offer-pays",
        ),
    ),
    (Questions.replaces, ("replaces",)),
)
"""Each question with what its answer shows."""


async def examine(target: ConformanceTarget, *, quick: bool = False) -> ConformanceReport:
    """Runs all trials on a server.

    Raises OSError where it cannot be reached, HelloRefused if it never welcomes.
    """
    report = ConformanceReport("server")
    questions = Questions(target, report, quick=quick)
    async with questions.call():
        pass  # it is there at all
    for ask, names in ASKED:
        try:
            await ask(questions)
        except NoAnswer as silent:
            if isinstance(silent, HelloRefused) and not questions.let_in:
                raise
            report.broken(names[0], str(silent))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            report.broken(names[0], f"a message that is not as it should be: {error!r}")
    return report
