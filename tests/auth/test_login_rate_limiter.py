"""Who is kept out, and by whose failures?"""

from jackpot.auth.login_rate_limiter import KNOWN, OF_LOGIN, OF_ONE, OF_PLACE, WITHIN_S, Gate
from tests.running_server import StepClock


def fail(gate: Gate, login: str, place: str, times: int) -> None:
    for _ in range(times):
        gate.failed(login, place)


def test_a_stranger_locks_out_their_own_place_alone() -> None:
    """Misuse: ten failures shut one login at one place, for a while; elsewhere they come in."""
    clock = StepClock()
    gate = Gate(clock)
    fail(gate, "ann", "10.0.0.66", OF_ONE - 1)
    assert not gate.shut("ann", "10.0.0.66")
    fail(gate, "ann", "10.0.0.66", 1)
    assert gate.shut("ann", "10.0.0.66")
    assert not gate.shut("ann", "10.0.0.5")
    clock.ahead_s += WITHIN_S
    assert not gate.shut("ann", "10.0.0.66")


def test_many_guesses_end_and_those_who_were_here_before_come_in() -> None:
    """Misuse: many logins of one address, and one login of many; neither shuts out a known place."""
    gate, own = Gate(StepClock()), f"{KNOWN}device 1"
    for number in range(OF_LOGIN):
        fail(gate, "ann", f"10.1.0.{number}", 1)
    for number in range(OF_PLACE):
        fail(gate, f"guess-{number}", "10.0.0.5", 1)
    assert gate.shut("ann", "10.2.0.1")
    assert gate.shut("ben", "10.0.0.5")
    assert gate.shut("ann", "10.0.0.5")
    assert not gate.shut("ann", own)
    fail(gate, "ann", own, OF_ONE)
    assert gate.shut("ann", own)


def test_a_known_browser_has_its_own_limit_alone() -> None:
    """Misuse: strangers behind one address, or everywhere, shut nobody out of their own browser."""
    gate = Gate(StepClock())
    own = f"{KNOWN}device 1"
    for number in range(OF_LOGIN):
        fail(gate, "ann", f"10.1.0.{number}", 1)
    fail(gate, "ann", own, OF_ONE - 1)
    assert not gate.shut("ann", own)
    fail(gate, "ann", own, 1)
    assert gate.shut("ann", own)
    assert not gate.shut("ben", own)


def test_the_journal_is_told_once_in_a_while() -> None:
    """Misuse: a stranger with many addresses fills no journal."""
    clock = StepClock()
    gate = Gate(clock)
    assert [gate.to_tell(1), gate.to_tell(1), gate.to_tell(2)] == [True, False, True]
    clock.ahead_s += WITHIN_S
    assert gate.to_tell(1)
