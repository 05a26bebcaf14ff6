"""Engines that ask for a few columns of many games: polars and DuckDB."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars
import pytest
from polars.testing import assert_frame_equal

import chessdb
import chessdb.polars


def many(path: Path, games: int) -> Path:
    path.write_text("".join(f'[White "w{n}"]\n[WhiteElo "{2000 + n % 500}"]\n\n1. e4 e5 *\n\n' for n in range(games)))
    return path


def test_a_scan_gives_what_a_table_has(own_games: Path) -> None:
    library = chessdb.open(own_games)
    assert isinstance(library, chessdb.Library)
    for rows in ("games", "positions"):
        scanned = chessdb.polars.scan(own_games, rows=rows).collect()
        assert_frame_equal(scanned, polars.DataFrame(library.table(rows=rows)))
        scanned = chessdb.polars.scan(own_games, "player:morphy result:win", rows=rows).collect()
        assert_frame_equal(
            scanned, polars.DataFrame(library.table(rows=rows, where="player:morphy result:win"))
        )
        assert scanned.height > 0
    # What is open may be scanned, too.
    columns = ["White", "ply_count", "uci"]
    opened = library["classics.pgn"]
    for source in (opened, own_games / "classics.pgn"):
        scanned = chessdb.polars.scan(source, columns=columns).collect()
        assert_frame_equal(scanned, polars.DataFrame(opened.table(columns)))
        # A text is the name of one column.
        scanned = chessdb.polars.scan(source, columns="White").collect()
        assert_frame_equal(scanned, polars.DataFrame(opened.table("White")))


def test_queries_of_polars_have_the_answers_of_whole_frames(tmp_path: Path) -> None:
    path = many(tmp_path / "many.pgn", 3_000)
    names = ["number", "White", "WhiteElo"]
    frame = polars.DataFrame(chessdb.open_database(path).table(names))
    lazy = chessdb.polars.scan(path, columns=names)
    strong = polars.col("WhiteElo") > 2490
    questions: list[Callable[[polars.LazyFrame], polars.LazyFrame]] = [
        lambda frame: frame.select("White"),
        lambda frame: frame.filter(strong),
        lambda frame: frame.filter(strong).select("White"),
        lambda frame: frame.filter(strong).head(20),
        lambda frame: frame.head(700).filter(strong),
        lambda frame: frame.head(0),
        lambda frame: frame.slice(600, 700),
        lambda frame: frame.tail(3),
        lambda frame: frame.select(polars.len()),
        lambda frame: frame.filter(strong).select(polars.len()),
        lambda frame: frame.group_by("WhiteElo").len().sort("WhiteElo"),
        lambda frame: frame.with_columns(polars.col("WhiteElo") + 1).select("WhiteElo"),
    ]
    for ask in questions:
        whole = ask(frame.lazy()).collect()
        assert_frame_equal(ask(lazy).collect(engine="in-memory"), whole)
        assert_frame_equal(ask(lazy).collect(engine="streaming"), whole)


@pytest.mark.parametrize("games", [255, 256, 257, 1_280, 1_281, 5_376, 5_377])
def test_borders_of_parts(games: int, tmp_path: Path) -> None:
    lazy = chessdb.polars.scan(many(tmp_path / "many.pgn", games), columns=["number"])
    assert lazy.collect()["number"].to_list() == list(range(1, games + 1))
    positions = chessdb.polars.scan(tmp_path / "many.pgn", columns=["number", "ply"], rows="positions")
    expected = [(number, ply) for number in range(1, games + 1) for ply in range(3)]
    assert positions.collect().rows() == expected


class Spy:
    """A database that remembers what it was asked for."""

    def __init__(self, database: chessdb.Database) -> None:
        self.database = database
        self.asked: list[tuple[list[str], int]] = []

    def __len__(self) -> int:
        return len(self.database)

    def _part(self, columns: Sequence[str], rows: str, start: int, stop: int, where: Any) -> chessdb.Table:
        self.asked.append((list(columns), stop))
        return self.database._part(columns, rows, start, stop, where)


def test_only_what_is_wanted_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many(tmp_path / "many.pgn", 3_000)
    lazy = chessdb.polars.scan(path, columns=["number", "White", "WhiteElo", "pgn", "uci"])
    spy = Spy(chessdb.open_database(path))
    monkeypatch.setattr("chessdb.polars.databases", lambda opened: [spy])
    assert lazy.filter(polars.col("WhiteElo") > 2490).select("White").collect().height > 0
    assert all(sorted(columns) == ["White", "WhiteElo"] for columns, _ in spy.asked)
    assert spy.asked[-1][1] == 3_000
    spy.asked.clear()
    assert lazy.head(5).select("White").collect().height == 5
    assert spy.asked == [(["White"], 256)]


def test_what_is_wrong_is_said_before_games_are_read(own_games: Path) -> None:
    with pytest.raises(chessdb.QueryError):
        chessdb.polars.scan(own_games, "player:")
    for columns, message in [
        (["Whitee"], "few games have a tag 'Whitee': if it is meant, write tag:Whitee"),
        (["keys"], "no table has a column 'keys'"),
        (["key"], "rows=\"positions\""),
        ([], "name at least one"),
    ]:
        with pytest.raises(ValueError, match=message):
            chessdb.polars.scan(own_games, columns=columns)
    with pytest.raises(FileNotFoundError):
        chessdb.polars.scan(own_games / "none.pgn")
    named = chessdb.polars.scan(own_games, columns=["tag:Whitee"]).head(2).collect()
    assert named["tag:Whitee"].to_list() == [None, None]


def test_a_file_that_changes_is_named(tmp_path: Path) -> None:
    path = many(tmp_path / "many.pgn", 2_000)
    lazy = chessdb.polars.scan(path, columns=["White"])
    assert lazy.collect().height == 2_000
    path.write_text(path.read_text()[:10_000])
    with pytest.raises(Exception, match=r"many\.pgn: the file was"):
        lazy.collect()


@pytest.mark.parametrize("name", ["polars", "spark"])
def test_packages_are_needed_only_where_they_are_used(name: str) -> None:
    missing = {"polars": "polars", "spark": "pyspark"}[name]
    script = f"""
import sys
import chessdb
assert not {{"polars", "pyspark", "pyarrow", "duckdb"}} & set(sys.modules), sys.modules
sys.modules[{missing!r}] = None
try:
    chessdb.{name}
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.strip().endswith(f": pip install chessdb[{name}]")
