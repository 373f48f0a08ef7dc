"""Verify finds forged terms that are unplayable, rounds that are too fast, and unproved names."""

import re
import shutil
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from jackpot.catalogue import LevelEntry, LinkEntry, every, resolve
from jackpot.ledger.rebuild import read_to
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import EPOCH_MAX
from jackpot.ledger.verify.timestamp_checks import MINUTES_IN_ONE, MINUTES_MAX
from jackpot.rules import events, registry
from jackpot.rules.acts.links import LinkOpened, Suspended
from jackpot.rules.acts.tables import OpenTable, TableOpened
from jackpot.rules.epoch import MINUTE
from jackpot.rules.paytable import EnvyRow, ForOne, PaytableRow, Percent, TableTerms
from jackpot.rules.phrases import phrase
from jackpot.rules.signing import People, Proof, Signed
from jackpot.rules.state import Placed
from jackpot.rules.terms import SUM_MAX, WAGER_MAX, check_link
from tests import frames
from tests.frames import Bet
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.play import DOLLAR, FIVE, THREE, Play
from tests.ledger.verify.test_verifier import audit, spoil, write
from tests.said import refuses

replace = msgspec.structs.replace
NEW: Final = replace(FIVE, link="new")
MEGA, MAJOR, MINOR = FIVE.levels
QUICK: Final = TableTerms("T09", "let-it-ride", 7, ("five",), max_rounds_per_minute=2)
_numbers = count(1)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound ledger of two links and three tables, and a hit that waits."""
    play = Play(12)
    play.frame("T01", frames.Wager("R1", (Bet(5, "five", 100), Bet(3, "five", 100)), lock=True))
    play.frame(
        "T01", frames.Settle("R1", (frames.Claim(5, cards=("As", "Ks", "Qs")),), ("Js", "Ts"), close=True)
    )
    path = tmp_path_factory.mktemp("terms") / "ledger.db"
    write(path, play.rows, [])
    assert audit(path).problems == ()
    return path


@pytest.fixture
def forger(floor: Path) -> Forger:
    """A forger with a copy of it."""
    return Forger(Path(shutil.copy(floor, floor.with_name(f"forged-{next(_numbers)}.db"))))


def levels(**change: Any) -> Any:
    return replace(NEW, levels=(replace(MEGA, **change), MAJOR, MINOR))


def rows(*more: PaytableRow) -> Any:
    return replace(NEW, rows=(*NEW.rows[:-1], *more))


def told(template: str, **values: int | str) -> str:
    return str(phrase(template, **values))


def flush_rate(rate: int) -> str:
    return told("terms_row_rate", hand="flush", rate=rate, whole=10_000)


ABSURD: Final = [
    (replace(NEW, wager=0), "wager is 0 micro-dollars"),
    (replace(NEW, wager=DOLLAR + 1), "wager is 1000001 micro-dollars"),
    (replace(NEW, wager=WAGER_MAX + DOLLAR), "no sum of whole cents that can stand there (M1)"),
    (levels(primary=0), told("terms_rate", level="mega", account="primary", rate=0, whole=10_000)),
    (levels(reserve=-100), told("terms_rate", level="mega", account="reserve", rate=-100, whole=10_000)),
    (levels(primary=9_000), told("terms_rates_above_wager", total=10_500, whole=10_000)),
    (levels(seed=DOLLAR + 1), "level mega: seed is 1000001 micro-dollars"),
    (levels(seed=2 * SUM_MAX, limit=None), "level mega: seed is"),
    (levels(reseed=5), "level mega: reseed is 5 micro-dollars"),
    (levels(seed=0, reseed=DOLLAR, limit=0), told("terms_limit_below_seed", level="mega")),
    (replace(NEW, levels=(MAJOR, MEGA, MINOR)), "levels major, mega, minor: one `meter`, or"),
    (replace(NEW, levels=()), "most is 0 micro-dollars"),
    (replace(NEW, rows=()), told("terms_no_rows")),
    (replace(NEW, rows=NEW.rows[1:]), told("terms_whole_levels")),
    (
        rows(PaytableRow("flush", Percent("mega", 0))),
        flush_rate(0),
    ),
    (
        rows(PaytableRow("flush", Percent("mega", 20_000))),
        flush_rate(20_000),
    ),
    (rows(PaytableRow("flush", ForOne(10**12))), "rows: flush is 1000000000000000000 micro-dollars"),
    (rows(PaytableRow("mini-royal", ForOne(5))), told("terms_hand_unknown", what="rows", hand="mini-royal")),
    (replace(NEW, envy=(EnvyRow("royal-flush", 0),)), "envy royal-flush is 0 micro-dollars"),
    (replace(NEW, validate_at=-1), "validate_at is -1 micro-dollars"),
    (replace(NEW, electronic=True, count_chips=True), told("terms_chips_electronic")),
    (replace(NEW, magic_every=-1), told("terms_draw_prize", draw="magic", every=-1, prize=20)),
    (replace(NEW, lucky_for=0), told("terms_draw_prize", draw="lucky", every=4, prize=0)),
]


@pytest.mark.parametrize(("terms", "said"), ABSURD)
def test_terms_that_nothing_can_be_played_on_are_found(forger: Forger, terms: Any, said: str) -> None:
    """S8, L3-L7, A7: a link opens on its own terms, and these are looked at again without any catalogue."""
    row = forger.append(LinkOpened(len(forger.state.links) + 1, terms))
    problem = audit(forger.path).problems[0]
    assert problem.startswith(f"main: row {row.seq} (link_opened): the rules refuse it: link new: "), problem
    assert said in problem
    assert problem.endswith("(bad_terms)")


IDS: Final = ["", "x" * 65, "a\nb", "\x1b[31m", "<b>", "caf\u00e9", "two words"]


@pytest.mark.parametrize("name", IDS)
def test_a_name_that_no_frame_could_carry_is_found(forger: Forger, name: str) -> None:
    """S8, WIRE: ids go into frames, pages and logs as they are; no configuration gives such ones."""
    number = len(forger.state.links) + 1
    forger.append(LinkOpened(number, replace(NEW, link=name)))
    forger.append(LinkOpened(number + 1, replace(NEW, paytable=name)))
    forger.append(TableOpened(4, replace(QUICK, table=name)))
    for problem, what in zip(audit(forger.path).problems, ("link", "paytable", "table"), strict=True):
        assert f"{what}: {name[:64]!r}" in problem
        assert "is no id (bad_terms)" in problem


FIVE_AGAIN: Final = replace(FIVE, levels=(replace(MEGA, seed=10_000, reseed=10_000), MAJOR, MINOR))
MISPLACED: Final[list[tuple[Any, str]]] = [
    (LinkOpened(3, FIVE_AGAIN), refuses("link_open_already", link="five")),
    (LinkOpened(1, NEW), "the rules decide otherwise: number is written 1, by the rules 3"),
    (LinkOpened(0, NEW), "the rules decide otherwise: number is written 0, by the rules 3"),
    (LinkOpened(4, NEW), "the rules decide otherwise: number is written 4, by the rules 3"),
    (TableOpened(9, QUICK), "the rules decide otherwise: number is written 9, by the rules 4"),
    (TableOpened(-1, QUICK), "the rules decide otherwise: number is written -1, by the rules 4"),
    (TableOpened(2, QUICK), "the rules decide otherwise: number is written 2, by the rules 4"),
    (TableOpened(4, replace(QUICK, table="T01")), "the rules decide otherwise: number is written 4, by"),
]


@pytest.mark.parametrize(("event", "said"), MISPLACED)
def test_what_stands_in_anothers_place_stops_a_start(forger: Forger, event: Any, said: str) -> None:
    """S3: two links of one name, or a number that is another's, would show one meter and play for another."""
    row = forger.append(event, postings=())
    problem = audit(forger.path).problems[0]
    assert problem.startswith(f"main: row {row.seq} ({registry.name_of(row.kind)}): {said}"), problem
    with pytest.raises(
        LedgerCorrupt, match=f"row {row.seq} .{registry.name_of(row.kind)}.: {re.escape(said)}"
    ):
        Forger(forger.path)
    with (
        closing(SqliteLedger(forger.path, readonly=True)) as ledger,
        pytest.raises(LedgerCorrupt, match="cannot be applied: InvariantError"),
    ):
        read_to(ledger, "main", ledger.head("main"))


