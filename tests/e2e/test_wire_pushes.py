"""Devices and signs are told what is durable, in order, and nothing else (WIRE: Server pushes, Signs)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.floors import EASY, FIVE, ROYAL, ROYAL_BOARD, SIDE, THREE
from tests.e2e.site import Site, running
from tests.e2e.vendor import Message, Vendor, bets

HIT = {"t", "hit", "link", "level", "hand", "table", "amount", "cycle", "bank", "rev", "at", "cards"}
ROYAL_7 = {"seat": 7, **ROYAL}
CHIPS = EASY.replace('"easy"', '"chips"').replace("count_chips = false", "count_chips = true")
QUIET = EASY.replace('"easy"', '"quiet"')
LOUD = EASY.replace('"easy"', '"loud"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A floor whose devices may be silent for minutes, however long a command line takes."""
    floor = Site(tmp_path_factory.mktemp("pushes"), FIVE + EASY + THREE + CHIPS + SIDE + LOUD)
    floor.add("table", ["easy"], 8, "easy")
    floor.add("table", ["five"], 2, "five")
    floor.add("table", ["chips"], 2, "chips")
    floor.add("table", ["easy", "three"], 2, "two")
    floor.add("table", ["side"], 5, "side")
    floor.add("table", ["loud"], 2, "loud")
    floor.add("sign", ["easy", "three"], 4, "sign")
    floor.add("sign", ["easy", "side"], 5, "both")
    floor.add("sign", ["loud"], 1, "loud sign")
    with running(floor):
        yield floor


@pytest.fixture
def pinging(tmp_path: Path) -> Iterator[Site]:
    """A floor with a short heartbeat."""
    floor = Site(tmp_path, QUIET, heartbeat_ms=3_000)
    floor.add("table", ["quiet"])
    floor.add("sign", ["quiet"])
    with running(floor):
        yield floor


def values(meters: Message) -> dict[tuple[str, str], int]:
    return {(link, level): cents for link, level, cents in meters["values"]}


def royal(device: Vendor, link: str = "easy", round_id: str = "R1") -> list[Message]:
    """A royal at seat 7; its awards."""
    device.ack("wager", round=round_id, bets=bets(link, [7]), lock=True)
    settled = device.ack("settle", round=round_id, hands=[ROYAL_7], board=ROYAL_BOARD, close=True)
    return list(settled["awards"])


def status(device: Vendor, hit: str) -> Message:
    return device.hear(lambda message: message["t"] == "status" and message["hit"] == hit)


def statuses(device: Vendor, award: Message, name: str) -> list[tuple[str, Any, str, Any]]:
    """The status pushes to a table for one hit whose only award changes: of the award and of the hit."""
    told = [status(device, award["hit"]) for _ in range(2)]
    assert all(set(one) <= {"t", "hit", "award", "status", "amount"} for one in told)
    assert {one["status"] for one in told} == {name}
    return sorted((one.get("award", ""), one.get("amount"), one["status"], one["hit"]) for one in told)


def test_a_hit_is_told_everywhere_at_once(site: Site) -> None:
    """WIRE, pushes: a percentage award, to every table and sign of the link; then the reseeded meters."""
    winner, other, apart = site.unused("easy"), site.unused("two"), site.unused("chips")
    with (
        site.table(winner) as device,
        site.table(other) as second,
        site.table(apart) as third,
        site.sign(site.unused("sign")) as sign,
        site.sign(site.unused("sign"), links=["three"]) as blind,
    ):
        before = values(device.next("meters"))
        awards = royal(device)
        for one in (device, second, sign):
            hit = one.next("hit")
            assert set(hit) == HIT
            assert (hit["hit"], hit["link"], hit["level"], hit["hand"]) == (
                awards[0]["hit"],
                "easy",
                "mega",
                "royal-flush",
            )
            assert (hit["table"], hit["amount"], hit["bank"]) == (winner, awards[0]["amount"], "main")
            assert hit["cycle"] >= 1
            assert before["easy", "mega"] <= hit["amount"]
            after = one.hear(lambda message: message["t"] == "meters" and ("easy", "mega") in values(message))
            while values(after)["easy", "mega"] >= hit["amount"]:
                after = one.next("meters")
            assert values(after)["easy", "mega"] == 1_000_000
            assert after["rev"] >= hit["rev"]
        ack = next(one for one in device.heard if one.get("awards"))
        order = [one for one in device.heard if one is ack or one["t"] == "hit"]
        assert order[0] is ack
        for one in (third, blind):
            one.say(t="ping", at=1)
            one.next("pong")
            assert not any(message["t"] == "hit" for message in one.heard)


