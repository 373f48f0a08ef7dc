"""The auditors' SQL queries agree with the engine on both databases, and find faults."""

import asyncio
import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

from jackpot.ledger.journal import Row, row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.lost_acks import FoundBehind
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.registry import name_of
from jackpot.rules.views import statistics
from tests.frames import Lock, numbered
from tests.generated import WRITE_AGAIN
from tests.ledger import audit_kinds
from tests.ledger.material import rows
from tests.ledger.play import START_MS, Play
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.verify.test_verifier import spoil, write
from tests.ledger.waiting import carry, join, open_ledger
from tests.ledgers import Fresh

AUDIT: Final = resources.files("jackpot").joinpath("schemas", "sql", "audit.sql").read_text(encoding="utf-8")
# What finds nothing on a sound ledger.
EMPTY: Final = {"unbalanced", "below zero", "no entry", "order", "twice"}
DAY_MS: Final = 86_400_000
ACCOUNTS: Final = ("primary", "reserve", "overflow", "house", "wagers", "awards", "corrections", "transfers")

Answers = dict[str, list[dict[str, Any]]]


def queries() -> dict[str, str]:
    """Each query of the file, by the name that it puts before its rows."""
    found = {}
    for part in re.sub(r"^--.*$", "", AUDIT, flags=re.MULTILINE).split(";"):
        name = re.search(r"'([a-z ]+)' AS query", part)
        if name is not None:
            found[name[1]] = part
    return found


def on_sqlite(path: str) -> Answers:
    answers: Answers = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for name, sql in queries().items():
            cursor = connection.execute(sql)
            columns = [column for column, *_ in cursor.description]
            answers[name] = [dict(zip(columns, row, strict=True)) for row in cursor]
    return answers


async def _on_postgres(url: str) -> Answers:
    connection = await asyncpg.connect(url)
    try:
        return {
            name: [
                {key: plain(value) for key, value in record.items()} for record in await connection.fetch(sql)
            ]
            for name, sql in queries().items()
        }
    finally:
        await connection.close()


def plain(value: Any) -> Any:
    """PostgreSQL's sums are numeric."""
    return value if isinstance(value, str | bytes | None) else int(value)


def asked(url: str) -> Answers:
    """Runs every query of the file on the stored ledger; drops the column that names the query."""
    path = url.removeprefix("sqlite:///")
    answers = asyncio.run(_on_postgres(url)) if path == url else on_sqlite(path)
    for name, lines in answers.items():
        assert {line.pop("query") for line in lines} <= {name}
    return answers


@pytest.fixture(scope="module")
def played() -> list[Row]:
    """Every kind of event, several readings and lost tails."""
    made = Play(16).until(400).rows
    assert {row.kind for row in made} >= {ReadingTaken.kind, FoundBehind.kind}
    return made


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, played: list[Row]) -> str:
    """A ledger of two banks, the second without an engine behind it."""
    path = tmp_path_factory.mktemp("audit") / "ledger.db"
    write(path, played, [])
    with closing(SqliteLedger(path)) as ledger:
        ledger.new_epoch("side", "test")
        ledger.append("side", 1, 0, rows(40, bank="side"))
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def answers(written: str) -> Answers:
    """Results of the queries on it."""
    return asked(written)


def test_both_databases_answer_alike(written: str, answers: Answers, fresh: Fresh) -> None:
    """DESIGN, the ledger: the same file asks SQLite and PostgreSQL, and gets the same answers."""
    url = fresh("postgres")
    with closing(open_ledger(written, readonly=True)) as source, closing(open_ledger(url)) as target:
        carry(source, target)
    assert asked(url) == answers


def engine_of(played: list[Row]) -> Engine:
    engine = Engine("main")
    for row in played:
        engine.replay(row)
    return engine


def accounts_of(engine: Engine) -> dict[tuple[int, int], tuple[int, ...]]:
    """(link, level) -> its eight accounts, as the events made them."""
    found = {(link.number, 0): tuple(link.outside.values()) for link in engine.state.links}
    for link in engine.state.links:
        found |= {(link.number, level.number): tuple(level.accounts.values()) for level in link.levels}
    return found


