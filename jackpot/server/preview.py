"""What would people do to a link? Decided as the act itself, and told before anybody signs (L8, L9)."""

from typing import Any, Final

from jackpot.config import Config, compared
from jackpot.rules.acts import ACT_OF
from jackpot.rules.acts.act import By
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, Transfer
from jackpot.rules.acts.parameters import FIXED, ChangeLink, LinkChanged
from jackpot.rules.acts.seen import seen
from jackpot.rules.commands import ActCommand
from jackpot.rules.engine import Engine
from jackpot.rules.money import decimal
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import People
from jackpot.rules.state import Seen, State
from jackpot.server import asks, replies
from jackpot.server.asks import BadRequest
from jackpot.server.desk import Desk
from jackpot.server.whose import NotDone

_ACTS: Final[dict[str, type[ActCommand]]] = {
    "correct-meter": CorrectMeter,
    "transfer": Transfer,
    "close-link": CloseLink,
}
# Whom only the other reasons to refuse it are looked for with.
_ANYBODY: Final = By(People(("one", "other")))
_REASON: Final = "looked at"


async def preview(writer: Desk, ask: asks.Preview, config: Config) -> replies.Preview:
    """What the act would move or change. Raises NotDone where it would be refused, BadRequest."""
    command = _command(ask, config)

    def look(engine: Engine) -> replies.Preview:
        event = ACT_OF[type(command)].decide(engine.state, command, _ANYBODY)
        changed = differing(event.before, config) if isinstance(event, LinkChanged) else ()
        return replies.Preview(moved=moved(engine.state, seen(engine.state, event)), differences=changed)

    try:
        return await writer.ask(look)
    except Refusal as refusal:
        hits = tuple(f"H{number}" for number in refusal.hits)
        raise NotDone(refusal.code, refusal.message, hits) from refusal


def configured(link: str, config: Config) -> LinkTerms:
    """The terms of a link by the configuration. Raises BadRequest."""
    terms = next((terms for terms in config.links if terms.link == link), None)
    if terms is None:
        raise BadRequest(f"link: the configuration has no link {link}")
    return terms


def differing(journal: LinkTerms, config: Config) -> tuple[replies.Difference, ...]:
    """Where the configuration has other terms than the journal; nothing where it has no such link (L9)."""
    own = next((terms for terms in config.links if terms.link == journal.link), journal)
    return tuple(
        replies.Difference(
            what=one.what, ledger=one.before, configuration=one.now, fixed=one.what in (*FIXED, "levels")
        )
        for one in compared(journal, own)
    )


def _command(ask: asks.Preview, config: Config) -> ActCommand:
    kind = _ACTS.get(ask.act)
    if kind is None:
        return ChangeLink(configured(ask.link, config), _REASON)
    fields: dict[str, Any] = {
        name: value for name in kind.__struct_fields__ if (value := getattr(ask, name, None)) is not None
    }
    if "levels" in fields:
        fields["levels"] = [pair for pair in fields["levels"].split(",") if pair]
    command = asks.act_of(kind, fields | {"reason": _REASON}, "nobody").ask
    assert isinstance(command, ActCommand)  # noqa: S101 - of that kind
    return command


def moved(state: State, sight: Seen) -> tuple[replies.Moved, ...]:
    """What was seen of the meters that an act would move; what no meter pays is left out."""
    return tuple(
        replies.Moved(
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
