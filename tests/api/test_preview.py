"""Previews take the fields of their acts."""

from typing import get_args, get_type_hints

from jackpot.api.operation import name_of
from jackpot.api.preview import _ACTS, AskPreview
from jackpot.api.registry import ASKED_ACTS


def test_what_may_be_looked_at_may_be_done() -> None:
    """L8, L9, A11: a preview takes the fields of its act, but the reason, which nobody has given yet."""
    offered = {name_of(kind) for kind in ASKED_ACTS}
    looked_at = set(get_args(get_type_hints(AskPreview)["act"]))
    assert looked_at <= offered
    assert looked_at == {*_ACTS, "change-parameters"}
    for name, kind in _ACTS.items():
        assert name == name_of(kind)
        assert set(kind.__struct_fields__) - {"reason"} <= set(AskPreview.__struct_fields__)
