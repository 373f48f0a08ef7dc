"""Who comes in, and as whom? Sessions, tokens and second people of a real ledger."""

import pytest

from jackpot.rules.codes import Code
from jackpot.server.people import Denied, Entrance
from tests.server.bed import on_loop


@on_loop
async def test_while_there_is_no_person_nobody_signs_in() -> None:
    """Nobody is built in: an unknown name gets a clear refusal, and the machine's login is no person."""
    entrance = Entrance()
    for attempt in (entrance.sign_in("ann", "secret"), entrance.who("token"), entrance.bearer("token")):
        with pytest.raises(Denied, match="jackpot users init") as denied:
            await attempt
        assert denied.value.code is Code.NO_PERSON
    assert await entrance.of_login("root") is None
