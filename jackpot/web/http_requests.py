"""aiohttp's side of one HTTP connection: its parser, its queue of requests, answers to malformed ones.

What is refused says why, and repeats nothing that a stranger sent.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol, TypeVar

from aiohttp import StreamReader, http_exceptions, web
from aiohttp.http import RawRequestMessage
from aiohttp.http_exceptions import HttpProcessingError

from jackpot.web.http_charge import Metered

# What is wrong with a request that is none, by aiohttp's error. Its own words repeat what was sent.
_FAULTS: Final = (
    (http_exceptions.LineTooLong, "a line of its head is too long"),
    (http_exceptions.BadHttpMethod, "its method is none"),
    (http_exceptions.BadStatusLine, "its first line is malformed"),
    (http_exceptions.InvalidHeader, "a header is malformed"),
    (http_exceptions.InvalidURLError, "its address is malformed"),
    (http_exceptions.PayloadEncodingError, "its body does not come as its head says"),
)

T = TypeVar("T")


class RequestConnection(Protocol):
    """The connection, as its requests see it. handling: the request that is answered now."""

    handling: web.BaseRequest | None

    def hold(self, *, on: bool) -> None:
        """Pauses while there is no room for more bytes."""

    def spend(self, seconds: float) -> None:
        """Charges processor time of this connection that belongs to no request."""

    async def handle(self, request: web.BaseRequest, work: Coroutine[Any, Any, T]) -> T:
        """Handles a request when it is its turn, and charges what it costs."""


class Requests(web.RequestHandler):
    """One connection as aiohttp handles it.

    The RequestConnection decides when it is read on, and is charged for it.
    """

    connection: RequestConnection
    # What was handed over ends where a request ends: the next byte begins another one.
    between = True
    # The body of the request that came last, and whether nothing that comes after it is one.
    _newest: StreamReader | None = None
    _last = False

    @property
    def asked(self) -> bool:
        """Whether requests wait to be handled."""
        return bool(self._messages)

    @property
    def idle(self) -> bool:
        """Whether it waits for a head."""
        return not self._messages and self._waiter is not None and not self._waiter.done()

    @property
    def wants_more(self) -> bool:
        """Whether bytes are of use now: a head, or more of the body of the request that is handled."""
        if self._messages:
            return not self._messages[-1][1].is_eof()
        handling = self.connection.handling
        return handling is None or not handling.content.is_eof()

    async def start(self) -> None:
        await Metered(super().start(), self.connection.spend)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._messages:
            self.note_newest(*self._messages[-1])
        # A head that is not whole ends otherwise. While aiohttp is paused it may keep one for later.
        whole = data.endswith(b"\r\n\r\n") and (self._newest is None or self._newest.is_eof())
        kept = self._upgraded or self._buffer_paused or self._reading_paused
        self.between = whole and not kept and not self._last

    def note_newest(self, message: object, body: StreamReader) -> None:
        """Notes the request that came last; a malformed one is the last of its connection."""
        self._newest = body
        self._last = self._last or not isinstance(message, RawRequestMessage) or message.should_close

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        if isinstance(resp, web.HTTPExpectationFailed):
            resp.text = "nothing here does what it expects\n"
        return await super().finish_response(request, resp, start_time)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if isinstance(exc, HttpProcessingError):
            message = f"this is no request: {fault(exc)}\n"
        return super().handle_error(request, status, exc, message)

    async def _handle_request(
        self,
        request: web.BaseRequest,
        start_time: float | None,
        request_handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    ) -> tuple[web.StreamResponse, bool]:
        work = super()._handle_request(request, start_time, request_handler)
        return await self.connection.handle(request, work)

    def _pause_transport_reading(self) -> None:
        self.connection.hold(on=True)

    def _resume_transport_reading(self) -> None:
        self.connection.hold(on=False)


def fault(error: HttpProcessingError) -> str:
    """What is wrong with a request, without what was sent."""
    return next((words for kind, words in _FAULTS if isinstance(error, kind)), "it is malformed")
