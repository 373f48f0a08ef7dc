"""Routes a request to its bank."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from jackpot.api.operation import BadRequest, BankElsewhere, NotDone, OperationCall, number
from jackpot.api.registry import BANK_KEYS
from jackpot.bank.bank import Bank, BankStopped
from jackpot.config.phrases import either
from jackpot.net.devices import ConnectedDevices
from jackpot.rules import views
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.requests import bank_of
from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence, Sentence

# Operations that have a `hit`.
_WITH_HIT: Final = (BankKey.HIT, BankKey.HIT_OR_AWARD, BankKey.LINK_OR_HIT)


class BankRouter:
    """Finds the bank of a request.

    banks: by bank. devices: by role. people: the site's own bank.
    """

    def __init__(
        self, banks: Mapping[str, Bank], devices: Mapping[str, ConnectedDevices], people: Bank
    ) -> None:
        self.people = people
        self.banks = banks
        self.devices = devices

    def here(self, name: str | None = None) -> tuple[list[Bank], tuple[BankElsewhere, ...]]:
        """Splits the banks into those that this server may answer for, and the others.

        bank: of that one alone. Raises BadRequest for one that is unknown.
        """
        found, others = [], []
        for bank in [self._named(name)] if name is not None else self.banks.values():
            if (stopped := _stopped(bank)) is None:
                found.append(bank)
            else:
                others.append(BankElsewhere(bank=bank.name, why=stopped, server=server_of(bank) or None))
        return found, tuple(others)

    def with_people(self) -> tuple[list[Bank], tuple[BankElsewhere, ...]]:
        """As `here`, and the bank of the site's people if this server may answer for it."""
        here, elsewhere = self.here()
        return (here if _stopped(self.people) else [*here, self.people]), elsewhere

    async def own(self, request: OperationCall) -> Bank:
        """As `bank_for`, for a bank that no other server can have changed. Raises BankStopped."""
        bank = await self.bank_for(request)
        if bank.lifecycle.stopped is None and (stopped := _stopped(bank)) is not None:
            raise BankStopped(stopped)
        return bank

    async def bank_for(self, request: OperationCall) -> Bank:
        """The bank of a request: the one that is said, or that its operation names by its `BankKey`.

        Raises BadRequest if it is ambiguous, NotDone if another server has the bank.
        """
        bank = await self._bank_for(request)
        if server := server_of(bank):
            message = Sentence("bank {bank} is at server {server}", bank=bank.name, server=server)
            raise NotDone(Code.MISDIRECTED, message, bank=bank.name, server=server)
        return bank

    async def _bank_for(self, request: OperationCall) -> Bank:
        ask: Any = request.ask  # its key says which fields it has
        key, said = BANK_KEYS[type(ask)], request.bank
        if key is BankKey.OWN_DEVICE:
            return self._own_of_device(ask.role, ask.device, said)
        if said is None and key is BankKey.REQUEST:
            said = bank_of(ask.request)
        if said is not None:
            await self._refuse_joined(said, ask.hit if key in _WITH_HIT else None)
            return self._named(said)
        match key:
            case BankKey.PEOPLE:
                return self.people
            case BankKey.TABLE if ask.table is not None:
                return self._of_device("table", ask.table)
            case BankKey.DEVICE:
                return self._of_device(ask.role, ask.device)
            case BankKey.LINKS if ask.links:
                return self._of_link(ask.links[0])
            case BankKey.LINK | BankKey.LINK_OR_HIT if ask.link is not None:
                return self._of_link(ask.link)
            case BankKey.HIT:
                return await self._having(ask.hit, None)
            case BankKey.AWARD:
                return await self._having(None, ask.award)
            case BankKey.HIT_OR_AWARD | BankKey.LINK_OR_HIT:
                return await self._having(ask.hit, ask.award)
        return await self._having(None, None)

    def _own_of_device(self, role: str, device: str, said: str | None) -> Bank:
        """The bank of a device. Refuses another one that somebody says."""
        own = self._of_device(role, device)
        if said in (None, own.name):
            return own
        plain = "{role} {device} is of bank {bank}"
        raise BadRequest(
            RefusalSentence(plain, field="bank", role=Sentence(role), device=device, bank=own.name)
        )

    async def _refuse_joined(self, name: str, hit: str | None) -> None:
        """Refuses a bank that became one of these, and says what its hit is called now."""
        if name == self.people.name or name in self.banks:
            return
        for bank in self.banks.values():
            with suppress(BankStopped):
                for part in await bank.ask(lambda engine: list(engine.state.parts)):
                    if part.bank == name:
                        now = (number(hit) or 0) + part.hits.moved
                        known = hit is not None and part.hits.first <= now < part.hits.end
                        told = {"bank": name, "into": bank.name}
                        if not known:
                            raise BadRequest(
                                RefusalSentence("{bank} became part of {into}", field="bank", **told)
                            )
                        plain = "{bank} became part of {into}: its {hit} is {now} there"
                        raise BadRequest(RefusalSentence(plain, field="bank", hit=hit, now=f"H{now}", **told))

    def _named(self, bank: str) -> Bank:
        if bank == self.people.name:
            return self.people
        if bank not in self.banks:
            raise BadRequest(
                RefusalSentence(
                    "{bank} is unknown; there is {banks}",
                    field="bank",
                    bank=repr(bank),
                    banks=" ".join(self.banks),
                )
            )
        return self.banks[bank]

    def _of_device(self, role: str, name: str) -> Bank:
        registries = {each: devices.registry.devices for each, devices in self.devices.items()}
        device = registries[role].get(name)
        if device is None:
            others = [each for each, found in registries.items() if name in found]
            if others:
                plain = "{device} is unknown, but there is such a {role}: --role {role}"
                raise BadRequest(RefusalSentence(plain, field=role, device=repr(name), role=others[0]))
            known = " ".join(registries[role]) or Sentence("none")
            raise BadRequest(
                RefusalSentence(
                    "{device} is unknown; there is {devices}", field=role, device=repr(name), devices=known
                )
            )
        return self.banks[device.banks[0].name]

    def _of_link(self, link: str) -> Bank:
        for bank in self.banks.values():
            if link in bank.board.links:
                return bank
        known = " ".join(link for bank in self.banks.values() for link in bank.board.links)
        raise BadRequest(
            RefusalSentence("{link} is unknown; there is {links}", field="link", link=repr(link), links=known)
        )

    async def _having(self, hit: str | None, award: str | None) -> Bank:
        """The only bank that has that hit or award; a bank that does not answer might have it, too."""
        if len(self.banks) == 1:
            return next(iter(self.banks.values()))
        what = f"hit {hit}" if hit is not None else f"award {award}" if award is not None else ""
        having, silent = await self._asked_for(hit, award) if what else ([], [])
        if hit is not None and award is not None and not having and not silent:
            having, silent = await self._asked_for(hit, None)  # its bank says that the award is not of it
        if len(having) == 1 and not silent:
            return having[0]
        if what and not having and not silent:
            raise BadRequest(
                RefusalSentence("{what}: no bank has it ({banks})", what=what, banks=", ".join(self.banks))
            )
        banks = [*(bank.name for bank in having), *silent] or list(self.banks)
        raise BadRequest(RefusalSentence("which one? {banks}", field="bank", banks=either(banks)))

    async def _asked_for(self, hit: str | None, award: str | None) -> tuple[list[Bank], list[str]]:
        """The banks that ever made both, and the names of the banks that do not answer."""
        having, silent = [], []
        for bank in self.banks.values():
            try:
                if await bank.ask(lambda engine: views.has(engine, number(hit), number(award))):
                    having.append(bank)
            except BankStopped:
                silent.append(bank.name)
        return having, silent


def server_of(bank: Bank) -> str:
    """The id of the server that has the bank; "" for this one, or if none is known."""
    return bank.lifecycle.held_by.split()[0] if bank.lifecycle.elsewhere and bank.lifecycle.held_by else ""


def _stopped(bank: Bank) -> str | None:
    """Why this server may not say how the bank stands now; None if it may."""
    if (stopped := bank.lifecycle.stopped) is not None:
        return stopped
    if not bank.board.leased:
        return f"bank {bank.name} is not confirmed by the ledger: another server may have it by now"
    return None
