"""The people of a simulated floor: the bank `site`, which a model of its own follows row by row.

What they sign for elsewhere carries the last durable row of it, and their roles as the model has them:
`verify` holds both to the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.ledger.journal import Head, Row, genesis
from jackpot.ledger.reading import Reader
from jackpot.rules import registry
from jackpot.rules.acts.hits import Pay
from jackpot.rules.acts.people import (
    AddPerson,
    EndPerson,
    GiveCode,
    Grant,
    MakeToken,
    ResetSecret,
    SetSecret,
    WithdrawRole,
)
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.requests import ActRefused, Confirm, ExpireRequest, Reject
from jackpot.rules.acts.snapshot_seals import Sealed
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.signing import SITE, Proof, Signed
from tests.faults.difference import Difference, same
from tests.faults.house import BANK
from tests.faults.model_people import are_two
from tests.faults.model_roll import Person, Roll
from tests.faults.worked.form import Signer
from tests.ledger.people import ADMINS, Paper
from tests.ledger.waiting import Ledger

# Of so many groups of seeds one has people; on other floors names are given on the server's machine.
PEOPLED: Final = 2
# How long a request waits here.
HOLDS_MS: Final = 2_000
# When the tokens end, in milliseconds of a wall clock.
FOREVER: Final = 2**52
# Signed with something else than a secret: what may ask, and confirms nothing.
BY_PROGRAM: Final = 0.1
# The people on paper, with the token of a program of theirs.
FIRST: Final = {
    1: Person(("admin", "floor"), token=("floor",)),
    2: Person(("admin",)),
    3: Person(("floor",), 1, 2, ("floor",)),
    4: Person(("floor",), 1, 2),
    5: Person(("cage",), 1, 2, ("cage",)),
}
# Whose they are, in the order in which they were made.
TOKENS: Final = [number for number, one in FIRST.items() if one.token]
KINDS: Final[dict[type, str]] = {
    Grant: "grant",
    WithdrawRole: "withdraw_role",
    EndPerson: "end_person",
    AddPerson: "add_person",
    ResetSecret: "reset_secret",
    GiveCode: "give_code",
    Vouch: "vouch",
    Confirm: "confirm",
    Reject: "reject",
}


class By(NamedTuple):
    """Actors of an act, and its bank: people who sign, or unauthenticated names."""

    names: tuple[str, ...] = ()
    proof: Proof = Proof()
    bank: str = BANK

    @property
    def people(self) -> int:
        """The number of people that act."""
        return 1 + are_two(*signers_of(self.proof)) if self.proof.signed else len(set(self.names))


class Site:
    """seq, hash: of its last durable row. roll: the people as of then; none where nobody has come."""

    def __init__(self, name: str, random: Random, note: Callable[[str], None], *, peopled: bool) -> None:
        self.roll = Roll()
        self.roll.holds_ms = HOLDS_MS
        self.seq = 0
        self.hash = genesis(SITE)
        self._paper = Paper(site=name)
        self._paper.act(Grant(1, "floor"), *ADMINS)
        for number, one in FIRST.items():
            if one.token:
                token: Any = one.token
                self._paper.act(MakeToken(bytes([number]) * 32, token, FOREVER), number)
        self._epoch = 0
        self._random = random
        self._note = note
        self._peopled = peopled
        self._asked: dict[bytes, Envelope] = {}
        self._answers: dict[bytes, bool] = {}

    def firsts(self, firsts: Sequence[Row]) -> Sequence[Row]:
        """The first rows of all banks: where people come, of this one what they have on paper."""
        return [self._paper.rows[0] if self._peopled and one.bank == SITE else one for one in firsts]

    def come(self, ledger: Ledger) -> None:
        """The first people, where there are to be any: as `users init` and two admins have made them."""
        paper = self._paper
        if self._peopled and ledger.head(SITE).seq == 1:
            # They are of the paper's own epoch, as rows that are copied are.
            epoch = ledger.new_epoch(SITE, "paper", at_least=1).epoch
            ledger.append(SITE, epoch, 1, paper.rows[1:])
        if self.seq == 0:
            first = ledger.rows(SITE, 0, len(paper.rows))
            self.seq, self.hash, self._epoch = first[-1].seq, first[-1].hash, first[-1].epoch
        if self._peopled and not self.here:
            self._note(f"people come: {len(paper.rows)} rows")
            self.roll.people = {number: replace(one) for number, one in FIRST.items()}

    def looked(self, ledger: Reader, _engine: Engine, head: Head) -> None:
        """A process has recovered the bank: what became durable without an answer is known now."""
        if head.seq < self.seq:
            raise Difference(f"the site lost rows: it ends at {head.seq}, {self.seq} was durable")
        if self.seq:
            self.written(ledger.rows(SITE, self.seq, 10_000))

    @property
    def here(self) -> bool:
        """Whether there are people, so that a name stands for nothing."""
        return bool(self.roll.people)

    # Who signs

    def anybody(self, *roles: str, but: tuple[Signer, ...] = (), program: bool = False) -> Signer:
        """A random person with one of these roles, else nobody; now and then by a program's token."""
        able = [
            number
            for number in self.able(*roles)
            if all(are_two(other, self.roll.signer(number)) for other in but)
        ]
        number = self._random.choice(able or self.still_here())
        by_program = program and self._random.random() < BY_PROGRAM
        signer = self._signer(number, self._random.choice(("token", "login")) if by_program else "secret")
        lacks = able and not set(roles) & set(signer.roles)  # a token for something else
        return self._signer(number, "login") if lacks else signer

    def able(self, *roles: str) -> list[int]:
        """People with one of these roles who can sign in."""
        people = self.roll.people.items()
        return [number for number, one in people if set(roles) & set(one.roles) and self.roll.able(number)]

    def stranger(self) -> Signer:
        """Any person by any means: without the role, or with no secret of their own."""
        number = self._random.choice(self.still_here())
        return self._signer(number, self._random.choice(("secret", "secret", "token", "login")))

    def still_here(self) -> list[int]:
        """People who have a secret and have not left, so that they can sign in."""
        return [number for number in self.roll.people if self.roll.able(number)]

    def with_code(self) -> tuple[int, Proof] | None:
        """A random person with a code and no secret yet, and how they sign with it."""
        ready = [number for number, one in self.roll.people.items() if one.code_by and not one.ended]
        if not ready:
            return None
        number = self._random.choice(ready)
        one = self.roll.people[number]
        return number, self.proof((Signer(number, one.roles, "code", one.given_by, one.vouched),))

    def _signer(self, number: int, means: str) -> Signer:
        """A signer by login where there is no token."""
        no_token = means == "token" and not self.roll.people[number].token
        return self.roll.signer(number, "login" if no_token else means)

    def proof(self, signers: tuple[Signer, ...]) -> Proof:
        return Proof(tuple(map(_signed, signers)), self.seq, self.hash)

    # What the server does

    def asked(self, envelope: Envelope) -> None:
        self._asked[envelope.digest] = envelope

    def released(self, envelope: Envelope, outcome: Outcome) -> None:
        """An answer leaves: what it was decided on is durable, and it is the one that was given."""
        if outcome.entry is None:
            return
        if outcome.entry.seq > self.seq:
            raise Difference(f"{envelope.command} is answered before row {outcome.entry.seq} of the site")
        same(f"{envelope.command}, of the site", outcome.of_act().ok, self._answers.get(envelope.digest))

    def written(self, rows: Sequence[Row]) -> None:
        """A commit of the people's bank returned."""
        for row in rows:
            same("the next durable row of the site", row.seq, self.seq + 1)
            self.seq, self.hash = row.seq, row.hash
            self.roll.row = row.seq
            self._feed(row)

    def _feed(self, row: Row) -> None:
        event: Any = registry.decode(row.kind, row.version, row.body)
        same(f"row {row.seq} of the site, what it moves", row.postings, ())
        if row.seq > 1:
            first = row.epoch != self._epoch
            same(
                f"row {row.seq} of the site, whether a program begins", isinstance(event, ProgramBegan), first
            )
        self._epoch = row.epoch
        if isinstance(event, Sealed | ProgramBegan):
            return
        envelope = self._asked.get(row.digest)
        if envelope is None:
            raise Difference(f"row {row.seq} of the site was never asked for: {event}")
        command = envelope.command
        self._note(f"site row {row.seq} {command} {envelope.proof.signed} -> {type(event).__name__}")
        if isinstance(command, ExpireRequest):
            self.roll.expire(int(command.request.rpartition("-")[2]))
            self._answers[row.digest] = True
            return
        if row.digest in self._answers:
            raise Difference(f"row {row.seq} of the site repeats {command}")
        said = self._decided(envelope, event)
        self._answers[row.digest] = said["ok"]
        same(f"row {row.seq} of the site, {command}, allowed", not isinstance(event, ActRefused), said["ok"])

    def _decided(self, envelope: Envelope, event: Any) -> dict[str, Any]:
        command, signers = envelope.command, signers_of(envelope.proof)
        if isinstance(command, SetSecret):
            return self.roll.set_secret(signers[0].id)
        return self.roll.sign(KINDS[type(command)], signers, waited_of(event), **fields_of(command))


