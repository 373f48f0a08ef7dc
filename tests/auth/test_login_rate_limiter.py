"""Login rate limits: who is locked out, and by whose failures."""

from jackpot.auth.login_rate_limiter import KNOWN, OF_LOGIN, OF_ONE, OF_PLACE, WITHIN_S, LoginRateLimiter
from tests.running_server import StepClock


def fail(rate_limiter: LoginRateLimiter, login: str, place: str, times: int) -> None:
    for _ in range(times):
        rate_limiter.failed(login, place)


def test_a_stranger_locks_out_their_own_place_alone() -> None:
    """Misuse: ten failures shut one login at one place, for a while; elsewhere they come in."""
    clock = StepClock()
    rate_limiter = LoginRateLimiter(clock)
    fail(rate_limiter, "ann", "10.0.0.66", OF_ONE - 1)
    assert not rate_limiter.is_locked("ann", "10.0.0.66")
    fail(rate_limiter, "ann", "10.0.0.66", 1)
    assert rate_limiter.is_locked("ann", "10.0.0.66")
    assert not rate_limiter.is_locked("ann", "10.0.0.5")
    clock.ahead_s += WITHIN_S
    assert not rate_limiter.is_locked("ann", "10.0.0.66")


def test_many_guesses_end_and_those_who_were_here_before_come_in() -> None:
    """Misuse: many logins of one address, and one login of many; neither shuts out a known place."""
    rate_limiter, own = LoginRateLimiter(StepClock()), f"{KNOWN}device 1"
    for number in range(OF_LOGIN):
        fail(rate_limiter, "ann", f"10.1.0.{number}", 1)
    for number in range(OF_PLACE):
        fail(rate_limiter, f"guess-{number}", "10.0.0.5", 1)
    assert rate_limiter.is_locked("ann", "10.2.0.1")
    assert rate_limiter.is_locked("ben", "10.0.0.5")
    assert rate_limiter.is_locked("ann", "10.0.0.5")
    assert not rate_limiter.is_locked("ann", own)
    fail(rate_limiter, "ann", own, OF_ONE)
    assert rate_limiter.is_locked("ann", own)


def test_a_known_browser_has_its_own_limit_alone() -> None:
    """Misuse: strangers behind one address, or everywhere, shut nobody out of their own browser."""
    rate_limiter = LoginRateLimiter(StepClock())
    own = f"{KNOWN}device 1"
    for number in range(OF_LOGIN):
        fail(rate_limiter, "ann", f"10.1.0.{number}", 1)
    fail(rate_limiter, "ann", own, OF_ONE - 1)
    assert not rate_limiter.is_locked("ann", own)
    fail(rate_limiter, "ann", own, 1)
    assert rate_limiter.is_locked("ann", own)
    assert not rate_limiter.is_locked("ben", own)


def test_the_journal_is_told_once_in_a_while() -> None:
    """Misuse: a stranger with many addresses fills no journal."""
    clock = StepClock()
    rate_limiter = LoginRateLimiter(clock)
    assert [rate_limiter.to_tell(1), rate_limiter.to_tell(1), rate_limiter.to_tell(2)] == [True, False, True]
    clock.ahead_s += WITHIN_S
    assert rate_limiter.to_tell(1)
