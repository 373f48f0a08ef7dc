"""Every table command does what the protocol says and is answered as written (WIRE: Table commands)."""

from collections.abc import Iterator

import pytest

from tests.e2e.floors import (
    AWARD,
    BOARD,
    BONUS,
    CHIPS,
    DEALER,
    EASY,
    NOTHING,
    ROYAL_7,
    ROYAL_BOARD,
    THREE,
    hand,
    locked,
)
from tests.e2e.site import Site, running
from tests.e2e.vendor import Message, bets, pack

LONG = "".join(EASY.replace('"easy"', f'"{"long-" * 12}{number:04}"') for number in range(8))
MANY = "".join(EASY.replace('"easy"', f'"many{number}"') for number in range(4))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    floor = Site(tmp_path_factory.mktemp("commands"), EASY + THREE + BONUS + CHIPS + DEALER + MANY + LONG)
    floor.add("table", ["easy"], 30, "easy")
    floor.add("table", ["easy", "three"], 5, "two")
    floor.add("table", ["bonus"], 5, "bonus")
    floor.add("table", ["chips"], 5, "chips")
    floor.add("table", ["dealer"], 5, "dealer", seats=6, game="ultimate-texas-holdem")
    floor.add("table", [f"many{number}" for number in range(4)], 3, "many")
    floor.add("table", [f"{'long-' * 12}{number:04}" for number in range(8)], 1, "long")
    with running(floor):
        yield floor


# Numbers


def test_the_same_content_is_answered_again(site: Site) -> None:
    """WIRE, commands: the same decoded fields get the same answer, applied never twice.

    Whatever the order of keys, unknown keys, or a default or nil written out.
    """
    with site.table(site.unused("easy")) as device:
        plain = device.command("wager", round="R1", bets=bets("easy", [3]))
        odd = {
            "zz": 1,
            "bets": bets("easy", [3], on="own", player=None, zz=[1.5]),
            "chips": None,
            "lock": False,
        }
        odd |= {"round": "R1", "seq": 1, "t": "wager"}
        device.say(plain)
        first = device.answer(1)
        for again in (plain, odd, dict(reversed(plain.items()))):
            device.say(again)
            assert device.answer(1) == first == {"t": "ack", "seq": 1}
        assert device.nack("wager", round="R1", bets=bets("easy", [3])) == "duplicate_wager"


def test_a_refusal_is_answered_again(site: Site) -> None:
    """WIRE, commands: a durable nack uses up its seq and is answered again word for word."""
    with site.table(site.unused("easy")) as device:
        refusals: list[Message] = [
            {"t": "close", "round": "none"},
            {"t": "wager", "round": "R1", "bets": [{"seat": 1.5, "link": "easy", "amount": 100}]},
            {"t": "bogus", "round": "R1"},
            {"t": "wager", "round": "R1", "bets": [7]},
        ]
        for seq, fields in enumerate(refusals, 1):
            device.say(fields, seq=seq)
            first = device.answer(seq)
            device.say({"seq": seq, **fields}, zz={"a": 1.5})
            assert device.answer(seq) == first
            assert "expected" not in first
        device.say(t="wager", seq=2, round="R1", bets=[{"seat": 1.5, "link": "easy", "amount": 100, "zz": 1}])
        assert device.answer(2)["code"] == "bad_message"


def test_numbers_used_early_late_and_otherwise(site: Site) -> None:
    """WIRE, commands: seq_conflict, seq_old and seq_gap carry `expected` and use up nothing.

    They are looked for before the message itself: a malformed one gets the same.
    """
    with site.table(site.unused("easy")) as device:
        for _ in range(66):
            device.ask("close", round="none")
        good: Message = {"t": "wager", "round": "R1", "bets": bets("easy", [1])}
        bad: Message = {"t": "wager", "round": 7, "bets": []}
        unknown: Message = {"t": "bogus"}
        for fields in (good, bad, unknown):
            for seq, code in ((3, "seq_conflict"), (66, "seq_conflict"), (2, "seq_old"), (68, "seq_gap")):
                device.say(fields, seq=seq)
                answer = device.answer(seq)
                assert (answer["code"], answer["expected"]) == (code, 67), (fields, seq)
        device.say(t="close", seq=2**53 - 1, round="none")
        assert device.answer(2**53 - 1)["code"] == "seq_gap"
        device.seq = 66
        assert device.ack("wager", round="R1", bets=bets("easy", [1]))["seq"] == 67
    site.logged("seq_conflict", table_seq=3)


