"""The soak's password-guessing attacks in a short form: a second each, at a server with sign-in."""

import asyncio
from pathlib import Path

import pytest

from jackpot.auth.login_rate_limiter import OF_LOGIN, OF_ONE
from tests.running_server import LINK, configure, on_loop
from tests.soak import doors
from tests.soak.doors import IN, Browser
from tests.soak.target import BROWSER, LOGINS, PROXY, Harmed, Target
from tests.web.staffed import FIRST, SECRET, staffed

SECONDS = 1.0


async def attacked(folder: Path, name: str, *, known: bool = True) -> str:
    """The final result of an attack. known: the browser has been there, else its login is locked."""
    assert FIRST == LOGINS
    async with staffed(configure(folder, extra=f'proxies = ["{PROXY}"]')) as server:
        port = server.ports["http"]
        browser = Browser(port, BROWSER)
        if not known:
            for number in range(OF_LOGIN):
                server.auth.rate_limiter.failed(LOGINS[0], f"10.0.0.{number}")
        else:
            status, _ = await asyncio.to_thread(browser.sign_in, LOGINS[0], SECRET)
            assert status == IN
        target = Target(
            server.ports["tables"], server.ports["signs"], port, SECONDS, {}, {}, LINK, browser.cookies
        )
        return str(await asyncio.to_thread(getattr(doors, name), target))


@on_loop
async def test_a_browser_comes_back_among_guesses(tmp_path: Path) -> None:
    """Misuse: its login is shut to strangers meanwhile, after as many guesses as are allowed."""
    said = await attacked(tmp_path, "a_browser_that_comes_back")
    assert "'shut': " in said
    assert f"'refused': {OF_LOGIN}" in said


@on_loop
async def test_a_browser_that_was_never_there_is_shut_out(tmp_path: Path) -> None:
    """Soak: without its cookies it is one of the strangers, and the attack says that it did harm."""
    with pytest.raises(Harmed, match="came back 1 times, and was told at last: shut"):
        await attacked(tmp_path, "a_browser_that_comes_back", known=False)


@on_loop
async def test_wrong_codes_by_ten_addresses_shut_no_login(tmp_path: Path) -> None:
    """Misuse: each is looked at ten times, a hundred in all, and a password is good from there at once."""
    assert f"'refused': {10 * OF_ONE}, 'shut': " in await attacked(tmp_path, "wrong_codes")


@on_loop
async def test_a_client_of_a_proxy_is_counted_as_itself(tmp_path: Path) -> None:
    """Misuse: whatever address it claims, it guesses ten times, and nobody else is locked out."""
    assert f"'refused': {OF_ONE}, 'shut': " in await attacked(tmp_path, "forged_behind_a_proxy")
