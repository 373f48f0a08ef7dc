"""Known programs of a bank, and links that wait for the confirmation of one (S3)."""

from hashlib import sha256
from typing import Any, Final

import pytest

from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.programs import KNOWN_MAX, BeginProgram, ConfirmProgram, Serves
from jackpot.rules.commands import ActCommand, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import SITE
from tests.ledger.play import NEW, OLD, Play

DIGESTS: Final = [sha256(bytes([number])).digest() for number in range(3)]


class Bank:
    """Two links at one table, and programs that come and go."""

    def __init__(self) -> None:
        self.play = Play(1)

    @property
    def engine(self) -> Engine:
        return self.play.engine

    def begins(self, number: int | None, serves: Serves = "confirmed") -> None:
        """A server starts with that program; None for one that nothing proves."""
        digest = b"" if number is None else DIGESTS[number]
        self.play.new_epoch(self.play.epoch + 1)
        self.play.act(BeginProgram(f"1.{number}", digest, serves))

    def asks(self, command: ActCommand, *people: str) -> ActAnswer:
        return self.play.act(command, *people).of_act()

    def confirms(self, number: int, *people: str) -> ActAnswer:
        return self.asks(ConfirmProgram(DIGESTS[number].hex(), "as published"), *(people or ("anna", "ben")))

    def waits(self) -> bool:
        held = {"program" in link.suspended for link in self.engine.state.links}
        assert len(held) == 1
        return held.pop()


def test_links_wait_until_two_people_know_the_program() -> None:
    """S3: by one they wait on; by two the links play, and the same program never waits again."""
    bank = Bank()
    bank.begins(0)
    assert bank.waits()
    assert bank.confirms(0, "anna").code == "two_people"
    assert bank.confirms(1).ok  # another one
    assert bank.waits()
    assert bank.confirms(0).ok
    assert not bank.waits()
    assert bank.confirms(0).code == "program_known"
    for number, waits in ((0, False), (1, False), (2, True), (0, False)):
        bank.begins(number)
        assert bank.waits() is waits


def test_where_nobody_confirms_every_program_is_known_that_decided() -> None:
    """S3: a site that begins to confirm waits for the next program, not for the one that it has."""
    bank = Bank()
    bank.begins(0, "always")
    assert not bank.waits()
    bank.begins(0)
    assert not bank.waits()
    bank.begins(1)
    assert bank.waits()
    bank.begins(1, "always")
    assert not bank.waits()


def test_what_proves_nothing_is_never_known() -> None:
    """S3: a program without a digest is no program that people could confirm."""
    bank = Bank()
    bank.begins(None, "always")
    assert bank.engine.state.programs == []
    bank.begins(None)
    assert bank.waits()


def test_a_command_at_rest_changes_nothing_of_the_links() -> None:
    """S3: it is named, too, but lets no link play, and makes no program known."""
    bank = Bank()
    bank.begins(0)
    bank.begins(1, "never")
    assert (bank.waits(), bank.engine.state.program.digest) == (True, DIGESTS[1])
    bank.begins(1)
    assert bank.waits()
    bank.begins(2, "always")
    bank.begins(0, "never")
    assert not bank.waits()


def test_a_link_that_opens_meanwhile_waits_too() -> None:
    """S3: no link starts before the program is known."""
    bank = Bank()
    bank.begins(0)
    bank.asks(OpenLink(OLD))
    assert bank.waits()
    bank.confirms(0)
    bank.asks(OpenLink(NEW))
    assert not bank.waits()


@pytest.mark.parametrize("people", [(), ("anna",), ("anna", "ben")])
def test_nobody_ends_that_reason_otherwise(people: tuple[str, ...]) -> None:
    """S3: it ends with the program alone, and is nobody's to give."""
    bank = Bank()
    bank.begins(0)
    links = ("five", "three")
    assert not bank.asks(Resume("program", links, "why"), *people).ok
    assert bank.waits()
    bank.confirms(0)
    assert not bank.asks(Suspend("program", links, "why"), *people).ok
    assert not bank.waits()


def test_the_people_have_no_links() -> None:
    """S3: their bank is told which program decides, and waits for nobody."""
    engine = Engine(SITE)
    confirm = ConfirmProgram(DIGESTS[0].hex(), "as published")
    answer = engine.execute(Envelope(confirm, 0, 0, bytes(16), people=("anna", "ben"))).of_act()
    assert answer.code == "other_bank"


def test_the_newest_programs_are_known() -> None:
    """S3: what a bank keeps of them is bounded."""
    bank = Bank()
    for number in range(KNOWN_MAX + 1):
        digest = sha256(f"{number}".encode()).digest()
        bank.play.new_epoch(bank.play.epoch + 1)
        bank.play.act(BeginProgram("1", digest, "always"))
    assert len(bank.engine.state.programs) == KNOWN_MAX
    assert sha256(b"0").digest() not in bank.engine.state.programs


@pytest.mark.parametrize(("version", "digest"), [("", b""), ("1", b"short"), ("v" * 65, bytes(32))])
def test_what_is_no_program_begins_nowhere(version: str, digest: bytes) -> None:
    """S3: only a server's mistake, or a forger, could name one."""
    command: Any = BeginProgram(version, digest, "always")
    with pytest.raises(InvariantError, match="is no program"):
        Play(1).engine.decide(Envelope(command, 0, 0, bytes(16)), 0)
