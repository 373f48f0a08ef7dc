"""Each change of a head by hand is found on both databases, also after the next takeover (S3)."""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest

from jackpot.ledger import takeovers
from jackpot.ledger.journal import Row
from jackpot.ledger.migrations import CREATE, migrations
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import Fenced
from jackpot.ledger.verify.verifier import verify
from tests.ledger.conftest import Place
from tests.ledger.material import rows
from tests.ledger.tampered import tamper
from tests.ledger.waiting import Ledger, copy, open_banks, open_ledger

BY_HAND: Final = "the head was changed by hand, or a takeover was added or taken away"
ADD: Final = "INSERT INTO takeover (bank, epoch, how, holder, seq) VALUES "


class Bank:
    """Taken by one server, given up, and taken by a second one: three rows, then two, of epochs 1 and 2."""

    def __init__(self, place: Place) -> None:
        self.url = place.url
        self.ledger: Ledger = place.open()
        self.written: list[Row] = []
        self.ledger.new_epoch("main", "first")
        self.write(3, 1)
        self.ledger.release("main", 1)
        self.ledger.new_epoch("main", "second")
        self.write(2, 2)

    def write(self, count: int, epoch: int) -> None:
        last = self.written[-1] if self.written else None
        new = rows(count, epoch=epoch, after=last)
        self.ledger.append("main", epoch, last.seq if last else 0, new)
        self.written += new

    def found(self) -> list[str]:
        return [said.removeprefix("main: ") for said in takeovers.differences(self.ledger, "main")]


@pytest.fixture
def bank(place: Place) -> Bank:
    return Bank(place)


def test_what_servers_do_is_never_named(bank: Bank) -> None:
    """S3: taken, given up, taken after a doubt, taken twice without a row, and read at any moment."""
    assert bank.found() == []
    bank.ledger.recover()
    assert bank.ledger.new_epoch("main", "second").epoch == 3
    assert bank.ledger.new_epoch("main", "third").epoch == 4
    assert bank.found() == []
    bank.write(1, 4)
    bank.ledger.beat("main", 4)
    bank.ledger.release("main", 4)
    assert bank.found() == []
    with pytest.raises(Fenced):
        bank.ledger.release("main", 3)
    assert bank.found() == []


def test_a_bank_that_opened_and_one_that_nobody_knows(place: Place) -> None:
    """S3: a bank's first row is of its first takeover, whose holder is nobody."""
    ledger = place.open()
    open_banks(ledger, ["main", "side"], "riverside", 1)
    assert [takeovers.differences(ledger, name) for name in ("main", "side", "mian")] == [[], [], []]
    ledger.new_epoch("side", "server")
    assert takeovers.differences(ledger, "side") == []


def test_a_copy_and_its_server_are_never_named(bank: Bank, place: Place, tmp_path: Path) -> None:
    """S9: the rows of a copy have their source's epochs; those of the server that takes it have its own."""
    with closing(open_ledger(f"sqlite:///{tmp_path}/copy.db")) as target:
        for _ in range(2):
            copied = target.new_epoch("main", "unfinished copy", at_least=bank.ledger.head("main").epoch)
            target.append("main", copied.epoch, copied.seq, bank.written[copied.seq :])
            target.new_epoch("main", "copy")
            assert takeovers.differences(target, "main") == []
            bank.write(1, 2)
        taken = target.new_epoch("main", "server")
        target.append(
            "main", taken.epoch, taken.seq, rows(1, epoch=taken.epoch, after=bank.written[taken.seq - 1])
        )
        assert takeovers.differences(target, "main") == []


