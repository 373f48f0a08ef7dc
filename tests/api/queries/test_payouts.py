"""Personal fields of payouts, told from those that may stand in the journal."""

import pytest

from jackpot.api.queries.payouts import AddPapers, Pay, Payout, Validate

WROTE = {
    Validate: Validate("H1", dealer="Dan", surveillance="cam 4"),
    Pay: Pay("H1", document="W-1", patron="Pat", tax_form="W-2G", tax_number="17"),
    AddPapers: AddPapers("H1", "late", witness="Wes", tax_form="W-2G", tax_number="17"),
}
NAMES = {
    Validate: {"dealer": "Dan"},
    Pay: {"patron": "Pat", "tax_number": "17"},
    AddPapers: {"witness": "Wes", "tax_number": "17"},
}


@pytest.mark.parametrize("kind", Payout.__subclasses__())
def test_what_names_somebody_lies_apart_from_what_may_stand_in_the_journal(kind: type[Payout]) -> None:
    """A10: who was there and who was paid can be erased; references, forms and documents cannot."""
    assert WROTE[kind].papers() == NAMES[kind]
    assert set(kind.personal) <= set(kind.__struct_fields__)
