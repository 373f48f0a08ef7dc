"""Messages from devices (tables and signs), their fields and their limits.

`decode_device` turns a payload into one of these and enforces the protocol's own limits. The receiver checks
what a message means.
"""

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from controllers import generic
from controllers.frames import BadFrame

INT_MAX: Final = 2**53 - 1
"""The largest integer that every language's numbers hold exactly."""

CENTS_MAX: Final = 9 * 10**14
"""The largest sum of wagers that a table may name: in micro-dollars it still fits 64 bits, and no table takes
as much in a lifetime."""

SEATS: Final = 16
"""More than any table has; a seat above is a mistake."""

ITEMS_MAX: Final = 64
"""Bets or hands of a message, and links of a count: 16 seats with four wagers each."""

CARDS_MAX: Final = 7
"""The most cards any hand is made from."""

PLAYER_BYTES: Final = 64
"""A player's name in UTF-8: it stands at every wager of a round, and the whole round in one frame."""

ACKED_MAX: Final = 2**53 - 2**32
"""No table gets there in a lifetime: above it a number is a fault, and never a lost answer."""

QUOTED_MAX: Final = 64
"""Characters of what was sent that a complaint repeats."""

DIGEST_BYTES: Final = 16

UNPRINTABLE: Final = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
)
"""Controls, separators, invisible and direction marks: what a page or a log must not be made to show."""

# `(?!\n)` before `$`: in Python `$` also matches before a trailing newline.
Int = Annotated[int, Meta(ge=0, le=INT_MAX)]
Seq = Annotated[int, Meta(ge=1, le=INT_MAX)]
_ID: Final = r"^[A-Za-z0-9._-]+(?!\n)$"
Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=_ID)]
# An id that stands in a message many times: each different one is held to the pattern once. To hold those of
# seven wagers to it took longer than to decode all the rest of them.
_Repeated = Annotated[str, Meta(min_length=1, max_length=64, extra_json_schema={"pattern": _ID})]
_is_id: Final = re.compile(_ID).search
Text = Annotated[str, Meta(min_length=1, max_length=256, pattern=f"^[^{UNPRINTABLE}]+(?!\n)$")]
Player = Annotated[str, Meta(min_length=1, max_length=PLAYER_BYTES, pattern=f"^[^{UNPRINTABLE}]+(?!\n)$")]
Seat = Annotated[int, Meta(ge=1, le=SEATS)]
if TYPE_CHECKING:
    Card = str
else:
    # A list of texts is looked up; the pattern that says the same took twice as long for a settlement.
    Card = Literal[tuple(rank + suit for rank in "23456789TJQKA" for suit in "shdc")]
Cards = Annotated[tuple[Card, ...], Meta(max_length=CARDS_MAX)]
Counts = Annotated[dict[Id, Int], Meta(max_length=ITEMS_MAX)]
Players = Annotated[int, Meta(ge=1, le=SEATS)]
"""How many seats are dealt a hand, wagers or none."""
Sums = Annotated[dict[Id, Annotated[int, Meta(ge=0, le=CENTS_MAX)]], Meta(max_length=ITEMS_MAX)]
Links = Annotated[tuple[Id, ...], Meta(max_length=ITEMS_MAX)]
On = Literal["own", "dealer"]
Suit = Literal["s", "h", "d", "c"]
VoidCause = Literal["cards-face-up", "wrong-number-of-cards", "exposed-card", "shoe-jam", "stub-count"]
"""The irregularities for which the rules of the games void a round; a shuffler that jams voids nothing."""
LampState = Literal["lit", "lamp_failed"]
"""What a table says of the lamp of an award: it is lit, or it does not light."""
HandName = Literal[
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two-pair",
    "pair",
    "mini-royal",
    "four-aces",
]


class Message(msgspec.Struct, frozen=True, tag_field="t", omit_defaults=True, gc=False):
    """Base of all messages, with the type as tag `t`.

    Not tracked by the garbage collector: it has no cycles.
    """


