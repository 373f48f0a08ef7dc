"""Exports of an analysis are complete; the command's own tests compare them figure by figure."""

import csv
import json

from jackpot.odds.output import as_csv, as_html, as_json
from jackpot.odds.sheets import facts_of, sheets_of
from tests.odds.test_analysis import found_of


def test_no_sheet_and_no_note_is_left_behind() -> None:
    """A1: what the sheets say is in each form; the page is whole without the network."""
    found = found_of("pa-653a-progressive-D", players=6)
    told, page = json.loads(as_json(found)), as_html(found)
    lines = list(csv.reader(as_csv(found).splitlines()))
    assert told["subject"] == dict(facts_of(found))
    for sheet in sheets_of(found):
        assert len(told[sheet.name]) == len(sheet.rows)
        assert sum(line[0] == sheet.name for line in lines) == len(sheet.rows) * len(sheet.columns)
        assert f"<h2>{sheet.title}</h2>".replace("'", "&#39;") in page
        for note in sheet.notes:
            assert note in told["notes"][sheet.name]
            assert note.replace("'", "&#39;") in page
    assert "src=" not in page
    assert "href=" not in page
