"""Who may act on this machine, and how? The admin unix socket: one JSON object a line, one answer each.

Whoever may open the socket (mode 0600) may act; an act carries the name given, else the login name of the
peer's process, and a second name where the rules ask for two people. Nobody proves who they are: the journal
says so of every name that comes from here.
"""

import asyncio
import json
import os
import pwd
import socket
import stat
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from controllers.messages import On
from jackpot.books.hits import PAGE_MOST, done_with
from jackpot.books.reader import Books
from jackpot.clock import Clock
from jackpot.config import Site
from jackpot.config.writing import local_time
from jackpot.ledger.store import LedgerError
from jackpot.rules import names, views
from jackpot.rules.acts.devices import ClearDevice, EndKey
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.links import RESTORED, Resume, Suspend
from jackpot.rules.acts.rounds import Decline, Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.acts.witness import ConfirmBehind
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.server.alone import failed
from jackpot.server.devices import Devices
from jackpot.server.history import hits_of
from jackpot.server.remedy import OPERATOR, remedies
from jackpot.server.tenure import Tenure
from jackpot.server.writer import BankStopped, Writer

# One request: a reason of 256 characters and a few ids, with room for escapes.
REQUEST_MOST: Final = 16_384
# pid, uid and gid of the peer, as the kernel gives them.
_CREDENTIALS: Final = struct.Struct("3i")
_REASON_MOST: Final = 256
# Of a hit's number: 2^53 - 1 has so many.
_DIGITS_MOST: Final = 16
# A document's number fits a line of a table and of a slip.
_DOCUMENT_MOST: Final = 64
# Tables whose lost tail one act confirms: more than a bank has.
_TABLES_MOST: Final = 1_000
# What an act was about, as its line in the log says: each value cut, for a request may be long.
_LOGGED_MOST: Final = 64
# What an act on a hit meets where it, or a later one, was done before.
_DONE: Final[Mapping[str, tuple[str, ...]]] = {
    "validate": ("validated", "paid", "undone"),
    "pay": ("paid", "undone"),
    "undo": ("paid", "undone"),
}
# How the rules refuse it then; and what the refusal becomes once it is known what was done.
_DONE_REFUSED: Final = (Code.NO_SUCH_HIT, Code.NO_SUCH_AWARD, Code.NOT_PENDING, Code.NOT_VALIDATED, Code.PAID)
_DONE_CODES: Final = {"validated": Code.NOT_PENDING, "paid": Code.PAID, "undone": Code.UNDONE}

log: Final = structlog.get_logger()


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """do: what; by: who, None for the peer's login name; and_by: the second of two people.

    The rest as the act needs it; amount: cents; tables: the number that each said that it has.
    """

    do: str
    by: str | None = None
    and_by: str | None = None
    bank: str | None = None
    hit: str | None = None
    award: str | None = None
    table: str | None = None
    round: str | None = None
    seat: int | None = None
    link: str | None = None
    on: On = "own"
    role: str = "table"
    device: str | None = None
    key: str | None = None
    reason: str | None = None
    after: str = OPERATOR
    amount: int | None = None
    document: str = ""
    believe: bool | None = None
    tables: dict[str, int] = {}


class BadRequest(Exception):
    """The request cannot be carried out as it stands; its text names what is missing or unknown."""


def _given(request: Request, field: str) -> Any:
    value = getattr(request, field)
    if value is None:
        raise BadRequest(f"{field}: missing")
    if field == "reason":
        _check_text(field, value, _REASON_MOST)
    return value


def _number(field: str, text: str | None) -> int | None:
    """The number of a hit or an award, of its id."""
    if text is None:
        return None
    digits = text.removeprefix(field[0].upper())
    if not digits.isdecimal() or len(digits) > _DIGITS_MOST:
        example = {"hit": "a hit's id, such as H12", "award": "an award's id, such as A34"}[field]
        raise BadRequest(f"{field}: {text[:_LOGGED_MOST]!r} is not {example}")
    return int(digits)


def _about(request: Request) -> dict[str, Any]:
    """What a request names, for the log."""
    given = {field: getattr(request, field) for field in Request.__struct_fields__}
    given = {field: value for field, value in given.items() if value not in (None, "", {})}
    of_device = "device" in given
    left_out = {"do", "by", "and_by", "key", *(() if of_device else ("role",))}
    if request.do != "resume":
        left_out.add("after")
    if request.do != "strike":
        left_out.add("on")
    return {
        field: value[:_LOGGED_MOST] if isinstance(value, str) and field != "reason" else value
        for field, value in given.items()
        if field not in left_out
    }


def _check_text(field: str, text: str, most: int) -> None:
    if not text.isprintable() or not text.strip() or len(text) > most:
        raise BadRequest(f"{field}: 1 to {most} printable characters")


