"""Encodes operations as HTTP requests and decodes them; shared by pages, commands and programs."""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args, get_type_hints
from urllib.parse import quote, urlencode

import msgspec

from jackpot.api.operation import (
    QUOTED_MAX,
    ActOptions,
    Ask,
    BadRequest,
    OperationCall,
    Query,
    ServerCommand,
    name_of,
    path_of,
)
from jackpot.catalogue.figures import parse_money
from jackpot.config.phrases import sentence
from jackpot.rules import names
from jackpot.rules.commands import DIGEST_BYTES, KEY_BYTES, ActCommand
from jackpot.rules.money import decimal, from_cents, of_decimal, to_cents
from jackpot.rules.phrases import bounded
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.auth.auth_service import AuthenticatedPerson

# A sum to the micro-dollar, as people type it.
_MICROS: Final = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,6})?")


class HttpCall(NamedTuple):
    """An operation as an HTTP request.

    path: below BASE, with its query. body: None for a query.
    """

    method: str
    path: str
    body: dict[str, Any] | None


def with_idempotency_key(request: OperationCall, who: "str | AuthenticatedPerson", key: str) -> OperationCall:
    """The act with an idempotency key: sent again with the key, it gets the first answer.

    The key is in the digest of the request, too: the journal has that, and nobody guesses names from it.
    """
    login = who if isinstance(who, str) else who.login
    whose = hashlib.sha256(msgspec.msgpack.encode((login, key))).digest()[:KEY_BYTES]
    asked = msgspec.msgpack.encode((key, request.ask, request.people, request.bank, request.seen))
    what = hashlib.sha256(asked).digest()[: DIGEST_BYTES - KEY_BYTES]
    return request._replace(digest=what + whose)


def target(ask: Ask, near: Mapping[str, str]) -> HttpCall:
    """The request for an operation. near: what stands next to an act's fields, as in `ActOptions`."""
    return target_of(type(ask), plain_of(ask) | dict(near))


def target_of(kind: type[Ask], fields: Mapping[str, Any]) -> HttpCall:
    """As `target`, for fields that may be wrong."""
    path, rest = path_of(kind), dict(fields)
    if not issubclass(kind, Query):
        return HttpCall("POST", path, rest)
    for name in re.findall(r"{(\w+)}", path):
        path = path.replace(f"{{{name}}}", quote(str(rest.pop(name, "")), safe=""))
    query = urlencode({name: _query(value) for name, value in rest.items() if value is not None})
    return HttpCall("GET", f"{path}?{query}" if query else path, None)


def _query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def question_of(
    kind: type[Query], fields: Mapping[str, str], *who: "str | AuthenticatedPerson"
) -> OperationCall:
    """Decodes a query from its path and query string. who: asks it. Raises BadRequest."""
    return OperationCall(_converted(kind, fields, strict=False), who)


def act_of(
    kind: type[ServerCommand | ActCommand],
    fields: Mapping[str, Any],
    who: "str | AuthenticatedPerson",
    *,
    strict: bool = True,
) -> OperationCall:
    """Decodes an act from its fields, as in JSON. Raises BadRequest.

    strict: not as in a form, where numbers are texts. who: a person who has signed in, or the login name of
    one who acts if `by` does not say.
    """
    near = {name: value for name, value in fields.items() if name in ActOptions.__struct_fields__}
    rest = {name: value for name, value in fields.items() if name not in near}
    found = _converted(ActOptions, near)
    rest |= {
        name: of_text(name, rest[name])
        for name, of_text in sums_of(kind).items()
        if rest.get(name) is not None
    }
    if "do" in rest:
        raise BadRequest(RefusalSentence("unknown", field="do"))
    ask = _converted(kind, rest | {"do": name_of(kind)}, strict=strict)
    if not isinstance(who, str):
        for name in ("by", "and_by"):
            if name in near:
                plain = "leave it out: you act as {who}, and a second person confirms at /ops/requests"
                raise BadRequest(RefusalSentence(plain, field=name, who=who.name))
        return OperationCall(ask, (who,), found.bank, seen=found.shown)
    people = _people(who if found.by is None else found.by, found.and_by)
    return OperationCall(ask, people, found.bank, seen=found.shown)


