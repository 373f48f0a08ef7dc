"""Statistics of a site's links, for the independent model: counts, sums and payers (S1, A8, L10).

Readings, besides those of the model:
 1. A hit of a level is a hand that won a percentage of it, whatever else the hand won; it is undone with the
    last of its awards of the level. A wager counts once at each level of its link.
 2. Whatever is corrected is paid by who pays the award. A hit is shown with what was paid: that never changes
    (A10); the level's wins have the difference.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from tests.faults.model_facts import CENT, PENDING, UNDONE, VALIDATED, Award, Event, Hit, Link, Wager
from tests.faults.model_sight import SeenActs

# Of a level's hits, how many are shown.
LAST: Final = 25
# And how many are remembered, for some of them may be undone yet.
REMEMBERED: Final = 400

Shown = tuple[str, str, int, int | None]  # a hit's table, hand, cents and cycle


class Figures(SeenActs):
    """Statistics over the model's links and hits."""

    def __init__(self) -> None:
        super().__init__()
        self.level_hits: dict[tuple[str, str], list[Hit]] = {}
        self.paid_before: dict[str, Counter[str]] = {}  # by link: of hits that are forgotten
        self.stakes_before = Counter[str]()

    def note_won(self, new: list[Hit]) -> None:
        """Records the hands that have just won percentages, in the order in which they were taken."""
        for hit in (hit for hit in new if self.links[hit.link].must_hit):
            hits = self.level_hits.setdefault((hit.link, hit.level or ""), [])
            hits.append(hit)
            del hits[:-REMEMBERED]
        for link in self.links.values():
            events = [fact for fact in link.facts if isinstance(fact, Event)]
            taken = [each[0].hit for event in events for each in event.winners]
            for hit in (hit for hit in taken if hit in new):
                hits = self.level_hits.setdefault((link.name, hit.level or ""), [])
                hits.append(hit)
                del hits[:-REMEMBERED]

    def last_hits(self, link: str, level: str) -> list[Shown]:
        """The last of them first."""
        hits = [(hit, self.of_level(hit)) for hit in self.level_hits.get((link, level), ())]
        shown = [
            (hit.table, hit.hand, sum(one.amount for one in awards), hit.cycle)
            for hit, awards in hits
            if awards
        ]
        return shown[::-1][:LAST]

    def of_level(self, hit: Hit) -> list[Award]:
        return [award for award in hit.awards if award.kind == "meter" and award.status != UNDONE]

    def counts(self, link: Link, level: str) -> dict[str, int]:
        now = link.now[level]
        return {
            "hits": now.hits,
            "undone_hits": now.undone_hits,
            "wagers": now.in_meter,
            "undone_wagers": now.undone_wagers,
            "wins": now.awards,
        }

    def paid_by(self, link: Link) -> Counter[str]:
        """Micro-dollars by who pays."""
        return self.by_payer(link) + Counter(cage=sum(now.awards for now in link.now.values()))

    def by_payer(self, link: Link) -> Counter[str]:
        """Sums that the house pays and no meter, by payer."""
        paid = Counter(self.paid_before.get(link.name, {}))
        for award in self.by_house():
            if award.hit.link == link.name:
                paid[award.pays] += CENT * (award.amount + award.difference)
        return +paid

    def stakes(self, link: Link) -> int:
        """Micro-dollars of the wagers that standing awards of N to 1 return (B4)."""
        mine = [award for award in self.by_house() if award.hit.link == link.name]
        return self.stakes_before.get(link.name, 0) + CENT * sum(award.stake for award in mine)

    def offered(self, link: Link) -> int:
        """Micro-dollars of the wagers on an offer that stand (B1)."""
        live = sum(fact.cents for fact in link.facts if isinstance(fact, Wager) and fact.live)
        return CENT * (link.wagered_before + live) if link.offer else 0

    def waiting_sums(self) -> dict[tuple[str, str | None, str], tuple[int, int]]:
        """Number and micro-dollars of waiting awards, by link, level and status, or dispute."""
        sums: dict[tuple[str, str | None, str], tuple[int, int]] = {}
        for hit in self.hits_made.values():
            for award in hit.awards:
                if award.status in (PENDING, VALIDATED):
                    key = hit.link, award.level, "disputed" if hit.disputed else award.status
                    number, amount = sums.get(key, (0, 0))
                    sums[key] = number + 1, amount + award.amount * CENT
        return sums

    def forget(self) -> None:
        before = {hit.id: hit for hit in self.hits_made.values()}
        super().forget()
        for name, hit in before.items():
            if name not in self.hits_made:
                paid = self.paid_before.setdefault(hit.link, Counter())
                for award in hit.awards:
                    if award.kind != "meter" and award.status != UNDONE:
                        self.stakes_before[hit.link] += CENT * award.stake
                        paid[award.pays] += CENT * (award.amount + award.difference)
