"""Password-guessing attacks on the sign-in page while tables play, and lockout of honest people.

Each attack ends with a sign-in by honest people: `Harmed` where one of them was refused.
"""

import http.client
import urllib.parse
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from itertools import count
from typing import Final

from jackpot.auth.auth_service import SHUT
from jackpot.auth.login_rate_limiter import OF_ONE
from jackpot.auth.password_hashing import BUSY
from tests.soak.target import BROWSER, HOST, LOGINS, PROXY, SECRET, Harmed, Target, until, wait_a_moment

# Longer than any answer is waited for while strangers ask as well.
ANSWERED_S: Final = 60.0
# Of one person a busy evening's pace.
COMES_BACK_S: Final = 0.5
IN: Final = 303
WRONG: Final = "wrong-wrong-wrong"
# Guessers at passwords and at codes, and one who has done nothing.
FORTY: Final = [f"127.0.1.{number}" for number in range(1, 41)]
TEN: Final = [f"127.0.2.{number}" for number in range(1, 11)]
NEWCOMER: Final = "127.0.2.99"
# Two clients of the proxy, and addresses that the first wants to be taken for.
GUESSER, NEIGHBOUR = "203.0.113.9", "192.0.2.1"
FORGED: Final = "198.51.100."


class Browser:
    """A browser with a cookie jar. cookies: those that it has already.

    forwarded: the lines of X-Forwarded-For on its way through a proxy.
    """

    def __init__(self, port: int, address: str, cookies: str = "", forwarded: Sequence[str] = ()) -> None:
        self.jar = SimpleCookie(cookies)
        self.forwarded = forwarded
        self._port = port
        self._address = address

    @property
    def cookies(self) -> str:
        return "; ".join(f"{name}={one.value}" for name, one in self.jar.items())

    def sign_in(self, login: str, secret: str, first: str = "") -> tuple[int, str]:
        """The status and the text. first: a one-time code."""
        form = urllib.parse.urlencode({"login": login, "secret": secret, "first": first}).encode()
        way = http.client.HTTPConnection(HOST, self._port, ANSWERED_S, (self._address, 0))
        try:
            way.putrequest("POST", "/ops/sign-in")
            way.putheader("Content-Type", "application/x-www-form-urlencoded")
            way.putheader("Content-Length", str(len(form)))
            if self.jar:
                way.putheader("Cookie", self.cookies)
            for line in self.forwarded:
                way.putheader("X-Forwarded-For", line)
            if self.forwarded:
                way.putheader("X-Forwarded-Proto", "https")
            way.endheaders(form)
            answer = way.getresponse()
            text = answer.read().decode()
            for cookie in answer.headers.get_all("Set-Cookie", ()):
                self.jar.load(cookie)
        finally:
            way.close()
        return answer.status, text


def told(answer: tuple[int, str]) -> str:
    """A one-word summary of an answer."""
    status, text = answer
    if status == IN:
        return "in"
    return next((word for word, said in (("shut", SHUT), ("busy", BUSY)) if said[1:] in text), "refused")


def guessing(
    target: Target, addresses: Sequence[str], guess: Callable[[Browser], tuple[int, str]]
) -> Counter[str]:
    """Runs guessers that each guess again after every answer; returns all answers.

    Each goes on until it is locked out, also where that takes longer.
    """

    def one(address: str) -> Counter[str]:
        browser, said, over = Browser(target.http, address), Counter[str](), until(target)
        while next(over, None) is not None or said.total() - said["busy"] <= OF_ONE:
            said[told(guess(browser))] += 1
        return said

    with ThreadPoolExecutor(len(addresses)) as crowd:
        return sum(crowd.map(one, addresses), Counter[str]())


def a_browser_that_comes_back(target: Target) -> str:
    """Forty strangers guess a password, and whose it is comes back in the browser that is known for it."""
    browser = Browser(target.http, BROWSER, target.cookies)

    def comes_back() -> int:
        for times in count(1):
            before = browser.cookies
            answer = told(browser.sign_in(LOGINS[0], SECRET))
            if answer != "in":
                raise Harmed(f"{LOGINS[0]} came back {times} times, and was told at last: {answer}")
            if browser.cookies == before:
                raise Harmed("the browser has no cookie of its new session")
            if all(done.done() for done in strangers):
                return times
            wait_a_moment(COMES_BACK_S)
        raise AssertionError  # it counts without end

    with ThreadPoolExecutor(1) as apart:
        strangers = [apart.submit(guessing, target, FORTY, lambda one: one.sign_in(LOGINS[0], WRONG))]
        times = comes_back()
    said = strangers[0].result()
    return f"came back {times} times; strangers were told {dict(said)}"


def wrong_codes(target: Target) -> str:
    """Ten strangers guess a one-time code under a login, whose password and whose codes stay good."""
    said = guessing(target, TEN, lambda one: one.sign_in(LOGINS[1], SECRET, WRONG))
    if said["in"]:
        raise Harmed(f"a wrong code let {said['in']} in")
    if (answer := told(Browser(target.http, TEN[0]).sign_in(LOGINS[1], SECRET))) != "in":
        raise Harmed(f"after wrong codes {LOGINS[1]} was told: {answer}")
    if (answer := told(Browser(target.http, NEWCOMER).sign_in(LOGINS[1], SECRET, WRONG))) == "shut":
        raise Harmed("somebody else's first code was not looked at")
    return f"were told {dict(said)}"


def forged_behind_a_proxy(target: Target) -> str:
    """A client of the named proxy says each time that it is another: in a line, and before its own word."""
    said = Counter[str]()
    browser = Browser(target.http, PROXY)
    times, over = 0, until(target)
    while next(over, None) is not None or times <= OF_ONE:
        times += 1
        other = f"{FORGED}{times % 250}"
        browser.forwarded = (f"{other}, {GUESSER}",) if times % 2 else (other, GUESSER)
        said[told(browser.sign_in(LOGINS[1], WRONG))] += 1
    browser.forwarded = (NEIGHBOUR, GUESSER)
    answer = told(browser.sign_in(LOGINS[1], SECRET))
    if answer != "shut":
        raise Harmed(f"{GUESSER} hides behind {NEIGHBOUR}: it was told {answer}")
    neighbour = Browser(target.http, PROXY, forwarded=(GUESSER, NEIGHBOUR))
    if (answer := told(neighbour.sign_in(LOGINS[1], SECRET))) != "in":
        raise Harmed(f"{NEIGHBOUR}, for which {GUESSER} wanted to be taken, was told: {answer}")
    return f"was told {dict(said)}"
