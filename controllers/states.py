"""State table of a connection, shared by both sides: which message may be sent in which state.

Both sides of a connection pass through the same states in the same order. So there is one table, TRANSITIONS,
and both sides use it by `next_state`. Neither side may send a message type that the table does not list for
the current state. DEVICE_SAYS and SERVER_SAYS list who may send what; `ping` and `pong` are in both.

    START -challenge-> CHALLENGED -hello-> ..._GREETED -welcome-> TABLE or SIGN -error-> CLOSED

The server sends a challenge, and the device proves its key. Then nothing more is read from it until the
server has welcomed it: what it sent in advance waits. A table then sends commands and gets answers; a sign
only listens. An `error` is always the server's last message. Neither commands nor their answers change the
state: the rules of the game decide what a command may do.
"""

from enum import IntEnum, auto
from typing import Final

from controllers.frames import BadFrame
from controllers.messages import COMMAND_NAMES


class SessionState(IntEnum):
    START = auto()
    CHALLENGED = auto()
    TABLE_GREETED = auto()
    SIGN_GREETED = auto()
    TABLE = auto()
    SIGN = auto()
    CLOSED = auto()


DEVICE_SAYS: Final = frozenset({"hello table", "hello sign", *COMMAND_NAMES, "malformed", "ping", "pong"})
SERVER_SAYS: Final = frozenset(
    {"challenge", "welcome", "ack", "nack", "error", "ping", "pong"}
    | {"meters", "hit", "award", "status", "round", "link", "state", "paytable"}
)

TRANSITIONS: Final[dict[SessionState, dict[str, SessionState]]] = {
    SessionState.START: {
        "challenge": SessionState.CHALLENGED,
        "error": SessionState.CLOSED,
    },
    SessionState.CHALLENGED: {
        "hello table": SessionState.TABLE_GREETED,
        "hello sign": SessionState.SIGN_GREETED,
        "error": SessionState.CLOSED,
    },
    SessionState.TABLE_GREETED: {
        "welcome": SessionState.TABLE,
        "ping": SessionState.TABLE_GREETED,
        "pong": SessionState.TABLE_GREETED,
        "error": SessionState.CLOSED,
    },
    SessionState.SIGN_GREETED: {
        "welcome": SessionState.SIGN,
        "ping": SessionState.SIGN_GREETED,
        "pong": SessionState.SIGN_GREETED,
        "error": SessionState.CLOSED,
    },
    SessionState.TABLE: {
        "wager": SessionState.TABLE,
        "withdraw": SessionState.TABLE,
        "lock": SessionState.TABLE,
        "settle": SessionState.TABLE,
        "close": SessionState.TABLE,
        "void": SessionState.TABLE,
        "lamp": SessionState.TABLE,
        "malformed": SessionState.TABLE,
        "ack": SessionState.TABLE,
        "nack": SessionState.TABLE,
        "meters": SessionState.TABLE,
        "hit": SessionState.TABLE,
        "award": SessionState.TABLE,
        "status": SessionState.TABLE,
        "round": SessionState.TABLE,
        "link": SessionState.TABLE,
        "ping": SessionState.TABLE,
        "pong": SessionState.TABLE,
        "error": SessionState.CLOSED,
    },
    SessionState.SIGN: {
        "meters": SessionState.SIGN,
        "hit": SessionState.SIGN,
        "status": SessionState.SIGN,
        "link": SessionState.SIGN,
        "state": SessionState.SIGN,
        "paytable": SessionState.SIGN,
        "ping": SessionState.SIGN,
        "pong": SessionState.SIGN,
        "error": SessionState.CLOSED,
    },
    SessionState.CLOSED: {},
}

WELCOMED: Final = frozenset({SessionState.TABLE, SessionState.SIGN})
GREETED: Final = frozenset({SessionState.TABLE_GREETED, SessionState.SIGN_GREETED})
OPEN: Final = WELCOMED | GREETED


def next_state(state: SessionState, message: str) -> SessionState:
    """The state after this type of message; raises BadFrame where it is not allowed."""
    try:
        return TRANSITIONS[state][message]
    except KeyError:
        raise BadFrame(f"t: no {message} is expected of a {state.name.lower()}") from None
