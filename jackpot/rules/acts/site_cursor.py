"""The site cursor: the entry of the bank `site` up to which a bank has seen the people, never going back.

An act names the entry of bank `site` after which its people were as they signed. Once somebody has lost a
right there, each bank notes that entry: no server decided what comes after it and names an earlier one (S8).
"""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.acts.people import Digest
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import SITE, People, Proof
from jackpot.rules.state import BankState


class SeePeople(ActCommand, tag="see-people", frozen=True):
    """The server has seen the site's people as of an entry of bank `site`. hash: of that entry."""

    seq: Annotated[int, Meta(ge=1)]
    hash: Digest


class PeopleSeen(Event, frozen=True, array_like=True):
    """The bank has seen the site's people as of an entry of the bank `site`. people: none."""

    kind: ClassVar[int] = 70
    people: People


def decide_see(state: BankState, command: SeePeople, _by: ActContext) -> PeopleSeen:
    """Advances the cursor to a later entry than any act of the bank has named."""
    refuse_if(state.bank == SITE, "bank_has_people", bank=SITE)
    refuse_if(command.seq <= state.known, "row_seen_already", row=state.known, bank=SITE)
    return PeopleSeen(People(proof=Proof(seq=command.seq, hash=command.hash)))


def apply_seen(_effects: Effects, _event: PeopleSeen) -> None:
    """Changes nothing here: the cursor follows whatever names the site's people."""


ACTS: Final = (
    Act(
        SeePeople,
        decide_see,
        {PeopleSeen: apply_seen},
    ),
)
