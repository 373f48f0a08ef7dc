"""API reference as a page of this server, which loads nothing from elsewhere."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
from aiohttp import web

from jackpot.api.operation import BASE
from jackpot.rules.codes import OF_ACTS
from jackpot.web.openapi import document
from jackpot.web.sign_pages import html, templates

Map = dict[str, Any]

PAGE: Final = "/api/docs"
FILE: Final = f"{BASE}/openapi.json"


def routes() -> list[web.RouteDef]:
    """The page, and the document that it is made of."""
    page, file = _render()

    async def docs(_request: web.Request) -> web.Response:
        """GET /api/docs: for people."""
        return html(page)

    async def openapi(_request: web.Request) -> web.Response:
        """GET /api/v1/openapi.json: for programs."""
        return web.Response(body=file, content_type="application/json")

    return [web.get(PAGE, docs), web.get(FILE, openapi)]


@cache
def _render() -> tuple[bytes, bytes]:
    """Page and document. They follow from the program alone, and are the most of what a start works out."""
    found = document()
    return _page(found), msgspec.json.encode(found)


def _page(found: Map) -> bytes:
    schemas = found["components"]["schemas"]
    page = (
        templates()
        .get_template("docs.html")
        .render(
            about=found["info"]["description"].strip().split("\n\n"),
            base=BASE,
            file=FILE,
            asks=list(_asks(found)),
            replies={name: list(_rows(schema)) for name, schema in schemas.items()},
            said_of={name: schema.get("description", "") for name, schema in schemas.items()},
            codes={code.value: about for code, about in OF_ACTS.items()},
        )
    )
    return page.encode()


def _asks(found: Map) -> Iterator[Map]:
    """Each operation as the page shows it."""
    for path, methods in found["paths"].items():
        for method, asked in methods.items():
            reply = asked["responses"]["200"]["content"]["application/json"]["schema"]
            body = (
                asked.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            )
            query = [
                (each["name"], _schema_text(each["schema"]), each["required"])
                for each in asked["parameters"]
                if "schema" in each
            ]
            yield {
                "id": asked["operationId"],
                "method": method.upper(),
                "path": path,
                "summary": asked["summary"],
                "more": asked.get("description", ""),
                "fields": query + list(_rows(body)),
                "reply": _name(reply),
            }


def _rows(schema: Map) -> Iterator[tuple[str, str, bool]]:
    """An operation's fields: name, type, and whether it is required."""
    must = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        yield name, _schema_text(field), name in must


def _schema_text(schema: Map | bool) -> str:
    """A schema in some words; "→Name" for another one's."""
    if isinstance(schema, bool):
        return "anything"
    if "$ref" in schema:
        return f"→{_name(schema)}"
    if "anyOf" in schema:
        return " or ".join(_schema_text(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " · ".join(str(one) or "nothing" for one in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array" and schema.get("prefixItems"):
        return f"[{', '.join(map(_schema_text, schema['prefixItems']))}]"
    if kind == "array":
        return f"list of {_schema_text(schema.get('items', True))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"by name: {_schema_text(schema['additionalProperties'])}"
    about = schema.get("description", "")
    default = f"; else {schema['default']}" if schema.get("default") not in (None, "") else ""
    return f"{kind}{f': {about}' if about else ''}{default}"


def _name(schema: Map) -> str:
    return str(schema["$ref"]).rpartition("/")[2]
