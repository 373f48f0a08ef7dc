"""Executes operations: answers queries, and has banks decide the acts of people.

It knows no socket: the operation is already decoded, and its signers are named.
"""

import asyncio
from base64 import b32decode
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog

from jackpot.api.act_effects import ActEffects
from jackpot.api.act_reply import ActReply, reply_to
from jackpot.api.bank_router import BankRouter
from jackpot.api.idempotency import IdempotencyCache
from jackpot.api.operation import (
    BadRequest,
    NotDone,
    OperationCall,
    Query,
    Reply,
    ServerCommand,
    number,
    refused,
)
from jackpot.api.papers import Papers
from jackpot.api.preview import completed, configured
from jackpot.api.queries import payouts
from jackpot.api.queries.devices import Revoke, Revoked
from jackpot.api.queries.links import ChangeParameters
from jackpot.api.queries.notices import Announce, AnnounceEnd, AnnouncePayoutLimit
from jackpot.api.queries.payouts import Correct, ErasePapers, Payout
from jackpot.api.queries.people import (
    AddPerson,
    ChangeSecret,
    EndDigits,
    EraseName,
    GiveCode,
    MakeToken,
    NewToken,
    OneTimeCode,
    SetDigits,
)
from jackpot.api.queries.servers import HandedOver, HandOver
from jackpot.api.query_context import QueryContext
from jackpot.api.refusals import refusal_of
from jackpot.api.suspension_help import explained
from jackpot.auth.auth_service import SIGN_IN, AuthenticatedPerson, AuthService, Credentials
from jackpot.auth.directory import DirectorySnapshot
from jackpot.auth.login_rate_limiter import KNOWN
from jackpot.auth.person_admin import PersonAdmin
from jackpot.bank.bank import Bank
from jackpot.bank.supervisor import BankSupervisor
from jackpot.config import Config
from jackpot.ledger.papers import last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.net.devices import ConnectedDevices
from jackpot.reports.read.cash import cash_of_day, patron_of
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.reports.read.hits import marks_of, same_patron, story_called
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules import state
from jackpot.rules.acts import erasure, papers
from jackpot.rules.acts.devices import EndKey
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import find_award
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.codes import Code
from jackpot.rules.commands import KEY_BYTES, ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import ROLES, SITE
from jackpot.runtime.errors import Denied, ServerError
from jackpot.text import RefusalSentence, Sentence

# What an act was about, as its line in the log says: each value cut, for a request may be long.
_LOGGED_MAX: Final = 64
# An erased name stands in no log, and no secret ever does.
_UNLOGGED: Final = ("key", "login", "name", "secret", "new", "totp", "totp_key")
# Acts whose digest holds a password.
_WITH_SECRETS: Final = (ChangeSecret, SetDigits, EndDigits, MakeToken)
# Said where a code or a token was given under the same key before: it is told once, and not kept.
CODE_ONCE: Final = "give another code under a new key: the one before is then void"
TOKEN_ONCE: Final = "end that token, and make another one under a new key"  # noqa: S105 - a sentence

log: Final = structlog.get_logger()


