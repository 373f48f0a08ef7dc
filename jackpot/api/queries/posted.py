"""Query of the odds that are posted at a table (P1)."""

from typing import TYPE_CHECKING, Literal

from controllers import answers
from controllers.messages import Id
from jackpot.api.operation import Money, NotDone, Query, Rate, Reply, money
from jackpot.catalogue import rate_text
from jackpot.config.posting import posted, with_running_cycles
from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext


class PostedRow(Reply, frozen=True):
    """A row of a paytable. n, per: of "n to per" or "n for 1". rate: of a level's meter. amount: a fixed sum.

    suits: which it is for, "" for all. least: the lowest rank of a pair that it pays, "" for any. players:
    the n by how many players the round has, one first.
    """

    hand: str
    suits: str
    least: str
    pays: Literal["percent", "for", "to", "fixed", "push"]
    n: int | None = None
    per: int | None = None
    rate: Rate | None = None
    level: str | None = None
    amount: Money | None = None
    players: tuple[int, ...] = ()


class PostedEnvy(Reply, frozen=True):
    hand: str
    suits: str
    amount: Money


class PostedWager(Reply, frozen=True):
    """A wager on a link or an offer. magic, lucky: the N for 1 of a draw. limits: of the meters, by level."""

    link: str
    title: str
    paytable: str
    placed: Literal["device", "layout"]
    least: Money
    most: Money
    unit: Money
    rows: tuple[PostedRow, ...]
    envy: tuple[PostedEnvy, ...]
    magic: int | None
    lucky: int | None
    limits: dict[str, Money]
    must_hit_by: dict[str, Money]


class PostedBase(Reply, frozen=True):
    """A wager that the table's own game pays."""

    title: str
    paytable: str
    rows: tuple[PostedRow, ...]


class Posted(Reply, frozen=True):
    """What a table posts. payout_limit: of its base wagers. phrases: what the rules want read there."""

    table: str
    game: str
    wagers: tuple[PostedWager, ...]
    base: tuple[PostedBase, ...]
    payout_limit: Money | None
    phrases: tuple[str, ...]


class AskPosted(Query, frozen=True):
    """The posted odds of one table: every row of each wager, envy, draws and limits."""

    path = "/tables/{table}/posted"
    reply = Posted
    table: Id

    async def answer(self, at: "QueryContext") -> Posted:
        tables = {terms.table: terms for terms in at.config.tables}
        if self.table not in tables:
            plain = "{table} is not configured here"
            raise NotDone(Code.NO_SUCH_TABLE, RefusalSentence(plain, field="table", table=repr(self.table)))
        links = tables[self.table].links
        boards = [supervisor.bank.board for supervisor in at.supervisors.values()]
        sums = [sum_ for board in boards for sum_ in board.must_hit_by(links)]
        found = with_running_cycles(posted(at.config, tables[self.table], str), sums)
        limit = found.payout_limit
        return Posted(
            table=found.table,
            game=found.game,
            wagers=tuple(map(_wager, found.wagers)),
            base=tuple(
                PostedBase(title=one.title, paytable=one.paytable, rows=tuple(map(_row, one.rows)))
                for one in found.base
            ),
            payout_limit=None if limit is None else money(limit),
            phrases=found.phrases,
        )


def _wager(wager: answers.PostedWager) -> PostedWager:
    return PostedWager(
        link=wager.link,
        title=wager.title,
        paytable=wager.paytable,
        placed=wager.placed,
        least=money(wager.least),
        most=money(wager.most),
        unit=money(wager.unit),
        rows=tuple(map(_row, wager.rows)),
        envy=tuple(
            PostedEnvy(hand=row.hand, suits=row.suits, amount=money(row.amount)) for row in wager.envy
        ),
        magic=wager.magic or None,
        lucky=wager.lucky or None,
        limits={level: money(cents) for level, cents in wager.limits.items()},
        must_hit_by={level: money(cents) for level, cents in wager.must_hit_by.items()},
    )


def _row(row: answers.PostedRow) -> PostedRow:
    odds = row.pays in ("to", "for")
    return PostedRow(
        hand=row.hand,
        suits=row.suits,
        least=row.least,
        pays=row.pays,
        n=row.of if odds else None,
        per=row.per if odds else None,
        rate=rate_text(row.of).replace(" ", "") if row.pays == "percent" else None,
        level=row.level or None,
        amount=money(row.of) if row.pays == "fixed" else None,
        players=row.players,
    )
