"""A join of banks keeps every micro-dollar, and the three chains prove each other."""

import re
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from controllers.answers import Ack, Error
from jackpot.ledger.joined_banks import and_its_parts
from jackpot.ledger.journal import row_of
from jackpot.ledger.maintenance.join import NotJoined
from jackpot.ledger.rebuild import read_to, rebuild
from jackpot.ledger.store import CommitInDoubt, LedgerCorrupt, LedgerError, LedgerUnusable, Store
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.read.hits import stories
from jackpot.rules import commands as c
from jackpot.rules import registry, row_commands, views
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.banks import (
    BankBegun,
    BankClosed,
    BeginBank,
    CloseBank,
    HandedOn,
    decide_close_bank,
)
from jackpot.rules.acts.disputes import Dispute
from jackpot.rules.acts.hits import Correct, Undo, Validate
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.papers import AddPapers, ErasePapers
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.meter import Accounts
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.paytable import TableTerms
from jackpot.rules.phrases import Values
from jackpot.rules.postings import only_link
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import SITE, People
from tests import frames
from tests.frames import Bet, numbered
from tests.ledger.conftest import Place
from tests.ledger.people import SITE_ID, Paper
from tests.ledger.play import DOLLAR
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.waiting import Ledger, join, open_banks, open_books, open_ledger, store_of
from tests.running_server import LINK, LINKS, configure
from tests.said import in_words

NOW = 1_800_000_000_000
FIRST_ADMIN = 1
# A hit's number of before, once the banks are joined.
RENUMBERED = Refusal("hit_renumbered", hit="H1", bank="floor", now=["H2 (north)"])


@pytest.fixture
def ledger(place: Place) -> Ledger:
    """An empty ledger of each kind."""
    return place.open()


def joined(ledger: Ledger) -> Engine:
    head = join(ledger, BANKS, "floor", "anna", "one control room", NOW)
    engine, found = rebuild(ledger, "floor")
    assert found == head
    return engine


def test_every_account_and_count_goes_on(ledger: Ledger) -> None:
    """M4, L10, S1: meters, cycles and counts of both stand in the new bank, and nothing in the old ones."""
    north, south = two_banks(ledger)
    before = [link for bank in (north, south) for link in views.statistics(bank.engine)["links"]]
    engine = joined(ledger)
    after = views.statistics(engine)["links"]
    assert [link["number"] for link in after] == [1, 2]
    assert [_without_numbers(link) for link in after] == [_without_numbers(link) for link in before]
    assert engine.state.links[0].levels[0].cycle == 2
    for bank in BANKS:
        assert verify(ledger, bank).problems == ()
        closed, _ = rebuild(ledger, bank)
        assert closed.state.closed_into == "floor"
        assert not any(any(level.accounts.values()) for link in closed.state.links for level in link.levels)
    assert verify(ledger, "floor").problems == ()


def _without_numbers(link: dict[str, Any]) -> dict[str, Any]:
    """Without its own number and those of its last hits, which are the bank's."""
    levels = [
        level | {"last_hits": [hit | {"hit": ""} for hit in level["last_hits"]]} for level in link["levels"]
    ]
    return link | {"number": 0, "levels": levels}


def test_a_bank_knows_all_that_became_part_of_it(ledger: Ledger) -> None:
    """S8: those of its first entry, and theirs."""
    two_banks(ledger)
    joined(ledger)
    join(ledger, ("floor",), "house", "anna", "all in one", NOW)
    assert [and_its_parts(ledger, bank) for bank in (BANKS[0], "floor", "house")] == [
        [BANKS[0]],
        ["floor", *BANKS],
        ["house", "floor", *BANKS],
    ]


def test_tables_go_on_from_their_last_answer(ledger: Ledger) -> None:
    """WIRE, S6: a resend of an old frame gets its old answer, the next number goes on, counts go on."""
    north, south = two_banks(ledger)
    engine = joined(ledger)
    for bank in (north, south):
        for name in bank.tables:
            old, new = bank.engine.table(name), engine.table(name)
            assert old is not None
            assert new is not None
            assert (new.last_seq, new.answers, new.rounds) == (old.last_seq, old.answers, old.rounds)
            assert sum(new.counts.values()) == sum(old.counts.values())
    table = south.tables[1]
    known = engine.table(table)
    assert known is not None
    assert engine.state.link(known.links[0]).terms.link == south.link
    resume = Envelope(Resume("operator", (), ""), NOW, 0, b"r" * 16, people=("anna",))
    assert engine.execute(resume).of_act().ok
    wager = frames.Wager("after", (Bet(3, south.link, 100),), lock=True)
    frame = Envelope(numbered(wager, known.last_seq + 1), NOW, 0, b"w" * 16, table=table)
    outcome = engine.execute(frame)
    assert isinstance(outcome.answer, Ack)
    assert {link for link, _, _ in outcome.meters} == {south.link}


