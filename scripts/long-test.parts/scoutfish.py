"""Compares `board:` with the sub-fen of Scoutfish: the first ply of each game, and the time.

usage: scoutfish.py PGNFS SCOUTFISH GAMES.pgn DATABASE QUESTIONS

GAMES.pgn are the main lines of DATABASE, which both programs are asked about. Times are also those of DATABASE.
"""

import bisect
import json
import random
import re
import sys
from pathlib import Path

import chess

from ask import ROUNDS, Differences, Times, find, numbers, positions, run

# Questions of which the time is taken.
TIMED = 20


def some_pieces(board: chess.Board, chance: random.Random) -> str:
    """Some pieces of a position as the board of a FEN: few, many or all."""
    asked = chess.Board(None)
    part = chance.choice([0.1, 0.2, 0.4, 0.7, 1])
    for square, piece in board.piece_map().items():
        if chance.random() < part:
            asked.set_piece_at(square, piece)
    return asked.board_fen()


def main() -> None:
    pgnfs, scoutfish, pgn, database, number = sys.argv[1:]
    games = Path(pgn)
    chance = random.Random(1)
    boards = positions(games, 2 * int(number), chance)
    questions = []
    for one, other in zip(boards[::2], boards[1::2]):
        fens = [some_pieces(one, chance)]
        if chance.random() < 0.2:
            fens.append(some_pieces(other, chance))
        questions.append(fens)

    starts = [match.start() for match in re.finditer(rb'^\[Event "', games.read_bytes(), re.MULTILINE)]
    made = run([scoutfish, "make", str(games)])
    index = str(games.with_suffix(".scout"))
    print(f"Scoutfish made its index in {made.seconds:.1f} s of processor time")
    differences = Differences("Scoutfish")
    times = Times("board:", ["Scoutfish", "pgnfs", "pgnfs, PGN"])
    for place, fens in enumerate(questions):
        query = f"board:{'|'.join(fens)}"
        rule = json.dumps({"sub-fen": fens})
        theirs = [run([scoutfish, "scout", index, rule])]
        ours = [find(pgnfs, query, pgn)]
        matches = json.loads(theirs[0].text[theirs[0].text.index("{") :])["matches"]
        # An offset is that of the game or of the line break before it.
        expected = {(bisect.bisect_right(starts, match["ofs"] + 1), match["ply"][0]) for match in matches}
        differences.compare(query, set(numbers(ours[0]).items()), expected)
        if place < TIMED:
            binary = [find(pgnfs, query, database)]
            for _ in range(ROUNDS - 1):
                theirs.append(run([scoutfish, "scout", index, rule]))
                binary.append(find(pgnfs, query, database))
                ours.append(find(pgnfs, query, pgn))
            times.add(query, *(min(one.seconds for one in runs) for runs in (theirs, binary, ours)))
    times.report(0, 1, 2)
    differences.report()
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
