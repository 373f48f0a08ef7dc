"""Compares a server's statistics of links and rounds with the independent model's (S1, A8, L10)."""

from __future__ import annotations

from typing import Any

from tests.faults.difference import same
from tests.faults.house import model_level
from tests.faults.model import Model
from tests.faults.model_floor import Round, one_name

Map = dict[str, Any]


def compare_figures(facts: Map, model: Model) -> None:
    """facts: a server's statistics of the bank that the model follows. Raises Difference."""
    for told in facts["links"]:
        link = model.links[told["link"]]
        paid = {payer: micros for payer, micros in told["paid_by"].items() if micros}
        same(f"{link.name}, paid by", paid, dict(model.paid_by(link)))
        by_house = model.by_payer(link).total() + model.stakes(link)
        same(f"{link.name}, paid by the house", told["awards_outside"], by_house)
        same(f"{link.name}, wagered", told["wagered"], model.offered(link))
        for level in told["levels"]:
            name = model_level(level["level"])
            for what, count in model.counts(link, name).items():
                same(f"{link.name} {level['level']}, {what}", level[what], count)
            shown = [(hit["table"], hit["hand"], hit["amount"], hit["cycle"]) for hit in level["last_hits"]]
            same(f"{link.name} {level['level']}, last hits", shown, model.last_hits(link.name, name))
    waiting = {
        (one["link"], _level(one["level"]), one["status"]): (one["awards"], one["amount"])
        for one in facts["waiting"]
    }
    same("what waits", waiting, model.waiting_sums())
    for told in facts["tables"]:
        _compare_round(told["table"], told["round"], model)


def _level(told: str | None) -> str | None:
    return None if told is None else model_level(told)


def _compare_round(name: str, told: Map | None, model: Model) -> None:
    """Compares the round that a table without memory is told with the model's."""
    round_ = round_of(model, name)
    same(f"{name}, its round", told and told["round"], round_ and round_.name)
    same(f"{name}, its round", told and told_round(told), round_ and known_round(round_, model))


def round_of(model: Model, name: str) -> Round | None:
    """The round that a table is to finish: one opened again before the next."""
    table = model.tables[name]
    rounds = list(table.unfinished.values())
    late = next((round_ for round_ in rounds if round_ is table.reopenable), None)
    return late or next(iter(rounds), None)


def told_round(told: Map) -> Map:
    """A round as the server tells it, to be compared."""
    bets = sorted(
        (bet["seat"], bet["link"], bet["on"], one_name(bet["player"] or "")) for bet in told["bets"]
    )
    cards = {key: list(told.get(key, [])) for key in ("board", "dealer", "bonus")}
    cards["players"] = told.get("players", 0)
    whole = {"round": told["round"], "state": told["state"], "chips": told["chips"], "bets": bets, **cards}
    whole["gone"] = {one["seat"]: one["confirmed"] for one in told.get("abandoned", ())}
    whole |= {"sums": told.get("sums", {}), "amounts": sum(bet.get("amount", 0) for bet in told["bets"])}
    return whole | {"settled": sorted(told["settled"]), "draw": told["draw"] or {}}


def known_round(round_: Round, model: Model) -> Map:
    """The same, as the model knows it."""
    players = round_.players
    return {
        "round": round_.name,
        "state": round_.state,
        "chips": dict(round_.chips),
        "sums": dict(round_.sums),
        "amounts": sum(w.cents for w in round_.wagers if w.live and model.links[w.link].offer),
        "board": list(round_.board),
        "dealer": list(round_.dealer),
        "bonus": list(round_.bonus),
        "players": round_.players_dealt,
        "gone": dict(round_.gone),
        "bets": sorted((w.seat, w.link, w.on, players.get(w.seat, "")) for w in round_.wagers if w.live),
        "settled": sorted(round_.settled),
        "draw": {link: drawn for link, drawn in round_.draws.items() if drawn},
    }
