"""A table's own count of accepted wagers by link, and of their cents by offer, kept in a file (S6, B3)."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path


class OwnCount:
    """A table's lifetime counts by link, undone wagers included, kept in a file of the table's own.

    sums: what the wagers on each offer came to, in cents.
    It never asks the server: it is the other side of the comparison.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        kept = json.loads(path.read_text()) if path.exists() else {"round": None, "counts": {}}
        self._round: str | None = kept["round"]
        self.counts: Counter[str] = Counter(kept["counts"])
        self.sums: Counter[str] = Counter(kept.get("sums", {}))

    def accepted(self, round_id: str, links: Iterable[str], sums: Mapping[str, int] | None = None) -> None:
        """Counts one accepted wager on each of these links, in this round; sums: of those on offers."""
        self.counts.update(links)
        self.sums.update(sums or {})
        self._round = round_id
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"round": round_id, "counts": self.counts, "sums": self.sums}))
        new.replace(self._path)

    def knows(self, round_id: str) -> bool:
        """Whether the wagers of that round, the last one begun, are counted."""
        return self._round == round_id
