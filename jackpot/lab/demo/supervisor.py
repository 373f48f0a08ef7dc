"""Simulated floor supervisor, with a cashier, who validates and pays what the tables win."""

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any

from jackpot.api.queries.hits import AskWaitingHits
from jackpot.api.queries.payouts import Pay, Validate
from jackpot.app import Server
from jackpot.lab.demo.house import TAX_FORM_FROM
from jackpot.lab.demo.pace import WALK_S, DemoPace
from jackpot.lab.demo.people import ask
from jackpot.lab.demo.scene import FloorEvent, Scene, dollars
from jackpot.rules.money import of_decimal, to_cents
from jackpot.rules.state import UNPAID


def payments(hit: dict[str, Any]) -> Iterator[Pay]:
    """Payment operations for each winner of a hit who waits, with the papers that the floor requires."""
    name, standing = hit["hit"], [award for award in hit["awards"] if award["status"] != "undone"]
    for seat in dict.fromkeys(award["seat"] for award in standing if award["status"] in UNPAID):
        theirs = sum(of_decimal(award["amount"]) for award in standing if award["seat"] == seat)
        form, number = ("W-2G", f"T-{name}-{seat}") if theirs >= of_decimal(TAX_FORM_FROM) else ("", "")
        yield Pay(name, f"P-{name}-{seat}", seat=seat, tax_form=form, tax_number=number)


class Supervisor:
    """Supervisor who, when called, validates and pays every hit that waits."""

    def __init__(self, server: Server, rng: Random, pace: DemoPace, scene: Scene) -> None:
        self._server = server
        self._rng = rng
        self._pace = pace
        self._scene = scene
        self._called = asyncio.Event()
        self._ending = False

    def call(self) -> None:
        """A table reports a win that waits."""
        self._called.set()

    def finish(self) -> None:
        """Lets `work` return once nothing waits. Call it when no table plays any more."""
        self._ending = True
        self._called.set()

    async def work(self) -> None:
        """Works until `finish`, and then once more: a hit may have come during the last payment.

        Hits left open before a restart are looked for first.
        """
        await self._attend()
        ended = False
        while not ended:
            await self._called.wait()
            ended = self._ending
            self._called.clear()
            await self._pace.pause(WALK_S, self._rng)
            await self._attend()

    async def _attend(self) -> None:
        more, page = True, AskWaitingHits()
        while more:
            found = await ask(self._server, page)
            for hit in found["hits"]:
                await self._see_to(hit)
            more, page = bool(found["more"]), AskWaitingHits(after=found["more"])

    async def _see_to(self, hit: dict[str, Any]) -> None:
        if hit["disputed"]:
            return
        if any(award["status"] == "pending" for award in hit["awards"]):
            await ask(self._server, Validate(hit["hit"]))
            self._note(Validate, hit)
        for payment in payments(hit):
            await ask(self._server, payment)
        self._note(Pay, hit)

    def _note(self, act: type[Validate | Pay], hit: dict[str, Any]) -> None:
        done, cents = "validated" if act is Validate else "paid", to_cents(of_decimal(hit["amount"]))
        text = f"{done} {hit['hit']} {hit['hand']} {dollars(cents)} at {hit['table']}"
        self._scene.acts.appendleft(FloorEvent(text, hit["level"] is not None))
