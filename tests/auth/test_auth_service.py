"""Sessions, tokens and second signatures, on a real server's ledger."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
import pytest
from argon2 import PasswordHasher

from jackpot.app import Server
from jackpot.auth.auth_service import (
    SESSION_IDLE_MS,
    SESSION_MAX_MS,
    AuthenticatedPerson,
    AuthService,
    Credentials,
)
from jackpot.auth.login_rate_limiter import KNOWN, OF_ONE, WITHIN_S
from jackpot.auth.password_hashing import OF_PLACE, TOTP_STEP_S, PasswordHashing, totp_at
from jackpot.auth.person_admin import CODE_HOLDS_MS, NewPerson, PersonAdmin
from jackpot.ledger.keyring import digest_of
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.devices import ClearDevice
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.people import EndPerson, EndToken, Grant, ResetSecret, WithdrawRole
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.codes import Code
from jackpot.rules.registry import name_of
from jackpot.rules.signing import SITE
from jackpot.runtime.errors import Denied
from tests.ledger.waiting import open_ledger
from tests.running_server import LINK, StepClock, configure, on_loop

ANN: Final = NewPerson("ann", "Ann Arbor", "correct horse battery")
BEN: Final = NewPerson("ben", "Ben Nevis", "staple of the trade")
QUICK: Final = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
# Ten times as quick as those of a server, and still much slower than sign-ins come in.
SLOW: Final = PasswordHasher(time_cost=1, memory_cost=16 * 1024, parallelism=1)
# The clock goes on while a test runs.
MARGIN_MS: Final = 5 * 60_000
CAL: Final = "a secret of Carol's own"
STOP: Final = Suspend("operator", (LINK,), "a look at the wheel")


class Site:
    """A server with two admins, Ann and Ben."""

    def __init__(self, server: Server, clock: StepClock) -> None:
        self.server, self.clock = server, clock
        self.auth: AuthService = server.auth
        self.person_admin = PersonAdmin(server.auth)
        self.main = server.banks["main"]

    async def enter(self, who: NewPerson) -> AuthenticatedPerson:
        return (await self.auth.sign_in(who.login, who.secret)).person

    async def join(self, login: str, *roles: Any, giver: NewPerson = ANN) -> AuthenticatedPerson:
        """Adds a third person, who came by a code and has chosen their secret."""
        both = [await self.enter(ANN), await self.enter(BEN)]
        number = (await self.person_admin.add(both, login, login.title(), roles)).person
        code = (await self.person_admin.give_code(await self.enter(giver), number)).code
        return (await self.auth.choose(login, code, CAL)).person

    def wait(self, ms: int) -> None:
        self.clock.ahead_s += ms / 1000


@asynccontextmanager
async def opened(
    folder: Path,
    *,
    empty: bool = False,
    hasher: PasswordHasher = QUICK,
    names_kept_days: int | None = None,
) -> AsyncIterator[Site]:
    """Opens a site. hasher: its hashes need cost nothing where nobody steals them."""
    clock, config = StepClock(), configure(folder)
    terms = msgspec.structs.replace(config.site, names_kept_days=names_kept_days)
    async with Server(msgspec.structs.replace(config, site=terms), clock) as server:
        site = Site(server, clock)
        server.auth.hashing = PasswordHashing(hasher)
        if not empty:
            await site.person_admin.begin((ANN, BEN), "root")
        yield site


def journal(folder: Path, bank: str = SITE) -> list[str]:
    """Kinds of the bank's entries, once nothing of them is wrong; without those that name the program."""
    with closing(open_ledger(f"sqlite:///{folder}/ledger.db", readonly=True)) as ledger:
        assert verify(ledger, bank).problems == ()
        rows = ledger.rows(bank, 0, 1_000)
        return [name_of(row.kind) for row in rows if row.kind != ProgramBegan.kind]


