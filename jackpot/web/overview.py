"""Overview of the floor for the floor page: connected devices, waiting work and the last hits."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import quote

from jackpot.api.hit_history import hits_of
from jackpot.api.operation import PAGE_MAX
from jackpot.api.suspension_help import suspended
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.mystery_readiness import MysteryReadiness
from jackpot.catalogue import rate_text
from jackpot.clock import Clock
from jackpot.config import Config, titles_of
from jackpot.config.writing import Writing, floor_moment
from jackpot.ledger.store import LedgerError
from jackpot.net.devices import ConnectedDevices
from jackpot.notify.notifier import Notifier
from jackpot.notify.signed_heads import HeadSigner
from jackpot.publish.redis_relay import RedisRelay
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules import views
from jackpot.rules.money import to_cents
from jackpot.rules.signing import SITE
from jackpot.text import Sentence, ago, game, joined, words
from jackpot.web.act_labels import causes
from jackpot.web.floor_alerts import belonging, troubles
from jackpot.web.waiting_order import owes_meter, rank, waited

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
# How many devices of a role are here: where it has one, and where it has more or none.
HERE: Final = {
    "table": ("{here} of {known} table", "{here} of {known} tables"),
    "sign": ("{here} of {known} sign", "{here} of {known} signs"),
}
# What waits for people, or for the second of two: one, and several.
HITS: Final = ("{count} hit waits for people", "{count} hits wait for people")
REQUESTS: Final = (
    "{count} request waits for a second person", "{count} requests wait for a second person",
)  # fmt: skip
ALARMS: Final = ("{count} alarm is open", "{count} alarms are open")

Map = dict[str, Any]


class OverviewSource(Protocol):
    """Interface of the server to the overview."""

    @property
    def config(self) -> Config: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def banks(self) -> Mapping[str, Bank]: ...
    @property
    def people(self) -> Bank: ...
    @property
    def tables(self) -> ConnectedDevices: ...
    @property
    def signs(self) -> ConnectedDevices: ...
    @property
    def relays(self) -> Sequence[RedisRelay]: ...
    @property
    def books(self) -> LedgerReader: ...
    @property
    def signer(self) -> HeadSigner | None: ...
    @property
    def notifier(self) -> Notifier | None: ...
    @property
    def mystery(self) -> MysteryReadiness | None: ...


def _here(devices: ConnectedDevices) -> Sentence:
    """How many devices are connected here, and how many belong here."""
    known = len(belonging(devices))
    return Sentence(HERE[devices.registry.role][known != 1], here=len(devices.current), known=known)


def _so_many(forms: tuple[str, str], number: int) -> str:
    """A count, by its sentence for one and for more; "" for none."""
    return Sentence(forms[number != 1], count=f"{number:,}") if number else ""


def _ago(seconds: float) -> Sentence:
    """How long ago, as a sentence."""
    return Sentence("{time} ago", time=ago(seconds).removesuffix(" ago"))


def _wagered(hit: Map) -> bool:
    """Whether the hand had a wager: a hit may earn others their envy without one (A5)."""
    return any(award["kind"] != "envy" for award in hit["awards"])


def _owes_meter(hit: Map) -> bool:
    """Whether an award of a meter is not paid yet."""
    return owes_meter((award["kind"], award["status"]) for award in hit["awards"])


def _rank(hit: Map) -> tuple[bool, int, int]:
    """The place of a hit that waits."""
    return rank(of_meter=_owes_meter(hit), left=hit["left"], at=hit["at"])


class _Bank(NamedTuple):
    """Reading of one bank. waiting: its hits that wait for people."""

    state: Map
    hits: Sequence[Map] = ()
    waiting: Sequence[Map] = ()


class Overview:
    """One floor, read on demand and at most once a second."""

    def __init__(self, source: OverviewSource, money: Writing) -> None:
        self._source = source
        self._money = money
        self._titles = titles_of(source.config.displays)
        self._states: dict[str, _Bank] = {}
        self._looking = asyncio.Lock()
        self._looked_at: float | None = None
        self._found: Map = {}
        self._began = source.clock.monotonic()

    async def look(self) -> Map:
        """What the page shows: time, counts, alerts, what waits, tables, signs and hits, as text."""
        async with self._looking:
            now = self._source.clock.monotonic()
            if self._looked_at is None or now - self._looked_at >= FRESH_S:
                banks = [*self._source.banks.values(), self._source.people]
                await asyncio.gather(*(self._read(bank) for bank in banks))
                self._found = self._overview()
                self._looked_at = now
        return self._found

    async def _read(self, bank: Bank) -> None:
        try:
            async with asyncio.timeout(STATE_WITHIN_S):
                found = _Bank(await bank.ask(views.statistics))
                waiting, _ = await bank.ask(lambda engine: views.waiting_hits(engine, 0, PAGE_MAX))
            if bank.name != SITE:
                listed = await hits_of(bank, self._source.books, None, HITS_SHOWN)
                found = _Bank(found.state, listed.hits, waiting)
            self._states[bank.name] = found
        except (TimeoutError, BankStopped, LedgerError):
            if bank.lifecycle.elsewhere:  # else its last durable state is shown, and `troubles` says why
                self._states.pop(bank.name, None)

    def _overview(self) -> Map:
        source = self._source
        states = [bank_id.state for bank_id in self._states.values()]
        tables = [table for state in states for table in state["tables"]]
        hits = [self._hit(name, hit) for name, bank_id in self._states.items() for hit in bank_id.hits]
        hits.sort(key=lambda hit: hit["at"], reverse=True)
        at_tables, at_signs = source.tables, source.signs
        starting = source.clock.monotonic() - self._began < BACK_WITHIN_S
        counts = Sentence("{tables}, {signs}", tables=_here(at_tables), signs=_here(at_signs))
        return {
            "time": " ".join(self._moment(source.clock.unix_ms())),
            "counts": counts,
            "banks": self._banks(),
            "heads": self._heads(),
            "alarms": self._alarms(),
            "requests": self._requests(),
            "waiting": self._waiting(),
            "starting": starting,
            "elsewhere": {
                link: Sentence("at server {server}", server=bank.lifecycle.held_by.split()[0])
                for bank in source.banks.values()
                if bank.lifecycle.elsewhere
                for link in bank.board.links
            },
            "why": {
                link: causes(reasons.split(", "))
                for bank in source.banks.values()
                for link, reasons in suspended(bank.board).items()
            },
            "troubles": list(troubles(source, states, starting=starting)),
            "tables": [
                self._table(table) for table in tables if table["table"] in at_tables.registry.devices
            ],
            "signs": [
                {
                    "sign": name,
                    "online": name in at_signs.current,
                    "links": ", ".join(sorted(map(self._title, sign.links))),
                }
                for name, sign in at_signs.registry.devices.items()
                if name in belonging(at_signs)
            ],
            "hits": hits[:HITS_SHOWN],
            "terms": {
                link["link"]: {level["level"]: self._terms(level) for level in link["levels"]}
                for bank_id in self._states.values()
                for link in bank_id.state["links"]
            },
            "offers": {
                link["link"]: self._offer(link)
                for bank_id in self._states.values()
                for link in bank_id.state["links"]
                if not link["levels"]
            },
        }

    def _offer(self, link: Map) -> list[tuple[Sentence, str]]:
        """What was wagered on an offer, and what it awarded, each with its label (B1, B4)."""
        return [
            (Sentence("Wagered"), self._money.text(to_cents(link["wagered"]))),
            (Sentence("Paid, with returned stakes"), self._money.text(to_cents(link["awards_outside"]))),
        ]

    def _terms(self, level: Map) -> list[tuple[Sentence, str]]:
        """A level's terms and its totals, each with its label, shown next to its meter (S1)."""

        def money(key: str) -> str:
            return self._money.text(to_cents(level[key]))

        def count(key: str) -> str:
            return self._money.count(level[key])

        figures = [
            (Sentence("Of a wager"), rate_text(level["primary_rate"])),
            (Sentence("To the reserve"), rate_text(level["reserve_rate"])),
            (Sentence("Seed"), money("seed")),
            (Sentence("Reseed"), money("reseed")),
            (Sentence("Reserve"), money("reserve")),
            (Sentence("Overflow"), money("overflow")),
            (Sentence("Hits"), count("hits")),
            (Sentence("Won so far"), money("wins")),
            (Sentence("Wagers"), count("wagers")),
        ]
        if level["limit"] is not None:
            figures.append((Sentence("Limit"), money("limit")))
        if level["must_hit_by"] is not None:
            figures.append((Sentence("Must hit by"), money("must_hit_by")))
        if level["undone_hits"] or level["undone_wagers"]:
            figures.append((Sentence("Hits undone"), count("undone_hits")))
            figures.append((Sentence("Wagers undone"), count("undone_wagers")))
        return figures

    def _banks(self) -> str:
        """Which server has which bank, if there are several."""
        own = self._source.config.server
        if own is None:
            return ""
        holders = {name: bank.lifecycle.held_by for name, bank in self._source.banks.items()}
        said = joined(
            Sentence("bank {bank}: server {server}", bank=name, server=holder.split()[0])
            if holder
            else Sentence("bank {bank}: no server", bank=name)
            for name, holder in holders.items()
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
        """The hits that wait for people, of all banks, in their rank, and how many they are."""
        now = self._source.clock.unix_ms()
        found = [(name, hit) for name, bank in self._states.items() for hit in bank.waiting]
        found.sort(key=lambda one: _rank(one[1]))
        hits = [
            self._hit(name, hit) | self._part_paid(hit) | {"waited": waited(now - hit["at"])}
            for name, hit in found[:WAITING_SHOWN]
        ]
        more = len(found) - len(hits)
        return {
            "said": _so_many(HITS, len(found)),
            "hits": hits,
            "more": Sentence("and {count} more", count=more) if more > 0 else "",
        }

    def _part_paid(self, hit: Map) -> Map:
        """What of a hit is still to be paid, once some of its awards are."""
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
        """How far each bank is signed, how long ago, and who took the head (S8); "" if none is signed."""
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

    def _title(self, link: str) -> str:
        return self._titles.get(link, link)

    def _moment(self, unix_ms: int) -> tuple[str, str]:
        """A moment as the site's locale writes it, and the letters of its zone."""
        site = self._source.config.site
        return floor_moment(unix_ms, site.timezone, site.locale)

    def _table(self, table: Map) -> Map:
        return {
            "table": table["table"],
            "online": table["table"] in self._source.tables.current,
            "game": game(table["game"]),
            "round": Sentence(table["round"]["state"]) if table["round"] else Sentence("ready"),
            "held": ", ".join(table["held"]),
        }

    def _hit(self, bank: str, hit: Map) -> Map:
        """A hit. page: where people work at it. bank: "" if there is only one."""
        display = self._source.config.displays.get(hit["link"])
        level = display.levels.get(hit["level"]) if display and hit["level"] else None
        when, zone = self._moment(hit["at"])
        seat = Sentence("seat {seat}", seat=hit["seat"]) if hit["seat"] else Sentence("dealer")
        status = "disputed" if hit["disputed"] else hit["status"]
        return {
            "at": hit["at"],
            "when": when,
            "zone": zone,
            "hit": hit["hit"],
            "bank": bank if len(self._source.banks) > 1 else "",
            "page": f"/ops/hits/{quote(bank, safe='')}/{hit['hit']}",
            "table": hit["table"],
            "seat": str(hit["seat"]) if hit["seat"] else Sentence("dealer"),
            "where": joined([hit["table"], seat]),
            "hand": Sentence(words(hit["hand"])),
            "link": self._title(hit["link"]),
            "level": Sentence(level) if level else "",
            "of_meter": _owes_meter(hit),
            "amount": self._money.text(hit["amount"]) if _wagered(hit) else Sentence("no wager"),
            "envy": self._money.text(hit["envy"]) if hit["envy"] else "",
            "corrected": self._money.text(hit["difference"]) if hit["difference"] else "",
            "part": "",
            "status": Sentence(status),
            "stands": status,
            "next": _NEXT.get(status, ""),
        }