def _signed(signer: Signer) -> Signed:
    roles: Any = signer.roles
    means: Any = signer.means
    token = TOKENS.index(signer.id) + 1 if means == "token" else 0
    until = FOREVER if token else 0
    return Signed(signer.id, roles, means, signer.given_by, signer.vouched, token, until, signer.lost)


def signers_of(proof: Proof) -> tuple[Signer, ...]:
    return tuple(
        Signer(one.id, tuple(one.roles), one.means, one.given_by, one.vouched, one.lost)
        for one in proof.signed
    )


def by_of(envelope: Envelope) -> By:
    return By(envelope.people, envelope.proof)


def waited_of(event: Any) -> int:
    """How long a request had waited, by the row that decides it; milliseconds."""
    people = getattr(event, "people", None)
    return people.proof.waited_ms if people is not None else 0


def fields_of(command: Command) -> dict[str, Any]:
    """Fields and reason of an act, requests by their numbers; without the papers of a hit."""
    fields = {key: value for key, value in msgspec.to_builtins(command).items() if value is not None}
    papers = ("document", "needs", "same_patron") if isinstance(command, Pay) else ()
    for key in ("do", "surveillance", "paper", "on_paper", "code", "until", *papers):
        fields.pop(key, None)
    if "request" in fields:
        fields["request"] = int(fields["request"].rpartition("-")[2])
    return fields
