"""Measures what the package is to reach, with an installed release build.

usage: python3 python/benches/figures.py [DATABASE]

Times are processor times of the whole process, so that other programs disturb little; the best of several rounds counts.
"""

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess.pgn
import pyarrow

import chessdb

ROUNDS = 3
# Games that python-chess reads.
FEW = 1_000
# The main line of the Najdorf Variation.
LINE = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"
SHARED = Path(os.environ.get("PGNFS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def per_second(games: int, work: Callable[[], object]) -> float:
    """Games in a second of processor time, in the best of the rounds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return games / min(times)


def row(figure: str, measured: float, target: int = 0) -> None:
    """Prints a row of the table of scripts/bench; with target 0 it has none."""
    bound = met = ""
    if target:
        bound, met = f">= {target}", "yes" if measured >= target else "NO"
    print(f"{figure:60} {measured:12.3f} {bound:>10} {met:>5}", flush=True)


def drain(iterator: Iterator[object]) -> None:
    for _ in iterator:
        pass


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else SHARED / "data/simplecdb/large/large.dci"
    database = chessdb.open_database(path, threads=1)
    games = len(database)
    row("Python: headers() as dicts, games/s", per_second(games, lambda: drain(database.headers())), 300_000)
    row(
        "Python: headers of each game, games/s",
        per_second(games, lambda: drain(game.headers for game in database)),
        300_000,
    )
    row("Python: table(), rows/s", per_second(games, lambda: pyarrow.table(database.table())), 1_000_000)
    row("Python: pgn() of the database, games/s", per_second(games, lambda: drain(database.pgn())), 300_000)
    row(
        "Python: pgn() of each game, games/s",
        per_second(games, lambda: drain(game.pgn() for game in database)),
        300_000,
    )
    positions(database)
    few = database[:FEW]
    text = "".join(game.pgn() for game in few)

    def read() -> None:
        file = io.StringIO(text)
        while chess.pgn.read_game(file) is not None:
            pass

    theirs = per_second(len(few), read)
    row("python-chess: reading games from PGN, games/s", theirs)
    against: list[tuple[str, Callable[[], object], int]] = [
        ("headers", lambda: [game.headers for game in few], 0),
        ("plies", lambda: [game.plies for game in few], 100),
        ("pgn()", lambda: [game.pgn() for game in few], 100),
        ("to_chess()", lambda: [game.to_chess() for game in few], 1),
    ]
    for name, work, target in against:
        row(f"Python: {name} against python-chess, times", per_second(len(few), work) / theirs, target)


def positions(database: chessdb.Database) -> None:
    """Searches with and without the index of positions."""
    games = len(database)
    questions: list[tuple[str, Callable[[str], object]]] = [
        ("find()", lambda line: database.find(moves=line)),
        ("moves_table()", lambda line: database.moves_table(moves=line)),
    ]
    for name, ask in questions:
        row(f"Python: {name} without an index, games/s", per_second(games, lambda: ask(LINE)))
    begin = time.process_time()
    database.index_positions()
    row("Python: index_positions(), games/s", games / (time.process_time() - begin))
    for name, ask in questions:
        row(f"Python: {name} with an index, answers/s", per_second(1, lambda: ask(LINE)))


if __name__ == "__main__":
    main()
