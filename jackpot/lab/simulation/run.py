"""Runs a simulated floor: the engine decides each round; hits are validated and paid at once.

The engine does all that it does for a real floor: rows, postings, hashes, seals, readings. Only what a round
needs outside it is left out: frames, sockets, waiting.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from controllers.answers import Ack, AwardFacts
from controllers.messages import Bet, Claim, Close, Settle, Wager
from jackpot.bank.draws import Below, draws_at
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.bank.sequencer import BATCH_COMMANDS_MAX, CommandBatch, Sequencer
from jackpot.catalogue import odds_return
from jackpot.config import Config
from jackpot.config.mystery_key import read_mystery_key
from jackpot.lab.bench.ledger_fixture import BANK, open_new
from jackpot.lab.simulation.cycles import LevelCycles
from jackpot.lab.simulation.decks import AT_ONCE, deal
from jackpot.lab.simulation.plan import PlanError, SimulationPlan, names
from jackpot.ledger.journal import Head, genesis
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.reports import goodness_of_fit, statistics
from jackpot.reports.goodness_of_fit import CountedHands, ExpectedHands, Finding
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Pay, Validate, payments
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.cards import parse_all
from jackpot.rules.commands import DIGEST_BYTES, ActCommand, Envelope
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.engine import Engine
from jackpot.rules.hands import DEALS, CardNeeds, CardsShown, GameDeal, best_row, needs, rank_shown
from jackpot.rules.meter import is_sound
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import ANY, FOLD, Game, LinkTerms

HOLDER: Final = "simulate"
# The name of who validates and pays.
FLOORPERSON: Final = "simulated"
HOUR_MS: Final = 3_600_000
PARTS: Final = ("dealing", "rows and hashes", "SQLite", "engine")
SIGNS: Final = "signs"

# What a mystery link asks of cards, and expects of hands: nothing.
NO_CARDS: Final = CardNeeds()
NO_HANDS: Final = ExpectedHands((), (), ())

Dealing = Callable[[np.random.Generator, GameDeal, int, int], list[list[str]]]
"""As `decks.deal`."""


class RandomSource(NamedTuple):
    """Source of deals and draws. below: None for numbers of the plan's seed."""

    dealing: Dealing = deal
    below: Below | None = None


FAIR: Final = RandomSource()


class SeededChance:
    """Random bytes of the plan's seed, for mystery levels."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"{seed} triggers")

    def raw(self, _link: int, _level: int) -> bytes:
        """Bytes for one number."""
        return self._random.randbytes(RAW_BYTES)


class LevelEnd(NamedTuple):
    """A level when the floor closed; sums in micro-dollars."""

    level: str
    wagers: int
    hits: int
    wins: int
    primary: int
    reserve: int
    overflow: int


class WagerEnd(NamedTuple):
    """A wager when the floor closed.

    wager: its link or offer. wagered, paid: in cents; paid by rows without a meter, what they return of the
    wager among it. exact: the part that those rows return. Of a mystery link its meters are all it pays.
    """

    wager: str
    wagers: int
    wagered: int
    paid: int
    exact: float
    judged: "OddsComparison"

    @property
    def returned(self) -> float:
        """The part that came back."""
        return self.paid / self.wagered if self.wagered else 0.0


class SimulationResult(NamedTuple):
    """Result. seconds: elapsed. spent: processor seconds by part. problems: of the ledger, in sentences."""

    rounds: int
    rows: int
    seconds: float
    spent: dict[str, float]
    levels: list[LevelEnd]
    wagers: list[WagerEnd]
    problems: list[str]
    head: bytes

    def chances(self) -> dict[tuple[str, str], float]:
        """Probability of each comparison of each wager, among all of them (Holm)."""
        known = {
            (one.wager, what): chance for one in self.wagers for what, chance in one.judged.known().items()
        }
        return dict(zip(known, statistics.holm(list(known.values())), strict=True))


class RowSink(Protocol):
    """Destination of rows."""

    def append(self, batch: CommandBatch) -> None:
        """Stores a batch."""

    def problems(self, engine: Engine) -> list[str]:
        """Differences between what is stored and the engine's state."""