TAMPERINGS: Final[dict[str, tuple[list[str], list[str]]]] = {
    "an epoch raised": (
        ["UPDATE head SET epoch = 7"],
        [f"the head is of epoch 7, the last takeover of epoch 2: {BY_HAND}"],
    ),
    "an epoch lowered": (
        ["UPDATE head SET epoch = 1"],
        [f"the head is of epoch 1, the last takeover of epoch 2: {BY_HAND}"],
    ),
    "another holder": (
        ["UPDATE head SET holder = 'mallory'"],
        [f"the head's holder is 'mallory', by the last takeover 'second': {BY_HAND}"],
    ),
    "no holder": (
        ["UPDATE head SET holder = ''"],
        [f"the head's holder is '', by the last takeover 'second': {BY_HAND}"],
    ),
    "a head taken back": (
        ["UPDATE head SET seq = 2"],
        ["the head is at row 2, and was at row 3 when epoch 2 was taken"],
    ),
    "every takeover taken away": (
        ["DELETE FROM takeover"],
        ["no takeover of it is in the table takeover: they were taken away"],
    ),
    "the first taken away": (
        ["DELETE FROM takeover WHERE epoch = 1"],
        ["the first takeover, of epoch 2, does not begin it: those before were taken away"],
    ),
    "one in between taken away": (
        ["INSERT INTO takeover (bank, epoch, how, holder, seq) VALUES (1, 3, 'taken', 'third', 5)",
         "UPDATE head SET epoch = 3, holder = 'third'", "DELETE FROM takeover WHERE epoch = 2"],
        ["epoch 2 was taken by nobody: " + BY_HAND],
    ),
    "the last taken away": (
        ["DELETE FROM takeover WHERE epoch = 2"],
        ["row 5 is of epoch 2, and was written in epoch 1 by the takeovers",
         f"the head is of epoch 2, the last takeover of epoch 1: {BY_HAND}"],
    ),
    "a release taken away": (
        ["DELETE FROM takeover WHERE epoch = 2", "DELETE FROM takeover WHERE how = 'released'",
         "UPDATE head SET epoch = 1, holder = ''"],
        ["row 5 is of epoch 2, and was written in epoch 1 by the takeovers",
         f"the head's holder is '', by the last takeover 'first': {BY_HAND}"],
    ),
    "one added for an epoch to come": (
        [ADD + "(1, 3, 'taken', 'mallory', 5)"],
        [f"the head is of epoch 2, the last takeover of epoch 3: {BY_HAND}"],
    ),
    "one added for an epoch of before": (
        [ADD + "(1, 2, 'taken', 'second', 5)"],
        [f"epoch 2 was taken after epoch 2: {BY_HAND}"],
    ),
    "a release added": (
        [ADD + "(1, 2, 'released', '', 5)"],
        [f"the head's holder is 'second', by the last takeover '': {BY_HAND}"],
    ),
    "a release of another epoch added": (
        [ADD + "(1, 1, 'released', '', 5)"],
        ["epoch 1 was given up, and nobody had it: that takeover was added by hand"],
    ),
    "a second beginning added": (
        [ADD + "(1, 2, 'found', 'second', 5)"],
        ["epoch 2 begins the bank a second time: that takeover was added by hand"],
    ),
    "one changed to an earlier row": (
        ["UPDATE takeover SET seq = 2 WHERE epoch = 2"],
        ["epoch 2 was taken at row 2, the one before it at row 3",
         "row 3 is of epoch 1, and was written in epoch 2 by the takeovers"],
    ),
    "one changed to a later row": (
        ["UPDATE takeover SET seq = 4 WHERE epoch = 2"],
        ["row 4 is of epoch 2, and was written in epoch 1 by the takeovers"],
    ),
    "one changed to be a copy's": (
        ["UPDATE takeover SET how = 'copied', epoch = 4 WHERE epoch = 2", "UPDATE head SET epoch = 5"],
        [f"the head is of epoch 5, the last takeover of epoch 4: {BY_HAND}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_each_change_by_hand_is_named(bank: Bank, tampering: str) -> None:
    """S3: of the head, and of a takeover that was taken away, added or changed."""
    statements, said = TAMPERINGS[tampering]
    tamper(bank.url, *statements)
    found = bank.found()
    assert len(found) >= len(said), found
    assert set(said) <= set(found), found


def test_an_epoch_that_was_raised_still_shows_when_a_server_has_the_bank_again(bank: Bank) -> None:
    """S3: the server's own epoch follows the one that was written by hand, not the last that was taken."""
    tamper(bank.url, "UPDATE head SET epoch = 7")
    assert bank.ledger.new_epoch("main", "third").epoch == 8
    bank.write(1, 8)
    assert bank.found() == [f"epochs 3 to 7 were taken by nobody: {BY_HAND}"]


def test_verify_says_it(bank: Bank) -> None:
    """S3: among whatever else is wrong with the bank."""
    tamper(bank.url, "UPDATE head SET holder = 'mallory'")
    said = [f"main: {problem}" for problem in bank.found()]
    assert set(said) <= set(verify(bank.ledger, "main").problems)
    assert len(said) == 1


def test_a_copy_of_such_a_ledger_begins_anew(place: Place, tmp_path: Path) -> None:
    """S9: the way back from a head that somebody changed: the rows are whole, and so is their copy."""
    ledger = place.open()
    open_banks(ledger, ["main"], "riverside", 1)
    tamper(place.url, "UPDATE head SET epoch = 7, holder = 'mallory'")
    assert len(takeovers.differences(ledger, "main")) == 1
    with closing(open_ledger(f"sqlite:///{tmp_path}/copy.db")) as target:
        copy(ledger, target)
        assert verify(target, "main").problems == ()


def test_a_ledger_of_before_goes_on(tmp_path: Path) -> None:
    """S3: the migration begins with the head that it finds, and what comes then is held to it."""
    path = tmp_path / "ledger.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(CREATE)
        connection.execute(migrations("sqlite")[0].sql)
        connection.execute("INSERT INTO migration VALUES (1, 'ledger')")
        connection.execute("INSERT INTO bank VALUES (1, 'main')")
        connection.execute("INSERT INTO head VALUES (1, 4, 0, zeroblob(32), 'before', 0)")
    with closing(SqliteLedger(path)) as ledger:
        assert len(ledger.applied) == len(migrations("sqlite")) - 1
        assert ledger.look_up("SELECT epoch, how, holder, seq FROM takeover") == [(4, "found", "before", 0)]
        assert takeovers.differences(ledger, "main") == []
        ledger.new_epoch("main", "server")
        assert takeovers.differences(ledger, "main") == []
    tamper(f"sqlite:///{path}", "UPDATE head SET epoch = 9")
    with closing(SqliteLedger(path)) as ledger:
        assert len(takeovers.differences(ledger, "main")) == 1
