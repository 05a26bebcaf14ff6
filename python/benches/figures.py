"""Measures what the package is to reach, with an installed release build.

usage: python python/benches/figures.py [DATABASE]

Times are processor times of the whole process, so that other programs disturb little; the best of several rounds counts.
"""

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess.pgn

import chessdb

ROUNDS = 3
# Games that python-chess reads.
FEW = 1_000
SHARED = Path(os.environ.get("PGNFS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def per_second(games: int, work: Callable[[], object]) -> float:
    """Games in a second of processor time, in the best of the rounds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return games / min(times)


def row(figure: str, measured: float, target: float) -> None:
    met = "yes" if measured >= target else "NO"
    print(f"{figure:60} {measured:12,.1f} >= {target:10,.0f} {met:>5}")


def drain(iterator: Iterator[object]) -> None:
    for _ in iterator:
        pass


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else SHARED / "data/simplecdb/large/large.dci"
    database = chessdb.open_database(path, threads=1)
    games = len(database)
    row("headers() as dicts, games/s", per_second(games, lambda: drain(database.headers())), 300_000)
    row(
        "headers of each game, games/s",
        per_second(games, lambda: drain(game.headers for game in database)),
        300_000,
    )
    row("table(), rows/s", per_second(games, lambda: database.table()), 1_000_000)
    row("pgn() of the database, games/s", per_second(games, lambda: drain(database.pgn())), 300_000)
    row(
        "pgn() of each game, games/s",
        per_second(games, lambda: drain(game.pgn() for game in database)),
        300_000,
    )
    few = database[:FEW]
    text = "".join(game.pgn() for game in few)

    def read() -> None:
        file = io.StringIO(text)
        while chess.pgn.read_game(file) is not None:
            pass

    theirs = per_second(len(few), read)
    against: list[tuple[str, Callable[[], object], float]] = [
        ("plies", lambda: [game.plies for game in few], 100),
        ("pgn()", lambda: [game.pgn() for game in few], 100),
        ("to_chess()", lambda: [game.to_chess() for game in few], 1),
    ]
    for name, work, target in against:
        row(f"{name} against python-chess reading the games, times", per_second(len(few), work) / theirs, target)



if __name__ == "__main__":
    main()
