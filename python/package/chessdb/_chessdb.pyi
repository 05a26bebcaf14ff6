"""The native part of the package."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from types import EllipsisType, TracebackType
from typing import Any, Literal, Optional, SupportsIndex, Union, final, overload

import chess
import chess.pgn

from chessdb._lists import DuplicateGroups, Novelties, PlayedMoves

__all__ = [
    "Database",
    "Duplicate",
    "Folder",
    "Found",
    "FoundGames",
    "Game",
    "GameIterator",
    "Games",
    "HeadersIterator",
    "Library",
    "Member",
    "Novelty",
    "PgnIterator",
    "PlayedMove",
    "Position",
    "Problem",
    "Table",
    "__version__",
    "_duplicate",
    "_duplicates_stream",
    "_found",
    "_found_games",
    "_games",
    "_moves_stream",
    "_novelties_stream",
    "_novelty",
    "_played_move",
    "_position",
    "open",
]
__version__: str

_PositionArgument = Union[str, chess.Board, Position]
_MovesArgument = Union[str, bytes, Iterable[Union[str, chess.Move]]]
# A text is the name of one column.
_ColumnsArgument = Union[str, Iterable[str], None]
_ProgressArgument = Union[bool, Callable[[int, int], object], None]

@final
class Problem:
    """What is wrong, in which file, at which byte."""
    @property
    def kind(self) -> Literal["damage", "limit", "doubt", "unsupported"]:
        """`damage`, `limit`, `doubt` or `unsupported`."""
    @property
    def file(self) -> str:
        """Name of the file, without its folder."""
    @property
    def offset(self) -> Optional[int]:
        """Offset of the byte in the file; `None` if the problem has no location."""
    @property
    def what(self) -> str:
        """What is wrong."""

@final
class Folder:
    """One of the database's own folders of games."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def parent(self) -> Optional[int]:
        """Index of the folder that contains this one; `None` at the top."""
    @property
    def games(self) -> list[int]:
        """Indices of its games, in the folder's own order."""

@final
class Member:
    """A file inside a database."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def directory(self) -> str:
        """Directory of the mounted tree that shows it; empty for the database's own
        directory."""
    @property
    def size(self) -> int:
        """Length in bytes."""
    def read(self) -> bytes:
        """All its bytes."""

@final
class Position:
    """A position of a game."""
    @property
    def ply(self) -> int:
        """Number of moves before it."""
    @property
    def key(self) -> int:
        """Its Zobrist key, as in Polyglot's opening books."""
    @property
    def move(self) -> Optional[str]:
        """The move that led to the position, as UCI; `None` for the first position."""
    @property
    def fen(self) -> str:
        """The position as FEN, with the en passant square after every double step."""

@final
class Game:
    """A game of a database."""
    @property
    def number(self) -> int:
        """Number of the game in its database, from 1, as in names of files and in `problems.txt`."""
    @property
    def database(self) -> str:
        """Path of its database below the folder that was opened; the name of its main file if that
        database was opened alone."""
    @property
    def headers(self) -> dict[str, str]:
        """The tags as a dict, in the order of PGN: the roster of seven, then all others by name."""
    @property
    def plies(self) -> bytes:
        """The moves of the main line, two bytes each, as in Polyglot's opening books but in little endian."""
    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the game. Each problem is also a remark in its text, unless that is shown as
        it is written in a PGN file."""
    def pgn(self) -> str:
        """The game as PGN, with all its variations, comments and glyphs."""
    def moves(self) -> list[str]:
        """The moves of the main line as UCI, with `0000` for a null move."""
    def clocks(self) -> list[Optional[float]]:
        """The time left on the clock after each half-move of the main line, in seconds; `None` where
        no comment says it."""
    def evals(self) -> list[Optional[int]]:
        """The evaluation after each half-move of the main line, in hundredths of a pawn from White's
        side; `None` where no comment says it. A mate in n is 32,000 - n, and negative if Black
        mates."""
    def positions(self) -> list[Position]:
        """The positions of the main line, from the start to the last move."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def to_chess(self) -> chess.pgn.Game:
        """The game as a `chess.pgn.Game` of python-chess, equal to what that reads from the game in
        export form, with all evaluations in pawns."""
    def _export(self) -> str:
        """The PGN in export form, also of a game that `pgn` shows as it is written. Evaluations are in
        pawns."""
    def _values(
        self,
    ) -> Optional[tuple[list[tuple[str, str]], list[Union[int, str, None, EllipsisType]]]]:
        """Headers and movetext for `to_chess`; `None` if python-chess has to read the PGN."""

