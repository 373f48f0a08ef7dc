"""The end of a task that was cancelled while a call of the ledger failed.

A store raises the call's own error then, not CancelledError. A loop that looks again after such an error
would never end, nor would its server.
"""

import asyncio


def end_if_cancelled() -> None:
    """Raises CancelledError if the current task is to end."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
