"""The published OpenAPI document is the one that is served."""

from jackpot.api.operation import path_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.web.openapi import document
from tests.generated import WRITE_AGAIN
from tests.web import openapi


def test_the_document_is_the_one_that_is_served() -> None:
    """DESIGN, schemas: `python -m tests.generated` was run after the last change of a route or a type."""
    assert openapi.FILE.read_text("utf-8") == openapi.text(), WRITE_AGAIN


def test_every_route_says_what_it_takes_and_answers() -> None:
    """DESIGN, one surface: no operation is left out, each body is closed, each act has its key."""
    paths = document()["paths"]
    assert paths.keys() == {path_of(kind) for kind in (*QUESTIONS, *ASKED_ACTS)}
    for path, methods in paths.items():
        (method,) = methods
        assert (method == "post") == path.startswith("/acts/")
        if method == "post":
            body = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            assert body["additionalProperties"] is False
            assert "do" not in body["properties"]
            assert methods["post"]["parameters"] == [{"$ref": "#/components/parameters/key"}]


def test_a_sum_is_a_string() -> None:
    """M1: as the server takes it, a decimal text, and not the integer that the command holds."""
    for act in ("correct", "correct-meter"):
        operation = document()["paths"][f"/acts/{act}"]["post"]
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        assert body["properties"]["amount"]["type"] == "string"
