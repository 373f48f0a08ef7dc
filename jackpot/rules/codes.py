"""Refusal codes: what each means, and what happens next.

controllers/README.md and this package's README show these tables; tests compare them with this file.
"""

from enum import StrEnum
from typing import Final, NamedTuple


class Code(StrEnum):
    """Codes of refusal of a table's frame, or of an act of people or of the server.

    Those of frames come first, in the order in which they are looked for (WIRE).
    """

    SEQ_CONFLICT = "seq_conflict"
    SEQ_OLD = "seq_old"
    SEQ_GAP = "seq_gap"
    NOT_ACTIVE = "not_active"
    BAD_MESSAGE = "bad_message"
    ROUND_UNFINISHED = "round_unfinished"
    NO_SUCH_ROUND = "no_such_round"
    NO_SUCH_AWARD = "no_such_award"
    LOCKED_OUT = "locked_out"
    NOT_LOCKED = "not_locked"
    CHIP_MISMATCH = "chip_mismatch"
    SUSPENDED = "suspended"
    TABLE_HELD = "table_held"
    UNKNOWN_LINK = "unknown_link"
    UNKNOWN_SEAT = "unknown_seat"
    WRONG_AMOUNT = "wrong_amount"
    DUPLICATE_WAGER = "duplicate_wager"
    UNREASONABLE = "unreasonable"
    OUT_OF_ORDER = "out_of_order"
    ALREADY_SETTLED = "already_settled"
    NO_WAGER = "no_wager"
    HAND_MISMATCH = "hand_mismatch"
    IMPOSSIBLE_CARDS = "impossible_cards"
    TWO_PEOPLE = "two_people"
    AWARD_STANDING = "award_standing"
    TOO_MANY = "too_many"
    INTERNAL = "internal"

    ASKED_ALREADY = "asked_already"
    BAD_AMOUNT = "bad_amount"
    BAD_REQUEST = "bad_request"
    BAD_TERMS = "bad_terms"
    BANK_CLOSED = "bank_closed"
    BANK_STOPPED = "bank_stopped"
    BLOCKED_ALREADY = "blocked_already"
    BUSY = "busy"
    CHANGED = "changed"
    CREDITED = "credited"
    DEALER_SHOWN = "dealer_shown"
    DISPUTED = "disputed"
    DOCUMENT_USED = "document_used"
    END_WAITS = "end_waits"
    EXPIRED = "expired"
    FINAL = "final"
    FIXED = "fixed"
    HAND_PENDING = "hand_pending"
    KEY_USED = "key_used"
    LAMP_FAILED = "lamp_failed"
    LAST_ADMIN = "last_admin"
    LEDGER = "ledger"
    LEDGER_BEHIND = "ledger_behind"
    LEFT_WAITS = "left_waits"
    LINK_CLOSED = "link_closed"
    LINK_EXISTS = "link_exists"
    LOCKED = "locked"
    MISDIRECTED = "misdirected"
    MONEY_LEFT = "money_left"
    NO_DOCUMENT = "no_document"
    NO_LINKS = "no_links"
    NO_PAPER = "no_paper"
    NO_PEOPLE = "no_people"
    NO_PERSON = "no_person"
    NO_SITE = "no_site"
    NO_SUCH_ALARM = "no_such_alarm"
    NO_TAX_FORM = "no_tax_form"
    NO_SUCH_HIT = "no_such_hit"
    NO_SUCH_LEFT = "no_such_left"
    NO_SUCH_NOTICE = "no_such_notice"
    NO_SUCH_PERSON = "no_such_person"
    NO_SUCH_REQUEST = "no_such_request"
    NO_SUCH_TABLE = "no_such_table"
    NOT_ALLOWED = "not_allowed"
    NOT_ASKED = "not_asked"
    NOT_BEHIND = "not_behind"
    NOT_BELIEVABLE = "not_believable"
    NOT_BLOCKED = "not_blocked"
    NOT_DISPUTED = "not_disputed"
    NOT_EMPTY = "not_empty"
    NOT_HELD = "not_held"
    NOT_MISMATCH = "not_mismatch"
    NOT_PENDING = "not_pending"
    NOT_SUSPENDED = "not_suspended"
    NOT_VALIDATED = "not_validated"
    NOTICE_NEEDED = "notice_needed"
    NOTICE_STANDS = "notice_stands"
    OTHER_BANK = "other_bank"
    PAID = "paid"
    PROGRAM_KNOWN = "program_known"
    READ_ALREADY = "read_already"
    RESERVED = "reserved"
    SAME_BANK = "same_bank"
    SEVERAL_WINNERS = "several_winners"
    STALE = "stale"
    TOO_MANY_LINKS = "too_many_links"
    TOO_MANY_SEATS = "too_many_seats"
    TWICE = "twice"
    UNCHANGED = "unchanged"
    UNDONE = "undone"
    WITHHELD_DIFFERS = "withheld_differs"
    WRONG_GAME = "wrong_game"
    WRONG_SECRET = "wrong_secret"  # noqa: S105 - a code