def change(folder: Path, sql: str) -> None:
    """Changes rows next to the journal, as somebody with access to the database would."""
    with closing(apsw.Connection(str(folder / "ledger.db"))) as connection:
        connection.set_busy_timeout(30_000)
        connection.execute(sql)


async def denied(attempt: Any, code: Code) -> None:
    with pytest.raises(Denied) as refused:
        await attempt
    assert refused.value.code is code, refused.value.message


@on_loop
async def test_while_there_is_no_person_nobody_signs_in(tmp_path: Path) -> None:
    """Nobody is built in: an unknown name gets a clear refusal, and names do what they did."""
    async with opened(tmp_path, empty=True) as site:
        auth = site.auth
        for attempt in (auth.sign_in("ann", "secret"), auth.who("token"), auth.bearer("token")):
            with pytest.raises(Denied, match="jackpot users init"):
                await attempt
        assert await auth.of_login("root") is None
        assert (await auth.act(site.main, STOP, ["ann"])).ok
    assert journal(tmp_path, "main")[-1] == "suspended"


@on_loop
async def test_the_first_two_begin_once(tmp_path: Path) -> None:
    """Two admins with secrets of their own; from then on a name stands for nothing."""
    async with opened(tmp_path) as site:
        await denied(site.person_admin.begin((ANN, BEN), "root"), Code.NOT_EMPTY)
        ann = await site.enter(ANN)
        assert (ann.name, ann.roles, ann.means) == ("Ann Arbor", ("admin",), "secret")
        await denied(site.auth.act(site.main, STOP, ["ann"]), Code.NO_PERSON)
        await denied(site.auth.act(site.main, STOP, [ann, "ben"]), Code.NO_PERSON)
        assert (await site.auth.act(site.main, STOP, [ann])).ok
    assert journal(tmp_path) == ["bank_opened", "people_begun", "signed_in"]
    assert journal(tmp_path, "main")[-1] == "suspended"


@on_loop
async def test_a_new_person_chooses_their_secret_with_a_code(tmp_path: Path) -> None:
    """At the first sign-in, once; the code's giver is remembered, and is no second person with them."""
    async with opened(tmp_path) as site:
        auth, staff = site.auth, site.person_admin
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        cal = (await staff.add([ann, ben], "Cal ", "Cal Orie", ("floor",))).person
        await denied(auth.sign_in("cal", CAL), Code.WRONG_SECRET)
        old, code = (await staff.give_code(ann, cal)).code, (await staff.give_code(ann, cal)).code
        for login, given, secret, refused in (
            ("cal", old, CAL, Code.WRONG_SECRET),
            ("ann", code, CAL, Code.WRONG_SECRET),
            ("cal", code, "short", Code.BAD_REQUEST),
        ):
            await denied(auth.choose(login, given, secret), refused)
        written_down = f" {code[:4].upper()} {code[4:]} "
        person = (await auth.choose("CAL", written_down, CAL)).person
        assert (person.id, person.name, person.roles) == (3, "Cal Orie", ("floor",))
        await denied(auth.choose("cal", code, "something else"), Code.WRONG_SECRET)
        assert (await site.enter(NewPerson("cal", "", CAL))).id == 3
        answer = await auth.act(site.server.people, Grant(3, "admin"), [ann, person])
        assert answer.code == "not_allowed"


@on_loop
async def test_a_code_ends(tmp_path: Path) -> None:
    """A code that lies about lets nobody in after some days."""
    async with opened(tmp_path) as site:
        ann = await site.enter(ANN)
        cal = (await site.person_admin.add([ann], "cal", "Cal", ())).person
        code = (await site.person_admin.give_code(ann, cal)).code
        site.wait(CODE_HOLDS_MS)
        await denied(site.auth.choose("cal", code, CAL), Code.WRONG_SECRET)