def test_a_pipeline_behind_a_gap_is_not_applied(site: Site) -> None:
    """WIRE, commands: what carries `expected` was certainly not applied, and the table goes on from there."""
    with site.table(site.unused("easy")) as device:
        one = device.command("wager", round="R1", bets=bets("easy", [1]))
        device.command("lost")
        two, three = device.command("lock", round="R1"), device.command("close", round="R1")
        device.put(pack(one) + pack(two) + pack(three))
        assert device.answer(1)["t"] == "ack"
        assert [(device.answer(seq)["code"], device.heard[-1]["expected"]) for seq in (3, 4)] == [
            ("seq_gap", 2)
        ] * 2
        device.seq = 1
        device.ack("lock", round="R1")
        device.ack("close", round="R1")


def test_two_hundred_commands_at_once(site: Site) -> None:
    """WIRE, faults: beyond 64 unanswered the server reads no further; all are answered in order."""
    with site.table(site.unused("easy")) as device:
        data = b""
        for number in range(100):
            data += pack(device.command("wager", round=f"R{number}", bets=bets("easy", [1]), lock=True))
            data += pack(device.command("settle", round=f"R{number}", hands=[], close=True))
        device.put(data)
        answers = [device.next("ack", "nack") for _ in range(200)]
        assert answers == [{"t": "ack", "seq": seq} for seq in range(1, 201)]


# Rounds


def test_a_round_in_two_frames(site: Site) -> None:
    """WIRE, commands: `wager` with `lock` is also the lock, `settle` with `close` also the close."""
    with site.table(site.unused("easy")) as device:
        assert device.ack("wager", round="R1", bets=bets("easy", [7, 1]), lock=True) == {"t": "ack", "seq": 1}
        assert device.nack("wager", round="R1", bets=bets("easy", [2])) == "locked_out"
        full_house = hand(7, "Js", "Jh", "Td")
        answer = device.ack("settle", round="R1", hands=[full_house], board=["Jd", "Th"], close=True)
        assert set(answer) == {"t", "seq", "awards"}
        (award,) = answer["awards"]
        assert set(award) == AWARD
        assert {key: award[key] for key in AWARD - {"award", "hit"}} == {
            "seat": 7,
            "link": "easy",
            "level": None,
            "hand": "full-house",
            "kind": "odds",
            "amount": 5_000,
            "pays": "inventory",
            "status": "final",
            "unverified": False,
            "because": None,
            "light": True,
        }
        assert device.nack("settle", round="R1", hands=[]) == "no_such_round"
        assert device.nack("wager", round="R1", bets=bets("easy", [2])) == "locked_out"
        device.ack("wager", round="R2", bets=bets("easy", [2]))


def test_a_round_seat_by_seat(site: Site) -> None:
    """WIRE, commands: the first wager opens, more follow, one is withdrawn, seats settle one by one."""
    with site.table(site.unused("easy")) as device:
        for seat in (1, 7, 3):
            device.ack("wager", round="R1", bets=bets("easy", [seat]))
        assert device.nack("wager", round="R2", bets=bets("easy", [2])) == "round_unfinished"
        device.ack("withdraw", round="R1", bets=[{"seat": 3, "link": "easy"}])
        assert device.nack("withdraw", round="R1", bets=[{"seat": 3, "link": "easy"}]) == "no_wager"
        assert device.nack("settle", round="R1", hands=[hand(7, *NOTHING)], board=BOARD) == "not_locked"
        assert device.nack("close", round="R1") == "not_locked"
        device.ack("lock", round="R1")
        assert device.nack("withdraw", round="R1", bets=[{"seat": 1, "link": "easy"}]) == "locked_out"
        device.ack("settle", round="R1", hands=[hand(7, *NOTHING)], board=BOARD)
        assert device.nack("settle", round="R1", hands=[hand(7, "2h", "3h", "9h")]) == "already_settled"
        device.ack("settle", round="R1", hands=[hand(1, "4s", "5h", "8d")])
        assert device.nack("settle", round="R1", hands=[hand(3, "4c", "5c", "8h")]) == "out_of_order"
        device.ack("close", round="R1", counts={"easy": 3})