class OperationExecutor:
    """Carries out operations.

    devices: by role. supervisors: by bank, that of the people among them.
    """

    def __init__(
        self,
        devices: Mapping[str, ConnectedDevices],
        supervisors: Mapping[str, BankSupervisor],
        books: LedgerReader,
        config: Config,
        auth: AuthService,
        effects: ActEffects,
    ) -> None:
        banks = {bank: supervisor.bank for bank, supervisor in supervisors.items() if bank != SITE}
        self._auth = auth
        self._effects = effects
        self._config = config
        self._papers = Papers(auth.store, auth.clock, config.site)
        self._books = books
        self._supervisors = supervisors
        self._devices = devices
        self._router = BankRouter(banks, devices, supervisors[SITE].bank)
        self._sources = QueryContext(self._router, supervisors, books, config, auth.directory, auth.clock)
        self._person_admin = PersonAdmin(auth)
        self._own_acts = IdempotencyCache()
        self._under_way = IdempotencyCache(kept=False)
        self._paying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def carry_out(self, request: OperationCall) -> Reply:
        """Executes an operation. Raises NotDone, which names people by their names."""
        try:
            return await self._answer(request)
        except (ServerError, LedgerError) as error:
            refusal = _not_done(error)
            with suppress(LedgerError):  # else people are told by their numbers
                refusal.message = (await self._auth.directory.look()).in_names(refusal.message)
            if refusal is error:
                raise
            raise refusal from error

    async def _answer(self, request: OperationCall) -> Reply:
        ask = request.ask
        if isinstance(ask, Query):
            if ask.power != ROLES and not request.people:
                raise Denied(Code.NO_PERSON, SIGN_IN)
            self._auth.allow(request.people, ask.power, ask.what)
            return await ask.answer(self._sources._replace(people=request.people))
        sheet = await self._auth.believe(request.people)  # before anything is done that no bank decides
        if isinstance(ask, ServerCommand):
            self._auth.allow(request.people, ask.power, ask.what)
        match ask:
            case HandOver():
                return await self._own_acts.done(request.digest, lambda: self._hand_over(request))
            case (
                Revoke() | AddPerson() | GiveCode() | ChangeSecret() | SetDigits() | EndDigits() | MakeToken()
            ):
                return await self._under_way.done(request.digest, lambda: self._act_once(request))
            case Payout():
                return await self._payout(request, ask)
            case ErasePapers():
                return await self._erase_papers(request, ask)
            case ChangeParameters(link=link, reason=reason):
                bank, own = await self._router.bank_for(request), configured(link, self._config)
                terms = await bank.ask(lambda engine: completed(own, self._config, engine.state))
                act: ActCommand = ChangeLink(terms, reason)
            case Announce() | AnnounceEnd() | AnnouncePayoutLimit():
                act = ask.of_site(self._config.site)
            case Correct():
                cash = await self._cash_corrected(await self._router.bank_for(request), ask)
                act = ask.of_site(self._config.site, self._auth.clock.unix_ms(), cash)
            case EraseName(person):
                act = erasure.EraseName(person, self._config.site.names_kept_days)
            case ActCommand():
                act = ask
            case _:
                raise BadRequest(RefusalSentence("{name} is no ask", name=type(ask).__name__))
        return await self._act(request, await self._router.bank_for(request), act, sheet)

    async def _act_once(self, request: OperationCall) -> Reply:
        """An act that changes rows next to the journal; its bank knows whether it was done already."""
        bank = await self._router.bank_for(request)
        if isinstance(request.ask, _WITH_SECRETS):
            whose = request.digest[-KEY_BYTES:]
            what = await self._auth.hashing.mark(request.digest[:-KEY_BYTES], whose)
            request = request._replace(digest=what + whose)
        before = await bank.ask(lambda engine: engine.done_before(request.digest))
        if before is not None:
            return self._repeated_reply(request, before)
        match request.ask:
            case Revoke() as revoke:
                return await self._revoke(request, bank, revoke)
            case AddPerson() as coming:
                return await self._add(request, bank, coming)
            case GiveCode(number):
                return await self._give_code(request, bank, number)
        return await self._change_own(request, bank)

    def _repeated_reply(self, request: OperationCall, answered: state.AnsweredAct) -> Reply:
        """The reply to an act that was done already, without what is told only once. Raises NotDone."""
        answer = answered.answer
        if not answer.ok:
            raise refused(answer.code, answer.template, answer.values, answer.hits)
        match request.ask:
            case Revoke(device, role):
                left = self._devices[role].registry.fingerprints(device)
                return Revoked(revoked=answer.keys, left=tuple(key for key in left if key not in answer.keys))
            case GiveCode(person):
                return OneTimeCode(person=person, done_already=True, at=answered.at, then=CODE_ONCE)
            case MakeToken():
                return NewToken(done_already=True, at=answered.at, then=TOKEN_ONCE)
        return reply_to(answer)

    async def _change_own(self, request: OperationCall, bank: Bank) -> Reply:
        """Changes something of a person's own, by their password.

        Mistakes here do not lock them out of sign-in.
        """
        auth, person = self._auth, _authenticated_signers(request)[0]
        place, digest = f"{KNOWN}session of {person.login}", request.digest
        reply: Reply = ActReply()
        match request.ask:
            case ChangeSecret(secret, new, totp):
                await auth.change(person, Credentials(secret, totp or "", place), new, digest)
            case SetDigits(secret, key, totp):
                await auth.set_digits(person, Credentials(secret, "", place), b32decode(key), totp, digest)
            case EndDigits(secret, totp):
                await auth.set_digits(person, Credentials(secret, totp, place), b"", "", digest)
            case MakeToken() as command:
                reply = await self._make_token(person, command, place, digest)
        self._log(request, bank)
        return reply

    async def _payout(self, request: OperationCall, payout: Payout) -> ActReply:
        """Keeps what names somebody, then has the act decided; drops it again if the act is refused.

        It is kept first, because the journal gets its digest. A request that is sent again has the digest of
        its first try: what was kept then stays if an entry has that digest. A bank's payouts go one after the
        other, so that the same one, sent twice at once, is kept once.
        """
        bank = (await self._router.bank_for(request)).name
        async with self._paying[bank]:
            payout = await self._whose_papers(bank, payout)
            same = await self._same_patron(bank, payout)
            cash = await self._cash_before(bank, payout)
            mark = await self._papers.keep(payout, request.digest)
            try:
                here = await self._router.bank_for(request)  # it may have gone to another server meanwhile
                return await self._act(request, here, self._papers.act(payout, mark, same, cash))
            except (NotDone, Denied):
                hit = number(payout.hit) or 0
                written = await self._books.read(lambda ledger: marks_of(ledger, bank, hit))
                if mark and mark not in written:
                    await self._papers.drop(mark)
                raise

    async def _erase_papers(self, request: OperationCall, asked: ErasePapers) -> ActReply:
        """Erases papers; their age is the journal's, and nothing is written on them meanwhile."""
        bank, hit = (await self._router.bank_for(request)).name, number(asked.hit) or 0
        async with self._paying[bank]:
            written = await self._books.read(lambda ledger: last_written(ledger, bank, hit))
            days = self._config.site.papers_kept_days
            here = await self._router.bank_for(request)  # as in a payout
            return await self._act(request, here, papers.ErasePapers(asked.hit, asked.reason, days, written))

    async def _whose_papers(self, bank: str, payout: Payout) -> Payout:
        """Fills in the seat whose papers are added to, from the ledger if the state dropped the hit."""
        if not isinstance(payout, payouts.AddPapers):
            return payout
        story = await self._books.read(lambda ledger: story_called(ledger, bank, number(payout.hit) or 0))
        if story is None:
            return payout  # the rules say so
        fields = {*payout.papers(), *(("tax_form",) if payout.tax_form else ())}
        try:
            return msgspec.structs.replace(payout, seat=papers.whose(story.hit, payout.seat, fields))
        except Refusal as refusal:
            raise refused(refusal.code, refusal.template, refusal.values) from refusal

    async def _same_patron(self, bank: str, payout: Payout) -> tuple[int, ...]:
        """The winners of the hit whose papers name the same patron as this payout."""
        hit, patron = number(payout.hit) or 0, payout.papers().get("patron", "")
        if not patron:
            return ()
        return await self._books.read(lambda ledger: same_patron(ledger, bank, hit, patron))

    async def _cash_before(self, bank: str, payout: Payout) -> int | None:
        """What a patron who is paid in cash was given so before in this gaming day; None for nobody named.

        In cents, by every bank of the ledger, as far as payments of hits go.
        """
        if not isinstance(payout, payouts.Pay) or "cash" not in (payout.way, payout.other_way):
            return None
        whose = number(payout.hit) or 0, payout.seat or 0, number(payout.award) or 0
        return await self._cash_of(bank, payout.patron, *whose)

    async def _cash_corrected(self, bank: Bank, asked: Correct) -> int | None:
        """As `_cash_before`, of what a correction pays on top to the patron that the papers name."""
        if asked.way != "cash":
            return None
        award = await bank.ask(lambda engine: find_award(engine.state, asked.award))
        return None if award is None else await self._cash_of(bank.name, "", award.hit, award.seat, 0)

    async def _cash_of(self, bank: str, patron: str, hit: int, seat: int, award: int) -> int | None:
        """What a patron, or else the one on a winner's papers, was given in cash; None for nobody."""
        site, at = self._config.site, self._auth.clock.unix_ms()
        if site.tax is None:
            return None

        def look(ledger: Reader) -> int | None:
            whom = patron or patron_of(ledger, bank, hit, seat, award)
            return cash_of_day(ledger, site, whom, gaming_day(at, site)).total if whom else None

        return await self._books.read(look)

    async def _act(
        self, request: OperationCall, bank: Bank, act: ActCommand, sheet: DirectorySnapshot | None = None
    ) -> ActReply:
        """Has an act of the rules decided by its bank, and logs it. sheet: as in `AuthService.act`."""
        answer = await self._auth.act(bank, act, request.people, request.digest, request.seen, sheet)
        if not answer.ok:
            refusal = await refusal_of(self._sources, bank, act, answer)
            self._log(request, bank, refusal)
            raise refusal
        self._log(request, bank)
        await self._effects.follow(bank, act, request.digest)
        done = reply_to(answer)
        if isinstance(act, Resume):
            left = explained(bank.board, bank.name)
            still = {link: why for link, why in left.items() if not act.links or link in act.links}
            return msgspec.structs.replace(done, suspended=still)
        return done

    def _check_done(self, request: OperationCall, bank: Bank, answer: ActAnswer, **more: Any) -> None:
        """Logs an act, done or refused. Raises NotDone if it was refused."""
        refusal = None if answer.ok else refused(answer.code, answer.template, answer.values)
        self._log(request, bank, refusal, **more)
        if refusal is not None:
            raise refusal

    def _log(self, request: OperationCall, bank: Bank, refusal: NotDone | None = None, **more: Any) -> None:
        """Logs an act in one line: what it named, who signed it, and why it was refused."""
        fields = msgspec.to_builtins(request.ask)
        do = fields.pop("do")
        personal = request.ask.personal if isinstance(request.ask, Payout) else ()
        for hidden in (*_UNLOGGED, *personal):
            fields.pop(hidden, None)
        about = {
            field: value[:_LOGGED_MAX] if isinstance(value, str) and field != "reason" else value
            for field, value in fields.items()
            if value not in (None, "", [], ())
        }
        said = {} if refusal is None else {"code": refusal.code.value, "message": str(refusal.message)}
        ok, name = refusal is None, bank.name
        log.info(
            "act",
            do=do,
            by=tuple(map(_signer, request.people)),
            ok=ok,
            **said,
            **about,
            bank=name,
            **more,
        )

    async def _revoke(self, request: OperationCall, bank: Bank, revoke: Revoke) -> Revoked:
        """Revokes a device's keys, or the one given: here at once, for ever once that is durable.

        If another server has the bank, people must ask that one: this server cannot journal the revocation.
        """
        name, devices = revoke.device, self._devices[revoke.role]
        valid = devices.registry.fingerprints(name)
        wanted = [key for key in valid if revoke.key in (None, key)]
        if not wanted:
            what = Sentence("it has no valid key")
            if valid:
                what = Sentence("{key} is no valid key of it", key=revoke.key)
            raise BadRequest(
                RefusalSentence("{role} {device}: {what}", role=Sentence(revoke.role), device=name, what=what)
            )
        undone = {(name, key) for key in wanted}
        for key in wanted:
            devices.revoke(name, key)
        try:
            act = EndKey(revoke.role, name, wanted[0], tuple(wanted[1:]))
            answer = await self._auth.act(bank, act, request.people, request.digest)
            self._check_done(request, bank, answer, fingerprints=wanted)
            undone.clear()
        finally:
            devices.registry.ended -= undone  # else a key is refused here alone, and until a restart
        left = tuple(key for key in valid if key not in wanted)
        return Revoked(revoked=tuple(wanted), left=left)

    async def _add(self, request: OperationCall, bank: Bank, coming: AddPerson) -> ActReply:
        """Adds a person to the site. Only an admin may: nobody else may have a name kept."""
        answer = await self._person_admin.add(
            _authenticated_signers(request), coming.login, coming.name, coming.roles, request.digest
        )
        self._check_done(request, bank, answer, person=answer.person)
        return reply_to(answer)

    async def _give_code(self, request: OperationCall, bank: Bank, number: int) -> OneTimeCode:
        given = await self._person_admin.give_code(_authenticated_signers(request)[0], number, request.digest)
        self._log(request, bank)
        return OneTimeCode(person=given.person, code=given.code, until=given.until)

    async def _make_token(
        self, person: AuthenticatedPerson, command: MakeToken, place: str, digest: bytes
    ) -> NewToken:
        if person.means == "secret":  # nobody else makes one, whatever they know: the rules say so
            await self._auth.authenticate(person.login, command.secret, command.totp or "", place)
        until = self._auth.clock.unix_ms() + command.days * DAY_MS
        secret = await self._person_admin.make_token(person, command.roles, until, digest)
        return NewToken(secret=secret, until=until)

    async def _hand_over(self, request: OperationCall) -> HandedOver:
        bank = await self._router.bank_for(request)
        self._log(request, bank)
        holder = await self._supervisors[bank.name].hand_over()
        return HandedOver(bank=bank.name, holder=holder)


def _not_done(error: ServerError | LedgerError) -> NotDone:
    """The refusal that an error is told as."""
    if isinstance(error, NotDone):
        return error
    if isinstance(error, ServerError):
        return NotDone(error.code, error.message)
    return NotDone(Code.LEDGER, str(error))


def _authenticated_signers(request: OperationCall) -> list[AuthenticatedPerson]:
    """The signers, if a name alone is not enough. Raises Denied."""
    people = [one for one in request.people if isinstance(one, AuthenticatedPerson)]
    if len(people) < len(request.people):
        raise Denied(Code.NO_PERSON, SIGN_IN)
    return people


def _signer(person: AuthenticatedPerson | str) -> str:
    """Names the signers for the log."""
    return person if isinstance(person, str) else person.login
