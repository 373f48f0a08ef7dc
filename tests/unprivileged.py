"""Code of a test run as a user who may not read everything: root may."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

NOBODY: Final = 65_534


@contextmanager
def unprivileged() -> Iterator[None]:
    """Runs as a user without rights, for the threads of this process."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(NOBODY)
        yield
    finally:
        if root:
            os.seteuid(0)