def test_a_bank_that_ended_takes_nothing_more(ledger: Ledger) -> None:
    """DESIGN, beyond one machine: each chain ends with its `bank_closed`."""
    two_banks(ledger)
    joined(ledger)
    engine, _ = rebuild(ledger, "north")
    resume = Envelope(Resume("operator", (), ""), NOW, 0, b"r" * 16, people=("anna",))
    assert engine.execute(resume).of_act().code == "bank_closed"
    hello = Envelope(c.TableHello(None), NOW, 0, b"h" * 16, table="north-1")
    refused = engine.execute(hello).answer
    assert isinstance(refused, Error)
    assert refused.code == "auth_failed"
    last = ledger.rows("north", ledger.head("north").seq - 1, 2)
    assert [row.kind for row in last] == [BankClosed.kind]


def test_an_act_that_is_sent_again_after_a_join_is_not_done_again(ledger: Ledger) -> None:
    """S4, L8: its first answer was lost on the way; the new bank knows the key."""
    north, _ = two_banks(ledger)
    less = CorrectMeter(north.link, "mega", -5, "a test wager")
    sent = Envelope(less, NOW, 0, b"k" * 16, people=("anna", "bert"))
    assert north.act(less, sent.people, digest=sent.digest).of_act().ok
    engine = joined(ledger)
    before = views.statistics(engine)
    again = engine.execute(sent)
    assert (again.of_act().ok, again.entry) == (True, None)
    assert views.statistics(engine) == before


@pytest.mark.parametrize(
    ("act", "refused"),
    [
        (AddPapers("H1", "left out", paper=b"p" * 16, on_paper=("witness",)), RENUMBERED),
        (ErasePapers("H1", "they ask for it"), RENUMBERED),
        (Undo("H1", "misread"), RENUMBERED),
        (
            Correct("A1", 5, "misread", "W-2"),
            Refusal("award_renumbered", award="A1", bank="floor", now=["A2 (north)"]),
        ),
    ],
)
def test_a_number_from_before_a_join_names_nothing(
    ledger: Ledger, act: c.ActCommand, refused: Refusal
) -> None:
    """A10: a paper of before may be either bank's: who names it is told its number of today."""
    two_banks(ledger)
    engine = joined(ledger)
    assert not views.has(engine, 1, None)
    assert not views.has(engine, None, 1)
    assert (engine.state.first_hit, engine.state.first_award) == (2, 2)
    answer = engine.execute(Envelope(act, NOW, 0, b"p" * 16, people=("anna", "bert"))).of_act()
    assert (answer.code, answer.template, answer.values) == (refused.code, refused.template, refused.values)
    assert list(stories(ledger, "floor")) == []


@pytest.mark.parametrize(
    ("what", "refused"),
    [
        ("resume", Refusal("bank_link_takes_wagers", link="five-north")),
        ("round", Refusal("table_round_unfinished", table="north-1")),
        ("award", Refusal("bank_hits_stand", hits=["H2"])),
        ("dispute", Refusal("bank_hits_stand", hits=["H2"])),
        ("behind", Refusal("bank_ledger_behind")),
    ],
)
def test_only_a_bank_at_rest_is_joined(ledger: Ledger, what: str, refused: Refusal) -> None:
    """L8: links suspended, no unfinished round, no award that is not yet paid or undone."""
    north, _ = two_banks(ledger)
    north.act(Resume("operator", (), ""), ("anna",))
    if what == "round":
        north.frame(north.tables[0], frames.Wager("open", (Bet(1, north.link, 100),), lock=True))
    elif what in ("award", "dispute"):
        north.frame(north.tables[0], frames.Wager("won", (Bet(1, north.link, 100),), lock=True))
        flush = frames.Claim(seat=1, cards=("2s", "5s", "9s"))
        settled = north.frame(north.tables[0], frames.Settle("won", (flush,), board=("Js", "Ks"), close=True))
        assert isinstance(settled.answer, Ack)
        assert settled.answer.awards
        if what == "dispute":
            hit = settled.answer.awards[0].hit
            assert north.act(Validate(hit), ("anna",)).of_act().ok
            assert north.act(Dispute(hit, "another card"), ("anna",)).of_act().ok
    elif what == "behind":
        north.act(c.TableHello(10**6), table="north-1")
    if what != "resume":
        north.rest()
    with pytest.raises(NotJoined) as found:
        join(ledger, BANKS, "floor", "anna", "one control room", NOW)
    assert why(found.value) == (refused.template, refused.values)
    assert ledger.head("floor").seq == 0


