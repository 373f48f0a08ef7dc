"""Worked examples from the regulations, as data; every number was worked out by hand from the sources."""

from tests.faults.worked import awards, hits, late, undo, wagers
from tests.faults.worked.form import Example

ALL: list[Example] = [*wagers.EXAMPLES, *hits.EXAMPLES, *awards.EXAMPLES, *undo.EXAMPLES, *late.EXAMPLES]
