"""People are called by their names, or by their numbers where a name is erased."""

from contextlib import closing
from pathlib import Path

from jackpot.reports.read.people import PersonNames, last_sign_ins
from jackpot.rules.signing import People, Signed
from tests.auth.test_auth_service import ANN, change, opened
from tests.ledger.waiting import open_ledger
from tests.running_server import on_loop

BOTH = People().signed_by(Signed(1, ()), Signed(2, ()))


@on_loop
async def test_names_are_those_next_to_the_journal(tmp_path: Path) -> None:
    """S8, retention: the journal has numbers; a name that somebody changed or took away is not told, and
    does not read as one that was erased.
    """
    url = f"sqlite:///{tmp_path}/ledger.db"
    async with opened(tmp_path) as site:
        await site.join("cal")
        await site.enter(ANN)
        at = site.clock.unix_ms()
    with closing(open_ledger(url, readonly=True)) as ledger:
        assert PersonNames.of(ledger).who(BOTH) == "Ann Arbor and Ben Nevis"
        assert PersonNames.of(ledger).name(3) == "Cal"
        assert PersonNames.of(ledger).said(People(("Gus",))) == ("Gus",)
        found = last_sign_ins(ledger)
        assert found.keys() == {1, 2, 3}
        assert found[2] <= found[3] <= found[1] <= at
    change(tmp_path, "UPDATE person SET name = 'Mallory' WHERE login = 'ann'")
    change(tmp_path, "DELETE FROM person WHERE login = 'ben'")
    with closing(open_ledger(url, readonly=True)) as ledger:
        assert PersonNames.of(ledger).said(BOTH) == ("person 1 (name changed)", "person 2 (name missing)")
