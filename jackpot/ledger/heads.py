"""Signed heads: proof of a ledger for an auditor who does not trust the database (S8).

Somebody who can write to the database can forge a chain that verifies, but no signature. README.md in this
folder says to an auditor what is signed; that is fixed for ever.
"""

import mmap
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controllers.messages import Id
from jackpot.config.keys import public_der
from jackpot.ledger.journal import Head, Row

# First line of what is signed: a signature of anything else can never be taken for one of a head.
_SIGNED: Final = "jackpot head 1"
# A line of a head has about 400 bytes. What is longer is none, and is not decoded.
LINE_MAX: Final = 4_096

Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}(?!\n)$")]
Count = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
KeysById = Mapping[str, bytes]
"""Public keys of a site, 32 bytes each, by fingerprint."""


class SignedHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signed statement of the server that wrote `epoch`: row `seq` of the bank has this hash.

    at: when it was signed, unix milliseconds. key: the public key's fingerprint. signature: base64.
    """

    v: Literal[1]
    site: Id
    bank: Id
    epoch: Count
    seq: Count
    hash: Hex
    at: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    key: Hex
    signature: str

    def line(self) -> bytes:
        """JSON as it is sent and stored, without a line end."""
        return msgspec.json.encode(self)


class SiteKey:
    """The private key of a site. private: its 32 bytes."""

    def __init__(self, private: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._key.public_key().public_bytes_raw()
        self.fingerprint = fingerprint(self.public)

    def sign(self, site: str, head: Head, unix_ms: int) -> SignedHead:
        """Signs a durable head."""
        hash_, by = head.hash.hex(), self.fingerprint
        bare = SignedHead(1, site, head.bank, head.epoch, head.seq, hash_, unix_ms, by, signature="")
        signature = b64encode(self._key.sign(signed_bytes(bare))).decode()
        return msgspec.structs.replace(bare, signature=signature)


def fingerprint(public: bytes) -> str:
    """SHA-256 of the public key in DER, as `openssl pkey -pubin -outform DER | sha256sum` says."""
    return sha256(public_der(public)).hexdigest()


def known_keys(keys: Iterable[bytes]) -> KeysById:
    """Public keys by their fingerprints."""
    return {fingerprint(public): public for public in keys}


def signed_bytes(head: SignedHead) -> bytes:
    """Signed message: eight lines, each with its line end."""
    values = head.site, head.bank, head.epoch, head.seq, head.hash, head.at, head.key
    return "".join(f"{value}\n" for value in (_SIGNED, *values)).encode()


def read_line(line: bytes) -> SignedHead | None:
    """Parses a line into a head that is not verified yet; None for anything else, as a torn write."""
    if len(line) > LINE_MAX:
        return None
    try:
        return msgspec.json.decode(line, type=SignedHead)
    except msgspec.DecodeError:
        return None


def unsigned(head: SignedHead, keys: KeysById) -> str | None:
    """Why the signature is not valid; None if a known key made it."""
    public = keys.get(head.key)
    if public is None:
        return f"it is signed by the key {head.key}, which is not known"
    try:
        signature = b64decode(head.signature, validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed_bytes(head))
    except (InvalidSignature, ValueError):
        return "its signature is not of these values"
    return None


class _KeptHead(NamedTuple):
    line: int
    epoch: int
    hash: str


class BankHeads:
    """Signed heads of one bank, compared with its rows during verification. newest: the last one's row."""

    def __init__(self, bank: str) -> None:
        self.bank = bank
        self.newest = 0
        self._problems: list[str] = []
        self._epoch = 0
        self._by_seq: dict[int, list[_KeptHead]] = {}

    def add(self, line: int, head: SignedHead) -> str | None:
        """Adds the next head of the file. Returns why it cannot follow the ones before, if it cannot."""
        behind = (head.epoch, head.seq) < (self._epoch, self.newest) or head.seq < self.newest
        if behind:
            return (
                f"a head of row {head.seq} in epoch {head.epoch} stands behind one of row {self.newest} in "
                f"epoch {self._epoch}"
            )
        self._epoch, self.newest = head.epoch, head.seq
        kept = self._by_seq.setdefault(head.seq, [])
        if (head.epoch, head.hash) not in [one[1:] for one in kept]:  # the hourly ones say the same again
            kept.append(_KeptHead(line, head.epoch, head.hash))
        return None

    @property
    def rows(self) -> list[int]:
        """Rows of the heads, in order."""
        return sorted(self._by_seq)

    def saw(self, row: Row) -> None:
        """Compares a row of the ledger with its head."""
        for kept in self._by_seq.pop(row.seq, ()):
            if (fault := differs(row, kept.epoch, kept.hash)) is not None:
                self._problems.append(f"{self.bank}: line {kept.line} of the heads: {fault}")

    def leave(self, seq: int) -> None:
        """Skips the head of row `seq`, which only an archive has."""
        self._by_seq.pop(seq, None)

    def end(self, last: int) -> list[str]:
        """Problems, after the last row: heads that the ledger contradicts."""
        for seq, all_kept in sorted(self._by_seq.items()):
            said = is_ahead(seq, last) if seq > last else f"row {seq}, of which a head was signed, is missing"
            self._problems.append(f"{self.bank}: line {all_kept[0].line} of the heads: {said}")
        return self._problems

    def unproved(self, last: int) -> int:
        """Number of rows that are newer than the last head."""
        return max(0, last - self.newest)


