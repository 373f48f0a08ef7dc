"""Every act of people has its label on pages."""

from jackpot.api.operation import name_of
from jackpot.api.registry import ASKED_ACTS
from jackpot.web.act_labels import DOINGS, title


def test_every_act_of_a_page_is_called_in_plain_words() -> None:
    """Pages: each act that people may ask for has a title, and what is said of it once it is done."""
    assert DOINGS.keys() == {name_of(act) for act in ASKED_ACTS}
    assert title("decide-left") == "What an undo left"
    assert title("some-other") == "Some other"
