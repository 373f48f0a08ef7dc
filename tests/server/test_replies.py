"""May a reply hold what JSON must not carry?"""

import msgspec

from jackpot.server import asks, replies


def test_no_reply_holds_a_float() -> None:
    """M1: sums and rates are decimal strings; every other number is whole."""
    kinds = {asks.reply_of(kind) for kind in (*asks.QUESTIONS, *asks.ASKED_ACTS)} | {replies.Problem}
    _, schemas = msgspec.json.schema_components(tuple(kinds))
    assert '"number"' not in msgspec.json.encode(schemas).decode()
    assert len(schemas) > len(kinds)
