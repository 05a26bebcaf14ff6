"""Evaluations: one scale for a whole game, wherever it is read."""

from pathlib import Path

import pyarrow
import pytest

import chessdb

# The movetext, and the evaluations in hundredths of a pawn.
GAMES = [
    ("1. e4 {[%eval 95,24]} e5 {[%eval 3]} 2. Nf3 {[%eval -120,20]} Nc6 {[%eval #2,20]}", [95, 3, -120, 31_998]),
    ("1. e4 {[%eval 3,20]} e5 {[%eval 0.5]} 2. Nf3", [300, 50, None]),
    ("1. e4 {[%eval 3,20]} (1. d4 {[%eval 0.5]}) 1... e5 {[%eval -1]}", [300, -100]),
    ("1. e4 {[%eval 3]} e5 {[%eval #-4,30]}", [300, -31_996]),
    # A comment that python-chess reads itself, since the start position is no position.
    ("1. e4 {[%eval 7,1] [%eval 8,1]}", [7]),
]


@pytest.fixture
def database(tmp_path: Path) -> chessdb.Database:
    path = tmp_path / "evaluated.pgn"
    path.write_text("".join(f'[White "a"]\n[Result "*"]\n\n{moves} *\n\n' for moves, _ in GAMES))
    return chessdb.open_database(path)


def test_all_that_read_evaluations_agree(database: chessdb.Database) -> None:
    rows = pyarrow.table(database.table(["evals"])).to_pylist()
    for game, row, (_, expected) in zip(database, rows, GAMES):
        assert game.evals() == row["evals"] == expected
        scores = [node.eval() for node in game.to_chess().mainline()]
        # In python-chess a mate of the side to move in 2 moves has the number 32,000 - 2, too.
        assert [score and score.white().score(mate_score=32_000) for score in scores] == expected
    for hundredths, numbers in {95: [1], 3: [1], 300: [2, 3, 4], 7: [5]}.items():
        found = database.find(f"eval:{hundredths / 100}")
        assert [one.game.number for one in found] == numbers


def test_the_text_of_the_game_stays_as_it_is(database: chessdb.Database) -> None:
    assert "[%eval 95,24]" in database[0].pgn()
    assert "[%eval 0.95,24]" in database[0]._export()
