"""Errors of the server: they descend from one base, and say why by a code."""

from jackpot.rules.codes import Code


class ServerError(Exception):
    """Base of all errors of the server; its text is one sentence for the caller.

    code: why, as in a refused act. Its HTTP status stands in `rules/codes.py`.
    """

    code = Code.INTERNAL

    def __init__(self, message: str | None = "") -> None:
        super().__init__(message)
        self.message = message or ""


class ProgramUnproved(ServerError):
    """The program's files do not match a release, so it opens no link (S3); its text says why."""


class Denied(ServerError):
    """Access is denied. code: as an act's refusal, with its HTTP status in `codes`."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
