"""Parser of HTML forms; accepts only the encoding that our own pages send, since anybody may send one."""

from typing import Final
from urllib.parse import parse_qsl

from aiohttp import hdrs, web
from multidict import MultiDict

from jackpot.api.operation import QUOTED_MAX, BadRequest
from jackpot.config.sums import readings
from jackpot.config.writing import Writing
from jackpot.rules.terms import SUM_MAX
from jackpot.text import RefusalSentence, Sentence
from jackpot.web.http_connection import comes_within

FORM: Final = "application/x-www-form-urlencoded"
# A login, a password, a two-factor code and a page to go back to, each escaped three for one.
SIGN_IN_MAX: Final = 4_096
# One for each of a thousand tables, and the other fields of an act.
FIELDS_MAX: Final = 1_100
# From a request's head to the end of its body: a program has it ready, and people type before they send.
BODY_WITHIN_S: Final = 10.0
# Under this a request keeps its form: who checks that a page of ours sent it reads it first.
_PARSED: Final = web.RequestKey("form", MultiDict[str])
# In micro-dollars, what shows somebody how a sum is written here.
_SUCH_AS: Final = 5_000_000_000


async def form_of(request: web.Request, most: int | None = None) -> MultiDict[str]:
    """The fields of a form; none without a body. most: bytes, else what the listener takes.

    Raises HTTPException for what is no form of ours, or comes late. Who sends it does not choose the codec:
    some take seconds for what UTF-8 does in microseconds.
    """
    if most is None and _PARSED in request:
        return request[_PARSED]
    body = await body_of(request, "a form")
    if most is not None and len(body) > most:
        raise web.HTTPRequestEntityTooLarge(max_size=most, actual_size=len(body))
    if not body:
        return MultiDict()
    if request.content_type != FORM or (request.charset or "utf-8").lower() != "utf-8":
        raise web.HTTPUnsupportedMediaType(text=f"a form is {FORM} in UTF-8\n")
    try:
        text = body.decode()
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError as error:
        raise web.HTTPBadRequest(text="the form cannot be read\n") from error
    form = request[_PARSED] = MultiDict(pairs)
    return form


async def body_of(request: web.Request, what: str) -> bytes:
    """The whole body. what: for the refusal. Raises HTTPRequestTimeout if it does not come in time.

    Raises HTTPUnsupportedMediaType if it is compressed: nothing here decompresses what anybody may send.
    """
    if hdrs.CONTENT_ENCODING in request.headers:
        raise web.HTTPUnsupportedMediaType(text=f"{what} comes without a {hdrs.CONTENT_ENCODING}\n")
    try:
        async with comes_within(request, BODY_WITHIN_S):
            return await request.read()
    except TimeoutError as error:
        raise web.HTTPRequestTimeout(text=f"{what} comes whole within {BODY_WITHIN_S:g} s\n") from error


def sum_of(label: Sentence, text: str, way: Writing, *, change: bool = False, field: str = "") -> int:
    """The micro-dollars of a field. label: as the page calls it. change: as in `readings`.

    field: its name, where the refusal stands next to it; else the refusal says the label.

    Raises BadRequest, with a sentence for the page, if it is no sum, too large, or ambiguous.
    """
    found = sorted(readings(text, way, change=change))
    said = {"text": repr(text[:QUOTED_MAX]), "like": way.of_micros(_SUCH_AS)}
    if len(found) > 1:
        said |= {"one": way.exact(found[0]), "other": way.exact(found[1])}
        refusal = RefusalSentence("{text} may be {one} or {other}: write it like {like}", field=field, **said)
        raise BadRequest(refusal if field else Sentence("{label}: {refusal}", label=label, refusal=refusal))
    if not found or abs(found[0]) > SUM_MAX:
        said["most"] = way.of_micros(SUM_MAX)
        refusal = RefusalSentence(
            "{text} is no sum: write it like {like}, at most {most}", field=field, **said
        )
        raise BadRequest(refusal if field else Sentence("{label}: {refusal}", label=label, refusal=refusal))
    return found[0]
