"""Query of open alarms: what each says is data, and a page says it in its reader's language."""

from pathlib import Path

from tests.running_server import on_loop, table, until
from tests.web.staffed import token
from tests.web.test_authentication import floor, signed_in


@on_loop
async def test_what_an_alarm_says_is_data_and_read_in_ones_own_language(tmp_path: Path) -> None:
    """T3, S9: programs get a template with values next to the English; a Spanish page is Spanish."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
        device.wager(1, "R2", 2)
        await until(lambda: bool(server.banks["main"].sequencer.engine.state.alarms))
        headers = {"Authorization": f"Bearer {await token(server)}"}
        async with web.get("/api/v1/alarms", headers=headers) as answer:
            (alarm,) = (await answer.json())["alarms"]
        assert (alarm["kind"], alarm["template"], alarm["values"]) == (
            "seq_conflict",
            "alarm_number_used",
            {"number": 1},
        )
        assert alarm["what"] == "number 1"
        (await signed_in(web)).close()
        for language, said in (
            ("en", '<bdi lang="en">Number 1.</bdi>'),
            ("es", '<bdi lang="es">Número 1.</bdi>'),
        ):
            async with web.get("/ops/alarms", headers={"Accept-Language": language}) as page:
                assert said in await page.text()
