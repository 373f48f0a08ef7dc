"""The HTTP API: one route for each operation that `jackpot.api.registry` lists.

A query is answered with a JSON object, an act too once it is durable. A refusal is a problem (RFC 9457) that
says why, names the field where one is wrong, and what to do next.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from aiohttp import hdrs, web

from jackpot.api.act_reply import Problem
from jackpot.api.executor import OperationExecutor
from jackpot.api.http_call import act_of, question_of, with_idempotency_key
from jackpot.api.operation import (
    BASE,
    QUOTED_MAX,
    ActOptions,
    Ask,
    BadRequest,
    NotDone,
    Query,
    Reply,
    ServerCommand,
    path_of,
)
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.auth.auth_service import AuthenticatedPerson, AuthService
from jackpot.config import Listen
from jackpot.ledger.store import LedgerError
from jackpot.net import admin_socket
from jackpot.net.listener import Listener
from jackpot.rules.codes import OF_ACTS, Code
from jackpot.rules.commands import ActCommand
from jackpot.runtime.errors import Denied
from jackpot.runtime.isolate import failed
from jackpot.text import RefusalSentence, Sentence
from jackpot.web.authentication import SAFE_METHODS, Untrusted
from jackpot.web.forms import body_of
from jackpot.web.http_connection import HttpConnections

# An act is a reason of 256 characters and a few ids, with room for escapes; a thousand believed tables fit.
REQUEST_MAX: Final = 65_536
# Those who ask choose it; a UUID is shorter.
KEY: Final = re.compile(r"[!-~]{1,64}")
KEY_HEADER: Final = "Idempotency-Key"
JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
# What explains a code: the page of the API has all of them.
TYPE: Final = "/api/docs#"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Who = Callable[[web.Request], Awaitable[str | AuthenticatedPerson]]


class ApiSource(NamedTuple):
    """Interface of the server to its API.

    who: says who asks; it raises what `RequestAuthentication.person` does. kind: names peers in the log whose
    requests fail. others: by server id, where its API is.
    """

    acts: OperationExecutor
    who: Who
    kind: str
    others: Mapping[str, str] = {}


def api(served: ApiSource) -> web.Application:
    """The routes below BASE."""
    app = web.Application(middlewares=[_problems(served.kind)])
    for question in QUESTIONS:
        app.router.add_get(path_of(question), _question(served, question), allow_head=False)
    for act in ASKED_ACTS:
        app.router.add_post(path_of(act), _act(served, act))
    return app


async def listen(
    at: Listen, listener: Listener, connections: HttpConnections, acts: OperationExecutor, auth: AuthService
) -> web.AppRunner:
    """Serves the API at the admin socket, which this user and the group of `at` may open. Raises OSError."""

    async def who(request: web.Request) -> str | AuthenticatedPerson:
        uid = _peer(request)
        login = admin_socket.login_of(uid)
        if request.method in SAFE_METHODS and admin_socket.reads_the_ledger(uid):
            return login
        return await auth.of_login(login) or login

    app = web.Application(client_max_size=REQUEST_MAX)
    app.add_subapp(BASE, api(ApiSource(acts, who, "admin")))
    listener.take(admin_socket.bound(at.admin, at.admin_group))
    runner, _ = await connections.serve(app, listener, None)
    return runner


def problem(refusal: NotDone, fields: Iterable[str] = (), status: int | None = None) -> web.Response:
    """A refusal as an answer. fields: those that the request may have. status: of HTTP, if not the code's."""
    about = OF_ACTS[refusal.code]
    said = refusal.message
    template, field = (said.template, said.field) if isinstance(said, RefusalSentence) else ("", "")
    unknown = isinstance(said, RefusalSentence) and said.plain == "unknown"
    status = about.status if status is None else status
    found = Problem(
        type=f"{TYPE}{refusal.code.value}",
        title=about.means,
        status=status,
        detail=str(said),
        code=refusal.code.value,
        template=template or None,
        values=said.english_values if isinstance(said, Sentence) else {},
        field=field if unknown or field in fields else None,
        next=about.then,
        hits=refusal.hits,
        bank=refusal.bank,
        server=refusal.server,
    )
    return _json(found, status, PROBLEM)


def _question(served: ApiSource, kind: type[Query]) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        who, query = await served.who(request), request.query
        twice = [name for name in query if len(query.getall(name)) > 1]
        if twice:
            raise BadRequest(RefusalSentence("given twice", field=twice[0][:QUOTED_MAX]))
        return _json(await served.acts.carry_out(question_of(kind, {**query, **request.match_info}, who)))

    return _with_problems(served, answer, kind)


