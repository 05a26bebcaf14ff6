"""Compares the answers of a SimpleCDb database with those of a PGN file of its games.

usage: stored.py PGNFS DATABASE GAMES.pgn QUESTIONS

Only the moves that SimpleCDb stores are looked at before a game is replayed. GAMES.pgn has the first games of DATABASE,
and each of its games is replayed. The queries are those that long-test.parts/search.py makes from some of the games.
"""

import random
import re
import sys
from pathlib import Path

from asking import Differences, find, numbers
from find import drawn
from search import KINDS, Games, alone, combined

# Queries are made from so many games.
SOME = 40


def main() -> None:
    pgnfs, database, pgn, questions = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(1)
    games = Games(drawn(pgn, SOME, chance))
    number = len(re.findall(rb'^\[Event "', pgn.read_bytes(), re.MULTILINE))
    differences = Differences("replay")
    for place in range(questions):
        # Every other one has several terms.
        kind = KINDS[place // 2 % len(KINDS)]
        question = combined(games, chance) if place % 2 else alone(kind, games, chance)
        query = question.arguments[0]
        stored, replayed = find(pgnfs, query, database), find(pgnfs, query, str(pgn))
        ours = {(game, ply) for game, ply in numbers(stored).items() if game <= number}
        differences.compare(query, ours, set(numbers(replayed).items()))
    differences.report(f"{number} games")
    sys.exit(differences.differ > 0)


if __name__ == "__main__":
    main()
