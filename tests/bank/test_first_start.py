"""First start: the site of a ledger, missing banks, and what is refused before anything opens (S3)."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
import structlog

from jackpot.app import Server
from jackpot.bank.config_alignment import NEW_MS
from jackpot.clock import SystemClock
from jackpot.config import Config, load
from jackpot.ledger.banks import site_of
from jackpot.ledger.store import DataRefused, LedgerError
from jackpot.rules.acts.banks import BankOpened
from tests.ledger.material import rows
from tests.ledger.planted import run_sql
from tests.ledger.waiting import open_banks, open_ledger
from tests.program import jackpot
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table
from tests.web.test_metrics import fetch

SIDE: Final = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"\n'
BOTH: Final = ("main", "side")


def named(folder: Path, name: str, site: str = "", links: str = LINKS) -> Config:
    """Configuration of a site. site: its id, if it has one."""
    config = configure(folder, links=links)
    said = f'id = "{site}"\n' if site else ""
    config.path.write_text(config.path.read_text().replace('name = "Test"', f'{said}name = "{name}"'))
    return load(config.path)


async def sites(config: Config) -> set[str]:
    """Starts and stops a server; the sites that the ledger's banks are of."""
    async with Server(config):
        pass

    def known() -> set[str]:
        with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
            return {site_of(ledger, bank) for bank in ledger.banks()}

    return await asyncio.to_thread(known)


@on_loop
async def test_a_ledger_knows_its_site(tmp_path: Path) -> None:
    """DESIGN, `[site] id`: made from the name at the first start; then the name may change."""
    assert await sites(named(tmp_path, "Riverside Casino & Co.")) == {"riverside-casino-co"}
    with structlog.testing.capture_logs() as logs:
        assert await sites(named(tmp_path, "Harbour View")) == {"riverside-casino-co"}
    assert [line["name"] for line in logs if line["event"] == "site_renamed"] == ["Harbour View"]
    assert await sites(named(tmp_path, "Harbour View", "riverside-casino-co")) == {"riverside-casino-co"}


@on_loop
async def test_a_first_start_says_where_and_at_which_seeds(tmp_path: Path) -> None:
    """S3: a ledger that was not there is told as a warning, with its place and what its links begin at."""
    config = named(tmp_path, "Riverside", links=SIDE)
    with structlog.testing.capture_logs() as logs:
        await sites(config)
    (line,) = [line for line in logs if line["event"] == "banks_opened"]
    assert (line["log_level"], line["url"], line["banks"]) == (
        "warning",
        config.ledger.url,
        (*BOTH, "site"),
    )
    assert line["seeds"] == {
        f"{link}.{level}": amount
        for link in (LINK, "side")
        for level, amount in (("mega", "$10,000.00"), ("major", "$1,000.00"), ("minor", "$250.00"))
    }


@on_loop
async def test_a_link_that_opens_later_is_a_warning(tmp_path: Path) -> None:
    """S3: an operator added it, or somebody took every row of its bank but the first: people look."""

    async def told() -> list[tuple[str, str, Any]]:
        with structlog.testing.capture_logs() as logs:
            await sites(config)
        opened = [line for line in logs if line["event"] == "link_opening"]
        return [(line["link"], line["log_level"], line.get("seeds")) for line in opened]

    config = named(tmp_path, "Riverside")
    assert await told() == [(LINK, "info", None)]  # not in a ledger that was made just now
    config = named(tmp_path, "Riverside", links=f"{LINKS}\n{LINKS.replace(LINK, 'new')}")
    seeds = {"new.mega": "$10,000.00", "new.major": "$1,000.00", "new.minor": "$250.00"}
    assert await told() == [("new", "warning", seeds)]


@pytest.mark.parametrize(
    ("age_ms", "taken", "level"), [(0, False, "info"), (0, True, "warning"), (NEW_MS, False, "warning")]
)
@on_loop
async def test_a_link_of_a_bank_that_was_just_opened_is_no_warning(
    tmp_path: Path, age_ms: int, taken: bool, level: str
) -> None:
    """S3: `jackpot users init` made the ledger, and the first start opens its links: nothing is lost. Where
    a server had the bank, or it is older, people look.
    """
    config = named(tmp_path, "Riverside")

    def opened() -> None:
        with closing(open_ledger(config.ledger.url)) as ledger:
            open_banks(ledger, ("main", "site"), "riverside", SystemClock().unix_ms() - age_ms)
            if taken:
                ledger.new_epoch("main", "server")

    await asyncio.to_thread(opened)
    with structlog.testing.capture_logs() as logs:
        await sites(config)
    (line,) = [line for line in logs if line["event"] == "link_opening"]
    assert (line["log_level"], "do" in line) == (level, level == "warning")


