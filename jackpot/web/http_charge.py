"""Cost of one request: charged in advance as expected, then as it is spent, and settled at its end."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, TypeVar

from jackpot.clock import thread_seconds
from jackpot.web.http_budget import (
    EXPECTED_MAX_S,
    EXPECTED_MIN_S,
    LEARNT,
    Bucket,
    HttpBudget,
    Payer,
)

T = TypeVar("T")


class Charge:
    """The cost of one request, charged to its payer.

    What it is expected to cost is taken in advance, so that requests that are admitted together do not all
    find time left that they use up one after the other. What was taken too much goes back to the bucket that
    it was taken from, also if the payer's share has other time left by then.
    """

    def __init__(self, budget: HttpBudget, payer: Payer) -> None:
        self.payer = payer
        self._budget = budget
        self._spent = 0.0
        self._taken: dict[Bucket, float] = {}

    def begin(self) -> None:
        """The request is admitted: takes its expected cost."""
        self._take(self.payer.expected)

    def spend(self, seconds: float) -> None:
        """Charges processor time that the request used."""
        self._spent += seconds
        self._budget.count(self.payer, seconds)
        more = self._spent - sum(self._taken.values())
        if more > 0:
            self._take(more)

    def move(self, payer: Payer) -> None:
        """Charges another payer from the request's beginning."""
        taken = sum(self._taken.values())
        self._give_back(taken)
        self.payer = payer
        self._take(taken)

    def settle(self) -> None:
        """The request is answered: gives back what was taken too much."""
        cost = min(max(self._spent, EXPECTED_MIN_S), EXPECTED_MAX_S)
        self.payer.expected += LEARNT * (cost - self.payer.expected)
        self._give_back(sum(self._taken.values()) - self._spent)

    def _take(self, seconds: float) -> None:
        bucket = self._budget.take(self.payer, seconds)
        self._taken[bucket] = self._taken.get(bucket, 0.0) + seconds

    def _give_back(self, seconds: float) -> None:
        for bucket, taken in reversed(tuple(self._taken.items())):
            part = min(taken, seconds)
            if part <= 0:
                return
            self._budget.give_back(self.payer, part, bucket)
            self._taken[bucket] = taken - part
            seconds -= part


class Metered(Awaitable[T]):
    """A coroutine that reports the processor time of each of its steps."""

    def __init__(self, work: Coroutine[Any, Any, T], spend: Callable[[float], None]) -> None:
        self._work = work
        self._spend = spend

    def __await__(self) -> Generator[Any, Any, T]:
        error: BaseException | None = None
        while True:
            began = thread_seconds()
            try:
                waits = self._work.send(None) if error is None else self._work.throw(error)
            except StopIteration as ended:
                given: T = ended.value
                return given
            finally:
                self._spend(thread_seconds() - began)
            error = None
            try:
                yield waits
            except BaseException as thrown:  # noqa: BLE001 - it is the coroutine's own, thrown there
                error = thrown
