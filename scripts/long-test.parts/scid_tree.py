"""Compares tables of moves in a mount with Scid's tree of the same games, and measures how long both take.

usage: scid_tree.py GAMES.pgn MOUNT POSITIONS BASE

The positions are those of random games at random plies from 0 to 60. Scid's tree ignores rights to castle and en
passant, so the FENs that are looked up in the mount end after the side to move. BASE is where Scid puts its copy.
"""

import io
import mmap
import os
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn

from mounted_tables import rows_of, table_of

DEEPEST = 60
# The aim for the whole sample.
TIMES = 100


def positions_of(games: Path, number: int) -> list[chess.Board]:
    """Different positions of random games."""
    chosen = random.Random(1)
    with games.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        starts = [match.start() for match in re.finditer(rb'^\[Event "', text, re.MULTILINE)] + [len(text)]
        found: dict[str, chess.Board] = {}
        while len(found) < number:
            game = chosen.randrange(len(starts) - 1)
            pgn = text[starts[game] : starts[game + 1]].decode()
            read = chess.pgn.read_game(io.StringIO(pgn))
            assert read is not None
            board, moves = read.board(), list(read.mainline_moves())
            for move in moves[: chosen.randint(0, min(DEEPEST, len(moves)))]:
                board.push(move)
            found.setdefault(without_rights(board), board)
    return list(found.values())


def without_rights(board: chess.Board) -> str:
    return " ".join(board.fen().split()[:2])


def seconds_to_read(path: Path) -> float:
    begin = time.perf_counter()
    file = os.open(path, os.O_RDONLY)
    while os.read(file, 1 << 16):
        pass
    os.close(file)
    return time.perf_counter() - begin


# A move without signs of check, and how many games go on with it, are won by White, drawn, and won by Black.
Row = tuple[str, int, int, int, int]


def scid_row(text: str) -> Row:
    move, *counts = text.split(",")
    games, white, draws, black = map(int, counts)
    return (move.rstrip("+#") if move != "[end]" else "", games, white, draws, black)


def our_rows(mount: Path, position: str) -> list[Row]:
    rows = []
    for move, _, *counts in rows_of(mount, position):
        games, white, draws, black = map(int, counts[:4])
        if games:
            rows.append((move.rstrip("+#"), games, white, draws, black))
    return sorted(rows)


def milliseconds(times: list[float]) -> str:
    return f"{1000 * statistics.median(times):9.3f} {1000 * statistics.fmean(times):9.3f} {1000 * max(times):9.3f}"


def main() -> None:
    games, mount, base = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[4])
    boards = positions_of(games, int(sys.argv[3]))
    fens = base.with_suffix(".fens")
    fens.write_text("".join(f"{board.fen()}\n" for board in boards))
    script = Path(__file__).parent / "scid/tree.tcl"
    begin = time.monotonic()
    scid = subprocess.run(
        ["tkscid", script, base, games, fens], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    print(f"Scid imported the games and answered in {time.monotonic() - begin:.0f} s")
    answers = [line.split() for line in scid.stdout.splitlines() if line[:1].isdigit()]
    assert len(answers) == len(boards), scid.stderr
    differ = 0
    # Of positions that several games have, and of all others: times of Scid, ours with and without rights.
    times: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for board, (microseconds, *rows) in zip(boards, answers):
        position = without_rights(board)
        ours = (seconds_to_read(table_of(mount, board.epd())), seconds_to_read(table_of(mount, position)))
        expected, found = sorted(map(scid_row, rows)), our_rows(mount, position)
        if expected != found:
            differ += 1
            if differ <= 10:
                print(f"{position}\n  Scid  {expected}\n  pgnfs {found}")
        times[sum(row[1] for row in found) > 1].append((int(microseconds) / 1e6, *ours))
    print(f"{len(boards)} positions: {differ} differ")
    print(f"{'milliseconds':50} {'median':>9} {'mean':>9} {'most':>9}")
    for is_shared, name in [(True, "of several games"), (False, "of one game")]:
        columns = [list(column) for column in zip(*times[is_shared])]
        for column, what in zip(columns, ["Scid", "mount, with rights", "mount, any rights"]):
            print(f"{f'{len(column)} positions {name}: {what}':50} {milliseconds(column)}")
    all_times = times[True] + times[False]
    sums = [sum(column) for column in zip(*all_times)]
    median = statistics.median(scid / ours for scid, ours, _ in all_times)
    print(f"Scid against the mount, times: {median:.1f} in the median, {sums[0] / sums[1]:.1f} for all (aim {TIMES})")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
