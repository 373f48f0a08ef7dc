"""Repetitions of tests: a few in each run of the suite, and many in the nightly one.

    python -m tests.nightly                       the whole suite, with every repetition
    python -m tests.nightly tests/e2e/test_kill.py

Every rule has its test in each run. A night adds seeds, kills, examples and sizes of what is proved there.
tests/README.md lists them.
"""

import os
import sys
from typing import Final, TypeVar

import pytest

# Set for this run and its workers.
VARIABLE: Final = "JACKPOT_TESTS_NIGHTLY"
NIGHTLY: Final = VARIABLE in os.environ

Repeated = TypeVar("Repeated")

# A test, or a case of one, of the nightly run alone. Its rule has another test or case in each run.
at_night: Final = pytest.mark.nightly


def repeated(each_run: Repeated, nightly: Repeated) -> Repeated:
    """What a test repeats: a number, or cases."""
    return nightly if NIGHTLY else each_run


def main() -> int:
    os.environ[VARIABLE] = "1"
    return pytest.main(["-n", "auto", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
