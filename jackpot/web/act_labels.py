"""What is an act of people called on pages, and what do these say once it is done?"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from jackpot.publish.meter_board import LEDGER_REASON, NOT_OPENED
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR, RESTORED
from jackpot.rules.acts.lost_acks import BEHIND
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.state import CLOSED
from jackpot.text import Sentence, joined, words


class Doing(NamedTuple):
    """title: what somebody asks for. done: what is so now."""

    title: str
    done: str


# By the act's name; each sentence is one of `config/catalogues/pages/`.
DOINGS: Final[Mapping[str, Doing]] = {
    "acknowledge": Doing("Acknowledge an alarm", "The alarm is acknowledged."),
    "add-papers": Doing("Add to papers", "It is on the papers now."),
    "add-person": Doing("Add a person", "They are added. Give them a code now."),
    "change-parameters": Doing("New terms of a link", "The link is played on the new terms."),
    "change-secret": Doing(
        "Change one's password", "Your password is changed. You are signed out everywhere else."
    ),
    "clear": Doing("Let a device in again", "The device may come in again."),
    "close-link": Doing("Close a link", "The link is closed."),
    "confirm": Doing("Confirm", "It is confirmed, and done."),
    "confirm-behind": Doing(
        "Answers that the ledger has lost", "The decision about the lost answers is journalled."
    ),
    "confirm-program": Doing("Confirm the program", "The bank knows the program now."),
    "correct": Doing("Correct an award", "The award is corrected."),
    "correct-meter": Doing("Correct a meter", "The meter is corrected."),
    "decide-left": Doing("What an undo left", "It is decided."),
    "decline": Doing("Leave a round closed", "The round stays closed."),
    "dispute": Doing("Dispute a hit", "Its payment is held."),
    "end-token": Doing("End a token", "The token has ended."),
    "end-digits": Doing("Sign in without six digits", "You sign in without six digits now."),
    "end-person": Doing("End somebody's access", "Their access has ended."),
    "erase-name": Doing("Erase a name", "The name is erased."),
    "erase-papers": Doing("Erase the names on papers", "The names on the papers are erased."),
    "give-code": Doing("Give a code", "The code is given."),
    "grant": Doing("Give a role", "They have the role now."),
    "hand-over": Doing("Hand a bank over", "The bank is handed over."),
    "lift": Doing("Lift a dispute", "The dispute is lifted. Now it is to be paid."),
    "make-token": Doing("Make a token", "The token is made."),
    "pay": Doing("Pay an award", "It is paid."),
    "reject": Doing("Reject a request", "The request is rejected."),
    "release": Doing("Release cards", "The cards are released."),
    "reopen": Doing("Reopen a round", "The round is open again."),
    "reset-secret": Doing("Reset a password", "The password is reset. Give them a code now."),
    "resume": Doing("Let wagers in again", "Wagers are let in again."),
    "revoke": Doing("End a key", "The key has ended."),
    "set-digits": Doing("Set up six digits", "From now on you sign in with six digits."),
    "strike": Doing("Strike a wager", "The wager is struck."),
    "suspend": Doing("Stop wagers", "Wagers are stopped."),
    "transfer": Doing("Transfer a link's money", "The money is transferred."),
    "undo": Doing("Undo an award", "It is undone."),
    "validate": Doing("Validate an award", "It is validated."),
    "void": Doing("Void a round", "The round is void, and every wager is returned."),
    "vouch": Doing("Vouch for somebody", "You have vouched for them."),
    "withdraw-role": Doing("Take a role away", "They no longer have the role."),
}
# By the reason that a link is suspended for, what people call it.
CAUSES: Final[Mapping[str, str]] = {
    OPERATOR: "by people",
    INTERNAL: "after a fault of the server",
    BEHIND: "a table has answers that the ledger has lost",
    RESTORED: "the ledger was restored from a copy",
    CONFIG_REASON: "the configuration has other terms",
    PROGRAM_REASON: "two people have not confirmed the program yet",
    TRANSFERRED: "its money went to another link",
    NOT_OPENED: "the server could not open it",
    CLOSED: "it has ended",
    LEDGER_REASON: "the ledger does not answer",
}
WAITS: Final = "It is not done yet: it waits 15 minutes for a second person."


def title(act: str) -> str:
    """What an act is called; an act that only the command line has by its name."""
    found = DOINGS.get(act)
    return words(act) if found is None else found.title


def causes(reasons: Iterable[str]) -> Sentence:
    """Why a link is suspended; a reason of the operator's own as it is."""
    return joined(Sentence(CAUSES[reason]) if reason in CAUSES else reason for reason in reasons)
