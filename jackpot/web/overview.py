"""Who is on the floor now, what was won last, and what is wrong? As people read it, for the floor page."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import quote

from jackpot.books.reader import Books
from jackpot.catalogue import rate_text
from jackpot.clock import Clock
from jackpot.config import Config, titles_of
from jackpot.config.writing import Writing, moment
from jackpot.ledger.store import LedgerError
from jackpot.rules import views
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.witness import BEHIND
from jackpot.rules.money import to_cents
from jackpot.rules.signing import SITE
from jackpot.rules.unpaid import WAITING_MOST
from jackpot.server.asks.ask import PAGE_MOST
from jackpot.server.desk import BankStopped, Desk
from jackpot.server.devices import Devices
from jackpot.server.heads import Signer
from jackpot.server.history import hits_of
from jackpot.server.pagers import Pagers
from jackpot.server.relay import Publisher
from jackpot.server.remedy import remedies, remedy, suspended
from jackpot.web.doings import causes
from jackpot.words import Sentence, ago, joined, several, words

HITS_SHOWN: Final = 14
# Hits that wait for people, on top of the page: more would push the links off the screen.
WAITING_SHOWN: Final = 6
# The state is read once in this time, however many pages show it.
FRESH_S: Final = 1.0
# While the ledger is in doubt the last durable state is shown: that is when people look.
STATE_WITHIN_S: Final = 1.0

# A device that lost its server tries again every few seconds (WIRE): one that is not back by then is missing.
BACK_WITHIN_S: Final = 15.0

# What a person does with a hit of that status (A10).
_NEXT: Final = {"pending": Sentence("validate it"), "validated": Sentence("pay it")}
# A bank that stops says why in the log; what to do about each is in the manual.
_LOOK_INTO_BANK: Final = Sentence("the server's log says why; `jackpot lease show` says who has the bank")
# How many devices of a role are here: where it has one, and where it has more or none.
HERE: Final = {
    "table": ("{here} of {known} table", "{here} of {known} tables"),
    "sign": ("{here} of {known} sign", "{here} of {known} signs"),
}
# Devices of a role that are not here: one, and several.
OFFLINE: Final = {
    "table": ("Table {names} is offline", "Tables {names} are offline"),
    "sign": ("Sign {names} is offline", "Signs {names} are offline"),
}

# What waits for people, or for the second of two: one, and several.
HITS: Final = ("{count} hit waits for people", "{count} hits wait for people")
REQUESTS: Final = (
    "{count} request waits for a second person", "{count} requests wait for a second person",
)  # fmt: skip
ALARMS: Final = ("{count} alarm is open", "{count} alarms are open")

# By the reason that a link is suspended for, what ends it on the link's page.
_ON_PAGE: Final = {
    OPERATOR: Sentence("once the cause is over, let wagers in again on the link's page"),
    INTERNAL: Sentence("keep the log; once it is understood two people resume it on its page"),
    TRANSFERRED: Sentence(
        "its money went to another link; close it on its page, or two people resume it there"
    ),
    CONFIG_REASON: Sentence("two people confirm on its page what differs, or the configuration is put back"),
}

Map = dict[str, Any]


class Source(Protocol):
    """What the overview reads."""

    @property
    def config(self) -> Config: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def writers(self) -> Mapping[str, Desk]: ...
    @property
    def people(self) -> Desk: ...
    @property
    def tables(self) -> Devices: ...
    @property
    def signs(self) -> Devices: ...
    @property
    def relays(self) -> Sequence[Publisher]: ...
    @property
    def books(self) -> Books: ...
    @property
    def signer(self) -> Signer | None: ...
    @property
    def pagers(self) -> Pagers | None: ...


def why(desk: Desk) -> str | None:
    """Why a bank does not act now; None if it acts, here or in another server."""
    if desk.hold.elsewhere:
        return None
    if (stopped := desk.hold.stopped) is not None:
        return f"stopped: {stopped}" if desk.hold.failed else stopped
    return None if desk.active else "the ledger does not answer, or answers too slowly"


def _own(devices: Devices) -> set[str]:
    """The devices that belong at this server now."""
    return {
        name
        for name, device in devices.register.devices.items()
        if not any(isinstance(desk, Desk) and desk.hold.elsewhere for desk in device.desks)
    }


def _here(devices: Devices) -> Sentence:
    """How many devices are here, and how many belong here."""
    known = len(_own(devices))
    return Sentence(HERE[devices.register.role][known != 1], here=len(devices.current), known=known)


def _trouble(what: Sentence, next_: str, at: str = "", there: str = "") -> dict[str, str]:
    """What is wrong, and what somebody does about it.

    next_: in English on every page where it is no Sentence. at: the page where people act on it.
    there: what they do then, in place of what they type elsewhere.
    """
    return {"what": what, "next": next_, "at": at, "there": there}


def _table_at(table: str) -> str:
    """The address of its page."""
    return f"/ops/tables/{quote(table, safe='')}"


def _on_page(reasons: str) -> str:
    """What people do about a suspended link on its page; "" where that does not end every reason."""
    found = [_ON_PAGE.get(reason) for reason in reasons.split(", ")]
    whole = [each for each in found if each is not None]
    if len(whole) < len(found):
        return ""
    return reduce(lambda one, other: Sentence("{one}; {other}", one=one, other=other), whole)


def _at_tables(tables: Iterable[Map]) -> Iterator[dict[str, str]]:
    """Where the round of a table waits for people."""
    for table in tables:
        name, round_, asked = table["table"], table["round"], table["asked"]
        if round_ and round_["state"] == "mismatch":
            said = Sentence("Table {table}: the chips counted differ from the wagers accepted", table=name)
            there = Sentence(
                "count again at the table; or strike a wager, or void the round, on the table's page"
            )
            strike = f"strike a wager: `jackpot rounds strike {name} {round_['round']} SEAT LINK`"
            typed = f"count again at the table, or {strike}, or `jackpot rounds void`"
            yield _trouble(said, typed, _table_at(name), there)
        if table["waiting"] > WAITING_MOST:
            waiting = f"{table['waiting']:,}"
            said = Sentence("Table {table}: {count} awards wait for people", table=name, count=waiting)
            each = Sentence(
                "validate and pay each; where the approved controls let small ones be final at once, "
                "see `validate_at`"
            )
            yield _trouble(said, f"`jackpot hits list`, then {each}", "/ops/hits", each)
        if asked:
            said = Sentence(
                "Table {table}: {person} asked to reopen round {round}; the table waits 15 minutes at most",
                table=name, person=asked["by"], round=asked["round"],
            )  # fmt: skip
            answer = f"`jackpot rounds reopen {name} {asked['round']}`"
            there = Sentence("another person answers on the table's page")
            yield _trouble(said, f"another person answers: {answer}, or `decline`", _table_at(name), there)


def _at_limit(links: Iterable[Map]) -> Iterator[dict[str, str]]:
    """Where a meter has reached its limit (L7)."""
    for link in links:
        for level in link["levels"]:
            if level["limit"] is not None and level["primary"] >= level["limit"]:
                said = Sentence(
                    "Link {link}: the meter {level} is at its limit", link=link["link"], level=level["level"]
                )
                then = Sentence("what would raise it goes to the overflow, and from there to the next meter")
                yield _trouble(said, then)


def _so_many(forms: tuple[str, str], number: int) -> str:
    """How many there are, by their sentence for one and for more; "" for none."""
    return Sentence(forms[number != 1], count=f"{number:,}") if number else ""


def _ago(seconds: float) -> Sentence:
    """How long ago, as a sentence."""
    return Sentence("{time} ago", time=ago(seconds).removesuffix(" ago"))


def _wagered(hit: Map) -> bool:
    """Whether the hand had a wager: a hit may earn others their envy without one (A5)."""
    return any(award["kind"] != "envy" for award in hit["awards"])


class _Bank(NamedTuple):
    """What is read of a bank. waiting: its hits that wait for people, the oldest first."""

    state: Map
    hits: Sequence[Map] = ()
    waiting: Sequence[Map] = ()


class Overview:
    """One floor, read when somebody looks and at most once a second."""

    def __init__(self, source: Source, money: Writing) -> None:
        self._source = source
        self._money = money
        self._titles = titles_of(source.config.displays)
        self._states: dict[str, _Bank] = {}
        self._looking = asyncio.Lock()
        self._looked_at: float | None = None
        self._found: Map = {}
        self._began = source.clock.monotonic()

    async def look(self) -> Map:
        """What the page shows: time, counts, troubles, what waits, tables, signs and hits, as text."""
        async with self._looking:
            now = self._source.clock.monotonic()
            if self._looked_at is None or now - self._looked_at >= FRESH_S:
                desks = [*self._source.writers.values(), self._source.people]
                await asyncio.gather(*(self._read(desk) for desk in desks))
                self._found = self._overview()
                self._looked_at = now
        return self._found

    async def _read(self, desk: Desk) -> None:
        try:
            async with asyncio.timeout(STATE_WITHIN_S):
                found = _Bank(await desk.ask(views.statistics))
                waiting, _ = await desk.ask(lambda engine: views.waiting_hits(engine, 0, PAGE_MOST))
            if desk.bank != SITE:
                listed = await hits_of(desk, self._source.books, None, HITS_SHOWN)
                found = _Bank(found.state, listed.hits, waiting)
            self._states[desk.bank] = found
        except (TimeoutError, BankStopped, LedgerError):
            if desk.hold.elsewhere:  # else its last durable state is shown, and `troubles` says why
                self._states.pop(desk.bank, None)

    def _overview(self) -> Map:
        source = self._source
        tables = [table for bank in self._states.values() for table in bank.state["tables"]]
        hits = [self._hit(name, hit) for name, bank in self._states.items() for hit in bank.hits]
        hits.sort(key=lambda hit: hit["at"], reverse=True)
        at_tables, at_signs = source.tables, source.signs
        counts = Sentence("{tables}, {signs}", tables=_here(at_tables), signs=_here(at_signs))
        return {
            "time": moment(source.clock.unix_ms(), source.config.site.timezone),
            "counts": counts,
            "banks": self._banks(),
            "heads": self._heads(),
            "alarms": self._alarms(),
            "requests": self._requests(),
            "waiting": self._waiting(),
            "starting": self._starting(),
            "elsewhere": {
                link: Sentence("at server {server}", server=desk.hold.held_by.split()[0])
                for desk in source.writers.values()
                if desk.hold.elsewhere
                for link in desk.board.links
            },
            "why": {
                link: causes(reasons.split(", "))
                for desk in source.writers.values()
                for link, reasons in suspended(desk.board).items()
            },
            "troubles": list(self._troubles(tables)),
            "tables": [
                self._table(table) for table in tables if table["table"] in at_tables.register.devices
            ],
            "signs": [
                {
                    "sign": name,
                    "online": name in at_signs.current,
                    "links": ", ".join(sorted(map(self._title, sign.links))),
                }
                for name, sign in at_signs.register.devices.items()
                if name in _own(at_signs)
            ],
            "hits": hits[:HITS_SHOWN],
            "terms": {
                link["link"]: {level["level"]: self._terms(level) for level in link["levels"]}
                for bank in self._states.values()
                for link in bank.state["links"]
            },
        }

    def _terms(self, level: Map) -> list[Sentence]:
        """A level's terms and its totals, shown next to its meter (S1)."""

        def money(key: str) -> str:
            return self._money.text(to_cents(level[key]))

        rates = {name: rate_text(level[f"{name}_rate"]) for name in ("primary", "reserve")}
        sums = {name: money(name) for name in ("seed", "reseed", "reserve", "overflow")}
        seeds = [Sentence("seed {seed}, reseed {reseed}", **sums)]
        if level["limit"] is not None:
            seeds.append(Sentence("limit {limit}", limit=money("limit")))
        hits, wagers = several(level["hits"], "hit"), several(level["wagers"], "wager")
        lines = [
            Sentence("of a wager {primary}, to the reserve {reserve}", **rates),
            joined(seeds),
            Sentence("reserve {reserve}, overflow {overflow}", **sums),
            Sentence("{hits}, {sum}; {wagers}", hits=hits, sum=money("wins"), wagers=wagers),
        ]
        if level["undone_hits"] or level["undone_wagers"]:
            hits, wagers = several(level["undone_hits"], "hit"), several(level["undone_wagers"], "wager")
            lines.append(Sentence("undone: {hits}, {wagers}", hits=hits, wagers=wagers))
        return lines

    def _banks(self) -> str:
        """Which server has which bank, where there are several."""
        own = self._source.config.server
        if own is None:
            return ""
        holders = {bank: desk.hold.held_by for bank, desk in self._source.writers.items()}
        said = joined(
            Sentence("bank {bank}: server {server}", bank=bank, server=holder.split()[0])
            if holder
            else Sentence("bank {bank}: no server", bank=bank)
            for bank, holder in holders.items()
        )
        return Sentence("This is server {server}; {banks}", server=own.id, banks=said)

    def _alarms(self) -> str:
        """How many alarms nobody has acknowledged; "" for none."""
        number = sum(sum(bank.state["alarms"].values()) for bank in self._states.values())
        return _so_many(ALARMS, number)

    def _requests(self) -> str:
        """How many requests wait for a second person; "" for none."""
        return _so_many(REQUESTS, sum(bank.state["requests"] for bank in self._states.values()))

    def _waiting(self) -> Map:
        """The hits that wait for people, of all banks, the oldest first, and how many they are."""
        hits = [
            self._hit(name, hit) | self._part_paid(hit)
            for name, bank in self._states.items()
            for hit in bank.waiting
        ]
        hits.sort(key=lambda hit: hit["at"])
        more = len(hits) - WAITING_SHOWN
        return {
            "said": _so_many(HITS, len(hits)),
            "hits": hits[:WAITING_SHOWN],
            "more": Sentence("and {count} more", count=more) if more > 0 else "",
        }

    def _part_paid(self, hit: Map) -> Map:
        """What of a hit is still to be paid, where some of its awards are."""
        standing = [award["status"] for award in hit["awards"] if award["status"] != "undone"]
        paid = standing.count("paid")
        if not paid:
            return {}
        left, envy = (self._money.text(hit[name]) if hit[name] else "" for name in ("left", "left_envy"))
        part = Sentence("{paid} of {count} paid", paid=str(paid), count=str(len(standing)))
        return {
            "amount": left or Sentence("{sum} envy", sum=envy),
            "envy": envy if left else "",
            "part": part,
        }

    def _heads(self) -> str:
        """Up to where each bank was signed last, how long ago, and who took it (S8); "" where none is."""
        signer, now = self._source.signer, self._source.clock.unix_ms() / 1000
        if signer is None:
            return ""
        told = signer.statistics()
        signed = joined(
            Sentence(
                "{bank} up to row {row} ({ago})",
                bank=of["bank"], row=f"{of['signed_seq']:,}", ago=_ago(now - of["signed_at"]),
            )
            for of in told["banks"]
        )  # fmt: skip
        taken = joined(
            Sentence(
                "{destination} ({ago})",
                destination=to["destination"],
                ago=_ago(now - to["sent_at"]) if to["sent_at"] else Sentence("none yet"),
            )
            for to in told["destinations"]
        )
        return Sentence(
            "Signed: {heads}. Taken by: {destinations}",
            heads=signed or Sentence("nothing yet"),
            destinations=taken,
        )

    def _untold(self) -> Iterator[dict[str, str]]:
        """Where signed heads and notices do not get to."""
        source = self._source
        why = Sentence("the line not_sent in the log says why; it is tried again")
        for outbox in source.signer.outboxes if source.signer is not None else ():
            if outbox.failing:
                to = outbox.statistics()["destination"]
                yield _trouble(Sentence("Signed heads do not reach the {destination}", destination=to), why)
        if source.pagers is not None and source.pagers.outbox.failing:
            yield _trouble(
                Sentence("Nobody is paged: the web server of the pagers does not take the messages"), why
            )

    def _troubles(self, tables: Iterable[Map]) -> Iterator[dict[str, str]]:
        """What somebody has to see to, the gravest first, and what they do next."""
        for bank, desk in self._source.writers.items():
            if reason := why(desk):
                said = Sentence("Bank {bank} does not act: {reason}", bank=bank, reason=reason)
                yield _trouble(said, _LOOK_INTO_BANK)
            for link, reasons in suspended(desk.board).items():
                next_ = joined(remedies(reasons, bank, link), "; ")
                said = Sentence(
                    "Link {link} is suspended: {reasons}", link=link, reasons=causes(reasons.split(", "))
                )
                yield _trouble(said, next_, f"/ops/links/{quote(link, safe='')}", _on_page(reasons))
        for bank in self._unfed():
            said = Sentence("Bank {bank} does not reach Redis: signs fed by Redis show a fault", bank=bank)
            then = Sentence("start Redis, or check the network to it; the money does not wait for it")
            yield _trouble(said, then)
        yield from self._untold()
        for bank_state, *_ in self._states.values():
            yield from _at_limit(bank_state["links"])
            for table in bank_state["behind"]:
                said = Sentence("Table {table} has answers that the ledger does not have", table=table)
                there = Sentence("two people say on the table's page whether they believe it")
                yield _trouble(said, remedy(BEHIND, bank_state["bank"], ""), _table_at(table), there)
        yield from self._doubled()
        yield from _at_tables(tables)
        for devices in self._expected():
            if gone := sorted(_own(devices) - set(devices.current)):
                said = Sentence(OFFLINE[devices.register.role][len(gone) > 1], names=", ".join(gone))
                then = Sentence("check power, network and key; the log names devices that were refused")
                yield _trouble(said, then)

    def _doubled(self) -> Iterator[dict[str, str]]:
        """Keys that two devices use."""
        for devices in (self._source.tables, self._source.signs):
            role = devices.register.role
            for device in sorted(devices.register.blocked):
                then = Sentence(
                    "find the second one, then `jackpot keys clear {device} --role {key}`; "
                    "a stolen key: `jackpot keys revoke`",
                    device=device,
                    key=role,
                )
                said = Sentence(
                    "Two devices use the key of {role} {device}", role=Sentence(role), device=device
                )
                yield _trouble(said, then)

    def _unfed(self) -> list[str]:
        """The banks of this server that do not reach Redis. Another server's banks are its own to feed."""
        down = [relay.bank for relay in self._source.relays if not relay.line.up]
        return [bank for bank in down if not self._source.writers[bank].hold.elsewhere]

    def _starting(self) -> bool:
        """Whether devices may still be on their way back to a server that was started."""
        return self._source.clock.monotonic() - self._began < BACK_WITHIN_S

    def _expected(self) -> list[Devices]:
        """Devices whose absence is a trouble; a sign that is not here may be at a signage process."""
        source = self._source
        if self._starting():
            return []
        return [source.tables] if source.config.signage else [source.tables, source.signs]

    def _title(self, link: str) -> str:
        return self._titles.get(link, link)

    def _table(self, table: Map) -> Map:
        return {
            "table": table["table"],
            "online": table["table"] in self._source.tables.current,
            "game": table["game"].replace("-", " ").title().replace("Holdem", "Hold'em"),
            "round": Sentence(table["round"]["state"] if table["round"] else "ready"),
            "held": ", ".join(table["held"]),
        }

    def _hit(self, bank: str, hit: Map) -> Map:
        """page: where people work at it. bank: "" where there is one alone."""
        display = self._source.config.displays.get(hit["link"])
        level = display.levels.get(hit["level"]) if display and hit["level"] else None
        said = [Sentence(words(hit["hand"])), *([Sentence(level)] if level else [])]
        status = "disputed" if hit["disputed"] else hit["status"]
        return {
            "at": hit["at"],
            "when": moment(hit["at"], self._source.config.site.timezone),
            "hit": hit["hit"],
            "bank": bank if len(self._source.writers) > 1 else "",
            "page": f"/ops/hits/{quote(bank, safe='')}/{hit['hit']}",
            "table": hit["table"],
            "seat": Sentence("seat {seat}", seat=hit["seat"]) if hit["seat"] else "",
            "what": joined(said),
            "amount": self._money.text(hit["amount"]) if _wagered(hit) else Sentence("no wager"),
            "envy": self._money.text(hit["envy"]) if hit["envy"] else "",
            "corrected": self._money.text(hit["difference"]) if hit["difference"] else "",
            "part": "",
            "status": Sentence(status),
            "stands": status,
            "next": _NEXT.get(status, ""),
        }
