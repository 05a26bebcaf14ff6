"""Compares the answers of `pgnfs find` to `repertoire:FILE by:...` and `left:FILE` with what python-chess finds in all lines of all games.

usage: repertoires.py PGNFS LARGE.pgn FOLDER GAMES

Repertoires are beginnings of some of the games, with variations at random. Deviations are compared, too.
"""

import csv
import io
import random
import sys
from pathlib import Path

import chess

from ask import compared_queries, run
from made import Tree, drawn, of_line, write_trees
from oracle.answers import Games
from oracle.repertoires import Repertoire

# Repertoires, and questions about each.
REPERTOIRES, QUESTIONS = 12, 12


def question(path: Path, chance: random.Random) -> str:
    by, mirror = chance.choice(["black", "white"]), chance.choice(["", "", "colour", "side", "both"])
    is_negated, in_variations = chance.random() < 0.3, chance.random() < 0.4
    least = 0 if is_negated else chance.choice([0, 0, 3, 6])
    text = f"{'-' * is_negated}repertoire:{path} by:{by}"
    return text + f" ply:{least}.." * (least > 0) + f" mirror:{mirror}" * (mirror != "") + " in:variations" * in_variations


def deviations(pgnfs: str, text: str, database: Path) -> dict[int, tuple[str, ...]]:
    answer = run([pgnfs, "find", "--show=deviations", text, str(database)], (0, 1))
    return {
        int(row["path"][-10:-4]): (row["ply"], row["by"], row["move"], " ".join(sorted(row["repertoire"].split())))
        for row in csv.DictReader(io.StringIO(answer.text))
    }


def main() -> None:
    pgnfs, large, folder, number = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(3)
    some = list(drawn(large, number, chance))
    trees = [Tree(game, chance) for game in some]
    database = folder / "games.pgn"
    write_trees(trees, database)
    games = Games([tree.game for tree in trees])
    wrong = 0
    for place in range(REPERTOIRES):
        begun = []
        for game in chance.sample(some, min(len(some), chance.choice([1, 3, 10, 40]))):
            line = game.lines[0]
            begun.append(Tree(of_line({}, line._replace(moves=line.moves[: chance.randint(1, 24)])), chance))
        path = folder / f"own{place}.pgn"
        write_trees(begun, path)
        own = games.repertoires[str(path)] = Repertoire([tree.game for tree in begun])
        texts = [question(path, chance) for _ in range(QUESTIONS)]
        wrong += compared_queries(f"repertoire {place}", texts, games, pgnfs, database)
        for by, name in ((chess.WHITE, "white"), (chess.BLACK, "black")):
            for sign in ("", "-"):
                text = f"{sign}repertoire:{path} by:{name}"
                lines = {game: games.games[game - 1].lines[0] for game in games.answer(text)}
                expected = {game: left for game, line in lines.items() if (left := own.left(line, by)) is not None}
                found = deviations(pgnfs, text, database)
                differ = {game for game in {*found, *expected} if found.get(game) != expected.get(game)}
                print(f"deviations of {text}: {len(expected)}, {len(differ)} differ", flush=True)
                wrong += len(differ)
        # The games that leave it, by a move of either side or of one.
        left = {number: own.left(game.lines[0], None) for number, game in enumerate(games.games, 1)}
        for name in ("", "white", "black"):
            text = f"left:{path}" + f" by:{name}" * (name != "")
            expected = {game: row for game, row in left.items() if row is not None and name in ("", row[1])}
            found = deviations(pgnfs, text, database)
            differ = {game for game in {*found, *expected} if found.get(game) != expected.get(game)}
            print(f"deviations of {text}: {len(expected)}, {len(differ)} differ", flush=True)
            wrong += len(differ)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
