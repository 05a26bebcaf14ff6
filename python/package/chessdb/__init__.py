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
from typing import Any

from chessdb._chessdb import (
    Database,
    Duplicate,
    Folder,
    Found,
    FoundGames,
    Game,
    Games,
    Library,
    Member,
    Novelty,
    PlayedMove,
    Position,
    Problem,
    Table,
    __version__,
)
from chessdb._errors import ChangedError, Error, OpenError, QueryError
from chessdb._open import open, open_database

from chessdb._html import html

for _sequence in (Database, FoundGames, Games):
    Sequence.register(_sequence)  # pyright: ignore[reportAttributeAccessIssue]
    for _name in ("__contains__", "__reversed__", "count", "index"):
        setattr(_sequence, _name, getattr(Sequence, _name))
    setattr(_sequence, "_repr_html_", html)


def __getattr__(name: str) -> Any:
    """``chessdb.polars`` and ``chessdb.spark``, which need other packages, are imported when they are first used."""
    if name in ("polars", "spark"):
        return import_module(f"chessdb.{name}")
    raise AttributeError(f"module 'chessdb' has no attribute {name!r}")


__all__ = [
    "ChangedError",
    "Database",
    "Duplicate",
    "Error",
    "Folder",
    "Found",
    "FoundGames",
    "Game",
    "Games",
    "Library",
    "Member",
    "Novelty",
    "OpenError",
    "PlayedMove",
    "Position",
    "Problem",
    "QueryError",
    "Table",
    "__version__",
    "open",
    "open_database",
]
