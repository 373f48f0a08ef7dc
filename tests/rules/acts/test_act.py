"""Every act is whole in the one registry that engine, auditor, admin surface and model read."""

import pytest

from jackpot.rules import registry
from jackpot.rules.acts import (
    ACT_OF,
    ACTS,
)
from jackpot.rules.acts.act import Act
from jackpot.rules.commands import ActCommand


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
