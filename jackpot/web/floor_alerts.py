"""Alerts of the floor page: what is wrong and what people do about it, the gravest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from jackpot.api.suspension_help import remedies, remedy, suspended
from jackpot.auth.auth_service import NOBODY_YET
from jackpot.bank.bank import Bank
from jackpot.bank.mystery_readiness import MysteryFile
from jackpot.config import Display, level_titles_of, titles_of
from jackpot.net.devices import ConnectedDevices
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR, ROLLED_BACK, TRIGGER_REASON
from jackpot.rules.acts.lost_acks import BEHIND
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.rounds.unpaid import WAITING_MAX
from jackpot.rules.signing import SITE
from jackpot.text import Sentence, joined
from jackpot.web.act_labels import causes

if TYPE_CHECKING:
    from jackpot.web.overview import OverviewSource

# A bank that stops says why in the log; what to do about each is in the manual.
_LOOK_INTO_BANK: Final = Sentence("the server's log says why; `jackpot lease show` says who has the bank")
# What a server needs for committed mystery links, besides the ledger.
UNUSABLE: Final = {
    MysteryFile.KEY: Sentence("This server cannot use the mystery key"),
    MysteryFile.WITNESS: Sentence("This server cannot write the witness of the mystery key"),
}
_MEND: Final = Sentence(
    "the line mystery_not_ready in its log says which file and why; once it is mended, a standby is ready "
    "within seconds, and a server whose link waits for it is started again"
)
# Devices of a role that are not here: one, and several.
OFFLINE: Final = {
    "table": ("Table {names} is offline", "Tables {names} are offline"),
    "sign": ("Sign {names} is offline", "Signs {names} are offline"),
}

# By the reason that a link is suspended for, what ends it on the link's page.
_ON_PAGE: Final = {
    OPERATOR: Sentence("once the cause is over, let wagers in again on the link's page"),
    INTERNAL: Sentence("keep the log; once it is understood two people resume it on its page"),
    TRANSFERRED: Sentence(
        "its money went to another link; close it on its page, or two people resume it there"
    ),
    TRIGGER_REASON: Sentence(
        "the server's log says which file is missing; bring it back and start the server again"
    ),
    ROLLED_BACK: Sentence(
        "bring back the ledger that has it; if that is lost, two people resume the link on its page"
    ),
    PROGRAM_REASON: Sentence(
        "two people compare the program's digest with the published one, on the link's page"
    ),
    CONFIG_REASON: Sentence("two people confirm on its page what differs, or the configuration is put back"),
}

Map = dict[str, Any]


def why(bank: Bank) -> str | None:
    """Why a bank does not act now; None if it acts, here or in another server."""
    if bank.lifecycle.elsewhere:
        return None
    if (stopped := bank.lifecycle.stopped) is not None:
        return f"stopped: {stopped}" if bank.lifecycle.failed else stopped
    return None if bank.active else "the ledger does not answer, or answers too slowly"


def belonging(devices: ConnectedDevices) -> set[str]:
    """The devices that belong at this server now."""
    return {
        name
        for name, device in devices.registry.devices.items()
        if not any(isinstance(bank, Bank) and bank.lifecycle.elsewhere for bank in device.banks)
    }


def _trouble(what: Sentence, next_: str, at: str = "", there: str = "") -> dict[str, str]:
    """An alert: what is wrong, and what people do about it.

    next_: in English on every page if it is no Sentence. at: the page where people act on it. there: what
    they do there, in place of a command.
    """
    return {"what": what, "next": next_, "at": at, "there": there}


def _table_at(table: str) -> str:
    """The address of a table's page."""
    return f"/ops/tables/{quote(table, safe='')}"


def _on_page(reasons: str) -> str:
    """What people do about a suspended link on its page; "" if that does not end every reason."""
    found = [_ON_PAGE.get(reason) for reason in reasons.split(", ")]
    whole = [each for each in found if each is not None]
    if len(whole) < len(found):
        return ""
    return reduce(lambda one, other: Sentence("{one}; {other}", one=one, other=other), whole)


def _at_tables(tables: Iterable[Map]) -> Iterator[dict[str, str]]:
    """Tables whose rounds wait for people."""
    for table in tables:
        name, round_, asked = table["table"], table["round"], table["asked"]
        if round_ and round_["state"] == "mismatch":
            said = Sentence("Table {table}: the chips counted differ from the wagers accepted", table=name)
            there = Sentence(
                "count again at the table; or strike a wager, or void the round, on the table's page"
            )
            strike = f"strike a wager: `jackpot rounds strike {name} {round_['round']} SEAT LINK`"
            typed = f"count again at the table, or {strike}, or `jackpot rounds void`"
            yield _trouble(said, typed, _table_at(name), there)
        for one in (round_ or {}).get("abandoned", ()):
            if not one["confirmed"]:
                said = Sentence(
                    "Table {table}: seat {seat} may be abandoned; its round waits for a floorperson",
                    table=name, seat=one["seat"],
                )  # fmt: skip
                typed = f"`jackpot rounds decide-abandoned {name} {round_['round']} {one['seat']}`"
                there = Sentence("a floorperson answers on the table's page")
                yield _trouble(said, f"a floorperson answers: {typed}", _table_at(name), there)
        if table["waiting"] > WAITING_MAX:
            waiting = f"{table['waiting']:,}"
            said = Sentence("Table {table}: {count} awards wait for people", table=name, count=waiting)
            each = Sentence(
                "validate and pay each; where the approved controls let small ones be final at once, "
                "see `validate_at`"
            )
            yield _trouble(said, f"`jackpot hits list`, then {each}", "/ops/hits", each)
        if asked:
            said = Sentence(
                "Table {table}: {person} asked to reopen round {round}; the table waits 15 minutes at most",
                table=name, person=asked["by"], round=asked["round"],
            )  # fmt: skip
            answer = f"`jackpot rounds reopen {name} {asked['round']}`"
            there = Sentence("another person answers on the table's page")
            yield _trouble(said, f"another person answers: {answer}, or `decline`", _table_at(name), there)