def main(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the first bank."""
    return [line for line in lines if line["bank"] in {1, "main"}]


def test_every_query_has_a_rule_and_an_answer(answers: Answers) -> None:
    """DESIGN, the ledger: plain SQL is enough; each query says what it proves, and needs no view."""
    parts = AUDIT.split("\n\n\n")
    assert len(parts) == len(queries()) + 1 == len(answers) + 1
    for part in parts[1:]:
        comment = part.partition("\n")[0]
        assert re.match(r"-- (([A-Z]\d+)(, [A-Z]\d+)*(, NO ROW)?: |What happened)", comment), comment
        assert (("NO ROW" in comment) or "lost" in part) == (not answers[named(part)] or "lost" in part)
    assert {name for name, lines in answers.items() if not lines} == EMPTY
    assert "account_entry" not in AUDIT
    assert "conservation " not in AUDIT.replace("'conservation' AS", "")


def named(part: str) -> str:
    found = re.search(r"'([a-z ]+)' AS query", part)
    assert found is not None
    return found[1]


def test_meters_are_the_engines(answers: Answers, played: list[Row]) -> None:
    """S1, M4: every account of every level from postings alone, to the micro-dollar."""
    engine = engine_of(played)
    found = {
        (line["link"], line["level"]): tuple(line[account] for account in ACCOUNTS)
        for line in main(answers["meters"])
    }
    assert found == {key: accounts for key, accounts in accounts_of(engine).items() if any(accounts)}
    for link in statistics(engine)["links"]:
        for number, level in enumerate(link["levels"], 1):
            (line,) = (
                line
                for line in main(answers["meters"])
                if (line["link"], line["level"]) == (link["number"], number)
            )
            assert [line[name] for name in ("primary", "reserve", "overflow", "awards")] == [
                level[name] for name in ("primary", "reserve", "overflow", "awards")
            ]
            assert -line["wagers"] == level["contributions"]
            assert -line["house"] == level["house"]


def test_what_came_in_is_what_is_there_or_was_awarded(answers: Answers, played: list[Row]) -> None:
    """M4: money_in = money_out for every link and level, level 0 too, of every bank."""
    assert {line["difference"] for line in answers["conservation"]} == {0}
    assert all(line["money_in"] == line["money_out"] for line in answers["conservation"])
    assert {line["bank"] for line in answers["conservation"]} == {"main", "side"}
    expected = {
        key: sum(accounts[:3]) + accounts[5]
        for key, accounts in accounts_of(engine_of(played)).items()
        if any(accounts)
    }
    assert {
        (line["link"], line["level"]): line["money_out"] for line in main(answers["conservation"])
    } == expected


def test_heads_are_the_chains(answers: Answers, played: list[Row]) -> None:
    """S3: how many rows there are, and the hash of the last, for comparison with one that was kept."""
    line = main(answers["heads"])[0]
    assert line["rows"] == line["last_seq"] == line["head_seq"] == len(played)
    assert line["last_hash"] == line["head_hash"] == played[-1].hash
    assert line["epoch"] == played[-1].epoch
    assert [line["bank"] for line in answers["heads"]] == ["main", "side"]


def test_readings_give_every_gaming_day(answers: Answers, played: list[Row]) -> None:
    """S2: what moved between two readings, and each meter as it stood at the reading."""
    found = {(line["gaming_day"], line["link"], line["level"]): line for line in main(answers["readings"])}
    engine, day, seen = Engine("main"), 1, set()
    before: dict[tuple[int, int], tuple[int, ...]] = defaultdict(lambda: (0,) * len(ACCOUNTS))
    for row in played:
        engine.replay(row)
        if row.kind != ReadingTaken.kind and row.seq != len(played):
            continue
        for (link, level), accounts in accounts_of(engine).items():
            last = before[link, level]
            line = found.get((day, link, level))
            if line is None:
                assert accounts == last
                continue
            seen.add((day, link, level))
            assert line["ended_at"] == (row.at if row.kind == ReadingTaken.kind else None)
            assert [line[f"{name}_then"] for name in ACCOUNTS[:3]] == list(accounts[:3])
            moved = {name: now - then for name, now, then in zip(ACCOUNTS, accounts, last, strict=True)}
            assert line["contributions"] == -moved["wagers"]
            assert line["awards"] == moved["awards"]
            assert line["house"] == -moved["house"]
            before[link, level] = accounts
        day += 1
    assert seen == found.keys()
    assert day > 2, "the play holds no two readings"


def test_days_give_the_money_of_the_clock(answers: Answers, played: list[Row]) -> None:
    """S2: money by day of the clock, for what has no readings."""
    expected: dict[tuple[int, int, int], int] = defaultdict(int)
    for row in played:
        for posting in row.postings:
            began = (row.at - 39_600_000) // DAY_MS * DAY_MS + 39_600_000
            expected[began, posting.link, posting.level] += posting.awards
    assert {
        (line["began_at"], line["link"], line["level"]): line["awards"] for line in main(answers["days"])
    } == expected


def test_wagers_and_wins_by_cycle(answers: Answers, played: list[Row]) -> None:
    """L10, T7: who put what on a level in each cycle, what the cycle paid, and in which order."""
    wagers: dict[tuple[Any, ...], int] = defaultdict(int)
    wins: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    order = []
    for row in played:
        for posting in row.postings:
            if posting.wagers:
                wagers[posting.link, posting.level, posting.cycle, row.table] -= posting.wagers
            if posting.awards:
                wins[posting.link, posting.level, posting.cycle].append(posting.awards)
                order.append((row.seq, posting.link, posting.level, posting.awards))
    keys = ("link", "level", "cycle", "table")
    found = {tuple(line[key] for key in keys): line["contributions"] for line in main(answers["wagers"])}
    assert found == wagers
    assert {
        tuple(line[key] for key in keys[:3]): (line["awards"], line["paying"], line["taking_back"])
        for line in main(answers["wins"])
    } == {
        key: (sum(paid), sum(award > 0 for award in paid), sum(award < 0 for award in paid))
        for key, paid in wins.items()
    }
    assert [
        (line["seq"], line["link"], line["level"], line["awards"]) for line in main(answers["awards"])
    ] == order
    assert max(cycle for _, _, cycle in wins) > 1


def test_events_are_named(answers: Answers, played: list[Row]) -> None:
    """DESIGN, the ledger: the numbers of kinds stand in the file as they stand in the events."""
    assert audit_kinds.text() == AUDIT, WRITE_AGAIN
    counted = Counter(row.kind for row in played)
    assert {line["kind"]: line["entries"] for line in main(answers["events"])} == counted
    assert all(line["name"] == name_of(line["kind"]) for line in main(answers["events"]))
    opened = main(answers["opened"])
    assert [line["seq"] for line in opened if line["kind"] == LinkOpened.kind] == [2, 3]
    assert b"five" in opened[0]["body"]
    assert [line["kind"] for line in opened[2:]] == [TableOpened.kind] * 3


def test_what_was_lost_is_listed(answers: Answers, played: list[Row]) -> None:
    """S4: the frames that a table had answered and the ledger has not, each gap once."""
    expected = []
    last: dict[int, int] = {}
    for row in played:
        if row.table is not None and row.table_seq is not None:
            before = last.get(row.table, 0)
            if row.table_seq != before + 1:
                expected.append((row.table, before + 1, row.table_seq - 1))
            last[row.table] = row.table_seq
    found = [(line["table"], line["first_lost"], line["last_lost"]) for line in main(answers["lost"])]
    assert sorted(found) == sorted(expected) != []


def test_a_joined_bank_has_lost_nothing(fresh: Fresh) -> None:
    """L2, S4: its tables' numbers go on from those of the banks before, and that is no gap."""
    url = fresh("sqlite")
    with closing(open_ledger(url)) as ledger:
        two_banks(ledger)
        join(ledger, BANKS, "floor", "anna", "one room", START_MS)
        head = ledger.new_epoch("floor", "test")
        engine, _ = rebuild(ledger, "floor")
        table = engine.state.tables[0]
        for seq in (table.last_seq + 1, table.last_seq + 2):
            command = numbered(Lock("none"), seq)
            envelope = Envelope(command, START_MS, 0, seq.to_bytes(16, "big"), table.terms.table)
            entry = engine.execute(envelope).entry
            assert entry is not None
            row = row_of("floor", head.epoch, entry, head.hash)
            ledger.append("floor", head.epoch, head.seq, [row])
            head = ledger.head("floor")
    assert asked(url)["lost"] == []


BEYOND_THE_METER: Final = (
    'UPDATE posting SET "primary" = "primary" - 20000000000, house = house + 20000000000 '
    "WHERE seq = 2 AND level = 1"
)
AGAIN: Final = (
    'INSERT INTO journal SELECT bank, 99999, at, epoch, kind, version, link, "table", table_seq, digest, '
    'body, hash FROM journal WHERE "table" = 1 AND table_seq = 3'
)
UNOWNED: Final = "INSERT INTO posting VALUES (1, 99999, 1, 1, 1, 5, 0, 0, -5, 0, 0, 0, 0)"


@pytest.mark.parametrize(
    ("change", "query", "found"),
    [
        (
            "UPDATE posting SET house = house - 7 WHERE seq = 2 AND level = 1",
            "unbalanced",
            {"difference": -7},
        ),
        (BEYOND_THE_METER, "below zero", {"link": 1, "level": 1, "seq": 2}),
        (UNOWNED, "no entry", {"seq": 99999}),
        ("DELETE FROM journal WHERE seq = 50", "order", {"seq": 51, "seq_before": 49}),
        ("UPDATE journal SET epoch = 99 WHERE seq = 50", "order", {"seq": 51, "epoch_before": 99}),
        (AGAIN, "twice", {"table": 1, "table_seq": 3, "times": 2}),
    ],
)
def test_each_query_finds_its_fault(
    tmp_path: Path, played: list[Row], change: str, query: str, found: dict[str, int]
) -> None:
    """S3, M4, A11, S4: a query that could not find anything would prove nothing."""
    path = tmp_path / "spoiled.db"
    write(path, played, [])
    spoil(path, change)
    line = asked(f"sqlite:///{path}")[query][0]
    assert found.items() <= line.items()


def test_no_sum_is_too_large_to_be_asked_for(fresh: Fresh) -> None:
    """M4: a posting of absurd sums that balances, forged with a server's rights, blinds no query."""
    url = fresh("postgres")
    with closing(open_ledger(url)) as ledger:
        ledger.new_epoch("main", "test")

    async def forge() -> None:
        connection = await asyncpg.connect(url)
        most = 2**63 - 1
        await connection.execute(
            f"INSERT INTO posting VALUES (1, 1, 1, 1, 1, {most}, {most}, 0, {-most}, {-most}, 0, 0, 0)"
        )
        await connection.close()

    asyncio.run(forge())
    (line,) = asked(url)["conservation"]
    assert (line["money_in"], line["difference"]) == (2 * (2**63 - 1), 0)
    assert asked(url)["no entry"]