class RunMemory:
    """Destination that discards rows after they are made and chained."""

    def append(self, batch: CommandBatch) -> None:
        """Discards a batch."""

    def problems(self, engine: Engine) -> list[str]:
        levels = [level for link in engine.state.links for level in link.levels]
        return [
            f"level {level.terms.level} is not sound: {level.accounts}"
            for level in levels
            if not is_sound(level.accounts.values(), level.terms.limit)
        ]


class Disk:
    """Destination in a SQLite file."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger

    def append(self, batch: CommandBatch) -> None:
        self._ledger.append(BANK, batch.epoch, batch.before, batch.rows)
        if batch.snapshot is not None:
            self._ledger.save_snapshot(batch.snapshot)
        self._ledger.checkpoint()

    def problems(self, engine: Engine) -> list[str]:
        """Problems of the balance, from the database's own sums (M4)."""
        sums = {(one.link, one.level): tuple(one[3:]) for one in self._ledger.sums(BANK, None, engine.seq)}
        levels = {(link.number, level.number): level for link in engine.state.links for level in link.levels}
        return [
            f"level {level.terms.level}: the ledger has {sums.get(key)}, the engine {level.accounts.values()}"
            for key, level in levels.items()
            if sums.get(key) != level.accounts.values() or not is_sound(sums[key], level.terms.limit)
        ]


def simulate(
    plan: SimulationPlan,
    config: Config,
    tell: Callable[[int], None],
    *,
    keep: bool,
    luck: RandomSource = FAIR,
) -> SimulationResult:
    """Plays the plan to its end. tell: called with the rounds played. keep: the ledger; None keeps nothing.

    Raises PlanError where the engine refuses a round, LedgerError, KeyFileError.
    """
    below = luck.below or Random(f"{plan.seed} draws").randrange
    draws = partial(draws_at, below=lambda _link: below)
    began = int(datetime.combine(plan.first, config.site.gaming_day_ends, UTC).timestamp()) * 1000
    chance = SeededChance(plan.seed)
    # Who keeps the ledger may go on with it.
    key = read_mystery_key(config.mystery.key) if keep and config.mystery is not None else None
    triggers = RunningTriggers.in_memory(BANK, Random(f"{plan.seed} triggers").randbytes, key)
    if not keep:
        head = Head(BANK, 1, 0, genesis(BANK), HOLDER, 0)
        sequencer = Sequencer(Engine(BANK), head, draws=draws, chance=chance, triggers=triggers)
        floor = _SimulatedFloor(plan, config, sequencer, RunMemory(), began)
        floor.act(OpenBank(config.site.first_id), began)
        return floor.play(luck.dealing, tell)
    file = config.ledger.file
    if file is None:
        raise PlanError("a simulated floor has its ledger in a file")
    open_new(file, config, began)
    with closing(SqliteLedger(file)) as ledger:
        head = ledger.new_epoch(BANK, HOLDER)
        sequencer = Sequencer(Engine(BANK), head, draws=draws, chance=chance, triggers=triggers)
        sequencer.engine.replay(ledger.rows(BANK, 0, 1)[0])
        return _SimulatedFloor(plan, config, sequencer, Disk(ledger), began).play(luck.dealing, tell)


class CommonCards(NamedTuple):
    """The cards of a round that are no seat's; None for those that no wager counts."""

    board: tuple[str, ...] | None
    dealer: tuple[str, ...] | None
    bonus: tuple[str, ...] | None


