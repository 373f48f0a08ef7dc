"""The error that ends a run: the server contradicts what is known of it."""

from __future__ import annotations


class Difference(Exception):
    """The server and the model disagree, or an invariant of the server is violated."""


def same(what: str, server: object, model: object) -> None:
    if server != model:
        raise Difference(f"{what}:\n  server: {server}\n  model:  {model}")
