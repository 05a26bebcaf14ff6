"""Tables: the same values as the headers, in every library that knows Arrow."""

import datetime
import os
import subprocess
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
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


# The types that columns have in memory, whatever the texts of the games.
TYPES = {
    "database": pyarrow.string(),
    "number": pyarrow.int32(),
    "White": pyarrow.string(),
    "WhiteElo": pyarrow.int16(),
    "BlackElo": pyarrow.int16(),
    "WhiteRatingDiff": pyarrow.int16(),
    "BlackRatingDiff": pyarrow.int16(),
    "tag:WhiteElo": pyarrow.string(),
    "UTCDate": pyarrow.date32(),
    "UTCTime": pyarrow.time32("ms"),
    "year": pyarrow.int16(),
    "month": pyarrow.int8(),
    "day": pyarrow.int8(),
    "eco_name": pyarrow.string(),
    "deleted": pyarrow.bool_(),
    "ply_count": pyarrow.int32(),
    "plies": pyarrow.large_binary(),
    "moves": pyarrow.large_string(),
    "uci": pyarrow.large_string(),
    "final_fen": pyarrow.large_string(),
    "movetext": pyarrow.large_string(),
    "pgn": pyarrow.large_string(),
    "path": pyarrow.large_string(),
    "clocks": pyarrow.list_(pyarrow.int32()),
    "evals": pyarrow.list_(pyarrow.int16()),
}

SERVER = """\
[White "a"]
[Black "b"]
[Result "1-0"]
[UTCDate "2013.01.31"]
[UTCTime "23:59:58"]
[WhiteElo "2640 "]
[BlackElo "2760"]
[WhiteRatingDiff "+11"]
[BlackRatingDiff "x"]

1. e4 {[%eval 0.36] [%clk 0:03:00]} e5 {[%clk 0:02:59.5]} 2. Qh5 (2. Nf3 {[%clk 0:00:01]}) 2... Ke7 {[%eval #1]}
3. Qxe5# 1-0

[White "c"]
[Black "d"]
[Result "*"]

*
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    path = tmp_path / "server.pgn"
    path.write_text(SERVER)
    return path


def test_columns_have_types(server: Path) -> None:
    names = list(TYPES)
    table = pyarrow.table(chessdb.open_database(server).table(names))
    assert {field.name: field.type for field in table.schema} == TYPES
    first, second = table.to_pylist()
    assert (first["WhiteElo"], first["BlackElo"], first["tag:WhiteElo"]) == (2640, 2760, "2640 ")
    assert (first["WhiteRatingDiff"], first["BlackRatingDiff"]) == (11, None)
    assert first["UTCDate"] == datetime.date(2013, 1, 31)
    assert first["UTCTime"] == datetime.time(23, 59, 58)
    assert first["clocks"] == [18000, 17950, None, None, None]
    assert first["evals"] == [36, None, None, 31999, None]
    assert first["moves"] == "e4 e5 Qh5 Ke7 Qxe5#"
    assert first["uci"] == "e2e4 e7e5 d1h5 e8e7 h5e5"
    assert (second["clocks"], second["evals"], second["plies"], second["moves"]) == ([], [], b"", "")
    assert {name for name, value in second.items() if value is None} == {
        *("WhiteElo", "BlackElo", "WhiteRatingDiff", "BlackRatingDiff", "tag:WhiteElo", "UTCDate", "UTCTime"),
        *("year", "month", "day", "eco_name"),
    }
    frame = polars.DataFrame(table)
    # Signed, so that a difference is one.
    assert frame.select(polars.col("WhiteElo") - polars.col("BlackElo")).to_series().to_list() == [-120, None]


def test_tables_are_those_of_the_command(server: Path) -> None:
    program = os.environ.get("PGNFS_PROGRAM", "")
    if not Path(program).exists():
        pytest.skip("the program is not built")
    names = ",".join(TYPES)
    output = server.with_suffix(".parquet")
    subprocess.run(
        [program, "export", "--to=parquet", "--columns", names, "--output", output, server],
        check=True,
    )
    ours = pyarrow.table(chessdb.open_database(server).table(list(TYPES))).to_pylist()
    theirs = pyarrow.parquet.read_table(output)
    assert theirs.to_pylist() == ours
    wide = {pyarrow.large_string(): pyarrow.string(), pyarrow.large_binary(): pyarrow.binary()}
    assert {field.name: field.type for field in theirs.schema} == {
        name: wide.get(kind, kind) for name, kind in TYPES.items()
    }
    assert polars.read_parquet(output).to_dicts() == ours
    query = f"SELECT clocks[2], evals[4], UTCDate FROM '{output}' WHERE ply_count > 0"
    clocks = duckdb.execute(query).fetchall()
    assert clocks == [(17950, 31999, datetime.date(2013, 1, 31))]


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