def why(error: LedgerError) -> tuple[str, Values]:
    """The template and the values of the refusal that an error tells."""
    assert isinstance(error.__cause__, Refusal)
    return error.__cause__.template, error.__cause__.values


@pytest.mark.parametrize("what", ["open round", "same table"])
def test_no_bank_ends_where_the_others_do_not_fit(ledger: Ledger, what: str) -> None:
    """S5: an end cannot be taken back, so all is looked at before the first of them."""
    north, south = two_banks(ledger)
    if what == "open round":
        south.act(Resume("operator", (), ""), ("anna",))
        south.frame(south.tables[0], frames.Wager("open", (Bet(1, south.link, 100),), lock=True))
        south.rest()
    else:
        south.act(OpenTable(TableTerms(north.tables[0], "let-it-ride", 7, (south.link,))))
    with pytest.raises(NotJoined) as found:
        join(ledger, BANKS, "floor", "anna", "one control room", NOW)
    assert why(found.value) == (
        ("table_round_unfinished", (south.tables[0],))
        if what == "open round"
        else ("table_in_two_banks", (north.tables[0],))
    )
    for bank in BANKS:
        assert not rebuild(ledger, bank)[0].state.closed_into


class CutAt:
    """A ledger whose n-th append is lost, or is carried out and its answer lost."""

    def __init__(self, ledger: Ledger, number: int, *, after: bool) -> None:
        self._store = store_of(ledger)
        self._left = number
        self._after = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, *row: Any) -> None:
        self._left -= 1
        if self._left or self._after:
            await self._store.append(*row)
        if not self._left:
            raise CommitInDoubt("the line was cut")


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_interrupted_join_is_run_again(place: Place, number: int, *, after: bool) -> None:
    """S5: whichever of the three entries was in doubt, the next run ends at the same place."""
    ledger = place.open()
    two_banks(ledger)
    with pytest.raises(CommitInDoubt):
        join(cast("Store", CutAt(ledger, number, after=after)), BANKS, "floor", "anna", "one room", NOW)
    head = join(ledger, BANKS, "floor", "anna", "one room", NOW)
    assert join(ledger, BANKS, "floor", "anna", "one room", NOW) == head
    for bank in (*BANKS, "floor"):
        assert verify(ledger, bank).problems == ()


def test_no_bank_is_opened_where_a_broken_off_join_is_to_begin_one(place: Place) -> None:
    """M4, S3: opened, it would have its own first row, and what the others handed on could never begin."""
    ledger = place.open()
    two_banks(ledger)
    with pytest.raises(CommitInDoubt):
        join(cast("Store", CutAt(ledger, 1, after=True)), BANKS, "floor", "anna", "one room", NOW)
    assert "floor" not in ledger.banks()
    with pytest.raises(LedgerUnusable, match="north ended in it: the join was broken off"):
        open_banks(ledger, ["floor"], SITE_ID, NOW)
    join(ledger, BANKS, "floor", "anna", "one room", NOW)
    assert [verify(ledger, bank).problems for bank in (*BANKS, "floor")] == [(), (), ()]


def test_the_peoples_bank_becomes_part_of_none(ledger: Ledger) -> None:
    """S8: ended, nobody could sign in or act any more; and it takes no links."""
    north, _ = two_banks(ledger)
    paper = Paper()
    paper.write(ledger)
    by = People(proof=paper.proof(FIRST_ADMIN))
    with pytest.raises(NotJoined, match="bank site is that of the people"):
        join(ledger, (SITE, "north"), "floor", by, "one control room", NOW)
    assert not rebuild(ledger, SITE)[0].state.closed_into
    assert ledger.head("floor").seq == 0
    begin_site = BeginBank(
        (), (decide_close_bank(north.engine.state, CloseBank(SITE, "x"), ActContext()).handed_on,)
    )
    begun = Engine(SITE).execute(Envelope(begin_site, NOW, 0, b"s" * 16))
    assert (begun.entry, begun.of_act().template) == (None, "bank_without_links")


