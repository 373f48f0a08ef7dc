"""Steps of a mystery from its draw to its opening, and a process that dies at one after the other (Y8, Y12).

`STEPS` names every function on the way, and what it does there. A tracer follows their lines, and kills the
process that comes to one. What nobody would name here nobody would kill at: so a test compares the names with
the functions that really run.
"""

from __future__ import annotations

import sys
from asyncio import events
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import CodeType, FrameType, ModuleType
from typing import Any, Final

from tests.faults.loops import Crashed, FalseLoop
from tests.faults.nodes import Machine
from tests.faults.places import Ground, Killed
from tests.faults.plan import Fault
from tests.faults.servers import Simulation
from tests.faults.simulation import Failure, run

# What leaves a commit in doubt that the ledger has, and one that it has not: of a disk, and on the way there.
_DOUBTS: Final = (("revive_sync", "fail_sync"), ("call_unheard", "call_lost"))
# Rows before the first one dies: then rounds are played, people act, and much of it waits.
ROWS_BEFORE: Final = 60

_TRIGGERS: Final = "jackpot.bank.running_triggers:RunningTriggers"
_WITNESS: Final = "jackpot.ledger.witness:Witness"
_RULES: Final = "jackpot.rules.rounds.mystery:"
_ACTS: Final = "jackpot.rules.acts.triggers:"
_WRITER: Final = "jackpot.bank.sequencer:Sequencer"
_BANK: Final = "jackpot.bank.bank:Bank"

# Every function between a draw and its end, and what it does there.
STEPS: Final[dict[str, str]] = {
    f"{_WRITER}._decide": "a command is decided",
    f"{_RULES}counts": "a round ends: have its wagers to be counted",
    f"{_RULES}count": "they count, one after the other",
    f"{_RULES}_check_triggers": "is every trigger there that they may need",
    f"{_RULES}_begin_count": "each level as the round finds it",
    f"{_RULES}_count_wager": "one wager decides a level",
    f"{_RULES}_drawn": "drawn: the wager's own number",
    "jackpot.bank.draws:RepeatedChance.raw": "drawn: its bytes, once for a command",
    "jackpot.bank.draws:SecureChance.raw": "drawn: fresh bytes",
    f"{_RULES}_crossed": "committed: has the meter reached the trigger",
    f"{_TRIGGERS}.missing": "committed: is the trigger there",
    f"{_TRIGGERS}.crossed": "committed: the one comparison with it",
    f"{_TRIGGERS}._trigger": "committed: the trigger in memory",
    f"{_RULES}opening": "the won commitment is opened",
    f"{_TRIGGERS}.opened": "its trigger leaves the memory for the journal",
    f"{_RULES}_next_commitment": "the next cycle's commitment",
    f"{_TRIGGERS}.commit": "its trigger is drawn",
    f"{_TRIGGERS}.why_not": "may it be drawn",
    f"{_RULES}apply_counted": "the state has what was counted",
    f"{_RULES}_apply_level": "each level of it",
    f"{_RULES}_reseed": "the award is paid from the meter, which is reseeded",
    f"{_RULES}commit_to": "the state has the new commitment",
    f"{_TRIGGERS}.begin": "what an abandoned decision drew is forgotten",
    f"{_TRIGGERS}.taken": "what the row keeps and opens",
    "jackpot.ledger.trigger_vault:seal": "the new trigger is sealed for the ledger",
    f"{_WRITER}._renewal": "a commitment that is due besides a win",
    f"{_ACTS}due": "which levels are due",
    f"{_ACTS}decide_renew": "what ran is opened, and drawn afresh",
    f"{_ACTS}apply_renewed": "the state has the fresh one",
    f"{_ACTS}decide_replace": "people replace triggers after a leak",
    f"{_ACTS}apply_replaced": "they are due",
    f"{_RULES}replace_triggers": "each level of the link is due",
    f"{_RULES}raise_decided": "people state what was shown",
    f"{_WRITER}.take_batch": "the rows go to the ledger",
    f"{_BANK}._write_next": "the commit, and what comes after it",
    f"{_BANK}._publish": "the durable commitments go to the witness",
    f"{_TRIGGERS}.publish": "in a thread",
    f"{_WITNESS}.advance": "under the lock of the file",
    f"{_WITNESS}.read": "what the witness has",
    f"{_WITNESS}._write": "the new file is written and synced",
    f"{_WITNESS}._replace": "it is put in its place",
    f"{_WRITER}.committed": "the answers leave",
    f"{_WRITER}._release": "each to its table",
    f"{_WRITER}.failed": "the commit is in doubt",
    f"{_BANK}._recover": "the ledger is looked at again",
    "jackpot.bank.recovery:Recovery.again": "in a new epoch",
    "jackpot.bank.recovery:Recovery.whole": "the state and the triggers of that moment",
    f"{_TRIGGERS}.load": "the running triggers are read",
    f"{_TRIGGERS}._read_key": "with the key",
    f"{_TRIGGERS}._compare": "the witness against the ledger",
    f"{_TRIGGERS}._open": "each is opened, and checked against its commitment",
    "jackpot.ledger.trigger_vault:unseal": "by the key",
    f"{_WRITER}.kept_in_doubt": "the doubtful commitments that the ledger has",
    f"{_WRITER}.rebuilt": "what waited is decided again",
    "jackpot.bank.config_alignment:align_triggers": "links whose trigger is not to be had wait",
    f"{_RULES}refunded": "a void round's wagers go back",
    f"{_RULES}apply_refunded": "from meter, overflow or house",
    f"{_RULES}_refunds": "by the cycle in which each counted",
    f"{_RULES}without_award": "an award is undone",
    f"{_RULES}apply_undone": "its sum waits for refunds",
    f"{_RULES}corrected": "an award is raised or lowered",
    f"{_RULES}apply_corrected": "what the house has added",
    f"{_RULES}apply_moved": "people lift a meter, or take it",
}

