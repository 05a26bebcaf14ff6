"""Databases as lazy frames of polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Literal, Optional, Union

from chessdb._chessdb import Database, Library
from chessdb._open import open
from chessdb._parts import databases, empty, needing, ranges

with needing("polars"):
    import polars
    from polars.io.plugins import register_io_source


def scan(
    source: Union[str, PathLike[str], Database, Library],
    where: Optional[str] = None,
    *,
    columns: Union[str, Iterable[str], None] = None,
    rows: Literal["games", "positions"] = "games",
) -> polars.LazyFrame:
    """The games of a folder or a database, or the positions of their main lines, as a lazy frame.

    ``source`` is a path, or what :func:`chessdb.open` has opened.
    ``where`` is a query that the games answer.
    ``columns`` are those of ``table`` of a database, by default the usual ones, or the name of one. ``rows`` are ``games`` or
    ``positions``.
    A tag that games usually do not have is named with ``tag:`` before it.

    Only columns that the query of polars needs are decoded, its filters are applied to a few thousand games at a time, and
    ``head`` ends the reading.

    >>> import chessdb.polars, polars
    >>> frame = chessdb.polars.scan("classics.pgn", columns=["White", "year", "ply_count"])
    >>> frame.filter(polars.col("year") == 1858).select(polars.col("ply_count").max()).collect().item()
    58
    """
    opened = source if isinstance(source, (Database, Library)) else open(source)
    schema = polars.DataFrame(empty(opened, columns, rows, where)).schema

    def read(
        with_columns: Optional[list[str]],
        predicate: Optional[polars.Expr],
        n_rows: Optional[int],
        batch_size: Optional[int],
    ) -> Iterator[polars.DataFrame]:
        names = list(schema) if with_columns is None else with_columns
        # Rows are counted even if no column is wanted.
        decoded = names or [next(iter(schema))]
        left = n_rows
        for database in databases(opened):
            for games in ranges(range(len(database)), rows):
                if left == 0:
                    return
                frame = polars.DataFrame(database._part(decoded, rows, games.start, games.stop, where))
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame

    return register_io_source(read, schema=schema)
