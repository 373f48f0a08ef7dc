"""How is a request carried out? Answers questions, and has a bank decide the acts of people.

It knows no socket: what it is given is decoded, and who stands for it is named.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog

from jackpot.books.hits import PAGE_MOST, done_with
from jackpot.books.reader import Books
from jackpot.config import Site
from jackpot.config.writing import local_time
from jackpot.ledger.store import LedgerError
from jackpot.rules import views
from jackpot.rules.acts.devices import ClearDevice, EndKey
from jackpot.rules.acts.hits import Pay, Undo, Validate
from jackpot.rules.acts.links import Resume
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.server import asks
from jackpot.server.asks import Ask, BadRequest, Request, Revoke
from jackpot.server.desk import BankStopped, Desk
from jackpot.server.devices import Devices
from jackpot.server.history import hits_of
from jackpot.server.remedy import explained, remedies
from jackpot.server.tenure import Tenure

# What an act was about, as its line in the log says: each value cut, for a request may be long.
_LOGGED_MOST: Final = 64
# What an act on a hit meets where it, or a later one, was done before.
_DONE: Final[Mapping[type[Ask], tuple[str, ...]]] = {
    Validate: ("validated", "paid", "undone"),
    Pay: ("paid", "undone"),
    Undo: ("paid", "undone"),
}
# How the rules refuse it then; and what the refusal becomes once it is known what was done.
_DONE_REFUSED: Final = (Code.NO_SUCH_HIT, Code.NO_SUCH_AWARD, Code.NOT_PENDING, Code.NOT_VALIDATED, Code.PAID)
_DONE_CODES: Final = {"validated": Code.NOT_PENDING, "paid": Code.PAID, "undone": Code.UNDONE}

Answer = dict[str, Any]

log: Final = structlog.get_logger()


class Acts:
    """Carries out requests. devices: by role; writers, tenures: by bank."""

    def __init__(
        self,
        writers: Mapping[str, Desk],
        devices: Mapping[str, Devices],
        tenures: Mapping[str, Tenure],
        books: Books,
        site: Site,
    ) -> None:
        self._site = msgspec.to_builtins(site)
        self._books = books
        self._writers = writers
        self._tenures = tenures
        self._devices = devices

    async def carry_out(self, request: Request) -> Answer:
        """Answers a request; refusals are answers: {"ok": False, "code", "message"}."""
        try:
            return {"ok": True} | await self._answer(request)
        except BadRequest as error:
            return refused(Code.BAD_REQUEST, str(error))
        except BankStopped as error:
            return refused(Code.BANK_STOPPED, str(error))
        except LedgerError as error:
            return refused(Code.LEDGER, str(error))

    async def _answer(self, request: Request) -> Answer:
        match request.ask:
            case asks.OfSite():
                return {"site": self._site}
            case asks.Leases():
                leases = [tenure.look()._asdict() for tenure in self._tenures.values()]
                return {"leases": [{**lease, "here": lease["here"].value} for lease in leases]}
            case asks.Status():
                return {"banks": [await self._status(bank) for bank in self._writers]}
            case asks.OpenHits(after):
                writer, number = await self._own(request), _number(after) or 0
                waiting, more = await writer.ask(lambda engine: views.waiting_hits(engine, number, PAGE_MOST))
                return {"hits": waiting, "more": more}
            case asks.History(before):
                found = await hits_of(await self._own(request), self._books, _number(before), PAGE_MOST)
                return {"hits": found.hits, "more": found.before is not None}
            case asks.OneHit(hit):
                listed = (await hits_of(await self._own(request), self._books, _after(hit), 1)).hits
                return {"hits": [one for one in listed if one["hit"] == f"H{_number(hit)}"]}
            case asks.OneRound(table):
                writer = await self._own(request)
                return {"round": await writer.ask(lambda engine: views.round_of(engine, table))}
            case asks.HandOver():
                return await self._hand_over(request)
            case Revoke() as revoke:
                return await self._revoke(request, revoke)
            case ActCommand() as act:
                return await self._act(request, act)
        raise BadRequest("do: unknown")

    async def _status(self, bank: str) -> Answer:
        writer = self._writers[bank]
        return {
            "bank": bank,
            "active": writer.active,
            "stopped": writer.hold.stopped,
            "statistics": await writer.ask(views.statistics),
        }

    async def _act(self, request: Request, act: ActCommand) -> Answer:
        """An act of the rules: decided by its bank, told in the log."""
        writer = await self._bank_of(request)
        answer: Answer = msgspec.to_builtins(await writer.person(act, request.people))
        if not answer["ok"]:
            answer = await self._explained(act, writer, answer)
        self._log(request, writer, answer)
        if answer["ok"] and isinstance(act, ClearDevice):
            self._devices[act.role].register.blocked.discard(act.device)
        if answer["ok"] and isinstance(act, Resume):
            left = explained(writer.board, writer.bank)
            answer["suspended"] = {
                link: why for link, why in left.items() if not act.links or link in act.links
            }
        return answer

    def _log(self, request: Request, writer: Desk, answer: Answer, **more: Any) -> None:
        """One line for an act: what it named, who stood for it, and why it was refused."""
        fields = msgspec.to_builtins(request.ask)
        do = fields.pop("do")
        fields.pop("key", None)
        about = {
            field: value[:_LOGGED_MOST] if isinstance(value, str) and field != "reason" else value
            for field, value in fields.items()
            if value not in (None, "", [], ())
        }
        said = {} if answer["ok"] else {"code": answer["code"], "message": answer["message"]}
        log.info("act", do=do, by=request.people, ok=answer["ok"], **said, **about, bank=writer.bank, **more)

    async def _explained(self, act: ActCommand, writer: Desk, answer: Answer) -> Answer:
        """A refusal, with what people do next where it depends on what was done before."""
        if isinstance(act, Validate | Pay | Undo) and answer["code"] in _DONE_REFUSED:
            with suppress(BankStopped, LedgerError):  # what the rules said is true without the books
                return await self._done_before(act, writer) or answer
        if isinstance(act, Resume) and answer["code"] == Code.NOT_SUSPENDED and len(act.links) == 1:
            (link,) = act.links
            reasons = writer.board.state(link)[1]
            next_ = "; ".join(remedies(reasons, writer.bank, link))
            held = f"it is suspended for {reasons}: {next_}" if reasons else "it takes wagers"
            return answer | {"message": f"{answer['message']}; {held}"}
        if answer["code"] == Code.AWARD_STANDING and answer.get("hits"):
            where = f" --bank {writer.bank}" if len(self._writers) > 1 else ""
            undo = ", ".join(f"`jackpot hits undo {hit}{where} --reason TEXT`" for hit in answer["hits"])
            return answer | {"message": f"{answer['message']}: {undo}"}
        return answer

    async def _done_before(self, act: Validate | Pay | Undo, writer: Desk) -> Answer | None:
        """A refusal that says who did it before, and when; None where nothing was done that stands."""
        hit, name = _number(act.hit) or 0, act.award or act.hit
        listed = (await hits_of(writer, self._books, hit + 1, 1)).hits
        awards = [one for found in listed if found["hit"] == act.hit for one in found["awards"]]
        statuses = {one["status"] for one in awards if name in (one["hit"], one["award"])}
        status = next((one for one in ("pending", "validated", "paid", "undone") if one in statuses), "final")
        if statuses == {"final"}:
            return refused(Code.NOT_PENDING, f"{name} is final: it waits for nobody")
        for done in await self._books.read(lambda ledger: done_with(ledger, writer.bank, hit)):
            mine = act.award is None or _number(act.award) in done.awards
            if mine and done.what == status and status in _DONE[type(act)]:
                at = local_time(done.at, self._site["timezone"], "%Y-%m-%d %H:%M:%S %Z")
                said = f"{name} is {status} already, by {' and '.join(done.people)}, {at}"
                return refused(_DONE_CODES[status], said)
        return None

    async def _revoke(self, request: Request, revoke: Revoke) -> Answer:
        """Ends a device's keys, or the one given: here at once, for ever once it is durable.

        Where another server has the bank it must be done there: nothing is kept here that would say it was.
        """
        name, writer = revoke.device, await self._bank_of(request)
        devices = self._devices[revoke.role]
        valid = devices.register.fingerprints(name)
        wanted = [key for key in valid if revoke.key in (None, key)]
        if not wanted:
            what = f"{revoke.key} is no valid key of it" if valid else "it has no valid key"
            raise BadRequest(f"{revoke.role} {name}: {what}")
        for key in wanted:
            devices.revoke(name, key)
        try:
            for key in wanted:
                done = await writer.person(EndKey(revoke.role, name, key), request.people)
                answer: Answer = msgspec.to_builtins(done)
                self._log(request, writer, answer, fingerprint=key)
                if not answer["ok"]:
                    return answer
        except BankStopped:
            devices.register.ended -= {(name, key) for key in wanted}
            raise
        return {"revoked": wanted, "left": [key for key in valid if key not in wanted]}

    async def _hand_over(self, request: Request) -> Answer:
        writer = await self._bank_of(request)
        self._log(request, writer, {"ok": True})
        return {"bank": writer.bank, "holder": await self._tenures[writer.bank].hand_over()}

    async def _own(self, request: Request) -> Desk:
        """As `_bank_of`, of a bank that another server cannot have changed. Raises BankStopped."""
        writer = await self._bank_of(request)
        if writer.hold.stopped is None and not writer.board.leased:
            raise BankStopped(
                f"bank {writer.bank} is not confirmed by the ledger: another server may have it by now"
            )
        return writer

    async def _bank_of(self, request: Request) -> Desk:
        """The bank of what is asked: its table's, device's or link's, the one named, or that of its hit.

        Raises BadRequest where it could be another.
        """
        ask, bank = request.ask, request.bank
        device = getattr(ask, "device", None) or getattr(ask, "table", None)
        if device is not None:
            return self._of_device(getattr(ask, "role", "table"), device)
        links = (getattr(ask, "link", None), *getattr(ask, "links", ()))
        link = next((one for one in links if one is not None), None)
        if bank is None and link is not None:
            return self._of_link(link)
        if bank is None:
            return await self._having(getattr(ask, "hit", None), getattr(ask, "award", None))
        if bank not in self._writers:
            raise BadRequest(f"bank: {bank!r} is unknown; there is {' '.join(self._writers)}")
        return self._writers[bank]

    def _of_device(self, role: str, name: str) -> Desk:
        registers = {each: devices.register.devices for each, devices in self._devices.items()}
        device = registers[role].get(name)
        if device is None:
            others = [each for each, found in registers.items() if name in found]
            hint = f", but there is such a {others[0]}: --role {others[0]}" if others else ""
            known = hint or f"; there is {' '.join(registers[role]) or 'none'}"
            raise BadRequest(f"{role}: {name!r} is unknown{known}")
        return self._writers[device.banks[0].bank]

    def _of_link(self, link: str) -> Desk:
        for writer in self._writers.values():
            if link in writer.board.links:
                return writer
        known = " ".join(link for writer in self._writers.values() for link in writer.board.links)
        raise BadRequest(f"link: {link!r} is unknown; there is {known}")

    async def _having(self, hit: str | None, award: str | None) -> Desk:
        """The only bank that has that hit or award; where a bank does not say, it might be that one's."""
        if len(self._writers) == 1:
            return next(iter(self._writers.values()))
        what = f"hit {hit}" if hit is not None else f"award {award}" if award is not None else ""
        having, silent = await self._asked_for(hit, award) if what else ([], [])
        if hit is not None and award is not None and not having and not silent:
            having, silent = await self._asked_for(hit, None)  # its bank says that the award is not of it
        if len(having) == 1 and not silent:
            return having[0]
        if what and not having and not silent:
            raise BadRequest(f"{what}: no bank has it ({', '.join(self._writers)})")
        banks = [*(writer.bank for writer in having), *silent] or list(self._writers)
        raise BadRequest(f"bank: which one? {' or '.join(f'--bank {bank}' for bank in banks)}")

    async def _asked_for(self, hit: str | None, award: str | None) -> tuple[list[Desk], list[str]]:
        """The banks that ever made both, and the names of those that do not answer."""
        having, silent = [], []
        for writer in self._writers.values():
            try:
                if await writer.ask(lambda engine: views.has(engine, _number(hit), _number(award))):
                    having.append(writer)
            except BankStopped:
                silent.append(writer.bank)
        return having, silent


def refused(code: Code, message: str) -> Answer:
    """A refusal, as an answer."""
    return {"ok": False, "code": code.value, "message": message}


def _number(name: str | None) -> int | None:
    """The number in the id of a hit or an award."""
    return None if name is None else int(name[1:])


def _after(hit: str) -> int:
    """Hits before this number begin with that one."""
    return int(hit[1:]) + 1
