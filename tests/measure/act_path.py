"""Traces one act of people through the server. By hand: `python -m tests.measure.act_path`.

A real server on SQLite, and two people who have signed in. Ann sends the form of a preview, which corrects a
meter: it waits for a second person. Bo sends the form by which he confirms it. Every call of ours is noted
from a form's bytes (`buffer_updated`) to the bytes of its answer (`transport.write`), in the loop and in the
threads that read and write the ledger, but for those of a tick.
"""

import argparse
import asyncio
import sys
import tempfile
import threading
from collections import Counter
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

import aiohttp

from jackpot.app import Server
from jackpot.web.authentication import PLAIN_COOKIE
from tests.measure.call_trace import Call, CallTrace, profiling, report
from tests.running_server import LINK, configure
from tests.web.staffed import prove, staffed

BEGINS: Final = "HttpConnection.buffer_updated"
# A form that was carried out is answered with the address of its page.
ANSWER: Final = b"HTTP/1.1 303"
PREVIEW: Final = f"/ops/links/{LINK}/preview?act=correct-meter&level=mega&account=primary&amount=1.00"
REQUESTS: Final = "/ops/requests"
# What every request passes, whatever it asks for.
CONNECTION: Final = (
    "jackpot/net/admission.py",
    "jackpot/runtime/isolate.py",
    "jackpot/web/http_budget.py",
    "jackpot/web/http_charge.py",
    "jackpot/web/http_connection.py",
    "jackpot/web/http_requests.py",
)
CLOCK: Final = "jackpot/clock.py"
# The shortest of so many is printed: tasks that look around every few seconds add calls of their own to some.
TRIES: Final = 3


class ActPath(NamedTuple):
    """The path of one act. form: that asks for it. confirmation: by a second person."""

    form: list[Call]
    confirmation: list[Call]


class Form(HTMLParser):
    """A form of a page that goes to an address, with the fields that the page has filled in."""

    def __init__(self, page: str, action: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._action = action
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "form":
            self._inside = has.get("action") == self._action
        elif tag == "input" and self._inside and (name := has.get("name")):
            self.fields[name] = has.get("value") or ""


async def trace(folder: Path) -> ActPath:
    """Asks for an act and confirms it, alone."""
    sending, paths = threading.Event(), list[list[Call]]()
    found = CallTrace(lambda frame: sending.is_set() and frame.f_code.co_qualname == BEGINS, ANSWER)
    with profiling(found):
        async with staffed(configure(folder, tables=1, signs=0)) as server:
            for login, page, act, typed in (
                ("ann", PREVIEW, "correct-meter", {"reason": "counted again"}),
                ("bo", REQUESTS, "confirm", {}),
            ):
                session = (await server.auth.begin(await prove(server, login))).token
                async with _browser(server, session) as browser:
                    form = await _form(browser, page, f"/ops/acts/{act}")
                    sending.set()
                    await _send(browser, f"/ops/acts/{act}", form | typed)
                    sending.clear()
                paths.append(list(found.calls))
                found.calls.clear()
            bank = server.banks["main"]
            corrected = await bank.ask(lambda engine: engine.state.links[0].levels[0].accounts.corrections)
            assert corrected, "the act was done"
    return ActPath(*paths)


def _browser(server: Server, session: str) -> aiohttp.ClientSession:
    root = f"http://127.0.0.1:{server.ports['http']}"
    return aiohttp.ClientSession(root, headers={"Cookie": f"{PLAIN_COOKIE}={session}"})


async def _form(browser: aiohttp.ClientSession, page: str, action: str) -> dict[str, str]:
    """The fields of a page's form, as the page has filled them in."""
    async with browser.get(page) as answer:
        return Form(await answer.text(), action).fields


async def _send(browser: aiohttp.ClientSession, action: str, form: dict[str, str]) -> None:
    async with browser.post(action, data=form, allow_redirects=False) as answer:
        assert answer.status == HTTPStatus.SEE_OTHER, await answer.text()


def _of_connection(call: Call) -> bool:
    """Whether it reads bytes, waits for a turn or charges its cost, as for any request."""
    return call.file in CONNECTION or (call.file == CLOCK and call.by in CONNECTION)


def _tried(_time: int) -> ActPath:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(trace(Path(folder)))


def main() -> int:
    wanted = argparse.ArgumentParser(
        "python -m tests.measure.act_path",
        description="Traces one act of people: the form that asks for it, and its confirmation by a second "
        "person. Prints calls of our own functions, functions, files, and crossings between files.",
    )
    wanted.add_argument("--calls", action="store_true", help="print every call, in its order")
    wanted.add_argument("--files", action="store_true", help="print how many calls are made in each file")
    asked = wanted.parse_args()
    path = ActPath(*(min(calls, key=len) for calls in zip(*map(_tried, range(TRIES)), strict=True)))
    for what, calls in (("the form", path.form), ("the confirmation", path.confirmation)):
        for call in calls if asked.calls else ():
            print(f"{call.file}: {call.function}")
        if asked.files:
            for file, times in Counter(call.file for call in calls).most_common():
                print(f"{times:5} {file}")
        report(what, calls)
        report(
            f"{what}, without its connection's turns", [call for call in calls if not _of_connection(call)]
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
