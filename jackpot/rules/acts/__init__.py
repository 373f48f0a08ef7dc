"""Registry of every act of people and of the server, which is all that may be done besides play.

A file has a subject: each act's command, event, decision and effect stand next to each other, and the acts
themselves at its end. To add an act is to add one entry there, and its tests.
"""

from typing import Any, Final, Union

import msgspec

from jackpot.rules.acts import (
    account_credits,
    alarms,
    archives,
    banks,
    cash,
    devices,
    disputes,
    ends,
    erasure,
    hits,
    level_order,
    links,
    lost_acks,
    meters,
    notices,
    papers,
    parameters,
    people,
    programs,
    readings,
    requests,
    rounds,
    sessions,
    site_cursor,
    snapshot_seals,
    tables,
    triggers,
    vouching,
)
from jackpot.rules.acts.act import Act
from jackpot.rules.commands import ActCommand
from jackpot.rules.events import Event

ACTS: Final[tuple[Act, ...]] = (
    *hits.ACTS,
    *papers.ACTS,
    *cash.ACTS,
    *account_credits.ACTS,
    *disputes.ACTS,
    *rounds.ACTS,
    *tables.ACTS,
    *links.ACTS,
    *meters.ACTS,
    *parameters.ACTS,
    *notices.ACTS,
    *ends.ACTS,
    *lost_acks.ACTS,
    *devices.ACTS,
    *readings.ACTS,
    *level_order.ACTS,
    *banks.ACTS,
    *snapshot_seals.ACTS,
    *triggers.ACTS,
    *archives.ACTS,
    *people.ACTS,
    *sessions.ACTS,
    *vouching.ACTS,
    *erasure.ACTS,
    *site_cursor.ACTS,
    *requests.ACTS,
    *alarms.ACTS,
    *programs.ACTS,
)
ACT_OF: Final[dict[type[ActCommand], Act]] = {act.command: act for act in ACTS}
ACT_BY: Final[dict[type[Event], Act]] = {event: act for act in ACTS for event in act.applies}
_UNION: Final[Any] = Union[tuple(ACT_OF)]  # noqa: UP007 - of the registry, so it cannot be written out
_DECODER: Final = msgspec.json.Decoder(_UNION)


def decode_asked(command: bytes) -> ActCommand:
    """Decodes the command that a request or a refusal keeps. Raises msgspec.DecodeError."""
    asked: ActCommand = _DECODER.decode(command)
    return asked


def is_alone(command: object) -> bool:
    """Whether it is an act for when no server runs."""
    act = ACT_OF.get(type(command))  # type: ignore[arg-type]  # a frame is no act
    return act is not None and act.alone
