"""What may be said when? One table of states for both sides of a conversation.

A connection is one conversation of two sides. Both see the same states in the same order, so there is one
table, TRANSITIONS, and both sides' programs move through it by `next_state`: a message type that the table
does not list for a state may not be said in it, by whichever side. Who may say what is in DEVICE_SAYS and
SERVER_SAYS; `ping` and `pong` are in both.

    START -challenge-> CHALLENGED -hello-> ..._GREETED -welcome-> TABLE or SIGN -error-> CLOSED

The server challenges, the device proves its key, and then nothing is read from it until the server has
welcomed it: what it sent in advance waits. A table then commands and is answered; a sign only listens. Any
`error` is the server's last word. Commands do not change the state, nor do their answers: the rules of the
game decide what a command may do.
"""

from enum import IntEnum, auto
from typing import Final

from controllers.frames import BadFrame
from controllers.messages import COMMAND_NAMES


class State(IntEnum):
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
    | {"meters", "hit", "award", "status", "round", "link", "state"}
)

TRANSITIONS: Final[dict[State, dict[str, State]]] = {
    State.START: {
        "challenge": State.CHALLENGED,
        "error": State.CLOSED,
    },
    State.CHALLENGED: {
        "hello table": State.TABLE_GREETED,
        "hello sign": State.SIGN_GREETED,
        "error": State.CLOSED,
    },
    State.TABLE_GREETED: {
        "welcome": State.TABLE,
        "ping": State.TABLE_GREETED,
        "pong": State.TABLE_GREETED,
        "error": State.CLOSED,
    },
    State.SIGN_GREETED: {
        "welcome": State.SIGN,
        "ping": State.SIGN_GREETED,
        "pong": State.SIGN_GREETED,
        "error": State.CLOSED,
    },
    State.TABLE: {
        "wager": State.TABLE,
        "withdraw": State.TABLE,
        "lock": State.TABLE,
        "settle": State.TABLE,
        "close": State.TABLE,
        "void": State.TABLE,
        "malformed": State.TABLE,
        "ack": State.TABLE,
        "nack": State.TABLE,
        "meters": State.TABLE,
        "hit": State.TABLE,
        "award": State.TABLE,
        "status": State.TABLE,
        "round": State.TABLE,
        "link": State.TABLE,
        "ping": State.TABLE,
        "pong": State.TABLE,
        "error": State.CLOSED,
    },
    State.SIGN: {
        "meters": State.SIGN,
        "hit": State.SIGN,
        "status": State.SIGN,
        "link": State.SIGN,
        "state": State.SIGN,
        "ping": State.SIGN,
        "pong": State.SIGN,
        "error": State.CLOSED,
    },
    State.CLOSED: {},
}

WELCOMED: Final = frozenset({State.TABLE, State.SIGN})
GREETED: Final = frozenset({State.TABLE_GREETED, State.SIGN_GREETED})
OPEN: Final = WELCOMED | GREETED


def next_state(state: State, message: str) -> State:
    """The state after this type of message; raises BadFrame where it may not be said."""
    try:
        return TRANSITIONS[state][message]
    except KeyError:
        raise BadFrame(f"t: no {message} is expected of a {state.name.lower()}") from None