@on_loop
async def test_a_bank_that_the_configuration_left_out_is_named(tmp_path: Path) -> None:
    """S3: its meters wait in the ledger, and no table plays for them: the log and /readyz say so."""
    await sites(named(tmp_path, "Riverside", links=SIDE))
    with structlog.testing.capture_logs() as logs:
        async with Server(named(tmp_path, "Riverside")) as server:
            status, text = await fetch(server, "/readyz")
    assert [line["bank"] for line in logs if line["event"] == "bank_not_configured"] == ["side"]
    assert status == 200
    assert "bank side is open in the ledger, and no link of the configuration lies in it" in text


@on_loop
async def test_another_site_is_refused(tmp_path: Path) -> None:
    """DESIGN, `[site] id`: two sites on one ledger: refused naming both, and nothing is written."""
    config = named(tmp_path, "Riverside", "riverside", SIDE)
    await sites(config)
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        before = [ledger.head(bank) for bank in BOTH]
    with pytest.raises(LedgerError, match=r'is the ledger of site "riverside".*of site "lakeside"'):
        await sites(named(tmp_path, "Riverside", "lakeside", SIDE))
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        assert [ledger.head(bank) for bank in BOTH] == before


@on_loop
async def test_another_site_without_an_id_is_refused_by_its_links(tmp_path: Path) -> None:
    """DESIGN, `[site] id`: another name and no link in common is no renamed site; it opens nothing."""
    await sites(named(tmp_path, "Riverside"))
    other = named(tmp_path, "Lakeside")
    other.path.write_text(other.path.read_text().replace(LINK, "lake-five"))
    with pytest.raises(Exception, match='the ledger is of site "riverside", the configuration of "Lakeside"'):
        await sites(load(other.path))
    with closing(open_ledger(other.ledger.url, readonly=True)) as ledger:
        assert not any(b"lake-five" in row.body for row in ledger.rows("main", 0, 100))


@on_loop
async def test_another_site_without_an_id_opens_no_bank(tmp_path: Path) -> None:
    """DESIGN, `[site] id`: the links of every bank tell that it is another's; verify says so too."""
    await sites(named(tmp_path, "Riverside", links=SIDE))
    renamed = named(tmp_path, "Lakeside", links=LINKS + LINKS.replace(LINK, "annex") + 'bank = "annex"\n')
    done = await asyncio.to_thread(jackpot, "bank", "open", "annex", "-c", str(renamed.path))
    assert (done.returncode, done.stderr) == (0, "")
    text = renamed.path.read_text().replace(LINK, "lake-five").replace("annex", "lake-side")
    renamed.path.write_text(text)
    said = (
        'the ledger is of site "riverside", the configuration of "Lakeside", and they have no link in common'
    )
    for words in (("bank", "open", "lake-side"), ("verify",)):
        done = await asyncio.to_thread(jackpot, *words, "-c", str(renamed.path))
        assert done.returncode == 1
        assert said in done.stderr
    with closing(open_ledger(renamed.ledger.url, readonly=True)) as ledger:
        assert ledger.banks() == ["main", "side", "site", "annex"]


@on_loop
async def test_verify_holds_the_ledger_of_a_url_against_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: with a URL and --config, that ledger's banks and site; what the environment names is not held."""
    config = named(tmp_path, "Riverside", "riverside")
    await sites(config)
    copy = f"sqlite:///{tmp_path}/copy.db"
    done = await asyncio.to_thread(jackpot, "ledger", "copy", copy, "--ledger", config.ledger.url)
    assert done.returncode == 0, done.stderr
    named(tmp_path, "Riverside", "lakeside", SIDE)
    done = await asyncio.to_thread(jackpot, "verify", "--ledger", copy, "--config", str(config.path))
    assert done.returncode == 1
    assert "bank side is not in the ledger" in done.stderr
    assert f'{copy} is the ledger of site "riverside", the configuration is of site "lakeside"' in done.stderr
    monkeypatch.setenv("JACKPOT_CONFIG", str(config.path))
    done = await asyncio.to_thread(jackpot, "verify", "--ledger", copy)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_all_banks_open_in_one_transaction(kind: str, fresh: Any) -> None:
    """S3: the first start opens all banks or none; a bank that is there is not opened again."""
    with closing(open_ledger(fresh(kind))) as ledger:
        open_banks(ledger, BOTH, "riverside", 1)
        assert ledger.banks() == list(BOTH)
        for bank in BOTH:
            assert [row.kind for row in ledger.rows(bank, 0, 9)] == [BankOpened.kind]
            assert (ledger.head(bank).seq, ledger.head(bank).holder) == (1, "")
        with pytest.raises(DataRefused):
            open_banks(ledger, ("third", "side"), "riverside", 2)
        assert ledger.banks() == list(BOTH)
        assert ledger.new_epoch("side", "server").epoch == 2
        ledger.append("side", 2, 1, rows(2, bank="side", epoch=2, after=ledger.rows("side", 0, 1)[0]))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@on_loop
