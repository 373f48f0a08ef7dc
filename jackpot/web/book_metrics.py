"""Metrics from the banks' states, read at a durable point (S5).

states: `views.statistics` of every bank. banks: `statistics()` of each bank, for what a state cannot know.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Final, get_args

from controllers.messages import LampState
from jackpot.publish.board import NOT_OPENED
from jackpot.rules import views
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR, RESTORED, ROLLED_BACK, TRIGGER_REASON
from jackpot.rules.acts.lost_acks import BEHIND
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.acts.rounds import ABANDONED_DECISIONS
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.refusal import CODES, NOT_APPLIED
from jackpot.rules.state import CLOSED, Tallied
from jackpot.rules.void_causes import CAUSES, NO_CAUSE
from jackpot.web.metric_families import Facts, Family, counter, gauge, units

_MS: Final = 1000

# Why a link takes no wagers, as tables are told it too.
REASONS: Final = (
    CONFIG_REASON, PROGRAM_REASON, INTERNAL, BEHIND, RESTORED, OPERATOR, NOT_OPENED, TRANSFERRED, CLOSED,
    TRIGGER_REASON, ROLLED_BACK,
)  # fmt: skip
STATUSES: Final = views.WAITING
PAYERS: Final = ("cage", "inventory", "account")
# The level of awards that no meter pays: odds, envy and draws.
HOUSE: Final = "house"

_LEVEL_MONEY: Final = (
    ("meter", "primary", "The level's meter."),
    ("reserve", "reserve", "What waits for the level's next meter."),
    ("overflow", "overflow", "What rose above the level's limit."),
    ("house", "house", "House money put into the level: seeds, reseeds, make-goods, less returns."),
    ("contributions", "contributions", "Contributions to the level, net of what was undone."),
    ("corrections", "corrections", "What two people put onto the level, less what they took off."),
    ("transfers", "transfers", "What came from other links, less what went to them."),
    ("wins", "wins", "Standing percentage awards of the level."),
)
_LEVEL_TERMS: Final = (
    ("seed", "seed", "What the level opened with."),
    ("reseed", "reseed", "What the house puts into the level after it was won."),
    ("limit", "limit", "The level's limit, infinite where it has none."),
    ("must_hit_by", "must_hit_by", "The sum by which a mystery level must hit, infinite for any other."),
)
_LEVEL_RATES: Final = (
    ("primary_rate_ratio", "primary_rate", "The part of each wager that goes onto the level's meter."),
    ("reserve_rate_ratio", "reserve_rate", "The part of each wager that goes onto the level's reserve."),
)
_LEVEL_COUNTS: Final = (
    ("wagers", ("wagers", "undone_wagers"), "Wagers accepted, those undone later included."),
    ("wagers_undone", ("undone_wagers",), "Wagers undone after they had been accepted."),
    ("hits", ("hits", "undone_hits"), "Percentage hits, those undone later included."),
    ("hits_undone", ("undone_hits",), "Percentage hits undone after they had been published."),
)
_OFFER_MONEY: Final = (
    ("wagers", "wagered", "Standing wagers on the offer, which the house has."),
    ("awards", "awards_outside", "Standing awards of the offer, with the wagers that they return."),
)

# By what a bank tallies, the metric: its name, its text, its label, and every value of that.
_TALLIES: Final[Mapping[Tallied, tuple[str, str, str, tuple[str, ...]]]] = {
    "void": ("rounds_void", "Rounds that were void, by the irregularity.", "cause", (*CAUSES, NO_CAUSE)),
    "abandoned": (
        "abandoned_decided",
        "Seats of which a table said that the player had left, by what a floorperson decided.",
        "decision",
        ABANDONED_DECISIONS,
    ),
    "lamp": ("lamps", "Changes of the lamps of awards, as tables said.", "state", get_args(LampState)),
}

_HOUR_S: Final = 3_600
_Level = tuple[list[str], Facts]


def of_books(states: Sequence[Facts], banks: Sequence[Facts], credit_hours: int) -> Iterator[Family]:
    """Every family of the banks' states, once. credit_hours: as the site's `credit_within_hours`."""
    yield from _links(states, banks)
    levels = [
        ([link["link"], level["level"]], level)
        for state in states
        for link in state["links"]
        for level in link["levels"]
    ]
    yield from _levels(levels)
    yield from _level_terms(levels)
    yield from _waiting(states)
    yield from _credits(states, credit_hours)
    yield from _tables(states)
    yield from _tallies(states)
    yield from _offers(states)
    yield _refusals(states, banks)
    yield gauge(
        "alarms_open",
        "Alarms that nobody has acknowledged.",
        ["bank", "code"],
        (([state["bank"], kind], count) for state in states for kind, count in state["alarms"].items()),
    )
    yield gauge(
        "requests_waiting",
        "Acts that wait for a second person.",
        ["bank"],
        (([state["bank"]], state["requests"]) for state in states),
    )
    yield gauge(
        "notices",
        "Notices that stand: what was announced to end, or to have a lower limit.",
        ["bank"],
        (([state["bank"]], state["notices"]) for state in states),
    )


def _links(states: Sequence[Facts], banks: Sequence[Facts]) -> Iterator[Family]:
    """States of links, also of those that the configuration has in a bank, and the bank's journal has not."""
    links = [link for state in states for link in state["links"]]
    reasons = {link["link"]: link["reasons"] for link in links}
    here = {state["bank"] for state in states}
    shown = {link: active for bank in banks if bank["bank"] in here for link, active in bank["links"].items()}
    reasons |= {link: [NOT_OPENED] for link in shown if link not in reasons}
    yield gauge(
        "link_active",
        "1 where wagers are taken.",
        ["link"],
        (([link], shown.get(link, False)) for link in reasons),
    )
    yield gauge(
        "link_suspended",
        "1 for each reason why no wagers are taken.",
        ["link", "reason"],
        (([link, reason], reason in given) for link, given in reasons.items() for reason in REASONS),
    )
    yield gauge(
        "awards_currency_units",
        "Awarded, paid or not: standing awards of every kind, by who pays them.",
        ["link", "pays"],
        (([link["link"], payer], units(link["paid_by"].get(payer, 0))) for link in links for payer in PAYERS),
    )


