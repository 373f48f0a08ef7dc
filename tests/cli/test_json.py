"""Output of `--json` is always JSON."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jackpot.app import Server
from jackpot.reports.registry import REPORTS
from tests.cli.reference import example
from tests.cli.test_help import EVERY
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINK, configure, on_loop, table

TWO = ("--reason", "drill", "--by", "Ann", "--and-by", "Bo")
ONE = TWO[:4]
# Nobody is there who could ask for it.
PEOPLE = (
    ("add", "cal"),
    ("code", "cal"),
    ("end", "cal"),
    ("reset", "cal"),
    ("grant", "cal", "cage"),
    ("withdraw", "cal", "cage"),
    ("erase", "cal"),
    ("end-token", "1"),
)
# In this order on one floor, after a royal flush at T01; what cannot be done is refused, and prints nothing.
TRIED: tuple[tuple[str, ...], ...] = (
    ("hits", "list"),
    ("hits", "list", "--all"),
    ("hits", "show", "H1"),
    ("hits", "correct", "A1", "--amount", "9999.00", *TWO),
    ("hits", "validate", "H1", *ONE[2:]),
    *(("hits", "pay", "H1", "--seat", seat, "--write", f"document=W-{seat}", *ONE[2:]) for seat in "12"),
    ("hits", "add", "H1", "--write", "witness=Bo Ray", *ONE),
    ("hits", "dispute", "H1", *ONE),
    ("hits", "lift", "H1", *TWO),
    ("hits", "undo", "H1", *ONE),
    ("hits", "erase", "H1", *TWO),
    ("hits", "release", "T01", *ONE),
    ("links", "list"),
    ("links", "show", LINK),
    ("links", "suspend", LINK, *ONE),
    ("links", "resume", LINK, *ONE),
    ("links", "correct", LINK, "mega", "1.00", *TWO),
    ("links", "correct", LINK, "mega", "1.00", *TWO, "--preview"),
    ("links", "transfer", LINK, "other", *TWO),
    ("links", "close", LINK, *TWO),
    ("links", "change", LINK, *TWO),
    ("links", "decide", "D9", "--stay", *TWO),
    ("rounds", "show", "T01"),
    ("rounds", "show", "T02"),
    ("rounds", "reopen", "T01", "R1", *ONE),
    ("rounds", "decline", "T01", "R1", *ONE),
    ("rounds", "reopen", "T01", "R1", *TWO),
    ("rounds", "strike", "T01", "R1", "1", LINK, *ONE),
    ("rounds", "void", "T01", "R1", *TWO),
    ("ledger", "confirm-behind", "T01", "--believe", *TWO),
    ("ledger", "resume", *TWO),
    ("bank", "confirm-program", "0" * 64, *TWO),
    ("alarms", "acknowledge", "AL9", "--by", "Ann"),
    ("keys", "clear", "T01", "--by", "Ann"),
    ("keys", "revoke", "S01", "--role", "sign", "--by", "Ann"),
    *(("users", *words) for words in PEOPLE),
    *(("report", name, *(("H1",) if "hit" in report.options else ())) for name, report in REPORTS.items()),
    ("lease", "hand-over", "main"),
)
# They have no server to ask: their reports are proved with their own tests.
ELSEWHERE = {
    ("about",), ("bench",), ("conformance",), ("paytable", "analyze"), ("simulate",), ("ledger", "what-if"),
}  # fmt: skip
OFFERS: Final = {
    path: command for path, command in EVERY if any("--json" in option.opts for option in command.params)
}
_CONFIG: Final = re.compile(r" (-c|--config) \S+")


def examples() -> Iterator[tuple[str, ...]]:
    """Every command that stands above in no line, as the example of its help has it."""
    for path in OFFERS.keys() - {words[:2] for words in TRIED} - ELSEWHERE:
        yield tuple(shlex.split(_CONFIG.sub("", example(OFFERS[path])))[1:])


@on_loop
async def test_json_is_json_in_every_case(tmp_path: Path) -> None:
    """README, commands: done, it prints one JSON value alone; refused, one line on standard error."""
    config = configure(tmp_path)
    refused = []
    async with Server(config) as server, table(server) as device:
        await royal(device)
        for words in (*TRIED, *examples()):
            code, out, error = await jackpot(*words, "--json", "--config", str(config.path))
            if code:
                refused += [words[:2]] if words in TRIED else []
                assert (out, error.count("\n")) == ("", 1), words
            else:
                json.loads(out)
                assert error == ""
    assert refused == [
        ("hits", "dispute"),
        ("hits", "lift"),
        ("hits", "undo"),
        ("hits", "release"),
        *(("links", act) for act in ("transfer", "close", "change", "decide")),
        ("rounds", "strike"),
        ("rounds", "void"),
        ("ledger", "confirm-behind"),
        ("ledger", "resume"),
        ("alarms", "acknowledge"),
        ("keys", "clear"),
        *(("users", words[0]) for words in PEOPLE),
        ("report", "reading-slip"),
        ("lease", "hand-over"),
    ]


def test_every_command_that_is_tried_offers_json() -> None:
    """No line above is of a command that there is no more; what has none is tried as its help says."""
    assert {words[:2] for words in TRIED} | ELSEWHERE <= OFFERS.keys()
    assert ("lease", "show") in {words[:2] for words in examples()}
