"""Simulated floorpersons: they validate, pay and undo, alone or by two, and correct mistakes.

They look at what is durable (the model's books), pick an act, and ask for it until it is answered: over
crashes and doubt, always under the same digest, as the admin socket's client would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from jackpot.rules.acts.devices import ClearDevice
from jackpot.rules.acts.disputes import Dispute
from jackpot.rules.acts.hits import Correct, Undo, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.people import (
    AddPerson,
    EndPerson,
    GiveCode,
    Grant,
    ResetSecret,
    SetSecret,
    WithdrawRole,
)
from jackpot.rules.acts.programs import ConfirmProgram
from jackpot.rules.acts.requests import Confirm, Reject
from jackpot.rules.acts.rounds import AgreeToReopen, DecideAbandoned, Decline, Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.commands import Command
from jackpot.rules.outcome import Outcome
from jackpot.rules.signing import SITE
from tests.faults.errands import TAX_FROM, Desk, Errand, Named
from tests.faults.floor import Table
from tests.faults.house import LinkPlan
from tests.faults.model import Model
from tests.faults.model_floor import Round
from tests.faults.model_people import ADMIN, CAGE, FLOOR, Requests
from tests.faults.network import Timeline
from tests.faults.programs import Programs
from tests.faults.site import FIRST, By, Site
from tests.faults.terms import ACTIONS, Names
from tests.faults.worked.form import Signer

# Seconds between two acts, and before an unanswered one is asked for again.
PAUSE_S = 0.02
AGAIN_S = 0.5
# Tries of an act of the people's own bank: with a server for the floor there may be none for it.
TRIES = 10
# Of the acts, how many answer a table that is called ahead of the ledger.
ANSWERS = 0.05
# And where mysteries wait to be told what was shown (Y8).
ANSWERS_OF_MYSTERIES = 0.3
# While links wait for it, how many acts confirm the program; else how many confirm one once more.
KNOWS = 0.2
KNOWS_AGAIN = 0.004
# Of the acts of people who sign: how many answer a request, how many change who may do what, how many are of
# somebody who may perhaps not.
CONFIRMS = 0.15
CHANGES = 0.04
WRONG = 0.12
# So many of the first people on the floor stay, or no two could go on; and so many people come at most.
STAY = 3
PEOPLE_MAX = 9
# Of the acts, how many begin to bring a link to rest, and how many correct a meter.
EMPTIES = 0.014
CORRECTS = 0.004
# How often people see at once that a player has left, and how often one really has (P6).
SEES = 0.7
LEFT = 0.7
# How often a reopened round is made void, where mysteries have counted its wagers (Y4).
VOIDS_AGAIN = 0.5
# And how many replace triggers, where a house has any.
REPLACES = 0.01
# Of the payments of a hit, how many name the winner's seat.
BY_SEAT = 0.8
# What each act asks a person's roles for.
KINDS: dict[type, str] = ACTIONS | {
    Suspend: "suspend",
    Resume: "resume",
    ConfirmBehind: "confirm_behind",
    ConfirmProgram: "confirm_program",
    ClearDevice: "clear",
}
# These are asked for by who may, and by two at once: the witness knows no requests of them.
SURE = (Suspend, Resume, ConfirmBehind, ConfirmProgram, ClearDevice)

Ask = Callable[[Command, By, bytes, Callable[[Outcome], None]], None]
Act = tuple[Command, By]


class Person:
    """Two floorpersons, of whom the second confirms; or, where the site has people, some of them.

    names: the server's of what the model knows. plans: the links' terms. said: what tables say they have, and
    nobody has answered. programs: which one decides, and whether links wait for it. ask: submits to a server
    that runs; it may be lost.
    """

    def __init__(
        self,
        timeline: Timeline,
        random: Random,
        site: Site,
        model: Model,
        tables: list[Table],
        names: Names,
        plans: Mapping[str, LinkPlan],
        said: Mapping[str, int],
        programs: Programs,
        ask: Ask,
    ) -> None:
        self._timeline = timeline
        self._random = random
        self._site = site
        self._model = model
        self._tables = tables
        self._names = names
        self._bank = Desk(random, model, names, plans)
        self._errand: Errand | None = None
        self._said = said
        self._programs = programs
        self._ask = ask
        self._waiting: tuple[Act, bytes] | None = None
        self._tries = 0
        self._called: list[str] = []
        self._leaks = any(plan.options.get("form") == "committed" for plan in plans.values())
        self.tidying = False
        timeline.after(PAUSE_S, self._go_on)

    @property
    def idle(self) -> bool:
        return self._waiting is None and not self._called

    def wants(self, link: str) -> LinkPlan | None:
        """The terms that they are about to ask for."""
        errand = self._errand
        return errand.plan if errand is not None and errand.link == link else None

    def called(self, hits: list[str]) -> None:
        """A table wants these hits (the server's ids) undone, so that its round can be void."""
        self._called += [hit for hit in hits if hit not in self._called]

    def _go_on(self) -> None:
        if self._waiting is None and (act := self._choose()) is not None:
            self._waiting, self._tries = (act, self._random.randbytes(16)), 0
        if self._waiting is None:
            self._timeline.after(PAUSE_S, self._go_on)
            return
        (command, by), digest = self._waiting
        self._timeline.after(AGAIN_S, lambda: self._again(digest))
        self._ask(command, by, digest, lambda _outcome: self._answered(digest))

    def _again(self, digest: bytes) -> None:
        if self._waiting is None or self._waiting[1] != digest:
            return
        self._tries += 1
        if self._waiting[0][1].bank == SITE and self._tries >= TRIES:
            self._waiting = None
        self._go_on()

    def _answered(self, digest: bytes) -> None:
        if self._waiting is not None and self._waiting[1] == digest:
            self._waiting = None
            self._timeline.after(PAUSE_S * 2 * self._random.random(), self._go_on)

    def alone(self) -> By:
        """One of the floor, who may clear a device."""
        return self._by(ClearDevice("table", "T1"), ("ann",))

    def _choose(self) -> Act | None:
        if not self._model.tables:
            return None  # nothing is open yet
        if self._site.here and (act := self._by_signing()) is not None:
            return act
        named = self._choose_named()
        return None if named is None else (named[0], self._by(*named))

    # Of people who sign

    def _by(self, command: Command, people: tuple[str, ...]) -> By:
        """So many signers: mostly authorized ones, the second a different person."""
        if not self._site.here:
            return By(people)
        random, site = self._random, self._site
        roles = self._model.roles(KINDS[type(command)], self._names.fields(command))
        first = site.anybody(*roles, program=not self.tidying)
        signers = (first, site.anybody(*roles, but=(first,)))[: len(people)]
        if not self.tidying and not isinstance(command, SURE) and random.random() < WRONG:
            place = random.randrange(len(signers))
            signers = (*signers[:place], site.stranger(), *signers[place + 1 :])
        return By(proof=site.proof(signers))

    def _by_signing(self) -> Act | None:
        """An answer to a request or to who asked to reopen a round, or a change of who may do what."""
        random, chance = self._random, self._random.random()
        asked = [one for one in self._model.tables.values() if one.asked]
        if asked and (self.tidying or chance < 0.5):
            table = random.choice(asked)
            asker = self._model.reopening.get(table.name)
            if not self.tidying and asker is not None and asker.id in self._site.still_here():
                return self._agree(table.name, table.asked or "", asker)
            no = Decline(table.name, table.asked or "", "looked at")
            return no, self._by(no, ("ann",))
        if self.tidying:
            return None
        if chance < CONFIRMS and self._model.requests:
            return self._answer(self._model, By())
        if chance > 1 - CHANGES:
            roll = self._site.roll
            if roll.requests and random.random() < 0.5:
                return self._answer(roll, By(bank=SITE))
            return self._change()
        return None

    def _agree(self, table: str, round_: str, asked: Signer) -> Act:
        """Mostly another one of the floor agrees to reopen a round, together with who asked."""
        random, site = self._random, self._site
        second = site.anybody(FLOOR, but=(asked,)) if random.random() > WRONG else site.stranger()
        if random.random() < 0.4:
            return Decline(table, round_, "looked at"), By(proof=site.proof((second,)))
        asker = site.roll.signer(asked.id, asked.means)
        return AgreeToReopen(table, round_, "looked at"), By(proof=site.proof((asker, second)))

    def _answer(self, requests: Requests, by: By) -> Act:
        """Confirm or reject one of them; now and then by somebody who may not."""
        random, site = self._random, self._site
        number, request = random.choice(list(requests.requests.items()))
        asker = site.roll.signer(request.asker, request.means)
        second = site.anybody(*requests.roles(request.kind, request.fields), but=(asker,))
        if random.random() < WRONG:
            second = site.stranger()
        if random.random() < 0.2 or request.asker not in site.still_here():
            return Reject(f"{by.bank}-{number}", "not so"), by._replace(proof=site.proof((second,)))
        return Confirm(f"{by.bank}-{number}"), by._replace(proof=site.proof((asker, second)))

    def _change(self) -> Act:
        """Gives somebody a role, takes it, or ends the person."""
        random, roll = self._random, self._site.roll
        if random.random() < 0.6 and (act := self._come()) is not None:
            return act
        number = random.choice(list(roll.people))
        role: Any = random.choice((FLOOR, CAGE, CAGE, "viewer"))
        people = [roll.people[number] for number in FIRST if roll.able(number)]
        plenty = sum(FLOOR in one.roles for one in people) > STAY
        command: Command = Grant(number, role)
        if plenty and ADMIN not in roll.people[number].roles and random.random() < 0.6:
            command = EndPerson(number) if random.random() < 0.2 else WithdrawRole(number, role)
        admin = self._site.anybody(ADMIN)
        signers: tuple[Signer, ...] = (admin, self._site.anybody(ADMIN, but=(admin,)))
        if not isinstance(command, Grant) or random.random() < 0.4:
            signers = signers[:1]
        if random.random() < WRONG:
            signers = (self._site.stranger(),)
        return command, By(proof=self._site.proof(signers), bank=SITE)

    def _come(self) -> Act | None:
        """Adds somebody, gives a code, sets a secret, vouches, or takes a secret away."""
        random, site = self._random, self._site
        if (ready := site.with_code()) is not None:
            return SetSecret(bytes([ready[0]]) * 32), By(proof=ready[1], bank=SITE)
        people = site.roll.people.items()
        waiting = [number for number, one in people if not one.secret and not one.ended]
        known = [number for number, one in people if one.given_by and not one.vouched]
        admin = site.anybody(ADMIN)
        if waiting:
            return GiveCode(random.choice(waiting), bytes(32), 1), By(proof=site.proof((admin,)), bank=SITE)
        if known and random.random() < 0.5:
            return Vouch(random.choice(known)), By(proof=site.proof((admin,)), bank=SITE)
        two = site.proof((admin, site.anybody(ADMIN, but=(admin,))))
        if len(people) < PEOPLE_MAX:
            roles: Any = (random.choice((FLOOR, CAGE, ADMIN)),)
            return AddPerson(random.randbytes(32), roles), By(proof=two, bank=SITE)
        newcomers = [number for number, one in people if number not in FIRST and not one.ended]
        return (ResetSecret(random.choice(newcomers)), By(proof=two, bank=SITE)) if newcomers else None

    # What is done, whether people sign or not

    def _choose_named(self) -> Named | None:
        random = self._random
        if self._called:
            return Undo(self._called.pop(), "void round"), ("ann", "bob")
        answers = ANSWERS_OF_MYSTERIES if self._leaks else ANSWERS
        if self._said and (self.tidying or random.random() < answers):
            return self._on_claim()
        if (act := self._on_program()) is not None or (act := self._on_link()) is not None:
            return act
        errand = self._errand.link if self._errand is not None else ""
        suspended = [link.name for link in self._bank.open_links() if link.suspended and link.name != errand]
        if suspended and (self.tidying or random.random() < 0.3):
            behind = "operator" if self._site.here else "ledger_behind"
            reason = random.choice(["operator", "internal", TRANSFERRED, behind])
            return Resume(reason, (random.choice(suspended),), "looked at"), ("ann", "bob")
        if random.random() < 0.35 and (act := self._on_table()) is not None:
            return act
        if random.random() < 0.004 and not self.tidying:
            return Suspend("operator", (random.choice(self._bank.open_links()).name,), "looked at"), ("ann",)
        return self._on_hit()

    def _on_link(self) -> Named | None:
        """Continues or begins an errand, corrects a meter, or decides on a residual amount."""
        if self.tidying:
            self._errand = None
            return None
        chance = self._random.random()
        if self._errand is None and chance < EMPTIES:
            self._errand = Errand(self._bank)
        if self._errand is not None and chance < 0.5:
            act = self._errand.next()
            self._errand = None if self._errand.over else self._errand
            return act
        if chance > 1 - CORRECTS:
            return self._bank.correct_meter()
        if self._leaks and chance > 1 - CORRECTS - REPLACES:
            return self._bank.replace_triggers()
        return self._bank.decide() if chance > 0.9 else None

    def _on_program(self) -> Named | None:
        """Two people confirm the running program; now and then again, or where none is needed."""
        random, programs = self._random, self._programs
        chance = (1.0 if self.tidying else KNOWS) if programs.waits else 0.0 if self.tidying else KNOWS_AGAIN
        if not programs.now or random.random() >= chance:
            return None
        people = ("ann", "bob") if self._site.here or self.tidying or random.random() < 0.8 else ("ann",)
        return ConfirmProgram(programs.now.hex(), "as published"), people

    def _on_claim(self) -> Named:
        """Accept or reject a table's claimed last ack; now and then one alone, or a number too high."""
        random = self._random
        people = ("ann", "bob") if random.random() < 0.8 or self._site.here else ("ann",)
        believe = random.random() < 0.4
        highest = self._bank.highest() if believe else ()
        return ConfirmBehind(random.choice(list(self._said)), "asked its dealer", believe, highest), people

    def _on_table(self) -> Named | None:
        """Strike, reopen, void or release, wherever something stands that allows it."""
        random = self._random
        table = random.choice(list(self._model.tables.values()))
        if table.unfinished:
            name, round_ = random.choice(list(table.unfinished.items()))
            gone = [seat for seat in round_.gone if not round_.lost(seat)]
            if gone and (self.tidying or random.random() < SEES):
                left = random.random() < LEFT
                return DecideAbandoned(table.name, name, random.choice(gone), left, "looked"), ("ann",)
            if (
                round_.state == "mismatch"
                and not round_.players
                and (wagers := [wager for wager in round_.wagers if wager.live])
            ):
                one = random.choice(wagers)
                on: Any = one.on
                return Strike(table.name, name, one.seat, one.link, "count", on), ("ann",)
            if self._leaks and round_.reopened and not self.tidying and random.random() < VOIDS_AGAIN:
                return self._void_again(table.name, round_)
            if random.random() < 0.02 and not self.tidying:
                return VoidRound(table.name, name, "floor"), ("ann", "bob")
        elif table.reopenable is not None and random.random() < 0.1 and not self.tidying:
            people = ("ann",) if self._site.here and random.random() < 0.4 else ("ann", "bob")
            return Reopen(table.name, table.reopenable.name, "missed hand"), people
        if self._model.held(table.name) and random.random() < 0.5:
            return Release(table.name, "photographed"), ("ann",)
        return None

    def _void_again(self, table: str, round_: Round) -> Named:
        """Two people undo what a reopened round has won, hit by hit, and then the round (Y4)."""
        for hit in self._model.of_round(round_):
            theirs = self._names.theirs.get(hit.id)
            if theirs is not None and self._model.waiting(hit):
                return Undo(theirs, "void round"), ("ann", "bob")
        return VoidRound(table, round_.name, "floor"), ("ann", "bob")

    def _on_hit(self) -> Named | None:
        random = self._random
        hits = [
            hit
            for hit in self._model.hits_made.values()
            if any(award.status in ("pending", "validated") for award in hit.awards)
        ]
        if not hits:
            return None
        hit = hits[0] if random.random() < 0.5 else random.choice(hits)
        award = random.choice(hit.awards)
        theirs, one = self._names.theirs.get(hit.id), self._names.theirs.get(award.id)
        if theirs is None or one is None:
            return None
        people = ("ann", "bob") if random.random() < 0.6 else ("ann",)
        waiting = any(award.status == "pending" for award in hit.awards)
        choice = random.random()
        if hit.disputed and choice < 0.4:
            return self._bank.lift(hit)
        if self.tidying or choice < 0.65:
            seat = award.seat if random.random() < BY_SEAT else None
            return (Validate(theirs) if waiting else self._bank.pay(theirs, seat=seat)), people
        if choice < 0.7:
            return Validate(theirs, one), people
        if choice < 0.77:
            return self._bank.pay(theirs, one), people
        if choice < 0.8:
            return Dispute(theirs, "seat says otherwise"), people[:1]
        if choice < 0.88:
            return Undo(theirs, "not so"), people
        if choice < 0.94:
            return Undo(theirs, "not so", one), people
        amount = max(0, award.amount + random.randint(-2000, 2000))
        return Correct(one, amount, "misread", f"W-{one}", TAX_FROM), people