@on_loop
async def test_one_asks_and_another_confirms_on_their_own_device(tmp_path: Path) -> None:
    """Item 2: a role waits for a second admin, and what a bank of links needs two for, too."""
    async with opened(tmp_path) as site:
        auth, people = site.auth, site.server.people
        cal = await site.join("cal")
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        asked = await auth.act(people, Grant(cal.id, "floor"), [ann])
        assert (asked.asked, asked.request) == (True, "site-1")
        assert (await auth.act(people, Confirm("site-1"), [ann])).code == "not_allowed"
        assert (await auth.act(people, Confirm("site-1"), [ben])).ok
        assert (await auth.act(people, Confirm("site-1"), [ben])).code == "no_such_request"
        cal = (await auth.sign_in("cal", CAL)).person
        assert (await auth.act(site.main, STOP, [cal])).ok
        asked = await auth.act(site.main, Resume("operator", (LINK,), "ok", (("T01", 5),)), [cal])
        assert asked.code == "not_behind", "what two would be refused waits for nobody"
    kinds = journal(tmp_path)
    assert [kind for kind in kinds if kind in ("requested", "act_refused", "granted")] == [
        "requested",
        "act_refused",
        "granted",
        "act_refused",
    ]
    assert journal(tmp_path, "main")[-2:] == ["suspended", "act_refused"]


@on_loop
async def test_a_second_person_signs_on_the_first_ones_screen(tmp_path: Path) -> None:
    """Item 2: with their own secret, and no session of theirs begins; the first one is no second."""
    async with opened(tmp_path) as site:
        ann = await site.enter(ANN)
        await denied(site.auth.second(ann, "ann", ANN.secret), Code.TWO_PEOPLE)
        await denied(site.auth.second(ann, "ben", "not his secret"), Code.WRONG_SECRET)
        ben = await site.auth.second(ann, "ben", BEN.secret)
        done = await site.person_admin.add([ann, ben], "cal", "Cal", ("cage",))
        assert (done.ok, done.person, done.asked) == (True, 3, False)


