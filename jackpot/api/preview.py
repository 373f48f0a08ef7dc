"""Previews of acts: what an act would do, decided as the act itself, before anybody signs (L8, L9, A11)."""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta

from controllers.messages import Id
from jackpot.api.http_call import act_of
from jackpot.api.operation import QUOTED_MAX, BadRequest, Money, Query, Reply, ServerCommand, Sight, refused
from jackpot.api.queries.notices import AnnounceEnd
from jackpot.api.queries.payouts import Correct
from jackpot.config.phrases import sentence, sentence_of
from jackpot.rules import views
from jackpot.rules.acts import ACT_OF, hits
from jackpot.rules.acts.act import ActContext, BankKey
from jackpot.rules.acts.fields import AwardId, Day, Document, HitId, LeftId, Way
from jackpot.rules.acts.hits import Undo
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.acts.parameters import FIXED, ChangeLink, LinkChanged
from jackpot.rules.acts.preview import mark_of, preview_of, recomputed_of, would_move
from jackpot.rules.commands import ActCommand
from jackpot.rules.events import Event
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import Role
from jackpot.rules.state import BankState, SeenPreview
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.config import Config
    from jackpot.rules.engine import Engine

_ACTS: Final[dict[str, type[ActCommand | ServerCommand]]] = {
    "announce-end": AnnounceEnd,
    "close-link": CloseLink,
    "correct": Correct,
    "correct-meter": CorrectMeter,
    "decide-left": DecideLeft,
    "transfer": Transfer,
    "undo": Undo,
}
_REASON: Final = "looked at"


class Difference(Reply, frozen=True):
    """A parameter that the configuration has otherwise than the journal (L9). fixed: it never changes."""

    what: str
    ledger: str
    configuration: str
    fixed: bool


class Moved(Reply, frozen=True):
    """A change that an act would make on a level. house: what the house gets back. value: of the meter."""

    link: str
    level: str
    value: Money
    value_after: Money
    reserve: Money
    reserve_after: Money
    overflow: Money
    overflow_after: Money
    house: Money


class Raised(Reply, frozen=True):
    """An award that an act would raise, for it was less than the meter now comes to (A11)."""

    hit: str
    award: str
    amount: Money
    amount_after: Money


class Leaving(Reply, frozen=True):
    """A sum that an act would leave on a meter of a paid award, for two people to decide on (A11)."""

    award: str
    link: str
    level: str
    amount: Money


class Undone(Reply, frozen=True):
    """An award that ends without being paid (A11)."""

    hit: str
    award: str
    seat: int
    amount: Money


class PaidOnTop(Reply, frozen=True):
    """What a correction pays on top of a paid award, by the tax law of the site's country (A10).

    form: that is due, "" for none. withheld: of the amount. left: of it, for the winner.
    """

    amount: Money
    form: str
    withheld: Money
    left: Money


class Preview(Reply, frozen=True):
    """The effect of an act, before it is done.

    moved: by level; of an announced end, what it would move if it came now. raised, leaving, undone: by
    award. differences: of a change of parameters.

    payers: of a correction, the roles of which one pays the award, or has paid it (A8). before: what the
    award comes to until then; null of other acts. on_top: what it pays; null where that is nothing, or no tax
    law is applied. why_two: why two people sign it, "" where one may.

    seen: sent next to the act's fields, it has the act refused once it would do something else than this.
    """

    moved: tuple[Moved, ...]
    raised: tuple[Raised, ...]
    leaving: tuple[Leaving, ...]
    undone: tuple[Undone, ...]
    differences: tuple[Difference, ...]
    payers: tuple[Role, ...]
    before: Money | None
    on_top: PaidOnTop | None
    why_two: str
    seen: Sight


class AskPreview(Query, frozen=True):
    """A preview of an act: what it would do, or why it would be refused. Nothing is done.

    levels: of a transfer, parted by commas. bank: where the other fields do not say which. For these see the
    act.
    """

    path = "/preview/{act}"
    reply = Preview
    bank_key = BankKey.LINK_OR_HIT
    act: Literal[
        "announce-end", "change-parameters", "close-link", "correct", "correct-meter", "decide-left",
        "transfer", "undo",
    ]  # fmt: skip
    bank: Id | None = None
    link: Id | None = None
    level: Id | None = None
    account: Literal["primary", "reserve", "overflow"] | None = None
    amount: Annotated[str, Meta(max_length=QUOTED_MAX)] | None = None
    to: Id | None = None
    levels: Annotated[str, Meta(max_length=256)] | None = None
    day: Day | None = None
    hit: HitId | None = None
    award: AwardId | None = None
    document: Document | None = None
    way: Way | None = None
    left: LeftId | None = None
    remove: bool | None = None

    async def answer(self, at: "QueryContext") -> Preview:
        """Raises NotDone also where the act would be refused."""
        command = _command(self, at.config, at.clock.unix_ms())

        def look(engine: "Engine") -> Preview:
            state, asked = engine.state, command
            if isinstance(asked, ChangeLink):
                asked = ChangeLink(completed(asked.terms, at.config, state), asked.reason)
            act, by = ACT_OF[type(asked)], ActContext(at=at.clock.unix_ms())
            event = act.decide(state, asked, by)
            why = act.why_two(state, asked, by.at)
            sight = preview_of(state, event)
            return Preview(
                **what_follows(state, event, sight),
                differences=differing(event.before, at.config) if isinstance(event, LinkChanged) else (),
                payers=hits.payers_of(state, command.award) if isinstance(command, hits.Correct) else (),
                before=_comes_to(state, command.award) if isinstance(command, hits.Correct) else None,
                on_top=_paid_on_top(event),
                why_two="" if not why else sentence_of(why, ()) if isinstance(why, str) else sentence(why),
                seen=mark_of(sight, event).hex(),
            )

        bank = await at.own(self, self.bank)
        try:
            return await bank.ask(look)
        except Refusal as refusal:
            standing = tuple(f"H{number}" for number in refusal.hits)
            raise refused(refusal.code, refusal.template, refusal.values, standing) from refusal