def test_every_paytable_gives_terms_that_can_be_played() -> None:
    """L3-L7, A7: what a configuration may say no opening refuses; the terms of every paytable are good."""
    for name, table in every().items():
        if table.use != "link":
            continue
        open_ = {
            level: LevelEntry(
                primary=None if figures.primary.mandated else figures.primary.minimum or "9.50%",
                seed="50000.00" if figures.seed.operator or figures.seed.minimum else None,
                reseed="40000.00" if figures.reseed.operator or figures.reseed.minimum else None,
                limit="2000000.00",
                limit_approval="by letter",
            )
            for level, figures in table.level.items()
        }
        wager = table.wagers[-1] if table.wagers else table.envy[0].wager if table.envy else "25.00"
        draws = 100 if table.draws else 0
        schedule = table.schedules[0] if table.schedules else None
        entry = LinkEntry(
            "l", name, wager, level=open_, envy=schedule, magic_card_every=draws, lucky_every=draws
        )
        check_link(resolve(entry))
    check_link(THREE)


def test_a_table_that_nobody_can_play_at_is_found(forger: Forger) -> None:
    """S8, T9: a table's terms are looked at again as well."""
    row = forger.append(TableOpened(4, replace(QUICK, adjacent_boxes=0)))
    (problem,) = audit(forger.path).problems
    assert problem.startswith(
        f"main: row {row.seq} (table_opened): the rules refuse it: table T09: adjacent_"
    )