@final
class Table:
    """Games, or their positions, as columns. Libraries that know Arrow take them through its PyCapsule
    interface, without a copy where they have the same types: `pyarrow.table(t)`,
    `polars.DataFrame(t)`, `duckdb.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`."""
    def __len__(self) -> int:
        """Positions are counted once, by replaying the main lines; nothing else of the games is
        decoded."""
    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
    @property
    def schema(self) -> dict[str, str]:
        """The types of the columns by their names, as Arrow calls them."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

@final
class Found:
    """A game that a search has found, with the place of the position there."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def ply(self) -> int:
        """Number of moves before the position; 0 if no position was asked for."""
    @property
    def san(self) -> Optional[str]:
        """The move played in the position, as SAN; `None` if the line ends there, or no position was
        asked for."""
    @property
    def line(self) -> list[str]:
        """The moves that lead to the position, as SAN; moves of a variation if it was
        found there."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class FoundGames(Sequence[Found]):
    """The games that a search has found: a sequence of `Found`."""
    @property
    def hints(self) -> list[str]:
        """Why a query may have found no game, as `pgnfs find` says it: a tag or a name that no game has,
        with similar ones, or a term that looks like a mistake. Empty if games were found."""
    @property
    def games(self) -> list[Game]:
        """The games alone."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Found]: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Found: ...
    @overload
    def __getitem__(self, key: slice, /) -> FoundGames: ...
    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int: ...
    def count(self, value: Any) -> int: ...
    def table(
        self,
        columns: _ColumnsArgument = None,
        *,
        rows: Literal["games", "positions"] = "games",
    ) -> Table:
        """The games, or all their positions, as a table in the memory format of Arrow, in this order,
        as `table` of a database gives it. Of several databases, it has the column `database` before
        all others unless columns are named."""
    def pgn(self) -> PgnIterator:
        """An iterator over the PGN of the games, as texts."""
    def headers(self) -> HeadersIterator:
        """An iterator over the headers of the games, as dicts."""

@final
class Novelty:
    """The novelty of a game: the first move that leads to a position that no earlier game has."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def ply(self) -> int:
        """Number of moves before it."""
    @property
    def san(self) -> Optional[str]:
        """The move as SAN."""
    @property
    def line(self) -> list[str]:
        """The moves before it, as SAN."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def before(self) -> int:
        """Number of earlier games that have the position in which it was played."""

@final
class PlayedMove:
    """A move in the table of a position, with the games in which it was played there."""
    @property
    def san(self) -> Optional[str]:
        """The move as SAN, `null` for a null move; `None` for the games that end in the position."""
    @property
    def uci(self) -> Optional[str]:
        """The move as UCI, `0000` for a null move."""
    @property
    def games(self) -> int:
        """Number of games."""
    @property
    def white(self) -> int:
        """Number of games won by White."""
    @property
    def draws(self) -> int:
        """Number of draws."""
    @property
    def black(self) -> int:
        """Number of games won by Black."""
    @property
    def score(self) -> Optional[float]:
        """White's points in percent of the games with a result."""
    @property
    def elo(self) -> Optional[int]:
        """Mean rating of the side that moves."""
    @property
    def performance(self) -> Optional[int]:
        """The rating that corresponds to the results of the side that moves."""
    @property
    def first(self) -> Optional[int]:
        """Year of the first game."""
    @property
    def last(self) -> Optional[int]:
        """Year of the last game."""
    @property
    def reached(self) -> int:
        """Number of games with the position after the move, whatever moves led there."""
    @property
    def eco(self) -> Optional[str]:
        """The most frequent opening code."""
    @property
    def game(self) -> Optional[Game]:
        """The first game in which the move was played here, or else the first one with the position
        after it."""

