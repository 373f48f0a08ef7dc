"""Every test, and what tests are made of.

Here two seals may follow each other at once: ten thousand rows between them would take a second each time. A
test of the true distance sets it for itself.
"""

from jackpot.rules.acts import snapshot_seals

snapshot_seals.SEAL_LEAST = 0  # type: ignore[misc]  # final for the program
