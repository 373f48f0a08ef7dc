"""What may be asked of a running server? Questions, acts of its own, and the acts of people in the registry.

Each is one route of the HTTP API, and this is the one place that says which: a question is a GET of its path,
an act a POST to /acts/NAME with its fields as a JSON object. Pages, commands and programs ask the same way.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    get_args,
    get_type_hints,
)
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Meta

from controllers.messages import Id
from jackpot.catalogue.figures import parse_money
from jackpot.rules import names, signing
from jackpot.rules.acts import ACTS
from jackpot.rules.acts.act import ADMIN
from jackpot.rules.acts.fields import AwardId, Cents, Document, DocumentNumber, Fact, HitId, Reason, Role
from jackpot.rules.acts.people import Number
from jackpot.rules.commands import DIGEST_BYTES, KEY_BYTES, ActCommand
from jackpot.rules.money import decimal, from_cents, of_decimal, to_cents
from jackpot.rules.refusal import bounded
from jackpot.rules.signing import ROLES, SITE
from jackpot.server import replies
from jackpot.server.replies import Reply

if TYPE_CHECKING:
    from jackpot.server.people import Person

# Where the API stands; a change that breaks a program gets another number.
BASE: Final = "/api/v1"
# A sum to the micro-dollar, as people type it.
_MICROS: Final = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,6})?")
# What a complaint repeats of a request.
QUOTED_MOST: Final = 64
# One page of a list: as many as a person looks at, and as an answer holds.
PAGE_MOST: Final = 100

Limit = Annotated[int, Meta(ge=1, le=PAGE_MOST, description=f"1 to {PAGE_MOST}")]
Seq = Annotated[int, Meta(ge=1, le=2**63 - 1, description="the number of an entry of the journal")]
Kind = Annotated[
    str, Meta(pattern=r"^[a-z_]{1,64}(?!\n)$", description="a kind of entry, such as link_opened")
]


class BadRequest(Exception):
    """The request cannot be carried out as it stands; its text names the field that is missing or wrong."""


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """It changes nothing. path: its route; a field in braces stands there, the others in the query.

    power: of a person who asks, one of these roles.
    """

    path: ClassVar[str]
    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply: ClassVar[type[Reply]]


class OfSite(Question, frozen=True):
    """Where does the server stand, and how are sums and times written there?"""

    path = "/site"
    reply = replies.Site


class Leases(Question, frozen=True):
    """Who has each bank?"""

    path = "/banks"
    reply = replies.Banks


class Links(Question, frozen=True):
    """What do the books say of every link and level (S1)? bank: of that one alone."""

    path = "/links"
    reply = replies.Links
    bank: Id | None = None


class OneLink(Question, frozen=True):
    """What do the books say of one link and its levels (S1)?"""

    path = "/links/{link}"
    reply = replies.Link
    link: Id


class Preview(Question, frozen=True):
    """What would an act of people do to a link, or why would it be refused? Nothing is done.

    levels: of a transfer, parted by commas. For the other fields see the act.
    """

    path = "/links/{link}/preview"
    reply = replies.Preview
    link: Id
    act: Literal["correct-meter", "transfer", "close-link", "change-parameters"]
    level: Id | None = None
    account: Literal["primary", "reserve", "overflow"] | None = None
    amount: Annotated[str, Meta(max_length=QUOTED_MOST)] | None = None
    to: Id | None = None
    levels: Annotated[str, Meta(max_length=256)] | None = None


class Tables(Question, frozen=True):
    """What is on every table? bank: of that one alone."""

    path = "/tables"
    reply = replies.Tables
    bank: Id | None = None


class OneTable(Question, frozen=True):
    """What is on a table: its round, and what it waits for?"""

    path = "/tables/{table}"
    reply = replies.Table
    table: Id


class WaitingHits(Question, frozen=True):
    """Which hits of a bank wait for people, the oldest first? after: newer ones than this."""

    path = "/hits/waiting"
    reply = replies.Hits
    bank: Id | None = None
    after: HitId | None = None
    limit: Limit = PAGE_MOST


class Hits(Question, frozen=True):
    """Which hits did a bank ever have, the newest first? before: older ones than this."""

    path = "/hits"
    reply = replies.Hits
    bank: Id | None = None
    before: HitId | None = None
    limit: Limit = PAGE_MOST


class OneHit(Question, frozen=True):
    """What became of a hit, step by step?"""

    path = "/hits/{hit}"
    reply = replies.Hit
    hit: HitId
    bank: Id | None = None


class Readings(Question, frozen=True):
    """What stood on every meter at each gaming day's end, the newest first (S2)?

    before: an entry's number.
    """

    path = "/readings"
    reply = replies.Readings
    bank: Id | None = None
    before: Seq | None = None
    limit: Limit = 10


class Journal(Question, frozen=True):
    """What is in a bank's journal, the newest first? kind, table: those alone. before: older than this."""

    path = "/journal"
    reply = replies.Journal
    bank: Id | None = None
    before: Seq | None = None
    kind: Kind | None = None
    table: Id | None = None
    limit: Limit = 50


