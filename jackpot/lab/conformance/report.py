"""Obligations of devices and servers, and the verdict on each."""

from typing import Any, Final, Literal, NamedTuple

Side = Literal["table", "sign", "server"]
Verdict = Literal["pass", "fail", "not seen"]

DEVICES: Final = frozenset[Side]({"table", "sign"})
TABLES: Final = frozenset[Side]({"table"})
SERVERS: Final = frozenset[Side]({"server"})


class Obligation(NamedTuple):
    """One requirement of the protocol. section: of controllers/README.md. how: the tester checks it.

    of_offers: only where there are bonus wagers with fixed odds.
    """

    name: str
    sides: frozenset[Side]
    section: str
    text: str
    how: str
    of_offers: bool = False


def _device(name: str, section: str, text: str, how: str) -> Obligation:
    return Obligation(name, DEVICES, section, text, how)


def _table(name: str, section: str, text: str, how: str) -> Obligation:
    return Obligation(name, TABLES, section, text, how)


def _server(name: str, section: str, text: str, how: str) -> Obligation:
    return Obligation(name, SERVERS, section, text, how)


def _offer(side: Side, name: str, text: str, how: str) -> Obligation:
    return Obligation(name, frozenset({side}), "Commands of a table", text, how, of_offers=True)


OBLIGATIONS: Final = (
    _device("frames", "Bytes", "Every frame is whole, known and of the right types.", "Every frame is read."),
    _device(
        "hello",
        "Conversation",
        "Within 5 s of the challenge a hello with the device's role, id and mac.",
        "Every connection gets a new nonce.",
    ),
    _device(
        "pong",
        "Conversation",
        "A ping is answered with a pong of the same `at`.",
        "It is asked at every heartbeat, and in between.",
    ),
    _device(
        "one-connection",
        "Conversation",
        "A device has one connection at a time.",
        "A second hello while the first connection is open is a fault.",
    ),
    _device(
        "unknown",
        "Bytes",
        "Unknown types and unknown keys are ignored.",
        "It is told a type and a key of a later version, and must stay.",
    ),
    _device(
        "back-off",
        "Conversation",
        "Before each new connection 0.2 s doubled up to 10 s, times a random 0.5 to 1.0.",
        "Connections are closed as soon as they are made, and the waits between them measured.",
    ),
    _device(
        "silence",
        "Conversation",
        "Two heartbeats without a frame are offline: no wager, and a new connection.",
        "The server says nothing more, then is there again.",
    ),
    _device(
        "not-active",
        "Conversation",
        "After `not_active` it tries the servers named.",
        "It is sent to a second address.",
    ),
    _device(
        "replaced",
        "Conversation",
        "After `replaced` it waits 30 s.",
        "It is told so, and the wait measured; not with --quick.",
    ),
    _table(
        "acked",
        "Conversation",
        "`acked` in the hello is the highest seq with an answer that is durable.",
        "Each hello is held against the answers that were sent, and those that surely arrived.",
    ),
    _table(
        "contiguous",
        "Commands of a table",
        "Numbers go on from `last_seq + 1`, without a gap.",
        "Every command is counted.",
    ),
    _table("unanswered", "Commands of a table", "At most 64 commands are unanswered.", "They are counted."),
    _table(
        "fields",
        "Commands of a table",
        "Commands have the fields that the table of commands gives, within their limits.",
        "Every command is decoded as the server does it.",
    ),
    _table(
        "wagers",
        "Commands of a table",
        "A wager is of a link of the welcome, of its amount, and once a seat.",
        "Every wager is looked at.",
    ),
    _table(
        "rounds",
        "Commands of a table",
        "A round has an id of its own; it is locked, settled and closed before the next one.",
        "Every round is followed.",
    ),
    _table(
        "payout-order",
        "Commands of a table",
        "Hands are settled in payout order: seat numbers fall.",
        "Every settlement is looked at.",
    ),
    _table("cards", "Commands of a table", "No card is twice in a round.", "Every settlement is looked at."),
    _table(
        "resend",
        "Commands of a table",
        "What is unanswered is sent again under the same number, with the same content.",
        "The connection is cut before a command is answered.",
    ),
    _table(
        "decided",
        "Commands of a table",
        "A command that was decided is never given again under another number.",
        "The connection is cut after a command was decided and before the answer was sent.",
    ),
    _table(
        "last-follows",
        "Conversation",
        "With `last_follows` the frame after the welcome is the answer to `last_seq`.",
        "It is told so after a cut.",
    ),
    _table(
        "power-loss",
        "Commands of a table",
        "Number and content of an unanswered command survive a power loss.",
        "Its process is killed (--run), or a person cuts its power (--by-hand).",
    ),
    _table(
        "late-answers",
        "Conversation",
        "A table that waits for an answer for two heartbeats takes no wagers.",
        "The server pings and answers nothing.",
    ),
    _table(
        "suspended",
        "What the server tells",
        "No wager on a suspended link, until it is active again.",
        "A link is suspended by a push, and by a welcome.",
    ),
    _table(
        "finishes",
        "Commands of a table",
        "A round that was open when its link was suspended is settled, closed or voided.",
        "The link is suspended in the middle of a round.",
    ),
    _table(
        "expected",
        "Commands of a table",
        "After an answer with `expected` it waits for all answers and goes on from that number.",
        "A wager is refused with `suspended`.",
    ),
    _table(
        "used-up",
        "Commands of a table",
        "Any other nack uses its number up.",
        "A wager is refused with `locked_out`.",
    ),
    _table(
        "moved",
        "Commands of a table",
        "A command refused with `not_active` goes to the active server, unchanged.",
        "A command is so refused, and the table sent to a second address.",
    ),
    _table(
        "witness",
        "Conversation",
        "After `ledger_behind` it keeps its `acked`, and comes again.",
        "It is told so twice, after answers were forgotten on purpose.",
    ),
    _table(
        "believes",
        "Conversation",
        "A welcome whose `last_seq` is below its `acked` sets both: it goes on from there.",
        "It is let in again after `ledger_behind`.",
    ),
    _table(
        "left-over",
        "Conversation",
        "The `round` of the welcome is finished or voided before a new one.",
        "It is told of a round that it does not know, as after the loss of its memory.",
    ),
    _offer(
        "table",
        "offer-amounts",
        "On an offer a seat wagers once a multiple of `unit`, from `least` to `most`.",
        "Every wager is looked at.",
    ),
    _offer(
        "table",
        "offer-counts",
        "Where `count` is true, `chips` and `sums` of the lock are the wagers, and what they come to.",
        "The last count before the cards is held against the wagers.",
    ),
    _offer(
        "table",
        "offer-cards",
        "A seat is settled, and a round closed, with the cards that its offers count; "
        "for Cover All those of as many players as the lock says.",
        "Every settlement and close is looked at.",
    ),
    _offer(
        "table",
        "offer-award",
        "An award with fixed odds and its `stake` are taken, and the table goes on.",
        "A settlement is answered with one, whatever the cards are.",
    ),
    _offer(
        "table",
        "offer-lamps",
        "A `lamp` is of an award that the table was told of; it need not send any.",
        "Every lamp is looked at, whether an award was won or not.",
    ),
    _offer(
        "table",
        "offer-suspended",
        "No wager on a suspended offer, while the other links are played on.",
        "One offer is suspended by a push, and active again; then a refusal names it.",
    ),
    _offer(
        "table",
        "offer-bounds",
        "The bounds of the last welcome hold.",
        "It comes back to a welcome with higher ones; not where each offer takes one amount.",
    ),
    _server(
        "challenge",
        "Conversation",
        "It challenges at once: version 1, 16 random bytes, its name.",
        "The nonces of two connections must differ.",
    ),
    _server(
        "strangers",
        "Faults",
        "A wrong mac, an unknown device or no hello: `auth_failed` in the same words, and closed.",
        "Each is tried.",
    ),
    _server(
        "bad-frames",
        "Faults",
        "What is no frame ends the connection with `bad_frame`.",
        "The bad frames of schemas/vectors.json are sent, each on its own connection.",
    ),
    _server(
        "welcome", "Conversation", "A welcome with all its fields, then a whole `meters`.", "It is read."
    ),
    _server("pongs", "Conversation", "A ping is answered with the same `at`.", "It is asked."),
    _server(
        "heartbeat", "Conversation", "It says something at every heartbeat.", "One heartbeat is waited for."
    ),
    _server(
        "answers",
        "Commands of a table",
        "A wager is acked, a void gives it back.",
        "A round of one wager is opened and voided.",
    ),
    _server(
        "same-answer",
        "Commands of a table",
        "The same content under a decided number gets the same answer.",
        "The wager is sent again, with its keys in another order and an unknown one.",
    ),
    _server(
        "conflict",
        "Commands of a table",
        "Other content under a decided number is `seq_conflict`, with `expected`.",
        "It is tried; a server alarms it.",
    ),
    _server("gap", "Commands of a table", "A number left out is `seq_gap`, with `expected`.", "It is tried."),
    _server(
        "bad-message",
        "Commands of a table",
        "A wrong field is `bad_message`, which names it and uses the number up.",
        "A seat of 0 is sent.",
    ),
    _server(
        "codes",
        "Commands of a table",
        "The first code that applies: `no_such_round`, `unknown_link`, `wrong_amount`.",
        "Each is tried.",
    ),
    _server(
        "abandoned",
        "Commands of a table",
        "A round with an `abandoned` seat closes only once a floorperson has answered.",
        "One is named and the round closed, which is `bad_message`; then it is voided.",
    ),
    _server(
        "lamps",
        "Commands of a table",
        "A `lamp` of an award is acked, also once more; one of no award is `no_such_award`.",
        "No award is named; where it wins on an offer its lamp is lit twice, without a failure.",
    ),
    _server(
        "replaces",
        "Faults",
        "A second connection of a device ends the first with `replaced`.",
        "A second one is made, once.",
    ),
    _server(
        "resumes",
        "Conversation",
        "`last_seq`, the answer to it and the unfinished `round` are told to a table that comes back.",
        "It comes back in the middle of a round.",
    ),
    _offer(
        "server",
        "offers",
        "An offer has no levels; its `wager` is `least`; `least` and `most` are multiples of `unit`.",
        "The welcome is read, and a wager on each offer placed and told again.",
    ),
    _offer(
        "server",
        "offer-codes",
        "Out of bounds is `wrong_amount`, another amount at the seat `duplicate_wager`.",
        "Each is tried on each offer.",
    ),
    _offer(
        "server",
        "offer-refunds",
        "A withdrawal and a void return the amount of each wager.",
        "Each is tried on each offer.",
    ),
    _offer(
        "server",
        "offer-void",
        "A void with a `cause` lets Trips Wagers be settled, and no others; it returns all where it jams.",
        "Each offer is named in the `settles` of a void.",
    ),
    _offer(
        "server",
        "offer-mismatch",
        "A wrong count of an offer's chips, or of their sum, is `chip_mismatch` until it is corrected.",
        "Both are counted wrong, then right.",
    ),
    _offer(
        "server",
        "offer-unshown",
        "Without the cards that everybody shares a wager is not settled: `bad_message` naming them.",
        "A round is closed without them.",
    ),
    _offer(
        "server",
        "offer-pays",
        "A hand of the lowest row is paid by its odds, and N to 1 names the wager as `stake`.",
        "It is dealt on each offer; this is the one thing that the tester leaves on the table.",
    ),
)