def _at_limit(links: Iterable[Map], displays: Mapping[str, Display]) -> Iterator[dict[str, str]]:
    """Meters that have reached their limit (L7)."""
    titles, levels = titles_of(displays), level_titles_of(displays)
    for link in links:
        for level in link["levels"]:
            if level["limit"] is not None and level["primary"] >= level["limit"]:
                said = Sentence(
                    "Link {link}: the meter {level} is at its limit",
                    link=titles.get(link["link"], link["link"]),
                    level=Sentence(levels.get(link["link"], {}).get(level["level"], level["level"])),
                )
                then = Sentence("what would raise it goes to the overflow, and from there to the next meter")
                yield _trouble(said, then)


def _unready(source: "OverviewSource") -> Iterator[dict[str, str]]:
    """Files without which this server could not go on with committed mystery links (Y8, Y12).

    Anybody may look at this page: where they are is in the log.
    """
    for file in source.mystery.faults if source.mystery is not None else ():
        yield _trouble(UNUSABLE[file], _MEND)


def _untold(source: "OverviewSource") -> Iterator[dict[str, str]]:
    """Targets that signed heads and notices do not reach."""
    then = Sentence("the line delivery_failed in the log says why; it is tried again")
    for outbox in source.signer.outboxes if source.signer is not None else ():
        if outbox.failing:
            to = outbox.statistics()["destination"]
            yield _trouble(Sentence("Signed heads do not reach the {destination}", destination=to), then)
    if source.notifier is not None and source.notifier.outbox.failing:
        yield _trouble(
            Sentence("Nobody is paged: the web server of the pagers does not take the messages"), then
        )


def troubles(source: "OverviewSource", states: Sequence[Map], *, starting: bool) -> Iterator[dict[str, str]]:
    """What people have to see to, the gravest first, and what they do next.

    states: `views.statistics` of each bank. starting: devices may still be on their way here.
    """
    titles = titles_of(source.config.displays)
    for name, bank in source.banks.items():
        if reason := why(bank):
            said = Sentence("Bank {bank} does not act: {reason}", bank=name, reason=reason)
            yield _trouble(said, _LOOK_INTO_BANK)
        for link, reasons in suspended(bank.board).items():
            next_ = joined(remedies(reasons, name, link), "; ")
            said = Sentence(
                "Link {link} is suspended: {reasons}",
                link=titles.get(link, link),
                reasons=causes(reasons.split(", ")),
            )
            yield _trouble(said, next_, f"/ops/links/{quote(link, safe='')}", _on_page(reasons))
    yield from _unready(source)
    for name in _unfed(source):
        said = Sentence("Bank {bank} does not reach Redis: signs fed by Redis show a fault", bank=name)
        then = Sentence("start Redis, or check the network to it; the money does not wait for it")
        yield _trouble(said, then)
    nobody = any(state["bank"] == SITE and not state["people"] for state in states)
    if nobody and source.config.people.required:
        yield _trouble(Sentence("Nobody may validate or pay a hit"), Sentence(NOBODY_YET))
    yield from _untold(source)
    for state in states:
        yield from _at_limit(state["links"], source.config.displays)
        for table in state["behind"]:
            said = Sentence("Table {table} has answers that the ledger does not have", table=table)
            there = Sentence("two people say on the table's page whether they believe it")
            yield _trouble(said, remedy(BEHIND, state["bank"], ""), _table_at(table), there)
    yield from _doubled(source)
    yield from _at_tables(table for state in states for table in state["tables"])
    for devices in () if starting else _expected(source):
        if gone := sorted(belonging(devices) - set(devices.current)):
            said = Sentence(OFFLINE[devices.registry.role][len(gone) > 1], names=", ".join(gone))
            then = Sentence("check power, network and key; the log names devices that were refused")
            yield _trouble(said, then)


def _doubled(source: "OverviewSource") -> Iterator[dict[str, str]]:
    """Keys that two devices use."""
    for devices in (source.tables, source.signs):
        role = devices.registry.role
        for device in sorted(devices.registry.blocked):
            then = Sentence(
                "find the second one, then `jackpot keys clear {device} --role {key}`; "
                "a stolen key: `jackpot keys revoke`",
                device=device,
                key=role,
            )
            said = Sentence("Two devices use the key of {role} {device}", role=Sentence(role), device=device)
            yield _trouble(said, then)


def _unfed(source: "OverviewSource") -> list[str]:
    """The banks of this server that do not reach Redis; another server's banks are its own to feed."""
    down = [relay.bank for relay in source.relays if not relay.line.up]
    return [bank for bank in down if not source.banks[bank].lifecycle.elsewhere]


def _expected(source: "OverviewSource") -> list[ConnectedDevices]:
    """Devices whose absence is an alert; a sign that is not here may be at a signage process."""
    return [source.tables] if source.config.signage else [source.tables, source.signs]
