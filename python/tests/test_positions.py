"""Tables of positions: what python-chess finds in the same games, and what tables of moves count."""

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import chess
import chess.pgn
import chess.polyglot
import duckdb
import polars
import pyarrow
import pytest

import chessdb

# Number, ply, key, move and result.
Row = tuple[int, int, int, Optional[str], str]


def signed(key: int) -> int:
    return key - 2**64 if key >= 2**63 else key


def expected(game: chessdb.Game) -> Iterator[Row]:
    """The rows of a game as python-chess reads it."""
    read = chess.pgn.read_game(io.StringIO(game._export()))
    assert read is not None
    board, seen = read.board(), set()
    result = game.headers["Result"]
    moves: list[Optional[chess.Move]] = [*read.mainline_moves(), None]
    for ply, move in enumerate(moves):
        key = chess.polyglot.zobrist_hash(board)
        if key not in seen:
            seen.add(key)
            san = None if move is None else board.san(move) if move else "null"
            yield game.number, ply, signed(key), san, result
        if move is not None:
            board.push(move)


def rows(table: chessdb.Table) -> list[Row]:
    return [tuple(row.values()) for row in pyarrow.table(table).to_pylist()]


NAMES = ["number", "ply", "key", "move", "Result"]

GAMES = """\
[White "a"]
[Result "1-0"]

1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 1-0

[White "b"]
[Result "*"]

1. e4 c5 2. e5 d5 3. exd6 -- 4. -- *

[White "c"]
[Result "0-1"]
[SetUp "1"]
[FEN "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1"]

1. Kb5 0-1

[White "d"]
[Result "0-1"]
[SetUp "1"]
[FEN "8/2p5/8/K2P3r/8/8/8/7k b - - 0 1"]

1... c5 0-1
"""


@pytest.fixture
def played(tmp_path: Path) -> chessdb.Database:
    (tmp_path / "games.pgn").write_text(GAMES)
    return chessdb.open_database(tmp_path / "games.pgn")


def test_positions_are_those_of_python_chess(own_games: Path, played: chessdb.Database) -> None:
    compared = 0
    for database in [played, *chessdb.open(own_games)]:
        wanted = [row for game in database for row in expected(game)]
        assert rows(database.table(NAMES, rows="positions")) == wanted
        compared += len(wanted)
    assert compared > 3_000


def test_positions_of_other_starts(samples: Path) -> None:
    compared = chess960 = 0
    for name in ["simplecdb/small", "jose/varied", "chessbase-cbh/Chess960NonStandard"]:
        for database in databases(chessdb.open(samples / name)):
            table = rows(database.table(NAMES, rows="positions"))
            numbers = {row[0] for row in table}
            for game in database:
                if game.number in numbers and not game.problems:
                    assert [row for row in table if row[0] == game.number] == list(expected(game))
                    compared += 1
                    chess960 += game.headers.get("Variant") == "Chess960"
    assert compared > 20 and chess960 > 0


def databases(opened: Any) -> list[chessdb.Database]:
    return [opened] if isinstance(opened, chessdb.Database) else list(opened)


def test_a_pinned_pawn_counts_in_the_key_alone(played: chessdb.Database) -> None:
    # The pawn on d5 is pinned after the double step, which the key does not see, but moves_table does.
    table = rows(played.table(NAMES, rows="positions"))
    keys = [key for number, ply, key, _, _ in table if (number, ply) in [(3, 0), (4, 1)]]
    pinned, other = chess.Board("8/8/8/K1pP3r/8/8/8/7k w - c6 0 1"), chess.Board("8/8/8/K1pP3r/8/8/8/7k w - - 0 1")
    assert keys == [signed(chess.polyglot.zobrist_hash(pinned))] * 2
    assert keys[0] != signed(chess.polyglot.zobrist_hash(other))
    assert sum(row.games for row in played.moves_table(other.fen())) == 2


def test_deleted_games_have_no_positions(samples: Path) -> None:
    deleted = 0
    for database in databases(chessdb.open(samples / "simplecdb")):
        marks = pyarrow.table(database.table(["number", "deleted"], stop=20_000)).to_pylist()
        marked = {row["number"] for row in marks if row["deleted"]}
        if marked:
            table = pyarrow.table(database.table(["number"], rows="positions", stop=20_000))
            assert not marked & set(table["number"].to_pylist())
            deleted += len(marked)
    assert deleted > 0


