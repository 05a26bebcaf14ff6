"""Compares the answers of `pgnfs find QUERY` with what python-chess finds, for terms about positions.

usage: search.py PGNFS LARGE.pgn FOLDER GAMES [variations]

With `variations`, variations at random are added to the games, and the queries have `in:variations`. All questions are
asked without an index and with one.
"""

import random
import sys
from pathlib import Path

from ask import compared_queries
from made import Tree, annotated, drawn, end_of, mixed, of_line, write, write_trees
from oracle.answers import Games
from questions import COMBINED, KINDS, OF_ONE_KIND, Maker


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    has_variations = sys.argv[5:] == ["variations"]
    chance = random.Random(2 if has_variations else 1)
    database = folder / "games.pgn"
    if has_variations:
        some = list(drawn(large, number * 9 // 10, chance))
        for _ in range(number - len(some)):
            one = chance.choice(some)
            some.append(of_line(one.tags, end_of(one.lines[0], chance)))
        trees = [Tree(annotated(game, chance), chance) for game in some]
        write_trees(trees, database)
        some = [tree.game for tree in trees]
    else:
        some = [annotated(game, chance) for game in mixed(large, number, chance)]
        write(some, database)
    maker = Maker(some, chance)
    maker.places = [chance.randrange(len(game.lines)) for game in some]
    lines = [line for game in some for line in game.lines]
    print(f"{number} games with {len(lines)} lines of {sum(len(line.moves) + 1 for line in lines)} positions", flush=True)
    games = Games(some)
    kinds = [(kind.__name__, lambda kind=kind: maker.alone(kind), OF_ONE_KIND) for kind in KINDS]
    kinds += [("sacrifice", maker.sacrifice, OF_ONE_KIND), ("line", maker.line, OF_ONE_KIND)]
    kinds += [("combined", maker.combined, COMBINED), ("either", maker.either, COMBINED)]
    wrong = 0
    for name, make, count in kinds:
        texts = [make() + " in:variations" * has_variations for _ in range(count)]
        wrong += compared_queries(name + " in variations" * has_variations, texts, games, pgnfs, database)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
