"""The house rules of the source tree; each finding names file, line and what to write instead."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent

# What a merge or a patch leaves behind; an editor's search finds in it what is no longer so.
LEFTOVERS: Final = {".orig", ".rej", ".bak"}

TOP_LEVEL: Final = {"pyproject.toml", "jackpot", "controllers", "schemas", "deploy", "tests"}
TOP_LEVEL_TEXTS: Final = {"README.md", "LICENSE", "CHANGELOG.md"}
# Left behind by tools, and ignored by git.
TOP_LEVEL_LEFTOVERS: Final = {"build", "dist", "films", "looks", "node_modules", "__pycache__"}

# Who may know the time, or be random: the clock, the lab and the tests; and a device's wait before a new
# connection, which the protocol wants random.
KNOWS_TIME_OR_CHANCE: Final = ("jackpot/clock.py", "jackpot/lab/", "tests/", "controllers/client.py")
TIMES: Final = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"}
NOWS: Final = {"now", "utcnow", "today"}
IMPURE: Final = {
    "asyncio",
    "datetime",
    "decimal",
    "io",
    "math",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
} | {
    "subprocess",
    "threading",
    "time",
}

# Who may start a task on a loop that does not run yet: each simulated process looks at its task's end itself.
RUNS_LOOPS: Final = "tests/faults/nodes.py"
LOOP: Final = re.compile(r"loop$")

# Packages whose errors descend from one base of their own. Each of the rules' three errors stops something
# else, and the programs of the lab share nothing that could be caught for all of them.
ONE_TREE: Final = ("catalogue", "config", "ledger", "odds", "reports", "runtime", "web")
# Packages whose errors descend from the base in `runtime.errors`.
SERVER_PACKAGES: Final = ("api", "auth", "bank", "net", "notify", "publish")

BUILT_IN_ERRORS: Final = {
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
}

LEFT_OPEN: Final = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

Finding = tuple[int, str]
# Every node of a file: to walk the tree anew for each check costs more than all checks.
Nodes = tuple[ast.AST, ...]
Check = Callable[[str, Nodes, str], Iterator[Finding]]


def pure_rules(path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    if not path.startswith("jackpot/rules/"):
        return
    for node in nodes:
        match node:
            case ast.Constant(value=float()):
                yield node.lineno, "a float: count micro-dollars or basis points (rules/money.py)"
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield node.lineno, "true division: use // and say where the remainder goes (M3)"
            case ast.AsyncFunctionDef() | ast.Await():
                yield node.lineno, "async: the rules decide and return, the server waits"
            case ast.Call(func=ast.Name(id="float" | "open" | "print" | "round" as name)):
                yield node.lineno, f"{name}(): the rules are whole numbers in, whole numbers out"
            case ast.Import(names=names) if bad := {n.name.split(".")[0] for n in names} & IMPURE:
                yield node.lineno, f"imports {', '.join(sorted(bad))}: take the value in the command instead"
            case ast.ImportFrom(module=str() as module) if module.split(".")[0] in IMPURE:
                yield node.lineno, f"imports {module}: take the value in the command instead"


def one_clock(path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    if path.startswith(KNOWS_TIME_OR_CHANCE):
        return
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr=name) if name in TIMES:
                yield node.lineno, f"time.{name}: take a jackpot.clock.Clock"
            case ast.ImportFrom(module="time"):
                yield node.lineno, "from time import: take a jackpot.clock.Clock"
            case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr=name) if name in NOWS:
                yield node.lineno, f"datetime.{name}: take a jackpot.clock.Clock"
            case ast.Import(names=names) if any(n.name == "random" for n in names):
                yield (
                    node.lineno,
                    "random: draws come from `secrets`, in the shell, recorded in the command (A7)",
                )
            case ast.ImportFrom(module="random"):
                yield (
                    node.lineno,
                    "random: draws come from `secrets`, in the shell, recorded in the command (A7)",
                )


def nothing_left_open(_path: str, nodes: Nodes, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        if (found := LEFT_OPEN.search(line)) and "LEFT_OPEN" not in line:
            yield number, f"{found[0]}: do it now, or write it where work is kept"
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == "NotImplementedError":
            yield node.lineno, "NotImplementedError: use a Protocol, or leave the function out"


def no_swallowed_exceptions(_path: str, nodes: Nodes, text: str) -> Iterator[Finding]:
    lines = text.splitlines()
    for node in nodes:
        match node:
            case ast.ExceptHandler(type=None):
                yield node.lineno, "bare except: name what may happen"
            case ast.ExceptHandler(type=ast.Name(id="Exception" | "BaseException")) if not _is_told(node):
                yield node.lineno, "swallows every error: name it, or log it with its cause"
            case ast.ExceptHandler(
                body=[ast.Pass() | ast.Continue() | ast.Expr(value=ast.Constant()) as only]
            ):
                if "#" not in lines[node.lineno - 1] + lines[only.lineno - 1]:
                    yield node.lineno, "swallowed: say in a comment there why nothing is lost, or let it rise"
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=args) if any(
                isinstance(arg, ast.Name) and arg.id in {"Exception", "BaseException"} for arg in args
            ):
                yield node.lineno, "suppresses every error: name the one that is expected"


def _is_told(handler: ast.ExceptHandler) -> bool:
    """Whether an error is reported: raised, given to a call, or handed on by its name."""
    inner = [node for line in handler.body for node in ast.walk(line)]
    return any(
        isinstance(node, ast.Raise | ast.Call) or (isinstance(node, ast.Name) and node.id == handler.name)
        for node in inner
    )


def proofs_say_what_they_prove(path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    if not PurePosixPath(path).name.startswith("test_"):
        return
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):  # noqa: SIM102
            if node.name.startswith("test_") and not ast.get_docstring(node):
                yield node.lineno, f"{node.name} has no docstring: say which rule it proves"


def no_sleeping_tests(path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    if not path.startswith("tests/"):
        return
    waiting = [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith(("until", "wait"))
    ]
    allowed = {id(node) for function in waiting for node in ast.walk(function)}
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="sleep") | ast.Name(id="sleep"), args=[ast.Constant(value=0)]
            ):
                pass  # gives way once
            case ast.Call(func=ast.Attribute(attr="sleep") | ast.Name(id="sleep")) if id(node) not in allowed:
                yield node.lineno, "sleeps: wait for the condition, in a function named until or wait_..."


def tasks_in_groups(path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    """Finds `loop.create_task`; ruff bans only `asyncio.create_task`."""
    if path.startswith(RUNS_LOOPS):
        return
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "create_task":
            owner = node.value.func if isinstance(node.value, ast.Call) else node.value
            if LOOP.search(ast.unparse(owner)):
                yield node.lineno, "create_task of a loop: nobody sees the task's end; use a TaskGroup"


def one_guard(_path: str, nodes: Nodes, _text: str) -> Iterator[Finding]:
    """Finds repeated presence checks; the function that returns a value checks it once."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Name(id="invariant"),
                args=[ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]), *_],
            ):
                yield node.lineno, "invariant(x is not None, ...): write x = present(x, ...)"


