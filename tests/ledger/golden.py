"""Writes the golden ledger of this version: `python -m tests.ledger.golden`.

It writes golden/VERSION.db, every kind of event and a snapshot in it, and the hash of its head into
golden/heads.toml, in place of what is there. It is made again whenever an event changes, until the version is
released. A released file is never made again: it must verify for ever.
"""

import tomllib
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from jackpot import __version__
from jackpot.ledger.journal import Row, canonical
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules.acts.archives import Archive, Cut
from jackpot.rules.acts.hits import Correct
from jackpot.rules.acts.snapshot_seals import Sealed
from jackpot.rules.events import Refused
from jackpot.rules.registry import KINDS
from tests.ledger.people import Paper
from tests.ledger.play import START_MS, Play
from tests.ledger.resting import BANKS, Resumed, two_banks
from tests.ledger.sealed import put
from tests.ledger.waiting import join

FOLDER: Final = Path(__file__).parent / "golden"
HEADS: Final = FOLDER / "heads.toml"
SEED: Final = 10
ROWS: Final = 400
# What becomes of the two small banks next to the main one.
JOINED: Final = "floor"


def heads() -> dict[str, str]:
    """Release -> the hash that its golden ledger's head has."""
    return tomllib.loads(HEADS.read_text()) if HEADS.exists() else {}


def make(path: Path) -> bytes:
    """Writes a ledger to `path`; the hash of its head."""
    ledger = SqliteLedger(path)
    play = Play(SEED)
    play.plain_rounds(6)
    paper = Paper()
    paper.everything()
    ledger.new_epoch("main", "golden")
    written = 0
    for upto in (ROWS - 20, ROWS):  # one seal: a second one is good ten thousand rows later
        play.until(upto)
        snapshot = play.seal() if upto != ROWS else None
        if snapshot is None:
            play.money()
            play.act(Archive(cut_at(play.rows, ROWS - 20), "a year ago"), "anna", "ben")
            play.signed(paper)
        for row in play.rows[written:]:
            while ledger.head("main").epoch < row.epoch:
                ledger.new_epoch("main", "golden")
            ledger.append("main", row.epoch, row.seq - 1, [row])
        written = len(play.rows)
        if snapshot is not None:
            ledger.save_snapshot(snapshot)
    ledger.change(*put(play.sealed()))
    paper.write(ledger)
    two_banks(ledger)
    join(ledger, BANKS, JOINED, "golden", "one control room", START_MS)
    # A2 of it: A1 of north, which was paid before.
    done = Resumed(ledger, JOINED).act(
        Correct("A2", 1_000_100, "a digit was left out", "W-2"), ("anna", "ben")
    )
    if not done.of_act().ok:
        raise SystemExit(f"not corrected: {done.of_act().message}")
    kinds = {row.kind for bank in ledger.banks() for row in ledger.rows(bank, 0, 1_000)}
    ledger.close()
    missing = KINDS.keys() - kinds
    if missing:
        raise SystemExit(f"no {', '.join(KINDS[kind].__name__ for kind in missing)}: take another seed")
    return play.rows[-1].hash


def cut_at(rows: Sequence[Row], least: int) -> Cut:
    """As `jackpot ledger seal` would cut at the first seal from there on; nothing is deleted."""
    row = next(row for row, after in pairwise(rows) if row.seq >= least and after.kind == Sealed.kind)
    old = rows[: row.seq]
    left = [one for one in old if one.table_seq is None or one.kind == Refused.kind or one.hits]
    gone = next(one.seq for one in old if one not in left)
    since = max((one.seq for one in old if one.epoch < row.epoch), default=0)
    stays = sha256(b"".join(canonical(one) + one.hash + msgspec.msgpack.encode(one.hits) for one in left))
    return Cut(row.seq, row.hash, row.epoch, row.version, since, gone, stays.digest())


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{__version__}.db"
    path.unlink(missing_ok=True)
    kept = heads() | {__version__: make(path).hex()}
    path.with_name(path.name + "-lock").unlink()
    HEADS.write_text("".join(f'"{version}" = "{head}"\n' for version, head in sorted(kept.items())))
    print(f"{path.name}: {path.stat().st_size:,} bytes, head {kept[__version__]}")


if __name__ == "__main__":
    main()
