"""What ends a run: the server says one thing, and what is known of it says another."""

from __future__ import annotations


class Difference(Exception):
    """The server and the model disagree, or a promise of the server is broken."""


def same(what: str, server: object, model: object) -> None:
    if server != model:
        raise Difference(f"{what}:\n  server: {server}\n  model:  {model}")