def _act(served: ApiSource, kind: type[ServerCommand | ActCommand]) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        who, key = await served.who(request), request.headers.get(KEY_HEADER)
        if key is None or not KEY.fullmatch(key):
            what = "a header of 1 to 64 printable characters, a new one for each act"
            raise BadRequest(RefusalSentence(what, field=KEY_HEADER))
        asked = act_of(kind, await _body(request), who)
        return _json(await served.acts.carry_out(with_idempotency_key(asked, who, key)))

    return _with_problems(served, answer, kind)


def _with_problems(served: ApiSource, answer: Handler, kind: type[Ask]) -> Handler:
    """Wraps a handler, with its refusals as problems."""
    fields = {*kind.__struct_fields__, *ActOptions.__struct_fields__, KEY_HEADER, "body"}

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            return await answer(request)
        except BadRequest as error:
            return problem(NotDone(Code.BAD_REQUEST, error.message), fields)
        except NotDone as refusal:
            there = served.others.get(refusal.server or "")
            if there is None:
                return problem(refusal, fields)
            told = problem(refusal, fields, HTTPStatus.TEMPORARY_REDIRECT)
            told.headers[hdrs.LOCATION] = there + request.path_qs
            return told
        except Denied as error:
            told = problem(NotDone(error.code, error.message), status=HTTPStatus.UNAUTHORIZED)
            told.headers[hdrs.WWW_AUTHENTICATE] = "Bearer"
            return told
        except Untrusted as error:
            return _of_status(HTTPStatus.FORBIDDEN, str(error))
        except LedgerError:  # whose request it is is not known, so no more is told
            return problem(NotDone(Code.LEDGER, OF_ACTS[Code.LEDGER].means))

    return handle


async def _body(request: web.Request) -> Mapping[str, Any]:
    """The fields of an act. Raises BadRequest, HTTPException if it is no JSON, too long or late."""
    if request.content_type != JSON:
        raise web.HTTPUnsupportedMediaType(text=f"an act is {JSON}\n")
    body = await body_of(request, "an act")
    try:
        found: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(RefusalSentence("{error}", field="body", error=error)) from error
    return found


def _problems(kind: str) -> Any:
    """Turns errors that come before the fields are decoded into problems, too."""

    @web.middleware
    async def told(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as error:
            detail, then = _PATHS.get(error.status, (error.text or error.reason, ""))
            answer = _of_status(error.status, detail, then)
            if hdrs.ALLOW in error.headers:
                answer.headers[hdrs.ALLOW] = error.headers[hdrs.ALLOW]
            return answer
        except ConnectionError:
            raise  # the receiver is gone, which is no fault
        except Exception as error:  # noqa: BLE001 - one request fails, and nothing else
            failed(kind, request.path, error)
            return _of_status(HTTPStatus.INTERNAL_SERVER_ERROR, "this failed; the log says why")

    return told


# Of a path or a method that nothing answers: why, and what comes next. Neither repeats what was sent.
_PATHS: Final[Mapping[int, tuple[str, str]]] = {
    HTTPStatus.NOT_FOUND: ("there is no such path", "look at /api/docs, which has them all"),
    HTTPStatus.METHOD_NOT_ALLOWED: ("another method is needed", "ask by GET, act by POST: see /api/docs"),
}


def _of_status(status: int, detail: str, then: str = "") -> web.Response:
    """A problem that its HTTP status describes completely. then: what comes next."""
    title = HTTPStatus(status).phrase
    found = Problem(type="about:blank", title=title, status=status, detail=detail.strip(), code="", next=then)
    return _json(found, status, PROBLEM)


def _json(reply: Reply, status: int = 200, kind: str = JSON) -> web.Response:
    body = msgspec.json.encode(reply, enc_hook=_in_english)
    return web.Response(body=body, status=status, content_type=kind, headers={hdrs.CACHE_CONTROL: "no-store"})


def _in_english(text: object) -> str:
    """The English text for a program, where pages have their own language."""
    if not isinstance(text, Sentence):
        raise TypeError(type(text).__name__)
    return str(text)


def _peer(request: web.Request) -> int:
    """The user of the peer process of the admin socket."""
    transport = request.transport
    if transport is None:
        raise web.HTTPServiceUnavailable(text="the connection is gone\n")
    return admin_socket.peer_of(transport.get_extra_info("socket"))