class FrameCode(NamedTuple):
    """The meaning of a refused frame, and what the table does next. uses: it uses up its number."""

    means: str
    then: str
    uses: bool = True


class ActCode(NamedTuple):
    """The meaning of a refused act, what the person does next, and the HTTP status of the answer."""

    means: str
    then: str
    status: int


_ON: Final = "go on from `expected`"

OF_FRAMES: Final[dict[Code, FrameCode]] = {
    Code.SEQ_CONFLICT: FrameCode(
        "the number was used with other content; alarmed", f"look into the table's memory, {_ON}", uses=False
    ),
    Code.SEQ_OLD: FrameCode("the number is older than the last 64 answers", _ON, uses=False),
    Code.SEQ_GAP: FrameCode("a number before it has not come", "send again from `expected`", uses=False),
    Code.NOT_ACTIVE: FrameCode(
        "this server does not decide for the bank now", "send it to the active server", uses=False
    ),
    Code.BAD_MESSAGE: FrameCode("a field is wrong; `message` names it", "correct it, under the next number"),
    Code.ROUND_UNFINISHED: FrameCode("another round comes first", "finish that round, or void it"),
    Code.NO_SUCH_ROUND: FrameCode("the table has no such round to finish", "look at `round` in the welcome"),
    Code.NO_SUCH_AWARD: FrameCode(
        "no award of the table has that id and still wants its lamp", "put the lamp out"
    ),
    Code.LOCKED_OUT: FrameCode("no more bets are taken in this round", "give the wager back"),
    Code.NOT_LOCKED: FrameCode("the round still takes bets", "lock it first"),
    Code.CHIP_MISMATCH: FrameCode(
        "the dealer's count differs, or has not come",
        "`lock` with the right count, or void",
    ),
    Code.SUSPENDED: FrameCode(
        "a link takes no wagers now; `link` names it",
        "wager without it until `link` says active",
        uses=False,
    ),
    Code.TABLE_HELD: FrameCode(
        "people have to act before the table opens a round",
        "wait for `status` or `round`",
        uses=False,
    ),
    Code.UNKNOWN_LINK: FrameCode("the table, or the round, has no such link", "correct the link"),
    Code.UNKNOWN_SEAT: FrameCode("the table has no such seat", "correct the seat"),
    Code.WRONG_AMOUNT: FrameCode("it is not the link's wager", "give it back, or place the right one"),
    Code.DUPLICATE_WAGER: FrameCode(
        "the seat has made this wager already, or it is named twice", "give one back"
    ),
    Code.UNREASONABLE: FrameCode("more than this table can play or show; alarmed", "look into the table"),
    Code.OUT_OF_ORDER: FrameCode(
        "hands come in payout order, the highest seat first", "send them in that order"
    ),
    Code.ALREADY_SETTLED: FrameCode("the seat's hand was settled", "leave the seat out"),
    Code.NO_WAGER: FrameCode("nobody has made this wager", "leave it out"),
    Code.HAND_MISMATCH: FrameCode("the cards are not the hand that is named", "correct the claim"),
    Code.IMPOSSIBLE_CARDS: FrameCode("a card is twice in the round", "correct the cards"),
    Code.TWO_PEOPLE: FrameCode("only two people may do this", "call the floor"),
    Code.AWARD_STANDING: FrameCode(
        "awards are in the way; `hits` names their hits", "call the floor to undo them, then send it again"
    ),
    Code.TOO_MANY: FrameCode("more awards or wagers than a frame holds", "send it in parts: seat by seat"),
    Code.INTERNAL: FrameCode("a fault of the server; its links are suspended", "call the floor"),
}

_AGAIN: Final = "correct it and ask again"
_LOOK: Final = "look at its state"
_NOTHING: Final = "nothing: it is so already"

