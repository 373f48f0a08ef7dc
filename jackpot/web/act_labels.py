"""Labels of acts on pages: each act's title, and the sentence shown once it is done."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from jackpot.publish.board import LEDGER_REASON, NOT_OPENED
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR, RESTORED, ROLLED_BACK, TRIGGER_REASON
from jackpot.rules.acts.lost_acks import BEHIND
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.state import CLOSED, ENDED
from jackpot.text import Sentence, joined, words


class ActLabel(NamedTuple):
    """Label of an act. title: what somebody asks for. done: what is so now."""

    title: str
    done: str


# By the act's name; each sentence is one of `config/catalogues/pages/`.
DOINGS: Final[Mapping[str, ActLabel]] = {
    "acknowledge": ActLabel("Acknowledge an alarm", "The alarm is acknowledged."),
    "add-papers": ActLabel("Add to papers", "It is on the papers now."),
    "add-person": ActLabel("Add a person", "They are added. Give them a code now."),
    "announce": ActLabel("Announce it", "It is announced."),
    "announce-end": ActLabel("Announce its end", "Its end is announced."),
    "announce-payout-limit": ActLabel("Announce a payout limit", "It is announced."),
    "change-parameters": ActLabel("New terms of a link", "The link is played on the new terms."),
    "change-secret": ActLabel(
        "Change one's password", "Your password is changed. You are signed out everywhere else."
    ),
    "clear": ActLabel("Let a device in again", "The device may come in again."),
    "close-link": ActLabel("Close a link", "The link is closed."),
    "confirm": ActLabel("Confirm", "It is confirmed, and done."),
    "confirm-behind": ActLabel(
        "Answers that the ledger has lost", "The decision about the lost answers is journalled."
    ),
    "confirm-program": ActLabel("Confirm the program", "The bank knows the program now."),
    "correct": ActLabel("Correct an award", "The award is corrected."),
    "correct-meter": ActLabel("Correct a meter", "The meter is corrected."),
    "credit": ActLabel("Confirm a credit", "The credit is confirmed."),
    "decide-abandoned": ActLabel("Whether a seat was abandoned", "It is decided."),
    "decide-left": ActLabel("What an undo left", "It is decided."),
    "decline": ActLabel("Leave a round closed", "The round stays closed."),
    "dispute": ActLabel("Dispute a hit", "Its payment is held."),
    "end-token": ActLabel("End a token", "The token has ended."),
    "end-digits": ActLabel("Sign in without a two-factor code", "You sign in without a two-factor code now."),
    "end-person": ActLabel("End somebody's access", "Their access has ended."),
    "erase-name": ActLabel("Erase a name", "The name is erased."),
    "erase-papers": ActLabel("Erase the names on papers", "The names on the papers are erased."),
    "give-code": ActLabel("Give a code", "The code is given."),
    "grant": ActLabel("Give a role", "They have the role now."),
    "hand-over": ActLabel("Hand a bank over", "The bank is handed over."),
    "lift": ActLabel("Lift a dispute", "The dispute is lifted. Now it is to be paid."),
    "make-token": ActLabel("Make a token", "The token is made."),
    "pay": ActLabel("Pay an award", "It is paid."),
    "reject": ActLabel("Reject a request", "The request is rejected."),
    "release": ActLabel("Release cards", "The cards are released."),
    "reopen": ActLabel("Reopen a round", "The round is open again."),
    "replace-triggers": ActLabel("Replace running triggers", "They are opened and replaced."),
    "reset-secret": ActLabel("Reset a password", "The password is reset. Give them a code now."),
    "resume": ActLabel("Let wagers in again", "Wagers are let in again."),
    "revoke": ActLabel("End a key", "The key has ended."),
    "set-digits": ActLabel("Set up a two-factor code", "From now on you sign in with a two-factor code."),
    "strike": ActLabel("Strike a wager", "The wager is struck."),
    "suspend": ActLabel("Stop wagers", "Wagers are stopped."),
    "transfer": ActLabel("Transfer a link's money", "The money is transferred."),
    "undo": ActLabel("Undo an award", "It is undone."),
    "validate": ActLabel("Validate an award", "It is validated."),
    "void": ActLabel("Void a round", "The round is void, and every wager is returned."),
    "vouch": ActLabel("Vouch for somebody", "You have vouched for them."),
    "withdraw-notice": ActLabel("Withdraw a notice", "The notice is withdrawn."),
    "withdraw-role": ActLabel("Take a role away", "They no longer have the role."),
}
# By the reason that a link is suspended for, what people call it.
CAUSES: Final[Mapping[str, str]] = {
    OPERATOR: "by people",
    INTERNAL: "after a fault of the server",
    BEHIND: "a table has answers that the ledger has lost",
    RESTORED: "the ledger was restored from a copy",
    CONFIG_REASON: "the configuration has other terms",
    TRIGGER_REASON: "a trigger of its levels is not to be had",
    ROLLED_BACK: "the ledger lacks a commitment that was published",
    PROGRAM_REASON: "two people have not confirmed the program yet",
    TRANSFERRED: "its money went to another link",
    NOT_OPENED: "the server could not open it",
    ENDED: "its last day is over",
    CLOSED: "it has ended",
    LEDGER_REASON: "the ledger does not answer",
}
# What the rules call an act that people ask for under another name.
_ASKED_AS: Final[Mapping[str, str]] = {"change-link": "change-parameters", "give-end": "announce-end"}
WAITS: Final = "It is not done yet: it waits 15 minutes for a second person."


def title(act: str) -> str:
    """The title of an act; an act that only the command line has is called by its name."""
    found = DOINGS.get(_ASKED_AS.get(act, act))
    return words(act) if found is None else found.title


def causes(reasons: Iterable[str]) -> Sentence:
    """Why a link is suspended, in words; an operator's own reason as it is."""
    return joined(Sentence(CAUSES[reason]) if reason in CAUSES else reason for reason in reasons)
