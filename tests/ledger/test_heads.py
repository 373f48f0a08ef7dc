"""Signed heads prove a ledger to an auditor with only them, a public key and openssl (S8)."""

import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from jackpot.config.keys import public_pem, read_public
from jackpot.ledger.heads import (
    SignedHead,
    SiteKey,
    known_keys,
    newest_heads,
    read_heads,
    read_line,
    unsigned,
)
from jackpot.ledger.journal import Head, Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import VerifyReport, verify
from tests import ceilings
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import write

ROOT: Final = Path(__file__).parent.parent.parent
SITE: Final = "riverside"
KEY: Final = SiteKey(bytes(range(32)))
KNOWN: Final = known_keys([KEY.public])
OTHER: Final = SiteKey(bytes(range(1, 33)))
AT: Final = 1_767_225_600_000
# Of KEY, for ever: what any program must make of these values.
GOLDEN: Final = (
    '{"v":1,"site":"riverside","bank":"main","epoch":3,"seq":1042,"hash":"000102030405060708090a0b0c'
    '0d0e0f101112131415161718191a1b1c1d1e1f","at":1767225600000,"key":"a050837d85070582ccf7394b09888'
    '47cc312cb88259b894899f6f239cf1791a5","signature":"V22B4h1ppy3xagQQqMZ5wdwld/3U4ZSDrD3K5j3yksnGE'
    'U1K6OljW+PM13GMhY6Ca//E7P5t+tzEPP8A+lttCA=="}'
)


def signed(row: Row, *, site: str = SITE, epoch: int = 0, key: SiteKey = KEY) -> bytes:
    """The line of a head that stood at that row."""
    head = Head(row.bank, epoch or row.epoch, row.seq, row.hash, "", 0)
    return key.sign(site, head, AT).line()


def golden() -> SignedHead:
    return KEY.sign(SITE, Head("main", 3, 1042, bytes(range(32)), "", 0), AT)


def openssl(*arguments: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["openssl", *arguments], input=given, capture_output=True, check=False, timeout=ceilings.WAIT_S
    )


def by_openssl(line: bytes, key: SiteKey, folder: Path) -> tuple[bool, str]:
    """By the very commands of ledger/README.md, as an auditor: whether it is good, and the fingerprint."""
    (folder / "site.pub").write_text(public_pem(key.public))
    (folder / "heads.jsonl").write_bytes(b"{}\n" + line + b"\n")
    page = (
        (ROOT / "jackpot" / "ledger" / "README.md")
        .read_text()
        .partition("## Signed heads")[2]
        .partition("\n## ")[0]
    )
    script = "\n".join(text.strip() for text in page.split("\n") if text.startswith("    "))
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False, timeout=30
    )
    told, fingerprint = done.stdout.splitlines()
    return told == "Signature Verified Successfully", fingerprint.split()[0]


def test_openssl_alone_checks_a_head(tmp_path: Path) -> None:
    """S8: an auditor needs no program of ours; a value that was changed, or another key, is found."""
    line = golden().line()
    assert by_openssl(line, KEY, tmp_path) == (True, golden().key)
    assert by_openssl(line.replace(b'"seq":1042', b'"seq":1043'), KEY, tmp_path) == (False, golden().key)
    assert by_openssl(line, OTHER, tmp_path) == (False, OTHER.fingerprint)


def test_the_form_of_a_head_is_fixed() -> None:
    """S8: heads that were kept for years are read and checked by every later release."""
    assert golden().line().decode() == GOLDEN
    assert read_line(GOLDEN.encode()) == golden()


def test_a_public_key_that_openssl_made_is_read(tmp_path: Path) -> None:
    """S8: a key file may come from elsewhere; a key of another kind, or none, is not taken for one."""
    made = openssl("genpkey", "-algorithm", "ed25519").stdout
    pem = openssl("pkey", "-pubout", given=made).stdout
    file = tmp_path / "site.pub"
    file.write_bytes(pem)
    public = read_public(file)
    assert public is not None
    assert public_pem(public).encode() == pem
    for wrong in (
        made,
        b"",
        b"\xff",
        openssl("pkey", "-pubout", given=openssl("genpkey", "-algorithm", "x25519").stdout).stdout,
    ):
        file.write_bytes(wrong)
        assert read_public(file) is None
    assert read_public(tmp_path / "none") is None


@pytest.mark.parametrize(
    "changed",
    [
        {"site": "lakeside"},
        {"bank": "side"},
        {"epoch": 4},
        {"seq": 1041},
        {"hash": "00" * 32},
        {"at": AT + 1},
        {"signature": ""},
        {"signature": "no base64"},
        {"key": OTHER.fingerprint},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_every_value_is_under_the_signature(changed: dict[str, Any]) -> None:
    """S8: whatever is changed, the line proves nothing any more."""
    head = golden()
    assert unsigned(head, KNOWN) is None
    assert unsigned(msgspec.structs.replace(head, **changed), known_keys([KEY.public, OTHER.public]))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        golden().line()[:-9],
        golden().line().replace(b'"v":1', b'"v":2'),
        golden().line().replace(b"riverside", b"river\\nside"),
        golden().line().replace(b"}", b',"more":1}'),
        b" " * 5_000 + golden().line(),
    ],
)
def test_what_is_no_head_is_none(line: bytes) -> None:
    """S8: a torn line, another form, or a text that could be read as two lines is not believed."""
    assert read_line(line) is None


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    play = Play(21).until(60)
    play.new_epoch(2)
    return play.until(100).rows


