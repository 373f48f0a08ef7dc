"""Does the protocol's page name all that the protocol has?"""

import re
from pathlib import Path

import pytest

from controllers.messages import COMMANDS, Bet, Claim, Hello
from controllers.states import DEVICE_SAYS, SERVER_SAYS

PAGE = (Path(__file__).parents[2] / "controllers" / "README.md").read_text()
CODES = re.findall(
    r"\w+",
    """
    seq_conflict seq_old seq_gap not_active bad_message round_unfinished no_such_round locked_out not_locked
    chip_mismatch suspended table_held unknown_link unknown_seat wrong_amount duplicate_wager unreasonable
    out_of_order already_settled no_wager hand_mismatch impossible_cards two_people award_standing too_many
    internal
    """,
)


def test_every_message_and_field_is_described() -> None:
    """Controllers/README.md is the protocol's public form."""
    types = {message.split()[0] for message in DEVICE_SAYS | SERVER_SAYS} - {"malformed"}
    fields = {field for kind in (*COMMANDS, Bet, Claim, Hello) for field in kind.__struct_fields__}
    assert [name for name in sorted(types | fields) if name not in PAGE] == []


def test_codes_stand_in_their_order() -> None:
    """WIRE table commands: nack codes, in the order in which they are looked for; each has a row."""
    told = PAGE.partition('`{t: "nack"')[2]
    assert re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE)[: len(CODES) + 1] == [*CODES, "t"]


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (Path(__file__).parents[2] / "controllers").glob("*.py"))
)
def test_every_file_has_its_question(name: str) -> None:
    """DESIGN house: each file answers one question."""
    assert name == "__init__.py" or f"`{name}`" in PAGE
