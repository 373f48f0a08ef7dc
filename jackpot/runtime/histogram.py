"""Histograms of durations and sizes for the hot path: whole numbers a bucket, summed only when read."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

# One flush of a good disk takes a fraction of a millisecond, of a bad one tens; beyond 2 s links suspend.
COMMIT_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
# An answer waits for the commit in flight and for its own: two commits, and the queue in front of them.
ANSWER_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
# A loop that is late by more than a sign's interval of 0.1 s shows old meters.
LAG_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
# A batch holds 256 rows at most.
BATCH_ROWS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    """Counts observations up to each bound, those above the last one, and their sum."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Counts one observation."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def cumulative(self) -> list[tuple[str, float]]:
        """The count of all observations up to each bound, as Prometheus wants them; the last is "+Inf"."""
        names = [*(str(float(bound)) for bound in self.bounds), "+Inf"]
        return list(zip(names, map(float, accumulate(self.counts)), strict=True))
