"""Messages about a link that takes no wagers name the command that comes next."""

import json
from pathlib import Path

import structlog

from jackpot.app import Server
from jackpot.config import load
from tests.net.test_admin_socket import jackpot
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table
from tests.said import in_words
from tests.web.test_metrics import fetch

RESUME = (
    "`jackpot ledger resume --bank main --believe all --reason TEXT`, with `--highest LINK.LEVEL=SUM` for "
    "each level of a mystery link"
)


@on_loop
async def test_a_restored_start_says_how_it_is_resumed(tmp_path: Path) -> None:
    """S9: two people resume it; the log of the start, /readyz and every wrong way there say with what."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        await device.answer(1)
        device.say(t="close", seq=2, round="R1")
        await device.answer(2)
    done = await jackpot("ledger", "restored", "--ledger", config.ledger.url)
    assert (
        "    jackpot ledger resume --bank main --believe all --reason TEXT --config FILE"
        in done[1].splitlines()
    )
    assert done[1].splitlines()[-1] == "jackpot users init makes them before the start."
    with structlog.testing.capture_logs() as lines:
        async with Server(config) as server:
            status, ready = await fetch(server, "/readyz")
            said = json.loads(ready)
            assert (status, said["status"]) == (200, "ready")
            assert said["suspended"][LINK].startswith("restored: let the tables connect")
            assert said["suspended"][LINK].endswith(RESUME)
            for after in ("operator", "internal"):
                words = ("--after", after, "--reason", "x", "--by", "Ann", "--and-by", "Bo")
                code, _, error = await jackpot("links", "resume", LINK, *words, *where)
                assert (code, error.count("\n")) == (1, 1)
                not_for = in_words("link_not_suspended_for", cause=after)
                assert f"{not_for}; it is suspended for restored: " in error
                assert error.rstrip().endswith(RESUME)
            assert (await jackpot("links", "suspend", LINK, "--reason", "x", *where))[0] == 0
            code, out, _ = await jackpot("links", "resume", LINK, "--reason", "x", *where)
            assert out.startswith(
                f"{LINK}: operator is over; still suspended: restored: let the tables connect"
            )
            assert out.rstrip().endswith(RESUME)
            words = ("--believe", "all", "--reason", "x", "--by", "Ann", "--and-by", "Bo")
            code, out, error = await jackpot("ledger", "resume", *words, *where)
            assert (code, out) == (0, "resumed\n"), error
            assert (await fetch(server, "/readyz"))[1] == '{"status": "ready"}'
            code, _, error = await jackpot("links", "resume", LINK, "--reason", "x", *where)
            not_for = in_words("link_not_suspended_for", cause="operator")
            assert (code, error) == (1, f"{not_for}; it takes wagers\n")
    (line,) = [one for one in lines if one["event"] == "link_suspended"]
    assert (line["bank"], line["link"], line["reason"].endswith(RESUME)) == ("main", LINK, True)


@on_loop
async def test_of_two_banks_a_restore_names_each(tmp_path: Path) -> None:
    """S9: the printed resume commands work as printed, bank by bank; two names where nobody signs in."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    config = configure(tmp_path, links=side)
    async with Server(config):
        pass
    code, out, _ = await jackpot("ledger", "backup", str(tmp_path / "copy.db"), "--ledger", config.ledger.url)
    assert code == 0
    new = f"sqlite:///{tmp_path}/new.db"
    code, out, error = await jackpot("ledger", "restore", str(tmp_path / "copy.db"), "--ledger", new)
    assert code == 0, error
    config.path.write_text(config.path.read_text().replace(config.ledger.url, new))
    printed = [line.strip() for line in out.splitlines() if line.startswith("    jackpot ledger resume")]
    assert len(printed) == 2
    config = load(config.path)
    async with Server(config):
        for line in printed:
            filled = line.replace("FILE", str(config.path)).replace("TEXT", "drill").split()[1:]
            code, _, error = await jackpot(*filled, "--by", "Ann", "--and-by", "Bo")
            assert code == 0, error


@on_loop
async def test_an_unknown_link_is_answered_with_those_there_are(tmp_path: Path) -> None:
    """L1: a slip of the hand is met by the names."""
    config = configure(tmp_path)
    async with Server(config):
        answer = await administer(
            config, do="suspend", cause="operator", links=["floor-six"], reason="x", by="Ann"
        )
    assert (answer["code"], answer["values"]) == ("bad_request", {"link": "'floor-six'", "links": LINK})