def test_all_bets_or_none(site: Site) -> None:
    """WIRE, commands: a wager is refused whole, and its lock with it."""
    with site.table(site.unused("easy")) as device:
        wrong = [*bets("easy", [1, 2]), *bets("easy", [3], 99)]
        assert device.nack("wager", round="R1", bets=wrong, lock=True) == "wrong_amount"
        assert device.nack("lock", round="R1") == "no_such_round"
        device.ack("wager", round="R2", bets=bets("easy", [1, 2]))


def test_a_void_lists_its_refunds(site: Site) -> None:
    """WIRE, commands: `void` returns every wager; the ack lists seat, link, amount and who pays."""
    with site.table(site.unused("two")) as device:
        device.ack("wager", round="R1", bets=[*bets("easy", [2]), *bets("three", [2, 4])], lock=True)
        answer = device.ack("void", round="R1", reason="misdeal")
        assert set(answer) == {"t", "seq", "refunds"}
        refunds = {(one["seat"], one["link"], one["amount"], one["pays"]) for one in answer["refunds"]}
        assert refunds == {(2, link, 100, "inventory") for link in ("easy", "three")} | {
            (4, "three", 100, "inventory")
        }
        assert device.nack("void", round="R1", reason="again") == "no_such_round"
        device.ack("wager", round="R2", bets=bets("easy", [2]))
        assert len(device.ack("void", round="R2", reason="x")["refunds"]) == 1
    with site.table(site.unused("bonus")) as device:
        device.ack("wager", round="R1", bets=bets("bonus", [2]))
        (refund,) = device.ack("void", round="R1", reason="jam")["refunds"]
        assert refund["pays"] == "account"


def test_a_standing_award_stops_a_void(site: Site) -> None:
    """WIRE, commands: `void` answers `award_standing` with the hits; undone, it goes through (T6)."""
    with site.table(site.unused("easy")) as device:
        locked(device)
        (award,) = device.ack("settle", round="R1", hands=[hand(7, "Js", "Jh", "Jd")], board=["2d", "3h"])[
            "awards"
        ]
        answer = device.ask("void", round="R1", reason="misdeal")
        assert (answer["code"], answer["hits"]) == ("award_standing", [award["hit"]])
        assert site.admin(do="undo", hit=award["hit"], bank="main", reason="misdeal")["ok"]
        assert len(device.ack("void", round="R1", reason="misdeal")["refunds"]) == 3


def test_a_count_that_disagrees(site: Site) -> None:
    """WIRE, commands: the lock is acked with `warn`; settle and close wait; a second lock corrects (T3)."""
    with site.table(site.unused("chips")) as device:
        answer = device.ack(
            "wager", round="R1", bets=bets("chips", [1, 2], 500), lock=True, chips={"chips": 3}
        )
        assert set(answer) == {"t", "seq", "warn"}
        assert answer["warn"] == ["chip_mismatch"]
        assert device.nack("settle", round="R1", hands=[]) == "chip_mismatch"
        assert device.nack("close", round="R1") == "chip_mismatch"
        assert device.ack("lock", round="R1", chips={"chips": 1})["warn"] == ["chip_mismatch"]
        assert "warn" not in device.ack("lock", round="R1", chips={"chips": 2})
        device.ack("close", round="R1")
        owed = device.ack("wager", round="R2", bets=bets("chips", [1], 500), lock=True)
        assert owed["warn"] == ["chip_mismatch"]
        assert device.nack("close", round="R2") == "chip_mismatch"
        assert len(device.ack("void", round="R2", reason="no count")["refunds"]) == 1
    site.logged("chip_mismatch", round="R1")