def verified(folder: Path, rows: Sequence[Row], lines: Sequence[bytes]) -> tuple[list[str], VerifyReport]:
    """What the lines themselves are found to be, and the bank next to them."""
    path = folder / "ledger.db"
    path.unlink(missing_ok=True)
    write(path, list(rows), [])
    kept = read_heads(lines, SITE, KNOWN)
    with closing(SqliteLedger(path, readonly=True)) as ledger:
        return kept.problems, verify(ledger, "main", heads=kept.of("main"))


def test_heads_of_a_sound_ledger(rows: list[Row], tmp_path: Path) -> None:
    """S8: nothing is wrong, and what is newer than the last head is said to be unproved."""
    lines = [signed(rows[9]), signed(rows[9], epoch=2), b"", signed(rows[69]), signed(rows[69])]
    problems, report = verified(tmp_path, rows, lines)
    assert (problems, report.problems) == ([], ())
    assert report.unproved == len(rows) - 70
    assert verified(tmp_path, rows, [signed(rows[-1])])[1].unproved == 0
    assert verified(tmp_path, rows, [])[1].unproved == len(rows)


def test_a_forged_tail_is_named(rows: list[Row], tmp_path: Path) -> None:
    """S8: rows that chain, balance and follow the rules, behind a head of others, are found by it alone."""
    forged = Play(21).until(60)
    fork = len(forged.rows)  # up to here both ledgers are one
    forged.new_epoch(2)
    forged.plain_rounds(40)
    assert forged.rows[fork - 1] == rows[fork - 1]
    assert forged.rows[fork] != rows[fork]
    _, unnamed = verified(tmp_path, forged.rows, [signed(rows[fork - 1])])
    assert (unnamed.problems, unnamed.unproved) == ((), len(forged.rows) - fork)
    there, here = rows[fork + 9], forged.rows[fork + 9]
    _, report = verified(tmp_path, forged.rows, [signed(rows[fork - 1]), signed(there)])
    (problem,) = report.problems
    assert problem == (
        f"main: line 2 of the heads: row {there.seq} was signed with the hash {there.hash.hex()}, and has "
        f"{here.hash.hex()}: it, or a row before it, was written again"
    )


def test_a_cut_ledger_is_named(rows: list[Row], tmp_path: Path) -> None:
    """S8: the tail cut off together with its head, and an older copy, lie before a head that was signed."""
    _, report = verified(tmp_path, rows[:70], [signed(rows[40]), signed(rows[79])])
    (problem,) = report.problems
    assert problem == (
        "main: line 2 of the heads: a head of row 80 was signed, and the journal ends at row 70: its end was "
        "cut off, or an older copy was put in its place"
    )


def test_an_epoch_that_was_changed_is_named(rows: list[Row], tmp_path: Path) -> None:
    """S8: who signed in epoch 1 cannot have seen a row of epoch 2."""
    _, report = verified(tmp_path, rows, [signed(rows[79], epoch=1)])
    assert report.problems == ("main: line 1 of the heads: row 80 is of epoch 2, and was signed in epoch 1",)


def test_lines_that_prove_nothing_are_named(rows: list[Row]) -> None:
    """S8: another site's head, an unknown key, a wrong signature, an order that no server makes."""
    lines = [
        signed(rows[19], site="lakeside"),
        signed(rows[19], key=OTHER),
        signed(rows[19]).replace(b'"seq":20', b'"seq":21'),
        signed(rows[79]),
        b"torn",
        signed(rows[69]),
        signed(rows[79], epoch=1),
    ]
    found = read_heads(lines, SITE, KNOWN)
    assert found.problems == [
        'line 1 of the heads: it is of site "lakeside", and the ledger of "riverside"',
        f"line 2 of the heads: it is signed by the key {OTHER.fingerprint}, which is not known",
        "line 3 of the heads: its signature is not of these values",
        "line 6 of the heads: a head of row 70 in epoch 2 stands behind one of row 80 in epoch 2",
        "line 7 of the heads: a head of row 80 in epoch 1 stands behind one of row 80 in epoch 2",
    ]
    assert found.no_heads == [5]
    later = read_heads([signed(rows[19], key=OTHER)], SITE, known_keys([KEY.public, OTHER.public]))
    assert later.problems == []  # a site's keys of all its years, each by its fingerprint


def test_the_newest_head_is_found_wherever_it_stands(rows: list[Row], tmp_path: Path) -> None:
    """S8: of each bank, whatever is behind it: an older one, a torn line, a stranger's, no line's end."""
    file = tmp_path / "heads"
    file.touch()
    assert newest_heads(file, ["main"], KNOWN) == {}
    side = KEY.sign(SITE, Head("side", 1, 5, bytes(32), "", 0), AT)
    newest, older = signed(rows[79]), signed(rows[9])
    lines = [side.line(), older, newest, signed(rows[89], key=OTHER), older, b'{"v":1,"si']
    for end in (b"", b"\n"):
        file.write_bytes(b"\n".join(lines) + end)
        found = newest_heads(file, ["main", "side", "none"], KNOWN)
        assert found == {"main": read_line(newest), "side": side}
    with pytest.raises(FileNotFoundError):
        newest_heads(tmp_path / "none", ["main"], KNOWN)
