"""Compares tables of moves in a mount with what python-chess counts in the same games.

usage: counts.py GAMES.pgn MOUNT

All positions of the main lines are counted. Compared are those that some game has within its first 40 plies: all that
two games or more have, and a sample of the others.
"""

import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Optional

import chess

from mounted_tables import rows_of
from oracle.moves import Facts, Moves, mean

# Positions that occur up to this ply are compared.
DEEPEST = 40
# Number of positions of one game only that are compared.
SINGLE = 5_000


def table(moves: Moves, position: str) -> list[tuple[str, ...]]:
    """What moves.csv says of a position, apart from its columns performance and eco."""
    board = chess.Board(position + " 0 1")
    played: defaultdict[Optional[chess.Move], list[Facts]] = defaultdict(list)
    for game, move in moves.positions[position]:
        played[move].append(game)
    rows = []
    for move in {*board.legal_moves, *played}:
        games = played.get(move, [])
        san, uci, reached = "", "", games
        if move is not None:
            san, uci = (board.san(move), move.uci()) if move else ("null", "0000")
            board.push(move)
            reached = [game for game, _ in moves.positions.get(board.epd(), [])]
            board.pop()
        # A move that was not played here is in the table if several games have the position after it.
        if games or len(reached) > 1:
            rows.append((move is None, -len(games), san, row(san, uci, games, reached, board.turn)))
    return [row for *_, row in sorted(rows)]


def row(san: str, uci: str, games: list[Facts], reached: list[Facts], mover: chess.Color) -> tuple[str, ...]:
    white, draws, black = (sum(game.result == result for game in games) for result in ("1-0", "1/2-1/2", "0-1"))
    decided = white + draws + black
    # Halves are rounded to even in both languages.
    score = f"{100 * (white + draws / 2) / decided:.1f}" if decided else ""
    elo = mean([own for game in games if (own := game.rating(mover))])
    years = [game.date[0] for game in games if game.date[0]]
    first, last = (str(min(years)), str(max(years))) if years else ("", "")
    counts = (str(number) for number in (len(games), white, draws, black))
    number = (games or reached)[0].number + 1
    return (san, uci, *counts, score, str(elo or ""), first, last, str(len(reached)), str(number))


def main() -> None:
    games, mount = map(Path, sys.argv[1:])
    begin = time.monotonic()
    moves = Moves(games)
    print(f"python-chess counted {len(moves.positions)} positions of {len(moves.games)} games", end=" ")
    print(f"in {time.monotonic() - begin:.0f} s")
    early = sorted(position for position, ply in moves.plies.items() if ply <= DEEPEST)
    shared = [position for position in early if len(moves.positions[position]) > 1]
    single = [position for position in early if len(moves.positions[position]) == 1]
    chosen = shared + random.Random(1).sample(single, min(SINGLE, len(single)))
    differ = 0
    begin = time.monotonic()
    for position in chosen:
        expected, found = table(moves, position), rows_of(mount, position)
        if expected != found:
            differ += 1
            if differ <= 10:
                print(f"{position}\n  python-chess {expected}\n  pgnfs        {found}")
    print(f"{len(chosen)} tables compared in {time.monotonic() - begin:.0f} s: {len(shared)} of positions that")
    print(f"several games have to ply {DEEPEST}, the others of {len(single)} that one game has: {differ} differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
