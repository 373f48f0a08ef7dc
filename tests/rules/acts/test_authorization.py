"""The roles of every act in one table, so that a change of a power is seen."""

from typing import Final

import pytest

from jackpot.rules.acts import ACTS
from jackpot.rules.acts.act import Act
from jackpot.rules.acts.authorization import check_people
from jackpot.rules.acts.hits import Correct, Pay
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import ROLES, People, Proof, Role, Signed
from tests.rules.test_engine import bank

FLOOR: Final = "validate dispute undo strike void reopen agree-to-reopen decline release"
ADMIN: Final = "add-person grant withdraw-role end-person reset-secret give-code vouch erase-name"
POWERS: Final[dict[str, tuple[Role, ...]]] = (
    dict.fromkeys(FLOOR.split(), ("floor",))
    | dict.fromkeys(("pay", "add-papers", "correct"), ("floor", "cage"))
    | dict.fromkeys(
        ("suspend", "resume", "confirm-behind", "confirm-program", "clear", "acknowledge"), ("floor", "admin")
    )
    | dict.fromkeys(("correct-meter", "decide-left"), ("floor", "admin"))
    | dict.fromkeys(("end-key", "transfer", "close-link", "change-link"), ("admin",))
    | dict.fromkeys(("open-bank", "close-bank", "archive"), ("admin",))  # where no server runs
    | {"erase-papers": ("admin",), "lift": ("floor", "auditor")}
    | dict.fromkeys(ADMIN.split(), ("admin",))
    | dict.fromkeys(("set-secret", "make-token", "end-token", "confirm", "reject"), ROLES)
)


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