def test_a_hit_is_validated_and_paid(site: Site) -> None:
    """WIRE, pushes: `status` to the hit's table for each award, and of the hit also to signs."""
    with site.table(site.unused("easy")) as device, site.sign(site.unused("sign")) as sign:
        (award,) = royal(device)
        for act, name in (("validate", "validated"), ("pay", "paid")):
            paper = ("--write", "document=W-1") if act == "pay" else ()
            site.cli("hits", act, award["hit"], *paper, "--bank", "main")
            expected = [("", None, name, award["hit"]), (award["award"], award["amount"], name, award["hit"])]
            assert statuses(device, award, name) == expected
            told = status(sign, award["hit"])
            assert told == {"t": "status", "hit": award["hit"], "status": name}


def test_a_hit_is_undone(site: Site) -> None:
    """WIRE, pushes: undone is told to the table and the signs; the meter takes the sum back."""
    with site.table(site.unused("two")) as device, site.sign(site.unused("sign")) as sign:
        device.ack("wager", round="R1", bets=bets("three", [7]), lock=True)
        (award,) = device.ack("settle", round="R1", hands=[ROYAL_7], close=True)["awards"]
        site.cli("hits", "undo", award["hit"], "--bank", "main", "--reason", "misread")
        assert {one[2] for one in statuses(device, award, "undone")} == {"undone"}
        assert status(sign, award["hit"])["status"] == "undone"
        level = ("three", "meter")
        sign.hear(lambda message: message["t"] == "meters" and values(message).get(level) == award["amount"])


def test_a_waiting_award_is_told_at_every_welcome(site: Site) -> None:
    """WIRE, handshake: one `award` push for each pending or validated award of this table, then the hits."""
    name = site.unused("easy")
    with site.table(name) as device:
        awards = royal(device)
    for act, state in ((None, "pending"), ("validate", "validated")):
        if act is not None:
            assert site.admin(do=act, hit=awards[0]["hit"], bank="main")["ok"]
        with site.connect() as device:
            device.hello(site.keys[name], "table", name)
            device.welcome()
            assert device.frame()["t"] == "meters"
            told = device.frame()
            assert told == {"t": "award", **awards[0], "status": state}
            hit = device.frame()
            assert (hit["t"], hit["link"]) == ("hit", "easy")
            while hit["hit"] != awards[0]["hit"]:  # others of the last 60 s may come before it
                hit = device.next("hit")
    assert site.admin(do="pay", hit=awards[0]["hit"], document="W-1", bank="main")["ok"]
    with site.table(name) as device:
        device.hear(lambda message: message["t"] == "hit" and message["hit"] == awards[0]["hit"])
        assert not any(message["t"] == "award" for message in device.heard)


ROUND = {"round", "state", "bets", "chips", "draw", "board", "dealer", "settled"}