class _Wager:
    """A link or an offer as every seat plays it. amounts: in cents, of which each is played in its turn."""

    def __init__(self, terms: LinkTerms, game: Game, players: int) -> None:
        self.terms = terms
        self.link = terms.link
        self.amounts = [to_cents(terms.wager)]
        if terms.most:
            unit = to_cents(terms.unit)
            self.amounts = list(range(self.amounts[0], to_cents(terms.most) + unit, unit))
        self.needs = NO_CARDS if terms.mystery else needs(terms.hand_kind, game, terms.cards)
        self.forfeits = terms.forfeits(game)
        self.expected = NO_HANDS if terms.mystery else goodness_of_fit.expected_of(terms, game, players)
        self.one_a_round = not terms.mystery and goodness_of_fit.one_a_round(terms, game)
        self.cycles = [LevelCycles(level, terms.wager) for level in terms.levels if terms.mystery]
        self.exact = sum((level.returned for level in self.cycles), Fraction(0))
        if not terms.mystery:
            self.exact = odds_return(terms, players)
        self.wagers = self.wagered = self.paid = 0

    def amount(self, number: int) -> int:
        """The amount of a seat's wager."""
        return self.amounts[number % len(self.amounts)]

    def bet(self, bets: Sequence[Bet]) -> None:
        """Counts the wagers of a round."""
        for bet in bets:
            if bet.link == self.link:
                self.wagers += 1
                self.wagered += bet.amount

    def closed(self, players: int, awards: Sequence[AwardFacts]) -> None:
        """Counts the wagers of a closed round on mystery levels, from the highest seat down (Y3)."""
        won = {(award.seat, award.level): from_cents(award.amount) for award in awards}
        for level in self.cycles:
            for seat in range(players, 0, -1):
                level.wager()
                if (amount := won.get((seat, level.name))) is not None:
                    level.won(amount)

    def pays(self, game: Game, shown: CardsShown) -> bool:
        """Whether a seat's cards win by a row."""
        ranked = rank_shown(self.terms.hand_kind, game, shown, self.terms.cards)
        return ranked is not None and best_row(self.terms.rows, ranked) is not None


