"""Games as those of python-chess."""

import io

import chess
import chess.pgn

from chessdb._chessdb import Game


def to_chess(game: Game) -> chess.pgn.Game:
    """Builds the game that python-chess reads from its export form, without reading a text.

    Its text as it is written in a PGN file may be one that python-chess reads otherwise.
    """
    values = game._values()
    if values is None:
        read = chess.pgn.read_game(io.StringIO(game._export()))
        return chess.pgn.Game() if read is None else read
    headers, movetext = values
    builder = chess.pgn.GameBuilder()
    builder.begin_game()
    builder.begin_headers()
    for name, text in headers:
        builder.visit_header(name, text)
    builder.end_headers()
    board = chess.Board.empty()
    for value in movetext:
        if value is None:
            builder.begin_variation()
        elif value is ...:
            builder.end_variation()
        elif isinstance(value, str):
            builder.visit_comment(value)
        elif value < 0:
            builder.visit_nag(-1 - value)
        else:
            builder.visit_move(board, chess.Move(value & 63, value >> 6 & 63, value >> 12 or None))
    builder.end_game()
    return builder.result()