class Item(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Base of the parts of a message."""


class Hello(Message, tag="hello", kw_only=True, frozen=True):
    """The first message. acked: the highest seq durably answered. links: a sign shows them."""

    v: Literal[1]
    role: Literal["table", "sign"]
    id: Id
    mac: Annotated[bytes, Meta(min_length=32, max_length=32)]
    acked: Annotated[int, Meta(ge=0, le=ACKED_MAX)] | None = None
    links: Links | None = None


class Ping(Message, tag="ping", frozen=True):
    """A heartbeat that asks for a pong. at: a time on the sender's own clock; the pong repeats it unread."""

    at: Int | None = None


class Pong(Message, tag="pong", frozen=True):
    """The answer to a ping, with its `at`."""

    at: Int | None = None


class Bet(Item, frozen=True):
    """A wager. amount: in cents. player: who plays the seat, where several boxes share one."""

    seat: Seat
    link: _Repeated
    amount: Int
    player: Player | None = None
    on: On = "own"


class Unbet(Item, frozen=True):
    """A wager to take back."""

    seat: Seat
    link: Id
    on: On = "own"


class Claim(Item, frozen=True):
    """The hand of a seat: cards, a named hand, both, or a fold. player: who plays a box without a wager.

    abandoned: the player has left the table; a floorperson confirms it before the round closes.
    """

    seat: Seat
    cards: Cards | None = None
    hand: HandName | None = None
    suit: Suit | None = None
    link: Id | None = None
    folded: bool = False
    player: Player | None = None
    abandoned: bool = False


Bets = Annotated[tuple[Bet, ...], Meta(max_length=ITEMS_MAX)]
Unbets = Annotated[tuple[Unbet, ...], Meta(max_length=ITEMS_MAX)]
Claims = Annotated[tuple[Claim, ...], Meta(max_length=ITEMS_MAX)]

# The decoder's own wording; its limit is in characters.
_TOO_LONG: Final = f"more than {PLAYER_BYTES} bytes"


class Wager(Message, tag="wager", frozen=True):
    """Wagers of an open round; with lock it is the round's `lock` too.

    chips: counted per link. sums: what those of an offer come to, in cents. players: who are dealt a hand,
    where a wager depends on it.
    """

    seq: Seq
    round: Id
    bets: Bets
    lock: bool = False
    chips: Counts | None = None
    sums: Sums | None = None
    players: Players | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a link that is no id, or a player's name that is too long."""
        known: set[str] = set()
        for bet in self.bets:
            if bet.link not in known:
                known.add(bet.link)
                if not _is_id(bet.link):
                    raise ValueError(f"characters not allowed - at `$.bets[{self.bets.index(bet)}].link`")
            if bet.player is not None and len(bet.player.encode()) > PLAYER_BYTES:
                raise ValueError(f"{_TOO_LONG} - at `$.bets[{self.bets.index(bet)}].player`")


class Withdraw(Message, tag="withdraw", frozen=True):
    """Wagers taken back before the lock."""

    seq: Seq
    round: Id
    bets: Unbets


class Lock(Message, tag="lock", frozen=True):
    """The end of betting in a round; once more, it corrects the count.

    chips, sums, players: as in `Wager`.
    """

    seq: Seq
    round: Id
    chips: Counts | None = None
    sums: Sums | None = None
    players: Players | None = None


class Settle(Message, tag="settle", frozen=True):
    """Hands in payout order; with close it is the round's `close` too. counts, sums: as in `Close`.

    bonus: the cards of the Six Card Bonus that all players of Let It Ride share.
    """

    seq: Seq
    round: Id
    hands: Claims
    board: Cards | None = None
    dealer: Cards | None = None
    close: bool = False
    counts: Counts | None = None
    sums: Sums | None = None
    bonus: Cards | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a player's name that is too long."""
        for hand in self.hands:
            if hand.player is not None and len(hand.player.encode()) > PLAYER_BYTES:
                raise ValueError(f"{_TOO_LONG} - at `$.hands[{self.hands.index(hand)}].player`")


class Close(Message, tag="close", frozen=True):
    """The end of a round.

    counts: the table's own lifetime number of wagers of each link. sums: what those on an offer came to, in
    cents.
    """

    seq: Seq
    round: Id
    counts: Counts | None = None
    sums: Sums | None = None


class Void(Message, tag="void", frozen=True):
    """The cancellation of a round: every wager goes back.

    cause: the irregularity. settles: links whose wagers stay, and are settled as ever, while all others go
    back.
    """

    seq: Seq
    round: Id
    reason: Text
    cause: VoidCause | None = None
    settles: Links | None = None


class Lamp(Message, tag="lamp", frozen=True):
    """What the lamp of an award shows, at the seat that won it. It is about no round."""

    seq: Seq
    award: Id
    state: LampState


class Malformed(msgspec.Struct, frozen=True):
    """A command with a good `t` and `seq` whose fields are wrong; message names the first such field.

    fingerprint: of the fields that its type knows, as they came; the same for a resend.
    """

    seq: int
    message: str
    fingerprint: bytes


Command = Wager | Withdraw | Lock | Settle | Close | Void | Lamp
TableMessage = Command | Malformed
COMMANDS: Final[tuple[type[Command], ...]] = (Wager, Withdraw, Lock, Settle, Close, Void, Lamp)
COMMAND_NAMES: Final = tuple(str(kind.__struct_config__.tag) for kind in COMMANDS)

_KINDS: Final[dict[str, type[Command] | type[Ping] | type[Pong]]] = {
    str(kind.__struct_config__.tag): kind for kind in (*COMMANDS, Ping, Pong)
}
decode_typed: Final[Callable[[bytes], Command | Ping | Pong]] = msgspec.msgpack.Decoder(
    Command | Ping | Pong
).decode
"""What a device sent in the plainest way; raises one of UNTYPED where it must be read by the letter."""

UNTYPED: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_CANONICAL: Final = msgspec.msgpack.Encoder(order="deterministic")

_CARDS: Final = generic.listed(CARDS_MAX)
_ITEM_FIELDS: Final = dict.fromkeys((*Bet.__struct_fields__, *Claim.__struct_fields__), generic.scalar)
_ITEMS: Final = generic.listed(ITEMS_MAX, generic.item({**_ITEM_FIELDS, "cards": _CARDS}))
_COUNTS: Final = generic.mapped(ITEMS_MAX)
_FORMS: Final[dict[str, generic.Form]] = {
    **dict.fromkeys(("bets", "hands"), _ITEMS),
    **dict.fromkeys(("chips", "counts", "sums"), _COUNTS),
    **dict.fromkeys(("board", "dealer", "bonus"), _CARDS),
    **dict.fromkeys(("links", "settles"), generic.listed(ITEMS_MAX)),
}
"""How the fields that are no scalars are opened where the typed decoder could not."""

_SHELL: Final = generic.Shell(
    dict.fromkeys(("t", *(field for kind in (*_KINDS.values(), Hello) for field in kind.__struct_fields__)))
)


def decode_device(payload: bytes) -> TableMessage | Ping | Pong:
    """Decode a message from a welcomed device; raises BadFrame where no seq can be answered."""
    try:
        return decode_typed(payload)
    except UNTYPED:
        return decode_by_letter(payload)


def decode_by_letter(payload: bytes) -> TableMessage | Ping | Pong:
    """Slow decoder for any encoding of a message, or its error; costs as much as many commands.

    Raises BadFrame where no seq can be answered.
    """
    found = _SHELL.open(payload)
    name = generic.scalar(found.get("t", generic.NIL))
    if not isinstance(name, str):
        raise BadFrame("t: missing")
    kind = _KINDS.get(name)
    known = kind.__struct_fields__ if kind else ("seq",)
    fields = {field: _opened(field, found[field]) for field in known if field in found} | {"t": name}
    if kind in (Ping, Pong):
        try:
            ask: Ping | Pong = msgspec.convert(fields, Ping | Pong)
            return ask
        except msgspec.ValidationError as error:
            raise BadFrame(_plain(error)) from error
    return _command(fields, known=kind is not None)


def decode_hello(payload: bytes) -> dict[str, Any] | None:
    """The fields of a hello, not yet validated; None for any other message. Raises BadFrame."""
    found = _SHELL.open(payload)
    name = generic.scalar(found.get("t", generic.NIL))
    if not isinstance(name, str):
        raise BadFrame("t: missing")
    if name != "hello":
        return None
    given = (field for field in Hello.__struct_fields__ if field in found)
    return {"t": name} | {field: _opened(field, found[field]) for field in given}


def convert_hello(fields: dict[str, Any]) -> Hello:
    """The validated hello; raises BadFrame naming the field that is wrong."""
    try:
        return msgspec.convert(fields, Hello)
    except msgspec.ValidationError as error:
        raise BadFrame(_plain(error)) from error


def digest(message: TableMessage) -> bytes:
    """16-byte digest of the decoded fields; unknown keys, key order and defaults do not matter."""
    if isinstance(message, Malformed):
        return message.fingerprint
    return blake2b(_CANONICAL.encode(message), digest_size=DIGEST_BYTES).digest()


def _sortable(value: Any) -> Any:
    """The value with every map as pairs sorted by key."""
    if isinstance(value, dict):
        pairs = ([_sortable(key), _sortable(item)] for key, item in value.items())
        return ["map", *sorted(pairs, key=lambda pair: repr(pair[0]))]
    return [_sortable(item) for item in value] if isinstance(value, list) else value


def _opened(field: str, raw: bytes) -> Any:
    try:
        return _FORMS.get(field, generic.scalar)(raw)
    except RecursionError:  # the shell was passed at a few frames less
        return generic.Opaque(raw)


def _command(fields: dict[str, Any], *, known: bool) -> Command | Malformed:
    seq = fields.get("seq")
    if type(seq) is not int or not 1 <= seq <= INT_MAX:
        raise BadFrame(f"seq: an integer of 1 to {INT_MAX} is needed")
    if not known:
        wrong = f"t: must be one of {', '.join(COMMAND_NAMES)}"
    else:
        try:
            command: Command = msgspec.convert(fields, Command)
            return command
        except msgspec.ValidationError as error:
            wrong = _plain(error)
    content = _CANONICAL.encode(_sortable(fields))
    return Malformed(seq, wrong, blake2b(content, digest_size=DIGEST_BYTES).digest())


def _plain(error: msgspec.ValidationError) -> str:
    """The decoder's error as `field: what is wrong`, such as `bets[0].seat: expected int >= 1`."""
    text = str(error).replace("`", "")
    if missing := re.fullmatch(r"Object missing required field (\w+)(?: - at \$\.(.*))?", text):
        return ".".join(filter(None, (missing[2], missing[1]))) + ": missing"
    complaint, _, path = text.rpartition(" - at ") if " - at " in text else (text, "", "")
    path = path.replace("key in ", "a key of ").replace("$.", "").replace("[...]", ", a value")
    complaint = "characters not allowed" if "regex" in complaint else _short(complaint)
    return f"{path or 'message'}: {complaint[:1].lower()}{complaint[1:]}"


def _short(complaint: str) -> str:
    """The error message, cut so that it repeats little of what was sent."""
    complaint = complaint.replace("got Opaque", "got something else").replace("got TooMany", "got too many")
    before, quote, sent = complaint.partition("'")
    if not quote:
        return complaint
    sent = sent.removesuffix("'")
    return f"{before}{sent[:QUOTED_MAX]!r}" + ("..." if len(sent) > QUOTED_MAX else "")
