"""Help for suspended links: what people do next, for refusals, the log and pages."""

from collections.abc import Mapping
from typing import Final

from jackpot.publish.board import NOT_OPENED, MeterBoard
from jackpot.rules.acts.links import CONFIG_REASON, INTERNAL, OPERATOR, RESTORED, ROLLED_BACK, TRIGGER_REASON
from jackpot.rules.acts.lost_acks import BEHIND
from jackpot.rules.acts.meters import TRANSFERRED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.state import CLOSED, ENDED
from jackpot.text import Sentence

# By the reason that the link is suspended for.
REMEDIES: Final[Mapping[str, str]] = {
    OPERATOR: "`jackpot links resume {link} --reason TEXT` once it is over",
    INTERNAL: "keep the log; once it is understood two people resume it: "
    "`jackpot links resume {link} --after internal --reason TEXT`",
    RESTORED: "let the tables connect, look at `jackpot ledger behind`, then two people resume it, on the "
    "page of the link or by `jackpot ledger resume --bank {bank} --believe all --reason TEXT`, with "
    "`--highest LINK.LEVEL=SUM` for each level of a mystery link",
    BEHIND: "look at `jackpot ledger behind`, then two people answer each table: "
    "`jackpot ledger confirm-behind TABLE --believe --reason TEXT`, with `--highest LINK.LEVEL=SUM` for each "
    "level of a mystery link, or --disbelieve",
    NOT_OPENED: "`jackpot config check` says whether another bank of the ledger has it: write that bank on "
    "the link and start the server again; else the log says why the link was refused (`opening_refused`)",
    PROGRAM_REASON: "compare what `jackpot about` prints with the digest published with the release, then "
    "two people confirm it: `jackpot bank confirm-program DIGEST --bank {bank} --reason TEXT`",
    TRANSFERRED: "its money went to another link; close it, or fill it and let two people resume it: "
    "`jackpot links resume {link} --after transferred --reason TEXT`",
    TRIGGER_REASON: "the server's log says which file is missing or wrong (`trigger_missing`), and "
    "`jackpot mystery show` does: bring it back and start the server again; if it is lost for ever, two "
    "people transfer the link's money and close it",
    ROLLED_BACK: "bring back the ledger that has what was published; if that is lost, two people resume it "
    "with fresh triggers: `jackpot links resume {link} --after rolled_back --highest {link}.LEVEL=SUM "
    "--reason TEXT`",
    ENDED: "its last day is over: the server closes it once each round on it is finished and each hit paid "
    "or undone; the alarm `end_waits` says what else is in the way. Two people close it to another link: "
    "`jackpot links close {link} --to LINK --reason TEXT`",
    CLOSED: "it has ended: take it out of the configuration, or go on with another link",
    CONFIG_REASON: "`jackpot links show {link}` shows what differs: two people confirm it on the link's page "
    "or by `jackpot links change {link} --reason TEXT`, an end by `jackpot links announce-end {link} DAY "
    "--to LINK --reason TEXT`; or correct the configuration and start the server again",
}


def remedy(reason: str, bank: str, link: str) -> Sentence:
    """The command that ends that reason; "" if none does."""
    return Sentence(REMEDIES.get(reason, ""), bank=bank, link=link)


def suspended(board: MeterBoard) -> dict[str, str]:
    """Why each suspended link of a bank takes no wagers; empty while the ledger is in doubt."""
    states = {link: board.state(link) for link in board.links} if board.trusted else {}
    return {link: reason for link, (state, reason) in states.items() if state != "active"}


def explained(board: MeterBoard, bank: str) -> dict[str, str]:
    """For each suspended link of a bank: why, and what ends it."""
    return {
        link: ": ".join([reasons, *(["; ".join(next_)] if (next_ := remedies(reasons, bank, link)) else [])])
        for link, reasons in suspended(board).items()
    }


def remedies(reasons: str, bank: str, link: str) -> list[Sentence]:
    """One sentence for each of the reasons, which come comma-separated, as tables are told them."""
    found = (remedy(reason, bank, link) for reason in reasons.split(", "))
    return [sentence for sentence in found if sentence]