class Devices(Question, frozen=True):
    """Which tables and signs are known, and which of them are connected here?"""

    path = "/devices"
    reply = replies.Devices


class Requests(Question, frozen=True):
    """What waits for a second person?"""

    path = "/requests"
    reply = replies.Requests


class Alarms(Question, frozen=True):
    """What alarmed, and nobody has acknowledged it yet (T3, S6, S9, L11)?"""

    path = "/alarms"
    reply = replies.Alarms


class People(Question, frozen=True):
    """Who are the people of the site, and what may each of them do? For admins and auditors."""

    path = "/people"
    power = ("auditor", "admin")
    reply = replies.People


class ServerAct(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """People ask it of this server, and not of a bank's rules. what: in words, for those who may not."""

    reply: ClassVar[type[Reply]]
    what: ClassVar[str]
    power: ClassVar[tuple[signing.Role, ...]] = ADMIN


class HandOver(ServerAct, tag="hand-over", frozen=True):
    """Another server may take the bank now."""

    reply = replies.HandedOver
    what = "hand a bank over"


class ChangeParameters(ServerAct, tag="change-parameters", frozen=True):
    """A suspended link plays on the terms of this server's configuration from now on (L9); two people."""

    reply = replies.Done
    what = "change a link's parameters"
    link: Id
    reason: Reason


class Revoke(ServerAct, tag="revoke", frozen=True):
    """A device's keys end for ever. key: the fingerprint of one of them, None for all that are valid."""

    reply = replies.Revoked
    what = "revoke a key"
    device: Id
    role: Role = "table"
    key: str | None = None


class AddPerson(ServerAct, tag="add-person", frozen=True):
    """A person joins, without a secret. It takes an admin; with a role it takes two people."""

    reply = replies.Done
    what = "add a person"
    bank: ClassVar[str] = SITE
    login: str
    name: str
    roles: tuple[signing.Role, ...] = ()


class GiveCode(ServerAct, tag="give-code", frozen=True):
    """An admin who signed in is told a one-time code, with which a person who has no secret chooses one."""

    reply = replies.OneTimeCode
    what = "give a code"
    bank: ClassVar[str] = SITE
    person: Number


class Payout(ServerAct, frozen=True):
    """What is done with a hit, with what people write on its papers: the act of the rules has their digest.

    personal: fields that name somebody. They lie next to the journal; the rules decide, and journal, who may.
    """

    personal: ClassVar[tuple[str, ...]]
    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = replies.Done
    what = "write on a hit's papers"
    hit: HitId

    def papers(self) -> dict[str, str]:
        """What names somebody, without what was left out."""
        return {name: text for name in self.personal if (text := getattr(self, name))}


class Validate(Payout, tag="validate", frozen=True):
    """A floorperson validates a hit, or one of its awards (A10).

    surveillance: the reference of its pictures. dealer, witness: who was there.
    """

    personal = ("dealer", "witness")
    award: AwardId | None = None
    dealer: Fact = ""
    witness: Fact = ""
    surveillance: Fact = ""


class Pay(Payout, tag="pay", frozen=True):
    """A validated hit, or one award of it, is paid (A10, T11). document: the number of the payout form.

    patron: who is paid, or their reference. tax_form, tax_number: of the form that the site's sum takes.
    """

    personal = ("patron", "tax_number")
    document: DocumentNumber
    award: AwardId | None = None
    patron: Fact = ""
    tax_form: Fact = ""
    tax_number: Fact = ""


class AddPapers(Payout, tag="add-papers", frozen=True):
    """Something more is written on the papers of a hit, once it is validated or paid (A10).

    What they said before stays. The other fields are those of `validate` and `pay`.
    """

    personal = ("dealer", "witness", "patron", "tax_number")
    reason: Reason
    dealer: Fact = ""
    witness: Fact = ""
    surveillance: Fact = ""
    patron: Fact = ""
    tax_form: Fact = ""
    tax_number: Fact = ""


class Correct(ServerAct, tag="correct", frozen=True):
    """An award comes to another sum (A10); two people. document: a must where it is paid.

    tax_form: its name, where what is paid on top brings a seat to the site's sum.
    """

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = replies.Done
    what = "correct an award"
    award: AwardId
    amount: Cents
    reason: Reason
    document: Document = ""
    tax_form: Fact = ""


class ErasePapers(ServerAct, tag="erase-papers", frozen=True):
    """What names somebody on the papers of a settled hit is erased; two people, before its time is over."""

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = replies.Done
    what = "erase a hit's papers"
    hit: HitId
    reason: Reason


class EraseName(ServerAct, tag="erase-name", frozen=True):
    """What a person who left was called is kept no longer; two people, before its time is over."""

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = replies.Done
    what = "erase a name"
    bank: ClassVar[str] = SITE
    person: Number


Ask = Question | ServerAct | ActCommand
QUESTIONS: Final[tuple[type[Question], ...]] = tuple(Question.__subclasses__())
ASKED_ACTS: Final[tuple[type[ServerAct | ActCommand], ...]] = (
    *(kind for kind in ServerAct.__subclasses__() if kind is not Payout),
    *Payout.__subclasses__(),
    *(act.command for act in ACTS if act.asked),
)


class Request(NamedTuple):
    """people: who stands for it, or asks it; nobody for what anybody may ask.

    bank: where its fields do not say which it is.
    digest: of an act, so that it is done once for each key; see `keyed`.
    """

    ask: Ask
    people: "tuple[str | Person, ...]" = ()
    bank: str | None = None
    digest: bytes = b""


class Next(msgspec.Struct, frozen=True):
    """What may stand next to an act's fields. by: None for the one who asks; and_by: the second of two."""

    by: str | None = None
    and_by: str | None = None
    bank: Id | None = None


class Target(NamedTuple):
    """An ask as a request over HTTP. path: below BASE, with its query. body: None for a question."""

    method: str
    path: str
    body: dict[str, Any] | None


def keyed(request: Request, who: "str | Person", key: str) -> Request:
    """The act, to be done once for this key of theirs: with the key again comes the first answer."""
    login = who if isinstance(who, str) else who.login
    whose = hashlib.sha256(msgspec.msgpack.encode((login, key))).digest()[:KEY_BYTES]
    asked = msgspec.msgpack.encode((request.ask, request.people, request.bank))
    what = hashlib.sha256(asked).digest()[: DIGEST_BYTES - KEY_BYTES]
    return request._replace(digest=what + whose)


def name_of(kind: type[ServerAct | ActCommand]) -> str:
    """What an act is called: the last part of its path."""
    return str(kind.__struct_config__.tag)


def path_of(kind: type[Ask]) -> str:
    """The route of an ask, below BASE."""
    return kind.path if issubclass(kind, Question) else f"/acts/{name_of(kind)}"


def reply_of(kind: type[Ask]) -> type[Reply]:
    """What an ask is answered with."""
    return replies.Done if issubclass(kind, ActCommand) else kind.reply


def target(ask: Ask, near: Mapping[str, str]) -> Target:
    """Where an ask goes. near: what stands next to an act's fields, as in `Next`."""
    return target_of(type(ask), plain_of(ask) | dict(near))


def target_of(kind: type[Ask], fields: Mapping[str, Any]) -> Target:
    """As `target`, of fields that may be wrong."""
    path, rest = path_of(kind), dict(fields)
    if not issubclass(kind, Question):
        return Target("POST", path, rest)
    for name in re.findall(r"{(\w+)}", path):
        path = path.replace(f"{{{name}}}", quote(str(rest.pop(name, "")), safe=""))
    query = urlencode({name: _query(value) for name, value in rest.items() if value is not None})
    return Target("GET", f"{path}?{query}" if query else path, None)


def _query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def question_of(kind: type[Question], fields: Mapping[str, str], *who: "str | Person") -> Request:
    """A question of the parts of its path and query. who: asks it. Raises BadRequest."""
    return Request(_converted(kind, fields, strict=False), who)


def act_of(
    kind: type[ServerAct | ActCommand], fields: Mapping[str, Any], who: "str | Person", *, strict: bool = True
) -> Request:
    """An act of its fields, as in JSON. strict: not as in a form, where numbers are texts. Raises BadRequest.

    who: a person who has come in, or the login name of one who acts where `by` does not say.
    """
    near = {name: value for name, value in fields.items() if name in Next.__struct_fields__}
    rest = {name: value for name, value in fields.items() if name not in near}
    found = _converted(Next, near)
    rest |= {name: of_text(name, rest[name]) for name, of_text in sums_of(kind) if name in rest}
    if "do" in rest:
        raise BadRequest("do: unknown")
    ask = _converted(kind, rest | {"do": name_of(kind)}, strict=strict)
    if not isinstance(who, str):
        for name in ("by", "and_by"):
            if name in near:
                said = f"{name}: leave it out: you act as {who.name}"
                raise BadRequest(f"{said}, and a second person confirms at /ops/requests")
        return Request(ask, (who,), found.bank)
    return Request(ask, _people(who if found.by is None else found.by, found.and_by), found.bank)


def sums_of(kind: type[Ask]) -> Iterable[tuple[str, Callable[[str, Any], int]]]:
    """The fields of an act that are sums of money, strings in JSON (M1), each with what reads it."""
    for name, hint in get_type_hints(kind, include_extras=True).items():
        extras = [getattr(meta, "extra", None) or {} for meta in getattr(hint, "__metadata__", ())]
        if any("cents" in extra for extra in extras):
            yield name, _cents
        elif any("micros" in extra for extra in extras):
            yield name, _micros


def _micros(name: str, sent: Any) -> int:
    if not isinstance(sent, str) or not _MICROS.fullmatch(sent):
        raise BadRequest(f'{name}: a sum as a string, such as "-12.345678", with a sign where it is less')
    return of_decimal(sent)


def _cents(name: str, sent: Any) -> int:
    if not isinstance(sent, str):
        raise BadRequest(f'{name}: a sum as a string, such as "9999.21"')
    try:
        return to_cents(parse_money(sent[:QUOTED_MOST]))
    except ValueError as error:
        raise BadRequest(bounded(f"{name}: {error}")) from error


def plain_of(ask: Ask) -> dict[str, Any]:
    """The fields of an ask as JSON has them, without its name."""
    fields: dict[str, Any] = msgspec.to_builtins(ask)
    fields.pop("do", None)
    sums = dict(sums_of(type(ask)))
    return fields | {
        name: decimal(from_cents(fields[name]) if read is _cents else fields[name])
        for name, read in sums.items()
    }


def _people(by: str, and_by: str | None) -> tuple[str, ...]:
    """Who stands for the act: one, or two different people."""
    asked = {"by": by, "and_by": and_by}
    given = {field: " ".join(name.split()) for field, name in asked.items() if name is not None}
    for field, name in given.items():
        wrong = names.fault(name)
        if wrong is not None:
            raise BadRequest(f"{field}: {wrong}")
    if len({names.plain(name) for name in given.values()}) < len(given):
        raise BadRequest(f"and_by: {given['and_by']!r} is the same person; a second one must stand for it")
    return tuple(given.values())


def _converted(kind: Any, fields: Mapping[str, Any], *, strict: bool = True) -> Any:
    """The fields as that type. strict: numbers are no texts. Raises BadRequest."""
    try:
        return msgspec.convert(dict(fields), kind, strict=strict)
    except msgspec.ValidationError as error:
        raise BadRequest(_wrong(error, kind)) from error


def _wrong(error: msgspec.ValidationError, kind: type[Ask | Next]) -> str:
    """The decoder's complaint as `field: what is wrong`."""
    text = str(error).replace("`", "")
    if absent := re.fullmatch(r"Object (missing required|contains unknown) field (.+?)(?: - at .*)?", text):
        return f"{absent[2][:QUOTED_MOST]}: {'missing' if absent[1][0] == 'm' else 'unknown'}"
    complaint, _, path = text.rpartition(" - at $.")
    field = re.split(r"\W", path)[0] if complaint else ""
    complaint = "characters not allowed" if "regex" in complaint else complaint
    said = _bounds(kind, field) or complaint or text
    return bounded(f"{field or 'request'}: {said[:1].lower()}{said[1:]}")


def _bounds(kind: type[Ask | Next], field: str) -> str | None:
    """What may stand in the field, in words; None where its type says enough."""
    hint = get_type_hints(kind, include_extras=True).get(field)
    for part in (hint, *get_args(hint)):
        for meta in getattr(part, "__metadata__", ()):
            if meta.description:
                return str(meta.description)
    return None
