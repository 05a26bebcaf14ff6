"""Slices of databases: games in another order, which are not held in memory."""

from pathlib import Path

import pyarrow
import pytest

import chessdb
from chessdb._html import html


@pytest.fixture
def classics(own_games: Path) -> chessdb.Database:
    return chessdb.open_database(own_games / "classics.pgn")


SLICES = [
    slice(None),
    slice(5, 12),
    slice(5, 5),
    slice(12, 5),
    slice(62, 1000),
    slice(-3, None),
    slice(None, None, -1),
    slice(50, 3, -7),
    slice(1, None, 2),
]


@pytest.mark.parametrize("chosen", SLICES, ids=str)
def test_a_slice_has_the_games_of_a_list(classics: chessdb.Database, chosen: slice) -> None:
    expected = list(classics)[chosen]
    games = classics[chosen]
    assert len(games) == len(expected) and list(games) == expected
    assert list(games.headers()) == [game.headers for game in expected]
    assert list(games.pgn()) == [game.pgn() for game in expected]
    assert pyarrow.table(games.table(["number"]))["number"].to_pylist() == [game.number for game in expected]
    assert list(games[1::2]) == expected[1::2] and list(games[::-1]) == expected[::-1]
    assert list(reversed(games)) == expected[::-1]
    assert [games.index(game) for game in expected] == list(range(len(expected)))
    for place in (len(expected), -len(expected) - 1, 2**70):
        with pytest.raises(IndexError, match="classics.pgn"):
            games[place]
    with pytest.raises(TypeError):
        games[True]


def test_a_slice_lives_longer_than_its_database(own_games: Path) -> None:
    with chessdb.open_database(own_games / "classics.pgn") as database:
        games = database[12:15:2]
    assert [headers["White"] for headers in games.headers()] == ["Morphy, Paul", "Morphy, Paul"]


def test_a_notebook_shows_the_first_games(classics: chessdb.Database) -> None:
    shown = html(classics[12:40])
    assert shown.count("<tr>") == 11 and "Morphy" in shown and "and 18 more" in shown
    assert repr(classics[3:4]) == "<chessdb.Games: 1 game of classics.pgn>"


def test_found_games_of_several_databases(own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    found = library.find("year:1800..", sort="date")
    assert len({one.game.database for one in found}) == 2
    assert list(found.pgn()) == [one.game.pgn() for one in found]
    assert list(found.headers()) == [one.game.headers for one in found]