@on_loop
async def test_a_session_ends(tmp_path: Path) -> None:
    """Idle, after a shift, when signed out; a withdrawn role is gone at once, and so is a person who left."""
    async with opened(tmp_path) as site:
        auth = site.auth
        cal = await site.join("cal", "floor", "cage")
        ann = await site.enter(ANN)

        async def begun() -> str:
            return (await auth.sign_in("cal", CAL)).token

        token = await begun()
        assert await auth.who(token) == cal
        site.wait(SESSION_IDLE_MS - MARGIN_MS)
        assert (await auth.who(token)).id == cal.id
        site.wait(SESSION_IDLE_MS - MARGIN_MS)
        assert (await auth.who(token)).id == cal.id, "it was used meanwhile"
        site.wait(SESSION_IDLE_MS)
        await denied(auth.who(token), Code.NO_PERSON)
        token = await begun()
        for _ in range(SESSION_MAX_MS // (SESSION_IDLE_MS - MARGIN_MS)):
            site.wait(SESSION_IDLE_MS - MARGIN_MS)
            await auth.who(token)
        site.wait(SESSION_IDLE_MS - MARGIN_MS)
        await denied(auth.who(token), Code.NO_PERSON)
        token = await begun()
        assert (await auth.act(site.server.people, WithdrawRole(cal.id, "cage"), [ann])).ok
        assert (await auth.who(token)).roles == ("floor",)
        await auth.sign_out(token)
        await auth.sign_out(token)
        await denied(auth.who(token), Code.NO_PERSON)
        token = await begun()
        assert (await auth.act(site.server.people, EndPerson(cal.id), [ann])).ok
        await denied(auth.who(token), Code.NO_PERSON)
        await denied(auth.act(site.main, STOP, [cal]), Code.NO_PERSON)
        await denied(auth.sign_in("cal", CAL), Code.WRONG_SECRET)


@on_loop
async def test_a_reset_secret_lets_nobody_in(tmp_path: Path) -> None:
    """A secret that somebody knows: two reset it, its sessions end, and the next is chosen with a code."""
    async with opened(tmp_path) as site:
        auth, people = site.auth, site.server.people
        cal = await site.join("cal", "floor")
        token = (await auth.sign_in("cal", CAL)).token
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        assert (await auth.act(people, ResetSecret(cal.id), [ann, ben])).ok
        await denied(auth.who(token), Code.NO_PERSON)
        await denied(auth.sign_in("cal", CAL), Code.WRONG_SECRET)
        given = await site.person_admin.give_code(ben, cal.id)
        again = await auth.choose("cal", given.code, "another of her own")
        await denied(auth.who(token), Code.NO_PERSON)
        assert (await auth.who(again.token)).id == cal.id


@on_loop
async def test_too_many_failures_lock_out(tmp_path: Path) -> None:
    """A thousand attempts: after ten nobody gets in for a quarter of an hour, and the journal says so."""
    async with opened(tmp_path) as site:
        auth = site.auth
        for _ in range(OF_ONE):
            await denied(auth.sign_in("ann", "wrong"), Code.WRONG_SECRET)
        await denied(auth.sign_in("ann", ANN.secret), Code.LOCKED)
        assert (await site.enter(BEN)).id == 2, "nobody else is locked out"
        assert (await auth.authenticate("ann", ANN.secret, place="elsewhere")).id == 1, "nor they elsewhere"
        for _ in range(OF_ONE):
            await denied(auth.sign_in("nobody", "wrong"), Code.WRONG_SECRET)
        await denied(auth.sign_in("nobody", "wrong"), Code.LOCKED)
        site.wait(int(WITHIN_S * 1_000))
        assert (await site.enter(ANN)).id == 1
        for _ in range(OF_ONE - 1):
            await denied(auth.sign_in("ann", "wrong"), Code.WRONG_SECRET)
        assert (await site.enter(ANN)).id == 1, "a success forgives what was before"
    assert journal(tmp_path).count("locked_out") == 1


@on_loop
async def test_guesses_at_once_are_no_more_than_guesses_one_by_one(tmp_path: Path) -> None:
    """Misuse: what was begun before the tenth failure, and comes to its end after it, says nothing."""
    async with opened(tmp_path) as site:
        auth = site.auth
        for _ in range(OF_ONE - 1):
            await denied(auth.sign_in("ann", "wrong"), Code.WRONG_SECRET)
        guesses = [auth.sign_in("ann", "wrong") for _ in range(OF_PLACE)]
        found = await asyncio.gather(*guesses, return_exceptions=True)
        codes = [error.code for error in found if isinstance(error, Denied)]
        assert sorted(codes) == [Code.LOCKED] * (OF_PLACE - 1) + [Code.WRONG_SECRET]
    assert journal(tmp_path).count("locked_out") == 1


@on_loop
async def test_a_flood_of_sign_ins_is_bounded(tmp_path: Path) -> None:
    """Sign-in costs the money path nothing: what would wait too long is refused, and the loop goes on."""
    async with opened(tmp_path, hasher=SLOW) as site:
        attempts = [site.auth.sign_in(f"nobody{number}", "wrong", place=str(number)) for number in range(200)]
        found = await asyncio.gather(*attempts, return_exceptions=True)
        codes = {error.code for error in found if isinstance(error, Denied)}
        assert len(found) == 200
        assert codes == {Code.WRONG_SECRET, Code.BUSY}
        assert (await site.auth.authenticate("ann", ANN.secret, place=f"{KNOWN}device 1")).id == 1
        five = [site.auth.authenticate(f"n{number}", "wrong", place=str(number % 5)) for number in range(100)]
        flood = asyncio.gather(*five, return_exceptions=True)
        await asyncio.sleep(0)
        assert (await site.auth.authenticate("ann", ANN.secret, place=f"{KNOWN}device 1")).id == 1, (
            "she is known there"
        )
        await flood


@on_loop
async def test_a_code_of_six_digits_is_good_once(tmp_path: Path) -> None:
    """TOTP, optional: with it the secret alone lets nobody in, and a code that was seen does not either."""
    key = b"k" * 20
    async with opened(tmp_path) as site:
        auth = site.auth
        ann = await site.enter(ANN)
        used = totp_at(key, site.clock.unix_ms() // 1000 // TOTP_STEP_S)
        await denied(auth.set_digits(ann, Credentials(ANN.secret), key, "000000"), Code.WRONG_SECRET)
        await denied(auth.set_digits(ann, Credentials("not hers"), key, used), Code.WRONG_SECRET)
        await auth.set_digits(ann, Credentials(ANN.secret), key, used)
        await denied(auth.sign_in("ann", ANN.secret, used), Code.WRONG_SECRET)
        site.wait(TOTP_STEP_S * 2_000)

        def code(ahead: int = 0) -> str:
            return totp_at(key, site.clock.unix_ms() // 1000 // TOTP_STEP_S + ahead)

        await denied(auth.sign_in("ann", ANN.secret), Code.WRONG_SECRET)
        await denied(auth.sign_in("ann", ANN.secret, code(5)), Code.WRONG_SECRET)
        used = code()
        assert (await auth.sign_in("ann", ANN.secret, used)).person == ann
        await denied(auth.sign_in("ann", ANN.secret, used), Code.WRONG_SECRET)
        site.wait(TOTP_STEP_S * 2_000)
        assert (await auth.sign_in("ann", ANN.secret, code())).person == ann


@on_loop
async def test_six_digits_typed_at_once_let_one_in(tmp_path: Path) -> None:
    """TOTP: who looks over a shoulder and is as quick as its owner comes in by no digits that are used."""
    key = b"k" * 20
    async with opened(tmp_path) as site:
        now = site.clock.unix_ms() // 1000 // TOTP_STEP_S
        await site.auth.set_digits(await site.enter(ANN), Credentials(ANN.secret), key, totp_at(key, now))
        site.wait(TOTP_STEP_S * 2_000)
        code = totp_at(key, site.clock.unix_ms() // 1000 // TOTP_STEP_S)
        tries = [site.auth.sign_in("ann", ANN.secret, code) for _ in range(4)]
        found = await asyncio.gather(*tries, return_exceptions=True)
        refused = [one for one in found if isinstance(one, Denied)]
        assert [one.code for one in refused] == [Code.WRONG_SECRET] * 3


@on_loop
async def test_a_new_password_ends_all_that_was_begun_with_the_old_one(tmp_path: Path) -> None:
    """One's own password: changed by who knows the old one; sessions end, the two-factor key stays."""
    key, new = b"k" * 20, "another horse battery"
    async with opened(tmp_path) as site:
        auth = site.auth
        ann = await site.enter(ANN)

        def code() -> str:
            site.wait(TOTP_STEP_S * 2_000)
            return totp_at(key, site.clock.unix_ms() // 1000 // TOTP_STEP_S)

        await auth.set_digits(ann, Credentials(ANN.secret), key, code())
        old = await auth.sign_in("ann", ANN.secret, code())
        await denied(auth.change(ann, Credentials(ANN.secret), new), Code.WRONG_SECRET)
        await denied(auth.change(ann, Credentials(ANN.secret, code()), "short"), Code.BAD_REQUEST)
        await denied(auth.set_digits(ann, Credentials(ANN.secret, code()), key, code()), Code.UNCHANGED)
        await auth.change(ann, Credentials(ANN.secret, code()), new)
        with closing(apsw.Connection(str(tmp_path / "ledger.db"))) as ledger:
            kept = list(ledger.execute("SELECT person FROM secret ORDER BY person"))
        assert kept == [(1,), (2,)], "the hash of a password that is no longer good is not kept"
        begun = await auth.begin(ann)
        assert await auth.who(begun.token) == ann
        await denied(auth.who(old.token), Code.NO_PERSON)
        await denied(auth.sign_in("ann", ANN.secret, code()), Code.WRONG_SECRET)
        await denied(auth.sign_in("ann", new), Code.WRONG_SECRET)
        assert (await auth.sign_in("ann", new, code())).person == ann
        await auth.set_digits(ann, Credentials(new, code()), b"", "")
        assert (await auth.sign_in("ann", new)).person == ann
        await denied(auth.set_digits(ann, Credentials(new), b"", ""), Code.UNCHANGED)


@on_loop
async def test_a_token_asks_and_never_confirms(tmp_path: Path) -> None:
    """A program: with some of its person's roles, until its end, and no second person to anybody."""
    async with opened(tmp_path) as site:
        auth, staff, people = site.auth, site.person_admin, site.server.people
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        until = site.clock.unix_ms() + SESSION_IDLE_MS
        token = await staff.make_token(ann, ("admin",), until)
        program = await auth.bearer(token)
        assert (program.id, program.roles, program.means) == (1, ("admin",), "token")
        await denied(auth.bearer("another"), Code.NO_PERSON)
        await denied(staff.make_token(ann, ("floor",), until), Code.NOT_ALLOWED)
        await denied(staff.make_token(ann, ("admin",), 0), Code.BAD_REQUEST)
        asked = await staff.add([program], "cal", "Cal", ("floor",))
        assert asked.asked
        others = await staff.make_token(ben, ("admin",), until)
        other = await auth.bearer(others)
        assert (await auth.act(people, Confirm(asked.request), [other])).code == "not_allowed"
        assert (await auth.act(people, Confirm(asked.request), [ben])).ok
        assert (await auth.act(people, EndToken(1), [ann])).ok
        await denied(auth.bearer(token), Code.NO_PERSON)
        await auth.bearer(others)
        site.wait(SESSION_IDLE_MS)
        await denied(auth.bearer(others), Code.NO_PERSON)


@pytest.mark.parametrize("ends", ["by itself", "by a person"])
@on_loop
async def test_what_an_ended_token_asked_for_is_not_confirmed(tmp_path: Path, ends: str) -> None:
    """A program's request ends with its token, whether that was ended or its time was over."""
    async with opened(tmp_path) as site:
        auth, staff, people = site.auth, site.person_admin, site.server.people
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        program = await auth.bearer(await staff.make_token(ann, ("admin",), site.clock.unix_ms() + 60_000))
        asked = await staff.add([program], "cal", "Cal", ("floor",))
        assert asked.asked
        if ends == "by itself":
            site.wait(60_000)
            await denied(auth.act(people, Confirm(asked.request), [ben]), Code.EXPIRED)
        else:
            assert (await auth.act(people, EndToken(1), [ann])).ok
            await denied(auth.act(people, Confirm(asked.request), [ben]), Code.NO_PERSON)
        assert len((await auth.directory.look()).state.people) == 2


@on_loop
async def test_the_machines_login_is_no_back_door(tmp_path: Path) -> None:
    """The socket's login is a person with that login: it asks with their roles, and confirms nothing."""
    async with opened(tmp_path) as site:
        auth = site.auth
        local = await auth.of_login("ann")
        assert local is not None
        assert (local.id, local.means) == (1, "login")
        assert (await auth.act(site.main, ClearDevice("table", "T01"), [local])).code == "not_blocked"
        await denied(auth.of_login("root"), Code.NO_PERSON)
        asked = await auth.act(site.server.people, ResetSecret(1), [await site.enter(BEN)])
        assert (await auth.act(site.server.people, Confirm(asked.request), [local])).code == "not_allowed"


def another_name(folder: Path) -> None:
    change(folder, "UPDATE person SET login = 'eve' WHERE login = 'ann'")


def another_secret(folder: Path) -> None:
    """The hash of a secret that the thief knows, under the digest that the journal names."""
    change(folder, "UPDATE secret SET hash = (SELECT hash FROM secret WHERE person = 2) WHERE person = 1")


@pytest.mark.parametrize("theft", [another_name, another_secret])
@on_loop
async def test_who_writes_next_to_the_journal_becomes_nobody(
    tmp_path: Path, theft: Callable[[Path], None]
) -> None:
    """S8: the journal says whose name and whose secret counts; others let nobody in."""
    async with opened(tmp_path) as site:
        await asyncio.to_thread(theft, tmp_path)
        for login in ("ann", "eve"):
            for secret in (ANN.secret, BEN.secret):
                await denied(site.auth.sign_in(login, secret), Code.WRONG_SECRET)
        assert (await site.enter(BEN)).id == 2


@on_loop
async def test_who_writes_sessions_is_let_in_as_nobody(tmp_path: Path) -> None:
    """S8: the journal says whose session it is, and when it ended; a row alone says neither."""
    async with opened(tmp_path) as site:
        ben = await site.auth.sign_in("ben", BEN.secret)
        now = site.clock.unix_ms()

        def row(token: str, person: int, seen: int = now) -> str:
            return f"INSERT OR REPLACE INTO session VALUES (x'{digest_of(token).hex()}', {person}, {seen})"

        await asyncio.to_thread(change, tmp_path, row("a token of nobody's", 1))
        await denied(site.auth.who("a token of nobody's"), Code.NO_PERSON)
        await asyncio.to_thread(change, tmp_path, row(ben.token, 1))
        assert (await site.auth.who(ben.token)).id == 2
        site.wait(SESSION_MAX_MS)
        await asyncio.to_thread(change, tmp_path, row(ben.token, 2, site.clock.unix_ms()))
        await denied(site.auth.who(ben.token), Code.NO_PERSON)
        again = await site.auth.sign_in("ben", BEN.secret)
        await site.auth.sign_out(again.token)
        await asyncio.to_thread(change, tmp_path, row(again.token, 2, site.clock.unix_ms()))
        await denied(site.auth.who(again.token), Code.NO_PERSON)
    assert journal(tmp_path)[-3:] == ["signed_in", "signed_in", "signed_out"]


@on_loop
async def test_all_admins_are_lost_and_one_is_made(tmp_path: Path) -> None:
    """On the server's machine alone: journalled, alarmed, and an admin like others from then on."""
    async with opened(tmp_path) as site:
        number = await site.person_admin.recover(NewPerson("eve", "Eve", "everything was lost"), "root")
        eve = await site.enter(NewPerson("eve", "", "everything was lost"))
        assert (number, eve.id, eve.roles) == (3, 3, ("admin",))
        assert site.server.people.counts.alarms["admin_recovered"] == 1
        assert (await site.person_admin.add([eve, await site.enter(ANN)], "cal", "Cal", ("floor",))).ok
    assert "recovered" in journal(tmp_path)


@on_loop
async def test_without_the_people_tables_play_on(tmp_path: Path) -> None:
    """A bank that cannot see the site's people takes no acts of people, names neither."""
    async with opened(tmp_path, empty=True) as site:
        change_of_head = (
            "UPDATE head SET hash = zeroblob(32) WHERE bank = (SELECT id FROM bank WHERE name = 'site')"
        )
        await asyncio.to_thread(change, tmp_path, change_of_head)
        with pytest.raises(Exception, match="the head names another hash"):
            await site.auth.act(site.main, STOP, ["ann"])
        assert site.server.active


@on_loop
async def test_an_act_is_tried_on_the_people_of_now(tmp_path: Path) -> None:
    """S8: where the people change between the look at them and the act, they are looked at again."""
    async with opened(tmp_path) as site:
        auth, main = site.auth, site.main
        ann, ben = await site.enter(ANN), await site.enter(BEN)
        before = await auth.believe([ann])
        assert (await auth.act(auth.site, Grant(ben.id, "floor"), [ann, ben])).ok
        assert (await auth.act(main, STOP, [ben])).ok, "the bank has seen the people of now"
        assert (await auth.act(main, STOP, [ann], sheet=before)).ok
