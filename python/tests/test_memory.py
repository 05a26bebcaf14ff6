"""Memory: nothing is lost over a million games."""

from pathlib import Path

import pyarrow

import chessdb

GAMES = 1_000_000
# What allocators may keep.
MOST_GROWTH = 24 << 20


def resident() -> int:
    """Anonymous memory of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon")


def test_nothing_leaks(own_games: Path) -> None:
    database = chessdb.open_database(own_games / "annotated.pgn")
    each = len(database)

    def read(games: int) -> None:
        for _ in range(games // (4 * each)):
            for game, headers, text in zip(database, database.headers(), database.pgn()):
                assert len(game.plies) % 2 == 0
                del headers, text
            assert pyarrow.table(database.table(["number", "White", "pgn"])).num_rows == each

    read(GAMES // 10)
    before = resident()
    read(GAMES)
    assert resident() - before < MOST_GROWTH