# Modules of mysteries alone: each of their functions that runs is a step, or is named here.
OWN: Final = (
    "jackpot.bank.running_triggers",
    "jackpot.ledger.witness",
    "jackpot.ledger.trigger_vault",
    "jackpot.rules.rounds.mystery",
    "jackpot.rules.acts.triggers",
)
# What these have besides: looks at a value, or an operation of one.
NO_STEPS: Final = frozenset(
    {
        f"{_TRIGGERS}.__init__",
        f"{_TRIGGERS}.troubles",
        f"{_TRIGGERS}.is_behind",
        f"{_TRIGGERS}.lost",
        f"{_TRIGGERS}._forbids",
        "jackpot.bank.running_triggers:_last_by_level",
        "jackpot.bank.running_triggers:_differs",
        "jackpot.bank.running_triggers:_level",
        f"{_WITNESS}.__init__",
        f"{_WITNESS}._beside",
        f"{_WITNESS}._alone",
        f"{_WITNESS}.try_out",
        "jackpot.ledger.witness:Witnessed.level",
        "jackpot.ledger.witness:_WitnessEntry.of",
        "jackpot.ledger.witness:_WitnessEntry.witnessed",
        "jackpot.ledger.witness:position_of",
        "jackpot.ledger.trigger_vault:TriggerUnreadable.__init__",
        "jackpot.ledger.trigger_vault:_bound_to",
        "jackpot.ledger.trigger_vault:commitment_text",
        f"{_RULES}contribution_of",
        f"{_RULES}first_cycle",
        f"{_RULES}commitment_id",
        f"{_RULES}cycle_of",
        f"{_RULES}must_hit_sum",
        f"{_RULES}is_committed",
        f"{_RULES}is_mystery",
        f"{_RULES}last_commitments",
        f"{_RULES}level_of",
        f"{_RULES}links_of",
        f"{_RULES}running_of",
        f"{_RULES}_in_payout_order",
    }
)

