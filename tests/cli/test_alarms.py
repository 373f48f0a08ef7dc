"""A floorperson lists and acknowledges alarms from a shell."""

import json
from pathlib import Path

from jackpot.app import Server
from jackpot.rules.acts.devices import BlockDevice
from tests.net.test_admin_socket import jackpot
from tests.running_server import configure, on_loop


@on_loop
async def test_an_alarm_is_listed_and_acknowledged(tmp_path: Path) -> None:
    """S9: where, what, and what to do next; acknowledged by a name it is gone, and the report has both."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server:
        for name in ("T01", "T02"):
            await server.banks["main"].person(BlockDevice("table", name), ())
        listed = (await jackpot("alarms", "list", *where))[1]
        assert all(
            word in listed for word in ("2 open alarms", "device_conflict", "table T01", "revoke a stolen")
        )
        code, _, error = await jackpot("alarms", "acknowledge", "AL9", "--by", "Ann", *where)
        assert (code, error.count("\n")) == (1, 1)
        assert "`jackpot alarms list` lists the open ones" in error
        words = ("AL1", "--remark", "a spare part", "--by", "Ann")
        assert (await jackpot("alarms", "acknowledge", *words, *where))[1] == "AL1: acknowledged\n"
        left = json.loads((await jackpot("alarms", "list", "--json", *where))[1])["alarms"]
        assert [one["alarm"] for one in left] == ["AL2"]
        report = json.loads((await jackpot("report", "alarms", "--json", *where))[1])
        told = [row["alarm"] for row in report["rows"]]
        assert told == ["device_conflict", "device_conflict", "device_conflict acknowledged"]