def configured(link: str, config: "Config") -> LinkTerms:
    """The terms of a link in the configuration. Raises BadRequest."""
    terms = next((terms for terms in config.links if terms.link == link), None)
    if terms is None:
        raise BadRequest(RefusalSentence("the configuration has no link {link}", field="link", link=link))
    return terms


def completed(terms: LinkTerms, config: "Config", state: BankState) -> LinkTerms:
    """The configured terms of a link, with what the configuration leaves to the journal."""
    journal = views.link_terms(state).get(terms.link)
    return terms if journal is None else config.completed(terms, journal)


def differing(journal: LinkTerms, config: "Config") -> tuple[Difference, ...]:
    """The terms in which configuration and journal differ; empty if it has no such link (L9)."""
    return tuple(
        Difference(
            what=one.what, ledger=one.before, configuration=one.now, fixed=one.what in (*FIXED, "levels")
        )
        for one in config.compared(journal)
    )


def _comes_to(state: BankState, name: str) -> str | None:
    """What an award comes to, corrections included."""
    award = hits.find_award(state, name)
    return None if award is None else decimal(award.worth())


def _paid_on_top(event: Event) -> PaidOnTop | None:
    if not isinstance(event, hits.Corrected) or event.tax is None or not event.paid:
        return None
    amount, withheld = from_cents(event.paid), from_cents(event.withheld)
    return PaidOnTop(
        amount=decimal(amount), form=event.form, withheld=decimal(withheld), left=decimal(amount - withheld)
    )


def _command(ask: AskPreview, config: "Config", at: int) -> ActCommand:
    """The act that is asked about. at: unix milliseconds."""
    kind = _ACTS.get(ask.act)
    if kind is None:
        if ask.link is None:
            raise BadRequest(RefusalSentence("missing", field="link"))
        return ChangeLink(configured(ask.link, config), _REASON)
    fields: dict[str, Any] = {
        name: value for name in kind.__struct_fields__ if (value := getattr(ask, name, None)) is not None
    }
    if "levels" in fields:
        fields["levels"] = [pair for pair in fields["levels"].split(",") if pair]
    asked = act_of(kind, fields | {"reason": _REASON}, "nobody").ask
    if isinstance(asked, AnnounceEnd):
        return asked.of_site(config.site)
    command = asked.of_site(config.site, at) if isinstance(asked, Correct) else asked
    assert isinstance(command, ActCommand)  # noqa: S101 - of that kind
    return command


def what_follows(state: BankState, event: Event, sight: SeenPreview) -> dict[str, Any]:
    """The effects of an event, by the names that replies have for them. sight: its preview."""
    return {
        "moved": moved(state, would_move(state, event) or sight),
        "raised": _raised(state, event),
        "leaving": _leaving(state, event),
        "undone": _undone(state, event),
    }


def _raised(state: BankState, event: Event) -> tuple[Raised, ...]:
    """The awards that an event would raise, each with its sum now and then."""
    then = dict(recomputed_of(event).raised)
    return tuple(
        Raised(
            hit=f"H{hit.number}",
            award=f"A{award.number}",
            amount=decimal(award.amount),
            amount_after=decimal(then[award.number]),
        )
        for hit in state.hits.values()
        for award in hit.awards
        if award.number in then
    )


def _undone(state: BankState, event: Event) -> tuple[Undone, ...]:
    """The awards that an event would undo, whether or not a meter pays them."""
    if not isinstance(event, hits.Undone):
        return ()
    return tuple(
        Undone(
            hit=f"H{event.hit}",
            award=f"A{award.number}",
            seat=award.seat,
            amount=decimal(award.amount),
        )
        for award in state.hits[event.hit].awards
        if award.number in event.awards
    )


def _leaving(state: BankState, event: Event) -> tuple[Leaving, ...]:
    """The residual amounts that would wait for a decision, of paid awards that would come to another sum."""
    return tuple(
        Leaving(
            award=f"A{made.award}",
            link=link.terms.link,
            level=link.levels[made.level - 1].terms.level,
            amount=decimal(made.more),
        )
        for made in recomputed_of(event).left
        for link in [state.link(made.link)]
    )


def moved(state: BankState, sight: SeenPreview) -> tuple[Moved, ...]:
    """The meters that an act would move; awards that no meter pays are left out."""
    return tuple(
        Moved(
            link=link.terms.link,
            level=link.levels[one.level - 1].terms.level,
            value=decimal(one.held.primary),
            value_after=decimal(one.held.primary + one.change.primary),
            reserve=decimal(one.held.reserve),
            reserve_after=decimal(one.held.reserve + one.change.reserve),
            overflow=decimal(one.held.overflow),
            overflow_after=decimal(one.held.overflow + one.change.overflow),
            house=decimal(one.change.house),
        )
        for one in sight.levels
        if one.level
        for link in [state.link(one.link)]
    )
