"""The exceptions of the package."""

from typing import Optional


class Error(Exception):
    """A database cannot be read.

    ``file`` is the path or the name of the file, and ``offset`` the byte, where there is one.
    """

    def __init__(self, message: str, file: str, offset: Optional[int] = None) -> None:
        super().__init__(message, file, offset)
        self.file = file
        self.offset = offset

    def __str__(self) -> str:
        return str(self.args[0])


class OpenError(Error):
    """There is no database at a path, or none that can be read."""


class QueryError(ValueError):
    """A query is wrong.

    ``term`` is the term with the error, and ``offset`` its first byte, counted from 1.
    """

    def __init__(self, message: str, term: str, offset: int) -> None:
        super().__init__(message, term, offset)
        self.term = term
        self.offset = offset

    def __str__(self) -> str:
        return str(self.args[0])


class ChangedError(Error):
    """A file of the database was changed, cut or replaced since it was opened.

    Open the database again. ``offset`` is the end of a file that was cut.
    """
