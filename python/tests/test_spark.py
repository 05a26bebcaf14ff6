"""Databases as a data source of Spark."""

import datetime
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import chessdb
from conftest import missing


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session with two threads, each of which has processes of Python."""
    if shutil.which("java") is None:
        missing("java, which Spark needs (apt-get install default-jre-headless)")
    try:
        from pyspark.sql import SparkSession

        import chessdb.spark
    except ImportError as error:
        missing(f"Spark ({error})")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    chessdb.spark.register(session)
    yield session
    session.stop()


SERVER = """\
[White "a"]
[Black "b"]
[Result "1-0"]
[UTCDate "2013.01.31"]
[UTCTime "23:59:58"]
[WhiteElo "2640 "]
[WhiteRatingDiff "+11"]

1. e4 {[%eval 0.36] [%clk 0:03:00]} e5 {[%clk 0:02:59.5]} 2. Qh5 1-0

[White "c"]
[Result "*"]

*
"""


def read(spark: Any, path: Path, **options: str) -> Any:
    return spark.read.format("chessdb").options(**options).load(str(path))


def test_spark_reads_what_tables_have(spark: Any, own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    for rows in ("games", "positions"):
        frame = read(spark, own_games, rows=rows)
        table = pyarrow.table(library.table(rows=rows))
        assert frame.columns == table.column_names
        expected = Counter(tuple(row.values()) for row in table.to_pylist())
        assert Counter(tuple(row) for row in frame.collect()) == expected
        assert sum(expected.values()) > 70


def test_columns_have_types_in_spark(spark: Any, own_games: Path) -> None:
    names = "number,White,WhiteElo,UTCDate,UTCTime,year,month,deleted,ply_count,plies,moves,clocks,evals,tag:UTCTime"
    (own_games / "server.pgn").write_text(SERVER)
    frame = read(spark, own_games / "server.pgn", columns=names)
    types = [kind for _, kind in frame.dtypes]
    assert types == [
        *("int", "string", "smallint", "date", "time(6)", "smallint", "tinyint", "boolean", "int"),
        *("binary", "string", "array<int>", "array<smallint>", "string"),
    ]
    database = chessdb.open_database(own_games / "server.pgn")
    table = pyarrow.table(database.table(names.split(","))).to_pylist()
    assert [tuple(row) for row in frame.orderBy("number").collect()] == [tuple(row.values()) for row in table]
    assert table[0]["UTCTime"] == datetime.time(23, 59, 58) and table[0]["clocks"] == [18000, 17950, None]
    # Only the games that answer a query have rows.
    found = read(spark, own_games, where="player:morphy result:win", columns="number").collect()
    assert sorted(row[0] for row in found) == [
        one.game.number for one in chessdb.open_database(own_games / "classics.pgn").find("player:morphy result:win")
    ]
    # The columns of a schema are those that are read.
    reader = spark.read.format("chessdb").schema("White string, ply_count int NOT NULL")
    chosen = reader.load(str(own_games / "classics.pgn"))
    assert chosen.columns == ["White", "ply_count"] and chosen.count() == 63


def test_the_opening_tree_is_a_group_by(spark: Any, own_games: Path) -> None:
    database = chessdb.open_database(own_games / "classics.pgn")
    frame = read(spark, own_games / "classics.pgn", rows="positions", columns="key,move")
    start = frame.where("key = 5060803636482931868").groupBy("move").count().collect()
    played = {row.san: row.games for row in database.moves_table(moves="") if row.games}
    assert {row["move"]: row["count"] for row in start} == played


@pytest.mark.parametrize("games", [20_000, 20_001])
def test_each_game_is_in_one_task(spark: Any, games: int, tmp_path: Path) -> None:
    path = tmp_path / "many.pgn"
    path.write_text('[White "a"]\n\n1. e4 *\n\n' * games)
    frame = read(spark, path, columns="number")
    assert frame.rdd.getNumPartitions() == (games + 19_999) // 20_000
    numbers = sorted(row[0] for row in frame.collect())
    assert numbers == list(range(1, games + 1))


def test_a_file_that_changed_after_the_plan_is_named(spark: Any, tmp_path: Path) -> None:
    for name in ("a.pgn", "b.pgn"):
        (tmp_path / name).write_text('[White "a"]\n\n1. e4 *\n\n' * 10_000)
    frame = read(spark, tmp_path, columns="White")
    assert len(frame.collect()) == 20_000
    (tmp_path / "b.pgn").write_text('[White "b"]\n\n1. d4 *\n\n' * 10_001)
    with pytest.raises(Exception, match=r"b\.pgn: the file was changed after the work was planned"):
        frame.collect()
    assert len(read(spark, tmp_path, columns="White").collect()) == 20_001


def test_what_is_wrong_fails_before_any_task(spark: Any, own_games: Path) -> None:
    for options, message in [
        ({"columns": "keys"}, "no table has a column 'keys'"),
        ({"columns": "Whitee"}, "write tag:Whitee"),
        ({"rows": "moves"}, "is not games or positions"),
        ({"where": "player:"}, "player:"),
    ]:
        with pytest.raises(Exception, match=message):
            read(spark, own_games, **options).collect()
