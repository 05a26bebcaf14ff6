"""Reads chess databases: PGN, ChessBase, Scid, Chess Assistant, jose, SimpleCDb, Brenner and Parquet.

>>> import chessdb
>>> database = chessdb.open_database("classics.pgn")
>>> len(database)
63
>>> game = database[0]
>>> game.headers["Date"], game.moves()[:3]
('1750.??.??', ['e2e4', 'e7e5', 'g1f3'])
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chessdb._chessdb import (
    Database,
    Duplicate,
    Folder,
    Found,
    FoundGames,
    Game,
    GameIterator,
    Games,
    HeadersIterator,
    Library,
    Member,
    Novelty,
    PgnIterator,
    PlayedMove,
    Position,
    Problem,
    Table,
    __version__,
)
from chessdb._errors import ChangedError, Error, OpenError, QueryError
from chessdb._html import html
from chessdb._lists import DuplicateGroups, Novelties, PlayedMoves, ResultTable
from chessdb._open import open, open_database

for _sequence in (Database, FoundGames, Games, Library):
    Sequence.register(_sequence)  # pyright: ignore[reportAttributeAccessIssue]
    for _name in ("__contains__", "__reversed__", "count", "index"):
        if _name not in vars(_sequence):
            setattr(_sequence, _name, getattr(Sequence, _name))
    setattr(_sequence, "_repr_html_", html)

# To a type checker, every name would seem to exist.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """``chessdb.polars`` and ``chessdb.spark``, which need other packages, are imported when they are first used."""
        if name in ("polars", "spark"):
            return import_module(f"chessdb.{name}")
        raise AttributeError(f"module 'chessdb' has no attribute {name!r}")


__all__ = [
    "ChangedError",
    "Database",
    "Duplicate",
    "DuplicateGroups",
    "Error",
    "Folder",
    "Found",
    "FoundGames",
    "Game",
    "GameIterator",
    "Games",
    "HeadersIterator",
    "Library",
    "Member",
    "Novelties",
    "Novelty",
    "OpenError",
    "PgnIterator",
    "PlayedMove",
    "PlayedMoves",
    "Position",
    "Problem",
    "QueryError",
    "ResultTable",
    "Table",
    "__version__",
    "open",
    "open_database",
]
