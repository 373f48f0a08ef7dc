"""Acts of people where no server runs, as where one does."""

from pathlib import Path

from jackpot.app import Server
from jackpot.auth.login_rate_limiter import OF_ONE
from jackpot.auth.offline_people import OfflinePeopleBank, sign_in_offline
from jackpot.auth.person_admin import PersonAdmin
from jackpot.clock import SystemClock
from jackpot.ledger.open import opened
from jackpot.rules.codes import Code
from tests.auth.test_auth_service import ANN, BEN, denied, journal
from tests.running_server import configure, on_loop


@on_loop
async def test_a_command_takes_the_people_as_a_server_would(tmp_path: Path) -> None:
    """S3, S8: in an epoch of its own, in the same chain; then a server goes on after it."""
    config = configure(tmp_path)
    async with Server(config):
        pass
    url = config.ledger.url
    async with opened(url) as store, sign_in_offline(store, url, SystemClock()) as auth:
        await PersonAdmin(auth).begin((ANN, BEN), "root")
        for _ in range(OF_ONE):
            await denied(auth.authenticate("ann", "wrong"), Code.WRONG_SECRET)
        assert isinstance(auth.site, OfflinePeopleBank)
        assert auth.site.alarms == ["person_locked_out"]
        assert await auth.site.ask(lambda engine: len(engine.state.people)) == 2
    async with Server(config) as server:
        assert (await server.auth.sign_in("ben", BEN.secret)).person.id == 2
    assert journal(tmp_path) == ["bank_opened", "people_begun", "locked_out", "signed_in"]