def test_a_second_lock_changes_the_count_alone(site: Site) -> None:
    """WIRE, commands: it draws nothing and opens nothing; what was settled stands."""
    with site.table(site.unused("bonus")) as device:
        drawn: Message = {}
        number = 0
        while "draw" not in drawn:
            number += 1
            drawn = device.ack("wager", round=f"R{number}", bets=bets("bonus", [1]), lock=True)
            if "draw" not in drawn:
                device.ack("close", round=f"R{number}")
        assert set(drawn["draw"]) == {"bonus"}
        magic = drawn["draw"]["bonus"]["magic_card"]
        assert len(magic) == 2
        assert magic[0] in "23456789TJQKA"
        assert magic[1] in "shdc"
        assert "draw" not in device.ack("lock", round=f"R{number}")
        others = [f"{rank}{magic[1]}" for rank in "2468T" if rank != magic[0]]
        suits = [suit for suit in "shdc" if suit != magic[1]]
        mine = [
            magic,
            f"{'3' if magic[0] != '3' else '5'}{suits[0]}",
            f"{'9' if magic[0] != '9' else '7'}{suits[1]}",
        ]
        answer = device.ack(
            "settle", round=f"R{number}", hands=[hand(1, *mine)], board=others[:2], close=True
        )
        (award,) = answer["awards"]
        assert (award["kind"], award["amount"], award["pays"]) == ("draw", 2_000, "account")


def test_a_tables_own_count_is_compared(site: Site) -> None:
    """WIRE, commands: `counts` that differ are acked with `warn` and alarmed, undone wagers included (S6)."""
    name = site.unused("easy")
    with site.table(name) as device:
        device.ack("wager", round="R1", bets=bets("easy", [1, 2]))
        device.ack("withdraw", round="R1", bets=[{"seat": 1, "link": "easy"}])
        device.ack("lock", round="R1")
        assert device.ack("close", round="R1", counts={"easy": 2}) == {"t": "ack", "seq": 4}
        locked(device, round_id="R2")
        answer = device.ack("settle", round="R2", hands=[], close=True, counts={"easy": 4})
        assert set(answer) == {"t", "seq", "warn"}
        assert answer["warn"] == ["count_mismatch"]
    site.logged("count_mismatch", table=name)


# Hands


def test_a_named_hand_is_unverified(site: Site) -> None:
    """WIRE, commands: a name alone is accepted, marked and always waits (H4)."""
    with site.table(site.unused("easy")) as device:
        locked(device)
        answer = device.ack(
            "settle", round="R1", hands=[hand(7, hand="straight"), hand(5, *NOTHING)], board=BOARD
        )
        (award,) = answer["awards"]
        assert (award["unverified"], award["status"], award["amount"]) == (True, "pending", 3_000)
    with site.table(site.unused("easy")) as device:
        locked(device)
        both = hand(7, "7s", "8h", "9d", hand="straight")
        (award,) = device.ack("settle", round="R1", hands=[both], board=["Jc", "Th"])["awards"]
        assert (award["unverified"], award["status"]) == (False, "final")


def test_links_of_two_sizes_on_one_table(site: Site) -> None:
    """WIRE, commands: `link` says which wager a named hand is for where the seat's links differ in size."""
    with site.table(site.unused("two")) as device:
        device.ack("wager", round="R1", bets=[*bets("easy", [7, 5]), *bets("three", [7])], lock=True)
        assert device.nack("settle", round="R1", hands=[hand(7, hand="flush")]) == "bad_message"
        named = [
            hand(7, hand="flush", link="easy"),
            hand(7, hand="straight", link="three"),
            hand(5, hand="flush"),
        ]
        awards = device.ack("settle", round="R1", hands=named, close=True)["awards"]
        found = [(award["seat"], award["link"], award["amount"]) for award in awards]
        assert found == [(7, "easy", 4_000), (7, "three", 600), (5, "easy", 4_000)]
        device.ack("wager", round="R2", bets=[*bets("easy", [7]), *bets("three", [7])], lock=True)
        cards = hand(7, "As", "Ks", "Qs")
        made = device.ack("settle", round="R2", hands=[cards], board=["2h", "2d"], close=True)["awards"]
        assert [(one["link"], one["level"], one["hand"], one["pays"]) for one in made] == [
            ("three", "meter", "mini-royal", "cage")
        ]