OF_ACTS: Final[dict[Code, ActCode]] = {
    Code.ROUND_UNFINISHED: ActCode("a table has a round to finish", "let it finish, then ask again", 409),
    Code.NO_SUCH_ROUND: ActCode("the table has no such round, or the round is not in that state", _LOOK, 404),
    Code.TABLE_HELD: ActCode("a table waits for its papers (T11)", "record them, or release it", 409),
    Code.UNKNOWN_LINK: ActCode("no such link is open", _AGAIN, 404),
    Code.UNKNOWN_SEAT: ActCode("the table has no such seat", _AGAIN, 404),
    Code.NO_WAGER: ActCode("nobody has made this wager", _LOOK, 404),
    Code.TWO_PEOPLE: ActCode("one person may not do this alone", "ask again with a second person", 403),
    Code.AWARD_STANDING: ActCode(
        "awards are in the way; the answer names their hits", "pay or undo them first", 409
    ),
    Code.TOO_MANY: ActCode("there are as many as there may be", "end one that is not needed", 409),
    Code.INTERNAL: ActCode("a fault of the server; links may be suspended", "report it; keep the log", 500),
    Code.ASKED_ALREADY: ActCode(
        "the same request waits for a second person", "confirm or reject that one", 409
    ),
    Code.BAD_AMOUNT: ActCode("this sum is not possible for the award or the meter", _AGAIN, 400),
    Code.BAD_REQUEST: ActCode("a field is missing or wrong; the message names it", _AGAIN, 400),
    Code.BAD_TERMS: ActCode("nothing can be played on these terms (L3-L7)", "correct the configuration", 400),
    Code.BANK_CLOSED: ActCode("the bank became part of another", "ask there", 409),
    Code.BANK_STOPPED: ActCode("this server decides nothing for the bank now", "ask the active server", 503),
    Code.BLOCKED_ALREADY: ActCode("the device is blocked already", _NOTHING, 409),
    Code.BUSY: ActCode("too many people sign in at once", "try again in some seconds", 503),
    Code.CHANGED: ActCode(
        "it would do something else now than you saw", "look at it, and ask for it again", 409
    ),
    Code.CREDITED: ActCode("the award is credited to the account (P4)", "correct it (A10)", 409),
    Code.DEALER_SHOWN: ActCode("the dealer's hand was shown (T8)", "strike nothing", 409),
    Code.DISPUTED: ActCode("the hit is disputed, so it may not be paid", "lift the dispute first", 409),
    Code.DOCUMENT_USED: ActCode(
        "the form's number is another winner's of the hit", "give the number of their own form", 400
    ),
    Code.END_WAITS: ActCode("the announced end of the link waits (P2)", "see to what is in the way", 409),
    Code.EXPIRED: ActCode("the request ended unconfirmed", "ask for it again", 409),
    Code.FINAL: ActCode("the award is final and its round has ended", "correct it", 409),
    Code.FIXED: ActCode("it never changes (L9)", "close the link, and transfer to a new one", 409),
    Code.HAND_PENDING: ActCode("the envy bonus waits for its hand (A10)", "validate the hand first", 409),
    Code.KEY_USED: ActCode(
        "the key was used for another act", "ask again under a new key; on a page, load it again first", 422
    ),
    Code.LAMP_FAILED: ActCode(
        "the table says that the lamp of an award failed (P3)",
        "look at the lamp, and say what it shows",
        409,
    ),
    Code.LAST_ADMIN: ActCode("no other admin could add people", "make another admin first", 409),
    Code.LEDGER: ActCode("the ledger does not answer", "ask again later", 503),
    Code.LEDGER_BEHIND: ActCode("the ledger has lost a table's answers (S9)", "confirm what is missing", 409),
    Code.LEFT_WAITS: ActCode(
        "money that an undo left on the link waits for a decision", "decide on it first", 409
    ),
    Code.LINK_CLOSED: ActCode("the link has ended (L8)", "go on with another link", 409),
    Code.LINK_EXISTS: ActCode("the link is open already", _NOTHING, 409),
    Code.MISDIRECTED: ActCode("another server has the bank; the answer names it", "ask that server", 421),
    Code.MONEY_LEFT: ActCode("the link still has money of its players (L8)", "name the link it goes to", 409),
    Code.LOCKED: ActCode("signing in failed too often", "wait a quarter of an hour", 429),
    Code.NO_DOCUMENT: ActCode("a payment or its correction has no document (A10)", "give its number", 400),
    Code.NO_LINKS: ActCode("a table has no link, or one twice", "correct the configuration", 400),
    Code.NO_PAPER: ActCode("the papers lack what the site wants on them", "write it, then pay", 400),
    Code.NO_PEOPLE: ActCode(
        "the site has no people yet, and believes no name",
        "stop the server, make the first two people with jackpot users init, and start it again",
        403,
    ),
    Code.NO_PERSON: ActCode(
        "nobody is known who does it: no name, no sign-in, or a session or token that has ended",
        "sign in, send a token that is valid, or say who does it",
        403,
    ),
    Code.NO_SITE: ActCode("the ledger's site is not named", "correct the configuration", 400),
    Code.NO_SUCH_ALARM: ActCode("no such alarm is open", _LOOK, 404),
    Code.NO_TAX_FORM: ActCode(
        "a payment of this sum needs a tax form, or half of one is given",
        "give its name and number; for a correction add them to the papers first",
        400,
    ),
    Code.NO_SUCH_AWARD: ActCode("no such award can be acted on", _LOOK, 404),
    Code.NO_SUCH_HIT: ActCode("no such hit is open", _LOOK, 404),
    Code.NO_SUCH_LEFT: ActCode("no such difference waits for a decision", _LOOK, 404),
    Code.NO_SUCH_NOTICE: ActCode("no such notice stands", _LOOK, 404),
    Code.NO_SUCH_PERSON: ActCode("the site has no such person, or no longer", _LOOK, 404),
    Code.NO_SUCH_REQUEST: ActCode("no such request waits for a second person", _LOOK, 404),
    Code.NO_SUCH_TABLE: ActCode("no such table is known", _AGAIN, 404),
    Code.NOT_ALLOWED: ActCode("the person may not do this", "have somebody do it who may", 403),
    Code.NOT_ASKED: ActCode("nobody asked to reopen the round (T10)", _NOTHING, 409),
    Code.NOT_BEHIND: ActCode("the table does not say that the ledger lost anything (S9)", _LOOK, 409),
    Code.NOT_BELIEVABLE: ActCode("nobody can believe so high a number (S9)", "do not believe it", 409),
    Code.NOT_BLOCKED: ActCode("the device is not blocked", _NOTHING, 409),
    Code.NOT_DISPUTED: ActCode(
        "the hit is not disputed, or a later dispute holds", "look at the hit again", 409
    ),
    Code.NOT_EMPTY: ActCode("the bank has entries already", _NOTHING, 409),
    Code.NOT_HELD: ActCode("the table keeps no cards that wait for papers (T11)", _NOTHING, 409),
    Code.NOT_MISMATCH: ActCode("the link's count of that round does not differ (T3)", "strike nothing", 409),
    Code.NOT_PENDING: ActCode("none of its awards waits to be validated", _LOOK, 409),
    Code.NOT_SUSPENDED: ActCode("it is not suspended, or not for that reason", _LOOK, 409),
    Code.NOT_VALIDATED: ActCode("none of its awards is validated", "validate it first", 409),
    Code.NOTICE_NEEDED: ActCode(
        "it was not announced, or for a later day (P2)", "announce it, and wait for the day", 409
    ),
    Code.NOTICE_STANDS: ActCode("such a notice stands already (P2)", "withdraw that one first", 409),
    Code.OTHER_BANK: ActCode("the link belongs to another bank", "correct the configuration", 400),
    Code.PAID: ActCode("the award is paid", "correct it (A10)", 409),
    Code.PROGRAM_KNOWN: ActCode("the bank knows this program already (S3)", _NOTHING, 409),
    Code.READ_ALREADY: ActCode("the meters were read for that gaming day already (S2)", _NOTHING, 409),
    Code.RESERVED: ActCode(
        "only the server suspends and resumes for that reason", "confirm what is missing", 409
    ),
    Code.SAME_BANK: ActCode("a bank cannot become itself", _AGAIN, 400),
    Code.SEVERAL_WINNERS: ActCode("the hit has several winners (A10)", "say which: name the seat", 400),
    Code.STALE: ActCode("the site's people have changed meanwhile", "ask again", 409),
    Code.TOO_MANY_LINKS: ActCode("a table has at most 8 links", "correct the configuration", 400),
    Code.TOO_MANY_SEATS: ActCode("the game has fewer seats (L11)", "correct the configuration", 400),
    Code.TWICE: ActCode("something is named twice", _AGAIN, 400),
    Code.UNCHANGED: ActCode("the table, or the link, has these terms already", _NOTHING, 409),
    Code.UNDONE: ActCode("the award is undone", _LOOK, 409),
    Code.WITHHELD_DIFFERS: ActCode(
        "what is withheld from a payment is not said, or is not what the law takes",
        "withhold the sum that the answer says, and say it",
        400,
    ),
    Code.WRONG_GAME: ActCode("the table's game cannot play the link (L1)", "correct the configuration", 400),
    Code.WRONG_SECRET: ActCode(
        "sign-in name, password or code is not right", "try again, or have it reset", 401
    ),
}