def test_names_that_do_not_fit_are_refused(ledger: Ledger) -> None:
    """DESIGN, config: nothing is guessed."""
    two_banks(ledger)
    with pytest.raises(NotJoined, match="there is no bank west"):
        join(ledger, ("north", "west"), "floor", "anna", "one control room", NOW)
    with pytest.raises(NotJoined, match="there is a bank south already"):
        join(ledger, ("north", "west"), "south", "anna", "one control room", NOW)
    join(ledger, BANKS, "floor", "anna", "one control room", NOW)
    with pytest.raises(NotJoined, match="became part of floor"):
        join(ledger, BANKS, "other", "anna", "one control room", NOW)


def test_verify_holds_the_joint_together(tmp_path: object) -> None:
    """S3: a joined bank that began with other sums, or whose source banks are gone, does not verify."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        two_banks(ledger)
        joined(ledger)
        first = ledger.rows("floor", 0, 1)[0]
        event = registry.decode(first.kind, first.version, first.body)
        assert isinstance(event, BankBegun)
        elsewhere = [(bank, seq + 1, hash_) for bank, seq, hash_ in event.heads]
        forged = msgspec.structs.replace(event, heads=elsewhere)
        outcome = Engine("forged").execute(
            Envelope(BeginBank(tuple(forged.heads), tuple(forged.parts)), NOW, 0, b"f" * 16)
        )
        assert outcome.entry is not None
        head = ledger.new_epoch("forged", "test")
        ledger.append("forged", head.epoch, 0, [row_of("forged", head.epoch, outcome.entry, head.hash)])
        said = verify(ledger, "forged").problems
        assert len(said) == 2
        assert "which is not in this ledger" in said[0]


def begin(ledger: Ledger, bank: str, heads: list[tuple[str, int, bytes]], parts: list[HandedOn]) -> None:
    """Forges a bank with that first row, correctly chained."""
    engine, event = Engine(bank), BankBegun(heads, parts)
    body = row_commands.encode(event, BeginBank(tuple(heads), tuple(parts)))
    entry = DecidedEntry(1, NOW, event.kind, 1, None, None, None, b"f" * 16, body, ())
    made = engine.replay(entry).postings
    entry = msgspec.structs.replace(entry, link=only_link(made), postings=made)
    head = ledger.new_epoch(bank, "test")
    ledger.append(bank, head.epoch, 0, [row_of(bank, head.epoch, entry, head.hash)])


def test_a_bank_begins_with_what_ended_in_it_alone(ledger: Ledger) -> None:
    """S8: a twin of a joined bank, a bank that begins with nothing, and one that begins with half of it."""
    two_banks(ledger)
    joined(ledger)
    first = ledger.rows("floor", 0, 1)[0]
    event = registry.decode(first.kind, first.version, first.body)
    assert isinstance(event, BankBegun)
    begin(ledger, "twin", event.heads, event.parts)
    begin(ledger, "nothing", [], [])
    begin(ledger, "half", event.heads[:1], event.parts)
    assert verify(ledger, "twin").problems == (
        "twin: it began with north, which became part of floor",
        "twin: it began with south, which became part of floor",
    )
    said = verify(ledger, "nothing").problems
    assert "nothing: it began with 0 banks and the sums of 0" in said
    assert "half: it began with 1 banks and the sums of 2" in verify(ledger, "half").problems
    assert verify(ledger, "floor").problems == ()


def richer(parts: HandedOn) -> HandedOn:
    """Adds a dollar from the house to the first meter, balanced."""
    (level, *levels), *_ = (link.levels for link in parts.links)
    accounts = level.accounts.copy()
    accounts.add(Accounts(primary=DOLLAR, house=-DOLLAR))
    levels = [msgspec.structs.replace(level, accounts=accounts), *levels]
    first, *links = parts.links
    return msgspec.structs.replace(parts, links=[msgspec.structs.replace(first, levels=levels), *links])


def test_an_end_that_hands_on_more_than_there_was_is_not_joined(place: Place) -> None:
    """S3, M4: appended by somebody, it would wait for people who join the banks: no join takes it."""
    ledger = place.open()
    north, _ = two_banks(ledger)
    end = CloseBank("floor", "one control room")
    right = decide_close_bank(north.engine.state, end, ActContext(People(("anna",))))
    lie = msgspec.structs.replace(right, handed_on=richer(right.handed_on))
    postings = Engine.from_snapshot(north.engine.snapshot()).execute(
        Envelope(end, NOW, 0, b"e" * 16, people=("anna",))
    )
    assert postings.entry is not None
    entry = msgspec.structs.replace(postings.entry, body=row_commands.encode(lie, end))
    row = row_of("north", north.head.epoch, entry, north.head.hash)
    ledger.append("north", north.head.epoch, north.head.seq, [row])
    said = f"north: row {row.seq} (bank_closed): the rules decide otherwise: handed_on.links"
    with pytest.raises(LedgerCorrupt, match=re.escape(said)):
        join(ledger, BANKS, "floor", "anna", "one control room", NOW)
    with pytest.raises(LedgerCorrupt, match="hands on other sums than the bank has"):
        read_to(ledger, "north", ledger.head("north"))
    assert not ledger.head("floor").seq
    assert verify(ledger, "north").problems[0].startswith(said)


def test_a_start_holds_a_joint_together(place: Place, tmp_path: Path) -> None:
    """S3: a bank that somebody made of what others handed on, with more in it, starts nothing."""
    ledger = place.open()
    two_banks(ledger)
    joined(ledger)
    first = ledger.rows("floor", 0, 1)[0]
    event = registry.decode(first.kind, first.version, first.body)
    assert isinstance(event, BankBegun)
    config = configure(
        tmp_path, tables=0, signs=0, links=LINKS.replace(LINK, "five-north") + 'bank = "floor"\n'
    )
    config = msgspec.structs.replace(config, site=msgspec.structs.replace(config.site, id="riverside"))
    assert "floor" not in open_books(ledger, config, NOW).missing
    begin(ledger, "other", event.heads, [richer(event.parts[0]), *event.parts[1:]])
    with pytest.raises(LedgerCorrupt, match="other: it began with north, which became part of floor"):
        open_books(ledger, config, NOW)


def test_a_bank_that_ended_in_none_is_found(ledger: Ledger) -> None:
    """S8: what it had is nowhere; where a join was cut off, it is run again."""
    two_banks(ledger)
    with pytest.raises(CommitInDoubt):
        join(cast("Store", CutAt(ledger, 3, after=False)), BANKS, "floor", "anna", "one room", NOW)
    (said,) = verify(ledger, "north").problems
    assert said == "north: it became part of floor, which did not begin with it: join the banks again"


def test_a_joined_bank_knows_the_people_that_its_parts_saw(ledger: Ledger) -> None:
    """S8: no act of it names people as they were before, or names alone, once the site has people."""
    paper = Paper()
    paper.write(ledger)
    two_banks(ledger)
    before, names = paper.proof(FIRST_ADMIN), ("anna",)
    paper.ended(paper.floor_too)
    join(ledger, BANKS, "floor", People(proof=paper.proof(FIRST_ADMIN)), "one control room", NOW)
    floor, _ = rebuild(ledger, "floor")
    act = Resume("operator", (), "as before")
    for asked in (
        Envelope(act, NOW, 0, b"a" * 16, people=names),
        Envelope(act, NOW, 0, b"b" * 16, proof=before),
    ):
        assert floor.execute(asked).of_act().code == "stale"
    assert verify(ledger, "floor").problems == ()


def test_only_an_admin_joins_or_opens_a_bank(ledger: Ledger) -> None:
    """S3, S8: a person without the role is refused, no bank ends, and no bank begins with the refusal."""
    paper = Paper()
    paper.write(ledger)
    two_banks(ledger)
    by = People(proof=paper.proof(paper.floor))

    def may_not(act: str) -> str:
        return re.escape(in_words("may_not", person=paper.floor, act=act, power=["admin"]))

    with pytest.raises(LedgerUnusable, match=may_not("close bank")):
        join(ledger, BANKS, "floor", by, "one control room", NOW)
    assert not any(rebuild(ledger, bank)[0].state.closed_into for bank in BANKS)
    with pytest.raises(LedgerUnusable, match=may_not("open bank")):
        open_banks(ledger, ["west"], "riverside", NOW, by)
    assert "west" not in ledger.banks()
