"""Signers of an act: authenticated people with their roles and means, or names on the server's machine.

A person is a number in the bank `site`, whose chain says what they may do; names lie next to the journal. An
act elsewhere names the entry of that chain as of which it was decided, so that it can be decided again (S8).
"""

from itertools import pairwise
from typing import Final, Literal, get_args

import msgspec

from jackpot.rules import names
from jackpot.rules.phrases import Phrase, phrase

Role = Literal["viewer", "floor", "cage", "auditor", "admin"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

Means = Literal["secret", "token", "login", "code"]
"""How somebody proved who they are: with their own secret, with an API token, with their login name on the
server's machine, or with the one-time code by which they choose their secret and do nothing else."""

# The bank of the people. It has no link, so no link lies in it.
SITE: Final = "site"
# In place of a code's issuer, for an admin who was made on the server's machine. Nobody knows who sat there,
# so one person may have chosen the secrets of all of these.
OPERATOR: Final = -1


class Signed(msgspec.Struct, frozen=True, array_like=True):
    """One authenticated person. id: theirs in the bank `site`. roles: with which they act.

    given_by: who gave them the code by which they chose their secret; 0 where nobody did, OPERATOR where they
    were made on the server's machine because every admin was lost. vouched: which
    other admin vouched for them since; 0 where nobody did. token, until: the number of the token and its end,
    in unix milliseconds; 0 where they signed otherwise. lost: the entry of the bank `site` by which they lost
    a role or their password last; 0 where they never did.
    """

    id: int
    roles: tuple[Role, ...]
    means: Means = "secret"
    given_by: int = 0
    vouched: int = 0
    token: int = 0
    until: int = 0
    lost: int = 0

    @property
    def origin(self) -> Phrase:
        """How they came to their secret."""
        if self.given_by == OPERATOR:
            return phrase("made_without_server", person=self.id)
        if not self.given_by:
            return phrase("password_without_issuer", person=self.id)
        return phrase("password_by_code", person=self.id, giver=self.given_by)

    @property
    def own(self) -> bool:
        """Whether they are independent: their secret has no issuer, or another admin vouched since."""
        return not self.given_by or bool(self.vouched)


class Proof(msgspec.Struct, frozen=True, array_like=True):
    """The signatures of an act. signed: who asked, and who confirmed.

    seq, hash: the entry of the bank `site` after which they were as they signed; 0 in that bank itself.
    request, waited_ms: what they confirmed, and how long it had waited; 0 where it was done at once.
    seen: the preview that they were shown, as `preview.mark_of`; empty where they were shown none.
    """

    signed: tuple[Signed, ...] = ()
    seq: int = 0
    hash: bytes = b""
    request: int = 0
    waited_ms: int = 0
    seen: bytes = b""


class People(msgspec.Struct, frozen=True, array_like=True):
    """The people of an act: unauthenticated names, given on the server's machine, or signers."""

    names: tuple[str, ...] = ()
    proof: Proof = Proof()

    @property
    def signed(self) -> tuple[Signed, ...]:
        """The signers."""
        return self.proof.signed

    def count(self) -> int:
        """How many different people can sign one act together, however their names are written."""
        if signed := self.proof.signed:
            return 1 if len(signed) == 1 or self.fault() else 2
        return len({names.normal_form(name) for name in self.names} - {""})

    def fault(self) -> Phrase | None:
        """Why the second signer cannot confirm what the first one asked; None where they can."""
        for one, other in pairwise(self.proof.signed):
            if one.id == other.id:
                return phrase("same_person", person=one.id)
            if other.means != "secret":
                return phrase("signed_in_by_other_means", person=other.id, means=other.means)
            for giver, given in ((one, other), (other, one)):
                if given.given_by == giver.id:
                    return given.origin
            if one.given_by and one.given_by == other.given_by and not (one.vouched or other.vouched):
                return phrase("same_origin", origin=one.origin, other=other.id)
        return None

    @property
    def first(self) -> int | str:
        """The first of them: a signer by number, or a name."""
        return self.signed[0].id if self.signed else self.names[0]

    def said(self) -> tuple[str, ...]:
        """How a text names them: signers by their numbers, for the journal holds no more of them."""
        return self.names or tuple(f"person {one.id}" for one in self.signed)

    def then(self, second: "People") -> "People":
        """These people and another signer after them, who signs by the site's people of that moment."""
        proof = msgspec.structs.replace(second.proof, signed=self.signed + second.signed)
        return People(self.names + second.names, proof)

    def signed_by(self, *signed: Signed) -> "People":
        """These signers, and no name."""
        return People(proof=msgspec.structs.replace(self.proof, signed=signed))
