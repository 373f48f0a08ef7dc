"""A floorperson sees and changes a table's round from a shell."""

from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import COUNTED, LINK, administer, configure, on_loop, table
from tests.said import in_words

ANN = ("--by", "Ann")
BOTH = (*ANN, "--and-by", "Bo")


@on_loop
async def test_a_round_is_shown_struck_and_voided(tmp_path: Path) -> None:
    """T3, T6: every wager with its seat; what goes back is said, and who has no round says so."""
    config = configure(tmp_path, links=COUNTED)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        assert (await jackpot("rounds", "show", "T01", *where))[1] == "T01: no round\n"
        device.wager(1, "R1", 1, 2, lock=True, chips={LINK: 1})
        assert (await device.answer(1))["warn"]
        code, out, _ = await jackpot("rounds", "show", "T01", *where)
        assert (code, out.splitlines()[0]) == (0, "T01: round R1, mismatch")
        assert out.splitlines()[1].strip() == "2 wagers"
        code, _, error = await jackpot("rounds", "strike", "T01", "R9", "2", LINK, "-r", "no chip", *where)
        assert (code, "`jackpot rounds show TABLE` shows which there is" in error) == (1, True)
        code, out, _ = await jackpot(
            "rounds", "strike", "T01", "R1", "2", LINK, "-r", "no chip", *ANN, *where
        )
        assert (code, out) == (
            0,
            f"T01 R1: wager of seat 2 on {LINK} struck; refunds: seat 2 $1.00 (inventory)\n",
        )
        assert "1 wager" in (await jackpot("rounds", "show", "T01", *where))[1].splitlines()[1]
        code, out, _ = await jackpot("rounds", "void", "T01", "R1", "-r", "exposed card", *ANN, *where)
        assert (code, out) == (0, "T01 R1: void; refunds: seat 1 $1.00 (inventory)\n")


@on_loop
async def test_a_round_is_asked_for_declined_and_reopened(tmp_path: Path) -> None:
    """T6, T10: one person asks, another answers; the cards are known, so a void of it takes two."""
    config = configure(tmp_path)
    where = ("-r", "seat 3 was missed", "--config", str(config.path))
    show = ("rounds", "show", "T01", "--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["t"] == "ack"
        asked = "T01 R1: asked for; the table waits up to 15 minutes until another person answers\n"
        assert (await jackpot("rounds", "reopen", "T01", "R1", *ANN, *where))[1] == asked
        assert "Ann asked to reopen it" in (await jackpot(*show))[1]
        code, _, error = await jackpot("rounds", "reopen", "T01", "R1", "--by", "ann", *where)
        assert (code, in_words("reopening_asked_already", who="Ann") in error) == (1, True)
        code, out, _ = await jackpot("rounds", "decline", "T01", "R1", "--by", "Bo", *where)
        assert (code, out) == (0, "T01 R1: stays closed\n")
        code, _, error = await jackpot("rounds", "decline", "T01", "R1", *ANN, *where)
        assert (code, error) == (1, f"{in_words('reopening_not_asked', round='R1')}\n")
        code, out, _ = await jackpot("rounds", "reopen", "T01", "R1", *BOTH, *where)
        assert (code, out) == (0, "T01 R1: open again, until the next lock\n")
        code, _, error = await jackpot("rounds", "void", "T01", "R1", *ANN, *where)
        assert (code, error.endswith("type both names: --by NAME --and-by OTHER\n")) == (1, True)
        code, out, _ = await jackpot("rounds", "void", "T01", "R1", *BOTH, *where)
        assert (code, out) == (0, "T01 R1: void; refunds: seat 1 $1.00 (inventory)\n")


@on_loop
async def test_a_closed_round_names_its_hits(tmp_path: Path) -> None:
    """T6: an award that stands is in the way of a void, and the next step is to look at it."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, out, _ = await jackpot("rounds", "show", "T01", "--config", str(config.path))
        assert (code, out) == (0, "T01: round R1, closed\nits hits: H1\n")
        request = {"table": "T01", "round": "R1", "reason": "misdeal", "by": "Ann", "and_by": "Bo"}
        assert (await administer(config, do="reopen", **request))["ok"]
        answer = await administer(config, do="void", **request)
        assert (answer["code"], answer["hits"]) == ("award_standing", ["H1"])
        assert answer["template"] == "round_has_awards"
        assert answer["values"]["next"] == ": `jackpot hits undo H1 --reason TEXT`"


@on_loop
async def test_a_floorperson_answers_for_a_seat_that_was_left(tmp_path: Path) -> None:
    """P6, P5: what waits is shown with the command that answers it; a void says its cause."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 5, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[{"seat": 5, "abandoned": True}])
        await device.answer(2)
        said = (await jackpot("rounds", "show", "T01", *where))[1]
        assert "seat 5: abandoned? `rounds decide-abandoned` says whether it is" in said.splitlines()
        answer = ("rounds", "decide-abandoned", "T01", "R1", "5", "--left", "-r", "went home", *ANN, *where)
        assert (await jackpot(*answer))[:2] == (0, "T01 R1: seat 5 is abandoned\n")
        assert "seat 5: abandoned" in (await jackpot("rounds", "show", "T01", *where))[1].splitlines()
        assert (await jackpot(*answer))[0] == 1
        void = ("rounds", "void", "T01", "R1", "-r", "an ace fell", *ANN, *where)
        code, _, error = await jackpot(*void, "--cause", "shuffler-jam")
        assert (code, "stub-count" in error) == (1, True)
        assert (await jackpot(*void, "--cause", "exposed-card"))[0] == 0
