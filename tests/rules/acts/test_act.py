"""Every act is whole in the one registry that engine, auditor, admin surface and model read."""

from typing import Final

import pytest

from jackpot.rules import registry
from jackpot.rules.acts import (
    ACT_OF,
    ACTS,
    alarms,
    erasure,
    people,
    requests,
    sessions,
    site_cursor,
    vouching,
)
from jackpot.rules.acts.act import Act
from jackpot.rules.acts.archives import Archive
from jackpot.rules.acts.banks import BeginBank, CloseBank, OpenBank
from jackpot.rules.acts.devices import BlockDevice, ClearDevice, EndKey
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.papers import AddPapers, ErasePapers
from jackpot.rules.acts.programs import BeginProgram, ConfirmProgram
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Decline
from jackpot.rules.acts.snapshot_seals import SnapshotSeal
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import ActCommand
from tests.faults.terms import ACTIONS

# What the model follows in words of its own.
FOLLOWED: Final = (OpenLink, OpenTable, Suspend, Resume, ConfirmBehind, BeginProgram, ConfirmProgram)
# What moves no money, or ends the bank that the model follows.
MOVES_NOTHING: Final = (
    Decline,
    BlockDevice,
    ClearDevice,
    EndKey,
    Reading,
    SnapshotSeal,
    Archive,
    OpenBank,
    CloseBank,
    BeginBank,
    ErasePapers,
    AddPapers,
    *(
        act.command
        for act in (*people.ACTS, *sessions.ACTS, *vouching.ACTS, *site_cursor.ACTS, *erasure.ACTS)
    ),
    *(act.command for act in requests.ACTS),
    *(act.command for act in alarms.ACTS),
)


def test_every_act_is_in_the_registry_once() -> None:
    """S8: a command that is in no entry could be neither decided nor decided again."""
    assert set(ActCommand.__subclasses__()) == ACT_OF.keys()
    assert len({act.name for act in ACTS}) == len(ACTS) == len(ACT_OF)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_each_events_kind_is_known(act: Act) -> None:
    """S8: what an act comes to can be read back, and says what it changes."""
    for event in act.applies:
        assert registry.KINDS[event.kind] is event
        assert registry.APPLY[event] is act.applies[event]


def test_the_model_knows_every_act_that_moves_money() -> None:
    """M4: no act changes a meter unseen by the model that has never read the engine."""
    assert set(ACTIONS) | {*FOLLOWED, *MOVES_NOTHING} == ACT_OF.keys()