def differs(row: Row, epoch: int, hash_: str) -> str | None:
    """Why a row does not match the signed head of this hash and epoch; None if it does."""
    if row.hash.hex() != hash_:
        return (
            f"row {row.seq} was signed with the hash {hash_}, and has {row.hash.hex()}: it, or a row before "
            "it, was written again"
        )
    if row.epoch > epoch:
        return f"row {row.seq} is of epoch {row.epoch}, and was signed in epoch {epoch}"
    return None


def is_ahead(seq: int, last: int) -> str:
    """Message about a head beyond the end of the journal."""
    return (
        f"a head of row {seq} was signed, and the journal ends at row {last}: its end was cut off, or an "
        "older copy was put in its place"
    )


class KeptHeads(NamedTuple):
    """Content of a file of heads. problems: lines with an invalid head. no_heads: lines without a head."""

    banks: dict[str, BankHeads]
    problems: list[str]
    no_heads: list[int]

    def of(self, bank: str) -> BankHeads:
        """Heads of one bank; may be empty."""
        return self.banks.setdefault(bank, BankHeads(bank))

    def elsewhere(self, banks: Collection[str]) -> list[str]:
        """Problems: banks with signed heads that are not among these."""
        gone = sorted(set(self.banks) - set(banks))
        return [f"bank {bank} is not in the ledger, and a head of it was signed" for bank in gone]


def read_heads(lines: Iterable[bytes], site: str, keys: KeysById) -> KeptHeads:
    """All heads of a file that a known key of the site signed, by bank. lines: with or without their ends."""
    found = KeptHeads({}, [], [])
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        head = read_line(line)
        if head is None:
            found.no_heads.append(number)
            continue
        fault = unsigned(head, keys)
        if fault is None and head.site != site:
            fault = f'it is of site "{head.site}", and the ledger of "{site}"'
        if fault is None:
            fault = found.banks.setdefault(head.bank, BankHeads(head.bank)).add(number, head)
        if fault is not None:
            found.problems.append(f"line {number} of the heads: {fault}")
    return found


def newest_heads(file: Path, banks: Collection[str], keys: KeysById) -> dict[str, SignedHead]:
    """The head of each bank's highest row that a known key signed, wherever it stands. Raises OSError.

    An old line that is appended again hides nothing. The file is read from its end, where the highest head of
    an untouched file is: so few signatures are checked.
    """
    found: dict[str, SignedHead] = {}
    for line in _lines_backwards(file):
        head = read_line(line)
        if head is None or head.bank not in banks:
            continue
        best = found.get(head.bank)
        if best is not None and (head.seq, head.epoch) <= (best.seq, best.epoch):
            continue
        if unsigned(head, keys) is None:
            found[head.bank] = head
    return found


def _lines_backwards(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        if not opened.seek(0, 2):
            return
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as text:
            end = len(text)
            while end > 0:
                start = text.rfind(b"\n", 0, end) + 1
                yield text[start:end]
                end = start - 1
