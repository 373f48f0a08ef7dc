"""The state table is complete."""

from controllers.states import DEVICE_SAYS, SERVER_SAYS, TRANSITIONS, SessionState


def test_the_table_of_states_is_closed() -> None:
    """WIRE handshake: every state leads to a known one, every message has a side that may say it."""
    assert set(TRANSITIONS) == set(SessionState)
    listed = {message for row in TRANSITIONS.values() for message in row}
    assert listed == DEVICE_SAYS | SERVER_SAYS
    assert all(row["error"] is SessionState.CLOSED for row in TRANSITIONS.values() if row)
