"""Conformance trials of a device, one after another while it plays by itself.

A trial waits for the device, does one thing to it, and looks at what it does. What holds at every moment (its
frames, numbers, rounds) the played server and its book look at all the time.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from math import inf
from typing import Final, NamedTuple, Protocol

import msgspec

from controllers.answers import Nack
from controllers.device import FIRST_WAIT_S, LONGEST_WAIT_S, REPLACED_WAIT_S
from controllers.frames import encode
from controllers.messages import Close, Settle, Void, Wager
from jackpot.lab.conformance.book import Answer, BetPlace, Stake
from jackpot.lab.conformance.offers import Bounds
from jackpot.lab.conformance.played import ConformanceLine, ConformanceSession, ReceivedCommand, Setting
from jackpot.lab.conformance.report import ConformanceReport

PATIENCE_S: Final = 30.0
"""For a device to connect, or to play its next command: a dealer is slower than a program."""

BY_HAND_S: Final = 180.0
"""For a person to cut the power, and for the device to start."""

LATE_S: Final = 3.0
"""What a wait may be longer than the protocol says: a device starts, and makes a TLS connection."""

EARLY_S: Final = 0.02
"""What a wait may be shorter: two clocks."""

QUIET_HEARTBEATS: Final = 3
"""How long nothing may come, before it is believed that nothing comes."""

VISITS_QUICK: Final = 4
VISITS: Final = 8
"""Connections closed at once to see the waits double: 8 reach the longest."""


class Power(Protocol):
    """Power switch of a device."""

    async def cycle(self) -> None:
        """Cuts the power, and restores it."""


class ExpectationFailed(Exception):
    """The device did not do what a trial waits for; the text says what."""


class Options(NamedTuple):
    """Options. quick: leave out long waits. power: None if nothing can cut it. only: empty for all.

    patience: seconds for a device to connect, or to play its next command. say: hears of each trial that
    begins, and why one did not come about.
    """

    quick: bool = False
    power: Power | None = None
    only: Sequence[str] = ()
    patience: float = PATIENCE_S
    say: Callable[[str], None] = lambda _: None


class DeviceWatch:
    """Waits for actions of one device, and describes them."""

    def __init__(self, played: ConformanceSession, options: Options) -> None:
        self.played = played
        self.report = played.report
        self.options = options

    # Conditions that a trial waits for.

    async def online(self, seconds: float | None = None) -> ConformanceLine:
        """Waits for a welcomed connection; raises ExpectationFailed."""
        played, seconds = self.played, seconds or self.options.patience
        if not await played.until(lambda: played.line is not None, seconds):
            raise ExpectationFailed(f"it did not come within {seconds:g} s")
        line = played.line
        if line is None:
            raise ExpectationFailed("it went as it came")
        return line

    async def next(self, fits: Callable[[ReceivedCommand], bool], what: str = "command") -> ReceivedCommand:
        """Waits for the next new command of this kind; raises ExpectationFailed."""
        heard, begin, seconds = self.played.heard, len(self.played.heard), self.options.patience
        if not await self.played.until(lambda: any(map(fits, heard[begin:])), seconds):
            raise ExpectationFailed(f"no {what} came within {seconds:g} s")
        return next(filter(fits, heard[begin:]))

    async def fresh(self) -> ReceivedCommand:
        return await self.next(lambda heard: heard.fresh)

    async def wagered(self) -> ReceivedCommand:
        return await self.next(lambda heard: heard.fresh and heard.name == "wager", what="wager")

    async def quiet(self, since: int, what: str, name: str, seconds: float) -> bool:
        """Whether no new wager comes for so long; one that does breaks the obligation."""
        heard = self.played.heard

        def wagers() -> list[ReceivedCommand]:
            return [one for one in heard[since:] if one.fresh and one.name == "wager"]

        if await self.played.until(lambda: bool(wagers()), seconds):
            self.report.broken(name, f"seq {wagers()[0].command.seq} is a wager {what}")
            return False
        return True

    async def caught(
        self, reply: Callable[[ReceivedCommand], Answer | None], fits: Callable[[ReceivedCommand], bool]
    ) -> ReceivedCommand:
        """The next fresh command that matches, answered like this; so are all that follow it."""
        played = self.played
        begun: list[ReceivedCommand] = []

        def look(heard: ReceivedCommand) -> Answer | None:
            if not begun and not (heard.fresh and fits(heard)):
                return played.decide(heard)
            begun.append(heard)
            return reply(heard)

        played.reply = look
        if not await played.until(lambda: bool(begun), self.options.patience):
            raise ExpectationFailed(f"it gave no such command within {self.options.patience:g} s")
        return begun[0]

    async def come_back(self) -> tuple[ConformanceLine, ReceivedCommand]:
        """The next connection after a cut, and the first command on it; the server is reset."""
        played, since = self.played, len(self.played.heard)
        played.cut()
        played.reply = played.decide
        line = await self.online()
        return line, await self.first(since)

    async def first(self, since: int) -> ReceivedCommand:
        heard = self.played.heard
        if not await self.played.until(lambda: len(heard) > since, self.options.patience):
            raise ExpectationFailed(f"it came back, and gave no command within {self.options.patience:g} s")
        return heard[since]

    async def idle(self) -> ConformanceLine:
        """Waits for a moment without a round and without a command in flight; raises ExpectationFailed.

        Every link is suspended for it: a device that plays without a pause has no such moment otherwise.
        """
        played = self.played
        played.tell_link("suspended")
        line = await self.online()
        await played.fence(line)
        over = await played.until(lambda: played.book.round is None, self.options.patience)
        if not over or not await played.fence(line):
            raise ExpectationFailed("its round stays unfinished")
        played.book.suspended = False  # the next welcome says so
        return line

    # Repeated actions.

    async def come_to(self, port: int) -> None:
        played = self.played

        def there() -> bool:
            return played.line is not None and played.line.port == port

        if not await played.until(there, self.options.patience):
            self.report.broken("not-active", f"it never came to {played.addresses[port]}")
            raise ExpectationFailed("it did not go to the server that was named")

    def same(self, name: str, sent: ReceivedCommand, again: ReceivedCommand) -> None:
        if again.command.seq != sent.command.seq:
            self.report.broken(name, f"seq {sent.command.seq} was unanswered, and {again.command.seq} came")
        elif again.command.digest != sent.command.digest:
            self.report.broken(name, f"seq {sent.command.seq} came with other content than before")
        else:
            self.report.met(name, f"a {sent.name} of seq {sent.command.seq}")

    def wagers_after(self, line: ConformanceLine, since: float) -> list[ReceivedCommand]:
        """New wagers on a connection that came when it must count as offline, since that moment."""
        setting = self.played.setting
        offline_at = since + setting.silence + setting.heartbeat / 2
        return [
            one
            for one in self.played.heard
            if one.line is line and one.fresh and one.name == "wager" and one.at > offline_at
        ]

    def decide_untold(self, heard: ReceivedCommand) -> Answer | None:
        self.played.book.decide(heard.command)
        return None

    def not_again(self, name: str, sent: ReceivedCommand, after: ReceivedCommand) -> None:
        one, two = (msgspec.structs.replace(heard.command.message, seq=1) for heard in (sent, after))
        if after.command.seq != sent.command.seq and one == two:
            self.report.broken(name, f"seq {sent.command.seq} was decided, and came as {after.command.seq}")
        else:
            self.report.met(name, f"a {sent.name} of seq {sent.command.seq}")

    async def no_wager(self, what: str) -> bool:
        played, line = self.played, await self.online()
        await played.fence(line)
        wait = QUIET_HEARTBEATS * played.setting.heartbeat
        return await self.quiet(len(played.heard), what, "suspended", wait)

    async def again(self, name: str) -> None:
        """Waits until the device wagers again on the active link.

        Only a device that wagers again has shown that it had stopped.
        """
        self.played.tell_link("active")
        heard = await self.wagered()
        self.report.met(name, f"it went on with seq {heard.command.seq}")

    def goes_on(self, name: str, first: ReceivedCommand, seq: int) -> None:
        if first.command.seq == seq:
            self.report.met(name, f"it went on with seq {seq}")
        else:
            self.report.broken(name, f"it went on with seq {first.command.seq} in place of {seq}")


# Trials of all devices.


async def unknown(watch: DeviceWatch) -> None:
    line = await watch.online()
    line.session.send_frame(encode({"t": "weather", "wind": [{"from": "north"}], "since": 1}))
    line.session.send_frame(encode({"t": "ping", "at": 0, "mood": {"good": True}}))
    if await watch.played.fence(line) and line.welcomed:
        watch.report.met("unknown")
    else:
        watch.report.broken("unknown", "it left, or fell silent")


async def back_off(watch: DeviceWatch) -> None:
    played, visits = watch.played, VISITS_QUICK if watch.options.quick else VISITS
    await watch.online()
    played.visits.clear()
    cut_at = played.now
    played.refusing = visits
    played.cut()
    patience = 2 * LONGEST_WAIT_S + visits * (LONGEST_WAIT_S + LATE_S)
    if not await played.until(lambda: not played.refusing, patience):
        played.refusing = 0
        raise ExpectationFailed(f"it came {len(played.visits)} times of {visits}")
    ends = [cut_at, *(end for _, end in played.visits)]
    waits = [came - end for (came, _), end in zip(played.visits, ends, strict=False)]
    shown = ", ".join(f"{wait:.2f}" for wait in waits)
    for number, wait in enumerate(waits):
        most = min(FIRST_WAIT_S * 2**number, LONGEST_WAIT_S)
        if not most / 2 - EARLY_S <= wait <= most + LATE_S:
            text = f"wait {number + 1} was {wait:.2f} s: {most / 2:.2f} to {most:.2f} is right ({shown})"
            watch.report.broken("back-off", text)
            return
    watch.report.met("back-off", f"waits of {shown} s")


async def silence(watch: DeviceWatch) -> None:
    played, line = watch.played, await watch.online()
    line.muted = True
    await played.until(lambda: line.ended_at is not None, played.setting.silence + LATE_S)
    late = watch.wagers_after(line, line.said_at)
    if late:
        waited = late[0].at - line.said_at
        watch.report.broken("silence", f"a wager came {waited:.2f} s after the last frame")
    elif line.ended_at is None:
        watch.report.broken("silence", "it stayed on a connection that had been silent for too long")
    else:
        watch.report.met("silence", f"it left after {line.ended_at - line.said_at:.2f} s")
    line.cut()


async def not_active(watch: DeviceWatch) -> None:
    played, line = watch.played, await watch.online()
    for _ in played.addresses:  # there, and back
        there = 1 - line.port
        line.end("not_active", "the tester sends you on", [played.addresses[there]])
        await watch.come_to(there)
        line = await watch.online()
    watch.report.met("not-active", f"it came to {' and '.join(played.addresses)}")


async def replaced(watch: DeviceWatch) -> None:
    if watch.options.quick:
        raise ExpectationFailed("it takes 30 s: left out by --quick")
    played, line = watch.played, await watch.online()
    line.end("replaced", "the tester says that another one has your name")
    await played.until(lambda: line.ended_at is not None, played.setting.silence)
    since, begun = played.now, len(played.lines)
    if not await played.until(lambda: len(played.lines) > begun, REPLACED_WAIT_S + watch.options.patience):
        raise ExpectationFailed("it did not come back within a minute")
    wait = played.lines[begun].opened_at - since
    if wait < REPLACED_WAIT_S - LATE_S:
        watch.report.broken("replaced", f"it came back after {wait:.1f} s")
    else:
        watch.report.met("replaced", f"it came back after {wait:.1f} s")


# Trials of tables.


async def resend(watch: DeviceWatch) -> None:
    sent = await watch.caught(lambda _: None, lambda _: True)
    _, again = await watch.come_back()
    watch.same("resend", sent, again)


async def decided(watch: DeviceWatch) -> None:
    sent = await watch.caught(watch.decide_untold, lambda _: True)
    _, after = await watch.come_back()
    watch.not_again("decided", sent, after)


async def last_follows(watch: DeviceWatch) -> None:
    played = watch.played
    sent = await watch.caught(watch.decide_untold, lambda _: True)

    def answer_hello(line: ConformanceLine) -> None:
        welcome, last = played.welcoming(), played.book.last
        line.session.welcome(msgspec.structs.replace(welcome, last=None, last_follows=True))
        if last is not None:
            line.session.push(last)
        played.book.told = played.book.last_seq
        played.answer_hello = played.welcome

    played.answer_hello = answer_hello
    line, after = await watch.come_back()
    watch.not_again("last-follows", sent, after)
    if not await played.fence(line):
        watch.report.broken("last-follows", "it left, or fell silent")


async def late_answers(watch: DeviceWatch) -> None:
    played = watch.played
    held = await watch.caught(lambda _: None, lambda _: True)
    await played.until(lambda: held.line.ended_at is not None, played.setting.silence + LATE_S)
    late = watch.wagers_after(held.line, held.at)
    played.reply = played.decide
    played.release()
    if late:
        waited = late[0].at - held.at
        watch.report.broken("late-answers", f"a wager came {waited:.2f} s after a command without an answer")
    elif await watch.fresh():
        watch.report.met("late-answers", f"a {held.name} was unanswered, and no new wager came")


async def suspended(watch: DeviceWatch) -> None:
    played = watch.played

    def reply(heard: ReceivedCommand) -> Answer | None:
        if not played.book.suspended:
            played.reply = played.decide
            played.book.suspended = True
            return played.book.accept(heard.command)
        return played.decide(heard)

    begun = await watch.caught(reply, lambda heard: isinstance(heard.command.message, Wager))
    played.tell_link("suspended")
    if await watch.no_wager("on a suspended link"):
        ended = await played.until(lambda: played.book.round is None, watch.options.patience)
        if ended:
            watch.report.met("finishes", f"the round of seq {begun.command.seq}")
        else:
            watch.report.broken("finishes", f"the round of seq {begun.command.seq} stays unfinished")
    played.cut()
    await watch.online()
    if await watch.no_wager("after a welcome with the link suspended"):
        await watch.again("suspended")


async def expected(watch: DeviceWatch) -> None:
    played = watch.played
    fenced: list[bool] = []

    def reply(heard: ReceivedCommand) -> Answer | None:
        if heard.command.seq == played.book.last_seq + 1 and fenced:
            return played.decide(heard)
        code = "suspended" if heard.command.seq == played.book.last_seq + 1 else "seq_gap"
        return played.decide(heard) if fenced else played.book.refuse(heard.command, code)

    refused = await watch.caught(reply, lambda heard: isinstance(heard.command.message, Wager))
    played.tell_link("suspended")
    await played.fence(refused.line)
    fenced.append(True)
    played.reply = played.decide
    await watch.no_wager("on a suspended link")
    since = len(played.heard)
    played.tell_link("active")
    first = await watch.first(since)
    watch.goes_on("expected", first, refused.command.seq)


async def used_up(watch: DeviceWatch) -> None:
    played = watch.played

    def reply(heard: ReceivedCommand) -> Answer | None:
        played.reply = played.decide
        refusal = Nack(heard.command.seq, "locked_out", "the tester takes no bets in this round")
        return played.book.keep(heard.command, refusal)

    refused = await watch.caught(reply, lambda heard: isinstance(heard.command.message, Wager))
    first = await watch.first(played.heard.index(refused) + 1)
    watch.goes_on("used-up", first, refused.command.seq + 1)


async def moved(watch: DeviceWatch) -> None:
    played = watch.played
    sent = await watch.caught(lambda _: None, lambda _: True)
    since, line = len(played.heard), sent.line
    played.held.clear()
    there = 1 - line.port

    def answer_hello(line: ConformanceLine) -> None:
        if line.port == there:
            played.welcome(line)
        else:
            line.end("not_active", "the tester sends you on", [played.addresses[there]])

    played.answer_hello, played.reply = answer_hello, played.decide
    line.session.answer(Nack(sent.command.seq, "not_active", "elsewhere", sent.command.seq))
    line.flush(played.now)
    await watch.come_to(there)
    watch.same("moved", sent, await watch.first(since))


async def witness(watch: DeviceWatch) -> None:
    played, line = watch.played, await watch.idle()
    if played.book.last_seq not in played.book.idle_at or len(played.book.idle_at) < 2:
        raise ExpectationFailed("it has not played a whole round yet")
    played.book.lose()
    said: list[int | None] = []

    def answer_hello(line: ConformanceLine) -> None:
        said.append(line.greeted.acked if line.greeted else None)
        if len(said) < 3:
            line.session.fail("ledger_behind", "the tester has forgotten your last answers")
            return
        played.answer_hello = played.welcome
        played.book.believe()
        played.welcome(line)

    played.answer_hello = answer_hello
    since = len(played.heard)
    line.cut()
    if not await played.until(lambda: len(said) >= 3, watch.options.patience):
        played.answer_hello = played.welcome
        played.book.believe()
        raise ExpectationFailed("it did not come again after ledger_behind")
    expected = played.book.idle_at[-1] + 1
    if len(set(said)) == 1:
        watch.report.met("witness", f"acked {said[0]} each time")
    else:
        watch.report.broken("witness", f"its acked was {', '.join(map(str, said))}")
    watch.goes_on("believes", await watch.first(since), expected)


async def left_over(watch: DeviceWatch) -> None:
    played, line = watch.played, await watch.idle()
    left = played.book.leave_over()
    since = len(played.heard)
    line.cut()
    await watch.online()
    first = await watch.first(since)
    if isinstance(first.command.message, Wager) or getattr(first.command.message, "round", left) != left:
        watch.report.broken("left-over", f"a {first.name} came while the round {left} is unfinished")
    elif await played.until(lambda: played.book.round is None, watch.options.patience):
        watch.report.met("left-over", f"by a {first.name}")


async def power_loss(watch: DeviceWatch) -> None:
    if watch.options.power is None:
        raise ExpectationFailed("nothing can cut its power: use --run or --by-hand")
    played = watch.played
    sent = await watch.caught(lambda _: None, lambda _: True)
    since = len(played.heard)
    played.refusing = inf  # nobody reconnects before the power is back
    await watch.options.power.cycle()
    played.refusing = 0
    played.cut()
    played.reply = played.decide
    await watch.online(BY_HAND_S)
    watch.same("power-loss", sent, await watch.first(since))


# Trials of tables that take bonus wagers.


def on_offer(heard: ReceivedCommand, offers: Collection[str]) -> set[str]:
    """The offers on which the command wagers."""
    message = heard.command.message
    return {bet.link for bet in message.bets if bet.link in offers} if isinstance(message, Wager) else set()


async def offer_bounds(watch: DeviceWatch) -> None:
    """Tells other bounds in a welcome: such that no amount that was right before is right now."""
    played = watch.played
    offers = [one for one in played.book.offers.values() if one.bounds.least < one.bounds.most]
    if not offers:
        raise ExpectationFailed("each of its offers takes one amount alone")
    line = await watch.idle()
    for offer in offers:
        _, most, _ = offer.bounds
        played.book.limit(offer.link, Bounds(2 * most, 4 * most, 2 * most))
    line.cut()
    names = {offer.link for offer in offers}
    heard = await watch.next(lambda heard: heard.fresh and bool(on_offer(heard, names)), "wager on an offer")
    for bet in getattr(heard.command.message, "bets", ()):
        if bet.link in names and not played.book.offers[bet.link].bounds.take(bet.amount):
            watch.report.broken("offer-bounds", f"{bet.amount} on {bet.link}: {_limits(played, bet.link)}")
            return
    watch.report.met("offer-bounds", ", ".join(_limits(played, link) for link in on_offer(heard, names)))


def _limits(played: ConformanceSession, link: str) -> str:
    least, most, unit = played.book.offers[link].bounds
    return f"{link} takes {least} to {most} in steps of {unit}"


async def offer_suspended(watch: DeviceWatch) -> None:
    """Suspends one offer between two rounds, then as a wager is on its way; all others are active."""
    played, offers = watch.played, watch.played.book.offers

    def reply(heard: ReceivedCommand) -> Answer | None:
        played.reply = played.decide
        chosen.extend(on_offer(heard, offers))
        played.book.closed_offer = chosen[0]
        return played.book.accept(heard.command)

    chosen: list[str] = []
    if len(played.book.links) < 2:
        raise ExpectationFailed("there is no other link to play on with")
    await watch.caught(reply, lambda heard: bool(on_offer(heard, offers)))
    played.tell_offer(chosen[0], "suspended")
    await played.fence(await watch.online())
    heard = await watch.wagered()
    if chosen[0] in on_offer(heard, offers):
        watch.report.broken("offer-suspended", f"seq {heard.command.seq} is a wager on {chosen[0]}")
        return
    played.tell_offer(chosen[0], "active")
    await watch.next(lambda heard: heard.fresh and chosen[0] in on_offer(heard, offers), "wager on it again")
    played.book.closed_offer = chosen[0]
    refused = await watch.next(lambda heard: chosen[0] in on_offer(heard, offers), "wager on it")
    since = played.heard.index(refused) + 1

    def next_wager() -> ReceivedCommand | None:
        return next((one for one in played.heard[since:] if one.name == "wager"), None)

    await played.until(lambda: next_wager() is not None, watch.options.patience)
    heard_next = next_wager()
    if heard_next is None:
        watch.report.broken("offer-suspended", f"no wager once a refusal named {chosen[0]}")
    elif chosen[0] in on_offer(heard_next, offers):
        watch.report.broken("offer-suspended", f"{chosen[0]} again, though a refusal named it")
    else:
        watch.report.met("offer-suspended", f"{chosen[0]}, while it played on")


async def offer_award(watch: DeviceWatch) -> None:
    """Pays an award on an offer, whatever the cards are."""
    played, offers = watch.played, watch.played.book.offers

    def due(heard: ReceivedCommand) -> list[tuple[BetPlace, Stake]]:
        message, round_ = heard.command.message, played.book.round
        if not isinstance(message, Settle) or round_ is None or round_.id != message.round:
            return []
        seats = {claim.seat for claim in message.hands if claim.cards}
        return [
            (place, stake)
            for place, stake in round_.bets.items()
            if place.link in offers and place.seat in seats
        ]

    def reply(heard: ReceivedCommand) -> Answer | None:
        played.reply = played.decide
        place, stake = due(heard)[0]
        award = offers[place.link].award(place.seat, stake.amount)
        paid.append(f"{award.amount} and its wager of {stake.amount} on {place.link} at seat {place.seat}")
        return played.book.pay(heard.command, award)

    paid: list[str] = []
    settled = await watch.caught(reply, lambda heard: bool(due(heard)))
    first = await watch.first(played.heard.index(settled) + 1)
    watch.goes_on("offer-award", first, settled.command.seq + 1)


Trial = Callable[[DeviceWatch], Awaitable[None]]

OF_ALL: Final[tuple[tuple[Trial, tuple[str, ...]], ...]] = (
    (unknown, ("unknown", "pong")),
    (back_off, ("back-off",)),
    (silence, ("silence",)),
    (not_active, ("not-active",)),
    (replaced, ("replaced",)),
)
OF_TABLES: Final[tuple[tuple[Trial, tuple[str, ...]], ...]] = (
    (resend, ("resend",)),
    (decided, ("decided",)),
    (last_follows, ("last-follows",)),
    (late_answers, ("late-answers",)),
    (suspended, ("suspended", "finishes")),
    (expected, ("expected",)),
    (used_up, ("used-up",)),
    (moved, ("moved",)),
    (witness, ("witness", "believes")),
    (left_over, ("left-over",)),
    (power_loss, ("power-loss",)),
)
OF_OFFERS: Final[tuple[tuple[Trial, tuple[str, ...]], ...]] = (
    (offer_suspended, ("offer-suspended",)),
    (offer_award, ("offer-award",)),
    (offer_bounds, ("offer-bounds",)),
)
"""Each trial with what it shows."""


async def examine(
    setting: Setting, options: Options, ready: Callable[[ConformanceSession], Awaitable[None]]
) -> ConformanceReport:
    """Runs all trials on a device. ready: called once the server listens, to start the device.

    Raises OSError where it cannot listen.
    """
    report = ConformanceReport("table" if setting.role == "table" else "sign", offers=bool(setting.offers))
    played = ConformanceSession(setting, report)
    await played.open()
    try:
        await ready(played)
        await _try_all(DeviceWatch(played, options))
    except ExpectationFailed as missed:
        for one in report.results():
            report.missed(one.obligation.name, str(missed))
    finally:
        await played.close()
    return report


async def _try_all(watch: DeviceWatch) -> None:
    table, only = watch.played.setting.role == "table", set(watch.options.only)
    await _settled(watch, table=table)
    offers = OF_OFFERS if watch.played.setting.offers else ()
    every = (*((*OF_TABLES, *offers) if table else ()), *OF_ALL)
    trials = [(trial, names) for trial, names in every if not only or only & set(names)]
    for number, (trial, names) in enumerate(trials, 1):
        watch.options.say(f"trial {number} of {len(trials)}: {', '.join(names)}")
        try:
            await _settled(watch, table=table)
            await trial(watch)
        except ExpectationFailed as missed:
            watch.options.say(f"not seen: {missed}")
            for name in names:
                watch.report.missed(name, str(missed))
        finally:
            _let_be(watch.played)


async def _settled(watch: DeviceWatch, *, table: bool) -> None:
    """Waits until the device is connected, and has played since the last trial."""
    await watch.online()
    if table:
        await watch.next(lambda heard: isinstance(heard.command.message, Settle | Close | Void))


def _let_be(played: ConformanceSession) -> None:
    """Resets the server, whatever a trial did to it."""
    played.reply, played.answer_hello, played.refusing = played.decide, played.welcome, 0
    played.release()
    if played.book.suspended or played.book.closed_offer is not None:
        played.tell_link("active")
