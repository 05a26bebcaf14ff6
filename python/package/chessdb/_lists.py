"""Lists of results, each of which also has them as a table.

They are no tables themselves: pyarrow and polars take any list as one of rows or columns of their own kind.
"""

from typing import Callable, Optional

from chessdb import _chessdb
from chessdb._chessdb import Duplicate, Novelty, PlayedMove


class ResultTable:
    """Results as columns, for libraries that know Arrow, as :class:`Table` is for games."""

    def __init__(self, stream: Callable[[Optional[object]], object]) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._stream(requested_schema)


class PlayedMoves(list[PlayedMove]):
    """The moves that were played in a position: a list."""

    def table(self) -> ResultTable:
        """The moves with the columns ``san``, ``uci``, ``games``, ``white``, ``draws``, ``black``, ``score``, ``elo``,
        ``performance``, ``first``, ``last``, ``reached``, ``eco``, and ``number`` of the game.

        >>> import chessdb, polars
        >>> moves = chessdb.open_database("classics.pgn").moves_table(moves="e4 e5")
        >>> polars.DataFrame(moves.table())["san", "games"].head(2).rows()
        [('Nf3', 18), ('f4', 3)]
        """
        return ResultTable(lambda schema: _chessdb._moves_stream(self, schema))


class Novelties(list[Novelty]):
    """The novelties of a database: a list."""

    def table(self) -> ResultTable:
        """The novelties with the columns ``number`` of the game, ``ply``, ``san`` and ``before``.

        >>> import chessdb, pyarrow
        >>> novelties = chessdb.open_database("classics.pgn").novelties()
        >>> pyarrow.table(novelties.table()).slice(0, 1).to_pylist()
        [{'number': 1, 'ply': 3, 'san': 'd6', 'before': 2}]
        """
        return ResultTable(lambda schema: _chessdb._novelties_stream(self, schema))


class DuplicateGroups(list[list[Duplicate]]):
    """Groups of games that are the same: a list of lists."""

    def table(self) -> ResultTable:
        """The games of all groups with the columns ``group``, from 1, ``database``, ``number``, ``reason``, ``ply_count`` and
        ``annotations``.

        >>> import chessdb, pyarrow
        >>> pyarrow.table(chessdb.open_database("classics.pgn").duplicates().table()).num_rows
        0
        """
        return ResultTable(lambda schema: _chessdb._duplicates_stream(self, schema))
