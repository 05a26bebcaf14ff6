"""Novelties: the first move of a game that leads to a position that no earlier game has."""

from pathlib import Path
from typing import Optional

import chess
import chess.polyglot

import chessdb


def days(text: str) -> Optional["tuple[int, int]"]:
    """The first and the last day that a date may mean, as numbers; none if the year is unknown."""
    parts = text.split(".")
    if not parts[0].isdigit():
        return None
    first, last = int(parts[0]), int(parts[0])
    for part, most in zip(parts[1:], (12, 31)):
        known = part.isdigit() and int(part) > 0
        first, last = first * 100 + (int(part) if known else 1), last * 100 + (int(part) if known else most)
    return first, last


def test_novelties_are_those_of_python_chess(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    # The days of each game, and the keys of its positions, in their order.
    games = []
    for game in database:
        board = chess.Board()
        keys = [chess.polyglot.zobrist_hash(board)]
        for move in game.moves():
            board.push_uci(move)
            keys.append(chess.polyglot.zobrist_hash(board))
        games.append((days(game.headers["Date"]), keys))
    expected = []
    for number, (date, keys) in enumerate(games, 1):
        if date is None:
            continue
        earlier = [set(other) for when, other in games if when is not None and when[1] < date[0]]
        for ply in range(1, len(keys)):
            if not any(keys[ply] in other for other in earlier):
                before = sum(keys[ply - 1] in other for other in earlier)
                expected.append((number, ply - 1, before))
                break
    found = database.novelties()
    assert [(one.game.number, one.ply, one.before) for one in found] == expected
    assert len(found) > 40 and any(one.before > 3 for one in found)
    for one in found:
        assert len(one.line) == one.ply and one.san is not None
    # The index has been kept.
    assert database.novelties() == found