# What only comes about where people believe a stolen table, and state more than was decided.
SELDOM: Final = frozenset({f"{_RULES}raise_decided"})

Line = tuple[str, int]
"""A step, and one of its lines, counted from where the function begins."""


def code_of(step: str) -> CodeType:
    """The code of a step. Raises AttributeError where there is none of the name."""
    module, _, name = step.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    code = found.__code__
    assert isinstance(code, CodeType)
    return code


def first_lines() -> dict[Line, str]:
    """Where each step begins: a process that dies there has done all before, and nothing of the step."""
    found = {}
    for step, what in STEPS.items():
        code = code_of(step)
        lines = sorted({line for _, _, line in code.co_lines() if line and line > code.co_firstlineno})
        found[step, lines[0] - code.co_firstlineno] = what
    return found


def plan_for(ground: Ground) -> list[Fault]:
    """Commits in doubt that the ledger has, or has not, one that it refuses, and thefts: each a few times."""
    kept, lost = next(both for both in _DOUBTS if both[0] in ground.weights)
    each = ((3, kept), (7, lost), (11, "poison"), (5, "thief"), (13, "thief"))
    return [Fault(at, kind, 0.3) for first, kind in each for at in range(first, 400, 16)]


class Tracer:
    """Follows the steps, and kills the process that comes to one of these lines; each once.

    seen: how often each line was run. others: the functions of the mysteries' modules that ran and are no
    step.
    """

    def __init__(self, at: Iterable[Line]) -> None:
        self.row: Callable[[], int] = lambda: 0
        self.left = set(at)
        self.seen: Counter[Line] = Counter()
        self.others: set[str] = set()
        self._last = ROWS_BEFORE
        self._steps = {code_of(step): step for step in STEPS}
        self._own = {module.__file__: module for module in map(import_module, OWN)}

    def call(self, frame: FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        """A function begins."""
        code = frame.f_code
        if code in self._steps:
            return self._line
        module: ModuleType | None = self._own.get(code.co_filename)
        if module is not None and "<" not in code.co_name:  # a part of what it stands in
            self.others.add(f"{module.__name__}:{code.co_qualname}")
        return None

    def _line(self, frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
        if event == "line":
            line = self._steps[frame.f_code], frame.f_lineno - frame.f_code.co_firstlineno
            self.seen[line] += 1
            if line in self.left and self.row() > self._last:
                self.left.remove(line)
                self._last = self.row()  # each life writes a row at the least
                self._kill()
        return self._line

    def _kill(self) -> None:
        """Ends the process here. Its tracing goes on with the next one."""
        loop = events._get_running_loop()
        if isinstance(loop, FalseLoop):
            loop.crashed = True
            raise Crashed
        raise Killed  # in a call of its ledger


@contextmanager
def traced(tracer: Tracer, play: Simulation) -> Iterator[None]:
    """Follows the run; also after each death, for what raises in a tracer ends the tracing."""
    before, end = sys.gettrace(), play.end

    def ended(machine: Machine, *, told: bool = True) -> None:
        end(machine, told=told)
        # One after the other dies as it takes the bank: a server, and rounds, are promised after the last.
        play._served = play.timeline.now
        play._progress = play.witness.rounds, play.timeline.now
        sys.settrace(tracer.call)

    play.end = ended  # type: ignore[method-assign]
    tracer.row = lambda: 0 if play._resting else play.witness.seq  # who verifies does not die
    sys.settrace(tracer.call)
    try:
        yield
    finally:
        sys.settrace(before)


def killed_at(
    seed: int, rounds: int, at: Iterable[Line], ground: Ground
) -> tuple[Failure | Simulation, Tracer]:
    """A run whose processes die at these lines, one after the other. Its plan has the other faults."""
    tracer = Tracer(at)
    ended = run(seed, rounds, plan_for(ground), ground=ground, watch=lambda play: traced(tracer, play))
    return ended, tracer