def test_positions_are_grouped_as_in_tables_of_moves(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    positions = database.table(["number", "ply", "key", "move", "Result"], rows="positions")
    grouped = duckdb.execute(
        "SELECT key, move, count(*), count(*) FILTER (Result = '1-0'), count(*) FILTER (Result = '0-1') "
        "FROM positions GROUP BY key, move"
    ).fetchall()
    tree = {(key, move): tuple(counts) for key, move, *counts in grouped}
    frame = polars.DataFrame(positions).group_by("key", "move").len()
    assert {(key, move): number for key, move, number in frame.iter_rows()} == {
        place: counts[0] for place, counts in tree.items()
    }
    often = Counter[int]()
    for (key, _), counts in tree.items():
        often[key] += counts[0]
    places = {key: (number, ply) for number, ply, key, *_ in reversed(rows(positions))}
    compared = 0
    for key, games in often.most_common(50):
        number, ply = places[key]
        fen = database[number - 1].positions()[ply].fen
        played_here = [row for row in database.moves_table(fen) if row.games]
        assert sum(row.games for row in played_here) == games
        for row in played_here:
            assert tree[key, row.san] == (row.games, row.white, row.black)
            compared += 1
    assert compared > 50


def test_positions_of_some_games_and_of_several_databases(own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    table = library.table(rows="positions")
    assert table.columns == ["database", *NAMES, "WhiteElo", "BlackElo", "Date"]
    assert table.schema["key"] == "Int64"
    assert "positions" in repr(table)
    every = pyarrow.table(table).to_pylist()
    classics = library["classics.pgn"]
    assert [row for row in every if row["database"] == "classics.pgn"] == pyarrow.table(
        classics.table(table.columns, rows="positions")
    ).to_pylist()
    found = classics.find("player:morphy")
    chosen = rows(found.table(NAMES, rows="positions"))
    assert chosen == [row for one in found for row in expected(one.game)]
    assert chosen == rows(classics.table(NAMES, rows="positions", where="player:morphy"))
    # With start and stop, the query is asked of these games alone.
    numbers = [one.game.number for one in found]
    part = pyarrow.table(classics.table(["number"], start=numbers[1] - 1, where="player:morphy"))
    assert part["number"].to_pylist() == numbers[1:]


@pytest.mark.parametrize("games", [511, 512, 513, 1025])
def test_borders_of_batches(games: int, tmp_path: Path) -> None:
    path = tmp_path / "many.pgn"
    path.write_text('[White "a"]\n\n1. e4 e5 *\n\n' * games)
    database = chessdb.open_database(path)
    table = rows(database.table(["number", "ply", "key", "move", "Result"], rows="positions"))
    assert table == [row for game in database for row in expected(game)]
    assert len(table) == 3 * games


def test_what_is_wrong_is_said(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    for columns, kind, message in [
        (["keys"], "positions", "no table has a column 'keys'; similar are key"),
        (["key"], "games", "is for rows that are positions, not games: give rows=\"positions\""),
        (None, "moves", "rows: \"moves\" is not games or positions"),
    ]:
        with pytest.raises(ValueError, match=message):
            database.table(columns, rows=kind)  # type: ignore[arg-type]


STATES = """\
[White "a"]

1. e4 a6 2. e5 d5 3. exd6 Ra7 4. Ke2 Kd7 5. d3 f5 *

[White "b"]
[FEN "r3k2r/p6p/8/8/8/8/P6P/R3K2R b Kq - 30 77"]

77... Kf8 78. Kf1 a5 79. Rg1 *

[White "c"]
[FEN "rk3r2/8/8/8/8/8/8/RK3R2 w KQkq - 3 9"]
[Variant "Chess960"]

9. O-O Rf3 *

[White "d"]
[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]

*
"""


def unpacked(numbers: "list[int]", chess960: bool) -> chess.Board:
    """The board of a position as numbers."""
    *sets, state = numbers
    board = chess.Board(None, chess960=chess960)
    for number, squares in enumerate(sets):
        for square in chess.SquareSet(squares):
            board.set_piece_at(square, chess.Piece(number % 6 + 1, number < 6))
    board.turn = not state & 1
    for color, rank, bits in [(chess.WHITE, chess.BB_RANK_1, state >> 1), (chess.BLACK, chess.BB_RANK_8, state >> 3)]:
        king = board.king(color)
        rooks = chess.SquareSet(board.pieces_mask(chess.ROOK, color) & rank)
        if king is not None and bits & 1:
            board.castling_rights |= chess.BB_SQUARES[max(rook for rook in rooks if rook > king)]
        if king is not None and bits & 2:
            board.castling_rights |= chess.BB_SQUARES[min(rook for rook in rooks if rook < king)]
    board.ep_square = (state >> 8 & 63) or None
    board.halfmove_clock = state >> 16 & 0xFFFF
    board.fullmove_number = state >> 32
    return board


def test_positions_as_fen_and_as_numbers(own_games: Path, tmp_path: Path) -> None:
    (tmp_path / "states.pgn").write_text(STATES)
    compared = 0
    for name in ["states.pgn", "classics.pgn", "annotated.pgn"]:
        database = chessdb.open_database(own_games / name)
        table = database.table(["number", "ply", "fen", "bitboards"], rows="positions")
        assert table.schema["fen"] == "LargeUtf8"
        positions = {game.number: game.positions() for game in database}
        rows = pyarrow.table(table).to_pylist()
        assert len(rows) == len(table)
        for row in rows:
            assert row["fen"] == positions[row["number"]][row["ply"]].fen
            chess960 = "Variant" in database[row["number"] - 1].headers
            board = unpacked(row["bitboards"], chess960)
            assert board.fen(en_passant="fen") == chess.Board(row["fen"], chess960=chess960).fen(en_passant="fen")
            compared += 1
    assert compared > 3_000


def test_numpy_takes_positions_without_a_loop(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    table = database.table(["bitboards"], rows="positions")
    column = pyarrow.table(table)["bitboards"].combine_chunks()
    numbers = column.flatten().to_numpy(zero_copy_only=True).reshape(-1, 13)
    assert numbers.dtype == "uint64" and numbers.shape == (len(table), 13)
    assert numbers[0, 0] == 0xFF00 and (numbers[:, 5] != 0).all()
    array = polars.DataFrame(table)["bitboards"].to_numpy()
    assert (array == numbers).all()


def test_the_length_is_counted_once_without_the_columns(played: chessdb.Database, own_games: Path) -> None:
    for database in [played, chessdb.open_database(own_games / "classics.pgn")]:
        for columns in (["number"], ["move"], ["pgn", "evals", "fen"]):
            table = database.table(columns, rows="positions")
            assert len(table) == pyarrow.table(table).num_rows == len(table)
    # Once it is known, the games are not read again, which would fail.
    table = played.table(["number"], rows="positions")
    number = len(table)
    Path(played.path).write_text("")
    assert len(table) == number
    with pytest.raises(chessdb.ChangedError):
        len(played[:].table(["number"], rows="positions"))