@final
class Duplicate:
    """One of several games that are the same."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def reason(self) -> Optional[Literal["date", "moves", "shorter", "tags"]]:
        """Why it is the same as the first of its group: `date`, `moves`, `shorter` or `tags`; `None`
        for that one."""
    @property
    def ply_count(self) -> int:
        """Number of moves of its main line."""
    @property
    def annotations(self) -> int:
        """Number of its comments, glyphs and variations."""

@final
class GameIterator(Iterator[Game]):
    """An iterator over games. Threads may share it: each game comes once."""
    def __next__(self) -> Game: ...
    def __length_hint__(self) -> int: ...

@final
class HeadersIterator(Iterator[dict[str, str]]):
    """An iterator over headers. Threads may share it: each header comes once."""
    def __next__(self) -> dict[str, str]: ...

@final
class PgnIterator(Iterator[str]):
    """An iterator over games as PGN. Threads may share it: each game comes once."""
    def __next__(self) -> str: ...

@final
class Games(Sequence[Game]):
    """Some games of a database, in an order: a sequence of `Game`. A slice of a database is one, and
    holds no game in memory."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Game: ...
    @overload
    def __getitem__(self, key: slice, /) -> Games: ...
    def __iter__(self) -> GameIterator: ...
    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int: ...
    def count(self, value: Any) -> int: ...
    def headers(self) -> HeadersIterator:
        """An iterator over the headers of the games, as dicts."""
    def pgn(self) -> PgnIterator:
        """An iterator over the PGN of the games, as texts."""
    def table(
        self,
        columns: _ColumnsArgument = None,
        *,
        rows: Literal["games", "positions"] = "games",
    ) -> Table:
        """The games, or their positions, as a table in the memory format of Arrow, as `table` of a
        database gives it."""

@final
class Database(Sequence[Game]):
    """An open database: a sequence of its games."""
    @property
    def path(self) -> str:
        """The path that was opened; for a database of a library, with the path below it."""
    @property
    def name(self) -> str:
        """The path of its directory in a mount of what was opened; the name of its main file if it has
        none. The column `database` and `Game.database` have the same, and a library has its
        databases by it."""
    @property
    def format(self) -> str:
        """Short name of the format."""
    @property
    def info(self) -> dict[str, str]:
        """Facts about the database that opening found, such as its reading and its code page."""
    @property
    def warnings(self) -> list[str]:
        """Oddities of the database that affect no game."""
    @property
    def problems(self) -> list[Problem]:
        """Problems of the database itself."""
    @property
    def folders(self) -> list[Folder]:
        """The database's own folders. A folder comes before those in it."""
    @property
    def members(self) -> list[Member]:
        """The files inside the database."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Game: ...
    @overload
    def __getitem__(self, key: slice, /) -> Games: ...
    def __iter__(self) -> GameIterator: ...
    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int: ...
    def count(self, value: Any) -> int: ...
    def games(self, start: Optional[int] = None, stop: Optional[int] = None) -> GameIterator:
        """An iterator over the games from `start` to `stop`, which count as in a slice."""
    def headers(self, start: Optional[int] = None, stop: Optional[int] = None) -> HeadersIterator:
        """An iterator over the headers of the games from `start` to `stop`, as dicts."""
    def pgn(self, start: Optional[int] = None, stop: Optional[int] = None) -> PgnIterator:
        """An iterator over the PGN of the games from `start` to `stop`, as texts."""
    def table(
        self,
        columns: _ColumnsArgument = None,
        *,
        rows: Literal["games", "positions"] = "games",
        start: Optional[int] = None,
        stop: Optional[int] = None,
        where: Optional[str] = None,
    ) -> Table:
        """The games from `start` to `stop` as a table in the memory format of Arrow."""
    def polyglot(
        self,
        path: Union[str, PathLike[str]],
        *,
        where: Optional[str] = None,
        max_ply: int = 1024,
        min_games: int = 3,
        min_score: float = 0.0,
        side: Optional[Literal["white", "black"]] = None,
        uniform: bool = False,
    ) -> int:
        """Writes an opening book of Polyglot, and returns the number of its entries."""
    def index_positions(
        self,
        folder: Union[str, PathLike[str], None] = None,
        *,
        memory: int = 512 << 20,
        progress: _ProgressArgument = None,
    ) -> None:
        """Builds the index of positions, which `find` and `moves_table` use from then on."""
    def find(
        self,
        query: Optional[_PositionArgument] = None,
        *,
        fen: Optional[_PositionArgument] = None,
        moves: Optional[_MovesArgument] = None,
        pawns: Optional[str] = None,
        material: Optional[str] = None,
        sort: Optional[Literal["database", "date", "elo", "length"]] = None,
        limit: Optional[int] = None,
        progress: _ProgressArgument = None,
    ) -> FoundGames:
        """The games that answer a query, or have a position, with its first occurrence in each."""
    def duplicates(self) -> DuplicateGroups:
        """Games that occur more than once, as lists with the best game first, by the
        rules of `duplicates.csv`."""
    def novelties(self, *, progress: _ProgressArgument = None) -> Novelties:
        """The first move of each game that leads to a position that no earlier game has, by the rules of
        `novelties.csv`."""
    def moves_table(
        self,
        fen: Optional[_PositionArgument] = None,
        *,
        moves: Optional[_MovesArgument] = None,
        where: Optional[str] = None,
    ) -> PlayedMoves:
        """The moves that were played in a position, most frequent first, and last the games that end
        there."""
    def _copy(self) -> Database:
        """The same open database, to be closed by itself."""
    def _is_current(self) -> bool:
        """True if it would be the same if it were opened now. False once it has been closed."""
    def _part(
        self, columns: Union[str, Iterable[str]], rows: str, start: int, stop: int, where: Optional[str]
    ) -> Table:
        """A table of the games from `start` to `stop` for an engine that reads all games in parts, so
        that none can say whether any game has a tag."""
    def _files(self) -> list[tuple[str, int, int]]:
        """Its files when it was opened: their paths, sizes, and times of the last change in nanoseconds."""
    def _state(self) -> int:
        """A number for the sizes and times of its files when it was opened."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def closed(self) -> bool:
        """True if it has been closed."""
    def close(self) -> None:
        """Closes the database. Games and iterators that exist keep it open for themselves."""
    def __enter__(self) -> Database: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

