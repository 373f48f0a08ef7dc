"""Retention of names, secrets and papers."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from jackpot.api.act_reply import ActReply
from jackpot.api.http_call import with_idempotency_key
from jackpot.api.operation import OperationCall
from jackpot.api.queries.people import EraseName
from jackpot.auth import retention
from jackpot.auth.retention import erase_names
from jackpot.ledger.keyring import Secret, StoredName, names, people, secret_rows
from jackpot.ledger.verify.side_tables import KeptRows, compare
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.people import EndPerson, ResetSecret
from jackpot.rules.codes import Code
from jackpot.rules.signing import SITE, Signed
from tests.auth.test_auth_service import ANN, BEN, change, denied, journal, opened
from tests.ledger.waiting import open_ledger
from tests.running_server import StepClock, on_loop, until

KEPT_DAYS = 30


@on_loop
async def test_a_name_is_erased_by_age_and_the_journal_says_so(tmp_path: Path) -> None:
    """Retention: of who left so many days ago, once; who is here keeps theirs."""
    async with opened(tmp_path) as site:
        dee = await site.join("dee", "floor")
        bank = site.server.people
        assert (await site.auth.act(bank, EndPerson(dee.id), [await site.enter(ANN)])).ok
        for days, names in ((KEPT_DAYS - 1, {"ann", "ben", "dee"}), (1, {"ann", "ben"}), (1, {"ann", "ben"})):
            site.wait(days * DAY_MS)
            await erase_names(bank, site.auth, KEPT_DAYS)
            kept = await site.auth.books.read(people)
            assert {one.login for one in kept.values()} == names
    assert journal(tmp_path).count("name_erased") == 1


@on_loop
async def test_one_admin_alone_erases_by_age_only(tmp_path: Path) -> None:
    """Retention: whether a name's time is over the server says, by the site's days; who asks cannot."""
    async with opened(tmp_path, names_kept_days=KEPT_DAYS) as site:
        dee = await site.join("dee", "floor")
        ann = await site.enter(ANN)
        assert (await site.auth.act(site.server.people, EndPerson(dee.id), [ann])).ok
        for key, days, asked in (("early", KEPT_DAYS - 1, True), ("late", 2, False)):
            site.wait(days * DAY_MS)
            request = with_idempotency_key(OperationCall(EraseName(dee.id), (ann,), SITE), ann, key)
            done = await site.server.acts.carry_out(request)
            assert isinstance(done, ActReply)
            assert done.asked == asked
        assert {one.login for one in (await site.auth.books.read(people)).values()} == {"ann", "ben"}


@on_loop
async def test_what_a_moved_clock_says_erases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retention: a clock that is wrong at the start is put right before a look; a look after a step waits."""
    monkeypatch.setattr(retention, "LOOK_S", 0.1)
    clock, looks = StepClock(), list[int]()
    clock.stepped_s = 3 * 365 * 86_400.0

    with structlog.testing.capture_logs() as logs:

        async def look() -> None:
            looks.append(len(logs))

        async with asyncio.TaskGroup() as group:
            each_hour = group.create_task(retention._each_hour("not_erased", clock, look))
            await asyncio.sleep(0)  # it has begun, and believes the clock of now
            assert looks == []
            clock.stepped_s = 0.0
            await until(lambda: len(looks) == 1)
            clock.stepped_s = retention.STEP_MAX_MS / 1000 + 1
            await until(lambda: len(looks) >= 3)
            each_hour.cancel()
    assert (looks[0], looks[-1]) == (1, 2), "each step is a warning before the next look"
    assert [line["reason"] for line in logs] == [
        f"the clock was moved by {-3 * 365 * 86_400} s",
        "the clock was moved by 61 s",
    ]


def kept_rows(folder: Path) -> tuple[set[str], set[int]]:
    """The logins whose names are kept, and the people whose secrets are."""
    with closing(open_ledger(f"sqlite:///{folder}/ledger.db", readonly=True)) as ledger:
        secrets = {row.kept.person for row in secret_rows(ledger)}
        return {row.login for row in names(ledger)}, secrets


def disagreeing(folder: Path) -> list[str]:
    """Rows next to the chain that disagree with it."""
    with closing(open_ledger(f"sqlite:///{folder}/ledger.db", readonly=True)) as ledger:
        return compare(ledger, ledger.banks(), KeptRows(known=True, days=None, at=0)).problems


@on_loop
async def test_no_secret_stays_by_which_nobody_comes_in(tmp_path: Path) -> None:
    """S8: of who left or whose password was reset none is kept, so verify names what is left over."""
    async with opened(tmp_path) as site:
        cal, dee = await site.join("cal", "floor"), await site.join("dee", "floor")
        both = await site.enter(ANN), await site.enter(BEN)
        assert kept_rows(tmp_path)[1] == {1, 2, cal.id, dee.id}
        acts = site.server.acts
        await acts.carry_out(
            with_idempotency_key(OperationCall(EndPerson(cal.id), both[:1], SITE), both[0], "end")
        )
        assert kept_rows(tmp_path)[1] == {1, 2, dee.id}
        await acts.carry_out(
            with_idempotency_key(OperationCall(ResetSecret(dee.id), both, SITE), both[0], "reset")
        )
        assert kept_rows(tmp_path)[1] == {1, 2}
        assert disagreeing(tmp_path) == []


@on_loop
async def test_what_an_act_left_that_was_never_decided_goes(tmp_path: Path) -> None:
    """S8: a name and a secret of no entry, as a server leaves them that ends before it: at the second look.

    What fits no digest stays for who looks into it, and so does the name of who waits for a second admin.
    """
    async with opened(tmp_path) as site:
        ann = await site.enter(ANN)
        assert (await site.person_admin.add([ann], "cal", "Cal", ("floor",))).asked
        store, before = site.auth.store, kept_rows(tmp_path)
        await store.change(StoredName.of("eve", "Eve").kept(), Secret(2, "another").kept())
        change(tmp_path, "UPDATE secret SET hash = 'changed' WHERE person = 1")
        orphans = retention.OrphanRows(site.server.people, site.auth)
        await orphans.drop()
        assert kept_rows(tmp_path)[0] == {*before[0], "eve"}
        assert len(disagreeing(tmp_path)) == 3
        await orphans.drop()
        assert kept_rows(tmp_path) == before
        (left,) = disagreeing(tmp_path)
        assert left.startswith("site: person 1: the row of secret was changed")


@on_loop
async def test_a_name_of_who_was_refused_is_not_kept(tmp_path: Path) -> None:
    """S8: nobody joins by a refused act, nor with a secret that was refused."""
    async with opened(tmp_path) as site:
        cal = await site.join("cal", "floor")
        assert not (await site.person_admin.add([cal], "eve", "Eve", ())).ok
        ann = await site.enter(ANN)
        assert (await site.person_admin.add([ann], "fay", "Fay", ())).ok
        signed = Signed(ann.id, ("admin",), "code")
        await denied(site.auth._keep(signed, "ann", "another password"), Code.NOT_ALLOWED)
        assert kept_rows(tmp_path) == ({"ann", "ben", "cal", "fay"}, {1, 2, cal.id})
        assert disagreeing(tmp_path) == []