@cache
def sums_of(kind: type[Ask]) -> Mapping[str, Callable[[str, Any], int]]:
    """The fields of an act that are sums of money, strings in JSON (M1), each with its decoder."""
    found: dict[str, Callable[[str, Any], int]] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        metas = [meta for part in (hint, *get_args(hint)) for meta in getattr(part, "__metadata__", ())]
        extras = [getattr(meta, "extra", None) or {} for meta in metas]
        if any("cents" in extra for extra in extras):
            found[name] = _cents
        elif any("micros" in extra for extra in extras):
            found[name] = _micros
    return found


def _micros(name: str, sent: Any) -> int:
    if not isinstance(sent, str) or not _MICROS.fullmatch(sent):
        raise BadRequest(
            RefusalSentence(
                'a sum as a string, such as "-12.345678", with a sign where it is less', field=name
            )
        )
    return of_decimal(sent)


def _cents(name: str, sent: Any) -> int:
    if not isinstance(sent, str):
        raise BadRequest(RefusalSentence('a sum as a string, such as "9999.21"', field=name))
    try:
        return to_cents(parse_money(sent[:QUOTED_MAX]))
    except ValueError as error:
        raise BadRequest(RefusalSentence("{error}", field=name, error=bounded(str(error)))) from error


def plain_of(ask: Ask) -> dict[str, Any]:
    """The fields of an operation as JSON has them, without its name."""
    fields: dict[str, Any] = msgspec.to_builtins(ask)
    fields.pop("do", None)
    return fields | {
        name: decimal(from_cents(fields[name]) if read is _cents else fields[name])
        for name, read in sums_of(type(ask)).items()
        if fields[name] is not None
    }


def _people(by: str, and_by: str | None) -> tuple[str, ...]:
    """The signers of the act: one, or two different people."""
    asked = {"by": by, "and_by": and_by}
    given = {field: " ".join(name.split()) for field, name in asked.items() if name is not None}
    for field, name in given.items():
        wrong = names.fault(name)
        if wrong is not None:
            raise BadRequest(sentence(wrong, field))
    if len({names.normal_form(name) for name in given.values()}) < len(given):
        raise BadRequest(
            RefusalSentence(
                "{who} is the same person: name another one", field="and_by", who=repr(given["and_by"])
            )
        )
    return tuple(given.values())


def _converted(kind: Any, fields: Mapping[str, Any], *, strict: bool = True) -> Any:
    """Converts the fields to that type. strict: numbers are no texts. Raises BadRequest."""
    try:
        return msgspec.convert(dict(fields), kind, strict=strict)
    except msgspec.ValidationError as error:
        raise BadRequest(_wrong(error, kind)) from error


def _wrong(error: msgspec.ValidationError, kind: type[Ask | ActOptions]) -> RefusalSentence:
    """The decoder's error: the field, and what is wrong with it."""
    text = str(error).replace("`", "")
    if absent := re.fullmatch(r"Object (missing required|contains unknown) field (.+?)(?: - at .*)?", text):
        said = "missing" if absent[1][0] == "m" else "unknown"
        return RefusalSentence(said, field=absent[2][:QUOTED_MAX])
    complaint, _, path = text.rpartition(" - at $.")
    field = re.split(r"\W", path)[0] if complaint else ""
    complaint = "characters not allowed" if "regex" in complaint else complaint
    said = _bounds(kind, field) or complaint or text
    said = bounded(said[:1].lower() + said[1:])
    if wrong := re.fullmatch(r"expected (.+), got (.+)", said):
        plain = "expected {wanted}, got {got}"
        return RefusalSentence(plain, field=field or "request", wanted=wrong[1], got=wrong[2])
    if wrong := re.fullmatch(r"expected (.+)", said):
        return RefusalSentence("expected {wanted}", field=field or "request", wanted=wrong[1])
    return RefusalSentence(said, field=field or "request")


def _bounds(kind: type[Ask | ActOptions], field: str) -> str | None:
    """The bounds of the field in words; None if its type says enough."""
    hint = get_type_hints(kind, include_extras=True).get(field)
    for part in (hint, *get_args(hint)):
        for meta in getattr(part, "__metadata__", ()):
            if meta.description:
                return str(meta.description)
    return None