@final
class Library(Sequence[Database]):
    """The open databases of a folder or of an archive: a sequence, sorted by name."""
    @property
    def path(self) -> str:
        """The path as it was given."""
    @property
    def left_out(self) -> list[tuple[str, str]]:
        """What looked like a database or might have contained one but is not there, with the reasons."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: Union[SupportsIndex, str], /) -> Database: ...
    @overload
    def __getitem__(self, key: slice, /) -> Library: ...
    def __contains__(self, key: object, /) -> bool:
        """True for one of the databases, and for the name of one."""
    def __iter__(self) -> Iterator[Database]: ...
    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int: ...
    def count(self, value: Any) -> int: ...
    def table(
        self,
        columns: _ColumnsArgument = None,
        *,
        rows: Literal["games", "positions"] = "games",
        where: Optional[str] = None,
    ) -> Table:
        """The games of all databases, or their positions, as a table in the memory format of Arrow, as
        `table` of a database gives it, with the column `database` before all others unless columns
        are named."""
    def find(
        self,
        query: Optional[_PositionArgument] = None,
        *,
        fen: Optional[_PositionArgument] = None,
        moves: Optional[_MovesArgument] = None,
        pawns: Optional[str] = None,
        material: Optional[str] = None,
        sort: Optional[Literal["database", "date", "elo", "length"]] = None,
        limit: Optional[int] = None,
        progress: _ProgressArgument = None,
    ) -> FoundGames:
        """The games of all databases that answer a query, or have a position, as `find` of a database
        gives them, database by database unless they are sorted."""
    def duplicates(self) -> DuplicateGroups:
        """Games of all databases that occur more than once, as `duplicates` of a database gives them."""
    def _of(self, names: Sequence[str]) -> Library:
        """A library of the databases with these names, in this order."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def closed(self) -> bool:
        """True if a database has been closed."""
    def close(self) -> None:
        """Closes all databases."""
    def __enter__(self) -> Library: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        exception: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

def open(
    path: Union[str, PathLike[str]],
    *,
    encoding: Optional[str] = None,
    reading: Optional[str] = None,
    passwords: Optional[Sequence[str]] = None,
    threads: Optional[int] = None,
) -> Union[Database, Library]:
    """Opens a database by one of its files or by its folder, or all databases in and below a folder."""

# What unpickles, and what reads lists as tables of Arrow.
def _games(database: Database, rows: Union[tuple[int, int], bytes]) -> Games: ...
def _found(database: Database, found: bytes) -> Found: ...
def _found_games(
    databases: Sequence[Database], found: bytes, query: Optional[str], of_several: bool
) -> FoundGames: ...
def _position(fen: str, ply: int, key: int, move: Optional[str]) -> Position: ...
def _played_move(values: tuple[Any, ...], game: Optional[Game]) -> PlayedMove: ...
def _novelty(found: Found, before: int) -> Novelty: ...
def _duplicate(game: Game, reason: Optional[str], ply_count: int, annotations: int) -> Duplicate: ...
def _moves_stream(rows: Sequence[PlayedMove], requested_schema: Optional[object]) -> object: ...
def _novelties_stream(rows: Sequence[Novelty], requested_schema: Optional[object]) -> object: ...
def _duplicates_stream(groups: Sequence[Sequence[Duplicate]], requested_schema: Optional[object]) -> object: ...