def test_people_change_a_round(site: Site) -> None:
    """WIRE, pushes: `round`, as in welcome, after a strike, a reopening and a void (T3, T6, T10)."""
    name = site.unused("chips")
    with site.table(name) as device:
        device.ack(
            "wager", round="R1", bets=bets("chips", [1, 2], player=None), lock=True, chips={"chips": 1}
        )
        site.cli("rounds", "strike", name, "R1", "1", "chips", "--reason", "no chip")
        told = device.next("round")
        assert set(told) == ROUND | {"t", "refunds"}
        told = {field: told[field] for field in ROUND}
        assert told == {
            "round": "R1",
            "state": "locked",
            "bets": [{"seat": 2, "link": "chips", "on": "own", "player": None}],
            "chips": {"chips": 1},
            "draw": None,
            "board": [],
            "dealer": [],
            "settled": [],
        }
        with site.table(name) as again:
            assert again.heard[1]["round"] == told
        with site.table(name) as second:
            hand = {"seat": 2, "cards": ["2s", "3h", "9d"]}
            second.ack("settle", round="R1", hands=[hand], board=["Js", "Td"])
            second.ack("close", round="R1")
            site.cli("rounds", "reopen", name, "R1", "--reason", "missed", "--and-by", "Bo")
            told = second.next("round")
            assert (told["round"], told["state"], told["board"]) == ("R1", "locked", ["Js", "Td"])
            assert told["settled"] == [2]
            site.cli("rounds", "void", name, "R1", "--reason", "exposed card", "--and-by", "Bo")
            told = second.next("round")
            assert (told["round"], told["state"], told["bets"]) == ("R1", "void", [])
            assert [refund["seat"] for refund in told["refunds"]] == [2]
            second.ack("wager", round="R2", bets=bets("chips", [1]))
            with site.table(name) as again:
                assert again.heard[1]["round"]["state"] == "open"


def test_signs_choose_among_their_links(site: Site) -> None:
    """WIRE, signs: `links` is optional; all of its own if left out; one snapshot a bank."""
    name = site.unused("both")
    with site.connect("sign") as sign:
        sign.hello(site.keys[name], "sign", name)
        welcome = sign.welcome()
        assert sorted(sign.links) == ["easy", "side"]
        assert welcome["heartbeat_ms"] == 60_000
        snapshots = [sign.next("meters"), sign.next("meters")]
        assert sorted(one["bank"] for one in snapshots) == ["main", "side"]
        shown = {one["bank"]: {link for link, _ in values(one)} for one in snapshots}
        assert shown == {"main": {"easy"}, "side": {"side"}}
    with site.connect("sign") as sign:
        sign.hello(site.keys[name], "sign", name, links=["side"])
        assert [link["link"] for link in sign.welcome()["links"]] == ["side"]
    with site.connect("sign") as sign:
        sign.hello(site.keys[name], "sign", name, links=["five"])
        assert "five" in sign.error()["message"]


@pytest.mark.parametrize("t", ["wager", "void", "hello"])
def test_signs_command_nothing(site: Site, t: str) -> None:
    """WIRE, signs: nothing but `pong` is ever expected of a sign."""
    name = site.unused("both")
    with site.sign(name) as sign:
        sign.say(t=t, seq=1, round="R1", reason="x", bets=bets("easy", [1]))
        assert sign.error()["code"] == "bad_frame"


def test_an_idle_sign_hears_everything_again(pinging: Site) -> None:
    """WIRE, pushes: the whole snapshot again at least every 5 s, and something every heartbeat."""
    with pinging.sign(pinging.unused("sign")) as sign, pinging.table(pinging.unused()) as device:
        first = sign.next("meters")
        again = sign.next("meters")
        assert values(again) == values(first)
        assert again["rev"] >= first["rev"]
        assert again["at"] - first["at"] <= 5_000
        pings = [message for message in sign.heard if message["t"] == "ping"]
        assert all(set(ping) == {"t", "at"} for ping in pings)
        assert pings
        snapshots = {("quiet", "mega"), ("quiet", "major"), ("quiet", "minor")}
        device.next("meters")
        assert set(values(device.next("meters"))) == snapshots == set(values(again))


def test_values_are_conflated(site: Site) -> None:
    """WIRE, pushes: at most 10 a second to a sign; to a table at once, then at most 2 a second."""
    worker, watcher = site.unused("loud"), site.unused("loud")
    with (
        site.table(worker) as device,
        site.table(watcher) as other,
        site.sign(site.unused("loud sign")) as sign,
    ):
        start = values(sign.next("meters"))
        other.next("meters")
        for number in range(300):
            device.say(device.command("wager", round=f"R{number}", bets=bets("loud", range(1, 8)), lock=True))
            device.say(device.command("close", round=f"R{number}"))
        assert device.answer(device.seq)["t"] == "ack"
        cents = 300 * 7 * 9
        last = {**start, ("loud", "mega"): start["loud", "mega"] + cents}
        for one, gap in ((sign, 100), (other, 500)):
            seen = [one.next("meters")]
            while values(seen[-1]).get(("loud", "mega")) != last["loud", "mega"]:
                seen.append(one.next("meters"))
            times = [message["at"] for message in seen]
            assert len(seen) <= (times[-1] - times[0]) / gap + 2
            revs = [message["rev"] for message in seen]
            assert revs == sorted(revs)


