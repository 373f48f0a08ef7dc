"""In-memory bank of a site's people: its rows, and their signatures for acts of other banks."""

from typing import Final

from msgspec.structs import replace

from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.people import (
    AddPerson,
    EndPerson,
    EndToken,
    FirstPeople,
    GiveCode,
    Grant,
    MakeToken,
    Recover,
    ResetSecret,
    SetSecret,
    WithdrawRole,
)
from jackpot.rules.acts.sessions import LockOut, SignIn, SignOut
from jackpot.rules.acts.vouching import Vouch, as_secret
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import SITE, Means, Proof, Signed
from tests.ledger.waiting import Ledger

# Whose people they are, and the first two, who are admins.
SITE_ID: Final = "riverside"
ADMINS: Final = (1, 2)
# The digest of whatever secret, code or token.
SECRET: Final = b"s" * 32


class Paper:
    """The bank of the people, with two admins, one who works on the floor and one in the cage, or `empty`.

    stood: where the other banks stood as the people began, as in `FirstPeople`.
    """

    def __init__(
        self,
        *,
        empty: bool = False,
        site: str = SITE_ID,
        stood: tuple[tuple[str, int, bytes], ...] | None = None,
    ) -> None:
        self.engine = Engine(SITE)
        self.rows: list[Row] = []
        self.act(OpenBank(site))
        if not empty:
            newcomers = ((bytes(31) + b"1", SECRET), (bytes(31) + b"2", SECRET))
            self.act(FirstPeople(newcomers, stood), names=("root",))
            self.floor, self.floor_too, self.cage = (
                self._joined(roles) for roles in (("floor",), ("floor",), ("cage",))
            )

    @property
    def hash(self) -> bytes:
        """Of the last row."""
        return self.rows[-1].hash if self.rows else genesis(SITE)

    def act(
        self,
        command: Command,
        *people: int,
        means: Means = "secret",
        names: tuple[str, ...] = (),
        later: int = 0,
    ) -> ActAnswer:
        """An act of the site's own bank. later: by so many milliseconds of the wall's clock."""
        at = len(self.rows)
        proof = Proof(self._signed(people, means))
        envelope = Envelope(command, at + later, at, at.to_bytes(16, "big"), people=names, proof=proof)
        outcome = self.engine.execute(envelope)
        if outcome.entry is not None:
            self.rows.append(row_of(SITE, 1, outcome.entry, self.hash))
        return outcome.of_act()

    def proof(self, *people: int, means: Means = "secret") -> Proof:
        """How these people sign now for an act of another bank."""
        return Proof(self._signed(people, means), self.engine.seq, self.hash)

    def write(self, ledger: Ledger) -> None:
        """Puts the rows into a ledger."""
        ledger.new_epoch(SITE, "paper")
        ledger.append(SITE, 1, 0, self.rows)

    def everything(self) -> None:
        """One of each act of people that is not in it yet."""
        self.act(SignIn(ADMINS[0], SECRET))
        self.act(SignOut(SECRET))
        self.act(LockOut(ADMINS[1], 10))
        self.act(MakeToken(SECRET, ("floor",), 1), self.floor)
        self.act(EndToken(1), self.floor)
        self.act(Grant(self.floor, "cage"), *ADMINS)
        self.act(WithdrawRole(self.floor, "cage"), ADMINS[0])
        self.act(ResetSecret(ADMINS[1]), *ADMINS)
        recovered = self.act(Recover(bytes(31) + b"r", SECRET), names=("root",)).person
        self.ended(recovered)

    def ended(self, person: int) -> None:
        """The person is here no more."""
        assert self.act(EndPerson(person), ADMINS[0]).ok
        assert self.act(EraseName(person, 1), ADMINS[0], later=DAY_MS).ok

    def _joined(self, roles: tuple[str, ...]) -> int:
        mark = bytes(31) + bytes([len(self.rows)])
        number = self.act(AddPerson(mark, roles), *ADMINS).person  # type: ignore[arg-type]  # they are roles
        assert self.act(GiveCode(number, SECRET, 1), ADMINS[0]).ok
        assert self.act(SetSecret(SECRET), number, means="code").ok
        assert self.act(Vouch(number), ADMINS[1]).ok
        return number

    def _signed(self, people: tuple[int, ...], means: Means) -> tuple[Signed, ...]:
        known = self.engine.state.people
        own = [as_secret(known[one - 1]) for one in people]
        return tuple(replace(one, means="secret" if place else means) for place, one in enumerate(own))