def _people(request: Request, login: str) -> tuple[str, ...]:
    """Who stands for the act: one, or two different people."""
    asked = {"by": login if request.by is None else request.by, "and_by": request.and_by}
    given = {field: " ".join(name.split()) for field, name in asked.items() if name is not None}
    for field, name in given.items():
        wrong = names.fault(name)
        if wrong is not None:
            raise BadRequest(f"{field}: {wrong}")
    if len({names.plain(name) for name in given.values()}) < len(given):
        raise BadRequest(f"and_by: {given['and_by']!r} is the same person; a second one must stand for it")
    return tuple(given.values())


def _suspend(request: Request) -> ActCommand:
    return Suspend(OPERATOR, (_given(request, "link"),), _given(request, "reason"))


def _resume(request: Request) -> ActCommand:
    """After an operator's own suspension, or after an internal error that has been looked into."""
    if request.after not in (OPERATOR, "internal"):
        raise BadRequest(f"after: {OPERATOR} or internal")
    return Resume(request.after, (_given(request, "link"),), _given(request, "reason"))


def _resume_restored(request: Request) -> ActCommand:
    """The whole bank, and with it what its tables say that the ledger has lost (S9)."""
    if len(request.tables) > _TABLES_MOST:
        raise BadRequest(f"tables: {_TABLES_MOST} at most")
    return Resume(RESTORED, (), _given(request, "reason"), tuple(request.tables.items()))


def _correct(request: Request) -> ActCommand:
    if request.document:
        _check_text("document", request.document, _DOCUMENT_MOST)
    award, amount = _given(request, "award"), _given(request, "amount")
    return Correct(award, amount, _given(request, "reason"), request.document)


def _act(kind: type[ActCommand], *needed: str) -> Callable[[Request], ActCommand]:
    """The act of that kind, of the request's fields of the same names."""

    def build(request: Request) -> ActCommand:
        given = {field: _given(request, field) for field in needed}
        optional = {name for name in kind.__struct_fields__ if name in ("award", "on")}
        return kind(**given, **{name: getattr(request, name) for name in optional})

    return build


ACTS: Final[Mapping[str, Callable[[Request], ActCommand]]] = {
    "validate": _act(Validate, "hit"),
    "pay": _act(Pay, "hit"),
    "undo": _act(Undo, "hit", "reason"),
    "correct": _correct,
    "release": _act(Release, "table", "reason"),
    "strike": _act(Strike, "table", "round", "seat", "link", "reason"),
    "void": _act(VoidRound, "table", "round", "reason"),
    "reopen": _act(Reopen, "table", "round", "reason"),
    "decline": _act(Decline, "table", "round", "reason"),
    "confirm-behind": _act(ConfirmBehind, "table", "reason", "believe"),
    "suspend": _suspend,
    "resume": _resume,
    "resume-restored": _resume_restored,
    "clear": _act(ClearDevice, "role", "device"),
}


