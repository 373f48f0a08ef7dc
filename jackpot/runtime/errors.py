"""What does the server raise of its own? Errors that descend from one base, and say why by a code."""

from jackpot.rules.codes import Code


class ServerError(Exception):
    """Base of all that the server raises; its text is one sentence for those who asked.

    code: why, as in a refused act. Its HTTP status stands in `rules/codes.py`.
    """

    code = Code.INTERNAL


class ProgramUnproved(ServerError):
    """The program's files are not shown to be a release's, so it opens no link (S3); its text says why."""


class Denied(ServerError):
    """Somebody is not let in, or not believed. code: as an act's refusal, with its HTTP status in `codes`."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
