"""Every ServerError has a text and a code for the caller."""

import pytest

from jackpot.api.operation import BadRequest, NotDone
from jackpot.bank.bank import BankStopped
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied, ServerError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadRequest("why"), Code.BAD_REQUEST),
        (BankStopped("why"), Code.BANK_STOPPED),
        (Denied(Code.WRONG_SECRET, "why"), Code.WRONG_SECRET),
        (NotDone(Code.PAID, "why"), Code.PAID),
    ],
)
def test_every_error_that_an_asker_meets_says_why(error: ServerError, code: Code) -> None:
    """Each has its text and its code, so that one `except` can answer for all of them."""
    assert (error.code, str(error)) == (code, "why")
