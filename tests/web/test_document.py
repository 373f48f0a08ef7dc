"""Conformance of the server to its published OpenAPI document, with fitting and unfitting requests."""

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.web.openapi import document
from tests.net.test_admin_socket import royal
from tests.nightly import repeated
from tests.running_server import configure, on_loop, table
from tests.web.staffed import staffed, token

# Requests of each route that fit, and as many that do not; the seed is fixed, so a failure comes again.
EXAMPLES: Final = repeated(1, 20)


def check(url: str, mine: dict[str, str]) -> set[int]:
    """Sends what the document allows, and what it does not; the statuses that came.

    Raises on a false answer. What fits may be refused: a well-formed id need not exist, and an act need not
    be possible. A bank in SQLite cannot be handed over at all, which is 503.
    """
    from hypothesis import HealthCheck, Phase, given, seed, settings

    schemathesis = pytest.importorskip("schemathesis")
    accepted = pytest.importorskip("schemathesis.specs.openapi.checks").positive_data_acceptance
    came: set[int] = set()
    for found in schemathesis.openapi.from_dict(document()).get_all_operations():
        if found.ok().path == "/acts/hand-over":
            continue
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
            cases = found.ok().as_strategy(generation_mode=mode)

            @seed(1)
            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(cases)
            def one(case: Any) -> None:
                answer = case.call_and_validate(base_url=url, headers=mine, excluded_checks=[accepted])
                came.add(answer.status_code)

            one()
    return came


@on_loop
async def test_every_answer_is_as_the_document_says(tmp_path: Path) -> None:
    """DESIGN, one surface: status, content type and schema of each answer; what does not fit is refused."""
    config = configure(tmp_path)
    async with staffed(config) as server, table(server) as device:
        await royal(device)
        mine = {"Authorization": f"Bearer {await token(server)}"}
        came = await asyncio.to_thread(check, f"http://127.0.0.1:{server.ports['http']}/api/v1", mine)
        assert {200, 400, 404} <= came
        assert server.active