def test_a_ledger_behind_stops_its_bank(site: Site) -> None:
    """WIRE, handshake: `acked` beyond the ledger: `ledger_behind`, the bank suspended by a second table (S9).

    Money already bet goes on; the other bank does not notice.
    """
    witness, also, playing, held, opened = (site.unused("side") for _ in range(5))
    with (
        site.table(witness) as first,
        site.table(playing) as device,
        site.table(opened) as second,
        site.sign(site.unused("both")) as sign,
        site.table(site.unused("easy")) as elsewhere,
    ):
        for _ in range(3):
            first.ask("close", round="none")
        device.ack("wager", round="R1", bets=bets("side", [7, 1]))
        second.ack("wager", round="R1", bets=bets("side", [7, 1]), lock=True)
        with site.connect() as late:
            late.hello(site.keys[witness], "table", witness, acked=5)
            assert late.error()["code"] == "ledger_behind"
        with site.table(held) as another:
            another.ack("wager", round="R1", bets=bets("side", [7]), lock=True)
            another.ack("void", round="R1", reason="one table alone stops nobody")
        with site.connect() as late:
            late.hello(site.keys[also], "table", also, acked=1)
            assert late.error()["code"] == "ledger_behind"
        for one in (device, second, sign):
            told = one.next("link")
            assert (told["link"], told["state"]) == ("side", "suspended")
            assert set(told) == {"t", "link", "state", "reason"}
            assert 1 <= len(told["reason"]) <= 256
        site.logged("ledger_behind", table=witness, acked=5)
        for wrong in (bets("side", [2]), [*bets("side", [9], 7), *bets("none", [1])]):
            answer = device.ask("wager", round="R1", bets=wrong)
            assert (answer["code"], answer["expected"]) == ("suspended", 2)
        assert device.nack("wager", round="R2", bets=bets("side", [2])) == "round_unfinished"
        assert second.nack("wager", round="R1", bets=bets("side", [2])) == "locked_out"
        assert second.nack("wager", round="R1", bets=bets("side", [2], on="dealer")) == "bad_message"
        device.ack("withdraw", round="R1", bets=[{"seat": 1, "link": "side"}])
        device.ack("lock", round="R1")
        device.ack("settle", round="R1", hands=[ROYAL_7], board=ROYAL_BOARD, close=True)
        second.ack("void", round="R1", reason="stopped")
        elsewhere.ack("wager", round="R1", bets=bets("easy", [1]))
        with site.table(held) as another:
            assert another.heard[1]["links"][0]["state"] == "suspended"
        with site.connect() as late:
            late.hello(site.keys[witness], "table", witness, acked=5)
            assert late.error()["code"] == "ledger_behind"
        behind = json.loads(site.cli("ledger", "behind", "--json"))
        said = [(one["table"], one["acked"], one["last_seq"]) for one in behind]
        assert said == [(witness, 5, 3), (also, 1, 0)]
        two = ("--reason", "restored a copy", "--by", "Ann", "--and-by", "Bo")
        site.cli("ledger", "confirm-behind", also, "--disbelieve", *two)
        site.cli("ledger", "confirm-behind", witness, "--believe", *two)
        for one in (device, second, sign):
            assert one.next("link")["state"] == "active"
        with site.connect() as late:
            late.hello(site.keys[witness], "table", witness, acked=5)
            assert late.welcome()["last_seq"] == 5
            late.ack("wager", round="R1", bets=bets("side", [1]))
            assert late.seq == 6
        device.ack("wager", round="R2", bets=bets("side", [1]))


def test_people_read_the_same(site: Site) -> None:
    """WIRE, HTTP: /healthz is alive, /readyz active and durable, /metrics names every link."""
    assert "alive" in site.get("/healthz")
    assert "ready" in site.get("/readyz")
    metrics = site.get("/metrics")
    assert set(re.findall(r'link="([a-z]+)"', metrics)) >= {"five", "easy", "three", "chips", "side"}
