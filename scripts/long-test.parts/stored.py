"""Compares the answers of a SimpleCDb database with those of a PGN file of its games.

usage: stored.py PGNFS DATABASE GAMES.pgn QUESTIONS

Only the moves that SimpleCDb stores are looked at before a game is replayed. GAMES.pgn has the first games of DATABASE,
and each of its games is replayed.
"""

import random
import sys
from pathlib import Path

from ask import Differences, find, numbers
from made import drawn, starts_in
from questions import KINDS, Maker

# Queries are made from so many games.
SOME = 40


def main() -> None:
    pgnfs, database, pgn, questions = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(1)
    maker = Maker(list(drawn(pgn, SOME, chance)), chance)
    number = len(starts_in(pgn))
    differences = Differences("replay")
    for place in range(questions):
        # Every other one has several terms.
        query = maker.combined() if place % 2 else maker.alone(KINDS[place // 2 % len(KINDS)])
        stored, replayed = find(pgnfs, query, database), find(pgnfs, query, str(pgn))
        ours = {(game, ply) for game, ply in numbers(stored).items() if game <= number}
        differences.compare(query, ours, set(numbers(replayed).items()))
    differences.report(f"{number} games")
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
