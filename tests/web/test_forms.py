"""Forms that no page of ours sends are refused before they cost anything."""

import asyncio
import gzip
import re
from pathlib import Path

import pytest

from jackpot.api.operation import BadRequest
from jackpot.app import Server
from jackpot.config.languages import translate
from jackpot.config.writing import writing
from jackpot.lab.bench.pages import here
from jackpot.reports.registry import REPORTS
from jackpot.runtime.isolate import failures
from jackpot.text import Sentence
from jackpot.web.authentication import PLAIN_COOKIE, page_token
from jackpot.web.forms import FIELDS_MAX, FORM, SIGN_IN_MAX, sum_of
from tests.net.test_admin_socket import royal
from tests.running_server import configure, on_loop, table
from tests.web.test_authentication import floor, signed_in

SIGN_IN = "/ops/sign-in"
MULTIPART = "multipart/form-data; boundary=x"
PART = b'--x\r\nContent-Disposition: form-data; name="login"\r\n%b\r\n\r\nabc\r\n--x--\r\n'


async def status(server: Server, path: str, body: bytes, *headers: bytes, short: int = 0) -> int:
    """The status of the answer to a form with those headers, byte for byte. No error is counted.

    short: bytes of the body that do not come.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
    head = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n" % (
        path.encode(),
        len(body) + short,
    )
    writer.write(head + b"".join(header + b"\r\n" for header in headers) + b"\r\n" + body)
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return int(line.split()[1])


@pytest.mark.parametrize(
    ("kind", "body", "answered"),
    [
        (f"{FORM}; charset=punycode", b"login=a", 415),
        (f"{FORM}; charset=nosuch", b"login=a", 415),
        (f"{FORM}; charset=utf-16", b"login=a", 415),
        (f"{FORM}; charset=\xff", b"login=a", 415),
        (MULTIPART, b"--x\r\n", 415),
        ("multipart/form-data", b"x", 415),
        (MULTIPART, PART % b"Content-Type: text/plain; charset=nosuch", 415),
        ("application/json", b"{}", 415),
        (FORM, b"login=\xff\xfe", 400),
        (FORM, b"login=%ED%A0%80", 400),
        (FORM, b"a&" * FIELDS_MAX, 400),
        (FORM, b"login=" + b"a" * SIGN_IN_MAX, 413),
        (FORM, b"login=a", 403),
        (f"{FORM}; charset=UTF-8", b"login=%C3%A9", 403),
        ("text/plain", b"", 403),
    ],
)
@on_loop
async def test_only_our_forms_are_read(tmp_path: Path, kind: str, body: bytes, answered: int) -> None:
    """S5, strangers: another codec, type or length is refused unread, and is nobody's failure."""
    before = dict(failures())
    async with Server(configure(tmp_path)) as server:
        said = b"Content-Type: " + kind.encode("latin-1")
        assert await status(server, SIGN_IN, body, said) == answered
        assert failures() == before


