"""Acts of people, carried out by the right bank."""

from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot, pay, royal
from tests.running_server import LINK, LINKS, administer, configure, on_loop, sign, table


@on_loop
async def test_a_hit_is_validated_and_paid(tmp_path: Path) -> None:
    """A10, T11: pending, validated, paid; table and signs are told, the table's cards are free again."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device, sign(server) as board:
        await royal(device)
        early = await administer(config, do="pay", hit="H1", document="W-1", by="Ann")
        assert (early["ok"], early["code"]) == (False, "not_validated")
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "table_held"
        validated = await administer(config, do="validate", hit="H1", by="Ann")
        awards = [(award["award"], award["status"]) for award in validated["awards"]]
        assert awards == [("A1", "validated"), ("A2", "validated")]
        assert (await board.type("status"))["status"] == "validated"
        await pay(config)
        assert (await board.type("status"))["status"] == "released", "the cage has paid; envy is the table's"
        assert (await board.type("status"))["status"] == "paid"
        await device.hear(lambda message: message["t"] == "status" and message["status"] == "paid")
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["t"] == "ack"


@on_loop
async def test_of_several_banks_a_person_sees_all_and_says_which(tmp_path: Path) -> None:
    """A10: each bank counts its hits from H1, so no list leaves a bank out and no act takes the first."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    config = configure(tmp_path, links=side)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, out, _ = await jackpot("hits", "list", *where)
        assert (code, out.splitlines()[0].strip(), "main" in out) == (0, "1 hit", True)
        code, out, _ = await jackpot("hits", "show", "H1", *where)
        assert (code, out.startswith("H1: royal-flush at T01 on floor-five")) == (0, True)
        code, _, error = await jackpot("hits", "show", "H1", "--bank", "side", *where)
        assert (code, error) == (
            1,
            "hit: there is no H1 in bank side; `jackpot hits list --all` lists every one ever made\n",
        )
        code, _, error = await jackpot("hits", "validate", "H1", "--bank", "side", *where)
        assert (code, error) == (
            1,
            "hit: 'H1' is not an open hit; `jackpot hits list --all` lists every one ever made\n",
        )
        code, out, _ = await jackpot("hits", "validate", "H1", "--bank", "main", *where)
        assert (code, out.startswith("H1: validated")) == (0, True)
        code, _, error = await jackpot("keys", "revoke", "S01", *where)
        assert (code, error) == (1, "table: 'S01' is unknown, but there is such a sign: --role sign\n")
