"""Which answers say no? The refusals of tables' frames, in the order in which they are looked for."""

from typing import Final

# WIRE states this order; a frame is answered with the first that applies.
CODES: Final = (
    "seq_conflict",
    "seq_old",
    "seq_gap",
    "not_active",
    "bad_message",
    "round_unfinished",
    "no_such_round",
    "locked_out",
    "not_locked",
    "chip_mismatch",
    "suspended",
    "table_held",
    "unknown_link",
    "unknown_seat",
    "wrong_amount",
    "duplicate_wager",
    "unreasonable",
    "out_of_order",
    "already_settled",
    "no_wager",
    "hand_mismatch",
    "impossible_cards",
    "award_standing",
    "too_many",
    "internal",
)

# These use up no sequence number and mean: certainly not applied. They carry `expected`.
NOT_APPLIED: Final = frozenset(
    {"seq_conflict", "seq_old", "seq_gap", "not_active", "suspended", "table_held"}
)


class Refusal(Exception):
    """A command is refused whole. hits: numbers of the hits that stand in the way."""

    def __init__(self, code: str, message: str, hits: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hits = hits


def refuse_if(condition: bool, code: str, message: str) -> None:
    """Raise the Refusal if the condition holds."""
    if condition:
        raise Refusal(code, message)
