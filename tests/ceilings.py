"""Ceilings of the waits in tests: none is reached while the thing that is waited for still comes.

A test waits for a condition, and is done when it holds. Its ceiling decides only how late a failure is told,
so it is far above what a machine with much else to do takes. pytest's own `timeout` is above both.
"""

from typing import Final

# Of one condition: a message, a log line, a state. Alone on a machine each takes seconds at most.
WAIT_S: Final = 120.0
# Of one program from its start to its end.
PROGRAM_S: Final = 240.0
