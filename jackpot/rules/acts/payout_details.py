"""Papers of a hit's winners: each winner has their own, and some are about all of them (A8, A10).

The journal has which fields were written, and in plain words what names nobody. So a payment is decided again
by what stands on the papers, even once the names there are erased.
"""

from collections.abc import Collection, Iterable
from typing import Final

from jackpot.rules import names
from jackpot.rules.money import from_cents
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import Award, Hit, PayoutDetails
from jackpot.rules.tax import Payee

# In place of a seat, for the papers that are about all winners: no seat has this number.
ALL: Final = 0
TAX_FORM: Final = "tax_form"
TAXPAYER_NUMBER: Final = "taxpayer_number"
# Fields that name somebody: once they are erased, nobody is named.
NAMING: Final = frozenset(
    {
        "dealer", "witness", "patron", "tax_number", "identification", "taxpayer_number", "way_number",
        "other_number",
    }
)  # fmt: skip
# Fields of one winner alone, which never stand on the papers of all.
OWN: Final = frozenset({"patron", TAX_FORM, "tax_number", "identification", "taxpayer_number"})


def winners(awards: Iterable[Award]) -> list[int]:
    """The seats with standing awards: each is paid alone, on papers of its own (A10)."""
    return sorted({award.seat for award in awards if award.stands()})


def check_paper(paper: bytes, on_paper: Collection[str], tax_form: str) -> None:
    """Refuses a digest of nothing, names without one, and half of a tax form."""
    refuse_if(bool(on_paper) != bool(paper), "paper_without_name")
    numbered = "tax_number" in on_paper
    missing = "tax_number" if tax_form else TAX_FORM
    refuse_if(bool(tax_form) != numbered, "tax_form_incomplete", field=missing)


def fields_of(on_paper: Iterable[str], surveillance: str = "", tax_form: str = "") -> set[str]:
    """The fields that an entry writes, by name."""
    plain = {"surveillance": surveillance, TAX_FORM: tax_form}
    return {*on_paper, *(name for name, text in plain.items() if text)}


def payee_of(hit: Hit, seat: int, written: Collection[str] = ()) -> Payee:
    """Who a seat's papers say is paid. written: what is written on them now."""
    sheet = hit.sheets.get(seat, PayoutDetails())
    numbered = TAXPAYER_NUMBER in fields_on_papers(hit, seat) | {*written}
    return Payee(numbered, sheet.nonresident, sheet.treaty_rate)


def write(
    hit: Hit,
    seat: int,
    fields: Collection[str],
    document: str = "",
    same: Collection[int] = (),
    tax_form: str = "",
) -> None:
    """Writes fields on the papers of a seat, or of all. same: seats with the same patron."""
    if not (fields or document or same):
        return
    sheet = hit.sheets.setdefault(seat, PayoutDetails())
    if tax_form and names.normal_form(tax_form) not in sheet.tax_forms:
        sheet.tax_forms.append(names.normal_form(tax_form))
    sheet.fields = sorted({*sheet.fields, *fields})
    sheet.same_patron = sorted({*sheet.same_patron, *same})
    if document and names.normal_form(document) not in sheet.documents:
        sheet.documents.append(names.normal_form(document))


def fields_on_papers(hit: Hit, seat: int) -> set[str]:
    """The fields on a winner's papers: on their own, and on those of all."""
    return {field for whose in (ALL, seat) if whose in hit.sheets for field in hit.sheets[whose].fields}


def erase(hit: Hit) -> None:
    """Takes off the papers what named somebody: what is paid later needs it anew (A10)."""
    for sheet in hit.sheets.values():
        sheet.fields = [field for field in sheet.fields if field not in NAMING]


def has_tax_form(hit: Hit, seat: int, form: str) -> bool:
    """Whether a winner's papers have a tax form of that name."""
    return seat in hit.sheets and names.normal_form(form) in hit.sheets[seat].tax_forms


def check_document(hit: Hit, seat: int, document: str) -> None:
    """Refuses the number of a form that is another winner's of the hit (A10)."""
    for other, sheet in hit.sheets.items():
        refuse_if(
            other != seat and names.normal_form(document) in sheet.documents,
            "document_of_other_seat",
            document=document,
            seat=other,
        )


def check_tax_form(hit: Hit, seat: int, least: int, on_top: int = 0, same: Iterable[int] = ()) -> None:
    """Refuses to bring a seat's payments of the hit to the site's sum, or further, without a tax form.

    least: cents. on_top: what is paid on top, micro-dollars. same: seats whose papers name the same patron;
    what they are given counts, too.
    """
    seats = {seat, *same, *(hit.sheets[seat].same_patron if seat in hit.sheets else ())}
    seats |= {other for other, sheet in hit.sheets.items() if seat in sheet.same_patron}
    given = sum(award.worth() for award in hit.awards if award.stands() and award.seat in seats)
    missing = given + on_top >= from_cents(least) and TAX_FORM not in fields_on_papers(hit, seat)
    refuse_if(missing and len(seats) == 1, "tax_form_missing", seat=seat, least=from_cents(least))
    refuse_if(missing, "tax_form_missing_of_patron", seats=sorted(seats), least=from_cents(least))
