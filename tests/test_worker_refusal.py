"""A worker's refusal is the same sentence on the other side, in every language."""

import msgspec

from jackpot.config.languages import translate
from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence, Sentence, joined, one_of
from jackpot.worker_refusal import SentenceData, WorkerRefusal


def test_a_refusal_crosses_the_pipe_with_its_parts() -> None:
    """Refusals: code, words, field and values, also of sentences within it: a page translates each."""
    today = joined([Sentence("{hit} of {bank} is {now} in {into}", hit="H1", bank="a", now="H2", into="c")])
    said = RefusalSentence(
        "there is no {hit} in {banks}; {today}",
        field="hit",
        hit="H1",
        banks=one_of(["a", "b"]),
        today=today,
    )
    sent = msgspec.json.encode(WorkerRefusal.of(Code.BAD_REQUEST, said))
    found = msgspec.json.decode(sent, type=WorkerRefusal)
    here = found.said.sentence()
    assert (found.code, here, here.key, here.field) == (Code.BAD_REQUEST, said, said.key, "hit")
    assert here == "hit: there is no H1 in a or b; H1 of a is H2 in c"
    assert (
        translate("es", here)
        == translate("es", said)
        == "no hay ningún acierto H1 en a o b; H1 de a es H2 en c"
    )


def test_a_value_that_is_neither_a_number_nor_a_sentence_becomes_a_text() -> None:
    """Refusals: an error in a sentence crosses as what it says."""
    said = SentenceData.of(RefusalSentence("{error}", field="wager", error=ValueError("no sum"), count=3))
    assert (said.values, said.sentence()) == ({"error": "no sum", "count": 3}, "wager: no sum")