@pytest.mark.parametrize("path", [SIGN_IN, "/ops/acts/pay"])
@on_loop
async def test_a_form_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Descriptors: a body that is promised and does not come is answered 408, with a session and without."""
    monkeypatch.setattr("jackpot.web.forms.BODY_WITHIN_S", 0.3)
    async with floor(tmp_path) as (server, web):
        async with await signed_in(web) as answer:
            session = answer.cookies[PLAIN_COOKIE].value
        mine, form = f"Cookie: {PLAIN_COOKIE}={session}".encode(), f"Content-Type: {FORM}".encode()
        assert await status(server, path, b"login=a", mine, form, short=1) == 408


@on_loop
async def test_bytes_that_no_header_of_ours_has(tmp_path: Path) -> None:
    """Access: a page's token, a session and a program's token may be any bytes; they only open nothing."""
    before = dict(failures())
    async with floor(tmp_path) as (server, web):
        async with await signed_in(web) as answer:
            session = answer.cookies[PLAIN_COOKIE].value
        mine, form = f"Cookie: {PLAIN_COOKIE}={session}".encode(), f"Content-Type: {FORM}".encode()
        json = b"Content-Type: application/json"
        act, pay = "/ops/acts/pay", "/api/v1/acts/pay"
        assert await status(server, act, b"hit=H1", mine, form, b"X-Jackpot-Token: \xff\xc3") == 403
        assert await status(server, pay, b"{}", mine, json, b"X-Jackpot-Token: \xff\xc3") == 403
        assert (
            await status(server, pay, b"{}", json, f"Cookie: {PLAIN_COOKIE}=".encode() + b"\xff\xc3") == 401
        )
        assert await status(server, pay, b"{}", json, b"Authorization: Bearer \xff\xc3") == 401
        good = f"page={page_token(session)}&hit=H1&document=W-1".encode()
        assert await status(server, act, good, mine, form + b"; charset=punycode") == 415
        assert await status(server, act, good, mine, form) == 404  # there is no such hit
        assert failures() == before


@pytest.mark.parametrize("body", [gzip.compress(b"login=ann"), b"rubbish"], ids=["packed", "rubbish"])
@on_loop
async def test_a_packed_form_is_not_unpacked(tmp_path: Path, body: bytes) -> None:
    """Misuse: what a stranger packs tightly takes seconds to unpack, and tables would wait for it."""
    before = failures()
    async with Server(configure(tmp_path)) as server:
        form = b"Content-Type: %b" % FORM.encode()
        assert await status(server, SIGN_IN, body, form, b"Content-Encoding: gzip") == 415
    assert failures() == before


@on_loop
async def test_another_sites_form_is_not_read(tmp_path: Path) -> None:
    """CSRF: where it comes from is looked at first."""
    async with Server(configure(tmp_path)) as server:
        said = (f"Content-Type: {FORM}".encode(), b"Origin: http://evil.example")
        assert await status(server, SIGN_IN, b"login=\xff", *said) == 403


@on_loop
async def test_every_field_of_every_search_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1, S2: whatever somebody looks for, the page says what there is or what is wrong, and never fails."""
    monkeypatch.setattr("jackpot.app.readers", here)  # a thousand processes would take minutes
    before = dict(failures())
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        asked = set()
        for page in ("journal", "hits", "readings", *(f"reports/{name}" for name in REPORTS)):
            async with web.get(f"/ops/{page}") as empty:
                forms = re.findall(r'<form method="get".*?</form>', await empty.text(), re.DOTALL)
            named = re.findall(r'name="(\w+)"', "".join(forms))
            for field in ("bank", "before", *named):
                asked.add(field)
                for value in ("link_opened", "T01", "H1", "0", "-1", "\x00", "é" * 300):
                    async with web.get(f"/ops/{page}", params={field: value}) as answer:
                        assert answer.status in {200, 400, 404}, (page, field, value)
        assert {"kind", "table", "before", "bank", "day", "first", "last", "hit"} <= asked
        async with web.get("/ops/journal?kind=link_opened") as answer:
            text = await answer.text()
            assert "<b>Link opened</b>" in text
            chosen = '<option value="link_opened" selected>Link opened</option>'
            assert chosen in text, "what there is to search for is offered"
        assert failures() == before


@on_loop
async def test_a_sum_that_a_page_prints_is_taken_by_its_form_alone(tmp_path: Path) -> None:
    """M1: $1,200.00 is looked at as 1200.00, which is what the form sends; the API takes the decimal alone.

    What is no sum is said in the reader's language, by the field's own label.
    """
    act = {"act": "correct", "award": "A1"}
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        (await signed_in(web)).close()
        at = "/ops/hits/main/H1/preview"
        for amount in ("$1,200.00", "1,200", "1200"):
            async with web.get(at, params=act | {"amount": amount}) as answer:
                assert '<input type="hidden" name="amount" value="1200.00">' in await answer.text(), amount
        spanish = {"Accept-Language": "es-MX"}
        wrong = act | {"amount": "1,20", "form": "correct"}
        async with web.get(at, params=wrong, headers=spanish) as answer:
            label = re.search(r'<label for="correct-amount">(.*?)</label>', await answer.text())
        assert label is not None
        assert label[1].startswith("Importe correcto ")
        assert "&#39;1,20&#39; no es un importe: escríbalo como $5,000.00" in label[1]
        async with web.get("/api/v1/preview/correct?award=A1&amount=1,200.00") as answer:
            assert (answer.status, (await answer.json())["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.234", "El importe: '1.234' puede ser 1,234000 € o 1.234,00 €: escríbalo como 5.000,00 €"),
        ("1,2,3", "El importe: '1,2,3' no es un importe: escríbalo como 5.000,00 €"),
        ("1000000000,01", "a lo más 1.000.000.000,00 €"),
    ],
)
def test_a_sum_that_may_be_two_or_none_is_refused_with_both(text: str, said: str) -> None:
    """L8: where a plain decimal and the site's own way differ nothing is guessed."""
    with pytest.raises(BadRequest) as refused:
        sum_of(Sentence("El importe"), text, writing("de_DE", "EUR"), change=True)
    assert said in translate("es_MX", refused.value.args[0]).replace("\u00a0", " ")
