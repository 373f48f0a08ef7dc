"""Which bank is a request about, and may this server answer for it?"""

from collections.abc import Mapping
from typing import Final

from jackpot.api.operation import BadRequest, Elsewhere, NotDone, Request, number
from jackpot.api.queries.devices import Revoke
from jackpot.bank.bank import BankStopped, Desk
from jackpot.net.devices import Devices
from jackpot.rules import views
from jackpot.rules.codes import Code

# A request names a device by one of these fields, the first of them that it has.
_DEVICES: Final = ("device", "table")


class Whose:
    """Finds the bank of a request. desks: by bank. devices: by role. people: the site's own bank."""

    def __init__(self, desks: Mapping[str, Desk], devices: Mapping[str, Devices], people: Desk) -> None:
        self.people = people
        self.desks = desks
        self.devices = devices

    def here(self, bank: str | None = None) -> tuple[list[Desk], tuple[Elsewhere, ...]]:
        """The banks that this server may answer for, and the others; bank: of that one alone.

        Raises BadRequest for one that is unknown.
        """
        found, others = [], []
        for desk in [self._named(bank)] if bank is not None else self.desks.values():
            if (stopped := _stopped(desk)) is None:
                found.append(desk)
            else:
                others.append(Elsewhere(bank=desk.bank, why=stopped, server=server_of(desk) or None))
        return found, tuple(others)

    def with_people(self) -> tuple[list[Desk], tuple[Elsewhere, ...]]:
        """As `here`, and the bank of the site's people, where this server may answer for it."""
        here, elsewhere = self.here()
        return (here if _stopped(self.people) else [*here, self.people]), elsewhere

    async def own(self, request: Request) -> Desk:
        """As `desk_of`, for a bank that no other server can have changed. Raises BankStopped."""
        desk = await self.desk_of(request)
        if desk.hold.stopped is None and (stopped := _stopped(desk)) is not None:
            raise BankStopped(stopped)
        return desk

    async def desk_of(self, request: Request) -> Desk:
        """The bank of what is asked: its table's, device's or link's, the one named, or that of its hit.

        Raises BadRequest where it could be another, NotDone where another server has it.
        """
        desk = await self._desk_of(request)
        if server := server_of(desk):
            message = f"bank {desk.bank} is at server {server}"
            raise NotDone(Code.MISDIRECTED, message, bank=desk.bank, server=server)
        return desk

    async def _desk_of(self, request: Request) -> Desk:
        ask = request.ask
        bank = request.bank if request.bank is not None else getattr(ask, "bank", None)
        device = next((found for name in _DEVICES if (found := getattr(ask, name, None)) is not None), None)
        if device is not None and (bank is None or isinstance(ask, Revoke)):
            role = getattr(ask, "role", "table")
            own = self._of_device(role, device)
            if bank not in (None, own.bank):  # it keeps no key out that another bank's journal says ended
                raise BadRequest(f"bank: {role} {device} is of bank {own.bank}")
            return own
        links = (getattr(ask, "link", None), *getattr(ask, "links", ()))
        link = next((one for one in links if one is not None), None)
        if bank is None and link is not None:
            return self._of_link(link)
        if bank is None:
            return await self._having(getattr(ask, "hit", None), getattr(ask, "award", None))
        return self._named(bank)

    def _named(self, bank: str) -> Desk:
        if bank == self.people.bank:
            return self.people
        if bank not in self.desks:
            raise BadRequest(f"bank: {bank!r} is unknown; there is {' '.join(self.desks)}")
        return self.desks[bank]

    def _of_device(self, role: str, name: str) -> Desk:
        registers = {each: devices.register.devices for each, devices in self.devices.items()}
        device = registers[role].get(name)
        if device is None:
            others = [each for each, found in registers.items() if name in found]
            hint = f", but there is such a {others[0]}: --role {others[0]}" if others else ""
            known = hint or f"; there is {' '.join(registers[role]) or 'none'}"
            raise BadRequest(f"{role}: {name!r} is unknown{known}")
        return self.desks[device.desks[0].bank]

    def _of_link(self, link: str) -> Desk:
        for desk in self.desks.values():
            if link in desk.board.links:
                return desk
        known = " ".join(link for desk in self.desks.values() for link in desk.board.links)
        raise BadRequest(f"link: {link!r} is unknown; there is {known}")

    async def _having(self, hit: str | None, award: str | None) -> Desk:
        """The only bank that has that hit or award; where a bank does not say, it might be that one's."""
        if len(self.desks) == 1:
            return next(iter(self.desks.values()))
        what = f"hit {hit}" if hit is not None else f"award {award}" if award is not None else ""
        having, silent = await self._asked_for(hit, award) if what else ([], [])
        if hit is not None and award is not None and not having and not silent:
            having, silent = await self._asked_for(hit, None)  # its bank says that the award is not of it
        if len(having) == 1 and not silent:
            return having[0]
        if what and not having and not silent:
            raise BadRequest(f"{what}: no bank has it ({', '.join(self.desks)})")
        banks = [*(desk.bank for desk in having), *silent] or list(self.desks)
        raise BadRequest(f"bank: which one? {' or '.join(f'--bank {bank}' for bank in banks)}")

    async def _asked_for(self, hit: str | None, award: str | None) -> tuple[list[Desk], list[str]]:
        """The banks that ever made both, and the names of the banks that do not answer."""
        having, silent = [], []
        for desk in self.desks.values():
            try:
                if await desk.ask(lambda engine: views.has(engine, number(hit), number(award))):
                    having.append(desk)
            except BankStopped:
                silent.append(desk.bank)
        return having, silent


def server_of(desk: Desk) -> str:
    """The id of the server that has the bank, "" where this one has, or nobody is known to."""
    return desk.hold.held_by.split()[0] if desk.hold.elsewhere and desk.hold.held_by else ""


def _stopped(desk: Desk) -> str | None:
    """Why this server may not say how the bank stands now; None where it may."""
    if (stopped := desk.hold.stopped) is not None:
        return stopped
    if not desk.board.leased:
        return f"bank {desk.bank} is not confirmed by the ledger: another server may have it by now"
    return None
