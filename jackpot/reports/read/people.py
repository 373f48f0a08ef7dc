"""Names of people by their journal numbers; the names lie next to the journal.

The person's number stands for a name that was erased, is missing, or does not match the journal's digest.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from jackpot.ledger import keyring
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import BEYOND, Entry, asked, of_kind, of_kinds
from jackpot.rules.acts.erasure import NameErased
from jackpot.rules.acts.people import PeopleBegun, PersonAdded, Recovered
from jackpot.rules.acts.sessions import SignedIn
from jackpot.rules.signing import SITE, People

# Sign-ins searched for the last of each person: some weeks of a busy site.
SIGN_INS: Final = 2_000

_SIGN_INS: Final = f"""
    SELECT seq, at, kind, version, "table", table_seq, body FROM journal
    WHERE +bank = ?1 AND kind = {SignedIn.kind} AND table_seq IS NULL AND seq < ?2 ORDER BY seq DESC LIMIT ?3
"""  # noqa: S608


class PersonNames:
    """Names of people. names: by number; where a name is not kept, the number and the reason.

    kept: the names that are kept, by identity digest, also of people who may yet join; each with its login.
    """

    def __init__(self, names: Mapping[int, str], kept: Mapping[bytes, tuple[str, str]]) -> None:
        self._names: Final = names
        self._kept: Final = kept

    @classmethod
    def of(cls, ledger: Reader) -> "PersonNames":
        """The names as of now. Raises LedgerError."""
        rows = keyring.names(ledger)
        kept = {row.mark: (row.name, row.login) for row in rows if row.is_marked()}
        changed, gone = {row.mark for row in rows} - kept.keys(), _erased(ledger)
        return cls(
            {
                number: kept[mark][0]
                if mark in kept and number not in gone
                else nameless(number, erased=number in gone, changed=mark in changed)
                for number, mark in _marks(ledger)
            },
            kept,
        )

    def name(self, number: int) -> str:
        """The name of the person of that number."""
        return self._names.get(number, f"person {number}")

    def marked(self, mark: bytes) -> tuple[str, str]:
        """Name and login of the person of that identity digest; "" where they are erased."""
        return self._kept.get(mark, ("", ""))

    def said(self, people: People) -> tuple[str, ...]:
        """The signers, each by name."""
        return people.names or tuple(self.name(one.id) for one in people.signed)

    def who(self, people: People | None) -> str:
        """The signers in words; "" for nobody."""
        return "" if people is None else " and ".join(self.said(people))


def nameless(number: int, *, erased: bool, changed: bool) -> str:
    """What a person is called whose name is not kept, and why it is not.

    erased: the journal says so. changed: there is a row, but its digest is not the one in the journal.
    """
    why = "erased" if erased else "changed" if changed else "missing"
    return f"person {number} (name {why})"


def last_sign_ins(ledger: Reader) -> dict[int, int]:
    """The last sign-in of each person, in unix milliseconds, by number; of the last SIGN_INS sign-ins."""
    found: dict[int, int] = {}
    for row in asked(ledger, SITE, _SIGN_INS, BEYOND, SIGN_INS):
        entry = Entry(*row)
        if isinstance(entry.event, SignedIn):
            found.setdefault(entry.event.person, entry.at)
    return found


def _erased(ledger: Reader) -> set[int]:
    """The numbers of the people whose names the journal says were erased."""
    events = (entry.event for entry in of_kind(ledger, SITE, NameErased.kind))
    return {event.person for event in events if isinstance(event, NameErased)}


def _marks(ledger: Reader) -> Iterator[tuple[int, bytes]]:
    """The identity digest of every person there ever was, by number."""
    for entry in of_kinds(ledger, SITE, (PeopleBegun.kind, PersonAdded.kind, Recovered.kind)):
        event = entry.event
        if isinstance(event, PeopleBegun):
            yield from enumerate((mark for mark, _ in event.newcomers), 1)
        elif isinstance(event, PersonAdded | Recovered):
            yield event.id, event.mark