BY_NAME: Final = {one.name: one for one in OBLIGATIONS}


class ObligationResult(NamedTuple):
    obligation: Obligation
    verdict: Verdict
    evidence: str


class ConformanceReport:
    """Verdicts on the obligations of one side. The first failure of each is kept.

    offers: whether bonus wagers are looked at.
    """

    def __init__(self, side: Side, *, offers: bool = False) -> None:
        self.side: Final = side
        self.offers = offers
        self._met: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self._missed: dict[str, str] = {}

    def met(self, name: str, evidence: str = "") -> None:
        self._met[BY_NAME[name].name] = evidence

    def broken(self, name: str, evidence: str) -> None:
        self._broken.setdefault(BY_NAME[name].name, evidence)

    def missed(self, name: str, why: str) -> None:
        """Records that it could not be tested."""
        self._missed.setdefault(BY_NAME[name].name, why)

    @property
    def failed(self) -> bool:
        return bool(self._broken)

    @property
    def passed(self) -> bool:
        """Whether nothing failed, and something was seen: a device that never connected has not passed."""
        return bool(self._met) and not self._broken

    def results(self) -> list[ObligationResult]:
        wanted = (one for one in OBLIGATIONS if self.side in one.sides)
        return [
            self._result(one)
            for one in wanted
            if self.offers or one.name in self._broken or not one.of_offers
        ]

    def _result(self, obligation: Obligation) -> ObligationResult:
        if obligation.name in self._broken:
            return ObligationResult(obligation, "fail", self._broken[obligation.name])
        if obligation.name in self._met:
            return ObligationResult(obligation, "pass", self._met[obligation.name])
        return ObligationResult(
            obligation, "not seen", self._missed.get(obligation.name, "nothing happened that would show it")
        )

    def as_json(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {
            "side": self.side,
            "failed": self.failed,
            "obligations": [
                {
                    "name": one.name,
                    "section": one.section,
                    "text": one.text,
                    "verdict": verdict,
                    "evidence": why,
                }
                for one, verdict, why in self.results()
            ],
        }
