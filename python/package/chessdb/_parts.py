"""Tables that are read a few games at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal, Optional, Union

from chessdb._chessdb import Database, Library, Table

# Games that are read first, for those who want only a few rows.
FEWEST = 256

# Games that are read later. Of positions, a game has about a hundred.
USUAL = {"games": 65_536, "positions": 4_096}


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Within it, packages are imported that only ``chessdb[extra]`` needs.

    Raises :class:`ImportError` with what to install.
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"chessdb.{extra} cannot be imported ({error}): pip install chessdb[{extra}]",
            name=error.name,
        ) from error


def databases(opened: Union[Database, Library]) -> list[Database]:
    """All databases."""
    return [opened] if isinstance(opened, Database) else list(opened)


def empty(
    opened: Union[Database, Library],
    columns: Union[str, Iterable[str], None],
    rows: Literal["games", "positions"],
    where: Optional[str],
) -> Table:
    """A table without rows, with these columns or the usual ones.

    Raises :class:`ValueError` for a wrong name, and :class:`QueryError` for a wrong query.
    """
    first = databases(opened)[0]
    if columns is None:
        usual = first.table(rows=rows, stop=0).columns
        columns = usual if isinstance(opened, Database) else ["database", *usual]
    return first._part(columns, rows, 0, 0, where)


def ranges(games: range, rows: Literal["games", "positions"]) -> Iterator[range]:
    """Parts of some games, the first of which are small."""
    start, number = games.start, FEWEST
    while start < games.stop:
        stop = min(start + number, games.stop)
        yield range(start, stop)
        start, number = stop, min(4 * number, USUAL[rows])
