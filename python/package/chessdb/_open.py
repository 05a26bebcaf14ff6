"""Opening databases."""

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Optional, Union

from chessdb import _chessdb
from chessdb._chessdb import (
    Database,
    Duplicate,
    Found,
    FoundGames,
    Game,
    Games,
    Library,
    Novelty,
    PlayedMove,
    Position,
)
from chessdb._errors import ChangedError, OpenError


def open(
    path: Union[str, "os.PathLike[str]"],
    *,
    encoding: Optional[str] = None,
    reading: Optional[str] = None,
    passwords: Sequence[str] = (),
    threads: Optional[int] = None,
) -> Union[Database, Library]:
    """Opens a database, or all databases in and below a folder.

    A file, or a folder that is a database itself, gives a :class:`Database`.
    Any other folder gives a :class:`Library`, and so does an archive with several databases.
    Only headers are read; games are decoded when you ask for them.

    ``encoding`` is the code page of the texts, such as ``windows-1252`` or ``koi8-r``.
    ``reading`` forces one of the readings of a format that has several.
    ``passwords`` are tried on encrypted archives; a single one is given as ``["secret"]``.
    ``threads`` decode in methods that read many games; by default as many as there are processors.

    Raises :class:`OSError` if the path cannot be read, and :class:`OpenError` if there is no database.

    >>> import chessdb
    >>> chessdb.open("classics.pgn")
    <chessdb.Database "classics.pgn": 63 games>
    >>> chessdb.open(".")
    <chessdb.Library ".": 2 databases>
    >>> chessdb.open("nothing.cbh")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nothing.cbh'
    """
    # A text is a sequence of texts, too.
    if isinstance(passwords, str):
        raise TypeError('passwords: give a list, such as ["secret"], not a text')
    return _chessdb.open(
        path, encoding=encoding, reading=reading, passwords=list(passwords), threads=threads
    )


def open_database(
    path: Union[str, "os.PathLike[str]"],
    *,
    encoding: Optional[str] = None,
    reading: Optional[str] = None,
    passwords: Sequence[str] = (),
    threads: Optional[int] = None,
) -> Database:
    """Opens one database, as :func:`open` does.

    A folder or an archive may be named that has only one.

    Raises :class:`OpenError` if the path leads to several.

    >>> import chessdb
    >>> with chessdb.open_database("classics.pgn") as database:
    ...     database[12].headers["White"]
    'Morphy, Paul'
    """
    opened = open(path, encoding=encoding, reading=reading, passwords=passwords, threads=threads)
    if isinstance(opened, Database):
        return opened
    if len(opened) == 1:
        return opened[0]
    opened.close()
    raise OpenError(
        f"{opened.path}: there are {len(opened)} databases here: name a file of one of them, or use chessdb.open",
        opened.path,
    )


def again(
    path: "os.PathLike[str]",
    encoding: Optional[str],
    reading: Optional[str],
    passwords: Sequence[str],
    threads: int,
    which: Optional[str],
) -> Union[Database, Library]:
    """Opens what was pickled: a library, or the database of it with the path ``which``."""
    if which is None:
        return open(path, encoding=encoding, reading=reading, passwords=passwords, threads=threads)
    return database((path, encoding, reading, passwords, threads, which))._copy()


def library(arguments: "tuple[Any, ...]", names: Sequence[str]) -> Library:
    """A library that was pickled, or a part of one."""
    opened = again(*arguments)
    assert isinstance(opened, Library)
    return opened if [database.name for database in opened] == names else opened._of(list(names))


# How a database is opened again, with the state that its files had.
Source = tuple[int, tuple[Any, ...]]


def unchanged(source: Source) -> Database:
    """A database of which something was pickled.

    Raises :class:`ChangedError` if it has changed.
    """
    state, arguments = source
    opened = database(arguments)
    if opened._state() != state:
        path = str(arguments[0])
        raise ChangedError(f"{path}: the database was changed after its games were pickled: open it again", path)
    return opened


def game(index: int, source: Source) -> Game:
    """A game that was pickled."""
    return unchanged(source)[index]


def games(rows: "Union[tuple[int, int], bytes]", source: Source) -> Games:
    """The games of a slice that was pickled."""
    return _chessdb._games(unchanged(source), rows)


def found(place: bytes, source: Source) -> Found:
    """A found game that was pickled."""
    return _chessdb._found(unchanged(source), place)


def found_games(places: bytes, sources: Sequence[Source], query: Optional[str], of_several: bool) -> FoundGames:
    """Found games that were pickled."""
    return _chessdb._found_games([unchanged(source) for source in sources], places, query, of_several)


def position(fen: str, ply: int, key: int, move: Optional[str]) -> Position:
    """A position that was pickled."""
    return _chessdb._position(fen, ply, key, move)


def played_move(values: "tuple[Any, ...]", game: Optional[Game]) -> PlayedMove:
    """A row of a table of moves that was pickled."""
    return _chessdb._played_move(values, game)


def novelty(found: Found, before: int) -> Novelty:
    """A novelty that was pickled."""
    return _chessdb._novelty(found, before)


def duplicate(game: Game, reason: Optional[str], ply_count: int, annotations: int) -> Duplicate:
    """A game of a group of the same games that was pickled."""
    return _chessdb._duplicate(game, reason, ply_count, annotations)


def database(arguments: "tuple[Any, ...]") -> Database:
    """A database of which something was pickled.

    Its path is opened once in each process, with all databases there, and again when this one has changed.
    """
    path, encoding, reading, passwords, threads, which = arguments
    key = (path, encoding, reading, tuple(passwords), threads, None)
    found = _one_of(_opened_once(*key), which)
    if found is None or not found._is_current():
        _opened_once.cache_clear()
        found = _one_of(_opened_once(*key), which)
    if found is None:
        place = os.path.join(path, which or "")
        raise ChangedError(f"{place}: the database that was pickled is no longer there", place)
    return found


def _one_of(opened: Union[Database, Library], which: Optional[str]) -> Optional[Database]:
    """The database with the path ``which``; ``None`` if it is not there."""
    if isinstance(opened, Database):
        return opened
    try:
        return opened[which or ""]
    except KeyError:
        return None


_opened_once = lru_cache(maxsize=8)(again)