CHECKS: Final[tuple[Check, ...]] = (
    pure_rules,
    one_clock,
    nothing_left_open,
    no_swallowed_exceptions,
    proofs_say_what_they_prove,
    no_sleeping_tests,
    one_guard,
    tasks_in_groups,
)


def python_files() -> Iterator[Path]:
    for top in ("jackpot", "controllers", "tests"):
        yield from sorted((ROOT / top).rglob("*.py"))


@cache
def findings() -> dict[Check, list[str]]:
    """Findings of each check over every Python file of the project; each file is parsed and walked once."""
    found: dict[Check, list[str]] = {check: [] for check in CHECKS}
    for file in python_files():
        path, text = file.relative_to(ROOT).as_posix(), file.read_text()
        nodes = (*ast.walk(ast.parse(text)),)
        for check, told in found.items():
            told += [f"{path}:{line}: {what}" for line, what in check(path, nodes, text)]
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_tree_is_tidy(check: Check) -> None:
    """The house rules hold everywhere."""
    found = findings()[check]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("package", [*ONE_TREE, *SERVER_PACKAGES])
def test_errors_of_a_package_have_one_base(package: str) -> None:
    """A caller of a package can catch all that it raises by one name."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for file in sorted((ROOT / "jackpot" / package).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    known = {*bases, "ServerError"}
    roots = [name for name, its in bases.items() if its & BUILT_IN_ERRORS and not its & known]
    assert len(roots) == (package in ONE_TREE), (
        f"errors that descend from none of {package}: {', '.join(roots)}"
    )


def test_the_top_level_is_fixed() -> None:
    """The top-level packages are a fixed list; new modules go into one of them."""
    found = {entry.name for entry in ROOT.iterdir() if not entry.name.startswith(".")}
    extra = found - TOP_LEVEL - TOP_LEVEL_TEXTS - TOP_LEVEL_LEFTOVERS
    assert not extra, (
        f"at the top level: {', '.join(sorted(extra))}: move it into one of {', '.join(sorted(TOP_LEVEL))}"
    )
    missing = TOP_LEVEL_TEXTS | {"pyproject.toml"}
    assert missing <= found


def test_nothing_is_left_behind_by_a_merge() -> None:
    """No merge leftovers: an old copy next to a file misleads every search."""
    rooms = (ROOT / name for name in sorted(TOP_LEVEL) if (ROOT / name).is_dir())
    left = [
        str(file.relative_to(ROOT)) for room in rooms for file in room.rglob("*") if file.suffix in LEFTOVERS
    ]
    assert not left, f"delete {', '.join(left)}"


BAD: Final[tuple[tuple[Check, str, str], ...]] = (
    (pure_rules, "jackpot/rules/a.py", "x = 0.5"),
    (pure_rules, "jackpot/rules/a.py", "x = a / b"),
    (pure_rules, "jackpot/rules/a.py", "x /= 2"),
    (pure_rules, "jackpot/rules/a.py", "async def f(): pass"),
    (pure_rules, "jackpot/rules/a.py", "import os.path"),
    (pure_rules, "jackpot/rules/a.py", "from datetime import timedelta"),
    (one_clock, "jackpot/bank/a.py", "import time\nx = time.monotonic()"),
    (one_clock, "jackpot/bank/a.py", "x = datetime.now()"),
    (one_clock, "jackpot/bank/a.py", "import random"),
    (nothing_left_open, "jackpot/a.py", "x = 1  # TO" + "DO later"),
    (nothing_left_open, "jackpot/a.py", "raise NotImplementedError"),
    (no_swallowed_exceptions, "jackpot/a.py", "try: f()\nexcept: g()"),
    (no_swallowed_exceptions, "jackpot/a.py", "try: f()\nexcept Exception: x = 1"),
    (no_swallowed_exceptions, "jackpot/a.py", "try: f()\nexcept Exception as error: x = 1"),
    (no_swallowed_exceptions, "jackpot/a.py", "try: f()\nexcept KeyError: pass"),
    (no_swallowed_exceptions, "jackpot/a.py", "with suppress(Exception): f()"),
    (no_sleeping_tests, "tests/a.py", "async def f(): await asyncio.sleep(1)"),
    (tasks_in_groups, "jackpot/bank/a.py", "asyncio.get_running_loop().create_task(f())"),
    (tasks_in_groups, "tests/a.py", "start = loop.create_task"),
    (tasks_in_groups, "tests/a.py", "self._loop.create_task(f())"),
    (one_guard, "jackpot/rules/a.py", 'invariant(x is not None, "no x")'),
    (proofs_say_what_they_prove, "tests/test_a.py", "def test_a(): assert True"),
)


@pytest.mark.parametrize(("check", "path", "text"), BAD, ids=lambda value: getattr(value, "__name__", None))
def test_each_check_finds_its_fault(check: Check, path: str, text: str) -> None:
    """A check that could not fail would prove nothing."""
    assert len(list(check(path, (*ast.walk(ast.parse(text)),), text))) == 1
