"""Operations on the site, its servers and who holds each bank, and the handover of a bank."""

from typing import TYPE_CHECKING, Literal

from jackpot import __version__
from jackpot.api.operation import Query, Reply, ServerCommand
from jackpot.rules.acts.act import BankKey

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext


class Site(Reply, frozen=True):
    """The site of the server. id: of the ledger. server: of this process, where several share the ledger."""

    name: str
    id: str
    currency: str
    locale: str
    timezone: str
    gaming_day_ends: str
    server: str | None
    version: str


class AskSite(Query, frozen=True):
    """The site of the server, and how sums and times are written there."""

    path = "/site"
    reply = Site

    async def answer(self, at: "QueryContext") -> Site:
        site, server = at.config.site, at.config.server
        return Site(
            name=site.name,
            id=site.first_id,
            currency=site.currency,
            locale=site.locale,
            timezone=site.timezone,
            gaming_day_ends=f"{site.gaming_day_ends:%H:%M}",
            server=None if server is None else server.id,
            version=__version__,
        )


class BankStatus(Reply, frozen=True):
    """A bank, as this server sees it. holder: a server's id, machine, process and program. why: of `here`."""

    bank: str
    holder: str
    epoch: int
    seq: int
    here: Literal["held", "unconfirmed", "standby", "stopped"]
    why: str


class Banks(Reply, frozen=True):
    banks: tuple[BankStatus, ...]


class AskBanks(Query, frozen=True):
    """The server that has each bank."""

    path = "/banks"
    reply = Banks

    async def answer(self, at: "QueryContext") -> Banks:
        looks = [supervisor.look()._asdict() for supervisor in at.supervisors.values()]
        return Banks(banks=tuple(BankStatus(**look | {"here": look["here"].value}) for look in looks))


class HandedOver(Reply, frozen=True):
    """A bank that was handed over. holder: who has the bank now."""

    bank: str
    holder: str


class HandOver(ServerCommand, tag="hand-over", frozen=True):
    """Another server may take the bank now."""

    reply = HandedOver
    what = "hand a bank over"
    bank_key = BankKey.SAID
