"""Effects of acts besides the journal: done once an act is durable, and again at a start."""

from pathlib import Path

from jackpot.api.act_effects import EFFECTS
from jackpot.app import Server
from jackpot.rules import registry
from jackpot.rules.acts.papers import ErasePapers
from tests.api.test_papers import PAID, SEEN, kept, taxed
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table


def test_each_effect_is_of_an_event() -> None:
    """S8: the event of an act says what follows, however it was confirmed."""
    assert {event.kind for event in EFFECTS} <= registry.WITH_COMMAND


@on_loop
async def test_a_start_does_what_a_kill_cut_off(tmp_path: Path) -> None:
    """A10, S5: papers that the journal says are erased are gone, although the server died before."""
    config = taxed(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", **SEEN))["ok"]
        assert (await administer(config, do="pay", hit="H1", by="Ann", **PAID))["ok"]
        assert (await administer(config, do="pay", hit="H1", seat=2, document="P-2", by="Ann"))["ok"]
        bank = server.banks["main"]
        asked = ErasePapers("H1", "the patron asked")
        assert (await server.auth.act(bank, asked, ("Ann", "Bo"))).ok
        assert len(kept(config)) == 2, "the commit is durable, and nothing was done after it"
    async with Server(config):
        assert kept(config) == []


@on_loop
async def test_a_join_does_not_lose_what_a_kill_cut_off(tmp_path: Path) -> None:
    """A10, S5: the bank that goes on erases the papers of a hit that has another number in it."""
    side = f'{LINKS.replace(LINK, "side")}bank = "side"\n'
    config = configure(tmp_path, links=LINKS + side)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann", bank="main", **SEEN))["ok"]
        for seat in (1, 2):
            paid = {"seat": seat, "document": f"P-{seat}", "bank": "main"}
            assert (await administer(config, do="pay", hit="H1", by="Ann", **paid))["ok"]
        asked = ErasePapers("H1", "the patron asked")
        assert (await server.auth.act(server.banks["main"], asked, ("Ann", "Bo"))).ok
        for bank in ("main", "side"):
            rest = {"cause": "operator", "links": [], "reason": "one room", "bank": bank}
            assert (await administer(config, do="suspend", by="Ann", **rest))["ok"]
    assert kept(config)
    joining = ("bank", "join", "main", "side", "--into", "floor", "--reason", "one room")
    code, _, error = await jackpot(*joining, "--by", "Ann", "--config", str(config.path))
    assert code == 0, error
    both = f'{LINKS}bank = "floor"\n{LINKS.replace(LINK, "side")}bank = "floor"\n'
    async with Server(configure(tmp_path, links=both)):
        assert kept(config) == []
