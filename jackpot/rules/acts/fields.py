"""Types of the fields of acts, with bounds that hold wherever requests are decoded.

A field's description is shown to a person who broke its bounds.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from controllers.messages import UNPRINTABLE, VoidCause
from jackpot.rules.money import BASIS_POINTS

REASON_MAX: Final = 256
# A document's number fits a line of a table and of a slip.
DOCUMENT_MAX: Final = 64

# `(?!\n)` before `$`: in Python `$` also stands before a last line break.
NUMBER: Final = r"[0-9]{1,16}(?!\n)$"


def _printable(longest: int, *, required: bool = False, described: str = "") -> Meta:
    """Bounds of a text of printable characters, not of spaces alone; "" is none, unless it is required."""
    text = rf"(?=.*\S)[^{UNPRINTABLE}]+"
    return Meta(
        min_length=1 if required else None,
        max_length=longest,
        pattern=rf"^{text}(?!\n)$" if required else rf"^({text})?(?!\n)$",
        description=described or f"1 to {longest} printable characters",
    )


Reason = Annotated[str, _printable(REASON_MAX, required=True)]
Document = Annotated[str, _printable(DOCUMENT_MAX)]
# A number that is required.
DocumentNumber = Annotated[str, _printable(DOCUMENT_MAX, required=True)]
Remark = Annotated[str, _printable(REASON_MAX, described=f"none, or 1 to {REASON_MAX} printable characters")]
# A level, and the one of another link that its money goes to, as a form's field and an option have them.
LevelPair = Annotated[
    str, Meta(pattern=r"^[a-z]{1,16}=[a-z]{1,16}(?!\n)$", description='two levels, such as "meter=major"')
]
# The levels that one act sends elsewhere: more than a link has.
_LEVELS_MAX: Final = 8
Levels = Annotated[
    tuple[LevelPair, ...], Meta(max_length=_LEVELS_MAX, description=f"{_LEVELS_MAX} levels at most")
]
# The digest of what lies next to the journal about a payout, empty where nothing does.
DIGEST_BYTES: Final = 32
Paper = Annotated[bytes, Meta(max_length=DIGEST_BYTES)]
# How long a site keeps what names somebody: a century at most.
DAYS_MAX: Final = 36_500
DAY_MS: Final = 24 * 60 * 60 * 1_000
KeptDays = Annotated[int, Meta(ge=1, le=DAYS_MAX, description=f"days, 1 to {DAYS_MAX}")]
# What people write on a payout form: a name with a licence, a reference, the number of a form.
FACT_MAX: Final = 128
Fact = Annotated[str, _printable(FACT_MAX)]
# What a site may want on the papers of every payment.
PaperField = Literal[
    "dealer", "witness", "surveillance", "patron", "identification", "taxpayer_number", "tax_form", "way"
]
# What somebody saw of a lamp; "" where nobody says it.
LampSeen = Literal["", "lit", "lamp_failed"]
# How a winner is given the money; "" where nobody says it.
Way = Literal["", "cash", "cheque", "account"]
# What names somebody lies next to the journal: who was there when the hand was seen, and who is paid.
Witnesses = tuple[Literal["dealer", "witness"], ...]
Payee = tuple[
    Literal["patron", "tax_number", "identification", "taxpayer_number", "way_number", "other_number"], ...
]
Named = tuple[Literal["dealer", "witness", "patron", "tax_number", "identification", "taxpayer_number"], ...]
# The irregularity for which a round is void (`void_causes`), "" where nobody names one.
Cause = Literal["", VoidCause]
# An entry of the bank's journal, by its number.
EntryId = Annotated[int, Meta(ge=0, le=10**16 - 1, description="an entry of the journal, such as 17")]
HitId = Annotated[str, Meta(pattern=f"^H{NUMBER}", description="a hit's id, such as H12")]
LeftId = Annotated[str, Meta(pattern=f"^D{NUMBER}", description="what is left of an award, such as D3")]
NoticeId = Annotated[str, Meta(pattern=f"^N{NUMBER}", description="a notice's id, such as N3")]
Day = Annotated[
    str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\n)$", description="a day, such as 2026-12-24")
]
AwardId = Annotated[str, Meta(pattern=f"^A{NUMBER}", description="an award's id, such as A34")]
Role = Annotated[str, Meta(pattern=r"^(table|sign)(?!\n)$", description="table or sign")]

# In the command whole cents; a person who asks in JSON writes a decimal string (M1).
Cents = Annotated[
    int,
    Meta(
        description='a sum of whole cents, such as "9999.21"',
        extra={"cents": True},
        extra_json_schema={"type": "string", "pattern": r"^\d{1,14}(\.\d{1,2})?$"},
    ),
]
# In the command basis points; a person writes a percentage.
BasisPoints = Annotated[int, Meta(ge=0, le=BASIS_POINTS)]
TreatyRate = Annotated[
    str,
    Meta(
        max_length=7,
        pattern=r"^(\d{1,2}(\.\d{1,2})?%?)?(?!\n)$",
        description='a rate in per cent, such as "15" or "12.5"',
    ),
]
Percentage = Annotated[
    str,
    Meta(pattern=r"^\d{1,3}(\.\d{1,2})?%(?!\n)$", description='a part of a wager, such as "15%" or "0.25%"'),
]
# In the command micro-dollars, and below nothing where they are taken away; the same in JSON as `Cents`.
Micros = Annotated[
    int,
    Meta(
        description='a sum to the micro-dollar, such as "-12.345678"',
        extra={"micros": True},
        extra_json_schema={"type": "string", "pattern": r"^-?\d{1,10}(\.\d{1,6})?$"},
    ),
]