def test_envy_and_a_jackpot(site: Site) -> None:
    """WIRE, commands: a percentage award is the cage's and waits; envy says because of whom (A5, A8, A10)."""
    with site.table(site.unused("easy")) as device:
        locked(device)
        awards = device.ack("settle", round="R1", hands=[ROYAL_7], board=ROYAL_BOARD, close=True)["awards"]
        meter, first, second = awards
        assert (meter["kind"], meter["level"], meter["pays"], meter["status"]) == (
            "meter",
            "mega",
            "cage",
            "pending",
        )
        assert meter["amount"] >= 1_000_000
        assert meter["because"] is None
        for award, seat in ((first, 5), (second, 3)):
            assert (award["seat"], award["kind"], award["because"], award["amount"]) == (
                seat,
                "envy",
                7,
                100_000,
            )
            assert (award["level"], award["pays"], award["status"]) == (None, "inventory", "pending")
        assert len({award["hit"] for award in awards}) == 1
        assert len({award["award"] for award in awards}) == 3


def test_a_seat_without_a_wager_earns_others_envy(site: Site) -> None:
    """WIRE, nack codes: a seat without a wager may be settled for the envy that its hand earns others."""
    with site.table(site.unused("easy")) as device:
        locked(device, seats=(5,))
        (award,) = device.ack("settle", round="R1", hands=[ROYAL_7], board=ROYAL_BOARD)["awards"]
        assert (award["seat"], award["kind"], award["because"]) == (5, "envy", 7)
        named = hand(3, hand="straight-flush", link="easy")
        (award,) = device.ack("settle", round="R1", hands=[named])["awards"]
        assert (award["seat"], award["kind"], award["because"]) == (5, "envy", 3)


def test_a_box_without_a_wager_is_somebodys(site: Site) -> None:
    """WIRE, commands: `player` says whose it is; its own royal pays it no envy; no wager is contradicted."""
    with site.table(site.unused("easy")) as device:
        placed = [*bets("easy", [6], player="Ann"), *bets("easy", [5])]
        device.ack("wager", round="R1", bets=placed, lock=True)
        wrong = hand(5, *NOTHING, player="Ann")
        assert device.nack("settle", round="R1", hands=[wrong], board=ROYAL_BOARD) == "bad_message"
        mine = [ROYAL_7 | {"player": "Ann"}]
        (award,) = device.ack("settle", round="R1", hands=mine, board=ROYAL_BOARD)["awards"]
        assert (award["seat"], award["kind"], award["because"]) == (5, "envy", 7)


def test_boxes_of_one_player(site: Site) -> None:
    """WIRE, commands: `player` joins neighbouring boxes; no envy from one's own other box (T9)."""
    with site.table(site.unused("easy")) as device:
        apart = [*bets("easy", [7, 5], player="Ann")]
        assert device.nack("wager", round="R1", bets=apart) == "bad_message"
        device.ack(
            "wager", round="R1", bets=[*bets("easy", [7, 6], player="Ann"), *bets("easy", [5])], lock=True
        )
        awards = device.ack("settle", round="R1", hands=[ROYAL_7], board=ROYAL_BOARD)["awards"]
        assert [(award["seat"], award["kind"]) for award in awards] == [(7, "meter"), (5, "envy")]


def test_shared_winners_want_one_settle(site: Site) -> None:
    """WIRE, commands: a `share` link wants all hands in one; equal floors, at the close (T5)."""
    with site.table(site.unused("bonus")) as device:
        locked(device, "bonus")
        nothing = [hand(7, *NOTHING), hand(5, "4s", "5h", "8d"), hand(3, "6h", "8c", "Qc")]
        assert device.nack("settle", round="R1", hands=nothing[:1], board=BOARD) == "bad_message"
        device.ack("settle", round="R1", hands=nothing, board=BOARD)
        assert device.nack("settle", round="R1", hands=nothing[1:]) == "bad_message"
        device.ack("close", round="R1")
        locked(device, "bonus", round_id="R2")
        royals = [hand(7, hand="royal-flush"), hand(5, hand="royal-flush")]
        awards = device.ack("settle", round="R2", hands=royals, close=True)["awards"]
        made = [award for award in awards if award["kind"] == "meter"]
        assert [award["seat"] for award in made] == [7, 5]
        assert made[0]["amount"] == made[1]["amount"] > 490_000


