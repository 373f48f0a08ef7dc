"""Operations of a payout (validate, pay, correct) and of its papers."""

from typing import TYPE_CHECKING, ClassVar

from controllers.messages import Seat
from jackpot.api.act_reply import ActReply
from jackpot.api.operation import ServerCommand
from jackpot.rules import signing
from jackpot.rules.acts import hits
from jackpot.rules.acts.fields import (
    AwardId,
    Cents,
    Document,
    DocumentNumber,
    Fact,
    HitId,
    LampSeen,
    Reason,
    TreatyRate,
    Way,
)
from jackpot.rules.signing import ROLES

if TYPE_CHECKING:
    from jackpot.config import Site


class Payout(ServerCommand, frozen=True):
    """An act on a hit, with what people write on its papers: the act of the rules has their digest.

    personal: fields that name somebody. They lie next to the journal; the rules decide, and journal, who may.
    """

    personal: ClassVar[tuple[str, ...]]
    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = ActReply
    what = "write on a hit's papers"
    hit: HitId

    def papers(self) -> dict[str, str]:
        """The personal fields that are filled in."""
        return {name: text for name in self.personal if (text := getattr(self, name))}


class Validate(Payout, tag="validate", frozen=True):
    """A floorperson validates a hit, or one of its awards (A10).

    surveillance: the reference of its pictures. dealer, witness: who was there. lamp: what the lamps of its
    awards show; a must where the table says that one failed (P3).
    """

    personal = ("dealer", "witness")
    award: AwardId | None = None
    dealer: Fact = ""
    witness: Fact = ""
    surveillance: Fact = ""
    lamp: LampSeen = ""


class Pay(Payout, tag="pay", frozen=True):
    """One winner of a validated hit, or one award, is paid (A10, T11). By the cage alone where it pays (A8).

    seat: the winner's; a hit with one winner needs none. document: the number of the payout form.
    patron: who is paid, or their reference. tax_form, tax_number: of the form that is due; where the site's
    country says which, its number is enough. identification: what the patron showed. taxpayer_number: theirs.
    nonresident: of the site's country. treaty_rate, treaty_form: of a treaty, and what claims it. withheld:
    from this payment. way, way_number: how the money is given, and the number of slip, cheque or account.
    other_way, other_number: the same of a part that is given another way; other_sum: of that part.
    """

    personal = (
        "patron", "tax_number", "identification", "taxpayer_number", "way_number", "other_number",
    )  # fmt: skip
    document: DocumentNumber
    award: AwardId | None = None
    seat: Seat | None = None
    patron: Fact = ""
    tax_form: Fact = ""
    tax_number: Fact = ""
    identification: Fact = ""
    taxpayer_number: Fact = ""
    nonresident: bool = False
    treaty_rate: TreatyRate = ""
    treaty_form: Fact = ""
    withheld: Cents | None = None
    way: Way = ""
    way_number: Fact = ""
    other_way: Way = ""
    other_number: Fact = ""
    other_sum: Cents = 0


class AddPapers(Payout, tag="add-papers", frozen=True):
    """Something more is written on the papers of a hit, once it is validated or paid (A10).

    What they said before stays. seat: on those of this winner alone; where there are several, patron and tax
    form are of one of them. The other fields are those of `validate` and `pay`.
    """

    personal = ("dealer", "witness", "patron", "tax_number", "identification", "taxpayer_number")
    reason: Reason
    seat: Seat | None = None
    dealer: Fact = ""
    witness: Fact = ""
    surveillance: Fact = ""
    patron: Fact = ""
    tax_form: Fact = ""
    tax_number: Fact = ""
    identification: Fact = ""
    taxpayer_number: Fact = ""


class Correct(ServerCommand, tag="correct", frozen=True):
    """An award comes to another sum (A10); two people, who are of the cage where it paid the award (A8).

    document: a must where the award is paid. A tax form that what is paid on top takes is added to the papers
    first, with whom it names; way: how that is given, by the document's number.
    """

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = ActReply
    what = "correct an award"
    award: AwardId
    amount: Cents
    reason: Reason
    document: Document = ""
    way: Way = ""

    def of_site(self, site: "Site", at: int, cash_before: int | None = None) -> hits.Correct:
        """The act that the rules decide; the site, not the asker, says what takes a tax form.

        at: unix milliseconds. cash_before: as in `hits.Pay`.
        """
        tax = site.plain_tax_from, site.tax_terms(at)
        return hits.Correct(
            self.award, self.amount, self.reason, self.document, *tax, way=self.way, cash_before=cash_before
        )


class ErasePapers(ServerCommand, tag="erase-papers", frozen=True):
    """Personal data on the papers of a settled hit is erased; two people, before its time is over."""

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = ActReply
    what = "erase a hit's papers"
    hit: HitId
    reason: Reason
