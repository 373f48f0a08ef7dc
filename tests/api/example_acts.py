"""An example of what people send for each act: well-formed, and about nothing that is there."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from jackpot.api.operation import ServerCommand, name_of
from jackpot.rules.commands import ActCommand
from tests.running_server import LINK

# By the name of a field; an act with another field says what an example of that is.
_FIELDS: Final[Mapping[str, Any]] = {
    "abandoned": True,
    "alarm": "AL9",
    "amount": "1.00",
    "award": "A9",
    "believe": True,
    "cause": "operator",
    "day": "2099-12-24",
    "days": 1,
    "device": "T02",
    "digest": "0" * 64,
    "dispute": 9,
    "document": "W-1",
    "hit": "H9",
    "left": "D9",
    "level": "meter",
    "link": LINK,
    "links": [LINK],
    "login": "new",
    "name": "New",
    "notice": "N9",
    "new": "another secret",
    "person": 99,
    "reason": "x",
    "reference": "TX-1",
    "remove": True,
    "request": "site-99",
    "role": "floor",
    "round": "R9",
    "seat": 1,
    "secret": "a guess",
    "table": "T01",
    "to": LINK,
    "token": 99,
    "totp": "123456",
    "totp_key": 8 * "AAAA",
}
# What an act needs besides the fields that are required, or in place of one.
_OF_ACTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "add-papers": {"witness": "Bo"},
    "clear": {"role": "table", "device": "T01"},
    "hand-over": {"bank": "main"},
}
# Where one of these says what an act is about, it also takes the bank.
_OF_A_BANK: Final = frozenset({"alarm", "award", "digest", "left", "notice"})


def example(kind: type[ServerCommand | ActCommand]) -> dict[str, Any]:
    """The fields of such an act."""
    required = [field.name for field in msgspec.structs.fields(kind) if field.required]
    bank = {} if _OF_A_BANK.isdisjoint(required) else {"bank": "main"}
    return {name: _FIELDS[name] for name in required} | bank | dict(_OF_ACTS.get(name_of(kind), {}))
