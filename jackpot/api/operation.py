"""Base types of operations: queries, server commands, their calls and replies.

A query is a GET of its path, an act a POST to /acts/NAME with its fields as a JSON object. Sums are decimal
strings in the site's currency (M1), rates per cent as in the configuration, moments unix milliseconds. Ids
are those of the floor protocol.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple

import msgspec
from msgspec import Meta

from controllers.messages import Id
from jackpot.config.phrases import sentence_of
from jackpot.rules import signing
from jackpot.rules.acts.act import ADMIN, BankKey
from jackpot.rules.acts.preview import MARK_BYTES
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.signing import ROLES
from jackpot.runtime.errors import ServerError

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.auth.auth_service import AuthenticatedPerson

# Where the API stands; a change that breaks a program gets another number.
BASE: Final = "/api/v1"
# People see and change what is their own, whatever their roles.
OWN: Final[tuple[signing.Role, ...]] = ()
# What a complaint repeats of a request.
QUOTED_MAX: Final = 64
# One page of a list: as many as a person looks at, and as an answer holds.
PAGE_MAX: Final = 100


Limit = Annotated[int, Meta(ge=1, le=PAGE_MAX, description=f"1 to {PAGE_MAX}")]
Seq = Annotated[int, Meta(ge=1, le=2**63 - 1, description="the number of an entry of the journal")]
Kind = Annotated[
    str, Meta(pattern=r"^[a-z_]{1,64}(?!\n)$", description="a kind of entry, such as link_opened")
]
Money = Annotated[
    str, Meta(pattern=r"^-?\d+\.\d{2,6}$", description='a sum, such as "10000.18", in the site\'s currency')
]
Rate = Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,2})?%$", description='such as "15%" or "0.25%"')]
Sight = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9a-f]{{{2 * MARK_BYTES}}}(?!\n)$",
        description="what a preview gave as seen, or a request as shown",
    ),
]
Moment = Annotated[int, Meta(ge=0, description="unix milliseconds")]


class BadRequest(ServerError):
    """The request cannot be carried out as it stands; its text names the field that is missing or wrong."""

    code = Code.BAD_REQUEST


class NotDone(ServerError):
    """A request is refused. hits: what stands in the way. bank, server: who has the bank instead."""

    def __init__(
        self, code: Code, message: str, hits: tuple[str, ...] = (), bank: str | None = None, server: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.hits = hits
        self.bank = bank
        self.server = server or None


def refused(code: Code | str, template: str, values: Sequence[Any], hits: tuple[str, ...] = ()) -> NotDone:
    """What the rules refuse, as people and programs are told it."""
    return NotDone(Code(code), sentence_of(template, values), hits)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object."""


class BankElsewhere(Reply, frozen=True):
    """A bank that is left out of a list. server: the id of the one that has it, None where none is known."""

    bank: str
    why: str
    server: str | None


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query, which changes nothing.

    path: its route; a field in braces stands there, the others in the query string. power: the roles, one of
    which the asker needs; OWN for what is their own. what: in words, for those who may not. bank_key: what
    names its bank, if it asks for one; None where its fields say it.
    """

    path: ClassVar[str]
    what: ClassVar[str] = "ask that"
    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    bank_key: ClassVar[BankKey | None] = None
    reply: ClassVar[type[Reply]]

    @abstractmethod
    async def answer(self, at: "QueryContext") -> Reply:
        """Answers the query. Raises BadRequest, NotDone, BankStopped, LedgerError."""


class ServerCommand(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """An act of this server, not of a bank's rules. what: in words, for those who may not.

    bank_key: as in `Act.bank`.
    """

    reply: ClassVar[type[Reply]]
    what: ClassVar[str]
    power: ClassVar[tuple[signing.Role, ...]] = ADMIN
    bank_key: ClassVar[BankKey | None] = None


Ask = Query | ServerCommand | ActCommand


class OperationCall(NamedTuple):
    """An operation with its signers. people: who signs or asks it; nobody for what anybody may ask.

    bank: if its fields do not say which. digest: of an act, so that it is done once for each key. seen: as in
    `ActOptions`.
    """

    ask: Ask
    people: "tuple[str | AuthenticatedPerson, ...]" = ()
    bank: str | None = None
    digest: bytes = b""
    seen: bytes = b""


class ActOptions(msgspec.Struct, frozen=True):
    """Fields that may stand next to an act's own.

    by: None for the one who asks. and_by: the second of two. seen: what a preview, or a request, gave with
    what it showed; the act is refused if it would do something else now.
    """

    by: str | None = None
    and_by: str | None = None
    bank: Id | None = None
    seen: Sight | None = None

    @property
    def shown(self) -> bytes:
        """What the preview showed, as the rules know it."""
        return bytes.fromhex(self.seen or "")


def name_of(kind: type[ServerCommand | ActCommand]) -> str:
    """The name of an act: the last part of its path."""
    return str(kind.__struct_config__.tag)


def path_of(kind: type[Ask]) -> str:
    """The route of an operation, below BASE."""
    return kind.path if issubclass(kind, Query) else f"/acts/{name_of(kind)}"


def number(name: str | None) -> int | None:
    """The number in the id of a hit or an award."""
    return None if name is None else int(name[1:])


def money(cents: int) -> str:
    """A sum of money as replies have it."""
    return decimal(from_cents(cents))
