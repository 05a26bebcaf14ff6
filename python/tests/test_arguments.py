"""Positions and moves as arguments: what texts find, objects and bytes find, too."""

from pathlib import Path

import chess
import pytest

import chessdb


def numbers(found: chessdb.FoundGames) -> list[tuple[int, int]]:
    return [(game.game.number, game.ply) for game in found]


def test_a_position_is_a_text_or_a_board(own_games: Path) -> None:
    with chessdb.open_database(own_games / "classics.pgn") as database:
        for game in database:
            board = chess.Board()
            for ply, move in enumerate(game.moves()[:12], start=1):
                board.push_uci(move)
                expected = numbers(database.find(fen=board.fen()))
                assert (game.number, ply) in expected
                assert numbers(database.find(fen=board)) == numbers(database.find(board)) == expected
                assert numbers(database.find(fen=game.positions()[ply])) == expected
                moves = database.moves_table(fen=board)
                assert [row.san for row in moves] == [row.san for row in database.moves_table(board.fen())]


def test_moves_are_a_text_texts_objects_or_bytes(own_games: Path) -> None:
    with chessdb.open_database(own_games / "classics.pgn") as database:
        for game in database:
            moves = game.moves()
            for ply in (0, 1, 9, len(moves)):
                line = moves[:ply]
                expected = numbers(database.find(moves=" ".join(line)))
                assert game.number in [number for number, _ in expected]
                assert numbers(database.find(moves=line)) == expected
                assert numbers(database.find(moves=map(chess.Move.from_uci, line))) == expected
                # Castling and promotions are written in another way there.
                assert numbers(database.find(moves=game.plies[: 2 * ply])) == expected


def test_other_arguments_are_refused(own_games: Path) -> None:
    with chessdb.open_database(own_games / "classics.pgn") as database:
        for wrong, message in [
            ({"fen": 3}, "a position is a text or a chess.Board, not 'int'"),
            ({"moves": [3]}, "a move is a text or a chess.Move, not 'int'"),
            ({"moves": 3}, "'int' object is not iterable"),
        ]:
            with pytest.raises(TypeError, match=message):
                database.find(**wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="a move takes two bytes"):
            database.find(moves=b"abc")
        with pytest.raises(ValueError, match="moves: "):
            database.find(moves=["e4", "e4"])