def _levels(levels: Sequence[_Level]) -> Iterator[Family]:
    labels = ["link", "level"]
    for name, key, text in _LEVEL_MONEY:
        yield gauge(f"{name}_currency_units", text, labels, ((at, units(level[key])) for at, level in levels))
    for name, keys, text in _LEVEL_COUNTS:
        yield counter(name, text, labels, ((at, sum(level[key] for key in keys)) for at, level in levels))
    yield gauge(
        "cycle",
        "The level's cycle, one more at each reseed.",
        labels,
        ((a, b["cycle"]) for a, b in levels),
    )


def _level_terms(levels: Sequence[_Level]) -> Iterator[Family]:
    """A level's terms, which only people change (S1)."""
    labels = ["link", "level"]
    for name, key, text in _LEVEL_TERMS:
        sums = ((at, inf if level[key] is None else units(level[key])) for at, level in levels)
        yield gauge(f"{name}_currency_units", text, labels, sums)
    for name, key, text in _LEVEL_RATES:
        yield gauge(name, text, labels, ((at, level[key] / BASIS_POINTS) for at, level in levels))


def _waiting(states: Sequence[Facts]) -> Iterator[Family]:
    """Waiting awards in every possible group, so that no series appears and vanishes with its awards."""
    awards, amounts, oldest = {}, {}, {}
    for link in (link for state in states for link in state["links"]):
        oldest[(link["link"],)] = 0.0
        for level in [*(level["level"] for level in link["levels"]), HOUSE]:
            for status in STATUSES:
                awards[link["link"], level, status] = 0
                amounts[link["link"], level, status] = 0
    for group in (group for state in states for group in state["waiting"]):
        at = group["link"], group["level"] or HOUSE, group["status"]
        awards[at] += group["awards"]
        amounts[at] += group["amount"]
        if group["status"] == views.DISPUTED:
            continue  # it waits for those who lift the dispute, and not to be paid
        made, before = group["oldest"] / _MS, oldest[(group["link"],)]
        oldest[(group["link"],)] = min(made, before) if before else made
    labels = ["link", "level", "status"]
    yield gauge("awards_waiting", "Awards that are not paid yet.", labels, awards.items())
    yield gauge(
        "awards_waiting_currency_units",
        "The sum of the awards that are not paid yet.",
        labels,
        ((at, units(amount)) for at, amount in amounts.items()),
    )
    yield gauge(
        "oldest_waiting_timestamp_seconds",
        "When the oldest hit was made that is neither paid nor disputed, 0 if none waits.",
        ["link"],
        oldest.items(),
    )


