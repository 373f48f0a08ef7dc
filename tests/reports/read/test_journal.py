"""The search of the journal is paged, and each page reads a bounded number of rows."""

from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.reports.read import journal
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, administer, configure, on_loop, table


@on_loop
async def test_the_journal_is_searched_by_pages(tmp_path: Path) -> None:
    """S8: every entry with its event, its postings and its hash, the newest first; one kind, or one table."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        await royal(device)
        assert (await administer(server.config, do="validate", hit="H1", by="Ann"))["ok"]
        found = await administer(server.config, do="/journal", limit=2)
        assert [entry["kind"] for entry in found["entries"]] == ["validated", "settled"]
        validated, settled = found["entries"]
        assert validated["event"]["people"]["names"] == ["Ann"]
        assert (settled["table"], settled["table_seq"]) == ("T01", 2)
        (meter,) = [one for one in settled["postings"] if one["level"] == "mega"]
        assert meter["accounts"]["awards"] == "10000.18"
        older = await administer(server.config, do="/journal", limit=100, before=found["before"])
        assert older["entries"][0]["seq"] == settled["seq"] - 1
        assert (older["before"], older["entries"][-1]["seq"]) == (None, 1)
        of_table = await administer(server.config, do="/journal", table="T01")
        assert {entry["table"] for entry in of_table["entries"]} == {"T01"}
        opened = await administer(server.config, do="/journal", kind="link_opened")
        assert [entry["event"]["terms"]["link"] for entry in opened["entries"]] == [LINK]
        unknown = await administer(server.config, do="/journal", kind="won")
        assert (unknown["field"], "link_opened" in unknown["detail"]) == ("kind", True)


@on_loop
async def test_a_search_for_what_is_rare_goes_on_from_page_to_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: a page looks at so many rows and no more; the next one goes on there, and none is missed."""
    monkeypatch.setattr(journal, "LOOKED_AT_MAX", 3)
    async with Server(configure(tmp_path)) as server, table(server) as device:
        for seq in range(1, 8):
            device.wager(seq, "R1", seq)
            await device.answer(seq)
        found, before, pages = [], None, 0
        while pages == 0 or before is not None:
            page = await administer(server.config, do="/journal", kind="wagered", before=before)
            found += [entry["table_seq"] for entry in page["entries"]]
            before, pages = page["before"], pages + 1
        assert found == [7, 6, 5, 4, 3, 2, 1]
        assert pages == -(-server.banks["main"].sequencer.durable_seq // 3)
