"""Queries of the tables and their rounds."""

from typing import TYPE_CHECKING, Literal

import msgspec

from controllers.messages import Id
from jackpot.api.operation import BankElsewhere, Money, NotDone, Query, Reply, money
from jackpot.api.queries.notices import StandingNotice, standing
from jackpot.rules import views
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS
from jackpot.rules.codes import Code
from jackpot.rules.effects import Map
from jackpot.rules.money import decimal
from jackpot.rules.signing import People
from jackpot.rules.state import ApprovalRequest, ReopenRequest
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.bank.bank import Bank
    from jackpot.reports.read.people import PersonNames
    from jackpot.rules.engine import Engine


class Bet(Reply, frozen=True):
    """A wager. amount: of one on an offer (B3); None where it is the link's."""

    seat: int
    link: str
    on: Literal["own", "dealer"]
    player: str | None
    amount: Money | None = None


class Draw(Reply, frozen=True):
    magic_card: str | None = None
    lucky_box: int | None = None


class AbandonedSeat(Reply, frozen=True):
    """A seat whose player left, as the table says. confirmed: by a floorperson, so that its wagers lose."""

    seat: int
    confirmed: bool


class Round(Reply, frozen=True):
    """The unfinished round, or the last closed one while it can be reopened (T10).

    sums: what the dealer's chips on offers came to. bonus, players: as the table has sent them. unseen: the
    offers whose cards are still to be shown, from which two people may strike wagers (B16). hits, asked: of a
    closed one; who asked to reopen it and waits for a second person. left_ms: for how long the table still
    waits with them; 0 once it plays on. abandoned: before the round closes, a floorperson answers for each
    that is not confirmed (P6).
    """

    round: str
    state: Literal["open", "locked", "mismatch", "closed"]
    bets: tuple[Bet, ...] = ()
    chips: dict[str, int] = msgspec.field(default_factory=dict)
    draw: dict[str, Draw] | None = None
    board: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    sums: dict[str, Money] = msgspec.field(default_factory=dict)
    bonus: tuple[str, ...] = ()
    players: int | None = None
    unseen: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    asked: str | None = None
    left_ms: int | None = None
    abandoned: tuple[AbandonedSeat, ...] = ()


class Table(Reply, frozen=True):
    """A table. held: the hits whose cards must stay (T11). wagers: accepted ones by link, over its life (S6).

    wagered: what those on each offer came to (B3). behind: what it says that it has and the ledger has lost
    (S9). payout_limit: of its base wagers, lowered so many days after a notice. notices: those that stand of
    the table, and of its links and offers (P2).
    """

    table: str
    bank: str
    game: str
    links: tuple[str, ...]
    online: bool
    last_seq: int
    rounds: int
    wagers: dict[str, int]
    held: tuple[str, ...]
    behind: int | None
    round: Round | None
    wagered: dict[str, Money] = msgspec.field(default_factory=dict)
    payout_limit: Money | None = None
    notice_days: int = 0
    notices: tuple[StandingNotice, ...] = ()


class Tables(Reply, frozen=True):
    tables: tuple[Table, ...]
    elsewhere: tuple[BankElsewhere, ...]


class AskTables(Query, frozen=True):
    """Every table and its round. bank: of that one alone."""

    path = "/tables"
    reply = Tables
    bank: Id | None = None

    async def answer(self, at: "QueryContext") -> Tables:
        here, elsewhere = at.whose.here(self.bank)
        tables = tuple([table for bank in here for table in await tables_of(at, bank)])
        return Tables(tables=tables, elsewhere=elsewhere)


class AskTable(Query, frozen=True):
    """One table: its round, and what it waits for."""

    path = "/tables/{table}"
    reply = Table
    table: Id

    async def answer(self, at: "QueryContext") -> Table:
        tables = {one.table: one for one in await tables_of(at, await at.own(self))}
        if self.table not in tables:
            raise NotDone(
                Code.NO_SUCH_TABLE,
                RefusalSentence("{table} is not open yet", field="table", table=repr(self.table)),
            )
        return tables[self.table]


async def tables_of(at: "QueryContext", bank: "Bank") -> list[Table]:
    """The tables of a bank, with who waits there for a second person."""
    online = at.whose.devices["table"].current

    tick = int(bank.clock.monotonic() * 1000)

    def look(engine: "Engine") -> tuple[list[Table], dict[str, tuple[People, int]]]:
        state, notices = views.statistics(engine), standing(engine.state)
        terms = {table.terms.table: table.terms for table in engine.state.tables}
        askers = {
            table.terms.table: (asked.people, still_ms(engine, asked, tick))
            for table in engine.state.tables
            if (asked := table.waits())
        }
        return [
            Table(
                table=name,
                bank=bank.name,
                game=table["game"],
                links=tuple(table["links"]),
                online=name in online,
                last_seq=table["last_seq"],
                rounds=table["rounds"],
                wagers=table["wagers"],
                held=tuple(table["held"]),
                behind=state["behind"][name]["acked"] if name in state["behind"] else None,
                round=_round(views.round_of(engine, name)),
                wagered={link: decimal(micros) for link, micros in table["sums"].items()},
                payout_limit=_limit(terms[name].payout_limit),
                notice_days=terms[name].notice_days,
                notices=tuple(
                    one
                    for one in notices
                    if one.table == name or (one.table is None and one.link in table["links"])
                ),
            )
            for table in state["tables"]
            for name in [table["table"]]
        ], askers

    tables, askers = await bank.ask(look)
    called = await at.called(people for people, _ in askers.values())
    return [_asked_by(table, called, *askers.get(table.table, (People(), 0))) for table in tables]


def _limit(micros: int | None) -> str | None:
    return None if micros is None else decimal(micros)


def _round(facts: Map | None) -> Round | None:
    """A round as replies have it: its sums in the currency's units."""
    if facts is None:
        return None
    bets = [
        bet | {"amount": money(bet["amount"])} if "amount" in bet else bet for bet in facts.get("bets", ())
    ]
    sums = {link: money(cents) for link, cents in facts.get("sums", {}).items()}
    return msgspec.convert(facts | {"bets": bets, "sums": sums}, Round)


def still_ms(engine: "Engine", asked: ApprovalRequest | ReopenRequest, tick: int) -> int:
    """Milliseconds for which it still waits for a second person. tick: now, as in `Envelope`."""
    return max(0, REQUEST_HOLDS_MS - engine.epoch.waited_ms(asked, tick))


def _asked_by(table: Table, called: "PersonNames", people: People, left_ms: int) -> Table:
    """The table with the name of who asked to reopen its round, and for how long it still waits."""
    said = called.said(people)
    if not said or table.round is None:
        return table
    round_ = msgspec.structs.replace(table.round, asked=said[0], left_ms=left_ms)
    return msgspec.structs.replace(table, round=round_)
