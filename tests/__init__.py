"""The test suite and its helpers.

Here snapshot seals may follow each other at once: ten thousand rows between two would take a second. A
test of the true distance sets it for itself.
"""

from jackpot.rules.acts import snapshot_seals

snapshot_seals.SEAL_MIN = 0  # type: ignore[misc]  # final for the program