class Admin:
    """Carries out requests. devices: by role; writers, tenures: by bank."""

    def __init__(
        self,
        writers: Mapping[str, Writer],
        clock: Clock,
        devices: Mapping[str, Devices],
        tenures: Mapping[str, Tenure],
        books: Books,
        site: Site,
    ) -> None:
        self._site = msgspec.to_builtins(site)
        self._books = books
        self._writers = writers
        self._tenures = tenures
        self._clock = clock
        self._devices = devices

    async def listen(self, path: Path) -> asyncio.Server:
        """Listens at `path`, which only this user may open. Raises OSError."""
        return await asyncio.start_unix_server(self._talk, sock=_bound(path), limit=REQUEST_MOST)

    async def answer(self, request: Request, login: str) -> dict[str, Any]:
        """Carries out one request for `login`; refusals are answers: {"ok": False, "code", "message"}."""
        try:
            if request.do in ACTS:
                return await self._do(request, _people(request, login))
            if request.do == "revoke":
                return await self._revoke(request, _people(request, login))
            if request.do in ("leases", "site"):
                return {"ok": True, **self._told(request.do)}
            if request.do == "hand-over":
                return await self._hand_over(request, _people(request, login))
            if request.do == "hits":
                return {"ok": True, "hits": await (await self._own(request)).ask(views.hits)}
            if request.do in ("history", "hit"):
                return await self._history(request)
            if request.do == "round":
                table = _given(request, "table")
                writer = await self._own(request)
                found = await writer.ask(lambda engine: views.round_of(engine, table))
                return {"ok": True, "round": found}
            if request.do == "status":
                return {"ok": True, "banks": [await self._status(bank) for bank in self._writers]}
        except BadRequest as error:
            return _refused(Code.BAD_REQUEST, str(error))
        except BankStopped as error:
            return _refused(Code.BANK_STOPPED, str(error))
        except LedgerError as error:
            return _refused(Code.LEDGER, str(error))
        return _refused(Code.BAD_REQUEST, f"do: {request.do!r} is unknown")

    def _told(self, what: str) -> dict[str, Any]:
        """What this server knows without any ledger."""
        if what == "site":
            return {"site": self._site}
        leases = [tenure.look()._asdict() for tenure in self._tenures.values()]
        return {"leases": [{**lease, "here": lease["here"].value} for lease in leases]}

    async def _history(self, request: Request) -> dict[str, Any]:
        """A page of all hits, those before the one given; or that hit alone."""
        number = _number("hit", request.hit)
        writer = await self._own(request)
        if request.do == "history":
            found = await hits_of(writer, self._books, number, PAGE_MOST)
            return {"ok": True, "hits": found.hits, "more": found.before is not None}
        if number is None:
            raise BadRequest("hit: missing")
        found = await hits_of(writer, self._books, number + 1, 1)
        return {"ok": True, "hits": [hit for hit in found.hits if hit["hit"] == f"H{number}"]}

    async def _do(self, request: Request, people: tuple[str, ...]) -> dict[str, Any]:
        act = ACTS[request.do](request)
        writer = await self._writer(request)
        answer = _told(await writer.person(act, people))
        if not answer["ok"]:
            answer = await self._explained(request, writer, answer)
        said = {"code": answer["code"], "message": answer["message"]} if not answer["ok"] else {}
        about = _about(request) | {"bank": writer.bank}
        log.info("act", do=request.do, by=people, ok=answer["ok"], **said, **about)
        if answer["ok"] and isinstance(act, ClearDevice):
            self._devices[act.role].register.blocked.discard(act.device)
        return answer

    async def _explained(self, request: Request, writer: Writer, answer: dict[str, Any]) -> dict[str, Any]:
        """A refusal, with what people do next where it depends on what was done before."""
        if request.do in _DONE and answer["code"] in _DONE_REFUSED:
            with suppress(BankStopped, LedgerError):  # what the rules said is true without the books
                return await self._done_before(request, writer) or answer
        if answer["code"] == Code.NOT_SUSPENDED and request.link is not None:
            reasons = writer.board.state(request.link)[1]
            next_ = "; ".join(remedies(reasons, writer.bank, request.link))
            held = f"it is suspended for {reasons}: {next_}" if reasons else "it takes wagers"
            return answer | {"message": f"{answer['message']}; {held}"}
        return answer

    async def _done_before(self, request: Request, writer: Writer) -> dict[str, Any] | None:
        """A refusal that says who did it before, and when; None where nothing was done that stands."""
        hit, award = _number("hit", request.hit) or 0, _number("award", request.award)
        name = f"H{hit}" if award is None else f"A{award}"
        listed = (await hits_of(writer, self._books, hit + 1, 1)).hits
        awards = [one for found in listed if found["hit"] == f"H{hit}" for one in found["awards"]]
        statuses = {one["status"] for one in awards if name in (one["hit"], one["award"])}
        status = next((one for one in ("pending", "validated", "paid", "undone") if one in statuses), "final")
        if statuses == {"final"}:
            return _refused(Code.NOT_PENDING, f"{name} is final: it waits for nobody")
        for done in await self._books.read(lambda ledger: done_with(ledger, writer.bank, hit)):
            mine = award is None or award in done.awards
            if mine and done.what == status and status in _DONE[request.do]:
                at = local_time(done.at, self._site["timezone"], "%Y-%m-%d %H:%M:%S %Z")
                said = f"{name} is {status} already, by {' and '.join(done.people)}, {at}"
                return _refused(_DONE_CODES[status], said)
        return None

    async def _revoke(self, request: Request, people: tuple[str, ...]) -> dict[str, Any]:
        """Ends a device's keys, or the one given: here at once, for ever once it is durable.

        Where another server has the bank it must be done there: nothing is kept here that would say it was.
        """
        name, writer = _given(request, "device"), await self._writer(request)
        devices = self._devices[request.role]
        valid = devices.register.fingerprints(name)
        wanted = [key for key in valid if request.key in (None, key)]
        if not wanted:
            what = f"{request.key} is no valid key of it" if valid else "it has no valid key"
            raise BadRequest(f"{request.role} {name}: {what}")
        for key in wanted:
            devices.revoke(name, key)
        try:
            for key in wanted:
                answer = await writer.person(EndKey(request.role, name, key), people)
                log.info("act", do=request.do, by=people, ok=answer.ok, fingerprint=key, **_about(request))
                if not answer.ok:
                    return _told(answer)
        except BankStopped:
            devices.register.ended -= {(name, key) for key in wanted}
            raise
        return {"ok": True, "revoked": wanted, "left": [key for key in valid if key not in wanted]}

    async def _hand_over(self, request: Request, people: tuple[str, ...]) -> dict[str, Any]:
        bank = (await self._writer(request)).bank
        log.info("act", do=request.do, by=people, bank=bank)
        holder = await self._tenures[bank].hand_over()
        return {"ok": True, "bank": bank, "holder": holder}

    async def _status(self, bank: str) -> dict[str, Any]:
        writer = self._writers[bank]
        return {
            "bank": bank,
            "active": writer.active,
            "stopped": writer.hold.stopped,
            "statistics": await writer.ask(views.statistics),
        }

    async def _writer(self, request: Request) -> Writer:
        """The bank of the request: its table's, device's or link's, the one named, that of its hit, or all.

        Raises BadRequest where it could be another.
        """
        if request.role not in self._devices:
            raise BadRequest("role: must be table or sign")
        name = request.device or request.table
        if name is not None:
            registers = {role: devices.register.devices for role, devices in self._devices.items()}
            device = registers[request.role].get(name)
            if device is None:
                others = [role for role, found in registers.items() if name in found]
                hint = f", but there is such a {others[0]}: --role {others[0]}" if others else ""
                known = hint or f"; there is {' '.join(registers[request.role]) or 'none'}"
                raise BadRequest(f"{request.role}: {name!r} is unknown{known}")
            return self._writers[device.banks[0].bank]
        if request.bank is None and request.link is not None:
            for writer in self._writers.values():
                if request.link in writer.board.links:
                    return writer
            known = " ".join(link for writer in self._writers.values() for link in writer.board.links)
            raise BadRequest(f"link: {request.link!r} is unknown; there is {known}")
        if request.bank is None:
            return await self._having(_number("hit", request.hit), _number("award", request.award))
        if request.bank not in self._writers:
            raise BadRequest(f"bank: {request.bank!r} is unknown; there is {' '.join(self._writers)}")
        return self._writers[request.bank]

    async def _having(self, hit: int | None, award: int | None) -> Writer:
        """The only bank that has that hit or award; where a bank does not say, it might be that one's."""
        if len(self._writers) == 1:
            return next(iter(self._writers.values()))
        what = f"hit H{hit}" if hit is not None else f"award A{award}" if award is not None else ""
        having, silent = [], []
        for writer in self._writers.values() if what else ():
            try:
                if await writer.ask(lambda engine: views.has(engine, hit, award)):
                    having.append(writer)
            except BankStopped:
                silent.append(writer.bank)
        if len(having) == 1 and not silent:
            return having[0]
        if what and not having and not silent:
            raise BadRequest(f"{what}: no bank has it ({', '.join(self._writers)})")
        banks = [*(writer.bank for writer in having), *silent] or list(self._writers)
        raise BadRequest(f"bank: which one? {' or '.join(f'--bank {bank}' for bank in banks)}")

    async def _own(self, request: Request) -> Writer:
        """As `_writer`, of a bank that another server cannot have changed. Raises BankStopped."""
        writer = await self._writer(request)
        if writer.hold.stopped is None and not writer.board.leased:
            raise BankStopped(
                f"bank {writer.bank} is not confirmed by the ledger: another server may have it by now"
            )
        return writer

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        login = "unknown"
        try:
            login = _login(writer.get_extra_info("socket"))
            while line := await reader.readline():
                try:
                    answer = await self.answer(msgspec.json.decode(line, type=Request), login)
                except msgspec.MsgspecError as error:
                    answer = _refused(Code.BAD_REQUEST, str(error))
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError) as error:
            log.warning("admin_connection", reason=str(error), kind=login)
        except Exception as error:  # noqa: BLE001 - one connection of an operator ends, and nothing else
            failed("admin", "talk", error)
        finally:
            writer.close()


def _bound(path: Path) -> socket.socket:
    """A socket at `path`, mode 0600 from its first moment; whoever holds the ledger owns a stale one too."""
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        path.unlink()
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        raw.bind(str(path))
    except OSError:
        raw.close()
        raise
    finally:
        os.umask(mask)
    return raw


def _login(peer: Any) -> str:
    """The login name of the process at the other end."""
    packed = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(packed)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _told(answer: ActAnswer) -> dict[str, Any]:
    """An act's answer, as the socket tells it."""
    found: dict[str, Any] = msgspec.to_builtins(answer)
    return found


def _refused(code: Code, message: str) -> dict[str, Any]:
    return {"ok": False, "code": code.value, "message": message}
