"""Tables: the same values as the headers, in every library that knows Arrow."""

from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pytest

import chessdb

UNKNOWN = ("?", "????.??.??")


@pytest.fixture
def classics(own_games: Path) -> chessdb.Database:
    return chessdb.open_database(own_games / "classics.pgn")


def test_the_usual_columns(classics: chessdb.Database) -> None:
    rows = pyarrow.table(classics.table()).to_pylist()
    assert len(rows) == len(classics) == len(classics.table())
    for number, (row, headers) in enumerate(zip(rows, classics.headers()), start=1):
        assert row.pop("number") == number
        for name, value in row.items():
            text = headers.get(name)
            expected = None if text is None or text in UNKNOWN else text
            assert value == (int(expected) if name.endswith("Elo") and expected else expected)


def test_computed_columns(classics: chessdb.Database) -> None:
    names = ["number", "year", "month", "day", "deleted", "ply_count", "plies", "pgn", "Opening"]
    table = classics.table(names)
    assert table.columns == names
    for row, game in zip(pyarrow.table(table).to_pylist(), classics):
        date = [None if "?" in part else int(part) for part in game.headers["Date"].split(".")]
        assert [row["year"], row["month"], row["day"]] == date
        assert row["deleted"] is False
        assert row["plies"] == game.plies
        assert row["ply_count"] == len(game.moves())
        assert row["pgn"] == game.pgn()
        assert row["Opening"] is None


def test_parts(classics: chessdb.Database) -> None:
    part = pyarrow.table(classics.table(["number"], start=-5, stop=-2))
    assert part.column("number").to_pylist() == [59, 60, 61]
    assert len(classics.table(["number"], start=5, stop=5)) == 0
    assert pyarrow.table(classics.table(start=5, stop=5)).num_rows == 0


def test_a_column_that_does_not_exist_is_the_error_of_the_command(classics: chessdb.Database) -> None:
    for name, message in [
        ("whiteelo", "no table has a column 'whiteelo'; similar are WhiteElo, "),
        ("xyz", "no table has a column 'xyz'; there are the tags, such as White, and database, number"),
        ("Whiteelo", "no game has the tag 'Whiteelo'; similar are WhiteElo, "),
    ]:
        with pytest.raises(ValueError, match=message):
            classics.table(["White", name])
    # A usual tag may be in no game, and so may one that is named so on purpose.
    empty = pyarrow.table(classics.table(["Annotator", "tag:Whiteelo"], stop=3)).to_pylist()
    assert empty == [{"Annotator": None, "tag:Whiteelo": None}] * 3
    assert len(classics.table(["Whiteelo"], start=5, stop=5)) == 0


def test_every_library_takes_it(classics: chessdb.Database) -> None:
    table = classics.table(["White", "year", "WhiteElo"])
    expected = pyarrow.table(table).to_pylist()
    assert polars.DataFrame(table).to_dicts() == expected
    rows = duckdb.from_arrow(table).fetchall()
    assert [tuple(row.values()) for row in expected] == rows
    frame = pandas.DataFrame.from_arrow(table)
    assert frame["White"].tolist() == [row["White"] for row in expected]
    # A table may be taken more than once.
    assert pyarrow.table(table).to_pylist() == expected


def test_samples(samples: Path) -> None:
    library = chessdb.open(samples)
    assert isinstance(library, chessdb.Library)
    for database in library:
        table = pyarrow.table(database.table(["White", "Black", "Result", "Date"], stop=20_000))
        assert table.num_rows == min(len(database), 20_000)
        for row, headers in zip(table.to_pylist(), database.headers()):
            for name, value in row.items():
                assert (value or "") == ("" if headers[name] in UNKNOWN else headers[name])