def _credits(states: Sequence[Facts], hours: int) -> Iterator[Family]:
    """Awards to game accounts that nobody has confirmed (P4)."""
    found = [(state["bank"], state["uncredited"]) for state in states]
    yield gauge(
        "awards_uncredited",
        "Awards to game accounts that nobody has confirmed as credited.",
        ["bank"],
        (([bank], waits["awards"]) for bank, waits in found),
    )
    yield gauge(
        "oldest_uncredited_timestamp_seconds",
        "When the oldest of them was won, 0 if none waits.",
        ["bank"],
        (([bank], waits["oldest"] / _MS) for bank, waits in found),
    )
    yield gauge(
        "credit_within_seconds",
        "How long after a win the site lets a credit wait.",
        [],
        [([], hours * _HOUR_S)],
    )


def _tables(states: Sequence[Facts]) -> Iterator[Family]:
    tables = [table for state in states for table in state["tables"]]
    behind = {table for state in states for table in state["behind"]}
    yield gauge(
        "table_info",
        "The game of the table, always 1.",
        ["table", "game"],
        (([table["table"], table["game"]], 1) for table in tables),
    )
    yield counter(
        "table_rounds",
        "Rounds that the table has closed.",
        ["table"],
        (([table["table"]], table["rounds"]) for table in tables),
    )
    yield gauge(
        "table_awards_waiting",
        "Awards of the table that are not paid yet.",
        ["table"],
        (([table["table"]], table["waiting"]) for table in tables),
    )
    yield counter(
        "table_wagers",
        "Wagers accepted from the table, those undone later included.",
        ["table", "link"],
        (([table["table"], link], count) for table in tables for link, count in table["wagers"].items()),
    )
    yield gauge(
        "table_abandoned_waiting",
        "Seats of the table that may be abandoned, and of which no floorperson has decided.",
        ["table"],
        (([table["table"]], _abandoned(table)) for table in tables),
    )
    for name, text, those in (
        ("held", "1 while its cards must stay.", {at["table"] for at in tables if at["held"]}),
        (
            "chip_mismatch",
            "1 while its round waits for a chip count that agrees.",
            {at["table"] for at in tables if (at["round"] or {}).get("state") == "mismatch"},
        ),
        ("ahead_of_ledger", "1 while it has answers that the ledger has lost.", behind),
    ):
        yield gauge(
            f"table_{name}", text, ["table"], (([at["table"]], at["table"] in those) for at in tables)
        )


def _abandoned(table: Facts) -> int:
    """How many seats of its round may be abandoned, and wait for a floorperson (P6)."""
    return sum(not one["confirmed"] for one in (table["round"] or {}).get("abandoned", ()))


def _tallies(states: Sequence[Facts]) -> Iterator[Family]:
    """What a bank counts for its metrics alone (P3, P5, P6)."""
    counts = {(state["bank"], what, kind): n for state in states for what, kind, n in state["tallies"]}
    for what, (name, text, label, kinds) in _TALLIES.items():
        samples = (
            ([state["bank"], kind], counts.get((state["bank"], what, kind), 0))
            for state in states
            for kind in kinds
        )
        yield counter(name, text, ["bank", label], samples)


def _offers(states: Sequence[Facts]) -> Iterator[Family]:
    """Bonus wagers with fixed odds, which no meter has: links without levels (B1)."""
    offers = [link for state in states for link in state["links"] if not link["levels"]]
    for name, key, text in _OFFER_MONEY:
        sums = (([offer["link"]], units(offer[key])) for offer in offers)
        yield gauge(f"offer_{name}_currency_units", text, ["link"], sums)
    tables = [table for state in states for table in state["tables"]]
    yield counter(
        "table_offer_wagers_currency_units",
        "What the wagers on an offer came to at the table, those undone later included.",
        ["table", "link"],
        (([table["table"], link], units(sum_)) for table in tables for link, sum_ in table["sums"].items()),
    )


def _refusals(states: Sequence[Facts], banks: Sequence[Facts]) -> Family:
    refusals = {(bank["bank"], code): count for bank in banks for code, count in bank["not_applied"].items()}
    for state in states:
        durable = state["refusals"]
        refusals |= {(state["bank"], code): durable.get(code, 0) for code in CODES if code not in NOT_APPLIED}
    text = "Frames of tables refused: durable ones over the ledger's life, the others since the start."
    return counter("refusals", text, ["bank", "code"], refusals.items())
