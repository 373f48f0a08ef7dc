"""Does a request that nobody confirms end by itself, and for all to see?"""

from pathlib import Path

from jackpot.rules.acts.people import ResetSecret
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS, Confirm
from jackpot.server.expiry import expire_now
from tests.server.bed import on_loop
from tests.server.test_people import ANN, BEN, journal, opened


@on_loop
async def test_a_request_ends_visibly(tmp_path: Path) -> None:
    """Item 2: after a quarter of an hour it is over, in the journal and as an alarm; not a moment sooner."""
    async with opened(tmp_path) as site:
        people = site.server.people
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        asked = await site.entrance.act(people, ResetSecret(2), [ann])
        await expire_now(people)
        assert people.counts.alarms.get("request_expired", 0) == 0
        site.wait(REQUEST_HOLDS_MS)
        await expire_now(people)
        assert people.counts.alarms["request_expired"] == 1
        late = await site.entrance.act(people, Confirm(asked.request), [ben])
        assert late.code == "no_such_request"
    assert journal(tmp_path)[-2:] == ["request_expired", "act_refused"]