def test_wagers_on_the_dealers_hand(site: Site) -> None:
    """WIRE, commands: `on: dealer` and `own`, both paid when all hands come in one (A6)."""
    with site.table(site.unused("dealer")) as device:
        both = [*bets("dealer", [5, 2], on="dealer"), *bets("dealer", [2])]
        assert device.nack("wager", round="R1", bets=[*both, both[0]]) == "duplicate_wager"
        device.ack("wager", round="R1", bets=both, lock=True)
        board = ["Js", "Ts", "9s", "2h", "2d"]
        mine = hand(2, "2s", "3s")
        assert device.nack("settle", round="R1", hands=[mine], board=board) == "bad_message"
        awards = device.ack("settle", round="R1", hands=[mine], board=board, dealer=["Qs", "Ks"], close=True)[
            "awards"
        ]
        found = [(award["seat"], award["hand"], award["kind"]) for award in awards]
        assert found == [
            (5, "straight-flush", "meter"),
            (2, "straight-flush", "meter"),
            (2, "flush", "odds"),
        ]
        assert awards[0]["amount"] == awards[1]["amount"]
        device.ack("wager", round="R2", bets=both, lock=True)
        refunds = device.ack("void", round="R2", reason="x")["refunds"]
        assert sorted((one["seat"], one["on"], one["pays"]) for one in refunds) == [
            (2, "dealer", "account"),
            (2, "own", "account"),
            (5, "dealer", "account"),
        ]


def test_a_folded_hand_needs_no_cards(site: Site) -> None:
    """WIRE, nack codes: a folded hand needs no cards (T8)."""
    with site.table(site.unused("dealer")) as device:
        device.ack("wager", round="R1", bets=bets("dealer", [5, 2]), lock=True)
        folds = [hand(5, folded=True), hand(2, "2s", "3s", folded=True)]
        board = ["Js", "Ts", "9s", "2h", "2d"]
        awards = device.ack("settle", round="R1", hands=folds, board=board, close=True)["awards"]
        assert [(award["seat"], award["hand"]) for award in awards] == [(2, "flush")]


def test_more_awards_than_one_frame_may_make(site: Site) -> None:
    """WIRE, commands: above 192 awards `too_many`; seat by seat it goes."""
    links = [f"many{number}" for number in range(4)]
    name = site.unused("many")
    with site.table(name) as device:
        device.ack(
            "wager", round="R1", bets=[bet for link in links for bet in bets(link, range(1, 8))], lock=True
        )
        royals = [hand(seat, hand="royal-flush") for seat in range(7, 0, -1)]
        assert device.nack("settle", round="R1", hands=royals, board=["As", "As"]) == "impossible_cards"
        assert device.nack("settle", round="R1", hands=royals) == "too_many"
        awards = [
            award for one in royals for award in device.ack("settle", round="R1", hands=[one])["awards"]
        ]
        assert len(awards) == 196
    with site.table(name) as device:
        assert len([device.next("award") for _ in awards]) == 196


def test_the_longest_round_can_be_told(site: Site) -> None:
    """WIRE, frames: no frame has more than 65,536 bytes: a welcome can tell 189 awards, or 56 wagers."""
    name = site.unused("long")
    links = [f"{'long-' * 12}{number:04}" for number in range(8)]
    with site.table(name) as device:
        for link in links[:4]:
            device.ack("wager", round="R1", bets=bets(link, range(1, 8)))
        device.ack("lock", round="R1")
        hands = [hand(seat, hand="royal-flush", link=link) for seat in range(7, 0, -1) for link in links[:4]]
        few = hands[:-1]
        assert len(device.ack("settle", round="R1", hands=few)["awards"]) == 189
    with site.table(name) as device:
        assert len(device.heard[1]["last"]["awards"]) == 189
        device.ack("close", round="R1")
        for link in links:
            seats = range(1, 8)
            device.ack("wager", round="R2", bets=[one for seat in seats for one in named(link, seat)])
    with site.table(name) as device:
        assert len(device.heard[1]["round"]["bets"]) == 56


def named(link: str, seat: int) -> list[Message]:
    """A wager whose player has the longest name."""
    return bets(link, [seat], player="\U0001f0a1" * 15 + f"{seat:04}")
