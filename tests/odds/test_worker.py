"""The odds worker process gives a complete reply."""

import subprocess
import sys

import msgspec
import pytest

from jackpot.config.languages import translate
from jackpot.config.writing import writing
from jackpot.odds import worker
from jackpot.odds.worker import LabCall, LabReply, told_of
from jackpot.rules.codes import Code
from tests.rules.floor import DOLLAR, TERMS


def asked(players: int = 6, *, draw: bool = False) -> LabCall:
    meters = {level.level: 2 * level.seed for level in TERMS["five-C"].levels}
    return LabCall(TERMS["five-C"], "let-it-ride", writing("de_DE", "EUR"), meters, players, 2_000, "1", draw)


def answered(question: LabCall) -> LabReply:
    done = subprocess.run(
        [sys.executable, "-m", "jackpot.odds.worker"],
        input=msgspec.json.encode(question),
        capture_output=True,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=LabReply)


def test_one_question_one_answer_in_the_sites_own_writing() -> None:
    """A1, A5: figures and files, from a process of its own, and pictures from the next one."""
    found, drawn = answered(asked()), answered(asked(draw=True))
    assert found.refusal is None
    assert [one.name for one in found.drawable or ()] == list(drawn.pictures)
    assert {one.sheet for one in found.drawable or ()} == {"return", "cycles", "long_run", "envy"}
    assert all(picture.lstrip().startswith("<?xml") for picture in drawn.pictures.values())
    assert not drawn.sheets
    first = TERMS["five-C"].levels[0]
    (_, meter, *_) = next(sheet for sheet in found.sheets if sheet.name == "levels").rows[0]
    assert meter == writing("de_DE", "EUR").text(2 * first.seed // 10_000)
    assert meter in found.html
    assert f"levels,1,meter,{2 * first.seed // DOLLAR}" in found.csv


def test_what_cannot_be_meant_is_refused_as_data() -> None:
    """L11: a ninth seat does not exist; a page says so in its language."""
    refusal = answered(asked(players=9)).refusal
    assert refusal is not None
    assert (refusal.code, refusal.said.field) == (Code.BAD_REQUEST, "players")
    assert refusal.said.values == {"game": "let-it-ride", "most": 7, "count": "9"}
    assert translate("es", refusal.said.sentence()) == "jugadores: en let-it-ride caben de 1 a 7, no 9"


def test_without_the_extra_there_are_figures_and_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server runs without it."""
    monkeypatch.setattr(worker, "find_spec", lambda _name: None)
    found = told_of(asked())
    assert found.drawable is None
    assert found.sheets
    assert told_of(asked(draw=True)) == LabReply()
