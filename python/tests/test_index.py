"""The index of positions gives the answers of a search through all games."""

from pathlib import Path
from typing import Any

import pytest

import chessdb

QUESTIONS: "list[dict[str, Any]]" = [
    {"moves": ""},
    {"moves": "e4 e5 Nf3"},
    {"moves": "d4 d5 c4 e6 Nc3 Nf6 Bg5"},
    {"moves": "a4 a5 Ra3"},
    {"fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"},
    {"pawns": "8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8"},
    {"material": "KRPkr"},
]


def answers(database: chessdb.Database) -> "list[object]":
    found: "list[object]" = []
    for question in QUESTIONS:
        found.append([(one.game.number, one.ply, one.san) for one in database.find(**question)])
        if "fen" in question or "moves" in question:
            found.append([described(row) for row in database.moves_table(**question)])
    return found


def described(row: chessdb.PlayedMove) -> "tuple[object, ...]":
    names = [name for name in dir(row) if not name.startswith("_") and name != "game"]
    assert row.game is not None
    return (row.game.number, *(getattr(row, name) for name in names))


def test_a_temporary_index(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    expected = answers(database)
    database.index_positions()
    assert answers(database) == expected
    database.close()
    with pytest.raises(ValueError, match="closed"):
        database.find(moves="e4")
    with pytest.raises(ValueError, match="closed"):
        database.index_positions()


def test_an_index_in_a_folder(own_games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "indexes"
    expected = []
    for _ in range(2):
        database = chessdb.open_database(own_games / "classics.pgn")
        expected.append(answers(database))
        database.index_positions(folder)
        expected.append(answers(database))
        [file] = folder.glob("*.positions")
        expected.append([file.name, file.stat().st_ino])
    assert expected[0] == expected[1] == expected[3] == expected[4]
    # The second one is the file of the first.
    assert expected[2] == expected[5]
    # The index of a database that was changed is not used.
    with (own_games / "classics.pgn").open("ab") as games:
        games.write((own_games / "classics.pgn").read_bytes())
    database = chessdb.open_database(own_games / "classics.pgn")
    database.index_positions(folder)
    assert len(database.find(moves="")) == 2 * len(expected[0][0])  # type: ignore[arg-type]
    assert [file.stat().st_ino for file in folder.glob("*.positions")] != [expected[2][1]]


def test_a_damaged_index(samples: Path, tmp_path: Path) -> None:
    database = chessdb.open_database(samples / "simplecdb" / "small" / "small.dci")
    expected = answers(database)
    database.index_positions(tmp_path)
    [file] = tmp_path.iterdir()
    file.write_bytes(bytes(file.stat().st_size))
    assert answers(database) == expected
    assert not file.exists()
    database.index_positions(tmp_path)
    assert file.exists()
    assert answers(database) == expected


def test_another_reading_has_another_index(own_games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "indexes"
    for encoding in ("utf-8", "windows-1251"):
        database = chessdb.open_database(own_games / "classics.pgn", encoding=encoding)
        database.index_positions(folder)
    assert len(list(folder.iterdir())) == 2


def test_an_index_that_cannot_be_built(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    with pytest.raises(OSError):
        database.index_positions(own_games / "classics.pgn")
    with (own_games / "classics.pgn").open("r+b") as games:
        games.truncate(5_000)
    with pytest.raises(chessdb.ChangedError):
        database.index_positions()
