"""Which jackpots wait for a floorperson? Told from what is durable, so that signs can say so (S7, A10)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jackpot.rules.outcome import Outcome

# A state names this many waiting jackpots of a link; a sign has no room for more, and a frame is bounded.
NAMED_MOST: Final = 16


class Waiting:
    """The percentage awards of one bank that are neither paid nor undone, by their ids."""

    def __init__(self) -> None:
        self._open: dict[str, dict[str, Any]] = {}

    def reset(self, awards: Iterable[Mapping[str, Any]]) -> None:
        """Takes everything from a state that equals the ledger. awards: of `views.open_awards`."""
        self._open = {award["award"]: dict(award) for award in awards}

    def durable(self, outcome: Outcome) -> bool:
        """One durable outcome; whether anything may have changed. A resend's answer tells nothing new."""
        if outcome.entry is None:
            return False
        told = [push.message for push in outcome.pushes]
        tables = {message["hit"]: message["table"] for message in told if message["t"] == "hit"}
        awards = [
            *outcome.answer.get("awards", ()),
            *(message for message in told if message["t"] == "award"),
        ]
        for award in awards:
            if award["kind"] == "meter":
                self._take(award, tables.get(award["hit"]))
        statuses = [message for message in told if message["t"] == "status" and "award" in message]
        for status in statuses:
            self._change(status)
        return bool(awards or statuses)

    def of(self, link: str) -> list[dict[str, Any]]:
        """A link's jackpots that nobody has validated, the oldest first: hit, level, table, cents."""
        jackpots: dict[tuple[str, str], dict[str, Any]] = {}
        for award in self._open.values():
            if award["link"] == link and award["status"] == "pending":
                facts = {name: award[name] for name in ("hit", "level", "table")}
                jackpot = jackpots.setdefault((award["hit"], award["level"]), {**facts, "amount": 0})
                jackpot["amount"] += award["amount"]
        return list(jackpots.values())[:NAMED_MOST]

    def _take(self, award: Mapping[str, Any], table: str | None) -> None:
        name = award["award"]
        if award["status"] in ("pending", "validated"):
            known = self._open.get(name, {"table": ""})
            self._open[name] = {**known, **award, "table": table or known["table"]}
        else:
            self._open.pop(name, None)

    def _change(self, status: Mapping[str, Any]) -> None:
        award = self._open.get(status["award"])
        if award is None:
            return
        if status["status"] in ("paid", "undone"):
            del self._open[status["award"]]
        elif status["status"] == "validated":
            award["status"] = "validated"
        elif status["status"] == "raised":
            award |= {"status": "pending", "amount": status["amount"]}
