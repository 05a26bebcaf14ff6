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

from chessdb._chessdb import (
    Database,
    Folder,
    Found,
    FoundGames,
    Game,
    Library,
    Member,
    PlayedMove,
    Position,
    Problem,
    Table,
    __version__,
)
from chessdb._errors import ChangedError, Error, OpenError, QueryError
from chessdb._open import open, open_database

from chessdb._html import html

for _sequence in (Database, FoundGames):
    Sequence.register(_sequence)
    for _name in ("__contains__", "__reversed__", "count", "index"):
        setattr(_sequence, _name, getattr(Sequence, _name))
    setattr(_sequence, "_repr_html_", html)

__all__ = [
    "ChangedError",
    "Database",
    "Error",
    "Folder",
    "Found",
    "FoundGames",
    "Game",
    "Library",
    "Member",
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