async def test_a_missing_bank_keeps_only_its_own_links_closed(tmp_path: Path, kind: str, fresh: Any) -> None:
    """S3: a bank added to the configuration, or taken out of the ledger, is opened by people alone."""
    url = fresh(kind)
    config = at(named(tmp_path, "Riverside"), url)
    await sites(config)
    config = at(named(tmp_path, "Riverside", links=SIDE), url)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
        assert server.banks["side"].lifecycle.failed
        assert "jackpot bank open side opens it" in (server.banks["side"].lifecycle.stopped or "")
        leases = (await administer(config, do="/banks"))["banks"]
        assert [("not in the ledger" in lease["why"]) for lease in leases] == [False, True, False]
    opened = jackpot("bank", "open", "side", "-c", str(config.path), "--by", "anna")
    assert (opened.returncode, opened.stderr) == (0, "")
    assert jackpot("bank", "open", "side", "-c", str(config.path)).stderr == "bank side is open already\n"
    async with Server(config) as server:
        assert server.active
        first = (await server._stores["side"].rows("side", 0, 1))[0]
    assert b"riverside" in first.body
    assert b"anna" in first.body


def at(config: Config, url: str) -> Config:
    text = config.path.read_text()
    admin = f'[listen]\nadmin = "{config.path.parent}/admin.sock"\n'
    config.path.write_text(text.replace(config.ledger.url, url).replace("[listen]\n", admin))
    return load(config.path)


@on_loop
async def test_a_bank_that_was_taken_out_is_not_opened_at_the_seed(tmp_path: Path) -> None:
    """S3: every row of a bank deleted, its head and name too: its meters do not begin again at a start."""
    config = named(tmp_path, "Riverside", links=SIDE)
    await sites(config)
    take_out(config.ledger.url, "side")
    async with Server(config) as server:
        assert server.banks["main"].active
        assert server.banks["side"].lifecycle.failed
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        assert ledger.banks() == ["main", "site"]
    done = jackpot("verify", "-c", str(config.path))
    assert done.returncode == 1
    assert "bank side is not in the ledger" in done.stderr
    assert jackpot("verify", "--ledger", config.ledger.url).returncode == 0


def take_out(url: str, bank: str) -> None:
    """Deletes every row of the bank, as a person with the file could; the triggers are restored."""
    tables = ("journal", "posting", "head", "snapshot", "takeover", "name")
    of = f"(SELECT id FROM bank WHERE name = '{bank}')"
    guards = ("bank", "journal", "posting", "takeover", "name")
    run_sql(
        url,
        *(f"DROP TRIGGER {name}_is_never_deleted" for name in guards),
        *(f"DELETE FROM {name} WHERE bank = {of}" for name in tables),
        f"DELETE FROM bank WHERE name = '{bank}'",
        *(
            f"CREATE TRIGGER {name}_is_never_deleted BEFORE DELETE ON {name} "
            f"BEGIN SELECT RAISE(ABORT, '{said}'); END"
            for name, said in (
                ("bank", "a bank keeps its name and number"),
                ("journal", "the journal is append-only"),
                ("posting", "postings are append-only"),
                ("takeover", "takeovers are append-only"),
                ("name", "names are append-only"),
            )
        ),
    )


@on_loop
async def test_a_start_says_what_somebody_wrote_into_a_head(tmp_path: Path) -> None:
    """S3: an epoch and a holder that no server wrote are told before the bank is taken; the floor opens."""
    config = named(tmp_path, "Riverside")
    await sites(config)
    main = "(SELECT id FROM bank WHERE name = 'main')"
    change = f"UPDATE head SET epoch = epoch + 5, holder = 'mallory' WHERE bank = {main}"
    await asyncio.to_thread(run_sql, config.ledger.url, change)
    with structlog.testing.capture_logs() as logs:
        await sites(config)
    (said,) = [line for line in logs if line["event"] == "takeovers_differ"]
    assert said["problem"].startswith("main: the head is of epoch ")
    with structlog.testing.capture_logs() as logs:
        await sites(config)
    (said,) = [line for line in logs if line["event"] == "takeovers_differ"]
    assert "taken by nobody" in said["problem"]


@on_loop
async def test_a_start_after_starts_says_nothing_of_heads(tmp_path: Path) -> None:
    """S3: a bank that was opened, taken, given up and taken again is as servers leave it."""
    config = named(tmp_path, "Riverside")
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            await sites(config)
    assert [line for line in logs if line["event"] == "takeovers_differ"] == []
