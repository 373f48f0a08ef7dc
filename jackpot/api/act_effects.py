"""Effects of durable acts besides their own entry, by the event that an act came to.

Each looks at what the journal says and does what is not done yet, so it can be repeated. A bank that begins
here repeats those of the acts that it remembers: a kill may have cut one off after the commit.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

from jackpot.api.operation import number
from jackpot.auth.auth_service import AuthService
from jackpot.auth.person_admin import PersonAdmin
from jackpot.bank.bank import Bank
from jackpot.bank.config_alignment import resume_aligned, suspend_unannounced
from jackpot.config import Config
from jackpot.ledger import papers
from jackpot.ledger.reading import Reader
from jackpot.net.devices import ConnectedDevices
from jackpot.reports.read.cash import unnoticed_cash
from jackpot.reports.read.hits import erased_marks
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.acts import ACT_OF
from jackpot.rules.acts.devices import DeviceCleared
from jackpot.rules.acts.ends import EndGiven
from jackpot.rules.acts.erasure import NameErased
from jackpot.rules.acts.hits import Corrected, Paid
from jackpot.rules.acts.notices import NoticeWithdrawn
from jackpot.rules.acts.papers import PapersAdded, PapersErased
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.people import PersonEnded, SecretReset
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.commands import ActCommand
from jackpot.rules.engine import Engine
from jackpot.rules.events import Event
from jackpot.rules.state import AnsweredAct


class ActEffects(NamedTuple):
    """Effects of acts besides their own entry.

    On tables next to the journal, devices, suspensions by configuration, and notices of cash.

    devices: by role. Every call may raise LedgerError, BankStopped.
    """

    auth: AuthService
    books: LedgerReader
    config: Config
    devices: Mapping[str, ConnectedDevices]

    async def follow(self, bank: Bank, act: ActCommand, digest: bytes) -> None:
        """Carries out the effect of a durable act, if it has any. digest: of its request."""
        if not isinstance(act, Confirm) and EFFECTS.keys().isdisjoint(ACT_OF[type(act)].applies):
            return  # what is confirmed may be any act
        done = await bank.ask(lambda engine: engine.done_before(digest))
        effect = None if done is None else _BY_KIND.get(done.event)
        if done is not None and effect is not None:
            await effect(self, bank, [done.answer.hit])

    async def repeat(self, bank: Bank) -> None:
        """Carries out the effects of the last acts once more, each once, for all its hits."""
        found: dict[Effect, dict[str, None]] = {}
        for event, hit in await bank.ask(_remembered):
            if (effect := _BY_KIND.get(event)) is not None:
                found.setdefault(effect, {})[hit] = None
        for effect, hits in found.items():
            await effect(self, bank, list(hits))


async def _allow_devices(at: ActEffects, bank: Bank, _hits: Sequence[str]) -> None:
    """Lets devices in that the journal does not block."""
    known = await bank.ask(lambda engine: (list(engine.state.blocked), list(engine.state.ended)))
    for devices in at.devices.values():
        devices.registry.learn(bank, *known)


async def _resume_aligned(at: ActEffects, bank: Bank, _hits: Sequence[str]) -> None:
    """Resumes links that have the configured terms, and the configured end, now."""
    await resume_aligned(bank, at.config)


async def _suspend_unannounced(at: ActEffects, bank: Bank, _hits: Sequence[str]) -> None:
    """Suspends links that are configured to end, and whose notice two people took back."""
    await suspend_unannounced(bank, at.config, bank.clock.unix_ms())


async def _erase_names(at: ActEffects, _bank: Bank, _hits: Sequence[str]) -> None:
    """Erases names, and secrets that are not valid."""
    await PersonAdmin(at.auth).forget()


async def _erase_papers(at: ActEffects, bank: Bank, hits: Sequence[str]) -> None:
    """Erases the papers of hits that the journal says are erased.

    A number may be one of a bank that became this one. So the papers of that number go in each of these
    banks, where an entry erased them.
    """
    known = await bank.ask(lambda engine: [bank.name, *(part.bank for part in engine.state.parts)])

    def erased(ledger: Reader) -> set[bytes]:
        return {
            mark
            for name, hit in product(known, hits)
            for mark in erased_marks(ledger, name, number(hit) or 0)
            if mark
        }

    if written := await at.books.read(erased):
        await at.auth.store.change(*map(papers.erase, written))


async def _notice_cash(at: ActEffects, bank: Bank, hits: Sequence[str]) -> None:
    """Notices cash that is to be reported, where the payment itself could not know of all of it (A10)."""
    site, name = at.config.site, bank.name
    if site.tax is None:
        return
    numbers = [number(hit) or 0 for hit in hits]
    due = await at.books.read(lambda ledger: unnoticed_cash(ledger, site, name, numbers))
    for notice in due:
        await bank.person(notice, ())


Effect = Callable[[ActEffects, Bank, Sequence[str]], Awaitable[None]]

EFFECTS: Final[dict[type[Event], Effect]] = {
    Corrected: _notice_cash,
    DeviceCleared: _allow_devices,
    EndGiven: _resume_aligned,
    LinkChanged: _resume_aligned,
    NameErased: _erase_names,
    NoticeWithdrawn: _suspend_unannounced,
    Paid: _notice_cash,
    PapersAdded: _notice_cash,
    PersonEnded: _erase_names,
    SecretReset: _erase_names,
    PapersErased: _erase_papers,
}
"""By the event. hits: of the acts' answers, "" where one is about none."""

_BY_KIND: Final = {event.kind: effect for event, effect in EFFECTS.items()}


def _remembered(engine: Engine) -> list[tuple[int, str]]:
    acts: list[AnsweredAct] = engine.state.acts
    return [(done.event, done.answer.hit) for done in acts if done.answer.ok]
