"""OpenAPI 3.1 document of the HTTP API, generated from the routes and types that serve it.

`schemas/openapi.yaml` is this document in a file; `python -m tests.web.openapi` writes it again.
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from jackpot.api.act_reply import Problem
from jackpot.api.http_call import sums_of
from jackpot.api.operation import BASE, ActOptions, Ask, Query, path_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS, reply_of
from jackpot.rules.codes import OF_ACTS
from jackpot.web.api import JSON, KEY, KEY_HEADER, PROBLEM
from jackpot.web.authentication import SECURE_COOKIE
from jackpot.web.forms import BODY_WITHIN_S

Map = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
# The number of the API; within it answers may grow fields, and nothing else changes.
VERSION: Final = "1"
ABOUT: Final = """\
One surface for pages, the command line and programs. A question is a GET. An act is a POST with its fields as
a JSON object, answered once it is durable. Each act has a key of your own in the header `Idempotency-Key`:
sent again with the same key and content it is done once, and answered as the first time. A body comes whole
within {within:g} seconds; a later one is answered 408, and nothing is done.

Sums are decimal strings in the site's currency, rates per cent, moments unix milliseconds. A refusal is a
problem (RFC 9457): `code` says why, `field` which field is wrong, `next` what to do. A server that does not
hold the bank answers 421, and names the one that does; or 307, where it knows the address.

A program sends `Authorization: Bearer TOKEN`; a person makes the token at /ops/account, with some of their
roles. With it reports come as JSON, too: `/ops/reports/NAME?as=json`, with the fields of the report's page.
"""
_ACT: Final = "acts"


def document() -> Map:
    """The whole document, as plain data."""
    kinds: tuple[type[Ask], ...] = (*QUESTIONS, *ASKED_ACTS)
    replies = {reply_of(kind): None for kind in kinds}
    _, schemas = msgspec.json.schema_components((*replies, Problem), ref_template=_REF)
    codes = [code.value for code in OF_ACTS]
    schemas["Problem"]["properties"]["code"] |= {"enum": ["", *codes]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "jackpot",
            "version": VERSION,
            "summary": "Linked casino progressives",
            "description": _plain(ABOUT.format(within=BODY_WITHIN_S)),
        },
        "servers": [{"url": BASE}],
        "security": [{name: []} for name in _WHO],
        "tags": [{"name": "questions"}, {"name": _ACT}],
        "paths": {path_of(kind): _path(kind) for kind in kinds},
        "components": {
            "schemas": {name: _plain(schema) for name, schema in sorted(schemas.items())},
            "parameters": {"key": _KEY},
            "securitySchemes": _WHO,
            "responses": {"problem": _answer("Why it was refused", Problem, PROBLEM)},
        },
    }


def _path(kind: type[Ask]) -> Map:
    question = kind if issubclass(kind, Query) else None
    name = kind.__name__.removeprefix("Ask")
    operation = {
        "operationId": name[:1].lower() + name[1:],
        "tags": ["questions" if question else _ACT],
        **_described(kind),
        "responses": {
            "200": _answer("It is so" if question else "It is done", reply_of(kind)),
            "default": {"$ref": "#/components/responses/problem"},
        },
    }
    if question is not None:
        return {"get": operation | {"parameters": list(_parameters(question))}}
    body = {"required": True, "content": {JSON: {"schema": _fields(kind)}}}
    key = {"$ref": "#/components/parameters/key"}
    return {"post": operation | {"parameters": [key], "requestBody": body}}


def _described(kind: type[Any]) -> Map:
    """An operation's docstring: the first line is its summary."""
    summary, _, rest = (inspect.getdoc(kind) or kind.__name__).partition("\n\n")
    text = " ".join(rest.split())
    return {"summary": " ".join(summary.split()), **({"description": text} if text else {})}


def _parameters(kind: type[Query]) -> Iterable[Map]:
    """The parameters of a query's path and query string."""
    for name, schema in _schema(kind)["properties"].items():
        in_path = f"{{{name}}}" in kind.path
        yield {
            "name": name,
            "in": "path" if in_path else "query",
            "required": in_path,
            "schema": _optional(schema),
        }


def _optional(schema: Map) -> Map:
    """A field that is left out instead of being null."""
    kinds = schema.get("anyOf", [])
    there = [one for one in kinds if one != {"type": "null"}]
    if len(there) == 1 and len(kinds) == 2:
        return dict(there[0])
    return schema


def _fields(kind: type[Ask]) -> Map:
    """The body of an act: its fields, and what stands next to them."""
    own, near = _schema(kind), _schema(ActOptions)
    own["properties"].pop("do")
    for name in sums_of(kind):
        field = own["properties"][name]
        for one in field.get("anyOf", [field]):
            if one != {"type": "null"}:
                one["type"] = "string"  # an integer in the command alone (M1)
    return {
        "type": "object",
        "properties": own["properties"] | near["properties"],
        "required": [name for name in own["required"] if name != "do"],
        "additionalProperties": False,
    }


def _schema(kind: type[Any]) -> Map:
    _, found = msgspec.json.schema_components((kind,), ref_template=_REF)
    schema: Map = _plain(found[kind.__name__])
    return schema


def _answer(description: str, reply: type[Any], kind: str = JSON) -> Map:
    schema = {"$ref": _REF.format(name=reply.__name__)}
    return {"description": description, "content": {kind: {"schema": schema}}}


def _plain(schema: Any) -> Any:
    """A schema without titles, and without what only Python's patterns need at a line's end."""
    match schema:
        case Mapping():
            return {name: _plain(part) for name, part in schema.items() if not _is_title(name, part)}
        case list() | tuple():
            return [_plain(part) for part in schema]
        case str():
            text = schema.replace("(?!\\n)", "").replace("(?!\n)", "")
            return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
    return schema


def _is_title(name: str, part: Any) -> bool:
    """Whether the title only repeats the name of the type."""
    return name == "title" and isinstance(part, str)


# At the admin socket neither is needed: those who can open it may ask.
_WHO: Final[Map] = {
    "token": {"type": "http", "scheme": "bearer", "description": "a program's"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SECURE_COOKIE,
        "description": "a page's; it acts with the header X-Jackpot-Token of that page too",
    },
}
_KEY: Final[Map] = {
    "name": KEY_HEADER,
    "in": "header",
    "required": True,
    "description": "Of your own making, a new one for each act; a retry has the same",
    "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
}
