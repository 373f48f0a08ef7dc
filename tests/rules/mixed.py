"""An engine with mystery links next to the others, and what it draws, for the independent model (Y2, Y12)."""

from collections.abc import Iterator
from random import Random
from typing import Any

from msgspec.structs import replace

from jackpot.catalogue.terms import TermsRefused
from jackpot.rules import registry
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.triggers import RenewTriggers, TriggersRenewed, due
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.events import Closed, Event, Settled
from jackpot.rules.phrases import Fault
from jackpot.rules.terms import check_link
from tests.faults.difference import same
from tests.faults.model import Model
from tests.faults.model_must_hit import MYSTERY, Meter, Value, from_raw
from tests.faults.worked.form import Link
from tests.ledger.seeded_triggers import SeededTriggers
from tests.rules.subject import OfEngine
from tests.rules.test_worked_mystery import terms_of, unnamed
from tests.said import Heard


class SeededChance:
    """Random bytes of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def raw(self, _link: int, _level: int) -> bytes:
        return self._random.randbytes(RAW_BYTES)


class OfMixedEngine(OfEngine):
    """One bank's engine, whose writer makes the commitments that are due, as a server's does."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.chance, self.triggers = SeededChance(seed), SeededTriggers(seed)
        self._looked = 0
        self._opened: dict[tuple[str, str], list[int]] = {}
        self._equip()

    def _equip(self) -> None:
        self.engine.chance, self.engine.triggers = self.chance, self.triggers

    def take_over(self, tick: int = 0) -> None:
        super().take_over(tick)
        self._equip()

    def rebuild(self) -> None:
        super().rebuild()
        self._equip()

    def execute(self, command: Any, **fields: Any) -> Heard:
        before = len(self.entries)
        heard = super().execute(command, **fields)
        written = len(self.entries) > before
        if written and self.entries[-1].table is None and any(due(self.engine.state)):
            self.execute(RenewTriggers())
        return heard

    def open(self, link: Link) -> None:
        if link.paytable != MYSTERY:
            super().open(link)
            return
        self.opened[link.name] = link
        terms = replace(terms_of(link), hold_table=link.options["hold_table"])
        answer = self.execute(OpenLink(terms)).answer
        assert answer["ok"], answer

    def _about_link(self, kind: str, fields: dict[str, Any]) -> Any:
        link = self.link(fields["link"])
        if kind != "change" or not link.terms.mystery:
            return super()._about_link(kind, fields)
        wanted = fields.get("must_hit", {})
        levels = tuple(
            replace(
                level,
                seed=new.minimum,
                reseed=new.minimum,
                must_hit_by=new.must_hit_by,
                primary=new.rate,
            )
            if (new := wanted.get("" if level.level == "meter" else level.level)) is not None
            else level
            for level in link.terms.levels
        )
        terms = replace(link.terms, levels=levels, hold_table=fields.get("hold_table", link.terms.hold_table))
        try:
            check_link(terms, opens=False)
        except Fault as fault:
            raise TermsRefused([("levels", str(fault))]) from fault
        return ChangeLink(terms, "worked example")

    # What the model is told

    def tell(self, model: Model) -> None:
        """Before the model is told what the engine has just decided: what that has drawn."""
        for event in self._since():
            for one in event.counted if isinstance(event, Closed | Settled) else ():
                where, meter = self._meter(model, one.link, one.level)
                of_each = [self._trigger(made.digest) for made in one.committed]
                meter.tape.left.extend([*map(from_raw, one.drawn), *of_each])
                self._opened[where] = [opened.value for opened in one.opened]

    def told(self, model: Model) -> None:
        """After it: all that was drawn was used, and commitments that followed are the model's, too."""
        for event in self._since():
            for one in event.levels if isinstance(event, TriggersRenewed) else ():
                where, meter = self._meter(model, one.link, one.level)
                assert meter.due or one.committed is None, f"{where}: a commitment for nothing"
                if one.committed is None:
                    meter.end_trigger()
                else:
                    meter.tape.left.append(self._trigger(one.committed.digest))
                    meter.renew()
                self._opened[where] = [] if one.opened is None else [one.opened.value]
        for where, tape in model.tapes().items():
            tape.over()
            meter = model.links[where[0]].must_hit[where[1]]
            same(f"{where}, what was opened", self._opened.pop(where, []), list(meter.look_at_opened()))
            assert not meter.due, f"{where}: a commitment is missing"
        self._looked = len(self.entries)

    def highest(self) -> dict[tuple[str, str], int]:
        """Y2: the highest meter decided without a win, of each mystery level."""
        return {
            (link.terms.link, unnamed(level)): level.mystery.decided
            for link in self.engine.state.links
            for level in link.levels
            if level.mystery is not None
        }

    def _since(self) -> Iterator[Event]:
        for entry in self.entries[self._looked :]:
            yield registry.decode(entry.kind, entry.version, entry.body)

    def _meter(self, model: Model, link: int, level: int) -> tuple[tuple[str, str], Meter]:
        of = self.engine.state.link(link)
        where = of.terms.link, unnamed(of.levels[level - 1])
        return where, model.links[where[0]].must_hit[where[1]]

    def _trigger(self, digest: bytes) -> Value:
        kept = self.triggers.kept[digest]

        def value(low: int, high: int) -> int:
            same("the trigger, by its raw bytes", kept.value, from_raw(kept.raw)(low, high))
            return kept.value

        return value
