"""What may stand in the fields of an act? Bounds that hold wherever people's requests are decoded.

The description of a field is what a person is told who broke its bounds.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from controllers.messages import UNPRINTABLE

REASON_MOST: Final = 256
# A document's number fits a line of a table and of a slip.
DOCUMENT_MOST: Final = 64

# `(?!\n)` before `$`: in Python `$` also stands before a last line break.
NUMBER: Final = r"[0-9]{1,16}(?!\n)$"

Reason = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=REASON_MOST,
        pattern=rf"^(?=.*\S)[^{UNPRINTABLE}]+(?!\n)$",
        description=f"1 to {REASON_MOST} printable characters",
    ),
]
Document = Annotated[
    str,
    Meta(
        max_length=DOCUMENT_MOST,
        pattern=rf"^((?=.*\S)[^{UNPRINTABLE}]+)?(?!\n)$",
        description=f"1 to {DOCUMENT_MOST} printable characters",
    ),
]
# Where a number is a must.
DocumentNumber = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=DOCUMENT_MOST,
        pattern=rf"^(?=.*\S)[^{UNPRINTABLE}]+(?!\n)$",
        description=f"1 to {DOCUMENT_MOST} printable characters",
    ),
]
Remark = Annotated[
    str,
    Meta(
        max_length=REASON_MOST,
        pattern=rf"^((?=.*\S)[^{UNPRINTABLE}]+)?(?!\n)$",
        description=f"none, or 1 to {REASON_MOST} printable characters",
    ),
]
# A level, and the one of another link that its money goes to, as a form's field and an option have them.
LevelPair = Annotated[
    str, Meta(pattern=r"^[a-z]{1,16}=[a-z]{1,16}(?!\n)$", description='two levels, such as "meter=major"')
]
# The digest of what lies next to the journal about a payout, empty where nothing does.
DIGEST_BYTES: Final = 32
Paper = Annotated[bytes, Meta(max_length=DIGEST_BYTES)]
# How long a site keeps what names somebody: a century at most.
DAYS_MOST: Final = 36_500
DAY_MS: Final = 24 * 60 * 60 * 1_000
KeptDays = Annotated[int, Meta(ge=1, le=DAYS_MOST, description=f"days, 1 to {DAYS_MOST}")]
# What people write on a payout form: a name with a licence, a reference, the number of a form.
FACT_MOST: Final = 128
Fact = Annotated[
    str,
    Meta(
        max_length=FACT_MOST,
        pattern=rf"^((?=.*\S)[^{UNPRINTABLE}]+)?(?!\n)$",
        description=f"1 to {FACT_MOST} printable characters",
    ),
]
# What a site may want on the papers of every payment.
PaperField = Literal["dealer", "witness", "surveillance", "patron", "tax_form"]
# What names somebody lies next to the journal: who was there when the hand was seen, and who is paid.
Witnesses = tuple[Literal["dealer", "witness"], ...]
Payee = tuple[Literal["patron", "tax_number"], ...]
Named = tuple[Literal["dealer", "witness", "patron", "tax_number"], ...]
# An entry of the bank's journal, by its number.
EntryId = Annotated[int, Meta(ge=0, le=10**16 - 1, description="an entry of the journal, such as 17")]
HitId = Annotated[str, Meta(pattern=f"^H{NUMBER}", description="a hit's id, such as H12")]
LeftId = Annotated[str, Meta(pattern=f"^D{NUMBER}", description="what is left of an award, such as D3")]
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
# In the command micro-dollars, and below nothing where they are taken away; the same in JSON as `Cents`.
Micros = Annotated[
    int,
    Meta(
        description='a sum to the micro-dollar, such as "-12.345678"',
        extra={"micros": True},
        extra_json_schema={"type": "string", "pattern": r"^-?\d{1,10}(\.\d{1,6})?$"},
    ),
]