class _SimulatedFloor:
    """State of the run. began: the first gaming day's first moment, in unix milliseconds."""

    def __init__(
        self, plan: SimulationPlan, config: Config, sequencer: Sequencer, keeps: RowSink, began: int
    ) -> None:
        self._plan = plan
        self._config = config
        self._sequencer = sequencer
        self._keeps = keeps
        self._began = began
        self._asked = 0
        self._refused: list[Any] = []
        self._wagers = [_Wager(terms, plan.game, plan.players) for terms in config.links]
        self._tables = [_Table(name, self._wagers, plan.players, self._refused) for name in names(plan)]
        self._seats = tuple(range(plan.players, 0, -1))
        by_players = any(wager.terms.hand_kind == "best-of-table" for wager in self._wagers)
        self._players = plan.players if by_players else None
        self._needs = [wager.needs for wager in self._wagers]
        self._folding = Random(f"{plan.seed} folds")
        self._spent = dict.fromkeys(PARTS, 0.0)

    def act(self, command: ActCommand, at: int) -> None:
        """Executes an act of the server, or of the floorperson. at: now, in unix milliseconds."""
        people = (FLOORPERSON,) if isinstance(command, Validate | Pay) else ()
        self._sequencer.submit(Envelope(command, at, 0, self._digest(), people=people), self._done)

    def play(self, dealing: Dealing, tell: Callable[[int], None]) -> SimulationResult:
        """Plays the whole plan."""
        started, processor = time.perf_counter(), time.process_time()
        for link in self._config.links:
            self.act(OpenLink(link), self._began)
        for table in self._config.tables:
            self.act(OpenTable(table), self._began)
        game, rng = DEALS[self._plan.game], np.random.default_rng(self._plan.seed)
        played, of, days = 0, self._plan.rounds_in_all, 0
        while played < of:
            before = time.process_time()
            dealt = dealing(rng, game, self._plan.players, min(AT_ONCE, of - played))
            self._spent["dealing"] += time.process_time() - before
            for cards in dealt:
                at = self._began + played * HOUR_MS // (self._plan.rounds * self._plan.tables)
                if (at - self._began) // DAY_MS > days:
                    days = self._read(days)
                if self._plan.game == ANY:
                    self._round_without_cards(played, at)
                else:
                    self._round(played, at, cards, game)
                played += 1
            tell(played)
        self._read(days)
        self._write()
        self._spent["engine"] = time.process_time() - processor - sum(self._spent.values())
        return self._result(played, time.perf_counter() - started)

    def _round(self, number: int, at: int, cards: list[str], game: GameDeal) -> None:
        """Plays a round.

        wagers with the lock, then the settlement of all seats with the close. cards: as in `deal`.
        """
        table, own, board = self._tables[number % len(self._tables)], game.own, game.boards[-1]
        name, seq = f"R{number}", table.seq + 1
        table.seq += 2
        rest = board + own * self._plan.players
        held = [tuple(cards[first : first + own]) for first in range(board, rest, own)]
        dealer, bonus = tuple(cards[rest : rest + game.dealer]), tuple(cards[rest + game.dealer :])
        common = CommonCards(
            tuple(cards[:board]) or None,
            dealer if any(one.dealer for one in self._needs) else None,
            bonus if any(one.bonus for one in self._needs) else None,
        )
        hands = tuple(
            [
                Claim(seat, hand, folded=self._folds(hand, common))
                for seat, hand in zip(self._seats, held, strict=True)
            ]
        )
        first = Wager(seq, name, self._bets(number), lock=True, players=self._players)
        settle = Settle(seq + 1, name, hands, common.board, common.dealer, close=True, bonus=common.bonus)
        self._send(table, at, first, settle)

    def _round_without_cards(self, number: int, at: int) -> None:
        """Plays a round of a game of any name: wagers with the lock, then the close (Y7)."""
        table, name = self._tables[number % len(self._tables)], f"R{number}"
        seq = table.seq + 1
        table.seq += 2
        self._send(table, at, Wager(seq, name, self._bets(number), lock=True), Close(seq + 1, name))

    def _bets(self, number: int) -> tuple[Bet, ...]:
        """Every wager of every seat, counted."""
        bets = tuple(
            [
                Bet(seat, wager.link, wager.amount(number + seat))
                for seat in self._seats
                for wager in self._wagers
            ]
        )
        for wager in self._wagers:
            wager.bet(bets)
        return bets

    def _send(self, table: "_Table", at: int, first: Wager, last: Settle | Close) -> None:
        """Sends what opens a round and what ends it. The table's clock goes on as the day does (L11)."""
        submit, tick = self._sequencer.submit, at - self._began
        submit(Envelope(first, at, tick, self._digest(), table=table.name), table.wagered)
        submit(Envelope(last, at, tick, self._digest(), table=table.name), table.settled)
        self._attend(at)
        if self._sequencer.depth >= BATCH_COMMANDS_MAX:
            self._write()

    def _folds(self, hand: tuple[str, ...], common: CommonCards) -> bool:
        """Whether a player gives up: never a hand that a wager would be paid for which the fold loses."""
        game = self._plan.game
        if not self._plan.folds or FOLD[game] == "none" or self._folding.randrange(100) >= self._plan.folds:
            return False
        lost = [wager for wager in self._wagers if wager.forfeits]
        if not lost:
            return True
        seen = CardsShown(parse_all(hand), *(parse_all(cards or ()) for cards in common))
        return not any(wager.pays(game, seen) for wager in lost)

    def _attend(self, at: int) -> None:
        """Validates and pays what waits, as a floorperson does before the table's next round (A10, T11)."""
        waiting = [unpaid for link in self._sequencer.engine.state.links for unpaid in link.unpaid.values()]
        for number in sorted({hit for unpaid in waiting for hit in unpaid.hits}):
            self.act(Validate(f"H{number}"), at)
            for payment in payments(self._sequencer.engine.state.hits[number], f"S{number}"):
                self.act(payment, at)

    def _read(self, days: int) -> int:
        """Takes the reading of a gaming day as it ends; returns how many have ended (S2)."""
        ended = self._plan.first + timedelta(days=days)
        self.act(Reading(ended.isoformat()), self._began + (days + 1) * DAY_MS)
        return days + 1

    def _write(self) -> None:
        """Writes everything decided; raises PlanError for a refusal."""
        clock = time.process_time
        while True:
            before = clock()
            batch = self._sequencer.take_batch()
            made = clock()
            self._spent["rows and hashes"] += made - before
            if batch is None:
                break
            if batch.rows:
                self._keeps.append(batch)
            self._spent["SQLite"] += clock() - made
            self._sequencer.committed()
        if self._refused:
            raise PlanError(f"the engine refused what was simulated: {self._refused[0]}")

    def _digest(self) -> bytes:
        self._asked += 1
        return self._asked.to_bytes(DIGEST_BYTES // 2, "big") * 2

    def _done(self, outcome: Outcome) -> None:
        if outcome.entry is None:
            self._refused.append(outcome.answer)

    def _result(self, played: int, seconds: float) -> SimulationResult:
        state = self._sequencer.engine.state
        levels = [
            LevelEnd(level.terms.level, level.wagers, level.hits, level.wins, level.accounts.primary,
                     level.accounts.reserve, level.accounts.overflow)
            for link in state.links for level in link.levels
        ]  # fmt: skip
        problems = self._keeps.problems(self._sequencer.engine)
        problems += [
            f"hits are not paid: {one.hits}"
            for link in state.links
            for one in link.unpaid.values()
            if one.hits
        ]
        return SimulationResult(
            played,
            self._sequencer.durable_seq,
            seconds,
            self._spent,
            levels,
            [self._ended(wager) for wager in self._wagers],
            problems,
            self._sequencer.durable_hash,
        )

    def _ended(self, wager: _Wager) -> WagerEnd:
        paid = sum(table.paid[wager.link] for table in self._tables)
        counted = [table.counted[wager.link] for table in self._tables]
        judged = judge(wager.expected, counted)
        if wager.cycles:
            found = [finding for level in wager.cycles for finding in level.findings()]
            judged = OddsComparison(found, 0, 0, 1.0)
        return WagerEnd(wager.link, wager.wagers, wager.wagered, paid, float(wager.exact), judged)


class _Table:
    """State of a table. seq: of its last frame. counted, paid: its hands and cents, from the answers."""

    def __init__(self, name: str, wagers: Sequence[_Wager], players: int, refused: list[Any]) -> None:
        self.name = name
        self.seq = 0
        self.counted = {wager.link: CountedHands() for wager in wagers}
        self.paid = Counter[str]()
        self._wagers = wagers
        self._players = players
        self._refused = refused

    def wagered(self, outcome: Outcome) -> None:
        """Handles the engine's answer to its wagers."""
        if not isinstance(outcome.answer, Ack):
            self._refused.append(outcome.answer)

    def settled(self, outcome: Outcome) -> None:
        """Handles the engine's answer to its hands."""
        self.wagered(outcome)
        if not isinstance(outcome.answer, Ack):
            return
        won = [award for award in outcome.answer.awards or () if award.kind in ("meter", "odds")]
        for wager in self._wagers:
            wager.closed(self._players, [award for award in won if award.link == wager.link])
        whole = {wager.link for wager in self._wagers if wager.cycles}
        for award in won:
            if award.kind == "odds" or award.link in whole:
                self.paid[award.link] += award.amount + (award.stake or 0)
        for wager in self._wagers:
            paid = [award for award in won if award.link == wager.link]
            if wager.one_a_round:  # the hand of the highest seat
                self.counted[wager.link].add(1, [one.hand for one in paid if one.seat == self._players])
            else:
                self.counted[wager.link].add(self._players, [one.hand for one in paid])


class OddsComparison(NamedTuple):
    """Comparison with the exact odds. findings: all hands together, then each. above, below: by their side.

    sign: the chance of sides that differ so much.
    """

    findings: list[Finding]
    above: int
    below: int
    sign: float

    def known(self) -> dict[str, float]:
        """Probability of each comparison alone, where there is enough data."""
        known = {finding.what: finding.chance for finding in self.findings if finding.chance is not None}
        known[SIGNS] = self.sign
        return known

    def chances(self) -> dict[str, float]:
        """Probability of each comparison among all of them (Holm)."""
        known = self.known()
        return dict(zip(known, statistics.holm(list(known.values())), strict=True))


def judge(expected: ExpectedHands, tables: Sequence[CountedHands]) -> OddsComparison:
    """Compares the hands at the tables with those expected of one hand and of two hands of a round."""
    off = [
        counted.made[name] - mean
        for counted in tables
        for name, rate in zip(expected.names, expected.chances, strict=True)
        if (mean := counted.hands * rate) >= goodness_of_fit.TOGETHER_MIN
    ]
    above, below = sum(one > 0 for one in off), sum(one < 0 for one in off)
    sides = above + below
    sign = statistics.beyond(above, sides, sides / 2, sides / 4) if sides else 1.0
    return OddsComparison(
        goodness_of_fit.compare([(expected, counted) for counted in tables]), above, below, sign
    )