def play_a_round(forger: Forger, name: str, tick: int, at: int = 0) -> int:
    """Opens a round and voids it; the row that opened it. at: by the wall's clock; as by its tick."""
    opened = forger.append(events.Wagered(name, [Placed(1, 1)], tick=tick), "T09", at=at or NOW_MS + tick)
    forger.append(forger.right(frames.Void(name, "misdeal"), table="T09"), "T09")
    return opened.seq


def test_a_round_that_came_too_fast_is_found(forger: Forger) -> None:
    """S8, L11: when a round was opened is in its row, where the table has a limit."""
    forger.append(forger.right(OpenTable(QUICK)))
    for name, tick in (("X1", 1_000), ("X2", 1_001), ("X3", 61_000), ("X4", 61_001)):
        play_a_round(forger, name, tick)
    assert audit(forger.path).problems == ()
    row = play_a_round(forger, "X5", 61_002)
    (problem,) = audit(forger.path).problems
    said = refuses("too_many_rounds_a_minute", limit=2)
    assert problem == f"main: row {row} (wagered): {said}"


@pytest.mark.parametrize("wander", [0, 10**7])
def test_ticks_that_run_ahead_of_the_wall_are_found(forger: Forger, wander: int) -> None:
    """S8, L11: a forger writes both clocks; rounds of one moment are too fast whatever their ticks say."""
    forger.append(forger.right(OpenTable(QUICK)))
    ats = [NOW_MS + wander * (number % 2) for number in range(9)]
    rows = [play_a_round(forger, f"X{number}", number * MINUTE, at) for number, at in enumerate(ats)]
    first = rows[MINUTES_IN_ONE * QUICK.max_rounds_per_minute * (2 if wander else 1)]
    said = "5 rounds of table T09 were opened within a minute, and 2 are allowed (L11)"
    assert audit(forger.path).problems[0] == f"main: row {first} (wagered): {said}"


def test_an_epoch_for_each_round_is_no_way_around(forger: Forger) -> None:
    """S8, L11: each epoch counts its own minute; so many as a server can begin in one are believed."""
    forger.append(forger.right(OpenTable(QUICK)))
    rows = []
    for number in range(MINUTES_MAX * QUICK.max_rounds_per_minute + 1):
        with closing(SqliteLedger(forger.path)) as ledger:
            forger.head = ledger.new_epoch("main", "forger")
        rows.append(play_a_round(forger, f"X{number}", number * MINUTE, NOW_MS))
    (problem,) = audit(forger.path).problems
    assert problem.startswith(f"main: row {rows[-1]} (wagered): 33 rounds of table T09 were opened within a ")


def test_ticks_that_go_back_are_found(forger: Forger) -> None:
    """S8, L11: a clock of an epoch goes on; each tick below the last would begin the count again."""
    forger.append(forger.right(OpenTable(QUICK)))
    play_a_round(forger, "X1", 9_000)
    row = play_a_round(forger, "X2", 8_000)
    (problem,) = audit(forger.path).problems
    assert problem == f"main: row {row} (wagered): its tick 8000 is below that of the round before it, 9000"


@pytest.mark.parametrize("step", [-3_600_000, -60_000, -20_000, -500, 500, 86_400_000])
@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_a_clock_that_was_set_is_no_forgery(forger: Forger, step: int, after: int) -> None:
    """S8, DESIGN: the wall's clock may step, and run a tenth too fast or too slowly meanwhile."""
    forger.append(forger.right(OpenTable(QUICK)))
    for number in range(8):
        tick = number // 2 * MINUTE + number % 2
        shown = NOW_MS + tick * 9 // 10 + (step if number >= after else 0)
        play_a_round(forger, f"X{number}", tick, shown)
    assert audit(forger.path).problems == ()


def test_people_of_a_site_that_is_not_there_are_found(forger: Forger) -> None:
    """S8: the ledger has no people, so a row that says that somebody signed comes from no server."""
    anna = People(proof=Proof((Signed(1, ("floor",)),), 5, b"h" * 32))
    row = forger.append(Suspended([1], "operator", anna))
    (problem,) = audit(forger.path).problems
    said = "it names row 5 of bank site, which is not in this ledger as it names it"
    assert problem == f"main: row {row.seq} (suspended): {said}"


def test_an_epoch_that_nobody_counted_to_is_found(forger: Forger) -> None:
    """S8: with the last epoch there is, no server could ever take the bank again."""
    last = 2**63 - 1
    spoil(forger.path, f"UPDATE head SET epoch = {last}")
    problem, by_hand = audit(forger.path).problems
    assert problem == f"main: the head is of epoch {last}, and no ledger comes beyond {EPOCH_MAX}"
    assert by_hand.startswith(f"main: the head is of epoch {last}, the last takeover of epoch ")
