"""The roles of every act are those of one table, so that a change of a power is seen."""

import pytest

from jackpot.api.operation import name_of
from jackpot.api.registry import ASKED_ACTS
from jackpot.rules.acts import ACTS
from jackpot.rules.acts.act import Act
from jackpot.rules.acts.authorization import check_people
from jackpot.rules.acts.hits import Correct, Pay
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import ROLES, People, Proof, Signed
from tests.rules.acts.powers import POWERS, written
from tests.rules.test_engine import bank


def test_the_readme_says_the_roles_of_each_act_once() -> None:
    """S8: no act stands there twice, and none that is not there any more."""
    assert len(written()) == len(POWERS)
    assert POWERS.keys() == {act.name for act in ACTS if act.power} | {name_of(kind) for kind in ASKED_ACTS}


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_each_act_names_who_may_ask(act: Act) -> None:
    """No act is anybody's by mistake: what people may ask a server for names its roles, and no other does."""
    assert act.power == POWERS.get(act.name, ())
    assert not act.asked or act.power
    assert not (act.alone and act.power)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_every_role_against_every_act(act: Act) -> None:
    """S8: the engine itself refuses who has not the role, before it looks at anything else."""
    state = bank().engine.state
    about: dict[type[ActCommand], ActCommand] = {Pay: Pay("H9"), Correct: Correct("A9", 1, "x")}
    command = about.get(act.command, Confirm("main-1"))  # what is asked for decides nothing in other acts
    for role in ROLES:
        people = People(proof=Proof((Signed(3, (role,)),), 5, b"h"))
        if role in act.power:
            check_people(state, act, command, people)
            continue
        with pytest.raises(Refusal, match=f"person 3 may not {act.name.replace('-', ' ')}: only") as refused:
            check_people(state, act, command, people)
        assert refused.value.code is Code.NOT_ALLOWED
