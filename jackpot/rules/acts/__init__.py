"""What may be done besides play? Every act of people and of the server, in one registry.

A file has a subject: each act's command, event, decision and effect stand next to each other, and the acts
themselves at its end. To add an act is to add one entry there, and its tests.
"""

from typing import Final

from jackpot.rules.acts import banks, devices, hits, links, readings, rounds, seals, tables, witness
from jackpot.rules.acts.act import Act
from jackpot.rules.commands import ActCommand

ACTS: Final[tuple[Act, ...]] = (
    *hits.ACTS,
    *rounds.ACTS,
    *tables.ACTS,
    *links.ACTS,
    *witness.ACTS,
    *devices.ACTS,
    *readings.ACTS,
    *banks.ACTS,
    *seals.ACTS,
)
ACT_OF: Final[dict[type[ActCommand], Act]] = {act.command: act for act in ACTS}
